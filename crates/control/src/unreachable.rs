//! Why a vibration cannot be shown.

use dynamics::Integrator;

use crate::{Clock, Seen};

/// What cannot be shown, and what is nearest.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum Unreachable {
    /// The steps alone damp more.
    #[error(
        "{} cannot be shown by {} at {} steps per second: even without any damping it halves every {} s.\n{}.",
        vibration(.wanted), name(.integrator), digits(1.0 / .h), lower(*.longest), remedy(*.steps, &half_time(*.longest))
    )]
    HalfTime {
        /// what was asked for
        wanted: Seen,
        /// how a step is made
        integrator: Integrator,
        /// [s]
        h: f64,
        /// the longest half-time that can be shown at that frequency [s]
        longest: f64,
        /// with more steps per second than this it can be shown [1/s]; ∞ where it never can
        steps: f64,
    },
    /// Too fast for the steps.
    #[error(
        "{} cannot be shown by {} at {} steps per second, which shows only what is slower than {} Hz.\n{}.",
        vibration(.wanted), name(.integrator), digits(1.0 / .h), lower(*.highest_hz), remedy(*.steps, "a lower frequency")
    )]
    Frequency {
        /// what was asked for
        wanted: Seen,
        /// how a step is made
        integrator: Integrator,
        /// [s]
        h: f64,
        /// only what is slower can be shown, whatever its half-time [Hz]
        highest_hz: f64,
        /// with more steps per second than this it can be shown [1/s]; ∞ where it never can
        steps: f64,
    },
    /// No digits are left for the swing beside the damping.
    #[error("{} is gone before it has swung. Ask for a longer half-time.", vibration(.wanted))]
    Fleeting {
        /// what was asked for
        wanted: Seen,
    },
    /// Not a vibration, or not a step.
    #[error(
        "{}{} makes no sense: frequency, half-time and step must be above 0.", vibration(.wanted), step(.clock)
    )]
    Meaningless {
        /// what was asked for
        wanted: Seen,
        /// how time is stepped
        clock: Clock,
    },
}

fn vibration(wanted: &Seen) -> String {
    let hertz = digits(wanted.hertz());
    match wanted.decay {
        0.0 => format!("a vibration of {hertz} Hz that never fades"),
        a => format!("a vibration of {hertz} Hz that halves every {} s", digits(std::f64::consts::LN_2 / a)),
    }
}

fn name(integrator: &Integrator) -> &'static str {
    match integrator {
        Integrator::BackwardEuler => "backward Euler",
        Integrator::TrapezoidBdf2 => "trapezoid-BDF2",
    }
}

fn step(clock: &Clock) -> String {
    match clock {
        Clock::Exact => String::new(),
        Clock::Steps { h, .. } => format!(" in steps of {} s", digits(*h)),
    }
}

/// What to do, in whole steps, or else.
fn remedy(steps: f64, otherwise: &str) -> String {
    if steps.is_finite() {
        format!("Take at least {} steps per second, or {otherwise}", steps.floor() + 1.0)
    } else {
        format!("More steps come nearer, but no number of them is enough. Take {otherwise}")
    }
}

fn half_time(longest: f64) -> String {
    format!("a half-time of at most {} s", lower(longest))
}

/// Four digits of a number.
fn digits(x: f64) -> f64 {
    format!("{x:.3e}").parse().unwrap_or(x)
}

/// Three digits of a number that are not above it.
fn lower(x: f64) -> f64 {
    let unit = 10f64.powf(x.log10().floor() - 2.0);
    let lower = digits((x / unit).floor() * unit);
    if lower.is_finite() { lower } else { x }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Rayleigh, tuned};

    fn told(integrator: Integrator, h: f64, wanted: Seen) -> String {
        tuned(Clock::Steps { integrator, h }, Rayleigh::Stiffness, wanted).unwrap_err().to_string()
    }

    #[test]
    fn the_artist_is_told_what_can_be_shown_and_with_how_many_steps() {
        let frame = 1.0 / 24.0;
        assert_eq!(
            told(Integrator::BackwardEuler, frame, Seen::new(1.189, 0.8)),
            "a vibration of 1.189 Hz that halves every 0.8 s cannot be shown by backward Euler at 24 steps per second: even \
             without any damping it halves every 0.586 s.\nTake at least 33 steps per second, or a half-time of at most \
             0.586 s."
        );
        assert_eq!(
            told(Integrator::TrapezoidBdf2, frame, Seen::new(8.0, 0.8)),
            "a vibration of 8 Hz that halves every 0.8 s cannot be shown by trapezoid-BDF2 at 24 steps per second: even \
             without any damping it halves every 0.441 s.\nTake at least 30 steps per second, or a half-time of at most \
             0.441 s."
        );
        assert_eq!(
            told(Integrator::TrapezoidBdf2, frame, Seen::new(20.0, 0.8)),
            "a vibration of 20 Hz that halves every 0.8 s cannot be shown by trapezoid-BDF2 at 24 steps per second, which \
             shows only what is slower than 12 Hz.\nTake at least 100 steps per second, or a lower frequency."
        );
        assert_eq!(
            told(Integrator::BackwardEuler, frame, Seen::new(7.0, 0.01)),
            "a vibration of 7 Hz that halves every 0.01 s cannot be shown by backward Euler at 24 steps per second, which \
             shows only what is slower than 6 Hz.\nTake at least 30 steps per second, or a lower frequency."
        );
        assert_eq!(
            told(Integrator::TrapezoidBdf2, frame, Seen::new(1.0, f64::INFINITY)),
            "a vibration of 1 Hz that never fades cannot be shown by trapezoid-BDF2 at 24 steps per second: even without \
             any damping it halves every 1770 s.\nMore steps come nearer, but no number of them is enough. Take a half-time \
             of at most 1770 s."
        );
    }

    #[test]
    fn nonsense_is_told_from_what_the_steps_cannot_do() {
        assert_eq!(
            told(Integrator::BackwardEuler, 0.0, Seen::new(1.0, 1.0)),
            "a vibration of 1 Hz that halves every 1 s in steps of 0 s makes no sense: frequency, half-time and step must be \
             above 0."
        );
        assert_eq!(
            tuned(Clock::Exact, Rayleigh::Mass, Seen::new(-2.0, 1.0)).unwrap_err().to_string(),
            "a vibration of -2 Hz that halves every 1 s makes no sense: frequency, half-time and step must be above 0."
        );
        assert_eq!(
            told(Integrator::TrapezoidBdf2, 1.0 / 24.0, Seen::new(1.0, 1e-5)),
            "a vibration of 1 Hz that halves every 0.00001 s is gone before it has swung. Ask for a longer half-time."
        );
        for (hertz, half_time) in
            [(f64::NAN, 1.0), (0.0, 1.0), (f64::INFINITY, 1.0), (1.0, 0.0), (1.0, -1.0), (1.0, f64::NAN)]
        {
            let error = tuned(Clock::Exact, Rayleigh::Mass, Seen::new(hertz, half_time)).unwrap_err();
            assert!(matches!(error, Unreachable::Meaningless { .. }), "{error}");
        }
    }

    #[test]
    fn whoever_follows_the_advice_gets_what_it_promises() {
        let mut heard = 0;
        for integrator in [Integrator::BackwardEuler, Integrator::TrapezoidBdf2] {
            let with = |n: f64, wanted| tuned(Clock::Steps { integrator, h: 1.0 / n }, Rayleigh::Mass, wanted);
            for (hertz, half_time) in [(0.3, 8.0), (2.0, 0.9), (7.7, 0.1), (7.7, 3.0), (13.0, 0.04), (300.0, 1.0)] {
                let wanted = Seen::new(hertz, half_time);
                let Err(Unreachable::HalfTime { steps, .. } | Unreachable::Frequency { steps, .. }) =
                    with(24.0, wanted)
                else {
                    continue;
                };
                heard += 1;
                assert!(with(steps.floor() + 1.0, wanted).is_ok(), "{integrator:?} {hertz} {half_time}");
                if let Err(Unreachable::HalfTime { longest, .. }) = with(24.0, wanted) {
                    assert!(with(24.0, Seen::new(hertz, lower(longest))).is_ok(), "{integrator:?} {hertz} {half_time}");
                }
            }
        }
        assert!(heard >= 8, "vacuous: {heard}");
    }
}
