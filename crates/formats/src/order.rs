//! Hierarchies in an order that can be walked.

/// All places, each after its parent; none where parents go round in a circle or do not exist.
pub(crate) fn parents_first(parents: &[Option<u32>]) -> Option<Vec<usize>> {
    let mut children = vec![Vec::new(); parents.len()];
    let mut order = Vec::with_capacity(parents.len());
    for (k, parent) in parents.iter().enumerate() {
        match parent {
            Some(parent) => children.get_mut(*parent as usize)?.push(k),
            None => order.push(k),
        }
    }
    let mut next = 0;
    while let Some(&k) = order.get(next) {
        order.append(&mut children[k]);
        next += 1;
    }
    (order.len() == parents.len()).then_some(order)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parents_come_first_and_circles_are_seen() {
        assert_eq!(parents_first(&[Some(2), None, Some(1)]), Some(vec![1, 2, 0]));
        assert_eq!(parents_first(&[Some(1), Some(0), None]), None);
        assert_eq!(parents_first(&[Some(0)]), None);
        assert_eq!(parents_first(&[Some(7)]), None);
    }
}
