//! The shape of a body without dynamics, over and over while it is driven: γ ∂U/∂x = μ M g + f.
//!
//! Where the pins have moved rigidly and the loads with them, the shape moves along and nothing is solved. Elsewhere it starts from where
//! the shapes before lead, and a factorization serves until it leads there too slowly.

use math::{Mat, Small, Vect};

use crate::forces::{Problem, Scratch, mean_square};
use crate::lessons::Lessons;
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
    /// the last shapes that were found, and when
    past: Vec<Dated<D>>,
    /// where the drive alone would have all vertices then; empty where it does not say
    followed: Vec<Vec<Vect<D>>>,
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

/// An old factorization must reduce the forces left over to this share, or a new one is made.
const SLOW: f64 = 0.7;
/// With a new one they must not grow by more than this.
const STUCK: f64 = 2.0;
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
            past: vec![],
            followed: vec![],
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
        problem(&self.now).balance(&mut self.system, &mut self.scratch, x, &mut Report::default());
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
        self.followed.clear();
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
            self.extrapolate(drive, t, x);
            self.solve(x, &mut took)?;
            took.solved = 1;
            self.known = Some((self.now.clone(), x.to_vec()));
        }
        if self.past.len() == 3 {
            self.past.remove(0);
            self.followed.remove(0);
        }
        self.push(drive, t, x);
        Ok(took)
    }

    fn push(&mut self, drive: &dyn Drive<D>, t: f64, x: &[Vect<D>]) {
        self.past.push((t, x.to_vec()));
        let mut all = x.to_vec();
        self.followed.push(if drive.everything(t, &mut all) { all } else { vec![] });
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
        self.system.follow(drive, t);
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

    /// How many shapes before are looked at: errors of inexact ones would grow in a parabola.
    fn order(&self) -> usize {
        if self.newton.step > 0.0 { 2 } else { 3 }
    }

    /// x ← where the shapes before lead: the line or parabola through how far they are from what the drive alone would do.
    fn extrapolate(&self, drive: &dyn Drive<D>, t: f64, x: &mut [Vect<D>]) {
        let (Some((_, last)), Some(followed)) = (self.past.last(), self.followed.last()) else { return };
        let times = || self.past.iter().map(|(t, _)| *t).chain([t]);
        if !times().zip(times().skip(1)).all(|(a, b)| a < b) {
            return x.copy_from_slice(last);
        }
        if followed.is_empty() || !drive.everything(t, x) {
            x.fill(Vect::zeros());
        }
        let first = self.past.len().saturating_sub(self.order());
        for (k, ((tk, shape), followed)) in self.past.iter().zip(&self.followed).enumerate().skip(first) {
            let others = self.past.iter().enumerate().skip(first).filter(|(j, _)| *j != k);
            let weight: f64 = others.map(|(_, (tj, _))| (t - tj) / (tk - tj)).product();
            x.iter_mut().zip(shape).for_each(|(x, p)| *x += weight * p);
            x.iter_mut().zip(followed).for_each(|(x, f)| *x -= weight * f);
        }
    }

    fn solve(&mut self, x: &mut [Vect<D>], took: &mut Settled) -> Result<(), StepError> {
        for (pin, &v) in self.now.pins.iter().zip(&self.system.body.pins) {
            x[v as usize] = *pin;
        }
        self.before.copy_from_slice(x);
        if self.chords(x, took) {
            return Ok(());
        }
        x.copy_from_slice(&self.before);
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

    /// Steps with a factorization that is there, and with a new one where that is slow; false where that does not lead to balance. What
    /// the steps show of the stiffness mends the old factorization on the way (L-BFGS).
    fn chords(&mut self, x: &mut [Vect<D>], took: &mut Settled) -> bool {
        if self.past.is_empty() {
            return false; // nothing is near by
        }
        let mut fresh = false;
        let mut before = f64::INFINITY;
        let mut lessons = Lessons::new(CHORDS);
        for _ in 0..CHORDS {
            let balance = problem(&self.now).balance(&mut self.system, &mut self.scratch, x, &mut Report::default());
            let left = balance.residual;
            if !left.is_finite() {
                return false;
            }
            let gap = violation(&mut self.scratch, &self.system, &self.now.rows, x);
            if left <= self.newton.tolerance * balance.forces && gap <= 1e-12 {
                return true;
            }
            if self.factored.is_none() || left > SLOW * before {
                if fresh && left > STUCK * before {
                    return false;
                }
                if !fresh {
                    (fresh, took.factorizations) = (true, took.factorizations + 1);
                    if !self.factorize(x) {
                        return false;
                    }
                    lessons.clear();
                }
            }
            before = left;
            took.solves += 1;
            let s = &mut self.scratch;
            let residual = s.residual.clone();
            lessons.arrived(&residual);
            s.direction.iter_mut().zip(&residual).for_each(|(p, r)| *p = -r);
            lessons.solve(&mut s.direction, |p| self.system.solve(p, &s.violation));
            for (p, &v) in s.direction.iter().zip(&self.system.free) {
                x[v as usize] += p;
            }
            if mean_square(&s.direction).sqrt() <= self.newton.step && gap <= 1e-12 {
                return true;
            }
            lessons.stepped(s.direction.clone(), residual);
        }
        false
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
        Memory { past: self.past.clone(), known, factored: self.factored.clone() }
    }

    /// Takes these for the last shapes.
    pub fn set_past(&mut self, drive: &dyn Drive<D>, past: Vec<Dated<D>>) {
        self.forget();
        past.iter().for_each(|(t, x)| self.push(drive, *t, x));
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

/// A shape and when it was.
type Dated<const D: usize> = (f64, Vec<Vect<D>>);

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

/// By how much each kept row is not fulfilled, into the scratch; returns the most, relative to the positions.
fn violation<const D: usize>(s: &mut Scratch<D>, system: &System<'_, D>, rows: &[f64], x: &[Vect<D>]) -> f64 {
    let size = x.iter().map(|x| x.amax()).fold(f64::MIN_POSITIVE, f64::max);
    let mut most = 0.0f64;
    s.violation.resize(system.kept.len(), 0.0);
    for (d, &k) in s.violation.iter_mut().zip(&system.kept) {
        *d = rows[k] - math::rows::apply(&system.all_rows[k], x);
        most = most.max(d.abs() / size);
    }
    most
}
