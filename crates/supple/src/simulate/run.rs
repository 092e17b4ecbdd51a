//! The simulation itself, frame by frame.

use std::sync::atomic::{AtomicBool, Ordering};

use control::{Adjusted, Attached, Clock, Follow, Form, Nature, Oscillators, Plan, Push, Rayleigh, Shadow, seen};
use dynamics::{Body, Damping, Drive, Integrator, Ride, Solver, State, StepError, Stepper, equilibrium, lowest_modes};
use math::Vect;

use super::dials;
use super::hold::{hold, kind};
use super::open::is_volume;
use super::place::Place;
use super::puppet::Puppet;
use super::tissue::Materials;
use super::unloaded::unloaded;
use super::volume::{Bound, Volume};
use super::{Progress, Summary, timed};
use crate::Error;
use crate::params::{FPS, HALF_TIME, SUBSTEPS};
use crate::record::{Record, fingerprint};
use crate::scene::{DampingKey, FormKey, IntegratorKey, MethodKind, ModelledKey, Scene, SolverKey, plain};

/// When things happen.
#[derive(Clone, Debug)]
pub(crate) struct Timing {
    pub fps: f64,
    pub substeps: usize,
    pub half_time: f64,
    pub integrator: Integrator,
    pub physics: bool,
    pub gravity: Vect<3>,
    pub form: Form,
    /// an experiment, to be measured; characters are looked at
    pub measured: bool,
}

impl Timing {
    pub fn of(scene: &Scene) -> Result<Self, Error> {
        let gravity = scene.world.gravity.unwrap_or([0.0, 0.0, -9.81]);
        if gravity.iter().any(|g| !(g.abs() <= 1e4)) {
            return Err(Error::Asked("gravity must be three numbers [m/s²], such as [0, 0, -9.81].".into()));
        }
        Ok(Self {
            fps: FPS.value(plain(&scene.character.fps))?,
            substeps: SUBSTEPS.count(plain(&scene.character.substeps))?,
            half_time: HALF_TIME.value(plain(&scene.tissue.damping_half_time))?,
            integrator: match scene.method.integrator.unwrap_or_default() {
                IntegratorKey::TrapezoidBdf2 => Integrator::TrapezoidBdf2,
                IntegratorKey::BackwardEuler => Integrator::BackwardEuler,
            },
            physics: !scene.method.no_physics,
            gravity: Vect::from(gravity),
            form: match scene.dials.form.unwrap_or_default() {
                FormKey::Relative => Form::Relative,
                FormKey::FivePoint => Form::FivePoint,
                FormKey::Printed => Form::Printed,
            },
            measured: scene.character.file.as_deref().is_some_and(is_volume),
        })
    }

    /// How many frames a motion of this length has [s]. Times in files are f32: a last frame that is a hair beyond is kept.
    pub fn frames(&self, duration: f64) -> usize {
        (duration * self.fps + 1e-3).floor() as usize + 1
    }

    /// When a frame is [s].
    pub fn at(&self, frame: usize) -> f64 {
        frame as f64 / self.fps
    }

    /// How long a step is [s].
    pub fn step(&self) -> f64 {
        1.0 / (self.fps * self.substeps as f64)
    }

    /// How well steps are solved: forces out of balance, relative to those of the scene.
    pub fn tolerance(&self, solver: Solver) -> f64 {
        match solver {
            _ if self.measured => 1e-6,
            // it may linger where flesh is about to turn over, and must not take that for the end
            Solver::Newton => 2e-5,
            Solver::QuasiNewton => 1e-4,
        }
    }

    pub fn print(&self) -> u64 {
        fingerprint([format!("{self:?}").as_bytes()])
    }
}

/// The flesh of a scene, ready to be moved; none where it follows the rig.
pub(crate) struct Flesh {
    pub body: Option<Body<3>>,
    /// what the dials ask for; none where nothing holds the body
    pub plan: Option<Plan>,
    /// its lowest modes: ω [rad/s] and shapes
    modes: Vec<(f64, Vec<Vect<3>>)>,
    /// the lowest about the shape it hangs in, where a dial changes that
    lowest: Option<Vec<Vect<3>>>,
    solver: Solver,
}

impl Flesh {
    /// The shape in which the flesh swings most slowly in an attempt.
    fn lowest(&self, attempt: Attempt) -> Option<&Vec<Vect<3>>> {
        let hanging = self.lowest.as_ref().filter(|_| attempt != Attempt::AsItIs);
        hanging.or(self.modes.first().map(|(_, shape)| shape))
    }

    /// The body's modes, as they are and as the dials make them.
    fn oscillators(&self, plan: &Plan) -> Oscillators {
        let tuning = plan.clone();
        let tuning = move |t: f64| {
            let (factor, sag) = (tuning.factor(t), tuning.nature.sagging(tuning.dials.sag.at(t)));
            (factor.chi * sag.omega / tuning.nature.omega, factor.damping(tuning.nature.damping))
        };
        let damping = self.body.as_ref().map_or_else(Damping::default, |body| body.damping);
        Oscillators::new(self.modes.iter().map(|(omega, _)| *omega).collect(), damping, Box::new(tuning))
    }

    /// How much larger the amplitude will be with the dials for the same inertia, where it is known what pushed the modes.
    pub fn foresee(&self, plan: &Plan, pushes: &[Push]) -> Option<f64> {
        let mut oscillators = self.oscillators(plan);
        oscillators.replay(pushes);
        oscillators.ratio()
    }
}

/// What is looked at while it moves, for pages and tables.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    /// (time [s], share of the lowest mode in the flesh's motion) at every step of the last run
    pub ring: Vec<(f64, f64)>,
    /// the same of the run before any dial
    pub ring_before: Vec<(f64, f64)>,
    /// what pushed the modes of the body as it is; where it is known before, how much inertia the dials take is predicted from it
    pub pushes: Vec<Push>,
    /// the shown surface in every frame
    pub frames: Vec<Vec<Vect<3>>>,
    /// the triangles of that surface
    pub triangles: Vec<[u32; 3]>,
    /// how far the flesh hangs down in the first frame: ‖x − X‖ over all vertices [m]
    pub sag: f64,
}

/// Which motion is simulated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Attempt {
    /// the body as it is, to measure it
    AsItIs,
    /// with the dials, where amplitude 1 takes this share of inertia
    Adjusted(f64),
}

/// An amplitude below this share of the body's size [√s] is what solvers leave, and is not matched.
const STILL: f64 = 1e-7;

/// What a run that came to its end measured.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outcome {
    /// [WZB20, eq. 5]
    pub amplitude: f64,
    /// the same with the amplitude dial on it: what is asked for
    pub asked: f64,
    /// how much larger it will be with the dials, by the body's modes
    pub predicted: Option<f64>,
}

/// Chooses core and material, and finds out what the dials take.
pub(crate) fn prepare(
    scene: &Scene,
    timing: &Timing,
    puppet: &Puppet,
    volume: &Volume,
    watched: bool,
    summary: &mut Summary,
) -> Result<Flesh, Error> {
    let file = &summary.input;
    let places: Result<Vec<Vec<f64>>, Error> =
        scene.tissue.region.iter().map(|region| Place::of(region).on_elements(puppet, volume, file)).collect();
    let places = places?;
    let (count, notes) = (volume.mesh.element_count(), &mut summary.notes);
    let mut materials = Materials::new(&scene.tissue, count, puppet.driven(), &places, notes)?;
    if !timing.physics {
        return Ok(Flesh { body: None, plan: None, modes: vec![], lowest: None, solver: Solver::Newton });
    }
    const POSES: usize = 60;
    let bound = Bound { puppet, volume };
    let mut poses: Vec<Vec<Vect<3>>> = vec![];
    for k in 0..POSES {
        let mut x = volume.mesh.rest.clone();
        bound.positions(puppet.duration() * k as f64 / (POSES - 1) as f64, &mut x);
        poses.push(x);
    }
    let asked_method = kind(&scene.method, puppet)?;
    let (method, hold) =
        hold(&scene.method, asked_method, puppet, volume, &materials, &poses, file, &mut summary.notes)?;
    (summary.method, summary.core, summary.rows) = (Some(method), hold.pins.len(), hold.rows.len());
    materials.choose(&scene.tissue, &volume.mesh, &hold, &mut summary.notes)?;
    materials.set_regions(&scene.tissue, &places);
    let mut body = match scene.tissue.modelled.unwrap_or_default() {
        ModelledKey::Hanging if hold.is_empty() => {
            let what = "nothing holds the body, so it cannot hang.\nHold a part of it with [[pin]], or leave modelled = \"hanging\" out";
            return Err(Error::Asked(format!("{what}.\n({file})")));
        }
        ModelledKey::Hanging => unloaded(&materials, &volume.mesh, &hold, timing.gravity, file)?,
        ModelledKey::Weightless => materials.body(&volume.mesh, &hold)?,
    };
    body.gravity = timing.gravity;
    let asked = dials::Asked::of(scene, puppet, volume, file)?;
    let cheap = Solver::suited(&body) == Solver::QuasiNewton || !timing.measured;
    let solver = match scene.method.solver {
        Some(SolverKey::Newton) => Solver::Newton,
        Some(SolverKey::QuasiNewton) => Solver::QuasiNewton,
        None if method == MethodKind::Complement && cheap => Solver::QuasiNewton,
        None => Solver::Newton,
    };
    summary.solver = Some(if solver == Solver::Newton { SolverKey::Newton } else { SolverKey::QuasiNewton });
    if hold.is_empty() {
        return if asked.nothing() {
            summary.notes.push("Nothing holds the body, so it has no natural frequency, no sag and no damping.".into());
            Ok(Flesh { body: Some(body), plan: None, modes: vec![], lowest: None, solver })
        } else {
            let what = "nothing holds the body, so it has no natural frequency and no shape at rest, and dials have nothing to \
                        act on.\nHold a part of it with [[pin]]";
            Err(Error::Asked(format!("{what}.\n({file})")))
        };
    }
    let kind = match scene.tissue.damping {
        Some(DampingKey::Mass) => Rayleigh::Mass,
        Some(DampingKey::Stiffness) => Rayleigh::Stiffness,
        None if puppet.driven().is_some() => Rayleigh::Stiffness,
        None => Rayleigh::Mass,
    };
    let clock = Clock::Steps { integrator: timing.integrator, h: timing.step() };
    let (nature, shape) = Nature::of(&mut body, kind, timing.half_time, clock, &asked.sags())?;
    let plan = asked.plan(nature);
    plan.check().map_err(|error| Error::Dial { error, substeps: timing.substeps, fps: timing.fps })?;
    let (mut modes, mut lowest) = (vec![], None);
    if watched || !plan.is_one() {
        const MODES: usize = 10;
        let found = lowest_modes(&body, &shape, MODES)?;
        let swings = found.omega_squared.iter().zip(found.shapes).filter(|(w, _)| **w > 0.0);
        modes = swings.map(|(w, shape)| (w.sqrt(), shape)).collect();
        let sag = plan.dials.sag.at(0.0);
        if watched && sag != 1.0 {
            // it swings in another way where it hangs in another shape
            body.gravity *= plan.nature.sagging(sag).load;
            let hanging = equilibrium(&body, &shape)?;
            lowest = lowest_modes(&body, &hanging, 1)?.shapes.into_iter().next();
            body.gravity = timing.gravity;
        }
        if plan.nature.seen.is_none() && !plan.is_one() {
            let what =
                "The flesh is damped so much that it does not swing; frequency and damping are set as if it did.";
            summary.notes.push(what.into());
        }
    }
    Ok(Flesh { body: Some(body), plan: Some(plan), modes, lowest, solver })
}

/// Says of a run what its body is with these factors.
pub(crate) fn describe(plan: &Plan, summary: &mut Summary) {
    let (factor, nature) = (plan.factor(0.0), &plan.nature);
    let sagging = nature.sagging(plan.dials.sag.at(0.0));
    let omega = factor.chi * sagging.omega;
    let shown = seen(nature.clock, omega, sagging.damping(factor.damping(nature.damping), factor.chi));
    summary.frequency_hz = Some(omega / std::f64::consts::TAU);
    summary.damped_frequency_hz = shown.map(|seen| seen.hertz());
    summary.half_time_s = shown.map(|seen| seen.half_time()).filter(|t| t.is_finite());
    summary.sag = Some(sagging.sag);
    (summary.chi, summary.mu, summary.epsilon) = (factor.chi, factor.mu, factor.epsilon);
    (summary.c_m, summary.c_k) = (factor.c_m, factor.c_k);
}

/// Simulates all frames that the record does not hold yet. None where it was stopped before the end.
#[allow(clippy::too_many_arguments)]
pub(crate) fn frames(
    flesh: &Flesh,
    attempt: Attempt,
    timing: &Timing,
    puppet: &Puppet,
    volume: &Volume,
    record: &mut Record,
    stop: &AtomicBool,
    summary: &mut Summary,
    watch: &mut Option<&mut Watch>,
    progress: &mut dyn FnMut(Progress),
) -> Result<Option<Outcome>, Error> {
    let bound = Bound { puppet, volume };
    let all = timing.frames(puppet.duration());
    let still_outcome = Outcome { amplitude: 0.0, asked: 0.0, predicted: None };
    let Some(body) = &flesh.body else {
        while record.frames() < all && !stop.load(Ordering::SeqCst) {
            let t = timing.at(record.frames());
            let mut state = still(t, volume.mesh.rest.clone());
            bound.positions(t, &mut state.x);
            timed(&mut summary.seconds.record, || record.push(&state, &[]))?;
            progress(Progress::Frames { done: record.frames(), all });
        }
        return Ok((record.frames() == all).then_some(still_outcome));
    };
    let step = 0.1 / timing.fps;
    let mut drive = match body.rows.is_empty() {
        true => Attached::new(bound, body.pins.clone(), body.rest.len(), step),
        false => Attached::by_rows(bound, body.rows.clone(), body.rest.len(), step),
    };
    let mut stepper = Stepper::new(body);
    (stepper.integrator, stepper.solver) = (timing.integrator, flesh.solver);
    stepper.newton.tolerance = timing.tolerance(flesh.solver);
    let mut ride = flesh.plan.as_ref().map(|plan| ride(body, plan, flesh, attempt, timing, volume));
    if let (Some(ride), Some(_), Some(shape)) = (&mut ride, &watch, flesh.lowest(attempt)) {
        let mut load = shape.clone();
        body.mass.times(shape, &mut load);
        ride.watched = vec![load];
        ride.shadow.heard = (attempt == Attempt::AsItIs).then(Vec::new);
    }
    let failed = |frame: usize| move |error| Error::Frame { frame, error };
    let mut clock = 0.0;
    let mut state = match record.frames() {
        0 => {
            progress(Progress::Doing("going into the first pose"));
            let first = timed(&mut clock, || {
                preroll(
                    &mut stepper,
                    &mut drive,
                    ride.as_mut(),
                    timing,
                    puppet.preroll(),
                    stop,
                    &mut summary.iterations,
                )
            });
            let Some(first) = first.map_err(failed(0))? else { return Ok(None) };
            let memory = ride.as_ref().map_or(vec![], |ride| ride.save());
            timed(&mut summary.seconds.record, || record.push(&first, &memory))?;
            first
        }
        done => {
            let (state, memory) = record.last()?;
            drive.look_from(state.t);
            if let Some(ride) = &mut ride
                && !ride.restore(&drive, &memory)
            {
                let what = format!("frame {} of the stopped run cannot be used. Run without --resume.", done - 1);
                return Err(Error::Asked(what));
            }
            state
        }
    };
    progress(Progress::Frames { done: record.frames(), all });
    let step = timing.step();
    let mut ended = Ok(true);
    'frames: while record.frames() < all {
        let frame = record.frames();
        for k in 0..timing.substeps {
            if stop.load(Ordering::SeqCst) {
                ended = Ok(false);
                break 'frames;
            }
            // from the frame's number, so that nothing adds up and a resumed run has the same times
            let from = timing.at(frame - 1) + k as f64 * step;
            state.t = from;
            let to = if k + 1 == timing.substeps { timing.at(frame) } else { from + step };
            let on = ride.as_mut().map(|ride| ride as &mut dyn Ride<3>);
            match timed(&mut clock, || drive.advance_on(&mut stepper, on, to, &mut state)) {
                Ok(report) => {
                    summary.iterations += report.iterations;
                    summary.solves += report.solves;
                }
                Err(error) => {
                    ended = Err(failed(frame)(error));
                    break 'frames;
                }
            }
        }
        let memory = ride.as_ref().map_or(vec![], |ride| ride.save());
        timed(&mut summary.seconds.record, || record.push(&state, &memory))?;
        progress(Progress::Frames { done: record.frames(), all });
    }
    let mut outcome = still_outcome;
    if let Some(ride) = &mut ride {
        if let Some(watch) = watch {
            if let Some(heard) = ride.shadow.heard.take() {
                watch.pushes = heard;
            }
            let ring = ride.samples.iter().map(|(t, shares)| (*t, shares[0])).collect();
            *(if attempt == Attempt::AsItIs { &mut watch.ring_before } else { &mut watch.ring }) = ring;
            // a character's first frame is in its first pose: there only statics can tell
            watch.sag = summary.sag.unwrap_or(0.0);
            if puppet.driven().is_some()
                && let Ok(first) = record.state(0)
            {
                let moved = first.x.iter().zip(&body.rest).map(|(x, X)| (x - X).norm_squared());
                watch.sag = moved.sum::<f64>().sqrt();
            }
        }
        let [amplitude, asked] = ride.amplitude();
        let asked = if amplitude > STILL * volume.mesh.size() { asked } else { 0.0 };
        outcome = Outcome { amplitude, asked, predicted: ride.shadow.ratio() };
        summary.seconds.static_shapes += ride.took.static_seconds;
        summary.seconds.frames += ride.took.frame_seconds;
        summary.seconds.dynamic -= ride.took.static_seconds + ride.took.frame_seconds;
        summary.static_shapes += ride.took.settled.solved;
        summary.static_failures += ride.took.failed;
        (summary.amplitude, summary.felt_turn) = (Some(amplitude), ride.felt_turn());
    }
    summary.seconds.dynamic += clock;
    Ok(ended?.then_some(outcome))
}

/// What the body rides on in this attempt.
fn ride<'a>(
    body: &'a Body<3>,
    plan: &Plan,
    flesh: &Flesh,
    attempt: Attempt,
    timing: &Timing,
    volume: &Volume,
) -> Adjusted<'a, 3> {
    let (vertices, elements) = (body.rest.len(), volume.mesh.element_count());
    let mut ride =
        match attempt {
            Attempt::AsItIs => Adjusted::plain(body, &volume.mesh),
            Attempt::Adjusted(inertia) => {
                let plan = Plan { inertia, ..plan.clone() };
                let fixed = plan.is_constant();
                let mut first = dynamics::Scales::default();
                plan.scales(0.0, vertices, elements, &mut first);
                Adjusted::new(
                    body,
                    &volume.mesh,
                    Box::new(move |t, scales| {
                        if fixed { scales.clone_from(&first) } else { plan.scales(t, vertices, elements, scales) }
                    }),
                )
            }
        };
    if attempt == Attempt::AsItIs {
        ride.shadow = Shadow::new(body, flesh.modes.iter().map(|(_, shape)| shape));
        if !plan.is_one() {
            let weights = plan.clone();
            ride = ride.with_weights(Box::new(move |t, vertex| weights.amplitude(t, vertex)));
            ride.shadow.oscillators = Some(flesh.oscillators(plan));
        }
    }
    ride.form = timing.form;
    if timing.measured {
        ride.set_tolerance(1e-3 * timing.tolerance(Solver::Newton), 0.0);
    } else {
        // What is looked at may call a shape static a little early: what it lacks is known. But where it is found to be off it jumps, and a step takes that
        // for an acceleration: of at most so many sizes a second².
        const JUMP: f64 = 0.1;
        ride.set_tolerance(1e-3, volume.mesh.size() * (JUMP * timing.step().powi(2)).min(2e-4));
    }
    ride
}

/// From rest into the first pose: equilibrium where the motion begins, then steps until time 0. None where it was stopped.
fn preroll(
    stepper: &mut Stepper<'_, 3>,
    drive: &mut Attached<Bound<'_>>,
    mut ride: Option<&mut Adjusted<'_, 3>>,
    timing: &Timing,
    preroll: f64,
    stop: &AtomicBool,
    iterations: &mut usize,
) -> Result<Option<State<3>>, StepError> {
    let step = timing.step();
    let steps = (preroll / step).ceil() as usize;
    let start = -(steps as f64) * step;
    drive.look_from(start);
    let mut state = still(start, drive.rig(start).to_vec());
    drive.velocities(start, &mut state.v);
    if let Some(ride) = &mut ride {
        ride.start(drive, start, &mut state.x, &state.v);
    }
    for k in 0..steps {
        if stop.load(Ordering::SeqCst) {
            return Ok(None);
        }
        let to = if k + 1 == steps { 0.0 } else { start + (k + 1) as f64 * step };
        let on = ride.as_mut().map(|ride| *ride as &mut dyn Ride<3>);
        *iterations += drive.advance_on(stepper, on, to, &mut state)?.iterations;
    }
    if let Some(ride) = ride {
        ride.reset();
    }
    Ok(Some(state))
}

fn still(t: f64, x: Vec<Vect<3>>) -> State<3> {
    let zero = vec![Vect::zeros(); x.len()];
    State { t, x, v: zero.clone(), a: zero }
}
