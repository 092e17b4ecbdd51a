//! rapier's stable neo-Hookean, for our engine.

use elastic::{Invariants, Jet, Lame};
use math::{Mat, Vect};

/// Stable neo-Hookean in the form of Kim and Eberle 2022, which rapier uses:
/// ψ = μ/2 (I − 3) − μ (J − 1) + (λ + μ)/2 (J − 1)².
#[derive(Clone, Copy, Debug)]
pub struct WithoutLogarithm(pub Lame);

impl Invariants for WithoutLogarithm {
    fn jet(&self, I: f64, _: f64, J: f64) -> Jet {
        let Lame { mu, lambda } = self.0;
        let bulk = lambda + mu;
        let mut dd = Mat::zeros();
        dd[(2, 2)] = bulk;
        Jet {
            value: mu / 2.0 * (I - 3.0) - mu * (J - 1.0) + bulk / 2.0 * (J - 1.0).powi(2),
            d: Vect::from([mu / 2.0, 0.0, bulk * (J - 1.0) - mu]),
            dd,
        }
    }
}
