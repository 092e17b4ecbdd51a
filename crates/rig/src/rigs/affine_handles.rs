//! Handles that carry an affine map each.

use math::Vect;

use super::error::{all_finite, same_length};
use super::{Jacobian, Linear, RigError, Weights};

/// Affine handles: x = Σ_b w_b (A_b X + t_b), linear blend skinning without a skeleton [JBPS11].
///   X         rest points                    D          [m]
///   p         the rows of [A_b t_b], handle after handle: D × (D + 1) numbers each    [1], [m]
pub fn affine_handles<const D: usize>(rest: &[Vect<D>], weights: &Weights) -> Result<Linear<D>, RigError> {
    same_length("weights", rest.len(), weights.vertices())?;
    all_finite("rest positions", rest)?;
    let rows = rest.iter().enumerate().map(|(v, X)| map_row(X, weights.of(v)));
    Ok(Linear {
        base: vec![Vect::zeros(); rest.len()],
        jacobian: Jacobian::from_rows(weights.handles() * D * (D + 1), rows),
        rest: identities::<D>(weights.handles()),
    })
}

/// The rows of [1 0], once per handle.
pub(super) fn identities<const D: usize>(handles: usize) -> Vec<f64> {
    let entry = |k: usize| if k / (D + 1) % D == k % (D + 1) { 1.0 } else { 0.0 };
    (0..handles * D * (D + 1)).map(entry).collect()
}

/// ∂x/∂[A_b t_b] of a point X: w_b X_j e_i and w_b e_i.
pub(super) fn map_row<const D: usize>(X: &Vect<D>, weights: impl Iterator<Item = (usize, f64)>) -> Vec<(u32, Vect<D>)> {
    let mut row = vec![];
    for (b, w) in weights {
        for i in 0..D {
            for j in 0..=D {
                let mut value = Vect::zeros();
                value[i] = w * if j < D { X[j] } else { 1.0 };
                row.push(((b * D * (D + 1) + i * (D + 1) + j) as u32, value));
            }
        }
    }
    row
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rigs::check::{check_rig_around_rest, positions};
    use crate::rigs::skeleton::tests::ramp;

    #[test]
    fn one_map_for_all_handles_moves_every_point_by_it() {
        let X = mesh::block([4, 2], Vect::from([2.0, 1.0])).rest;
        let rig = affine_handles(&X, &ramp(&X)).unwrap();
        check_rig_around_rest(&rig, 1.0);
        let map = [1.1, -0.4, 3.0, 0.2, 0.7, -1.0];
        for (x, X) in positions(&rig, &map.repeat(2)).iter().zip(&X) {
            let expected = Vect::from([1.1 * X[0] - 0.4 * X[1] + 3.0, 0.2 * X[0] + 0.7 * X[1] - 1.0]);
            assert!((x - expected).norm() < 1e-14, "the weights do not sum to one");
        }
        let X = mesh::block([3, 2, 2], Vect::from([2.0, 1.0, 1.0])).rest;
        let rig = affine_handles(&X, &ramp(&X)).unwrap();
        check_rig_around_rest(&rig, 1.0);
        assert!(positions(&rig, &rig.rest).iter().zip(&X).all(|(x, X)| (x - X).norm() < 1e-15));
    }
}
