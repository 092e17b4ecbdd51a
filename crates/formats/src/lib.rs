//! Files at the border: volumes and surfaces in, volumes, surfaces and animations out.
//!
//! Every reader ends in one check, so that a volume from here can be simulated: positions are numbers, corners
//! exist, every vertex is in use, every element has a positive volume. A header is never believed before the data are
//! there, and a damaged file gives an error that names the line or the element, never a panic.
//!
//! Adding a format: see `docs/formats/adding-a-format.md`.
#![allow(non_snake_case)]

mod alembic;
mod bvh;
mod cache;
mod cd;
mod character_out;
mod check;
mod cursor;
mod door;
mod error;
mod glb;
mod gltf;
mod json;
mod load;
mod makehuman;
mod mdd;
mod mdd_in;
mod medit;
mod msh;
mod normals;
mod npz;
mod obj;
mod obj_sequence_in;
mod order;
mod pc2;
mod pc2_in;
mod polygons;
mod raw;
mod rigged;
mod save;
mod sequence;
mod stl;
mod take;
mod take_out;
mod tetgen;
mod text;
mod usd;
mod veg;
mod volume;

pub use bvh::read_bvh;
pub use cache::{Cache, CacheOptions, Up};
pub use cd::{
    CdBody, CdCharacter, CdKind, CdMaterial, CdModel, CdRig, CdScene, CodyRig, Dmat, Tgf, TgfEdge, read_cd_scene,
    read_cody_animation, read_cody_rig, read_dmat, read_tgf,
};
pub use character_out::{GlbClip, GlbMotion, GlbSummary, ShapeBudget, write_character};
pub use door::{check_volume_output, read_any, read_plane, read_surface, read_volume, write_volume};
pub use error::{FormatError, Place};
pub use glb::{Animation, write_glb, write_take_glb};
pub use gltf::{gltf_files, read_gltf};
pub use load::read_text;
pub use makehuman::{MakeHuman, read_makehuman};
pub use mdd_in::read_mdd;
pub use medit::write_mesh;
pub use msh::{MshFlavour, write_msh};
pub use obj::{read_polygons, write_obj_surface};
pub use obj_sequence_in::{obj_sequence_files, read_obj_sequence};
pub use pc2_in::read_pc2;
pub use polygons::{Group, Polygons};
pub use rigged::write_rigged;
pub use save::write_text;
pub use sequence::write_obj_sequence;
pub use take::{Frames, Take, TakePart};
pub use take_out::{Written, check_output, write_take};
pub use tetgen::write_node_ele;
pub use veg::write_veg;
pub use volume::{AnyVolume, Law, Material, Region, Volume};
