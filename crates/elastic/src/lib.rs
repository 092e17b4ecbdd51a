//! What the flesh is made of: one small file per material, and the tissue that turns mesh × material into an energy.
//!
//! In the plane (D = 2) every material is in plane strain: the third stretch is 1, and a flat body behaves exactly like a
//! slice of a long one.
#![allow(non_snake_case)]

mod arap;
#[cfg(test)]
mod check;
mod corotated;
mod invariants;
mod lame;
mod linear;
mod material;
mod mooney_rivlin;
mod neo_hookean;
mod registry;
mod springs;
mod stable_neo_hookean;
mod stretches;
mod stvk;
mod stvk_volume;
mod tissue;

pub use arap::Arap;
pub use corotated::Corotated;
pub use invariants::{Invariants, Jet};
pub use lame::{Lame, LameError};
pub use linear::Linear;
pub use material::{Material, Tangent};
pub use mooney_rivlin::MooneyRivlin;
pub use neo_hookean::NeoHookean;
pub use registry::{Flesh, FromLame, UnknownMaterial};
pub use springs::Springs;
pub use stable_neo_hookean::StableNeoHookean;
pub use stvk::StVenantKirchhoff;
pub use stvk_volume::StVenantKirchhoffVolume;
pub use tissue::Tissue;
