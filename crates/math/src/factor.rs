//! Cholesky factorization A = L Lᵀ of a block matrix: analysed once per pattern, refactored in place.

use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::reborrow::{Reborrow, ReborrowMut};
use faer::{Accum, MatMut, Par};
use rayon::prelude::*;

use crate::dense::{factor_columns, subtract_square};
use crate::fronts::{Front, Fronts};
use crate::sweep::Sweep;
use crate::{BlockMatrix, Mat, Vect};

/// The factor of a symmetric positive definite block matrix.
///
/// The numeric phase is multifrontal: independent subtrees of the elimination tree run in parallel, and large fronts are
/// cut into pieces of fixed size, so the same matrix gives the same bits on any number of threads.
///
/// ```
/// use math::{BlockMatrix, Factor, Mat, Vect};
///
/// // two vertices in the plane, coupled
/// let mut A = BlockMatrix::<2>::with_pattern(2, [(0, 1)]);
/// A.blocks = vec![2.0 * Mat::identity(), -Mat::<2>::identity(), 2.0 * Mat::identity()];
/// let mut factor = Factor::new(&A);
/// factor.factorize(&A)?;
/// let mut x = [Vect::from([3.0, 0.0]), Vect::from([0.0, 3.0])];
/// factor.solve(&mut x);
/// assert!((x[0] - Vect::from([2.0, 1.0])).norm() < 1e-12);
/// # Ok::<(), math::NotPositive>(())
/// ```
pub struct Factor<const D: usize> {
    plan: Fronts,
    values: Vec<f64>,
    memory: Vec<f64>,
    single: Scratch,
    many: Vec<Scratch>,
}

/// Right-hand sides that are solved together, in elimination order, and room for what fronts pass on: for a single one all at once, for many one after
/// the other.
#[derive(Clone, Default)]
struct Scratch {
    x: Vec<f64>,
    passed: Vec<f64>,
}

/// Which part of a solve.
#[derive(Clone, Copy, PartialEq)]
enum Half {
    First,
    Second,
    Both,
}

/// The matrix is not positive definite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the matrix is not positive definite (found at block {block})")]
pub struct NotPositive {
    /// the block column where elimination broke down
    pub block: usize,
}

/// Right-hand sides per task.
const TOGETHER: usize = 16;

impl<const D: usize> Factor<D> {
    /// Analyses the pattern; the values do not matter yet.
    pub fn new(pattern: &BlockMatrix<D>) -> Self {
        let plan = Fronts::of(pattern);
        let (values, memory) = (vec![0.0; plan.values], vec![0.0; plan.memory]);
        let single = Scratch { x: vec![0.0; D * plan.position.len()], passed: vec![0.0; plan.rows.len()] };
        Self { plan, values, memory, single, many: vec![] }
    }

    /// Numbers in L.
    pub fn len(&self) -> usize {
        self.values.len()
    }
    /// True where there are no unknowns.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }
    /// Floating-point operations of one factorization.
    pub fn work(&self) -> f64 {
        self.plan.work
    }

    /// L ← the factor of this matrix, which must have the pattern that was analysed.
    pub fn factorize(&mut self, matrix: &BlockMatrix<D>) -> Result<(), NotPositive> {
        let task = Task { plan: &self.plan, blocks: &matrix.blocks };
        task.forest(&self.plan.roots, 0, &mut self.values, &mut self.memory).map_err(|column| {
            let position = (column - column % D) as u32;
            NotPositive { block: self.plan.position.iter().position(|&p| p == position).unwrap_or(0) }
        })
    }

    /// x ← A⁻¹ x
    pub fn solve(&mut self, x: &mut [Vect<D>]) {
        let Self { plan, values, single, .. } = self;
        for (x, &p) in x.iter().zip(&plan.position) {
            single.x[p as usize..p as usize + D].copy_from_slice(x.as_slice());
        }
        Sweep { plan, values }.solve(&mut single.x, &mut single.passed);
        for (x, &p) in x.iter_mut().zip(&plan.position) {
            x.copy_from_slice(&single.x[p as usize..p as usize + D]);
        }
    }

    /// X ← A⁻¹ X for many right-hand sides, one after the other in `x`.
    pub fn solve_many(&mut self, x: &mut [f64]) {
        self.each_batch(x, Half::Both);
    }

    /// X ← L⁻¹ P X, where P sorts the unknowns into elimination order: the first half of a solve. The half-solved columns
    /// Y of some B give the Schur complement Bᵀ A⁻¹ B = Yᵀ Y.
    pub fn half_solve_many(&mut self, x: &mut [f64]) {
        self.each_batch(x, Half::First);
    }

    /// X ← Pᵀ L⁻ᵀ X: the second half.
    pub fn other_half_solve_many(&mut self, x: &mut [f64]) {
        self.each_batch(x, Half::Second);
    }

    fn each_batch(&mut self, x: &mut [f64], half: Half) {
        let n = D * self.plan.position.len();
        if n == 0 || x.is_empty() {
            return;
        }
        self.reserve(x.len() / n);
        let Self { plan, values, many, .. } = self;
        x.par_chunks_mut(TOGETHER * n).zip(many).for_each(|(x, Scratch { x: work, passed })| {
            let count = x.len() / n;
            let work = &mut work[..x.len()];
            if half == Half::Second {
                work.copy_from_slice(x);
            } else {
                for (x, work) in x.chunks_exact(n).zip(work.chunks_exact_mut(n)) {
                    for (x, &p) in x.chunks_exact(D).zip(&plan.position) {
                        work[p as usize..p as usize + D].copy_from_slice(x);
                    }
                }
                forward(plan, values, MatMut::from_column_major_slice_mut(work, n, count), passed);
            }
            if half == Half::First {
                x.copy_from_slice(work);
            } else {
                backward(plan, values, MatMut::from_column_major_slice_mut(work, n, count), passed);
                for (x, work) in x.chunks_exact_mut(n).zip(work.chunks_exact(n)) {
                    for (x, &p) in x.chunks_exact_mut(D).zip(&plan.position) {
                        x.copy_from_slice(&work[p as usize..p as usize + D]);
                    }
                }
            }
        });
    }

    /// Makes room for so many right-hand sides at once, so that solving them later allocates nothing.
    pub fn reserve(&mut self, count: usize) {
        let n = D * self.plan.position.len();
        let longest = self.plan.fronts.iter().map(|f| f.rows.len()).max().unwrap_or(0);
        let room = || Scratch { x: vec![0.0; n * TOGETHER], passed: vec![0.0; longest * TOGETHER] };
        let batches = count.div_ceil(TOGETHER).max(self.many.len());
        self.many.resize_with(batches, room);
    }
}

/// y ← L⁻¹ y
fn forward(plan: &Fronts, values: &[f64], mut y: MatMut<'_, f64>, passed: &mut [f64]) {
    let count = y.ncols();
    for front in &plan.fronts {
        let (square, below) = front.view(values);
        let mut own = y.rb_mut().subrows_mut(front.start, front.columns);
        solve_lower_triangular_in_place(square, own.rb_mut(), Par::Seq);
        let rows = &plan.rows[front.rows.clone()];
        if rows.is_empty() {
            continue;
        }
        let mut down = MatMut::from_column_major_slice_mut(&mut passed[..rows.len() * count], rows.len(), count);
        matmul(down.rb_mut(), Accum::Replace, below, own.rb(), 1.0, Par::Seq);
        for k in 0..count {
            let down = down.rb().col(k);
            let mut y = y.rb_mut().col_mut(k);
            for (i, &row) in rows.iter().enumerate() {
                y[row as usize] -= down[i];
            }
        }
    }
}

/// y ← L⁻ᵀ y
fn backward(plan: &Fronts, values: &[f64], mut y: MatMut<'_, f64>, passed: &mut [f64]) {
    let count = y.ncols();
    for front in plan.fronts.iter().rev() {
        let (square, below) = front.view(values);
        let rows = &plan.rows[front.rows.clone()];
        if !rows.is_empty() {
            let mut up = MatMut::from_column_major_slice_mut(&mut passed[..rows.len() * count], rows.len(), count);
            for k in 0..count {
                let y = y.rb().col(k);
                let mut up = up.rb_mut().col_mut(k);
                for (i, &row) in rows.iter().enumerate() {
                    up[i] = y[row as usize];
                }
            }
            let own = y.rb_mut().subrows_mut(front.start, front.columns);
            matmul(own, Accum::Add, below.transpose(), up.rb(), -1.0, Par::Seq);
        }
        let own = y.rb_mut().subrows_mut(front.start, front.columns);
        solve_upper_triangular_in_place(square.transpose(), own, Par::Seq);
    }
}

/// One numeric factorization under way. Each subtree owns a range of the values and of the scratch memory, so that
/// subtrees can be handed to other threads; the first number of a subtree's memory is the first of its root's update.
struct Task<'a, const D: usize> {
    plan: &'a Fronts,
    blocks: &'a [Mat<D>],
}

impl<const D: usize> Task<'_, D> {
    /// Factors the subtrees of these fronts, whose values start at `offset`, in parallel.
    fn forest(&self, roots: &[u32], offset: usize, values: &mut [f64], memory: &mut [f64]) -> Result<(), usize> {
        match roots {
            [] => Ok(()),
            [root] => self.subtree(*root, values, memory),
            _ => {
                let (first, second) = roots.split_at(roots.len() / 2);
                let middle = self.plan.first(second[0]).values;
                let (v1, v2) = values.split_at_mut(middle - offset);
                let (m1, m2) = memory.split_at_mut(self.memory(first));
                let (a, b) = rayon::join(|| self.forest(first, offset, v1, m1), || self.forest(second, middle, v2, m2));
                a.and(b)
            }
        }
    }

    fn memory(&self, fronts: &[u32]) -> usize {
        fronts.iter().map(|&f| self.plan.fronts[f as usize].total_memory()).sum()
    }

    fn subtree(&self, s: u32, values: &mut [f64], memory: &mut [f64]) -> Result<(), usize> {
        let front = &self.plan.fronts[s as usize];
        if !front.parallel {
            let (own, other) = memory.split_at_mut(front.memory[0]);
            return self.in_one_task(s, values, own, other);
        }
        let (update, memory) = memory.split_at_mut(front.update());
        let start = self.plan.first(s).values;
        let (below, values) = values.split_at_mut(front.values - start);
        self.forest(self.plan.children(front), start, below, memory)?;
        self.eliminate(front, values, update, memory, |child| child.total_memory())
    }

    /// Factors a subtree front by front. Its own update goes on the one stack, those of its children on the other.
    fn in_one_task(&self, s: u32, values: &mut [f64], own: &mut [f64], other: &mut [f64]) -> Result<(), usize> {
        let front = &self.plan.fronts[s as usize];
        let (mut below, values) = values.split_at_mut(front.values - self.plan.first(s).values);
        let mut base = 0;
        for &c in self.plan.children(front) {
            let child = &self.plan.fronts[c as usize];
            let length = child.values + child.height() * child.columns - self.plan.first(c).values;
            let (subtree, rest) = below.split_at_mut(length);
            below = rest;
            self.in_one_task(c, subtree, &mut other[base..], own)?;
            base += child.update();
        }
        self.eliminate(front, values, &mut own[..front.update()], other, |child| child.update())
    }

    /// Sums a front from the matrix and from what its children pass on, factors its columns, and leaves in `update` what
    /// it passes on itself. The children's updates are in `passed`, `stride` apart.
    fn eliminate(
        &self,
        front: &Front,
        values: &mut [f64],
        update: &mut [f64],
        passed: &[f64],
        stride: fn(&Front) -> usize,
    ) -> Result<(), usize> {
        let (height, columns, below) = (front.height(), front.columns, front.rows.len());
        values.fill(0.0);
        for entry in &self.plan.entries[front.entries.clone()] {
            let block = &self.blocks[entry.block as usize];
            for j in 0..D {
                let to = &mut values[entry.place as usize + j * height..][..D];
                for i in 0..D {
                    to[i] = if entry.transposed { block[(j, i)] } else { block[(i, j)] };
                }
            }
        }
        let children = || {
            let mut base = 0;
            self.plan.children(front).iter().map(move |&c| {
                let child = &self.plan.fronts[c as usize];
                let update = &passed[base..base + child.update()];
                base += stride(child);
                (update, &self.plan.in_parent[child.rows.clone()])
            })
        };
        for (update, places) in children() {
            let n = places.len();
            for (j, &column) in places.iter().enumerate().take_while(|(_, c)| (**c as usize) < columns) {
                let to = &mut values[column as usize * height..][..height];
                for (from, &row) in update[j * n + j..(j + 1) * n].iter().zip(&places[j..]) {
                    to[row as usize] += from;
                }
            }
        }
        let mut L = MatMut::from_column_major_slice_mut(values, height, columns);
        factor_columns(L.rb_mut()).map_err(|column| front.start + column)?;
        let U = MatMut::from_column_major_slice_mut(update, below, below);
        subtract_square(U, L.rb().subrows(columns, below), Accum::Replace);
        for (passed, places) in children() {
            let n = places.len();
            let inside = places.partition_point(|&c| (c as usize) < columns);
            for j in inside..n {
                let to = &mut update[(places[j] as usize - columns) * below..][..below];
                for (from, &row) in passed[j * n + j..(j + 1) * n].iter().zip(&places[j..]) {
                    to[row as usize - columns] += from;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::Random;

    /// A random positive definite matrix on a random graph, with some columns coupled to nothing.
    fn sample<const D: usize>(n: usize, edges: usize, random: &mut Random) -> BlockMatrix<D> {
        let mut vertex = || ((random.number() * 0.5 + 0.5) * n as f64) as u32 % n as u32;
        let pairs: Vec<_> = (0..edges).map(|_| (vertex(), vertex())).collect();
        let mut A = BlockMatrix::with_pattern(n, pairs);
        for c in 0..n {
            for k in A.starts[c] + 1..A.starts[c + 1] {
                A.blocks[k] = random.matrix();
            }
            let B = random.matrix::<D>();
            A.blocks[A.starts[c]] = B + B.transpose();
        }
        let mut degree = vec![1.0; n];
        for c in 0..n {
            for k in A.starts[c]..A.starts[c + 1] {
                degree[c] += D as f64;
                degree[A.rows[k] as usize] += D as f64;
            }
        }
        for c in 0..n {
            A.blocks[A.starts[c]] += degree[c] * Mat::identity();
        }
        A
    }

    fn check<const D: usize>() {
        let mut random = Random::new(9);
        for (n, edges) in [(1, 0), (2, 1), (7, 3), (50, 200), (300, 500), (400, 4000), (1500, 30_000)] {
            let A = sample::<D>(n, edges, &mut random);
            let mut factor = Factor::new(&A);
            factor.factorize(&A).unwrap();
            let b: Vec<Vect<D>> = (0..n).map(|_| random.vector()).collect();
            let (mut x, mut back) = (b.clone(), b.clone());
            factor.solve(&mut x);
            A.times(&x, &mut back);
            let error = back.iter().zip(&b).map(|(a, b)| (a - b).amax()).fold(0.0, f64::max);
            assert!(error < 1e-13, "{n} {edges}: {error}");
            // many at once, and in two halves
            let mut many: Vec<f64> = (0..37)
                .flat_map(|k| b.iter().flat_map(move |b| b.iter().map(move |b| k as f64 * b).collect::<Vec<_>>()))
                .collect();
            let mut halves = many.clone();
            factor.solve_many(&mut many);
            factor.half_solve_many(&mut halves);
            factor.other_half_solve_many(&mut halves);
            assert_eq!(many, halves);
            for (k, column) in many.chunks_exact(D * n).enumerate() {
                let off = column.iter().zip(x.iter().flat_map(|x| x.iter())).map(|(a, b)| (a - k as f64 * b).abs());
                assert!(off.fold(0.0, f64::max) < 1e-12 * 37.0, "{n} {edges}: column {k}");
            }
        }
    }
    #[test]
    fn the_factor_solves_connected_and_scattered_systems() {
        check::<2>();
        check::<3>();
    }

    #[test]
    fn an_indefinite_matrix_is_refused_and_the_next_one_solved() {
        let mut A = sample::<3>(200, 900, &mut Random::new(2));
        let mut factor = Factor::new(&A);
        let block = A.starts[77];
        A.blocks[block][(1, 1)] -= 1e3;
        assert!(factor.factorize(&A).is_err());
        A.blocks[block][(1, 1)] += 1e3;
        assert_eq!(factor.factorize(&A), Ok(()));
    }

    #[test]
    fn two_threads_give_the_bits_of_one() {
        let A = sample::<3>(2000, 40_000, &mut Random::new(6));
        let bits = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let mut factor = Factor::new(&A);
                assert!(factor.plan.fronts.iter().any(|f| f.parallel), "vacuous: nothing runs in parallel");
                factor.factorize(&A).unwrap();
                let mut x = vec![Vect::from([1.0, 2.0, 3.0]); 2000];
                factor.solve(&mut x);
                (factor.values, x)
            })
        };
        let (one, two) = (bits(1), bits(2));
        assert!(one == two);
    }
}
