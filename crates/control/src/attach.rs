//! Attach: tissue on a core that follows the rig. The core is pinned; all else is left to the tissue.

use std::sync::{Arc, Mutex};

use dynamics::{Drive, Report, Ride, State, StepError, Stepper, Teleport};
use math::{Mat, Row, Small, Vect, rows};

/// An animated rig, as the volume sees it.
pub trait Follow<const D: usize = 3>: Sync {
    /// Where the rig puts all vertices of the volume at time t [s, m].
    fn positions(&self, t: f64, x: &mut [Vect<D>]);
    /// When it teleports [s], ascending: at such a time it is already at the new place, [`JUST_BEFORE`] still at the old one.
    fn jumps(&self) -> &[f64] {
        &[]
    }
    /// Adds what pushes the flesh from outside at time t: forces on all vertices [N].
    fn add_forces(&self, _t: f64, _forces: &mut [Vect<D>]) {}
    /// The rows of the complement at time t, where they change over time.
    fn complement(&self, _t: f64) -> Option<Vec<Row<D>>> {
        None
    }
}

/// How long before a teleport the rig is looked at as it was before it [s].
pub const JUST_BEFORE: f64 = 1e-11;

/// Tissue that is attached to a rig by the vertices of its core. Mass damping slows it relative to the rig, so that a
/// character that walks on is not held back by the air, and steps start from the rig's own motion.
///
/// The rig's accelerations reach the tissue through the core only: a blendshape that moves free vertices has no inertia.
pub struct Attached<F, const D: usize = 3> {
    follow: F,
    pins: Vec<u32>,
    /// rows of the complement, and those of a time, by its bits, where they change
    rows: Vec<Row<D>>,
    conditions: Mutex<Option<(u64, Vec<Row<D>>)>>,
    vertices: usize,
    /// for the velocity of the rig [s]
    step: f64,
    /// between two teleports: from here, to just before there [s]
    window: [f64; 2],
    /// where the rig had all vertices when it was asked last, by the bits of the time
    seen: Mutex<Vec<(u64, Arc<Vec<Vect<D>>>)>>,
}

/// How many poses are remembered: those that one step asks for.
const REMEMBERED: usize = 6;

/// The mass damping [1/s] that halves the amplitude of every vibration in this time [s]; none for a time that is not
/// positive. Amplitudes fall as e^(−d t/2).
pub fn damping_of(half_time: f64) -> f64 {
    if half_time > 0.0 { 2.0 * std::f64::consts::LN_2 / half_time } else { 0.0 }
}

impl<F: Follow<D>, const D: usize> Attached<F, D>
where
    Mat<D>: Small<D>,
{
    /// Attaches a volume of so many vertices by its core, the pins of the [`dynamics::Body`]. The rig's velocity is taken
    /// from its positions `step` [s] before and after; a tenth of a frame is a good choice.
    pub fn new(follow: F, pins: Vec<u32>, vertices: usize, step: f64) -> Self {
        let step = if step > 0.0 && step.is_finite() { step } else { 1e-3 };
        Self {
            follow,
            pins,
            rows: vec![],
            conditions: Mutex::default(),
            vertices,
            step,
            window: [f64::NEG_INFINITY, f64::INFINITY],
            seen: Mutex::default(),
        }
    }

    /// Tissue that the rig holds by rows, which are those of the [`dynamics::Body`], and not by pins.
    pub fn by_rows(follow: F, rows: Vec<Row<D>>, vertices: usize, step: f64) -> Self {
        Self { rows, ..Self::new(follow, vec![], vertices, step) }
    }

    /// The rig.
    pub fn follow(&self) -> &F {
        &self.follow
    }

    /// The rig, given back.
    pub fn into_follow(self) -> F {
        self.follow
    }

    /// Where the rig puts all vertices at time t; at a teleport, after it.
    pub fn rig(&self, t: f64) -> Arc<Vec<Vect<D>>> {
        let t = self.inside(t);
        let mut seen = self.seen.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some((_, x)) = seen.iter().find(|(bits, _)| *bits == t.to_bits()) {
            return x.clone();
        }
        let mut x = vec![Vect::zeros(); self.vertices];
        self.follow.positions(t, &mut x);
        let x = Arc::new(x);
        if seen.len() == REMEMBERED {
            seen.remove(0);
        }
        seen.push((t.to_bits(), x.clone()));
        x
    }

    /// A state that starts with the rig, moving as it does.
    pub fn start(&mut self, stepper: &mut Stepper<'_, D>, t: f64) -> Result<State<D>, StepError> {
        self.look_from(t);
        let (x, mut v) = (self.rig(t).to_vec(), vec![Vect::zeros(); self.vertices]);
        self.velocities(t, &mut v);
        stepper.start(self, t, x, v)
    }

    /// Moves the state forward to a time [s]. At teleports the tissue goes along, as it is and as it moves relative to the rig. Where
    /// a step fails the state stays as it was.
    pub fn advance(
        &mut self,
        stepper: &mut Stepper<'_, D>,
        end: f64,
        state: &mut State<D>,
    ) -> Result<Report, StepError> {
        self.advance_on(stepper, None, end, state)
    }

    /// The same for a body that rides on a shape.
    pub fn advance_on(
        &mut self,
        stepper: &mut Stepper<'_, D>,
        mut ride: Option<&mut dyn Ride<D>>,
        end: f64,
        state: &mut State<D>,
    ) -> Result<Report, StepError> {
        let mut now = state.clone();
        let close = 1e-6 * (end - state.t);
        let mut report = Report::default();
        self.look_from(now.t);
        let jumps = self.follow.jumps().to_vec();
        for jump in jumps.into_iter().filter(|j| *j > state.t && *j <= end) {
            self.window[1] = jump;
            if jump - now.t > close {
                report.add(&stepper.step_on(jump - now.t, self, again(&mut ride), &mut now)?);
            }
            now.t = jump;
            now = self.teleport(stepper, again(&mut ride), &now)?;
        }
        if end - now.t > close {
            report.add(&stepper.step_on(end - now.t, self, ride, &mut now)?);
        }
        now.t = end;
        *state = now;
        Ok(report)
    }

    /// Sees only what the rig does between the teleports around time t.
    pub fn look_from(&mut self, t: f64) {
        let jumps = self.follow.jumps();
        let next = jumps.partition_point(|j| *j <= t);
        let before = next.checked_sub(1).map_or(f64::NEG_INFINITY, |k| jumps[k]);
        self.window = [before, jumps.get(next).copied().unwrap_or(f64::INFINITY)];
    }

    /// The state on the other side of the teleport at its time.
    fn teleport(
        &mut self,
        stepper: &mut Stepper<'_, D>,
        ride: Option<&mut dyn Ride<D>>,
        state: &State<D>,
    ) -> Result<State<D>, StepError> {
        let t = state.t;
        let (mut v_before, mut v_after) = (vec![Vect::zeros(); self.vertices], vec![Vect::zeros(); self.vertices]);
        let before = self.rig(t);
        self.velocities(t, &mut v_before);
        self.look_from(t);
        let after = self.rig(t);
        self.velocities(t, &mut v_after);
        let mut there = state.clone();
        match ride {
            Some(ride) => {
                let turn = turn(&before, &after);
                let jump = Teleport { x: [&before, &after], v: [&v_before, &v_after], turn };
                ride.teleport(self, &jump, &mut there)?;
                Ok(there)
            }
            None => {
                carry_over(&mut there, [&before, &v_before], [&after, &v_after]);
                stepper.start(self, t, there.x, there.v)
            }
        }
    }

    /// The time, or the nearest that is between the teleports.
    fn inside(&self, t: f64) -> f64 {
        t.min(self.window[1] - JUST_BEFORE).max(self.window[0])
    }
}

impl<F: Follow<D>, const D: usize> Drive<D> for Attached<F, D>
where
    Mat<D>: Small<D>,
{
    fn pins(&self, t: f64, x: &mut [Vect<D>]) {
        let rig = self.rig(t);
        x.iter_mut().zip(&self.pins).for_each(|(x, &v)| *x = rig[v as usize]);
    }

    fn rows(&self, t: f64, b: &mut [f64]) {
        let rig = self.rig(t);
        let t = self.inside(t).to_bits();
        let changed = self.conditions.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let rows = match &*changed {
            Some((when, rows)) if *when == t => rows,
            _ => &self.rows,
        };
        b.iter_mut().zip(rows).for_each(|(b, row)| *b = rows::apply(row, &rig));
    }

    fn conditions(&self, t: f64) -> Option<Vec<Row<D>>> {
        let t = self.inside(t);
        let mut last = self.conditions.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some((_, rows)) = last.as_ref().filter(|(when, _)| *when == t.to_bits()) {
            return Some(rows.clone());
        }
        let rows = self.follow.complement(t)?;
        *last = Some((t.to_bits(), rows.clone()));
        Some(rows)
    }

    fn add_forces(&self, t: f64, forces: &mut [Vect<D>]) {
        self.follow.add_forces(t, forces);
    }

    fn velocities(&self, t: f64, v: &mut [Vect<D>]) -> bool {
        let (from, to) = (self.inside(t - self.step), self.inside(t + self.step));
        if !(to > from) {
            return false;
        }
        let (before, after) = (self.rig(from), self.rig(to));
        for (v, (before, after)) in v.iter_mut().zip(before.iter().zip(&*after)) {
            *v = (after - before) / (to - from);
        }
        true
    }

    fn everything(&self, t: f64, x: &mut [Vect<D>]) -> bool {
        x.copy_from_slice(&self.rig(t));
        true
    }

    fn carry(&self, from: f64, to: f64, x: &mut [Vect<D>]) -> bool {
        let (before, after) = (self.rig(from), self.rig(to));
        x.iter_mut().zip(before.iter().zip(&*after)).for_each(|(x, (before, after))| *x += after - before);
        true
    }
}

/// The ride once more.
fn again<'r, const D: usize>(ride: &'r mut Option<&mut dyn Ride<D>>) -> Option<&'r mut dyn Ride<D>> {
    match ride {
        Some(ride) => Some(&mut **ride),
        None => None,
    }
}

/// Moves a state along with a teleport of the rig, which is given by positions and velocities before and after. What the tissue
/// does relative to the rig, in place and in motion, is turned as the rig as a whole is turned: no energy goes in where
/// the rig keeps its pose.
pub fn carry_over<const D: usize>(state: &mut State<D>, before: [&[Vect<D>]; 2], after: [&[Vect<D>]; 2])
where
    Mat<D>: Small<D>,
{
    let R = turn(before[0], after[0]);
    for i in 0..state.x.len() {
        state.x[i] = after[0][i] + R * (state.x[i] - before[0][i]);
        state.v[i] = after[1][i] + R * (state.v[i] - before[1][i]);
        state.a[i] = R * state.a[i];
    }
}

/// The rotation that lays the points best over the others.
fn turn<const D: usize>(from: &[Vect<D>], to: &[Vect<D>]) -> Mat<D>
where
    Mat<D>: Small<D>,
{
    let centre = |x: &[Vect<D>]| x.iter().sum::<Vect<D>>() / x.len().max(1) as f64;
    let (a, b) = (centre(from), centre(to));
    let mut spread = Mat::zeros();
    for (x, y) in from.iter().zip(to) {
        spread += (y - b) * (x - a).transpose();
    }
    spread.signed_polar().R
}
