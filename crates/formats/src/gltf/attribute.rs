//! What is painted on vertices: colours, texture coordinates, the artist's own attributes.

use super::accessor::Reader;
use super::primitive::same_count;
use crate::FormatError;
use rig::Attribute;
use serde_json::Value;

/// Reads what is painted on a primitive of `vertices` vertices, the first of which is number `first` of the mesh.
pub(super) fn read(
    reader: &mut Reader,
    primitive: &Value,
    (first, vertices): (usize, usize),
    all: &mut Vec<Attribute>,
    mesh: &str,
) -> Result<(), FormatError> {
    let Some(attributes) = primitive["attributes"].as_object() else { return Ok(()) };
    let painted = |name: &str| name.starts_with('_') || name.starts_with("COLOR_") || name == "TEXCOORD_0";
    for (name, accessor) in attributes.iter().filter(|(name, _)| painted(name)) {
        let who = format!("{name} of {mesh}");
        let mut numbers = same_count(reader, accessor, vertices, &who)?;
        if let Some(at) = numbers.values.iter().position(|x| !x.is_finite()) {
            let vertex = at / numbers.width.max(1);
            reader.note(format!("{who} is no number at some vertices, first at {vertex}; it is 0 there"));
            numbers.values.iter_mut().filter(|x| !x.is_finite()).for_each(|x| *x = 0.0);
        }
        let known = match all.iter().position(|a| a.name == *name) {
            Some(known) => known,
            None => {
                reader.spend((first * numbers.width) as u64, &who)?;
                all.push(Attribute { name: name.clone(), width: numbers.width, values: Vec::new() });
                all.len() - 1
            }
        };
        fill(&mut all[known], first);
        // Earlier primitives may have had fewer numbers per vertex: colours without alpha.
        widen(&mut all[known], numbers.width);
        let width = all[known].width;
        let standard = standard(name);
        for vertex in numbers.values.chunks_exact(numbers.width.max(1)) {
            all[known].values.extend_from_slice(vertex);
            all[known].values.extend(std::iter::repeat_n(standard, width - vertex.len()));
        }
    }
    Ok(())
}

/// What vertices have that were not painted.
fn standard(name: &str) -> f64 {
    if name.starts_with("COLOR_") { 1.0 } else { 0.0 }
}

/// Gives the first `vertices` vertices a value where they have none.
pub(super) fn fill(attribute: &mut Attribute, vertices: usize) {
    let standard = standard(&attribute.name);
    attribute.values.resize((vertices * attribute.width).max(attribute.values.len()), standard);
}

fn widen(attribute: &mut Attribute, width: usize) {
    if width > attribute.width {
        let standard = standard(&attribute.name);
        let wide =
            |v: &[f64]| v.iter().copied().chain(std::iter::repeat_n(standard, width - v.len())).collect::<Vec<_>>();
        attribute.values = attribute.values.chunks_exact(attribute.width).flat_map(wide).collect();
        attribute.width = width;
    }
}
