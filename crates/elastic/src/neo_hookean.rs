//! Neo-Hookean with a logarithm.

use math::{Mat, Vect};

use crate::registry::FromLame;
use crate::{Invariants, Jet, Lame};

/// Neo-Hookean flesh with a logarithmic barrier [BW08, eq. 6.28]:
/// ψ = μ/2 (I − 3) − μ ln J + λ/2 ln²J; ∞ where J ≤ 0, so flesh can never be inverted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NeoHookean(Lame);

impl FromLame for NeoHookean {
    fn from_lame(lame: Lame) -> Self {
        Self(lame)
    }
}

impl Invariants for NeoHookean {
    fn jet(&self, I: f64, _: f64, J: f64) -> Jet {
        let Lame { mu, lambda } = self.0;
        if J <= 0.0 {
            return Jet { value: f64::INFINITY, d: Vect::zeros(), dd: Mat::zeros() };
        }
        let log = J.ln();
        let mut dd = Mat::zeros();
        dd[(2, 2)] = (mu + lambda * (1.0 - log)) / (J * J);
        Jet {
            value: mu / 2.0 * (I - 3.0) - mu * log + lambda / 2.0 * log * log,
            d: Vect::from([mu / 2.0, 0.0, (lambda * log - mu) / J]),
            dd,
        }
    }
}

#[cfg(test)]
crate::check::check_material!(NeoHookean, Barrier);
