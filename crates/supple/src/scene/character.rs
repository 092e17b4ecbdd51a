//! Who moves: `[character]`.

use std::path::PathBuf;

use serde::Deserialize;

use super::Number;

/// `[character]`
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CharacterKeys {
    /// .glb or .gltf; .obj or .stl with `cache`; MakeHuman's base.obj with `skeleton`; a volume (.veg, .mesh, .msh, .node)
    /// that [`PinKeys`] move; a scene of Complementary Dynamics (.json)
    pub file: Option<PathBuf>,
    /// a built-in body with a rig, instead of a file
    pub example: Option<ExampleKey>,
    /// the surface of a volume to show (.obj, .stl); without it, the volume's own
    pub skin: Option<PathBuf>,
    /// how long a volume is simulated [s]; without it, until a second after the last key
    pub seconds: Number,
    /// the name of one of its animations
    pub clip: Option<String>,
    /// motion capture (.bvh), carried over by joint names
    pub motion: Option<PathBuf>,
    /// the first captured frame is a T-pose that does not belong to the motion; without this key it is found out
    pub motion_t_pose: Option<bool>,
    /// a vertex cache that moves the surface: .pc2, .mdd, or the first of a sequence of .obj
    pub cache: Option<PathBuf>,
    /// frames per second of a cache that does not say
    pub cache_fps: Number,
    /// MakeHuman's rig (.mhskel)
    pub skeleton: Option<PathBuf>,
    /// MakeHuman's weights (.mhw)
    pub weights: Option<PathBuf>,
    /// MakeHuman's shapes (.target) with how far each is in
    pub targets: Vec<TargetKeys>,
    /// which way is up in the surface that a cache moves: "z" (as Supple writes) or "y"
    pub up: Option<UpKey>,
    /// which way is up in the cache; without it, as in the surface
    pub cache_up: Option<UpKey>,
    /// see [`params::FPS`]
    pub fps: Number,
    /// see [`params::SUBSTEPS`]
    pub substeps: Number,
    /// see [`params::SPEED`]
    pub speed: Number,
    /// see [`params::LOOPS`]
    pub loops: Number,
    /// see [`params::PREROLL`]
    pub preroll: Number,
    /// see [`params::POSTROLL`]
    pub postroll: Number,
    /// times in the clip [s] at which the character is somewhere else at once
    pub teleports: Option<Vec<f64>>,
    /// take the size of the file as it is, however large or small
    pub real_size: bool,
}

/// Built-in bodies with rigs.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum ExampleKey {
    /// a flat worm that hops, coarse on one side and fine on the other
    Worm,
    /// cloth of springs that flies
    Carpet,
    /// a bar that is twisted
    Twist,
    /// bodies that fall into a heap
    Drop,
}

/// One of MakeHuman's shapes.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TargetKeys {
    /// .target
    pub file: PathBuf,
    /// 0 to 1
    pub amount: f64,
}

/// Which axis points up.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum UpKey {
    /// as most modelling tools have it
    Y,
    /// as Blender has it
    Z,
}
