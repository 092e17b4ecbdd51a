//! Animations as `.glb` and as `.obj` files.

mod scratch;

use formats::Animation;
use math::Vect;
use scratch::{Scratch, pyramid};
use std::path::Path;
use std::process::Command;

fn waving() -> Animation {
    let mut surface = pyramid();
    surface.x.push(Vect::<3>::new(9.0, 9.0, 9.0)); // in no triangle
    let frame = |k: usize| surface.x.iter().map(|x| x * (1.0 + 0.1 * k as f64)).collect();
    let frames = (0..5).map(frame).collect();
    Animation { name: "jelly \"belly\"".into(), surface, frames, fps: 24.0, color: [0.8, 0.4, 0.3] }
}

/// The description inside a `.glb`, and its numbers.
fn open(file: &Path) -> (serde_json::Value, Vec<u8>) {
    let bytes = std::fs::read(file).unwrap();
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    assert_eq!((&bytes[..4], word(4), word(8)), (&b"glTF"[..], 2, bytes.len()));
    let end = 20 + word(12);
    (serde_json::from_slice(&bytes[20..end]).unwrap(), bytes[end + 8..].to_vec())
}

fn vectors(json: &serde_json::Value, bin: &[u8], accessor: &serde_json::Value) -> Vec<[f32; 3]> {
    let view = &json["bufferViews"]
        [json["accessors"][accessor.as_u64().unwrap() as usize]["bufferView"].as_u64().unwrap() as usize];
    let (start, length) =
        (view["byteOffset"].as_u64().unwrap() as usize, view["byteLength"].as_u64().unwrap() as usize);
    let float = |c: &[u8]| f32::from_le_bytes(c.try_into().unwrap());
    bin[start..start + length].chunks_exact(12).map(|c| [float(&c[..4]), float(&c[4..8]), float(&c[8..])]).collect()
}

#[test]
fn rest_plus_morph_target_is_the_frame_with_y_up() {
    let (scratch, animation) = (Scratch::new("glb"), waving());
    let file = scratch.0.join("a.glb");
    formats::write_glb(&file, &animation).unwrap();
    let (json, bin) = open(&file);
    let primitive = &json["meshes"][0]["primitives"][0];
    let rest = vectors(&json, &bin, &primitive["attributes"]["POSITION"]);
    assert_eq!(rest[3], [0.0, 1.0, 0.0], "what was up along z is up along y");
    for (k, frame) in animation.frames.iter().enumerate() {
        let target = vectors(&json, &bin, &primitive["targets"][k]["POSITION"]);
        for (x, (r, d)) in frame.iter().zip(rest.iter().zip(&target)) {
            let expected = [x.x, x.z, -x.y];
            for i in 0..3 {
                assert!((f64::from(r[i] + d[i]) - expected[i]).abs() < 1e-6);
            }
        }
    }
    assert_eq!(json["animations"][0]["channels"][0]["target"]["path"], "weights");
    assert_eq!(json["accessors"].as_array().unwrap().iter().filter(|a| a["type"] == "SCALAR").count(), 3);
}

#[test]
fn the_khronos_validator_finds_neither_errors_nor_warnings() {
    let scratch = Scratch::new("khronos");
    let file = scratch.0.join("a.glb");
    formats::write_glb(&file, &waving()).unwrap();
    let place = std::env::var("SUPPLE_GLTF_VALIDATOR").unwrap_or_default();
    let modules = Path::new(&place).join("node_modules");
    if !modules.join("gltf-validator").is_dir() {
        return scratch::skip("the Khronos validator is not here (`cargo xtask test` installs it)");
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/validate.cjs");
    let Ok(run) = Command::new("node").arg(script).arg(&file).env("NODE_PATH", modules).output() else {
        return scratch::skip("node is not here");
    };
    let told = String::from_utf8_lossy(&run.stdout);
    assert!(told.starts_with("0 0 0 0"), "{told}{}", String::from_utf8_lossy(&run.stderr));
}

#[test]
fn a_sequence_is_one_obj_per_frame_in_the_axes_of_the_simulation() {
    let scratch = Scratch::new("sequence");
    let animation = Animation { name: "a/b".into(), ..waving() };
    let files = formats::write_obj_sequence(scratch.0.join("new"), &animation).unwrap();
    assert_eq!(files.len(), 5);
    assert!(files[4].ends_with("new/a_b_0004.obj"));
    assert_eq!(formats::read_surface(&files[4]).unwrap().x, animation.frames[4]);
}
