//! The volume of each body: filled, thickened where nothing was caught, counted.

use math::Vect;
use rayon::prelude::*;

use super::field::Field;
use super::grade::{Wish, grade, wishes};
use super::lattice::{Background, cells};
use super::pieces::Parts;
use super::stuff::stuff;
use super::tree::Tree;
use super::{ElementSize, FillError, bodies};
use crate::Mesh;

/// The most lattice cells of all bodies together.
const MOST_CELLS: f64 = 2e7;
/// The longest edge of a body's elements, as a share of its longest side.
const COARSEST: f64 = 0.5;
/// Thin parts are thickened to all that is within this many edges of them; if that is not enough, within the next.
const THICKEN: [f64; 2] = [0.6, 0.95];
/// A vertex this many edges away from the volume is on a part that the lattice did not catch.
const MISSED: f64 = 0.5;

/// One body before it is filled.
pub(crate) struct Volume {
    pub field: Field,
    /// its vertices
    vertices: Vec<u32>,
    /// its longest side
    side: f64,
}

/// One body filled.
pub(crate) struct Made {
    pub mesh: Mesh<3>,
    /// vertices of the surface, and how many of them are within an element of the volume
    pub vertices: usize,
    pub covered: usize,
    /// how many were on parts too thin for the lattice
    thickened: usize,
    /// its elements are smaller than asked, because it is small
    smaller: bool,
}

pub(crate) fn volumes(parts: &Parts) -> Vec<Volume> {
    let (body_of, count) = bodies::bodies(parts);
    let mut members = vec![vec![]; count];
    for (piece, &body) in body_of.iter().enumerate() {
        members[body as usize].push(piece);
    }
    let volume = |pieces: &Vec<usize>| {
        let field = Field::new(parts, pieces);
        let mut vertices: Vec<u32> = field.triangles.iter().flatten().copied().collect();
        vertices.sort_unstable();
        vertices.dedup();
        let (low, high) = field.bounds();
        Volume { field, vertices, side: (high - low).max() }
    };
    members.iter().map(volume).collect()
}

impl Volume {
    fn edge(&self, edge: f64) -> f64 {
        edge.min(COARSEST * self.side)
    }

    fn make(&mut self, parts: &Parts, asked: f64, refine: bool) -> Made {
        let edge = self.edge(asked);
        self.field.clear_thick();
        let thin = if refine { wishes(&self.field.thickness(parts, 0.25 * edge, 2.0 * edge), edge) } else { vec![] };
        let mut mesh = self.stuff(edge, &thin);
        let mut hull = hull_of(&mesh);
        let mut missed = beyond(parts, &self.vertices, &hull, MISSED * edge);
        let thickened = missed.len();
        for radius in THICKEN {
            if missed.is_empty() {
                break;
            }
            let mut is_missed = vec![false; parts.x.len()];
            missed.iter().for_each(|&v| is_missed[v as usize] = true);
            let near = self.field.triangles.iter().filter(|t| t.iter().any(|&v| is_missed[v as usize]));
            let near: Vec<_> = near.map(|t| parts.corners(t)).collect();
            self.field.thicken(near, radius * edge);
            mesh = self.stuff(edge, &thin);
            hull = hull_of(&mesh);
            missed = beyond(parts, &self.vertices, &hull, 0.9 * edge);
        }
        let covered = self.vertices.len() - beyond(parts, &missed, &hull, edge).len();
        Made { mesh, vertices: self.vertices.len(), covered, thickened, smaller: edge < asked }
    }

    fn stuff(&self, edge: f64, thin: &[Wish]) -> Mesh<3> {
        let mut background = Background::new(&self.field, edge, !thin.is_empty());
        if !thin.is_empty() {
            grade(&mut background, &self.field, thin);
        }
        stuff(&background, &self.field, !thin.is_empty())
    }
}

fn hull_of(mesh: &Mesh<3>) -> Tree {
    let corner = |v: u32| mesh.rest[v as usize];
    Tree::new(mesh.boundary().chunks_exact(3).map(|t| [corner(t[0]), corner(t[1]), corner(t[2])]).collect())
}

/// Those of the surface's vertices that are farther than this from the volume within the hull.
fn beyond(parts: &Parts, vertices: &[u32], hull: &Tree, distance: f64) -> Vec<u32> {
    let far = |x: &Vect<3>| !hull.is_near(x, distance) && hull.winding_about_half(x) < 0.5;
    vertices.par_iter().copied().filter(|&v| far(&parts.x[v as usize])).collect()
}

/// All bodies with elements of a size, in units of the surface; and the edge that was used.
pub(crate) fn make(
    parts: &Parts,
    volumes: &mut [Volume],
    size: ElementSize,
    refine: bool,
) -> Result<(f64, Vec<Made>), FillError> {
    let all = |volumes: &mut [Volume], edge: f64| -> Result<Vec<Made>, FillError> {
        guard(volumes, edge, parts.scale)?;
        Ok(volumes.iter_mut().map(|v| v.make(parts, edge, refine)).collect())
    };
    let count = match size {
        ElementSize::Edge(edge) => return Ok((edge, all(volumes, edge)?)),
        ElementSize::Count(count) => count as f64,
    };
    let longest = volumes.iter().map(|v| COARSEST * v.side).fold(0.0, f64::max);
    let number = |made: &[Made]| made.iter().map(|m| m.mesh.element_count()).sum::<usize>().max(1) as f64;
    // Edges that gave too few and too many; between them log n falls about linearly in log edge, with slope −3 to −2.
    let mut edge = longest;
    let mut made = all(volumes, edge)?;
    let (mut few, mut many) = (None, None);
    for _ in 0..12 {
        let n = number(&made);
        let done = (n / count - 1.0).abs() < 0.1 || (edge >= longest && n > count);
        if done {
            break;
        }
        *(if n < count { &mut few } else { &mut many }) = Some((edge, n));
        let next = match (few, many) {
            (Some((a, n)), Some((b, m))) => {
                let share = ((count / n).ln() / (m / n).ln()).clamp(0.1, 0.9);
                a * (b / a).powf(share)
            }
            _ => edge * (n / count).powf(1.0 / 2.7).clamp(0.125, 8.0),
        };
        edge = next.min(longest);
        made = all(volumes, edge)?;
    }
    Ok((edge, made))
}

/// Refuses a lattice that would not fit into memory, and names an edge that does.
fn guard(volumes: &[Volume], edge: f64, scale: f64) -> Result<(), FillError> {
    let count =
        |edge: f64| -> f64 { volumes.iter().map(|v| cells(&v.field, v.edge(edge)).iter().product::<f64>()).sum() };
    let needed = count(edge);
    if needed <= MOST_CELLS {
        return Ok(());
    }
    let (mut low, mut high) = (edge, 1.0);
    for _ in 0..40 {
        let middle = (low * high).sqrt();
        *(if count(middle) > MOST_CELLS { &mut low } else { &mut high }) = middle;
    }
    // rounded up to what the message can say
    let possible = high * scale * 1.001;
    Err(FillError::TooMany { asked: edge * scale, cells: needed, limit: MOST_CELLS, possible })
}

/// Says what an artist should know.
pub(crate) fn report(made: &[Made], size: &ElementSize, tets: usize, notes: &mut Vec<String>) {
    if made.len() > 1 {
        notes.push(format!("The surface has {} separate parts. Each is a volume of its own.", made.len()));
    }
    let thickened: usize = made.iter().map(|m| m.thickened).sum();
    if thickened > 0 {
        notes.push(format!("Parts too thin for the elements were made thicker ({thickened} vertices)."));
    }
    let smaller = made.iter().filter(|m| m.smaller).count();
    if smaller > 0 {
        notes.push(format!("{smaller} parts are too small for elements of this size and have smaller ones."));
    }
    if let ElementSize::Count(count) = size
        && (tets as f64 / *count as f64 - 1.0).abs() > 0.15
    {
        notes.push(format!("{count} tets were asked for, {tets} is as near as this surface comes."));
    }
}
