use nalgebra::UnitQuaternion;

use super::*;
use crate::{Local, MocapChannel, MocapJoint, Trs, zoo};

const XYZ: [MocapChannel; 3] = [MocapChannel::XPosition, MocapChannel::YPosition, MocapChannel::ZPosition];
const TURNS: [MocapChannel; 3] = [MocapChannel::ZRotation, MocapChannel::YRotation, MocapChannel::XRotation];

/// Hips at height 20, a foot below, an arm to the side (T-pose); 2 frames; y up, 0.05 m per unit.
fn mocap() -> Mocap {
    let joint = |name: &str, parent, offset: [f64; 3], channels: &[MocapChannel]| MocapJoint {
        name: name.into(),
        parent,
        offset: offset.into(),
        channels: channels.into(),
        is_end: false,
    };
    let mut world_from_file = zoo::y_up();
    world_from_file.R *= 0.05;
    Mocap {
        joints: vec![
            joint("Hips", None, [0.0; 3], &[&XYZ[..], &TURNS].concat()),
            joint("LeftFoot", Some(0), [0.0, -20.0, 0.0], &TURNS),
            joint("LeftArm", Some(0), [4.0, 10.0, 0.0], &TURNS),
            joint("LeftForeArm", Some(2), [6.0, 0.0, 0.0], &TURNS),
            joint("Tail", Some(0), [0.0, 0.0, -3.0], &TURNS),
        ],
        frame_time: 0.5,
        values: [
            [[0.0, 20.0, 0.0], [0.0; 3], [0.0; 3], [0.0; 3], [0.0; 3], [0.0; 3]].concat(),
            [[10.0, 20.0, 4.0], [0.0, 90.0, 0.0], [0.0; 3], [30.0, 0.0, 0.0], [0.0; 3], [0.0; 3]].concat(),
        ]
        .concat(),
        world_from_file,
        notes: Vec::new(),
    }
}

/// The same body, twice as tall in its own units of 1 m (hips at 2 m), in an A-pose: the arm points down by 40°.
fn character() -> Character {
    let (s, c) = 40f64.to_radians().sin_cos();
    let mut nodes = vec![
        zoo::node("mixamorig:left_fore-arm", Some(1), [0.6, 0.0, 0.0]),
        zoo::node("mixamorig:LeftArm", Some(3), [0.4, 1.0, 0.0]),
        zoo::node("mixamorig:LeftFoot", Some(3), [0.0, -2.0, 0.0]),
        zoo::node("mixamorig:Hips", Some(4), [0.0, 0.02, 0.0]),
        zoo::node("armature", None, [3.0, 0.0, 0.0]),
        zoo::node("hat", Some(3), [0.0, 1.0, 0.0]),
    ];
    nodes[1].local =
        Local::Trs(Trs { translation: [0.4, 1.0, 0.0].into(), rotation: zoo::about_z(-0.5), ..Trs::default() });
    nodes[0].local = Local::Trs(Trs {
        // in the arm's turned axes, so that in the body's it points 40° down
        translation: UnitQuaternion::new_normalize(zoo::about_z(0.5)) * Vect::from([0.6 * c, -0.6 * s, 0.0]),
        ..Trs::default()
    });
    nodes[4].local =
        Local::Trs(Trs { translation: [3.0, 0.0, 0.0].into(), scale: Vect::from([100.0; 3]), ..Trs::default() });
    for n in [0, 1, 2, 5] {
        let Local::Trs(trs) = &mut nodes[n].local else { panic!() };
        trs.translation /= 100.0;
    }
    Character { nodes, world_from_file: zoo::y_up(), ..Character::default() }
}

#[test]
fn the_character_takes_the_captured_pose_and_travels_by_its_own_size() {
    let (mocap, character) = (mocap(), character());
    let done = retarget(&mocap, &character, &Retarget::default()).unwrap();
    assert_eq!(done.matched.len(), 4);
    assert_eq!(done.notes, ["The motion capture's \"Tail\" found no joint of that name in the character."]);
    assert_eq!((done.clip.start(), done.clip.end()), (0.0, 0.5));
    for k in 0..2 {
        let pose = character.pose(&done.clip, 0.5 * k as f64);
        let at = |n: usize| pose.world_from_node[n].t;
        let captured = mocap.file_from_joints(&mocap.locals(k));
        let theirs = |j: usize| mocap.world_from_file.apply(&captured[j].t);
        let (ours, want) = ((at(0) - at(1)).normalize(), (theirs(3) - theirs(2)).normalize());
        assert!((ours - want).norm() < 1e-9, "the arm points as captured: {ours} {want}");
        // hips 1 m up in the capture, 2 m in the character: all ways are doubled, from the character's own place
        let want = Vect::from([3.0, 0.0, 0.0]) + 2.0 * theirs(0);
        assert!((at(3) - want).norm() < 1e-9, "{} {want}", at(3));
        assert!(at(2).z.abs() < 1e-9, "the foot is on the ground");
        assert!((pose.world_from_node[0].R.norm() - 100.0 * 3f64.sqrt()).abs() < 1e-9, "scales are kept");
    }
}

#[test]
fn without_alignment_the_rest_is_turned_as_the_capture_turns_from_its_rest() {
    let (mocap, character) = (mocap(), character());
    let options = Retarget { align: false, travel: false, ..Retarget::cmu() };
    let done = retarget(&mocap, &character, &options).unwrap();
    let pose = character.pose(&done.clip, 0.0);
    let rest = character.rest_pose();
    let turn = |j: usize| {
        let now = mocap.file_from_joints(&mocap.locals(1))[j].R;
        mocap.world_from_file.R * now * mocap.world_from_file.R.transpose() / (0.05 * 0.05)
    };
    for (node, joint) in [(3, 0), (2, 1), (1, 2), (0, 3)] {
        let want = turn(joint) * rest.world_from_node[node].R;
        assert!((pose.world_from_node[node].R - want).norm() < 1e-9 * want.norm(), "{node}");
    }
    assert!((pose.world_from_node[3].t - rest.world_from_node[3].t).norm() < 1e-9, "it stays on the spot");
    let hat = turn(0) * rest.world_from_node[5].R;
    assert!((pose.world_from_node[5].R - hat).norm() < 1e-9 * hat.norm(), "the hat goes with the hips");
}

#[test]
fn strangers_and_takes_without_frames_are_refused_with_the_names() {
    let mut character = character();
    let empty = Mocap { values: mocap().values[..18].into(), ..mocap() };
    let error = retarget(&empty, &character, &Retarget::cmu()).unwrap_err().to_string();
    assert_eq!(error, "the motion capture has no frames after its first, which is left out, so nothing would move.");
    character.nodes.iter_mut().enumerate().for_each(|(k, n)| n.name = format!("bone{k}"));
    let error = retarget(&mocap(), &character, &Retarget::default()).unwrap_err().to_string();
    assert_eq!(
        error,
        "no joint of the motion capture has the name of a joint of the character, so nothing would move.\n\
         Rename the character's joints. The motion capture has \"Hips\", \"LeftFoot\", \"LeftArm\", \"LeftForeArm\", \
         \"Tail\"; the character has \"bone0\", \"bone1\", \"bone2\", \"bone3\", \"bone4\" and 1 more."
    );
}
