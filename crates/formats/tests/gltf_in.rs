//! Characters of glTF files are read as an independent reader counted and posed them.

mod puppet;
mod scratch;

use math::Vect;
use puppet::{append, floats, glb, puppet};
use rig::{Character, Clip, Interpolation, Part, Pose, Target};
use scratch::Scratch;
use serde_json::{Value, json};
use std::path::Path;

fn data(folder: &Path, name: &str) -> Vec<(String, Value)> {
    let text = std::fs::read_to_string(folder.join(name)).unwrap();
    let mut all: Value = serde_json::from_str(&text).unwrap();
    if name.starts_with("reference") {
        all = all["gltf"].take();
    }
    let Value::Object(all) = all else { panic!() };
    let all: Vec<_> = all.into_iter().filter(|(name, _)| name.ends_with(".glb") || name.ends_with(".gltf")).collect();
    assert!(all.len() >= 22, "vacuous: {} files in {name}", all.len());
    all
}

fn read(folder: &Path, name: &str) -> Character {
    formats::read_gltf(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn sum(parts: &[&Part], of: impl Fn(&Part) -> usize) -> u64 {
    parts.iter().map(|p| of(p)).sum::<usize>() as u64
}

#[test]
fn every_character_has_the_counts_of_an_independent_reader() {
    let Some(folder) = scratch::shared_data() else { return };
    for (name, count) in data(&folder, "counts.json") {
        let character = read(&folder, &name);
        let number = |key: &str| count[key].as_u64().unwrap_or(0);
        // A mesh that is shown more than once is counted once.
        let mut meshes: Vec<&Part> = Vec::new();
        for part in &character.parts {
            let same = |p: &&Part| p.name == part.name && p.surface == part.surface;
            if !meshes.iter().any(same) {
                meshes.push(part);
            }
        }
        assert_eq!(character.nodes.len() as u64, number("nodes"), "{name}");
        assert_eq!(meshes.len() as u64, number("meshes"), "{name}");
        assert_eq!(sum(&meshes, |p| p.primitives.len()), number("primitives"), "{name}");
        assert_eq!(sum(&meshes, |p| p.surface.x.len()), number("vertices"), "{name}");
        assert_eq!(sum(&meshes, |p| p.surface.triangles.len()), number("triangles"), "{name}");
        let shapes = meshes.iter().map(|p| p.shapes.len()).max().unwrap_or(0);
        assert_eq!(shapes as u64, number("morph_targets"), "{name}");
        let skins: Vec<_> = character.parts.iter().filter_map(|p| p.skin.as_ref()).collect();
        assert_eq!(skins.len() as u64, number("skinned_nodes"), "{name}");
        let joints: Vec<u64> = skins.iter().map(|s| s.joints.len() as u64).collect();
        let expected: Vec<u64> = count["skins"].as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).collect();
        assert_eq!(joints, expected, "{name}");
        let influences = skins.iter().flat_map(|s| s.starts.windows(2).map(|w| w[1] - w[0])).max().unwrap_or(0);
        assert_eq!(u64::from(influences), number("max_influences"), "{name}");
        for skin in skins {
            for vertex in 0..skin.starts.len() - 1 {
                let sum: f64 = skin.of(vertex).map(|(_, w)| w).sum();
                assert!((sum - 1.0).abs() < 1e-12, "{name}: weights of {vertex} sum to {sum}");
            }
        }
        let clips = count["clips"].as_array().unwrap();
        assert_eq!(character.clips.len(), clips.len(), "{name}");
        for (clip, expected) in character.clips.iter().zip(clips) {
            check_clip(clip, expected, &name);
        }
    }
}

/// First and last key [s].
fn span(clip: &Clip) -> (f64, f64) {
    let times = || clip.channels.iter().flat_map(|c| c.curve.times.iter().copied());
    (times().fold(f64::INFINITY, f64::min), times().fold(f64::NEG_INFINITY, f64::max))
}

fn check_clip(clip: &Clip, expected: &Value, file: &str) {
    assert_eq!(clip.name, expected["name"].as_str().unwrap_or(""), "{file}");
    let curves = || clip.channels.iter().map(|c| &c.curve);
    let (start, end) = span(clip);
    assert!((start - expected["start"].as_f64().unwrap()).abs() < 1e-4, "{file}: {start}");
    assert!((end - expected["end"].as_f64().unwrap()).abs() < 1e-4, "{file}: {end}");
    assert_eq!(curves().map(|c| c.times.len()).max().unwrap() as u64, expected["max_keys"].as_u64().unwrap());
    let kind = |c: &rig::Channel| match c.target {
        Target::Translation(_) => "translation",
        Target::Rotation(_) => "rotation",
        Target::Scale(_) => "scale",
        Target::Weights(_) => "weights",
    };
    for kind_of in ["translation", "rotation", "scale", "weights"] {
        let found = clip.channels.iter().filter(|c| kind(c) == kind_of).count() as u64;
        assert_eq!(found, expected["channels"][kind_of].as_u64().unwrap_or(0), "{file}: {kind_of} of {}", clip.name);
    }
    for curve in curves() {
        let name = match curve.interpolation {
            Interpolation::Step => "STEP",
            Interpolation::Linear => "LINEAR",
            Interpolation::Cubic => "CUBICSPLINE",
        };
        assert!(expected["interpolation"].as_array().unwrap().contains(&json!(name)), "{file}: {name}");
    }
}

/// Posed vertices of all parts, in the axes of the file: y up.
fn posed(character: &Character, pose: &Pose) -> Vec<Vect<3>> {
    let file_from_world = |x: Vect<3>| Vect::<3>::new(x.x, x.z, -x.y);
    (0..character.parts.len()).flat_map(|part| character.posed(pose, part)).map(file_from_world).collect()
}

#[test]
fn every_pose_of_every_clip_is_that_of_an_independent_reader() {
    let Some(folder) = scratch::shared_data() else { return };
    let (mut poses, mut worst) = (0, 0.0f64);
    for (name, reference) in data(&folder, "reference_poses.json") {
        let character = read(&folder, &name);
        for expected in reference["poses"].as_array().unwrap() {
            let pose = match expected["index"].as_u64() {
                Some(clip) => {
                    // As the reference says that it chose its times; those in the file are rounded.
                    let clip = &character.clips[clip as usize];
                    let (start, end) = span(clip);
                    let time = start + 0.37 * (end - start);
                    assert!((time - expected["time"].as_f64().unwrap()).abs() < 1e-6, "{name}: {time}");
                    character.pose(clip, time)
                }
                None => character.rest_pose(),
            };
            let mut x = posed(&character, &pose);
            if name.contains("nan_weights") {
                // The reference leaves out the vertices whose weights are no numbers.
                for vertex in [1278, 1277, 1276, 1260, 1258, 1223] {
                    x.remove(vertex);
                }
            }
            assert_eq!(x.len() as u64, expected["vertices"].as_u64().unwrap(), "{name}");
            let vector = |key: &str| Vect::<3>::from_fn(|i, _| expected[key][i].as_f64().unwrap());
            let size = (vector("max") - vector("min")).max();
            let least = x.iter().fold(x[0], |a, b| a.inf(b));
            let most = x.iter().fold(x[0], |a, b| a.sup(b));
            let mean = x.iter().sum::<Vect<3>>() / x.len() as f64;
            for (key, found) in [("min", least), ("max", most), ("mean", mean), ("first", x[0])] {
                let off = (found - vector(key)).amax() / size;
                worst = worst.max(off); // 4e-7: the reference has seven digits
                assert!(off < 1e-6, "{name}, {}: {key} is off by {off} of the size", expected["clip"]);
            }
            poses += 1;
        }
    }
    assert!(poses > 100, "vacuous: {poses} poses");
    eprintln!("{poses} poses, off by at most {worst:.1e} of the size");
}

#[test]
fn vertices_whose_weights_are_no_numbers_follow_the_joint_they_name_and_a_note_says_so() {
    let Some(folder) = scratch::shared_data() else { return };
    let crab = read(&folder, "nasty/quaternius_crab_nan_weights.glb");
    let notes = crab.notes.join("\n");
    assert!(notes.contains("24 weights that are not numbers"), "{notes}");
    assert!(notes.contains("6 vertices without a weight (first: 1223)"), "{notes}");
    assert!(posed(&crab, &crab.pose(&crab.clips[0], 0.2)).iter().flatten_all().all(f64::is_finite));
    let robot = read(&folder, "characters/RobotExpressive.glb");
    assert!(robot.notes.join("\n").contains("vertices whose weights do not sum to one"), "{:?}", robot.notes);
    assert_eq!(read(&folder, "characters/Fox.glb").notes, Vec::<String>::new());
}

trait FlattenAll {
    fn flatten_all(self) -> impl Iterator<Item = f64>;
}
impl<'a, I: Iterator<Item = &'a Vect<3>>> FlattenAll for I {
    fn flatten_all(self) -> impl Iterator<Item = f64> {
        self.flat_map(|x| [x.x, x.y, x.z])
    }
}

/// Reads a puppet after a change.
fn changed(name: &str, change: impl FnOnce(&mut Value, &mut Vec<u8>)) -> Character {
    let (mut json, mut bin) = puppet();
    change(&mut json, &mut bin);
    let scratch = Scratch::new(&format!("gltf-{name}"));
    formats::read_gltf(scratch.file("a.glb", glb(&json, &bin))).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn a_handmade_character_is_read_as_it_was_made() {
    let puppet = changed("whole", |_, _| ());
    assert_eq!(puppet.notes, Vec::<String>::new());
    let part = &puppet.parts[0];
    assert_eq!((part.name.as_str(), part.node, part.primitives.as_slice()), ("Skin", 2, &[0][..]));
    assert_eq!(part.surface.triangles, [[0, 1, 2], [2, 1, 3]]);
    assert_eq!(part.shapes[0].name, "Bulge");
    assert_eq!(part.shape_weights, [0.25], "the node's weights come before the mesh's");
    assert_eq!(puppet.nodes[3].parent, Some(1));
    // The knee is one up, and turned by a right angle at the time 1: the square's upper corner (0, 2, 1) goes over it.
    let pose = puppet.pose(&puppet.clips[0], 1.0);
    let x = posed(&puppet, &pose);
    assert!((x[2] - Vect::<3>::new(-2.0, 1.0, 1.0)).norm() < 1e-6, "{}", x[2]);
    assert_eq!(pose.shape_weights, [[1.0]]);
    // World: z up.
    let up = puppet.world_from_file.apply(&Vect::<3>::new(1.0, 2.0, 3.0));
    assert_eq!(up, Vect::<3>::new(1.0, -3.0, 2.0));
}

#[test]
fn a_file_reads_the_same_in_one_piece_in_two_and_as_text() {
    let (mut json, bin) = puppet();
    let scratch = Scratch::new("gltf-same");
    let whole = formats::read_gltf(scratch.file("a.glb", glb(&json, &bin))).unwrap();
    json["buffers"][0]["uri"] = json!("my%20numbers.bin");
    scratch.file("my numbers.bin", &bin);
    let two = formats::read_gltf(scratch.file("b.gltf", json.to_string())).unwrap();
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::from("data:application/octet-stream;base64,");
    assert_eq!(bin.len() % 3, 1, "so that there is padding");
    for three in bin.chunks(3) {
        let bits = three.iter().fold(0u32, |b, &x| b << 8 | u32::from(x)) << (8 * (3 - three.len()));
        text.extend((0..4).map(|k| match k <= three.len() {
            true => char::from(alphabet[(bits >> (18 - 6 * k)) as usize & 63]),
            false => '=',
        }));
    }
    json["buffers"][0]["uri"] = json!(text);
    let one = formats::read_gltf(scratch.file("c.gltf", format!("\u{feff} {json}"))).unwrap();
    for other in [two, one] {
        assert_eq!(format!("{other:?}"), format!("{whole:?}"));
    }
}

#[test]
fn strips_and_fans_and_lists_without_indices_become_triangles() {
    let triangles = |mode: u32, indexed: bool| {
        let name = format!("mode-{mode}-{indexed}");
        let character = changed(&name, |json, _| {
            let primitive = &mut json["meshes"][0]["primitives"][0];
            primitive["mode"] = json!(mode);
            if !indexed {
                primitive.as_object_mut().unwrap().remove("indices");
            }
        });
        (character.parts[0].surface.triangles.clone(), character.notes)
    };
    assert_eq!(triangles(5, false).0, [[0, 1, 2], [2, 1, 3]]);
    assert_eq!(triangles(6, false).0, [[0, 1, 2], [0, 2, 3]]);
    assert_eq!(triangles(5, true).0, [[0, 1, 2], [1, 2, 3]], "without the two that have no area");
    let (list, notes) = triangles(4, false);
    assert_eq!(list, [[0, 1, 2]]);
    assert!(notes[0].contains("lacks corners"), "{notes:?}");
    let (none, notes) = triangles(1, true);
    assert!(none.is_empty() && notes[0].contains("points or lines"), "{notes:?}");
}

#[test]
fn painted_values_of_all_pieces_stand_at_their_vertices() {
    let character = changed("painted", |json, bin| {
        let muscle = floats(json, bin, &[0.1, 0.2, f32::NAN, 0.4], "SCALAR", 1);
        let uv = floats(json, bin, &[0., 0., 1., 0., 0., 1., 1., 1.], "VEC2", 2);
        let view = append(json, bin, &[255, 0, 51, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        let accessors = json["accessors"].as_array_mut().unwrap();
        accessors
            .push(json!({"bufferView": view, "componentType": 5121, "normalized": true, "count": 4, "type": "VEC3"}));
        let color = accessors.len() - 1;
        json["bufferViews"][view]["byteStride"] = json!(4);
        let primitives = json["meshes"][0]["primitives"].as_array_mut().unwrap();
        let mut second = primitives[0].clone();
        second["attributes"]["_MUSCLE"] = json!(muscle);
        second["attributes"]["COLOR_0"] = json!(color);
        primitives[0]["attributes"]["TEXCOORD_0"] = json!(uv);
        primitives.push(second);
    });
    let part = &character.parts[0];
    assert_eq!((part.primitives.as_slice(), part.surface.x.len()), (&[0, 4][..], 8));
    assert_eq!(part.surface.triangles[2], [4, 5, 6]);
    assert_eq!(part.shapes[0].delta.len(), 8);
    let find = |name: &str| part.attributes.iter().find(|a| a.name == name).unwrap();
    assert_eq!(find("_MUSCLE").values[..4], [0.0; 4]);
    assert_eq!(find("_MUSCLE").values[4..].iter().map(|&x| x as f32).collect::<Vec<_>>(), [0.1, 0.2, 0.0, 0.4]);
    assert_eq!(find("COLOR_0").values[..12], [1.0; 12], "what is not painted is white");
    assert_eq!(find("COLOR_0").values[12..15], [1.0, 0.0, 0.2]);
    assert_eq!((find("TEXCOORD_0").width, find("TEXCOORD_0").values.len()), (2, 16));
    assert!(character.notes[0].contains("_MUSCLE of the mesh \"Skin\" is no number"), "{:?}", character.notes);
}

#[test]
fn weights_are_made_to_sum_to_one_and_bad_ones_are_ignored() {
    let character = changed("weights", |json, bin| {
        let nan = f32::NAN;
        let weights = [2., 2., 0., 0., 0.5, -1., 0., 0., 0., 0., 0., 0., nan, 0.25, 0., 0.];
        json["meshes"][0]["primitives"][0]["attributes"]["WEIGHTS_0"] = json!(floats(json, bin, &weights, "VEC4", 4));
    });
    let skin = character.parts[0].skin.as_ref().unwrap();
    let of = |v: usize| skin.of(v).collect::<Vec<_>>();
    assert_eq!(of(0), [(0, 0.5), (0, 0.5)]);
    assert_eq!(of(1), [(0, 1.0)]);
    assert_eq!(of(2), [(1, 1.0)], "without any weight: the joint that it names first");
    assert_eq!(of(3), [(0, 1.0)]);
    assert_eq!(character.notes.len(), 3, "{:?}", character.notes);
}

#[test]
fn a_second_set_of_joints_counts_and_pieces_without_weights_move_with_the_node() {
    let character = changed("sets", |json, bin| {
        let joints = append(json, bin, &[1; 16]);
        let weights = floats(json, bin, &[0.0; 16].map(|_: f64| 0.25), "VEC4", 4);
        let accessors = json["accessors"].as_array_mut().unwrap();
        accessors.push(json!({"bufferView": joints, "componentType": 5121, "count": 4, "type": "VEC4"}));
        let joints = accessors.len() - 1;
        json["nodes"][2]["translation"] = json!([5, 0, 0]);
        let primitives = json["meshes"][0]["primitives"].as_array_mut().unwrap();
        primitives.push(json!({"attributes": {"POSITION": 0}}));
        primitives[0]["attributes"]["JOINTS_1"] = json!(joints);
        primitives[0]["attributes"]["WEIGHTS_1"] = json!(weights);
    });
    let skin = character.parts[0].skin.as_ref().unwrap();
    assert_eq!(skin.of(0).map(|(j, _)| j).collect::<Vec<_>>(), [0, 1, 1, 1, 1]);
    assert!((skin.of(0).next().unwrap().1 - 0.5).abs() < 1e-12);
    let x = posed(&character, &character.rest_pose());
    assert_eq!(x[5], Vect::<3>::new(6.0, 0.0, 0.0), "the second piece moves with its node");
    let notes = character.notes.join("\n");
    assert!(notes.contains("4 of the 8 vertices") && notes.contains("different shapes"), "{notes}");
}

#[test]
fn a_skin_without_weights_hangs_on_its_node_and_one_without_matrices_has_none() {
    let bare = changed("bare", |json, _| {
        json["meshes"][0]["primitives"][0]["attributes"] = json!({"POSITION": 0});
    });
    assert!(bare.parts[0].skin.is_none() && bare.notes[0].contains("no weights"), "{:?}", bare.notes);
    let plain = changed("plain", |json, _| {
        json["skins"][0].as_object_mut().unwrap().remove("inverseBindMatrices");
    });
    assert!(plain.parts[0].skin.as_ref().unwrap().joint_from_mesh.iter().all(|m| *m == rig::Affine::identity()));
}

#[test]
fn only_what_the_scene_shows_is_a_part() {
    let with = |scene: Value, scenes: Value| {
        let name = format!("scene-{scene}-{}", scenes.as_array().unwrap().len());
        changed(&name, |json, _| (json["scene"], json["scenes"]) = (scene, scenes)).parts.len()
    };
    let two = json!([{"nodes": [1]}, {"nodes": [0]}]);
    assert_eq!(with(json!(0), two.clone()), 0);
    assert_eq!(with(json!(1), two.clone()), 1);
    assert_eq!(with(Value::Null, two), 1, "all scenes");
    assert_eq!(with(Value::Null, json!([])), 1, "no scenes: all nodes");
}

#[test]
fn keys_out_of_order_are_left_out_and_a_clip_of_one_key_stands_still() {
    let character = changed("keys", |json, bin| {
        let times = floats(json, bin, &[1.0, 1.0, f32::NAN], "SCALAR", 1);
        json["animations"][0]["samplers"][0]["input"] = json!(times);
    });
    assert_eq!(character.clips[0].channels[0].curve.times, [1.0]);
    assert!(character.notes[0].contains("2 of 3 keys"), "{:?}", character.notes);
    let still = [0.0, 1.0, 9.0].map(|t| character.pose(&character.clips[0], t).parent_from_node);
    assert!(still[0] == still[1] && still[1] == still[2]);
    let none = changed("no-keys", |json, _| json["accessors"][5]["count"] = json!(0));
    assert!(none.clips[0].channels.is_empty() && none.notes[0].contains("no keys"), "{:?}", none.notes);
}
