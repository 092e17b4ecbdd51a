//! What stands under everything: small matrices, the [`Energy`] trait, the block-sparse matrix and its factorization.
#![allow(non_snake_case)]

pub mod check;
mod small;

pub use small::{Mat, Polar, Small, Svd, Vect};
