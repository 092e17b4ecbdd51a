//! A young elephant that is all jelly.

use std::f64::consts::PI;
use std::ops::Range;

use math::Vect;
use nalgebra::UnitQuaternion;

use super::RigModel;
use super::implicit::{Solid, chain, cone, ellipsoid, joined, mirrored, v};
use super::jellyphant_romp::romp;
use super::motion::turned;
use super::painted::{Colour, Painted, mix, rgb, step};
use super::skeleton::{Bone, bone, character, stiffen, weights};

/// The joints of the trunk and how thick it is there [m].
pub(super) const TRUNK: [([f64; 3], f64); 6] = [
    ([0.0, 0.98, 0.72], 0.130),
    ([0.0, 0.80, 0.87], 0.108),
    ([0.0, 0.61, 0.94], 0.092),
    ([0.0, 0.44, 0.99], 0.080),
    ([0.0, 0.33, 1.09], 0.072),
    ([0.0, 0.33, 1.20], 0.068),
];
/// Where the left legs start [m].
const LEGS: [[f64; 3]; 2] = [[0.215, 0.50, 0.20], [0.225, 0.50, -0.36]];

/// The jellyphant stands on y = 0 and looks along z; its clip is called "romp".
pub(crate) fn jellyphant() -> RigModel {
    let bones = bones();
    let mut painted = Painted::default();
    let solid = body();
    let (lilac, deep) = (rgb(0xb3aeee), rgb(0x8a83d2));
    let body = painted.add(&solid, 0.073, |p| {
        let feet = mix(lilac, deep, step(0.30, 0.02, p.y) * step(0.7, 0.6, p.z));
        mix(feet, deep, 0.8 * step(0.9, 1.2, p.z))
    });
    let ears = [1.0, -1.0].map(|side| ear(&mut painted, side, lilac));
    let hang = |s: f64| v(0.0, 0.88 - 0.30 * s, -0.52 - 0.235 * (1.57 * s).sin());
    let tail = painted.add_cord([14, 10], hang, |s| 0.050 - 0.018 * s, |_| lilac);
    let stiff = details(&mut painted, &solid);
    let mut rows = weights(&painted, &bones, body.end, 14);
    for (vertices, name) in ears.into_iter().zip(["ear.L", "ear.R"]) {
        let (ear, head) = (bone(&bones, name), bone(&bones, "head"));
        for k in vertices {
            let share = step(0.0, 0.22, (painted.surface.x[k].x - bones[ear].head.x).abs());
            rows[k].fill(0.0);
            (rows[k][ear], rows[k][head]) = (share, 1.0 - share);
        }
    }
    for (vertices, name) in stiff {
        stiffen(&mut rows[vertices], bone(&bones, name));
    }
    for k in tail {
        let bends = [(0.88, "hips"), (0.80, "tail.1"), (0.66, "tail.2")].map(|(y, name)| (y, bone(&bones, name)));
        let x = painted.surface.x[k].y;
        let (on, end) = (step(bends[0].0, bends[1].0, x), step(bends[1].0 - 0.03, bends[2].0, x));
        rows[k].fill(0.0);
        (rows[k][bends[0].1], rows[k][bends[1].1], rows[k][bends[2].1]) = (1.0 - on, on * (1.0 - end), on * end);
    }
    let clip = romp(&bones);
    character("jellyphant", &bones, painted, &rows, vec![], clip)
}

fn bones() -> Vec<Bone> {
    let mut all: Vec<Bone> = vec![];
    let mut add = |name, parent: Option<&str>, head, tail, thick| {
        let parent = parent.map(|p| bone(&all, p));
        all.push(Bone { name, parent, head, tail, thick });
    };
    add("hips", None, v(0.0, 0.72, -0.34), v(0.0, 0.74, -0.22), 0.42);
    add("chest", Some("hips"), v(0.0, 0.76, -0.06), v(0.0, 0.78, 0.10), 0.42);
    add("head", Some("chest"), v(0.0, 0.96, 0.32), v(0.0, 1.10, 0.52), 0.30);
    for (name, side) in [("ear.L", 1.0), ("ear.R", -1.0)] {
        add(name, Some("head"), v(0.27 * side, 1.13, 0.40), v(0.60 * side, 1.06, 0.28), 0.20);
    }
    let names = ["trunk.1", "trunk.2", "trunk.3", "trunk.4", "trunk.5"];
    for (k, name) in names.into_iter().enumerate() {
        let parent = if k == 0 { "head" } else { names[k - 1] };
        add(name, Some(parent), Vect::from(TRUNK[k].0), Vect::from(TRUNK[k + 1].0), TRUNK[k].1);
    }
    add("tail.1", Some("hips"), v(0.0, 0.84, -0.60), v(0.0, 0.72, -0.70), 0.06);
    add("tail.2", Some("tail.1"), v(0.0, 0.72, -0.70), v(0.0, 0.58, -0.75), 0.06);
    for (upper, lower, parent, at, side) in [
        ("front_leg.L.upper", "front_leg.L.lower", "chest", LEGS[0], 1.0),
        ("front_leg.R.upper", "front_leg.R.lower", "chest", LEGS[0], -1.0),
        ("back_leg.L.upper", "back_leg.L.lower", "hips", LEGS[1], 1.0),
        ("back_leg.R.upper", "back_leg.R.lower", "hips", LEGS[1], -1.0),
    ] {
        let on = |y: f64, z: f64| v(at[0] * side, y, at[2] + z);
        add(upper, Some(parent), on(at[1], 0.0), on(0.29, 0.02), 0.17);
        add(lower, Some(upper), on(0.29, 0.02), on(0.08, 0.0), 0.15);
    }
    all
}

/// An ear and its pink inside: a large flap, hollow in front. Its vertices.
fn ear(painted: &mut Painted, side: f64, colour: Colour) -> Range<usize> {
    let turn = turned(0.10, 0.42 * side, 0.12 * side);
    let mut flap = |wide: f64, thick: f64, out: f64, size: [usize; 2], colour: Colour| {
        let place = |along: f64, around: f64| {
            let (r, z) = (PI * along).sin_cos();
            let (x, y) = (wide * r * around.cos(), 1.12 * wide * r * around.sin());
            let soft = z.signum() * z.abs().powf(0.8); // a fuller rim
            let hollow = 1.1 * (x * x + y * y) - 0.05 * side * x;
            turn * v(x, y - 0.25 * (x * side).max(0.0) * wide, -thick * soft + out + hollow)
                + v(0.45 * side, 1.09, 0.315)
        };
        painted.add_rings(size, place, |_| colour)
    };
    let outer = flap(0.255, 0.045, 0.0, [12, 24], colour);
    let inner = flap(0.175, 0.018, 0.040, [6, 20], rgb(0xf9b4d3));
    outer.start..inner.end
}

fn both(solid: impl Fn() -> Solid) -> Solid {
    let other = solid();
    let (low, high) = (mirrored(other.high), mirrored(other.low));
    let (low, high) = (v(low.x, other.low.y, other.low.z), v(high.x, other.high.y, other.high.z));
    solid().join(Solid::new(low, high, move |p| other.at(&mirrored(*p))), 0.0)
}

fn body() -> Solid {
    let barrel = ellipsoid(v(0.0, 0.76, -0.13), v(0.40, 0.385, 0.50))
        .join(ellipsoid(v(0.0, 0.66, -0.02), v(0.365, 0.32, 0.42)), 0.1);
    let legs = both(|| {
        let leg = |[x, y, z]: [f64; 3]| {
            let foot = ellipsoid(v(x, 0.05, z + 0.015), v(0.165, 0.09, 0.17));
            cone(v(x, y, z), 0.165, v(x, 0.12, z), 0.145).join(foot, 0.05).cut(Vect::zeros(), -Vect::y(), 0.03)
        };
        joined(LEGS.map(leg), 0.0)
    });
    let head = ellipsoid(v(0.0, 1.06, 0.50), v(0.31, 0.30, 0.29))
        .join(both(|| ellipsoid(v(0.15, 0.95, 0.62), v(0.13, 0.12, 0.12))), 0.08);
    let forehead = both(|| ellipsoid(v(0.10, 1.20, 0.50), v(0.17, 0.15, 0.18)));
    let trunk = chain(&TRUNK.map(|(at, r)| (Vect::from(at), r)), 0.015);
    let mut body = barrel.join(legs, 0.07).join(head.join(forehead, 0.06), 0.07).join(trunk, 0.07);
    body.low.y = 0.0;
    body
}

/// Inner ears, tuft, toenails, tusks and face. The vertices that move with one bone, and its name.
fn details(painted: &mut Painted, body: &Solid) -> Vec<(Range<usize>, &'static str)> {
    let (ink, hairs) = (rgb(0x2a2145), rgb(0x6d63bd));
    let mut stiff = vec![];
    let mut dot = |half: Vect<3>, near: Vect<3>, out: f64, hex: u32, name: &'static str| {
        let (x, normal) = body.onto(near);
        let turn = UnitQuaternion::rotation_between(&Vect::z(), &normal).unwrap_or_default();
        let made = painted.add_ball(half, turn, x + normal * out, rgb(hex));
        if !name.is_empty() {
            stiff.push((made, name));
        }
    };
    for side in [-1.0, 1.0] {
        let on = |x: f64, y: f64, z: f64| v(side * x, y, z);
        dot(v(0.046, 0.064, 0.020), on(0.155, 1.105, 0.755), 0.0, 0x2a2145, "head");
        dot(v(0.016, 0.020, 0.008), on(0.155, 1.132, 0.755) - v(0.014, 0.0, 0.0), 0.017, 0xffffff, "head");
        dot(v(0.009, 0.011, 0.006), on(0.155, 1.080, 0.755) + v(0.014, 0.0, 0.0), 0.018, 0xffffff, "head");
        dot(v(0.056, 0.036, 0.012), on(0.245, 0.985, 0.690), 0.0, 0xf59ac0, "head");
        for [x, _, z] in LEGS {
            for a in [-0.62_f64, 0.0, 0.62] {
                let nail = v(side * x + 0.160 * a.sin(), 0.048, z + 0.015 + 0.165 * a.cos());
                dot(v(0.036, 0.034, 0.016), nail, -0.006, 0xfff1dc, "");
            }
        }
    }
    for side in [-1.0, 1.0] {
        let tusk = |s: f64| v(side * (0.145 + 0.03 * s), 0.90 - 0.10 * s + 0.05 * s * s, 0.70 + 0.17 * s);
        let made = painted.add_cord([8, 8], tusk, |s| 0.036 - 0.016 * s, |_| rgb(0xfff4e2));
        stiff.push((made, "head"));
        let brow =
            |s: f64| body.onto(v(side * (0.12 + 0.085 * s), 1.205 + 0.014 * (3.1 * s).sin(), 0.74 - 0.035 * s)).0;
        let made = painted.add_cord([8, 6], brow, |_| 0.011, |_| ink);
        stiff.push((made, "head"));
    }
    let made = painted.add_ball(v(0.055, 0.085, 0.055), turned(0.15, 0.0, 0.0), v(0.0, 0.555, -0.757), hairs);
    stiff.push((made, "tail.2"));
    for a in [-0.5, 0.0, 0.5] {
        let hair = |s: f64| v(0.05 * a + 0.10 * a * s, 1.31 + 0.13 * s - 0.03 * a * a, 0.50 + 0.06 * s * s);
        let made = painted.add_cord([8, 6], hair, |s| 0.020 - 0.010 * s, |_| hairs);
        stiff.push((made, "head"));
    }
    stiff
}
