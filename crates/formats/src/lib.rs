//! Files at the border: volumes and surfaces in, volumes, surfaces and animations out.
//!
//! Every reader ends in one check, so that a volume from here can be simulated: positions are numbers, corners
//! exist, every vertex is in use, every element has a positive volume. A header is never believed before the data are
//! there, and a damaged file gives an error that names the line or the element, never a panic.
//!
//! Adding a format: one file with `read` and a writer, one line in [`read_any`] and [`write_volume`], one line in each
//! of `tests/round_trip.rs` and `tests/fuzz.rs`.
#![allow(non_snake_case)]

mod check;
mod cursor;
mod door;
mod error;
mod glb;
mod load;
mod medit;
mod msh;
mod normals;
mod obj;
mod raw;
mod save;
mod sequence;
mod tetgen;
mod text;
mod veg;
mod volume;

pub use door::{read_any, read_plane, read_surface, read_volume, write_volume};
pub use error::{FormatError, Place};
pub use glb::{Animation, write_glb};
pub use medit::write_mesh;
pub use msh::{MshFlavour, write_msh};
pub use obj::write_obj_surface;
pub use sequence::write_obj_sequence;
pub use tetgen::write_node_ele;
pub use veg::write_veg;
pub use volume::{AnyVolume, Law, Material, Region, Volume};
