//! One decaying tone, fitted to samples.

use math::{Mat, Vect};

/// y = offset + e^(−decay u) (cos · cos(omega u) + sin · sin(omega u)), where u goes from 0 to 1 over the samples.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tone {
    pub omega: f64,
    pub decay: f64,
    pub offset: f64,
    cos: f64,
    sin: f64,
}

/// The samples with their places u.
fn placed(y: &[f64]) -> impl Iterator<Item = (f64, f64)> {
    y.iter().enumerate().map(|(k, &value)| (k as f64 / y.len() as f64, value))
}

impl Tone {
    /// The tone without its constant.
    pub(crate) fn swing(&self, u: f64) -> f64 {
        let (sin, cos) = (self.omega * u).sin_cos();
        (-self.decay * u).exp() * (self.cos * cos + self.sin * sin)
    }

    /// The best of some tones of this frequency that decay differently.
    pub(crate) fn near(y: &[f64], omega: f64) -> Option<Self> {
        let decays = [0.0, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0].into_iter();
        let tones = decays.filter_map(|decay| Self::best(y, omega, decay, |_| 1.0));
        tones.min_by(|a, b| a.squares(y).total_cmp(&b.squares(y)))
    }

    /// The best one of this frequency and decay, where errors weigh by where they are.
    pub(crate) fn best(y: &[f64], omega: f64, decay: f64, weight: impl Fn(f64) -> f64) -> Option<Self> {
        let (mut matrix, mut right) = (Mat::<3>::zeros(), Vect::<3>::zeros());
        for (u, y) in placed(y) {
            let ((sin, cos), fall) = ((omega * u).sin_cos(), (-decay * u).exp());
            let row = weight(u) * Vect::from([1.0, fall * cos, fall * sin]);
            matrix += row * row.transpose();
            right += weight(u) * y * row;
        }
        let [offset, cos, sin] = matrix.cholesky()?.solve(&right).into();
        Some(Self { omega, decay, offset, cos, sin })
    }

    /// Σ of the squares of the errors.
    fn squares(&self, y: &[f64]) -> f64 {
        placed(y).map(|(u, y)| (y - self.offset - self.swing(u)).powi(2)).sum()
    }

    /// The best one near this, by the method of Levenberg and Marquardt.
    pub(crate) fn fitted(self, y: &[f64]) -> Option<Self> {
        let (mut now, mut squares, mut caution) = (self, self.squares(y), 1e-3);
        for _ in 0..200 {
            let (mut matrix, mut right) = (Mat::<5>::zeros(), Vect::<5>::zeros());
            for (u, y) in placed(y) {
                let ((sin, cos), fall) = ((now.omega * u).sin_cos(), (-now.decay * u).exp());
                let swing = fall * (now.cos * cos + now.sin * sin);
                let turned = fall * (now.sin * cos - now.cos * sin);
                let row = Vect::from([u * turned, -u * swing, 1.0, fall * cos, fall * sin]);
                matrix += row * row.transpose();
                right += (y - now.offset - swing) * row;
            }
            matrix.set_diagonal(&(matrix.diagonal() * (1.0 + caution)));
            let step = matrix.cholesky()?.solve(&right);
            let next = Self {
                omega: now.omega + step[0],
                decay: now.decay + step[1],
                offset: now.offset + step[2],
                cos: now.cos + step[3],
                sin: now.sin + step[4],
            };
            let better = next.squares(y);
            if better < squares {
                (now, squares, caution) = (next, better, f64::max(0.1 * caution, 1e-12));
            } else if caution < 1e6 {
                caution *= 10.0;
            } else {
                break;
            }
            if step.norm() < 1e-10 * now.omega {
                break;
            }
        }
        Some(now)
    }
}
