//! A coarse cage that carries what is inside.

use math::Vect;
use nalgebra::DMatrix;

use super::error::{all_finite, same_length};
use super::{Jacobian, Linear, RigError};

/// A closed polygon or a closed triangle mesh around a character. A rig is made from it in two steps: coordinates of the
/// vertices in the cage ([`Cage::mean_value`] or [`Cage::harmonic`]), then [`Cage::rig`].
#[derive(Clone, Debug, PartialEq)]
pub struct Cage<const D: usize> {
    /// rest places of its corners [m]
    pub corners: Vec<Vect<D>>,
    /// D corners per facet, all facets turned the same way: the edges of the polygon, the triangles of the mesh
    pub facets: Vec<u32>,
}

/// How much each corner of a cage moves each vertex; Σ = 1 for each vertex, and Σ w c = X.
#[derive(Clone, Debug, PartialEq)]
pub struct CageCoordinates {
    /// vertex by vertex, one number per corner [1]
    pub values: Vec<f64>,
}

impl Cage<2> {
    /// The closed polygon through these corners [m], in their order.
    pub fn polygon(corners: Vec<Vect<2>>) -> Self {
        let n = corners.len() as u32;
        Self { corners, facets: (0..n).flat_map(|i| [i, (i + 1) % n]).collect() }
    }
}

impl<const D: usize> Cage<D> {
    /// The rig x = Σ_i w_i c_i; its parameters are the places of the corners, D numbers each [m].
    pub fn rig(&self, coordinates: &CageCoordinates) -> Result<Linear<D>, RigError> {
        let n = self.corners.len();
        self.check()?;
        let vertices = coordinates.values.len() / n;
        same_length("cage coordinates", n * vertices, coordinates.values.len())?;
        let row = |w: &[f64]| {
            let mut row = vec![];
            for (i, &w) in w.iter().enumerate().filter(|(_, w)| **w != 0.0) {
                for k in 0..D {
                    let mut value = Vect::zeros();
                    value[k] = w;
                    row.push(((D * i + k) as u32, value));
                }
            }
            row
        };
        Ok(Linear {
            base: vec![Vect::zeros(); vertices],
            jacobian: Jacobian::from_rows(D * n, coordinates.values.chunks_exact(n).map(row)),
            rest: self.corners.iter().flat_map(|c| c.iter().copied()).collect(),
        })
    }

    /// Fails on a cage that makes no sense.
    pub(super) fn check(&self) -> Result<(), RigError> {
        all_finite("cage corners", &self.corners)?;
        let n = self.corners.len();
        if n <= D || self.facets.len() < D * (D + 1) || !self.facets.len().is_multiple_of(D) {
            return Err(RigError::FlatCage { corners: n });
        }
        match self.facets.iter().find(|c| **c as usize >= n) {
            Some(&c) => Err(RigError::OutOfRange { what: "cage facets", index: c as usize, count: n }),
            None => Ok(()),
        }
    }

    /// Changes coordinates as little as possible so that Σ w = 1 and Σ w c = X hold exactly.
    pub(super) fn make_precise(&self, points: &[Vect<D>], values: &mut [f64]) -> Result<(), RigError> {
        let n = self.corners.len();
        let flat = RigError::FlatCage { corners: n };
        let centre = self.corners.iter().sum::<Vect<D>>() / n as f64;
        let size = self.corners.iter().map(|c| (c - centre).norm()).fold(0.0, f64::max);
        let lifted = |x: &Vect<D>, i: usize| if i < D { (x[i] - centre[i]) / size } else { 1.0 };
        let C = DMatrix::from_fn(D + 1, n, |i, k| lifted(&self.corners[k], i));
        let gram = &C * C.transpose();
        if !(size > 0.0) || !(gram.determinant() > 1e-12) {
            return Err(flat);
        }
        let spread = C.transpose() * gram.try_inverse().ok_or(flat)?;
        for (vertex, (x, w)) in points.iter().zip(values.chunks_exact_mut(n)).enumerate() {
            for _ in 0..2 {
                let missing: Vec<f64> =
                    (0..=D).map(|i| lifted(x, i) - (0..n).map(|k| C[(i, k)] * w[k]).sum::<f64>()).collect();
                for k in 0..n {
                    w[k] += (0..=D).map(|i| spread[(k, i)] * missing[i]).sum::<f64>();
                }
            }
            if !w.iter().all(|w| w.is_finite()) {
                return Err(RigError::NotInCage { vertex });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::rigs::check::{check_rig_around_rest, positions};

    /// The walls of a box of this size.
    pub(crate) fn box_cage(size: [f64; 3]) -> Cage<3> {
        let (skin, _) = mesh::block([1, 1, 1], Vect::from(size)).skin();
        Cage { corners: skin.x, facets: skin.triangles.concat() }
    }

    /// Checks the Jacobian, and that moving the corners by an affine map moves all points by it.
    pub(crate) fn check_cage<const D: usize>(cage: &Cage<D>, coordinates: &CageCoordinates, points: &[Vect<D>]) {
        let rig = cage.rig(coordinates).unwrap();
        check_rig_around_rest(&rig, 1.0);
        let map = |x: &Vect<D>| Vect::<D>::from_fn(|i, _| 1.3 * x[i] - 0.4 * x[(i + 1) % D] + 0.7 * i as f64 - 0.2);
        let p: Vec<f64> = cage.corners.iter().flat_map(|c| map(c).iter().copied().collect::<Vec<_>>()).collect();
        for (x, X) in positions(&rig, &p).iter().zip(points) {
            assert!((x - map(X)).norm() < 1e-12, "{X:?} goes to {x:?}");
        }
    }

    #[test]
    fn a_cage_that_encloses_nothing_is_refused() {
        let line = Cage::polygon(vec![Vect::from([0.0, 0.0]), Vect::from([1.0, 0.0])]);
        assert_eq!(line.check().unwrap_err(), RigError::FlatCage { corners: 2 });
        let mut cage = box_cage([1.0; 3]);
        cage.facets[4] = 99;
        assert_eq!(cage.check().unwrap_err(), RigError::OutOfRange { what: "cage facets", index: 99, count: 8 });
        let flat = Cage::polygon([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]].map(Vect::from).to_vec());
        assert!(flat.make_precise(&[Vect::from([0.5, 0.0])], &mut [0.5, 0.5, 0.0]).is_err());
    }
}
