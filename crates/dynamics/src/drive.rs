//! What the outside prescribes: where the pins are, and what the rows must be.

use math::{Row, Vect};

/// A prescribed motion.
pub trait Drive<const D: usize>: Sync {
    /// Where the pinned vertices are at time t [s], in the order of [`crate::Body::pins`].
    fn pins(&self, t: f64, x: &mut [Vect<D>]);
    /// What the rows A x are at time t, in the order of [`crate::Body::rows`].
    fn rows(&self, _t: f64, _b: &mut [f64]) {}
    /// The rows A at time t, where they change over time: they stand for [`crate::Body::rows`] then, in number and place. None where
    /// they stay as the body has them.
    fn conditions(&self, _t: f64) -> Option<Vec<Row<D>>> {
        None
    }
    /// Adds forces on all vertices at time t [N].
    fn add_forces(&self, _t: f64, _f: &mut [Vect<D>]) {}
    /// How fast what the body rides on moves at time t, at all vertices [m/s]: mass damping slows motion relative to it
    /// only, −d_m M (v − v_drive). False, and `v` is not looked at, where that stands still.
    fn velocities(&self, _t: f64, _v: &mut [Vect<D>]) -> bool {
        false
    }
    /// Where all vertices would be at time t if the body only followed the drive: a rig that moves all of it. False, and `x` is not
    /// looked at, where it does not say.
    fn everything(&self, _t: f64, _x: &mut [Vect<D>]) -> bool {
        false
    }
    /// A guess of where the vertices go from time `from` to time `to`, x being where they were. A step starts from it
    /// where that is better than other guesses; what it ends with stays the same. False, and `x` is not looked at, where
    /// there is none.
    fn carry(&self, _from: f64, _to: f64, _x: &mut [Vect<D>]) -> bool {
        false
    }
}

/// Holds everything where it is.
#[derive(Clone, Debug, Default)]
pub struct Hold<const D: usize> {
    /// where the pins are [m]
    pub pins: Vec<Vect<D>>,
    /// what the rows are
    pub rows: Vec<f64>,
}

impl<const D: usize> Hold<D> {
    /// Holds the pins and rows of a body where the vertices are at x.
    pub fn at(body: &crate::Body<D>, x: &[Vect<D>]) -> Self {
        Self {
            pins: body.pins.iter().map(|&v| x[v as usize]).collect(),
            rows: body.rows.iter().map(|row| math::rows::apply(row, x)).collect(),
        }
    }
}

impl<const D: usize> Drive<D> for Hold<D> {
    fn pins(&self, _: f64, x: &mut [Vect<D>]) {
        x.copy_from_slice(&self.pins);
    }
    fn rows(&self, _: f64, b: &mut [f64]) {
        b.copy_from_slice(&self.rows);
    }
}
