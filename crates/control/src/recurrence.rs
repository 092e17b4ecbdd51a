//! The frequency and half-time of a vibration that fades before it has swung twice.

use std::f64::consts::TAU;

use math::{Mat, Vect};

use crate::Ringing;

/// By least squares from samples every `dt` [s] around 0 of a single vibration, which need not swing once, but must be alone. It starts from their
/// recurrence: each is a sum of the two before it, y₂ = b y₁ + c y₀, and the roots of z² = b z + c are e^((−a ± iω)dt). None where nothing swings, or where
/// more than a ten thousandth of the samples' squares is no such vibration.
pub fn ringing_by_recurrence(samples: &[f64], dt: f64) -> Option<Ringing> {
    let sum = |f: fn(&[f64]) -> f64| samples.windows(3).map(f).sum::<f64>();
    let matrix = Mat::<2>::new(sum(|y| y[0] * y[0]), sum(|y| y[0] * y[1]), sum(|y| y[0] * y[1]), sum(|y| y[1] * y[1]));
    let root = matrix.try_inverse()? * Vect::<2>::new(sum(|y| y[0] * y[2]), sum(|y| y[1] * y[2]));
    let (c, b) = (root[0], root[1]);
    if samples.len() < 8 || !(b * b < -4.0 * c && dt > 0.0 && dt.is_finite()) {
        return None;
    }
    // |z|² = −c, cos ω = b / (2 |z|), a sample being the unit of time
    let mut swing = Vect::from([(b / (2.0 * (-c).sqrt())).acos(), -0.5 * (-c).ln()]);
    for _ in 0..30 {
        let left = without(samples, &swing)?;
        let moved = |k: usize| -> Option<Vec<f64>> {
            let mut there = swing;
            there[k] += DIFFERENCE;
            Some(without(samples, &there)?.iter().zip(&left).map(|(a, b)| (a - b) / DIFFERENCE).collect())
        };
        let slopes = [moved(0)?, moved(1)?];
        let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let matrix = Mat::<2>::from_fn(|i, j| product(&slopes[i], &slopes[j]));
        let step = matrix.try_inverse()? * Vect::from([0, 1].map(|k| product(&slopes[k], &left)));
        swing -= step;
        if step.norm() < 1e-12 {
            break;
        }
    }
    let size = |y: &[f64]| y.iter().map(|y| y * y).sum::<f64>();
    let alone = size(&without(samples, &swing)?) <= 1e-4 * size(samples);
    (alone && swing[0] > 0.0).then(|| Ringing::new(swing[0] / (TAU * dt), swing[1] / dt))
}

const DIFFERENCE: f64 = 1e-6;

/// Samples without the best vibration of this ω and decay, a sample being the unit of time.
fn without(samples: &[f64], swing: &Vect<2>) -> Option<Vec<f64>> {
    let at = |k: usize| {
        let (sin, cos) = (swing[0] * k as f64).sin_cos();
        Vect::from([cos, sin]) * (-swing[1] * k as f64).exp()
    };
    let (mut matrix, mut right) = (Mat::<2>::zeros(), Vect::<2>::zeros());
    for (k, y) in samples.iter().enumerate() {
        matrix += at(k) * at(k).transpose();
        right += *y * at(k);
    }
    let best = matrix.try_inverse()? * right;
    Some(samples.iter().enumerate().map(|(k, y)| y - best.dot(&at(k))).collect())
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
    fn a_little_of_another_tone_disturbs_little() {
        let dt = 1.0 / 24.0;
        let samples = ring(0.0, &[[0.36, 0.5, 1.0, 1.0], [1.5, 0.3, 0.01, 0.4]], dt, 60);
        assert!(off(ringing_by_recurrence(&samples, dt), 0.36, 0.5) < 0.03);
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
