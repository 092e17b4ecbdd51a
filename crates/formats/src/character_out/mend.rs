//! What the input has wrong and no reader must stumble over is put right on the way through.

use super::draft::{Draft, F32, U16, list};
use super::meshes::object;
use crate::FormatError;
use rig::{Character, Part, Skin};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// A skin's `skeleton` must be above all its joints, or be one of them and above the others. One that is not becomes the
/// nearest node that is. Blender makes its armature there; without a name it makes it at the top of the scene, and the
/// pose of quaternius_round_monster was then 4e-4 of its size off.
pub(crate) fn skeletons(draft: &mut Draft, character: &Character, notes: &mut Vec<String>) {
    if !draft.json.contains_key("skins") {
        return;
    }
    for (k, skin) in list(&mut draft.json, "skins").iter_mut().enumerate() {
        let joints: Vec<u64> = skin["joints"].as_array().into_iter().flatten().filter_map(Value::as_u64).collect();
        let holds = |top: u64| joints.iter().all(|&joint| upward(character, joint).any(|node| node == top));
        let Some(skin) = skin.as_object_mut() else { continue };
        if skin.get("skeleton").is_none_or(|top| top.as_u64().is_some_and(holds)) {
            continue;
        }
        let nearest = joints.first().and_then(|&joint| upward(character, joint).find(|&top| holds(top)));
        let what = match nearest {
            Some(top) => {
                skin.insert("skeleton".into(), top.into());
                format!("it names node {top} now, which does")
            }
            None => {
                skin.remove("skeleton");
                "the name is left out".into()
            }
        };
        notes.push(format!("skin {k} named a skeleton that does not hold all its joints; {what}"));
    }
}

/// A node, its parent, and so on to the top.
fn upward(character: &Character, node: u64) -> impl Iterator<Item = u64> + '_ {
    let parent = |node: &u64| character.nodes.get(*node as usize).and_then(|n| n.parent).map(u64::from);
    std::iter::successors(Some(node), parent)
}

/// Skin weights that are no numbers, do not sum to one or name a joint twice are written as they were read: mended.
/// `read` gives the numbers of an accessor.
pub(crate) fn skin_weights(
    draft: &mut Draft,
    character: &Character,
    read: &dyn Fn(usize) -> Result<Vec<f64>, FormatError>,
    notes: &mut Vec<String>,
) -> Result<(), FormatError> {
    let mut seen = BTreeSet::new();
    for part in &character.parts {
        let node = object(&mut draft.json, "nodes", part.node as usize);
        let mesh = node.and_then(|node| node.get("mesh")).and_then(Value::as_u64);
        let (Some(mesh), Some(skin)) = (mesh, &part.skin) else { continue };
        if !seen.insert(mesh) {
            continue;
        }
        for i in 0..part.primitives.len() {
            let primitives = object(&mut draft.json, "meshes", mesh as usize).map(|mesh| list(mesh, "primitives"));
            let primitive = primitives.and_then(|all| all.get(i));
            let Some(attributes) = primitive.and_then(|p| p["attributes"].as_object()).cloned() else { continue };
            if sound(&attributes, read)? {
                continue;
            }
            let start = part.primitives[i] as usize;
            let end = part.primitives.get(i + 1).map_or(part.surface.x.len(), |&next| next as usize);
            let attributes = rewrite(draft, attributes, skin, start..end);
            if let Some(mesh) = object(&mut draft.json, "meshes", mesh as usize) {
                list(mesh, "primitives")[i]["attributes"] = attributes.into();
            }
            note(part, notes);
        }
    }
    Ok(())
}

fn note(part: &Part, notes: &mut Vec<String>) {
    let text =
        format!("skin weights of {:?} that were no numbers, or did not sum to one, are written mended", part.name);
    if notes.last() != Some(&text) {
        notes.push(text);
    }
}

/// The sets of four joints and weights, n = 0, 1, ….
fn sets(attributes: &Map<String, Value>) -> impl Iterator<Item = (usize, usize)> + '_ {
    let get = |name: String| attributes.get(&name).and_then(Value::as_u64).map(|k| k as usize);
    (0..64).map_while(move |n| Some((get(format!("JOINTS_{n}"))?, get(format!("WEIGHTS_{n}"))?)))
}

/// Whether every vertex has weights as the Khronos validator wants them.
fn sound(
    attributes: &Map<String, Value>,
    read: &dyn Fn(usize) -> Result<Vec<f64>, FormatError>,
) -> Result<bool, FormatError> {
    let mut vertices: Vec<Vec<(f64, f64)>> = Vec::new();
    for (joints, weights) in sets(attributes) {
        let (joints, weights) = (read(joints)?, read(weights)?);
        vertices.resize(vertices.len().max(joints.len() / 4), Vec::new());
        for (v, (joints, weights)) in joints.chunks_exact(4).zip(weights.chunks_exact(4)).enumerate() {
            vertices[v].extend(joints.iter().copied().zip(weights.iter().copied()).filter(|(_, w)| *w != 0.0));
        }
    }
    let good = |influences: &Vec<(f64, f64)>| {
        let sum: f64 = influences.iter().map(|(_, w)| w).sum();
        let twice =
            influences.iter().enumerate().any(|(k, (joint, _))| influences[..k].iter().any(|(j, _)| j == joint));
        influences.iter().all(|(_, w)| *w > 0.0) && (sum - 1.0).abs() <= 1.5e-7 * influences.len() as f64 && !twice
    };
    Ok(vertices.iter().all(good))
}

/// The joints and weights of some vertices of a skin, in as many sets of four as they need.
fn rewrite(
    draft: &mut Draft,
    mut attributes: Map<String, Value>,
    skin: &Skin,
    range: std::ops::Range<usize>,
) -> Map<String, Value> {
    let before = attributes.clone();
    attributes.retain(|name, _| !name.starts_with("JOINTS_") && !name.starts_with("WEIGHTS_"));
    let vertices: Vec<Vec<(u16, f32)>> = range.map(|v| influences(skin, v)).collect();
    let widest = vertices.iter().map(Vec::len).max().unwrap_or(0);
    for n in 0..widest.div_ceil(4) {
        let slots =
            || vertices.iter().flat_map(|all| (4 * n..4 * n + 4).map(|k| all.get(k).copied().unwrap_or((0, 0.0))));
        let joints: Vec<u8> = slots().flat_map(|(joint, _)| joint.to_le_bytes()).collect();
        let weights: Vec<u8> = slots().flat_map(|(_, weight)| weight.to_le_bytes()).collect();
        for (name, bytes, component) in [("JOINTS", joints, U16), ("WEIGHTS", weights, F32)] {
            let name = format!("{name}_{n}");
            let new = draft.attribute(bytes, vertices.len(), component, "VEC4");
            let old = before.get(&name).and_then(Value::as_u64);
            attributes.insert(name, replace(draft, old, new).into());
        }
    }
    attributes
}

/// Puts the accessor just added in place of an old one that nobody else uses: what is wrong must not stay, even unused.
fn replace(draft: &mut Draft, old: Option<u64>, new: usize) -> usize {
    let Some(old) = old else { return new };
    let meshes = draft.json.get("meshes").and_then(Value::as_array).into_iter().flatten();
    let primitives = meshes.flat_map(|mesh| mesh["primitives"].as_array().into_iter().flatten());
    let attributes = primitives.filter_map(|p| p["attributes"].as_object()).flat_map(|all| all.values());
    let users = attributes.filter(|index| index.as_u64() == Some(old)).count();
    let accessors = list(&mut draft.json, "accessors");
    if users > 1 || old as usize >= new || new + 1 != accessors.len() {
        return new;
    }
    accessors.swap_remove(old as usize); // the new one, which is the last, takes its place
    old as usize
}

/// Each joint once, weights that still sum to one when rounded.
fn influences(skin: &Skin, vertex: usize) -> Vec<(u16, f32)> {
    let mut sums: BTreeMap<u16, f64> = BTreeMap::new();
    for (joint, weight) in skin.of(vertex) {
        *sums.entry(joint as u16).or_default() += weight;
    }
    let mut all: Vec<(u16, f32)> = sums.into_iter().map(|(j, w)| (j, w as f32)).filter(|(_, w)| *w > 0.0).collect();
    let short = 1.0 - all.iter().map(|(_, w)| f64::from(*w)).sum::<f64>();
    if let Some((_, weight)) = all.iter_mut().max_by(|a, b| a.1.total_cmp(&b.1)) {
        *weight = (f64::from(*weight) + short) as f32;
    }
    all
}
