//! MDD point caches: like PC2, but big-endian and with the time of each frame.
//!
//! World space, metres, z up: right on an object whose own transform is the identity.

use std::io::Write;
use std::path::Path;

use crate::pc2::{count, each_number, each_part};
use crate::save::save_frames;
use crate::{FormatError, Frames, Take, Written};

/// One file; or one per part, `walk.Body.mdd`, because a cache holds one object.
pub(crate) fn write(file: &Path, take: &Take, frames: &mut dyn Frames) -> Result<Written, FormatError> {
    each_part(file, take, |file, part| {
        let samples = count(frames.count(), "frames", file)?;
        let points = count(take.parts[part].vertices, "vertices", file)?;
        save_frames(file, |out| {
            out.write_all(&samples.to_be_bytes())?;
            out.write_all(&points.to_be_bytes())?;
            for k in 0..samples {
                out.write_all(&((f64::from(k) / take.fps) as f32).to_be_bytes())?;
            }
            each_number(file, take, part, frames, |v| out.write_all(&v.to_be_bytes()))
        })
    })
}
