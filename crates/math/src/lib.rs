//! What stands under everything: small matrices, the [`Energy`] trait, the block-sparse matrix and its factorization.
#![allow(non_snake_case)]

mod alike;
mod assembly;
mod blocks;
pub mod check;
mod dense;
mod energy;
mod factor;
mod fronts;
mod ordering;
pub mod rows;
mod small;
mod sweep;
mod turn;

pub use alike::AlikeSaddle;
pub use assembly::Assembly;
pub use blocks::BlockMatrix;
pub use dense::symmetric_eigen;
pub use energy::{Energy, packed};
pub use factor::{Factor, NotPositive};
pub use nalgebra::Complex;
pub use rows::{Row, Rows, Saddle};
pub use small::{Mat, Polar, Small, Svd, Vect, sound_rotations};
pub use turn::Turn;
