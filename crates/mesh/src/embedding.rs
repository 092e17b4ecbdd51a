//! Points that ride on a volume: a display surface, a marker, a constraint.

use math::{Mat, Small, Vect};
use rstar::primitives::GeomWithData;
use rstar::{AABB, PointDistance, RTree, RTreeObject};

use crate::Mesh;

/// Points held by the elements of a mesh. Each is a weighted sum of the corners of one element; outside the mesh it is the
/// nearest one, and some weights are negative.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Embedding {
    /// vertices of the mesh, D + 1 per point
    pub vertices: Vec<u32>,
    /// their weights, Σ = 1 per point
    pub weights: Vec<f64>,
    /// how far each point is outside the mesh [m]
    pub outside: Vec<f64>,
}

impl Embedding {
    /// Embeds points into the rest shape of a mesh. They need not be connected, inside, or anything else but finite.
    pub fn new<const D: usize>(mesh: &Mesh<D>, points: &[Vect<D>]) -> Self
    where
        Mat<D>: Small<D>,
    {
        let elements = mesh
            .elements()
            .enumerate()
            .map(|(k, e)| GeomWithData::new(Simplex(e.iter().map(|&v| mesh.rest[v as usize]).collect()), k));
        let tree = RTree::bulk_load(elements.collect());
        let mut embedding = Self::default();
        for p in points {
            let Some(nearest) = tree.nearest_neighbor(&(*p).into()) else { continue }; // an empty mesh holds nothing
            let (corners, e) = (&nearest.geom().0, nearest.data);
            embedding.vertices.extend(&mesh.corners[e * (D + 1)..(e + 1) * (D + 1)]);
            embedding.weights.extend(barycentric(corners, p));
            embedding.outside.push((closest_point(corners, p) - p).norm());
        }
        embedding
    }

    /// Where the points are when the vertices are at x.
    pub fn positions<const D: usize>(&self, x: &[Vect<D>]) -> Vec<Vect<D>> {
        let held = self.vertices.chunks_exact(D + 1).zip(self.weights.chunks_exact(D + 1));
        held.map(|(v, w)| v.iter().zip(w).map(|(&v, w)| *w * x[v as usize]).sum()).collect()
    }
}

/// An element as the tree sees it.
struct Simplex<const D: usize>(Vec<Vect<D>>);

impl<const D: usize> RTreeObject for Simplex<D> {
    type Envelope = AABB<[f64; D]>;
    fn envelope(&self) -> Self::Envelope {
        AABB::from_points(&self.0.iter().map(|x| (*x).into()).collect::<Vec<[f64; D]>>())
    }
}

impl<const D: usize> PointDistance for Simplex<D> {
    fn distance_2(&self, point: &[f64; D]) -> f64 {
        let p = Vect::from(*point);
        (closest_point(&self.0, &p) - p).norm_squared()
    }
}

/// The weights of the corners of a simplex that give the point.
fn barycentric<const D: usize>(corners: &[Vect<D>], p: &Vect<D>) -> Vec<f64>
where
    Mat<D>: Small<D>,
{
    let edges = Mat::<D>::from_fn(|i, j| corners[j + 1][i] - corners[0][i]);
    let inner = edges.cofactor().tr_mul(&(p - corners[0])) / edges.det();
    let mut weights = vec![1.0 - inner.sum()];
    weights.extend(inner.iter());
    weights
}

/// The point of a simplex of any dimension (corner, edge, triangle, tetrahedron) that is nearest to p: the nearest point of
/// its plane if that is inside, else the best of its facets.
fn closest_point<const D: usize>(corners: &[Vect<D>], p: &Vect<D>) -> Vect<D> {
    if corners.len() == 1 {
        return corners[0];
    }
    if let Some(inside) = project_inside(corners, p) {
        return inside;
    }
    let mut best = corners[0];
    let mut facet = [Vect::zeros(); 4];
    for left_out in 0..corners.len() {
        facet[..left_out].copy_from_slice(&corners[..left_out]);
        facet[left_out..corners.len() - 1].copy_from_slice(&corners[left_out + 1..]);
        let candidate = closest_point(&facet[..corners.len() - 1], p);
        if (candidate - p).norm_squared() < (best - p).norm_squared() {
            best = candidate;
        }
    }
    best
}

/// The projection of p on the plane of a simplex, if it is inside: least squares on its edges by Gram–Schmidt.
fn project_inside<const D: usize>(corners: &[Vect<D>], p: &Vect<D>) -> Option<Vect<D>> {
    let k = corners.len() - 1;
    let (mut axes, mut rest) = ([Vect::<D>::zeros(); 3], p - corners[0]);
    let mut R = [[0.0; 3]; 3];
    let mut y = [0.0; 3];
    for j in 0..k {
        let mut edge = corners[j + 1] - corners[0];
        for i in 0..j {
            R[i][j] = axes[i].dot(&edge);
            edge -= R[i][j] * axes[i];
        }
        R[j][j] = edge.norm();
        if R[j][j] == 0.0 {
            return None;
        }
        axes[j] = edge / R[j][j];
        y[j] = axes[j].dot(&rest);
        rest -= y[j] * axes[j];
    }
    let mut weights = [0.0; 3];
    for j in (0..k).rev() {
        weights[j] = (y[j] - (j + 1..k).map(|i| R[j][i] * weights[i]).sum::<f64>()) / R[j][j];
        if weights[j] < 0.0 {
            return None;
        }
    }
    (weights[..k].iter().sum::<f64>() <= 1.0).then(|| p - rest)
}

#[cfg(test)]
mod tests {
    use math::check::Random;

    use super::*;
    use crate::zoo;

    fn check<const D: usize>(zoo: Vec<(&'static str, Mesh<D>)>)
    where
        Mat<D>: Small<D>,
    {
        let mut random = Random::new(4);
        for (name, mesh) in zoo {
            let (low, high) = mesh.bounds();
            let points: Vec<_> =
                (0..200).map(|_| (low + high) / 2.0 + 0.8 * (high - low).component_mul(&random.vector())).collect();
            let held = Embedding::new(&mesh, &points);
            let size = mesh.size();
            assert_eq!(held.outside.len(), points.len(), "{name}");
            // they follow any affine motion, inside or outside
            let (A, t) = (random.matrix::<D>(), random.vector::<D>());
            let moved: Vec<_> = mesh.rest.iter().map(|X| A * X + t).collect();
            for (p, q) in points.iter().zip(held.positions(&moved)) {
                assert!((A * p + t - q).norm() < 1e-10 * (size + 1.0), "{name}");
            }
            for (k, p) in points.iter().enumerate() {
                let inside = held.weights[k * (D + 1)..(k + 1) * (D + 1)].iter().all(|w| *w > -1e-12);
                assert_eq!(inside, held.outside[k] < 1e-12 * size, "{name}: {p} {}", held.outside[k]);
                // brute force: no element is nearer
                let nearest = mesh.elements().map(|e| {
                    let corners: Vec<_> = e.iter().map(|&v| mesh.rest[v as usize]).collect();
                    (closest_point(&corners, p) - p).norm()
                });
                assert!(held.outside[k] <= nearest.fold(f64::INFINITY, f64::min) + 1e-12 * size, "{name}");
            }
        }
    }
    #[test]
    fn embedded_points_follow_the_mesh_and_hang_on_the_nearest_element() {
        check(zoo::plane());
        check(zoo::space());
    }

    #[test]
    fn the_nearest_point_of_a_triangle_in_space_is_found() {
        let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]].map(Vect::from);
        let near = |p: [f64; 3]| closest_point(&corners, &Vect::from(p));
        assert_eq!(near([0.2, 0.3, 5.0]), Vect::from([0.2, 0.3, 0.0]));
        assert_eq!(near([-1.0, -2.0, 1.0]), Vect::from([0.0, 0.0, 0.0]));
        assert!((near([1.0, 1.0, 3.0]) - Vect::from([0.5, 0.5, 0.0])).norm() < 1e-15);
    }
}
