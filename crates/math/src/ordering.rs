//! The order in which unknowns are eliminated: nested dissection of the vertex graph, then a postorder of its tree.

use feral_scotch::{CscPattern, ScotchOptions, scotch_order_full};

use crate::BlockMatrix;

const NONE: u32 = u32::MAX;

/// Which column is eliminated when: `order[k]` is the block column eliminated as the k-th. The columns below one in the
/// elimination tree come right before it, so that every subtree is a range.
pub(crate) fn elimination_order<const D: usize>(matrix: &BlockMatrix<D>) -> Vec<u32> {
    let n = matrix.columns();
    let (starts, neighbours) = matrix.graph();
    let dissection = CscPattern::new(n, &starts, &neighbours)
        .and_then(|graph| scotch_order_full(&graph, &ScotchOptions::default()).ok())
        .map_or_else(|| (0..n as u32).collect(), |(order, ..)| order.into_iter().map(|v| v as u32).collect::<Vec<_>>());
    let parents = elimination_tree(&dissection, &starts, &neighbours);
    postorder(&parents).into_iter().map(|k| dissection[k as usize]).collect()
}

/// The parent of each position of the order in the elimination tree [Liu90]; `NONE` at a root.
fn elimination_tree(order: &[u32], starts: &[i32], neighbours: &[i32]) -> Vec<u32> {
    let n = order.len();
    let mut position = vec![0; n];
    for (k, &v) in order.iter().enumerate() {
        position[v as usize] = k as u32;
    }
    let (mut parent, mut ancestor) = (vec![NONE; n], vec![NONE; n]);
    for k in 0..n as u32 {
        let v = order[k as usize] as usize;
        for &w in &neighbours[starts[v] as usize..starts[v + 1] as usize] {
            let mut i = position[w as usize];
            while i < k {
                let next = std::mem::replace(&mut ancestor[i as usize], k);
                if next == NONE {
                    parent[i as usize] = k;
                }
                i = next.min(k);
            }
        }
    }
    parent
}

/// Children before parents, each subtree a range. Parents must come after their children in the numbering already.
fn postorder(parents: &[u32]) -> Vec<u32> {
    let n = parents.len();
    let mut subtree = vec![1u32; n];
    let mut total = 0;
    for k in 0..n {
        match parents[k] {
            NONE => total += subtree[k],
            p => subtree[p as usize] += subtree[k],
        }
    }
    // Hand out the ranges from the top: `end[k]` is where the range of k ends, for children still to be placed.
    let (mut end, mut roots, mut out) = (vec![0; n], total, vec![0; n]);
    for k in (0..n).rev() {
        let taken = match parents[k] {
            NONE => &mut roots,
            p => &mut end[p as usize],
        };
        let last = *taken - 1;
        *taken -= subtree[k];
        out[last as usize] = k as u32;
        end[k] = last;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_postorder_puts_every_subtree_in_a_range() {
        //        5       6
        //      2   4
        //     0   1 3
        let order = postorder(&[2, 4, 5, 4, 5, NONE, NONE]);
        assert_eq!(order, [0, 2, 1, 3, 4, 5, 6]);
    }

    #[test]
    fn the_elimination_tree_of_a_path_is_a_path_and_of_a_star_is_a_star() {
        let path = BlockMatrix::<2>::with_pattern(4, [(0, 1), (1, 2), (2, 3)]);
        let (starts, neighbours) = path.graph();
        assert_eq!(elimination_tree(&[0, 1, 2, 3], &starts, &neighbours), [1, 2, 3, NONE]);
        let star = BlockMatrix::<2>::with_pattern(4, [(3, 1), (3, 2), (3, 0)]);
        let (starts, neighbours) = star.graph();
        assert_eq!(elimination_tree(&[0, 1, 2, 3], &starts, &neighbours), [3, 3, 3, NONE]);
    }
}
