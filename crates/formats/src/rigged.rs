//! A character that came from no glTF file, as one: nodes, skins, blendshapes and clips. What is simulated can then keep them.

use crate::FormatError;
use crate::character_out::draft::{Draft, F32, U16};
use crate::normals::normals;
use math::{Mat, Vect};
use rig::{Affine, Character, Clip, Interpolation, Local, Part, Skin, Target};
use serde_json::{Map, Value, json};
use std::path::Path;

/// Writes a character as `.glb`. Where its own axes are not glTF's (y up, metres) a node above all others turns it.
pub fn write_rigged(out: impl AsRef<Path>, character: &Character) -> Result<(), FormatError> {
    let out = out.as_ref();
    let mut draft = Draft { json: Map::new(), bin: vec![] };
    draft.json.insert("asset".into(), json!({ "version": "2.0", "generator": "Supple" }));
    draft.json.insert("scene".into(), 0.into());
    let mut nodes: Vec<Value> = character.nodes.iter().map(node).collect();
    let mut roots = vec![];
    for (k, node) in character.nodes.iter().enumerate() {
        match node.parent {
            Some(parent) => push(&mut nodes[parent as usize], "children", k.into()),
            None => roots.push(k),
        }
    }
    // x y z of the world is x −z y of glTF
    let gltf_from_world = Affine { R: Mat::<3>::new(1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, -1.0, 0.0), t: Vect::zeros() };
    let gltf_from_file = gltf_from_world * character.world_from_file;
    if gltf_from_file != Affine::identity() {
        nodes.push(json!({ "name": "Supple", "children": roots, "matrix": columns(&gltf_from_file) }));
        roots = vec![nodes.len() - 1];
    }
    for part in &character.parts {
        if !part.surface.x.iter().flatten().all(|v| v.is_finite()) {
            return Err(FormatError::Nothing { what: "a vertex of the character has no position", file: out.into() });
        }
        let mesh = mesh(&mut draft, part);
        let skin = part.skin.as_ref().map(|skin| write_skin(&mut draft, skin));
        // A node can show one mesh, and where a skinned one hangs means nothing.
        let mut shown = json!({ "name": part.name, "mesh": mesh });
        if let Some(skin) = skin {
            shown["skin"] = skin.into();
            roots.push(nodes.len());
            nodes.push(shown);
        } else {
            let place = nodes.len();
            push(&mut nodes[part.node as usize], "children", place.into());
            nodes.push(shown);
        }
    }
    let shown_first = nodes.len() - character.parts.len();
    draft.json.insert("nodes".into(), nodes.into());
    draft.json.insert("scenes".into(), json!([{ "nodes": roots }]));
    for clip in &character.clips {
        write_clip(&mut draft, clip, character, shown_first);
    }
    draft.save(out)
}

fn push(object: &mut Value, key: &str, value: Value) {
    match object[key].as_array_mut() {
        Some(list) => list.push(value),
        None => object[key] = json!([value]),
    }
}

fn node(node: &rig::Node) -> Value {
    match &node.local {
        Local::Matrix(map) => json!({ "name": node.name, "matrix": columns(map) }),
        Local::Trs(trs) => {
            let q = trs.rotation.normalize();
            json!({
                "name": node.name,
                "translation": trs.translation.as_slice(),
                "rotation": [q.i, q.j, q.k, q.w],
                "scale": trs.scale.as_slice(),
            })
        }
    }
}

/// A 4×4 matrix, column by column.
fn columns(map: &Affine<3>) -> Vec<f64> {
    let column = |j: usize| [map.R[(0, j)], map.R[(1, j)], map.R[(2, j)], 0.0];
    let last = [map.t[0], map.t[1], map.t[2], 1.0];
    [column(0), column(1), column(2), last].concat()
}

fn mesh(draft: &mut Draft, part: &Part) -> usize {
    let narrow = |list: &[Vect<3>]| list.iter().map(|v| [v.x as f32, v.y as f32, v.z as f32]).collect::<Vec<_>>();
    let n = part.surface.x.len();
    let mut attributes = json!({
        "POSITION": draft.vectors(&narrow(&part.surface.x)),
        "NORMAL": draft.vectors(&narrow(&normals(&part.surface.x, &part.surface.triangles, Vect::<3>::y()))),
    });
    if let Some(skin) = &part.skin {
        let most = (0..n).map(|v| skin.of(v).count()).max().unwrap_or(0);
        for set in 0..most.div_ceil(4) {
            let (mut joints, mut weights) = (vec![], vec![]);
            for v in 0..n {
                let mut four: Vec<(usize, f64)> = skin.of(v).skip(4 * set).take(4).collect();
                four.resize(4, (0, 0.0));
                for (joint, weight) in four {
                    let joint = if weight > 0.0 { joint as u16 } else { 0 };
                    joints.extend(joint.to_le_bytes());
                    weights.extend((weight as f32).to_le_bytes());
                }
            }
            attributes[format!("JOINTS_{set}")] = draft.attribute(joints, n, U16, "VEC4").into();
            attributes[format!("WEIGHTS_{set}")] = draft.attribute(weights, n, F32, "VEC4").into();
        }
    }
    if let Some(uv) = part.attributes.iter().find(|a| a.name == "TEXCOORD_0" && a.width == 2) {
        let bytes = uv.values.iter().flat_map(|x| (*x as f32).to_le_bytes()).collect();
        attributes["TEXCOORD_0"] = draft.attribute(bytes, n, F32, "VEC2").into();
    }
    if let Some(colour) = part.attributes.iter().find(|a| a.name == "COLOR_0" && matches!(a.width, 3 | 4)) {
        let bytes = colour.values.iter().flat_map(|x| (*x as f32).to_le_bytes()).collect();
        let shape = if colour.width == 3 { "VEC3" } else { "VEC4" };
        attributes["COLOR_0"] = draft.attribute(bytes, n, F32, shape).into();
    }
    let indices = draft.indices(part.surface.triangles.as_flattened());
    let mut primitive = json!({ "attributes": attributes, "indices": indices });
    let mut mesh = json!({ "name": part.name });
    if !part.shapes.is_empty() {
        let targets: Vec<Value> =
            part.shapes.iter().map(|shape| json!({ "POSITION": draft.deltas(&narrow(&shape.delta)) })).collect();
        primitive["targets"] = targets.into();
        mesh["weights"] = part.shape_weights.clone().into();
        mesh["extras"] = json!({ "targetNames": part.shapes.iter().map(|s| &s.name).collect::<Vec<_>>() });
    }
    mesh["primitives"] = json!([primitive]);
    draft.push("meshes", mesh)
}

fn write_skin(draft: &mut Draft, skin: &Skin) -> usize {
    let numbers: Vec<f32> = skin.joint_from_mesh.iter().flat_map(columns).map(|x| x as f32).collect();
    let bytes: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
    let view = draft.view(bytes, None);
    let count = skin.joint_from_mesh.len();
    let matrices = json!({ "bufferView": view, "componentType": F32, "count": count, "type": "MAT4" });
    let accessor = draft.push("accessors", matrices);
    draft.push("skins", json!({ "joints": skin.joints, "inverseBindMatrices": accessor }))
}

fn write_clip(draft: &mut Draft, clip: &Clip, character: &Character, shown_first: usize) {
    let (mut channels, mut samplers) = (vec![], vec![]);
    for channel in &clip.channels {
        let (node, path, shape) = match channel.target {
            Target::Translation(node) => (node as usize, "translation", "VEC3"),
            Target::Rotation(node) => (node as usize, "rotation", "VEC4"),
            Target::Scale(node) => (node as usize, "scale", "VEC3"),
            Target::Weights(node) => match character.parts.iter().position(|p| p.node == node) {
                Some(part) => (shown_first + part, "weights", "SCALAR"),
                None => continue,
            },
        };
        let times: Vec<f32> = channel.curve.times.iter().map(|t| *t as f32).collect();
        let values: Vec<f32> = channel.curve.values.iter().map(|x| *x as f32).collect();
        let interpolation = match channel.curve.interpolation {
            Interpolation::Step => "STEP",
            Interpolation::Linear => "LINEAR",
            Interpolation::Cubic => "CUBICSPLINE",
        };
        channels.push(json!({ "sampler": samplers.len(), "target": { "node": node, "path": path } }));
        let (input, output) = (draft.times(&times), draft.floats(&values, shape));
        samplers.push(json!({ "input": input, "output": output, "interpolation": interpolation }));
    }
    if !channels.is_empty() {
        draft.push("animations", json!({ "name": clip.name, "channels": channels, "samplers": samplers }));
    }
}
