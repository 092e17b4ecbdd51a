//! The input file as the beginning of the output: all that it holds, in one buffer, with its images.

use super::draft::{Draft, list};
use crate::gltf::container::Document;
use serde_json::{Value, json};

/// Larger images are left where they are [bytes].
const LARGEST: u64 = 1 << 30;

/// One white pixel as a PNG file: it stands in for images that are not there.
#[rustfmt::skip]
const WHITE: [u8; 69] = [
    137, 80, 78, 71, 13, 10, 26, 10, 0, 0, 0, 13, 73, 72, 68, 82, 0, 0, 0, 1, 0, 0, 0,
    1, 8, 2, 0, 0, 0, 144, 119, 83, 222, 0, 0, 0, 12, 73, 68, 65, 84, 120, 218, 99, 248, 255,
    255, 63, 0, 5, 254, 2, 254, 51, 18, 149, 20, 0, 0, 0, 0, 73, 69, 78, 68, 174, 66, 96, 130,
];

impl Draft {
    /// All of a file: its buffers one behind another, its images inside.
    pub fn of(document: &Document, notes: &mut Vec<String>) -> Self {
        let mut draft = Draft { json: document.json.as_object().cloned().unwrap_or_default(), bin: Vec::new() };
        let mut starts = Vec::new();
        for bytes in &document.buffers {
            draft.bin.resize(draft.bin.len().next_multiple_of(4), 0);
            starts.push(draft.bin.len());
            draft.bin.extend_from_slice(bytes);
        }
        if draft.json.contains_key("bufferViews") {
            list(&mut draft.json, "bufferViews").iter_mut().for_each(|view| move_view(view, &starts));
        }
        draft.embed_images(document, notes);
        if let Some(asset) = draft.json.get_mut("asset").and_then(Value::as_object_mut) {
            asset.insert("generator".into(), "Supple".into());
        }
        draft
    }

    fn embed_images(&mut self, document: &Document, notes: &mut Vec<String>) {
        for k in 0..document.list("images").len() {
            let uri = document.json["images"][k]["uri"].as_str().unwrap_or("data:");
            if uri.starts_with("data:") {
                continue;
            }
            let found = document.fetch(uri, LARGEST).ok().and_then(|bytes| Some((kind(&bytes)?, bytes)));
            let lost = found.is_none();
            if lost {
                notes.push(format!("the image {uri:?} is not there or is no image; a white one stands in for it"));
            }
            let (kind, bytes) = found.unwrap_or_else(|| ("image/png", WHITE.to_vec()));
            let view = self.view(bytes, None);
            if let Some(image) = super::meshes::object(&mut self.json, "images", k) {
                image.remove("uri");
                image.insert("mimeType".into(), kind.into());
                image.insert("bufferView".into(), view.into());
                if lost {
                    image.entry("name").or_insert_with(|| uri.into()); // so that the artist can find it again
                }
            }
        }
    }
}

/// Views, and compressed views, into the one buffer.
fn move_view(view: &mut Value, starts: &[usize]) {
    let start = view["buffer"].as_u64().and_then(|b| starts.get(usize::try_from(b).ok()?));
    let offset = view["byteOffset"].as_u64().unwrap_or(0);
    let (Some(&start), Some(view)) = (start, view.as_object_mut()) else { return };
    view.insert("buffer".into(), json!(0));
    view.insert("byteOffset".into(), json!(offset.saturating_add(start as u64)));
    for name in ["EXT_meshopt_compression", "KHR_meshopt_compression"] {
        if let Some(packed) = view.get_mut("extensions").and_then(|all| all.get_mut(name)) {
            move_view(packed, starts);
        }
    }
}

/// What an image is, by its first bytes.
fn kind(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        [b'D', b'D', b'S', b' ', ..] => Some("image/vnd-ms.dds"),
        [0xab, b'K', b'T', b'X', b' ', b'2', b'0', 0xbb, ..] => Some("image/ktx2"),
        _ => None,
    }
}
