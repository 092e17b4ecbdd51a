//! The examples of Complementary Dynamics: scenes in JSON, with meshes, rigs, weights and animations beside them.

mod body;
mod cody;
mod dmat;
mod frames2;
mod frames3;
mod matrices;
mod scene;
mod tgf;

pub use cody::{CodyRig, read_cody_animation, read_cody_rig};
pub use dmat::{Dmat, read_dmat};
pub use scene::{CdBody, CdCharacter, CdKind, CdMaterial, CdModel, CdRig, CdScene, read_cd_scene};
pub use tgf::{Tgf, TgfEdge, read_tgf};
