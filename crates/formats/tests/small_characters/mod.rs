//! Small whole files of every format that characters and motion come in.
#![allow(dead_code)] // no test file uses all of it

use crate::scratch::Scratch;
use formats::{CacheOptions, FormatError, MakeHuman};
use std::path::Path;

pub const BVH: &str = "HIERARCHY\r\nROOT Left Hip\r\n{\r\n OFFSET 1 2 3\r\n CHANNELS 6 Zrotation Xrotation Yrotation Xposition \
Yposition Zposition\r\n JOINT Knee {\r\n  OFFSET 0 -4 0\r\n  CHANNELS 1 Xrotation\r\n  End Site\r\n  {\r\n   OFFSET 0 -3 0\r\n  \
}\r\n }\r\n}\r\nMOTION\r\nFrames: 2\r\nFrame Time: .5\r\n1 2 3 4 5 6 7\r\n2 3 4 5 6 7 8\r\n";

pub const DMAT: &str = "2 3\n1\n0\n.5\n0\n1\n.5\n";
pub const TGF: &str = "1 0 0 0\n2 0 1 0\n#\n1 2 1 0 0 0\n";
pub const PLANE: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
pub const TET: &str = "Dimension 3\nVertices 4\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\nTetrahedra 1\n1 2 3 4 0\nEnd\n";
pub const CODY: &str = r#"{"rig_type": "surface", "V": [[0,0,0],[1,0,0],[0,1,0]], "F": [[0,1,2]], "W": [[1],[0.5],[2]],
    "p0": [[[2,0,0,1],[0,2,0,0],[0,0,2,0]]], "lengths": [1], "pI": [-1]}"#;
pub const CODY_ANIMATION: &str = r#"{"P": [[[[2,0,0,1],[0,2,0,0],[0,0,2,0]]], [[[2,0,0,3],[0,2,0,0],[0,0,2,0]]]]}"#;
pub const SKELETON: &str = r#"{"bones": {"root": {"head": "a", "tail": "b", "parent": null, "reference": ["old", "old"]},
    "tip": {"head": "b", "tail": "b", "parent": "root", "reference": null}}, "joints": {"a": [0, 1], "b": [2]}}"#;
pub const OLD: &str = r#"{"bones": {"old": {"head": "a", "parent": null}, "older": {"head": "a", "parent": "old"},
    "tip": {"head": "a", "parent": "old"}}, "joints": {"a": [0]}, "weights_file": "a.mhw"}"#;
pub const WEIGHTS: &str = r#"{"weights": {"old": [[0, 0.3]], "older": [[1, 0.2]], "tip": [[1, 0.6]]}}"#;
pub const BASE: &str = "v 0 0 0\nv 2 0 0\nv 0 2 0\nv 0 0 2\ng body\nf 1 2 3\ng joint-a\nf 1 2 4\n";
pub const TARGET: &str = "# a shape\n0 -.5 0 0\n3 0 0 1e0\n";

/// The name of a file, its bytes, and a reader that comes to it, perhaps through another file.
pub type Case = (&'static str, Vec<u8>, fn(&Path) -> Result<(), FormatError>);

fn scene(folder: &Path, name: &str) -> Result<(), FormatError> {
    formats::read_cd_scene(folder.join(name)).map(drop)
}

fn person(folder: &Path) -> Result<(), FormatError> {
    let targets = vec![(folder.join("a.target"), 0.5)];
    let (skeleton, weights) = (folder.join("a.mhskel"), folder.join("a.mhw"));
    let person = MakeHuman { targets, skeleton, weights, weights_skeleton: Some(folder.join("old.mhskel")) };
    let human = formats::read_makehuman(folder.join("base.obj"), &person)?;
    assert!(human.posed(&human.rest_pose(), 0).iter().all(|x| x.iter().all(|v| !v.is_nan())));
    Ok(())
}

/// All of them, whole, in the folder; each may then be damaged.
pub fn all(scratch: &Scratch) -> Vec<Case> {
    let binary_dmat = [b"0 0\n1 2\n".to_vec(), [0.5f64, 0.5].iter().flat_map(|v| v.to_le_bytes()).collect()].concat();
    let pc2 = [
        b"POINTCACHE2\0".to_vec(),
        [1i32, 1].iter().flat_map(|v| v.to_le_bytes()).collect(),
        [0f32, 1.0].iter().flat_map(|v| v.to_le_bytes()).collect(),
        2i32.to_le_bytes().to_vec(),
        [1f32, 2.0, 3.0, 4.0, 5.0, 6.0].iter().flat_map(|v| v.to_le_bytes()).collect(),
    ];
    let mdd = [
        [2i32, 1].iter().flat_map(|v| v.to_be_bytes()).collect::<Vec<u8>>(),
        [0f32, 1.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0].iter().flat_map(|v| v.to_be_bytes()).collect(),
    ];
    let stl = [vec![b' '; 80], 1u32.to_le_bytes().to_vec(), vec![0; 50]].concat();
    let text_stl =
        "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n";
    let plane = r#"{"mesh_file": "./x/plane.obj", "handle_file": "a.tgf", "weight_file": "one.dmat",
        "anim_file": "plane_anim.txt", "dt": 0.1, "YM": 3e2, "pr": 0.4}"#;
    let space = r#"{"mesh_file": "a.mesh", "handle_file": "a.tgf", "weight_file": "four.dmat",
        "anim_file": "space_anim.txt", "dt": 0.1, "YM": 3e2, "pr": 0.4, "model": "arap"}"#;
    let stored = r#"{"mesh_file": "plane.obj", "constraint_file": "list.dmat", "anim_file": "maps.dmat", "dt": 1, "YM": 1,
        "pr": 0}"#;
    let cage = r#"{"mesh_file": "plane.obj", "skeleton_file": "cage.tgf", "anim_file": "corners.dmat", "dt": 1, "YM": 1,
        "pr": 0}"#;
    let all: Vec<Case> = vec![
        ("a.bvh", BVH.into(), |f| formats::read_bvh(f.join("a.bvh")).map(drop)),
        ("a.dmat", DMAT.into(), |f| formats::read_dmat(f.join("a.dmat")).map(drop)),
        ("b.dmat", binary_dmat, |f| formats::read_dmat(f.join("b.dmat")).map(drop)),
        ("a.pc2", pc2.concat(), |f| formats::read_pc2(f.join("a.pc2"), &CacheOptions::default()).map(drop)),
        ("a.mdd", mdd.concat(), |f| formats::read_mdd(f.join("a.mdd"), &CacheOptions::default()).map(drop)),
        ("a.stl", stl, |f| formats::read_surface(f.join("a.stl")).map(drop)),
        ("b.stl", text_stl.into(), |f| formats::read_surface(f.join("b.stl")).map(drop)),
        ("rig.json", CODY.into(), |f| formats::read_cody_rig(f.join("rig.json")).map(drop)),
        ("swim.json", CODY_ANIMATION.into(), |f| formats::read_cody_animation(f.join("swim.json")).map(drop)),
        ("base.obj", BASE.into(), person),
        ("a.target", TARGET.into(), person),
        ("a.mhskel", SKELETON.into(), person),
        ("old.mhskel", OLD.into(), person),
        ("a.mhw", WEIGHTS.into(), person),
        ("plane.obj", PLANE.into(), |f| scene(f, "plane.json")),
        ("plane.json", plane.into(), |f| scene(f, "plane.json")),
        ("a.tgf", TGF.into(), |f| scene(f, "plane.json")),
        ("one.dmat", "1 3\n1 1 1\n".into(), |f| scene(f, "plane.json")),
        ("plane_anim.txt", "2 1\n0 0 0\n0 0 0\n1 2 90\n".into(), |f| scene(f, "plane.json")),
        ("a.mesh", TET.into(), |f| scene(f, "space.json")),
        ("space.json", space.into(), |f| scene(f, "space.json")),
        ("four.dmat", "1 4\n1 1 1 1\n".into(), |f| scene(f, "space.json")),
        ("space_anim.txt", "1 1\n0 0 0 0 0 0 0 0 0\n10 20 30 1 2 3 0 0 90\n".into(), |f| scene(f, "space.json")),
        ("stored.json", stored.into(), |f| scene(f, "stored.json")),
        ("list.dmat", "1 1\n2\n".into(), |f| scene(f, "stored.json")),
        ("maps.dmat", "6 1\n1 0 0 1 .5 .5\n".into(), |f| scene(f, "stored.json")),
        ("cage.json", cage.into(), |f| scene(f, "cage.json")),
        ("cage.tgf", "1 -1 -1\n2 3 -1\n3 -1 3\n#\n1 2\n2 3\n3 1\n".into(), |f| scene(f, "cage.json")),
        ("corners.dmat", "6 1\n-1 2 -1 -1 -1 2\n".into(), |f| scene(f, "cage.json")),
    ];
    for (name, bytes, _) in &all {
        scratch.file(name, bytes);
    }
    all
}
