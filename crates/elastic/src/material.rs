//! What a material is, and how its tangent is kept.

use math::{Mat, Small, Vect};

/// An elastic material. The two derivatives are of ψ, and `check_material!` proves it.
pub trait Material<const D: usize>: Send + Sync {
    /// ψ(F), energy per rest volume [Pa]; ∞ where F is not allowed
    fn psi(&self, F: &Mat<D>) -> f64;
    /// P = ∂ψ/∂F, first Piola–Kirchhoff stress [Pa]
    fn stress(&self, F: &Mat<D>) -> Mat<D>;
    /// ∂P/∂F [Pa], a linear map from δF to δP
    fn tangent(&self, F: &Mat<D>) -> Tangent<D>;
    /// Whether a rotation costs nothing.
    fn is_objective(&self) -> bool {
        true
    }
    /// Whether it is nowhere much stiffer than at rest.
    fn is_bounded(&self) -> bool {
        false
    }
}

/// ∂P/∂F in the axes of F = U diag(σ) Vᵀ, where that of an isotropic material falls apart into one D×D block and pairs of
/// scalars [SGK19].
#[derive(Clone, Copy, Debug)]
pub struct Tangent<const D: usize> {
    /// left axes
    pub U: Mat<D>,
    /// right axes
    pub V: Mat<D>,
    /// ∂²ψ/∂σᵢ∂σⱼ
    pub stretch: Mat<D>,
    /// (ψᵢ + ψⱼ) / (σᵢ + σⱼ): rotations in the plane of two axes
    pub twist: Mat<D>,
    /// (ψᵢ − ψⱼ) / (σᵢ − σⱼ): shears in the plane of two axes
    pub flip: Mat<D>,
}

impl<const D: usize> Tangent<D> {
    /// δP for a δF.
    pub fn apply(&self, dF: &Mat<D>) -> Mat<D> {
        let f = self.U.transpose() * dF * self.V;
        let off =
            0.5 * (self.flip.component_mul(&(f + f.transpose())) + self.twist.component_mul(&(f - f.transpose())));
        self.U * (Mat::from_diagonal(&(self.stretch * f.diagonal())) + off) * self.V.transpose()
    }

    /// The nearest positive semi-definite map: clamps `twist` and `flip` at 0 and the eigenvalues of `stretch`.
    pub fn project(self) -> Self
    where
        Mat<D>: Small<D>,
    {
        Self {
            stretch: if is_definite(&self.stretch) { self.stretch } else { self.stretch.psd() },
            twist: self.twist.map(|l| l.max(0.0)),
            flip: self.flip.map(|l| l.max(0.0)),
            ..self
        }
    }

    /// Calls `out` with the block ∂²ψ/∂x_a∂x_b for each pair b ≤ a of corners, in the order of a packed Hessian.
    ///   gradients   ∇φ of each corner in the rest shape   D + 1   [1/m]
    pub fn blocks(&self, gradients: &[Vect<D>], mut out: impl FnMut(usize, Mat<D>)) {
        // Everything in the axes of F; the blocks are turned back to the world's at the end.
        let same = 0.5 * (self.flip + self.twist); // how P_ij answers to F_ij
        let swapped = 0.5 * (self.flip - self.twist); // and to F_ji
        let mut turned = [Vect::<D>::zeros(); 4];
        for (t, g) in turned.iter_mut().zip(gradients) {
            *t = self.V.tr_mul(g);
        }
        let mut at = 0;
        for a in 0..gradients.len() {
            for b in 0..=a {
                let (ga, gb) = (&turned[a], &turned[b]);
                let products = ga.component_mul(gb);
                let mut H = self.stretch;
                for j in 0..D {
                    for i in 0..D {
                        H[(i, j)] *= ga[i] * gb[j];
                        if i != j {
                            H[(i, j)] += swapped[(i, j)] * ga[j] * gb[i];
                        }
                    }
                }
                let diagonal = same * products;
                for i in 0..D {
                    H[(i, i)] += diagonal[i];
                }
                out(at, self.U * H * self.U.transpose());
                at += 1;
            }
        }
    }
}

/// Whether a symmetric matrix is certainly positive: elimination meets positive pivots only.
fn is_definite<const D: usize>(A: &Mat<D>) -> bool {
    let mut A = *A;
    for k in 0..D {
        let pivot = A[(k, k)];
        if pivot.is_nan() || pivot <= 0.0 {
            return false;
        }
        for i in k + 1..D {
            let factor = A[(i, k)] / pivot;
            for j in k + 1..D {
                A[(i, j)] -= factor * A[(k, j)];
            }
        }
    }
    true
}
