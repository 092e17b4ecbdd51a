//! The frequency of a motion.

use std::f64::consts::{PI, TAU};

use math::Complex;

/// The frequency [Hz] at which a motion, sampled every `dt` seconds, is strongest: the peak of its spectrum under a Hann
/// window, found between the samples of the transform. None where there is no motion or less than two periods of it.
pub fn dominant_frequency(samples: &[f64], dt: f64) -> Option<f64> {
    Spectrum::new(samples, dt, hann)?.peak(0.0)
}

/// Sees most of the middle of a motion.
pub(crate) fn hann(u: f64) -> f64 {
    1.0 - (TAU * u).cos()
}

/// Sees most of the start of a motion.
pub(crate) fn falling(u: f64) -> f64 {
    1.0 + (PI * u).cos()
}

/// The spectrum of a motion without its mean.
pub(crate) struct Spectrum {
    windowed: Vec<f64>,
    dt: f64,
}

impl Spectrum {
    /// Of samples every `dt` seconds under a window over 0 to 1. None where nothing moves or something is not a number.
    pub(crate) fn new(samples: &[f64], dt: f64, window: impl Fn(f64) -> f64) -> Option<Self> {
        let n = samples.len();
        let mean = samples.iter().sum::<f64>() / n.max(1) as f64;
        let size = samples.iter().map(|y| (y - mean).abs()).fold(0.0, f64::max);
        let moves = size > 1e-12 * mean.abs() && size.is_finite() && samples.iter().all(|y| y.is_finite());
        if n < 8 || !moves || !(dt > 0.0 && dt.is_finite()) {
            return None;
        }
        let window = |k: usize| window((k as f64 + 0.5) / n as f64);
        // remove the mean as the window sees it
        let weight: f64 = (0..n).map(window).sum();
        let mean = samples.iter().enumerate().map(|(k, y)| window(k) * y).sum::<f64>() / weight;
        let windowed = samples.iter().enumerate().map(|(k, y)| window(k) * ((y - mean) / size)).collect();
        Some(Self { windowed, dt })
    }

    fn power(&self, f: f64) -> f64 {
        let turn = Complex::from_polar(1.0, TAU * f * self.dt);
        // Horner's rule: one multiplication per sample
        self.windowed.iter().fold(Complex::new(0.0, 0.0), |sum, y| sum * turn + y).norm_sqr()
    }

    /// Where it is strongest [Hz], above a frequency.
    pub(crate) fn peak(&self, above: f64) -> Option<f64> {
        let duration = self.windowed.len() as f64 * self.dt;
        let lowest = above.max(2.0 / duration);
        let step = 0.25 / duration;
        let candidates = (0..2 * self.windowed.len()).map(|k| lowest + step * k as f64);
        let powers = candidates.take_while(|f| *f < 0.5 / self.dt).map(|f| (f, self.power(f)));
        let (peak, _) = powers.max_by(|a, b| a.1.total_cmp(&b.1))?;
        if peak == lowest {
            return None; // the motion is slower than can be told
        }
        Some(self.refined(peak, step))
    }

    /// The peak [Hz] near a frequency, by the golden section.
    pub(crate) fn refined(&self, f: f64, reach: f64) -> f64 {
        let (mut a, mut b) = (f - reach, f + reach);
        let ratio = (5f64.sqrt() - 1.0) / 2.0;
        while b - a > 1e-10 * f {
            let (c, d) = (b - ratio * (b - a), a + ratio * (b - a));
            if self.power(c) > self.power(d) { b = d } else { a = c }
        }
        (a + b) / 2.0
    }
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
        assert_eq!(dominant_frequency(&[0.0, 1.0, f64::NAN, 1.0, 0.0, 1.0, 0.0, 1.0], 0.1), None);
        assert_eq!(dominant_frequency(&[0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0], -0.1), None);
    }
}
