//! Mooney–Rivlin.

use math::{Mat, Vect};

use crate::registry::FromLame;
use crate::{Invariants, Jet, Lame};

/// Compressible Mooney–Rivlin flesh: ψ = c₁ (Ī₁ − 3) + c₂ (Ī₂ − 3) + κ/2 (J − 1)², Ī₁ = J^(−2/3) I,
/// Ī₂ = J^(−4/3) (I² − Q)/2; ∞ where J ≤ 0. For small deformations μ = 2(c₁ + c₂).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MooneyRivlin {
    /// c₁ [Pa]
    pub c1: f64,
    /// c₂ [Pa]
    pub c2: f64,
    /// κ, the bulk modulus [Pa]
    pub bulk: f64,
}

impl FromLame for MooneyRivlin {
    /// The two constants share μ equally.
    fn from_lame(lame: Lame) -> Self {
        Self { c1: lame.mu / 4.0, c2: lame.mu / 4.0, bulk: lame.bulk() }
    }
}

impl Invariants for MooneyRivlin {
    fn jet(&self, I: f64, Q: f64, J: f64) -> Jet {
        if J <= 0.0 {
            return Jet { value: f64::INFINITY, d: Vect::zeros(), dd: Mat::zeros() };
        }
        let (a, b) = (self.c1 * J.powf(-2.0 / 3.0), self.c2 * J.powf(-4.0 / 3.0));
        let II = (I * I - Q) / 2.0;
        let (dIJ, dQJ) = (-2.0 / 3.0 * a / J - 4.0 / 3.0 * b * I / J, 2.0 / 3.0 * b / J);
        Jet {
            value: a * I + b * II - 3.0 * (self.c1 + self.c2) + self.bulk / 2.0 * (J - 1.0).powi(2),
            d: Vect::from([a + b * I, -b / 2.0, -(2.0 / 3.0 * a * I + 4.0 / 3.0 * b * II) / J + self.bulk * (J - 1.0)]),
            dd: Mat::from([
                [b, 0.0, dIJ],
                [0.0, 0.0, dQJ],
                [dIJ, dQJ, (10.0 / 9.0 * a * I + 28.0 / 9.0 * b * II) / (J * J) + self.bulk],
            ]),
        }
    }
}

#[cfg(test)]
crate::check::check_material!(MooneyRivlin, Barrier);
