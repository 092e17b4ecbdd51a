//! Small dense systems, factored once and solved every iteration.

/// L Lᵀ = A, kept by columns and by rows so that both halves of a solve run along memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Cholesky {
    n: usize,
    /// L, column after column, n each
    columns: Vec<f64>,
    /// L, row after row
    rows: Vec<f64>,
    /// 1/Lⱼⱼ
    inverse: Vec<f64>,
}

impl Cholesky {
    /// Of a symmetric n×n matrix; none where it is not positive definite.
    pub fn new(mut A: Vec<f64>, n: usize) -> Option<Self> {
        let mut inverse = vec![0.0; n];
        for j in 0..n {
            let (before, from) = A.split_at_mut(j * n);
            let column = &mut from[j..n];
            for k in 0..j {
                let other = &before[k * n + j..k * n + n];
                let a = other[0];
                column.iter_mut().zip(other).for_each(|(c, o)| *c -= a * o);
            }
            let pivot = column[0];
            if !(pivot > 0.0 && pivot.is_finite()) {
                return None;
            }
            inverse[j] = 1.0 / pivot.sqrt();
            column.iter_mut().for_each(|c| *c *= inverse[j]);
        }
        let rows = (0..n * n).map(|k| A[(k % n) * n + k / n]).collect();
        Some(Self { n, columns: A, rows, inverse })
    }

    /// n
    pub fn len(&self) -> usize {
        self.n
    }

    /// x ← A⁻¹ x
    pub fn solve(&self, x: &mut [f64]) {
        let n = self.n;
        for j in 0..n {
            let (head, tail) = x.split_at_mut(j + 1);
            head[j] *= self.inverse[j];
            let (a, column) = (head[j], &self.columns[j * n + j + 1..(j + 1) * n]);
            tail.iter_mut().zip(column).for_each(|(x, l)| *x -= a * l);
        }
        for j in (0..n).rev() {
            x[j] *= self.inverse[j];
            let (head, tail) = x.split_at_mut(j);
            let (a, row) = (tail[0], &self.rows[j * n..j * n + j]);
            head.iter_mut().zip(row).for_each(|(x, l)| *x -= a * l);
        }
    }
}

#[cfg(test)]
mod tests {
    use math::check::Random;

    use super::*;

    #[test]
    fn a_solution_solves_and_an_indefinite_matrix_is_refused() {
        let (n, mut random) = (17, Random::new(2));
        let B: Vec<f64> = (0..n * n).map(|_| random.number()).collect();
        let entry = |i: usize, j: usize| (0..n).map(|k| B[i * n + k] * B[j * n + k]).sum::<f64>();
        let mut A: Vec<f64> = (0..n * n).map(|k| entry(k / n, k % n)).collect();
        (0..n).for_each(|k| A[k * n + k] += 0.1);
        let b: Vec<f64> = (0..n).map(|_| random.number()).collect();
        let mut x = b.clone();
        Cholesky::new(A.clone(), n).unwrap().solve(&mut x);
        for i in 0..n {
            let left: f64 = (0..n).map(|j| A[i * n + j] * x[j]).sum();
            assert!((left - b[i]).abs() < 1e-11);
        }
        A[0] = -1.0;
        assert!(Cholesky::new(A, n).is_none());
        assert!(Cholesky::new(vec![], 0).is_some());
    }
}
