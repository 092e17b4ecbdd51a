//! Bounded biharmonic weights.

use std::collections::BTreeMap;

use math::{BlockMatrix, Mat, Small};
use mesh::Mesh;
use rayon::prelude::*;

use super::automatic::nearest;
use super::laplacian::{Laplacian, fill_in, full_rows};
use super::{Bone, WeightError};

/// Bounded biharmonic weights [JBPS11]: each w_b minimises ½ ∫ (Δw)² with 0 ≤ w ≤ 1, 1 on its bone and 0 on the others. As
/// in the paper's fast variant Σ w = 1 comes by scaling afterwards.
pub(super) fn biharmonic<const D: usize>(
    mesh: &Mesh<D>,
    laplacian: &Laplacian,
    bones: &[Bone<D>],
) -> Result<Vec<Vec<f64>>, WeightError>
where
    Mat<D>: Small<D>,
{
    let n = mesh.rest.len();
    let held = held_vertices(mesh, laplacian, bones);
    let mut given = vec![false; n];
    let mut columns = vec![vec![0.0; n]; bones.len()];
    for (&v, owners) in &held {
        given[v as usize] = true;
        owners.iter().for_each(|&b| columns[b][v as usize] = 1.0 / owners.len() as f64);
    }
    let matrix = laplacian.squared();
    let flat = |e: math::NotPositive| WeightError::FlatElements { vertex: e.block };
    let mut slices: Vec<&mut [f64]> = columns.iter_mut().map(|c| c.as_mut_slice()).collect();
    fill_in(&matrix, &given, &mut slices).map_err(flat)?;
    let rows = full_rows(&matrix);
    columns.par_iter_mut().try_for_each(|w| bound(&matrix, &rows, &given, w).map(drop)).map_err(flat)?;
    Ok(columns)
}

/// Where a vertex is held in an active set.
#[derive(Clone, Copy, PartialEq)]
enum Hold {
    Free,
    Zero,
    One,
    Given,
}

/// Rounds in which held vertices are let go again where the energy pulls them inside; after these they only join, so
/// that it ends.
const ROUNDS: usize = 8;
/// Weights this small do not matter [1].
const SMALL: f64 = 1e-4;

/// From the unbounded minimiser w to the one with 0 ≤ w ≤ 1, by a primal-dual active set method: vertices beyond a bound
/// are held at it, those pulled inside are let go, until nothing changes. It starts with all vertices held that hardly move
/// with the bone, which are most of them: so each solve is small. Returns the number of solves.
fn bound(
    matrix: &BlockMatrix<1>,
    rows: &[Vec<(u32, f64)>],
    given: &[bool],
    w: &mut [f64],
) -> Result<usize, math::NotPositive> {
    let start = |(given, w): (&bool, &f64)| match *w {
        _ if *given => Hold::Given,
        w if w < 20.0 * SMALL => Hold::Zero,
        w if w > 1.0 => Hold::One,
        _ => Hold::Free,
    };
    let mut hold: Vec<Hold> = given.iter().zip(w.iter()).map(start).collect();
    let mut solves = 0;
    loop {
        for (w, hold) in w.iter_mut().zip(&hold) {
            *w = match hold {
                Hold::Zero => 0.0,
                Hold::One => 1.0,
                Hold::Free | Hold::Given => *w,
            };
        }
        let fixed: Vec<bool> = hold.iter().map(|h| *h != Hold::Free).collect();
        fill_in(matrix, &fixed, &mut [w])?;
        solves += 1;
        let mut changed = false;
        for v in 0..w.len() {
            // how far the vertex would go if it alone were let go
            let pull = || -rows[v].iter().map(|&(j, a)| a * w[j as usize]).sum::<f64>() / matrix.diagonal(v)[0];
            let next = match hold[v] {
                Hold::Free if w[v] < -SMALL => Hold::Zero,
                Hold::Free if w[v] > 1.0 + SMALL => Hold::One,
                Hold::Zero if solves < ROUNDS && pull() > SMALL => Hold::Free,
                Hold::One if solves < ROUNDS && pull() < -SMALL => Hold::Free,
                same => same,
            };
            changed |= next != hold[v];
            hold[v] = next;
        }
        if !changed {
            break;
        }
    }
    w.iter_mut().for_each(|w| *w = w.clamp(0.0, 1.0));
    Ok(solves)
}

/// The vertices that bones hold, with their owners: those nearest to points along each bone; where bones meet they share. A part that no
/// bone runs through is held where it is nearest to one.
fn held_vertices<const D: usize>(mesh: &Mesh<D>, laplacian: &Laplacian, bones: &[Bone<D>]) -> BTreeMap<u32, Vec<usize>>
where
    Mat<D>: Small<D>,
{
    let used: Vec<u32> = (0..mesh.rest.len() as u32).filter(|v| laplacian.volume[*v as usize] > 0.0).collect();
    let mut held: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    let total: f64 = laplacian.volume.iter().sum();
    let spacing = (total / used.len().max(1) as f64).powf(1.0 / D as f64);
    let mut hold = |v: u32, b: usize| {
        let owners = held.entry(v).or_default();
        if !owners.contains(&b) {
            owners.push(b);
        }
    };
    for (b, bone) in bones.iter().enumerate() {
        let length = (bone.to - bone.from).norm();
        let steps = if spacing > 0.0 { ((length / spacing).ceil() as usize).clamp(1, 1000) } else { 1 };
        for s in 0..=steps {
            let x = bone.from + (bone.to - bone.from) * (s as f64 / steps as f64);
            let all = used.iter().map(|&v| ((mesh.rest[v as usize] - x).norm_squared(), v));
            let (_, v) = all.fold((f64::INFINITY, u32::MAX), |a, b| if b.0 < a.0 { b } else { a });
            if v != u32::MAX {
                hold(v, b);
            }
        }
    }
    let part = mesh.connected_by_volume();
    let mut parts: BTreeMap<u32, (f64, u32, usize)> = BTreeMap::new();
    for (v, X) in mesh.rest.iter().enumerate() {
        let b = nearest(bones, X);
        let best = parts.entry(part[v]).or_insert((f64::INFINITY, v as u32, b));
        if bones[b].distance(X) < best.0 {
            *best = (bones[b].distance(X), v as u32, b);
        }
    }
    let mut with_bone: Vec<u32> = held.keys().map(|v| part[*v as usize]).collect();
    with_bone.sort_unstable();
    for (p, (_, v, b)) in parts {
        if with_bone.binary_search(&p).is_err() {
            held.insert(v, vec![b]);
        }
    }
    held
}

#[cfg(test)]
mod tests {
    use super::*;
    use math::Vect;

    #[test]
    fn no_weight_could_be_better_within_its_bounds() {
        let mesh = mesh::block([20, 5], Vect::from([4.0, 1.0]));
        let point = |x: f64| Bone { from: Vect::from([x, 0.5]), to: Vect::from([x, 0.5]) };
        let bones = [point(0.5), point(2.0), point(3.5)];
        let laplacian = Laplacian::new(&mesh);
        let (matrix, held) = (laplacian.squared(), held_vertices(&mesh, &laplacian, &bones));
        let rows = full_rows(&matrix);
        let mut held_at_a_bound = 0;
        for w in biharmonic(&mesh, &laplacian, &bones).unwrap() {
            for v in (0..w.len()).filter(|v| !held.contains_key(&(*v as u32))) {
                let pull = -rows[v].iter().map(|&(j, a)| a * w[j as usize]).sum::<f64>() / matrix.diagonal(v)[0];
                // inside its bounds nothing pulls; at a bound it is pulled out at most
                assert!(pull < 1e-3 || w[v] == 1.0, "vertex {v} is {} and wants up by {pull}", w[v]);
                assert!(pull > -1e-3 || w[v] == 0.0, "vertex {v} is {} and wants down by {pull}", w[v]);
                held_at_a_bound += usize::from(w[v] == 0.0 || w[v] == 1.0);
            }
        }
        assert!(held_at_a_bound > 20, "vacuous: no bound matters");
    }

    #[test]
    fn few_solves_are_enough() {
        let mesh = mesh::block([20, 5], Vect::from([4.0, 1.0]));
        let bones = [0.0, 1.0, 2.0, 3.0].map(|x| Bone { from: Vect::from([x, 0.5]), to: Vect::from([x + 1.0, 0.5]) });
        let laplacian = Laplacian::new(&mesh);
        let matrix = laplacian.squared();
        let held = held_vertices(&mesh, &laplacian, &bones);
        let given: Vec<bool> = (0..mesh.rest.len() as u32).map(|v| held.contains_key(&v)).collect();
        for b in 0..bones.len() {
            let owned = |v: u32| held.get(&v).is_some_and(|owners| owners.contains(&b));
            let mut w: Vec<f64> = (0..given.len() as u32).map(|v| if owned(v) { 1.0 } else { 0.0 }).collect();
            fill_in(&matrix, &given, &mut [&mut w]).unwrap();
            let solves = bound(&matrix, &full_rows(&matrix), &given, &mut w).unwrap();
            assert!(solves <= 2 * ROUNDS, "{solves}");
        }
    }
}
