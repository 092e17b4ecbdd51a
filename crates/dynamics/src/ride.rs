//! Slots of the equation that a method may fill: a shape to ride on, and factors on its terms.
//!
//! With a shape p(t) and frames R(t) that turn with it, the flesh at a vertex has the place e in its frame: x = p + R e. The equation is
//!
//! ```text
//! M (R e″ + ε (x″ − R e″)) + D R e′ + γ ∂U/∂x = μ M g + f.
//! ```
//!
//! x″ − R e″ is the acceleration that comes from the frame: p″ + W d + 2Ω d′ with d = x − p, Ω = R′Rᵀ and W = Ω′ − Ω², and R e′ = d′ − Ω d
//! (METHODS A10, A11 of the adjustable dynamics [WZB20]). Whoever is ridden on says what is held back of x″ and x′, by the integrator's own differences in
//! the frames; so ε = 1 is the plain motion and ε = 0 is p, to the last bit that the solution has, and frames may turn as far as they like in one step.

use math::{Mat, Vect};

use crate::stage::Stage;
use crate::{Drive, State, StepError};

/// What the terms of the equation are multiplied by. An empty list stands for 1 everywhere.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scales {
    /// γ, of each term of the energies
    pub stiffness: Vec<f64>,
    /// μ, of each vertex
    pub gravity: Vec<f64>,
    /// ε, of each vertex
    pub inertia: Vec<f64>,
    /// c_m, on mass damping at each vertex
    pub mass_damping: Vec<f64>,
    /// c_k, on stiffness damping of each term
    pub stiffness_damping: Vec<f64>,
}

impl Scales {
    /// A list's value at a place.
    pub fn at(list: &[f64], i: usize) -> f64 {
        list.get(i).copied().unwrap_or(1.0)
    }

    /// The mean of a list.
    pub fn mean(list: &[f64]) -> f64 {
        if list.is_empty() { 1.0 } else { list.iter().sum::<f64>() / list.len() as f64 }
    }
}

/// A shape in motion, and the frames that turn with it.
#[derive(Clone, Debug, Default)]
pub struct Frames<const D: usize> {
    /// p [m]
    pub p: Vec<Vect<D>>,
    /// x′ − R e′ [m/s]: what of a vertex's velocity comes from its frame. Where `derivatives` are given, p′
    pub v: Vec<Vect<D>>,
    /// what is held back of its acceleration x″ [m/s²]: (1−ε)(x″ − R e″), but for what depends on d. Where `derivatives` are given, p″ as the integrator
    /// has it
    pub a: Vec<Vect<D>>,
    /// what is added to the acceleration by d [1/s²]; empty where nothing is
    pub spin: Vec<Mat<D>>,
    /// how the frames turn, for other rules of differences
    pub derivatives: Option<Derivatives<D>>,
    /// γ ∂U/∂x − μ M g − f at p [N], where p is not quite at rest: (1−ε) of it is taken away, so that ε = 0 is p itself. Empty where
    /// there is nothing to take.
    pub lack: Vec<Vect<D>>,
    /// damping acts on x′ as a whole, not relative to the frames: as the paper prints it
    pub absolute_damping: bool,
}

/// Inertia of frames by derivatives that are given.
#[derive(Clone, Debug)]
pub struct Derivatives<const D: usize> {
    /// p″ [m/s²] as it is to be felt
    pub felt: Vec<Vect<D>>,
    /// Ω = R′Rᵀ at each vertex [1/s]
    pub turn: Vec<Mat<D>>,
    /// W = Ω′ − Ω² at each vertex [1/s²]
    pub bend: Vec<Mat<D>>,
}

impl<const D: usize> Frames<D> {
    /// Frames of so many vertices, at rest.
    pub fn new(vertices: usize) -> Self {
        let zero = vec![Vect::zeros(); vertices];
        let (p, v) = (zero.clone(), zero.clone());
        Self { p, v, a: zero, spin: vec![], derivatives: None, lack: vec![], absolute_damping: false }
    }

    /// What is added to the acceleration by d, where that is so.
    pub(crate) fn spin(&self) -> &[Mat<D>] {
        if self.derivatives.is_some() { &[] } else { &self.spin }
    }

    /// The velocity that damping sees at a vertex.
    pub(crate) fn damped_velocity(&self, i: usize, x: &Vect<D>, v: &Vect<D>) -> Vect<D> {
        match &self.derivatives {
            _ if self.absolute_damping => *v,
            None => v - self.v[i],
            Some(rates) => v - self.v[i] - rates.turn[i] * (x - self.p[i]),
        }
    }

    /// What is taken from the acceleration of a vertex that feels ε of its frame's inertia: 1−ε of it.
    pub(crate) fn held_back(&self, i: usize, epsilon: f64, x: &Vect<D>, v: &Vect<D>) -> Vect<D> {
        let Some(Derivatives { felt, turn, bend }) = &self.derivatives else {
            return self.spin.get(i).map_or(self.a[i], |spin| self.a[i] - spin * (x - self.p[i]));
        };
        let turning = bend[i] * (x - self.p[i]) + 2.0 * (turn[i] * (v - self.v[i]));
        self.a[i] - epsilon * felt[i] + (1.0 - epsilon) * turning
    }
}

/// What a body rides on, step by step.
pub trait Ride<const D: usize> {
    /// Prepares the stage number `k` (from 0) of a step, which ends at time t. A first stage starts from the last step that
    /// was left, so that a step can be tried again with another length. The body's velocities are αx + c_v then, its accelerations
    /// βx + c_a.
    fn enter(
        &mut self,
        k: usize,
        stage: &Stage,
        constants: [&[Vect<D>]; 2],
        drive: &dyn Drive<D>,
        t: f64,
    ) -> Result<(), StepError>;
    /// The stage is solved.
    fn solved(&mut self, x: &[Vect<D>]);
    /// The step is done.
    fn leave(&mut self);
    /// What was prepared.
    fn frames(&self) -> &Frames<D>;
    /// The factors of the stage that was prepared.
    fn scales(&self) -> &Scales;
    /// A guess of where the vertices go in the prepared stage.
    fn guess(&self) -> Option<&[Vect<D>]> {
        None
    }
    /// The drive has teleported: moves the shape and, relative to it, the state along.
    fn teleport(&mut self, drive: &dyn Drive<D>, jump: &Teleport<'_, D>, state: &mut State<D>)
    -> Result<(), StepError>;
}

/// Where a drive has all vertices just before and just after it teleports, how fast they move there, and how it turned.
pub struct Teleport<'j, const D: usize> {
    /// [m], before and after
    pub x: [&'j [Vect<D>]; 2],
    /// [m/s], before and after
    pub v: [&'j [Vect<D>]; 2],
    /// the rotation of the whole
    pub turn: Mat<D>,
}
