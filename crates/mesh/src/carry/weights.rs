//! Weights: columns of values that are never negative and sum to one at every vertex.

use math::{Mat, Small};

use super::{Smoothness, carry};
use crate::{Embedding, Mesh};

/// Weights smaller than this are dropped.
const LEAST: f64 = 1e-4;

/// Carries weights, one column per joint, from points to all vertices of the mesh as [`carry`] does, and makes weights
/// of them again: none is negative or tiny, and at each vertex they sum to one.
pub fn carry_weights<const D: usize>(
    mesh: &Mesh<D>,
    at: &Embedding,
    columns: &[Vec<f64>],
    smoothness: Smoothness,
) -> Vec<Vec<f64>>
where
    Mat<D>: Small<D>,
{
    let mut carried = carry(mesh, at, columns, smoothness);
    share_out(&mut carried);
    carried
}

/// Drops what is negative, tiny or not a number, and scales the rest so that it sums to one over all columns. A vertex with
/// nothing left belongs to the first column.
pub fn share_out(columns: &mut [Vec<f64>]) {
    let count = columns.first().map_or(0, Vec::len);
    for v in 0..count {
        let mut sum = 0.0;
        for column in columns.iter_mut() {
            if !(column[v] >= LEAST && column[v].is_finite()) {
                column[v] = 0.0;
            }
            sum += column[v];
        }
        if sum > 0.0 {
            columns.iter_mut().for_each(|column| column[v] /= sum);
        } else if let Some(first) = columns.first_mut() {
            first[v] = 1.0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_positive_and_sum_to_one_whatever_came_in() {
        let mut columns = vec![vec![0.5, -3.0, f64::NAN, 0.0], vec![1.5, 2.0, f64::INFINITY, 1e-5]];
        share_out(&mut columns);
        assert_eq!(columns, [vec![0.25, 0.0, 1.0, 1.0], vec![0.75, 1.0, 0.0, 0.0]]);
        share_out(&mut []);
    }
}
