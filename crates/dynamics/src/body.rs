//! A body: everything about it that does not change while it moves.

use math::{Energy, Row, Vect};
use mesh::Mass;

/// A deformable body. Its motion obeys M a + D v + ∂U/∂x = M g + f, where pinned vertices and rows A x = b follow a
/// [`crate::Drive`].
pub struct Body<const D: usize> {
    /// X: positions of the vertices at rest [m]
    pub rest: Vec<Vect<D>>,
    /// U: what stores energy
    pub energies: Vec<Box<dyn Energy<D>>>,
    /// M
    pub mass: Mass,
    /// D
    pub damping: Damping,
    /// g [m/s²]
    pub gravity: Vect<D>,
    /// constant forces on vertices [N]
    pub forces: Vec<(u32, Vect<D>)>,
    /// vertices whose motion is prescribed
    pub pins: Vec<u32>,
    /// A: linear conditions on the positions
    pub rows: Vec<Row<D>>,
}

/// Rayleigh damping, D = mass · M + stiffness · K, where K is the tangent stiffness at the current positions, made
/// positive: damping never feeds energy into a buckled element.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Damping {
    /// [1/s]
    pub mass: f64,
    /// [s]
    pub stiffness: f64,
}

impl<const D: usize> Body<D> {
    /// A body of this mass that nothing holds and nothing pulls yet.
    pub fn new(rest: Vec<Vect<D>>, mass: Mass, energies: Vec<Box<dyn Energy<D>>>) -> Self {
        Self {
            rest,
            energies,
            mass,
            damping: Damping::default(),
            gravity: Vect::zeros(),
            forces: vec![],
            pins: vec![],
            rows: vec![],
        }
    }

    /// Adds the D rows that hold a point of the body: Σ w x over these vertices.
    pub fn hold_point(&mut self, vertices: &[u32], weights: &[f64]) {
        for axis in 0..D {
            let unit = Vect::from_fn(|i, _| if i == axis { 1.0 } else { 0.0 });
            self.rows.push(vertices.iter().zip(weights).map(|(&v, w)| (v, *w * unit)).collect());
        }
    }
}
