//! The four quantities, measured from a motion: frequency by its spectrum, half-time by its envelope, both by its recurrence where it fades before
//! it has swung twice; sag by its first frame, amplitude by Eq. 5.

use control::{Ringing, ringing_by_recurrence, ringing_by_spectrum};

use super::Take;
use crate::simulate::Watch;
use crate::{Summary, Table};

/// What a motion shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Measured {
    /// [Hz], half-time [s]; none where it does not ring long enough to tell
    pub ring: Option<(f64, f64)>,
    /// it fades before it has swung twice
    pub brief: bool,
    /// [m √s]
    pub amplitude: f64,
    /// [m]
    pub sag: f64,
}

impl Measured {
    /// The motion after `rest` [s], when what drives it has stopped. Large swings of flesh that is not linear fade faster, so they are left alone for two
    /// half-times, but not for more than half of what there is.
    pub fn of(summary: &Summary, watch: &Watch, rest: f64) -> Self {
        let ring = if watch.ring.is_empty() { &watch.ring_before } else { &watch.ring };
        let end = ring.last().map_or(rest, |s| s.0);
        let calm = rest + (2.0 * summary.half_time_s.unwrap_or(0.0)).min(0.5 * (end - rest));
        let tail: Vec<(f64, f64)> = ring.iter().copied().filter(|(t, _)| *t >= calm - 1e-9).collect();
        // what is left in the noise says nothing
        let most = tail.iter().map(|s| s.1.abs()).fold(0.0, f64::max);
        let loud = tail.iter().rposition(|s| s.1.abs() > 3e-3 * most).map_or(0, |k| k + 1);
        let samples: Vec<f64> = tail[..loud].iter().map(|s| s.1).collect();
        let step = match tail[..] {
            [a, .., b] => (b.0 - a.0) / (tail.len() - 1) as f64,
            _ => 1.0,
        };
        let rings = |r: &Ringing| r.half_time_s.is_finite();
        let long = ringing_by_spectrum(&samples, step).filter(rings);
        let found = long.or_else(|| ringing_by_recurrence(&samples, step).filter(rings));
        Self {
            ring: found.map(|r| (r.frequency_hz, r.half_time_s)),
            brief: long.is_none(),
            amplitude: summary.amplitude.unwrap_or(0.0),
            sag: watch.sag,
        }
    }

    /// Relative to another: frequency, amplitude, sag, half-time.
    pub fn ratios(&self, base: &Self) -> [Option<f64>; 4] {
        let ring = self.ring.zip(base.ring);
        let ratio = |a: f64, b: f64| Some(a / b).filter(|r| r.is_finite());
        [
            ring.map(|(a, b)| a.0 / b.0),
            ratio(self.amplitude, base.amplitude),
            ratio(self.sag, base.sag),
            ring.map(|(a, b)| a.1 / b.1),
        ]
    }
}

/// A ratio, or that it cannot be told.
pub(crate) fn text(ratio: Option<f64>) -> String {
    ratio.map_or("–".into(), |r| format!("{r:.4}"))
}

/// What was asked for beside what was measured.
pub(crate) fn table(takes: &[Take], rest: f64) -> Table {
    let all: Vec<Measured> = takes.iter().map(|take| Measured::of(&take.summary, &take.watch, rest)).collect();
    let rows = takes.iter().zip(&all).skip(1).map(|(take, measured)| {
        let ratios = measured.ratios(&all[0]);
        let mut row = vec![take.name.clone()];
        for (asked, ratio) in take.dials.iter().zip(ratios) {
            row.push(format!("{asked}"));
            row.push(text(ratio));
        }
        row.push(take.summary.runs.to_string());
        row
    });
    Table {
        title: "Prescribed and measured".into(),
        caption: "Ratios to the motion as it is. Frequency and half-time are those of the lowest mode while it rings out after the \
                  motion has ended, by spectrum and envelope (by recurrence where it fades before it has swung twice); amplitude is Eq. 5 over the whole motion; sag is that of the first frame, for characters that of statics."
            .into(),
        head: ["dials", "frequency", "measured", "amplitude", "measured", "sag", "measured", "half-time", "measured", "simulations"]
            .map(String::from)
            .to_vec(),
        rows: rows.collect(),
    }
}
