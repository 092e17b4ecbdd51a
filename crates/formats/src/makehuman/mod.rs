//! MakeHuman: a body, the shapes that make it a person, a skeleton and its weights.

mod skeleton;
mod target;
mod weights;

use crate::obj::read_polygons;
use crate::{FormatError, Place, Polygons, Up};
use math::{Mat, Vect};
use mesh::Surface;
use rig::{Affine, Character, Local, Node, Part, Skin, Trs};
use skeleton::Skeleton;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// No joint is farther from the origin [dm]; differences and products of such places are still numbers.
const FAR: f64 = 1e100;

/// Which person to make of the base mesh, and with which bones.
#[derive(Clone, Debug, Default)]
pub struct MakeHuman {
    /// `.target` files, each with how far it is in; they add up.
    pub targets: Vec<(PathBuf, f64)>,
    /// The `.mhskel`.
    pub skeleton: PathBuf,
    /// The `.mhw`: weights of this skeleton if it names a `weights_file`, otherwise of `weights_skeleton`, from which
    /// they are carried over by reference.
    pub weights: PathBuf,
    /// The `.mhskel` that the weights were made for; none: `default.mhskel` beside the weights.
    pub weights_skeleton: Option<PathBuf>,
}

/// Reads the base mesh and makes the person. Units are decimetres, y is up; bones have no rotation at rest, so a node is
/// the head of its bone. Only the group `body` is shown; the helpers say where the joints are.
pub fn read_makehuman(base: impl AsRef<Path>, person: &MakeHuman) -> Result<Character, FormatError> {
    let base = base.as_ref();
    let mut polygons = read_polygons(base)?;
    for (file, amount) in &person.targets {
        target::add(file, *amount, &mut polygons.x)?;
    }
    let skeleton = Skeleton::read(&person.skeleton)?;
    let heads = skeleton.heads(&polygons.x)?;
    if heads.iter().any(|head| head.amax() > FAR) {
        let what = "the mesh is too large to compute with: MakeHuman's units are decimetres";
        return Err(FormatError::malformed(what, Place::Unknown, base));
    }
    let mut notes = Vec::new();
    let body = body(&polygons, &mut notes);
    let skin = weights::skin(person, &skeleton, &body.vertices, polygons.x.len(), &mut notes)?;
    let translate = |t: Vect<3>| Affine { R: Mat::identity(), t };
    let node = |(k, bone): (usize, &skeleton::Bone)| {
        let parent = bone.parent.map_or(Vect::zeros(), |parent| heads[parent as usize]);
        let local = Local::Trs(Trs { translation: heads[k] - parent, ..Trs::default() });
        Node { name: bone.name.clone(), parent: bone.parent, local }
    };
    let part = Part {
        name: "body".into(),
        node: skeleton.root,
        surface: body.surface,
        primitives: vec![0],
        shapes: Vec::new(),
        shape_weights: Vec::new(),
        skin: Some(Skin { joint_from_mesh: heads.iter().map(|&head| translate(-head)).collect(), ..skin }),
        attributes: Vec::new(),
    };
    Ok(Character {
        nodes: skeleton.bones.iter().enumerate().map(node).collect(),
        parts: vec![part],
        clips: Vec::new(),
        world_from_file: Up::Y.world_from_file(0.1),
        notes,
    })
}

/// What is shown, and which vertices of the base mesh it is made of.
struct Body {
    surface: Surface,
    vertices: Vec<u32>,
}

fn body(polygons: &Polygons, notes: &mut Vec<String>) -> Body {
    let triangles = match polygons.groups.iter().find(|group| group.name == "body") {
        Some(group) => polygons.only(group).triangles(),
        None => {
            notes.push("The mesh has no group body, so all of it is shown.".into());
            polygons.triangles()
        }
    };
    let mut places = BTreeMap::new();
    for &vertex in triangles.iter().flatten() {
        places.insert(vertex, 0);
    }
    for (k, place) in places.values_mut().enumerate() {
        *place = k as u32;
    }
    let vertices: Vec<u32> = places.keys().copied().collect();
    let x = vertices.iter().map(|&vertex| polygons.x[vertex as usize]).collect();
    let triangles = triangles.iter().map(|t| t.map(|vertex| places[&vertex])).collect();
    Body { surface: Surface { x, triangles }, vertices }
}
