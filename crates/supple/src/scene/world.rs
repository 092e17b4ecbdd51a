//! What is around the flesh, and what comes of it: `[[pin]]`, `[[force]]`, `[[rigid]]`, `[rigid_world]`, `[world]`, `[output]`.

use std::path::PathBuf;

use serde::Deserialize;

use super::Number;

/// `[[pin]]`: vertices of a volume (by one or several of the first keys), held where their keys say.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PinKeys {
    /// what lies in this box at rest: two opposite corners [m]
    #[serde(rename = "box")]
    pub corners: Option<[f64; 6]>,
    /// what lies in this ball at rest: middle and radius [m]
    pub sphere: Option<[f64; 4]>,
    /// what the file calls so
    pub group: Option<String>,
    /// these, counted from 0
    pub vertices: Vec<u32>,
    /// the point that they are turned about [m], as it is at rest
    pub about: [f64; 3],
    /// how it goes from key to key
    pub interpolation: Option<InterpolationKey>,
    /// where they are at some times; without keys they stay
    pub keys: Vec<PoseKeys>,
}

/// How a motion goes from key to key.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum InterpolationKey {
    /// straight, with sudden changes of speed
    #[default]
    Linear,
    /// smooth, through all keys
    Cubic,
}

/// A rigid motion away from rest.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PoseKeys {
    /// [s]
    pub time: f64,
    /// [m]
    pub translate: [f64; 3],
    /// the axis, as long as the angle [degrees]
    pub rotate: [f64; 3],
}

/// `[[force]]`: a push on a body with a rig. Of flat bodies the first two numbers of each place and direction count.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ForceKeys {
    /// on what lies in this box at rest: two opposite corners [m]; without a place, on all of it
    #[serde(rename = "box")]
    pub corners: Option<[f64; 6]>,
    /// on what lies in this ball at rest: middle and radius [m]
    pub sphere: Option<[f64; 4]>,
    /// on these vertices, counted from 0
    pub vertices: Vec<u32>,
    /// a steady push from `start` to `end`, per mass [m/s²]
    pub push: Option<[f64; 3]>,
    /// a blow at `start` that changes velocities by this much [m/s]
    pub blow: Option<[f64; 3]>,
    /// [s]
    pub start: f64,
    /// [s]; without it, to the end
    pub end: Option<f64>,
}

/// `[[rigid]]`: a body that falls, and wobbles.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RigidKeys {
    /// which shape
    pub shape: ShapeKey,
    /// of a box its sides, of a sphere its radius, of a torus the radii of ring and tube [m]
    pub size: Vec<f64>,
    /// of its middle at the start [m]
    pub position: [f64; 3],
    /// the axis, as long as the angle [degrees]
    pub rotation: [f64; 3],
    /// at the start [m/s]
    pub velocity: [f64; 3],
    /// the axis, as long as it turns fast [rad/s]
    pub spin: [f64; 3],
    /// see [`params::DENSITY`]
    pub density: Number,
}

/// The shape of a body that falls.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum ShapeKey {
    /// with three sides
    #[default]
    Box,
    /// a ball
    Sphere,
    /// a ring
    Torus,
}

/// `[rigid_world]`
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RigidWorldKeys {
    /// the height of the ground [m]
    pub ground: Number,
    /// downward [m/s²]
    pub gravity: Number,
    /// how long they fall [s]
    pub seconds: Number,
    /// how much of its speed a body keeps when it bounces, 0 to 1
    pub bounce: Number,
    /// how rough they are
    pub friction: Number,
    /// see [`params::ANGULAR_DAMPING`]
    pub angular_damping: Number,
}

/// `[world]`
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WorldKeys {
    /// [m/s²], z up
    pub gravity: Option<[f64; 3]>,
    /// a steady push on all of a body with a rig, per mass [m/s²]
    pub wind: Option<[f64; 3]>,
}

/// `[output]`
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OutputKeys {
    /// where the result goes; its ending picks the format
    pub file: Option<PathBuf>,
    /// more of them
    pub files: Vec<PathBuf>,
    /// what a .glb holds
    pub shapes: Option<ShapesKey>,
    /// see [`params::TOLERANCE`]
    pub tolerance: Number,
}

/// What a .glb holds.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum ShapesKey {
    /// as few shapes as the tolerance allows
    #[default]
    Principal,
    /// one shape for each frame
    PerFrame,
}
