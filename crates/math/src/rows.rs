//! Linear conditions on the unknowns, A x = b, and the solver that keeps them.

use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::solve_lower_triangular_in_place;
use faer::{Accum, MatMut, MatRef, Par};
use rayon::prelude::*;

use crate::dense::{column, column_mut, factor_columns, solve_lower, solve_lower_transposed, subtract_square};
use crate::{Factor, NotPositive, Vect};

/// One linear condition: Σ c·x over its vertices.
pub type Row<const D: usize> = Vec<(u32, Vect<D>)>;

/// Rows that are linearly independent, and what is needed to project on them.
pub struct Rows<const D: usize> {
    rows: Vec<Row<D>>,
    /// see [`as_matrix`]
    matrix: Option<Vec<f64>>,
    /// lower Cholesky factor of A Aᵀ, column-major
    gram: Vec<f64>,
    work: Vec<f64>,
    flat: Vec<f64>,
}

/// Two rows closer than this, relative to their length and squared, are the same.
const DEPENDENT: f64 = 1e-12;

/// The numbers of rows that have vertices in common, directly or by others between them; each list rises.
fn clusters<const D: usize>(rows: &[Row<D>]) -> Vec<Vec<usize>> {
    let vertices = rows.iter().flatten().map(|(v, _)| *v as usize + 1).max().unwrap_or(0);
    let mut leader: Vec<u32> = (0..vertices as u32).collect();
    fn find(leader: &mut [u32], mut v: u32) -> u32 {
        while leader[v as usize] != v {
            leader[v as usize] = leader[leader[v as usize] as usize];
            v = leader[v as usize];
        }
        v
    }
    for row in rows {
        for pair in row.windows(2) {
            let (a, b) = (find(&mut leader, pair[0].0), find(&mut leader, pair[1].0));
            leader[a.max(b) as usize] = a.min(b);
        }
    }
    let mut led: Vec<(u32, usize)> =
        rows.iter().enumerate().filter_map(|(k, row)| Some((find(&mut leader, row.first()?.0), k))).collect();
    led.sort_unstable();
    led.chunk_by(|a, b| a.0 == b.0).map(|same| same.iter().map(|(_, k)| *k).collect()).collect()
}

/// Chooses a largest set of independent rows, by Cholesky factorization of A Aᵀ with pivoting. Returns the numbers of the
/// rows to keep, ascending.
pub fn independent_rows<const D: usize>(rows: &[Row<D>]) -> Vec<usize> {
    let of = |cluster: Vec<usize>| {
        let own: Vec<Row<D>> = cluster.iter().map(|&k| rows[k].clone()).collect();
        independent_of(&own).into_iter().map(move |k| cluster[k])
    };
    let mut kept: Vec<usize> = clusters(rows).into_iter().flat_map(of).collect();
    kept.sort_unstable();
    kept
}

fn independent_of<const D: usize>(rows: &[Row<D>]) -> Vec<usize> {
    let products = gram(rows);
    let gram = |i: usize, j: usize| products[i.min(j) * rows.len() + i.max(j)];
    let size: Vec<f64> = (0..rows.len()).map(|i| gram(i, i)).collect();
    let mut left = size.clone();
    let mut kept = vec![false; rows.len()];
    let mut columns: Vec<Vec<f64>> = vec![];
    loop {
        let candidates = (0..rows.len()).filter(|i| left[*i] > DEPENDENT * size[*i] && !kept[*i]);
        // the row that is least explained by those kept, the first of them in a tie
        let Some(best) = candidates.reduce(|a, b| if left[b] * size[a] > left[a] * size[b] { b } else { a }) else {
            break;
        };
        let pivot = left[best].sqrt();
        let mut column: Vec<f64> = (0..rows.len()).map(|i| gram(i, best)).collect();
        for c in &columns {
            column.iter_mut().zip(c).for_each(|(x, y)| *x -= c[best] * y);
        }
        column.iter_mut().for_each(|x| *x /= pivot);
        for i in 0..rows.len() {
            left[i] -= column[i] * column[i];
        }
        kept[best] = true;
        columns.push(column);
    }
    (0..rows.len()).filter(|&i| kept[i]).collect()
}

/// Rows above this many numbers stay as they are: orthogonal ones have no zeros left.
const DENSE: usize = 15_000_000;

/// Independent rows of the same span, orthonormal where that does not make them too large: the Cholesky factor of A Aᵀ divides them,
/// twice, since the first time is as inexact as they are near to each other.
pub fn orthonormal_rows<const D: usize>(rows: Vec<Row<D>>) -> Vec<Row<D>> {
    clusters(&rows)
        .into_iter()
        .flat_map(|cluster| {
            let mut own: Vec<Row<D>> = cluster.into_iter().map(|k| rows[k].clone()).collect();
            let mut vertices: Vec<u32> = own.iter().flatten().map(|(v, _)| *v).collect();
            vertices.sort_unstable();
            vertices.dedup();
            let place = |v: u32| vertices.partition_point(|w| *w < v) as u32;
            own.iter_mut().flatten().for_each(|(v, _)| *v = place(*v));
            let mut own = orthonormal_of(own, vertices.len());
            own.iter_mut().flatten().for_each(|(v, _)| *v = vertices[*v as usize]);
            own
        })
        .collect()
}

fn orthonormal_of<const D: usize>(rows: Vec<Row<D>>, vertices: usize) -> Vec<Row<D>> {
    let mut rows: Vec<Row<D>> = independent_of(&rows).into_iter().map(|k| rows[k].clone()).collect();
    let (m, n) = (rows.len(), D * vertices);
    if m * n > DENSE {
        return rows;
    }
    for _ in 0..2 {
        let mut L = gram(&rows);
        if factor_columns(MatMut::from_column_major_slice_mut(&mut L, m, m)).is_err() {
            return rows;
        }
        let mut A = vec![0.0; m * n];
        for (r, row) in rows.iter().enumerate() {
            for (v, c) in row {
                (0..D).for_each(|k| A[(D * *v as usize + k) * m + r] = c[k]);
            }
        }
        let L = MatRef::from_column_major_slice(&L, m, m);
        A.par_chunks_mut(m.max(1) * 256).for_each(|some| {
            let columns = some.len() / m;
            solve_lower_triangular_in_place(L, MatMut::from_column_major_slice_mut(some, m, columns), Par::Seq);
        });
        let at = |r: usize, v: usize| Vect::<D>::from_fn(|k, _| A[(D * v + k) * m + r]);
        rows = (0..m)
            .map(|r| (0..vertices).map(|v| (v as u32, at(r, v))).filter(|(_, c)| c.amax() > 0.0).collect())
            .collect();
    }
    rows
}

/// Aᵀ, column-major, of rows that are so full that this is faster to multiply with.
fn as_matrix<const D: usize>(rows: &[Row<D>]) -> Option<Vec<f64>> {
    let (m, n) = (rows.len(), D * rows.iter().flatten().map(|(v, _)| *v as usize + 1).max().unwrap_or(0));
    let filled: usize = rows.iter().map(|row| D * row.len()).sum();
    if m <= 16 || 4 * filled <= m * n || m * n > DENSE {
        return None;
    }
    let mut A = vec![0.0; m * n];
    for (column, row) in A.chunks_exact_mut(n).zip(rows) {
        row.iter().for_each(|(v, c)| column[D * *v as usize..][..D].copy_from_slice(c.as_slice()));
    }
    Some(A)
}

/// A Aᵀ, column-major, its lower triangle.
fn gram<const D: usize>(rows: &[Row<D>]) -> Vec<f64> {
    let m = rows.len();
    let mut gram = vec![0.0; m * m];
    if let Some(A) = as_matrix(rows) {
        let A = MatRef::from_column_major_slice(&A, A.len() / m, m);
        subtract_square(MatMut::from_column_major_slice_mut(&mut gram, m, m), A.transpose(), Accum::Replace);
        gram.iter_mut().for_each(|g| *g = -*g);
        return gram;
    }
    gram.par_chunks_mut(m.max(1)).enumerate().for_each(|(j, column)| {
        for i in j..m {
            column[i] = dot(&rows[i], &rows[j]);
        }
    });
    gram
}

/// The product of two rows whose vertices ascend.
fn dot<const D: usize>(a: &Row<D>, b: &Row<D>) -> f64 {
    let (mut i, mut j, mut sum) = (0, 0, 0.0);
    while i < a.len() && j < b.len() {
        match a[i].0.cmp(&b[j].0) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => {
                sum += a[i].1.dot(&b[j].1);
                i += 1;
                j += 1;
            }
        }
    }
    sum
}

/// Adds up repeated vertices of a row and sorts it.
pub fn tidy<const D: usize>(mut row: Row<D>) -> Row<D> {
    row.sort_by_key(|(v, _)| *v);
    row.chunk_by(|a, b| a.0 == b.0).map(|same| (same[0].0, same.iter().map(|(_, c)| c).sum())).collect()
}

/// Σ c·x of a row.
pub fn apply<const D: usize>(row: &Row<D>, x: &[Vect<D>]) -> f64 {
    row.iter().map(|(v, c)| c.dot(&x[*v as usize])).sum()
}

/// How many rows, and how many numbers of all rows, are one task of a projection.
const TOGETHER: usize = 16;
const STRIP: usize = 1536;

impl<const D: usize> Rows<D> {
    /// Prepares rows that must be tidy and independent.
    pub fn new(rows: Vec<Row<D>>) -> Result<Self, NotPositive> {
        let m = rows.len();
        let mut gram = gram(&rows);
        factor_columns(MatMut::from_column_major_slice_mut(&mut gram, m, m)).map_err(|block| NotPositive { block })?;
        let matrix = as_matrix(&rows);
        let flat = matrix.as_ref().map_or(vec![], |A| vec![0.0; A.len() / m]);
        Ok(Self { rows, matrix, gram, work: vec![0.0; m], flat })
    }
    /// All of them.
    pub fn all(&self) -> &[Row<D>] {
        &self.rows
    }
    /// How many there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }
    /// True where there are none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
    /// r ← r − Aᵀ (A Aᵀ)⁻¹ A r: what is left of a force when the rows have taken what they can.
    pub fn project(&mut self, r: &mut [Vect<D>]) {
        let Self { rows, matrix, gram, work, flat } = self;
        let m = rows.len();
        let Some(A) = matrix.as_ref().map(|A| MatRef::from_column_major_slice(A, A.len() / m, m)) else {
            work.iter_mut().zip(&*rows).for_each(|(w, row)| *w = apply(row, r));
            solve_lower(gram, work);
            solve_lower_transposed(gram, work);
            for (w, row) in work.iter().zip(rows) {
                row.iter().for_each(|(v, c)| r[*v as usize] -= *w * c);
            }
            return;
        };
        flat.chunks_exact_mut(D).zip(&*r).for_each(|(flat, r)| flat.copy_from_slice(r.as_slice()));
        work.par_chunks_mut(TOGETHER).enumerate().for_each(|(k, work)| {
            let some = A.subcols(k * TOGETHER, work.len());
            matmul(column_mut(work), Accum::Replace, some.transpose(), column(flat), 1.0, Par::Seq);
        });
        solve_lower(gram, work);
        solve_lower_transposed(gram, work);
        flat.par_chunks_mut(STRIP).enumerate().for_each(|(k, strip)| {
            let some = A.subrows(k * STRIP, strip.len());
            matmul(column_mut(strip), Accum::Add, some, column(work), -1.0, Par::Seq);
        });
        r.iter_mut().zip(flat.chunks_exact(D)).for_each(|(r, flat)| r.copy_from_slice(flat));
    }
}

/// Solves H p + Aᵀλ = f, A p = d by the Schur complement of the rows: W = L⁻¹ P Aᵀ, S = Wᵀ W.
pub struct Saddle<const D: usize> {
    half: Vec<f64>,
    schur: Vec<f64>,
    multipliers: Vec<f64>,
    solution: Vec<f64>,
}

impl<const D: usize> Saddle<D> {
    /// Room for so many rows on so many block unknowns.
    pub fn new(rows: usize, unknowns: usize) -> Self {
        Self {
            half: vec![0.0; rows * D * unknowns],
            schur: vec![0.0; rows * rows],
            multipliers: vec![0.0; rows],
            solution: vec![0.0; D * unknowns],
        }
    }

    /// Prepares for the matrix that was factored last.
    pub fn prepare(&mut self, factor: &mut Factor<D>, rows: &Rows<D>) -> Result<(), NotPositive> {
        let (m, n) = (rows.len(), self.solution.len());
        if m == 0 {
            return Ok(());
        }
        self.half.fill(0.0);
        for (column, row) in self.half.chunks_exact_mut(n).zip(&rows.rows) {
            for (v, c) in row {
                column[D * *v as usize..][..D].copy_from_slice(c.as_slice());
            }
        }
        factor.half_solve_many(&mut self.half);
        let W = MatRef::from_column_major_slice(&self.half, n, m);
        subtract_square(MatMut::from_column_major_slice_mut(&mut self.schur, m, m), W.transpose(), Accum::Replace);
        for s in &mut self.schur {
            *s = -*s;
        }
        factor_columns(MatMut::from_column_major_slice_mut(&mut self.schur, m, m))
            .map_err(|block| NotPositive { block })
    }

    /// f ← p, where d is what A p must be.
    pub fn solve(&mut self, factor: &mut Factor<D>, f: &mut [Vect<D>], d: &[f64]) {
        if d.is_empty() {
            return factor.solve(f);
        }
        let n = self.solution.len();
        for (s, f) in self.solution.chunks_exact_mut(D).zip(f.iter()) {
            s.copy_from_slice(f.as_slice());
        }
        factor.half_solve_many(&mut self.solution);
        for ((l, w), d) in self.multipliers.iter_mut().zip(self.half.chunks_exact(n)).zip(d) {
            *l = w.iter().zip(&self.solution).map(|(a, b)| a * b).sum::<f64>() - d;
        }
        solve_lower(&self.schur, &mut self.multipliers);
        solve_lower_transposed(&self.schur, &mut self.multipliers);
        for (l, w) in self.multipliers.iter().zip(self.half.chunks_exact(n)) {
            for (s, w) in self.solution.iter_mut().zip(w) {
                *s -= l * w;
            }
        }
        factor.other_half_solve_many(&mut self.solution);
        for (s, f) in self.solution.chunks_exact(D).zip(f.iter_mut()) {
            f.copy_from_slice(s);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::Random;
    use crate::{BlockMatrix, Mat};

    fn random_rows(count: usize, vertices: u32, random: &mut Random) -> Vec<Row<3>> {
        (0..count)
            .map(|k| tidy((0..5).map(|j| ((7 * k as u32 + 3 * j) % vertices, random.vector())).collect()))
            .collect()
    }

    #[test]
    fn dependent_rows_are_found_in_any_scale() {
        let mut random = Random::new(3);
        let mut rows = random_rows(4, 10, &mut random);
        let combine =
            |a: &Row<3>, b: &Row<3>, s: f64| -> Row<3> { tidy(a.iter().chain(b).map(|(v, c)| (*v, s * c)).collect()) };
        rows.insert(2, combine(&rows[0], &rows[1], 1e6));
        rows.push(combine(&rows[3], &rows[4], 1e-6));
        rows.push(vec![]);
        let kept = independent_rows(&rows);
        assert_eq!(kept.len(), 4, "{kept:?}");
        assert!(Rows::new(kept.iter().map(|&k| rows[k].clone()).collect()).is_ok());
    }

    #[test]
    fn orthonormal_rows_span_the_same_space() {
        let mut random = Random::new(9);
        let mut rows = random_rows(5, 12, &mut random);
        // nearly the same as another, and the sum of two
        let close = rows[0].iter().map(|(v, c)| (*v, c + 1e-5 * random.vector::<3>())).collect();
        let sum = tidy(rows[1].iter().chain(&rows[2]).copied().collect());
        rows.extend([close, sum]);
        let found = orthonormal_rows(rows.clone());
        assert_eq!(found.len(), 6);
        for (i, a) in found.iter().enumerate() {
            for (j, b) in found.iter().enumerate() {
                assert!((dot(a, b) - f64::from(i == j)).abs() < 1e-13);
            }
        }
        let mut span = Rows::new(found).unwrap();
        for row in rows {
            let mut left = vec![Vect::zeros(); 12];
            row.iter().for_each(|(v, c)| left[*v as usize] = *c);
            span.project(&mut left);
            assert!(left.iter().all(|l| l.norm() < 1e-10));
        }
    }

    #[test]
    fn the_saddle_point_is_found() {
        let mut random = Random::new(5);
        let n = 12;
        let mut A = BlockMatrix::<3>::with_pattern(n, (1..n as u32).map(|i| (i - 1, i)));
        for c in 0..n {
            for k in A.starts[c]..A.starts[c + 1] {
                A.blocks[k] = if k == A.starts[c] { 5.0 * Mat::identity() } else { random.matrix() };
            }
        }
        let rows = Rows::new(random_rows(3, n as u32, &mut random)).unwrap();
        let mut factor = Factor::new(&A);
        factor.factorize(&A).unwrap();
        let mut saddle = Saddle::new(3, n);
        saddle.prepare(&mut factor, &rows).unwrap();
        let (f, d): (Vec<Vect<3>>, _) = ((0..n).map(|_| random.vector()).collect(), [0.3, -1.0, 2.0]);
        let mut p = f.clone();
        saddle.solve(&mut factor, &mut p, &d);
        for (row, d) in rows.rows.iter().zip(d) {
            assert!((apply(row, &p) - d).abs() < 1e-12);
        }
        // what remains of f − H p is a combination of the rows
        let mut rest = f.clone();
        A.times(&p, &mut rest);
        rest.iter_mut().zip(&f).for_each(|(r, f)| *r = f - *r);
        assert!(rest.iter().any(|r| r.norm() > 1e-3), "vacuous: the rows do nothing");
        let mut rows = rows;
        rows.project(&mut rest);
        assert!(rest.iter().all(|r| r.norm() < 1e-12));
    }
}
