//! Numbers of a `.msh` file, whether written as text or as bytes.

use super::kinds::{Kind, kind};
use crate::FormatError;
use crate::cursor::Cursor;
use crate::text::parse;
use std::path::Path;

#[derive(Clone, Copy)]
pub(super) enum Version {
    V2,
    V4,
}

pub(super) struct Source<'a> {
    pub cursor: Cursor<'a>,
    pub version: Option<Version>,
    swapped: bool,
}

impl<'a> Source<'a> {
    pub fn new(data: &'a [u8], file: &'a Path) -> Self {
        Source { cursor: Cursor::new(data, file), version: None, swapped: false }
    }
    pub fn binary(&self) -> bool {
        self.cursor.binary
    }
    /// The name of the next section; the data begin right behind.
    pub fn section(&mut self) -> Result<Option<String>, FormatError> {
        self.cursor.reading("sections", 0, 0);
        loop {
            let place = self.cursor.place();
            let Some(line) = self.cursor.next_line() else { return Ok(None) };
            match line.strip_prefix('$') {
                Some(name) => return Ok(Some(name.to_string())),
                None if line.is_empty() => {}
                None => {
                    let shown: String = line.chars().take(40).collect();
                    let what = format!("{shown:?} stands where a section such as $Nodes should begin");
                    return Err(FormatError::malformed(what, place, self.cursor.file));
                }
            }
        }
    }
    /// `version binary? size`, and in binary files the number 1, which shows the byte order.
    pub fn format(&mut self) -> Result<(), FormatError> {
        let (place, file) = (self.cursor.place(), self.cursor.file);
        let version = self.cursor.number::<f64>("the version")?;
        let binary = self.cursor.number::<u8>("0 for text or 1 for binary")? == 1;
        let size = self.cursor.number::<u8>("the size of a number")?;
        self.version = match version {
            2.0..3.0 if size == 8 => Some(Version::V2),
            4.1 if size == 8 => Some(Version::V4),
            _ => {
                return Err(FormatError::Unsupported {
                    what: format!("the version {version} of the .msh format with numbers of {size} bytes"),
                    remedy: "Export as version 4.1 or 2.2 (in Gmsh: File, Export, .msh, Version 4 or Version 2 ASCII)."
                        .into(),
                    place,
                    file: file.into(),
                });
            }
        };
        self.cursor.next_line();
        self.cursor.binary = binary;
        if binary {
            self.swapped = match i32::from_le_bytes(self.cursor.bytes()?) {
                1 => false,
                0x0100_0000 => true,
                _ => {
                    let what = "the mark of the byte order is missing, although the file says it is binary";
                    return Err(FormatError::malformed(what, self.cursor.place(), file));
                }
            };
        }
        Ok(())
    }
    fn raw<const N: usize>(&mut self) -> Result<[u8; N], FormatError> {
        let mut bytes = self.cursor.bytes::<N>()?;
        if self.swapped {
            bytes.reverse();
        }
        Ok(bytes)
    }
    /// A number of 4 bytes.
    pub fn int(&mut self, what: &str) -> Result<i64, FormatError> {
        if self.binary() { Ok(i32::from_le_bytes(self.raw()?).into()) } else { self.cursor.number(what) }
    }
    /// A number of 8 bytes.
    pub fn tag(&mut self, what: &str) -> Result<i64, FormatError> {
        if self.binary() { Ok(i64::from_le_bytes(self.raw()?)) } else { self.cursor.number(what) }
    }
    /// How many of something follow.
    pub fn count(&mut self, what: &str) -> Result<u64, FormatError> {
        if self.binary() { Ok(u64::from_le_bytes(self.raw()?)) } else { self.cursor.number(what) }
    }
    pub fn float(&mut self) -> Result<f64, FormatError> {
        if self.binary() { Ok(f64::from_le_bytes(self.raw()?)) } else { self.cursor.number("a coordinate") }
    }
    pub fn floats(&mut self) -> Result<[f64; 3], FormatError> {
        Ok([self.float()?, self.float()?, self.float()?])
    }
    /// A count on its own line of text, also in binary files.
    pub fn count_line(&mut self, what: &str) -> Result<u64, FormatError> {
        let place = self.cursor.place();
        let line = self.cursor.next_line().ok_or_else(|| self.cursor.ended())?;
        parse(&line, what, place, self.cursor.file)
    }
    pub fn kind(&mut self) -> Result<Kind, FormatError> {
        let place = self.cursor.place();
        let number = self.int("the kind of an element")?;
        kind(number).ok_or_else(|| FormatError::Unsupported {
            what: format!("elements of the unknown kind {number}"),
            remedy: "Export with first-order elements, tetrahedra or triangles only.".into(),
            place,
            file: self.cursor.file.into(),
        })
    }
}
