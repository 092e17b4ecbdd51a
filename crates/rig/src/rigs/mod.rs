//! Rigs x = rig(p): where vertices are for the numbers an animator sets, and how they move when those change.

mod affine_handles;
mod automatic;
mod biharmonic;
mod blendshapes;
mod cache;
mod cage;
pub mod check;
mod differentiate;
mod dual_quaternions;
mod error;
mod harmonic;
mod heat;
mod jacobian;
mod laplacian;
mod linear;
mod mean_value;
mod pose_space;
mod rigid_handles;
mod rotation;
mod skeleton;
mod weights;
mod wire;

use math::Vect;

pub use affine_handles::affine_handles;
pub use automatic::{AutoWeights, Bone, WeightError, automatic_weights};
pub use blendshapes::blendshapes;
pub use cache::Cache;
pub use cage::{Cage, CageCoordinates};
pub use differentiate::{Motion, Number, differentiate};
pub use dual_quaternions::DualQuaternions;
pub use error::RigError;
pub use jacobian::Jacobian;
pub use linear::Linear;
pub use pose_space::{Example, PoseSpace};
pub use rigid_handles::RigidHandles;
pub use rotation::rotation_vector;
pub use skeleton::Skeleton;
pub use weights::Weights;
pub use wire::Wire;

/// Geometric animation: positions from parameters, and their derivative. Parameters are plain numbers in a fixed order;
/// what they mean is each rig's own.
pub trait Rig<const D: usize>: Sync {
    /// How many numbers set a pose.
    fn parameters(&self) -> usize;
    /// How many vertices it moves.
    fn vertices(&self) -> usize;
    /// The parameters of the rest pose.
    fn rest(&self) -> Vec<f64>;
    /// x ← rig(p): `parameters()` numbers in, `vertices()` positions out [m].
    fn positions(&self, p: &[f64], x: &mut [Vect<D>]);
    /// Jr = ∂x/∂p
    fn jacobian(&self, p: &[f64]) -> Jacobian<D>;
    /// Whether x is affine in p: then the Jacobian is the same everywhere.
    fn is_linear(&self) -> bool;
}
