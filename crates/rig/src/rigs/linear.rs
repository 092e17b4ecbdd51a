//! A rig that is affine in its parameters: x = x₀ + Jr p.

use math::Vect;

use super::{Jacobian, Rig};

/// x = x₀ + Jr p. Blendshapes, cages and affine handles are all this, with different matrices.
#[derive(Clone, Debug)]
pub struct Linear<const D: usize> {
    /// x₀: where vertices are when all parameters are 0 [m]
    pub base: Vec<Vect<D>>,
    /// Jr
    pub jacobian: Jacobian<D>,
    /// the parameters of the rest pose
    pub rest: Vec<f64>,
}

impl<const D: usize> Rig<D> for Linear<D> {
    fn parameters(&self) -> usize {
        self.jacobian.parameters
    }
    fn vertices(&self) -> usize {
        self.base.len()
    }
    fn rest(&self) -> Vec<f64> {
        self.rest.clone()
    }
    fn positions(&self, p: &[f64], x: &mut [Vect<D>]) {
        self.jacobian.times(p, x);
        for (x, base) in x.iter_mut().zip(&self.base) {
            *x += base;
        }
    }
    fn jacobian(&self, _: &[f64]) -> Jacobian<D> {
        self.jacobian.clone()
    }
    fn is_linear(&self) -> bool {
        true
    }
}
