//! glTF 2.0 characters in: `.glb`, `.gltf` with its files, `.gltf` with data in the text.
//!
//! The description is read as plain JSON and not through a model of it, so that nothing of it is lost on the way to the
//! writer and a damaged file can be told about in the artist's words.

mod accessor;
mod animation;
mod attribute;
pub(crate) mod container;
mod mesh;
mod primitive;
mod scene;
mod skin;
mod uri;

use crate::{FormatError, Place};
use accessor::Reader;
use container::Document;
use math::{Mat, Vect};
use rig::{Affine, Character};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Reads a character from a `.glb` or `.gltf`: nodes, the meshes that its scene shows, skins, shapes, clips.
pub fn read_gltf(file: impl AsRef<Path>) -> Result<Character, FormatError> {
    character(&Document::open(file)?)
}

/// The character of a file that is open.
pub(crate) fn character(document: &Document) -> Result<Character, FormatError> {
    check_extensions(document)?;
    let mut reader = Reader::new(document);
    let nodes = scene::nodes(document)?;
    let shown = scene::shown(document)?;
    let parts = mesh::parts(&mut reader, &shown)?;
    if parts.is_empty() {
        reader.note("the scene shows no mesh".into());
    }
    let clips = animation::clips(&mut reader, &parts)?;
    let character = Character { nodes, parts, clips, world_from_file: world_from_file(), notes: reader.notes };
    check_size(&character, document)?;
    Ok(character)
}

/// At rest, everything is somewhere: no product of scales has left the range of numbers.
fn check_size(character: &Character, document: &Document) -> Result<(), FormatError> {
    let rest = character.rest_pose();
    if let Some(node) = rest.world_from_node.iter().position(|map| !map.is_finite()) {
        let node = called("the node", document, "nodes", node);
        return Err(document.malformed(format!("{node} is too large or too far away to compute with")));
    }
    for (k, part) in character.parts.iter().enumerate() {
        if character.posed(&rest, k).iter().any(|x| x.iter().any(|x| !x.is_finite())) {
            return Err(document.malformed(format!("the mesh {:?} is too large to compute with", part.name)));
        }
    }
    Ok(())
}

/// The numbers of an accessor, for the writer, which keeps them.
pub(crate) fn numbers(document: &Document, accessor: usize) -> Result<Vec<f64>, FormatError> {
    Ok(Reader::new(document).numbers(&accessor.into(), &format!("list {accessor} of numbers"))?.values)
}

/// glTF has y up and metres, the world has z up and metres.
fn world_from_file() -> Affine<3> {
    Affine { R: Mat::<3>::new(1.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 1.0, 0.0), t: Vect::zeros() }
}

/// What a file may require without our being wrong to show it: these change how it looks, not how it moves.
const HARMLESS: [&str; 9] = [
    "KHR_materials_",
    "KHR_texture_",
    "EXT_texture_",
    "MSFT_texture_",
    "KHR_lights_",
    "EXT_lights_",
    "KHR_xmp",
    "KHR_mesh_quantization", // read by the accessors
    "KHR_node_visibility",
];

/// A file that requires what we cannot read is refused.
fn check_extensions(document: &Document) -> Result<(), FormatError> {
    for name in document.list("extensionsRequired").iter().filter_map(Value::as_str) {
        if name.contains("draco") || name.contains("meshopt") {
            return Err(compressed(document));
        }
        if !HARMLESS.iter().any(|harmless| name.starts_with(harmless)) {
            let name: String = name.chars().take(60).collect();
            return Err(FormatError::Unsupported {
                what: format!("the extension {name:?}"),
                remedy: "Export it without that extension.".into(),
                place: Place::Unknown,
                file: document.file.clone(),
            });
        }
    }
    Ok(())
}

fn compressed(document: &Document) -> FormatError {
    FormatError::Unsupported {
        what: "compressed meshes".into(),
        remedy: "Export it again without compression: in Blender's glTF export, leave Data > Compression unticked."
            .into(),
        place: Place::Unknown,
        file: document.file.clone(),
    }
}

/// What to call an entry of a list of the file: by its name, else by its number.
fn called(kind: &str, document: &Document, list: &str, index: usize) -> String {
    match document.list(list).get(index).and_then(|entry| entry["name"].as_str()) {
        Some(name) if !name.is_empty() => format!("{kind} {:?}", name.chars().take(80).collect::<String>()),
        _ => format!("{kind} {index}"),
    }
}

/// The artist's name of an entry; may be empty.
fn name_of(entry: &Value) -> String {
    entry["name"].as_str().unwrap_or_default().to_string()
}

/// The number that an entry gives of another one, such as its mesh; an error where there is no such one.
fn index(value: &Value, list: &str, document: &Document, who: &str) -> Result<Option<usize>, FormatError> {
    if value.is_null() {
        return Ok(None);
    }
    let count = document.list(list).len();
    match container::whole(value).and_then(|k| usize::try_from(k).ok()).filter(|&k| k < count) {
        Some(k) => Ok(Some(k)),
        None => {
            let asked: String = value.to_string().chars().take(30).collect();
            Err(document
                .malformed(format!("{who} asks for number {asked} of the file's {list}, but there are {count}")))
        }
    }
}

/// The files that a `.gltf` needs besides itself for its numbers.
pub fn gltf_files(file: impl AsRef<Path>) -> Result<Vec<PathBuf>, FormatError> {
    let file = file.as_ref();
    if !file.extension().is_some_and(|e| e.eq_ignore_ascii_case("gltf")) {
        return Ok(vec![]);
    }
    let document = Document::open(file)?;
    let folder = file.parent().unwrap_or(Path::new(""));
    let uris = document.list("buffers").iter().filter_map(|buffer| buffer["uri"].as_str());
    let named = uris.filter_map(|uri| match uri::Uri::parse(uri) {
        uri::Uri::File(name) => Some(folder.join(name)),
        _ => None,
    });
    Ok(named.collect())
}
