//! Adjusted dynamics [WZB20]: the body rides on its own static shape, and each dial is a factor on a term of its equation.

use std::time::Instant;

use dynamics::{
    Body, Derivatives, Drive, Frames, Memory, Newton, Ride, Scales, Settled, Stage, State, Statics, StepError, Teleport,
};
use math::{Mat, Small, Vect};
use mesh::Mesh;
use rayon::prelude::*;

use crate::carried::{Carried, Prepared};
use crate::shadow::Shadow;
use crate::turning::LOT;

/// Which equation is solved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// In d = x − p, with the integrator's own differences of p and damping relative to the frames. It only looks back, so
    /// it also serves motion that is made while it is simulated.
    #[default]
    Relative,
    /// The same, but inertia and frames from five static shapes around each time: smoother, and it looks ahead.
    FivePoint,
    /// As Eq. 17 and 21 are printed: five-point differences, damping of the whole velocity. Amplitude 0 does not stop the
    /// motion with it (METHODS A10, A11); it is here for comparison.
    Printed,
}

/// What riding took.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Took {
    /// static shapes
    pub settled: Settled,
    /// static shapes that could not be found, where the last one was carried along instead
    pub failed: usize,
    /// for static shapes [s]
    pub static_seconds: f64,
    /// for frames [s]
    pub frame_seconds: f64,
}

/// The factors at a time [s].
pub type Factors<'a> = Box<dyn Fn(f64, &mut Scales) + Sync + 'a>;

/// A body that rides on its static shape.
pub struct Adjusted<'a, const D: usize> {
    /// which equation is solved
    pub form: Form,
    /// what it took so far
    pub took: Took,
    /// M φ of shapes whose share in d is sampled at every step
    pub watched: Vec<Vec<Vect<D>>>,
    /// (time, φᵀ M Rᵀ d of each)
    pub samples: Vec<(f64, Vec<f64>)>,
    /// small oscillators that feel what the body feels, to predict amplitudes
    pub shadow: Shadow<D>,
    body: &'a Body<D>,
    statics: Statics<'a, D>,
    carried: Carried<D>,
    factors: Factors<'a>,
    /// p, p′ and p″ at the start of the step
    start: State<D>,
    /// p and p′ at the end of its first stage
    middle: [Vec<Vect<D>>; 2],
    /// p′ and p″ at the end of the stage under way
    motion: [Vec<Vect<D>>; 2],
    constants: [Vec<Vect<D>>; 2],
    frames: Frames<D>,
    scales: Scales,
    /// when the stage under way ends [s]
    t: f64,
    /// x − p at the end of the last stage
    offset: Vec<Vect<D>>,
    guess: Vec<Vect<D>>,
    /// Σ h ⟨M d, d⟩ since it was set to 0, and the same with the squares of `weights`
    squares: [f64; 2],
    /// what offsets are multiplied by in the second sum, at a time and vertex
    weights: Option<Weights<'a>>,
}

/// A number for each vertex at a time [s].
pub type Weights<'a> = Box<dyn Fn(f64, usize) -> f64 + Sync + 'a>;

impl<'a, const D: usize> Adjusted<'a, D>
where
    Mat<D>: Small<D>,
{
    /// Prepares a body of this mesh with these factors.
    pub fn new(body: &'a Body<D>, mesh: &Mesh<D>, factors: Factors<'a>) -> Self {
        Self::riding(body, mesh, Some(factors))
    }

    /// The same without factors: the motion as it is, which takes less.
    pub fn plain(body: &'a Body<D>, mesh: &Mesh<D>) -> Self {
        Self::riding(body, mesh, None)
    }

    fn riding(body: &'a Body<D>, mesh: &Mesh<D>, factors: Option<Factors<'a>>) -> Self {
        let n = body.rest.len();
        let zeros = || vec![Vect::zeros(); n];
        Self {
            form: Form::default(),
            took: Took::default(),
            watched: vec![],
            samples: vec![],
            shadow: Shadow::default(),
            statics: Statics::new(body),
            carried: Carried::new(mesh, &body.pins, factors.is_none()),
            body,
            factors: factors.unwrap_or_else(|| Box::new(|_, _| ())),
            start: State { t: 0.0, x: zeros(), v: zeros(), a: zeros() },
            middle: [zeros(), zeros()],
            motion: [zeros(), zeros()],
            constants: [zeros(), zeros()],
            frames: Frames::new(n),
            scales: Scales::default(),
            t: 0.0,
            offset: zeros(),
            guess: zeros(),
            squares: [0.0; 2],
            weights: None,
        }
    }

    /// Also sums up d multiplied by these.
    pub fn with_weights(mut self, weights: Weights<'a>) -> Self {
        self.weights = Some(weights);
        self
    }

    /// How well static shapes are solved: forces relative to those of the scene, or until they move no more than a step [m].
    pub fn set_tolerance(&mut self, forces: f64, step: f64) {
        self.statics.newton = Newton { tolerance: forces, step, ..self.statics.newton };
    }

    /// Starts at time t on the static shape there, which moves with these velocities. x holds a guess of it, and gets it, if there
    /// is one.
    pub fn start(&mut self, drive: &dyn Drive<D>, t: f64, x: &mut [Vect<D>], v: &[Vect<D>]) {
        (self.factors)(t, &mut self.scales);
        (self.t, self.start.t) = (t, t);
        self.start.x.copy_from_slice(x);
        self.shape(drive, t, x);
        self.start.x.copy_from_slice(x);
        self.start.v.copy_from_slice(v);
        self.start.a.fill(Vect::zeros());
        self.offset.fill(Vect::zeros());
        self.carried.start(x);
    }

    /// How far the flesh turned in a step, as it is felt where more than all of it is [rad]: steps are too long for more than one.
    pub fn felt_turn(&self) -> f64 {
        self.carried.felt
    }

    /// The static shape at the last step that was left.
    pub fn motion(&self) -> &State<D> {
        &self.start
    }

    /// Inertial amplitude [WZB20, eq. 5] since the start or [`Self::reset`]: √(Σ h ⟨M d, d⟩ / m) [m √s], and the same for d
    /// multiplied by the weights.
    pub fn amplitude(&self) -> [f64; 2] {
        self.squares.map(|sum| (sum / self.body.mass.total()).sqrt())
    }

    /// Measures amplitude from now on.
    pub fn reset(&mut self) {
        self.squares = [0.0; 2];
        self.shadow.reset();
    }

    /// All that the next steps depend on besides drive and factors, as numbers. [`Self::restore`] goes on to the same bits.
    pub fn save(&self) -> Vec<f64> {
        let mut out = vec![];
        let mut put = |t: f64, x: &[Vect<D>]| {
            out.push(t);
            out.extend(x.iter().flat_map(|x| x.iter().copied()));
        };
        put(self.start.t, &self.start.x);
        put(self.squares[0], &self.start.v);
        put(self.squares[1], &self.start.a);
        let memory = self.statics.memory();
        for k in 0..3 {
            match memory.past.get(k) {
                Some((t, x)) => put(*t, x),
                None => put(f64::NAN, &self.guess),
            }
        }
        for dated in [&memory.known, &memory.factored] {
            match dated {
                Some((t, x)) => put(*t, x),
                None => put(f64::NAN, &self.guess),
            }
        }
        out.extend(self.carried.save());
        out.extend(self.shadow.save());
        out
    }

    /// Goes on from what was saved; false, and nothing is changed, where it is not of this body.
    pub fn restore(&mut self, drive: &dyn Drive<D>, saved: &[f64]) -> bool {
        let stride = 1 + D * self.body.rest.len();
        let shadow = 8 * stride + self.carried.saved_len();
        if saved.len() != shadow + self.shadow.save().len() {
            return false;
        }
        let get = |k: usize| -> (f64, Vec<Vect<D>>) {
            let list = &saved[k * stride..(k + 1) * stride];
            (list[0], list[1..].chunks_exact(D).map(Vect::from_column_slice).collect())
        };
        let some = |k: usize| Some(get(k)).filter(|(t, _)| !t.is_nan());
        let ((t, p), (one, v), (two, a)) = (get(0), get(1), get(2));
        self.start = State { t, x: p, v, a };
        self.squares = [one, two];
        self.offset = self.carried.restore(&self.start.x, &saved[8 * stride..shadow]);
        let memory = Memory { past: (3..6).filter_map(some).collect(), known: some(6), factored: some(7) };
        let factors = &self.factors;
        self.statics.restore(memory, drive, &mut |t| {
            let mut scales = Scales::default();
            factors(t, &mut scales);
            scales
        });
        self.shadow.load(&saved[shadow..]);
        true
    }

    /// p ← the static shape at a time; where there is none, the last one, carried along. True where it is a known one, moved.
    fn shape(&mut self, drive: &dyn Drive<D>, t: f64, p: &mut [Vect<D>]) -> bool {
        let clock = Instant::now();
        let mut scales = std::mem::take(&mut self.scales);
        if t != self.t {
            (self.factors)(t, &mut scales);
        }
        let mut moved = false;
        match self.statics.shape(drive, t, &scales, p) {
            Ok(settled) => {
                self.took.settled.add(&settled);
                moved = settled.moved > 0;
            }
            Err(_) => {
                p.copy_from_slice(&self.start.x);
                drive.carry(self.start.t, t, p);
                let mut pins = vec![Vect::zeros(); self.body.pins.len()];
                drive.pins(t, &mut pins);
                pins.iter().zip(&self.body.pins).for_each(|(x, &v)| p[v as usize] = *x);
                self.took.failed += 1;
                self.statics.forget();
            }
        }
        if t != self.t {
            (self.factors)(self.t, &mut scales);
        }
        self.scales = scales;
        self.took.static_seconds += clock.elapsed().as_secs_f64();
        moved
    }

    /// p′ and p″ from five static shapes, `step` apart.
    fn five_point(&mut self, drive: &dyn Drive<D>, step: f64) -> [Vec<Vect<D>>; 2] {
        let (t, now) = (self.t, self.frames.p.clone());
        let memory = self.statics.memory();
        let [a, b, c, d] = [-2.0, -1.0, 1.0, 2.0].map(|k| {
            let mut p = now.clone();
            self.shape(drive, t + k * step, &mut p);
            p
        });
        self.statics.set_past(drive, memory.past);
        let first = |i: usize| (a[i] - 8.0 * b[i] + 8.0 * c[i] - d[i]) / (12.0 * step);
        let second = |i: usize| (16.0 * (b[i] + c[i]) - a[i] - d[i] - 30.0 * now[i]) / (12.0 * step * step);
        [(0..now.len()).map(first).collect(), (0..now.len()).map(second).collect()]
    }
}

impl<const D: usize> Ride<D> for Adjusted<'_, D>
where
    Mat<D>: Small<D>,
{
    fn enter(
        &mut self,
        k: usize,
        stage: &Stage,
        [c_v, c_a]: [&[Vect<D>]; 2],
        drive: &dyn Drive<D>,
        t: f64,
    ) -> Result<(), StepError> {
        self.t = t;
        (self.factors)(t, &mut self.scales);
        let mut p = std::mem::take(&mut self.frames.p);
        p.copy_from_slice(if k == 0 { &self.start.x } else { &self.middle[0] });
        let moved = self.shape(drive, t, &mut p);
        self.frames.p = p;
        let clock = Instant::now();
        if moved || self.scales.inertia.is_empty() || self.form == Form::Printed {
            self.frames.lack.clear();
        } else {
            self.statics.lack(drive, t, &self.scales, &self.frames.p, &mut self.frames.lack);
        }
        self.took.static_seconds += clock.elapsed().as_secs_f64();

        let [velocity, acceleration] = &mut self.constants;
        let State { x: p, v, a, .. } = &self.start;
        stage.constants([p, v, a, &self.middle[0], &self.middle[1]], velocity, acceleration);
        let (p, [p1, p2]) = (&self.frames.p, &mut self.motion);
        for i in 0..p.len() {
            p1[i] = stage.alpha * p[i] + velocity[i];
            p2[i] = stage.beta * p[i] + acceleration[i];
        }
        let clock = Instant::now();
        let epsilon = &self.scales.inertia;
        let Frames { p, v, a, spin, .. } = &mut self.frames;
        let (p, p2) = (&*p, &*p2);
        let lots = v.par_chunks_mut(LOT).zip(self.guess.par_chunks_mut(LOT));
        // x′ − R e′ and x″ − (ε p″ + y″), where d = x − p is αd and βd beside its past for all
        let moved = |i: usize, at: &Prepared<D>| (stage.alpha * p[i] + c_v[i] - at.velocity, at.guess + p[i]);
        if epsilon.is_empty() {
            spin.clear();
            a.fill(Vect::zeros());
            self.carried.enter(k, stage, p, epsilon, lots, |[i, place], at, (v, guess)| {
                (v[place], guess[place]) = moved(i, &at);
            });
        } else {
            spin.resize(p.len(), Mat::zeros());
            let lots = lots.zip(a.par_chunks_mut(LOT)).zip(spin.par_chunks_mut(LOT));
            self.carried.enter(k, stage, p, epsilon, lots, |[i, place], at, (((v, guess), a), spin)| {
                (v[place], guess[place]) = moved(i, &at);
                a[place] = stage.beta * p[i] + c_a[i] - epsilon[i] * p2[i] - at.acceleration;
                spin[place] = at.spin;
            });
        }
        self.took.frame_seconds += clock.elapsed().as_secs_f64();
        if self.form != Form::Relative {
            // the distance of the stages: static shapes are shared between them
            let step = if k == 0 { t - self.start.t } else { 0.5 * (t - self.start.t) };
            let [v, a] = self.five_point(drive, step);
            let f = &mut self.frames;
            let mut turn = vec![Mat::zeros(); a.len()];
            let mut bend = turn.clone();
            self.carried.gradients().turning([&f.p, &v, &a], &mut turn, &mut bend);
            f.derivatives = Some(Derivatives { felt: a.clone(), turn, bend });
            f.absolute_damping = self.form == Form::Printed;
            (f.v, f.a) = if f.absolute_damping { (v, a) } else { (self.motion[0].clone(), self.motion[1].clone()) };
        }
        let felt = self.frames.derivatives.as_ref().map_or(&self.motion[1], |rates| &rates.felt);
        self.shadow.enter(k, stage, t, felt, self.carried.rotations());
        Ok(())
    }

    fn solved(&mut self, x: &[Vect<D>]) {
        let [p, v] = &mut self.middle;
        p.copy_from_slice(&self.frames.p);
        v.copy_from_slice(&self.motion[0]);
        self.offset.iter_mut().zip(x.iter().zip(p)).for_each(|(d, (x, p))| *d = x - *p);
        let clock = Instant::now();
        self.carried.solved(&self.offset);
        self.took.frame_seconds += clock.elapsed().as_secs_f64();
    }

    fn leave(&mut self) {
        let h = self.t - self.start.t;
        self.start.t = self.t;
        self.start.x.copy_from_slice(&self.frames.p);
        self.start.v.copy_from_slice(&self.motion[0]);
        self.start.a.copy_from_slice(&self.motion[1]);
        self.squares[0] += h * self.body.mass.product(&self.offset, &self.offset);
        if let Some(weights) = &self.weights {
            for (i, d) in self.guess.iter_mut().enumerate() {
                *d = weights(self.t, i) * self.offset[i];
            }
            self.squares[1] += h * self.body.mass.product(&self.guess, &self.guess);
        }
        self.shadow.leave(h);
        if !self.watched.is_empty() {
            // shapes turn along with the flesh
            let turned: Vec<Vect<D>> =
                self.offset.iter().zip(self.carried.rotations()).map(|(d, R)| R.tr_mul(d)).collect();
            let share = |load: &Vec<Vect<D>>| load.iter().zip(&turned).map(|(l, d)| l.dot(d)).sum();
            self.samples.push((self.t, self.watched.iter().map(share).collect()));
        }
        let clock = Instant::now();
        self.carried.leave();
        self.took.frame_seconds += clock.elapsed().as_secs_f64();
    }

    fn frames(&self) -> &Frames<D> {
        &self.frames
    }

    fn scales(&self) -> &Scales {
        &self.scales
    }

    fn guess(&self) -> Option<&[Vect<D>]> {
        Some(&self.guess)
    }

    fn teleport(
        &mut self,
        drive: &dyn Drive<D>,
        jump: &Teleport<'_, D>,
        state: &mut State<D>,
    ) -> Result<(), StepError> {
        let Teleport { x, v, turn } = jump;
        self.statics.forget();
        (self.t, self.start.t) = (state.t, state.t);
        (self.factors)(self.t, &mut self.scales);
        let before = self.start.clone();
        let mut p = std::mem::take(&mut self.frames.p);
        for i in 0..p.len() {
            p[i] = x[1][i] + turn * (before.x[i] - x[0][i]);
        }
        self.shape(drive, state.t, &mut p);
        self.start.x.copy_from_slice(&p);
        self.frames.p = p;
        for i in 0..before.v.len() {
            self.offset[i] = turn * (state.x[i] - before.x[i]);
            self.start.v[i] = v[1][i] + turn * (before.v[i] - v[0][i]);
            self.start.a[i] = turn * before.a[i];
            state.x[i] = self.start.x[i] + self.offset[i];
            state.v[i] = self.start.v[i] + turn * (state.v[i] - before.v[i]);
            state.a[i] = turn * state.a[i];
        }
        self.carried.teleport(&self.start.x, turn, &self.offset);
        Ok(())
    }
}
