//! All examples, with pictures and times.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use super::show::Motion;
use super::{Target, is_act, perform_into};
use crate::scene::Scene;
use crate::simulate::{Watch, simulate_watched};
use crate::{Error, Progress, Run, Summary};

/// One example of the gallery.
pub struct Shot {
    /// the name of its scene
    pub name: String,
    /// what it took; why it could not be done
    pub summary: Result<Summary, Error>,
}

/// What the paper reports of an example [ZBLJ20, table 1]: vertices, rig parameters, and seconds for a frame.
const PAPER: [(&str, usize, usize, f64); 10] = [
    ("amoeba", 4918, 6, 0.06),
    ("bird", 639, 18, 0.38),
    ("carpet", 239, 18, 0.12),
    ("daisy", 702, 6, 0.42),
    ("elephant", 8919, 288, 38.1),
    ("fish", 6142, 24, 14.8),
    ("hedgehog", 1528, 24, 0.89),
    ("twist", 1519, 16, 4.61),
    ("walrus", 1559, 18, 0.14),
    ("worm", 438, 6, 0.05),
];

/// Performs the scenes and draws each beside its rig alone, as NAME.gif and NAME.png.
pub fn gallery(
    scenes: &[PathBuf],
    folder: &Path,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(&str, Progress),
) -> Result<Vec<Shot>, Error> {
    let unmade = |e: std::io::Error| Error::Asked(format!("the folder cannot be made: {e}.\n({})", folder.display()));
    std::fs::create_dir_all(folder).map_err(unmade)?;
    let mut shots = vec![];
    for file in scenes {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let target = Target { outputs: &[], pictures: Some((folder, &name)) };
        let summary = Scene::read(file).and_then(|scene| match is_act(&scene) {
            true => perform_into(&scene, &target, stop, &mut |shown| progress(&name, shown)),
            false => character(&scene, folder, &name, stop, &mut |shown| progress(&name, shown)),
        });
        shots.push(Shot { name, summary });
    }
    Ok(shots)
}

/// A character in a file, with flesh and without.
fn character(
    scene: &Scene,
    folder: &Path,
    name: &str,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(Progress),
) -> Result<Summary, Error> {
    let run = Run { unwritten: true, ..Run::default() };
    let mut alone = scene.clone();
    alone.method.no_physics = true;
    let (mut rig, mut flesh) = (Watch::default(), Watch::default());
    simulate_watched(&alone, &run, stop, Some(&mut rig), progress)?;
    let summary = simulate_watched(scene, &run, stop, Some(&mut flesh), progress)?;
    let placed = |k: usize| [rig.frames[k].clone(), flesh.frames[k].clone()];
    let count = rig.frames.len().min(flesh.frames.len());
    let motion = Motion { flat: false, triangles: &flesh.triangles, dt: 1.0 / summary.fps, count, placed: &placed };
    motion.draw(folder, name)?;
    Ok(summary)
}

/// The times as Markdown. The paper's are for its own machine and its own, partly different, meshes.
pub fn table(shots: &[Shot]) -> String {
    let mut out = String::from(
        "| example | vertices | elements | rig parameters | frames | most elements inside out | ms per frame | paper: vertices, parameters | paper: ms per frame |\n\
         |---|--:|--:|--:|--:|--:|--:|--:|--:|\n",
    );
    for Shot { name, summary } in shots {
        let paper = PAPER.iter().find(|row| row.0 == name);
        let paper = paper.map_or("– | –".into(), |(_, n, m, s)| format!("{n}, {m} | {:.0}", 1e3 * s));
        match summary {
            Ok(Summary { vertices, frames, performed: Some(p), .. }) => {
                let (elements, parameters, inverted, ms) = (p.elements, p.parameters, p.inverted, p.ms_per_frame);
                let of_body = format!("{vertices} | {elements} | {parameters}");
                let _ = writeln!(out, "| {name} | {of_body} | {frames} | {inverted} | {ms:.1} | {paper} |");
            }
            Ok(s) => {
                let ms =
                    1e3 * (s.seconds.dynamic + s.seconds.static_shapes + s.seconds.frames) / s.frames.max(1) as f64;
                let (vertices, tets, rows, frames) = (s.vertices, s.tets, s.rows, s.frames);
                let _ = writeln!(out, "| {name} | {vertices} | {tets} | {rows} | {frames} | – | {ms:.1} | {paper} |");
            }
            Err(error) => {
                let why = error.to_string().replace('\n', " ");
                let _ = writeln!(out, "| {name} | not done: {why} | | | | | | {paper} |");
            }
        }
    }
    out
}
