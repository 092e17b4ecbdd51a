//! Damaged glTF files give a character or a clear error: never a panic, a hang or a giant of memory.

mod puppet;
mod scratch;

use insta::assert_snapshot;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use puppet::{append, floats, glb, puppet};
use scratch::Scratch;
use serde_json::{Value, json};
use std::path::Path;
use std::time::Instant;

fn refused(file: &Path) -> String {
    let start = Instant::now();
    let error = formats::read_gltf(file).expect_err("this file must be refused");
    assert!(start.elapsed().as_secs() < 60, "it hangs: {error}");
    error.to_string().replace(&format!("{}/", file.parent().unwrap().display()), "")
}

/// What is told of a puppet after a change.
fn told(change: impl FnOnce(&mut Value, &mut Vec<u8>)) -> String {
    let (mut json, mut bin) = puppet();
    change(&mut json, &mut bin);
    let scratch = Scratch::new(&format!("gltf-told-{:?}", std::thread::current().id()));
    refused(&scratch.file("a.glb", glb(&json, &bin)))
}

/// The first line only.
fn first(change: impl FnOnce(&mut Value, &mut Vec<u8>)) -> String {
    told(change).lines().next().unwrap().to_string()
}

#[test]
fn files_that_are_none_or_are_cut_off() {
    let scratch = Scratch::new("gltf-none");
    let (json, bin) = puppet();
    let whole = glb(&json, &bin);
    let told = |bytes: &[u8]| refused(&scratch.file("a.glb", bytes));
    assert_snapshot!(told(b""), @"
    this is not a glTF file (byte 0).
    The file is damaged, or is not what its ending says. Export it again.
    (a.glb)
    ");
    assert_eq!(told(b"g"), told(b""));
    assert_snapshot!(told(b"glTF"), @"
    the file says that it holds 12 bytes, but it ends after 4.
    It was cut off, or its header is wrong. Export or copy it again.
    (a.glb)
    ");
    assert!(told(&whole[..whole.len() - 1]).starts_with("the file says that it holds"));
    assert!(told(b"{").starts_with("the description of the scene breaks off: EOF"));
    assert!(told(b"{}").starts_with("the file does not say which version"));
    let mut longer = whole.clone();
    longer[12..16].copy_from_slice(&u32::MAX.to_le_bytes());
    assert!(told(&longer).starts_with("the file says that it holds 4294967315 bytes"));
    let mut old = whole.clone();
    old[4] = 1;
    assert_snapshot!(told(&old), @r#"
    the file holds glTF of version "1", which Supple cannot use.
    Export it as glTF 2.0.
    (a.glb)
    "#);
    assert_eq!(refused(&scratch.0.join("no.glb")).lines().next().unwrap(), "there is no file of this name.");
}

#[test]
fn a_file_of_a_gigabyte_that_is_none_is_refused_at_once() {
    let scratch = Scratch::new("gltf-giga");
    for start in ["", "glTF", "{", "glTF\u{2}\0\0\0\0\0\0\u{40}\u{f0}\u{f0}\u{f0}\0JSON", "glTF\u{2}\0\0\0\0\0\0\u{40}"]
    {
        for name in ["a.glb", "a.gltf"] {
            let path = scratch.file(name, start);
            std::fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(1 << 30).unwrap();
            let told = refused(&path);
            assert!(told.contains("damaged") || told.contains("cut off") || told.contains("version"), "{told}");
        }
    }
}

#[test]
fn pieces_that_are_not_there() {
    let scratch = Scratch::new("gltf-pieces");
    let told = |uri: &str| {
        let (mut json, _) = puppet();
        json["buffers"][0]["uri"] = json!(uri);
        refused(&scratch.file("a.gltf", json.to_string()))
    };
    scratch.file("short.bin", [0; 10]);
    assert_snapshot!(told("body.bin"), @r#"
    a part of this file is kept in "body.bin", which is not there.
    Put both into the folders they were exported to, or export as .glb, which is one file.
    (a.gltf)
    "#);
    assert_snapshot!(told("https://example.org/body.bin"), @r#"
    the file holds a link to "https://example.org/body.bin", which Supple cannot use.
    Put that file beside this one, or export as .glb, which is one file.
    (a.gltf)
    "#);
    assert_snapshot!(told("short.bin"), @"
    the file says that it holds 388 bytes of numbers, but it ends after 10.
    It was cut off, or its header is wrong. Export or copy it again.
    (a.gltf)
    ");
    assert!(told("data:;base64,****").starts_with("the data that begin with \"data:;base64,****\" are not base64"));
    assert!(told(".").starts_with("this is a folder"));
}

#[test]
fn nodes_that_go_in_a_circle_or_have_two_parents() {
    assert_snapshot!(told(|json, _| json["nodes"][3]["children"] = json!([1])), @r#"
    the node "Hip" hangs on two nodes at once: on the node "Root" and on the node "Knee".
    The file is damaged, or is not what its ending says. Export it again.
    (a.glb)
    "#);
    let circle = |json: &mut Value, _: &mut Vec<u8>| {
        json["nodes"][0]["children"] = json!([2]);
        json["nodes"][3]["children"] = json!([1]);
    };
    assert_eq!(first(circle), "the node \"Hip\" hangs on itself: the nodes go in a circle.");
    let itself = |json: &mut Value, _: &mut Vec<u8>| json["nodes"][2]["children"] = json!([2]);
    assert!(first(itself).contains("\"Body\" hangs on"));
    let child = |json: &mut Value, _: &mut Vec<u8>| json["nodes"][3]["children"] = json!([9]);
    assert_eq!(first(child), "the node \"Knee\" asks for number 9 of the file's nodes, but there are 4.");
}

#[test]
fn numbers_that_lead_nowhere() {
    let joint = |_: &mut Value, bin: &mut Vec<u8>| bin[60 + 8] = 7;
    assert_eq!(first(joint), "vertex 2 of the mesh \"Skin\" is moved by joint 7, but the skin \"Bones\" has 2.");
    let triangle = |_: &mut Value, bin: &mut Vec<u8>| bin[48 + 6] = 99;
    assert_eq!(first(triangle), "triangle 1 of the mesh \"Skin\" asks for vertex 99, but there are only 4.");
    let nan = |_: &mut Value, bin: &mut Vec<u8>| bin[12..16].copy_from_slice(&f32::NAN.to_le_bytes());
    assert_eq!(first(nan), "vertex 1 of the mesh \"Skin\" has no position: it is [NaN, 0.0, 0.0].");
    let beyond = |json: &mut Value, _: &mut Vec<u8>| json["accessors"][0]["count"] = json!(5);
    assert_eq!(first(beyond), "POSITION of the mesh \"Skin\" asks for numbers beyond the end of the data.");
    let far = |json: &mut Value, _: &mut Vec<u8>| {
        json["nodes"][0]["scale"] = json!([1e200, 1, 1]);
        json["nodes"][2]["scale"] = json!([1e200, 1, 1]);
    };
    assert_eq!(first(far), "the node \"Body\" is too large or too far away to compute with.");
    let mesh = |json: &mut Value, _: &mut Vec<u8>| json["nodes"][2]["mesh"] = json!(-1);
    assert_eq!(first(mesh), "the node \"Body\" asks for number -1 of the file's meshes, but there are 1.");
    let shape = |json: &mut Value, _: &mut Vec<u8>| json["accessors"][7]["count"] = json!(3);
    assert_eq!(first(shape), "shape 0 of the mesh \"Skin\" is for 3 vertices, but there are 4.");
    let keys = |json: &mut Value, _: &mut Vec<u8>| json["accessors"][6]["count"] = json!(2);
    assert_eq!(first(keys), "the clip \"Bend\", which moves the node \"Knee\", has 2 values for 3 keys, but needs 3.");
    let binds = |json: &mut Value, _: &mut Vec<u8>| json["accessors"][4]["count"] = json!(1);
    assert_eq!(first(binds), "the skin \"Bones\" has 2 joints, but rest places for 1 only.");
}

#[test]
fn huge_counts_cost_nothing() {
    for count in [json!(1e18), json!(1_000_000_000_000_000_000u64), json!(u64::MAX), json!(1u64 << 40)] {
        for accessor in 0..9 {
            told(|json, _| json["accessors"][accessor]["count"] = count.clone());
            let without_data = |json: &mut Value, _: &mut Vec<u8>| {
                json["accessors"][accessor] = json!({"count": count.clone(), "componentType": 5126, "type": "VEC3"});
            };
            told(without_data);
        }
        told(|json, _| json["bufferViews"][0]["byteLength"] = count.clone());
        told(|json, _| json["bufferViews"][0]["byteOffset"] = count.clone());
        told(|json, _| json["bufferViews"][0]["byteStride"] = count.clone());
        told(|json, _| json["accessors"][0]["byteOffset"] = count.clone());
        told(|json, _| json["buffers"][0]["byteLength"] = count.clone());
    }
    // One mesh, seen very often.
    let crowd = |json: &mut Value, bin: &mut Vec<u8>| {
        let many = floats(json, bin, &[0.0; 3 * 9000], "VEC3", 3);
        json["meshes"][0]["primitives"] = json!([{"attributes": {"POSITION": many}}]);
        json["nodes"] = json!(vec![json!({"mesh": 0}); 20_000]);
        json["scenes"] = json!([]);
        json.as_object_mut().unwrap().remove("animations");
    };
    assert!(first(crowd).contains("asks for far more numbers than there are data in the file"));
}

#[test]
fn what_cannot_be_read_is_said_with_a_remedy() {
    assert_snapshot!(told(|json, _| json["extensionsRequired"] = json!(["KHR_draco_mesh_compression"])), @"
    the file holds compressed meshes, which Supple cannot use.
    Export it again without compression: in Blender's glTF export, leave Data > Compression unticked.
    (a.glb)
    ");
    assert_snapshot!(told(|json, _| json["extensionsRequired"] = json!(["ACME_folds"])), @r#"
    the file holds the extension "ACME_folds", which Supple cannot use.
    Export it without that extension.
    (a.glb)
    "#);
    let (mut json, bin) = puppet();
    json["extensionsRequired"] = json!(["KHR_mesh_quantization", "KHR_materials_unlit", "KHR_texture_transform"]);
    let scratch = Scratch::new("gltf-harmless");
    formats::read_gltf(scratch.file("a.glb", glb(&json, &bin))).unwrap();
}

/// Everything that a character promises, or an error; and neither takes long.
fn survives(path: &Path, bytes: &[u8]) {
    let start = Instant::now();
    if let Ok(character) = formats::read_gltf(path) {
        for part in 0..character.parts.len() {
            let p = &character.parts[part];
            assert!(p.surface.x.iter().all(|x| x.iter().all(|x| x.is_finite())));
            assert!(p.surface.triangles.iter().flatten().all(|&v| (v as usize) < p.surface.x.len()));
            assert!(p.shapes.iter().all(|s| s.delta.len() == p.surface.x.len()));
            assert!(p.attributes.iter().all(|a| a.values.len() == a.width * p.surface.x.len()));
            assert_eq!(p.shapes.len(), p.shape_weights.len());
            if let Some(skin) = &p.skin {
                assert_eq!(skin.starts.len(), p.surface.x.len() + 1);
                assert!(skin.joint.iter().all(|&j| (j as usize) < skin.joints.len()));
                assert!(skin.weight.iter().all(|w| w.is_finite()));
            }
            let x = character.posed(&character.rest_pose(), part);
            assert!(x.iter().all(|x| x.iter().all(|x| x.is_finite())));
        }
        for clip in &character.clips {
            for curve in clip.channels.iter().map(|c| &c.curve) {
                assert!(!curve.times.is_empty() && curve.times.windows(2).all(|t| t[0] < t[1]));
            }
            assert!(character.pose(clip, 0.7).world_from_node.iter().all(|map| map.is_finite()));
        }
    }
    assert!(start.elapsed().as_secs() < 60, "it hangs on {} bytes", bytes.len());
}

/// Small whole files: handmade, and real ones where they are.
fn zoo() -> Vec<(&'static str, Vec<u8>)> {
    let (mut json, mut bin) = puppet();
    let mut zoo = vec![("glb", glb(&json, &bin)), ("gltf", json.to_string().into_bytes())];
    let indices = append(&mut json, &mut bin, &[2, 0, 3, 0]);
    let values = append(&mut json, &mut bin, &[0; 24]);
    json["accessors"][7] = json!({"componentType": 5126, "count": 4, "type": "VEC3", "sparse": {"count": 2,
        "indices": {"bufferView": indices, "componentType": 5123}, "values": {"bufferView": values}}});
    zoo.push(("glb", glb(&json, &bin)));
    if let Some(folder) = scratch::shared_data() {
        for (ending, name) in
            [("glb", "RiggedSimple.glb"), ("gltf", "SimpleSkin.gltf"), ("glb", "InterpolationTest.glb")]
        {
            zoo.push((ending, std::fs::read(folder.join("characters").join(name)).unwrap()));
        }
    }
    zoo
}

fn piece() -> impl Strategy<Value = Vec<u8>> {
    let words = vec![
        "1000000000000000000",
        "-1",
        "0",
        "1e308",
        "1e-308",
        "null",
        "[]",
        "{}",
        "\"\"",
        "true",
        "9",
        "255",
        "4294967295",
        "18446744073709551615",
        "0.5",
        "5125",
        "5126",
        "\"VEC3\"",
        "\"MAT4\"",
        "[0,0]",
        "1",
        "2",
        "3",
    ];
    prop_oneof![
        proptest::collection::vec(any::<u8>(), 0..5),
        proptest::sample::select(words).prop_map(|w| w.as_bytes().to_vec()),
    ]
}

fn damaged_files(name: &str, cases: u32) {
    let scratch = Scratch::new(name);
    let zoo = zoo();
    // Each change overwrites, so that lengths still fit and the damage gets past the header; or replaces.
    let change = (any::<prop::sample::Index>(), any::<bool>(), 0..6usize, piece());
    let strategy = (
        0..zoo.len(),
        proptest::collection::vec(change, 1..5),
        proptest::option::weighted(0.1, any::<prop::sample::Index>()),
    );
    TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() })
        .run(&strategy, |(which, changes, cut)| {
            let (ending, mut bytes) = zoo[which].clone();
            for (at, over, drop, piece) in changes {
                let at = at.index(bytes.len());
                let end = (at + if over { piece.len() } else { drop }).min(bytes.len());
                bytes.splice(at..end, piece);
            }
            if let Some(cut) = cut {
                bytes.truncate(cut.index(bytes.len() + 1));
            }
            survives(&scratch.file(&format!("a.{ending}"), &bytes), &bytes);
            Ok(())
        })
        .unwrap();
}

/// Changes one value of the description at a time, keeping it JSON: the damage that reaches furthest.
fn damaged_descriptions(name: &str, every: usize) {
    fn paths(value: &Value, path: String, all: &mut Vec<String>) {
        match value {
            Value::Array(list) => list.iter().enumerate().for_each(|(k, v)| paths(v, format!("{path}/{k}"), all)),
            Value::Object(map) => map.iter().for_each(|(k, v)| paths(v, format!("{path}/{k}"), all)),
            _ => {}
        }
        all.push(path);
    }
    let scratch = Scratch::new(name);
    let (mut json, mut bin) = puppet();
    let indices = append(&mut json, &mut bin, &[2, 0, 3, 0]);
    let values = append(&mut json, &mut bin, &[0; 24]);
    json["accessors"][7]["sparse"] = json!({"count": 2, "indices": {"bufferView": indices, "componentType": 5123},
        "values": {"bufferView": values}});
    let mut all = Vec::new();
    paths(&json, String::new(), &mut all);
    assert!(all.len() > 150, "vacuous: {} places", all.len());
    let instead = [
        Value::Null,
        json!(0),
        json!(1),
        json!(2),
        json!(-1),
        json!(1e300),
        json!(u64::MAX),
        json!(1 << 30),
        json!(0.5),
        json!("x"),
        json!("MAT4"),
        json!(5121),
        json!(5126),
        json!([]),
        json!({}),
        json!([0, 1, 2, 3]),
        json!([1e300, 1e300, 1e300]),
        json!(true),
    ];
    let cases = all.iter().flat_map(|path| instead.iter().map(move |new| (path, new)));
    for (path, new) in cases.step_by(every) {
        let mut damaged = json.clone();
        if let Some(place) = damaged.pointer_mut(path) {
            *place = new.clone();
        }
        let bytes = glb(&damaged, &bin);
        survives(&scratch.file("a.glb", &bytes), &bytes);
    }
}

#[test]
fn a_damaged_file_never_panics_or_hangs() {
    damaged_files("gltf-damaged", 500);
}
#[test]
fn a_description_with_any_value_wrong_never_panics_or_hangs() {
    damaged_descriptions("gltf-described", 5);
}
#[test]
#[ignore = "slow: fuzzing"]
fn slow_fuzz_of_every_value_of_a_description() {
    damaged_descriptions("gltf-described-slow", 1);
}
#[test]
#[ignore = "slow: fuzzing"]
fn slow_fuzz_of_damaged_gltf() {
    damaged_files("gltf-slow", 50_000);
}
#[test]
fn a_file_cut_off_at_any_byte_is_refused() {
    let scratch = Scratch::new("gltf-cut");
    for (ending, bytes) in zoo().into_iter().take(3) {
        for end in (0..bytes.len()).step_by(17) {
            let file = scratch.file(&format!("a.{ending}"), &bytes[..end]);
            assert!(formats::read_gltf(&file).is_err(), "cut off after {end} bytes");
        }
    }
}
