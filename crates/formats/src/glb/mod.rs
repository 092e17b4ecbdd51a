//! glTF: an animated surface in one `.glb` file, one morph target per frame.

mod bin;
mod scene;

use crate::FormatError;
use crate::save::save;
use math::Vect;
use mesh::Surface;
use std::path::Path;

/// A surface that moves.
#[derive(Clone, Debug, Default)]
pub struct Animation {
    /// What the artist calls it.
    pub name: String,
    /// The surface at rest; its triangles serve every frame.
    pub surface: Surface,
    /// Positions of all vertices at each frame [m].
    pub frames: Vec<Vec<Vect<3>>>,
    /// Frames per second; frame k is at the time k / fps [1/s].
    pub fps: f64,
    /// Red, green, blue, each from 0 to 1, linear.
    pub color: [f32; 3],
}

/// The simulation has z up, glTF has y up.
fn gltf_from_simulation(x: &Vect<3>) -> Vect<3> {
    Vect::<3>::new(x.x, x.z, -x.y)
}

/// Writes an animated surface for Blender and every other program that reads glTF: y up, metres, seconds.
pub fn write_glb(file: impl AsRef<Path>, animation: &Animation) -> Result<(), FormatError> {
    let file = file.as_ref();
    animation.check(file)?;
    let (root, bin) = scene::build(animation, file)?;
    let unwritable = |reason: String| FormatError::Unwritable { reason, file: file.into() };
    let mut text = serde_json::to_vec(&root).map_err(|error| unwritable(error.to_string()))?;
    text.resize(text.len().next_multiple_of(4), b' ');
    let total = u32::try_from(12 + 8 + text.len() + 8 + bin.len())
        .map_err(|_| unwritable("a .glb cannot be larger than 4 GB; export fewer frames".into()))?;
    save(file, |out| {
        out.write_all(b"glTF")?;
        for number in [2, total, text.len() as u32] {
            out.write_all(&number.to_le_bytes())?;
        }
        out.write_all(b"JSON")?;
        out.write_all(&text)?;
        out.write_all(&(bin.len() as u32).to_le_bytes())?;
        out.write_all(b"BIN\0")?;
        out.write_all(&bin)
    })
}

impl Animation {
    /// There is something to show, and all frames show it.
    pub(crate) fn check(&self, file: &Path) -> Result<(), FormatError> {
        let (file, expected) = (file.to_path_buf(), self.surface.x.len());
        if self.surface.triangles.is_empty() || expected == 0 {
            return Err(FormatError::Nothing { what: "the surface has no triangles", file });
        }
        if self.frames.is_empty() {
            return Err(FormatError::Nothing { what: "the animation has no frames", file });
        }
        if !(self.fps > 0.0 && self.fps.is_finite()) {
            return Err(FormatError::BadRate { fps: self.fps, file });
        }
        for (k, vertex) in self.surface.triangles.iter().enumerate().flat_map(|(k, t)| t.map(|v| (k, v))) {
            if vertex as usize >= expected {
                let (what, number, vertex) = ("triangle", k as i64, i64::from(vertex));
                let place = crate::Place::Unknown;
                return Err(FormatError::NoSuchVertex { what, number, vertex, vertices: expected, place, file });
            }
        }
        for (frame, x) in self.frames.iter().enumerate() {
            if x.len() != expected {
                return Err(FormatError::WrongFrame { frame, found: x.len(), expected, file });
            }
        }
        let named = self.frames.iter().enumerate().map(|(k, x)| (format!("frame {k}"), x));
        for (which, x) in std::iter::once(("the rest shape".to_string(), &self.surface.x)).chain(named) {
            // Half the range of f32, so that differences fit as well.
            let off = |x: &Vect<3>| x.iter().any(|v| v.abs() >= f64::from(f32::MAX) / 2.0 || v.is_nan());
            if let Some(vertex) = x.iter().position(off) {
                return Err(FormatError::FlownOff { vertex, which, file });
            }
        }
        Ok(())
    }
}
