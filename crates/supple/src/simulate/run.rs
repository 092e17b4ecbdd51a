//! The simulation itself, frame by frame.

use std::sync::atomic::{AtomicBool, Ordering};

use control::{Attached, Follow};
use dynamics::{Body, Damping, Drive, Integrator, State, Stepper, lowest_modes};
use math::Vect;

use super::core::core;
use super::place::Place;
use super::puppet::Puppet;
use super::tissue::Materials;
use super::volume::{Bound, Volume};
use super::{Progress, Summary, timed};
use crate::Error;
use crate::params::{FPS, HALF_TIME, SUBSTEPS};
use crate::record::{Record, fingerprint};
use crate::scene::{IntegratorKey, Scene, plain};

/// When things happen.
#[derive(Clone, Debug)]
pub(crate) struct Timing {
    pub fps: f64,
    pub substeps: usize,
    pub half_time: f64,
    pub integrator: Integrator,
    pub physics: bool,
    pub gravity: Vect<3>,
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

    pub fn print(&self) -> u64 {
        fingerprint([format!("{self:?}").as_bytes()])
    }
}

/// The flesh of a scene, ready to be moved; none where it follows the rig.
pub(crate) struct Flesh {
    body: Option<Body<3>>,
}

/// Chooses core and material.
pub(crate) fn prepare(
    scene: &Scene,
    timing: &Timing,
    puppet: &Puppet,
    volume: &Volume,
    summary: &mut Summary,
) -> Result<Flesh, Error> {
    let file = &summary.input;
    let places: Result<Vec<Vec<f64>>, Error> =
        scene.tissue.region.iter().map(|region| Place::of(region).on_elements(puppet, volume, file)).collect();
    let places = places?;
    let mut materials = Materials::new(&scene.tissue, volume.mesh.element_count(), &places)?;
    summary.half_time_s = timing.half_time;
    if !timing.physics {
        return Ok(Flesh { body: None });
    }
    const POSES: usize = 60;
    let bound = Bound { puppet, volume };
    let mut poses: Vec<Vec<Vect<3>>> = vec![];
    for k in 0..POSES {
        let mut x = volume.mesh.rest.clone();
        bound.positions(puppet.duration() * k as f64 / (POSES - 1) as f64, &mut x);
        poses.push(x);
    }
    let pins = core(&scene.method, puppet, volume, &poses, file, &mut summary.notes)?;
    summary.core = pins.len();
    materials.choose(&scene.tissue, &volume.mesh, &pins, &mut summary.notes)?;
    materials.set_regions(&scene.tissue, &places);
    let mut body = materials.body(&volume.mesh, &pins)?;
    summary.frequency_hz = lowest_modes(&body, &volume.mesh.rest, 1)?.frequencies().first().copied();
    body.gravity = timing.gravity;
    body.damping = Damping { mass: control::damping_of(timing.half_time), stiffness: 0.0 };
    Ok(Flesh { body: Some(body) })
}

/// Simulates all frames that the record does not hold yet.
#[allow(clippy::too_many_arguments)]
pub(crate) fn frames(
    flesh: &Flesh,
    timing: &Timing,
    puppet: &Puppet,
    volume: &Volume,
    record: &mut Record,
    stop: &AtomicBool,
    summary: &mut Summary,
    progress: &mut dyn FnMut(Progress),
) -> Result<(), Error> {
    let bound = Bound { puppet, volume };
    let all = timing.frames(puppet.duration());
    let Some(body) = &flesh.body else {
        while record.frames() < all && !stop.load(Ordering::SeqCst) {
            let t = timing.at(record.frames());
            let mut state = still(t, volume.mesh.rest.clone());
            bound.positions(t, &mut state.x);
            timed(&mut summary.seconds.frames, || record.push(&state))?;
            progress(Progress::Frames { done: record.frames(), all });
        }
        return Ok(());
    };
    let step = 1.0 / (timing.fps * timing.substeps as f64);
    let mut drive = Attached::new(bound, body.pins.clone(), body.rest.len(), 0.1 / timing.fps);
    let mut stepper = Stepper::new(body);
    stepper.integrator = timing.integrator;
    stepper.newton.tolerance = 1e-4;
    let mut state = match record.frames() {
        0 => {
            progress(Progress::Doing("going into the first pose"));
            let failed = |error| Error::Frame { frame: 0, error };
            let first = timed(&mut summary.seconds.dynamic, || {
                preroll(&mut stepper, &mut drive, timing, puppet.preroll(), stop, &mut summary.iterations)
            });
            let Some(first) = first.map_err(failed)? else { return Ok(()) };
            timed(&mut summary.seconds.frames, || record.push(&first))?;
            first
        }
        done => record.state(done - 1)?,
    };
    progress(Progress::Frames { done: record.frames(), all });
    while record.frames() < all {
        let frame = record.frames();
        for k in 0..timing.substeps {
            if stop.load(Ordering::SeqCst) {
                return Ok(());
            }
            // from the frame's number, so that nothing adds up and a resumed run has the same times
            let from = timing.at(frame - 1) + k as f64 * step;
            state.t = from;
            let to = if k + 1 == timing.substeps { timing.at(frame) } else { from + step };
            let made = timed(&mut summary.seconds.dynamic, || drive.advance(&mut stepper, to, &mut state));
            let failed = |error| Error::Frame { frame, error };
            summary.iterations += made.map_err(failed)?.iterations;
        }
        timed(&mut summary.seconds.frames, || record.push(&state))?;
        progress(Progress::Frames { done: record.frames(), all });
    }
    Ok(())
}

/// From rest into the first pose: equilibrium where the motion begins, then steps until time 0. None where it was stopped.
fn preroll(
    stepper: &mut Stepper<'_, 3>,
    drive: &mut Attached<Bound<'_>>,
    timing: &Timing,
    preroll: f64,
    stop: &AtomicBool,
    iterations: &mut usize,
) -> Result<Option<State<3>>, dynamics::StepError> {
    let step = 1.0 / (timing.fps * timing.substeps as f64);
    let steps = (preroll / step).ceil() as usize;
    let start = -(steps as f64) * step;
    let mut state = drive.start(stepper, start)?;
    let mut settled = state.x.clone();
    if let Ok(report) = stepper.equilibrium(drive as &dyn Drive<3>, start, &mut settled) {
        *iterations += report.iterations;
        state = stepper.start(drive, start, settled, state.v)?;
    }
    for k in 0..steps {
        if stop.load(Ordering::SeqCst) {
            return Ok(None);
        }
        let to = if k + 1 == steps { 0.0 } else { start + (k + 1) as f64 * step };
        *iterations += drive.advance(stepper, to, &mut state)?.iterations;
    }
    Ok(Some(state))
}

fn still(t: f64, x: Vec<Vect<3>>) -> State<3> {
    let zero = vec![Vect::zeros(); x.len()];
    State { t, x, v: zero.clone(), a: zero }
}
