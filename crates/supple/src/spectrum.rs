//! The frequency of a motion.

use std::f64::consts::TAU;

/// The frequency [Hz] at which a motion, sampled every `dt` seconds, is strongest: the peak of its spectrum under a Hann
/// window, found between the samples of the transform. None where there is no motion or less than two periods of it.
pub fn dominant_frequency(samples: &[f64], dt: f64) -> Option<f64> {
    let n = samples.len();
    let mean = samples.iter().sum::<f64>() / n.max(1) as f64;
    let size = samples.iter().map(|y| (y - mean).abs()).fold(0.0, f64::max);
    if n < 8 || !(size > 1e-12 * mean.abs()) {
        return None;
    }
    let window = |k: usize| 1.0 - (TAU * (k as f64 + 0.5) / n as f64).cos();
    let windowed: Vec<f64> = {
        // remove the mean as the window sees it
        let weight: f64 = (0..n).map(window).sum();
        let mean = samples.iter().enumerate().map(|(k, y)| window(k) * y).sum::<f64>() / weight;
        samples.iter().enumerate().map(|(k, y)| window(k) * (y - mean)).collect()
    };
    let power = |f: f64| {
        let (mut re, mut im) = (0.0, 0.0);
        for (k, y) in windowed.iter().enumerate() {
            let (sin, cos) = (TAU * f * dt * k as f64).sin_cos();
            re += y * cos;
            im += y * sin;
        }
        re * re + im * im
    };
    let duration = n as f64 * dt;
    let lowest = 2.0 / duration;
    let step = 0.25 / duration;
    let candidates = (0..).map(|k| lowest + step * k as f64).take_while(|f| *f < 0.5 / dt);
    let peak = candidates.max_by(|a, b| power(*a).total_cmp(&power(*b)))?;
    if peak == lowest {
        return None; // the motion is slower than can be told
    }
    // golden section
    let (mut a, mut b) = (peak - step, peak + step);
    let ratio = (5f64.sqrt() - 1.0) / 2.0;
    while b - a > 1e-10 * peak {
        let (c, d) = (b - ratio * (b - a), a + ratio * (b - a));
        if power(c) > power(d) { b = d } else { a = c }
    }
    Some((a + b) / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decaying_tone_is_found_between_the_samples_of_the_transform() {
        let y = |t: f64| 3.0 + (-0.4 * t).exp() * (TAU * 1.937 * t).sin();
        let samples: Vec<f64> = (0..240).map(|k| y(k as f64 / 48.0)).collect();
        let f = dominant_frequency(&samples, 1.0 / 48.0).unwrap();
        assert!((f / 1.937 - 1.0).abs() < 2e-3, "{f}");
    }

    #[test]
    fn stillness_has_no_frequency() {
        assert_eq!(dominant_frequency(&[1.0; 100], 0.1), None);
        assert_eq!(dominant_frequency(&[], 0.1), None);
    }
}
