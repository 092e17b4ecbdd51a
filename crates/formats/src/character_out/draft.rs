//! A `.glb` being put together: its description, and its numbers.

use super::shapes::Delta;
use crate::FormatError;
use crate::save::save;
use serde_json::{Map, Value, json};
use std::path::Path;

/// glTF's numbers for kinds of components and uses of numbers.
pub(crate) const U16: u32 = 5123;
pub(crate) const U32: u32 = 5125;
pub(crate) const F32: u32 = 5126;
pub(crate) const VERTICES: Option<u32> = Some(34962);
pub(crate) const INDICES: Option<u32> = Some(34963);

/// The description and the numbers it describes, all in one buffer.
#[derive(Debug)]
pub(crate) struct Draft {
    /// an object
    pub json: Map<String, Value>,
    pub bin: Vec<u8>,
}

/// A list of the description, made if it is not there.
pub(crate) fn list<'a>(json: &'a mut Map<String, Value>, key: &str) -> &'a mut Vec<Value> {
    let value = json.entry(key).or_insert_with(|| json!([]));
    if !value.is_array() {
        *value = json!([]);
    }
    match value {
        Value::Array(list) => list,
        _ => unreachable!("it was just made one"),
    }
}

impl Draft {
    /// Adds an entry to a list of the description; its place.
    pub fn push(&mut self, key: &str, value: Value) -> usize {
        let list = list(&mut self.json, key);
        list.push(value);
        list.len() - 1
    }

    /// Adds bytes, at a multiple of four; their view.
    pub fn view(&mut self, bytes: impl IntoIterator<Item = u8>, target: Option<u32>) -> usize {
        self.bin.resize(self.bin.len().next_multiple_of(4), 0);
        let start = self.bin.len();
        self.bin.extend(bytes);
        let mut view = json!({ "buffer": 0, "byteOffset": start, "byteLength": self.bin.len() - start });
        if let Some(target) = target {
            view["target"] = target.into();
        }
        self.push("bufferViews", view)
    }

    fn accessor(&mut self, view: usize, count: usize, component: u32, shape: &str) -> usize {
        self.push("accessors", json!({ "bufferView": view, "componentType": component, "count": count, "type": shape }))
    }

    /// Positions, normals or what is added to them, with their least and greatest.
    pub fn vectors(&mut self, vectors: &[Delta]) -> usize {
        let view = self.view(vectors.as_flattened().iter().flat_map(|x| x.to_le_bytes()), VERTICES);
        let (least, greatest) = extremes(vectors);
        let accessor = json!({ "bufferView": view, "componentType": F32, "count": vectors.len(), "type": "VEC3",
                               "min": least, "max": greatest });
        self.push("accessors", accessor)
    }

    /// What a shape adds: only the vertices that move, where those are few.
    pub fn deltas(&mut self, deltas: &[Delta]) -> usize {
        let mut moved: Vec<usize> = (0..deltas.len()).filter(|&v| deltas[v] != [0.0; 3]).collect();
        if moved.is_empty() && !deltas.is_empty() {
            moved.push(0); // a sparse list must not be empty
        }
        let narrow = deltas.len() <= usize::from(u16::MAX);
        let width = if narrow { 2 } else { 4 };
        // Two views more to describe: about 200 bytes.
        if (12 + width) * moved.len() + 200 >= 12 * deltas.len() {
            return self.vectors(deltas);
        }
        let indices = self.view(moved.iter().flat_map(|&v| (v as u32).to_le_bytes().into_iter().take(width)), None);
        let values = moved.iter().flat_map(|&v| deltas[v]).flat_map(f32::to_le_bytes).collect::<Vec<_>>();
        let values = self.view(values, None);
        let (least, greatest) = extremes(deltas);
        self.push(
            "accessors",
            json!({
                "componentType": F32, "count": deltas.len(), "type": "VEC3", "min": least, "max": greatest,
                "sparse": {
                    "count": moved.len(),
                    "indices": { "bufferView": indices, "componentType": if narrow { U16 } else { U32 } },
                    "values": { "bufferView": values },
                },
            }),
        )
    }

    /// Numbers that belong to no vertices, `width` at a time.
    pub fn floats(&mut self, numbers: &[f32], shape: &str) -> usize {
        let width = match shape {
            "VEC2" => 2,
            "VEC3" => 3,
            "VEC4" => 4,
            _ => 1,
        };
        let view = self.view(numbers.iter().flat_map(|x| x.to_le_bytes()), None);
        self.accessor(view, numbers.len() / width, F32, shape)
    }

    /// Numbers of each vertex.
    pub fn attribute(&mut self, bytes: Vec<u8>, count: usize, component: u32, shape: &str) -> usize {
        let view = self.view(bytes, VERTICES);
        self.accessor(view, count, component, shape)
    }

    /// Vertices of triangles.
    pub fn indices(&mut self, indices: &[u32]) -> usize {
        let view = self.view(indices.iter().flat_map(|v| v.to_le_bytes()), INDICES);
        self.accessor(view, indices.len(), U32, "SCALAR")
    }

    /// Times of keys [s].
    pub fn times(&mut self, times: &[f32]) -> usize {
        let index = self.floats(times, "SCALAR");
        if let (Some(&first), Some(&last)) = (times.first(), times.last()) {
            let accessor = &mut list(&mut self.json, "accessors")[index];
            accessor["min"] = json!([f64::from(first)]);
            accessor["max"] = json!([f64::from(last)]);
        }
        index
    }

    /// Writes it, whole or not at all.
    pub fn save(mut self, file: &Path) -> Result<(), FormatError> {
        let unwritable = |reason: String| FormatError::Unwritable { reason, file: file.into() };
        self.bin.resize(self.bin.len().next_multiple_of(4), 0);
        let length = self.bin.len();
        let buffers = list(&mut self.json, "buffers");
        // Whatever the first buffer is called stays; the others are in it.
        buffers.truncate(1);
        match buffers.first_mut().and_then(Value::as_object_mut) {
            Some(buffer) => {
                buffer.remove("uri");
                buffer.insert("byteLength".into(), length.into());
            }
            None => *buffers = vec![json!({ "byteLength": length })],
        }
        if length == 0 {
            self.json.remove("buffers");
        }
        let mut text = serde_json::to_vec(&self.json).map_err(|error| unwritable(error.to_string()))?;
        text.resize(text.len().next_multiple_of(4), b' ');
        let total = u32::try_from(12 + 8 + text.len() + 8 + length).map_err(|_| {
            unwritable("a .glb cannot be larger than 4 GB; export fewer frames, or principal shapes".into())
        })?;
        save(file, |out| {
            out.write_all(b"glTF")?;
            for number in [2, total, text.len() as u32] {
                out.write_all(&number.to_le_bytes())?;
            }
            out.write_all(b"JSON")?;
            out.write_all(&text)?;
            out.write_all(&(length as u32).to_le_bytes())?;
            out.write_all(b"BIN\0")?;
            out.write_all(&self.bin)
        })
    }
}

/// The least and greatest along each axis; exactly the numbers in the file.
fn extremes(vectors: &[Delta]) -> ([f64; 3], [f64; 3]) {
    let along =
        |i: usize, pick: fn(f32, f32) -> f32| f64::from(vectors.iter().map(|v| v[i]).reduce(pick).unwrap_or(0.0));
    ([0, 1, 2].map(|i| along(i, f32::min)), [0, 1, 2].map(|i| along(i, f32::max)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn empty() -> Draft {
        Draft { json: Map::new(), bin: vec![] }
    }

    #[test]
    fn few_moving_vertices_are_stored_sparse_and_many_are_not() {
        let mut deltas = vec![[0.0; 3]; 100];
        deltas[7] = [1.0, -2.0, 0.5];
        let mut draft = empty();
        let sparse = draft.deltas(&deltas);
        let accessor = &draft.json["accessors"][sparse];
        assert_eq!(accessor["sparse"]["count"], 1);
        assert_eq!((&accessor["min"], &accessor["max"]), (&json!([0.0, -2.0, 0.0]), &json!([1.0, 0.0, 0.5])));
        assert_eq!(draft.bin[..2], 7u16.to_le_bytes());
        assert_eq!(draft.bin.len(), 4 + 12);
        let dense = draft.deltas(&vec![[1.0; 3]; 100]);
        assert!(draft.json["accessors"][dense]["sparse"].is_null());
    }

    #[test]
    fn a_shape_without_movement_is_one_vertex_that_stays() {
        let mut draft = empty();
        let index = draft.deltas(&vec![[0.0; 3]; 70_000]);
        assert_eq!(draft.json["accessors"][index]["sparse"]["count"], 1);
        assert_eq!(draft.json["accessors"][index]["sparse"]["indices"]["componentType"], U32);
    }
}
