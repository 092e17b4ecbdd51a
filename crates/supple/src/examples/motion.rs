//! Clips made in code: curves through keys, legs that stand where they are told to.

use math::{Mat, Vect};
use nalgebra::{Rotation3, UnitQuaternion};
use rig::{Channel, Clip, Curve, Interpolation, Target};

use super::painted::step;
use super::skeleton::Bone;

/// Keys per second.
const RATE: f64 = 24.0;

/// Where a character is at one moment.
pub(crate) struct Stance {
    /// how far the first bone is from where it rests [m]
    pub shift: Vect<3>,
    /// how each bone is turned in its parent
    pub turns: Vec<UnitQuaternion<f64>>,
    /// how far each shape is in
    pub shapes: Vec<f64>,
}

impl Stance {
    /// At rest.
    pub fn new(bones: &[Bone]) -> Self {
        Self { shift: Vect::zeros(), turns: vec![UnitQuaternion::identity(); bones.len()], shapes: vec![] }
    }

    /// Where a bone is: world_from_bone, its turn and its head.
    fn place(&self, bones: &[Bone], bone: usize) -> (UnitQuaternion<f64>, Vect<3>) {
        match bones[bone].parent {
            None => (self.turns[bone], bones[bone].head + self.shift),
            Some(parent) => {
                let (turn, at) = self.place(bones, parent);
                (turn * self.turns[bone], at + turn * (bones[bone].head - bones[parent].head))
            }
        }
    }

    /// Turns a limb of two bones so that the head of the third is at a place, its knee toward `knee`; the third bone, if it
    /// turns itself, is turned in the world as `end` says.
    pub fn reach(
        &mut self,
        bones: &[Bone],
        limb: [usize; 2],
        to: Vect<3>,
        knee: Vect<3>,
        end: Option<(usize, UnitQuaternion<f64>)>,
    ) {
        let [upper, lower] = limb;
        self.turns[upper] = UnitQuaternion::identity();
        let (parent_turn, hip) = self.place(bones, upper);
        let (thigh, shin) = (bones[lower].head - bones[upper].head, bones[lower].tail - bones[lower].head);
        let (a, b) = (thigh.norm(), shin.norm());
        let way = to - hip;
        let far = way.norm().clamp((a - b).abs() + 1e-3, 0.9995 * (a + b));
        let way = way.normalize();
        let along = (a * a + far * far - b * b) / (2.0 * far);
        let out = (a * a - along * along).max(0.0).sqrt();
        let bend = (knee - way * way.dot(&knee)).normalize();
        let thigh_now = way * along + bend * out;
        let shin_now = way * far - thigh_now;
        let rest_way = thigh + shin;
        let rest_bend = thigh - rest_way * (rest_way.dot(&thigh) / rest_way.norm_squared());
        let (axis, rest_axis) = (bend.cross(&way), rest_bend.cross(&rest_way).normalize());
        let upper_turn = turn(thigh, rest_axis, thigh_now, axis);
        let lower_turn = turn(shin, rest_axis, shin_now, axis);
        self.turns[upper] = parent_turn.inverse() * upper_turn;
        self.turns[lower] = upper_turn.inverse() * lower_turn;
        if let Some((third, world)) = end {
            self.turns[third] = lower_turn.inverse() * world;
        }
    }
}

/// The turn that takes a direction and an axis across it to others.
fn turn(from: Vect<3>, from_axis: Vect<3>, to: Vect<3>, to_axis: Vect<3>) -> UnitQuaternion<f64> {
    let frame = |d: Vect<3>, n: Vect<3>| {
        let d = d.normalize();
        Mat::<3>::from_columns(&[d, n, d.cross(&n)])
    };
    let R = frame(to, to_axis) * frame(from, from_axis).transpose();
    UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(R))
}

/// A turn about x, then y, then z [rad].
pub(crate) fn turned(x: f64, y: f64, z: f64) -> UnitQuaternion<f64> {
    UnitQuaternion::from_euler_angles(x, y, z)
}

/// A value through keys (time, value), at rest at each key.
pub(crate) fn track(keys: &[(f64, f64)], t: f64) -> f64 {
    let next = keys.partition_point(|k| k.0 <= t);
    match (next.checked_sub(1).map(|k| keys[k]), keys.get(next)) {
        (Some(a), Some(b)) => a.1 + (b.1 - a.1) * step(a.0, b.0, t),
        (Some(a), None) => a.1,
        (None, first) => first.map_or(0.0, |k| k.1),
    }
}

/// A clip through the stances at every key.
pub(crate) fn clip(name: &str, seconds: f64, bones: &[Bone], stance: impl Fn(f64) -> Stance) -> Clip {
    let times: Vec<f64> = (0..=(seconds * RATE).round() as usize).map(|k| k as f64 / RATE).collect();
    let stances: Vec<Stance> = times.iter().map(|t| stance(*t)).collect();
    let channel = |target, width, value: &dyn Fn(&Stance) -> Vec<f64>| {
        let values = stances.iter().flat_map(value).collect();
        let curve = Curve { times: times.clone(), width, values, interpolation: Interpolation::Linear };
        Channel { target, curve }
    };
    let root = bones[0].head;
    let mut channels = vec![channel(Target::Translation(0), 3, &|s| (root + s.shift).as_slice().to_vec())];
    for b in 0..bones.len() {
        channels.push(channel(Target::Rotation(b as u32), 4, &|s| s.turns[b].coords.as_slice().to_vec()));
    }
    let shapes = stances.first().map_or(0, |s| s.shapes.len());
    if shapes > 0 {
        channels.push(channel(Target::Weights(0), shapes, &|s| s.shapes.clone()));
    }
    Clip { name: name.into(), channels }
}
