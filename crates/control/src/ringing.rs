//! The frequency and half-time of a vibration that rings down, by least squares.

use std::f64::consts::{LN_2, TAU};

use crate::spectrum::{Spectrum, falling, hann};
use crate::tone::Tone;

/// Frequency [Hz] and half-time [s] of the strongest decaying vibration in evenly spaced samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ringing {
    /// [Hz]
    pub frequency_hz: f64,
    /// the time in which the amplitude halves [s]; ∞ where it does not fall
    pub half_time_s: f64,
}

impl Ringing {
    pub(crate) fn new(frequency_hz: f64, decay: f64) -> Self {
        Self { frequency_hz, half_time_s: if decay > 0.0 { LN_2 / decay } else { f64::INFINITY } }
    }
}

/// By least squares, from samples every `dt` [s]: the decaying sinusoid, plus a constant, that fits best, started from the
/// peak of the spectrum. Up to two overtones are fitted along with it, so that they do not disturb it. None where there is
/// no vibration, or less than two periods of it.
pub fn ringing(samples: &[f64], dt: f64) -> Option<Ringing> {
    let n = samples.len() as f64;
    let y = normalized(samples)?;
    let start = LEVELS.iter().find_map(|share| Spectrum::new(live(&y, *share), dt, hann)?.peak(0.0))?;
    let mut tones = vec![Tone::near(&y, TAU * n * dt * start)?.fitted(&y)?];
    while tones.len() <= OVERTONES {
        let rest = without(&y, &tones, usize::MAX);
        if rest.iter().all(|r| (r - tones[0].offset).abs() < 1e-9) {
            break;
        }
        let Some(more) = with_overtone(&y, &tones, &rest) else { break };
        tones = more;
    }
    let main = tones[0];
    let rest: f64 = without(&y, &tones, usize::MAX).iter().map(|r| (r - main.offset).powi(2)).sum();
    let all: f64 = y.iter().map(|y| y * y).sum();
    let rings = rest < all / 2.0 && main.omega >= 2.0 * TAU && main.omega < n * TAU / 2.0;
    rings.then(|| Ringing::new(main.omega / (TAU * n * dt), main.decay / (n * dt)))
}

/// The motion is looked at until it has died down to such a share; what dies sooner than it swings is followed longer.
pub(crate) const LEVELS: [f64; 3] = [1e-2, 1e-4, 0.0];
const OVERTONES: usize = 2;
/// An overtone is this much faster, at least.
const OVER: f64 = 1.5;

/// The tones and one more, fitted in turn until nothing changes.
fn with_overtone(y: &[f64], tones: &[Tone], rest: &[f64]) -> Option<Vec<Tone>> {
    let slowest = OVER * tones[0].omega;
    let start = Spectrum::new(rest, 1.0 / y.len() as f64, falling)?.peak(slowest / TAU)?;
    let mut tones = tones.to_vec();
    tones.push(Tone::near(rest, TAU * start)?);
    for _ in 0..50 {
        let before = tones[0];
        for k in (0..tones.len()).rev() {
            tones[k] = tones[k].fitted(&without(y, &tones, k))?;
        }
        if tones[1..].iter().any(|t| !(t.omega > slowest)) {
            return None;
        }
        if f64::hypot(tones[0].omega - before.omega, tones[0].decay - before.decay) < 1e-9 {
            break;
        }
    }
    Some(tones)
}

/// The samples without these tones, but for one of them; their constant stays.
fn without(y: &[f64], tones: &[Tone], but: usize) -> Vec<f64> {
    let others = || tones.iter().enumerate().filter(|(k, _)| *k != but);
    let at = |k: usize| k as f64 / y.len() as f64;
    y.iter().enumerate().map(|(k, y)| y - others().map(|(_, tone)| tone.swing(at(k))).sum::<f64>()).collect()
}

/// Without the mean, and of size 1. None where nothing moves or something is not a number.
pub(crate) fn normalized(samples: &[f64]) -> Option<Vec<f64>> {
    let mean = samples.iter().sum::<f64>() / samples.len() as f64;
    let size = samples.iter().map(|y| (y - mean).abs()).fold(0.0, f64::max);
    let moves = samples.len() >= 8 && size > 1e-12 * mean.abs() && size.is_finite();
    (moves && samples.iter().all(|y| y.is_finite())).then(|| samples.iter().map(|y| (y - mean) / size).collect())
}

/// The samples before the motion has died down to this share of its size, as seen from its end.
pub(crate) fn live(y: &[f64], share: f64) -> &[f64] {
    let tail = &y[y.len() - y.len().div_ceil(4)..];
    let end = tail.iter().sum::<f64>() / tail.len() as f64;
    let size = y.iter().map(|y| (y - end).abs()).fold(0.0, f64::max);
    let last = y.iter().rposition(|y| (y - end).abs() > share * size);
    &y[..last.map_or(y.len(), |last| last + 1)]
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::ringing_by_spectrum;

    /// A ring-down: constant, then frequency [Hz], half-time [s], amplitude and phase of each tone.
    pub(crate) fn ring(offset: f64, tones: &[[f64; 4]], dt: f64, n: usize) -> Vec<f64> {
        let tone = |t: f64, [f, half, size, phase]: [f64; 4]| size * (-t / half).exp2() * (TAU * f * t + phase).sin();
        (0..n).map(|k| offset + tones.iter().map(|x| tone(k as f64 * dt, *x)).sum::<f64>()).collect()
    }

    /// The larger relative error of frequency and half-time.
    pub(crate) fn off(found: Option<Ringing>, f: f64, half: f64) -> f64 {
        let r = found.unwrap_or(Ringing { frequency_hz: f64::NAN, half_time_s: f64::NAN });
        let (f, half) = ((r.frequency_hz / f - 1.0).abs(), (r.half_time_s / half - 1.0).abs());
        if f.is_nan() || half.is_nan() { f64::INFINITY } else { f.max(half) }
    }

    /// Frequency [Hz], half-time [s], dt [s], number of samples: at least six periods.
    pub(crate) fn rings() -> impl Iterator<Item = (f64, f64, f64, usize)> {
        let halves = [1.0, 1.5, 3.0, 10.0]; // in periods
        let clocks = [(1.0 / 24.0, 1.1), (1.0 / 60.0, 1.937), (1.0 / 120.0, 3.3)];
        let lengths = [6.0, 6.4, 9.7, 16.0]; // in periods
        clocks.into_iter().flat_map(move |(dt, f)| {
            halves
                .into_iter()
                .flat_map(move |half| lengths.map(|long: f64| (f, half / f, dt, (long / (f * dt)).ceil() as usize + 1)))
        })
    }

    /// The same with two overtones of a tenth that decay faster, and a constant.
    pub(crate) fn mixed(f: f64, half: f64, dt: f64, n: usize) -> impl Iterator<Item = Vec<f64>> {
        let overtones = [(2.5, 3.7, 0.5), (2.6, 4.1, 0.9), (3.3, 5.2, 0.3)];
        overtones.into_iter().flat_map(move |(a, b, faster)| {
            [0.0, 2.0].map(|phase| {
                let tones = [
                    [f, half, 1.0, phase],
                    [a * f, faster * half, 0.1, 0.4 - phase],
                    [b * f, 0.7 * faster * half, 0.1, 2.0 * phase],
                ];
                ring(-2.0, &tones, dt, n)
            })
        })
    }

    #[test]
    fn a_pure_tone_is_found_to_many_digits() {
        let mut worst = 0.0f64;
        for (f, half, dt, n) in rings() {
            for (size, offset, phase) in [(1.0, 0.0, 0.0), (3e-4, 7.0, 1.0), (2e5, -1e5, 2.5)] {
                worst = worst.max(off(ringing(&ring(offset, &[[f, half, size, phase]], dt, n), dt), f, half));
            }
        }
        assert!(worst < 1e-10, "{worst}");
    }

    #[test]
    fn overtones_and_a_constant_do_not_disturb() {
        let mut worst = 0.0f64;
        for (f, half, dt, n) in rings() {
            for samples in mixed(f, half, dt, n) {
                worst = worst.max(off(ringing(&samples, dt), f, half));
            }
        }
        assert!(worst < 1e-6, "{worst}");
    }

    #[test]
    fn noise_disturbs_both_ways_little() {
        let mut worst = [0.0f64; 2];
        for (f, half, dt, n) in rings() {
            let mut samples = ring(5.0, &[[f, half, 1.0, 0.3]], dt, n);
            for (k, y) in samples.iter_mut().enumerate() {
                *y += 0.005 * ((k as f64 + 1.0).sin() * 43_758.545_3).fract(); // ±½ %
            }
            worst[0] = worst[0].max(off(ringing(&samples, dt), f, half));
            worst[1] = worst[1].max(off(ringing_by_spectrum(&samples, dt), f, half));
        }
        assert!(worst[0] < 0.005 && worst[1] < 0.01, "{worst:?}");
    }

    #[test]
    fn what_does_not_ring_has_no_frequency() {
        let dt = 1.0 / 24.0;
        let noise = |k: usize| ((k * k * 7919 + k * 104_729) % 1009) as f64;
        let silent: [Vec<f64>; 8] = [
            vec![],
            vec![1.0; 100],
            (0..100).map(f64::from).collect(),
            (0..100).map(|k| (-0.1 * f64::from(k)).exp()).collect(),
            ring(0.0, &[[1.0, 1.0, 1.0, 0.0]], dt, 40), // less than two periods
            vec![f64::NAN; 50],
            vec![f64::MAX; 50],
            (0..300).map(noise).collect(),
        ];
        for (k, samples) in silent.iter().enumerate() {
            assert_eq!(ringing(samples, dt), None, "{k}");
            if k < 7 {
                assert_eq!(ringing_by_spectrum(samples, dt), None, "{k}");
            }
        }
        let mut broken = ring(0.0, &[[1.0, 1.0, 1.0, 0.0]], dt, 200);
        assert!(ringing(&broken, dt).is_some() && ringing_by_spectrum(&broken, dt).is_some());
        for dt in [0.0, -dt, f64::NAN, f64::INFINITY] {
            assert!(ringing(&broken, dt).is_none() && ringing_by_spectrum(&broken, dt).is_none(), "{dt}");
        }
        for bad in [f64::NAN, f64::INFINITY] {
            broken[77] = bad;
            assert!(ringing(&broken, dt).is_none() && ringing_by_spectrum(&broken, dt).is_none());
        }
    }
}
