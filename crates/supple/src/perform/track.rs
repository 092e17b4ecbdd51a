//! The parameters of a rig over time.

use crate::Error;

/// Parameters frame by frame; straight between frames, held after the last.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Track {
    /// from frame to frame [s]
    pub dt: f64,
    /// the parameters of each frame
    pub keys: Vec<Vec<f64>>,
    /// when the rig is somewhere else at once [s], ascending; it waits until then
    pub jumps: Vec<f64>,
}

impl Track {
    /// From a function of time, for so many seconds.
    pub fn sampled(dt: f64, seconds: f64, at: impl Fn(f64) -> Vec<f64>) -> Self {
        let frames = (seconds / dt).round() as usize + 1;
        Self { dt, keys: (0..frames).map(|k| at(k as f64 * dt)).collect(), jumps: vec![] }
    }

    /// The parameters at a time [s].
    pub fn at(&self, t: f64) -> Vec<f64> {
        let Some(last) = self.keys.len().checked_sub(1) else { return vec![] };
        // a time that was added up to a frame is that frame
        let place = (t / self.dt).clamp(0.0, last as f64);
        let nearest = place.round();
        let jumped = self.jumps.iter().any(|jump| (t < *jump) != (nearest * self.dt < *jump));
        if (place - nearest).abs() < 1e-9 && !jumped {
            return self.keys[nearest as usize].clone();
        }
        let k = (place.floor() as usize).min(last - 1);
        let (from, to) = (&self.keys[k], &self.keys[k + 1]);
        let (start, end) = (k as f64 * self.dt, (k + 1) as f64 * self.dt);
        if let Some(jump) = self.jumps.iter().find(|jump| **jump > start && **jump <= end + 1e-9 * self.dt) {
            return if t < *jump { from.clone() } else { to.clone() };
        }
        let s = place - k as f64;
        from.iter().zip(to).map(|(a, b)| a + s * (b - a)).collect()
    }

    /// Fails on a frame that is not a pose: a number that is none, or too few of them.
    pub fn check(&self, parameters: usize, file: &str) -> Result<(), Error> {
        if self.keys.is_empty() {
            return Err(Error::Asked(format!("the animation has no frames.\n({file})")));
        }
        for (k, key) in self.keys.iter().enumerate() {
            if key.len() != parameters {
                let what = format!("frame {k} has {} numbers, but the rig takes {parameters}", key.len());
                return Err(Error::Asked(format!("{what}. Export the animation again.\n({file})")));
            }
            if let Some(n) = key.iter().position(|p| !p.is_finite()) {
                let what = format!("frame {k} of the animation holds a value that is not a number (value {n})");
                return Err(Error::Asked(format!("{what}.\nMend that key, or export the animation again.\n({file})")));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn track() -> Track {
        Track { dt: 0.1, keys: vec![vec![0.0], vec![1.0], vec![9.0], vec![9.5]], jumps: vec![] }
    }

    #[test]
    fn frames_are_met_and_lines_go_between_them() {
        let track = track();
        for (t, p) in [(-1.0, 0.0), (0.0, 0.0), (0.1, 1.0), (0.15, 5.0), (0.1 + 0.2, 9.5), (7.0, 9.5)] {
            assert!((track.at(t)[0] - p).abs() < 1e-9, "{t}: {:?}", track.at(t));
        }
    }

    #[test]
    fn at_a_jump_it_is_at_the_new_place_and_just_before_still_at_the_old_one() {
        let track = Track { jumps: vec![0.2], ..track() };
        assert_eq!(track.at(0.2 - control::JUST_BEFORE), [1.0]);
        assert_eq!(track.at(0.2), [9.0]);
        assert_eq!(track.at(0.15), [1.0]);
        assert!((track.at(0.05)[0] - 0.5).abs() < 1e-12);
    }

    #[test]
    fn a_frame_that_is_no_pose_is_told() {
        let mut track = track();
        assert!(track.check(1, "walk.txt").is_ok());
        assert!(track.check(2, "walk.txt").unwrap_err().to_string().contains("the rig takes 2"));
        track.keys[2][0] = f64::NAN;
        let text = track.check(1, "walk.txt").unwrap_err().to_string();
        assert!(text.contains("frame 2") && text.contains("walk.txt"), "{text}");
    }
}
