//! A character as its file has it: nodes, the parts that hang on them or are skinned to them, clips.

use math::Vect;
use mesh::Surface;

use crate::{Affine, Clip, Trs};

/// All that a file says of an animated character, in the file's own axes and units; `world_from_file` leads out of them.
#[derive(Clone, Debug, Default)]
pub struct Character {
    /// the hierarchy; a parent may stand anywhere in the list, but there are no cycles
    pub nodes: Vec<Node>,
    /// what is seen: one for each place where a mesh is shown
    pub parts: Vec<Part>,
    /// its animations
    pub clips: Vec<Clip>,
    /// metres, z up
    pub world_from_file: Affine<3>,
    /// what was mended or ignored while reading, for the artist
    pub notes: Vec<String>,
}

/// A joint, or anything that has a place.
#[derive(Clone, Debug)]
pub struct Node {
    /// the artist's; may be empty
    pub name: String,
    /// the node it moves with
    pub parent: Option<u32>,
    /// where it is in its parent when no clip moves it: parent_from_node
    pub local: Local,
}

/// Where a node is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Local {
    /// in parts that clips can move one by one
    Trs(Trs),
    /// as one map
    Matrix(Affine<3>),
}

impl Local {
    /// As one map: parent_from_node.
    pub fn affine(&self) -> Affine<3> {
        match self {
            Self::Trs(trs) => trs.affine(),
            Self::Matrix(map) => *map,
        }
    }

    /// In parts; a map that shears loses its shear.
    pub fn trs(&self) -> Trs {
        match self {
            Self::Trs(trs) => *trs,
            Self::Matrix(map) => Trs::from_affine(map),
        }
    }
}

/// A surface that moves with nodes: all primitives of one mesh at one node, one after the other.
#[derive(Clone, Debug)]
pub struct Part {
    /// the mesh's name, or the node's
    pub name: String,
    /// where it hangs; for a skinned part the node's place means nothing
    pub node: u32,
    /// vertices as in the file (split at seams), before shapes and skinning, in the mesh's own space
    pub surface: Surface,
    /// the first vertex of each of the file's primitives
    pub primitives: Vec<u32>,
    /// blendshapes, in the mesh's own space
    pub shapes: Vec<Shape>,
    /// how far each shape is in when no clip moves it
    pub shape_weights: Vec<f64>,
    /// the joints that move it; none: it moves with its node
    pub skin: Option<Skin>,
    /// painted values, by name
    pub attributes: Vec<Attribute>,
}

/// A blendshape (morph target).
#[derive(Clone, Debug)]
pub struct Shape {
    /// the artist's; may be empty
    pub name: String,
    /// what is added to each vertex at weight 1
    pub delta: Vec<Vect<3>>,
}

/// A value for each vertex that the artist painted: `_MUSCLE`, `COLOR_0`.
#[derive(Clone, Debug)]
pub struct Attribute {
    /// as in the file
    pub name: String,
    /// numbers per vertex
    pub width: usize,
    /// vertex by vertex
    pub values: Vec<f64>,
}

/// Linear blend skinning: which joints move each vertex, and how much.
#[derive(Clone, Debug, Default)]
pub struct Skin {
    /// nodes
    pub joints: Vec<u32>,
    /// for each joint: joint_from_mesh, glTF's inverse bind matrix
    pub joint_from_mesh: Vec<Affine<3>>,
    /// influences of vertex v are starts[v]..starts[v + 1]
    pub starts: Vec<u32>,
    /// places in `joints`
    pub joint: Vec<u32>,
    /// Σ = 1 for each vertex
    pub weight: Vec<f64>,
}

impl Skin {
    /// The joints (places in `joints`) and weights of a vertex.
    pub fn of(&self, vertex: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let range = self.starts[vertex] as usize..self.starts[vertex + 1] as usize;
        self.joint[range.clone()].iter().map(|&j| j as usize).zip(self.weight[range].iter().copied())
    }
}

impl Default for Affine<3> {
    fn default() -> Self {
        Self::identity()
    }
}
