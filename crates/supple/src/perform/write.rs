//! What was played, into files.

use std::path::Path;

use formats::{ShapeBudget, Take, TakePart};
use math::Vect;

use super::act::Act;
use crate::{Error, Summary};

/// How it is written.
pub(crate) struct Look {
    /// frames per second
    pub fps: f64,
    /// how far the shapes of a .glb may be off, as a share of the body's size [1]
    pub tolerance: f64,
    /// one shape for each frame
    pub per_frame: bool,
}

/// Of all parts, linear.
const COLOUR: [f32; 3] = [0.85, 0.42, 0.36];
/// The most shapes in a .glb.
const MOST: usize = 200;

/// Writes the shown surface of all frames; the ending of the file picks the format. What is flat stands upright at y = 0 (in a
/// .glb at z = 0).
pub(crate) fn write<const D: usize>(
    output: &Path,
    act: &Act<D>,
    frames: &[Vec<Vect<D>>],
    look: &Look,
    summary: &mut Summary,
) -> Result<(), Error> {
    let part = TakePart {
        name: act.name.clone(),
        sizes: vec![3; act.skin.triangles.len()],
        corners: act.skin.triangles.as_flattened().to_vec(),
        vertices: act.skin.vertices(),
        uv: vec![],
        color: COLOUR,
    };
    let stem = output.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let take = Take { name: stem, fps: look.fps, parts: vec![part] };
    let mut shown: Vec<Vec<Vec<Vect<3>>>> = frames.iter().map(|x| vec![act.skin.place(x)]).collect();
    if output.extension().is_some_and(|e| e.eq_ignore_ascii_case("glb")) {
        let budget = match look.per_frame {
            true => ShapeBudget::PerFrame,
            false => ShapeBudget::Principal { tolerance: look.tolerance * act.mesh.size(), most: MOST },
        };
        let written = formats::write_take_glb(&take, &mut shown, output, budget)?;
        (summary.shape_error, summary.shapes) = (Some(written.largest_error), Some(written.shapes));
        summary.notes.extend(written.notes);
        summary.files.push(output.into());
    } else {
        let written = formats::write_take(output, &take, &mut shown)?;
        summary.files.extend(written.files);
        summary.notes.extend(written.notes);
    }
    Ok(())
}
