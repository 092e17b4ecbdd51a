//! Earlier iterations, put together to a better one: Anderson's acceleration [And65].

use super::cholesky::Cholesky;
use super::orthonormal::{add, dot};

/// How many earlier iterations are kept.
const DEPTH: usize = 6;

/// The last iterations of z → z + r(z).
#[derive(Default)]
pub(super) struct Memory {
    /// z and r of the last one
    last: Option<[Vec<f64>; 2]>,
    /// how r changed in each iteration, and how z + r did
    changes: Vec<[Vec<f64>; 2]>,
}

impl Memory {
    /// next ← z + r − Σ γₖ Δ(z + r)ₖ with the γ for which r − Σ γₖ Δrₖ is shortest.
    pub fn predict(&mut self, z: &[f64], r: &[f64], next: &mut [f64]) {
        let [z_last, r_last] = self.last.get_or_insert_with(|| [z.to_vec(), r.to_vec()]);
        let dr: Vec<f64> = r.iter().zip(r_last.iter()).map(|(r, last)| r - last).collect();
        let dz = z.iter().zip(z_last.iter()).zip(&dr).map(|((z, last), dr)| z - last + dr).collect();
        if dr.iter().any(|dr| *dr != 0.0) {
            self.changes.push([dr, dz]);
        }
        if self.changes.len() > DEPTH {
            self.changes.remove(0);
        }
        z_last.copy_from_slice(z);
        r_last.copy_from_slice(r);
        next.iter_mut().zip(z).zip(r).for_each(|((next, z), r)| *next = z + r);
        let n = self.changes.len();
        let mut A: Vec<f64> = (0..n * n).map(|k| dot(&self.changes[k / n][0], &self.changes[k % n][0])).collect();
        let mut gamma: Vec<f64> = self.changes.iter().map(|[dr, _]| dot(dr, r)).collect();
        (0..n).for_each(|k| A[k * n + k] *= 1.0 + 1e-12); // nearly the same changes twice
        if let Some(factor) = Cholesky::new(A, n) {
            factor.solve(&mut gamma);
            self.changes.iter().zip(&gamma).for_each(|([_, dz], gamma)| add(-gamma, dz, next));
        }
    }

    /// Starts anew, as what was kept misled.
    pub fn forget(&mut self) {
        self.changes.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_linear_iteration_ends_after_as_many_steps_as_it_has_unknowns() {
        // z → z + r, r = b − A z, which by itself gains a digit in over a hundred steps
        let (A, b) = ([0.9, 0.02, 0.3, 1.5], [1.0, -2.0, 3.0, 0.5]);
        let (mut z, mut next, mut memory) = (vec![0.0; 4], vec![0.0; 4], Memory::default());
        for _ in 0..6 {
            let r: Vec<f64> = (0..4).map(|k| b[k] - A[k] * z[k]).collect();
            memory.predict(&z, &r, &mut next);
            z.copy_from_slice(&next);
        }
        assert!((0..4).all(|k| (z[k] - b[k] / A[k]).abs() < 1e-6 * (b[k] / A[k]).abs()), "{z:?}");
    }
}
