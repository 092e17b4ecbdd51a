//! From the world back into the mesh: morph targets are added before the skin moves the vertices.

use math::{Mat, Small};

/// The inverse of L, damped where L flattens: singular values below `least` are taken to be σ/least² instead of 1/σ,
/// so that a vertex on a joint scaled to nothing gets a small shape, not an infinite one.
pub(crate) fn damped_inverse(L: &Mat<3>, least: f64) -> Mat<3> {
    let inverse = L.cofactor().transpose() / L.det();
    // ‖L⁻¹‖ ≥ 1/σ of the smallest σ
    if inverse.norm() * least <= 1.0 {
        return inverse;
    }
    let svd = L.signed_svd();
    let damped = svd.sigma.map(|s| if s.abs() >= least { 1.0 / s } else { s / (least * least) });
    let inverse = svd.V * Mat::<3>::from_diagonal(&damped) * svd.U.transpose();
    if inverse.iter().all(|x| x.is_finite()) { inverse } else { Mat::zeros() }
}

/// No vector grows by more under L. Exact for rotations and uniform scales: √ of the largest row sum of LᵀL.
pub(crate) fn stretch(L: &Mat<3>) -> f64 {
    let squared = L.transpose() * L;
    (0..3).map(|i| squared.row(i).iter().map(|x| x.abs()).sum::<f64>()).fold(0.0, f64::max).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use math::Vect;
    use nalgebra::Rotation3;

    fn turned(scale: [f64; 3]) -> Mat<3> {
        Rotation3::from_euler_angles(0.3, -1.2, 2.0).matrix()
            * Mat::<3>::from_diagonal(&Vect::from(scale))
            * Rotation3::from_euler_angles(1.0, 0.2, 0.1).matrix()
    }

    #[test]
    fn what_is_not_flat_is_inverted_exactly() {
        for scale in [[1.0, 1.0, 1.0], [100.0, 100.0, 100.0], [1.0, -1.0, 0.5], [0.02, 1.0, 3.0]] {
            let L = turned(scale);
            assert!((damped_inverse(&L, 0.01) * L - Mat::identity()).norm() < 1e-12);
        }
    }

    #[test]
    fn what_is_flat_gets_a_bounded_inverse() {
        for flat in [0.0, 1e-300, 1e-12, 5e-3] {
            let inverse = damped_inverse(&turned([1.0, 0.7, flat]), 0.01);
            assert!(inverse.iter().all(|x| x.is_finite()) && stretch(&inverse) <= 200.0);
            let in_plane = turned([1.0, 0.7, flat]) * Vect::<3>::x();
            let back = turned([1.0, 0.7, flat]) * (inverse * in_plane);
            assert!((back - in_plane).norm() < 0.01 * in_plane.norm().max(0.5), "{}", (back - in_plane).norm());
        }
        assert_eq!(damped_inverse(&Mat::<3>::zeros(), 0.01), Mat::<3>::zeros());
    }

    #[test]
    fn the_stretch_bounds_all_directions_and_is_exact_for_uniform_scales() {
        assert!((stretch(&turned([100.0; 3])) - 100.0).abs() < 1e-9);
        let L = turned([3.0, 0.1, 1.0]);
        assert!(stretch(&L) >= L.signed_svd().sigma.amax());
    }
}
