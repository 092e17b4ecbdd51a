//! The frequency and half-time of a vibration that fades before it has swung twice.

use std::f64::consts::TAU;

use crate::Ringing;

/// By least squares from samples every `dt` [s] around 0 of a single vibration: each is a sum of the two before it, y₂ = b y₁ + c y₀, and the roots of
/// z² = b z + c are e^((−a ± iω)dt). It needs no whole swing, but no other tone and no noise either. None where nothing swings, or the samples leave
/// more than a hundredth that is no such vibration.
pub fn ringing_by_recurrence(samples: &[f64], dt: f64) -> Option<Ringing> {
    let sum = |f: fn(&[f64]) -> f64| samples.windows(3).map(f).sum::<f64>();
    let (a00, a01, a11) = (sum(|y| y[0] * y[0]), sum(|y| y[0] * y[1]), sum(|y| y[1] * y[1]));
    let (r0, r1, all) = (sum(|y| y[0] * y[2]), sum(|y| y[1] * y[2]), sum(|y| y[2] * y[2]));
    let det = a00 * a11 - a01 * a01;
    let (c, b) = ((a11 * r0 - a01 * r1) / det, (a00 * r1 - a01 * r0) / det);
    let left: f64 = samples.windows(3).map(|y| (y[2] - b * y[1] - c * y[0]).powi(2)).sum();
    let swings = samples.len() >= 8 && b * b < -4.0 * c && left <= 1e-4 * all && dt > 0.0 && dt.is_finite();
    // |z|² = −c, cos(ω dt) = b / (2 |z|)
    swings.then(|| Ringing::new((b / (2.0 * (-c).sqrt())).acos() / (TAU * dt), -0.5 * (-c).ln() / dt))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ringing::tests::{off, ring};

    #[test]
    fn what_fades_within_a_part_of_a_swing_is_found() {
        for (f, half) in [(0.1, 0.4), (0.35, 0.1), (0.7, 0.5), (2.0, 1.0)] {
            for phase in [0.0, 1.0, 2.5] {
                let samples = ring(0.0, &[[f, half, 3.0, phase]], 1.0 / 24.0, 40);
                let found = ringing_by_recurrence(&samples, 1.0 / 24.0);
                assert!(off(found, f, half) < 1e-9, "{f} {half} {phase}: {found:?}");
            }
        }
    }

    #[test]
    fn what_is_no_single_vibration_has_none() {
        let dt = 1.0 / 24.0;
        let two = ring(0.0, &[[0.7, 1.0, 1.0, 0.0], [3.0, 1.0, 0.5, 1.0]], dt, 60);
        let creep: Vec<f64> = (0..60).map(|k| (-0.1 * f64::from(k)).exp() + (-0.03 * f64::from(k)).exp()).collect();
        for (k, samples) in [vec![], vec![0.0; 50], vec![1.0; 50], two, creep, vec![f64::NAN; 50]].iter().enumerate() {
            assert_eq!(ringing_by_recurrence(samples, dt), None, "{k}");
        }
    }
}
