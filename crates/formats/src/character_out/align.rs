//! Numbers that do not start where glTF wants them are moved there.

use super::draft::{Draft, VERTICES, list};
use super::meshes::object;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Every number must start at a multiple of its size, every vertex at a multiple of four bytes. Lists that do not are
/// copied to the end, where they do.
pub(crate) fn align(draft: &mut Draft, notes: &mut Vec<String>) {
    let attributes = attributes(draft);
    for k in 0..draft.json.get("accessors").and_then(Value::as_array).map_or(0, Vec::len) {
        let is_attribute = attributes.contains(&(k as u64));
        let Some((bytes, stride, size)) = misplaced(draft, k, is_attribute) else { continue };
        let view = draft.view(bytes, if is_attribute { VERTICES } else { None });
        if is_attribute && stride != size {
            list(&mut draft.json, "bufferViews")[view]["byteStride"] = json!(stride);
        }
        if let Some(accessor) = object(&mut draft.json, "accessors", k) {
            accessor.insert("bufferView".into(), view.into());
            accessor.remove("byteOffset");
        }
        notes.push(format!("list {k} of numbers was not where readers want it; it was moved"));
    }
}

/// The accessors that vertices have.
fn attributes(draft: &Draft) -> BTreeSet<u64> {
    let meshes = draft.json.get("meshes").and_then(Value::as_array).into_iter().flatten();
    let primitives = meshes.flat_map(|mesh| mesh["primitives"].as_array().into_iter().flatten());
    let sets = primitives.flat_map(|p| {
        let targets = p["targets"].as_array().into_iter().flatten();
        std::iter::once(&p["attributes"]).chain(targets)
    });
    sets.flat_map(|set| set.as_object().into_iter().flat_map(|set| set.values())).filter_map(Value::as_u64).collect()
}

/// The bytes of a list that is not where it should be, set right, with their stride and the size of an element; none
/// where all is well or the file does not hold them.
fn misplaced(draft: &Draft, accessor: usize, is_attribute: bool) -> Option<(Vec<u8>, usize, usize)> {
    let accessor = draft.json.get("accessors")?.get(accessor)?;
    let number = |value: &Value| if value.is_null() { Some(0) } else { usize::try_from(value.as_u64()?).ok() };
    let component = match accessor["componentType"].as_u64()? {
        5120 | 5121 => 1,
        5122 | 5123 => 2,
        _ => 4,
    };
    let width = match accessor["type"].as_str()? {
        "SCALAR" => 1,
        "VEC2" => 2,
        "VEC3" => 3,
        "VEC4" => 4,
        "MAT4" if component == 4 => 16,
        _ => return None,
    };
    let view = draft
        .json
        .get("bufferViews")?
        .get(number(&accessor["bufferView"]).filter(|_| !accessor["bufferView"].is_null())?)?;
    let (inner, outer) = (number(&accessor["byteOffset"])?, number(&view["byteOffset"])?);
    let size = component * width;
    let stride = number(&view["byteStride"])?;
    let stride = if stride == 0 { size } else { stride };
    let unit = if is_attribute { 4 } else { component };
    let start = outer.checked_add(inner)?;
    if [start, inner, stride].iter().all(|place| place.is_multiple_of(unit)) {
        return None;
    }
    let count = number(&accessor["count"])?;
    let last = count.checked_sub(1)?.checked_mul(stride)?.checked_add(size)?;
    let source = draft.bin.get(start..start.checked_add(last)?)?;
    let padded = if is_attribute { size.next_multiple_of(4) } else { size };
    let mut bytes = Vec::with_capacity(count.checked_mul(padded)?);
    for k in 0..count {
        bytes.extend_from_slice(&source[k * stride..k * stride + size]);
        bytes.resize((k + 1) * padded, 0);
    }
    Some((bytes, padded, size))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_that_start_anywhere_are_moved_to_multiples_of_four() {
        let json = json!({
            "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0, "COLOR_0": 1 } }] }],
            "accessors": [
                { "bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 1 },
                { "bufferView": 1, "componentType": 5121, "type": "VEC3", "count": 2 },
                { "bufferView": 2, "componentType": 5126, "type": "SCALAR", "count": 1 },
            ],
            "bufferViews": [
                { "buffer": 0, "byteOffset": 1, "byteLength": 12 },
                { "buffer": 0, "byteOffset": 0, "byteLength": 6 },
                { "buffer": 0, "byteOffset": 4, "byteLength": 4 },
            ],
        });
        let mut draft = Draft { json: json.as_object().unwrap().clone(), bin: (0..13).collect() };
        let mut notes = Vec::new();
        align(&mut draft, &mut notes);
        assert_eq!(notes.len(), 2);
        let place = |k: usize| draft.json["bufferViews"][k]["byteOffset"].as_u64().unwrap() as usize;
        assert_eq!(draft.json["accessors"][0]["bufferView"], 3);
        assert_eq!(draft.bin[place(3)..place(3) + 12], (1..13).collect::<Vec<u8>>());
        assert_eq!(draft.json["bufferViews"][4]["byteStride"], 4);
        assert_eq!(draft.bin[place(4)..place(4) + 8], [0, 1, 2, 0, 3, 4, 5, 0]);
        assert_eq!(draft.json["accessors"][2]["bufferView"], 2, "what is well stays");
        let before = draft.bin.clone();
        align(&mut draft, &mut notes);
        assert_eq!((draft.bin, notes.len()), (before, 2), "once is enough");
    }
}
