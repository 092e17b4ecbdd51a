//! Motion capture, MakeHuman and the complementary-dynamics scenes of the shared data, against an independent reader.

mod scratch;

use formats::{CdBody, CdCharacter, CdKind, CdModel, Dmat, MakeHuman, Up};
use math::Vect;
use rig::Affine;
use serde_json::Value;
use std::path::Path;

fn json(folder: &Path, name: &str) -> Value {
    serde_json::from_str(&std::fs::read_to_string(folder.join(name)).unwrap()).unwrap()
}

/// Each number of `found` is that of the reference to 1e-6 of `size`, the largest number about.
fn assert_near(found: &[f64], expected: &Value, size: f64, what: &str) {
    let expected = expected.as_array().unwrap_or_else(|| panic!("{what}: no reference"));
    assert_eq!(found.len(), expected.len(), "{what}");
    for (f, e) in found.iter().zip(expected) {
        assert!((f - e.as_f64().unwrap()).abs() <= 1e-6 * size, "{what}: {found:?} is not {expected:?}");
    }
}

/// min, max, mean and first vertex.
fn assert_cloud<const D: usize>(x: &[Vect<D>], frame: &Value, what: &str) {
    assert_eq!(x.len() as u64, frame["vertices"].as_u64().unwrap(), "{what}");
    let low = x.iter().fold(x[0], |a, b| a.inf(b));
    let high = x.iter().fold(x[0], |a, b| a.sup(b));
    let size = (high - low).max().max(high.amax()).max(low.amax());
    let mean = x.iter().sum::<Vect<D>>() / x.len() as f64;
    for (key, found) in [("min", low), ("max", high), ("mean", mean), ("first", x[0])] {
        assert_near(found.as_slice(), &frame[key], size, &format!("{what} {key}"));
    }
}

fn skinned<const D: usize>(rest: &[Vect<D>], weights: &Dmat, maps: &[Affine<D>]) -> Vec<Vect<D>> {
    let at = |(k, x): (usize, &Vect<D>)| weights.row(k).zip(maps).map(|(w, map)| w * map.apply(x)).sum();
    rest.iter().enumerate().map(at).collect()
}

fn assert_skinned<const D: usize>(character: &CdCharacter<D>, reference: &Value, what: &str) {
    let weights = character.rig.weights.as_ref().unwrap();
    let frames = reference["frames"].as_array().unwrap();
    assert!(frames.len() >= 2, "vacuous: {what}");
    for frame in frames {
        let k = frame["frame"].as_u64().unwrap() as usize;
        let x = skinned(&character.volume.mesh.rest, weights, &character.rig.frames[k]);
        assert_cloud(&x, frame, &format!("{what} frame {k}"));
    }
}

#[test]
fn every_mocap_file_has_the_counts_and_the_joints_of_an_independent_reader() {
    let Some(folder) = scratch::shared_data() else { return };
    let (counts, poses) = (json(&folder, "counts.json"), json(&folder, "reference_poses.json"));
    let mut read = 0;
    for (name, count) in counts.as_object().unwrap().iter().filter(|(name, _)| name.ends_with(".bvh")) {
        let mocap = formats::read_bvh(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        let ends = mocap.joints.iter().filter(|joint| joint.is_end).count();
        let is = |key: &str, found: usize| assert_eq!(found as u64, count[key].as_u64().unwrap(), "{name} {key}");
        is("joints", mocap.joints.len() - ends);
        is("end_sites", ends);
        is("frames", mocap.frames());
        is("channels", mocap.channels());
        let still = |joint: &&rig::MocapJoint| !joint.is_end && joint.parent.is_some() && joint.offset.norm() == 0.0;
        is("zero_length_offsets", mocap.joints.iter().filter(still).count());
        assert_eq!(mocap.frame_time, count["frame_time"].as_f64().unwrap(), "{name}");
        assert_eq!(mocap.notes, Vec::<String>::new(), "{name}");
        for pose in poses["bvh"][name].as_array().into_iter().flatten() {
            let k = pose["frame"].as_u64().unwrap() as usize;
            let places = mocap.file_from_joints(&mocap.locals(k));
            let joints = mocap.joints.iter().zip(&places).filter(|(joint, _)| !joint.is_end);
            let (last, place) = joints.clone().next_back().unwrap();
            assert_eq!(last.name, pose["last_joint"], "{name}");
            assert_near(place.t.as_slice(), &pose["last"], 100.0, &format!("{name} frame {k} last"));
            let (low, high) = joints.fold((place.t, place.t), |(a, b), (_, p)| (a.inf(&p.t), b.sup(&p.t)));
            assert_near(low.as_slice(), &pose["min"], 100.0, &format!("{name} frame {k} min"));
            assert_near(high.as_slice(), &pose["max"], 100.0, &format!("{name} frame {k} max"));
            assert_near(places[0].t.as_slice(), &pose["root"], 100.0, &format!("{name} frame {k} root"));
            read += 1;
        }
    }
    assert!(read >= 8, "vacuous: only {read} poses");
}

#[test]
fn the_files_of_the_cmu_library_show_people_of_human_height_standing_on_the_floor() {
    let Some(folder) = scratch::shared_data() else { return };
    let mut mocap = formats::read_bvh(folder.join("mocap/cmu_02_01.bvh")).unwrap();
    mocap.world_from_file = Up::Y.world_from_file(rig::Mocap::CMU_UNIT);
    let places = mocap.file_from_joints(&mocap.locals(1));
    let heights: Vec<f64> = places.iter().map(|place| mocap.world_from_file.apply(&place.t).z).collect();
    let (low, high) = heights.iter().fold((f64::MAX, f64::MIN), |(a, b), &z| (a.min(z), b.max(z)));
    assert!(low.abs() < 0.15 && (1.4..2.0).contains(&high), "from {low} m to {high} m");
}

fn volume(surface: &mesh::Surface) -> f64 {
    let tet = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|v| surface.x[v as usize]);
        a.dot(&b.cross(&c)) / 6.0
    };
    surface.triangles.iter().map(tet).sum()
}

fn person(folder: &Path, skeleton: &str, targets: &[&str]) -> rig::Character {
    let human = folder.join("human");
    let target = |name: &&str| (human.join(format!("targets/{name}.target")), 1.0);
    let person = MakeHuman {
        targets: targets.iter().map(target).collect(),
        skeleton: human.join(skeleton),
        weights: human.join("default_weights.mhw"),
        weights_skeleton: None,
    };
    formats::read_makehuman(human.join("base.obj"), &person).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn targets_give_the_human_the_volumes_of_the_readme() {
    let Some(folder) = scratch::shared_data() else { return };
    let thin = ["caucasian-male-young"];
    let heavy = ["caucasian-male-young", "universal-male-young-averagemuscle-maxweight"];
    let soft = ["caucasian-male-young", "universal-male-young-minmuscle-maxweight"];
    let belly = ["caucasian-male-young", "universal-male-young-minmuscle-maxweight", "stomach-pregnant-incr"];
    let all: [(&[&str], f64); 5] = [(&[], 54.9), (&thin, 65.3), (&heavy, 71.5), (&soft, 122.1), (&belly, 127.3)];
    for (targets, litres) in all {
        let human = person(&folder, "cmu_mb.mhskel", targets);
        let found = volume(&human.parts[0].surface);
        assert!((found - litres).abs() <= 0.051, "{targets:?}: {found} dm³, not {litres}");
    }
}

#[test]
fn both_skeletons_move_every_vertex_of_the_human_and_rest_where_they_were_made() {
    let Some(folder) = scratch::shared_data() else { return };
    let counts = json(&folder, "counts.json");
    for (name, bones) in [("default.mhskel", 163), ("cmu_mb.mhskel", 31)] {
        let human = person(&folder, name, &["caucasian-male-young"]);
        assert_eq!(human.notes, Vec::<String>::new(), "{name}");
        assert_eq!(human.nodes.len(), bones, "{name}");
        let part = &human.parts[0];
        assert_eq!(part.surface.x.len() as u64, counts["human/base.obj"]["body_vertices"].as_u64().unwrap());
        assert_eq!(part.surface.triangles.len() as u64, counts["human/base.obj"]["body_triangles"].as_u64().unwrap());
        let skin = part.skin.as_ref().unwrap();
        for v in 0..part.surface.x.len() {
            let sum: f64 = skin.of(v).map(|(_, w)| w).sum();
            assert!((sum - 1.0).abs() < 1e-12 && skin.of(v).all(|(_, w)| w >= 0.0), "{name} vertex {v}: {sum}");
            assert!(skin.of(v).count() <= 12, "{name} vertex {v}");
        }
        // No vertex fell to the root for want of weights: the root moves some, but far from all, and no hand or head.
        let root = part.node as usize;
        let alone = (0..part.surface.x.len()).filter(|&v| skin.of(v).any(|(j, w)| j == root && w > 0.999));
        let high = alone.clone().filter(|&v| (part.surface.x[v].y - human_middle(&part.surface)).abs() > 4.0);
        assert_eq!(high.count(), 0, "{name}");
        let posed = human.posed(&human.rest_pose(), 0);
        let far = posed.iter().zip(&part.surface.x).map(|(x, rest)| (x - human.world_from_file.apply(rest)).norm());
        assert!(far.fold(0.0, f64::max) < 1e-12, "{name}");
        let (low, high) = posed.iter().fold((posed[0], posed[0]), |(a, b), x| (a.inf(x), b.sup(x)));
        assert!((1.6..1.95).contains(&(high.z - low.z)), "{name}: {} m tall", high.z - low.z);
        let joint = |name: &str| human.nodes.iter().position(|node| node.name == name).unwrap();
        let pose = human.rest_pose();
        let head = pose.world_from_node[joint(if bones == 31 { "Head" } else { "head" })].t;
        assert!(head.z > low.z + 0.8 * (high.z - low.z) && head.x.abs() < 1e-3, "{name}: head at {head:?}");
    }
}

fn human_middle(surface: &mesh::Surface) -> f64 {
    let (low, high) = surface.x.iter().fold((f64::MAX, f64::MIN), |(a, b), x| (a.min(x.y), b.max(x.y)));
    (low + high) / 2.0
}

#[test]
fn skinned_scenes_reproduce_the_positions_of_an_independent_reader() {
    let Some(folder) = scratch::shared_data() else { return };
    let (counts, poses) = (json(&folder, "counts.json"), json(&folder, "reference_poses.json"));
    let all = [
        ("cd2d/bird", "bird_mouth", CdKind::Bones, None),
        ("cd3d/sphere", "sphere", CdKind::Points, Some(CdModel::Arap)),
        ("cd3d/frog", "frog", CdKind::Points, Some(CdModel::NeoHookean)),
        ("cd3d/fish", "fish", CdKind::Points, Some(CdModel::Arap)),
        ("cd3d/elephant", "elephant", CdKind::Bones, Some(CdModel::Arap)),
    ];
    for (place, name, kind, model) in all {
        let scene = formats::read_cd_scene(folder.join(format!("{place}/{name}.json")))
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        let animation = &counts[format!("{place}/{name}_anim.txt")];
        assert_eq!(scene.frames as u64, animation["frames"].as_u64().unwrap(), "{name}");
        assert_eq!((scene.material.model, scene.dynamics), (model, true), "{name}");
        let reference = &poses["complementary_dynamics"][place];
        let (found, handles, shown) = match &scene.body {
            CdBody::Plane(body) => {
                assert_skinned(body, reference, name);
                (body.rig.kind, body.rig.rest.len(), None)
            }
            CdBody::Space(body) => {
                assert_skinned(body, reference, name);
                (body.rig.kind, body.rig.rest.len(), body.display.as_ref().map(|surface| surface.x.len() as u64))
            }
            CdBody::Picture(_) => panic!("{name}"),
        };
        assert_eq!((found, handles as u64), (kind, animation["handles"].as_u64().unwrap()), "{name}");
        assert_eq!(shown, counts[format!("{place}/{name}.obj")]["vertices"].as_u64().filter(|_| shown.is_some()));
        assert_eq!(shown.is_some(), place.starts_with("cd3d"), "{name}");
    }
}

#[test]
fn the_wire_the_cage_and_the_stored_maps_are_where_an_independent_reader_has_them() {
    let Some(folder) = scratch::shared_data() else { return };
    let poses = json(&folder, "reference_poses.json");
    for (name, kind, key) in
        [("daisy", CdKind::Wire, "handles"), ("hedgehog", CdKind::Points, "handles"), ("walrus", CdKind::Cage, "cage")]
    {
        let scene = formats::read_cd_scene(folder.join(format!("cd2d/{name}/{name}.json"))).unwrap();
        let CdBody::Plane(body) = &scene.body else { panic!("{name}") };
        assert_eq!((body.rig.kind, body.rig.weights.is_some()), (kind, name == "daisy"));
        let reference = &poses["complementary_dynamics"][format!("cd2d/{name}")];
        let normalised = reference["scale"].is_number();
        for frame in reference["frames"].as_array().unwrap() {
            let maps = &body.rig.frames[frame["frame"].as_u64().unwrap() as usize];
            for ((map, rest), expected) in maps.iter().zip(&body.rig.rest).zip(frame[key].as_array().unwrap()) {
                let x = map.apply(rest);
                let x = if normalised { body.unit_from_file.apply(&x) } else { x };
                assert_near(x.as_slice(), expected, if normalised { 1.0 } else { 1000.0 }, name);
            }
        }
        if normalised {
            assert_near(&[1.0 / body.unit_from_file.R[(0, 0)]], &serde_json::json!([reference["scale"]]), 1000.0, name);
        }
        for k in 0..2 {
            let all = body.volume.mesh.rest.iter().map(|x| body.unit_from_file.apply(x)[k]);
            let (low, high) = all.fold((f64::MAX, f64::MIN), |(a, b), v| (a.min(v), b.max(v)));
            assert!((low + high).abs() < 1e-12 && high <= 1.0 + 1e-12, "{name}: {low} {high}");
        }
    }
}

#[test]
fn a_picture_is_named_and_the_rest_of_its_scene_is_read() {
    let Some(folder) = scratch::shared_data() else { return };
    let scene = formats::read_cd_scene(folder.join("cd2d/amoeba/amoeba.json")).unwrap();
    let CdBody::Picture(file) = &scene.body else { panic!() };
    assert!(file.is_file() && file.ends_with("amoeba.png"));
    assert_eq!((scene.dt, scene.frames, scene.material.mu, scene.material.lambda), (0.056, 500, 50.0, 1e-5));
}

#[test]
fn the_fish_of_fast_cody_swims_as_an_independent_reader_has_it() {
    let Some(folder) = scratch::shared_data() else { return };
    let fish = folder.join("cd3d/fish_fast_cody/rigs/skeleton_rig");
    let rig = formats::read_cody_rig(fish.join("skeleton_rig.json")).unwrap();
    let frames = formats::read_cody_animation(fish.join("anim/swim.json")).unwrap();
    assert_eq!((rig.volume, rig.corners.len() / 3, frames.len(), rig.lengths.len()), (false, 9474, 241, 2));
    assert_eq!((rig.parents.clone(), rig.notes.len()), (vec![None, None], 1));
    let poses = json(&folder, "reference_poses.json");
    let reference = poses["fast_cody"]["cd3d/fish_fast_cody"]["frames"].as_array().unwrap();
    assert_eq!(reference.len(), 3);
    for frame in reference {
        let k = frame["frame"].as_u64().unwrap() as usize;
        let x = skinned(&rig.rest, &rig.weights, &rig.maps(&frames[k]).unwrap());
        assert_cloud(&x, frame, &format!("frame {k}"));
    }
}

#[test]
fn every_matrix_and_graph_has_the_counts_of_an_independent_reader() {
    let Some(folder) = scratch::shared_data() else { return };
    let counts = json(&folder, "counts.json");
    let mut read = 0;
    for (name, count) in counts.as_object().unwrap() {
        let is = |key: &str, found: usize| assert_eq!(found as u64, count[key].as_u64().unwrap(), "{name} {key}");
        if name.ends_with(".dmat") {
            let table = formats::read_dmat(folder.join(name)).unwrap();
            is("rows", table.rows);
            is("cols", table.columns);
            let sums: Vec<f64> = (0..table.rows).map(|k| table.row(k).sum()).collect();
            let (low, high) = sums.iter().fold((f64::MAX, f64::MIN), |(a, b), &v| (a.min(v), b.max(v)));
            let range = count["row_sum_range"].as_array().unwrap();
            let near = |a: f64, b: &Value| (a - b.as_f64().unwrap()).abs() <= 1e-5 * a.abs().max(1e-3);
            assert!(near(low, &range[0]) && near(high, &range[1]), "{name}: {low} {high}");
            read += 1;
        } else if name.ends_with(".tgf") {
            let graph = formats::read_tgf(folder.join(name)).unwrap();
            is("points", graph.points.len());
            is("edges", graph.edges.len());
            is("bone_edges", graph.bones().len());
            read += 1;
        }
    }
    assert!(read >= 16, "vacuous: only {read} files");
}
