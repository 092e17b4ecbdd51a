//! A rig in motion: where it puts all vertices at a time, and where it could put them.

use math::Vect;
use rig::{Jacobian, Rig};

/// An animated rig.
pub trait Animated<const D: usize>: Sync {
    /// Where the rig puts all vertices at time t [s, m].
    fn positions(&self, t: f64, x: &mut [Vect<D>]);
    /// Jr = ∂x/∂p of the pose at time t.
    fn jacobian(&self, t: f64) -> Jacobian<D>;
    /// Whether Jr is the same at all times.
    fn is_linear(&self) -> bool;
    /// When it teleports [s], ascending: at such a time it is already at the new place, [`crate::JUST_BEFORE`] still at the old one.
    fn jumps(&self) -> &[f64] {
        &[]
    }
}

/// A rig whose parameters are a function of time.
pub struct Performance<'a, const D: usize> {
    /// the rig
    pub rig: &'a dyn Rig<D>,
    /// its parameters at a time [s]
    pub parameters: Box<dyn Fn(f64) -> Vec<f64> + Sync + 'a>,
    /// when it teleports [s], ascending
    pub jumps: Vec<f64>,
}

impl<const D: usize> Animated<D> for Performance<'_, D> {
    fn positions(&self, t: f64, x: &mut [Vect<D>]) {
        self.rig.positions(&(self.parameters)(t), x);
    }
    fn jacobian(&self, t: f64) -> Jacobian<D> {
        self.rig.jacobian(&(self.parameters)(t))
    }
    fn is_linear(&self) -> bool {
        self.rig.is_linear()
    }
    fn jumps(&self) -> &[f64] {
        &self.jumps
    }
}
