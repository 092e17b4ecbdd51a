//! `.stl`: triangles that share nothing, as text or as binary numbers.

use crate::cursor::Cursor;
use crate::load::load;
use crate::{FormatError, Place};
use math::Vect;
use mesh::Surface;
use std::collections::BTreeMap;
use std::path::Path;

// Bytes before the count, before the first triangle, and of a triangle.
const HEADER: usize = 80;
const START: usize = 84;
const TRIANGLE: usize = 50;

/// A surface; corners at exactly the same place become one vertex. Axes and units are those of the file.
pub(crate) fn read_surface(file: &Path) -> Result<Surface, FormatError> {
    let data = load(file)?;
    let mut welded = Welded::default();
    if is_text(&data) {
        text(&data, file, &mut welded)?
    } else {
        binary(&data, file, &mut welded)?
    }
    if welded.corners.is_empty() {
        return Err(FormatError::Empty { what: "faces", file: file.into() });
    }
    let triangles = welded.corners.chunks_exact(3).map(|t| [t[0], t[1], t[2]]).collect();
    Ok(Surface { x: welded.x, triangles })
}

/// Many programs begin binary files with the word `solid` too, so a length that fits the count decides first.
fn is_text(data: &[u8]) -> bool {
    let fits = promised(data).is_some_and(|count| count.checked_mul(TRIANGLE).map(|n| n + START) == Some(data.len()));
    !fits && data.trim_ascii_start().get(..5).is_some_and(|word| word.eq_ignore_ascii_case(b"solid"))
}

fn promised(data: &[u8]) -> Option<usize> {
    data.get(HEADER..)?.first_chunk().map(|bytes| u32::from_le_bytes(*bytes) as usize)
}

fn binary(data: &[u8], file: &Path, welded: &mut Welded) -> Result<(), FormatError> {
    let Some(promised) = promised(data) else {
        let what = "a binary .stl needs 84 bytes before its first triangle, and this one is shorter";
        return Err(FormatError::malformed(what, Place::Byte(data.len()), file));
    };
    let records = data[START..].chunks_exact(TRIANGLE).take(promised);
    let found = records.len();
    if found < promised {
        let (promised, found) = (promised as u64, found as u64);
        return Err(FormatError::EndsEarly { what: "triangles", promised, found, file: file.into() });
    }
    for (k, record) in records.enumerate() {
        // The normal in front is not read: the order of the corners says the same.
        for (i, corner) in record[12..48].chunks_exact(12).enumerate() {
            let number = |at: usize| corner[at..].first_chunk().map_or(f32::NAN, |bytes| f32::from_le_bytes(*bytes));
            let x = Vect::<3>::new(number(0).into(), number(4).into(), number(8).into());
            welded.push(x, Place::Byte(START + k * TRIANGLE + 12 + 12 * i), file)?;
        }
    }
    Ok(())
}

fn text(data: &[u8], file: &Path, welded: &mut Welded) -> Result<(), FormatError> {
    let mut words = Cursor::new(data, file);
    words.next_line(); // solid, and a name that may hold any word
    let mut corners = 0;
    while let Some(word) = words.word() {
        let word = word.to_ascii_lowercase();
        match word.as_str() {
            "vertex" => {
                let place = words.place();
                words.reading("triangles", 0, 0);
                let x = Vect::<3>::new(coordinate(&mut words)?, coordinate(&mut words)?, coordinate(&mut words)?);
                welded.push(x, place, file)?;
                corners += 1;
            }
            "endloop" | "endfacet" if corners != 3 => {
                let what = format!("a facet has {corners} corners, but needs three");
                return Err(FormatError::malformed(what, words.place(), file));
            }
            "facet" | "endfacet" => corners = 0,
            "solid" | "endsolid" => {
                words.next_line();
            }
            "normal" | "outer" | "loop" | "endloop" => {}
            _ if word.parse::<f64>().is_ok() => {} // of a normal, which is not read
            _ => {
                let shown: String = word.chars().take(40).collect();
                let what = format!("{shown:?} stands where a word such as vertex should be");
                return Err(FormatError::malformed(what, words.place(), file));
            }
        }
    }
    if !welded.corners.len().is_multiple_of(3) {
        return Err(FormatError::malformed("the last facet is cut off", words.place(), file));
    }
    Ok(())
}

fn coordinate(words: &mut Cursor) -> Result<f64, FormatError> {
    words.number("a coordinate")
}

/// Corners joined where their positions are the same bits.
#[derive(Default)]
struct Welded {
    x: Vec<Vect<3>>,
    corners: Vec<u32>,
    places: BTreeMap<[u64; 3], u32>,
}

impl Welded {
    fn push(&mut self, x: Vect<3>, place: Place, file: &Path) -> Result<(), FormatError> {
        if let Some(&value) = x.iter().find(|v| !v.is_finite()) {
            let vertex = self.corners.len() as i64 + 1;
            return Err(FormatError::NotFinite { vertex, value, place, file: file.into() });
        }
        let key = [x.x, x.y, x.z].map(|v| (v + 0.0).to_bits()); // −0 is 0
        let vertex = *self.places.entry(key).or_insert_with(|| {
            self.x.push(x);
            self.x.len() as u32 - 1
        });
        self.corners.push(vertex);
        Ok(())
    }
}
