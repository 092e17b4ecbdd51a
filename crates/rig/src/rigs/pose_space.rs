//! Corrective shapes that come in as joints reach the poses they were sculpted for.

use math::Vect;
use nalgebra::{DMatrix, DVector, SMatrix, SVector};

use super::error::{all_finite, same_length};
use super::rigid_handles::of_handles;
use super::rotation::constant;
use super::{Motion, Number, Rig, RigError, Skeleton};

/// A pose, and the shape sculpted for it.
#[derive(Clone, Debug)]
pub struct Example<const D: usize> {
    /// the skeleton's parameters in that pose
    pub pose: Vec<f64>,
    /// what is added to each vertex before skinning [m]
    pub shape: Vec<Vect<D>>,
}

/// Pose-space deformation [LCF00] on top of linear blend skinning: x = Σ_b w_b (A_b y + t_b), y = X + Σ_k a_k(p) δ_k.
///
/// The a_k are radial basis functions (Gaussians) of how joints are turned: a_k = 1 in the k-th example and 0 in all others and
/// at rest. How a joint is turned is measured by A_parentᵀ A_bone without its scale: its distance for two poses
/// is √8 sin(θ/2), θ the angle between them in space, and it has no jumps. Parameters are those of the [`Skeleton`].
#[derive(Clone, Debug)]
pub struct PoseSpace<const D: usize> {
    skeleton: Skeleton<D>,
    /// (parent, bone) of each joint that matters
    joints: Vec<(u32, u32)>,
    /// how joints are turned, at rest and in each example
    poses: Vec<Vec<f64>>,
    /// a = mix · Gaussians
    mix: DMatrix<f64>,
    /// 1/(2σ²)
    sharpness: f64,
    shapes: Vec<Vec<Vect<D>>>,
}

impl<const D: usize> PoseSpace<D> {
    /// From a skeleton without shapes of its own, the joints (parent, bone) whose turning matters, and examples.
    pub fn new(skeleton: Skeleton<D>, joints: Vec<(u32, u32)>, examples: Vec<Example<D>>) -> Result<Self, RigError> {
        let (bones, numbers) = (skeleton.bones(), skeleton.bones() * D * (D + 1));
        same_length("parameters", numbers, Rig::parameters(&skeleton))?;
        if let Some(&b) = joints.iter().flat_map(|(a, b)| [a, b]).find(|b| **b as usize >= bones) {
            return Err(RigError::OutOfRange { what: "joints", index: b as usize, count: bones });
        }
        let mut poses = vec![turned::<f64, D>(&joints, &maps(&Rig::rest(&skeleton)))];
        for example in &examples {
            same_length("example poses", numbers, example.pose.len())?;
            same_length("corrective shapes", skeleton.rest.len(), example.shape.len())?;
            all_finite("corrective shapes", &example.shape)?;
            poses.push(turned::<f64, D>(&joints, &maps(&example.pose)));
            all_finite("example poses", &example.pose.iter().map(|p| Vect::from([*p])).collect::<Vec<_>>())?;
        }
        let n = poses.len();
        let mut sum = 0.0;
        for second in 1..n {
            let nearest = (0..second).map(|first| (distance(&poses[first], &poses[second]), first));
            let (d, first) = nearest.fold((f64::INFINITY, 0), |a, b| if b.0 < a.0 { b } else { a });
            if !(d > 1e-10) {
                return Err(RigError::SamePose { first, second });
            }
            sum += d.sqrt();
        }
        // Gaussians as wide as neighbouring poses are apart
        let width = if n > 1 { sum / (n - 1) as f64 } else { 1.0 };
        let sharpness = 0.5 / (width * width);
        let kernel = DMatrix::from_fn(n, n, |i, j| (-sharpness * distance(&poses[i], &poses[j])).exp());
        let mix = kernel.lu().try_inverse().ok_or(RigError::SamePose { first: 0, second: 1 })?;
        Ok(Self { skeleton, joints, poses, mix, sharpness, shapes: examples.into_iter().map(|e| e.shape).collect() })
    }
}

type Map<N, const D: usize> = (SMatrix<N, D, D>, SVector<N, D>);

/// The maps of the bones from a skeleton's parameters.
fn maps<N: Number, const D: usize>(p: &[N]) -> Vec<Map<N, D>> {
    let entry = |p: &[N], i: usize, j: usize| p[i * (D + 1) + j];
    let map = |p: &[N]| (SMatrix::from_fn(|i, j| entry(p, i, j)), SVector::from_fn(|i, _| entry(p, i, D)));
    p.chunks_exact(D * (D + 1)).map(map).collect()
}

/// The squared distance of two poses.
fn distance<N: Number>(a: &[f64], b: &[N]) -> N {
    a.iter().zip(b).fold(N::zero(), |sum, (a, b)| sum + (*b - *a) * (*b - *a))
}

/// How joints are turned: A_parentᵀ A_bone, each scaled to the length of a rotation.
fn turned<N: Number, const D: usize>(joints: &[(u32, u32)], maps: &[Map<N, D>]) -> Vec<N> {
    let mut turned = vec![];
    for &(parent, bone) in joints {
        let (A, B) = (&maps[parent as usize].0, &maps[bone as usize].0);
        let scale = (A.dot(A) * B.dot(B) + 1e-300).sqrt() / D as f64;
        turned.extend((A.transpose() * B).iter().map(|x| *x / scale));
    }
    turned
}

impl<const D: usize> Motion<D> for PoseSpace<D> {
    /// the maps of the bones, and how far each shape is in
    type Shared<N: Number> = (Vec<Map<N, D>>, Vec<N>);

    fn parameters(&self) -> usize {
        Rig::parameters(&self.skeleton)
    }
    fn vertices(&self) -> usize {
        self.skeleton.rest.len()
    }
    fn rest(&self) -> Vec<f64> {
        Rig::rest(&self.skeleton)
    }
    fn share<N: Number>(&self, p: &[N]) -> Self::Shared<N> {
        let maps = maps(p);
        let now = turned(&self.joints, &maps);
        let near = DVector::from_iterator(
            self.poses.len(),
            self.poses.iter().map(|pose| (distance(pose, &now) * -self.sharpness).exp()),
        );
        let row = |k: usize| (0..near.len()).fold(N::zero(), |sum, j| sum + near[j] * self.mix[(k + 1, j)]);
        let shares = (0..self.shapes.len()).map(row).collect();
        (maps, shares)
    }
    fn place<N: Number>(&self, v: usize, (maps, shares): &Self::Shared<N>) -> SVector<N, D> {
        let X = constant::<N, D>(&self.skeleton.rest[v]);
        let y = self.shapes.iter().zip(shares).fold(X, |y, (shape, a)| y + constant::<N, D>(&shape[v]) * *a);
        self.skeleton.weights.of(v).fold(SVector::zeros(), |x, (b, w)| x + (maps[b].0 * y + maps[b].1) * N::from(w))
    }
    fn moved_by(&self, v: usize) -> Vec<u32> {
        let each = D * (D + 1);
        let mut moved = of_handles(&self.skeleton.weights, v, each);
        if self.shapes.iter().any(|shape| shape[v] != Vect::<D>::zeros()) {
            let joints = self.joints.iter().flat_map(|(a, b)| [*a, *b]);
            moved.extend(joints.flat_map(|b| b * each as u32..(b + 1) * each as u32));
            moved.sort_unstable();
            moved.dedup();
        }
        moved
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Affine;
    use crate::rigs::check::{check_rig_around_rest, positions};
    use crate::rigs::skeleton::tests::ramp;
    use math::Mat;
    use math::check::Random;

    /// An arm bent about z at its middle.
    fn bent<const D: usize>(angle: f64) -> Vec<f64> {
        let mut R = Mat::<D>::identity();
        (R[(0, 0)], R[(0, 1)], R[(1, 0)], R[(1, 1)]) = (angle.cos(), -angle.sin(), angle.sin(), angle.cos());
        let c = Vect::<D>::from_fn(|i, _| if i == 0 { 1.0 } else { 0.5 });
        Skeleton::parameters_of(&[Affine::identity(), Affine { R, t: c - R * c }], &[])
    }

    fn arm<const D: usize>(X: &[Vect<D>], angles: &[f64]) -> PoseSpace<D> {
        let mut random = Random::new(4);
        let mut shape = || X.iter().map(|X| if X[0] > 0.0 { 0.1 * random.vector() } else { Vect::zeros() }).collect();
        let examples = angles.iter().map(|&angle| Example { pose: bent::<D>(angle), shape: shape() }).collect();
        PoseSpace::new(Skeleton::new(X.to_vec(), ramp(X), vec![]).unwrap(), vec![(0, 1)], examples).unwrap()
    }

    fn facts<const D: usize>(X: Vec<Vect<D>>) {
        let angles = [0.7, 1.4, -0.9];
        let (rig, plain) = (arm(&X, &angles), Skeleton::new(X.clone(), ramp(&X), vec![]).unwrap());
        check_rig_around_rest(&rig, 0.4);
        for (k, &angle) in angles.iter().enumerate() {
            let shaped = X.iter().zip(&rig.shapes[k]).map(|(X, d)| X + d).collect();
            let sculpted = Skeleton::new(shaped, ramp(&X), vec![]).unwrap();
            let (x, expected) = (positions(&rig, &bent::<D>(angle)), positions(&sculpted, &bent::<D>(angle)));
            let off = x.iter().zip(&expected).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
            assert!(off < 1e-12, "example {k} is missed by {off}");
            let without = positions(&plain, &bent::<D>(angle));
            assert!(x.iter().zip(&without).any(|(a, b)| (a - b).norm() > 0.01), "vacuous: no correction");
        }
        let x = positions(&rig, &Motion::rest(&rig));
        assert!(x.iter().zip(&X).all(|(x, X)| (x - X).norm() < 1e-12), "it corrects the rest pose");
    }

    #[test]
    fn each_example_is_met_exactly_rest_is_left_alone_and_the_jacobian_is_right() {
        facts(mesh::block([4, 2], Vect::from([2.0, 1.0])).rest);
        facts(mesh::block([3, 1, 1], Vect::from([2.0, 1.0, 1.0])).rest);
    }

    #[test]
    fn turning_the_whole_body_brings_no_correction_in() {
        let X = mesh::block([4, 2], Vect::from([2.0, 1.0])).rest;
        let rig = arm(&X, &[0.7, 1.4]);
        let turn = bent::<2>(0.7);
        let x = positions(&rig, &turn[6..].repeat(2));
        let plain = positions(&Skeleton::new(X.clone(), ramp(&X), vec![]).unwrap(), &turn[6..].repeat(2));
        assert!(x.iter().zip(&plain).all(|(a, b)| (a - b).norm() < 1e-12));
    }

    #[test]
    fn two_shapes_for_one_pose_are_refused() {
        let X = mesh::block([2, 1], Vect::from([2.0, 1.0])).rest;
        let example = |angle: f64| Example { pose: bent::<2>(angle), shape: vec![Vect::zeros(); X.len()] };
        let make = |angles: &[f64]| {
            let skeleton = Skeleton::new(X.clone(), ramp(&X), vec![]).unwrap();
            PoseSpace::new(skeleton, vec![(0, 1)], angles.iter().map(|a| example(*a)).collect())
        };
        assert_eq!(make(&[0.5, 0.0]).unwrap_err(), RigError::SamePose { first: 0, second: 2 });
        assert_eq!(make(&[0.5, 0.9, 0.5]).unwrap_err(), RigError::SamePose { first: 1, second: 3 });
    }
}
