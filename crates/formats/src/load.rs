//! Whole files into memory.

use crate::FormatError;
use std::io::ErrorKind;
use std::path::Path;

/// All bytes of a file.
pub(crate) fn load(file: &Path) -> Result<Vec<u8>, FormatError> {
    let wrong = |error: std::io::Error| match error.kind() {
        ErrorKind::NotFound => FormatError::Missing { file: file.into() },
        _ => FormatError::Unreadable { reason: error.to_string(), file: file.into() },
    };
    // A device such as /dev/zero has no end.
    if !std::fs::metadata(file).map_err(wrong)?.is_file() {
        return Err(FormatError::NotAFile { file: file.into() });
    }
    std::fs::read(file).map_err(wrong)
}

/// A text file; what is not UTF-8 in it becomes �.
pub(crate) fn load_text(file: &Path) -> Result<String, FormatError> {
    Ok(String::from_utf8_lossy(&load(file)?).into_owned())
}
