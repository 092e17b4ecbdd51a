//! From a scene to files: open, fill, bind, choose the flesh, simulate, write. One file per stage.

mod core;
mod open;
mod place;
mod puppet;
mod run;
mod shown;
mod tissue;
mod volume;
mod write;

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use serde::Serialize;

use crate::Error;
use crate::record::Record;
use crate::scene::Scene;

pub use open::rest_surface;

/// What to do besides simulating.
#[derive(Clone, Copy, Debug, Default)]
pub struct Run {
    /// go on with a run that was stopped
    pub resume: bool,
    /// keep the frames on disk when all is done
    pub keep_frames: bool,
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
    /// how many vertices follow the rig
    pub core: usize,
    /// share of the skin's vertices within one element of the volume
    pub coverage: f64,
    /// the lowest natural frequency of the flesh on its core [Hz]; none without flesh or with `no_physics`
    pub frequency_hz: Option<f64>,
    /// how long until a wobble is half as large [s]
    pub half_time_s: f64,
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
    /// the simulation
    pub dynamic: f64,
    /// frames to and from the disk
    pub frames: f64,
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
    let start = Instant::now();
    let mut summary = Summary::default();
    let outputs = write::outputs(scene)?;

    progress(Progress::Doing("reading"));
    let opened = timed(&mut summary.seconds.reading, || open::open(scene))?;
    let puppet = opened.puppet;
    summary.notes = opened.notes;
    (summary.input, summary.clip) = (opened.file.display().to_string(), puppet.clip_name());
    (summary.fps, summary.scale) = (opened.timing.fps, puppet.scale());
    summary.teleports = puppet.jumps().to_vec();

    progress(Progress::Doing("filling with tetrahedra"));
    let filled = timed(&mut summary.seconds.filling, || volume::fill(scene, &puppet, &summary.input))?;
    progress(Progress::Doing("binding the flesh to the rig"));
    let volume = timed(&mut summary.seconds.binding, || volume::bind(filled, &puppet, &mut summary.notes));
    (summary.tets, summary.vertices) = (volume.mesh.element_count(), volume.mesh.rest.len());
    (summary.bodies, summary.coverage) = (volume.bodies, volume.coverage);

    progress(Progress::Doing("choosing core and material"));
    let mut choosing = 0.0;
    let flesh = timed(&mut choosing, || run::prepare(scene, &opened.timing, &puppet, &volume, &mut summary))?;
    summary.seconds.choosing = choosing;

    let print = opened.print ^ opened.timing.print();
    let frames_file = write::beside(&outputs[0], "frames");
    let mut record = if run.resume {
        Record::resume(&frames_file, print, volume.mesh.rest.len())?
    } else {
        if frames_file.exists() {
            let what =
                "The frames of an earlier run that was stopped were replaced; --resume would have gone on with them.";
            summary.notes.push(what.into());
        }
        Record::create(&frames_file, print, volume.mesh.rest.len())?
    };
    summary.frames_asked = opened.timing.frames(puppet.duration());
    let ended = run::frames(&flesh, &opened.timing, &puppet, &volume, &mut record, stop, &mut summary, progress);
    summary.frames = record.frames();
    summary.stopped = ended.is_ok() && summary.frames < summary.frames_asked;

    let mut result = ended;
    if summary.frames > 0 {
        progress(Progress::Doing("writing"));
        let written = timed(&mut summary.seconds.files, || {
            let shown = shown::Shown { record: &mut record, puppet: &puppet, volume: &volume, fps: summary.fps };
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
    result?;
    summary.seconds.total = start.elapsed().as_secs_f64();
    write::report(&outputs[0], &mut summary)?;
    if !summary.stopped && !run.keep_frames {
        record.remove();
    }
    Ok(summary)
}
