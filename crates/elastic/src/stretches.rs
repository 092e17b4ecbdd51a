//! Materials that are a function of the stretches themselves: ARAP and corotated.

use math::{Mat, Small, Svd, Vect};

use crate::Tangent;

/// ψ = μ Σ(σᵢ − 1)² + λ/2 (Σ(σᵢ − 1))², quadratic in the signed principal stretches σ. ARAP has λ = 0.
///
/// The energy has a kink where two stretches cancel, σᵢ + σⱼ = 0: the rotation of F is not unique there. It stays finite,
/// and the tangent is kept bounded by treating smaller sums as [`KINK`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Stretches {
    /// μ [Pa]
    pub mu: f64,
    /// λ [Pa]
    pub lambda: f64,
}

/// The smallest sum of two stretches that the tangent resolves.
const KINK: f64 = 1e-3;

impl Stretches {
    pub(crate) fn psi<const D: usize>(&self, F: &Mat<D>) -> f64
    where
        Mat<D>: Small<D>,
    {
        if let Some(R) = F.sound_rotation() {
            return self.mu * (F - R).norm_squared() + 0.5 * self.lambda * (R.dot(F) - D as f64).powi(2);
        }
        let e = F.signed_svd().sigma.add_scalar(-1.0);
        self.mu * e.norm_squared() + 0.5 * self.lambda * e.sum().powi(2)
    }

    pub(crate) fn stress<const D: usize>(&self, F: &Mat<D>) -> Mat<D>
    where
        Mat<D>: Small<D>,
    {
        if let Some(R) = F.sound_rotation() {
            return 2.0 * self.mu * (F - R) + self.lambda * (R.dot(F) - D as f64) * R;
        }
        let Svd { U, sigma, V } = F.signed_svd();
        U * Mat::from_diagonal(&self.tension(&sigma)) * V.transpose()
    }

    pub(crate) fn tangent<const D: usize>(&self, F: &Mat<D>) -> Tangent<D>
    where
        Mat<D>: Small<D>,
    {
        let Svd { U, sigma, V } = F.signed_svd();
        let t = self.tension(&sigma);
        let pairs = |f: &dyn Fn(usize, usize) -> f64| Mat::from_fn(|i, j| if i == j { 0.0 } else { f(i, j) });
        Tangent {
            U,
            V,
            stretch: (2.0 * self.mu * Mat::<D>::identity()).add_scalar(self.lambda),
            twist: pairs(&|i, j| (t[i] + t[j]) / (sigma[i] + sigma[j]).max(KINK)),
            flip: pairs(&|_, _| 2.0 * self.mu),
        }
    }

    /// ∂ψ/∂σ
    fn tension<const D: usize>(&self, s: &Vect<D>) -> Vect<D> {
        let e = s.add_scalar(-1.0);
        (2.0 * self.mu * e).add_scalar(self.lambda * e.sum())
    }
}

/// Makes a newtype over `Stretches` a material.
macro_rules! material_of_stretches {
    ($Name:ident) => {
        impl<const D: usize> $crate::Material<D> for $Name
        where
            math::Mat<D>: math::Small<D>,
        {
            fn is_bounded(&self) -> bool {
                true
            }
            fn psi(&self, F: &math::Mat<D>) -> f64 {
                self.0.psi(F)
            }
            fn stress(&self, F: &math::Mat<D>) -> math::Mat<D> {
                self.0.stress(F)
            }
            fn tangent(&self, F: &math::Mat<D>) -> $crate::Tangent<D> {
                self.0.tangent(F)
            }
        }
    };
}
pub(crate) use material_of_stretches;
