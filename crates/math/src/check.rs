//! Finite-difference checks, and the repeatable random numbers they sample with.

use crate::{Mat, Vect};

/// A small repeatable random number generator (splitmix64), for tests and starting vectors.
pub struct Random(u64);

impl Random {
    /// The same seed gives the same numbers everywhere.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }
    /// Uniform in −1..1.
    pub fn number(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
    /// Components uniform in −1..1.
    pub fn vector<const D: usize>(&mut self) -> Vect<D> {
        Vect::from_fn(|_, _| self.number())
    }
    /// Entries uniform in −1..1.
    pub fn matrix<const D: usize>(&mut self) -> Mat<D> {
        Mat::from_fn(|_, _| self.number())
    }
}
