//! The built-in examples of the dials: the same motion with one dial turned after the other, side by side on one page.

mod figures;
mod measured;
mod setup;
mod table;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::scene::{DialKeys, Scene};
use crate::simulate::{Watch, simulate_watched};
use crate::{Error, Page, Progress, Run, Summary, View};
use measured::Measured;
use setup::{Setup, setup};

pub use table::dials_table;

/// A built-in example of the dials.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Example {
    /// four vertices at its foot are yanked to the right, and stopped
    Sunflower,
    /// a rigid core that spins and swims, without gravity
    Jellyfish,
    /// a heavy body on a skeleton that stomps
    Sumo,
    /// an elephant with soft ears and trunk
    Jellyphant,
}

impl Example {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Sunflower, Self::Jellyfish, Self::Sumo, Self::Jellyphant];

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sunflower => "sunflower",
            Self::Jellyfish => "jellyfish",
            Self::Sumo => "sumo",
            Self::Jellyphant => "jellyphant",
        }
    }

    /// The ratios of frequency, amplitude, sag and damping that are shown side by side.
    fn variants(self) -> &'static [[f64; 4]] {
        match self {
            Self::Sunflower => {
                &[[1.0, 0.5, 1.0, 1.0], [1.0, 2.0, 1.0, 1.0], [2.0, 1.0, 1.0, 1.0], [1.0, 1.0, 3.0, 1.0]]
            }
            Self::Jellyfish => &[[1.0, 2.0, 1.0, 1.0], [0.5, 1.0, 1.0, 1.0]],
            Self::Sumo => &[[0.5, 1.0, 1.0, 1.0], [1.0, 2.0, 1.0, 1.0]],
            Self::Jellyphant => &[[1.0, 0.0, 0.0, 1.0], [1.0, 2.0, 1.0, 1.0]],
        }
    }
}

/// What an example made.
#[derive(Clone, Debug, Default)]
pub struct Shown {
    /// of the motion as it is, then of each variant
    pub summaries: Vec<(String, Summary)>,
    /// all that was written; the page is the last
    pub files: Vec<PathBuf>,
    /// it was stopped before the end
    pub stopped: bool,
}

/// One motion of an example.
struct Take {
    name: String,
    dials: [f64; 4],
    summary: Summary,
    watch: Watch,
}

/// What dials are called: "frequency 2, sag 3".
fn called(dials: &[f64; 4]) -> String {
    let names = ["frequency", "amplitude", "sag", "damping"];
    let turned = names.iter().zip(dials).filter(|(_, ratio)| **ratio != 1.0);
    let words: Vec<String> = turned.map(|(name, ratio)| format!("{name} {ratio}")).collect();
    if words.is_empty() { "as it is".into() } else { words.join(", ") }
}

/// The scene with these dials.
fn turned(scene: &Scene, [frequency, amplitude, sag, damping]: [f64; 4]) -> Scene {
    let dial = |ratio: f64| (ratio != 1.0).then(|| ratio.into());
    let mut scene = scene.clone();
    scene.dials = DialKeys {
        frequency: dial(frequency),
        amplitude: dial(amplitude),
        sag: dial(sag),
        damping: dial(damping),
        ..scene.dials
    };
    scene
}

/// Writes an example's model and scene into a folder; returns the scene.
pub fn write_example(example: Example, folder: &Path) -> Result<PathBuf, Error> {
    setup(example, folder)?;
    Ok(folder.join(format!("{}.toml", example.name())))
}

/// Simulates an example as it is and with its dials turned; writes .glb files, scenes and a page into the folder.
pub fn show(
    example: Example,
    folder: &Path,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(&str, Progress),
) -> Result<Shown, Error> {
    let setup = setup(example, folder)?;
    let mut shown = Shown { files: setup.files.clone(), ..Shown::default() };
    let mut takes: Vec<Take> = vec![];
    let all = std::iter::once(&[1.0; 4]).chain(example.variants());
    for dials in all {
        let name = called(dials);
        let file = match dials == &[1.0; 4] {
            true => folder.join(format!("{}-soft.glb", example.name())),
            false => folder.join(format!("{}-{}.glb", example.name(), name.replace(", ", "-").replace(' ', "-"))),
        };
        let mut scene = turned(&setup.scene, *dials);
        scene.output.file = Some(file);
        let mut watch = Watch::default();
        if let Some(base) = takes.first() {
            watch.pushes.clone_from(&base.watch.pushes);
        }
        let said = name.clone();
        let known_amplitude = takes.first().and_then(|take| take.summary.amplitude);
        let run = Run { known_amplitude, ..Run::default() };
        let summary = simulate_watched(&scene, &run, stop, Some(&mut watch), &mut |now| progress(&said, now))?;
        shown.files.extend(summary.files.iter().cloned());
        shown.summaries.push((name.clone(), summary.clone()));
        takes.push(Take { name, dials: *dials, summary, watch });
        if stop.load(Ordering::SeqCst) {
            shown.stopped = true;
            break;
        }
    }
    let page = page(example, &setup, takes, stop, progress)?;
    let file = folder.join(format!("{}.html", example.name()));
    formats::write_text(&file, &page.html())?;
    shown.files.push(file);
    Ok(shown)
}

fn page(
    example: Example,
    setup: &Setup,
    mut takes: Vec<Take>,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(&str, Progress),
) -> Result<Page, Error> {
    let fps = takes.first().map_or(24.0, |take| take.summary.fps);
    let mut views = vec![];
    for take in &mut takes {
        let s = &take.summary;
        let caption = format!(
            "{}: {:.2} Hz, half-time {:.2} s, amplitude {:.4} m√s, sag {:.3} m; χ {:.3}, μ {:.3}, ε {:.3}; {}",
            take.name,
            s.damped_frequency_hz.unwrap_or(0.0),
            s.half_time_s.unwrap_or(0.0),
            s.amplitude.unwrap_or(0.0),
            s.sag.unwrap_or(0.0),
            s.chi,
            s.mu,
            s.epsilon,
            if s.runs == 1 { "one simulation".into() } else { format!("{} simulations", s.runs) },
        );
        views.push(View {
            caption,
            triangles: setup.triangles.clone(),
            frames: std::mem::take(&mut take.watch.frames),
            colours: setup.colours.clone(),
        });
    }
    let mut plots = vec![figures::ringing(&takes)];
    let mut tables = vec![measured::table(&takes, setup.rest)];
    let done = takes.into_iter().map(|take| (take.dials, take.summary, take.watch)).collect();
    let mut bench = Bench { setup, stop, done };
    if !stop.load(Ordering::SeqCst) {
        match example {
            Example::Sunflower => {
                plots.extend(figures::one_dial_each(&mut bench, progress)?);
                let (sag, amplitude) = figures::interplay(&mut bench, progress)?;
                plots.extend(sag);
                plots.extend(amplitude);
            }
            Example::Jellyfish => plots.extend(figures::user_story(&mut bench, progress)?),
            Example::Sumo | Example::Jellyphant => {}
        }
    }
    tables.retain(|table| !table.rows.is_empty());
    Ok(Page {
        title: format!("Supple: the {}, and its dials", example.name()),
        intro: format!(
            "The same motion, with frequency, inertial amplitude, gravity sag and damping set one by one. {} \
             Amplitude is that of Eq. 5 of Wang, Zheng and Barbič, “Adjustable Constrained Soft-Tissue Dynamics”; each ratio is to the \
             motion as it is. Made by `supple demo {}`.",
            match example {
                Example::Sunflower =>
                    "Four vertices at its foot are moved to the right from the first frame and stopped at frame 150.",
                Example::Jellyfish => "Its core spins and swims; there is no gravity.",
                Example::Sumo => "He stomps twice; his skeleton moves a core around his bones, his flesh hangs on it.",
                Example::Jellyphant => "It romps; its ears and trunk have amplitudes of their own.",
            },
            example.name()
        ),
        fps,
        views,
        plots,
        tables,
    })
}

/// Motions of an example that were measured, each once.
struct Bench<'a> {
    setup: &'a Setup,
    stop: &'a AtomicBool,
    done: Vec<([f64; 4], Summary, Watch)>,
}

impl Bench<'_> {
    /// The motion with these dials; none where it was stopped.
    fn measure(
        &mut self,
        dials: [f64; 4],
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Option<(&Summary, &Watch)>, Error> {
        if !self.done.iter().any(|(known, ..)| *known == dials) {
            let base = self.done.iter().find(|(known, ..)| *known == [1.0; 4]);
            let base = base.map(|(_, summary, watch)| (summary, watch));
            let (summary, watch) = measure_scene(turned(&self.setup.scene, dials), base, self.stop, progress)?;
            if self.stop.load(Ordering::SeqCst) {
                return Ok(None);
            }
            self.done.push((dials, summary, watch));
        }
        Ok(self.done.iter().find(|(known, ..)| *known == dials).map(|(_, summary, watch)| (summary, watch)))
    }
}

/// A scene's motion, without files to keep; with that of the same scene without dials, where it is known.
fn measure_scene(
    mut scene: Scene,
    base: Option<(&Summary, &Watch)>,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(Progress),
) -> Result<(Summary, Watch), Error> {
    scene.output.file = None;
    scene.output.files = vec![];
    let mut watch = Watch::default();
    if let Some((_, base)) = base {
        watch.pushes.clone_from(&base.pushes);
    }
    let known_amplitude = base.and_then(|(summary, _)| summary.amplitude);
    let run = Run { unwritten: true, known_amplitude, ..Run::default() };
    let summary = simulate_watched(&scene, &run, stop, Some(&mut watch), progress)?;
    Ok((summary, watch))
}
