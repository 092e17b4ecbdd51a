//! Steps in time, and equilibrium.

use math::{Mat, Small, Vect};

use crate::forces::{Problem, Scratch};
use crate::newton::Solution;
use crate::quasi::{Quasi, Solver};
use crate::report::timed;
use crate::ride::{Ride, Scales};
use crate::stage::Stage;
use crate::system::System;
use crate::{Body, Cause, Drive, Integrator, Newton, Report, StepError};

/// All that is known of a moving body at one time.
#[derive(Clone, Debug, PartialEq)]
pub struct State<const D: usize> {
    /// [s]
    pub t: f64,
    /// positions [m]
    pub x: Vec<Vect<D>>,
    /// velocities [m/s]
    pub v: Vec<Vect<D>>,
    /// accelerations [m/s²]
    pub a: Vec<Vect<D>>,
}

/// Moves a body in time. It holds nothing that cannot be made again from the body.
pub struct Stepper<'a, const D: usize> {
    /// how a step is made
    pub integrator: Integrator,
    /// how well it is solved
    pub newton: Newton,
    /// which way they are solved
    pub solver: Solver,
    quasi: Option<Quasi<D>>,
    system: System<'a, D>,
    scratch: Scratch<D>,
    /// the positions that are solved for, and where the velocity alone would lead
    x: Vec<Vect<D>>,
    onward: Vec<Vect<D>>,
    /// where the drive carries them
    carried: Vec<Vect<D>>,
    /// the rest shape, laid over the positions; before that, velocities of the drive
    fitted: Vec<Vect<D>>,
    /// the state before the step
    before: State<D>,
    /// x₁ and v₁, the end of the first stage
    middle: [Vec<Vect<D>>; 2],
    /// c_v and c_a
    constants: [Vec<Vect<D>>; 2],
    external: Vec<Vect<D>>,
    pins: Vec<Vect<D>>,
    rows: Vec<f64>,
}

/// For accelerations of a drive by differences [s].
const STEP: f64 = 1e-3;
/// An element with less than this share of its volume is crushed.
const CRUSHED: f64 = 0.1;
/// With this share of it, it is sound: the acceleration that it gives can be trusted.
const SOUND: f64 = 0.3;
/// Where more than this share of the elements is crushed, the body is a tangle, to be unfolded whatever its motion was.
const TANGLED: f64 = 0.3;
/// How often a step may be halved.
const HALVINGS: usize = 6;

impl<'a, const D: usize> Stepper<'a, D>
where
    Mat<D>: Small<D>,
{
    /// Prepares a body.
    pub fn new(body: &'a Body<D>) -> Self {
        let system = System::new(body);
        let scratch = Scratch::new(&system);
        let zeros = || vec![Vect::zeros(); body.rest.len()];
        Self {
            integrator: Integrator::default(),
            newton: Newton::default(),
            solver: Solver::default(),
            quasi: None,
            scratch,
            x: zeros(),
            onward: zeros(),
            carried: zeros(),
            fitted: zeros(),
            before: State { t: 0.0, x: zeros(), v: zeros(), a: zeros() },
            middle: [zeros(), zeros()],
            constants: [zeros(), zeros()],
            external: zeros(),
            pins: vec![Vect::zeros(); body.pins.len()],
            rows: vec![0.0; body.rows.len()],
            system,
        }
    }

    /// The number of unknown vertices.
    pub fn unknowns(&self) -> usize {
        self.system.free.len()
    }

    /// How many of the body's rows follow from the others (or from the pins) and were removed.
    pub fn dependent_rows(&self) -> usize {
        self.system.all_rows.len() - self.system.kept.len()
    }

    /// The state of a body that is let go at time t, with the acceleration that its forces give it.
    pub fn start(
        &mut self,
        drive: &dyn Drive<D>,
        t: f64,
        x: Vec<Vect<D>>,
        v: Vec<Vect<D>>,
    ) -> Result<State<D>, StepError> {
        let mut force = vec![Vect::zeros(); x.len()];
        let mut a = force.clone();
        let pins = self.pin_accelerations(drive, t);
        self.load(drive, t, true, None);
        let pulled = self.row_accelerations(drive, t);
        let fail = |cause| StepError { time: Some(t), cause, worst_vertex: None };
        let system = &mut self.system;
        let damping = system.body.damping;
        system.assembly.gradient(&system.energies, &x, &mut force);
        for (f, external) in force.iter_mut().zip(&self.external) {
            *f = external - *f;
        }
        if damping.stiffness != 0.0 {
            system.assembly.tangents(&system.energies, &x, true);
            system.assembly.times(&system.energies, &v, &[], &mut a);
            force.iter_mut().zip(&a).for_each(|(f, a)| *f -= damping.stiffness * a);
        }
        // M a = f − d_m M v, where the pins' accelerations are known
        let known: Vec<Vect<D>> = {
            let mut known: Vec<Vect<D>> = v.iter().map(|v| damping.mass * v).collect();
            for (pin, &i) in pins.iter().zip(&system.body.pins) {
                known[i as usize] += pin;
            }
            known
        };
        system.body.mass.times(&known, &mut a);
        let mut b: Vec<Vect<D>> = system.free.iter().map(|&i| force[i as usize] - a[i as usize]).collect();
        system.fill(0.0, 1.0);
        system.factorize().map_err(|_| fail(Cause::NotPositive))?;
        let kept: Vec<f64> = system.kept.iter().map(|&k| pulled[k]).collect();
        system.solve(&mut b, &kept);
        a.fill(Vect::zeros());
        for (b, &i) in b.iter().zip(&system.free) {
            a[i as usize] = *b;
        }
        place(&pins, &system.body.pins, &mut a);
        let state = State { t, x, v, a };
        if state.is_finite() { Ok(state) } else { Err(fail(Cause::NotFinite)) }
    }

    /// The accelerations of the pins when the motion starts, by differences of the drive after t.
    fn pin_accelerations(&mut self, drive: &dyn Drive<D>, t: f64) -> Vec<Vect<D>> {
        let mut at = |k: f64| {
            drive.pins(t + k * STEP, &mut self.pins);
            self.pins.clone()
        };
        let [x0, x1, x2, x3] = [at(0.0), at(1.0), at(2.0), at(3.0)];
        let second = |i: usize| (2.0 * x0[i] - 5.0 * x1[i] + 4.0 * x2[i] - x3[i]) / (STEP * STEP);
        (0..x0.len()).map(second).collect()
    }

    /// A x″ of a drive that moves all vertices, when the motion starts; 0 where it does not say.
    fn row_accelerations(&self, drive: &dyn Drive<D>, t: f64) -> Vec<f64> {
        let mut x: [Vec<Vect<D>>; 4] = std::array::from_fn(|_| self.x.clone());
        if !(0..4).all(|k| drive.everything(t + k as f64 * STEP, &mut x[k])) {
            return vec![0.0; self.system.all_rows.len()];
        }
        let [x0, x1, x2, x3] = &x;
        let second = |i: usize| (2.0 * x0[i] - 5.0 * x1[i] + 4.0 * x2[i] - x3[i]) / (STEP * STEP);
        let a: Vec<Vect<D>> = (0..x0.len()).map(second).collect();
        self.system.all_rows.iter().map(|row| math::rows::apply(row, &a)).collect()
    }

    /// Moves the state forward by h [s]. Where a step does not converge it is made in halves; where that does not help
    /// the state stays as it was.
    pub fn step(&mut self, h: f64, drive: &dyn Drive<D>, state: &mut State<D>) -> Result<Report, StepError> {
        self.step_on(h, drive, None, state)
    }

    /// The same for a body that rides on a shape, with factors on the terms of its equation.
    pub fn step_on(
        &mut self,
        h: f64,
        drive: &dyn Drive<D>,
        mut ride: Option<&mut dyn Ride<D>>,
        state: &mut State<D>,
    ) -> Result<Report, StepError> {
        copy(&mut self.before, state);
        let mut report = Report::default();
        let result = self.step_or_halve(h, drive, &mut ride, state, HALVINGS, &mut report);
        if result.is_err() {
            std::mem::swap(state, &mut self.before);
        }
        result.map(|()| report)
    }

    fn step_or_halve(
        &mut self,
        h: f64,
        drive: &dyn Drive<D>,
        ride: &mut Option<&mut dyn Ride<D>>,
        state: &mut State<D>,
        halvings: usize,
        report: &mut Report,
    ) -> Result<(), StepError> {
        match self.try_step(h, drive, ride, state, report) {
            Err(error) if halvings > 0 && !matches!(error.cause, Cause::NotFinite | Cause::Contradiction { .. }) => {
                report.halvings += 1;
                self.step_or_halve(h / 2.0, drive, ride, state, halvings - 1, report)?;
                self.step_or_halve(h / 2.0, drive, ride, state, halvings - 1, report)
            }
            result => result,
        }
    }

    /// One step, whole; the state changes only when it succeeds.
    fn try_step(
        &mut self,
        h: f64,
        drive: &dyn Drive<D>,
        ride: &mut Option<&mut dyn Ride<D>>,
        state: &mut State<D>,
        report: &mut Report,
    ) -> Result<(), StepError> {
        let mut previous = 0.0;
        let crushing = self.system.crushing(&state.x, CRUSHED);
        let crushed = crushing.least < CRUSHED;
        let integrator = if crushing.share > TANGLED { Integrator::BackwardEuler } else { self.integrator };
        let felt = ((crushing.least - CRUSHED) / (SOUND - CRUSHED)).clamp(0.0, 1.0);
        for (k, stage) in integrator.stages(h, felt).enumerate() {
            let t = state.t + stage.at * h;
            let [x1, v1] = &self.middle;
            let [velocity, acceleration] = &mut self.constants;
            stage.constants([&state.x, &state.v, &state.a, x1, v1], velocity, acceleration);
            if let Some(ride) = ride {
                ride.enter(k, &stage, [velocity, acceleration], drive, t)?;
            }
            let entered = ride.as_deref();
            self.load(drive, t, true, entered.map(|ride| ride.scales()));
            let [x1, v1] = &self.middle;
            let (x0, v0) = if k == 0 { (&state.x, &state.v) } else { (x1, v1) };
            self.x.copy_from_slice(x0);
            self.carried.copy_from_slice(x0);
            let carried = drive.carry(state.t + previous * h, t, &mut self.carried);
            place(&self.pins, &self.system.body.pins, &mut self.carried);
            place(&self.pins, &self.system.body.pins, &mut self.x);
            // It may also go on as it did.
            self.onward.copy_from_slice(&self.x);
            for &i in &self.system.free {
                self.onward[i as usize] += (stage.at - previous) * h * v0[i as usize];
            }
            if crushed {
                match &entered {
                    Some(ride) => self.system.smooth_over(&ride.frames().p, &self.onward, CRUSHED, &mut self.fitted),
                    None => fit_rest_shape(self.system.body, &self.onward, &mut self.fitted),
                }
                place(&self.pins, &self.system.body.pins, &mut self.fitted);
            }
            previous = stage.at;
            self.solve_stage(stage, Some(t), entered, carried, crushed, report)?;
            if let Some(ride) = ride {
                ride.solved(&self.x);
            }
            let [velocity, acceleration] = &self.constants;
            if stage.at < 1.0 {
                let [x1, v1] = &mut self.middle;
                for i in 0..x1.len() {
                    x1[i] = self.x[i];
                    v1[i] = stage.alpha * self.x[i] + velocity[i];
                }
            } else {
                for i in 0..self.x.len() {
                    state.x[i] = self.x[i];
                    state.v[i] = stage.alpha * self.x[i] + velocity[i];
                    state.a[i] = stage.beta * self.x[i] + acceleration[i];
                }
                state.t = t;
            }
        }
        if let Some(ride) = ride {
            ride.leave();
        }
        Ok(())
    }

    /// Moves the free vertices of x to equilibrium at time t of the drive.
    pub fn equilibrium(&mut self, drive: &dyn Drive<D>, t: f64, x: &mut [Vect<D>]) -> Result<Report, StepError> {
        if self.system.adrift.is_some() {
            return Err(StepError { worst_vertex: self.system.adrift, ..StepError::timeless(Cause::Adrift) });
        }
        self.load(drive, t, false, None);
        self.x.copy_from_slice(x);
        place(&self.pins, &self.system.body.pins, &mut self.x);
        let mut report = Report::default();
        self.solve_stage(Stage::STATIC, None, None, false, false, &mut report)?;
        x.copy_from_slice(&self.x);
        Ok(report)
    }

    /// Takes from the drive what it says of time t. Where the body is `moving`, its damping counts; where it rides on a shape,
    /// that says what damping is relative to.
    fn load(&mut self, drive: &dyn Drive<D>, t: f64, moving: bool, scales: Option<&Scales>) {
        let body = self.system.body;
        let damping = if moving && scales.is_none() { body.damping.mass } else { 0.0 };
        if damping != 0.0 && drive.velocities(t, &mut self.fitted) {
            self.fitted.iter_mut().for_each(|v| *v = damping * *v + body.gravity);
            body.mass.times(&self.fitted, &mut self.external);
            self.system.add_forces(drive, t, &mut self.external);
        } else {
            self.system.load(drive, t, scales.map_or(&[], |scales| &scales.gravity), &mut self.external);
        }
        self.system.assembly.set_scale(scales.map_or(&[], |scales| &scales.stiffness));
        if self.system.follow(drive, t)
            && let Some(quasi) = &mut self.quasi
        {
            quasi.forget();
        }
        self.rows.resize(self.system.all_rows.len(), 0.0);
        drive.pins(t, &mut self.pins);
        drive.rows(t, &mut self.rows);
    }

    fn solve_stage(
        &mut self,
        stage: Stage,
        time: Option<f64>,
        ride: Option<&dyn Ride<D>>,
        carried: bool,
        crushed: bool,
        report: &mut Report,
    ) -> Result<(), StepError> {
        let problem = Problem {
            stage,
            velocity: &self.constants[0],
            acceleration: &self.constants[1],
            external: &self.external,
            rows: &self.rows,
            ride: ride.map(|ride| (ride.frames(), ride.scales())),
        };
        let (newton, system, scratch, x) = (self.newton, &mut self.system, &mut self.scratch, &mut self.x);
        let mut took = Report::default();
        let mut clock = std::time::Duration::ZERO;
        let result = timed(&mut clock, || {
            if self.solver == Solver::QuasiNewton && self.quasi.is_none() {
                self.quasi = Quasi::new(system);
            }
            if let Some(quasi) = self.quasi.as_mut().filter(|_| self.solver == Solver::QuasiNewton) {
                let before = x.clone();
                x.copy_from_slice(ride.and_then(|r| r.guess()).unwrap_or(&self.onward));
                if quasi.solve(&newton, &mut Solution::new(system, scratch, &problem, &mut took), x)? {
                    return Ok(());
                }
                x.copy_from_slice(&before);
            }
            if stage.beta > 0.0 {
                let [onward, carried, fitted] =
                    [(true, &self.onward), (carried, &self.carried), (crushed, &self.fitted)]
                        .map(|(given, x)| given.then_some(&x[..]));
                problem.choose_start(system, scratch, x, [onward, carried, fitted, ride.and_then(|r| r.guess())]);
            }
            newton.solve(system, scratch, &problem, x, &mut took)
        });
        took.seconds.total = clock;
        report.add(&took);
        let fail = |cause, worst_vertex| StepError { time, cause, worst_vertex };
        if let Err(cause) = result {
            return Err(fail(cause, self.scratch.worst_vertex(&self.system)));
        }
        if self.x.iter().any(|x| !x.sum().is_finite()) {
            return Err(fail(Cause::NotFinite, None));
        }
        let size = self.x.iter().map(|x| x.amax()).fold(0.0, f64::max);
        for (k, row) in self.system.all_rows.iter().enumerate() {
            let length: f64 = row.iter().map(|(_, c)| c.amax()).sum();
            // written so that NaN fails
            if !((math::rows::apply(row, &self.x) - self.rows[k]).abs() <= 1e-6 * length * size) {
                return Err(fail(Cause::Contradiction { row: k }, None));
            }
        }
        Ok(())
    }
}

impl<const D: usize> State<D> {
    fn is_finite(&self) -> bool {
        [&self.x, &self.v, &self.a].iter().all(|list| list.iter().all(|v| v.sum().is_finite()))
    }
}

fn place<const D: usize>(pins: &[Vect<D>], vertices: &[u32], x: &mut [Vect<D>]) {
    for (pin, &v) in pins.iter().zip(vertices) {
        x[v as usize] = *pin;
    }
}

/// out ← the rest shape where it lies best over x, turned and moved, not stretched: over the pins where there are enough
/// to place it, else over all vertices by their mass.
fn fit_rest_shape<const D: usize>(body: &Body<D>, x: &[Vect<D>], out: &mut [Vect<D>])
where
    Mat<D>: Small<D>,
{
    let mut weights = vec![0.0; x.len()];
    if body.pins.len() >= D {
        body.pins.iter().for_each(|&v| weights[v as usize] = 1.0);
    } else {
        (0..x.len()).for_each(|i| weights[i] = body.mass.of(i));
    }
    let total: f64 = weights.iter().sum();
    let centre = |x: &[Vect<D>]| -> Vect<D> { x.iter().zip(&weights).map(|(x, w)| *w * x).sum::<Vect<D>>() / total };
    let (from, to) = (centre(&body.rest), centre(x));
    let mut spread = Mat::zeros();
    for ((X, x), w) in body.rest.iter().zip(x).zip(&weights) {
        spread += *w * (x - to) * (X - from).transpose();
    }
    let R = spread.signed_polar().R;
    for (out, X) in out.iter_mut().zip(&body.rest) {
        *out = to + R * (X - from);
    }
}

fn copy<const D: usize>(to: &mut State<D>, from: &State<D>) {
    to.t = from.t;
    to.x.copy_from_slice(&from.x);
    to.v.copy_from_slice(&from.v);
    to.a.copy_from_slice(&from.a);
}

/// The equilibrium of a body whose pins and rows are held where they are in x, starting from x.
pub fn equilibrium<const D: usize>(body: &Body<D>, x: &[Vect<D>]) -> Result<Vec<Vect<D>>, StepError>
where
    Mat<D>: Small<D>,
{
    let mut x = x.to_vec();
    let hold = crate::Hold::at(body, &x);
    Stepper::new(body).equilibrium(&hold, 0.0, &mut x)?;
    Ok(x)
}
