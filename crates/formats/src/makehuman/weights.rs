//! `.mhw`: how much each bone moves each vertex, carried over to other skeletons by reference.

use super::MakeHuman;
use super::skeleton::Skeleton;
use crate::json::{Json, load_json};
use crate::order::parents_first;
use crate::{FormatError, Place};
use rig::Skin;
use std::collections::BTreeMap;
use std::path::Path;

/// The skin of `shown`, vertices of the base mesh, which has `vertices`. All bones are joints, in their order.
pub(super) fn skin(
    person: &MakeHuman,
    skeleton: &Skeleton,
    shown: &[u32],
    vertices: usize,
    notes: &mut Vec<String>,
) -> Result<Skin, FormatError> {
    let file = &person.weights;
    let value = load_json(file)?;
    let takers = takers(person, skeleton, notes)?;
    let mut weights: Vec<BTreeMap<u32, f64>> = vec![BTreeMap::new(); vertices];
    let mut homeless = Vec::new();
    for (name, list) in (Json { value: &value, file }).get("weights")?.entries("weights")? {
        let Some(bones) = takers.get(name) else {
            homeless.push(name);
            continue;
        };
        for pair in list.list("the weights of a bone")? {
            let (vertex, weight) = entry(pair, name, vertices, file)?;
            for &bone in bones {
                *weights[vertex].entry(bone).or_default() += weight;
            }
        }
    }
    if let Some(first) = homeless.first() {
        let count = homeless.len();
        notes.push(format!(
            "The skeleton has no place for the weights of {count} bones, such as {first:?}. They were left out."
        ));
    }
    let mut skin = Skin { joints: (0..skeleton.bones.len() as u32).collect(), starts: vec![0], ..Skin::default() };
    for &vertex in shown {
        let found = &weights[vertex as usize];
        let sum: f64 = found.values().sum();
        if sum > 1e-12 && sum.is_finite() {
            skin.joint.extend(found.keys());
            skin.weight.extend(found.values().map(|weight| weight / sum));
        } else {
            skin.joint.push(skeleton.root);
            skin.weight.push(1.0);
        }
        skin.starts.push(skin.joint.len() as u32);
    }
    Ok(skin)
}

/// One `[vertex, weight]`. Weights below zero mean nothing.
fn entry(pair: Json, bone: &str, vertices: usize, file: &Path) -> Result<(usize, f64), FormatError> {
    let [vertex, weight] = pair.numbers("a weight")?;
    if !(vertex >= 0.0 && vertex < vertices as f64 && vertex.fract() == 0.0) {
        let what = format!("the bone {bone:?} moves vertex {vertex}, but the mesh has only {vertices}");
        return Err(FormatError::malformed(what, Place::Unknown, file));
    }
    Ok((vertex as usize, weight.max(0.0)))
}

/// For each bone that has weights in the file, the bones of the skeleton that take them.
fn takers(
    person: &MakeHuman,
    skeleton: &Skeleton,
    notes: &mut Vec<String>,
) -> Result<BTreeMap<String, Vec<u32>>, FormatError> {
    let mut takers: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    for (k, bone) in skeleton.bones.iter().enumerate() {
        let own = std::slice::from_ref(&bone.name);
        for name in if skeleton.has_weights { own } else { &bone.references } {
            let bones = takers.entry(name.clone()).or_default();
            if bones.last() != Some(&(k as u32)) {
                bones.push(k as u32); // a bone named twice counts once
            }
        }
    }
    if skeleton.has_weights {
        return Ok(takers);
    }
    let default = person.weights_skeleton.clone().unwrap_or_else(|| person.weights.with_file_name("default.mhskel"));
    if person.weights_skeleton.is_none() && !default.is_file() {
        notes.push(
            "There is no default.mhskel beside the weights, so only bones that are named by reference have them."
                .into(),
        );
        return Ok(takers);
    }
    // A bone that nobody names goes where its nearest named ancestor goes, else to the root.
    let from = Skeleton::read(&default)?;
    let parents: Vec<_> = from.bones.iter().map(|bone| bone.parent).collect();
    for k in parents_first(&parents).unwrap_or_default() {
        let bone = &from.bones[k];
        if !takers.contains_key(&bone.name) {
            let parent = bone.parent.and_then(|parent| takers.get(&from.bones[parent as usize].name));
            let bones = parent.cloned().unwrap_or_else(|| vec![skeleton.root]);
            takers.insert(bone.name.clone(), bones);
        }
    }
    Ok(takers)
}
