//! Text files line by line, with the line number at hand for errors.

use crate::{FormatError, Place};
use std::path::Path;
use std::str::FromStr;

/// One line without its comment, read word by word. Spaces, tabs and commas part the words.
#[derive(Clone)]
pub(crate) struct Line<'a> {
    pub file: &'a Path,
    pub number: usize,
    rest: &'a str,
}

/// The lines that hold anything but a comment.
pub(crate) fn lines<'a>(text: &'a str, file: &'a Path) -> impl Iterator<Item = Line<'a>> {
    let text = text.trim_start_matches('\u{feff}'); // the mark some editors put first
    text.lines().enumerate().filter_map(move |(k, line)| Line::new(line, k + 1, file))
}

impl<'a> Line<'a> {
    pub fn new(text: &'a str, number: usize, file: &'a Path) -> Option<Self> {
        let rest = text.split('#').next().unwrap_or_default().trim();
        (!rest.is_empty()).then_some(Line { file, number, rest })
    }
    pub fn place(&self) -> Place {
        Place::Line(self.number)
    }
    /// What is left of the line.
    pub fn rest(&self) -> &'a str {
        self.rest
    }
    pub fn word(&mut self) -> Option<&'a str> {
        let parts = |c: char| c.is_whitespace() || c == ',';
        let start = self.rest.trim_start_matches(parts);
        let end = start.find(parts).unwrap_or(start.len());
        let (word, rest) = start.split_at(end);
        self.rest = rest;
        (!word.is_empty()).then_some(word)
    }
    /// The next word as a number; `what` names it for the error.
    pub fn number<T: FromStr>(&mut self, what: &str) -> Result<T, FormatError> {
        let (place, file) = (self.place(), self.file);
        let word = self
            .word()
            .ok_or_else(|| FormatError::malformed(format!("the line ends where {what} should be"), place, file))?;
        parse(word, what, place, file)
    }
    /// `N` numbers in a row.
    pub fn numbers<T: FromStr + Copy + Default, const N: usize>(&mut self, what: &str) -> Result<[T; N], FormatError> {
        let mut all = [T::default(); N];
        for slot in &mut all {
            *slot = self.number(what)?;
        }
        Ok(all)
    }
}

pub(crate) fn parse<T: FromStr>(word: &str, what: &str, place: Place, file: &Path) -> Result<T, FormatError> {
    word.parse().map_err(|_| FormatError::NotANumber {
        word: word.chars().take(40).collect(), // a damaged file may have no space for a long while
        what: what.into(),
        place,
        file: file.into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_commas_and_empty_lines_part_nothing_but_words() {
        let text = "\u{feff}1, 2,\t3\r\n\n# nothing\n 4 #5\n";
        let words = lines(text, Path::new("a")).flat_map(|mut line| {
            let number = line.number;
            std::iter::from_fn(move || line.word().map(|w| (number, w.to_string()))).collect::<Vec<_>>()
        });
        let expected = [(1, "1"), (1, "2"), (1, "3"), (4, "4")];
        assert_eq!(words.collect::<Vec<_>>(), expected.map(|(n, w)| (n, w.to_string())));
    }
}
