//! From a scene to files: open, fill, bind, choose the flesh, simulate, write. One file per stage.

mod core;
mod dials;
mod driven;
mod hold;
mod open;
mod place;
mod puppet;
mod run;
mod search;
mod shown;
mod tissue;
mod unloaded;
mod volume;
mod write;

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use serde::Serialize;

use control::{Dials, Plan};
use run::Attempt;
use search::Search;

use crate::Error;
use crate::params::MATCH;
use crate::perform::{self, Performed};
use crate::record::Record;
use crate::scene::{MethodKind, Scene, SolverKey, plain};

pub use open::rest_surface;
pub(crate) use run::Watch;
pub(crate) use write::{outputs, report};

/// What to do besides simulating.
#[derive(Clone, Copy, Debug, Default)]
pub struct Run {
    /// go on with a run that was stopped
    pub resume: bool,
    /// keep the frames on disk when all is done
    pub keep_frames: bool,
    /// write no files, but for frames while it runs
    pub unwritten: bool,
    /// the amplitude of the motion as it is, where it was measured before
    pub known_amplitude: Option<f64>,
}

/// What is being done.
#[derive(Clone, Copy, Debug)]
pub enum Progress<'a> {
    /// in words
    Doing(&'a str),
    /// frames that are done, of all
    Frames {
        /// how many are done
        done: usize,
        /// of how many
        all: usize,
    },
}

/// What was done; `OUT.report.json` holds the same.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Summary {
    /// what was simulated
    pub input: String,
    /// the animation that was played
    pub clip: Option<String>,
    /// how many
    pub tets: usize,
    /// how many
    pub vertices: usize,
    /// how many bodies that do not hang together
    pub bodies: usize,
    /// how the rig moves the flesh; none without physics
    pub method: Option<MethodKind>,
    /// how many vertices follow the rig
    pub core: usize,
    /// how many conditions keep the flesh out of the rig's reach
    pub rows: usize,
    /// how steps are solved
    pub solver: Option<SolverKey>,
    /// share of the skin's vertices within one element of the volume
    pub coverage: f64,
    /// the lowest natural frequency of the flesh on its core, under its weight and with the dials [Hz]; this and what follows is none
    /// without physics, or where nothing holds the flesh
    pub frequency_hz: Option<f64>,
    /// the frequency that is seen: damping and time steps count [Hz]; none where it does not swing
    pub damped_frequency_hz: Option<f64>,
    /// how long until a wobble is seen to be half as large [s]
    pub half_time_s: Option<f64>,
    /// how far it hangs down at rest: ‖p − X‖ over all vertices [m]
    pub sag: Option<f64>,
    /// inertial amplitude, eq. 5: √(∫⟨M d, d⟩ dt / m) [m √s]
    pub amplitude: Option<f64>,
    /// the amplitude that the dial asks for: its ratio times that of the body as it is
    pub amplitude_asked: Option<f64>,
    /// what was tried to get it: shares of inertia, and the amplitude that each gave
    pub tried: Vec<(f64, f64)>,
    /// χ, on natural frequencies; this and the next are those of the body at the first frame
    pub chi: f64,
    /// μ, on gravity
    pub mu: f64,
    /// c_m, on mass damping
    pub c_m: f64,
    /// c_k, on stiffness damping
    pub c_k: f64,
    /// ε, on inertial forces
    pub epsilon: f64,
    /// how often it was simulated to find them
    pub runs: usize,
    /// static shapes that were solved for
    pub static_shapes: usize,
    /// static shapes that could not be found
    pub static_failures: usize,
    /// how far the flesh turned in a step, as it is felt where more than all of it is [rad]
    pub felt_turn: f64,
    /// frames that are done
    pub frames: usize,
    /// frames that were asked for
    pub frames_asked: usize,
    /// frames per second
    pub fps: f64,
    /// it was stopped before the end
    pub stopped: bool,
    /// Newton iterations in all
    pub iterations: usize,
    /// iterations with a factorization that was kept
    pub solves: usize,
    /// how much larger the character was taken to be
    pub scale: f64,
    /// times [s] of the result at which the character is somewhere else at once
    pub teleports: Vec<f64>,
    /// how far the shapes of a .glb are from the simulated surface at most [m]
    pub shape_error: Option<f64>,
    /// how many shapes a .glb got
    pub shapes: Option<usize>,
    /// what was written
    pub files: Vec<PathBuf>,
    /// of a body that its rig moves as a whole: complementary dynamics
    #[serde(skip_serializing_if = "Option::is_none")]
    pub performed: Option<Performed>,
    /// where the time went
    pub seconds: Seconds,
    /// what was repaired, chosen or left out: whole sentences
    pub notes: Vec<String>,
}

/// Where the time went [s].
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Seconds {
    /// reading files
    pub reading: f64,
    /// filling the surface with tetrahedra
    pub filling: f64,
    /// weights into the volume, the skin onto it
    pub binding: f64,
    /// choosing core and material
    pub choosing: f64,
    /// static shapes
    #[serde(rename = "static")]
    pub static_shapes: f64,
    /// the simulation but for those and `frames`
    pub dynamic: f64,
    /// frames of the vertices: how the flesh turns
    pub frames: f64,
    /// simulated frames to and from the disk
    pub record: f64,
    /// writing files
    pub files: f64,
    /// all of it
    pub total: f64,
}

/// Runs and adds the time it took.
fn timed<T>(clock: &mut f64, run: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = run();
    *clock += start.elapsed().as_secs_f64();
    result
}

/// Simulates a scene and writes its outputs. It stops after the frame in which `stop` becomes true; what is done by then
/// is written.
pub fn simulate(
    scene: &Scene,
    run: &Run,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(Progress),
) -> Result<Summary, Error> {
    if perform::is_act(scene) {
        return perform::perform(scene, run, stop, progress);
    }
    simulate_watched(scene, run, stop, None, progress)
}

/// The same, watched.
pub(crate) fn simulate_watched(
    scene: &Scene,
    run: &Run,
    stop: &AtomicBool,
    mut watch: Option<&mut Watch>,
    progress: &mut dyn FnMut(Progress),
) -> Result<Summary, Error> {
    let start = Instant::now();
    let mut summary = Summary::default();
    let outputs = if run.unwritten { write::nowhere() } else { outputs(scene)? };

    progress(Progress::Doing("reading"));
    let opened = timed(&mut summary.seconds.reading, || open::open(scene))?;
    let puppet = opened.puppet;
    summary.notes = opened.notes;
    (summary.input, summary.clip) = (opened.file.display().to_string(), puppet.clip_name());
    (summary.fps, summary.scale) = (opened.timing.fps, puppet.scale());
    summary.teleports = puppet.jumps().to_vec();

    let volume = match puppet.driven() {
        Some(driven) => timed(&mut summary.seconds.binding, || volume::Volume::given(driven)),
        None => {
            progress(Progress::Doing("filling with tetrahedra"));
            let filled = timed(&mut summary.seconds.filling, || volume::fill(scene, &puppet, &summary.input))?;
            progress(Progress::Doing("binding the flesh to the rig"));
            timed(&mut summary.seconds.binding, || volume::bind(filled, &puppet, &mut summary.notes))
        }
    };
    (summary.tets, summary.vertices) = (volume.mesh.element_count(), volume.mesh.rest.len());
    (summary.bodies, summary.coverage) = (volume.bodies, volume.coverage);

    progress(Progress::Doing("choosing core and material"));
    let mut choosing = 0.0;
    let flesh =
        timed(&mut choosing, || run::prepare(scene, &opened.timing, &puppet, &volume, watch.is_some(), &mut summary))?;
    summary.seconds.choosing = choosing;

    let print = opened.print ^ opened.timing.print();
    let frames_file = write::beside(&outputs[0], "frames");
    let search_file = write::beside(&outputs[0], "search");
    summary.frames_asked = opened.timing.frames(puppet.duration());
    let tolerance = scene.dials.matched.unwrap_or(true).then_some(MATCH.value(plain(&scene.dials.tolerance))?);
    let mut search =
        Search::new(scene.dials.plain_inertia, flesh.plan.as_ref().is_none_or(|plan| plan.is_one()), tolerance);
    if let (Some(known), Some(plan)) = (run.known_amplitude, &flesh.plan)
        && plan.is_constant()
        && plan.places.is_empty()
    {
        // without better knowledge, a motion of short pushes: METHODS A14
        let foreseen = watch.as_ref().and_then(|watch| flesh.foresee(plan, &watch.pushes));
        let first =
            foreseen.map_or_else(|| plan.factor(0.0).chi / plan.dials.damping.at(0.0).sqrt(), |ratio| 1.0 / ratio);
        search.know(known * plan.dials.amplitude.at(0.0), first);
    }
    if let Some(ratio) = flesh.plan.as_ref().and_then(Plan::only_amplitude) {
        search.only_amplitude(ratio);
    }
    let mut resume = run.resume;
    if resume {
        search = Search::read(&search_file).unwrap_or(search);
    } else if frames_file.exists() {
        let what =
            "The frames of an earlier run that was stopped were replaced; --resume would have gone on with them.";
        summary.notes.push(what.into());
    }
    let mut record;
    let ended = loop {
        let Some(attempt) = search.next() else {
            // only where a run was stopped after its last frame
            record = Record::resume(&frames_file, print, volume.mesh.rest.len())?;
            break Ok(());
        };
        // each attempt has frames of its own
        let number = search.runs as u64;
        record = match std::mem::take(&mut resume) {
            true => Record::resume(&frames_file, print ^ number, volume.mesh.rest.len())?,
            false => Record::create(&frames_file, print ^ number, volume.mesh.rest.len())?,
        };
        search.write(&search_file)?;
        if search.wanted().is_some() || !search.is_idle() {
            progress(Progress::Doing(match attempt {
                Attempt::AsItIs => "measuring the flesh as it is",
                Attempt::Adjusted(_) => "matching the amplitude",
            }));
        }
        if let Some(plan) = &flesh.plan {
            let as_it_is = Plan { dials: Dials::default(), places: vec![], ..plan.clone() };
            let plan = match attempt {
                Attempt::AsItIs => as_it_is,
                Attempt::Adjusted(inertia) => Plan { inertia, ..plan.clone() },
            };
            run::describe(&plan, &mut summary);
        }
        let ended = run::frames(
            &flesh,
            attempt,
            &opened.timing,
            &puppet,
            &volume,
            &mut record,
            stop,
            &mut summary,
            &mut watch,
            progress,
        );
        match ended {
            Ok(Some(outcome)) => search.done(attempt, outcome),
            Ok(None) => {
                if attempt == Attempt::AsItIs && !search.is_idle() {
                    let what = "It was stopped while the flesh was measured as it is: the files hold that motion, without the dials.";
                    summary.notes.push(what.into());
                }
                break Ok(());
            }
            Err(error) => break Err(error),
        }
        if search.next().is_none() {
            break Ok(());
        }
    };
    (summary.runs, summary.amplitude_asked) = (search.runs, search.wanted());
    summary.tried = search.tried.clone();
    if let (Some(off), Some(tolerance)) = (search.off(), tolerance)
        && off > tolerance
    {
        summary.notes.push(format!(
            "After {} simulations the amplitude is {:.1}% off what was asked for. Flesh that is thrown about answers more evenly in shorter \
             steps (--substeps {}); else ask for less of a change.",
            search.runs,
            100.0 * off,
            2 * opened.timing.substeps
        ));
    }
    // more than a radian is not seen as what it is
    if summary.felt_turn > 1.0 {
        let substeps = (opened.timing.substeps as f64 * summary.felt_turn / 0.7).ceil();
        summary.notes.push(format!(
            "In a step the flesh turns by up to {:.0}° and feels {:.1} times the inertia of that; --substeps {substeps} follows it better.",
            summary.felt_turn.to_degrees() / summary.epsilon,
            summary.epsilon,
        ));
    }
    if summary.static_failures > 0 {
        summary.notes.push(format!(
            "In {} steps the flesh had no shape at rest that could be found; there the last one was carried along.",
            summary.static_failures
        ));
    }
    summary.frames = record.frames();
    summary.stopped = ended.is_ok() && search.next().is_some();

    let mut result = ended;
    if summary.frames > 0 {
        progress(Progress::Doing("writing"));
        let written = timed(&mut summary.seconds.files, || {
            let mut shown = shown::Shown { record: &mut record, puppet: &puppet, volume: &volume, fps: summary.fps };
            if let Some(watch) = watch {
                let frames = (0..summary.frames).map(|k| Ok(formats::Frames::frame(&mut shown, k)?.concat()));
                watch.frames = frames.collect::<Result<_, Error>>()?;
                watch.triangles = write::triangles(&puppet);
            }
            if run.unwritten {
                return Ok(write::Written::default());
            }
            write::write(scene, &outputs, shown, summary.stopped || result.is_err())
        });
        match written {
            Ok(written) => {
                summary.files = written.files;
                summary.notes.extend(written.notes);
                (summary.shape_error, summary.shapes) = (written.error, written.shapes);
            }
            Err(error) if result.is_ok() => result = Err(error),
            Err(_) => {} // the first error is the one to tell
        }
    }
    if run.unwritten || (result.is_ok() && !summary.stopped && !run.keep_frames) {
        record.remove();
        let _ = std::fs::remove_file(&search_file); // if it cannot be removed, nothing is lost
    }
    result?;
    summary.seconds.total = start.elapsed().as_secs_f64();
    if !run.unwritten {
        report(&outputs[0], &mut summary)?;
    }
    Ok(summary)
}
