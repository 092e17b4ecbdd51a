//! Bones, what they move, and the character they make.

use math::{Mat, Vect};
use rig::{Affine, Attribute, Character, Clip, Local, Node, Part, Shape, Skin, Trs};

use super::RigModel;
use super::painted::Painted;
use super::polygonize::neighbours;

/// How many joints may move a vertex.
const MOST: usize = 4;

/// A bone as it rests, its axes those of the character.
#[derive(Clone, Copy)]
pub(crate) struct Bone {
    pub name: &'static str,
    /// its place in the list, before this one
    pub parent: Option<usize>,
    /// where it turns [m]
    pub head: Vect<3>,
    /// where it ends [m]
    pub tail: Vect<3>,
    /// how thick the flesh around it is [m]
    pub thick: f64,
}

impl Bone {
    /// How far a point is, in thicknesses of the flesh around the bone.
    fn far(&self, p: &Vect<3>) -> f64 {
        let (along, from) = (self.tail - self.head, p - self.head);
        let s = (from.dot(&along) / along.norm_squared().max(1e-12)).clamp(0.0, 1.0);
        (from - along * s).norm() / self.thick
    }
}

/// The place of a bone in the list; the first if it is not there.
pub(crate) fn bone(bones: &[Bone], name: &str) -> usize {
    bones.iter().position(|b| b.name == name).unwrap_or(0)
}

/// How much each bone moves each vertex, one row per vertex. The first `body` vertices follow the bone they are nearest to,
/// softened over so many rings of neighbours; the others do as the nearest of those does, softened a little.
pub(crate) fn weights(painted: &Painted, bones: &[Bone], body: usize, rings: usize) -> Vec<Vec<f64>> {
    let surface = &painted.surface;
    let nearest_bone = |p: &Vect<3>| {
        let far = bones.iter().map(|b| b.far(p)).enumerate();
        far.min_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(b, _)| b)
    };
    let mut rows: Vec<Vec<f64>> = surface.x[..body]
        .iter()
        .map(|p| {
            let mut row = vec![0.0; bones.len()];
            row[nearest_bone(p)] = 1.0;
            row
        })
        .collect();
    let around = neighbours(surface);
    (0..rings).for_each(|_| soften(&mut rows, &around, 0));
    for p in &surface.x[body..] {
        let far = |k: &usize| (surface.x[*k] - p).norm_squared();
        let nearest = (0..body).min_by(|a, b| far(a).total_cmp(&far(b)));
        rows.push(nearest.map_or_else(|| vec![0.0; bones.len()], |k| rows[k].clone()));
    }
    (0..rings / 4).for_each(|_| soften(&mut rows, &around, body));
    rows
}

/// Only this bone moves these vertices.
pub(crate) fn stiffen(rows: &mut [Vec<f64>], bone: usize) {
    for row in rows {
        row.fill(0.0);
        row[bone] = 1.0;
    }
}

/// Each row from the first on goes halfway to the mean of its neighbours.
fn soften(rows: &mut Vec<Vec<f64>>, around: &[Vec<u32>], first: usize) {
    let softer: Vec<Vec<f64>> = (first..rows.len())
        .map(|k| {
            let (near, share) = (&around[k], 0.5 / around[k].len().max(1) as f64);
            let mut row: Vec<f64> = rows[k].iter().map(|w| 0.5 * w).collect();
            near.iter().for_each(|&n| row.iter_mut().zip(&rows[n as usize]).for_each(|(w, other)| *w += share * other));
            row
        })
        .collect();
    rows.splice(first.., softer);
}

/// The largest weights of each row, which sum to one.
fn skin(rows: &[Vec<f64>], bones: &[Bone]) -> Skin {
    let mut skin = Skin {
        joints: (0..bones.len() as u32).collect(),
        joint_from_mesh: bones.iter().map(|b| Affine { R: Mat::identity(), t: -b.head }).collect(),
        starts: vec![0],
        ..Skin::default()
    };
    for row in rows {
        let mut all: Vec<(usize, f64)> = row.iter().copied().enumerate().filter(|(_, w)| *w > 1e-4).collect();
        all.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        all.truncate(MOST);
        let sum: f64 = all.iter().map(|(_, w)| w).sum();
        skin.joint.extend(all.iter().map(|(b, _)| *b as u32));
        skin.weight.extend(all.iter().map(|(_, w)| w / sum));
        skin.starts.push(skin.joint.len() as u32);
    }
    skin
}

/// The character: its parts skinned by the rows of weights, with shapes and one clip.
pub(crate) fn character(
    name: &'static str,
    bones: &[Bone],
    painted: Painted,
    rows: &[Vec<f64>],
    shapes: Vec<Shape>,
    clip: Clip,
) -> RigModel {
    let node = |b: &Bone| {
        let translation = b.head - b.parent.map_or(Vect::zeros(), |p| bones[p].head);
        let local = Local::Trs(Trs { translation, ..Trs::default() });
        Node { name: b.name.into(), parent: b.parent.map(|p| p as u32), local }
    };
    let linear = |c: &f32| f64::from(if *c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) });
    let values = painted.colours.as_flattened().iter().map(linear).collect();
    let part = Part {
        name: name.into(),
        node: 0,
        primitives: vec![0],
        shape_weights: vec![0.0; shapes.len()],
        shapes,
        attributes: vec![Attribute { name: "COLOR_0".into(), width: 3, values }],
        surface: painted.surface,
        skin: Some(skin(rows, bones)),
    };
    let world_from_file = Affine { R: Mat::<3>::new(1.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 1.0, 0.0), t: Vect::zeros() };
    let nodes = bones.iter().map(node).collect();
    let character = Character { nodes, parts: vec![part], clips: vec![clip], world_from_file, notes: vec![] };
    RigModel { name, character, colours: painted.colours }
}
