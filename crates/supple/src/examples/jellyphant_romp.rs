//! The jellyphant's clip: it bounces on the spot, shakes its head and swings its trunk.

use std::f64::consts::TAU;

use rig::Clip;

use super::implicit::v;
use super::motion::{Stance, clip, track, turned};
use super::painted::step;
use super::skeleton::{Bone, bone};

/// How long the clip is [s]; it is still after `STILL`.
const SECONDS: f64 = 5.0;
const STILL: f64 = 3.4;
/// When it leaves the ground and lands [s], and how high it goes [m].
const HOPS: [(f64, f64, f64); 3] = [(0.35, 0.75, 0.20), (1.00, 1.40, 0.20), (1.65, 2.13, 0.28)];
/// How low it crouches at times: before, between and after the hops [m].
const CROUCH: [(f64, f64); 10] = [
    (0.0, 0.0),
    (0.22, 0.09),
    (0.35, 0.0),
    (0.75, 0.0),
    (0.875, 0.11),
    (1.00, 0.0),
    (1.40, 0.0),
    (1.525, 0.11),
    (1.65, 0.0),
    (2.13, 0.0),
];
const LANDING: [(f64, f64); 3] = [(2.13, 0.0), (2.28, 0.13), (2.75, 0.0)];

fn height(t: f64) -> f64 {
    let hop = |(from, to, high): (f64, f64, f64)| {
        let s = (t - from) / (to - from);
        if (0.0..1.0).contains(&s) { 4.0 * high * s * (1.0 - s) } else { 0.0 }
    };
    HOPS.map(hop).iter().sum()
}

/// Three hops, the last the highest; head and trunk swing all the while and come to rest with the landing.
pub(crate) fn romp(bones: &[Bone]) -> Clip {
    let at = |name: &str| bone(bones, name);
    clip("romp", SECONDS, bones, |t| {
        let (up, low) = (height(t), track(&CROUCH, t) + track(&LANDING, t));
        let lively = step(0.0, 0.4, t) * (1.0 - step(STILL - 0.9, STILL, t));
        let swing = |rate: f64, late: f64| lively * (TAU * rate * (t - late)).sin();
        let mut s = Stance::new(bones);
        s.shift = v(0.0, up - low, 0.0);
        s.turns[at("hips")] = turned(-0.25 * up, 0.0, 0.03 * swing(1.5, 0.0));
        s.turns[at("chest")] = turned(0.10 * up + 0.3 * low, 0.06 * swing(1.5, 0.1), 0.0);
        s.turns[at("head")] = turned(0.6 * low - 0.5 * up, 0.30 * swing(1.5, 0.15), 0.12 * swing(1.5, 0.3));
        for k in 1..=5 {
            let late = 0.08 * k as f64;
            let side = (0.12 + 0.05 * k as f64) * swing(1.5, 0.2 + late);
            s.turns[at(&format!("trunk.{k}"))] =
                turned(-0.16 * swing(0.75, late).powi(2) - 0.25 * up, 0.3 * side, side);
        }
        for (name, side) in [("ear.L", 1.0), ("ear.R", -1.0)] {
            let flap = 0.32 * swing(3.0, 0.0) + 1.1 * up - 0.6 * low;
            s.turns[at(name)] = turned(0.0, side * flap, side * 0.6 * (up - low));
        }
        s.turns[at("tail.1")] = turned(0.6 * up, 0.0, 0.5 * swing(2.25, 0.0));
        s.turns[at("tail.2")] = turned(0.8 * up, 0.0, 0.6 * swing(2.25, 0.1));
        for (leg, tuck) in [("front_leg", 0.10), ("back_leg", -0.12)] {
            for (letter, side) in [("L", 1.0), ("R", -1.0)] {
                let limb = ["upper", "lower"].map(|part| at(&format!("{leg}.{letter}.{part}")));
                let ankle = bones[limb[1]].tail;
                let folded = 0.5 * up;
                let to = ankle + v(0.04 * side * up, up + 0.25 * folded, tuck * folded * 4.0);
                s.reach(bones, limb, to, v(0.15 * side, 0.0, 1.0), None);
            }
        }
        s
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_on_the_ground_between_hops_and_at_the_end() {
        assert_eq!([0.0, 0.9, 1.5, 2.2, 5.0].map(height), [0.0; 5]);
        assert!((height(0.55) - 0.20).abs() < 1e-12);
    }
}
