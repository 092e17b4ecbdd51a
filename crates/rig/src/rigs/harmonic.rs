//! Harmonic coordinates: cage weights that stay positive and inside, also in cages that are not convex.

use math::{Mat, Small, Vect};
use mesh::{Embedding, Mesh};

use super::error::all_finite;
use super::laplacian::{Laplacian, fill_in};
use super::{Cage, CageCoordinates, RigError};

impl<const D: usize> Cage<D>
where
    Mat<D>: Small<D>,
{
    /// Harmonic coordinates [JMD07] of points in the cage: Δw_i = 0 inside, linear on the facets, 1 at corner i and 0 at
    /// all others. They are solved for on `filling`, a volume that fills the cage; its boundary takes the values of
    /// the nearest facet. Points outside get those of the nearest element, extended.
    pub fn harmonic(&self, filling: &Mesh<D>, points: &[Vect<D>]) -> Result<CageCoordinates, RigError> {
        self.check()?;
        all_finite("rest positions", points)?;
        all_finite("rest positions", &filling.rest)?;
        let (n, vertices) = (self.corners.len(), filling.rest.len());
        let laplacian = Laplacian::new(filling);
        let mut given: Vec<bool> = laplacian.volume.iter().map(|v| *v == 0.0).collect(); // not part of any element
        let mut columns = vec![vec![0.0; vertices]; n];
        for v in filling.boundary() {
            let v = v as usize;
            if std::mem::replace(&mut given[v], true) {
                continue;
            }
            for (corner, w) in self.on_the_walls(&filling.rest[v]) {
                columns[corner][v] += w;
            }
        }
        let mut slices: Vec<&mut [f64]> = columns.iter_mut().map(|c| c.as_mut_slice()).collect();
        fill_in(&laplacian.matrix, &given, &mut slices).map_err(|e| RigError::NotInCage { vertex: e.block })?;
        let embedding = Embedding::new(filling, points);
        let mut values = Vec::with_capacity(n * points.len());
        for (corners, weights) in embedding.vertices.chunks_exact(D + 1).zip(embedding.weights.chunks_exact(D + 1)) {
            let at = |column: &Vec<f64>| corners.iter().zip(weights).map(|(&v, w)| w * column[v as usize]).sum::<f64>();
            values.extend(columns.iter().map(at));
        }
        if values.len() < n * points.len() {
            return Err(RigError::NotInCage { vertex: 0 }); // the filling is empty
        }
        // where the filling does not fit the cage to the last digit
        self.make_precise(points, &mut values)?;
        Ok(CageCoordinates { values })
    }

    /// The corners and weights of the point of the cage's surface that is nearest to x.
    fn on_the_walls(&self, x: &Vect<D>) -> Vec<(usize, f64)> {
        let mut best = (f64::INFINITY, vec![]);
        for facet in self.facets.chunks_exact(D) {
            let corners: Vec<usize> = facet.iter().map(|c| *c as usize).collect();
            self.nearest(&corners, x, &mut best);
        }
        best.1
    }

    /// Keeps the best of what is known and the nearest point of a facet, or of its sides.
    fn nearest(&self, corners: &[usize], x: &Vect<D>, best: &mut (f64, Vec<(usize, f64)>)) {
        let origin = self.corners[corners[0]];
        let edge = |k: usize| self.corners[corners[k + 1]] - origin;
        // least squares on one or two edges
        let inner: Vec<f64> = match corners.len() {
            1 => vec![],
            2 => vec![edge(0).dot(&(x - origin)) / edge(0).norm_squared()],
            _ => {
                let (a, b, y) = (edge(0), edge(1), x - origin);
                let (aa, ab, bb, ay, by) = (a.dot(&a), a.dot(&b), b.dot(&b), a.dot(&y), b.dot(&y));
                let det = aa * bb - ab * ab;
                vec![(ay * bb - by * ab) / det, (by * aa - ay * ab) / det]
            }
        };
        let first = 1.0 - inner.iter().sum::<f64>();
        if first >= 0.0 && inner.iter().all(|w| *w >= 0.0) {
            let weights: Vec<(usize, f64)> = corners.iter().copied().zip([first].into_iter().chain(inner)).collect();
            let point: Vect<D> = weights.iter().map(|(c, w)| *w * self.corners[*c]).sum();
            if (point - x).norm_squared() < best.0 {
                *best = ((point - x).norm_squared(), weights);
            }
        } else if corners.len() > 1 {
            for left_out in 0..corners.len() {
                let side: Vec<usize> = corners.iter().copied().filter(|c| *c != corners[left_out]).collect();
                if !side.is_empty() {
                    self.nearest(&side, x, best);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rigs::cage::tests::{box_cage, check_cage};

    #[test]
    fn affine_maps_of_the_corners_are_reproduced_and_no_weight_is_negative() {
        let (cage, filling) = (box_cage([2.0, 1.0, 1.5]), mesh::block([6, 3, 4], Vect::from([2.0, 1.0, 1.5])));
        let coordinates = cage.harmonic(&filling, &filling.rest).unwrap();
        check_cage(&cage, &coordinates, &filling.rest);
        assert!(coordinates.values.iter().all(|w| (-1e-9..=1.0 + 1e-9).contains(w)));
    }

    #[test]
    fn a_corner_of_a_bent_cage_does_not_reach_around_the_bend() {
        // a U: mean value coordinates of the left arm's tip reach into the right arm and are negative, harmonic ones do not
        let mut filling = mesh::block([30, 20], Vect::from([3.0, 2.0]));
        let in_the_gap = |e: &[u32]| {
            let c: Vect<2> = e.iter().map(|&v| filling.rest[v as usize]).sum::<Vect<2>>() / 3.0;
            c[0] > 1.0 && c[0] < 2.0 && c[1] > 1.0
        };
        filling.corners = filling.elements().filter(|e| !in_the_gap(e)).flatten().copied().collect();
        let corners = [[0.0, 0.0], [3.0, 0.0], [3.0, 2.0], [2.0, 2.0], [2.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0]];
        let cage = Cage::polygon(corners.map(Vect::from).to_vec());
        let points: Vec<Vect<2>> = [[0.5, 1.8], [2.5, 1.8], [1.5, 0.5], [2.2, 1.5]].map(Vect::from).to_vec();
        let harmonic = cage.harmonic(&filling, &points).unwrap();
        check_cage(&cage, &harmonic, &points);
        assert!(harmonic.values.iter().all(|w| (-1e-9..=1.0).contains(w)));
        let left_tip = |c: &CageCoordinates| c.values[3 * 8 + 6].abs();
        let mean_value = cage.mean_value(&points).unwrap();
        assert!(left_tip(&harmonic) < 1e-3, "{}", left_tip(&harmonic));
        assert!(left_tip(&mean_value) > 10.0 * left_tip(&harmonic), "{}", left_tip(&mean_value));
        assert!(mean_value.values.iter().any(|w| *w < -1e-3));
    }

    #[test]
    fn an_empty_filling_is_refused() {
        let cage = box_cage([1.0; 3]);
        let empty = Mesh { rest: vec![], corners: vec![] };
        assert!(cage.harmonic(&empty, &[Vect::from([0.5; 3])]).is_err());
    }
}
