//! PC2 point caches: the positions of one object's vertices, for Blender's Mesh Cache modifier, 3ds Max and others.
//!
//! World space, metres, z up: right on an object whose own transform is the identity.

use std::io::Write;
use std::path::{Path, PathBuf};

use crate::save::{Trouble, save_frames, unwritable};
use crate::take_out::{for_files, single};
use crate::{FormatError, Frames, Take, Written};

/// One file; or one per part, `walk.Body.pc2`, because a cache holds one object.
pub(crate) fn write(file: &Path, take: &Take, frames: &mut dyn Frames) -> Result<Written, FormatError> {
    each_part(file, take, |file, part| {
        let points = count(take.parts[part].vertices, "vertices", file)?;
        let samples = count(frames.count(), "frames", file)?;
        save_frames(file, |out| {
            out.write_all(b"POINTCACHE2\0")?;
            out.write_all(&1i32.to_le_bytes())?;
            out.write_all(&points.to_le_bytes())?;
            out.write_all(&0f32.to_le_bytes())?; // the first frame
            out.write_all(&1f32.to_le_bytes())?; // frames per sample
            out.write_all(&samples.to_le_bytes())?;
            each_number(file, take, part, frames, |v| out.write_all(&v.to_le_bytes()))
        })
    })
}

/// Calls `write` with a file and a part, for each part.
pub(crate) fn each_part(
    file: &Path,
    take: &Take,
    mut write: impl FnMut(&Path, usize) -> Result<(), FormatError>,
) -> Result<Written, FormatError> {
    if take.parts.len() == 1 {
        write(file, 0)?;
        return Ok(Written::one(file));
    }
    let ending = file.extension().unwrap_or_default().to_string_lossy().into_owned();
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    let names = take.names(for_files);
    let files: Vec<PathBuf> = names.iter().map(|name| file.with_file_name(format!("{stem}.{name}.{ending}"))).collect();
    files.iter().enumerate().try_for_each(|(part, file)| write(file, part))?;
    let count = files.len();
    let notes = vec![format!("a .{ending} file holds one object, so each of the {count} parts has its own.")];
    Ok(Written { files, notes })
}

/// x y z of the part's vertices, frame by frame.
pub(crate) fn each_number(
    file: &Path,
    take: &Take,
    part: usize,
    frames: &mut dyn Frames,
    mut write: impl FnMut(f32) -> std::io::Result<()>,
) -> Result<(), Trouble> {
    for k in 0..frames.count() {
        let x = take.frame(frames, k, file)?;
        x[part].iter().flat_map(single).try_for_each(&mut write)?;
    }
    Ok(())
}

/// A number for a header that has 31 bits for it.
pub(crate) fn count(number: usize, what: &str, file: &Path) -> Result<i32, FormatError> {
    i32::try_from(number)
        .map_err(|_| unwritable(file, std::io::Error::other(format!("{number} {what} are too many for this format"))))
}
