//! Handles that turn and shift, but never stretch.

use math::Vect;
use nalgebra::{SMatrix, SVector};

use super::error::{all_finite, same_length};
use super::rotation::{constant, matrix, quaternion, turns};
use super::{Motion, Number, RigError, Weights};

/// Rigid handles: x = Σ_b w_b (R(r_b)(X − c_b) + c_b + t_b).
///   c_b   the handle's rest point                                         [m]
///   p     for each handle its rotation vector r_b (the angle in the plane, axis times angle in space), then its shift
///         t_b: 3 numbers in the plane, 6 in space                         [rad], [m]
#[derive(Clone, Debug)]
pub struct RigidHandles<const D: usize> {
    rest: Vec<Vect<D>>,
    weights: Weights,
    points: Vec<Vect<D>>,
}

impl<const D: usize> RigidHandles<D> {
    /// From rest positions [m], weights, and the point about which each handle turns [m].
    pub fn new(rest: Vec<Vect<D>>, weights: Weights, points: Vec<Vect<D>>) -> Result<Self, RigError> {
        fit_together("rest points of handles", &rest, &weights, &points)?;
        Ok(Self { rest, weights, points })
    }
}

/// Whether rest positions, weights and the rest points of handles belong to each other.
pub(super) fn fit_together<const D: usize>(
    what: &'static str,
    rest: &[Vect<D>],
    weights: &Weights,
    points: &[Vect<D>],
) -> Result<(), RigError> {
    same_length("weights", rest.len(), weights.vertices())?;
    same_length(what, weights.handles(), points.len())?;
    all_finite("rest positions", rest)?;
    all_finite(what, points)
}

/// The numbers of each handle.
pub(super) const fn per_handle(dimension: usize) -> usize {
    turns(dimension) + dimension
}

/// The parameters of the handles that have a weight on a vertex.
pub(super) fn of_handles(weights: &Weights, vertex: usize, each: usize) -> Vec<u32> {
    weights.of(vertex).flat_map(|(b, _)| (b * each) as u32..((b + 1) * each) as u32).collect()
}

impl<const D: usize> Motion<D> for RigidHandles<D> {
    type Shared<N: Number> = Vec<(SMatrix<N, D, D>, SVector<N, D>)>;

    fn parameters(&self) -> usize {
        self.points.len() * per_handle(D)
    }
    fn vertices(&self) -> usize {
        self.rest.len()
    }
    fn rest(&self) -> Vec<f64> {
        vec![0.0; self.points.len() * per_handle(D)]
    }
    fn share<N: Number>(&self, p: &[N]) -> Self::Shared<N> {
        let map = |(p, c): (&[N], &Vect<D>)| {
            let (R, c) = (matrix::<N, D>(quaternion(&p[..turns(D)])), constant::<N, D>(c));
            (R, c - R * c + SVector::from_fn(|i, _| p[turns(D) + i]))
        };
        p.chunks_exact(per_handle(D)).zip(&self.points).map(map).collect()
    }
    fn place<N: Number>(&self, v: usize, maps: &Self::Shared<N>) -> SVector<N, D> {
        let X = constant::<N, D>(&self.rest[v]);
        self.weights.of(v).fold(SVector::zeros(), |x, (b, w)| x + (maps[b].0 * X + maps[b].1) * N::from(w))
    }
    fn moved_by(&self, v: usize) -> Vec<u32> {
        of_handles(&self.weights, v, per_handle(D))
    }
}

#[cfg(test)]
pub(super) mod tests {
    use math::{Mat, Small};

    use super::*;
    use crate::rigs::check::{check_rig_around_rest, positions};
    use crate::rigs::skeleton::tests::ramp;

    /// A bar with a handle at either end.
    pub fn bar<const D: usize>(cells: [usize; D]) -> (Vec<Vect<D>>, Weights, Vec<Vect<D>>)
    where
        Mat<D>: Small<D>,
    {
        let size = Vect::from_fn(|i, _| if i == 0 { 2.0 } else { 1.0 });
        let X = mesh::block(cells, size).rest;
        let ends = vec![X[0], Vect::from_fn(|i, _| if i == 0 { 2.0 } else { 0.5 })];
        let weights = ramp(&X);
        (X, weights, ends)
    }

    #[test]
    fn its_jacobian_is_right_in_the_plane_and_in_space() {
        let (X, weights, ends) = bar([4, 2]);
        check_rig_around_rest(&RigidHandles::new(X, weights, ends).unwrap(), 2.0);
        let (X, weights, ends) = bar([3, 2, 1]);
        check_rig_around_rest(&RigidHandles::new(X, weights, ends).unwrap(), 2.0);
    }

    #[test]
    fn one_handle_keeps_all_distances_and_turns_about_its_point() {
        let X = mesh::block([3, 2, 1], Vect::from([2.0, 1.0, 1.0])).rest;
        let one = Weights::new(1, X.iter().map(|_| vec![(0, 1.0)])).unwrap();
        let rig = RigidHandles::new(X.clone(), one, vec![X[5]]).unwrap();
        let x = positions(&rig, &[1.0, -2.0, 0.5, 0.1, 0.2, 0.3]);
        assert!((x[5] - X[5] - Vect::from([0.1, 0.2, 0.3])).norm() < 1e-14);
        for a in 0..X.len() {
            for b in 0..a {
                assert!(((x[a] - x[b]).norm() - (X[a] - X[b]).norm()).abs() < 1e-14);
            }
        }
        assert!((x[0] - X[0]).norm() > 0.5);
    }
}
