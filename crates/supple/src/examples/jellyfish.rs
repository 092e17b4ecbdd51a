//! A jellyfish that whirls and swims on, led by the core of its bell.

use std::f64::consts::{PI, TAU};

use math::Vect;
use nalgebra::{Rotation3, UnitQuaternion};

use super::implicit::{Solid, chain, cone, ellipsoid, joined, v};
use super::painted::{Painted, mix, rgb, step};
use super::tets::{tets, vertices_of};
use super::{MotionKey, TetModel};

const TENTACLES: usize = 7;
/// The middle of the bell's rim, and of its core [m].
const RIM: f64 = 0.34;
const CORE: [f64; 3] = [0.0, 0.0, 0.485];
/// The edge of the tets [m].
const EDGE: f64 = 0.0415;
/// Until when it moves, and until when it is shown [s].
const STOP: f64 = 10.0;
const SECONDS: f64 = 312.0 / 24.0;

/// The jellyfish, its tentacles' tips at z = 0, its eyes toward −y.
pub(crate) fn jellyfish() -> TetModel {
    let arms = || joined((0..TENTACLES).map(tentacle), 0.0);
    let core = core();
    let core = Solid::new(core.low, core.high, move |p| if core.at(p) < 0.0 { f64::MIN } else { f64::MAX });
    let parts = [("bell", bell(true)), ("tentacles", arms()), ("core", core)];
    let volume = tets(&bell(true).join(arms(), 0.025), EDGE, &parts);
    let Painted { surface: skin, colours } = skin();
    TetModel {
        name: "jellyfish",
        pins: vertices_of(&volume.mesh, &volume.regions[2].elements),
        volume,
        skin,
        colours,
        about: Vect::from(CORE),
        keys: keys(),
        smooth: true,
        seconds: SECONDS,
    }
}

/// The firm part inside the top of the bell.
fn core() -> Solid {
    ellipsoid(Vect::from(CORE), v(0.085, 0.085, 0.036))
}

/// A dome over a hollow, its rim waved.
fn bell(fat: bool) -> Solid {
    let more = if fat { 0.004 } else { 0.0 };
    let dome = ellipsoid(v(0.0, 0.0, RIM), v(0.235, 0.235, 0.185).add_scalar(more));
    let hollow = ellipsoid(v(0.0, 0.0, RIM - 0.03), v(0.187, 0.187, 0.140).add_scalar(-more));
    let hem = (0..32).map(|k| {
        let at = |k: usize| {
            let a = TAU * k as f64 / 32.0;
            v(0.215 * a.cos(), 0.215 * a.sin(), RIM - 0.012 + 0.014 * (8.0 * a).cos())
        };
        cone(at(k), 0.026 + more, at(k + 1), 0.026 + more)
    });
    let mut cup = dome.cut(v(0.0, 0.0, RIM - 0.01), -Vect::z(), 0.02).minus(hollow, 0.03);
    cup.low.z = RIM - 0.03;
    cup.join(joined(hem, 0.0), 0.03)
}

/// Where tentacle k is at a way along it from 0 to 1: from the bell's inside down, swinging outward and around.
fn tentacle_at(k: usize, s: f64) -> Vect<3> {
    let around = TAU * (k as f64 + 0.25) / TENTACLES as f64;
    let long = if k.is_multiple_of(2) { 0.36 } else { 0.30 };
    let wave = 0.016 * (TAU * 1.1 * s + k as f64).sin() * s;
    let (r, a) = (0.150 + 0.02 * (PI * s).sin() + wave, around + 0.25 * s);
    v(r * a.cos(), r * a.sin(), RIM + 0.04 - long * s)
}

fn tentacle(k: usize) -> Solid {
    let balls: Vec<_> = (0..9).map(|i| f64::from(i) / 8.0).map(|s| (tentacle_at(k, s), 0.032)).collect();
    chain(&balls, 0.01)
}

fn skin() -> Painted {
    let mut skin = Painted::default();
    let (rose, violet, cream) = (rgb(0xf590ba), rgb(0x9470de), rgb(0xffe6f0));
    skin.add(&bell(false), 0.028, |p| {
        let height = (p.z - RIM) / 0.19;
        let dome = mix(rose, violet, step(0.1, 1.0, height));
        let rim = mix(dome, cream, step(0.12, -0.10, height));
        let inner = p.xy().norm() < 0.19 && height < 0.4;
        if inner { mix(rim, rgb(0xd65f95), 0.6) } else { rim }
    });
    for k in 0..TENTACLES {
        let radius = |s: f64| 0.025 - 0.013 * s + 0.0025 * (TAU * 6.0 * s).sin() * s;
        skin.add_cord([24, 10], |s| tentacle_at(k, s), radius, |p| mix(cream, violet, step(RIM - 0.04, 0.03, p.z)));
    }
    // On the dome in the direction from the middle of its rim: how far around from −y, how high; and the turn that lays z on
    // the way out.
    let on = |a: f64, height: f64, out: f64| {
        let way = v(a.sin() * height.cos(), -a.cos() * height.cos(), height.sin());
        let half = v(0.235, 0.235, 0.185);
        let at = way / way.component_div(&half).norm();
        let normal = at.component_div(&half).component_div(&half).normalize();
        let side = Vect::<3>::z().cross(&normal).normalize();
        let turn = Rotation3::from_basis_unchecked(&[side, normal.cross(&side), normal]);
        (UnitQuaternion::from_rotation_matrix(&turn), v(0.0, 0.0, RIM) + at + normal * out)
    };
    let mut dot = |half: Vect<3>, (turn, to): (UnitQuaternion<f64>, Vect<3>), hex: u32| {
        skin.add_ball(half, turn, to, rgb(hex));
    };
    for side in [-1.0, 1.0] {
        dot(v(0.024, 0.033, 0.010), on(0.33 * side, 0.44, 0.0), 0x2b1740);
        dot(v(0.008, 0.010, 0.005), on(0.33 * side - 0.035, 0.51, 0.008), 0xffffff);
        dot(v(0.004, 0.005, 0.003), on(0.33 * side + 0.03, 0.38, 0.0085), 0xffffff);
        dot(v(0.025, 0.015, 0.004), on(0.62 * side, 0.27, 0.0), 0xff6f9f);
    }
    for (a, height, r) in [
        (0.1, 1.1, 0.020),
        (1.5, 0.8, 0.026),
        (2.3, 0.55, 0.034),
        (3.3, 0.85, 0.030),
        (3.6, 0.4, 0.022),
        (4.6, 0.6, 0.032),
        (5.3, 0.95, 0.022),
    ] {
        dot(v(r, r, 0.008), on(a, height, -0.002), 0xffc2dc);
    }
    let smile = |s: f64| on(0.30 * (s - 0.5), 0.29 + 0.22 * (s - 0.5).powi(2), 0.0).1;
    skin.add_cord([12, 8], smile, |_| 0.005, |_| rgb(0x4a1f55));
    skin
}

/// Whirls up, whirls evenly while it swims in three strokes, stops; then its flesh settles.
fn keys() -> Vec<MotionKey> {
    let rate = 8.0;
    let count = (SECONDS * rate) as usize;
    let mut turn = 0.0;
    let key = |k: usize| {
        let t = k as f64 / rate;
        let speed = 5.0 * step(0.5, 3.0, t) * (1.0 - step(STOP - 0.4, STOP, t));
        turn += speed / rate;
        // each stroke rises quickly, then coasts
        let stroke = |from: f64| step(from, from + 0.7, t) * 0.75 + step(from + 0.5, from + 2.0, t) * 0.25;
        let strokes = [3.0, 5.2, 7.4].map(stroke).iter().sum::<f64>();
        let sideways = step(3.0, STOP - 0.3, t);
        let translate = v(0.55 * sideways, 0.12 * (TAU * sideways).sin(), 0.16 * strokes);
        MotionKey { time: t, translate, turn: Vect::z() * turn }
    };
    (0..=count).map(key).collect()
}
