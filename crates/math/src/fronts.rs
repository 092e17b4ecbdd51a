//! The plan of a factorization: which dense fronts there are, what flows into which, and where everything is kept.

use faer::perm::Perm;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, SymbolicCholeskyRaw, SymmetricOrdering, factorize_symbolic_cholesky,
};
use faer::sparse::linalg::{SupernodalThreshold, SymbolicSupernodalParams};
use faer::sparse::{SymbolicSparseColMat, SymbolicSparseColMatRef};
use faer::{MatRef, Side};

use crate::BlockMatrix;
use crate::ordering::elimination_order;

/// Work [flops] below which a subtree of fronts is one task.
const TASK: f64 = 5e6;

/// A dense front: columns of the factor with one pattern of rows [Liu92].
pub(crate) struct Front {
    /// first scalar column (in elimination order), and how many
    pub start: usize,
    pub columns: usize,
    /// where its rows below the square are in `Fronts::rows`
    pub rows: std::ops::Range<usize>,
    /// where its values start, column-major, (columns + rows) × columns
    pub values: usize,
    /// the first front of its subtree, which are all from that one on
    pub first: usize,
    /// which blocks of the matrix go into it
    pub entries: std::ops::Range<usize>,
    /// which fronts flow into it, in `Fronts::children`
    pub children: std::ops::Range<usize>,
    /// its subtree is worth several tasks
    pub parallel: bool,
    /// numbers of scratch its subtree needs; where it is one task, the first is for the stack of its own level and the
    /// second for that of its children
    pub memory: [usize; 2],
}

impl Front {
    pub fn height(&self) -> usize {
        self.columns + self.rows.len()
    }
    /// The size of what it passes on to its parent.
    pub fn update(&self) -> usize {
        self.rows.len() * self.rows.len()
    }
    /// Its square on the diagonal of L, and the rows below it.
    pub fn view<'v>(&self, values: &'v [f64]) -> (MatRef<'v, f64>, MatRef<'v, f64>) {
        let (height, columns) = (self.height(), self.columns);
        MatRef::from_column_major_slice(&values[self.values..][..height * columns], height, columns)
            .split_at_row(columns)
    }
    fn work(&self) -> f64 {
        let (c, r) = (self.columns as f64, self.rows.len() as f64);
        c * c * c / 3.0 + c * c * r + c * r * r
    }
}

/// One block of the matrix on its way into a front.
pub(crate) struct Entry {
    /// which block of the matrix
    pub block: u32,
    /// where its first number goes, relative to the front's values
    pub place: u32,
    /// it lies above the diagonal in elimination order
    pub transposed: bool,
}

/// All fronts, children before parents.
pub(crate) struct Fronts {
    pub fronts: Vec<Front>,
    /// scalar rows (in elimination order) below each front's square
    pub rows: Vec<u32>,
    /// for each of `rows`: where it is in the parent's front
    pub in_parent: Vec<u32>,
    pub children: Vec<u32>,
    pub roots: Vec<u32>,
    pub entries: Vec<Entry>,
    /// for each block, where its first scalar is in elimination order
    pub position: Vec<u32>,
    pub values: usize,
    pub memory: usize,
    /// floating-point operations of one factorization
    pub work: f64,
}

impl Fronts {
    pub fn of<const D: usize>(matrix: &BlockMatrix<D>) -> Self {
        let n = matrix.columns();
        let order = elimination_order(matrix);
        let mut position = vec![0u32; n];
        for (k, &v) in order.iter().enumerate() {
            position[v as usize] = (D * k) as u32;
        }
        let mut plan = Self {
            fronts: vec![],
            rows: vec![],
            in_parent: vec![],
            children: vec![],
            roots: vec![],
            entries: vec![],
            position,
            values: 0,
            memory: 0,
            work: 0.0,
        };
        if n == 0 {
            return plan;
        }
        let front_of = plan.read_symbolic::<D>(matrix, &order);
        plan.link(&front_of);
        plan.place_entries::<D>(matrix, &front_of);
        plan.plan_memory();
        plan
    }

    /// The first front of the subtree of a front: what belongs to the subtree starts with what belongs to it.
    pub fn first(&self, s: u32) -> &Front {
        &self.fronts[self.fronts[s as usize].first]
    }

    /// Which fronts flow into a front.
    pub fn children(&self, front: &Front) -> &[u32] {
        &self.children[front.children.clone()]
    }

    /// Takes the fronts from faer's symbolic analysis. Returns the front of each scalar column.
    fn read_symbolic<const D: usize>(&mut self, matrix: &BlockMatrix<D>, order: &[u32]) -> Vec<u32> {
        let size = D * order.len();
        let (starts, rows) = scalar_pattern(matrix);
        let pattern = SymbolicSparseColMat::<u32>::new_checked(size, size, starts, None, rows);
        let forward: Vec<u32> = order.iter().flat_map(|&v| (0..D as u32).map(move |i| D as u32 * v + i)).collect();
        let inverse: Vec<u32> = self.position.iter().flat_map(|&p| (0..D as u32).map(move |i| p + i)).collect();
        let perm = Perm::new_checked(forward.into_boxed_slice(), inverse.into_boxed_slice(), size);
        let params = CholeskySymbolicParams {
            supernodal_flop_ratio_threshold: SupernodalThreshold::FORCE_SUPERNODAL,
            supernodal_params: SymbolicSupernodalParams { relax: Some(RELAX) },
            ..Default::default()
        };
        let view: SymbolicSparseColMatRef<'_, u32> = pattern.as_ref();
        let symbolic = factorize_symbolic_cholesky(view, Side::Lower, SymmetricOrdering::Custom(perm.as_ref()), params)
            .expect("memory for the pattern of the factor");
        let SymbolicCholeskyRaw::Supernodal(nodes) = symbolic.raw() else { unreachable!("supernodes were asked for") };
        let mut front_of = vec![0; size];
        let mut values = 0;
        for s in 0..nodes.n_supernodes() {
            let start = nodes.supernode_begin()[s] as usize;
            let columns = nodes.supernode_end()[s] as usize - start;
            front_of[start..start + columns].fill(s as u32);
            let first = self.rows.len();
            let from = nodes.col_ptr_for_row_idx()[s] as usize;
            self.rows.extend_from_slice(&nodes.row_idx()[from..from + nodes.nnz_per_super()[s] as usize]);
            let front = Front {
                start,
                columns,
                rows: first..self.rows.len(),
                values,
                first: s,
                entries: 0..0,
                children: 0..0,
                parallel: false,
                memory: [0; 2],
            };
            values += front.height() * columns;
            self.fronts.push(front);
        }
        self.values = values;
        front_of
    }

    /// Finds the parent of each front and where its rows lie there.
    fn link(&mut self, front_of: &[u32]) {
        let count = self.fronts.len();
        let mut children = vec![vec![]; count];
        self.in_parent = vec![0; self.rows.len()];
        for s in 0..count {
            let rows = self.fronts[s].rows.clone();
            if rows.is_empty() {
                self.roots.push(s as u32);
                continue;
            }
            let p = front_of[self.rows[rows.start] as usize] as usize;
            children[p].push(s as u32);
            let parent = &self.fronts[p];
            let (end, below) = (parent.start + parent.columns, &self.rows[parent.rows.clone()]);
            let mut k = 0;
            for i in rows {
                let row = self.rows[i];
                self.in_parent[i] = if (row as usize) < end {
                    row - parent.start as u32
                } else {
                    while below[k] != row {
                        k += 1; // both ascend, and the parent has every row of its children
                    }
                    (parent.columns + k) as u32
                };
            }
        }
        for (s, list) in children.into_iter().enumerate() {
            let first = self.children.len();
            self.fronts[s].first = list.first().map_or(s, |&c| self.fronts[c as usize].first);
            self.children.extend(list);
            self.fronts[s].children = first..self.children.len();
        }
    }

    /// Finds where each block of the matrix goes.
    fn place_entries<const D: usize>(&mut self, matrix: &BlockMatrix<D>, front_of: &[u32]) {
        let mut entries: Vec<(u32, Entry)> = Vec::with_capacity(matrix.rows.len());
        for c in 0..matrix.columns() {
            for k in matrix.starts[c]..matrix.starts[c + 1] {
                let (a, b) = (self.position[matrix.rows[k] as usize], self.position[c]);
                let (row, column) = (a.max(b), a.min(b) as usize);
                let s = front_of[column];
                let front = &self.fronts[s as usize];
                let row = if (row as usize) < front.start + front.columns {
                    row as usize - front.start
                } else {
                    let below = &self.rows[front.rows.clone()];
                    front.columns + below.binary_search(&row).expect("the factor has every entry of the matrix")
                };
                let place = ((column - front.start) * front.height() + row) as u32;
                entries.push((s, Entry { block: k as u32, place, transposed: a < b }));
            }
        }
        entries.sort_by_key(|(s, entry)| (*s, entry.place));
        let mut next = 0;
        for (s, front) in self.fronts.iter_mut().enumerate() {
            let first = next;
            while next < entries.len() && entries[next].0 == s as u32 {
                next += 1;
            }
            front.entries = first..next;
        }
        self.entries = entries.into_iter().map(|(_, entry)| entry).collect();
    }

    /// Decides what is a task of its own, and how much scratch each subtree needs.
    ///
    /// Inside a task the updates live on two stacks, one for even levels of the tree and one for odd ones: when a front
    /// is made, its children are on top of the one stack and its own update goes on top of the other.
    fn plan_memory(&mut self) {
        let mut subtree = vec![0.0; self.fronts.len()];
        for s in 0..self.fronts.len() {
            let front = &self.fronts[s];
            let children = self.children(front);
            subtree[s] = front.work() + children.iter().map(|&c| subtree[c as usize]).sum::<f64>();
            let parallel = subtree[s] > TASK;
            let memory = if parallel {
                [front.update() + children.iter().map(|&c| self.fronts[c as usize].total_memory()).sum::<usize>(), 0]
            } else {
                let (mut own, mut other, mut base) = (front.update(), 0, 0);
                for &c in children {
                    let child = &self.fronts[c as usize];
                    own = own.max(child.memory[1]);
                    other = other.max(base + child.memory[0]);
                    base += child.update();
                }
                [own, other]
            };
            self.fronts[s].parallel = parallel;
            self.fronts[s].memory = memory;
        }
        self.memory = self.roots.iter().map(|&r| self.fronts[r as usize].total_memory()).sum();
        self.work = self.roots.iter().map(|&r| subtree[r as usize]).sum();
    }
}

impl Front {
    pub fn total_memory(&self) -> usize {
        self.memory[0] + self.memory[1]
    }
}

/// When small fronts are merged into their parents: (up to how many columns, at which share of zeros).
const RELAX: &[(usize, f64)] = &[(4, 1.0), (16, 0.8), (48, 0.1), (usize::MAX, 0.05)];

/// The lower triangle's pattern in scalars, as (column starts, rows).
fn scalar_pattern<const D: usize>(matrix: &BlockMatrix<D>) -> (Vec<u32>, Vec<u32>) {
    let (mut starts, mut rows) = (vec![0], vec![]);
    for c in 0..matrix.columns() {
        for i in 0..D {
            rows.extend((i..D).map(|j| (D * c + j) as u32));
            for &r in &matrix.rows[matrix.starts[c] + 1..matrix.starts[c + 1]] {
                rows.extend((0..D).map(|j| D as u32 * r + j as u32));
            }
            starts.push(rows.len() as u32);
        }
    }
    (starts, rows)
}
