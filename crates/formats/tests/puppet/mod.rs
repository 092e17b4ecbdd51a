//! A small glTF character made by hand, to be bent and broken by tests.
#![allow(dead_code)] // no test file uses all of it

use serde_json::{Value, json};

/// A square of two triangles on two joints, with one shape and one clip: description and numbers.
pub fn puppet() -> (Value, Vec<u8>) {
    let mut bin = Vec::new();
    let mut views = Vec::new();
    let mut add = |bytes: Vec<u8>| {
        views.push(json!({"buffer": 0, "byteOffset": bin.len(), "byteLength": bytes.len()}));
        bin.extend(bytes);
        bin.resize(bin.len().next_multiple_of(4), 0);
    };
    let floats = |x: &[f32]| x.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
    let eye = [1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1.];
    let half = 0.5f32.sqrt();
    add(floats(&[0., 0., 0., 1., 0., 0., 0., 2., 0., 1., 2., 0.])); // 0: positions
    add([0u16, 1, 2, 2, 1, 3].iter().flat_map(|i| i.to_le_bytes()).collect()); // 1: triangles
    add(vec![0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]); // 2: joints
    add(floats(&[1., 0., 0., 0., 1., 0., 0., 0., 1., 0., 0., 0., 0.5, 0.5, 0., 0.])); // 3: weights
    add(floats(&[eye, eye].concat())); // 4: bind places
    add(floats(&[0.5, 1.0, 2.0])); // 5: times
    add(floats(&[0., 0., 0., 1., 0., 0., half, half, 0., 0., 1., 0.])); // 6: rotations
    add(floats(&[0., 0., 0., 0., 0., 0., 0., 0., 1., 0., 0., 1.])); // 7: shape
    add(floats(&[0., 1., 0.5])); // 8: shape weights
    let accessor = |view: usize, kind: u32, count: usize, shape: &str| json!({"bufferView": view, "componentType": kind, "count": count, "type": shape});
    let json = json!({
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [
            {"name": "Root", "children": [1, 2]},
            {"name": "Hip", "children": [3]},
            {"name": "Body", "mesh": 0, "skin": 0, "weights": [0.25]},
            {"name": "Knee", "translation": [0, 1, 0]}
        ],
        "meshes": [{"name": "Skin", "weights": [0.75], "extras": {"targetNames": ["Bulge"]}, "primitives": [{
            "attributes": {"POSITION": 0, "JOINTS_0": 2, "WEIGHTS_0": 3}, "indices": 1, "targets": [{"POSITION": 7}]
        }]}],
        "skins": [{"name": "Bones", "joints": [1, 3], "inverseBindMatrices": 4}],
        "animations": [{"name": "Bend", "channels": [
            {"sampler": 0, "target": {"node": 3, "path": "rotation"}},
            {"sampler": 1, "target": {"node": 2, "path": "weights"}}
        ], "samplers": [{"input": 5, "output": 6}, {"input": 5, "output": 8, "interpolation": "STEP"}]}],
        "accessors": [
            accessor(0, 5126, 4, "VEC3"), accessor(1, 5123, 6, "SCALAR"), accessor(2, 5121, 4, "VEC4"),
            accessor(3, 5126, 4, "VEC4"), accessor(4, 5126, 2, "MAT4"), accessor(5, 5126, 3, "SCALAR"),
            accessor(6, 5126, 3, "VEC4"), accessor(7, 5126, 4, "VEC3"), accessor(8, 5126, 3, "SCALAR")
        ],
        "bufferViews": views,
        "buffers": [{"byteLength": bin.len()}]
    });
    (json, bin)
}

/// As one `.glb` file.
pub fn glb(json: &Value, bin: &[u8]) -> Vec<u8> {
    let mut text = serde_json::to_vec(json).unwrap();
    text.resize(text.len().next_multiple_of(4), b' ');
    let total = 12 + 8 + text.len() + 8 + bin.len();
    let word = |n: usize| (n as u32).to_le_bytes();
    let head = [&b"glTF"[..], &word(2), &word(total), &word(text.len()), b"JSON", &text];
    [head.concat(), word(bin.len()).to_vec(), b"BIN\0".to_vec(), bin.to_vec()].concat()
}

/// Appends floats to the numbers, with a view of them: the number of the view.
pub fn append(json: &mut Value, bin: &mut Vec<u8>, bytes: &[u8]) -> usize {
    bin.resize(bin.len().next_multiple_of(8), 0);
    let views = json["bufferViews"].as_array_mut().unwrap();
    views.push(json!({"buffer": 0, "byteOffset": bin.len(), "byteLength": bytes.len()}));
    bin.extend_from_slice(bytes);
    bin.resize(bin.len().next_multiple_of(4), 0);
    let last = views.len() - 1;
    json["buffers"][0]["byteLength"] = json!(bin.len());
    last
}

/// An accessor of its own for some floats: its number.
pub fn floats(json: &mut Value, bin: &mut Vec<u8>, numbers: &[f32], shape: &str, width: usize) -> usize {
    let bytes: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
    let view = append(json, bin, &bytes);
    let accessors = json["accessors"].as_array_mut().unwrap();
    let count = numbers.len() / width;
    accessors.push(json!({"bufferView": view, "componentType": 5126, "count": count, "type": shape}));
    accessors.len() - 1
}
