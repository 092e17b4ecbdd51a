//! The boundary of a volume.

use math::{Mat, Small, Vect};

use crate::{Mesh, Surface};

impl<const D: usize> Mesh<D> {
    /// The facets that belong to exactly one element, D vertices each: edges in the plane, triangles in space. Seen from
    /// outside they run anticlockwise. They are sorted by the element they belong to.
    pub fn boundary(&self) -> Vec<u32> {
        // (sorted vertices padded to three, where the facet is)
        let mut facets: Vec<([u32; 3], u32)> = Vec::with_capacity(self.corners.len());
        for e in self.elements() {
            for opposite in 0..=D {
                let mut key = [0; 3];
                for (k, &v) in key.iter_mut().zip(e.iter().enumerate().filter(|(i, _)| *i != opposite).map(|(_, v)| v))
                {
                    *k = v;
                }
                key[..D].sort_unstable();
                facets.push((key, facets.len() as u32));
            }
        }
        facets.sort_unstable();
        let mut single: Vec<u32> =
            facets.chunk_by(|a, b| a.0 == b.0).filter(|same| same.len() == 1).map(|same| same[0].1).collect();
        single.sort_unstable();
        let mut boundary = Vec::with_capacity(D * single.len());
        for facet in single {
            let (element, opposite) = (facet as usize / (D + 1), facet as usize % (D + 1));
            let e = &self.corners[element * (D + 1)..(element + 1) * (D + 1)];
            let first = boundary.len();
            boundary.extend(e.iter().enumerate().filter(|(i, _)| *i != opposite).map(|(_, &v)| v));
            // Leaving out a corner keeps the orientation or flips it, in turn.
            if opposite % 2 == 1 {
                boundary.swap(first, first + 1);
            }
        }
        boundary
    }

    /// The outward normal of a boundary facet, as long as the facet is large [m^(D−1)].
    pub fn facet_normal(facet: &[u32], x: &[Vect<D>]) -> Vect<D>
    where
        Mat<D>: Small<D>,
    {
        // The last column of the cofactor matrix of the facet's edges does not see the last column itself.
        let edges =
            Mat::<D>::from_fn(
                |i, j| if j + 1 < D { x[facet[j + 1] as usize][i] - x[facet[0] as usize][i] } else { 0.0 },
            );
        let scale = (1..D).product::<usize>() as f64;
        let sign = if D == 2 { -1.0 } else { 1.0 };
        sign * Vect::from(edges.cofactor().column(D - 1)) / scale
    }
}

impl Mesh<3> {
    /// The boundary as a surface of its own, and for each of its vertices the number it has in the volume.
    pub fn skin(&self) -> (Surface, Vec<u32>) {
        let boundary = self.boundary();
        let mut vertices = boundary.clone();
        vertices.sort_unstable();
        vertices.dedup();
        let place = |v: u32| vertices.partition_point(|&w| w < v) as u32;
        let triangles = boundary.chunks_exact(3).map(|t| [place(t[0]), place(t[1]), place(t[2])]).collect();
        let x = vertices.iter().map(|&v| self.rest[v as usize]).collect();
        (Surface { x, triangles }, vertices)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::zoo;

    /// The divergence theorem: ∮ x·n / D is the volume, and the normals of a closed surface sum to zero.
    fn check<const D: usize>(zoo: Vec<(&'static str, Mesh<D>)>)
    where
        Mat<D>: Small<D>,
    {
        for (name, mesh) in zoo {
            let boundary = mesh.boundary();
            let (mut volume, mut sum) = (0.0, Vect::<D>::zeros());
            for f in boundary.chunks_exact(D) {
                let n = Mesh::facet_normal(f, &mesh.rest);
                let centre: Vect<D> = f.iter().map(|&v| mesh.rest[v as usize]).sum::<Vect<D>>() / D as f64;
                volume += centre.dot(&n) / D as f64;
                sum += n;
            }
            let expected: f64 = mesh.volumes(&mesh.rest).iter().sum();
            assert!((volume - expected).abs() < 1e-12 * expected, "{name}: {volume} {expected}");
            assert!(sum.norm() < 1e-12 * mesh.size().powi(D as i32 - 1), "{name} is not closed");
        }
    }
    #[test]
    fn the_boundary_is_closed_and_faces_outward() {
        check(zoo::plane());
        check(zoo::space());
    }

    #[test]
    fn the_skin_has_no_vertex_inside() {
        let mesh = crate::block([4, 4, 4], Vect::from([1.0; 3]));
        let (skin, vertices) = mesh.skin();
        assert_eq!((skin.x.len(), skin.triangles.len()), (98, 2 * 6 * 16));
        assert!(vertices.windows(2).all(|w| w[0] < w[1]));
    }
}
