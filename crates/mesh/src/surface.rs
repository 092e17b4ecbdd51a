//! A surface to look at: triangles in space.

use math::Vect;

/// Triangles in space. Nothing is promised: it may be open, non-manifold, self-intersecting.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surface {
    /// Positions [m].
    pub x: Vec<Vect<3>>,
    /// Vertex numbers, anticlockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
}
