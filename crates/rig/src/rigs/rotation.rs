//! Rotations from rotation vectors, for any kind of number.

use nalgebra::{Quaternion, SMatrix, SVector};

use super::Number;

/// Numbers in a rotation vector: an angle in the plane, axis times angle in space [rad].
pub(super) const fn turns(dimension: usize) -> usize {
    dimension * (dimension - 1) / 2
}

/// A rotation vector of the plane or of space, as one of space: the plane turns about z.
fn lifted<N: Number>(r: &[N]) -> [N; 3] {
    match r {
        [x, y, z] => [*x, *y, *z],
        [angle] => [N::zero(), N::zero(), *angle],
        _ => [N::zero(); 3],
    }
}

/// The unit quaternion (scalar, vector) of a rotation vector; smooth at zero, where the angle itself is not.
pub(super) fn quaternion<N: Number>(r: &[N]) -> (N, [N; 3]) {
    let r = lifted(r);
    let s = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
    let (cos, sin) = if s.re() < 1e-4 {
        // in the squared angle s: cos(√s/2) and sin(√s/2)/√s
        (
            ((s * (-1.0 / 46080.0) + 1.0 / 384.0) * s - 1.0 / 8.0) * s + 1.0,
            ((s * (-1.0 / 645120.0) + 1.0 / 3840.0) * s - 1.0 / 48.0) * s + 0.5,
        )
    } else {
        let angle = s.sqrt();
        ((angle * 0.5).cos(), (angle * 0.5).sin() / angle)
    };
    (cos, r.map(|x| x * sin))
}

/// The rotation matrix of a unit quaternion; in the plane, that of its turn about z.
pub(super) fn matrix<N: Number, const D: usize>((w, [x, y, z]): (N, [N; 3])) -> SMatrix<N, D, D> {
    let two = N::from(2.0);
    let R = [
        [N::one() - two * (y * y + z * z), two * (x * y - w * z), two * (x * z + w * y)],
        [two * (x * y + w * z), N::one() - two * (x * x + z * z), two * (y * z - w * x)],
        [two * (x * z - w * y), two * (y * z + w * x), N::one() - two * (x * x + y * y)],
    ];
    SMatrix::from_fn(|i, j| R[i][j])
}

/// A constant vector as one of these numbers.
pub(super) fn constant<N: Number, const D: usize>(x: &SVector<f64, D>) -> SVector<N, D> {
    x.map(N::from)
}

/// The rotation vector of a quaternion, angle at most π [rad]: what animation curves become as parameters.
pub fn rotation_vector(q: &Quaternion<f64>) -> SVector<f64, 3> {
    nalgebra::UnitQuaternion::try_new(*q, 1e-12).unwrap_or_default().scaled_axis()
}

#[cfg(test)]
mod tests {
    use super::*;
    use math::Vect;

    #[test]
    fn rotation_vectors_agree_with_nalgebra_also_where_the_series_takes_over() {
        for angle in [0.0, 1e-9, 0.0099, 0.0101, 0.5, 3.0, 7.0] {
            let r = angle * Vect::from([0.36, -0.48, 0.8]);
            let expected = nalgebra::Rotation3::from_scaled_axis(r);
            let R: SMatrix<f64, 3, 3> = matrix(quaternion(r.as_slice()));
            assert!((R - expected.matrix()).norm() < 1e-14, "{angle}");
            let R: SMatrix<f64, 2, 2> = matrix(quaternion(&[angle]));
            assert!((R - nalgebra::Rotation2::new(angle).matrix()).norm() < 1e-14, "{angle}");
        }
        let q = nalgebra::UnitQuaternion::from_scaled_axis(Vect::from([0.1, 0.7, -0.2]));
        assert!((rotation_vector(&(*q * 3.0)) - Vect::from([0.1, 0.7, -0.2])).norm() < 1e-14);
    }
}
