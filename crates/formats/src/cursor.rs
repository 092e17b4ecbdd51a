//! A place in a file that may mix words and binary numbers.

use crate::text::parse;
use crate::{FormatError, Place};
use std::borrow::Cow;
use std::path::Path;
use std::str::FromStr;

/// Reads words, lines and raw bytes, one after another.
pub(crate) struct Cursor<'a> {
    pub file: &'a Path,
    data: &'a [u8],
    at: usize,
    line: usize,
    /// Whether places are told in bytes, not in lines.
    pub binary: bool,
    /// What is being read, how many of it the file promises, how many were found.
    reading: (&'static str, u64, u64),
}

impl<'a> Cursor<'a> {
    pub fn new(data: &'a [u8], file: &'a Path) -> Self {
        Cursor { file, data, at: 0, line: 1, binary: false, reading: ("numbers", 0, 0) }
    }
    pub fn place(&self) -> Place {
        if self.binary { Place::Byte(self.at) } else { Place::Line(self.line) }
    }
    /// The line for the record being read; 0 where there are no lines.
    pub fn line_number(&self) -> u32 {
        if self.binary { 0 } else { self.line as u32 }
    }
    /// Says what comes next, so that an early end can be told in its terms.
    pub fn reading(&mut self, what: &'static str, promised: u64, found: u64) {
        self.reading = (what, promised, found);
    }
    /// The file is at its end, too early.
    pub fn ended(&self) -> FormatError {
        let (what, promised, found) = self.reading;
        match promised {
            0 => FormatError::malformed(format!("the file ends among its {what}"), self.place(), self.file),
            _ => FormatError::EndsEarly { what, promised, found, file: self.file.into() },
        }
    }
    fn advance(&mut self, count: usize) -> &'a [u8] {
        let end = self.at.saturating_add(count).min(self.data.len());
        let taken = &self.data[self.at..end];
        if !self.binary {
            self.line += taken.iter().filter(|&&b| b == b'\n').count();
        }
        self.at = end;
        taken
    }
    fn left(&self) -> &'a [u8] {
        &self.data[self.at..]
    }
    /// The next word; a `#` hides the rest of its line.
    pub fn word(&mut self) -> Option<Cow<'a, str>> {
        loop {
            let space = self.left().iter().take_while(|b| b.is_ascii_whitespace()).count();
            self.advance(space);
            if self.left().first() != Some(&b'#') {
                break;
            }
            self.next_line();
        }
        let length = self.left().iter().take_while(|b| !b.is_ascii_whitespace()).count();
        let word = self.advance(length);
        (length > 0).then(|| String::from_utf8_lossy(word))
    }
    /// The next word, left where it is.
    pub fn peek(&mut self) -> Option<Cow<'a, str>> {
        let (at, line) = (self.at, self.line);
        let word = self.word();
        (self.at, self.line) = (at, line);
        word
    }
    /// The rest of the line, without its end.
    pub fn next_line(&mut self) -> Option<Cow<'a, str>> {
        if self.left().is_empty() {
            return None;
        }
        let length = self.left().iter().take_while(|&&b| b != b'\n').count();
        let line = self.advance(length + 1);
        Some(String::from_utf8_lossy(line.trim_ascii()))
    }
    /// The next word as a number. A `$` or a capital letter begins the next section: too early.
    pub fn number<T: FromStr>(&mut self, what: &str) -> Result<T, FormatError> {
        let place = self.place();
        let word = self.word().ok_or_else(|| self.ended())?;
        parse(&word, what, place, self.file).map_err(|error| match word.as_bytes().first() {
            Some(b'$' | b'A'..=b'Z') if self.reading.1 > 0 => self.ended(),
            _ => error,
        })
    }
    pub fn bytes<const N: usize>(&mut self) -> Result<[u8; N], FormatError> {
        let bytes = self.left().first_chunk::<N>().ok_or_else(|| self.ended())?;
        self.advance(N);
        Ok(*bytes)
    }
    /// Goes on behind the next `marker`.
    pub fn skip_past(&mut self, marker: &[u8]) -> Result<(), FormatError> {
        let found = self.left().windows(marker.len()).position(|w| w == marker).ok_or_else(|| {
            let what = format!("the end mark {} is missing", String::from_utf8_lossy(marker));
            FormatError::malformed(what, self.place(), self.file)
        })?;
        self.advance(found + marker.len());
        Ok(())
    }
}
