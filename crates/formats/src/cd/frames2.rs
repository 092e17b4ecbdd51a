//! Animation text in the plane: `x y angle` of each handle, frame by frame.

use super::tgf::Tgf;
use crate::FormatError;
use crate::cursor::Cursor;
use crate::load::load;
use crate::order::parents_first;
use math::{Mat, Vect};
use rig::Affine;
use std::path::Path;

/// The map of each handle in each frame. `rest` is where the handles are, `parents` leads from bone to bone.
pub(crate) fn read(file: &Path, graph: &Tgf, rest: &[Vect<2>]) -> Result<Vec<Vec<Affine<2>>>, FormatError> {
    let data = load(file)?;
    let mut words = Cursor::new(&data, file);
    words.reading("first numbers", 0, 0);
    let frames: u64 = words.number("the number of frames")?;
    let place = words.place();
    let handles: u64 = words.number("the number of handles")?;
    super::matrices::same_handles(handles, rest.len(), place, file)?;
    let parents = if graph.bones().is_empty() { vec![None; rest.len()] } else { graph.parents() };
    let order = parents_first(&parents)
        .ok_or_else(|| FormatError::malformed("the bones of the rig go round in a circle", place, file))?;
    let start = row(&mut words, rest.len(), frames, 0)?;
    let mut all = Vec::new();
    for k in 0..frames {
        let row = row(&mut words, rest.len(), frames, k)?;
        let mut maps = vec![Affine::identity(); rest.len()];
        for &i in &order {
            let (sin, cos) = row[i][2].to_radians().sin_cos();
            let R = Mat::<2>::new(cos, -sin, sin, cos);
            let turn = Affine { R, t: rest[i] - R * rest[i] };
            maps[i] = match parents[i] {
                Some(parent) => maps[parent as usize] * turn,
                None => {
                    let shift = Vect::<2>::new(row[i][0] - start[i][0], row[i][1] - start[i][1]);
                    Affine { t: turn.t + shift, ..turn }
                }
            };
        }
        all.push(maps);
    }
    Ok(all)
}

fn row(words: &mut Cursor, handles: usize, promised: u64, found: u64) -> Result<Vec<[f64; 3]>, FormatError> {
    (0..handles).map(|_| super::matrices::numbers(words, promised, found)).collect()
}
