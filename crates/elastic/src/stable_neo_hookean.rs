//! Stable neo-Hookean.

use math::{Mat, Vect};

use crate::registry::FromLame;
use crate::{Invariants, Jet, Lame};

/// Stable neo-Hookean flesh [SGK18, eq. 14]:
/// ψ = μ/2 (I − 3) + λ/2 (J − α)² − μ/2 ln(I + 1), α = 1 + 3μ/(4λ), less its value at rest.
///
/// Its μ and λ are chosen so that small deformations are linear elasticity: μ = 4/3 μ_Lamé, λ = λ_Lamé + 5/6 μ_Lamé.
/// Finite and smooth everywhere, and it unfolds from inversion and from total collapse.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StableNeoHookean {
    mu: f64,
    lambda: f64,
}

impl FromLame for StableNeoHookean {
    fn from_lame(lame: Lame) -> Self {
        Self { mu: 4.0 / 3.0 * lame.mu, lambda: lame.lambda + 5.0 / 6.0 * lame.mu }
    }
}

impl Invariants for StableNeoHookean {
    fn jet(&self, I: f64, _: f64, J: f64) -> Jet {
        let Self { mu, lambda } = *self;
        let rest = 0.75 * mu / lambda; // α − 1
        let mut dd = Mat::zeros();
        dd[(0, 0)] = mu / 2.0 / (I + 1.0).powi(2);
        dd[(2, 2)] = lambda;
        Jet {
            value: mu / 2.0 * (I - 3.0 - ((I + 1.0) / 4.0).ln())
                + lambda / 2.0 * ((J - 1.0 - rest).powi(2) - rest * rest),
            d: Vect::from([mu / 2.0 * (1.0 - 1.0 / (I + 1.0)), 0.0, lambda * (J - 1.0 - rest)]),
            dd,
        }
    }
}

#[cfg(test)]
crate::check::check_material!(StableNeoHookean, Smooth);
