//! Geometric animation: characters with skeletons and clips, and rigs x = rig(p) with their Jacobians.
#![allow(non_snake_case)]

mod affine;
mod binding;
mod blend;
mod bound;
mod character;
mod clip;
mod hierarchy;
mod mocap;
mod playback;
mod pose;
mod retarget;
mod rigs;
mod teleport;
pub mod zoo;

pub use affine::{Affine, Trs};
pub use bound::{Bound, Joint};
pub use character::{Attribute, Character, Local, Node, Part, Shape, Skin};
pub use clip::{Channel, Clip, Curve, Interpolation, Target};
pub use mocap::{Mocap, MocapChannel, MocapJoint};
pub use playback::{Playback, PlaybackError};
pub use pose::Pose;
pub use retarget::{MocapRest, Retarget, RetargetError, Retargeted, retarget};
pub use rigs::check;
pub use rigs::{
    AutoWeights, Bone, Cache, Cage, CageCoordinates, DualQuaternions, Example, Jacobian, Linear, Motion, Number,
    PoseSpace, Rig, RigError, RigidHandles, Skeleton, WeightError, Weights, Wire, affine_handles, automatic_weights,
    blendshapes, differentiate, rotation_vector,
};
pub use teleport::{Teleport, find_teleports};
