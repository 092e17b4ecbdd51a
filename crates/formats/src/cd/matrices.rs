//! What the animations have in common, and rigs with a matrix row per frame.

use super::dmat::Dmat;
use crate::cursor::Cursor;
use crate::{FormatError, Place};
use math::{Mat, Vect};
use rig::Affine;
use std::path::Path;

/// The next `N` numbers of an animation; frame `found` of the `promised` is being read.
pub(crate) fn numbers<const N: usize>(words: &mut Cursor, promised: u64, found: u64) -> Result<[f64; N], FormatError> {
    words.reading("frames", promised, found);
    let mut all = [0.0; N];
    for slot in &mut all {
        let place = words.place();
        let number: f64 = words.number("a number of the animation")?;
        if !number.is_finite() {
            return Err(FormatError::malformed(format!("a number of the animation is {number}"), place, words.file));
        }
        *slot = number;
    }
    Ok(all)
}

/// The animation is for as many handles as the rig has.
pub(crate) fn same_handles(found: u64, rig: usize, place: Place, file: &Path) -> Result<(), FormatError> {
    if found == rig as u64 {
        return Ok(());
    }
    let what = format!("the animation is for {found} handles, but the rig has {rig}");
    Err(FormatError::malformed(what, place, file))
}

/// One row per frame, a 2×3 map of each handle: column i + m·r + 2m·c for handle i of m, row r, column c.
pub(crate) fn affine_rows(table: &Dmat, handles: usize, file: &Path) -> Result<Vec<Vec<Affine<2>>>, FormatError> {
    same_handles((table.columns / 6) as u64, handles, Place::Line(1), file)?;
    same_columns(table, 6 * handles, file)?;
    let entry = |frame, i, r, c| table.at(frame, i + handles * r + 2 * handles * c);
    let map = |frame, i| Affine {
        R: Mat::<2>::from_fn(|r, c| entry(frame, i, r, c)),
        t: Vect::<2>::from_fn(|r, _| entry(frame, i, r, 2)),
    };
    Ok((0..table.rows).map(|frame| (0..handles).map(|i| map(frame, i)).collect()).collect())
}

/// One row per frame, the corners of a cage: all x, then all y.
pub(crate) fn corner_rows(table: &Dmat, corners: usize, file: &Path) -> Result<Vec<Vec<Vect<2>>>, FormatError> {
    same_columns(table, 2 * corners, file)?;
    let corner = |frame, i| Vect::<2>::new(table.at(frame, i), table.at(frame, corners + i));
    Ok((0..table.rows).map(|frame| (0..corners).map(|i| corner(frame, i)).collect()).collect())
}

fn same_columns(table: &Dmat, wanted: usize, file: &Path) -> Result<(), FormatError> {
    if table.columns == wanted {
        return Ok(());
    }
    let what = format!("a frame has {} numbers, but the rig needs {wanted}", table.columns);
    Err(FormatError::malformed(what, Place::Line(1), file))
}
