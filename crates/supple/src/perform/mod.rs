//! Complementary dynamics [ZBLJ20] from one scene: a body whose rig moves it, and motion that the rig cannot make. One file per
//! stage and per example.

mod act;
mod amoeba;
mod carpet;
mod character;
mod drop;
mod film;
mod gallery;
mod open;
mod outline;
mod play;
mod push;
mod raster;
mod refine;
mod rigid;
mod show;
mod track;
mod twist;
mod worm;
mod write;

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use dynamics::{Integrator, Solver};
use math::{Mat, Small};
use serde::Serialize;

use crate::params::{FPS, SUBSTEPS, TOLERANCE};
use crate::scene::{ExampleKey, IntegratorKey, MethodKind, Scene, ShapesKey, SolverKey, plain};
use crate::{Error, Progress, Run, Summary};
use act::{Act, AnyAct};
use play::{Manner, Played, play};

pub use gallery::{Shot, gallery, table};
pub(crate) use open::is_act;

/// What a performance was; part of the report.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Performed {
    /// 2 in the plane, 3 in space
    pub dimension: usize,
    /// triangles or tetrahedra
    pub elements: usize,
    /// numbers that set a pose of the rig
    pub parameters: usize,
    /// conditions that keep the flesh off the rig's motion
    pub rows: usize,
    /// steps in each frame
    pub substeps: usize,
    /// how long a frame took, on average [ms]
    pub ms_per_frame: f64,
    /// how far a vertex was from where the rig alone has it, at most [m]
    pub largest_secondary: f64,
    /// elements that were inside out, in the frame that had most of them
    pub inverted: usize,
    /// how often a step had to be halved
    pub halvings: usize,
}

/// Simulates a scene with a rig in motion and writes its outputs.
pub(crate) fn perform(
    scene: &Scene,
    run: &Run,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(Progress),
) -> Result<Summary, Error> {
    if run.resume {
        return Err(Error::Asked(
            "--resume cannot go on with this kind of scene: its frames are not kept. Run it again.".into(),
        ));
    }
    let outputs = if run.unwritten { vec![] } else { crate::simulate::outputs(scene)? };
    let mut summary = perform_into(scene, &Target { outputs: &outputs, pictures: None }, stop, progress)?;
    if let Some(output) = outputs.first() {
        crate::simulate::report(output, &mut summary)?;
    }
    Ok(summary)
}

/// Performs a built-in example into a folder: NAME.glb (or another ending), NAME.gif and NAME.png with the rig alone beside it,
/// and the report.
pub fn demonstrate(
    example: ExampleKey,
    folder: &Path,
    ending: &str,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(Progress),
) -> Result<Summary, Error> {
    let mut scene = Scene::default();
    scene.character.example = Some(example);
    let name = format!("{example:?}").to_lowercase();
    let outputs = [folder.join(format!("{name}.{ending}"))];
    let target = Target { outputs: &outputs, pictures: Some((folder, &name)) };
    let mut summary = perform_into(&scene, &target, stop, progress)?;
    crate::simulate::report(&outputs[0], &mut summary)?;
    Ok(summary)
}

/// Where the result goes.
struct Target<'a> {
    /// one file per format
    outputs: &'a [PathBuf],
    /// a folder for NAME.gif and NAME.png, and that name
    pictures: Option<(&'a Path, &'a str)>,
}

/// The same, into other places than the scene names.
fn perform_into(
    scene: &Scene,
    target: &Target,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(Progress),
) -> Result<Summary, Error> {
    progress(Progress::Doing("reading"));
    let clock = Instant::now();
    let (act, name) = open::open(scene)?;
    let manner = manner(scene)?;
    let reading = clock.elapsed().as_secs_f64();
    let mut summary = match act {
        AnyAct::Plane(act) => played(act, scene, &manner, target, &name, stop, progress)?,
        AnyAct::Space(act) => played(act, scene, &manner, target, &name, stop, progress)?,
    };
    summary.seconds.reading = reading;
    summary.seconds.total = clock.elapsed().as_secs_f64();
    Ok(summary)
}

/// How a scene wants it played.
fn manner(scene: &Scene) -> Result<Manner, Error> {
    Ok(Manner {
        substeps: SUBSTEPS.count(plain(&scene.character.substeps).or(Some(1.0)))?,
        integrator: match scene.method.integrator {
            Some(IntegratorKey::TrapezoidBdf2) => Integrator::TrapezoidBdf2,
            Some(IntegratorKey::BackwardEuler) | None => Integrator::BackwardEuler,
        },
        solver: scene.method.solver.map(|solver| match solver {
            SolverKey::Newton => Solver::Newton,
            SolverKey::QuasiNewton => Solver::QuasiNewton,
        }),
        physics: !scene.method.no_physics,
        ..Manner::default()
    })
}

/// Plays an act and writes what was played.
fn played<const D: usize>(
    mut act: Act<D>,
    scene: &Scene,
    manner: &Manner,
    target: &Target,
    name: &str,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(Progress),
) -> Result<Summary, Error>
where
    Mat<D>: Small<D>,
{
    progress(Progress::Doing("preparing"));
    let asked = act.track.keys.len();
    let played = play(&mut act, manner, stop, name, progress)?;
    let mut summary = summary(&act, &played, manner, name);
    summary.stopped = played.failed.is_none() && played.frames.len() < asked;
    progress(Progress::Doing("writing"));
    let clock = Instant::now();
    let fps = plain(&scene.character.fps).map(|fps| FPS.value(Some(fps))).transpose()?.unwrap_or(1.0 / act.track.dt);
    summary.fps = fps;
    let look = write::Look {
        fps,
        tolerance: TOLERANCE.value(plain(&scene.output.tolerance))?,
        per_frame: scene.output.shapes == Some(ShapesKey::PerFrame),
    };
    for output in target.outputs {
        write::write(output, &act, &played.frames, &look, &mut summary)?;
    }
    if let Some((folder, name)) = target.pictures {
        summary.files.extend(show::draw(&act, &played.frames, folder, name)?);
    }
    summary.seconds.files = clock.elapsed().as_secs_f64();
    match played.failed {
        Some((frame, error)) => Err(Error::Frame { frame, error }),
        None => Ok(summary),
    }
}

fn summary<const D: usize>(act: &Act<D>, played: &Played<D>, manner: &Manner, name: &str) -> Summary {
    let mut summary = Summary {
        input: name.into(),
        tets: act.mesh.element_count(),
        vertices: act.mesh.rest.len(),
        frames: played.frames.len(),
        frames_asked: act.track.keys.len(),
        coverage: 1.0,
        scale: 1.0,
        iterations: played.report.iterations,
        solves: played.report.solves,
        rows: played.rows,
        method: Some(MethodKind::Complement),
        solver: Some(if played.solver == Solver::Newton { SolverKey::Newton } else { SolverKey::QuasiNewton }),
        teleports: act.track.jumps.clone(),
        notes: act.notes.clone(),
        ..Summary::default()
    };
    (summary.seconds.choosing, summary.seconds.dynamic) = (played.preparing, played.stepping);
    summary.performed = Some(Performed {
        dimension: D,
        elements: act.mesh.element_count(),
        parameters: act.rig.parameters(),
        rows: played.rows,
        substeps: manner.substeps,
        ms_per_frame: 1e3 * played.stepping / played.frames.len().saturating_sub(1).max(1) as f64,
        largest_secondary: played.largest,
        inverted: played.inverted,
        halvings: played.report.halvings,
    });
    summary
}

impl AnyAct {
    fn name(&self) -> &str {
        match self {
            Self::Plane(act) => &act.name,
            Self::Space(act) => &act.name,
        }
    }
}
