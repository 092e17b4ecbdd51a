//! Small oscillators, one for each of the lowest modes, that feel what the body feels: they predict how its amplitude changes
//! when frequency and damping do. For linear flesh that is moved without turning they are the body's own motion.

use dynamics::{Body, Damping, Stage};
use math::Vect;

/// Which values an oscillator is to have, at a time [s]: factor on ω, and damping.
pub type Tuning = Box<dyn Fn(f64) -> (f64, Damping) + Sync>;

/// Two oscillators for each mode: as the body is, and as it is to be.
#[derive(Default)]
pub struct Shadow<const D: usize> {
    /// M φ of each mode
    loads: Vec<Vec<Vect<D>>>,
    /// ω of each [rad/s]
    omega: Vec<f64>,
    damping: Damping,
    tuning: Option<Tuning>,
    /// z, z′, z″ at the start of the step, and z, z′ at its first stage; for each mode, before and after
    state: Vec<[[f64; 5]; 2]>,
    now: Vec<[[f64; 3]; 2]>,
    /// Σ h z² over all modes, before and after
    squares: [f64; 2],
}

impl<const D: usize> Shadow<D> {
    /// Oscillators for modes (ω, shape) of a body, whose shapes have unit mass.
    pub fn new(body: &Body<D>, modes: &[(f64, Vec<Vect<D>>)], tuning: Tuning) -> Self {
        let load = |shape: &Vec<Vect<D>>| {
            let mut out = shape.clone();
            body.mass.times(shape, &mut out);
            out
        };
        Self {
            loads: modes.iter().map(|(_, shape)| load(shape)).collect(),
            omega: modes.iter().map(|(omega, _)| *omega).collect(),
            damping: body.damping,
            tuning: Some(tuning),
            state: vec![[[0.0; 5]; 2]; modes.len()],
            now: vec![[[0.0; 3]; 2]; modes.len()],
            squares: [0.0; 2],
        }
    }

    /// How much larger the amplitude will be for the same inertia; none where nothing moved.
    pub fn ratio(&self) -> Option<f64> {
        let ratio = (self.squares[1] / self.squares[0]).sqrt();
        (ratio.is_finite() && ratio > 0.0).then_some(ratio)
    }

    pub(crate) fn reset(&mut self) {
        self.squares = [0.0; 2];
    }

    pub(crate) fn enter(&mut self, k: usize, stage: &Stage, t: f64, acceleration: &[Vect<D>]) {
        let Some(tuning) = &self.tuning else { return };
        let (chi, damping) = tuning(t);
        let kinds = [(1.0, self.damping), (chi, damping)];
        for (mode, load) in self.loads.iter().enumerate() {
            let push: f64 = load.iter().zip(acceleration).map(|(l, a)| l.dot(a)).sum();
            for (which, (chi, damping)) in kinds.iter().enumerate() {
                let state = &mut self.state[mode][which];
                let sum = |weights: &[f64; 5]| weights.iter().zip(&*state).map(|(w, s)| w * s).sum::<f64>();
                let (c_v, c_a) = (sum(&stage.velocity), sum(&stage.acceleration));
                let stiffness = (chi * self.omega[mode]).powi(2);
                let drag = damping.mass + damping.stiffness * stiffness;
                let z = -(push + c_a + drag * c_v) / (stage.beta + drag * stage.alpha + stiffness);
                let (v, a) = (stage.alpha * z + c_v, stage.beta * z + c_a);
                if k == 0 {
                    (state[3], state[4]) = (z, v);
                }
                self.now[mode][which] = [z, v, a];
            }
        }
    }

    pub(crate) fn leave(&mut self, h: f64) {
        for (state, now) in self.state.iter_mut().zip(&self.now) {
            for which in 0..2 {
                state[which][..3].copy_from_slice(&now[which]);
                self.squares[which] += h * now[which][0].powi(2);
            }
        }
    }

    pub(crate) fn save(&self) -> Vec<f64> {
        self.squares.into_iter().chain(self.state.iter().flatten().flatten().copied()).collect()
    }

    pub(crate) fn load(&mut self, saved: &[f64]) {
        self.squares = [saved[0], saved[1]];
        let numbers = self.state.iter_mut().flatten().flatten();
        numbers.zip(&saved[2..]).for_each(|(to, from)| *to = *from);
    }
}
