//! `.dmat`: a matrix, as text or as binary numbers, column by column.

use crate::FormatError;
use crate::cursor::Cursor;
use crate::load::load;
use std::path::Path;

/// A dense matrix.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Dmat {
    /// How many rows.
    pub rows: usize,
    /// How many columns.
    pub columns: usize,
    /// Column by column; all are numbers.
    pub values: Vec<f64>,
}

impl Dmat {
    /// The entry in this row and column, from 0.
    pub fn at(&self, row: usize, column: usize) -> f64 {
        self.values[column * self.rows + row]
    }
    /// One row, from left to right.
    pub fn row(&self, row: usize) -> impl Iterator<Item = f64> + '_ {
        (0..self.columns).map(move |column| self.at(row, column))
    }
}

/// Reads a `.dmat`. The file counts columns first; a first line `0 0` says that binary numbers follow.
pub fn read_dmat(file: impl AsRef<Path>) -> Result<Dmat, FormatError> {
    let file = file.as_ref();
    let data = load(file)?;
    let mut words = Cursor::new(&data, file);
    let mut size = size(&mut words)?;
    if size == (0, 0) && words.peek().is_some() {
        words.next_line();
        size = self::size(&mut words)?;
        words.next_line();
        words.binary = true;
    }
    let (columns, rows) = size;
    let Some(count) = columns.checked_mul(rows).filter(|&count| count > 0) else {
        let what = format!("a matrix of {columns} columns and {rows} rows is empty, or too large");
        return Err(FormatError::malformed(what, words.place(), file));
    };
    let mut values = Vec::new();
    for found in 0..count {
        words.reading("numbers", count, found);
        let place = words.place();
        let value = if words.binary { f64::from_le_bytes(words.bytes()?) } else { words.number("a number")? };
        if !value.is_finite() {
            let what = format!("one of the numbers of the matrix is {value}");
            return Err(FormatError::malformed(what, place, file));
        }
        values.push(value);
    }
    Ok(Dmat { rows: rows as usize, columns: columns as usize, values })
}

fn size(words: &mut Cursor) -> Result<(u64, u64), FormatError> {
    words.reading("first numbers", 0, 0);
    Ok((words.number("the number of columns")?, words.number("the number of rows")?))
}
