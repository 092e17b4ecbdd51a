//! Joints, and how much each moves each vertex.

use super::accessor::Reader;
use super::primitive::same_count;
use super::scene::affine;
use super::{called, index};
use crate::FormatError;
use rig::{Affine, Skin};
use serde_json::Value;

/// The node that a part hangs on, in place of a joint.
const NODE: u32 = u32::MAX;

/// Which joints move the vertices of a mesh; the places of joints in whatever skin the mesh is shown with.
#[derive(Default)]
pub(super) struct Influences {
    starts: Vec<u32>,
    joint: Vec<u32>,
    pub weight: Vec<f64>,
    /// vertices of primitives that have no weights
    loose: usize,
    /// how many weights are no numbers, or below zero
    ignored: usize,
    /// how many vertices have weights that do not sum to 1
    scaled: usize,
    /// vertices all of whose weights are zero
    empty: Vec<usize>,
}

impl Influences {
    /// Takes in the next primitive of a mesh.
    pub fn read(
        &mut self,
        reader: &mut Reader,
        primitive: &Value,
        vertices: usize,
        mesh: &str,
    ) -> Result<(), FormatError> {
        if self.starts.is_empty() {
            self.starts.push(0);
        }
        let attributes = &primitive["attributes"];
        let mut sets = Vec::new();
        for k in 0.. {
            let (joints, weights) = (&attributes[format!("JOINTS_{k}")], &attributes[format!("WEIGHTS_{k}")]);
            if joints.is_null() || weights.is_null() {
                break;
            }
            let joints = same_count(reader, joints, vertices, &format!("JOINTS_{k} of {mesh}"))?;
            let weights = same_count(reader, weights, vertices, &format!("WEIGHTS_{k} of {mesh}"))?;
            let names = joints.indices().filter(|_| joints.width == weights.width);
            let wrong = || reader.document.malformed(format!("the joints and weights of {mesh} do not fit each other"));
            sets.push((names.ok_or_else(wrong)?, weights));
        }
        for vertex in 0..vertices {
            if sets.is_empty() {
                self.loose += 1;
                self.joint.push(NODE);
                self.weight.push(1.0);
            } else {
                self.add(&sets.iter().flat_map(|(joints, weights)| {
                    let range = vertex * weights.width..(vertex + 1) * weights.width;
                    joints[range.clone()].iter().copied().zip(weights.values[range].iter().copied())
                }));
            }
            self.starts.push(self.joint.len() as u32);
        }
        Ok(())
    }

    /// Takes in a vertex: its weights made to sum to one.
    fn add(&mut self, pairs: &(impl Iterator<Item = (u32, f64)> + Clone)) {
        let good = |w: f64| w.is_finite() && w > 0.0;
        let sum: f64 = pairs.clone().map(|(_, w)| w).filter(|&w| good(w)).sum();
        self.ignored += pairs.clone().filter(|&(_, w)| !w.is_finite() || w < -1e-6).count();
        if !(sum > 0.0 && sum.is_finite()) {
            self.empty.push(self.starts.len() - 1);
            self.joint.push(pairs.clone().next().map_or(0, |(joint, _)| joint));
            self.weight.push(1.0);
            return;
        }
        self.scaled += usize::from((sum - 1.0).abs() > 1e-3);
        for (joint, weight) in pairs.clone().filter(|&(_, w)| good(w)) {
            self.joint.push(joint);
            self.weight.push(weight / sum);
        }
    }

    /// All primitives are in; none where no vertex has weights.
    pub fn finish(self, reader: &mut Reader, mesh: &str) -> Option<Self> {
        let vertices = self.starts.len().saturating_sub(1);
        if self.loose == vertices {
            return None;
        }
        if self.ignored > 0 {
            let ignored = self.ignored;
            reader.note(format!(
                "{mesh} has {ignored} weights that are not numbers or are below zero; they were ignored"
            ));
        }
        if let Some(first) = self.empty.first() {
            let count = self.empty.len();
            reader.note(format!(
                "{mesh} has {count} vertices without a weight (first: {first}); each moves with the first joint it names"
            ));
        }
        if self.scaled > 0 {
            let scaled = self.scaled;
            reader.note(format!("{mesh} has {scaled} vertices whose weights do not sum to one; they were scaled"));
        }
        if self.loose > 0 {
            let loose = self.loose;
            reader
                .note(format!("{loose} of the {vertices} vertices of {mesh} have no weights; they move with its node"));
        }
        Some(self)
    }
}

/// The skin of a part at a node; none where it moves with its node.
pub(super) fn bind(
    reader: &mut Reader,
    entry: &Value,
    node: usize,
    influences: Option<&Influences>,
    part: &str,
) -> Result<Option<Skin>, FormatError> {
    let document = reader.document;
    let who = called("the node", document, "nodes", node);
    let Some(which) = index(&entry["skin"], "skins", document, &who)? else { return Ok(None) };
    let Some(influences) = influences else {
        reader.note(format!("the mesh {part:?} has a skin but no weights; it moves with {who}"));
        return Ok(None);
    };
    let skin = called("the skin", document, "skins", which);
    let (mut joints, mut joint_from_mesh) = joints(reader, which, &skin)?;
    if joints.is_empty() {
        reader.note(format!("{skin} has no joints; the mesh {part:?} moves with {who}"));
        return Ok(None);
    }
    let count = joints.len() as u32;
    if influences.loose > 0 {
        joints.push(node as u32);
        joint_from_mesh.push(Affine::identity());
    }
    let mut joint = influences.joint.clone();
    for &vertex in &influences.empty {
        let at = influences.starts[vertex] as usize;
        joint[at] = if joint[at] < count { joint[at] } else { 0 };
    }
    for (at, joint) in joint.iter_mut().enumerate() {
        if *joint == NODE {
            *joint = count;
        } else if *joint >= count {
            let vertex = influences.starts.partition_point(|&s| s as usize <= at).saturating_sub(1);
            let what =
                format!("vertex {vertex} of the mesh {part:?} is moved by joint {joint}, but {skin} has {count}");
            return Err(document.malformed(what));
        }
    }
    let (starts, weight) = (influences.starts.clone(), influences.weight.clone());
    Ok(Some(Skin { joints, joint_from_mesh, starts, joint, weight }))
}

/// The joints of a skin, and joint_from_mesh of each.
fn joints(reader: &mut Reader, which: usize, who: &str) -> Result<(Vec<u32>, Vec<Affine<3>>), FormatError> {
    let document = reader.document;
    let skin = &document.list("skins")[which];
    let mut joints = Vec::new();
    for joint in skin["joints"].as_array().map_or(&[][..], Vec::as_slice) {
        let node = index(joint, "nodes", document, who)?;
        joints.push(node.ok_or_else(|| document.malformed(format!("{who} has a joint that is no node")))? as u32);
    }
    let matrices = &skin["inverseBindMatrices"];
    if matrices.is_null() {
        let identity = vec![Affine::identity(); joints.len()];
        return Ok((joints, identity));
    }
    let numbers = reader.numbers(matrices, &format!("inverseBindMatrices of {who}"))?;
    let count = joints.len();
    if numbers.width != 16 || numbers.count < count {
        let found = numbers.count;
        return Err(document.malformed(format!("{who} has {count} joints, but rest places for {found} only")));
    }
    let maps = numbers.values.chunks_exact(16).take(count).map(|m| affine(&std::array::from_fn(|k| m[k])));
    let maps: Vec<Affine<3>> = maps.collect();
    if let Some(k) = maps.iter().position(|map| !map.is_finite()) {
        let joint = called("the joint", document, "nodes", joints[k] as usize);
        return Err(document.malformed(format!("the rest place of {joint} in {who} is no place")));
    }
    Ok((joints, maps))
}
