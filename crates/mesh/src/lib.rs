//! Volumes made of simplices: triangles in the plane, tetrahedra in space.
#![allow(non_snake_case)]

mod boundary;
mod carry;
mod connected;
mod embedding;
mod fill;
mod generate;
mod mass;
mod near;
mod quality;
mod simplices;
mod surface;
pub mod zoo;

pub use carry::{Smoothness, Sparse, bending, carry, carry_by_body, carry_weights, lumped, share_out, stiffness};
pub use embedding::{BodyOf, Embedding};
pub use fill::{ElementSize, FillError, FillOptions, Filled, Winding, fill, fill_plane};
pub use generate::{block, disc};
pub use mass::{Mass, MassKind};
pub use near::{Near, closest_point};
pub use quality::Quality;
pub use simplices::Mesh;
pub use surface::Surface;
