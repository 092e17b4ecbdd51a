//! A surface that moves, frame by frame, as a point cache has it.

use crate::{FormatError, Place};
use math::{Mat, Vect};
use rig::Affine;
use std::path::Path;

/// Positions of the same vertices over time, turned so that z is up.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cache {
    /// When each frame is shown [s], rising strictly.
    pub times: Vec<f64>,
    /// How many vertices each frame has.
    pub vertices: usize,
    /// Positions of each frame, in the units of the file, z up.
    pub frames: Vec<Vec<Vect<3>>>,
    /// What was repaired or left out on reading; whole sentences for the artist.
    pub notes: Vec<String>,
}

/// What a cache cannot say of itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CacheOptions {
    /// Which way is up in the file.
    pub up: Up,
    /// Frames per second, for files that count frames: `.pc2` and sequences.
    pub fps: f64,
}

impl Default for CacheOptions {
    fn default() -> Self {
        Self { up: Up::Z, fps: 24.0 }
    }
}

/// Which axis of a file points up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Up {
    /// As in Blender, and in the files that Supple writes.
    #[default]
    Z,
    /// Right-handed, as in glTF and Maya: (x, y, z) becomes (x, −z, y).
    Y,
    /// Left-handed, as in LightWave, for which `.mdd` was made: (x, y, z) becomes (x, z, y).
    LeftY,
}

impl Up {
    /// A point of the file, with z up.
    pub fn z_up(self, x: Vect<3>) -> Vect<3> {
        match self {
            Up::Z => x,
            Up::Y => Vect::<3>::new(x.x, -x.z, x.y),
            Up::LeftY => Vect::<3>::new(x.x, x.z, x.y),
        }
    }
    /// The map from the file to metres, z up.
    pub fn world_from_file(self, metres_per_unit: f64) -> Affine<3> {
        let column = |i: usize| self.z_up(Vect::<3>::from_fn(|k, _| if k == i { metres_per_unit } else { 0.0 }));
        Affine { R: Mat::from_columns(&[column(0), column(1), column(2)]), t: Vect::zeros() }
    }
}

impl CacheOptions {
    /// The frame rate can be used.
    pub(crate) fn check(&self, file: &Path) -> Result<(), FormatError> {
        if self.fps.is_finite() && self.fps > 0.0 && (1.0 / self.fps).is_finite() {
            return Ok(());
        }
        Err(FormatError::BadRate { fps: self.fps, file: file.into() })
    }
}

/// What a header says, before it is believed.
pub(crate) struct Promise {
    pub frames: i64,
    pub vertices: i64,
}

/// The frames of binary float32 triples; `number` knows their byte order. `start` is where they begin in the file.
pub(crate) fn frames(
    promise: &Promise,
    data: &[u8],
    start: usize,
    number: impl Fn([u8; 4]) -> f32,
    up: Up,
    file: &Path,
) -> Result<Vec<Vec<Vect<3>>>, FormatError> {
    if promise.frames <= 0 || promise.vertices <= 0 {
        let what = if promise.vertices <= 0 { "vertices" } else { "frames" };
        return Err(FormatError::Empty { what, file: file.into() });
    }
    let (promised, size) = (promise.frames as u64, 12 * promise.vertices as u64);
    let found = data.len() as u64 / size;
    if found < promised {
        return Err(FormatError::EndsEarly { what: "frames", promised, found, file: file.into() });
    }
    let mut frames = Vec::new();
    for (k, bytes) in data.chunks_exact(size as usize).take(promised as usize).enumerate() {
        let mut frame = Vec::with_capacity(promise.vertices as usize);
        for (v, triple) in bytes.chunks_exact(12).enumerate() {
            let at = |i: usize| triple[i..].first_chunk().map_or(f64::NAN, |&bytes| number(bytes).into());
            let x = Vect::<3>::new(at(0), at(4), at(8));
            if let Some(&value) = x.iter().find(|v| !v.is_finite()) {
                let place = Place::Byte(start + k * size as usize + 12 * v);
                return Err(FormatError::NotFinite { vertex: v as i64, value, place, file: file.into() });
            }
            frame.push(up.z_up(x));
        }
        frames.push(frame);
    }
    Ok(frames)
}

/// A sentence for the artist where a file goes on behind its last frame.
pub(crate) fn note_of_rest(promise: &Promise, left: usize) -> Option<String> {
    let used = 12 * promise.vertices as u64 * promise.frames as u64;
    let extra = left as u64 - used.min(left as u64);
    (extra > 0).then(|| format!("The file goes on behind its last frame (bytes: {extra}). That was ignored."))
}
