//! A simulated animation on its way into files: surfaces that move, frame by frame, too large to be held at once.

use math::Vect;

use crate::FormatError;

/// What is written: in world space, metres, z up.
#[derive(Clone, Debug)]
pub struct Take {
    /// of the whole
    pub name: String,
    /// frames per second
    pub fps: f64,
    /// the surfaces
    pub parts: Vec<TakePart>,
}

/// One surface that moves; it keeps its vertices and faces.
#[derive(Clone, Debug)]
pub struct TakePart {
    /// the artist's; unique in the take
    pub name: String,
    /// corners of each face
    pub sizes: Vec<u32>,
    /// vertices of the faces, one face after the other, anticlockwise from outside
    pub corners: Vec<u32>,
    /// how many vertices it has
    pub vertices: usize,
    /// texture coordinates of each vertex, v up; empty for none
    pub uv: Vec<[f64; 2]>,
    /// base colour, linear
    pub color: [f32; 3],
}

/// Where the frames come from.
pub trait Frames {
    /// how many there are
    fn count(&self) -> usize;
    /// Reads a frame: positions of each part's vertices [m], z up.
    fn frame(&mut self, k: usize) -> Result<Vec<Vec<Vect<3>>>, FormatError>;
}

impl Frames for Vec<Vec<Vec<Vect<3>>>> {
    fn count(&self) -> usize {
        self.len()
    }
    fn frame(&mut self, k: usize) -> Result<Vec<Vec<Vect<3>>>, FormatError> {
        Ok(self[k].clone())
    }
}
