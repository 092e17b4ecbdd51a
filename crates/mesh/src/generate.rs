//! Meshes made of nothing: blocks and discs.

use math::{Mat, Small, Vect};

use crate::Mesh;

/// A block of `cells` in each direction and of this size [m], one corner at the origin.
///
/// A cell is cut along the diagonal into D! simplices (Kuhn). Every second cell is mirrored, so that the mesh has no
/// preferred diagonal.
pub fn block<const D: usize>(cells: [usize; D], size: Vect<D>) -> Mesh<D>
where
    Mat<D>: Small<D>,
{
    let numbers = |counts: [usize; D]| {
        let total = counts.iter().product::<usize>();
        (0..total).map(move |mut k| {
            let mut at = [0; D];
            for i in (0..D).rev() {
                at[i] = k % counts[i];
                k /= counts[i];
            }
            at
        })
    };
    let points = cells.map(|n| n + 1);
    let vertex = |at: [usize; D]| at.iter().zip(points).fold(0, |k, (&i, n)| k * n + i) as u32;
    let rest = numbers(points).map(|at| Vect::from_fn(|i, _| size[i] * at[i] as f64 / cells[i] as f64)).collect();
    let mut mesh = Mesh { rest, corners: vec![] };
    for cell in numbers(cells) {
        for order in orders::<D>() {
            let mut at: [usize; D] = std::array::from_fn(|i| cell[i] + cell[i] % 2);
            let first = mesh.corners.len();
            mesh.corners.push(vertex(at));
            for axis in order {
                at[axis] = cell[axis] + 1 - cell[axis] % 2;
                mesh.corners.push(vertex(at));
            }
            if Mesh::<D>::edges(&mesh.corners[first..], &mesh.rest).det() < 0.0 {
                mesh.corners.swap(first, first + 1);
            }
        }
    }
    mesh
}

/// All orders of the D axes.
fn orders<const D: usize>() -> Vec<[usize; D]> {
    let mut all = vec![];
    for code in 0..D.pow(D as u32) {
        let order: [usize; D] = std::array::from_fn(|i| code / D.pow(i as u32) % D);
        if (0..D).all(|axis| order.contains(&axis)) {
            all.push(order);
        }
    }
    all
}

/// A disc of this radius [m] around the origin, in `rings` of triangles.
pub fn disc(rings: usize, radius: f64) -> Mesh<2> {
    let mut mesh = Mesh { rest: vec![Vect::zeros()], corners: vec![] };
    // Ring r has 6r vertices, the first of them on the x axis.
    let first = |r: usize| if r == 0 { 0 } else { 1 + 3 * r * (r - 1) };
    let vertex = |r: usize, k: usize| (first(r) + if r == 0 { 0 } else { k % (6 * r) }) as u32;
    for r in 1..=rings {
        for k in 0..6 * r {
            let angle = std::f64::consts::TAU * k as f64 / (6 * r) as f64;
            mesh.rest.push(radius * r as f64 / rings as f64 * Vect::from([angle.cos(), angle.sin()]));
        }
        for side in 0..6 {
            for k in 0..r {
                let (outer, inner) = (side * r + k, side * (r - 1) + k);
                mesh.corners.extend([vertex(r, outer), vertex(r, outer + 1), vertex(r - 1, inner)]);
                if k + 1 < r {
                    mesh.corners.extend([vertex(r - 1, inner), vertex(r, outer + 1), vertex(r - 1, inner + 1)]);
                }
            }
        }
    }
    mesh
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_filled_without_gaps_or_overlaps() {
        let mesh = block([3, 2, 4], Vect::from([1.5, 1.0, 4.0]));
        let volumes = mesh.volumes(&mesh.rest);
        assert_eq!((mesh.rest.len(), volumes.len()), (4 * 3 * 5, 6 * 24));
        assert!(volumes.iter().all(|v| (v - 6.0 / 144.0).abs() < 1e-15));
        assert_eq!(mesh.boundary().len() / 3, 2 * 2 * (3 * 2 + 2 * 4 + 3 * 4), "neighbouring cells do not fit");
        let plane = block([3, 2], Vect::from([3.0, 1.0]));
        assert_eq!((plane.element_count(), plane.boundary().len() / 2), (12, 10));
    }

    #[test]
    fn a_disc_is_round() {
        let mesh = disc(12, 2.0);
        let area: f64 = mesh.volumes(&mesh.rest).iter().sum();
        assert!(mesh.volumes(&mesh.rest).iter().all(|a| *a > 0.0));
        assert!((area / (4.0 * std::f64::consts::PI) - 1.0).abs() < 2e-3, "{area}");
        assert_eq!(mesh.boundary().len() / 2, 72);
    }
}
