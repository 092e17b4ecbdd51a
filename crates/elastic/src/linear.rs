//! Linear elasticity.

use math::{Mat, Small};

use crate::registry::FromLame;
use crate::{Lame, Material, Tangent};

/// Linear elasticity: ψ = μ ‖ε‖² + λ/2 tr²ε, ε = (F + Fᵀ)/2 − I. The forces are linear in the displacement; a rotation
/// is taken for a deformation, so use it for small ones only.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Linear(Lame);

impl FromLame for Linear {
    fn from_lame(lame: Lame) -> Self {
        Self(lame)
    }
}

fn strain<const D: usize>(F: &Mat<D>) -> Mat<D> {
    0.5 * (F + F.transpose()) - Mat::identity()
}

impl<const D: usize> Material<D> for Linear
where
    Mat<D>: Small<D>,
{
    fn psi(&self, F: &Mat<D>) -> f64 {
        let e = strain(F);
        self.0.mu * e.norm_squared() + 0.5 * self.0.lambda * e.trace().powi(2)
    }
    fn stress(&self, F: &Mat<D>) -> Mat<D> {
        let e = strain(F);
        2.0 * self.0.mu * e + self.0.lambda * e.trace() * Mat::identity()
    }
    fn tangent(&self, _: &Mat<D>) -> Tangent<D> {
        let off = Mat::from_fn(|i, j| if i == j { 0.0 } else { 2.0 * self.0.mu });
        Tangent {
            U: Mat::identity(),
            V: Mat::identity(),
            stretch: (2.0 * self.0.mu * Mat::<D>::identity()).add_scalar(self.0.lambda),
            twist: Mat::zeros(),
            flip: off,
        }
    }
    fn is_objective(&self) -> bool {
        false
    }
}

#[cfg(test)]
crate::check::check_material!(Linear, Linear);
