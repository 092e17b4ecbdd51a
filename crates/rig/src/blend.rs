//! Between two poses, and beyond them.

use crate::clip::slerp;
use crate::{Affine, Character, Local, Pose, Trs};

/// The pose that is the share s from one to the other: each node's place in its parent by itself, rotations on the shorter arc.
/// What a map shears fades in or out. Below 0 or above 1 the motion from the one to the other is carried on.
pub(crate) fn blend(character: &Character, from: &Pose, to: &Pose, s: f64) -> Pose {
    let locals = from.parent_from_node.iter().zip(&to.parent_from_node).map(|(a, b)| mix_local(a, b, s)).collect();
    let weights = |(a, b): (&Vec<f64>, &Vec<f64>)| a.iter().zip(b).map(|(a, b)| a + s * (b - a)).collect();
    let shape_weights = from.shape_weights.iter().zip(&to.shape_weights).map(weights).collect();
    character.assemble(locals, shape_weights)
}

fn mix_local(a: &Local, b: &Local, s: f64) -> Local {
    if a == b {
        return *a;
    }
    let (from, to) = (a.trs(), b.trs());
    let mixed = Trs {
        translation: from.translation + s * (to.translation - from.translation),
        rotation: slerp(&from.rotation, &to.rotation, s),
        scale: from.scale + s * (to.scale - from.scale),
    };
    let shear = |local: &Local, trs: &Trs| match local {
        Local::Trs(_) => Affine::zero().R,
        Local::Matrix(map) => map.R - trs.affine().R,
    };
    let (shear_a, shear_b) = (shear(a, &from), shear(b, &to));
    if shear_a.norm() + shear_b.norm() <= 1e-12 * (from.scale.norm() + to.scale.norm()) {
        return Local::Trs(mixed);
    }
    let mut map = mixed.affine();
    map.R += shear_a + s * (shear_b - shear_a);
    Local::Matrix(map)
}
