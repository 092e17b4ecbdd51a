//! Nodes, their hierarchy, and which of them the scene shows.

use super::container::{Document, whole};
use super::{called, name_of};
use crate::FormatError;
use math::{Mat, Vect};
use nalgebra::Quaternion;
use rig::{Affine, Local, Node, Trs};
use serde_json::Value;

/// All nodes, in the file's order. No node has two parents, and none is its own ancestor.
pub(super) fn nodes(document: &Document) -> Result<Vec<Node>, FormatError> {
    let list = document.list("nodes");
    let parents = parents(document)?;
    let local = |k: usize| local(&list[k], document, &called("the node", document, "nodes", k));
    (0..list.len()).map(|k| Ok(Node { name: name_of(&list[k]), parent: parents[k], local: local(k)? })).collect()
}

fn children(document: &Document, node: usize) -> Result<Vec<usize>, FormatError> {
    let who = called("the node", document, "nodes", node);
    numbers_of_nodes(&document.list("nodes")[node]["children"], document, &who)
}

fn numbers_of_nodes(list: &Value, document: &Document, who: &str) -> Result<Vec<usize>, FormatError> {
    let one = |value: &Value| match super::index(value, "nodes", document, who)? {
        Some(k) => Ok(k),
        None => Err(document.malformed(format!("{who} has a child that is no node"))),
    };
    list.as_array().map_or(&[][..], Vec::as_slice).iter().map(one).collect()
}

fn parents(document: &Document) -> Result<Vec<Option<u32>>, FormatError> {
    let count = document.list("nodes").len();
    let node = |k: usize| called("the node", document, "nodes", k);
    let mut parents: Vec<Option<u32>> = vec![None; count];
    for parent in 0..count {
        for child in children(document, parent)? {
            match parents[child] {
                Some(other) if other as usize != parent => {
                    let (first, second) = (node(other as usize), node(parent));
                    let what = format!("{} hangs on two nodes at once: on {first} and on {second}", node(child));
                    return Err(document.malformed(what));
                }
                _ => parents[child] = Some(parent as u32),
            }
        }
    }
    // Each walk towards the root ends at the root, at a node that was met on an earlier walk, or in a circle.
    let mut walk_of = vec![usize::MAX; count];
    for start in 0..count {
        let mut at = start;
        while walk_of[at] == usize::MAX {
            walk_of[at] = start;
            let Some(parent) = parents[at] else { break };
            at = parent as usize;
            if walk_of[at] == start {
                return Err(document.malformed(format!("{} hangs on itself: the nodes go in a circle", node(at))));
            }
        }
    }
    Ok(parents)
}

/// Where a node is in its parent.
fn local(node: &Value, document: &Document, who: &str) -> Result<Local, FormatError> {
    fn numbers<const N: usize>(value: &Value) -> Option<[f64; N]> {
        let list = value.as_array()?;
        let numbers: Vec<f64> = list.iter().map(Value::as_f64).collect::<Option<_>>()?;
        numbers.try_into().ok()
    }
    let wrong = |what: &str| document.malformed(format!("the {what} of {who} is not as it should be"));
    if !node["matrix"].is_null() {
        let m: [f64; 16] = numbers(&node["matrix"]).ok_or_else(|| wrong("matrix"))?;
        return Ok(Local::Matrix(affine(&m)));
    }
    let mut trs = Trs::default();
    if !node["translation"].is_null() {
        trs.translation = Vect::from(numbers::<3>(&node["translation"]).ok_or_else(|| wrong("translation"))?);
    }
    if !node["rotation"].is_null() {
        let [x, y, z, w] = numbers(&node["rotation"]).ok_or_else(|| wrong("rotation"))?;
        trs.rotation = Quaternion::new(w, x, y, z);
    }
    if !node["scale"].is_null() {
        trs.scale = Vect::from(numbers::<3>(&node["scale"]).ok_or_else(|| wrong("scale"))?);
    }
    Ok(Local::Trs(trs))
}

/// A map from the 16 numbers of a glTF matrix, column by column.
pub(super) fn affine(m: &[f64; 16]) -> Affine<3> {
    Affine { R: Mat::<3>::from_fn(|i, j| m[4 * j + i]), t: Vect::<3>::new(m[12], m[13], m[14]) }
}

/// The nodes with a mesh that the scene shows, in the file's order: the default scene, else all scenes, else all nodes.
pub(super) fn shown(document: &Document) -> Result<Vec<usize>, FormatError> {
    let (nodes, scenes) = (document.list("nodes"), document.list("scenes"));
    let mut seen = vec![scenes.is_empty(); nodes.len()];
    let chosen = whole(&document.json["scene"]).and_then(|k| usize::try_from(k).ok()).filter(|&k| k < scenes.len());
    let chosen = chosen.map_or(0..scenes.len(), |k| k..k + 1);
    for k in chosen {
        let who = called("the scene", document, "scenes", k);
        let mut next = numbers_of_nodes(&scenes[k]["nodes"], document, &who)?;
        while let Some(node) = next.pop() {
            if !std::mem::replace(&mut seen[node], true) {
                next.extend(children(document, node)?);
            }
        }
    }
    Ok((0..nodes.len()).filter(|&k| seen[k] && !nodes[k]["mesh"].is_null()).collect())
}
