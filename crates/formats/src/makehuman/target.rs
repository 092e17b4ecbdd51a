//! `.target`: how far each vertex moves where a shape is fully in.

use crate::FormatError;
use crate::load::load_text;
use crate::text::lines;
use math::Vect;
use std::path::Path;

/// Adds `amount` times the shape.
pub(super) fn add(file: &Path, amount: f64, x: &mut [Vect<3>]) -> Result<(), FormatError> {
    let text = load_text(file)?;
    for mut line in lines(&text, file) {
        let vertex: i64 = line.number("the number of a vertex")?;
        let delta: [f64; 3] = line.numbers("a shift")?;
        let (vertices, place) = (x.len(), line.place());
        let slot = usize::try_from(vertex).ok().and_then(|v| x.get_mut(v)).ok_or_else(|| {
            let (what, number) = ("the shift for vertex", vertex);
            FormatError::NoSuchVertex { what, number, vertex, vertices, place, file: file.into() }
        })?;
        *slot += amount * Vect::<3>::from(delta);
        if let Some(&value) = slot.iter().find(|v| !v.is_finite()) {
            return Err(FormatError::NotFinite { vertex, value, place, file: file.into() });
        }
    }
    Ok(())
}
