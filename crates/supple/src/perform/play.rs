//! The simulation of an act, frame by frame.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use control::{Animated, Complementary};
use dynamics::{Integrator, Report, Solver, Stepper};
use math::{Mat, Small, Vect};
use rig::{Jacobian, Rig};

use super::act::Act;
use super::push::Push;
use super::track::Track;
use crate::{Error, Progress};

/// How an act is played.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Manner {
    /// steps in each frame
    pub substeps: usize,
    /// how steps are made; as in the paper, backward Euler
    pub integrator: Integrator,
    /// how each step is solved
    pub solver: Solver,
    /// whether anything but the rig moves it
    pub physics: bool,
    /// how well steps are solved [1]
    pub tolerance: f64,
}

impl Default for Manner {
    fn default() -> Self {
        Self {
            substeps: 1,
            integrator: Integrator::BackwardEuler,
            solver: Solver::Newton,
            physics: true,
            tolerance: 1e-4,
        }
    }
}

/// What was played.
pub(crate) struct Played<const D: usize> {
    /// where all vertices are in each frame [m]
    pub frames: Vec<Vec<Vect<D>>>,
    /// what the steps took
    pub report: Report,
    /// and the preparation [s]
    pub preparing: f64,
    /// and all steps together [s]
    pub stepping: f64,
    /// the secondary motion at most: ‖x − rig(p)‖ of a vertex [m]
    pub largest: f64,
    /// rows of the constraint
    pub rows: usize,
    /// the step that failed, if one did: its frame and why
    pub failed: Option<(usize, dynamics::StepError)>,
}

/// An act as its flesh sees it.
struct Stage<'a, const D: usize> {
    rig: &'a dyn Rig<D>,
    track: &'a Track,
    pushes: &'a [Push<D>],
    rest: &'a [Vect<D>],
    /// of each vertex [kg]
    masses: Vec<f64>,
}

impl<const D: usize> Animated<D> for Stage<'_, D> {
    fn positions(&self, t: f64, x: &mut [Vect<D>]) {
        self.rig.positions(&self.track.at(t), x);
    }
    fn jacobian(&self, t: f64) -> Jacobian<D> {
        self.rig.jacobian(&self.track.at(t))
    }
    fn is_linear(&self) -> bool {
        self.rig.is_linear()
    }
    fn jumps(&self) -> &[f64] {
        &self.track.jumps
    }
    fn add_forces(&self, t: f64, forces: &mut [Vect<D>]) {
        self.pushes.iter().for_each(|push| push.add(t, self.rest, &self.masses, forces));
    }
}

/// Plays an act from its first frame to its last, or until `stop` becomes true. What a step that fails has before it is kept.
pub(crate) fn play<const D: usize>(
    act: &mut Act<D>,
    manner: &Manner,
    stop: &AtomicBool,
    file: &str,
    progress: &mut dyn FnMut(Progress),
) -> Result<Played<D>, Error>
where
    Mat<D>: Small<D>,
{
    let (dt, all) = (act.track.dt, act.track.keys.len());
    let mut played = Played {
        frames: vec![act.rigged(0.0)],
        report: Report::default(),
        preparing: 0.0,
        stepping: 0.0,
        largest: 0.0,
        rows: 0,
        failed: None,
    };
    if !manner.physics {
        played.frames = (0..all).map(|k| act.rigged(k as f64 * dt)).collect();
        return Ok(played);
    }
    let clock = Instant::now();
    let masses = (0..act.mesh.rest.len()).map(|v| act.body.mass.of(v)).collect();
    let stage = Stage { rig: &*act.rig, track: &act.track, pushes: &act.pushes, rest: &act.mesh.rest, masses };
    let attached = Complementary::attach(&mut act.body, &act.mesh, &stage, &act.leak, 0.0);
    let mut attached = attached.map_err(|error| Error::Complement { error, file: file.into() })?;
    played.rows = act.body.rows.len();
    let mut stepper = Stepper::new(&act.body);
    stepper.integrator = manner.integrator;
    stepper.solver = manner.solver;
    stepper.newton.tolerance = manner.tolerance;
    let mut state = attached.start(&mut stepper, 0.0)?;
    played.preparing = clock.elapsed().as_secs_f64();
    let mut rigged = act.mesh.rest.clone();
    'frames: for k in 1..all {
        let clock = Instant::now();
        for s in 1..=manner.substeps {
            if stop.load(Ordering::SeqCst) {
                break 'frames;
            }
            // from the frame's number, so that nothing adds up
            let end = if s == manner.substeps {
                k as f64 * dt
            } else {
                (k - 1) as f64 * dt + dt * s as f64 / manner.substeps as f64
            };
            match attached.advance(&mut stepper, end, &mut state) {
                Ok(report) => played.report.add(&report),
                Err(error) => {
                    played.failed = Some((k, error));
                    break 'frames;
                }
            }
        }
        played.stepping += clock.elapsed().as_secs_f64();
        stage.positions(k as f64 * dt, &mut rigged);
        let away = state.x.iter().zip(&rigged).map(|(x, r)| (x - r).norm()).fold(0.0, f64::max);
        played.largest = played.largest.max(away);
        played.frames.push(state.x.clone());
        progress(Progress::Frames { done: k + 1, all });
    }
    Ok(played)
}
