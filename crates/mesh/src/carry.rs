//! Values that are known on a skin, carried into the volume under it: skinning weights, blendshapes, painted values.

mod operators;
mod weights;

use math::{Factor, Mat, Small, Vect};
use operators::Terms;
pub(crate) use operators::solid;
pub use operators::{Sparse, bending, lumped, stiffness};
pub use weights::{carry_weights, share_out};

use crate::{BodyOf, Embedding, Mesh, Near};

/// How values go on where they are not known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Smoothness {
    /// As heat spreads: no value outside the range of the known ones (to the quality of the elements), kinks at them.
    Harmonic,
    /// As a plate bends: smooth at the known values, exact for linear functions; may overshoot.
    #[default]
    Biharmonic,
}

/// How much a known value outweighs smoothness, in units of a mean vertex, where there are many. Elements cannot follow a
/// curved function exactly; if they are made to, points a little above and a little below the skin tear at the
/// vertices inside (at 1e4 the error in there is ten times what it is at 10).
const STRENGTH: f64 = 10.0;
/// And where a known value is alone.
const STRENGTH_ALONE: f64 = 1e3;
/// How much of ∫|∇u|² is mixed into bending, for parts whose few known values leave it undecided.
const CAUTION: f64 = 1e-9;

/// Carries columns of values, known at points, to all vertices of the mesh: the smoothest function whose values at the
/// points are nearly the known ones. Where there are more points than the mesh can follow it takes a mean.
///
///   at       where the points are in the mesh; [`Embedding::nearest`] keeps this fast
///   columns  one number per point each; those that are not numbers count as 0
///
/// A part of the mesh that holds no point takes the value of the point nearest to it, as a whole. Without any point all is
/// 0. All columns are solved with one factorization.
pub fn carry<const D: usize>(
    mesh: &Mesh<D>,
    at: &Embedding,
    columns: &[Vec<f64>],
    smoothness: Smoothness,
) -> Vec<Vec<f64>>
where
    Mat<D>: Small<D>,
{
    let n = mesh.rest.len();
    let nearest = known_by_distance(mesh, at);
    let value = |column: &Vec<f64>, k: usize| column.get(k).copied().filter(|v| v.is_finite()).unwrap_or(0.0);
    let from_nearest = |column: &Vec<f64>| -> Vec<f64> {
        nearest.iter().map(|k| k.map_or(0.0, |k| value(column, k as usize))).collect()
    };
    let held = held_parts(mesh, at);
    let Some((mut factor, strength)) = prepare(mesh, at, smoothness, &held) else {
        return columns.iter().map(from_nearest).collect();
    };
    // u − the mean of the known values is solved for, so that constants come out exact
    let mut all = vec![0.0; n * columns.len()];
    let means: Vec<f64> = columns
        .iter()
        .map(|column| (0..at.len()).map(|k| value(column, k)).sum::<f64>() / at.len().max(1) as f64)
        .collect();
    for ((b, column), mean) in all.chunks_exact_mut(n).zip(columns).zip(&means) {
        for k in 0..at.len() {
            let (vertices, weights) = at.of(k);
            for (&v, w) in vertices.iter().zip(weights).filter(|(v, _)| held[**v as usize]) {
                b[v as usize] += strength[k] * w * (value(column, k) - mean);
            }
        }
    }
    factor.solve_many(&mut all);
    let mut carried = vec![];
    for ((u, column), mean) in all.chunks_exact(n).zip(columns).zip(&means) {
        let else_nearest = u.iter().zip(&held).zip(from_nearest(column));
        carried.push(else_nearest.map(|((u, held), near)| if *held { u + mean } else { near }).collect());
    }
    carried
}

/// The same for points that are given by their positions, where each acts on its own body only.
pub fn carry_by_body<const D: usize>(
    mesh: &Mesh<D>,
    points: &[Vect<D>],
    body_of: BodyOf<'_>,
    columns: &[Vec<f64>],
    smoothness: Smoothness,
) -> Vec<Vec<f64>>
where
    Mat<D>: Small<D>,
{
    carry(mesh, &Embedding::nearest(mesh, points, Some(body_of)), columns, smoothness)
}

/// Which vertices are joined, by elements that have a volume, to one that holds a known point.
fn held_parts<const D: usize>(mesh: &Mesh<D>, at: &Embedding) -> Vec<bool>
where
    Mat<D>: Small<D>,
{
    let part = mesh.connected_by_volume();
    let mut held = vec![false; mesh.rest.len()];
    for k in 0..at.len() {
        let (vertices, weights) = at.of(k);
        for (&v, _) in vertices.iter().zip(weights).filter(|(_, w)| **w != 0.0) {
            held[part[v as usize] as usize] = true; // there are at most as many parts as vertices
        }
    }
    part.iter().map(|&p| held[p as usize]).collect()
}

/// For each vertex, the known point that is nearest to the part it belongs to; none where there are no points.
fn known_by_distance<const D: usize>(mesh: &Mesh<D>, at: &Embedding) -> Vec<Option<u32>>
where
    Mat<D>: Small<D>,
{
    let points = at.positions(&mesh.rest);
    let numbers: Vec<u32> = (0..points.len() as u32).filter(|&k| !at.of(k as usize).0.is_empty()).collect();
    let near = Near::new(&points, numbers.chunks(1).map(|k| (k[0], k)));
    let part = mesh.connected_by_volume();
    let held = held_parts(mesh, at);
    let mut best: Vec<Option<(f64, u32)>> = vec![None; mesh.rest.len()];
    for v in (0..mesh.rest.len()).filter(|&v| !held[v]) {
        let best = &mut best[part[v] as usize];
        let found = near.nearest(&mesh.rest[v]);
        if best.is_none_or(|b| found.is_some_and(|f| f.0 < b.0)) {
            *best = found;
        }
    }
    (0..mesh.rest.len())
        .map(|v| match held[v] {
            true => near.nearest(&mesh.rest[v]).map(|(_, k)| k),
            false => best[part[v] as usize].map(|(_, k)| k),
        })
        .collect()
}

/// The factor of smoothness + Σ strength (E u)², on the vertices that are held, and the strength of each point.
fn prepare<const D: usize>(
    mesh: &Mesh<D>,
    at: &Embedding,
    smoothness: Smoothness,
    held: &[bool],
) -> Option<(Factor<1>, Vec<f64>)>
where
    Mat<D>: Small<D>,
{
    let n = mesh.rest.len();
    let mean = |matrix: &Sparse| (0..n).map(|v| matrix.diagonal(v)[0]).sum::<f64>() / n as f64;
    let L = stiffness(mesh);
    let smooth = if smoothness == Smoothness::Harmonic { None } else { Some(bending(mesh)) };
    let smooth = smooth.filter(|B| mean(B) > 0.0); // a single element does not bend
    let may_bend = smoothness == Smoothness::Biharmonic;
    let unit = mean(smooth.as_ref().unwrap_or(&L));
    if !(unit > 0.0) || !mean(&L).is_finite() || !unit.is_finite() {
        return None;
    }
    let strength: Vec<f64> = strengths(at, n).iter().map(|s| s * unit).collect();
    let mut caution = if may_bend { CAUTION } else { 1.0 };
    while caution <= 1.0 {
        let mut terms = Terms::default();
        if let Some(smooth) = &smooth {
            terms.add_matrix(1.0, smooth);
        }
        terms.add_matrix(caution * unit / mean(&L), &L);
        for k in 0..at.len() {
            let (vertices, weights) = at.of(k);
            terms.add(strength[k], vertices.iter().copied().zip(weights.iter().copied()));
        }
        for v in (0..n as u32).filter(|&v| !held[v as usize]) {
            terms.add(unit, std::iter::once((v, 1.0)));
        }
        let matrix = terms.matrix(n);
        let mut factor = Factor::new(&matrix);
        if factor.factorize(&matrix).is_ok() {
            return Some((factor, strength));
        }
        caution *= 1e3;
    }
    None
}

/// How much each point counts. One far outside says less: it hangs on a long lever.
fn strengths(at: &Embedding, vertices: usize) -> Vec<f64> {
    let mut load = vec![0.0; vertices];
    at.vertices.iter().zip(&at.weights).for_each(|(&v, w)| load[v as usize] += w.abs());
    let strength = |k: usize| {
        let row = || at.of(k).0.iter().zip(at.of(k).1);
        let length: f64 = row().map(|(_, w)| w * w).sum();
        let crowd = row().map(|(&v, w)| w.abs() * load[v as usize]).sum::<f64>() / length; // 1 where it is alone
        (STRENGTH + STRENGTH_ALONE / crowd.max(1.0).powi(4)) / length.max(1.0).powi(2)
    };
    (0..at.len()).map(|k| if at.of(k).0.is_empty() { 0.0 } else { strength(k) }).collect()
}

#[cfg(test)]
mod tests;
