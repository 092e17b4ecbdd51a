//! Saddle points of matrices that act on all axes alike: h ⊗ I, so a factor of h serves every axis.

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};

use crate::dense::{factor_columns, solve_lower, solve_lower_transposed, subtract_square};
use crate::{BlockMatrix, Factor, NotPositive, Row, Vect};

/// Solves H p + Aᵀλ = f, A p = d for H = h ⊗ I by the Schur complement of the rows: W = L⁻¹ P Aᵀ, S = Wᵀ W, axis by axis.
pub struct AlikeSaddle<const D: usize> {
    factor: Factor<1>,
    axes: Vec<Axis>,
    /// lower Cholesky factor of S, column-major
    schur: Vec<f64>,
    multipliers: Vec<f64>,
    /// axis by axis
    solution: Vec<f64>,
}

/// The rows that an axis takes part in.
#[derive(Default)]
struct Axis {
    rows: Vec<u32>,
    /// W: a column for each of them
    half: Vec<f64>,
    work: Vec<f64>,
}

impl<const D: usize> AlikeSaddle<D> {
    /// Room for matrices of this pattern.
    pub fn new(pattern: &BlockMatrix<1>) -> Self {
        let solution = vec![0.0; D * pattern.columns()];
        let axes = (0..D).map(|_| Axis::default()).collect();
        let mut factor = Factor::new(pattern);
        factor.reserve(D);
        Self { factor, axes, schur: vec![], multipliers: vec![], solution }
    }

    /// Factors h and what the rows need. The rows must be independent.
    pub fn factorize(&mut self, h: &BlockMatrix<1>, rows: &[Row<D>]) -> Result<(), NotPositive> {
        self.factor.factorize(h)?;
        let (m, n) = (rows.len(), h.columns());
        self.multipliers.resize(m, 0.0);
        self.schur.clear();
        self.schur.resize(m * m, 0.0);
        for (k, axis) in self.axes.iter_mut().enumerate() {
            let touches = |r: &usize| rows[*r].iter().any(|(_, c)| c[k] != 0.0);
            axis.rows = (0..m).filter(touches).map(|r| r as u32).collect();
            let count = axis.rows.len();
            axis.half.clear();
            axis.half.resize(count * n, 0.0);
            axis.work.resize(count, 0.0);
            for (column, &r) in axis.half.chunks_exact_mut(n.max(1)).zip(&axis.rows) {
                rows[r as usize].iter().for_each(|(v, c)| column[*v as usize] = c[k]);
            }
            self.factor.half_solve_many(&mut axis.half);
            let mut square = vec![0.0; count * count];
            let W = MatRef::from_column_major_slice(&axis.half, n, count);
            let product = MatMut::from_column_major_slice_mut(&mut square, count, count);
            subtract_square(product, W.transpose(), Accum::Replace);
            for (j, &c) in axis.rows.iter().enumerate() {
                for (i, &r) in axis.rows.iter().enumerate().skip(j) {
                    self.schur[c as usize * m + r as usize] -= square[j * count + i];
                }
            }
        }
        factor_columns(MatMut::from_column_major_slice_mut(&mut self.schur, m, m))
            .map_err(|block| NotPositive { block })
    }

    /// f ← p, where d is what A p must be.
    pub fn solve(&mut self, f: &mut [Vect<D>], d: &[f64]) {
        let n = f.len();
        if n == 0 {
            return;
        }
        for (k, axis) in self.solution.chunks_exact_mut(n).enumerate() {
            axis.iter_mut().zip(&*f).for_each(|(s, f)| *s = f[k]);
        }
        self.factor.half_solve_many(&mut self.solution);
        self.multipliers.iter_mut().zip(d).for_each(|(l, d)| *l = -d);
        for (axis, y) in self.axes.iter_mut().zip(self.solution.chunks_exact(n)) {
            let count = axis.rows.len();
            let W = MatRef::from_column_major_slice(&axis.half, n, count);
            let y = MatRef::from_column_major_slice(y, n, 1);
            let product = MatMut::from_column_major_slice_mut(&mut axis.work, count, 1);
            matmul(product, Accum::Replace, W.transpose(), y, 1.0, Par::Seq);
            axis.rows.iter().zip(&axis.work).for_each(|(&r, w)| self.multipliers[r as usize] += w);
        }
        solve_lower(&self.schur, &mut self.multipliers);
        solve_lower_transposed(&self.schur, &mut self.multipliers);
        for (axis, y) in self.axes.iter_mut().zip(self.solution.chunks_exact_mut(n)) {
            let count = axis.rows.len();
            axis.rows.iter().zip(&mut axis.work).for_each(|(&r, w)| *w = self.multipliers[r as usize]);
            let W = MatRef::from_column_major_slice(&axis.half, n, count);
            let l = MatRef::from_column_major_slice(&axis.work, count, 1);
            matmul(MatMut::from_column_major_slice_mut(y, n, 1), Accum::Add, W, l, -1.0, Par::Seq);
        }
        self.factor.other_half_solve_many(&mut self.solution);
        for (k, axis) in self.solution.chunks_exact(n).enumerate() {
            f.iter_mut().zip(axis).for_each(|(f, s)| f[k] = *s);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::Random;
    use crate::rows::{apply, tidy};
    use crate::{Mat, Rows, Saddle};

    /// The same problem, with blocks, has the same solution.
    #[test]
    fn it_solves_what_blocks_solve() {
        let mut random = Random::new(7);
        let n = 14;
        let pairs = || (1..n as u32).map(|i| (i - 1, i)).chain([(0, 9), (3, 12)]);
        let mut h = BlockMatrix::<1>::with_pattern(n, pairs());
        let mut H = BlockMatrix::<3>::with_pattern(n, pairs());
        for k in 0..h.blocks.len() {
            let diagonal = h.starts.contains(&k);
            h.blocks[k][(0, 0)] = if diagonal { 5.0 } else { random.number() };
            H.blocks[k] = h.blocks[k][(0, 0)] * Mat::identity();
        }
        // some rows on one axis only, some on all
        let mut rows: Vec<Row<3>> =
            (0..4u32).map(|k| tidy((0..5).map(|j| ((7 * k + 3 * j) % n as u32, random.vector())).collect())).collect();
        rows[1].iter_mut().for_each(|(_, c)| *c = Vect::from([0.0, c[1], 0.0]));
        rows[2].iter_mut().for_each(|(_, c)| *c = Vect::from([c[0], 0.0, 0.0]));
        let f: Vec<Vect<3>> = (0..n).map(|_| random.vector()).collect();
        let d = [0.3, -1.0, 2.0, 0.1];
        let mut p = f.clone();
        let mut alike = AlikeSaddle::new(&h);
        alike.factorize(&h, &rows).unwrap();
        alike.solve(&mut p, &d);
        let mut q = f.clone();
        let mut factor = Factor::new(&H);
        factor.factorize(&H).unwrap();
        let mut saddle = Saddle::new(4, n);
        saddle.prepare(&mut factor, &Rows::new(rows.clone()).unwrap()).unwrap();
        saddle.solve(&mut factor, &mut q, &d);
        assert!(p.iter().zip(&q).all(|(p, q)| (p - q).norm() < 1e-12 * (1.0 + q.norm())));
        assert!(rows.iter().zip(d).all(|(row, d)| (apply(row, &p) - d).abs() < 1e-12));
    }
}
