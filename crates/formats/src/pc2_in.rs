//! `.pc2` point caches: float32, little-endian, times counted in frames.

use crate::cache::{Promise, frames, note_of_rest};
use crate::cursor::Cursor;
use crate::load::load;
use crate::{Cache, CacheOptions, FormatError, Place};
use std::path::Path;

const START: usize = 32;

/// Reads a `.pc2`. It knows no seconds and no axes: `options` say them.
pub fn read_pc2(file: impl AsRef<Path>, options: &CacheOptions) -> Result<Cache, FormatError> {
    let file = file.as_ref();
    options.check(file)?;
    let data = load(file)?;
    let mut header = Cursor::new(&data, file);
    header.binary = true;
    header.reading("first 32 bytes", 0, 0);
    if header.bytes()? != *b"POINTCACHE2\0" {
        return Err(FormatError::malformed("the word POINTCACHE2 is not at the start", Place::Byte(0), file));
    }
    let version = i32::from_le_bytes(header.bytes()?);
    if version != 1 {
        let what = format!("a point cache of version {version}");
        let remedy = "Export it again as .pc2 of version 1.".into();
        return Err(FormatError::Unsupported { what, remedy, place: Place::Byte(12), file: file.into() });
    }
    let vertices = i32::from_le_bytes(header.bytes()?).into();
    let mut start = f64::from(f32::from_le_bytes(header.bytes()?));
    let mut rate = f64::from(f32::from_le_bytes(header.bytes()?));
    let promise = Promise { vertices, frames: i32::from_le_bytes(header.bytes()?).into() };
    let mut notes = Vec::new();
    if !start.is_finite() {
        notes.push("The first frame has no number. It was taken as 0.".into());
        start = 0.0;
    }
    if !(rate.is_finite() && rate > 0.0) {
        notes.push(format!("The file says that samples are {rate} frames apart. They were taken as one frame apart."));
        rate = 1.0;
    }
    let left = &data[START..];
    let frames = frames(&promise, left, START, f32::from_le_bytes, options.up, file)?;
    notes.extend(note_of_rest(&promise, left.len()));
    let times: Vec<f64> = (0..frames.len()).map(|k| (start + k as f64 * rate) / options.fps).collect();
    if times.iter().any(|t| !t.is_finite()) || times.windows(2).any(|t| !(t[0] < t[1])) {
        let what = format!("frames from {start} on, {rate} apart, do not follow each other in time");
        return Err(FormatError::malformed(what, Place::Byte(20), file));
    }
    Ok(Cache { times, vertices: promise.vertices as usize, frames, notes })
}
