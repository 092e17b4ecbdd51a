//! Small oscillators, one for each of the lowest modes, that feel what the body feels: they predict how its amplitude changes
//! when frequency and damping do. For linear flesh that is moved without turning they are the body's own motion; where it turns they turn along.

use dynamics::{Body, Damping, Stage};
use math::{Mat, Vect};

/// Which values an oscillator is to have, at a time [s]: factor on ω, and damping.
pub type Tuning = Box<dyn Fn(f64) -> (f64, Damping) + Sync>;

/// What pushed the modes in one stage of a step.
#[derive(Clone, Debug)]
pub struct Push {
    stage: Stage,
    /// when it ends [s]
    t: f64,
    /// how long the step is that ends with it [s]; none where it does not end one
    step: Option<f64>,
    /// on each mode
    each: Vec<f64>,
}

/// Two oscillators for each mode: as the body is, and as it is to be.
pub struct Oscillators {
    /// ω of each [rad/s]
    omega: Vec<f64>,
    damping: Damping,
    tuning: Tuning,
    /// z, z′, z″ at the start of the step, and z, z′ at its first stage; for each mode, before and after
    state: Vec<[[f64; 5]; 2]>,
    now: Vec<[[f64; 3]; 2]>,
    /// Σ h z² over all modes, before and after
    squares: [f64; 2],
}

impl Oscillators {
    /// At rest; with frequencies of a body's modes and its damping.
    pub fn new(omega: Vec<f64>, damping: Damping, tuning: Tuning) -> Self {
        let (state, now) = (vec![[[0.0; 5]; 2]; omega.len()], vec![[[0.0; 3]; 2]; omega.len()]);
        Self { omega, damping, tuning, state, now, squares: [0.0; 2] }
    }

    /// How much larger the amplitude will be for the same inertia; none where nothing moved.
    pub fn ratio(&self) -> Option<f64> {
        let ratio = (self.squares[1] / self.squares[0]).sqrt();
        (ratio.is_finite() && ratio > 0.0).then_some(ratio)
    }

    /// Feels what was felt before. Amplitude counts from time 0 on.
    pub fn replay(&mut self, pushes: &[Push]) {
        for push in pushes {
            self.feel(&push.stage, push.t, &push.each);
            if let Some(h) = push.step {
                self.leave(h);
                if push.t < 0.5 * h {
                    self.squares = [0.0; 2];
                }
            }
        }
    }

    fn feel(&mut self, stage: &Stage, t: f64, pushes: &[f64]) {
        let (chi, damping) = (self.tuning)(t);
        let kinds = [(1.0, self.damping), (chi, damping)];
        for (mode, push) in pushes.iter().enumerate() {
            for (which, (chi, damping)) in kinds.iter().enumerate() {
                let state = &mut self.state[mode][which];
                let sum = |weights: &[f64; 5]| weights.iter().zip(&*state).map(|(w, s)| w * s).sum::<f64>();
                let (c_v, c_a) = (sum(&stage.velocity), sum(&stage.acceleration));
                let stiffness = (chi * self.omega[mode]).powi(2);
                let drag = damping.mass + damping.stiffness * stiffness;
                let z = -(push + c_a + drag * c_v) / (stage.beta + drag * stage.alpha + stiffness);
                let (v, a) = (stage.alpha * z + c_v, stage.beta * z + c_a);
                if stage.at < 1.0 {
                    (state[3], state[4]) = (z, v);
                }
                self.now[mode][which] = [z, v, a];
            }
        }
    }

    fn leave(&mut self, h: f64) {
        for (state, now) in self.state.iter_mut().zip(&self.now) {
            for which in 0..2 {
                state[which][..3].copy_from_slice(&now[which]);
                self.squares[which] += h * now[which][0].powi(2);
            }
        }
    }
}

/// What pushes the modes of a body while it moves, and oscillators that feel it.
#[derive(Default)]
pub struct Shadow<const D: usize> {
    /// M φ of each mode
    loads: Vec<Vec<Vect<D>>>,
    /// what is predicted
    pub oscillators: Option<Oscillators>,
    /// what was felt, where it is to be kept for later
    pub heard: Option<Vec<Push>>,
}

impl<const D: usize> Shadow<D> {
    /// Of modes of a body, whose shapes have unit mass.
    pub fn new<'m>(body: &Body<D>, shapes: impl Iterator<Item = &'m Vec<Vect<D>>>) -> Self {
        let load = |shape: &Vec<Vect<D>>| {
            let mut out = shape.clone();
            body.mass.times(shape, &mut out);
            out
        };
        Self { loads: shapes.map(load).collect(), ..Self::default() }
    }

    /// What the oscillators predict.
    pub fn ratio(&self) -> Option<f64> {
        self.oscillators.as_ref()?.ratio()
    }

    pub(crate) fn reset(&mut self) {
        if let Some(oscillators) = &mut self.oscillators {
            oscillators.squares = [0.0; 2];
        }
    }

    /// Vertices are accelerated like this, in frames R that have turned with the flesh since its rest: so have its modes.
    pub(crate) fn enter(&mut self, k: usize, stage: &Stage, t: f64, acceleration: &[Vect<D>], R: &[Mat<D>]) {
        if self.oscillators.is_none() && self.heard.is_none() {
            return;
        }
        let push = |load: &Vec<Vect<D>>| {
            load.iter().zip(acceleration.iter().zip(R)).map(|(l, (a, R))| l.dot(&R.tr_mul(a))).sum()
        };
        let each: Vec<f64> = self.loads.iter().map(push).collect();
        if let Some(oscillators) = &mut self.oscillators {
            oscillators.feel(stage, t, &each);
        }
        if let Some(heard) = &mut self.heard {
            // a step that is tried again starts from the last one that was left
            while k == 0 && heard.last().is_some_and(|push| push.step.is_none()) {
                heard.pop();
            }
            heard.push(Push { stage: *stage, t, step: None, each });
        }
    }

    pub(crate) fn leave(&mut self, h: f64) {
        if let Some(oscillators) = &mut self.oscillators {
            oscillators.leave(h);
        }
        if let Some(last) = self.heard.as_mut().and_then(|heard| heard.last_mut()) {
            last.step = Some(h);
        }
    }

    pub(crate) fn save(&self) -> Vec<f64> {
        let Some(o) = &self.oscillators else { return vec![] };
        o.squares.into_iter().chain(o.state.iter().flatten().flatten().copied()).collect()
    }

    pub(crate) fn load(&mut self, saved: &[f64]) {
        let Some(o) = &mut self.oscillators else { return };
        o.squares = [saved[0], saved[1]];
        let numbers = o.state.iter_mut().flatten().flatten();
        numbers.zip(&saved[2..]).for_each(|(to, from)| *to = *from);
    }
}
