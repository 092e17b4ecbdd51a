//! Meshes, and the parts of a character that show them.

use super::accessor::Reader;
use super::container::whole;
use super::skin::{Influences, bind};
use super::{attribute, called, index, name_of, primitive};
use crate::FormatError;
use math::Vect;
use mesh::Surface;
use rig::{Part, Shape};
use serde_json::Value;
use std::collections::BTreeMap;

/// A mesh of the file, with all its primitives one after the other; as a part that hangs on no node yet.
struct Mesh {
    part: Part,
    /// which joints move which vertex; none: it is not made for a skin
    influences: Option<Influences>,
}

/// A part for each of these nodes.
pub(super) fn parts(reader: &mut Reader, shown: &[usize]) -> Result<Vec<Part>, FormatError> {
    let document = reader.document;
    let mut meshes: BTreeMap<usize, Mesh> = BTreeMap::new();
    let mut parts = Vec::new();
    for &node in shown {
        let who = called("the node", document, "nodes", node);
        let entry = &document.list("nodes")[node];
        let Some(which) = index(&entry["mesh"], "meshes", document, &who)? else { continue };
        if let std::collections::btree_map::Entry::Vacant(place) = meshes.entry(which) {
            place.insert(read(reader, which)?);
        }
        let Some(mesh) = meshes.get(&which) else { continue };
        reader.spend(size(mesh), &who)?;
        let mut part = Part { node: node as u32, ..mesh.part.clone() };
        if part.name.is_empty() {
            part.name = name_of(entry);
        }
        if let Some(weights) = weights(&entry["weights"], part.shapes.len()) {
            part.shape_weights = weights;
        }
        part.skin = bind(reader, entry, node, mesh.influences.as_ref(), &part.name)?;
        parts.push(part);
    }
    Ok(parts)
}

/// How many numbers a copy of a mesh takes.
fn size(mesh: &Mesh) -> u64 {
    let part = &mesh.part;
    let painted: usize = part.attributes.iter().map(|a| a.values.len()).sum();
    let influences = mesh.influences.as_ref().map_or(0, |i| 2 * i.weight.len());
    (3 * part.surface.x.len() * (1 + part.shapes.len()) + 2 * part.surface.triangles.len() + painted + influences)
        as u64
}

fn weights(list: &Value, shapes: usize) -> Option<Vec<f64>> {
    let mut weights: Vec<f64> = list.as_array()?.iter().map(|w| w.as_f64().unwrap_or(0.0)).collect();
    weights.resize(shapes, 0.0);
    Some(weights)
}

fn read(reader: &mut Reader, which: usize) -> Result<Mesh, FormatError> {
    let document = reader.document;
    let mesh = &document.list("meshes")[which];
    let who = called("the mesh", document, "meshes", which);
    let primitives = mesh["primitives"].as_array().map_or(&[][..], Vec::as_slice);
    let (mut surface, mut firsts, mut attributes) = (Surface::default(), Vec::new(), Vec::new());
    let mut shapes: Vec<Vec<Vect<3>>> = Vec::new();
    let mut influences = Influences::default();
    for entry in primitives {
        let first = surface.x.len();
        firsts.push(first as u32);
        let Some(piece) = primitive::read(reader, entry, &who)? else { continue };
        let vertices = piece.x.len();
        if first + vertices >= 1 << 31 {
            return Err(document.malformed(format!("{who} has too many vertices")));
        }
        attribute::read(reader, entry, (first, vertices), &mut attributes, &who)?;
        influences.read(reader, entry, vertices, &who)?;
        surface.x.extend(piece.x);
        surface.triangles.extend(piece.triangles.iter().map(|t| t.map(|v| v + first as u32)));
        if first > 0 && piece.deltas.len() != shapes.len() {
            reader
                .note(format!("the pieces of {who} have different shapes; a piece stays in place where it lacks one"));
        }
        let count = shapes.len().max(piece.deltas.len());
        reader.spend(3 * (count * surface.x.len()) as u64, &who)?;
        shapes.resize(count, Vec::new());
        for (k, shape) in shapes.iter_mut().enumerate() {
            shape.resize(first, Vect::zeros());
            shape.extend_from_slice(piece.deltas.get(k).map_or(&[], Vec::as_slice));
            shape.resize(first + vertices, Vect::zeros());
        }
    }
    attributes.iter_mut().for_each(|a| attribute::fill(a, surface.x.len()));
    if surface.triangles.is_empty() {
        reader.note(format!("{who} shows no triangles"));
    }
    let shapes = named(shapes, mesh, primitives);
    let shape_weights = weights(&mesh["weights"], shapes.len()).unwrap_or_else(|| vec![0.0; shapes.len()]);
    let part = Part {
        name: name_of(mesh),
        node: 0,
        surface,
        primitives: firsts,
        shapes,
        shape_weights,
        skin: None,
        attributes,
    };
    Ok(Mesh { part, influences: influences.finish(reader, &who) })
}

/// The shapes with their names, which writers put beside the mesh or beside its first primitive.
fn named(shapes: Vec<Vec<Vect<3>>>, mesh: &Value, primitives: &[Value]) -> Vec<Shape> {
    let beside = [Some(mesh), primitives.first()];
    let names = beside.iter().flatten().find_map(|entry| entry["extras"]["targetNames"].as_array());
    let name = |k: usize| names.and_then(|n| n.get(k)?.as_str()).unwrap_or_default().to_string();
    shapes.into_iter().enumerate().map(|(k, delta)| Shape { name: name(k), delta }).collect()
}

/// How many shapes the mesh at a node has, whether shown or not.
pub(super) fn shape_count(reader: &Reader, node: usize) -> usize {
    let nodes = reader.document.list("nodes");
    let mesh = whole(&nodes[node]["mesh"]).and_then(|k| reader.document.list("meshes").get(k as usize));
    let primitives = mesh.and_then(|m| m["primitives"].as_array()).map_or(&[][..], Vec::as_slice);
    primitives.iter().map(|p| p["targets"].as_array().map_or(0, Vec::len)).max().unwrap_or(0)
}
