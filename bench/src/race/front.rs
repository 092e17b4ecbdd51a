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

/// The (seconds, error) of the runs that came to an end.
pub struct Front(Vec<(f64, f64)>);

/// The time an engine needs for an error.
#[derive(Debug, PartialEq)]
pub enum Needs {
    /// between two settings, on a log-log scale
    Seconds(f64),
    /// no rougher setting is faster than this one
    AtMost(f64),
    /// no setting that was tried is as exact; the best error, and its seconds
    NotReached(f64, f64),
}

impl Front {
    pub fn new(runs: &[Run]) -> Self {
        Self(runs.iter().filter(|run| run.error.is_finite()).map(|run| (run.seconds, run.error)).collect())
    }

    /// The least time for this error: of a run that is as exact, or between one of those and a rougher one.
    pub fn at(&self, error: f64) -> Needs {
        let (mut exact, mut rough) = (self.0.clone(), self.0.clone());
        exact.retain(|run| run.1 <= error);
        rough.retain(|run| run.1 > error);
        let least = |times: &mut dyn Iterator<Item = f64>| times.fold(f64::INFINITY, f64::min);
        let whole = least(&mut exact.iter().map(|run| run.0));
        let between = |&(fast, rough): &(f64, f64), &(slow, fine): &(f64, f64)| {
            let share = (rough / error).ln() / (rough / fine).ln();
            fast * (slow / fast).powf(share)
        };
        let mixed = least(&mut exact.iter().flat_map(|e| rough.iter().map(move |r| between(r, e))));
        if exact.is_empty() {
            let best = rough.into_iter().min_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((0.0, f64::INFINITY));
            Needs::NotReached(best.1, best.0)
        } else if whole <= mixed {
            Needs::AtMost(whole)
        } else {
            Needs::Seconds(mixed)
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
            Self::AtMost(s) => write!(f, "{s:.2} (a setting that is more exact; no rougher one is faster)"),
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
    fn an_error_takes_the_least_time_between_settings() {
        let run = |seconds: f64, error: f64| Run {
            engine: String::new(),
            step: String::new(),
            iterations: String::new(),
            seconds,
            error,
        };
        let front = Front::new(&[run(4.0, 0.01), run(1.0, 0.1), run(2.0, 0.5), run(3.5, 0.099), run(9.0, f64::NAN)]);
        assert_eq!(front.at(0.2), Needs::AtMost(1.0));
        assert_eq!(front.at(0.001), Needs::NotReached(0.01, 4.0));
        let half_way = front.at(0.1 / 10f64.sqrt()).seconds().unwrap();
        assert!((half_way - 2.0).abs() < 1e-12, "{half_way}: a slow run that is hardly more exact must not matter");
    }
}
