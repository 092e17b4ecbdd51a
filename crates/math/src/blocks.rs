//! A sparse symmetric matrix made of D×D blocks.

use rayon::prelude::*;

use crate::{Mat, Vect};

/// The lower triangle of a symmetric matrix of D×D blocks, column by column. The pattern is fixed when it is made; each
/// column starts with its diagonal block, and the rows below it ascend.
#[derive(Clone, Debug)]
pub struct BlockMatrix<const D: usize> {
    /// Where each block column starts in `rows` and `blocks`; one more than there are columns.
    pub starts: Vec<usize>,
    /// The block row of each block.
    pub rows: Vec<u32>,
    /// The values.
    pub blocks: Vec<Mat<D>>,
}

impl<const D: usize> BlockMatrix<D> {
    /// A matrix of zeros with room for the diagonal and for each of these pairs, in either order and any number of times.
    pub fn with_pattern(columns: usize, pairs: impl IntoIterator<Item = (u32, u32)>) -> Self {
        let mut pairs: Vec<(u32, u32)> = pairs.into_iter().map(|(i, j)| if i < j { (i, j) } else { (j, i) }).collect();
        pairs.extend((0..columns as u32).map(|i| (i, i)));
        pairs.par_sort_unstable();
        pairs.dedup();
        let mut starts = vec![0; columns + 1];
        for &(column, _) in &pairs {
            starts[column as usize + 1] += 1;
        }
        for c in 0..columns {
            starts[c + 1] += starts[c];
        }
        let rows: Vec<u32> = pairs.into_iter().map(|(_, row)| row).collect();
        Self { blocks: vec![Mat::zeros(); rows.len()], starts, rows }
    }

    /// The number of block columns.
    pub fn columns(&self) -> usize {
        self.starts.len() - 1
    }

    /// Where the block of this row and column is stored, if the pattern has it. Needs row ≥ column.
    pub fn find(&self, row: u32, column: u32) -> Option<usize> {
        let start = self.starts[column as usize];
        self.rows[start..self.starts[column as usize + 1]].binary_search(&row).ok().map(|k| start + k)
    }

    /// The diagonal block of a column.
    pub fn diagonal(&self, column: usize) -> &Mat<D> {
        &self.blocks[self.starts[column]]
    }

    /// out = A x
    pub fn times(&self, x: &[Vect<D>], out: &mut [Vect<D>]) {
        out.fill(Vect::zeros());
        for c in 0..self.columns() {
            for k in self.starts[c]..self.starts[c + 1] {
                let r = self.rows[k] as usize;
                out[r] += self.blocks[k] * x[c];
                if r != c {
                    out[c] += self.blocks[k].tr_mul(&x[r]);
                }
            }
        }
    }

    /// The neighbours of each block column in the graph of the matrix, as (starts, neighbours); no column is its own.
    pub(crate) fn graph(&self) -> (Vec<i32>, Vec<i32>) {
        let n = self.columns();
        let mut degree = vec![0; n + 1];
        let off_diagonal = || (0..n).flat_map(|c| (self.starts[c] + 1..self.starts[c + 1]).map(move |k| (k, c)));
        for (k, c) in off_diagonal() {
            degree[self.rows[k] as usize + 1] += 1;
            degree[c + 1] += 1;
        }
        for c in 0..n {
            degree[c + 1] += degree[c];
        }
        let (starts, mut next) = (degree.clone(), degree);
        let mut neighbours = vec![0; starts[n] as usize];
        // Columns ascend, so each list comes out sorted: first the smaller neighbours, then the larger ones.
        for c in 0..n {
            for k in self.starts[c] + 1..self.starts[c + 1] {
                let r = self.rows[k] as usize;
                neighbours[next[r] as usize] = c as i32;
                next[r] += 1;
            }
        }
        for (k, c) in off_diagonal() {
            neighbours[next[c] as usize] = self.rows[k] as i32;
            next[c] += 1;
        }
        (starts, neighbours)
    }
}
