//! Rotations nearest to matrices that change little from one iteration to the next.

use math::{Mat, Small, Vect};

/// Newton's steps before the general way is taken.
const TRIES: usize = 4;
/// S may be unsymmetric by this share of its size.
const SKEW: f64 = 1e-14;

/// The rotation R for which tr(RᵀA) is largest, near a rotation it was before. It is found when S = RᵀA is symmetric and
/// tr(S) 1 − S is positive; Newton's method on the first takes about two steps, and the second is checked.
pub(super) fn nearest(A: &Mat<3>, before: &Mat<3>) -> Mat<3> {
    let (mut R, size) = (*before, A.norm());
    for _ in 0..TRIES {
        let S = R.transpose() * A;
        let skew = Vect::<3>::new(S.m32 - S.m23, S.m13 - S.m31, S.m21 - S.m12);
        // ∂/∂w of tr((R exp[w])ᵀ A) = skew − G w + …, G = tr(S) 1 − sym S
        let G = Mat::from_diagonal_element(S.trace()) - 0.5 * (S + S.transpose());
        let (first, second, det) = (G.m11, G.m11 * G.m22 - G.m12 * G.m12, G.det());
        if !(first > 0.0 && second > 1e-3 * size * size && det > 1e-3 * size * size * size) {
            break; // not near, or almost inverted
        }
        if skew.norm() <= SKEW * size {
            // errors of many products would add up: one step of Newton and Schulz takes them off
            return R * (Mat::from_diagonal_element(1.5) - 0.5 * R.transpose() * R);
        }
        let w: Vect<3> = G.cofactor() * skew / det;
        if !(w.norm_squared() < 1.0) {
            break;
        }
        R *= turn(&w);
    }
    A.signed_polar().R
}

/// A rotation by about w: the one with the quaternion (1, w/2), scaled.
fn turn(w: &Vect<3>) -> Mat<3> {
    let half = 0.5 * w;
    let square = half.norm_squared();
    let cross = half.cross_matrix();
    let outer = half * half.transpose();
    (Mat::from_diagonal_element(1.0 - square) + 2.0 * (outer + cross)) / (1.0 + square)
}

#[cfg(test)]
mod tests {
    use math::check::Random;

    use super::*;

    #[test]
    fn it_is_the_polar_rotation_wherever_it_starts() {
        let mut random = Random::new(12);
        for k in 0..2000 {
            let A: Mat<3> = random.matrix() + Mat::from_diagonal_element([0.0, 2.0, 20.0][k % 3]);
            let exact = A.signed_polar().R;
            let far: Vect<3> = [1e-9, 1e-3, 0.3, 3.0][k % 4] * random.vector::<3>();
            let found = nearest(&A, &(exact * turn(&far)));
            assert!((found.transpose() * found - Mat::identity()).amax() < 1e-14);
            // where two stretches nearly cancel the rotation itself is not well told, but the trace is
            let trace = exact.dot(&A);
            assert!((found.dot(&A) - trace).abs() <= 1e-13 * A.norm(), "{A} {found} {exact}");
        }
    }

    #[test]
    fn a_rotation_stays_one_over_many_steps() {
        let mut random = Random::new(13);
        let (mut R, mut A) = (Mat::<3>::identity(), Mat::<3>::identity());
        for _ in 0..100_000 {
            A = turn(&(0.05 * random.vector::<3>())) * A;
            R = nearest(&A, &R);
        }
        assert!((R.transpose() * R - Mat::identity()).amax() < 1e-13);
    }
}
