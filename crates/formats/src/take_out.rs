//! Which writer a file's ending asks for, and what all of them rely on.
//!
//! Frame k is at k / fps seconds in every format, so Blender shows it at scene frame k, where it also shows the clip of
//! the glTF file that the character came from.

use math::Vect;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::door::{ending, unknown};
use crate::save::check_writable;
use crate::{FormatError, Frames, Place, Take, TakePart, alembic, mdd, npz, pc2, sequence, usd};

const TAKES: &str = ".abc, .usda, .pc2, .mdd, .npz or .obj";
const OUTPUTS: &str = ".glb, .abc, .usda, .pc2, .mdd, .npz or .obj";

/// What was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// all files, in the order of the parts or frames
    pub files: Vec<PathBuf>,
    /// what the artist should know of them
    pub notes: Vec<String>,
}

impl Written {
    pub(crate) fn one(file: &Path) -> Self {
        Written { files: vec![file.into()], notes: Vec::new() }
    }
}

/// Writes a take in the format that the ending of the file names: `.abc`, `.usda` (or `.usd`, as text), `.pc2`, `.mdd`,
/// `.npz`, `.obj` (one file per frame). One frame is held at a time; where a format wants the parts one after the other
/// (`.usda`, `.pc2`, `.mdd`), the frames are read once for each part. A `.glb` needs the character it came from and has
/// its own writer.
pub fn write_take(file: impl AsRef<Path>, take: &Take, frames: &mut dyn Frames) -> Result<Written, FormatError> {
    let file = file.as_ref();
    let write: fn(&Path, &Take, &mut dyn Frames) -> Result<Written, FormatError> = match ending(file).as_str() {
        "abc" => alembic::write,
        "usda" | "usd" => usd::write,
        "pc2" => pc2::write,
        "mdd" => mdd::write,
        "npz" => npz::write,
        "obj" => sequence::write,
        _ => return Err(unknown(file, TAKES)),
    };
    take.check(frames.count(), file)?;
    write(file, take, frames)
}

/// Whether an animation can be written there, asked before an hour of simulation: the ending is known, the folder is
/// there, and a file can be made in it.
pub fn check_output(file: impl AsRef<Path>) -> Result<(), FormatError> {
    let file = file.as_ref();
    match ending(file).as_str() {
        "glb" | "abc" | "usda" | "usd" | "pc2" | "mdd" | "npz" | "obj" => check_writable(file),
        _ => Err(unknown(file, OUTPUTS)),
    }
}

impl Take {
    /// There is something to show, and its faces are faces.
    pub(crate) fn check(&self, frames: usize, file: &Path) -> Result<(), FormatError> {
        let nothing = |what| Err(FormatError::Nothing { what, file: file.into() });
        if self.parts.iter().all(|part| part.sizes.is_empty()) {
            return nothing("the surface has no faces");
        }
        if frames == 0 {
            return nothing("the animation has no frames");
        }
        if !(self.fps > 0.0 && self.fps.is_finite() && (1.0 / self.fps).is_finite()) {
            return Err(FormatError::BadRate { fps: self.fps, file: file.into() });
        }
        self.parts.iter().try_for_each(|part| part.check(file))
    }

    /// Frame k, checked: each part has its vertices, and they fit into a file.
    pub(crate) fn frame(
        &self,
        frames: &mut dyn Frames,
        k: usize,
        file: &Path,
    ) -> Result<Vec<Vec<Vect<3>>>, FormatError> {
        let x = frames.frame(k)?;
        let (found, expected) = (x.iter().map(Vec::len).sum(), self.vertices());
        if x.len() != self.parts.len() || x.iter().zip(&self.parts).any(|(x, part)| x.len() != part.vertices) {
            return Err(FormatError::WrongFrame { frame: k, found, expected, file: file.into() });
        }
        for (x, part) in x.iter().zip(&self.parts) {
            // Half the range of f32, so that differences fit as well. NaN is off, too.
            let off = |x: &Vect<3>| x.iter().any(|v| !(v.abs() < f64::from(f32::MAX) / 2.0));
            if let Some(vertex) = x.iter().position(off) {
                let which = format!("{:?} in frame {k}", part.name);
                return Err(FormatError::FlownOff { vertex, which, file: file.into() });
            }
        }
        Ok(x)
    }

    /// Vertices of all parts.
    pub(crate) fn vertices(&self) -> usize {
        self.parts.iter().map(|part| part.vertices).sum()
    }

    /// A name for each part that is free of what `clean` takes out, none empty, none twice.
    pub(crate) fn names(&self, clean: impl Fn(&str) -> String) -> Vec<String> {
        let mut taken = BTreeSet::new();
        let mut names = Vec::new();
        for part in &self.parts {
            let name = match clean(&part.name) {
                empty if empty.is_empty() => "part".to_string(),
                name => name,
            };
            let mut free = name.clone();
            let mut number = 1;
            // File names that differ in case only are the same file on Windows and macOS.
            while !taken.insert(free.to_lowercase()) {
                number += 1;
                free = format!("{name}_{number}");
            }
            names.push(free);
        }
        names
    }
}

impl TakePart {
    fn check(&self, file: &Path) -> Result<(), FormatError> {
        let malformed = |what: String| Err(FormatError::malformed(what, Place::Unknown, file));
        if let Some(face) = self.sizes.iter().position(|&n| n < 3) {
            return malformed(format!("face {face} of {:?} has fewer than three corners", self.name));
        }
        let corners: u64 = self.sizes.iter().map(|&n| u64::from(n)).sum();
        if corners != self.corners.len() as u64 {
            let found = self.corners.len();
            return malformed(format!("the faces of {:?} have {corners} corners, but {found} are listed", self.name));
        }
        if let Some(k) = self.corners.iter().position(|&v| v as usize >= self.vertices) {
            let (number, vertex) = (k as i64, i64::from(self.corners[k]));
            let (vertices, place) = (self.vertices, Place::Unknown);
            return Err(FormatError::NoSuchVertex {
                what: "corner",
                number,
                vertex,
                vertices,
                place,
                file: file.into(),
            });
        }
        if !self.uv.is_empty() && self.uv.len() != self.vertices {
            let (found, wanted) = (self.uv.len(), self.vertices);
            return malformed(format!("{:?} has {found} texture coordinates for {wanted} vertices", self.name));
        }
        Ok(())
    }

    /// The faces, each as its vertices.
    pub(crate) fn faces(&self) -> impl Iterator<Item = &[u32]> {
        let mut rest = &self.corners[..];
        self.sizes.iter().map(move |&size| {
            let (face, after) = rest.split_at(size as usize);
            rest = after;
            face
        })
    }

    /// Texture coordinates that a file can hold: what is not a number is 0.
    pub(crate) fn file_uv(&self) -> impl Iterator<Item = [f32; 2]> {
        let number = |v: f64| if (v as f32).is_finite() { v as f32 } else { 0.0 };
        self.uv.iter().map(move |uv| uv.map(number))
    }
}

/// The lowest and highest of each coordinate.
pub(crate) fn bounds(x: &[[f32; 3]]) -> [[f32; 3]; 2] {
    let Some(&first) = x.first() else { return [[0.0; 3]; 2] };
    x.iter().fold([first, first], |[low, high], x| {
        [std::array::from_fn(|i| low[i].min(x[i])), std::array::from_fn(|i| high[i].max(x[i]))]
    })
}

/// As files hold positions.
pub(crate) fn single(x: &Vect<3>) -> [f32; 3] {
    [x.x as f32, x.y as f32, x.z as f32]
}

/// A name without what file names must not have.
pub(crate) fn for_files(name: &str) -> String {
    name.chars().map(|c| if c.is_control() || "/\\:*?\"<>|".contains(c) { '_' } else { c }).collect()
}
