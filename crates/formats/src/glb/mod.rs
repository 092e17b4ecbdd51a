//! glTF: surfaces that move in one `.glb` file, as morph targets.

mod surfaces;

pub use surfaces::write_take_glb;

use crate::{FormatError, Frames, ShapeBudget, Take, TakePart};
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
    let surface = &animation.surface;
    let part = TakePart {
        name: animation.name.clone(),
        sizes: vec![3; surface.triangles.len()],
        corners: surface.triangles.as_flattened().to_vec(),
        vertices: surface.x.len(),
        uv: Vec::new(),
        color: animation.color,
    };
    let take = Take { name: animation.name.clone(), fps: animation.fps, parts: vec![part] };
    let rest = std::slice::from_ref(&surface.x);
    surfaces::write(&take, rest, &mut OnePart(&animation.frames), file, ShapeBudget::PerFrame).map(|_| ())
}

struct OnePart<'a>(&'a [Vec<Vect<3>>]);

impl Frames for OnePart<'_> {
    fn count(&self) -> usize {
        self.0.len()
    }
    fn frame(&mut self, k: usize) -> Result<Vec<Vec<Vect<3>>>, FormatError> {
        Ok(vec![self.0[k].clone()])
    }
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
