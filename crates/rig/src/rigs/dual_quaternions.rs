//! Skinning that keeps volume where bones twist.

use math::Vect;
use nalgebra::SVector;

use super::rigid_handles::{fit_together, of_handles, per_handle};
use super::rotation::{constant, matrix, quaternion, turns};
use super::{Motion, Number, RigError, Weights};

/// Dual quaternion skinning [KCZO08]: the rigid maps of the bones are blended as unit dual quaternions,
/// q = Σ_b ±w_b q_b / |Σ_b ±w_b q_b|, so that each vertex moves by a rigid map. Signs are taken on the side of the heaviest bone.
///   c_b   the bone's rest point                                           [m]
///   p     for each bone its rotation vector about c_b (the angle in the plane, axis times angle in space), then its
///         shift t_b: 3 numbers in the plane, 6 in space                   [rad], [m]
#[derive(Clone, Debug)]
pub struct DualQuaternions<const D: usize> {
    rest: Vec<Vect<D>>,
    weights: Weights,
    points: Vec<Vect<D>>,
}

impl<const D: usize> DualQuaternions<D> {
    /// From rest positions [m], weights, and the point about which each bone turns [m].
    pub fn new(rest: Vec<Vect<D>>, weights: Weights, points: Vec<Vect<D>>) -> Result<Self, RigError> {
        fit_together("rest points of bones", &rest, &weights, &points)?;
        Ok(Self { rest, weights, points })
    }
}

/// A quaternion: scalar, then vector.
type Four<N> = SVector<N, 4>;

/// The Hamilton product.
fn product<N: Number>(a: &Four<N>, b: &Four<N>) -> Four<N> {
    Four::from([
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    ])
}

/// A shift as a quaternion without scalar; the plane is z = 0.
fn pure<N: Number, const D: usize>(t: &SVector<N, D>) -> Four<N> {
    Four::from_fn(|i, _| if i > 0 && i <= D { t[i - 1] } else { N::zero() })
}

impl<const D: usize> Motion<D> for DualQuaternions<D> {
    /// rotation q and dual part ½ t q of each bone
    type Shared<N: Number> = Vec<(Four<N>, Four<N>)>;

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
        let bone = |(p, c): (&[N], &Vect<D>)| {
            let (w, v) = quaternion(&p[..turns(D)]);
            let c = constant::<N, D>(c);
            let t = c - matrix::<N, D>((w, v)) * c + SVector::from_fn(|i, _| p[turns(D) + i]);
            let q = Four::from([w, v[0], v[1], v[2]]);
            (q, product(&pure(&t), &q) * N::from(0.5))
        };
        p.chunks_exact(per_handle(D)).zip(&self.points).map(bone).collect()
    }
    fn place<N: Number>(&self, v: usize, bones: &Self::Shared<N>) -> SVector<N, D> {
        let (mut q, mut dual) = (Four::zeros(), Four::zeros());
        let heaviest = self.weights.of(v).fold((0, f64::MIN), |a, b| if b.1 > a.1 { b } else { a }).0;
        for (b, w) in self.weights.of(v) {
            let side = if bones[b].0.dot(&bones[heaviest].0).re() < 0.0 { -w } else { w };
            q += bones[b].0 * N::from(side);
            dual += bones[b].1 * N::from(side);
        }
        // on the side of the heaviest bone the sum is never shorter than its weight
        let length = q.dot(&q).sqrt();
        let (q, dual) = (q / length, dual / length);
        let back = Four::from([q[0], -q[1], -q[2], -q[3]]);
        let t = product(&dual, &back) * N::from(2.0);
        matrix::<N, D>((q[0], [q[1], q[2], q[3]])) * constant::<N, D>(&self.rest[v]) + SVector::from_fn(|i, _| t[i + 1])
    }
    fn moved_by(&self, v: usize) -> Vec<u32> {
        of_handles(&self.weights, v, per_handle(D))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rigs::RigidHandles;
    use crate::rigs::check::{check_rig_around_rest, positions};
    use crate::rigs::rigid_handles::tests::bar;
    use crate::rigs::skeleton::tests::ramp;

    #[test]
    fn its_jacobian_is_right_in_the_plane_and_in_space() {
        let (X, weights, ends) = bar([4, 2]);
        check_rig_around_rest(&DualQuaternions::new(X, weights, ends).unwrap(), 1.2);
        let (X, weights, ends) = bar([3, 2, 1]);
        check_rig_around_rest(&DualQuaternions::new(X, weights, ends).unwrap(), 1.2);
    }

    #[test]
    fn a_twisted_bar_keeps_its_cross_section_where_linear_blending_collapses() {
        let mesh = mesh::block([8, 2, 2], Vect::from([4.0, 1.0, 1.0]));
        let X = &mesh.rest;
        let ends = vec![Vect::from([0.0, 0.5, 0.5]), Vect::from([4.0, 0.5, 0.5])];
        let twist = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 3.1, 0.0, 0.0, 0.0, 0.0, 0.0];
        // the distance of a corner in the middle of the bar from its axis, √½ at rest
        let corner = X.iter().position(|X| *X == Vect::from([2.0, 0.0, 0.0])).unwrap();
        let reach = |x: &[Vect<3>]| (x[corner] - Vect::from([2.0, 0.5, 0.5])).norm();
        let linear = positions(&RigidHandles::new(X.clone(), ramp(X), ends.clone()).unwrap(), &twist);
        let dual = positions(&DualQuaternions::new(X.clone(), ramp(X), ends).unwrap(), &twist);
        assert!(reach(&linear) < 0.03, "linear blending should collapse: {}", reach(&linear));
        assert!((reach(&dual) - 0.5f64.sqrt()).abs() < 1e-12, "{}", reach(&dual));
    }

    #[test]
    fn bones_that_move_alike_move_the_body_rigidly_and_a_full_turn_is_none() {
        let X = mesh::block([3, 2, 1], Vect::from([2.0, 1.0, 1.0])).rest;
        let rig = DualQuaternions::new(X.clone(), ramp(&X), vec![X[3]; 2]).unwrap();
        let x = positions(&rig, &[0.4, -1.0, 0.3, 0.1, 0.2, 0.3].repeat(2));
        let R = nalgebra::Rotation3::from_scaled_axis(Vect::from([0.4, -1.0, 0.3]));
        for (x, X_v) in x.iter().zip(&X) {
            assert!((x - X[3] - Vect::from([0.1, 0.2, 0.3]) - R * (X_v - X[3])).norm() < 1e-14);
        }
        let turn = [0.0, 0.0, std::f64::consts::TAU, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
        assert!(positions(&rig, &turn).iter().zip(&X).all(|(x, X)| (x - X).norm() < 1e-12));
    }
}
