//! What a step took.

use std::time::{Duration, Instant};

/// What a step took.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Report {
    /// Newton iterations: factorizations and solves
    pub iterations: usize,
    /// iterations with a factorization that was kept
    pub solves: usize,
    /// forces left out of balance, relative to the scene's own
    pub residual: f64,
    /// how often the step was halved
    pub halvings: usize,
    /// where the time went
    pub seconds: Seconds,
}

/// Where the time of a step went.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Seconds {
    /// energies, forces and tangents of the elements
    pub elements: Duration,
    /// gathering tangents into the matrix
    pub assembly: Duration,
    /// factorization
    pub factorization: Duration,
    /// triangular solves
    pub solve: Duration,
    /// all of it
    pub total: Duration,
}

impl Report {
    /// Adds what another step took; the residual is the worse of the two.
    pub fn add(&mut self, other: &Self) {
        self.iterations += other.iterations;
        self.solves += other.solves;
        self.halvings += other.halvings;
        self.residual = self.residual.max(other.residual);
        let (s, o) = (&mut self.seconds, &other.seconds);
        s.elements += o.elements;
        s.assembly += o.assembly;
        s.factorization += o.factorization;
        s.solve += o.solve;
        s.total += o.total;
    }
}

/// Runs and adds the time it took.
pub(crate) fn timed<T>(clock: &mut Duration, run: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = run();
    *clock += start.elapsed();
    result
}
