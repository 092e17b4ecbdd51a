//! The separate parts of a mesh.

use math::{Mat, Small};

use crate::Mesh;
use crate::carry::solid;

impl<const D: usize> Mesh<D> {
    /// The part each vertex belongs to: two vertices have the same number where a chain of elements joins them. Numbered
    /// from 0 in the order of their first vertices; a vertex without elements is a part of its own.
    pub fn connected(&self) -> Vec<u32> {
        joined(self.rest.len(), self.elements())
    }

    /// The same where elements without volume join nothing: the parts through which anything spreads.
    pub fn connected_by_volume(&self) -> Vec<u32>
    where
        Mat<D>: Small<D>,
    {
        joined(self.rest.len(), solid(self).map(|(e, _, _)| e))
    }
}

/// The same for any groups of vertices.
fn joined<'a>(vertices: usize, groups: impl Iterator<Item = &'a [u32]>) -> Vec<u32> {
    // The root of a part is always its first vertex.
    let mut parent: Vec<u32> = (0..vertices as u32).collect();
    for group in groups {
        for pair in group.windows(2) {
            let (a, b) = (root(&mut parent, pair[0]), root(&mut parent, pair[1]));
            parent[a.max(b) as usize] = a.min(b);
        }
    }
    let (mut part, mut count) = (vec![0; vertices], 0);
    for v in 0..vertices as u32 {
        let first = root(&mut parent, v);
        if first == v {
            part[v as usize] = count;
            count += 1;
        } else {
            part[v as usize] = part[first as usize];
        }
    }
    part
}

fn root(parent: &mut [u32], mut v: u32) -> u32 {
    while parent[v as usize] != v {
        parent[v as usize] = parent[parent[v as usize] as usize];
        v = parent[v as usize];
    }
    v
}

#[cfg(test)]
mod tests {
    use math::Vect;

    use crate::{block, zoo};

    #[test]
    fn two_blocks_and_a_lonely_vertex_are_three_parts() {
        let mut mesh = block([3, 2, 2], Vect::from([1.0; 3]));
        let n = mesh.rest.len();
        mesh.corners.extend(mesh.corners.iter().map(|v| v + n as u32).collect::<Vec<_>>());
        mesh.rest.extend(mesh.rest.clone());
        mesh.rest.push(Vect::zeros());
        let part = mesh.connected();
        assert!(part[..n].iter().all(|p| *p == 0) && part[n..2 * n].iter().all(|p| *p == 1) && part[2 * n] == 2);
        mesh.corners.extend([0, n as u32, 2 * n as u32, 0]); // flat
        assert!(mesh.connected().iter().all(|p| *p == 0));
        assert_eq!(mesh.connected_by_volume(), part);
    }

    #[test]
    fn what_touches_in_an_edge_is_one_part() {
        for (name, mesh) in zoo::space() {
            assert!(mesh.connected().iter().all(|p| *p == 0), "{name}");
        }
    }
}
