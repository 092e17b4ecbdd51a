//! A rigged body in motion, ready to be played: what all examples of complementary dynamics have in common.

use control::Leak;
use dynamics::Body;
use math::Vect;
use mesh::{Embedding, Mesh};
use rig::Rig;

use super::push::Push;
use super::track::Track;

/// A body, the rig that moves it and what else pushes it. Metres, seconds; z up in space, y up in the plane.
pub(crate) struct Act<const D: usize> {
    /// what it is called
    pub name: String,
    /// what is simulated; for cloth, flat elements that say only what hangs together
    pub mesh: Mesh<D>,
    /// its mass and what it is made of
    pub body: Body<D>,
    /// what moves it
    pub rig: Box<dyn Rig<D>>,
    /// how the rig moves
    pub track: Track,
    /// where the rig's momentum goes over to the secondary motion
    pub leak: Leak,
    /// what pushes it from outside
    pub pushes: Vec<Push<D>>,
    /// what is shown
    pub skin: Skin,
    /// what was chosen or repaired; whole sentences
    pub notes: Vec<String>,
}

/// An act in the plane or in space.
pub(crate) enum AnyAct {
    /// triangles
    Plane(Act<2>),
    /// tetrahedra, or cloth
    Space(Act<3>),
}

/// A surface that shows a volume.
pub(crate) struct Skin {
    /// vertices of the surface, anticlockwise from outside
    pub triangles: Vec<[u32; 3]>,
    /// where they are in the volume
    pub on: On,
}

/// How the vertices of a skin follow a volume.
pub(crate) enum On {
    /// each is a vertex of the volume
    Vertices(Vec<u32>),
    /// each is in an element
    Inside(Embedding),
}

impl Skin {
    /// All triangles of a flat body.
    pub fn flat(mesh: &Mesh<2>) -> Self {
        let triangles = mesh.elements().map(|e| [e[0], e[1], e[2]]).collect();
        Self { triangles, on: On::Vertices((0..mesh.rest.len() as u32).collect()) }
    }

    /// The boundary of a solid body.
    pub fn around(mesh: &Mesh<3>) -> Self {
        let (surface, vertices) = mesh.skin();
        Self { triangles: surface.triangles, on: On::Vertices(vertices) }
    }

    /// Where its vertices are for these positions of the volume [m]. What is flat stands upright: y goes up to z.
    pub fn place<const D: usize>(&self, x: &[Vect<D>]) -> Vec<Vect<3>> {
        match &self.on {
            On::Vertices(vertices) => vertices.iter().map(|&v| upright(&x[v as usize])).collect(),
            On::Inside(embedding) => embedding.positions(x).iter().map(upright).collect(),
        }
    }

    /// How many vertices it has.
    pub fn vertices(&self) -> usize {
        match &self.on {
            On::Vertices(vertices) => vertices.len(),
            On::Inside(embedding) => embedding.len(),
        }
    }
}

/// A point of the plane in space, where z is up; points of space stay.
fn upright<const D: usize>(x: &Vect<D>) -> Vect<3> {
    if D == 2 { Vect::from([x[0], 0.0, x[1]]) } else { Vect::from([x[0], x[1], x[2]]) }
}

impl<const D: usize> Act<D> {
    /// Where the rig alone puts all vertices at a time [s, m].
    pub fn rigged(&self, t: f64) -> Vec<Vect<D>> {
        let mut x = self.mesh.rest.clone();
        self.rig.positions(&self.track.at(t), &mut x);
        x
    }
}
