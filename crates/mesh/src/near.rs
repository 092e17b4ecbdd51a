//! Which of many simplices are near a point.

use math::Vect;
use rstar::primitives::GeomWithData;
use rstar::{AABB, PointDistance, RTree, RTreeObject};

/// Simplices of any dimension up to D (points, segments, triangles, tetrahedra), sorted so that the nearest are found
/// quickly.
pub struct Near<const D: usize> {
    tree: RTree<GeomWithData<Simplex<D>, u32>>,
}

impl<const D: usize> Near<D> {
    /// From numbered simplices, each by its 1 to 4 corners. Those with a corner that is not a number are left out.
    pub fn new<'a>(x: &[Vect<D>], simplices: impl Iterator<Item = (u32, &'a [u32])>) -> Self {
        let simplices = simplices.map(|(number, corners)| {
            let mut at = [Vect::zeros(); 4];
            at.iter_mut().zip(corners).for_each(|(at, &v)| *at = x[v as usize]);
            GeomWithData::new(Simplex { at, corners: corners.len().min(4) }, number)
        });
        let sound = |s: &GeomWithData<Simplex<D>, u32>| {
            let corners = s.geom().corners();
            !corners.is_empty() && corners.iter().all(|x| x.iter().all(|x| x.is_finite()))
        };
        Self { tree: RTree::bulk_load(simplices.filter(sound).collect()) }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.tree.size() == 0
    }

    /// How far the nearest is [m], and which it is. None where there is none, or the point is not a number.
    pub fn nearest(&self, p: &Vect<D>) -> Option<(f64, u32)> {
        self.ascending(p).next()
    }

    /// All of them, the nearest first, with their distances [m].
    pub fn ascending(&self, p: &Vect<D>) -> impl Iterator<Item = (f64, u32)> {
        let sound = p.iter().all(|x| x.is_finite());
        let found = sound.then(|| self.tree.nearest_neighbor_iter_with_distance_2(&(*p).into()));
        found.into_iter().flatten().map(|(s, distance_2)| (distance_2.sqrt(), s.data))
    }
}

/// One of them as the tree sees it.
struct Simplex<const D: usize> {
    at: [Vect<D>; 4],
    corners: usize,
}

impl<const D: usize> Simplex<D> {
    fn corners(&self) -> &[Vect<D>] {
        &self.at[..self.corners]
    }
}

impl<const D: usize> RTreeObject for Simplex<D> {
    type Envelope = AABB<[f64; D]>;
    fn envelope(&self) -> Self::Envelope {
        let first = self.at[0];
        let (low, high) = self.corners().iter().fold((first, first), |(low, high), x| (low.inf(x), high.sup(x)));
        AABB::from_corners(low.into(), high.into())
    }
}

impl<const D: usize> PointDistance for Simplex<D> {
    fn distance_2(&self, point: &[f64; D]) -> f64 {
        let p = Vect::from(*point);
        (closest_point(self.corners(), &p) - p).norm_squared()
    }
}

/// The point of a simplex of any dimension (corner, edge, triangle, tetrahedron) that is nearest to p: the nearest point of
/// its plane if that is inside, else the best of its facets.
pub fn closest_point<const D: usize>(corners: &[Vect<D>], p: &Vect<D>) -> Vect<D> {
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
    use super::*;

    #[test]
    fn the_nearest_point_of_a_triangle_in_space_is_found() {
        let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]].map(Vect::from);
        let near = |p: [f64; 3]| closest_point(&corners, &Vect::from(p));
        assert_eq!(near([0.2, 0.3, 5.0]), Vect::from([0.2, 0.3, 0.0]));
        assert_eq!(near([-1.0, -2.0, 1.0]), Vect::from([0.0, 0.0, 0.0]));
        assert!((near([1.0, 1.0, 3.0]) - Vect::from([0.5, 0.5, 0.0])).norm() < 1e-15);
    }

    #[test]
    fn segments_and_points_are_found_in_the_order_of_their_distance() {
        let x = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.5, 2.0, 0.0], [f64::NAN; 3]].map(Vect::from);
        let simplices: [&[u32]; 3] = [&[2], &[0, 1], &[0, 3]];
        let near = Near::new(&x, (0..).zip(simplices));
        let found: Vec<_> = near.ascending(&Vect::from([0.5, 0.5, 0.0])).collect();
        assert_eq!(found, [(0.5, 1), (1.5, 0)]);
        assert_eq!(near.nearest(&Vect::from([f64::NAN; 3])), None);
        assert!(Near::<3>::new(&[], std::iter::empty()).is_empty());
    }
}
