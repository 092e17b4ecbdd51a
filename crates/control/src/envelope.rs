//! The frequency and half-time of a vibration that rings down, by its spectrum and its envelope.

use std::f64::consts::TAU;

use math::Complex;

use crate::Ringing;
use crate::ringing::{LEVELS, live, normalized};
use crate::spectrum::{Spectrum, hann};
use crate::tone::Tone;

/// By the spectrum and the envelope of samples every `dt` [s], until the motion has died down. The samples are multiplied by
/// e^(+a t), which makes a tone of constant size out of the vibration: its frequency is the peak of the spectrum, and the
/// slope of the logarithm of its envelope is what a lacks. None where there is no vibration, or less than two periods of it.
pub fn ringing_by_spectrum(samples: &[f64], dt: f64) -> Option<Ringing> {
    let y = normalized(samples)?;
    LEVELS.iter().find_map(|share| of_live(live(&y, *share), dt))
}

fn of_live(y: &[f64], dt: f64) -> Option<Ringing> {
    let duration = y.len() as f64 * dt;
    let (mut f, mut a) = (Spectrum::new(y, dt, hann)?.peak(0.0)?, 0.0);
    for _ in 0..50 {
        let raise = |t: f64| (a * t).exp();
        let offset = Tone::best(y, TAU * f * duration, a * duration, |u| raise(u * duration) * hann(u))?.offset;
        let raised: Vec<f64> = y.iter().enumerate().map(|(k, y)| raise(k as f64 * dt) * (y - offset)).collect();
        let better = Spectrum::new(&raised, dt, hann)?.refined(f, 0.25 / duration);
        let slope = slope(&envelope(&raised, dt, better))?;
        let change = f64::hypot(better - f, slope);
        (f, a) = (better, a - slope);
        if !(f * duration >= 2.0 && a.is_finite()) {
            return None;
        }
        if change < 1e-9 * f {
            break;
        }
    }
    Some(Ringing::new(f, a))
}

/// Times [s], and the logarithm of the size of the part of frequency f [Hz] around them: under a Hann window of two periods,
/// which sees neither a constant nor the mirror image at −f.
fn envelope(y: &[f64], dt: f64, f: f64) -> Vec<[f64; 2]> {
    let width = 2.0 / f;
    let (first, last) = (width / 2.0, (y.len() - 1) as f64 * dt - width / 2.0);
    let count = ((last - first) * f * 8.0).floor();
    let times = (0..=count.max(0.0) as usize).map(|k| first + (last - first) * k as f64 / count);
    let size = |t: f64| {
        let (from, to) = ((t - width / 2.0) / dt, (t + width / 2.0) / dt);
        let sum: Complex<f64> = (from.ceil().max(0.0) as usize..y.len().min(to.floor() as usize + 1))
            .map(|k| Complex::from_polar(hann((k as f64 - from) * dt / width) * y[k], -TAU * f * k as f64 * dt))
            .sum();
        sum.norm().ln()
    };
    times.map(|t| [t, size(t)]).filter(|[t, size]| t.is_finite() && size.is_finite()).collect()
}

/// Of the straight line through points. None where there are less than three.
fn slope(points: &[[f64; 2]]) -> Option<f64> {
    let n = points.len() as f64;
    let mean = |axis: usize| points.iter().map(|p| p[axis]).sum::<f64>() / n;
    let (t, y) = (mean(0), mean(1));
    let (up, along) =
        points.iter().fold((0.0, 0.0), |(up, along), p| (up + (p[0] - t) * (p[1] - y), along + (p[0] - t).powi(2)));
    (points.len() > 2).then(|| up / along)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ringing::tests::{mixed, off, ring, rings};

    #[test]
    fn a_pure_tone_is_found() {
        let mut worst = 0.0f64;
        for (f, half, dt, n) in rings() {
            for (offset, phase) in [(0.0, 0.0), (7.0, 1.0), (-3.0, 2.5)] {
                let e = off(ringing_by_spectrum(&ring(offset, &[[f, half, 1.0, phase]], dt, n), dt), f, half);
                worst = worst.max(e);
            }
        }
        assert!(worst < 5e-3, "{worst}");
    }

    #[test]
    fn overtones_and_a_constant_do_not_disturb() {
        let mut worst = 0.0f64;
        for (f, half, dt, n) in rings() {
            for samples in mixed(f, half, dt, n) {
                let e = off(ringing_by_spectrum(&samples, dt), f, half);
                worst = worst.max(e);
            }
        }
        assert!(worst < 5e-3, "{worst}");
    }
}
