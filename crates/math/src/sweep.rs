//! L Lᵀ x = b for one right-hand side, subtrees of fronts in parallel.
//!
//! A front works on its own columns of x and on a list of numbers for the rows below its square. On the way up it adds to both what its children's
//! lists say, always in the same order; on the way down it tells them what is known of their rows. So no two fronts write to one place, and the
//! bits are the same on any number of threads.

use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::{Accum, Par};

use crate::dense::{column, column_mut};
use crate::fronts::{Front, Fronts};

/// A factor, to be solved with.
pub(crate) struct Sweep<'a> {
    pub plan: &'a Fronts,
    pub values: &'a [f64],
}

/// What belongs to some subtrees that stand next to each other.
struct Part<'p> {
    /// their columns of x, the first of which is this one
    x: &'p mut [f64],
    column: usize,
    /// the lists of their fronts, the first of which begins here
    passed: &'p mut [f64],
    row: usize,
}

impl Part<'_> {
    /// All before this front, and all from it on.
    fn split(&mut self, front: &Front) -> [Part<'_>; 2] {
        let (column, row) = (front.start, front.rows.start);
        let (x1, x2) = self.x.split_at_mut(column - self.column);
        let (p1, p2) = self.passed.split_at_mut(row - self.row);
        [Part { x: x1, column: self.column, passed: p1, row: self.row }, Part { x: x2, column, passed: p2, row }]
    }

    /// A front's columns, its list, and all lists before it.
    fn of(&mut self, front: &Front) -> [&mut [f64]; 3] {
        let (before, list) = self.passed.split_at_mut(front.rows.start - self.row);
        let x = &mut self.x[front.start - self.column..][..front.columns];
        [x, &mut list[..front.rows.len()], before]
    }
}

impl Sweep<'_> {
    /// x ← (L Lᵀ)⁻¹ x. `passed` has room for all of the plan's rows.
    pub fn solve(&self, x: &mut [f64], passed: &mut [f64]) {
        let mut all = Part { x, column: 0, passed, row: 0 };
        self.forest(&self.plan.roots, &mut all, Self::up);
        self.forest(&self.plan.roots, &mut all, Self::down);
    }

    /// One half for the subtrees of these fronts, in parallel.
    fn forest(&self, roots: &[u32], part: &mut Part<'_>, half: fn(&Self, u32, &mut Part<'_>)) {
        match roots {
            [] => {}
            [root] => half(self, *root, part),
            _ => {
                let (first, second) = roots.split_at(roots.len() / 2);
                let [mut a, mut b] = part.split(self.plan.first(second[0]));
                rayon::join(|| self.forest(first, &mut a, half), || self.forest(second, &mut b, half));
            }
        }
    }

    /// x ← L⁻¹ x in the subtree of a front.
    fn up(&self, s: u32, part: &mut Part<'_>) {
        let front = &self.plan.fronts[s as usize];
        if front.parallel {
            self.forest(self.plan.children(front), part, Self::up);
            self.pass_up(front, part);
        } else {
            self.plan.fronts[front.first..=s as usize].iter().for_each(|front| self.pass_up(front, part));
        }
    }

    /// x ← L⁻ᵀ x in the subtree of a front.
    fn down(&self, s: u32, part: &mut Part<'_>) {
        let front = &self.plan.fronts[s as usize];
        if front.parallel {
            self.pass_down(front, part);
            self.forest(self.plan.children(front), part, Self::down);
        } else {
            self.plan.fronts[front.first..=s as usize].iter().rev().for_each(|front| self.pass_down(front, part));
        }
    }

    /// The children of a front, each with where its list is in those before the front's and where its rows are in the front.
    fn children<'s>(&'s self, front: &Front, row: usize) -> impl Iterator<Item = (std::ops::Range<usize>, &'s [u32])> {
        self.plan.children(front).iter().map(move |&c| {
            let rows = self.plan.fronts[c as usize].rows.clone();
            (rows.start - row..rows.end - row, &self.plan.in_parent[rows])
        })
    }

    fn pass_up(&self, front: &Front, part: &mut Part<'_>) {
        let (row, columns) = (part.row, front.columns);
        let [x, list, before] = part.of(front);
        list.fill(0.0);
        for (range, places) in self.children(front, row) {
            let inside = places.partition_point(|&p| (p as usize) < columns);
            let (own, below) = before[range].split_at(inside);
            own.iter().zip(&places[..inside]).for_each(|(from, &p)| x[p as usize] += from);
            below.iter().zip(&places[inside..]).for_each(|(from, &p)| list[p as usize - columns] += from);
        }
        let (square, below) = front.view(self.values);
        solve_lower_triangular_in_place(square, column_mut(x), Par::Seq);
        if !list.is_empty() {
            matmul(column_mut(list), Accum::Add, below, column(x), -1.0, Par::Seq);
        }
    }

    fn pass_down(&self, front: &Front, part: &mut Part<'_>) {
        let (row, columns) = (part.row, front.columns);
        let [x, list, before] = part.of(front);
        let (square, below) = front.view(self.values);
        if !list.is_empty() {
            matmul(column_mut(x), Accum::Add, below.transpose(), column(list), -1.0, Par::Seq);
        }
        solve_upper_triangular_in_place(square.transpose(), column_mut(x), Par::Seq);
        for (range, places) in self.children(front, row) {
            for (to, &p) in before[range].iter_mut().zip(places) {
                let p = p as usize;
                *to = if p < columns { x[p] } else { list[p - columns] };
            }
        }
    }
}
