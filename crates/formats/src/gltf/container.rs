//! The file around a glTF scene: `.glb`, or `.gltf` with the files and data that it names.

use super::uri::Uri;
use crate::load::{open, unreadable};
use crate::{FormatError, Place};
use serde_json::Value;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// All that a glTF file holds: its description, whatever may be in it, and its numbers.
#[derive(Clone, Debug)]
pub(crate) struct Document {
    /// where it came from
    pub file: PathBuf,
    /// the description
    pub json: Value,
    /// the bytes of each of the description's `buffers`; empty where a buffer names no data
    pub buffers: Vec<Vec<u8>>,
}

const JSON: u32 = u32::from_le_bytes(*b"JSON");
const BIN: u32 = u32::from_le_bytes(*b"BIN\0");

impl Document {
    /// Reads a `.glb` or `.gltf`, told apart by their first bytes, with all buffers.
    pub fn open(file: impl AsRef<Path>) -> Result<Self, FormatError> {
        let file = file.as_ref();
        let (mut source, length) = open(file)?;
        let mut magic = [0; 4];
        let is_glb = length >= 4 && source.read_exact(&mut magic).is_ok() && &magic == b"glTF";
        source.rewind().map_err(|error| unreadable(error, file))?;
        let (json, bin) = if is_glb { glb(source, length, file)? } else { (text(source, file)?, None) };
        let mut document = Document { file: file.into(), json, buffers: Vec::new() };
        document.check()?;
        document.buffers = document.load_buffers(bin)?;
        Ok(document)
    }

    /// The entries of a list of the description, such as `nodes`; none where there is no such list.
    pub fn list(&self, key: &str) -> &[Value] {
        self.json[key].as_array().map_or(&[], Vec::as_slice)
    }

    /// Something in the description is not as it must be.
    pub fn malformed(&self, what: impl Into<String>) -> FormatError {
        FormatError::malformed(what, Place::Unknown, &self.file)
    }

    /// The bytes behind a URI: of a buffer, of an image. At most `limit` of them are read.
    pub fn fetch(&self, uri: &str, limit: u64) -> Result<Vec<u8>, FormatError> {
        let short: String = uri.chars().take(60).collect();
        match Uri::parse(uri) {
            Uri::Data(mut bytes) => {
                bytes.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
                Ok(bytes)
            }
            Uri::File(name) => {
                let path = self.file.parent().unwrap_or(Path::new("")).join(&name);
                let (source, _) = open(&path).map_err(|error| match error {
                    FormatError::Missing { .. } => FormatError::MissingPiece { name, file: self.file.clone() },
                    other => other,
                })?;
                let mut bytes = Vec::new();
                source.take(limit).read_to_end(&mut bytes).map_err(|error| unreadable(error, &path))?;
                Ok(bytes)
            }
            Uri::Elsewhere => Err(FormatError::Unsupported {
                what: format!("a link to {short:?}"),
                remedy: "Put that file beside this one, or export as .glb, which is one file.".into(),
                place: Place::Unknown,
                file: self.file.clone(),
            }),
            Uri::Broken => Err(self.malformed(format!("the data that begin with {short:?} are not base64"))),
        }
    }

    /// It is glTF 2.
    fn check(&self) -> Result<(), FormatError> {
        let version = self.json["asset"]["version"].as_str().unwrap_or_default();
        match version.split('.').next() {
            Some("2") => Ok(()),
            Some("") | None => Err(self.malformed("the file does not say which version of glTF it is")),
            _ => Err(self.old(&version.chars().take(20).collect::<String>())),
        }
    }

    fn old(&self, version: &str) -> FormatError {
        old(version, &self.file)
    }

    fn load_buffers(&self, mut bin: Option<Vec<u8>>) -> Result<Vec<Vec<u8>>, FormatError> {
        let mut all = Vec::new();
        for (k, buffer) in self.list("buffers").iter().enumerate() {
            let promised = match &buffer["byteLength"] {
                Value::Null => None,
                length => Some(whole(length).ok_or_else(|| self.malformed(format!("buffer {k} has no length")))?),
            };
            let limit = promised.unwrap_or(u64::MAX);
            let mut bytes = match buffer["uri"].as_str() {
                Some(uri) => self.fetch(uri, limit)?,
                None if k == 0 && bin.is_some() => bin.take().unwrap_or_default(),
                None => {
                    all.push(Vec::new()); // whoever needs its numbers will say that they are not there
                    continue;
                }
            };
            let found = bytes.len() as u64;
            if found < limit && promised.is_some() {
                let file = self.file.clone();
                return Err(FormatError::EndsEarly { what: "bytes of numbers", promised: limit, found, file });
            }
            bytes.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
            all.push(bytes);
        }
        Ok(all)
    }
}

/// A number that counts something; some writers put 3.0 for 3.
pub(crate) fn whole(value: &Value) -> Option<u64> {
    let rounded = |x: f64| ((0.0..9e15).contains(&x) && x.fract() == 0.0).then_some(x as u64);
    value.as_u64().or_else(|| value.as_f64().and_then(rounded))
}

fn old(version: &str, file: &Path) -> FormatError {
    FormatError::Unsupported {
        what: format!("glTF of version {version:?}"),
        remedy: "Export it as glTF 2.0.".into(),
        place: Place::Unknown,
        file: file.into(),
    }
}

fn not_json(error: serde_json::Error, file: &Path) -> FormatError {
    match error.is_io() {
        true => FormatError::Unreadable { reason: error.to_string(), file: file.into() },
        false => {
            FormatError::malformed(format!("the description of the scene breaks off: {error}"), Place::Unknown, file)
        }
    }
}

/// The description of a `.gltf`.
fn text(source: File, file: &Path) -> Result<Value, FormatError> {
    let mut source = BufReader::with_capacity(1 << 16, source);
    let start = source.fill_buf().map_err(|error| unreadable(error, file))?;
    let mark = if start.starts_with("\u{feff}".as_bytes()) { 3 } else { 0 };
    // A large file that is none of ours is refused before it is read.
    if start[mark..].iter().find(|c| !c.is_ascii_whitespace()) != Some(&b'{') {
        return Err(FormatError::malformed("this is not a glTF file", Place::Byte(0), file));
    }
    source.consume(mark);
    serde_json::from_reader(source).map_err(|error| not_json(error, file))
}

/// The description and the first binary chunk of a `.glb`. Nothing is read before its length is known to be there.
fn glb(mut source: File, length: u64, file: &Path) -> Result<(Value, Option<Vec<u8>>), FormatError> {
    let ends = |promised: u64| FormatError::EndsEarly { what: "bytes", promised, found: length, file: file.into() };
    let words = |source: &mut File, at: u64| -> Result<[u32; 2], FormatError> {
        let mut bytes = [0; 8];
        source.seek(SeekFrom::Start(at)).map_err(|error| unreadable(error, file))?;
        source.read_exact(&mut bytes).map_err(|_| ends(at + 8))?;
        let [a, b, c, d, e, f, g, h] = bytes;
        Ok([u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes([e, f, g, h])])
    };
    let [version, total] = words(&mut source, 4)?;
    if version != 2 {
        return Err(old(&version.to_string(), file));
    }
    if u64::from(total) > length {
        return Err(ends(total.into()));
    }
    let (mut json, mut bin, mut at) = (None, None, 12);
    // What follows the two chunks is for others.
    while at + 8 <= u64::from(total) && (json.is_none() || bin.is_none()) {
        let [size, kind] = words(&mut source, at)?;
        let end = at + 8 + u64::from(size);
        if end > u64::from(total) {
            return Err(ends(end));
        }
        let place = Place::Byte(at as usize);
        if (kind == JSON) != json.is_none() {
            return Err(FormatError::malformed("the description of the scene does not come first", place, file));
        }
        if kind == JSON || kind == BIN {
            let mut bytes = Vec::new();
            let read = source.by_ref().take(size.into()).read_to_end(&mut bytes);
            read.map_err(|error| unreadable(error, file))?;
            match kind {
                JSON => json = Some(serde_json::from_slice(&bytes).map_err(|error| not_json(error, file))?),
                _ => bin = Some(bytes),
            }
        }
        at = end.next_multiple_of(4);
    }
    let missing = || FormatError::malformed("the file holds no description of a scene", Place::Byte(12), file);
    Ok((json.ok_or_else(missing)?, bin))
}
