//! Surfaces filled with tetrahedra, outlines with triangles.

mod bodies;
mod error;
mod field;
mod grade;
mod lattice;
mod pieces;
mod plane;
mod stuff;
mod tree;
mod volume;
mod winding;

use math::Vect;

use crate::{Mesh, Surface};
pub use error::FillError;
use pieces::Parts;
pub use plane::fill_plane;
pub use winding::Winding;

/// How large elements are to be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ElementSize {
    /// the length of their longer edges [m]
    Edge(f64),
    /// about how many there are in all
    Count(usize),
}

impl ElementSize {
    fn check(&self) -> Result<(), FillError> {
        match *self {
            Self::Edge(edge) if !(edge > 0.0 && edge.is_finite()) => {
                Err(FillError::NotASize { asked: format!("{edge} m") })
            }
            Self::Count(0) => Err(FillError::NotASize { asked: "0 tets".into() }),
            _ => Ok(()),
        }
    }
}

/// How a surface is filled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FillOptions {
    /// How large the elements are.
    pub size: ElementSize,
    /// Smaller elements, down to a quarter of the edge, where the surface is thin.
    pub refine: bool,
}

impl Default for FillOptions {
    fn default() -> Self {
        Self { size: ElementSize::Count(10_000), refine: false }
    }
}

/// A surface filled with tets.
#[derive(Clone, Debug, PartialEq)]
pub struct Filled {
    /// The tets. Bodies share no vertices.
    pub mesh: Mesh<3>,
    /// The body of each tet. The tets of a body follow each other.
    pub body: Vec<u32>,
    /// The body that each vertex of the surface belongs to.
    pub group_of_vertex: Vec<u32>,
    /// What was ignored, changed or could not be done, in whole sentences.
    pub notes: Vec<String>,
    /// The length of the longer edges [m]; parts too small for it have shorter ones.
    pub edge: f64,
    /// The share of the surface's vertices that are in the volume or at most one element away from it.
    pub coverage: f64,
}

/// Fills a surface with tets by isosurface stuffing [LS07]. What is inside is decided by winding numbers, so the surface may
/// be open, non-manifold, self-intersecting and in many parts; see docs/filling.md for what is done then.
pub fn fill(surface: &Surface, options: &FillOptions) -> Result<Filled, FillError> {
    options.size.check()?;
    let parts = Parts::new(surface)?;
    let mut volumes = volume::volumes(&parts);
    let size = match options.size {
        ElementSize::Edge(edge) => ElementSize::Edge(edge / parts.scale),
        count => count,
    };
    let (edge, made) = volume::make(&parts, &mut volumes, size, options.refine)?;
    let mut filled = Filled {
        mesh: Mesh::default(),
        body: vec![],
        group_of_vertex: vec![0; surface.x.len()],
        notes: parts.notes.clone(),
        edge: edge * parts.scale,
        coverage: 1.0,
    };
    let mut body_of = vec![u32::MAX; parts.x.len()];
    for (b, (volume, one)) in volumes.iter().zip(&made).enumerate() {
        let first = filled.mesh.rest.len() as u32;
        filled.mesh.rest.extend(one.mesh.rest.iter().map(|x| parts.origin + *x * parts.scale));
        filled.mesh.corners.extend(one.mesh.corners.iter().map(|v| first + v));
        filled.body.extend(std::iter::repeat_n(b as u32, one.mesh.element_count()));
        for v in volume.field.triangles.iter().flatten() {
            // A vertex that bodies share belongs to the first of them.
            let body = &mut body_of[*v as usize];
            *body = (*body).min(b as u32);
        }
    }
    group(surface, &parts, &body_of, &mut filled.group_of_vertex);
    let covered: usize = made.iter().map(|one| one.covered).sum();
    let all: usize = made.iter().map(|one| one.vertices).sum();
    filled.coverage = covered as f64 / all.max(1) as f64;
    volume::report(&made, &options.size, filled.body.len(), &mut filled.notes);
    Ok(filled)
}

/// The body of each vertex. Those without a triangle that counts go with the nearest one that has.
fn group(surface: &Surface, parts: &Parts, body_of: &[u32], groups: &mut [u32]) {
    let known = parts.x.iter().zip(body_of).filter(|(_, b)| **b != u32::MAX);
    let known = known.map(|(x, b)| rstar::primitives::GeomWithData::new([x.x, x.y, x.z], *b));
    let known = rstar::RTree::bulk_load(known.collect());
    for (v, group) in groups.iter_mut().enumerate() {
        let body = if parts.used[v] { body_of[parts.welded[v] as usize] } else { u32::MAX };
        let x: Vect<3> = (surface.x[v] - parts.origin) / parts.scale;
        let nearest = || known.nearest_neighbor(&[x.x, x.y, x.z]).map_or(0, |k| k.data);
        *group = if body != u32::MAX {
            body
        } else if x.iter().all(|c| c.is_finite()) {
            nearest()
        } else {
            0
        };
    }
}
