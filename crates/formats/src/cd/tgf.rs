//! `.tgf` graphs: the points and bones of a rig.

use crate::load::load_text;
use crate::text::Line;
use crate::{FormatError, Place};
use math::Vect;
use std::path::Path;

/// Points and the edges between them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tgf {
    /// In the axes and units of the file.
    pub points: Vec<Vect<3>>,
    /// Bones, or the sides of a cage.
    pub edges: Vec<TgfEdge>,
}

/// An edge from one point to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TgfEdge {
    /// Point numbers, from 0.
    pub ends: [u32; 2],
    /// Whether it is a bone.
    pub bone: bool,
}

impl Tgf {
    /// The ends of the bones, in the order of the file.
    pub fn bones(&self) -> Vec<[u32; 2]> {
        self.edges.iter().filter(|edge| edge.bone).map(|edge| edge.ends).collect()
    }
    /// For each bone the bone that ends where it begins. Several bones may have none.
    pub fn parents(&self) -> Vec<Option<u32>> {
        let bones = self.bones();
        let mut ending_at = vec![None; self.points.len()];
        for (k, bone) in bones.iter().enumerate().rev() {
            ending_at[bone[1] as usize] = Some(k as u32);
        }
        bones.iter().map(|bone| ending_at[bone[0] as usize]).collect()
    }
}

/// Reads a `.tgf`: points, a line with `#`, edges; what follows a second `#` is not read.
pub fn read_tgf(file: impl AsRef<Path>) -> Result<Tgf, FormatError> {
    let file = file.as_ref();
    let text = load_text(file)?;
    let mut graph = Tgf::default();
    let mut sections = 0;
    for (k, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        if line.trim_start().starts_with('#') {
            sections += 1;
            if sections == 2 {
                break;
            }
        }
        let Some(mut line) = Line::new(line, k + 1, file) else { continue };
        match sections {
            0 => graph.points.push(point(&mut line)?),
            _ => graph.edges.push(edge(&mut line, graph.points.len())?),
        }
    }
    if graph.points.is_empty() {
        return Err(FormatError::malformed("the rig has no points", Place::Unknown, file));
    }
    Ok(graph)
}

fn point(line: &mut Line) -> Result<Vect<3>, FormatError> {
    line.number::<f64>("the number of a point")?;
    let [x, y] = line.numbers("a coordinate")?;
    let z = if line.rest().trim().is_empty() { 0.0 } else { line.number("a coordinate")? };
    let x = Vect::<3>::new(x, y, z);
    if x.iter().any(|v| !v.is_finite()) {
        return Err(FormatError::malformed("a point has no position", line.place(), line.file));
    }
    Ok(x)
}

fn edge(line: &mut Line, points: usize) -> Result<TgfEdge, FormatError> {
    let ends: [i64; 2] = line.numbers("the number of a point")?;
    if let Some(end) = ends.iter().find(|&&end| end < 1 || end > points as i64) {
        let what = format!("an edge asks for point {end}, but there are only {points} points");
        return Err(FormatError::malformed(what, line.place(), line.file));
    }
    let bone = if line.rest().trim().is_empty() { 0.0 } else { line.number::<f64>("whether it is a bone")? };
    Ok(TgfEdge { ends: ends.map(|end| (end - 1) as u32), bone: bone == 1.0 })
}
