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
    /// how each step is solved; none: as suits the body and its rig
    pub solver: Option<Solver>,
    /// whether anything but the rig moves it
    pub physics: bool,
    /// how well steps are solved [1]
    pub tolerance: f64,
}

impl Default for Manner {
    fn default() -> Self {
        Self { substeps: 1, integrator: Integrator::BackwardEuler, solver: None, physics: true, tolerance: 1e-4 }
    }
}

/// What was played.
pub(crate) struct Played<const D: usize> {
    /// how steps were solved
    pub solver: Solver,
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
    /// elements that are inside out, in the frame that has most of them
    pub inverted: usize,
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
        inverted: 0,
        rows: 0,
        solver: Solver::Newton,
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
    // rows of a rig that is not linear change, and with them the factorization
    let suited = if act.rig.is_linear() { Solver::suited(&act.body) } else { Solver::Newton };
    stepper.solver = manner.solver.unwrap_or(suited);
    played.solver = stepper.solver;
    stepper.newton.tolerance = manner.tolerance;
    stepper.newton.step = 1e-6 * act.mesh.size();
    let mut state = attached.start(&mut stepper, 0.0)?;
    played.preparing = clock.elapsed().as_secs_f64();
    let mut rigged = act.mesh.rest.clone();
    let volumes = act.mesh.volumes(&act.mesh.rest);
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
        // cloth has no volume to lose
        let now = act.mesh.volumes(&state.x);
        let inverted = now.iter().zip(&volumes).filter(|(now, rest)| **now < 0.0 && **rest > 0.0);
        played.inverted = played.inverted.max(inverted.count());
        played.frames.push(state.x.clone());
        progress(Progress::Frames { done: k + 1, all });
    }
    Ok(played)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::perform::worm::worm;
    use control::Leak;

    fn worm_with(leak: Leak, pushes: Vec<Push<2>>) -> (Act<2>, Played<2>) {
        let mut act = worm().unwrap();
        (act.leak, act.pushes) = (leak, pushes);
        act.track.keys.truncate(90);
        let played = play(&mut act, &Manner::default(), &AtomicBool::new(false), "worm", &mut |_| ()).unwrap();
        assert!(played.failed.is_none() && played.frames.len() == 90);
        (act, played)
    }

    #[test]
    fn without_leak_and_push_a_rig_that_hops_wobbles_nothing() {
        assert!(worm_with(Leak::None, vec![]).1.largest < 1e-6);
        assert!(worm_with(Leak::Surface, vec![]).1.largest > 1e-2);
    }

    /// METHODS B4: what pushes all alike is in the span of the rig; what pushes one place is not.
    #[test]
    fn wind_everywhere_does_nothing_and_a_blow_on_one_end_does() {
        let all = || worm().unwrap().mesh.rest;
        let wind = Push::steady((0..all().len() as u32).collect(), [0.0, 9.0], Vect::from([0.0, 4.0]));
        assert!(worm_with(Leak::None, vec![wind]).1.largest < 1e-6);
        let end = (0..all().len() as u32).filter(|v| all()[*v as usize].x > 0.8).collect();
        let blow = Push::blow(end, 0.2, 0.01, Vect::from([0.0, 2.0]));
        assert!(worm_with(Leak::None, vec![blow]).1.largest > 1e-2);
    }

    /// [ZBLJ20, fig. 7]: without the mass in the constraint the fine half is held as if it were heavier. The mass is lumped, so a
    /// mask divided by it takes it out: Jrᵀ M (M⁻¹ D).
    #[test]
    fn with_the_mass_in_the_constraint_both_halves_move_alike_and_without_it_they_do_not() {
        let ratio = |leak: Leak| {
            let (act, played) = worm_with(leak, vec![]);
            let most = |end: &dyn Fn(&Vect<2>) -> bool| {
                let mut most = 0.0f64;
                for (k, x) in played.frames.iter().enumerate() {
                    let rig = act.rigged(k as f64 * act.track.dt);
                    let ends = (0..x.len()).filter(|v| end(&act.mesh.rest[*v]));
                    most = ends.map(|v| (x[v] - rig[v]).norm()).fold(most, f64::max);
                }
                most
            };
            most(&|x| x.x < -0.9) / most(&|x| x.x > 0.9)
        };
        let act = worm().unwrap();
        let Leak::Mask(mask) = &act.leak else { panic!("it has a mask") };
        let massless = mask.iter().enumerate().map(|(v, d)| d / act.body.mass.of(v)).collect();
        let (with, without) = (ratio(act.leak.clone()), ratio(Leak::Mask(massless)));
        assert!((with - 1.0).abs() < 0.06 && without < 0.4, "the fine end goes {with}, without the mass {without}");
    }

    #[test]
    fn a_mask_of_another_mesh_and_a_rig_that_reaches_everything_are_refused() {
        let mut act = worm().unwrap();
        act.leak = Leak::Mask(vec![1.0; 7]);
        let refused = |act: &mut Act<2>| {
            let played = play(act, &Manner::default(), &AtomicBool::new(false), "worm.toml", &mut |_| ());
            played.err().unwrap().to_string()
        };
        let text = refused(&mut act);
        assert!(text.contains("7 values") && text.contains("worm.toml"), "{text}");
        // every vertex a handle of its own
        let mut act = worm().unwrap();
        act.mesh = mesh::block([8, 3], Vect::from([2.0, 0.4]));
        let mass = mesh::Mass::new(&act.mesh, &vec![1.0; act.mesh.element_count()], mesh::MassKind::Lumped);
        act.body = dynamics::Body::new(act.mesh.rest.clone(), mass, vec![]);
        let n = act.mesh.rest.len();
        let each = rig::Weights::new(n, (0..n as u32).map(|v| vec![(v, 1.0)])).unwrap();
        let rig = rig::affine_handles(&act.mesh.rest, &each).unwrap();
        act.track = Track { dt: 0.01, keys: vec![Rig::rest(&rig); 3], jumps: vec![] };
        (act.rig, act.leak) = (Box::new(rig), Leak::None);
        let text = refused(&mut act);
        assert!(text.contains("nothing is left to move"), "{text}");
    }
}
