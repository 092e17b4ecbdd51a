//! Parents before children, whatever the order of the list and however deep.

/// The nodes in an order in which each comes after its parent, with that parent. Files are checked for cycles and missing
/// parents when they are read; should one come this far, it ends in a root.
pub(crate) fn parents_first(parents: &[Option<u32>]) -> Vec<(usize, Option<usize>)> {
    #[derive(Clone, Copy, PartialEq)]
    enum Seen {
        No,
        OnPath,
        Done,
    }
    let mut seen = vec![Seen::No; parents.len()];
    let mut order = Vec::with_capacity(parents.len());
    let mut path = Vec::new();
    for start in 0..parents.len() {
        let mut next = Some(start);
        while let Some(node) = next.filter(|&n| seen[n] == Seen::No) {
            seen[node] = Seen::OnPath;
            path.push(node);
            next = parents[node].map(|p| p as usize).filter(|&p| p < parents.len());
        }
        while let Some(node) = path.pop() {
            let parent = parents[node].map(|p| p as usize).filter(|&p| p < parents.len() && seen[p] == Seen::Done);
            seen[node] = Seen::Done;
            order.push((node, parent));
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::parents_first;

    #[test]
    fn each_node_comes_after_its_parent() {
        let order = parents_first(&[Some(2), None, Some(1), Some(0)]);
        assert_eq!(order, [(1, None), (2, Some(1)), (0, Some(2)), (3, Some(0))]);
    }

    #[test]
    fn a_cycle_and_a_missing_parent_end_in_roots() {
        let order = parents_first(&[Some(1), Some(0), Some(9), Some(3)]);
        assert_eq!(order, [(1, None), (0, Some(1)), (2, None), (3, None)]);
    }

    #[test]
    fn a_chain_of_a_hundred_thousand_nodes_is_ordered_without_running_out_of_stack() {
        let parents: Vec<_> = (0..100_000).map(|k| (k < 99_999).then_some(k + 1)).collect();
        let order = parents_first(&parents);
        assert_eq!((order[0], order[99_999]), ((99_999, None), (0, Some(1))));
    }
}
