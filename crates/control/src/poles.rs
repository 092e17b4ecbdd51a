//! What a damped vibration x″ + (d_m + d_k ω²) x′ + ω² x = 0 shows on screen when an integrator steps it, and the inverse.
//!
//! Steps of h see x′ = s x as x → γx, γ = 1 + [`Integrator::growth`] of h s: what is shown is e^(s′t) with s′ = ln γ/h. Both
//! ways are closed forms, and the kind of damping matters only at the very end, since one vibration feels d_m + d_k ω².

use dynamics::{Damping, Integrator};
use math::Complex;

use crate::Unreachable;

/// A decaying vibration as it is seen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seen {
    /// ω_d [rad/s]
    pub frequency: f64,
    /// a [1/s]: it falls as e^(−a t)
    pub decay: f64,
}

impl Seen {
    /// The vibration of this frequency [Hz] that halves in this time [s]; an infinite time means never.
    pub fn new(hertz: f64, half_time: f64) -> Self {
        Self { frequency: std::f64::consts::TAU * hertz, decay: std::f64::consts::LN_2 / half_time }
    }

    /// The time in which it halves [s]; ∞ where it does not fall.
    pub fn half_time(&self) -> f64 {
        if self.decay > 0.0 { std::f64::consts::LN_2 / self.decay } else { f64::INFINITY }
    }

    /// Its frequency [Hz].
    pub fn hertz(&self) -> f64 {
        self.frequency / std::f64::consts::TAU
    }
}

/// How time is stepped: exactly, or by an integrator with a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Clock {
    /// as nature does
    Exact,
    /// in steps
    Steps {
        /// how a step is made
        integrator: Integrator,
        /// [s]
        h: f64,
    },
}

/// Which kind of Rayleigh damping is tuned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rayleigh {
    /// d_m [1/s]
    Mass,
    /// d_k [s]
    Stiffness,
}

/// What shows a wanted vibration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tuned {
    /// ω, the natural frequency without damping [rad/s]
    pub omega: f64,
    /// of one kind only
    pub damping: Damping,
}

/// What a vibration of natural frequency ω [rad/s] with this damping shows. None where it does not swing: where it is
/// overdamped, or faster than the steps can show.
pub fn seen(clock: Clock, omega: f64, damping: Damping) -> Option<Seen> {
    let decay = (damping.mass + damping.stiffness * omega * omega) / 2.0;
    let swing = ((omega - decay) * (omega + decay)).sqrt(); // not a number where it is overdamped
    if !(omega > 0.0 && swing > 0.0) {
        return None;
    }
    let s = Complex::new(-decay, swing);
    let shown = match clock {
        Clock::Exact => s,
        Clock::Steps { integrator, h } if h > 0.0 => ln_1p(integrator.growth(s * h)) / h,
        Clock::Steps { .. } => return None,
    };
    let seen = Seen { frequency: shown.im, decay: -shown.re };
    (seen.frequency > 0.0 && seen.decay.is_finite()).then_some(seen)
}

/// ω and the damping coefficient with which exactly this is seen; the other kind of damping is 0.
pub fn tuned(clock: Clock, kind: Rayleigh, wanted: Seen) -> Result<Tuned, Unreachable> {
    let is_step = |h: f64| h > 0.0 && h.is_finite();
    if !(wanted.frequency > 0.0 && wanted.frequency.is_finite() && wanted.decay >= 0.0 && wanted.decay.is_finite())
        || matches!(clock, Clock::Steps { h, .. } if !is_step(h))
    {
        return Err(Unreachable::Meaningless { wanted, clock });
    }
    let shown = Complex::new(-wanted.decay, wanted.frequency);
    let s = match clock {
        Clock::Exact => shown,
        Clock::Steps { integrator, h } => {
            let steps = || smallest_number_of_steps(integrator, wanted);
            if wanted.frequency * h >= integrator.widest_turn() {
                let highest_hz = Seen { frequency: integrator.widest_turn() / h, decay: 0.0 }.hertz();
                return Err(Unreachable::Frequency { wanted, integrator, h, highest_hz, steps: steps() });
            }
            let z = integrator.growth_inverse(exp_m1(shown * h));
            if z.re > ROUNDING * z.norm() {
                let longest = longest_half_time(integrator, h, wanted.frequency);
                return Err(Unreachable::HalfTime { wanted, integrator, h, longest, steps: steps() });
            }
            z / h
        }
    };
    let (omega, damping) = (s.norm(), (-2.0 * s.re).max(0.0));
    let damping = match kind {
        Rayleigh::Mass => Damping { mass: damping, stiffness: 0.0 },
        Rayleigh::Stiffness => Damping { mass: 0.0, stiffness: damping / (omega * omega) },
    };
    let off = seen(clock, omega, damping)
        .map(|seen| Complex::new(wanted.decay - seen.decay, wanted.frequency - seen.frequency).norm());
    match off {
        Some(off) if off <= 1e-6 * wanted.frequency => Ok(Tuned { omega, damping }),
        _ => Err(Unreachable::Fleeting { wanted }),
    }
}

/// So much negative damping, relative to the frequency, comes from rounding.
const ROUNDING: f64 = 1e-13;

/// The half-time [s] that is left where nothing damps but the steps: the longest at this seen frequency [rad/s].
fn longest_half_time(integrator: Integrator, h: f64, frequency: f64) -> f64 {
    let bare = last_bare(integrator, |bare| bare.frequency <= frequency * h);
    Seen { frequency, decay: bare.decay / h }.half_time()
}

/// More steps per second than this show the vibration, and fewer do not. The share a/ω_d by which the bare steps damp grows
/// with the angle of a step.
fn smallest_number_of_steps(integrator: Integrator, wanted: Seen) -> f64 {
    if wanted.decay == 0.0 {
        return f64::INFINITY;
    }
    let bare = last_bare(integrator, |bare| bare.decay * wanted.frequency <= wanted.decay * bare.frequency);
    wanted.frequency / bare.frequency
}

/// Of the vibrations that nothing but steps of 1 s damps, the fastest for which this is still true; it must be true of slow
/// ones. Of all that can be shown if it is true of all.
fn last_bare(integrator: Integrator, holds: impl Fn(Seen) -> bool) -> Seen {
    let bare = |y: f64| seen(Clock::Steps { integrator, h: 1.0 }, y, Damping::default());
    let (mut good, mut bad) = (1e-9, 1e100);
    let mut last = Seen { frequency: good, decay: 0.0 };
    for _ in 0..400 {
        // First the size, then the digits.
        let middle = if bad > 2.0 * good { f64::sqrt(good * bad) } else { (good + bad) / 2.0 };
        match bare(middle).filter(|b| holds(*b)) {
            Some(b) => (good, last) = (middle, b),
            None => bad = middle,
        }
    }
    last
}

/// e^z − 1, with all digits for small z.
fn exp_m1(z: Complex<f64>) -> Complex<f64> {
    let (sin, cos) = z.im.sin_cos();
    Complex::new(z.re.exp_m1() * cos - 2.0 * (z.im / 2.0).sin().powi(2), z.re.exp() * sin)
}

/// ln(1 + z), with all digits for small z.
fn ln_1p(z: Complex<f64>) -> Complex<f64> {
    let more = 2.0 * z.re + z.norm_sqr(); // |1 + z|² − 1
    let size = if more > -0.5 { more.ln_1p() / 2.0 } else { (z + 1.0).norm().ln() };
    Complex::new(size, (z + 1.0).arg())
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOTH: [Integrator; 2] = [Integrator::BackwardEuler, Integrator::TrapezoidBdf2];

    fn clocks() -> impl Iterator<Item = Clock> {
        let steps = |integrator| [24.0, 60.0, 1000.0].map(|n| Clock::Steps { integrator, h: 1.0 / n });
        BOTH.into_iter().flat_map(steps).chain([Clock::Exact])
    }

    /// From slow to the limit of the steps, from hardly to heavily damped.
    fn vibrations() -> impl Iterator<Item = Seen> {
        let frequencies = [0.1, 0.5, 1.189, 3.0, 5.9, 9.0, 11.9];
        frequencies.into_iter().flat_map(|f| [0.03, 0.1, 0.367, 0.8, 5.0, 100.0].map(|t| Seen::new(f, t)))
    }

    fn off(a: Seen, b: Seen) -> f64 {
        (a.frequency / b.frequency - 1.0).abs().max((a.decay / b.decay - 1.0).abs())
    }

    #[test]
    fn what_is_tuned_is_seen() {
        let (mut reached, mut worst) = (0, 0.0f64);
        for (clock, wanted) in clocks().flat_map(|c| vibrations().map(move |w| (c, w))) {
            for kind in [Rayleigh::Mass, Rayleigh::Stiffness] {
                let Ok(tuned) = tuned(clock, kind, wanted) else { continue };
                assert!(tuned.damping.mass >= 0.0 && tuned.damping.stiffness >= 0.0);
                worst = worst.max(off(seen(clock, tuned.omega, tuned.damping).unwrap(), wanted));
                reached += 1;
            }
        }
        assert!(reached > 300, "vacuous: {reached}");
        assert!(worst < 1e-11, "{worst}");
    }

    #[test]
    fn what_is_seen_is_tuned() {
        for (clock, wanted) in clocks().flat_map(|c| vibrations().map(move |w| (c, w))) {
            for ratio in [0.0, 0.05, 0.7] {
                let (omega, mass) = (wanted.frequency, 2.0 * ratio * wanted.frequency);
                let Some(shown) = seen(clock, omega, Damping { mass, stiffness: 0.0 }) else { continue };
                let again = tuned(clock, Rayleigh::Mass, shown).unwrap();
                assert!((again.omega / omega - 1.0).abs() < 1e-11, "{clock:?} {wanted:?} {ratio} {again:?}");
                assert!((again.damping.mass - mass).abs() < 1e-11 * omega, "{clock:?} {wanted:?} {ratio} {again:?}");
            }
        }
    }

    #[test]
    fn it_can_be_shown_exactly_where_the_bare_steps_damp_no_more() {
        for (integrator, wanted) in BOTH.into_iter().flat_map(|i| vibrations().map(move |w| (i, w))) {
            let with = |n: f64, wanted| tuned(Clock::Steps { integrator, h: 1.0 / n }, Rayleigh::Mass, wanted);
            for n in [24.0, 48.0] {
                let Err(Unreachable::HalfTime { longest, .. }) = with(n, wanted) else { continue };
                assert!(with(n, Seen::new(wanted.hertz(), 0.999_999 * longest)).is_ok());
                assert!(with(n, Seen::new(wanted.hertz(), 1.000_001 * longest)).is_err());
            }
            if let Err(Unreachable::HalfTime { steps, .. } | Unreachable::Frequency { steps, .. }) = with(24.0, wanted)
            {
                assert!(with(1.000_001 * steps, wanted).is_ok(), "{integrator:?} {wanted:?} {steps}");
                assert!(with(0.999_999 * steps, wanted).is_err(), "{integrator:?} {wanted:?} {steps}");
                for more in [1.1, 2.0, 10.0, 300.0] {
                    assert!(with(more * steps, wanted).is_ok(), "{integrator:?} {wanted:?} {steps} {more}");
                }
            }
        }
    }

    #[test]
    fn backward_euler_has_its_closed_form() {
        let (h, wanted) = (1.0 / 24.0, Seen::new(1.189, 0.35));
        let clock = Clock::Steps { integrator: Integrator::BackwardEuler, h };
        let (grown, cos) = ((wanted.decay * h).exp(), (wanted.frequency * h).cos());
        let omega_squared = (grown * grown - 2.0 * grown * cos + 1.0) / (h * h);
        let d_m = 2.0 * (grown * cos - 1.0) / h;
        let mass = tuned(clock, Rayleigh::Mass, wanted).unwrap();
        let stiffness = tuned(clock, Rayleigh::Stiffness, wanted).unwrap();
        assert!((mass.omega.powi(2) / omega_squared - 1.0).abs() < 1e-12 && stiffness.omega == mass.omega);
        assert!((mass.damping.mass / d_m - 1.0).abs() < 1e-12);
        assert!((stiffness.damping.stiffness / (d_m / omega_squared) - 1.0).abs() < 1e-12);
        let Err(Unreachable::HalfTime { longest, .. }) = tuned(clock, Rayleigh::Mass, Seen::new(1.189, 9.0)) else {
            panic!("it shows what it cannot")
        };
        assert!((longest / (h * std::f64::consts::LN_2 / -cos.ln()) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn frequency_and_half_time_change_by_the_ratios_asked_for() {
        let (xi, r_nu, r_tD) = (0.768, 2.0, 4.0);
        let before = seen(Clock::Exact, 1.0, Damping { mass: 0.0, stiffness: 2.0 * xi }).unwrap();
        let wanted = Seen { frequency: r_nu * before.frequency, decay: before.decay / r_tD };
        let after = tuned(Clock::Exact, Rayleigh::Stiffness, wanted).unwrap();
        let chi = f64::sqrt(r_nu * r_nu * (1.0 - xi * xi) + (xi / r_tD) * (xi / r_tD));
        assert!((after.omega - chi).abs() < 1e-14);
        assert!((after.damping.stiffness / (2.0 * xi) - 1.0 / (chi * chi * r_tD)).abs() < 1e-14);
    }

    #[test]
    fn steps_of_a_frame_shorten_and_slow_a_swing_as_was_measured() {
        // 1.189 Hz is rounded to half a thousandth itself
        let true_one = tuned(Clock::Exact, Rayleigh::Stiffness, Seen::new(1.189, 0.80)).unwrap();
        for (integrator, half_time, hertz) in
            [(Integrator::BackwardEuler, 0.367, 1.115), (Integrator::TrapezoidBdf2, 0.809, 1.185)]
        {
            let clock = Clock::Steps { integrator, h: 1.0 / 24.0 };
            let shown = seen(clock, true_one.omega, true_one.damping).unwrap();
            assert!((shown.half_time() - half_time).abs() < 7e-4 && (shown.hertz() - hertz).abs() < 7e-4, "{shown:?}");
        }
    }

    #[test]
    fn what_does_not_swing_is_not_seen() {
        let trapezoid = Clock::Steps { integrator: Integrator::TrapezoidBdf2, h: 1.0 };
        assert_eq!(seen(Clock::Exact, 1.0, Damping { mass: 2.0, stiffness: 0.0 }), None);
        assert_eq!(seen(Clock::Exact, 1.0, Damping { mass: 0.0, stiffness: 2.5 }), None);
        assert_eq!(seen(Clock::Exact, f64::NAN, Damping::default()), None);
        assert_eq!(seen(trapezoid, 5.4, Damping::default()), None);
        assert!(seen(trapezoid, 5.3, Damping::default()).is_some());
        assert_eq!(seen(Clock::Steps { integrator: Integrator::BackwardEuler, h: 0.0 }, 1.0, Damping::default()), None);
    }
}
