//! Matrices of two or three rows, and the decompositions of them that must not fail.

use nalgebra::{Matrix2, Matrix3, SMatrix, SVector, Vector2, Vector3};

/// A D×D matrix.
pub type Mat<const D: usize> = SMatrix<f64, D, D>;
/// A vector of D components.
pub type Vect<const D: usize> = SVector<f64, D>;

/// F = U diag(σ) Vᵀ with U and V rotations. |σ₁| ≥ |σ₂| ≥ …, all but the last are ≥ 0: a reflection is kept as the sign
/// of the smallest, so that σᵢ + σⱼ ≥ 0 for every pair.
#[derive(Clone, Copy, Debug)]
pub struct Svd<const D: usize> {
    /// left rotation
    pub U: Mat<D>,
    /// signed singular values
    pub sigma: Vect<D>,
    /// right rotation
    pub V: Mat<D>,
}

impl<const D: usize> Svd<D> {
    /// F again, from its parts.
    pub fn recompose(&self) -> Mat<D> {
        self.U * Mat::from_diagonal(&self.sigma) * self.V.transpose()
    }
}

/// F = R S with R a rotation and S symmetric; S is indefinite where F is inverted.
#[derive(Clone, Copy, Debug)]
pub struct Polar<const D: usize> {
    /// the rotation nearest to F
    pub R: Mat<D>,
    /// the symmetric stretch
    pub S: Mat<D>,
}

/// What depends on the size of a small matrix, gathered here for 2 and 3 so that no other file branches on D.
pub trait Small<const D: usize>: Sized {
    /// The signed singular value decomposition; exact for inverted, flat and zero matrices.
    fn signed_svd(&self) -> Svd<D>;
    /// det F
    fn det(&self) -> f64;
    /// ∂ det F / ∂F
    fn cofactor(&self) -> Mat<D>;
    /// The eigenvalues of a symmetric matrix, and its eigenvectors as columns.
    fn symmetric_axes(&self) -> (Vect<D>, Mat<D>);

    /// The skew A with A S + S A = B, for a symmetric S (this matrix) with positive sums of pairs of its eigenvalues and a skew B.
    fn skew_solve(&self, B: &Mat<D>) -> Mat<D>;
    /// R of F = R S by Newton's iteration R ← (R + R⁻ᵀ)/2, which takes a fraction of the time; none where F is nearly flat, turned
    /// inside out or stretched a lot.
    #[inline]
    fn sound_rotation(&self) -> Option<Mat<D>>
    where
        Self: Into<Mat<D>> + Copy,
        Mat<D>: Small<D>,
    {
        let [R] = sound_rotations([(*self).into()]);
        R
    }

    /// The polar decomposition F = R S.
    fn signed_polar(&self) -> Polar<D> {
        let Svd { U, sigma, V } = self.signed_svd();
        Polar { R: U * V.transpose(), S: V * Mat::from_diagonal(&sigma) * V.transpose() }
    }

    /// The nearest positive semi-definite matrix to a symmetric one.
    fn psd(&self) -> Mat<D> {
        let (values, axes) = self.symmetric_axes();
        axes * Mat::from_diagonal(&values.map(|l| l.max(0.0))) * axes.transpose()
    }
}

/// [`Small::sound_rotation`] of several matrices side by side: each step of the iteration waits for its division, and meanwhile the others go on.
#[inline]
pub fn sound_rotations<const D: usize, const N: usize>(F: [Mat<D>; N]) -> [Option<Mat<D>>; N]
where
    Mat<D>: Small<D>,
{
    let sound = F.map(|F| F.det() > 0.05 && F.norm_squared() < 25.0);
    let (mut R, mut moves) = (F, sound);
    for _ in 0..20 {
        for (R, moves) in R.iter_mut().zip(&mut moves).filter(|(_, moves)| **moves) {
            let cofactor = R.cofactor();
            let det = R.column(0).dot(&cofactor.column(0));
            let next = 0.5 * *R + (0.5 / det) * cofactor;
            *moves = (next - *R).norm_squared() >= 1e-14; // the next step would be the square of this
            *R = next;
        }
        if !moves.contains(&true) {
            break;
        }
    }
    std::array::from_fn(|k| sound[k].then_some(R[k]))
}

impl Small<2> for Matrix2<f64> {
    fn signed_svd(&self) -> Svd<2> {
        // F is a rotation times q plus a reflection times r: the two add and subtract in the singular values.
        let (q, r) = (
            Vector2::new(self.m11 + self.m22, self.m21 - self.m12) / 2.0,
            Vector2::new(self.m11 - self.m22, self.m21 + self.m12) / 2.0,
        );
        let (sum, difference) = (q.y.atan2(q.x), r.y.atan2(r.x));
        let turn = |angle: f64| Matrix2::new(angle.cos(), -angle.sin(), angle.sin(), angle.cos());
        let (U, V) = (turn((sum + difference) / 2.0), turn((difference - sum) / 2.0));
        // Read σ off the rotated matrix: q − r would lose the small one to cancellation.
        let S = U.transpose() * self * V;
        Svd { U, sigma: Vector2::new(S.m11, S.m22), V }
    }
    #[inline]
    fn det(&self) -> f64 {
        self.m11 * self.m22 - self.m12 * self.m21
    }
    #[inline]
    fn cofactor(&self) -> Mat<2> {
        Matrix2::new(self.m22, -self.m21, -self.m12, self.m11)
    }
    #[inline]
    fn skew_solve(&self, B: &Mat<2>) -> Mat<2> {
        B / self.trace()
    }
    fn symmetric_axes(&self) -> (Vect<2>, Mat<2>) {
        let angle = 0.5 * (2.0 * self.m21).atan2(self.m11 - self.m22);
        let axes = Matrix2::new(angle.cos(), -angle.sin(), angle.sin(), angle.cos());
        ((axes.transpose() * self * axes).diagonal(), axes)
    }
}

const PAIRS: [(usize, usize); 3] = [(0, 1), (0, 2), (1, 2)];

impl Small<3> for Matrix3<f64> {
    /// One-sided Jacobi: the columns of F V are turned until they are orthogonal, then they are U Σ.
    fn signed_svd(&self) -> Svd<3> {
        let size = self.amax().max(f64::MIN_POSITIVE); // squares of tiny entries would vanish
        let mut columns = [0, 1, 2].map(|k| self.column(k) / size);
        let mut axes = [Vector3::x(), Vector3::y(), Vector3::z()];
        for _ in 0..12 {
            let mut turned = false;
            for (i, j) in PAIRS {
                let (a, b, c) = (columns[i].norm_squared(), columns[j].norm_squared(), columns[i].dot(&columns[j]));
                if c * c <= 1e-31 * a * b {
                    continue;
                }
                turned = true;
                let (cos, sin) = jacobi_rotation(a, b, c);
                rotate(&mut columns, i, j, cos, sin);
                rotate(&mut axes, i, j, cos, sin);
            }
            if !turned {
                break;
            }
        }
        let norms = columns.map(|c| c.norm_squared());
        let mut order = [0, 1, 2];
        for (i, j) in PAIRS {
            if norms[order[i]] < norms[order[j]] {
                order.swap(i, j);
            }
        }
        let [a, b, c] = order.map(|k| columns[k]);
        // A right-handed U from the two long columns; the third takes its sign from the short one.
        let u = unit(&a).unwrap_or(Vector3::x());
        let w = unit(&(b - u * u.dot(&b))).unwrap_or_else(|| perpendicular(&u));
        let U = Matrix3::from_columns(&[u, w, u.cross(&w)]);
        let (v0, v1) = (axes[order[0]], axes[order[1]]);
        let v2 = v0.cross(&v1);
        let sign = v2.dot(&axes[order[2]]).signum();
        let sigma = size * Vector3::new(a.dot(&u), b.dot(&w), sign * c.dot(&U.column(2)));
        Svd { U, sigma, V: Matrix3::from_columns(&[v0, v1, v2]) }
    }
    #[inline]
    fn det(&self) -> f64 {
        self.column(0).dot(&self.column(1).cross(&self.column(2)))
    }
    #[inline]
    fn cofactor(&self) -> Mat<3> {
        let (a, b, c) = (self.column(0), self.column(1), self.column(2));
        Matrix3::from_columns(&[b.cross(&c), c.cross(&a), a.cross(&b)])
    }
    #[inline]
    fn skew_solve(&self, B: &Mat<3>) -> Mat<3> {
        // [a]× S + S [a]× = [G a]×, G = tr(S) I − S
        let G = Matrix3::from_diagonal_element(self.trace()) - self;
        (G.cofactor() * Vector3::new(B.m32, B.m13, B.m21) / G.det()).cross_matrix()
    }
    fn symmetric_axes(&self) -> (Vect<3>, Mat<3>) {
        let size = self.amax().max(f64::MIN_POSITIVE);
        let mut A = self / size;
        let mut axes = [Vector3::x(), Vector3::y(), Vector3::z()];
        for _ in 0..12 {
            if A.m21 == 0.0 && A.m31 == 0.0 && A.m32 == 0.0 {
                break;
            }
            for (i, j) in PAIRS {
                let (a, b, c) = (A[(i, i)], A[(j, j)], A[(i, j)]);
                if c.abs() <= 1e-17 * (a.abs() + b.abs()) {
                    (A[(i, j)], A[(j, i)]) = (0.0, 0.0);
                    continue;
                }
                let (cos, sin) = jacobi_rotation(a, b, c);
                rotate(&mut axes, i, j, cos, sin);
                let k = 3 - i - j;
                let (p, q) = (A[(k, i)], A[(k, j)]);
                A[(i, i)] = a - sin / cos * c;
                A[(j, j)] = b + sin / cos * c;
                (A[(i, j)], A[(j, i)]) = (0.0, 0.0);
                let (p, q) = (cos * p - sin * q, sin * p + cos * q);
                (A[(k, i)], A[(i, k)], A[(k, j)], A[(j, k)]) = (p, p, q, q);
            }
        }
        (size * A.diagonal(), Matrix3::from_columns(&axes))
    }
}

/// Cosine and sine of the rotation that diagonalises the symmetric matrix [a c; c b].
fn jacobi_rotation(a: f64, b: f64, c: f64) -> (f64, f64) {
    let d = 0.5 * (b - a);
    let h = (d * d + c * c).sqrt();
    let cos = (0.5 + 0.5 * d.abs() / h).sqrt();
    (cos, (0.5 * c / (h * cos)).copysign(c * d))
}

fn rotate(columns: &mut [Vector3<f64>; 3], i: usize, j: usize, cos: f64, sin: f64) {
    (columns[i], columns[j]) = (cos * columns[i] - sin * columns[j], sin * columns[i] + cos * columns[j]);
}

fn unit(v: &Vector3<f64>) -> Option<Vector3<f64>> {
    let n = v.amax();
    (n > 0.0).then(|| (v / n).normalize())
}

fn perpendicular(u: &Vector3<f64>) -> Vector3<f64> {
    let axis = if u.x.abs() < 0.6 { Vector3::x() } else { Vector3::y() };
    u.cross(&axis).normalize()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::Random;

    fn samples<const D: usize>() -> Vec<Mat<D>> {
        let mut random = Random::new(7);
        let mut all = vec![Mat::zeros(), Mat::identity(), -Mat::<D>::identity(), Mat::from_element(1.0)];
        for k in 0..500 {
            let (A, B) = (random.matrix::<D>(), random.matrix::<D>());
            let scale = [1.0, 1e-150, 1e150, 1e-8][k % 4];
            all.push(scale * A);
            // flattened to a plane, a line, nearly a line, and with equal stretches
            let mut diagonal = Vect::<D>::from_element(1.0);
            diagonal[D - 1] = [0.0, 1e-9, 1.0 + 1e-12, -1.0, -1e-17][k % 5];
            if k % 3 == 0 {
                diagonal[D - 2] = [0.0, 1e-12, 1e-300][k % 3];
            }
            all.push(scale * A * Mat::from_diagonal(&diagonal) * B);
        }
        all
    }

    fn check_svd<const D: usize>()
    where
        Mat<D>: Small<D>,
    {
        for F in samples::<D>() {
            let svd = F.signed_svd();
            let size = F.amax();
            assert!((svd.recompose() - F).amax() <= 2e-15 * size, "F = U Σ Vᵀ fails for {F} {svd:?}");
            for Q in [svd.U, svd.V] {
                assert!((Q.transpose() * Q - Mat::identity()).amax() < 5e-15, "not orthogonal for {F} {svd:?}");
                assert!(Q.det() > 0.0, "a reflection for {F}");
            }
            for i in 1..D {
                assert!(svd.sigma[i - 1] >= svd.sigma[i].abs() * (1.0 - 1e-12), "not sorted: {F} {svd:?}");
            }
            let Polar { R, S } = F.signed_polar();
            assert!((R * S - F).amax() <= 4e-15 * size && (S - S.transpose()).amax() <= 1e-15 * size);
        }
    }
    #[test]
    fn the_svd_is_right_for_inverted_flat_tiny_and_huge_matrices() {
        check_svd::<2>();
        check_svd::<3>();
    }

    fn check_axes<const D: usize>()
    where
        Mat<D>: Small<D>,
    {
        for F in samples::<D>() {
            let A = F + F.transpose();
            let (values, Q) = A.symmetric_axes();
            let back = Q * Mat::from_diagonal(&values) * Q.transpose();
            assert!((back - A).amax() <= 4e-15 * A.amax(), "{A} {values} {Q}");
            assert!((Q.transpose() * Q - Mat::identity()).amax() < 4e-15);
            assert!(A.psd().symmetric_axes().0.min() >= -1e-15 * A.amax());
        }
    }
    #[test]
    fn symmetric_matrices_fall_apart_into_orthogonal_axes() {
        check_axes::<2>();
        check_axes::<3>();
    }

    #[test]
    fn the_cofactor_is_the_derivative_of_the_determinant() {
        let mut random = Random::new(3);
        let (F, dF) = (random.matrix::<3>(), random.matrix::<3>());
        let slope = ((F + 1e-6 * dF).det() - (F - 1e-6 * dF).det()) / 2e-6;
        assert!((F.cofactor().dot(&dF) - slope).abs() < 1e-9);
    }
}
