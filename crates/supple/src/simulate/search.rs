//! The share of inertia that gives the amplitude asked for: predicted, then found by simulating again.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::run::{Attempt, Outcome};
use crate::Error;

/// What was found so far. It is kept on disk beside the frames, so that a stopped run goes on with it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Search {
    /// how exactly the amplitude is met; none where it is only predicted
    tolerance: Option<f64>,
    /// nothing is asked for: the body as it is
    idle: bool,
    /// the amplitude that is asked for, once it is known
    wanted: Option<f64>,
    /// the first share to try
    first: f64,
    /// the share that leaves the motion as it is, where only the amplitude is turned: there it is this share of what is wanted
    as_it_is: Option<f64>,
    /// shares that were tried, with the amplitudes they gave
    pub tried: Vec<(f64, f64)>,
    /// runs that came to their end
    pub runs: usize,
}

/// How often it is simulated again after the first try.
const AGAIN: usize = 4;

impl Search {
    /// With `plain` inertia is left as it is, and nothing is measured for it.
    pub fn new(plain: bool, idle: bool, tolerance: Option<f64>) -> Self {
        let wanted = plain.then_some(0.0);
        Self { tolerance: tolerance.filter(|_| !plain), idle, first: 1.0, wanted, ..Self::default() }
    }

    /// Only the amplitude is turned, by this ratio: so the motion as it is counts as a try.
    pub fn only_amplitude(&mut self, ratio: f64) {
        self.as_it_is = Some(1.0 / ratio).filter(|share| share.is_finite());
    }

    /// What is wanted is known already, and a first share to try.
    pub fn know(&mut self, wanted: f64, first: f64) {
        if !self.idle && self.wanted.is_none() {
            (self.wanted, self.first) = (Some(wanted), first);
        }
    }

    /// What to simulate next; none where it is found, or no longer worth it.
    pub fn next(&self) -> Option<Attempt> {
        if self.idle {
            return (self.runs == 0).then_some(Attempt::AsItIs);
        }
        let Some(wanted) = self.wanted else { return Some(Attempt::AsItIs) };
        let Some(&(share, amplitude)) = self.tried.last() else { return Some(Attempt::Adjusted(self.first)) };
        let far = self.tolerance.is_some_and(|tolerance| (amplitude - wanted).abs() > tolerance * wanted);
        if !(far && amplitude > 0.0 && wanted > 0.0) {
            return None;
        }
        if self.tried.len() > AGAIN {
            // what is written is the last motion, so the best is made once more
            let off = |(_, amplitude): &&(f64, f64)| (amplitude / wanted).ln().abs();
            let best = self.tried.iter().min_by(|a, b| off(a).total_cmp(&off(b)))?;
            return (best.0 != share && self.tried.len() == AGAIN + 1).then_some(Attempt::Adjusted(best.0));
        }
        Some(Attempt::Adjusted(self.better(wanted)))
    }

    /// Where the curve through the tries meets what is wanted, in logarithms: between the nearest on both sides of it, on a line or the parabola through the best
    /// three. Where there is only one side, a line of slope 1 through one try (linear flesh), a line through two, a parabola through the best three.
    fn better(&self, wanted: f64) -> f64 {
        let known = self.as_it_is.map(|share| (share, share * wanted));
        let mut tried: Vec<[f64; 2]> =
            known.iter().chain(&self.tried).map(|(s, a)| [s.ln(), (a / wanted).ln()]).collect();
        let slope = |a: [f64; 2], b: [f64; 2]| (a[1] - b[1]) / (a[0] - b[0]);
        let below = tried.iter().copied().filter(|t| t[1] < 0.0).max_by(|a, b| a[0].total_cmp(&b[0]));
        let above = tried.iter().copied().filter(|t| t[1] > 0.0).min_by(|a, b| a[0].total_cmp(&b[0]));
        tried.sort_by(|a, b| a[1].abs().total_cmp(&b[1].abs()));
        if let (Some(below), Some(above)) = (below, above)
            && below[0] < above[0]
        {
            let line = below[0] - below[1] / slope(below, above);
            let bent = if let [a, b, c, ..] = tried[..] { bent(a, b, c) } else { f64::NAN };
            return if below[0] < bent && bent < above[0] { bent } else { line }.exp();
        }
        let line = |slope: f64| if slope.is_finite() { slope.clamp(0.5, 4.0) } else { 1.0 };
        let [x, y] = tried[0];
        let step = match tried[..] {
            [a, b] => -y / line(slope(a, b)),
            [a, b, c, ..] => {
                let bend = (slope(a, b) - slope(b, c)) / (a[0] - c[0]);
                let rise = slope(a, b) + bend * (a[0] - b[0]);
                let root = (rise * rise - 4.0 * bend * y).sqrt();
                let fits = rise > 0.0 && root.is_finite();
                let straight = -y / line(slope(a, b));
                // a bend that chance has made leads astray
                let most = 1.5 * straight.abs();
                if fits { (-2.0 * y / (rise + root)).clamp(-most, most) } else { straight }
            }
            _ => -y,
        };
        // where more inertia gave no more, what was tried says little: beyond all of it
        let beyond = |t: &&[f64; 2]| (t[0] - x) * step >= step * step;
        match tried.iter().filter(beyond).max_by(|a, b| (a[0] * step).total_cmp(&(b[0] * step))) {
            Some(far) => far[0] - far[1],
            None => x + step,
        }
        .exp()
    }

    /// Takes what a run measured.
    pub fn done(&mut self, attempt: Attempt, outcome: Outcome) {
        self.runs += 1;
        match attempt {
            Attempt::AsItIs => {
                self.wanted = Some(outcome.asked);
                self.first = outcome.predicted.map_or(1.0, |ratio| 1.0 / ratio);
            }
            Attempt::Adjusted(share) => self.tried.push((share, outcome.amplitude)),
        }
    }

    /// Whether nothing is asked for.
    pub fn is_idle(&self) -> bool {
        self.idle
    }

    /// The amplitude that is asked for.
    pub fn wanted(&self) -> Option<f64> {
        self.wanted.filter(|a| !self.idle && *a > 0.0)
    }

    /// How far the last try is off, as a share; none where nothing was tried or nothing moves.
    pub fn off(&self) -> Option<f64> {
        let (wanted, (_, amplitude)) = (self.wanted.filter(|a| *a > 0.0)?, self.tried.last()?);
        Some((amplitude / wanted - 1.0).abs())
    }

    pub fn read(file: &Path) -> Option<Self> {
        serde_json::from_str(&std::fs::read_to_string(file).ok()?).ok()
    }

    pub fn write(&self, file: &Path) -> Result<(), Error> {
        Ok(formats::write_text(file, &serde_json::to_string(self).unwrap_or_default())?)
    }
}

/// x at y = 0 on the parabola x(y) through three points (x, y).
fn bent(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> f64 {
    let share = |at: [f64; 2], p: [f64; 2], q: [f64; 2]| at[0] * p[1] / (p[1] - at[1]) * q[1] / (q[1] - at[1]);
    share(a, b, c) + share(b, a, c) + share(c, a, b)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Searches on a curve; returns how many runs it took and how far it is off.
    fn search(curve: impl Fn(f64) -> f64, predicted: f64, ratio: f64) -> (usize, f64) {
        let mut search = Search::new(false, false, Some(0.01));
        while let Some(attempt) = search.next() {
            let amplitude = match attempt {
                Attempt::AsItIs => curve(1.0),
                Attempt::Adjusted(share) => curve(share),
            };
            search.done(attempt, Outcome { amplitude, asked: ratio * curve(1.0), predicted: Some(predicted) });
        }
        (search.runs, search.off().unwrap_or(0.0))
    }

    #[test]
    fn amplitude_is_met_on_curves_that_bend_within_three_simulations_more() {
        for power in [0.6, 0.8, 1.0, 1.2] {
            for ratio in [0.25, 0.5, 2.0, 4.0] {
                let (runs, off) = search(|s: f64| 0.3 * (s * ratio).powf(power), 1.0, ratio);
                assert!(off <= 0.01 && runs <= 5, "{power} {ratio}: {runs} runs, {off}");
            }
        }
        let saturating = |s: f64| (0.8 * s).tanh();
        assert!(search(saturating, 1.0, 0.5).1 <= 0.01);
        // a spin flings flesh the further out the further out it is
        let flung = |s: f64| s / (7.0 - s);
        for ratio in [0.25, 0.5, 2.0] {
            let (runs, off) = search(flung, 0.8 / ratio, ratio);
            assert!(off <= 0.01 && runs <= 5, "{ratio}: {runs} runs, {off}");
        }
        // stomps: what was tried first gave no more for more
        let curve = [(1.0, 0.02567), (1.063, 0.02563), (1.18, 0.0277), (1.225, 0.0285), (1.3, 0.0298)];
        let stomps = |s: f64| {
            let k = curve.partition_point(|at| at.0 < s).clamp(1, curve.len() - 1);
            let (a, b) = (curve[k - 1], curve[k]);
            a.1 + (s - a.0) / (b.0 - a.0) * (b.1 - a.1)
        };
        let (runs, off) = search(stomps, 1.0, 1.063);
        assert!(off <= 0.01 && runs <= 5, "{runs} runs, {off}");
    }

    #[test]
    fn where_only_the_amplitude_is_turned_the_motion_as_it_is_counts_as_a_try() {
        let curve = |share: f64| 0.3 * (4.0 * share).powf(0.6);
        let runs = |known: bool| {
            let mut search = Search::new(false, false, Some(0.01));
            search.know(4.0 * curve(0.25), 1.0);
            if known {
                search.only_amplitude(4.0);
            }
            while let Some(Attempt::Adjusted(share)) = search.next() {
                let outcome = Outcome { amplitude: curve(share), asked: 0.0, predicted: None };
                search.done(Attempt::Adjusted(share), outcome);
            }
            assert!(search.off().unwrap() <= 0.01);
            search.runs
        };
        assert_eq!((runs(true), runs(false)), (2, 3));
    }

    #[test]
    fn a_parabola_through_three_tries_is_found_where_it_is_zero() {
        let at = |y: f64| [2.0 + 3.0 * y - 0.5 * y * y, y];
        assert!((bent(at(-1.0), at(0.5), at(2.0)) - 2.0).abs() < 1e-12);
    }

    #[test]
    fn where_more_inertia_gave_no_more_nothing_is_tried_twice() {
        let tried = vec![(3.484, 0.02233), (3.668, 0.02306), (3.785, 0.02293), (3.814, 0.02304)];
        let search = Search { tolerance: Some(0.01), wanted: Some(0.02351), tried, ..Search::default() };
        let Some(Attempt::Adjusted(share)) = search.next() else { panic!("it is not found yet") };
        assert!(share > 3.85, "{share}");
    }

    #[test]
    fn where_it_cannot_be_met_the_best_try_is_made_once_more() {
        let tried = vec![(1.0, 2.0), (0.5, 1.1), (0.3, 3.0), (0.4, 2.5), (0.45, 1.5)];
        let mut search = Search { tolerance: Some(0.01), wanted: Some(1.0), tried, ..Search::default() };
        assert_eq!(search.next(), Some(Attempt::Adjusted(0.5)));
        search.tried.push((0.5, 1.1));
        assert_eq!(search.next(), None);
    }

    #[test]
    fn a_right_prediction_takes_two_runs_and_stillness_takes_no_search() {
        assert_eq!(search(|s| 3.0 * s, 1.0, 1.0).0, 2);
        assert_eq!(search(|_| 0.0, 1.0, 2.0).0, 2);
        assert_eq!(search(|_| 1e-16, 1.0, 0.0).0, 2); // what rounding leaves is not matched
        let mut idle = Search::new(false, true, None);
        assert_eq!(idle.next(), Some(Attempt::AsItIs));
        idle.done(Attempt::AsItIs, Outcome { amplitude: 1.0, asked: 0.0, predicted: None });
        assert_eq!((idle.next(), idle.runs, idle.wanted()), (None, 1, None));
    }
}
