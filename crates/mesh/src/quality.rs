//! How well shaped the elements are.

use math::{Mat, Small, Vect};

use serde::Serialize;

use crate::Mesh;

/// The shape of a mesh's elements.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Quality {
    /// smallest angle between two facets [degrees]
    pub smallest_angle: f64,
    /// largest angle between two facets [degrees]
    pub largest_angle: f64,
    /// the worst element: inscribed over circumscribed radius, times D, so that a regular one has 1
    pub worst_radius_ratio: f64,
    /// its mean over all elements
    pub mean_radius_ratio: f64,
    /// which element is the worst
    pub worst_element: usize,
    /// smallest and largest volume [m^D]
    pub volumes: [f64; 2],
}

impl Quality {
    /// Measures the rest shape of a mesh, which must have elements.
    pub fn of<const D: usize>(mesh: &Mesh<D>) -> Self
    where
        Mat<D>: Small<D>,
    {
        let mut q = Self {
            smallest_angle: 180.0,
            largest_angle: 0.0,
            worst_radius_ratio: f64::INFINITY,
            mean_radius_ratio: 0.0,
            worst_element: 0,
            volumes: [f64::INFINITY, 0.0],
        };
        let simplex = (1..=D).product::<usize>() as f64;
        for (k, e) in mesh.elements().enumerate() {
            let edges = Mesh::edges(e, &mesh.rest);
            let volume = edges.det() / simplex;
            let gradients: Vec<Vect<D>> = Mesh::shape_gradients(&edges).collect();
            for a in 0..=D {
                for b in 0..a {
                    let cosine = -gradients[a].dot(&gradients[b]) / (gradients[a].norm() * gradients[b].norm());
                    let angle = cosine.clamp(-1.0, 1.0).acos().to_degrees();
                    q.smallest_angle = q.smallest_angle.min(angle);
                    q.largest_angle = q.largest_angle.max(angle);
                }
            }
            let inscribed = 1.0 / gradients.iter().map(|g| g.norm()).sum::<f64>();
            // The centre c of the circumsphere: 2 eᵢ·c = eᵢ·eᵢ for the edges eᵢ.
            let squares = Vect::<D>::from_fn(|j, _| edges.column(j).norm_squared());
            let circumscribed = (0.5 * edges.cofactor() / edges.det() * squares).norm();
            let ratio = D as f64 * inscribed / circumscribed;
            q.mean_radius_ratio += ratio / mesh.element_count() as f64;
            if ratio < q.worst_radius_ratio {
                (q.worst_radius_ratio, q.worst_element) = (ratio, k);
            }
            q.volumes = [q.volumes[0].min(volume), q.volumes[1].max(volume)];
        }
        q
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_regular_tetrahedron_is_perfect() {
        let rest = [[1.0, 1.0, 1.0], [-1.0, 1.0, -1.0], [1.0, -1.0, -1.0], [-1.0, -1.0, 1.0]].map(Vect::from).to_vec();
        let q = Quality::of(&Mesh { rest, corners: vec![0, 1, 2, 3] });
        assert!((q.worst_radius_ratio - 1.0).abs() < 1e-12, "{q:?}");
        assert!((q.smallest_angle - 70.528779).abs() < 1e-5 && (q.largest_angle - 70.528779).abs() < 1e-5, "{q:?}");
    }

    #[test]
    fn a_block_has_the_angles_of_its_cells() {
        let q = Quality::of(&crate::block([2, 2, 2], Vect::from([1.0; 3])));
        assert!((q.smallest_angle - 45.0).abs() < 1e-9 && (q.largest_angle - 90.0).abs() < 1e-9, "{q:?}");
        let q = Quality::of(&crate::block([2, 2], Vect::from([1.0; 2])));
        assert!((q.smallest_angle - 45.0).abs() < 1e-9 && (q.largest_angle - 90.0).abs() < 1e-9, "{q:?}");
    }
}
