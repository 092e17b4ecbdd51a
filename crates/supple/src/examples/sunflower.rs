//! A sunflower that is pushed along by its foot, and nods.

use std::f64::consts::{PI, TAU};

use math::Vect;
use mesh::Mesh;
use nalgebra::UnitQuaternion;

use super::implicit::{Solid, chain, ellipsoid, joined, smooth_min, v};
use super::painted::{Colour, Painted, mix, rgb, step};
use super::tets::tets;
use super::{MotionKey, TetModel};

/// The middle of its head [m].
const HEAD: [f64; 3] = [0.0, -0.045, 0.79];
/// How far its face looks up [rad].
const UP: f64 = 0.32;
const PETALS: usize = 11;
/// The edge of the tets [m].
const EDGE: f64 = 0.037;
/// How fast the foot goes [m/s], until when, and until when it is shown [s].
const SPEED: f64 = 0.25;
const STOP: f64 = 150.0 / 24.0;
const SECONDS: f64 = 300.0 / 24.0;

/// The sunflower: its foot on z = 0, looking along −y.
pub(crate) fn sunflower() -> TetModel {
    let leaves = || joined((0..2).map(|side| leaf(side).solid(0.026)), 0.0);
    let petals = || joined((0..PETALS).map(|k| petal(k).solid(0.021)), 0.0);
    let whole = stem(true).join(leaves(), 0.03).join(disc(true), 0.03).join(petals(), 0.01);
    let parts = [("stem", stem(true)), ("leaves", leaves()), ("head", disc(true)), ("petals", petals())];
    let volume = tets(&whole, EDGE, &parts);
    let Painted { surface: skin, colours } = skin();
    let stopped = Vect::x() * SPEED * STOP;
    let key = |time, translate| MotionKey { time, translate, turn: Vect::zeros() };
    TetModel {
        name: "sunflower",
        pins: foot(&volume.mesh),
        volume,
        skin,
        colours,
        about: Vect::zeros(),
        keys: vec![key(0.0, Vect::zeros()), key(STOP, stopped), key(SECONDS, stopped)],
        smooth: false,
        seconds: SECONDS,
    }
}

/// world_from_face, the turn of it: in the face x is right, y up, z toward the viewer.
fn face() -> UnitQuaternion<f64> {
    UnitQuaternion::from_axis_angle(&Vect::x_axis(), PI / 2.0 - UP)
}

fn at_head(solid: Solid) -> Solid {
    solid.placed(face(), Vect::from(HEAD))
}

/// The middle of the stem and how thick it is, at a way up it from 0 to 1.
fn stem_at(s: f64) -> (Vect<3>, f64) {
    let z = 0.78 * s;
    let bow = v(0.022 * (TAU * s).sin() * (1.0 - s), 0.045 * (PI * s).sin() - 0.02 * s * s, 0.0);
    (bow + Vect::z() * z, 0.036 + 0.030 * (-z / 0.065).exp())
}

fn stem(fat: bool) -> Solid {
    let more = if fat { 0.005 } else { 0.0 };
    let at = |k: i32| {
        let (x, r) = stem_at(f64::from(k) / 16.0);
        (x, r + more)
    };
    let balls: Vec<_> = (0..=16).map(at).collect();
    let mut stem = chain(&balls, 0.004).cut(Vect::zeros(), -Vect::z(), 0.012);
    stem.low.z = 0.0;
    stem
}

/// The disc in the middle: round in front, a cup of green behind.
fn disc(fat: bool) -> Solid {
    let more = if fat { 0.004 } else { 0.0 };
    at_head(ellipsoid(v(0.0, 0.0, 0.0), v(0.115, 0.115, 0.05).add_scalar(more)))
}

/// A petal or a leaf: how long and wide it is [m], how its tip bends, and where it is: world_from_blade.
struct Blade {
    long: f64,
    wide: f64,
    bend: f64,
    turn: UnitQuaternion<f64>,
    to: Vect<3>,
}

impl Blade {
    /// Half its width at a way along it from 0 to 1, for one of width 2: narrow at its foot, widest before its middle, pointed.
    fn half_width(s: f64) -> f64 {
        let round = (PI * s.powf(0.8)).sin().max(0.0).powf(0.8);
        0.30 * (1.0 - s) * (1.0 - (1.0 - 8.0 * s).max(0.0).powi(2)).sqrt() + (1.0 - 0.3 * (1.0 - s)) * round
    }

    /// Bent in a bow, hollow like a spoon.
    fn place(&self, across: f64, along: f64, up: f64) -> Vect<3> {
        let y = self.long * along;
        self.turn * v(across, y, up - self.bend * y * y + 3.0 * across * across) + self.to
    }

    fn add(&self, skin: &mut Painted, size: [usize; 2], thick: f64, colour: impl Fn(&Vect<3>) -> Colour) {
        let place = |along: f64, around: f64| {
            let s = (1.0 - (PI * along).cos()) / 2.0;
            let (sin, cos) = around.sin_cos();
            let half = Self::half_width(s);
            let vein = 1.0 - 0.35 * (-(cos * cos) / 0.02).exp() * sin.max(0.0); // a furrow along its middle
            self.place(-self.wide * half * cos, s, thick * half.sqrt() * sin * vein)
        };
        skin.add_rings(size, place, colour);
    }

    /// The same as a thicker shape without fine parts.
    fn solid(&self, thick: f64) -> Solid {
        let at = |s: f64| (self.place(0.0, s, 0.0), (self.wide * Self::half_width(s)).max(1.25 * thick));
        let balls: Vec<_> = [0.08, 0.3, 0.55, 0.8, 0.97].into_iter().map(at).collect();
        let (turn, to, bend) = (self.turn.inverse(), self.to, self.bend);
        let chain = chain(&balls, 0.01);
        let (low, high) = (chain.low, chain.high);
        Solid::new(low, high, move |p| {
            let q = turn * (p - to);
            let off = q.z + bend * q.y * q.y - 3.0 * q.x * q.x;
            -smooth_min(-chain.at(p), thick - off.abs(), 0.4 * thick)
        })
    }
}

fn petal(k: usize) -> Blade {
    let front = k.is_multiple_of(2);
    let lean = UnitQuaternion::from_axis_angle(&Vect::x_axis(), if front { 0.22 } else { -0.05 });
    let around = UnitQuaternion::from_axis_angle(&Vect::z_axis(), TAU * (k as f64 + 0.5) / PETALS as f64);
    let foot = v(0.0, if front { 0.085 } else { 0.09 }, if front { 0.002 } else { -0.008 });
    let to = face() * (around * foot) + Vect::from(HEAD);
    Blade { long: 0.155, wide: 0.049, bend: 2.2, turn: face() * around * lean, to }
}

fn leaf(side: usize) -> Blade {
    let (angle, height) = if side == 0 { (-PI / 2.0 - 0.15, 0.27) } else { (PI / 2.0 + 0.25, 0.38) };
    let roll = UnitQuaternion::from_axis_angle(&Vect::y_axis(), if side == 0 { 0.75 } else { -0.75 });
    let rise = UnitQuaternion::from_axis_angle(&Vect::x_axis(), 0.95) * roll;
    let around = UnitQuaternion::from_axis_angle(&Vect::z_axis(), angle);
    Blade { long: 0.27, wide: 0.072, bend: 3.6, turn: around * rise, to: v(0.005, 0.012, height) }
}

fn skin() -> Painted {
    let mut skin = Painted::default();
    let (grass, moss, lime) = (rgb(0x6fae45), rgb(0x3f7d34), rgb(0x93cc58));
    skin.add(&stem(false), 0.0255, |p| mix(moss, grass, step(0.0, 0.5, p.z)));
    for side in 0..2 {
        leaf(side).add(&mut skin, [20, 22], 0.012, |p| mix(moss, lime, step(0.02, 0.24, p.x.hypot(p.y))));
    }
    let inward = face().inverse();
    let in_face = move |p: &Vect<3>| inward * (p - Vect::from(HEAD));
    for k in 0..PETALS {
        let (deep, gold) = if k.is_multiple_of(2) { (0xf59a1c, 0xffd338) } else { (0xe58310, 0xf9b621) };
        petal(k)
            .add(&mut skin, [13, 12], 0.010, |p| mix(rgb(deep), rgb(gold), step(0.11, 0.20, in_face(p).xy().norm())));
    }
    let seeds = |p: &Vect<3>| -> Colour {
        let q = in_face(p);
        let brown = mix(rgb(0x96602f), rgb(0x5b3417), step(0.060, 0.105, q.xy().norm()));
        mix(brown, moss, step(-0.005, -0.02, q.z))
    };
    skin.add(&disc(false), 0.017, seeds);
    let on = |x: f64, y: f64, out: f64| {
        let z = 0.05 * (1.0 - (x * x + y * y) / 0.0132).max(0.0).sqrt() + out;
        face() * v(x, y, z) + Vect::from(HEAD)
    };
    for side in [-1.0, 1.0] {
        let tilt = face() * UnitQuaternion::from_axis_angle(&Vect::y_axis(), 0.2 * side);
        skin.add_ball(v(0.013, 0.019, 0.007), tilt, on(0.036 * side, 0.022, 0.0), rgb(0x23140c));
        skin.add_ball(v(0.0045, 0.0055, 0.003), tilt, on(0.036 * side - 0.004, 0.031, 0.006), rgb(0xffffff));
        skin.add_ball(v(0.014, 0.009, 0.004), tilt, on(0.063 * side, -0.010, 0.0), rgb(0xe07a45));
    }
    let smile = |s: f64| on(0.056 * (s - 0.5), -0.032 + 0.048 * (s - 0.5).powi(2), 0.001);
    skin.add_cord([12, 8], smile, |_| 0.0038, |_| rgb(0x2c170d));
    skin
}

/// The four lowest vertices that make the best square: those farthest out toward four corners.
fn foot(mesh: &Mesh<3>) -> Vec<u32> {
    let lowest = mesh.rest.iter().map(|x| x.z).fold(f64::INFINITY, f64::min);
    let low = |v: &u32| mesh.rest[*v as usize].z < lowest + 0.1 * EDGE;
    let corner = |k: usize| {
        let (sin, cos) = (PI / 4.0 + PI / 2.0 * k as f64).sin_cos();
        let score = |v: &u32| {
            let x = mesh.rest[*v as usize];
            x.x * cos + x.y * sin - 2.0 * (x.y * cos - x.x * sin).abs()
        };
        (0..mesh.rest.len() as u32).filter(low).max_by(|a, b| score(a).total_cmp(&score(b)))
    };
    (0..4).filter_map(corner).collect()
}
