//! One primitive of a mesh: its vertices, triangles and shapes.

use super::accessor::{Numbers, Reader};
use super::compressed;
use super::container::whole;
use crate::FormatError;
use math::Vect;
use serde_json::Value;

/// What is read of a primitive before it joins the others of its mesh.
#[derive(Default)]
pub(super) struct Primitive {
    pub x: Vec<Vect<3>>,
    /// vertices counted from the primitive's first
    pub triangles: Vec<[u32; 3]>,
    /// what each shape adds to each vertex
    pub deltas: Vec<Vec<Vect<3>>>,
}

/// Reads a primitive of `mesh`; none where it shows points or lines.
pub(super) fn read(reader: &mut Reader, primitive: &Value, mesh: &str) -> Result<Option<Primitive>, FormatError> {
    let document = reader.document;
    let mode = if primitive["mode"].is_null() { Some(4) } else { whole(&primitive["mode"]) };
    match mode {
        Some(0..=3) => {
            reader.note(format!("{mesh} has points or lines; they were left out"));
            return Ok(None);
        }
        Some(4..=6) => {}
        _ => return Err(document.malformed(format!("{mesh} is made of an unknown kind of face"))),
    }
    let position = &primitive["attributes"]["POSITION"];
    if position.is_null() {
        reader.note(format!("{mesh} has a piece without positions; it was left out"));
        return Ok(None);
    }
    let draco = primitive["extensions"].as_object().is_some_and(|e| e.keys().any(|k| k.contains("draco")));
    let accessor = whole(position).and_then(|k| document.list("accessors").get(k as usize));
    if draco && accessor.is_some_and(|a| a["bufferView"].is_null()) {
        return Err(compressed(document));
    }
    let numbers = reader.numbers(position, &format!("POSITION of {mesh}"))?;
    let x = numbers.vectors().ok_or_else(|| document.malformed(format!("positions of {mesh} are not in space")))?;
    if let Some(vertex) = x.iter().position(|x| x.iter().any(|x| !x.is_finite())) {
        let what = format!("vertex {vertex} of {mesh} has no position: it is {:?}", x[vertex].as_slice());
        return Err(document.malformed(what));
    }
    if x.len() >= 1 << 31 {
        return Err(document.malformed(format!("{mesh} has too many vertices")));
    }
    let triangles = triangles(reader, primitive, mode.unwrap_or(4), x.len(), mesh)?;
    let deltas = deltas(reader, primitive, x.len(), mesh)?;
    Ok(Some(Primitive { x, triangles, deltas }))
}

fn triangles(
    reader: &mut Reader,
    primitive: &Value,
    mode: u64,
    vertices: usize,
    mesh: &str,
) -> Result<Vec<[u32; 3]>, FormatError> {
    let document = reader.document;
    let corners: Vec<u32> = if primitive["indices"].is_null() {
        (0..vertices as u32).collect()
    } else {
        let numbers = reader.numbers(&primitive["indices"], &format!("the list of triangles of {mesh}"))?;
        let wrong = || document.malformed(format!("the triangles of {mesh} name no vertices"));
        numbers.indices().filter(|_| numbers.width == 1).ok_or_else(wrong)?
    };
    if let Some(at) = corners.iter().position(|&v| v as usize >= vertices) {
        let triangle = if mode == 4 { at / 3 } else { at.saturating_sub(2) };
        let vertex = corners[at];
        let what = format!("triangle {triangle} of {mesh} asks for vertex {vertex}, but there are only {vertices}");
        return Err(document.malformed(what));
    }
    let real = |t: &[u32; 3]| t[0] != t[1] && t[1] != t[2] && t[2] != t[0];
    Ok(match mode {
        // Strips turn corners by triangles without area.
        5 => {
            let odd = |k: usize, w: &[u32]| if k.is_multiple_of(2) { [w[0], w[1], w[2]] } else { [w[1], w[0], w[2]] };
            corners.windows(3).enumerate().map(|(k, w)| odd(k, w)).filter(real).collect()
        }
        6 => {
            let around = corners.get(1..).unwrap_or_default();
            around.windows(2).map(|w| [corners[0], w[0], w[1]]).filter(real).collect()
        }
        _ => {
            if !corners.len().is_multiple_of(3) {
                reader.note(format!("the last triangle of {mesh} lacks corners; it was left out"));
            }
            corners.chunks_exact(3).map(|t| [t[0], t[1], t[2]]).collect()
        }
    })
}

fn deltas(
    reader: &mut Reader,
    primitive: &Value,
    vertices: usize,
    mesh: &str,
) -> Result<Vec<Vec<Vect<3>>>, FormatError> {
    let document = reader.document;
    let mut all = Vec::new();
    for (k, target) in primitive["targets"].as_array().map_or(&[][..], Vec::as_slice).iter().enumerate() {
        let who = format!("shape {k} of {mesh}");
        if target["POSITION"].is_null() {
            reader.spend(3 * vertices as u64, &who)?;
            all.push(vec![Vect::zeros(); vertices]);
            continue;
        }
        let numbers = same_count(reader, &target["POSITION"], vertices, &who)?;
        let wrong = || document.malformed(format!("{who} does not move its vertices in space"));
        let mut delta = numbers.vectors().ok_or_else(wrong)?;
        let mut mended = 0;
        for d in delta.iter_mut().filter(|d| d.iter().any(|x| !x.is_finite())) {
            *d = Vect::zeros();
            mended += 1;
        }
        if mended > 0 {
            reader.note(format!("{mended} vertices of {who} go nowhere: their numbers are none; they stay in place"));
        }
        all.push(delta);
    }
    Ok(all)
}

/// The numbers of an accessor that must have one element for each vertex.
pub(super) fn same_count(
    reader: &mut Reader,
    accessor: &Value,
    vertices: usize,
    who: &str,
) -> Result<Numbers, FormatError> {
    let numbers = reader.numbers(accessor, who)?;
    if numbers.count != vertices {
        let found = numbers.count;
        return Err(reader.document.malformed(format!("{who} is for {found} vertices, but there are {vertices}")));
    }
    Ok(numbers)
}
