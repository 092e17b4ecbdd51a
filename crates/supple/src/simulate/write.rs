//! Frames into files.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use formats::{FormatError, Frames, GlbClip, GlbMotion, GlbSummary, ShapeBudget, Take, TakePart};
use rig::Playback;

use super::Summary;
use super::puppet::{Acted, Puppet};
use super::shown::Shown;
use crate::Error;
use crate::params::TOLERANCE;
use crate::scene::{Scene, ShapesKey, plain};

/// What was written.
#[derive(Default)]
pub(crate) struct Written {
    pub files: Vec<PathBuf>,
    pub notes: Vec<String>,
    /// of shapes [m]
    pub error: Option<f64>,
    pub shapes: Option<usize>,
}

impl Written {
    fn add(&mut self, shapes: GlbSummary) {
        self.error = Some(self.error.unwrap_or(0.0).max(shapes.largest_error));
        self.shapes = Some(self.shapes.unwrap_or(0) + shapes.shapes);
        self.notes.extend(shapes.notes);
    }
}

/// The files that the scene asks for; each can be written.
pub(crate) fn outputs(scene: &Scene) -> Result<Vec<PathBuf>, Error> {
    let outputs: Vec<PathBuf> = scene.output.file.iter().chain(&scene.output.files).cloned().collect();
    if outputs.is_empty() {
        return Err(Error::Asked("Say where the result goes: -o NAME.glb, or file = \"…\" under [output].".into()));
    }
    for (k, file) in outputs.iter().enumerate() {
        formats::check_output(file)?;
        if outputs[..k].iter().any(|other| whole(other) == whole(file)) {
            return Err(Error::Asked(format!("{} is named twice as an output.", file.display())));
        }
        let inputs = [&scene.character.file, &scene.character.cache, &scene.character.motion, &scene.character.skin];
        let frames = scene.character.cache.as_ref().and_then(|cache| formats::obj_sequence_files(cache).ok());
        let frames = frames.unwrap_or_default();
        if inputs.into_iter().flatten().chain(&frames).any(|input| is_written(input, file)) {
            return Err(Error::Asked(format!(
                "the result would overwrite its own input. Choose another name with -o.\n({})",
                file.display()
            )));
        }
    }
    Ok(outputs)
}

/// A place for the frames of a run that writes nothing.
pub(crate) fn nowhere() -> Vec<PathBuf> {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let name = format!("supple-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    vec![std::env::temp_dir().join(name)]
}

/// The path from the root, also of a file that is not there yet.
fn whole(file: &Path) -> PathBuf {
    let folder = match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    folder.canonicalize().unwrap_or(folder.into()).join(file.file_name().unwrap_or_default())
}

/// Whether writing the output could overwrite the input: the same file, or one of a sequence (OUT_0001.obj, OUT.NAME.pc2).
fn is_written(input: &Path, output: &Path) -> bool {
    let (input, output) = (whole(input), whole(output));
    let (of, to) = (input.extension().unwrap_or_default(), output.extension().unwrap_or_default());
    let stem = |file: &Path| file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let rest = stem(&input).strip_prefix(&stem(&output)).map(str::to_string);
    let number = |rest: &str| rest.strip_prefix('_').is_some_and(|digits| digits.bytes().all(|b| b.is_ascii_digit()));
    let ending = to.to_string_lossy().to_lowercase();
    let numbered = rest.is_some_and(|rest| match ending.as_str() {
        "obj" => rest.is_empty() || number(&rest),
        "pc2" | "mdd" => rest.is_empty() || rest.starts_with('.'),
        _ => rest.is_empty(),
    });
    input.parent() == output.parent() && of.eq_ignore_ascii_case(to) && numbered
}

/// A file beside an output: OUT.frames, OUT.report.json.
pub(crate) fn beside(output: &Path, ending: &str) -> PathBuf {
    let mut name = output.as_os_str().to_owned();
    name.push(".");
    name.push(ending);
    name.into()
}

/// Writes the outputs one after the other; if one fails, the others are still tried, and the first error is told.
pub(crate) fn write(scene: &Scene, outputs: &[PathBuf], mut shown: Shown, partial: bool) -> Result<Written, Error> {
    let mut written = Written::default();
    let mut first_error = None;
    for output in outputs {
        let puppet = shown.puppet;
        let from_gltf = puppet.acted().and_then(|acted| Some((acted, acted.gltf.as_deref()?)));
        let result = match from_gltf {
            Some((acted, input)) if is_glb(output) => character(scene, acted, input, output, &mut shown, &mut written),
            _ => take(scene, output, &mut shown, &mut written),
        };
        if let Err(error) = result {
            first_error.get_or_insert(error);
        }
    }
    if partial {
        written.notes.push("The files hold the frames that were done.".into());
    }
    first_error.map_or(Ok(written), Err)
}

fn is_glb(file: &Path) -> bool {
    file.extension().is_some_and(|e| e.eq_ignore_ascii_case("glb"))
}

/// As how many shapes a puppet's motion is written, in the size of the file.
fn budget(scene: &Scene, puppet: &Puppet) -> Result<ShapeBudget, Error> {
    const MOST: usize = 200;
    let size = puppet.size() / puppet.scale();
    Ok(match scene.output.shapes.unwrap_or_default() {
        ShapesKey::PerFrame => ShapeBudget::PerFrame,
        ShapesKey::Principal => {
            let tolerance = size * TOLERANCE.value(plain(&scene.output.tolerance))?;
            ShapeBudget::Principal { tolerance, most: MOST }
        }
    })
}

/// The character's own file, with shapes.
fn character(
    scene: &Scene,
    acted: &Acted,
    input: &Path,
    output: &Path,
    shown: &mut Shown,
    written: &mut Written,
) -> Result<(), Error> {
    let character = formats::read_gltf(input)?; // in its own size
    let budget = budget(scene, shown.puppet)?;
    let (fps, count) = (shown.fps, shown.record.frames());
    let plays_on = acted.playback.speed == 1.0 && acted.playback.loops == 1;
    let baked = Playback { preroll: 0.0, ..acted.playback.clone() };
    let pose = |frame: usize| baked.sample(&character, &character.rest_pose(), &acted.clip, frame as f64 / fps);
    let times: Vec<f64> = (0..count).map(|k| acted.playback.clip_time(k as f64 / fps)).collect();
    // in the middle of a jump the clip waits
    let rises = times.windows(2).all(|t| (t[1] as f32) > t[0] as f32);
    let clip = match acted.number {
        Some(clip) if plays_on && rises => GlbClip::Artist { clip, times },
        _ => {
            let name = if acted.clip.name.is_empty() { "Supple" } else { &acted.clip.name };
            GlbClip::Baked { name: format!("{name} (Supple)"), fps, pose: &pose }
        }
    };
    let mut frames = Displaced(shown);
    let summary = formats::write_character(input, output, &character, GlbMotion { clip, budget, frames: &mut frames })?;
    written.files.push(output.into());
    written.add(summary);
    Ok(())
}

/// Positions, whatever they came from.
fn take(scene: &Scene, output: &Path, shown: &mut Shown, written: &mut Written) -> Result<(), Error> {
    let take = Take { name: name_of(output), fps: shown.fps, parts: parts(shown.puppet) };
    if is_glb(output) {
        let budget = budget(scene, shown.puppet)?;
        written.add(formats::write_take_glb(&take, shown, output, budget)?);
        written.files.push(output.into());
    } else {
        let done = formats::write_take(output, &take, shown)?;
        written.files.extend(done.files);
        written.notes.extend(done.notes);
    }
    Ok(())
}

fn name_of(file: &Path) -> String {
    file.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// The triangles of all surfaces of a puppet, whose vertices follow each other.
pub(super) fn triangles(puppet: &Puppet) -> Vec<[u32; 3]> {
    let (mut all, mut first) = (vec![], 0);
    for part in parts(puppet) {
        all.extend(part.corners.chunks_exact(3).map(|t| [t[0] + first, t[1] + first, t[2] + first]));
        first += part.vertices as u32;
    }
    all
}

/// The surfaces of a puppet, each with a name of its own.
fn parts(puppet: &Puppet) -> Vec<TakePart> {
    const COLOR: [f32; 3] = [0.85, 0.42, 0.36];
    let part = |name: &str, triangles: &[[u32; 3]], vertices: usize, uv: Vec<[f64; 2]>| TakePart {
        name: name.into(),
        sizes: vec![3; triangles.len()],
        corners: triangles.as_flattened().to_vec(),
        vertices,
        uv,
        color: COLOR,
    };
    let mut parts: Vec<TakePart> = match (puppet.acted(), puppet.cached()) {
        (Some(acted), _) => {
            let shown = acted.character.parts.iter().map(|p| {
                let uv = p.attributes.iter().find(|a| a.name == "TEXCOORD_0" && a.width == 2);
                // glTF counts v from above
                let uv = uv.map_or(vec![], |a| a.values.chunks_exact(2).map(|uv| [uv[0], 1.0 - uv[1]]).collect());
                part(&p.name, &p.surface.triangles, p.surface.x.len(), uv)
            });
            shown.collect()
        }
        (None, Some(cached)) => vec![part(&cached.name, &cached.surface.triangles, cached.surface.x.len(), vec![])],
        (None, None) => {
            let driven = puppet.driven().into_iter();
            driven.map(|d| part(&d.name, &d.skin.triangles, d.skin.x.len(), vec![])).collect()
        }
    };
    for k in 0..parts.len() {
        let plain = if parts[k].name.is_empty() { "part".to_string() } else { parts[k].name.clone() };
        let (mut name, mut number) = (plain.clone(), 1);
        while parts[..k].iter().any(|other| other.name == name) {
            number += 1;
            name = format!("{plain} {number}");
        }
        parts[k].name = name;
    }
    parts
}

/// How far the flesh has moved the skin.
struct Displaced<'s, 'a>(&'s mut Shown<'a>);

impl Frames for Displaced<'_, '_> {
    fn count(&self) -> usize {
        self.0.record.frames()
    }
    fn frame(&mut self, k: usize) -> Result<Vec<Vec<math::Vect<3>>>, FormatError> {
        self.0.displacements(k)
    }
}

/// Writes OUT.report.json.
pub(crate) fn report(output: &Path, summary: &mut Summary) -> Result<(), Error> {
    let file = beside(output, "report.json");
    summary.files.push(file.clone());
    let text = serde_json::to_string_pretty(summary).unwrap_or_default();
    Ok(formats::write_text(&file, &text)?)
}
