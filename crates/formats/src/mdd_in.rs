//! `.mdd` point caches: float32, big-endian, a time for each frame.

use crate::cache::{Promise, frames, note_of_rest};
use crate::cursor::Cursor;
use crate::load::load;
use crate::{Cache, CacheOptions, FormatError};
use std::path::Path;

/// Reads an `.mdd`. Of the options only the upward axis is needed: the times are in the file [s].
pub fn read_mdd(file: impl AsRef<Path>, options: &CacheOptions) -> Result<Cache, FormatError> {
    let file = file.as_ref();
    let data = load(file)?;
    let mut header = Cursor::new(&data, file);
    header.binary = true;
    header.reading("first 8 bytes", 0, 0);
    let frame_count = i64::from(i32::from_be_bytes(header.bytes()?));
    let promise = Promise { frames: frame_count, vertices: i32::from_be_bytes(header.bytes()?).into() };
    let mut times = Vec::new();
    for k in 0..promise.frames.max(0) {
        header.reading("times", promise.frames as u64, k as u64);
        let place = header.place();
        let time = f64::from(f32::from_be_bytes(header.bytes()?));
        if !time.is_finite() {
            return Err(FormatError::malformed(format!("frame {k} is at the time {time}"), place, file));
        }
        times.push(time);
    }
    let start = 8 + 4 * times.len();
    let left = &data[start..];
    let frames = frames(&promise, left, start, f32::from_be_bytes, options.up, file)?;
    let mut notes: Vec<String> = note_of_rest(&promise, left.len()).into_iter().collect();
    if times.windows(2).any(|t| !(t[0] < t[1])) {
        options.check(file)?;
        notes.push(format!("The times of the frames do not rise. {} frames per second were taken.", options.fps));
        times = (0..frames.len()).map(|k| k as f64 / options.fps).collect();
    }
    Ok(Cache { times, vertices: promise.vertices as usize, frames, notes })
}
