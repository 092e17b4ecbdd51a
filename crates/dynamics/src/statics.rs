//! The shape of a body without dynamics, over and over while it is driven: γ ∂U/∂x = μ M g + f.
//!
//! Where the pins have moved rigidly and the loads with them, the shape moves along and nothing is solved. Elsewhere it starts from where
//! the shapes before lead, and a factorization serves until it leads there too slowly.

use math::{Mat, Small, Vect};

use crate::forces::{Balance, Problem, Scratch, mean_square};
use crate::lessons::Lessons;
use crate::past::{Dated, Past};
use crate::stage::Stage;
use crate::system::System;
use crate::{Body, Cause, Drive, Newton, Report, Scales, StepError};

/// Finds static shapes.
pub struct Statics<'a, const D: usize> {
    /// how well they are solved
    pub newton: Newton,
    system: System<'a, D>,
    scratch: Scratch<D>,
    now: Load<D>,
    /// a load whose shape is known
    known: Option<(Load<D>, Vec<Vect<D>>)>,
    past: Past<D>,
    /// the factor is of the stiffness at this time and place
    factored: Option<Dated<D>>,
    t: f64,
    before: Vec<Vect<D>>,
    x: Vec<Vect<D>>,
}

/// All that a static shape depends on.
#[derive(Clone, Default)]
struct Load<const D: usize> {
    t: f64,
    pins: Vec<Vect<D>>,
    rows: Vec<f64>,
    external: Vec<Vect<D>>,
    /// γ of each term, its mean taken out
    stiffness: Vec<f64>,
}

/// What a static shape took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Settled {
    /// shapes that were solved for
    pub solved: usize,
    /// shapes that were a known one, moved
    pub moved: usize,
    /// factorizations
    pub factorizations: usize,
    /// solutions with a factorization that was there
    pub solves: usize,
}

impl Settled {
    /// Adds what another took.
    pub fn add(&mut self, other: &Self) {
        self.solved += other.solved;
        self.moved += other.moved;
        self.factorizations += other.factorizations;
        self.solves += other.solves;
    }
}

/// With an old factorization each step must be shorter than the one before by this, or a new one is made.
const SLOW: f64 = 0.7;
/// With a new one it must not be longer than this.
const STUCK: f64 = 2.0;
/// A step has gone too far where the forces along it push back with more than this share of what pushed on.
const TOO_FAR: f64 = 0.5;
/// How well rows must hold, see [`System::gaps`].
const GAP: f64 = 1e-11;
/// How often one is used for a shape.
const CHORDS: usize = 16;
/// How exact a rigid motion is, relative to the positions.
const RIGID: f64 = 1e-12;

impl<'a, const D: usize> Statics<'a, D>
where
    Mat<D>: Small<D>,
{
    /// Prepares a body.
    pub fn new(body: &'a Body<D>) -> Self {
        let system = System::new(body);
        let scratch = Scratch::new(&system);
        let zeros = || vec![Vect::zeros(); body.rest.len()];
        let now = Load {
            t: 0.0,
            pins: vec![Vect::zeros(); body.pins.len()],
            rows: vec![0.0; body.rows.len()],
            external: zeros(),
            stiffness: vec![],
        };
        let newton = Newton { tolerance: 1e-7, ..Newton::default() };
        Self {
            newton,
            scratch,
            now,
            known: None,
            past: Past::default(),
            factored: None,
            t: 0.0,
            before: zeros(),
            x: zeros(),
            system,
        }
    }

    /// lack ← γ ∂U/∂x − μ M g − f at the free vertices of x, at time t of the drive [N]; 0 at pins.
    pub fn lack(&mut self, drive: &dyn Drive<D>, t: f64, scales: &Scales, x: &[Vect<D>], lack: &mut Vec<Vect<D>>) {
        self.load(drive, t, scales);
        self.balance(x);
        let mean = Scales::mean(&scales.stiffness);
        lack.clear();
        lack.resize(x.len(), Vect::zeros());
        for (r, &v) in self.scratch.residual.iter().zip(&self.system.free) {
            lack[v as usize] = mean * r;
        }
    }

    /// Forgets what shapes came before: the drive is somewhere else.
    pub fn forget(&mut self) {
        self.past.clear();
    }

    /// x ← the static shape at time t of the drive. What is in x is a guess for the first one.
    pub fn shape(
        &mut self,
        drive: &dyn Drive<D>,
        t: f64,
        scales: &Scales,
        x: &mut [Vect<D>],
    ) -> Result<Settled, StepError> {
        if self.system.adrift.is_some() {
            return Err(StepError { worst_vertex: self.system.adrift, ..StepError::timeless(Cause::Adrift) });
        }
        self.load(drive, t, scales);
        let mut took = Settled::default();
        if self.known.is_none() && self.rest_is_known() {
            let body = self.system.body;
            let rest = Load {
                t: f64::NEG_INFINITY,
                pins: body.pins.iter().map(|&v| body.rest[v as usize]).collect(),
                rows: body.rows.iter().map(|row| math::rows::apply(row, &body.rest)).collect(),
                ..self.now.clone()
            };
            self.known = Some((rest, body.rest.clone()));
        }
        if let Some((R, t)) = self.motion_of_known()
            && let Some((_, shape)) = &self.known
        {
            x.iter_mut().zip(shape).for_each(|(x, known)| *x = R * known + t);
            took.moved = 1;
        } else {
            self.past.lead(drive, t, self.newton.step == 0.0, x);
            self.solve(x, &mut took)?;
            took.solved = 1;
            self.known = Some((self.now.clone(), x.to_vec()));
        }
        self.past.push(drive, t, x);
        Ok(took)
    }

    fn load(&mut self, drive: &dyn Drive<D>, t: f64, scales: &Scales) {
        self.t = t;
        let Load { t: when, pins, rows, external, stiffness } = &mut self.now;
        *when = t;
        self.system.load(drive, t, &scales.gravity, external);
        // a common factor of all stiffness is the same as its inverse on all loads
        let mean = Scales::mean(&scales.stiffness);
        stiffness.clear();
        stiffness.extend(scales.stiffness.iter().map(|s| s / mean));
        if stiffness.iter().all(|s| (s - 1.0).abs() < 1e-14) {
            stiffness.clear();
        }
        external.iter_mut().for_each(|f| *f /= mean);
        if self.system.follow(drive, t) {
            self.factored = None; // it was prepared for other rows
        }
        rows.resize(self.system.all_rows.len(), 0.0);
        drive.pins(t, pins);
        drive.rows(t, rows);
        self.system.assembly.set_scale(stiffness);
    }

    /// Whether the rest shape is without forces, and nothing pulls.
    fn rest_is_known(&mut self) -> bool {
        if self.now.external.iter().any(|f| f.amax() != 0.0) {
            return false;
        }
        let System { assembly, energies, body, .. } = &mut self.system;
        assembly.gradient(energies, &body.rest, &mut self.x);
        let size = |x: &[Vect<D>]| x.iter().map(|f| f.norm_squared()).sum::<f64>().sqrt();
        let at_rest = size(&self.x);
        // what forces a stretch of a hundredth gives
        let stretched: Vec<Vect<D>> = body.rest.iter().map(|X| 1.01 * X).collect();
        assembly.gradient(energies, &stretched, &mut self.x);
        at_rest <= 1e-10 * assembly.force_size()
    }

    /// The rigid motion x ↦ R x + t that takes the known load to the one now, if there is one.
    fn motion_of_known(&self) -> Option<(Mat<D>, Vect<D>)> {
        let (known, _) = self.known.as_ref()?;
        let now = &self.now;
        let size = now.pins.iter().chain(&known.pins).map(|x| x.amax()).fold(0.0, f64::max);
        if known.pins.is_empty() || known.stiffness != now.stiffness {
            return None;
        }
        let centre = |x: &[Vect<D>]| x.iter().sum::<Vect<D>>() / x.len() as f64;
        let (from, to) = (centre(&known.pins), centre(&now.pins));
        let fits = |R: &Mat<D>| {
            let off = |(a, b): (&Vect<D>, &Vect<D>)| (R * (a - from) + to - b).amax();
            known.pins.iter().zip(&now.pins).map(off).fold(0.0, f64::max) <= RIGID * size
        };
        let still = (from - to).amax() == 0.0;
        if !known.rows.is_empty() && (known.rows != now.rows || !still) {
            return None;
        }
        let mut R = Mat::identity();
        if !fits(&R) {
            if !known.rows.is_empty() || !self.system.energies.iter().all(|e| e.is_objective()) {
                return None;
            }
            let mut spread = Mat::zeros();
            for (a, b) in known.pins.iter().zip(&now.pins) {
                spread += (b - to) * (a - from).transpose();
            }
            let svd = spread.signed_svd();
            R = svd.U * svd.V.transpose();
            if !(svd.sigma[D - 2] > 1e-9 * svd.sigma[0]) || !fits(&R) {
                return None;
            }
        }
        let load = now.external.iter().map(|f| f.amax()).fold(0.0, f64::max);
        let off = |(a, b): (&Vect<D>, &Vect<D>)| (R * a - b).amax();
        let pulled = known.external.iter().zip(&now.external).map(off).fold(0.0, f64::max);
        (pulled <= RIGID * load).then(|| (R, to - R * from))
    }

    fn solve(&mut self, x: &mut [Vect<D>], took: &mut Settled) -> Result<(), StepError> {
        for (pin, &v) in self.now.pins.iter().zip(&self.system.body.pins) {
            x[v as usize] = *pin;
        }
        self.before.copy_from_slice(x);
        if self.chords(x, took) {
            return Ok(());
        }
        let mut report = Report::default();
        let problem = problem(&self.now);
        let result = self.newton.solve(&mut self.system, &mut self.scratch, &problem, x, &mut report);
        took.factorizations += report.iterations;
        self.factored = None;
        result.map_err(|cause| StepError {
            time: None,
            cause,
            worst_vertex: self.scratch.worst_vertex(&self.system),
        })?;
        if x.iter().any(|x| !x.sum().is_finite()) {
            return Err(StepError::timeless(Cause::NotFinite));
        }
        Ok(())
    }

    /// Steps with a factorization that is there, and with a new one where that is slow; false where that does not lead to balance, and x is as near as
    /// it came, or as it was where it went astray. What the steps show of the stiffness mends the old factorization on the way (L-BFGS).
    fn chords(&mut self, x: &mut [Vect<D>], took: &mut Settled) -> bool {
        if self.past.is_empty() {
            return false; // nothing is near by
        }
        let astray = |before: &[Vect<D>], x: &mut [Vect<D>]| {
            x.copy_from_slice(before);
            false
        };
        let (mut fresh, mut closed, mut before) = (false, false, f64::MAX);
        let mut lessons = Lessons::new(CHORDS);
        for _ in 0..CHORDS {
            let mut balance = self.balance(x);
            // a step that closed a gap of the rows stays
            if closed && let Some(back) = lessons.overshot(&self.scratch.residual, TOO_FAR) {
                self.advance(&back, x);
                balance = self.balance(x);
            }
            if !balance.residual.is_finite() {
                return astray(&self.before, x);
            }
            closed = self.system.gaps(&self.now.rows, x, &mut self.scratch.violation) <= GAP;
            if closed && balance.residual <= self.newton.tolerance * balance.forces {
                return true;
            }
            let residual = self.scratch.residual.clone();
            lessons.arrived(&residual);
            let mut step = self.factored.is_some().then(|| self.step(&lessons, took));
            if fresh && step.as_ref().is_some_and(|step| length(step) > STUCK * before) {
                return astray(&self.before, x);
            }
            let bar = (SLOW * before).max(self.newton.step);
            if !fresh && !step.as_ref().is_some_and(|step| length(step) <= bar) {
                (fresh, took.factorizations) = (true, took.factorizations + 1);
                if !self.factorize(x) {
                    return astray(&self.before, x);
                }
                lessons.clear();
                step = None;
            }
            let step = step.unwrap_or_else(|| self.step(&lessons, took));
            self.advance(&step, x);
            before = length(&step);
            if closed && before <= self.newton.step {
                return true;
            }
            lessons.stepped(step, residual);
        }
        false
    }

    fn balance(&mut self, x: &[Vect<D>]) -> Balance {
        problem(&self.now).balance(&mut self.system, &mut self.scratch, x, &mut Report::default())
    }

    /// The step from the last balance, with the factorization that is there.
    fn step(&mut self, lessons: &Lessons<D>, took: &mut Settled) -> Vec<Vect<D>> {
        took.solves += 1;
        let mut step: Vec<Vect<D>> = self.scratch.residual.iter().map(|r| -r).collect();
        lessons.solve(&mut step, |p| self.system.solve(p, &self.scratch.violation));
        step
    }

    /// x ← x + step, which is on the unknowns.
    fn advance(&self, step: &[Vect<D>], x: &mut [Vect<D>]) {
        for (p, &v) in step.iter().zip(&self.system.free) {
            x[v as usize] += p;
        }
    }

    /// Factors the stiffness at x, made positive in every element, and says whether that could be done. The exact one is
    /// often not positive where flesh is squeezed, and what the steps show mends this one.
    fn factorize(&mut self, x: &[Vect<D>]) -> bool {
        let System { assembly, energies, matrix, .. } = &mut self.system;
        assembly.tangents(energies, x, true);
        assembly.fill(matrix, 0.0, 1.0);
        let diagonal = self.system.mean_diagonal();
        self.system.stiffen_rows(diagonal);
        if !self.system.held {
            self.system.shift(1e-7 * diagonal);
        }
        let done = self.system.factorize().is_ok();
        self.factored = done.then(|| (self.t, x.to_vec()));
        done
    }

    /// All that the next shapes depend on besides the drive: (time, shape) of the last ones, of the known one and of the
    /// factorization. [`Self::restore`] goes on from it to the same bits.
    pub fn memory(&self) -> Memory<D> {
        let known = self.known.as_ref().map(|(load, x)| (load.t, x.clone()));
        Memory { past: self.past.shapes().to_vec(), known, factored: self.factored.clone() }
    }

    /// Takes these for the last shapes.
    pub fn set_past(&mut self, drive: &dyn Drive<D>, past: Vec<Dated<D>>) {
        self.forget();
        past.iter().for_each(|(t, x)| self.past.push(drive, *t, x));
    }

    /// Goes on from a memory. `scales` says the factors at a time.
    pub fn restore(&mut self, memory: Memory<D>, drive: &dyn Drive<D>, scales: &mut dyn FnMut(f64) -> Scales) {
        if let Some((t, x)) = memory.factored {
            self.load(drive, t, &scales(t));
            self.factorize(&x);
        }
        if let Some((t, x)) = memory.known.filter(|(t, _)| t.is_finite()) {
            self.load(drive, t, &scales(t));
            self.known = Some((self.now.clone(), x));
        }
        self.set_past(drive, memory.past);
    }
}

/// What [`Statics`] go on from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Memory<const D: usize> {
    /// the last shapes, at most three
    pub past: Vec<Dated<D>>,
    /// a shape that others may be, moved; at −∞ it is the rest shape
    pub known: Option<Dated<D>>,
    /// where the stiffness was factored
    pub factored: Option<Dated<D>>,
}

fn problem<const D: usize>(load: &Load<D>) -> Problem<'_, D> {
    let Load { external, rows, .. } = load;
    Problem { stage: Stage::STATIC, velocity: &[], acceleration: &[], external, rows, ride: None }
}

/// How far a step moves the vertices, on average [m].
fn length<const D: usize>(step: &[Vect<D>]) -> f64 {
    mean_square(step).sqrt()
}
