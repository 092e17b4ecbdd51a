//! Materials that are a function of the three invariants of F: all but the corotated ones.

use math::{Mat, Small, Svd, Vect};

use crate::{Material, Tangent};

/// A function of the invariants with its first and second derivatives, in the order (I, Q, J).
#[derive(Clone, Copy, Debug)]
pub struct Jet {
    /// ψ [Pa]
    pub value: f64,
    /// ∂ψ/∂(I, Q, J)
    pub d: Vect<3>,
    /// ∂²ψ/∂(I, Q, J)²
    pub dd: Mat<3>,
}

/// A material ψ(I, Q, J) with I = Σσᵢ² = ‖F‖², Q = Σσᵢ⁴ = ‖FᵀF‖², J = Πσᵢ = det F, of three stretches σ.
///
/// Their derivatives are polynomials in σ, so nothing is divided by σᵢ ± σⱼ and inverted, flat and collapsed states need
/// no special case. It is a [`Material`] for free.
pub trait Invariants: Send + Sync {
    /// ψ and its derivatives; the value is ∞ where the invariants are not allowed.
    fn jet(&self, I: f64, Q: f64, J: f64) -> Jet;
}

/// I, Q, J of F; in the plane the third stretch is 1.
fn invariants<const D: usize>(F: &Mat<D>) -> (f64, f64, f64)
where
    Mat<D>: Small<D>,
{
    let third = (3 - D) as f64;
    (F.norm_squared() + third, F.tr_mul(F).norm_squared() + third, F.det())
}

impl<const D: usize, M: Invariants> Material<D> for M
where
    Mat<D>: Small<D>,
{
    fn psi(&self, F: &Mat<D>) -> f64 {
        let (I, Q, J) = invariants(F);
        self.jet(I, Q, J).value
    }

    fn stress(&self, F: &Mat<D>) -> Mat<D> {
        let (I, Q, J) = invariants(F);
        let d = self.jet(I, Q, J).d;
        let mut P = 2.0 * d[0] * F + d[2] * F.cofactor();
        if d[1] != 0.0 {
            P += 4.0 * d[1] * F * F.tr_mul(F);
        }
        P
    }

    fn tangent(&self, F: &Mat<D>) -> Tangent<D> {
        let Svd { U, sigma: s, V } = F.signed_svd();
        let (I, Q, J) = invariants(F);
        let Jet { d, dd, .. } = self.jet(I, Q, J);
        let squares = s.component_mul(&s);
        // the gradients of I, Q, J by σ
        let rest = |i: usize, j: usize| (0..D).filter(|&k| k != i && k != j).map(|k| s[k]).product::<f64>();
        let gradient = [2.0 * s, 4.0 * s.component_mul(&squares), Vect::from_fn(|i, _| rest(i, i))];
        let mut stretch =
            Mat::from_fn(|i, j| if i == j { 2.0 * d[0] + 12.0 * d[1] * squares[i] } else { d[2] * rest(i, j) });
        for a in 0..3 {
            for b in 0..3 {
                if dd[(a, b)] != 0.0 {
                    stretch += dd[(a, b)] * gradient[a] * gradient[b].transpose();
                }
            }
        }
        let pair = |sign: f64| {
            Mat::from_fn(|i, j| {
                let quartic = squares[i] - sign * s[i] * s[j] + squares[j];
                if i == j { 0.0 } else { 2.0 * d[0] + 4.0 * d[1] * quartic + sign * d[2] * rest(i, j) }
            })
        };
        Tangent { U, V, stretch, twist: pair(1.0), flip: pair(-1.0) }
    }
}
