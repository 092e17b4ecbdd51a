//! Moments at which a whole character jumps: a cut in the animation, not a motion.

use math::Vect;

use crate::{Character, Clip, Pose, Target};

/// A jump of the whole body in a clip. Tissue must be carried over it, not dragged through it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Teleport {
    /// the last moment before it [s of the clip]
    pub from: f64,
    /// the first moment after it [s of the clip]; what the clip does between the two is not played
    pub to: f64,
}

impl Teleport {
    /// A jump at a moment: the pose at t is the first after it.
    pub fn at(t: f64) -> Self {
        Self { from: t, to: t }
    }
}

/// A jump goes at least this far [of the largest side of the body's box] …
const FAR: f64 = 0.4;
/// … and this many times as far as the body goes within a frame before and after it.
const SUDDEN: f64 = 4.0;
/// A baked jump takes no longer than this [s], or a frame and a half.
const LONGEST: f64 = 0.05;

/// Finds where the whole body jumps in a clip that is animated at `fps` frames per second.
///
/// The clip is looked at from key to key of what moves nodes, and at least frame by frame. How far the body goes is the median
/// (axis by axis) over the nodes that carry it, so neither a limb nor a prop that jumps counts. Within at most a frame and a
/// half (or 0.05 s, where frames are shorter than the keys of the animator) it must go 0.4 of its size or more, and four times as far as in as long (at least a frame) before and after: a fall or a ride is
/// as fast before as after. A jump by a step key is found to the moment, a jump that was baked lasts from key to key. A clip of fewer
/// than three frames has none, for there is nothing to compare with. Turning on the spot is none.
pub fn find_teleports(character: &Character, clip: &Clip, fps: f64) -> Vec<Teleport> {
    let body = Body::new(character, clip);
    let frame = if fps.is_finite() && fps > 0.0 { 1.0 / fps } else { 1.0 / 24.0 };
    let (start, end) = (clip.start(), clip.end());
    if !(end - start > 2.5 * frame) {
        return Vec::new();
    }
    let go = |a: f64, b: f64| body.distance(&body.at(a), &body.at(b));
    let mut found = Vec::new();
    let longest = LONGEST.max(1.5 * frame);
    let times = moments(clip, longest);
    let mut before = body.at(start);
    for pair in times.windows(2) {
        let (a, b) = (pair[0], pair[1]);
        let after = body.at(b);
        let far = body.distance(&before, &after);
        before = after;
        if !(far >= FAR * body.size) {
            continue;
        }
        let beside = frame.max(b - a);
        let around = go(a - beside, a).max(go(b, b + beside)); // 0 beyond the ends of the clip
        if far >= SUDDEN * around {
            found.push(narrow(a, b, far, go));
        }
    }
    found
}

/// Whether the body jumps from the pose at `end` back to that at `start` when these are played in a loop.
pub(crate) fn seam_jumps(character: &Character, clip: &Clip, start: f64, end: f64, frame: f64) -> bool {
    let body = Body::new(character, clip);
    let go = |a: f64, b: f64| body.distance(&body.at(a), &body.at(b));
    let frame = frame.min(0.5 * (end - start));
    let far = go(end, start);
    far >= FAR * body.size && far >= SUDDEN * go(end - frame, end).max(go(start, start + frame))
}

/// Shortens the time of a jump as long as nearly all of it stays inside.
fn narrow(mut from: f64, mut to: f64, far: f64, go: impl Fn(f64, f64) -> f64) -> Teleport {
    for _ in 0..50 {
        let middle = 0.5 * (from + to);
        if go(from, middle) >= 0.9 * far {
            to = middle;
        } else if go(middle, to) >= 0.9 * far {
            from = middle;
        } else {
            break;
        }
    }
    Teleport { from, to }
}

/// The keys of all that moves nodes, and moments between them so that none are further apart than `longest` [s].
fn moments(clip: &Clip, longest: f64) -> Vec<f64> {
    let moving = clip.channels.iter().filter(|c| matches!(c.target, Target::Translation(_)));
    let mut keys: Vec<f64> = moving.flat_map(|c| &c.curve.times).copied().filter(|t| t.is_finite()).collect();
    keys.extend([clip.start(), clip.end()]);
    keys.sort_by(f64::total_cmp);
    keys.dedup_by(|b, a| *b - *a < 1e-6 * longest);
    let mut times = vec![keys[0]];
    for pair in keys.windows(2) {
        let pieces = ((pair[1] - pair[0]) / longest - 1e-6).ceil().clamp(1.0, 1e6) as usize;
        times.extend((1..=pieces).map(|k| pair[0] + (pair[1] - pair[0]) * k as f64 / pieces as f64));
    }
    times
}

/// The nodes that carry a character.
struct Body<'a> {
    character: &'a Character,
    clip: &'a Clip,
    nodes: Vec<usize>,
    /// the largest side of its box at the clip's start [m]
    size: f64,
}

impl<'a> Body<'a> {
    fn new(character: &'a Character, clip: &'a Clip) -> Self {
        let mut carries = vec![character.parts.is_empty(); character.nodes.len()];
        for part in &character.parts {
            match &part.skin {
                Some(skin) => {
                    let weighted = skin.joint.iter().zip(&skin.weight).filter(|(_, w)| **w > 0.0);
                    weighted.for_each(|(&j, _)| carries[skin.joints[j as usize] as usize] = true);
                }
                None => carries[part.node as usize] = true,
            }
        }
        let nodes: Vec<_> = (0..carries.len()).filter(|&n| carries[n]).collect();
        let pose = character.pose(clip, clip.start());
        let skin = (0..character.parts.len()).flat_map(|part| character.posed(&pose, part));
        let points = skin.chain(nodes.iter().map(|&n| pose.world_from_node[n].t));
        let (low, high) = points
            .fold((Vect::<3>::from([f64::MAX; 3]), Vect::<3>::from([f64::MIN; 3])), |(l, h), x| (l.inf(&x), h.sup(&x)));
        Self { character, clip, nodes, size: (high - low).max().max(1e-9) }
    }

    fn at(&self, t: f64) -> Pose {
        self.character.pose(self.clip, t)
    }

    /// How far the middle of the body goes from pose to pose [m].
    fn distance(&self, from: &Pose, to: &Pose) -> f64 {
        let moves = |n: &usize| to.world_from_node[*n].t - from.world_from_node[*n].t;
        let moves: Vec<_> = self.nodes.iter().map(moves).collect();
        let middle = |axis: usize| {
            let mut along: Vec<_> = moves.iter().map(|m: &Vect<3>| m[axis]).collect();
            along.sort_by(f64::total_cmp);
            along.get(along.len() / 2).copied().unwrap_or(0.0)
        };
        Vect::from([middle(0), middle(1), middle(2)]).norm()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Interpolation, zoo};

    /// The strip (2 m tall) with its armature at x(t), keys 24 per second for 2 s.
    fn moving(x: impl Fn(f64) -> f64, interpolation: Interpolation) -> Character {
        let mut character = zoo::strip(1, 1.0);
        let times: Vec<_> = (0..=48).map(|k| 0.0417 + k as f64 / 24.0).collect();
        let values = times.iter().flat_map(|&t| [x(t - 0.0417), 0.0, 0.0]).collect();
        let mut channel = zoo::linear(Target::Translation(1), &times, values);
        channel.curve.interpolation = interpolation;
        character.clips[0].channels = vec![channel];
        character
    }

    fn found(character: &Character, fps: f64) -> Vec<Teleport> {
        find_teleports(character, &character.clips[0], fps)
    }

    #[test]
    fn a_fast_walk_a_fall_and_a_rocket_are_no_teleports() {
        for fps in [12.0, 24.0, 60.0] {
            assert_eq!(found(&moving(|t| 6.0 * t + 0.3 * (9.0 * t).sin(), Interpolation::Linear), fps), []);
            assert_eq!(found(&moving(|t| 0.5 * 9.81 * 25.0 * t * t, Interpolation::Linear), fps), []);
            assert_eq!(found(&moving(|t| 80.0 * t, Interpolation::Linear), fps), []);
        }
    }

    #[test]
    fn a_jump_of_half_the_body_in_a_step_key_is_found_to_the_moment() {
        let mut character = moving(|_| 0.0, Interpolation::Step);
        let curve = &mut character.clips[0].channels[0].curve;
        (curve.times, curve.values) = (vec![0.0, 0.777, 2.0], [[0.0; 3], [1.0, 0.0, 0.0], [1.0, 0.0, 0.0]].concat());
        for fps in [12.0, 24.0, 60.0] {
            let found = found(&character, fps);
            assert_eq!(found.len(), 1, "{found:?}");
            assert!((found[0].to - 0.777).abs() < 1e-12 && found[0].to - found[0].from < 1e-9, "{found:?}");
        }
    }

    #[test]
    fn a_baked_jump_lasts_from_key_to_key_also_when_walking() {
        let character = moving(|t| 1.4 * t + if t > 0.99 { 5.0 } else { 0.0 }, Interpolation::Linear);
        for fps in [24.0, 30.0, 60.0] {
            let found = found(&character, fps);
            assert_eq!(found.len(), 1, "{found:?}");
            assert!((found[0].from - (0.0417 + 23.0 / 24.0)).abs() < 1e-9 && (found[0].to - 1.0417).abs() < 1e-9);
        }
    }

    #[test]
    fn a_limb_that_jumps_is_no_teleport_and_a_still_or_short_clip_has_none() {
        let mut character = moving(|t| if t > 0.99 { 5.0 } else { 0.0 }, Interpolation::Linear);
        character.nodes.push(zoo::node("prop", None, [0.0; 3]));
        let mut prop = character.parts[0].clone();
        (prop.skin, prop.node) = (None, 4);
        character.parts.push(prop);
        assert_eq!(found(&character, 24.0).len(), 1, "the body jumps, the prop does not");
        character.clips[0].channels[0].target = Target::Translation(4);
        assert_eq!(found(&character, 24.0), [], "the prop jumps, the body does not");
        assert_eq!(find_teleports(&character, &Clip::default(), 24.0), []);
        assert_eq!(find_teleports(&Character::default(), &character.clips[0], f64::NAN), []);
    }
}
