//! The best settings of an engine, and what lies between them.

use std::fmt;
use std::time::Instant;

use crate::Failure;

use super::Trajectory;

/// A run that takes less [s] is repeated.
const QUICK: f64 = 2.0;

/// One run of an engine.
#[derive(Clone, Debug)]
pub struct Run {
    /// which engine, and which of its methods
    pub engine: String,
    /// the step it was given
    pub step: String,
    /// how hard it tried
    pub iterations: String,
    /// wall time [s]
    pub seconds: f64,
    /// against the reference
    pub error: f64,
}

/// Runs up to three times, as long as that is quick; the shortest time counts.
pub fn best_of(mut run: impl FnMut() -> Result<Trajectory, Failure>) -> Result<(f64, Trajectory), Failure> {
    let mut timed = || {
        let start = Instant::now();
        let trajectory = run()?;
        Ok::<_, Failure>((start.elapsed().as_secs_f64(), trajectory))
    };
    let (mut best, trajectory) = timed()?;
    let repeats = if best < QUICK { 2 } else { 0 };
    for _ in 0..repeats {
        best = best.min(timed()?.0);
    }
    Ok((best, trajectory))
}

/// The runs that no other run beats in both time and error, from the fastest to the most exact, as (seconds, error).
pub struct Front(Vec<(f64, f64)>);

/// The time an engine needs for an error.
#[derive(Debug, PartialEq)]
pub enum Needs {
    /// between two settings, on a log-log scale
    Seconds(f64),
    /// its fastest setting is more exact than that
    AtMost(f64),
    /// no setting that was tried is as exact; the best error, and its seconds
    NotReached(f64, f64),
}

impl Front {
    pub fn new(runs: &[Run]) -> Self {
        let mut all: Vec<_> = runs.iter().filter(|r| r.error.is_finite()).map(|r| (r.seconds, r.error)).collect();
        all.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut front: Vec<(f64, f64)> = vec![];
        for run in all {
            if front.last().is_none_or(|last| run.1 < last.1) {
                front.push(run);
            }
        }
        Self(front)
    }

    /// What this error takes.
    pub fn at(&self, error: f64) -> Needs {
        match self.0.iter().position(|run| run.1 <= error) {
            None => self.0.last().map_or(Needs::NotReached(f64::INFINITY, 0.0), |l| Needs::NotReached(l.1, l.0)),
            Some(0) => Needs::AtMost(self.0[0].0),
            Some(k) => {
                let ((fast, rough), (slow, fine)) = (self.0[k - 1], self.0[k]);
                let between = (rough / error).ln() / (rough / fine).ln();
                Needs::Seconds(fast * (slow / fast).powf(between))
            }
        }
    }
}

impl Needs {
    /// The seconds, where it can.
    pub fn seconds(&self) -> Option<f64> {
        match *self {
            Self::Seconds(s) | Self::AtMost(s) => Some(s),
            Self::NotReached(..) => None,
        }
    }
}

impl fmt::Display for Needs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Seconds(s) => write!(f, "{s:.2}"),
            Self::AtMost(s) => write!(f, "{s:.2} (its fastest setting is more exact)"),
            Self::NotReached(error, s) => {
                write!(f, "not reached by any setting tried (best: {:.2}% in {s:.1} s)", 100.0 * error)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_front_drops_what_is_beaten_and_interpolates_between_the_rest() {
        let run = |seconds: f64, error: f64| Run {
            engine: String::new(),
            step: String::new(),
            iterations: String::new(),
            seconds,
            error,
        };
        let front = Front::new(&[run(4.0, 0.01), run(1.0, 0.1), run(2.0, 0.5), run(9.0, f64::NAN)]);
        assert_eq!(front.0, [(1.0, 0.1), (4.0, 0.01)]);
        assert_eq!(front.at(0.2), Needs::AtMost(1.0));
        assert_eq!(front.at(0.001), Needs::NotReached(0.01, 4.0));
        let half_way = front.at(0.1 / 10f64.sqrt()).seconds().unwrap();
        assert!((half_way - 2.0).abs() < 1e-12);
    }
}
