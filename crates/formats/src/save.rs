//! Files appear whole or not at all: written beside the target, renamed when complete.

use crate::FormatError;
use math::Vect;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// What stops a file that is written while its frames are read.
pub(crate) enum Trouble {
    /// the file cannot be written
    Io(io::Error),
    /// what was to be written cannot be had, or is wrong
    Format(FormatError),
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Self {
        Trouble::Io(error)
    }
}

impl From<FormatError> for Trouble {
    fn from(error: FormatError) -> Self {
        Trouble::Format(error)
    }
}

pub(crate) fn save(file: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), FormatError> {
    save_frames(file, |out| Ok(write(out)?))
}

/// Like [`save`], for files whose frames come from elsewhere, or that are written out of order.
pub(crate) fn save_frames(
    file: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> Result<(), Trouble>,
) -> Result<(), FormatError> {
    let partial = partial(file)?;
    let written = (|| {
        let mut out = BufWriter::new(File::create(&partial)?);
        write(&mut out)?;
        out.into_inner().map_err(|e| e.into_error())?.sync_all()?;
        Ok(std::fs::rename(&partial, file)?)
    })();
    written.map_err(|trouble| {
        let _ = std::fs::remove_file(&partial); // it may not even exist; the first error is the one to tell
        match trouble {
            Trouble::Io(error) => unwritable(file, error),
            Trouble::Format(error) => error,
        }
    })
}

/// Whether a file can be made there, found out by making one. An older file of that name stays as it is.
pub(crate) fn check_writable(file: &Path) -> Result<(), FormatError> {
    let partial = partial(file)?;
    File::create(&partial).and_then(|_| std::fs::remove_file(&partial)).map_err(|error| unwritable(file, error))
}

pub(crate) fn unwritable(file: &Path, error: io::Error) -> FormatError {
    FormatError::Unwritable { reason: error.to_string(), file: file.into() }
}

/// Where a file is kept until it is complete.
fn partial(file: &Path) -> Result<PathBuf, FormatError> {
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
    Ok(folder.join(format!(".{name}.{}.partial", std::process::id())))
}

/// No position that a reader would have to refuse.
pub(crate) fn check_finite<const D: usize>(x: &[Vect<D>], file: &Path) -> Result<(), FormatError> {
    match x.iter().position(|x| x.iter().any(|v| !v.is_finite())) {
        Some(vertex) => Err(FormatError::FlownOff { vertex, which: "the mesh".into(), file: file.into() }),
        None => Ok(()),
    }
}

/// Writes a text file, whole or not at all.
pub fn write_text(file: impl AsRef<Path>, text: &str) -> Result<(), FormatError> {
    save(file.as_ref(), |out| out.write_all(text.as_bytes()))
}
