//! Whole files into memory.

use crate::FormatError;
use std::fs::File;
use std::io::{Error, ErrorKind};
use std::path::Path;

/// Why a file cannot be read.
pub(crate) fn unreadable(error: Error, file: &Path) -> FormatError {
    match error.kind() {
        ErrorKind::NotFound => FormatError::Missing { file: file.into() },
        _ => FormatError::Unreadable { reason: error.to_string(), file: file.into() },
    }
}

/// A file ready to be read, and its length [bytes].
pub(crate) fn open(file: &Path) -> Result<(File, u64), FormatError> {
    // A device such as /dev/zero has no end.
    let about = std::fs::metadata(file).map_err(|error| unreadable(error, file))?;
    if !about.is_file() {
        return Err(FormatError::NotAFile { file: file.into() });
    }
    Ok((File::open(file).map_err(|error| unreadable(error, file))?, about.len()))
}

/// All bytes of a file.
pub(crate) fn load(file: &Path) -> Result<Vec<u8>, FormatError> {
    open(file)?;
    std::fs::read(file).map_err(|error| unreadable(error, file))
}

/// A text file; what is not UTF-8 in it becomes �.
pub(crate) fn load_text(file: &Path) -> Result<String, FormatError> {
    let bytes = load(file)?;
    Ok(String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
}

/// A text file of any kind, such as a scene.
pub fn read_text(file: impl AsRef<Path>) -> Result<String, FormatError> {
    load_text(file.as_ref())
}
