//! Saint Venant–Kirchhoff.

use math::{Mat, Vect};

use crate::registry::FromLame;
use crate::{Invariants, Jet, Lame};

/// Saint Venant–Kirchhoff flesh: ψ = μ ‖E‖² + λ/2 tr²E, E = (FᵀF − I)/2; in invariants
/// ψ = μ/4 (Q − 2I + 3) + λ/8 (I − 3)². It softens under compression and does not resist inversion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StVenantKirchhoff(Lame);

impl FromLame for StVenantKirchhoff {
    fn from_lame(lame: Lame) -> Self {
        Self(lame)
    }
}

impl Invariants for StVenantKirchhoff {
    fn jet(&self, I: f64, Q: f64, _: f64) -> Jet {
        let Lame { mu, lambda } = self.0;
        let mut dd = Mat::zeros();
        dd[(0, 0)] = lambda / 4.0;
        Jet {
            value: mu / 4.0 * (Q - 2.0 * I + 3.0) + lambda / 8.0 * (I - 3.0).powi(2),
            d: Vect::from([-mu / 2.0 + lambda / 4.0 * (I - 3.0), mu / 4.0, 0.0]),
            dd,
        }
    }
}

#[cfg(test)]
crate::check::check_material!(StVenantKirchhoff, Smooth);
