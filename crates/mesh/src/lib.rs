//! Volumes made of simplices: triangles in the plane, tetrahedra in space.
#![allow(non_snake_case)]

mod simplices;
mod surface;

pub use simplices::Mesh;
pub use surface::Surface;
