//! What is written: which motion, and as how many shapes.

use super::shapes::{Delta, Shapes};
use super::unskin::{damped_inverse, stretch};
use crate::{FormatError, Frames, Place};
use math::{Small, Vect};
use rig::{Character, Curve, Interpolation, Pose, Target};
use std::path::Path;

/// The simulated motion of a character.
pub struct GlbMotion<'a> {
    /// the motion under it
    pub clip: GlbClip<'a>,
    /// as how many shapes it is written
    pub budget: ShapeBudget,
    /// how far each vertex of each part is from where the artist's posed skin has it [m], in the world; an empty list for
    /// a part that does not move. Read twice: once to write it, once to measure what was written.
    pub frames: &'a mut dyn Frames,
}

/// The motion of the skeleton.
pub enum GlbClip<'a> {
    /// The artist's clip as it is, played once: only the weights of shapes are added to it.
    Artist {
        /// which
        clip: usize,
        /// the clip's time at each frame [s], rising
        times: Vec<f64>,
    },
    /// Anything else (other speed, loops, preroll, motion capture): a new clip with keys at the frames.
    Baked {
        /// of the new clip
        name: String,
        /// frames per second; frame k is at the time k / fps
        fps: f64,
        /// the pose at a frame
        pose: &'a dyn Fn(usize) -> Pose,
    },
}

/// As how many shapes motion is written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ShapeBudget {
    /// One for each frame: exact, and large.
    PerFrame,
    /// As few as bring every vertex of every frame within a tolerance.
    Principal {
        /// how far from its place a vertex may be [m], in the world
        tolerance: f64,
        /// never more shapes than this per part, even if the tolerance then does not hold
        most: usize,
    },
}

/// What was written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GlbSummary {
    /// all shapes added, of all parts
    pub shapes: usize,
    /// no vertex of any frame is farther from its place [m]: measured on what was written
    pub largest_error: f64,
    /// what was mended, left out, or could not be written as it should, for the artist
    pub notes: Vec<String>,
}

/// A part that moves, and how.
pub(super) struct Moved {
    pub part: usize,
    pub shapes: Shapes,
    pub per_frame: bool,
}

/// Larger displacements than this, in the mesh's units, have flown off.
const LARGEST: f64 = 1e30;

impl GlbMotion<'_> {
    /// The time of each frame in the clip.
    pub(super) fn times(&self, character: &Character, out: &Path) -> Result<Vec<f32>, FormatError> {
        let count = self.frames.count();
        if count == 0 {
            return Err(FormatError::Nothing { what: "the animation has no frames", file: out.into() });
        }
        let (times, fps) = match &self.clip {
            GlbClip::Artist { clip, times } if times.len() == count && *clip < character.clips.len() => {
                let rate = |pair: &[f64]| 1.0 / (pair[1] - pair[0]);
                (times.clone(), times.windows(2).map(rate).next().unwrap_or(1.0))
            }
            GlbClip::Artist { clip, times } => {
                let what = format!(
                    "{count} frames with {} times were to be written into clip {clip}, but the character has {} clips",
                    times.len(),
                    character.clips.len()
                );
                return Err(FormatError::malformed(what, Place::Unknown, out));
            }
            GlbClip::Baked { fps, .. } if !(*fps > 0.0 && fps.is_finite()) => {
                return Err(FormatError::BadRate { fps: *fps, file: out.into() });
            }
            GlbClip::Baked { fps, .. } => ((0..count).map(|k| k as f64 / fps).collect(), *fps),
        };
        let times: Vec<f32> = times.into_iter().map(|t| t as f32).collect();
        let rises = times.windows(2).all(|t| t[1] > t[0]) && times.iter().all(|t| t.is_finite() && *t >= 0.0);
        if rises { Ok(times) } else { Err(FormatError::BadRate { fps, file: out.into() }) }
    }

    fn pose(&self, character: &Character, frame: usize) -> Pose {
        match &self.clip {
            GlbClip::Artist { clip, times } => character.pose(&character.clips[*clip], times[frame]),
            GlbClip::Baked { pose, .. } => pose(frame),
        }
    }

    /// How the artist's own shapes of a part move; none where they do not.
    pub(super) fn artist_weights(&self, character: &Character, part: usize, times: &[f32]) -> Option<Curve> {
        let width = character.parts[part].shapes.len();
        match &self.clip {
            GlbClip::Artist { clip, .. } => {
                let mut channels = character.clips[*clip].channels.iter();
                channels.find(|c| c.target == Target::Weights(character.parts[part].node)).map(|c| c.curve.clone())
            }
            GlbClip::Baked { pose, .. } => {
                let weights = |frame| {
                    let mut weights = pose(frame).shape_weights.get(part).cloned().unwrap_or_default();
                    weights.resize(width, 0.0);
                    weights
                };
                let values: Vec<f64> = (0..times.len()).flat_map(weights).collect();
                let times = times.iter().map(|&t| t.into()).collect();
                (width > 0).then_some(Curve { times, width, values, interpolation: Interpolation::Linear })
            }
        }
    }

    /// The displacements of a frame, checked.
    fn frame(&mut self, character: &Character, frame: usize, out: &Path) -> Result<Vec<Vec<Vect<3>>>, FormatError> {
        let d = self.frames.frame(frame)?;
        if d.len() != character.parts.len() {
            let what = format!("frame {frame} has {} parts, but the character has {}", d.len(), character.parts.len());
            return Err(FormatError::malformed(what, Place::Unknown, out));
        }
        for (part, d) in character.parts.iter().zip(&d) {
            let expected = part.surface.x.len();
            if !d.is_empty() && d.len() != expected {
                return Err(FormatError::WrongFrame { frame, found: d.len(), expected, file: out.into() });
            }
            if let Some(vertex) = d.iter().position(|d| !d.iter().all(|x| x.abs() < LARGEST)) {
                let which = format!("{:?} in frame {frame}", part.name);
                return Err(FormatError::FlownOff { vertex, which, file: out.into() });
            }
        }
        Ok(d)
    }

    /// Reads all frames and makes shapes of them, for the parts that move.
    pub(super) fn shapes(&mut self, character: &Character, out: &Path) -> Result<Vec<Moved>, FormatError> {
        let parts = character.parts.len();
        let mut frames: Vec<Vec<Vec<Delta>>> = vec![Vec::new(); parts];
        let mut stretches: Vec<Vec<Vec<f32>>> = vec![Vec::new(); parts];
        let (mut farthest, mut size) = (vec![0.0f64; parts], 0.0f64);
        let (mut scale, rest) = (vec![0.0f64; parts], character.rest_pose());
        for f in 0..self.frames.count() {
            let (d, pose) = (self.frame(character, f, out)?, self.pose(character, f));
            for p in 0..parts {
                let maps = character.maps(&pose, p);
                if f == 0 {
                    let all = maps.iter().chain(&character.maps(&rest, p)).map(|m| stretch(&m.R)).fold(0.0, f64::max);
                    scale[p] = if all.is_finite() { all } else { 1.0 };
                    size = size.max(diagonal(&character.posed(&rest, p))).max(diagonal(&character.posed(&pose, p)));
                }
                let still = Vect::zeros();
                let unskin = |(v, map): (usize, &rig::Affine<3>)| {
                    let d = d[p].get(v).unwrap_or(&still);
                    let delta = damped_inverse(&map.R, 0.01 * scale[p]) * d;
                    [0, 1, 2].map(|i| if delta[i].abs() < LARGEST { delta[i] as f32 } else { 0.0 })
                };
                frames[p].push(maps.iter().enumerate().map(unskin).collect());
                stretches[p].push(maps.iter().map(|map| stretch(&map.R) as f32).collect());
                farthest[p] = d[p].iter().map(|d| d.norm()).fold(farthest[p], f64::max);
            }
        }
        let mut moved = Vec::new();
        for (part, (frames, stretches)) in frames.into_iter().zip(stretches).enumerate() {
            if farthest[part] <= 1e-6 * size {
                continue;
            }
            let count = frames.len();
            let largest = stretches.iter().flatten().fold(scale[part], |a, &b| a.max(b.into()));
            let (mut shapes, dropped) = match self.budget {
                ShapeBudget::PerFrame => (Shapes::per_frame(frames), 1e-7 * size),
                ShapeBudget::Principal { tolerance, most } => {
                    let shapes = Shapes::principal(frames, &stretches, tolerance, most.max(1));
                    let share = 0.01 * tolerance / shapes.deltas.len().max(1) as f64;
                    (shapes, share.min(1e-7 * size))
                }
            };
            shapes.still(dropped / largest.max(f64::MIN_POSITIVE));
            let per_frame = self.budget == ShapeBudget::PerFrame || (count > 1 && shapes.deltas.len() == count);
            moved.push(Moved { part, shapes, per_frame });
        }
        Ok(moved)
    }

    /// Reads all frames again and compares them with what a reader of the file will show.
    pub(super) fn measure(
        &mut self,
        character: &Character,
        moved: &[Moved],
        out: &Path,
        summary: &mut GlbSummary,
    ) -> Result<(), FormatError> {
        let mut where_from = None;
        for f in 0..self.frames.count() {
            let (d, pose) = (self.frame(character, f, out)?, self.pose(character, f));
            for (p, d) in d.iter().enumerate() {
                let shown = moved.iter().find(|m| m.part == p).map(|m| m.shapes.at(f));
                let maps = if shown.is_some() { character.maps(&pose, p) } else { Vec::new() };
                for (v, d) in d.iter().enumerate() {
                    let shown = shown.as_ref().map_or(Vect::zeros(), |shown| maps[v].R * Vect::<3>::from(shown[v]));
                    let error = (shown - d).norm();
                    if error > summary.largest_error {
                        summary.largest_error = error;
                        where_from = Some((f, p, v));
                    }
                }
            }
        }
        let Some((frame, part, vertex)) = where_from else { return Ok(()) };
        let tolerance = match self.budget {
            ShapeBudget::Principal { tolerance, .. } => tolerance,
            ShapeBudget::PerFrame => 1e-4 * diagonal(&character.posed(&self.pose(character, frame), part)).max(1e-9),
        };
        if summary.largest_error > tolerance {
            let map = character.maps(&self.pose(character, frame), part)[vertex].R;
            let at_rest = character.maps(&character.rest_pose(), part)[vertex].R;
            let flat = map.signed_svd().sigma.amin() <= 1e-3 * at_rest.norm();
            let why = match self.budget {
                _ if flat => {
                    "the rig flattens that place there, and shapes move a vertex only before the rig does".into()
                }
                ShapeBudget::Principal { most, .. } => format!("allow more than {most} shapes, or one for each frame"),
                ShapeBudget::PerFrame => "the rig squeezes that place too much for shapes to follow".into(),
            };
            summary.notes.push(format!(
                "vertex {vertex} of {:?} is {:.3e} m from its place in frame {frame}: {why}",
                character.parts[part].name, summary.largest_error
            ));
        }
        Ok(())
    }
}

/// Of the box around points.
fn diagonal(x: &[Vect<3>]) -> f64 {
    let least = x.iter().fold(Vect::<3>::repeat(f64::INFINITY), |a, b| a.inf(b));
    let greatest = x.iter().fold(Vect::<3>::repeat(f64::NEG_INFINITY), |a, b| a.sup(b));
    let size = (greatest - least).norm();
    if size.is_finite() { size } else { 0.0 }
}
