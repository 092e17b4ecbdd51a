//! Volumes made of simplices: triangles in the plane, tetrahedra in space.
#![allow(non_snake_case)]

mod boundary;
mod embedding;
mod generate;
mod mass;
mod quality;
mod simplices;
mod surface;
pub mod zoo;

pub use embedding::Embedding;
pub use generate::{block, disc};
pub use mass::{Mass, MassKind};
pub use quality::Quality;
pub use simplices::Mesh;
pub use surface::Surface;
