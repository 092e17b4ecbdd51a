//! An animation as one `.obj` per frame, for programs that read nothing else.

use crate::obj::write_obj_surface;
use crate::{Animation, FormatError};
use mesh::Surface;
use std::path::{Path, PathBuf};

/// Writes `name_0000.obj`, `name_0001.obj`, … into `folder`, which is made if only it is missing. The axes are those of
/// the simulation, because `.obj` knows no upward axis and is read here without turning.
pub fn write_obj_sequence(folder: impl AsRef<Path>, animation: &Animation) -> Result<Vec<PathBuf>, FormatError> {
    let folder = folder.as_ref();
    animation.check(folder)?;
    if !folder.is_dir() {
        std::fs::create_dir(folder)
            .map_err(|error| FormatError::Unwritable { reason: error.to_string(), file: folder.into() })?;
    }
    // A name is the artist's, and may hold what a file name must not.
    let name: String = animation.name.chars().map(|c| if "/\\:*?\"<>|".contains(c) { '_' } else { c }).collect();
    let mut files = Vec::new();
    for (k, frame) in animation.frames.iter().enumerate() {
        let file = folder.join(format!("{name}_{k:04}.obj"));
        write_obj_surface(&file, &Surface { x: frame.clone(), triangles: animation.surface.triangles.clone() })?;
        files.push(file);
    }
    Ok(files)
}
