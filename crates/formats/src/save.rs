//! Files appear whole or not at all: written beside the target, renamed when complete.

use crate::FormatError;
use math::Vect;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

pub(crate) fn save(file: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), FormatError> {
    let unwritable = |error: io::Error| FormatError::Unwritable { reason: error.to_string(), file: file.into() };
    let folder = match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    if !folder.is_dir() {
        return Err(FormatError::NoFolder { folder: folder.into(), file: file.into() });
    }
    if file.is_dir() {
        return Err(FormatError::NotAFile { file: file.into() });
    }
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let partial = folder.join(format!(".{name}.{}.partial", std::process::id()));
    let written = (|| {
        let mut out = BufWriter::new(File::create(&partial)?);
        write(&mut out)?;
        out.into_inner().map_err(|e| e.into_error())?.sync_all()?;
        std::fs::rename(&partial, file)
    })();
    written.map_err(|error| {
        let _ = std::fs::remove_file(&partial); // it may not even exist; the first error is the one to tell
        unwritable(error)
    })
}

/// No position that a reader would have to refuse.
pub(crate) fn check_finite<const D: usize>(x: &[Vect<D>], file: &Path) -> Result<(), FormatError> {
    match x.iter().position(|x| x.iter().any(|v| !v.is_finite())) {
        Some(vertex) => Err(FormatError::FlownOff { vertex, which: "the mesh".into(), file: file.into() }),
        None => Ok(()),
    }
}
