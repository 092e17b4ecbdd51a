//! A rig in motion: where it puts all vertices at a time, and where it could put them.

use dynamics::Body;
use math::{Mat, Row, Small, Vect};
use mesh::Mesh;
use rig::{Jacobian, Rig};

use crate::{Attached, Complement, ComplementError, Follow, Leak};

/// An animated rig.
pub trait Animated<const D: usize>: Sync {
    /// Where the rig puts all vertices at time t [s, m].
    fn positions(&self, t: f64, x: &mut [Vect<D>]);
    /// Jr = ∂x/∂p of the pose at time t.
    fn jacobian(&self, t: f64) -> Jacobian<D>;
    /// Whether Jr is the same at all times.
    fn is_linear(&self) -> bool;
    /// When it teleports [s], ascending: at such a time it is already at the new place, [`crate::JUST_BEFORE`] still at the old one.
    fn jumps(&self) -> &[f64] {
        &[]
    }
    /// Adds what pushes the flesh from outside at time t: forces on all vertices [N].
    fn add_forces(&self, _t: f64, _forces: &mut [Vect<D>]) {}
}

/// A rig whose parameters are a function of time.
pub struct Performance<'a, const D: usize> {
    /// the rig
    pub rig: &'a dyn Rig<D>,
    /// its parameters at a time [s]
    pub parameters: Box<dyn Fn(f64) -> Vec<f64> + Sync + 'a>,
    /// when it teleports [s], ascending
    pub jumps: Vec<f64>,
}

impl<const D: usize> Animated<D> for Performance<'_, D> {
    fn positions(&self, t: f64, x: &mut [Vect<D>]) {
        self.rig.positions(&(self.parameters)(t), x);
    }
    fn jacobian(&self, t: f64) -> Jacobian<D> {
        self.rig.jacobian(&(self.parameters)(t))
    }
    fn is_linear(&self) -> bool {
        self.rig.is_linear()
    }
    fn jumps(&self) -> &[f64] {
        &self.jumps
    }
}

/// A rig whose flesh moves in its complement.
pub struct Complementary<'a, const D: usize> {
    animated: &'a dyn Animated<D>,
    complement: Complement,
}

impl<'a, const D: usize> Complementary<'a, D>
where
    Mat<D>: Small<D>,
{
    /// Lets a body of this mesh move in the complement of a rig. Sets the body's rows: those of the pose at time t.
    pub fn attach(
        body: &mut Body<D>,
        mesh: &Mesh<D>,
        animated: &'a dyn Animated<D>,
        leak: &Leak,
        t: f64,
    ) -> Result<Attached<Self, D>, ComplementError> {
        let complement = Complement::new(body, mesh, leak)?;
        let rows = complement.rows(&animated.jacobian(t))?;
        complement.check(mesh, &rows)?;
        body.rows.clone_from(&rows);
        Ok(Attached::by_rows(Self { animated, complement }, rows, body.rest.len(), 1e-3))
    }

    /// M and D of the rows.
    pub fn complement(&self) -> &Complement {
        &self.complement
    }
}

impl<const D: usize> Follow<D> for Complementary<'_, D>
where
    Mat<D>: Small<D>,
{
    fn positions(&self, t: f64, x: &mut [Vect<D>]) {
        self.animated.positions(t, x);
    }
    fn jumps(&self) -> &[f64] {
        self.animated.jumps()
    }
    fn add_forces(&self, t: f64, forces: &mut [Vect<D>]) {
        self.animated.add_forces(t, forces);
    }
    fn complement(&self, t: f64) -> Option<Vec<Row<D>>> {
        // a pose that has no rows is one that holds nothing: the step fails, and says so
        (!self.animated.is_linear()).then(|| self.complement.rows(&self.animated.jacobian(t)).unwrap_or_default())
    }
}
