//! How far and about what a rotation turns.

use crate::{Mat, Small, Vect};

/// A rotation as an angle in a plane: R = 1 + sin φ N + (1 − cos φ) N², with a skew N that turns by a right angle in that plane.
#[derive(Clone, Copy, Debug)]
pub struct Turn<const D: usize> {
    angle: f64,
    N: Mat<D>,
}

impl<const D: usize> Turn<D>
where
    Mat<D>: Small<D>,
{
    /// Of a rotation. One by π has two ways to go; it is taken for none.
    #[inline]
    pub fn of(R: &Mat<D>) -> Self {
        let twice = R - R.transpose(); // 2 sin φ N
        let sin = (0.125 * twice.norm_squared()).sqrt();
        let cos = 0.5 * (R.trace() - (D as f64 - 2.0));
        if sin < 1e-12 {
            return Self { angle: 0.0, N: Mat::zeros() };
        }
        Self { angle: sin.atan2(cos), N: (0.5 / sin) * twice }
    }

    /// φ N, the logarithm: what R is turned by, as a velocity that acts for a second.
    pub fn log(&self) -> Mat<D> {
        self.angle * self.N
    }

    /// Vectors, turned by so many times the angle.
    #[inline]
    pub fn times<const N: usize>(&self, share: f64, vectors: [Vect<D>; N]) -> [Vect<D>; N] {
        let (sin, cos) = (share * self.angle).sin_cos();
        let turned = sin * self.N + (1.0 - cos) * (self.N * self.N);
        vectors.map(|v| v + turned * v)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<const D: usize>(R: impl Fn(f64) -> Mat<D>, v: Vect<D>)
    where
        Mat<D>: Small<D>,
    {
        for angle in [1e-9, 1e-3, 0.5, 2.0, 3.0, -1.2] {
            let turn = Turn::of(&R(angle));
            assert!((turn.log().norm() - angle.abs() * 2f64.sqrt()).abs() < 1e-12);
            for share in [-3.0, 0.0, 0.4, 1.0, 2.5] {
                let off = (turn.times(share, [v])[0] - R(share * angle) * v).norm();
                assert!(off < 1e-13 * v.norm(), "{angle} {share}: {off}");
            }
        }
        assert_eq!(Turn::of(&Mat::<D>::identity()).times(3.0, [v]), [v]);
    }

    #[test]
    fn a_share_of_a_turn_is_the_turn_by_that_share_of_its_angle() {
        check::<2>(|a| *nalgebra::Rotation2::new(a).matrix(), Vect::from([1.0, 2.0]));
        let axis = nalgebra::Unit::new_normalize(Vect::<3>::from([1.0, -2.0, 0.5]));
        check::<3>(|a| *nalgebra::Rotation3::from_axis_angle(&axis, a).matrix(), Vect::from([1.0, 2.0, -3.0]));
    }
}
