//! Small files of characters and motion with hand-made answers, and what is told of bad ones.

mod scratch;
mod small_characters;

use formats::{CdBody, FormatError, MakeHuman};
use math::Vect;
use rig::MocapChannel::*;
use scratch::Scratch;

#[test]
fn a_bvh_keeps_the_order_of_its_channels_names_with_spaces_and_its_end_site() {
    let scratch = Scratch::new("bvh");
    let mocap = formats::read_bvh(scratch.file("a.bvh", small_characters::BVH)).unwrap();
    let names: Vec<_> = mocap.joints.iter().map(|j| (j.name.as_str(), j.parent, j.is_end)).collect();
    assert_eq!(names, [("Left Hip", None, false), ("Knee", Some(0), false), ("", Some(1), true)]);
    assert_eq!(mocap.joints[0].channels, [ZRotation, XRotation, YRotation, XPosition, YPosition, ZPosition]);
    assert_eq!(
        (mocap.joints[1].offset, mocap.joints[2].offset),
        (Vect::from([0., -4., 0.]), Vect::from([0., -3., 0.]))
    );
    assert_eq!((mocap.frames(), mocap.frame_time, mocap.channels()), (2, 0.5, 7));
    assert_eq!(mocap.locals(1)[0].translation, Vect::<3>::new(5.0, 6.0, 7.0), "positions replace the offset");
    assert_eq!(mocap.world_from_file.apply(&Vect::<3>::new(1.0, 2.0, 3.0)), Vect::<3>::new(1.0, -3.0, 2.0));
    let more = small_characters::BVH.replace("Frames: 2", "Frames: 1").replace("Knee", "Left Hip");
    let notes = formats::read_bvh(scratch.file("b.bvh", more)).unwrap().notes;
    let expected = [
        "Two joints have the name \"Left Hip\".",
        "The file says that it holds 1 frames, but there are 2. All were read.",
    ];
    assert_eq!(notes, expected);
}

#[test]
fn a_skeleton_of_100_000_nested_joints_is_read() {
    let scratch = Scratch::new("deep-bvh");
    let joint = "JOINT a { OFFSET 0 0 0 CHANNELS 1 Xrotation\n";
    let text = format!(
        "HIERARCHY ROOT a {{\n{}{}}}\nMOTION\nFrames: 1\nFrame Time: 1\n{}",
        joint.repeat(100_000),
        "}".to_string() + &" }".repeat(99_999),
        "0 ".repeat(100_000)
    );
    let text = text.replace("}}", "} }");
    assert_eq!(formats::read_bvh(scratch.file("a.bvh", text)).unwrap().joints.len(), 100_001);
}

#[test]
fn a_person_has_joints_in_the_middle_of_moved_vertices_and_weights_by_reference() {
    let scratch = Scratch::new("person");
    small_characters::all(&scratch);
    let person = MakeHuman {
        targets: vec![(scratch.0.join("a.target"), 0.5)],
        skeleton: scratch.0.join("a.mhskel"),
        weights: scratch.0.join("a.mhw"),
        weights_skeleton: Some(scratch.0.join("old.mhskel")),
    };
    let human = formats::read_makehuman(scratch.0.join("base.obj"), &person).unwrap();
    let places: Vec<_> = human.rest_pose().world_from_node.iter().map(|map| 10.0 * map.t).collect();
    let expected = [Vect::<3>::new(0.875, 0.0, 0.0), Vect::<3>::new(0.0, 0.0, 2.0)];
    assert!(places.iter().zip(&expected).all(|(a, b)| (a - b).norm() < 1e-12), "z is up: {places:?}");
    let part = &human.parts[0];
    assert_eq!((part.surface.x.len(), part.surface.triangles.as_slice()), (3, &[[0, 1, 2]][..]), "the body only");
    assert_eq!(part.surface.x[0], Vect::<3>::new(-0.25, 0.0, 0.0));
    let skin = part.skin.as_ref().unwrap();
    let of = |v| skin.of(v).collect::<Vec<_>>();
    assert_eq!(of(0), [(0, 1.0)], "old is the root's, and counts once");
    let shared = of(1);
    assert_eq!((shared[0].0, shared[1].0), (0, 1), "older goes where its parent old goes");
    assert!((shared[0].1 - 0.25).abs() < 1e-15 && (shared[1].1 - 0.75).abs() < 1e-15, "{shared:?}");
    assert_eq!(of(2), [(0, 1.0)], "without weights it is the root's");
    let lonely = MakeHuman { weights_skeleton: None, ..person };
    let human = formats::read_makehuman(scratch.0.join("base.obj"), &lonely).unwrap();
    assert_eq!(human.notes.len(), 2, "{:?}", human.notes);
}

#[test]
fn a_child_bone_in_the_plane_follows_its_parent() {
    let scratch = Scratch::new("child-bone");
    small_characters::all(&scratch);
    scratch.file("a.tgf", "1 0 0\n2 1 0\n3 2 0\n#\n2 3 1\n1 2 1\n");
    scratch.file("one.dmat", "2 3\n1 1 1 0 0 0\n");
    scratch.file("plane_anim.txt", "1 2\n9 9 0 0 0 0\n7 7 90 0 5 90\n");
    let scene = formats::read_cd_scene(scratch.0.join("plane.json")).unwrap();
    let CdBody::Plane(body) = scene.body else { panic!() };
    assert_eq!(body.rig.parents, [Some(1), None], "the parent may stand behind its child");
    assert_eq!(body.rig.ends[0], Vect::<2>::new(2.0, 0.0));
    let tip = body.rig.frames[0][0].apply(&body.rig.ends[0]);
    assert!((tip - Vect::<2>::new(-1.0, 6.0)).norm() < 1e-12, "{tip:?}");
    let joint = Vect::<2>::new(1.0, 0.0);
    let gap = body.rig.frames[0][0].apply(&joint) - body.rig.frames[0][1].apply(&joint);
    assert!(gap.norm() < 1e-12, "the bones stay together");
    assert!(
        (scene.material.mu - 300.0 / 2.8).abs() < 1e-9 && (scene.material.lambda - 300.0 * 0.4 / 0.28).abs() < 1e-9
    );
}

#[test]
fn a_matrix_is_stored_column_by_column_in_text_and_binary() {
    let scratch = Scratch::new("dmat");
    let text = formats::read_dmat(scratch.file("a.dmat", "2 3\r\n1 2 3\n4\n5 6e0")).unwrap();
    assert_eq!((text.rows, text.columns, text.at(2, 0), text.at(0, 1)), (3, 2, 3.0, 4.0));
    assert_eq!(text.row(1).collect::<Vec<_>>(), [2.0, 5.0]);
    let numbers = [1f64, 2.0, 3.0, 4.0, 5.0, 6.0].iter().flat_map(|v| v.to_le_bytes());
    let bytes: Vec<u8> = b"0 0\n2 3\n".iter().copied().chain(numbers).collect();
    assert_eq!(formats::read_dmat(scratch.file("b.dmat", bytes)).unwrap(), text);
}

#[test]
fn weights_and_matrices_of_fast_cody_are_as_wide_as_the_bones() {
    let scratch = Scratch::new("cody");
    let rig = formats::read_cody_rig(scratch.file("a.json", small_characters::CODY)).unwrap();
    assert_eq!((rig.weights.values.as_slice(), rig.weights.rows), (&[1.0, 1.0, 1.0][..], 3));
    assert_eq!(rig.notes, ["The weights of 2 vertices did not sum to 1. They were scaled."]);
    let frames = formats::read_cody_animation(scratch.file("b.json", small_characters::CODY_ANIMATION)).unwrap();
    assert_eq!(rig.maps(&frames[1]).unwrap()[0].apply(&rig.rest[1]), Vect::<3>::new(3.0, 0.0, 0.0));
    assert_eq!(rig.maps(&[]), None);
    let turned = small_characters::CODY.replace("[[2,0,0,1],[0,2,0,0],[0,0,2,0]]", "[[2,0,0],[0,2,0],[0,0,2],[1,0,0]]");
    let volume = turned.replace("surface", "volume").replace("[[0,1,2]]", "[[0,1,2,0]]");
    let rig_of_volume = formats::read_cody_rig(scratch.file("c.json", volume)).unwrap();
    assert_eq!((rig_of_volume.world_from_bone, rig_of_volume.volume), (rig.world_from_bone, true));
}

/// The first line of what is told when one of the small files has `from` replaced by `to`.
fn told(scratch: &Scratch, name: &str, from: &str, to: &str) -> String {
    let all = small_characters::all(scratch);
    let (_, bytes, reader) = all.into_iter().find(|case| case.0 == name).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    assert!(text.contains(from), "{name} has no {from:?}");
    scratch.file(name, text.replacen(from, to, 1));
    let error: FormatError = reader(&scratch.0).expect_err("this file must be refused");
    let text = error.to_string();
    assert!(text.ends_with(&format!("({}/{name})", scratch.0.display())), "another file is named: {text}");
    text.lines().next().unwrap().to_string()
}

#[test]
fn bad_motion_capture_is_told_by_line() {
    let scratch = Scratch::new("bad-bvh");
    let told = |from, to| told(&scratch, "a.bvh", from, to);
    assert_eq!(told("HIERARCHY", "v 0 0 0"), "the word HIERARCHY is not at the start (line 1).");
    assert_eq!(
        told("Zrotation", "Wrotation"),
        "\"Wrotation\" stands where a channel such as Xrotation should be (line 5)."
    );
    assert_eq!(told("OFFSET 0 -4 0", "OFFSET 0 nan 0"), "a number of an offset is NaN (line 7).");
    assert_eq!(
        told("OFFSET 0 -4 0", "OFFSET 0 0"),
        "\"CHANNELS\" stands where a number of an offset should be (line 7)."
    );
    assert_eq!(told("}\r\nMOTION", "MOTION"), "MOTION begins before the last joint has its } (line 14).");
    assert_eq!(told("MOTION", ""), "\"Frames:\" stands where JOINT, OFFSET, CHANNELS or } should be (line 16).");
    assert_eq!(told("ROOT", "JOINT"), "JOINT stands outside the root (line 2).");
    assert_eq!(told("Frames: 2", "Frames: 3"), "the file says that it holds 3 frames, but it ends after 2.");
    assert_eq!(told("Frames: 2", "Frames: many"), "\"many\" stands where the value of \"frames\" should be (line 16).");
    assert_eq!(
        told("Frame Time: .5", "Frame Time: 0"),
        "the time from frame to frame is 0, but must be above zero (line 17)."
    );
    assert_eq!(told("2 3 4 5 6 7 8", "2 3 4 5 6 7"), "frame 1 has 6 numbers, but the joints need 7 (line 19).");
    assert_eq!(told("2 3 4 5 6 7 8", "2 3 4 5 6 7 inf"), "a number of frame 1 is inf (line 19).");
}

#[test]
fn bad_scenes_name_the_file_and_what_does_not_fit() {
    let scratch = Scratch::new("bad-scene");
    let told = |name, from, to| told(&scratch, name, from, to);
    assert_eq!(told("plane.json", "\"dt\": 0.1,", ""), "the key \"dt\" is missing.");
    assert_eq!(told("plane.json", "\"dt\": 0.1", "\"dt\": 0"), "dt is 0, but must be above zero.");
    assert_eq!(told("plane.json", "\"dt\": 0.1", "\"dt\": \"a\""), "dt should be a number, but is a word.");
    assert_eq!(told("plane.json", "0.4", "0.5"), "pr, Poisson's ratio, is 0.5, but must be below 0.5 and above −1.");
    assert_eq!(told("plane.json", "{", "["), "the text is not JSON: expected `,` or `]` (line 1).");
    assert_eq!(told("space.json", ", \"model\": \"arap\"", ""), "the key \"model\" is missing.");
    assert_eq!(
        told("space.json", "arap", "gum"),
        "the model \"gum\" is not one of arap, neohookean, stvk and corotational."
    );
    assert_eq!(told("plane_anim.txt", "2 1", "2 3"), "the animation is for 3 handles, but the rig has 1 (line 1).");
    assert_eq!(told("plane_anim.txt", "2 1", "7 1"), "the file says that it holds 7 frames, but it ends after 2.");
    assert_eq!(told("space_anim.txt", "1 1", "1 0"), "the animation has no frames.");
    assert_eq!(told("space_anim.txt", "90", "inf"), "a number of the animation is inf (line 3).");
    assert_eq!(told("a.tgf", "1 2 1", "1 9 1"), "an edge asks for point 9, but there are only 2 points (line 4).");
    assert_eq!(
        told("one.dmat", "1 3", "3 1"),
        "there are 1 rows of 3 weights, but the mesh has 3 vertices and the rig 1 handles (line 1)."
    );
    assert_eq!(told("one.dmat", "1 1 1", "1 0 1"), "the weights of vertex 2 sum to 0, so nothing moves it.");
    assert_eq!(told("list.dmat", "2", "4"), "a handle is to be vertex 4, but the mesh has vertices 1 to 3.");
    assert_eq!(told("corners.dmat", "6 1", "5 1"), "a frame has 5 numbers, but the rig needs 6 (line 1).");
    assert_eq!(told("rig.json", "[2,0,0,1]", "[0,0,0,1]"), "bone 0 is flat at rest.");
    assert_eq!(
        told("rig.json", "[[0,1,2]]", "[[0,1,3]]"),
        "face 0 asks for vertex 3, but there is no such vertex among the 3."
    );
    assert_eq!(told("swim.json", "[[[2,0,0,3],[0,2,0,0],[0,0,2,0]]]", "[]"), "frame 1 has 0 bones, but frame 0 has 1.");
}

#[test]
fn bad_people_name_the_bone_or_the_vertex() {
    let scratch = Scratch::new("bad-person");
    let told = |name, from, to| told(&scratch, name, from, to);
    assert_eq!(
        told("a.target", "3 0", "4 0"),
        "the shift for vertex 4 (line 3) asks for vertex 4, but there is no such vertex among the 4."
    );
    assert_eq!(told("a.target", "1e0", "inf"), "vertex 3 (line 3) has no position: one of its numbers is inf.");
    assert_eq!(told("a.mhskel", "\"root\", \"ref", "\"tip\", \"ref"), "the bones go round in a circle.");
    assert_eq!(
        told("a.mhskel", "\"a\": [0, 1]", "\"a\": []"),
        "the bone \"root\" asks for the joint \"a\", which is not there."
    );
    assert_eq!(told("a.mhskel", "[2]", "[7]"), "the joint \"b\" asks for vertex 7, but the mesh has only 4.");
    assert_eq!(
        told("a.mhskel", "\"parent\": \"root\"", "\"parent\": \"me\""),
        "the bone \"tip\" hangs on \"me\", which is not there."
    );
    assert_eq!(told("a.mhw", "[0, 0.3]", "[9, 0.3]"), "the bone \"old\" moves vertex 9, but the mesh has only 4.");
}
