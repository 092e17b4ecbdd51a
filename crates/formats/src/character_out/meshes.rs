//! Shapes put into the meshes of the file, behind the artist's own.

use super::draft::{Draft, list};
use super::shapes::{Delta, Shapes};
use rig::Part;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::ops::Range;

/// How many shapes a node shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Counts {
    pub artist: usize,
    pub ours: usize,
}

/// Gives every node that moves a mesh of its own. The first keeps the file's mesh if nobody else needs it as it is.
pub(crate) fn separate(draft: &mut Draft, moved: &[u32]) {
    let mut users: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    for (node, json) in list(&mut draft.json, "nodes").iter().enumerate() {
        if let Some(mesh) = json["mesh"].as_u64() {
            users.entry(mesh).or_default().push(node);
        }
    }
    for (mesh, nodes) in users {
        let moves = |node: &&usize| moved.iter().any(|m| *m as usize == **node);
        let moving: Vec<usize> = nodes.iter().filter(moves).copied().collect();
        let keep = usize::from(moving.len() == nodes.len());
        for &node in moving.iter().skip(keep) {
            let Some(copy) = list(&mut draft.json, "meshes").get(mesh as usize).cloned() else { continue };
            let copy = draft.push("meshes", copy);
            if let Some(node) = object(&mut draft.json, "nodes", node) {
                node.insert("mesh".into(), copy.into());
            }
        }
    }
}

/// An entry of a list, if it is what such entries are.
pub(crate) fn object<'a>(
    json: &'a mut Map<String, Value>,
    key: &str,
    index: usize,
) -> Option<&'a mut Map<String, Value>> {
    list(json, key).get_mut(index).and_then(Value::as_object_mut)
}

/// Adds shapes to the mesh of the part's node. None where the file does not have the mesh that the part came from.
pub(crate) fn add(draft: &mut Draft, part: &Part, shapes: &Shapes, names: &[String]) -> Option<Counts> {
    let mesh = object(&mut draft.json, "nodes", part.node as usize)?.get("mesh")?.as_u64()? as usize;
    let mut json = object(&mut draft.json, "meshes", mesh)?.clone();
    let ours = shapes.deltas.len();
    let artist = add_targets(draft, &mut json, part, shapes)?;
    let mut weights = json.get("weights").and_then(Value::as_array).cloned().unwrap_or_default();
    weights.resize(artist, json!(0.0));
    weights.resize(artist + ours, json!(0.0));
    json.insert("weights".into(), weights.into());
    name_targets(&mut json, artist, names);
    *object(&mut draft.json, "meshes", mesh)? = json;
    let node = object(&mut draft.json, "nodes", part.node as usize)?;
    if let Some(weights) = node.get_mut("weights").and_then(Value::as_array_mut) {
        weights.resize(artist, json!(0.0));
        weights.resize(artist + ours, json!(0.0));
    }
    Some(Counts { artist, ours })
}

/// Returns how many targets the artist has.
fn add_targets(draft: &mut Draft, mesh: &mut Map<String, Value>, part: &Part, shapes: &Shapes) -> Option<usize> {
    let primitives = mesh.get_mut("primitives")?.as_array_mut()?;
    if primitives.len() != part.primitives.len() {
        return None;
    }
    let targets = |primitive: &Value| primitive["targets"].as_array().map_or(0, Vec::len);
    let artist = primitives.iter().map(targets).max().unwrap_or(0);
    let mut done: Vec<(u64, Range<usize>, Vec<Value>)> = Vec::new();
    for (i, primitive) in primitives.iter_mut().enumerate() {
        let Some(positions) = primitive["attributes"]["POSITION"].as_u64() else { continue };
        let count = list(&mut draft.json, "accessors").get(positions as usize)?["count"].as_u64()? as usize;
        let start = part.primitives[i] as usize;
        let end = part.primitives.get(i + 1).map_or(part.surface.x.len(), |&next| next as usize);
        // Points and lines are no part of the surface: they stay.
        let range = if end.checked_sub(start)? == count { Some(start..end) } else { None };
        let same = |(other, before, _): &&(u64, Range<usize>, Vec<Value>)| {
            *other == positions
                && range
                    .as_ref()
                    .is_some_and(|r| shapes.deltas.iter().all(|d| d.get(r.clone()) == d.get(before.clone())))
        };
        let added = match done.iter().find(same) {
            Some((_, _, targets)) => targets.clone(),
            None => targets_of(draft, shapes, range.clone(), count)?,
        };
        let mut all = primitive["targets"].as_array().cloned().unwrap_or_default();
        if all.len() < artist {
            let still = json!({ "POSITION": draft.deltas(&vec![[0.0; 3]; count]) });
            all.resize(artist, still); // all primitives of a mesh must have equally many
        }
        all.extend(added.iter().cloned());
        primitive.as_object_mut()?.insert("targets".into(), all.into());
        if let Some(range) = range {
            done.push((positions, range, added));
        }
    }
    Some(artist)
}

fn targets_of(draft: &mut Draft, shapes: &Shapes, range: Option<Range<usize>>, count: usize) -> Option<Vec<Value>> {
    let still: Vec<Delta> = vec![[0.0; 3]; count];
    let mut unmoved = None; // one list of zeros serves all shapes
    let mut targets = Vec::new();
    for delta in &shapes.deltas {
        let delta = match &range {
            Some(range) => delta.get(range.clone())?,
            None => &still,
        };
        let accessor = if delta.iter().all(|d| *d == [0.0; 3]) {
            *unmoved.get_or_insert_with(|| draft.deltas(&still))
        } else {
            draft.deltas(delta)
        };
        targets.push(json!({ "POSITION": accessor }));
    }
    Some(targets)
}

/// Blender shows these names; without them it numbers the shapes, as is done here for the artist's that have none.
fn name_targets(mesh: &mut Map<String, Value>, artist: usize, names: &[String]) {
    let extras = mesh.entry("extras").or_insert_with(|| json!({}));
    let Some(extras) = extras.as_object_mut() else { return };
    let mut all = extras.get("targetNames").and_then(Value::as_array).cloned().unwrap_or_default();
    all.truncate(artist);
    all.extend((all.len()..artist).map(|k| json!(format!("target_{k}"))));
    all.extend(names.iter().map(|name| json!(name)));
    extras.insert("targetNames".into(), all.into());
}
