//! Bones that carry the skin along, and shapes under it.

use math::{Mat, Vect};
use rayon::prelude::*;

use super::affine_handles::{identities, map_row};
use super::error::{all_finite, same_length};
use super::{Jacobian, Rig, RigError, Weights};
use crate::Affine;

/// Linear blend skinning of blendshapes [MTLT88; LAR14]: x = Σ_b w_b (A_b y + t_b), y = X + Σ_k s_k δ_k.
///   A_b, t_b  world_from_rest of bone b      D×D, D     [1], [m]
///   p         the rows of [A_b t_b], bone after bone, D × (D + 1) numbers each; then the shape weights s_k    [1], [m]
///
/// With shapes it is bilinear, without it is linear.
#[derive(Clone, Debug)]
pub struct Skeleton<const D: usize> {
    pub(super) rest: Vec<Vect<D>>,
    pub(super) weights: Weights,
    shapes: Vec<Vec<Vect<D>>>,
}

impl<const D: usize> Skeleton<D> {
    /// From rest positions [m], weights of the bones, and shapes: what each adds to every vertex at weight 1 [m].
    pub fn new(rest: Vec<Vect<D>>, weights: Weights, shapes: Vec<Vec<Vect<D>>>) -> Result<Self, RigError> {
        same_length("weights", rest.len(), weights.vertices())?;
        all_finite("rest positions", &rest)?;
        for shape in &shapes {
            same_length("blendshapes", rest.len(), shape.len())?;
            all_finite("blendshapes", shape)?;
        }
        Ok(Self { rest, weights, shapes })
    }

    /// The parameters for these maps of the bones, world_from_rest, and weights of the shapes.
    pub fn parameters_of(bones: &[Affine<D>], shapes: &[f64]) -> Vec<f64> {
        let row = |b: &Affine<D>, i: usize| b.R.row(i).iter().copied().chain([b.t[i]]).collect::<Vec<_>>();
        bones
            .iter()
            .flat_map(|b| (0..D).flat_map(|i| row(b, i)).collect::<Vec<_>>())
            .chain(shapes.iter().copied())
            .collect()
    }

    /// How many bones there are.
    pub fn bones(&self) -> usize {
        self.weights.handles()
    }

    fn bones_of(&self, p: &[f64]) -> Vec<Affine<D>> {
        let entry = |p: &[f64], i: usize, j: usize| p[i * (D + 1) + j];
        let maps = p[..self.bones() * D * (D + 1)].chunks_exact(D * (D + 1));
        maps.map(|p| Affine { R: Mat::from_fn(|i, j| entry(p, i, j)), t: Vect::from_fn(|i, _| entry(p, i, D)) })
            .collect()
    }

    /// A vertex before it is skinned.
    fn shaped(&self, v: usize, weights: &[f64]) -> Vect<D> {
        self.shapes.iter().zip(weights).fold(self.rest[v], |y, (shape, s)| y + *s * shape[v])
    }

    /// The map of a vertex: the weighted sum of those of its bones.
    fn blended(&self, v: usize, bones: &[Affine<D>]) -> Affine<D> {
        let mut map = Affine::zero();
        self.weights.of(v).for_each(|(b, w)| map.add_scaled(w, &bones[b]));
        map
    }
}

impl<const D: usize> Rig<D> for Skeleton<D> {
    fn parameters(&self) -> usize {
        self.bones() * D * (D + 1) + self.shapes.len()
    }
    fn vertices(&self) -> usize {
        self.rest.len()
    }
    fn rest(&self) -> Vec<f64> {
        let mut p = identities::<D>(self.bones());
        p.resize(Rig::parameters(self), 0.0);
        p
    }
    fn positions(&self, p: &[f64], x: &mut [Vect<D>]) {
        let (bones, s) = (self.bones_of(p), &p[self.bones() * D * (D + 1)..]);
        let place = |(v, x): (usize, &mut Vect<D>)| *x = self.blended(v, &bones).apply(&self.shaped(v, s));
        x.par_iter_mut().with_min_len(1024).enumerate().for_each(place);
    }
    fn jacobian(&self, p: &[f64]) -> Jacobian<D> {
        let first = self.bones() * D * (D + 1);
        let (bones, s) = (self.bones_of(p), &p[first..]);
        let rows = (0..self.rest.len()).map(|v| {
            let mut row = map_row(&self.shaped(v, s), self.weights.of(v));
            let A = self.blended(v, &bones).R;
            let moving = self.shapes.iter().enumerate().filter(|(_, shape)| shape[v] != Vect::<D>::zeros());
            row.extend(moving.map(|(k, shape)| ((first + k) as u32, A * shape[v])));
            row
        });
        Jacobian::from_rows(Rig::parameters(self), rows)
    }
    fn is_linear(&self) -> bool {
        self.shapes.is_empty()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::rigs::check::{check_rig_around_rest, positions};
    use math::check::Random;

    /// Two handles: the first fades into the second along x.
    pub(crate) fn ramp<const D: usize>(X: &[Vect<D>]) -> Weights {
        let end = X.iter().map(|X| X[0]).fold(0.0, f64::max);
        Weights::new(2, X.iter().map(|X| vec![(0, 1.0 - X[0] / end), (1, X[0] / end)])).unwrap()
    }

    fn shapes<const D: usize>(X: &[Vect<D>], count: usize) -> Vec<Vec<Vect<D>>> {
        let mut random = Random::new(8);
        (0..count).map(|_| X.iter().map(|_| random.vector()).collect()).collect()
    }

    #[test]
    fn its_jacobian_is_right_with_and_without_shapes_in_the_plane_and_in_space() {
        let X = mesh::block([4, 2], Vect::from([2.0, 1.0])).rest;
        for count in [0, 2] {
            let rig = Skeleton::new(X.clone(), ramp(&X), shapes(&X, count)).unwrap();
            assert_eq!(rig.is_linear(), count == 0);
            check_rig_around_rest(&rig, 1.0);
        }
        let X = mesh::block([3, 1, 2], Vect::from([2.0, 1.0, 1.0])).rest;
        for count in [0, 3] {
            check_rig_around_rest(&Skeleton::new(X.clone(), ramp(&X), shapes(&X, count)).unwrap(), 1.0);
        }
    }

    #[test]
    fn shapes_are_added_before_the_bones_move() {
        let X = mesh::block([3, 1, 2], Vect::from([2.0, 1.0, 1.0])).rest;
        let shapes = shapes(&X, 1);
        let rig = Skeleton::new(X.clone(), ramp(&X), shapes.clone()).unwrap();
        let R = *nalgebra::Rotation3::from_scaled_axis(Vect::from([0.3, 1.0, -0.5])).matrix();
        let bone = Affine { R, t: Vect::from([1.0, 2.0, 3.0]) };
        let x = positions(&rig, &Skeleton::parameters_of(&[bone; 2], &[0.5]));
        for (v, x) in x.iter().enumerate() {
            assert!((x - bone.apply(&(X[v] + 0.5 * shapes[0][v]))).norm() < 1e-14);
        }
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let X = mesh::block([2, 1], Vect::from([2.0, 1.0])).rest;
        let fewer = ramp(&X[..4]);
        assert!(matches!(
            Skeleton::new(X.clone(), fewer, vec![]),
            Err(RigError::Lengths { expected: 6, found: 4, .. })
        ));
        let bad = vec![vec![Vect::from([f64::INFINITY, 0.0]); 6]];
        assert!(matches!(Skeleton::new(X.clone(), ramp(&X), bad), Err(RigError::NotANumber { place: 0, .. })));
    }
}
