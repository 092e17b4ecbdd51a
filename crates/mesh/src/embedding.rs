//! Points that ride on a volume: a display surface, a marker, a constraint.

use std::collections::BTreeMap;

use math::{Mat, Small, Vect};
use rayon::prelude::*;

use crate::{Mesh, Near};

/// Points held by the vertices of a mesh: each is a weighted sum of some of them.
///
/// Inside the mesh these are the corners of the element around the point. Outside it is a blend of what the near elements
/// say of the point, each by going on straight, with some weights negative; neighbouring points blend nearly the same
/// elements, so that a surface that pokes out stays whole and smooth. All points follow an affine motion exactly.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Embedding {
    /// where the vertices of each point start; one more than there are points
    pub starts: Vec<u32>,
    /// vertices of the mesh; none for a point that is not a number, or where there is no element
    pub vertices: Vec<u32>,
    /// their weights, Σ = 1 per point
    pub weights: Vec<f64>,
    /// how far each point is outside the mesh [m]; ∞ for a point that nothing holds
    pub outside: Vec<f64>,
}

/// Which body each vertex of a mesh and each point belongs to. Elements belong to the body of their first corner.
#[derive(Clone, Copy, Debug)]
pub struct BodyOf<'a> {
    /// one number per vertex of the mesh
    pub vertex: &'a [u32],
    /// one number per point
    pub point: &'a [u32],
}

/// A point that is d outside is held by the elements nearer than this times d.
const REACH: f64 = 3.0;
/// But by no more than so many elements.
const MOST: usize = 64;

impl Embedding {
    /// Embeds points into the rest shape of a mesh. They need not be connected, inside, or anything else.
    pub fn new<const D: usize>(mesh: &Mesh<D>, points: &[Vect<D>]) -> Self
    where
        Mat<D>: Small<D>,
    {
        Self::make(mesh, points, None, REACH)
    }

    /// The same where each point is held by the elements of its own body only, however near those of others are. A point
    /// whose body has no elements is held by the nearest of all.
    pub fn by_body<const D: usize>(mesh: &Mesh<D>, points: &[Vect<D>], body_of: BodyOf<'_>) -> Self
    where
        Mat<D>: Small<D>,
    {
        Self::make(mesh, points, Some(body_of), REACH)
    }

    /// The same where each point is held by its nearest element alone: D + 1 vertices for every point. Outside the mesh a
    /// surface tears between elements, but conditions on the points stay sparse.
    pub fn nearest<const D: usize>(mesh: &Mesh<D>, points: &[Vect<D>], body_of: Option<BodyOf<'_>>) -> Self
    where
        Mat<D>: Small<D>,
    {
        Self::make(mesh, points, body_of, 0.0)
    }

    fn make<const D: usize>(mesh: &Mesh<D>, points: &[Vect<D>], body_of: Option<BodyOf<'_>>, reach: f64) -> Self
    where
        Mat<D>: Small<D>,
    {
        let sound = || (0..).zip(mesh.elements()).filter(|(_, e)| is_solid(&Mesh::edges(e, &mesh.rest)));
        let all = Near::new(&mesh.rest, sound());
        let mut bodies = BTreeMap::new();
        if let Some(of) = body_of {
            let mut elements: BTreeMap<u32, Vec<(u32, &[u32])>> = BTreeMap::new();
            sound().for_each(|(k, e)| elements.entry(of.vertex[e[0] as usize]).or_default().push((k, e)));
            bodies = elements.into_iter().map(|(b, list)| (b, Near::new(&mesh.rest, list.into_iter()))).collect();
        }
        let size = mesh.size();
        let hold = |(k, p): (usize, &Vect<D>)| {
            let near = body_of.and_then(|of| bodies.get(&of.point[k])).unwrap_or(&all);
            hold(mesh, near, p, size, reach)
        };
        let rows: Vec<_> = points.par_iter().enumerate().with_min_len(64).map(hold).collect();
        let mut embedding = Self { starts: vec![0], ..Self::default() };
        for (row, outside) in rows {
            embedding.vertices.extend(row.iter().map(|(v, _)| v));
            embedding.weights.extend(row.iter().map(|(_, w)| w));
            embedding.starts.push(embedding.vertices.len() as u32);
            embedding.outside.push(outside);
        }
        embedding
    }

    /// The number of points.
    pub fn len(&self) -> usize {
        self.outside.len()
    }

    /// Whether there are no points.
    pub fn is_empty(&self) -> bool {
        self.outside.is_empty()
    }

    /// The vertices that hold point k, and their weights.
    pub fn of(&self, k: usize) -> (&[u32], &[f64]) {
        let range = self.starts[k] as usize..self.starts[k + 1] as usize;
        (&self.vertices[range.clone()], &self.weights[range])
    }

    /// Where the points are when the vertices are at x. Points that nothing holds are at the origin.
    pub fn positions<const D: usize>(&self, x: &[Vect<D>]) -> Vec<Vect<D>> {
        let at = |k: usize| {
            let (vertices, weights) = self.of(k);
            vertices.iter().zip(weights).map(|(&v, w)| *w * x[v as usize]).sum()
        };
        (0..self.len()).into_par_iter().with_min_len(1024).map(at).collect()
    }

    /// How the points move when each vertex moves by u. Points that nothing holds stay.
    pub fn displacements<const D: usize>(&self, u: &[Vect<D>]) -> Vec<Vect<D>> {
        self.positions(u)
    }
}

/// The vertices and weights that hold a point, and how far it is outside.
fn hold<const D: usize>(mesh: &Mesh<D>, near: &Near<D>, p: &Vect<D>, size: f64, reach: f64) -> (Vec<(u32, f64)>, f64)
where
    Mat<D>: Small<D>,
{
    let mut ascending = near.ascending(p);
    let Some((outside, nearest)) = ascending.next() else { return (vec![], f64::INFINITY) };
    // (element, its share): ω = V (r⁻² − reach⁻²)², where r is its distance, in units of that of the nearest. That falls to
    // 0 smoothly; and volumes, so that thin elements, which go on straight the worst, count little.
    let mut blend = vec![(nearest, 0.0)];
    if reach > 1.0 && outside > 1e-12 * size {
        let mut farthest = reach * outside;
        for (distance, e) in ascending {
            if distance >= farthest {
                break;
            }
            if blend.len() == MOST {
                farthest = distance;
                break;
            }
            blend.push((e, distance));
        }
        blend[0].1 = outside;
        for (e, share) in &mut blend {
            let fall = (outside / *share).powi(2) - (outside / farthest).powi(2);
            *share = element_edges(mesh, *e).det().abs() * fall.max(0.0).powi(2);
        }
        blend.sort_unstable_by_key(|(e, _)| *e);
    }
    let total: f64 = blend.iter().map(|(_, share)| share).sum();
    if !(total > 0.0) {
        blend = vec![(nearest, 1.0)]; // also where all of `MOST` elements are equally far
    }
    let total: f64 = blend.iter().map(|(_, share)| share).sum();
    let mut row: BTreeMap<u32, f64> = BTreeMap::new();
    for (e, share) in blend.into_iter().filter(|(_, share)| *share > 0.0) {
        let corners = &mesh.corners[e as usize * (D + 1)..(e as usize + 1) * (D + 1)];
        let weights = barycentric(&element_edges(mesh, e), &(p - mesh.rest[corners[0] as usize]));
        for (&v, w) in corners.iter().zip(weights) {
            *row.entry(v).or_default() += share / total * w;
        }
    }
    (row.into_iter().collect(), outside)
}

fn element_edges<const D: usize>(mesh: &Mesh<D>, e: u32) -> Mat<D> {
    Mesh::edges(&mesh.corners[e as usize * (D + 1)..(e as usize + 1) * (D + 1)], &mesh.rest)
}

/// Whether an element with these edges has a volume, as far as rounding lets one say.
pub(crate) fn is_solid<const D: usize>(edges: &Mat<D>) -> bool
where
    Mat<D>: Small<D>,
{
    edges.det().abs() > 1e-13 * edges.amax().powi(D as i32) // false for NaN
}

/// The weights of the corners of a simplex that give the point at this offset from the first.
fn barycentric<const D: usize>(edges: &Mat<D>, offset: &Vect<D>) -> impl Iterator<Item = f64> + use<D>
where
    Mat<D>: Small<D>,
{
    let inner: [f64; D] = (edges.cofactor().tr_mul(offset) / edges.det()).into();
    std::iter::once(1.0 - inner.iter().sum::<f64>()).chain(inner)
}

#[cfg(test)]
mod tests;
