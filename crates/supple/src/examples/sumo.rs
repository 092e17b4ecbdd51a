//! A sumo wrestler, heavy and soft.

use std::ops::Range;

use math::Vect;
use nalgebra::UnitQuaternion;
use rig::Shape;

use super::RigModel;
use super::implicit::{Solid, ball, chain, cone, ellipsoid, mirrored, v};
use super::painted::{Colour, Painted, mix, rgb, step};
use super::skeleton::{Bone, bone, character, stiffen, weights};
use super::sumo_stomp::stomp;

/// The wrestler stands on y = 0 and looks along z; its clip is called "stomp".
pub(crate) fn sumo() -> RigModel {
    let bones = bones();
    let mut painted = Painted::default();
    let (skin, blush) = (rgb(0xfbd3b0), rgb(0xf0a78a));
    let body = painted.add(&body(), 0.0725, |p| {
        let warm = [(v(0.2, 0.45, 0.17), 0.5), (v(0.52, 1.12, -0.08), 0.4), (v(0.79, 0.86, 0.09), 0.35)];
        let near = |(c, amount): &(Vect<3>, f64)| amount * step(0.12, 0.0, (v(p.x.abs(), p.y, p.z) - c).norm());
        mix(skin, blush, warm.iter().map(near).sum())
    });
    belt(&mut painted);
    let mut stiff = hands_and_feet(&mut painted, skin);
    let before_head = painted.surface.x.len();
    head(&mut painted, skin);
    stiff.push((before_head..painted.surface.x.len(), "head"));
    let mut rows = weights(&painted, &bones, body.end, 14);
    for (vertices, name) in stiff {
        stiffen(&mut rows[vertices], bone(&bones, name));
    }
    navel(&mut painted, &mut rows, body.end);
    let shapes = shapes(&painted);
    let clip = stomp(&bones);
    character("sumo", &bones, painted, &rows, shapes, clip)
}

fn bones() -> Vec<Bone> {
    let mut all: Vec<Bone> = vec![];
    let mut add = |name, parent: Option<&str>, head, tail, thick| {
        let parent = parent.map(|p| bone(&all, p));
        all.push(Bone { name, parent, head, tail, thick });
    };
    add("hips", None, v(0.0, 0.86, -0.03), v(0.0, 0.98, 0.0), 0.30);
    add("spine", Some("hips"), v(0.0, 1.00, 0.0), v(0.0, 1.14, 0.03), 0.33);
    add("chest", Some("spine"), v(0.0, 1.18, 0.0), v(0.0, 1.38, 0.0), 0.27);
    add("neck", Some("chest"), v(0.0, 1.43, 0.0), v(0.0, 1.49, 0.01), 0.14);
    add("head", Some("neck"), v(0.0, 1.50, 0.02), v(0.0, 1.68, 0.03), 0.15);
    for (side, [upper_arm, lower_arm, upper_leg, lower_leg, foot]) in [
        (1.0, ["upper_arm.L", "lower_arm.L", "upper_leg.L", "lower_leg.L", "foot.L"]),
        (-1.0, ["upper_arm.R", "lower_arm.R", "upper_leg.R", "lower_leg.R", "foot.R"]),
    ] {
        let on = |x: f64, y: f64, z: f64| v(side * x, y, z);
        add(upper_arm, Some("chest"), on(0.29, 1.345, -0.01), on(0.53, 1.13, -0.03), 0.12);
        add(lower_arm, Some(upper_arm), on(0.53, 1.13, -0.03), on(0.80, 0.86, 0.07), 0.09);
        add(upper_leg, Some("hips"), on(0.17, 0.80, 0.0), on(0.245, 0.46, 0.045), 0.17);
        add(lower_leg, Some(upper_leg), on(0.245, 0.46, 0.045), on(0.27, 0.10, -0.02), 0.12);
        add(foot, Some(lower_leg), on(0.27, 0.10, -0.02), on(0.30, 0.04, 0.16), 0.08);
    }
    all
}

fn both(solid: impl Fn(&dyn Fn(f64, f64, f64) -> Vect<3>) -> Solid, r: f64) -> Solid {
    solid(&v).join(solid(&|x, y, z| mirrored(v(x, y, z))), r)
}

/// Belly, chest and seat, with the tops of the thighs.
fn trunk() -> Solid {
    let belly = ellipsoid(v(0.0, 1.02, 0.09), v(0.365, 0.27, 0.315));
    let hips = ellipsoid(v(0.0, 0.86, -0.02), v(0.315, 0.20, 0.225));
    let chest = ellipsoid(v(0.0, 1.26, 0.0), v(0.33, 0.21, 0.205));
    let breasts = both(|on| ellipsoid(on(0.135, 1.245, 0.135), v(0.135, 0.105, 0.105)), 0.03);
    let seat = both(|on| ellipsoid(on(0.125, 0.82, -0.15), v(0.155, 0.165, 0.145)), 0.02);
    let thighs = both(|on| cone(on(0.165, 0.78, 0.0), 0.178, on(0.245, 0.46, 0.04), 0.122), 0.03);
    let shoulders = both(|on| ball(on(0.27, 1.345, -0.01), 0.115), 0.05);
    chest
        .join(belly, 0.09)
        .join(hips, 0.12)
        .join(breasts, 0.045)
        .join(seat, 0.05)
        .join(thighs, 0.05)
        .join(shoulders, 0.08)
}

fn body() -> Solid {
    let arms = both(
        |on| {
            let limb = [
                (on(0.29, 1.34, -0.01), 0.122),
                (on(0.53, 1.13, -0.03), 0.092),
                (on(0.61, 1.045, -0.005), 0.094),
                (on(0.76, 0.90, 0.055), 0.066),
            ];
            chain(&limb, 0.02)
        },
        0.0,
    );
    let legs = both(
        |on| {
            let calf = [(on(0.245, 0.46, 0.035), 0.120), (on(0.26, 0.33, 0.0), 0.118), (on(0.27, 0.10, -0.02), 0.080)];
            chain(&calf, 0.03)
        },
        0.0,
    );
    let neck = cone(v(0.0, 1.40, -0.02), 0.13, v(0.0, 1.53, 0.01), 0.105);
    trunk().join(arms, 0.045).join(legs, 0.03).join(neck, 0.06)
}

/// Hands with a thumb, and feet: finer than the body they are stuck on. Their vertices, and the bones that move them.
fn hands_and_feet(painted: &mut Painted, skin: Colour) -> Vec<(Range<usize>, &'static str)> {
    let mut made = vec![];
    for (side, arm, leg) in [(1.0, "lower_arm.L", "foot.L"), (-1.0, "lower_arm.R", "foot.R")] {
        let on = |x: f64, y: f64, z: f64| v(side * x, y, z);
        let turn = UnitQuaternion::from_axis_angle(&Vect::z_axis(), 0.78 * side);
        let palm = ellipsoid(Vect::zeros(), v(0.052, 0.088, 0.068)).placed(turn, on(0.785, 0.87, 0.065));
        let thumb = cone(on(0.765, 0.885, 0.10), 0.032, on(0.77, 0.85, 0.150), 0.026);
        made.push((painted.add(&palm.join(thumb, 0.02), 0.034, |_| skin), arm));
        let sole = ellipsoid(on(0.285, 0.052, 0.055), v(0.084, 0.064, 0.158));
        let mut foot = sole.join(ball(on(0.272, 0.075, -0.035), 0.086), 0.05).cut(Vect::zeros(), -Vect::y(), 0.02);
        foot.low.y = 0.0;
        made.push((painted.add(&foot, 0.044, |_| skin), leg));
    }
    made
}

/// The mawashi: a band around the trunk that is lower in front, a strip between the legs, a knot at the back.
fn belt(painted: &mut Painted) {
    let trunk = trunk();
    let (cloth, strip, bow) = (rgb(0x34408f), rgb(0x2f3a84), rgb(0x4652ad));
    let band = |along: f64, around: f64| {
        let way = v(along.sin(), 0.0, along.cos());
        // a rounded oblong, upright
        let (up, out) = (around.cos(), around.sin());
        let up = 0.066 * up.signum() * up.abs().powf(0.45);
        let out = 0.018 * out.signum() * out.abs().powf(0.6);
        let front = 0.885 - 0.055 * (1.0 + along.cos()) / 2.0;
        let from = v(0.0, front + up, 0.0);
        from + way * (trunk.out(&from, &way) + out)
    };
    painted.add_loop([48, 12], band, cloth);
    let between = |along: f64, around: f64| {
        let angle = 1.70 - 3.40 * along; // from front over below to back
        let (sin, cos) = angle.sin_cos();
        let wide = 0.052 + 0.022 * sin * sin;
        let (across, out) = (around.cos(), around.sin());
        let round = (1.0 - (2.0 * along - 1.0).powi(10)).max(0.0).sqrt();
        let from = v(wide * round * across.signum() * across.abs().powf(0.6), 0.84, -0.01);
        let way = v(0.0, -cos, sin);
        from + way * (trunk.out(&from, &way) + round * 0.014 * out.signum() * out.abs().powf(0.6))
    };
    painted.add_rings([26, 12], between, |_| strip);
    for (x, half) in [(0.055, v(0.075, 0.042, 0.04)), (-0.055, v(0.075, 0.042, 0.04)), (0.0, v(0.042, 0.05, 0.05))] {
        let (at, _) = trunk.onto(v(x, 0.905, -0.27));
        let turn = UnitQuaternion::from_axis_angle(&Vect::z_axis(), 4.0 * x);
        painted.add_ball(half, turn, at - Vect::z() * 0.025, bow);
    }
}

/// A head that is a little too large, with cheeks, a crest of hair and a stern look.
fn head(painted: &mut Painted, skin: Colour) {
    const LARGE: f64 = 1.2;
    let at = |x: f64, y: f64, z: f64| v(0.0, 1.475, 0.0) + LARGE * v(x, y, z);
    let size = |x: f64, y: f64, z: f64| LARGE * v(x, y, z);
    let pair = |middle: Vect<3>, half: Vect<3>| ellipsoid(middle, half).join(ellipsoid(mirrored(middle), half), 0.0);
    let skull = ellipsoid(at(0.0, 0.11, 0.03), size(0.128, 0.142, 0.135))
        .join(pair(at(0.058, 0.055, 0.060), size(0.082, 0.078, 0.085)), 0.05)
        .join(pair(at(0.130, 0.11, 0.01), size(0.022, 0.042, 0.034)), 0.012)
        .join(ellipsoid(at(0.0, 0.092, 0.165), size(0.028, 0.022, 0.026)), 0.02);
    painted.add(&skull, 0.039, |_| skin);
    let hair = rgb(0x2a2327);
    let cap = ellipsoid(at(0.0, 0.155, -0.005), size(0.134, 0.108, 0.138));
    painted.add(&cap.join(pair(at(0.112, 0.12, -0.015), size(0.03, 0.03, 0.03)), 0.03), 0.040, |_| hair);
    let crest = |s: f64| at(0.0, 0.245 + 0.055 * (2.6 * s).sin(), -0.085 + 0.15 * s);
    painted.add_cord([10, 10], crest, |s| LARGE * (0.024 + 0.020 * (2.0 * s - 1.0).powi(2)), |_| hair);
    let straight = UnitQuaternion::identity();
    painted.add_ball(size(0.032, 0.014, 0.032), straight, at(0.0, 0.252, -0.07), rgb(0xe8e2d4));
    for side in [-1.0, 1.0] {
        let mut dot = |half: Vect<3>, near: Vect<3>, out: f64, colour: Colour| {
            let (x, normal) = skull.onto(near);
            let turn = UnitQuaternion::rotation_between(&Vect::z(), &normal).unwrap_or_default();
            painted.add_ball(half, turn, x + normal * out, colour);
        };
        dot(size(0.0145, 0.019, 0.007), at(0.052 * side, 0.125, 0.154), 0.0, hair);
        dot(size(0.0045, 0.0055, 0.003), at(0.052 * side - 0.004, 0.132, 0.162), 0.008, rgb(0xffffff));
        dot(size(0.024, 0.015, 0.005), at(0.092 * side, 0.070, 0.130), 0.0, rgb(0xf49a88));
        let brow = |s: f64| skull.onto(at(side * (0.026 + 0.050 * s), 0.153 + 0.012 * s, 0.160 - 0.022 * s)).0;
        painted.add_cord([8, 8], brow, |_| LARGE * 0.0075, |_| hair);
    }
    let mouth = |s: f64| skull.onto(at(0.064 * (s - 0.5), 0.048 - 0.05 * (s - 0.5).powi(2), 0.16)).0;
    painted.add_cord([10, 8], mouth, |_| LARGE * 0.005, |_| rgb(0x8c3b36));
}

/// A navel, on the body's vertex that is nearest to it.
fn navel(painted: &mut Painted, rows: &mut Vec<Vec<f64>>, body: usize) {
    let at = v(0.0, 1.0, 0.41);
    let far = |k: &usize| (painted.surface.x[*k] - at).norm_squared();
    let nearest = (0..body).min_by(|a, b| far(a).total_cmp(&far(b))).unwrap_or(0);
    let at = v(0.0, 1.0, painted.surface.x[nearest].z);
    let made = painted.add_ball(v(0.014, 0.018, 0.006), UnitQuaternion::identity(), at, rgb(0xb9785a));
    let row = rows[nearest].clone();
    rows.extend(made.map(|_| row.clone()));
}

/// Corrective shapes: where flesh is pushed out as joints bend.
fn shapes(painted: &Painted) -> Vec<Shape> {
    let shape = |name: &str, bumps: &[(Vect<3>, f64, Vect<3>)]| {
        let push =
            |p: &Vect<3>| bumps.iter().map(|(at, r, by)| by * (-(p - at).norm_squared() / (2.0 * r * r)).exp()).sum();
        let small = |d: Vect<3>| if d.norm() < 1e-4 { Vect::zeros() } else { d };
        Shape { name: name.into(), delta: painted.surface.x.iter().map(push).map(small).collect() }
    };
    let on = |side: f64, x: f64, y: f64, z: f64| v(side * x, y, z);
    let hip = |side: f64| {
        [
            (on(side, 0.33, 0.92, 0.02), 0.09, on(side, 0.045, 0.02, 0.0)),
            (on(side, 0.16, 0.72, -0.16), 0.08, on(side, 0.0, -0.015, -0.035)),
        ]
    };
    let elbow = |side: f64| (on(side, 0.47, 1.20, 0.06), 0.06, on(side, 0.0, 0.015, 0.035));
    vec![
        shape("hip.L", &hip(1.0)),
        shape("hip.R", &hip(-1.0)),
        shape("belly", &[(v(0.0, 0.98, 0.38), 0.14, v(0.0, -0.015, 0.045))]),
        shape("elbows", &[elbow(1.0), elbow(-1.0)]),
    ]
}
