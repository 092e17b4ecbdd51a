//! The wrestler's clip: shiko, one leg lifted and stamped down after the other.

use rig::Clip;

use super::implicit::v;
use super::motion::{Stance, clip, track, turned};
use super::painted::step;
use super::skeleton::{Bone, bone};

/// How long the clip is [s]; it is still after `STILL`.
const SECONDS: f64 = 6.2;
const STILL: f64 = 4.2;
/// When the left and the right leg start to rise [s].
const LIFTS: [f64; 2] = [0.5, 2.2];

/// How high a leg that starts to rise at a time is: up slowly, held, down ever faster.
fn lift(start: f64, t: f64) -> f64 {
    let s = t - start;
    if s < 0.95 { step(0.0, 0.8, s) } else { 1.0 - ((s - 0.95) / 0.22).min(1.0).powi(2) }
}

/// 1 at an angle, less the farther from it: how far a corrective shape is in [rad].
fn gauss(angle: f64, at: f64, width: f64) -> f64 {
    (-((angle - at) / width).powi(2) / 2.0).exp()
}

/// Squats, lifts and stamps the left foot, then the right, stands up, and is still.
pub(crate) fn stomp(bones: &[Bone]) -> Clip {
    let at = |name: &str| bone(bones, name);
    clip("stomp", SECONDS, bones, |t| {
        let squat = track(
            &[
                (0.0, 0.0),
                (0.45, 0.55),
                (0.95, 0.0),
                (1.55, 0.0),
                (1.80, 1.0),
                (2.2, 0.55),
                (2.7, 0.0),
                (3.28, 0.0),
                (3.5, 1.0),
                (STILL, 0.0),
            ],
            t,
        );
        let [left, right] = LIFTS.map(|start| lift(start, t));
        // the body goes over before the leg rises and comes back as it falls
        let over = |start: f64| track(&[(-0.25, 0.0), (0.55, 1.0), (0.95, 1.0), (1.3, 0.0)], t - start);
        let lean = over(LIFTS[0]) - over(LIFTS[1]);
        let mut s = Stance::new(bones);
        s.shift = v(-0.19 * lean, -0.17 * squat - 0.035 * lean.abs(), -0.05 * squat);
        s.turns[at("hips")] = turned(0.18 * squat, 0.0, 0.30 * lean);
        s.turns[at("spine")] = turned(0.08 * squat, 0.0, 0.06 * lean);
        s.turns[at("chest")] = turned(-0.12 * squat, 0.06 * lean, -0.10 * lean);
        s.turns[at("neck")] = turned(-0.06 * squat, 0.0, -0.08 * lean);
        s.turns[at("head")] = turned(-0.08 * squat, 0.0, -0.10 * lean);
        let ready = squat.max(lean.abs());
        let mut angles = [0.0; 2];
        for (k, (side, up)) in [(1.0, left), (-1.0, right)].into_iter().enumerate() {
            let name = |part: &str| bone(bones, &format!("{part}.{}", ["L", "R"][k]));
            let rest = bones[name("foot")].head;
            let to = rest + v(side * 0.62 * up, 0.66 * up, 0.06 * (up * (1.0 - up)));
            let knee = v(side * (0.55 + 0.3 * squat), 0.25 * up, 1.0 - 0.4 * up);
            let foot = turned(0.25 * up, 0.0, side * 0.75 * up);
            let (upper, lower) = (name("upper_leg"), name("lower_leg"));
            s.reach(bones, [upper, lower], to, knee, Some((name("foot"), foot)));
            angles[k] = s.turns[upper].angle();
            s.turns[name("upper_arm")] = turned(-0.35 * ready, 0.0, side * (0.12 * ready - 0.25 * up));
            s.turns[name("lower_arm")] = turned(-0.9 * ready, -side * 0.5 * ready, 0.0);
        }
        let elbow = s.turns[at("lower_arm.L")].angle();
        let [l, r] = angles;
        s.shapes = vec![gauss(l, 1.2, 0.3), gauss(r, 1.2, 0.3), gauss(l.min(r), 0.8, 0.25), gauss(elbow, 1.0, 0.3)];
        s
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_leg_rises_is_held_and_falls() {
        assert_eq!([0.0, 0.9, 1.2, 3.0].map(|t| lift(0.0, t)), [0.0, 1.0, 0.0, 0.0]);
        assert!(gauss(0.0, 1.2, 0.3) < 1e-3, "at rest no shape is in");
    }
}
