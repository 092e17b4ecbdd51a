//! Small characters for tests.

use math::Vect;
use mesh::Surface;
use nalgebra::Quaternion;

use crate::{Affine, Channel, Character, Clip, Curve, Interpolation, Local, Node, Part, Shape, Skin, Target, Trs};

/// A node at a place in its parent.
pub fn node(name: &str, parent: Option<u32>, translation: [f64; 3]) -> Node {
    let local = Local::Trs(Trs { translation: translation.into(), ..Trs::default() });
    Node { name: name.into(), parent, local }
}

/// y up to z up, as glTF files need it: (x, y, z) ↦ (x, −z, y).
pub fn y_up() -> Affine<3> {
    let mut map = Affine::<3>::identity();
    map.R = math::Mat::<3>::new(1.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 1.0, 0.0);
    map
}

/// A strip of 2·(2k + 1) vertices from y = 0 to y = 2, with a joint "lower" at 0 and "upper" at 1 that bend it, under an
/// armature node that scales by `armature`; the mesh is in small units accordingly. y up. One blendshape widens it. The nodes
/// are out of order: upper, armature, lower, and the skinned mesh's own node, whose place means nothing. The clip turns the
/// upper joint by 90° about z and moves the lower one by 0.5 along x, within 1 s.
pub fn strip(k: usize, armature: f64) -> Character {
    let rows = 2 * k + 1;
    let (mut x, mut triangles) = (Vec::new(), Vec::new());
    let mut skin = Skin { joints: vec![0, 2], starts: vec![0], ..Skin::default() };
    for row in 0..rows {
        let y = 2.0 * row as f64 / (rows - 1).max(1) as f64;
        for side in [-0.2, 0.2] {
            x.push(Vect::from([side, y, 0.0]) / armature);
            let upper = (y - 0.5).clamp(0.0, 1.0);
            skin.joint.extend([0, 1]);
            skin.weight.extend([upper, 1.0 - upper]);
            skin.starts.push(skin.joint.len() as u32);
        }
        if row > 0 {
            let v = 2 * row as u32;
            triangles.extend([[v - 2, v - 1, v], [v, v - 1, v + 1]]);
        }
    }
    let mut up = Affine::<3>::identity();
    up.t.y = -1.0 / armature;
    skin.joint_from_mesh = vec![up, Affine::identity()];
    let delta = x.iter().map(|x| Vect::from([x.x, 0.0, 0.0])).collect();
    let mut nodes = vec![
        node("upper", Some(2), [0.0, 1.0 / armature, 0.0]),
        node("armature", None, [0.0; 3]),
        node("lower", Some(1), [0.0; 3]),
        node("skinned", None, [7.0, 8.0, 9.0]),
    ];
    nodes[1].local = Local::Trs(Trs { scale: Vect::from([armature; 3]), ..Trs::default() });
    let part = Part {
        name: "strip".into(),
        node: 3,
        surface: Surface { x, triangles },
        primitives: vec![0],
        shapes: vec![Shape { name: "wide".into(), delta }],
        shape_weights: vec![0.0],
        skin: Some(skin),
        attributes: Vec::new(),
    };
    let half = std::f64::consts::FRAC_1_SQRT_2;
    let clip = Clip {
        name: "bend".into(),
        channels: vec![
            linear(Target::Rotation(0), &[0.0, 1.0], vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.0, half, half]),
            linear(Target::Translation(2), &[0.0, 1.0], vec![0.0, 0.0, 0.0, 0.5 / armature, 0.0, 0.0]),
            linear(Target::Weights(3), &[0.0, 1.0], vec![0.0, 1.0]),
        ],
    };
    Character { nodes, parts: vec![part], clips: vec![clip], world_from_file: y_up(), notes: Vec::new() }
}

/// A linear channel; its width is what the keys share.
pub fn linear(target: Target, times: &[f64], values: Vec<f64>) -> Channel {
    let width = values.len() / times.len().max(1);
    Channel { target, curve: Curve { times: times.into(), width, values, interpolation: Interpolation::Linear } }
}

/// A rotation by an angle [rad] about the z axis.
pub fn about_z(angle: f64) -> Quaternion<f64> {
    Quaternion::new((0.5 * angle).cos(), 0.0, 0.0, (0.5 * angle).sin())
}
