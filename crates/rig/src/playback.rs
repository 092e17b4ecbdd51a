//! How a clip is played: from where to where, how fast, how often, and how the body gets into its first pose.

use crate::blend::blend;
use crate::teleport::seam_jumps;
use crate::{Character, Clip, Pose, Teleport};

/// How a clip is played. The simulation's time 0 is the clip's `start`; before it, for `preroll` seconds, the body goes from
/// rest to that pose.
#[derive(Clone, Debug, PartialEq)]
pub struct Playback {
    /// where in the clip it starts [s]
    pub start: f64,
    /// where in the clip it ends [s]
    pub end: f64,
    /// 2 plays twice as fast
    pub speed: f64,
    /// how many times it is played, at least once
    pub loops: u32,
    /// how long the body takes from rest to the first pose [s]
    pub preroll: f64,
    /// how long it stays in the last pose [s]
    pub postroll: f64,
    /// where the body jumps
    pub teleports: Vec<Teleport>,
}

/// Why a clip cannot be played so.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PlaybackError {
    /// not a range
    #[error("the clip cannot be played from {start} s to {end} s: the end must not come before the start.")]
    Range {
        /// [s]
        start: f64,
        /// [s]
        end: f64,
    },
    /// not a speed
    #[error("a playback speed of {0} cannot be played: it must be larger than 0; 1 is as animated.")]
    Speed(f64),
    /// not a time
    #[error("a preroll of {0} s cannot be played: it must be 0 or more.")]
    Preroll(f64),
    /// not a time
    #[error("a postroll of {0} s cannot be played: it must be 0 or more.")]
    Postroll(f64),
}

/// Rounding must not decide on which side of a jump a frame is: so long before it the pose is already the one after it [s].
/// `jumps` says half of that, so a time it says is safely after the jump, and [`SNAP`] before that time safely before.
const SNAP: f64 = 1e-11;

/// The time within which the body picks up the clip's own speed before it starts [s].
const PICK_UP: f64 = 0.25;

impl Playback {
    /// The whole clip, once, as animated, without preroll; no teleports are marked. It starts at the clip's time 0, also
    /// where the first key comes later: until then the first pose is held, as in Blender, so that frames stay frames.
    pub fn new(clip: &Clip) -> Self {
        Self {
            start: clip.start().min(0.0),
            end: clip.end(),
            speed: 1.0,
            loops: 1,
            preroll: 0.0,
            postroll: 0.0,
            teleports: Vec::new(),
        }
    }

    /// Whether it can be played. Otherwise the other functions still give numbers: a speed of 1, a clip of no length.
    pub fn check(&self) -> Result<(), PlaybackError> {
        if !(self.end >= self.start) || !(self.end - self.start).is_finite() {
            return Err(PlaybackError::Range { start: self.start, end: self.end });
        }
        if !(self.speed > 0.0) || !self.speed.is_finite() {
            return Err(PlaybackError::Speed(self.speed));
        }
        if !(self.preroll >= 0.0) || !self.preroll.is_finite() {
            return Err(PlaybackError::Preroll(self.preroll));
        }
        if !(self.postroll >= 0.0) || !self.postroll.is_finite() {
            return Err(PlaybackError::Postroll(self.postroll));
        }
        Ok(())
    }

    /// How long it plays, with the postroll, without the preroll [s].
    pub fn duration(&self) -> f64 {
        self.once() * f64::from(self.loops.max(1)) + if self.postroll > 0.0 { self.postroll } else { 0.0 }
    }

    /// The clip's time at time t of the simulation [s]. Before 0 the clip waits at its start, after the last loop at its end;
    /// while it jumps it waits before the jump.
    pub fn clip_time(&self, t: f64) -> f64 {
        let once = self.once();
        let loops = f64::from(self.loops.max(1));
        let played = if t > 0.0 && once > 0.0 { (t / once).min(loops) } else { 0.0 };
        // a frame on the seam belongs to the next loop, also when rounding puts it a hair before; the last one to the end
        let mut full = played.floor();
        if (full + 1.0) * once - t <= SNAP {
            full += 1.0;
        }
        full = full.min(loops - 1.0);
        let at = (self.start + self.speed() * (t.max(0.0) - full * once).max(0.0)).min(self.end);
        let at = if once > 0.0 && at.is_finite() { at } else { self.start };
        let snap = SNAP * self.speed();
        match self.teleports.iter().find(|j| j.from - snap <= at && at < j.to) {
            Some(jump) if jump.to - at <= snap => jump.to.min(self.end),
            Some(jump) => at.min(jump.from.max(self.start)),
            None => at,
        }
    }

    /// The pose at time t of the simulation [s], which starts at −preroll from `rest`.
    ///
    /// Before 0, each node's place in its parent goes from rest to the clip's first pose, rotations on the shorter arc, by
    /// s³(6s² − 15s + 10), so it leaves rest without a jolt. In the last quarter second it swings back a little, by f(t) times the clip's own starting
    /// velocity with f = t (1 + t/τ)³, so that it arrives at the speed at which the clip goes on. Places and velocities are continuous.
    pub fn sample(&self, character: &Character, rest: &Pose, clip: &Clip, t: f64) -> Pose {
        if !(t < 0.0 && self.preroll > 0.0) {
            return character.pose(clip, self.clip_time(t));
        }
        let s = (1.0 + t / self.preroll).clamp(0.0, 1.0);
        if s == 0.0 {
            return rest.clone();
        }
        let pick_up = PICK_UP.min(self.preroll);
        let lead = self.speed() * t * (1.0 + t / pick_up).max(0.0).powi(3); // [s of the clip]
        let after = 1e-4_f64.min(0.5 * (self.end - self.start)); // forward difference of the clip's velocity [s]
        let first = character.pose(clip, self.start);
        let goal = if lead < 0.0 && after > 0.0 {
            blend(character, &first, &character.pose(clip, self.start + after), lead / after)
        } else {
            first
        };
        blend(character, rest, &goal, s * s * s * (6.0 * s * s - 15.0 * s + 10.0))
    }

    /// The times of the simulation [s] at which the body jumps, rising: marked teleports in each loop, and the seams between
    /// loops if the clip ends far from where it starts (as [`crate::find_teleports`] measures it). The pose at such a
    /// time is the first after the jump, and 10⁻¹¹ s before the last before it.
    pub fn jumps(&self, character: &Character, clip: &Clip, fps: f64) -> Vec<f64> {
        let (once, mut jumps) = (self.once(), Vec::new());
        if !(once > 0.0) {
            return jumps;
        }
        let frame = if fps.is_finite() && fps > 0.0 { self.speed() / fps } else { self.speed() / 24.0 };
        let seam = self.loops > 1 && seam_jumps(character, clip, self.start, self.end, frame);
        for k in 0..self.loops.max(1) {
            let from = f64::from(k) * once;
            if seam && k > 0 {
                jumps.push(from - 0.5 * SNAP);
            }
            let inside = self.teleports.iter().filter(|j| j.to > self.start && j.to <= self.end);
            jumps.extend(inside.map(|j| from + (j.to - self.start) / self.speed() - 0.5 * SNAP));
        }
        jumps.sort_by(f64::total_cmp);
        jumps.dedup();
        jumps
    }

    fn speed(&self) -> f64 {
        if self.speed > 0.0 && self.speed.is_finite() { self.speed } else { 1.0 }
    }

    /// One loop [s].
    fn once(&self) -> f64 {
        let once = (self.end - self.start) / self.speed();
        if once > 0.0 && once.is_finite() { once } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Affine, Bound, Local, Target, zoo};

    fn play() -> Playback {
        Playback { start: 1.0, end: 3.0, speed: 2.0, loops: 3, preroll: 0.5, postroll: 0.0, teleports: Vec::new() }
    }

    fn same(a: &[f64], b: &[f64]) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-10)
    }

    /// Keys are f32, frames are not: at each time that `jumps` says the pose is after the jump, a hair before it is not.
    #[test]
    fn a_frame_is_on_the_same_side_of_a_jump_in_pose_and_in_time() {
        let character = zoo::strip(2, 1.0);
        let clip = &character.clips[0];
        for speed in [1.0, 0.7, 2.0] {
            for k in 1..40 {
                let key = f64::from(k as f32 / 24.0);
                let play = Playback {
                    start: 0.0416667,
                    end: 3.0,
                    speed,
                    loops: 1,
                    preroll: 0.0,
                    postroll: 0.0,
                    teleports: vec![Teleport::at(key + 0.0416667)],
                };
                let jump = play.jumps(&character, clip, 24.0)[0];
                let place = key + 0.0416667;
                assert!(play.clip_time(jump) >= place && play.clip_time(jump - 1e-11) < place, "{speed} {k}");
                let frame = f64::from(k) / 24.0 / speed;
                assert_eq!(play.clip_time(frame) >= place, frame >= jump, "{speed} {k}");
            }
        }
    }

    #[test]
    fn the_clip_waits_plays_wraps_and_ends() {
        let play = play();
        assert_eq!(play.duration(), 3.0);
        let times = [-9.0, 0.0, 0.25, 0.999, 1.0, 2.5, 2.999, 3.0, 9.0, f64::NAN];
        let want = [1.0, 1.0, 1.5, 2.998, 1.0, 2.0, 2.998, 3.0, 3.0, 1.0];
        for (t, want) in times.into_iter().zip(want) {
            assert!((play.clip_time(t) - want).abs() < 1e-12, "{t}: {} and not {want}", play.clip_time(t));
        }
        assert_eq!(play.clip_time(2.0 - 1e-13), 1.0, "a frame on the seam is in the next loop");
        let still = Playback { end: 1.0, ..play };
        assert_eq!((still.duration(), still.clip_time(4.0)), (0.0, 1.0));
    }

    #[test]
    fn a_clip_whose_first_key_is_late_holds_its_first_pose_until_then() {
        let mut character = zoo::strip(1, 1.0);
        let walk = zoo::linear(Target::Translation(1), &[0.5, 1.5], vec![2.0, 0.0, 0.0, 4.0, 0.0, 0.0]);
        character.clips[0].channels = vec![walk];
        let clip = &character.clips[0];
        let play = Playback::new(clip);
        assert_eq!((play.start, play.end, play.duration()), (0.0, 1.5, 1.5));
        let along = |t: f64| play.sample(&character, &character.rest_pose(), clip, t).world_from_node[1].t[0];
        let first = along(0.0);
        assert!((along(0.5) - first).abs() < 1e-12 && (along(1.0) - first - 1.0).abs() < 1e-12, "{first}");
        assert!((along(1.5) - first - 2.0).abs() < 1e-12);
    }

    #[test]
    fn what_cannot_be_played_is_said() {
        assert_eq!(play().check(), Ok(()));
        let text = |play: Playback| play.check().unwrap_err().to_string();
        assert_eq!(
            text(Playback { end: 0.5, ..play() }),
            "the clip cannot be played from 1 s to 0.5 s: the end must not come before the start."
        );
        assert_eq!(
            text(Playback { speed: 0.0, ..play() }),
            "a playback speed of 0 cannot be played: it must be larger than 0; 1 is as animated."
        );
        assert_eq!(
            text(Playback { preroll: f64::NAN, ..play() }),
            "a preroll of NaN s cannot be played: it must be 0 or more."
        );
    }

    #[test]
    fn after_the_last_loop_the_last_pose_stays_as_long_as_the_postroll() {
        let play = Playback { postroll: 1.5, ..play() };
        assert!((play.duration() - 4.5).abs() < 1e-12 && play.check().is_ok());
        assert_eq!([3.0, 3.7, 4.5].map(|t| play.clip_time(t)), [3.0; 3]);
        assert_eq!(Playback { postroll: -1.0, ..play }.check(), Err(PlaybackError::Postroll(-1.0)));
    }

    #[test]
    fn the_preroll_goes_from_rest_to_the_clip_without_a_jump_of_place_or_velocity() {
        let mut character = zoo::strip(2, 100.0);
        let Local::Trs(upper) = &mut character.nodes[0].local else { panic!() };
        upper.rotation = zoo::about_z(-1.0); // the default is bent, the rest is not
        let clip = character.clips[0].clone();
        let rest = Bound::new(&character).pose(&character);
        let play = Playback { preroll: 1.0, start: 0.2, speed: 1.5, ..Playback::new(&clip) };
        let at = |t: f64| character.posed(&play.sample(&character, &rest, &clip, t), 0);
        let apart =
            |a: &[math::Vect<3>], b: &[math::Vect<3>]| a.iter().zip(b).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
        assert!(apart(&at(-1.0), &character.posed(&rest, 0)) < 1e-12);
        assert!(apart(&at(0.0), &character.posed(&character.pose(&clip, 0.2), 0)) < 1e-12);
        let dt = 1e-3;
        let steps: Vec<_> = (-1010..=200).map(|k| at(f64::from(k) * dt)).collect();
        let (mut fastest, mut jolt) = (0.0_f64, 0.0_f64);
        for three in steps.windows(3) {
            fastest = fastest.max(apart(&three[1], &three[0]) / dt);
            let bend = (0..three[0].len()).map(|v| (three[2][v] - 2.0 * three[1][v] + three[0][v]).norm());
            jolt = jolt.max(bend.fold(0.0, f64::max) / (dt * dt));
        }
        assert!(fastest > 0.5 && fastest < 8.0, "{fastest} m/s");
        assert!(jolt < 150.0, "a jump in velocity of 1 m/s would be 1000 m/s²: {jolt}");
    }

    #[test]
    fn a_loop_that_walks_away_jumps_at_its_seams_and_one_in_place_does_not() {
        let mut character = zoo::strip(1, 1.0);
        let walk = zoo::linear(Target::Translation(1), &[0.0, 1.0], vec![0.0, 0.0, 0.0, 1.4, 0.0, 0.0]);
        character.clips[0].channels = vec![walk];
        let clip = &character.clips[0];
        let mut play = Playback { loops: 3, ..Playback::new(clip) };
        assert!(same(&play.jumps(&character, clip, 24.0), &[1.0, 2.0]));
        play.teleports = vec![Teleport { from: 0.4, to: 0.5 }];
        assert!(same(&play.jumps(&character, clip, 24.0), &[0.5, 1.0, 1.5, 2.0, 2.5]));
        assert_eq!((play.clip_time(0.45), play.clip_time(0.5)), (0.4, 0.5));
        let bend = zoo::strip(1, 1.0);
        let play = Playback { loops: 2, ..Playback::new(&bend.clips[0]) };
        assert_eq!(play.jumps(&bend, &bend.clips[0], 24.0), []);
    }

    #[test]
    fn a_sheared_rest_is_left_smoothly() {
        let mut character = zoo::strip(1, 1.0);
        let mut shear = Affine::<3>::identity();
        shear.R[(0, 1)] = 0.7;
        character.nodes[2].local = Local::Matrix(shear);
        let (rest, clip) = (character.rest_pose(), character.clips[0].clone());
        let play = Playback { preroll: 1.0, ..Playback::new(&clip) };
        let early = play.sample(&character, &rest, &clip, -0.999);
        let moved = early.world_from_node[2].R - rest.world_from_node[2].R;
        assert!(moved.norm() < 1e-6, "{moved}");
    }
}
