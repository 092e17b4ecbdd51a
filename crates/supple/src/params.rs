//! The numbers an artist can set, each declared once: its key in scenes, its flag, its default and its help.

use std::ops::RangeInclusive;

use crate::Error;

/// A number with a name.
#[derive(Clone, Debug, PartialEq)]
pub struct Param {
    /// in scenes; with dashes, the flag
    pub key: &'static str,
    /// its unit
    pub unit: &'static str,
    /// what it is when nobody says
    pub default: f64,
    /// what makes sense
    pub range: RangeInclusive<f64>,
    /// one sentence or two
    pub help: &'static str,
}

impl Param {
    /// What was given, or the default; an error where it makes no sense.
    pub fn value(&'static self, given: Option<f64>) -> Result<f64, Error> {
        match given {
            None => Ok(self.default),
            Some(value) if self.range.contains(&value) => Ok(value),
            Some(value) => Err(Error::Range { param: self, value }),
        }
    }

    /// The same for a number of things; a fraction is refused.
    pub fn count(&'static self, given: Option<f64>) -> Result<usize, Error> {
        let value = self.value(given)?;
        if value.fract() == 0.0 { Ok(value as usize) } else { Err(Error::Broken { param: self, value }) }
    }
}

/// Young's modulus.
pub static YOUNG: Param = Param {
    key: "young",
    unit: "Pa",
    default: 2e4,
    range: 1.0..=1e12,
    help: "How hard the flesh pulls back. Fat is near 3e3, muscle near 3e4.",
};

/// Poisson's ratio.
pub static POISSON: Param = Param {
    key: "poisson",
    unit: "1",
    default: 0.45,
    range: -0.99..=0.499,
    help: "How much it bulges when it is squeezed: 0 not at all, near 0.5 it keeps its volume.",
};

/// Density.
pub static DENSITY: Param = Param {
    key: "density",
    unit: "kg/m³",
    default: 1000.0,
    range: 1e-3..=1e5,
    help: "How heavy it is. Flesh is near 1000.",
};

/// Damping.
pub static HALF_TIME: Param = Param {
    key: "damping_half_time",
    unit: "s",
    default: 0.2,
    range: 1e-3..=1e6,
    help: "How long it takes until a wobble is half as large.",
};

/// How much of the body follows the bones.
pub static CORE: Param = Param {
    key: "core",
    unit: "1",
    default: 0.35,
    range: 0.0..=0.99,
    help: "How much of the way from bone to skin follows the rig rigidly; the rest is flesh.",
};

/// Frames per second.
pub static FPS: Param =
    Param { key: "fps", unit: "1/s", default: 24.0, range: 1.0..=1000.0, help: "Frames per second of the result." };

/// Steps per frame.
pub static SUBSTEPS: Param = Param {
    key: "substeps",
    unit: "1",
    default: 2.0,
    range: 1.0..=1000.0,
    help: "Steps of the simulation in each frame; more follow fast motion better and take longer.",
};

/// Playback speed.
pub static SPEED: Param = Param {
    key: "speed",
    unit: "1",
    default: 1.0,
    range: 0.01..=100.0,
    help: "How fast the clip is played: 2 is twice as fast.",
};

/// How often the clip is played.
pub static LOOPS: Param = Param {
    key: "loops",
    unit: "1",
    default: 1.0,
    range: 1.0..=10000.0,
    help: "How many times the clip is played, one after the other.",
};

/// The time before the first frame.
pub static PREROLL: Param = Param {
    key: "preroll",
    unit: "s",
    default: 1.0,
    range: 0.0..=60.0,
    help: "Time before the first frame in which the body goes from rest into the first pose, so that nothing jumps.",
};

/// The time after the last frame of the clip.
pub static POSTROLL: Param = Param {
    key: "postroll",
    unit: "s",
    default: 0.0,
    range: 0.0..=600.0,
    help: "Time after the end of the clip in which the body stays in its last pose and the flesh comes to rest.",
};

/// Stiffness of a region.
pub static STIFFNESS: Param = Param {
    key: "stiffness",
    unit: "1",
    default: 1.0,
    range: 1e-6..=1e6,
    help: "How stiff a region is, as a multiple of what the rest of the body is.",
};

/// How many elements.
pub static TETS: Param = Param {
    key: "tets",
    unit: "1",
    default: 8000.0,
    range: 20.0..=5e6,
    help: "About how many tetrahedra the body is filled with.",
};

/// The size of elements.
pub static EDGE: Param = Param {
    key: "edge",
    unit: "m",
    default: 0.05,
    range: 1e-6..=1e6,
    help: "Length of the edges of the tetrahedra; it takes the place of their number.",
};

/// The lowest frequency of the default material.
pub static LIVELY: Param = Param {
    key: "lively",
    unit: "Hz",
    default: 4.0,
    range: 0.1..=1000.0,
    help: "Where no stiffness is given, the flesh is made as stiff as it takes to wobble this fast where it is softest.",
};

/// Error of the principal shapes.
pub static TOLERANCE: Param = Param {
    key: "tolerance",
    unit: "1",
    default: 2e-4,
    range: 1e-9..=1.0,
    help: "How far a vertex of the written shapes may be from the simulated one, as a share of the body's size.",
};

/// The frequency dial.
pub static FREQUENCY: Param = Param {
    key: "frequency",
    unit: "1",
    default: 1.0,
    range: 0.01..=100.0,
    help: "How fast the flesh wobbles, as a ratio: 2 is twice as fast. The other dials stay as they are.",
};

/// The amplitude dial.
pub static AMPLITUDE: Param = Param {
    key: "amplitude",
    unit: "1",
    default: 1.0,
    range: 0.0..=100.0,
    help: "How far motion makes the flesh wobble, as a ratio: 0 not at all, 2 twice as far, at the same speed.",
};

/// The sag dial.
pub static SAG: Param = Param {
    key: "sag",
    unit: "1",
    default: 1.0,
    range: 0.0..=100.0,
    help: "How far the flesh hangs down under its weight, as a ratio: 0 keeps the shape that was modelled.",
};

/// The damping dial.
pub static DAMPING: Param = Param {
    key: "damping",
    unit: "1",
    default: 1.0,
    range: 0.01..=100.0,
    help: "How long a wobble lasts, as a ratio of its half-time: 2 is twice as long.",
};

/// How exactly amplitude is matched.
pub static MATCH: Param = Param {
    key: "tolerance",
    unit: "1",
    default: 0.01,
    range: 1e-6..=1.0,
    help: "How exactly the amplitude is met by simulating again, as a share of it.",
};

/// How long a volume is simulated.
pub static SECONDS: Param =
    Param { key: "seconds", unit: "s", default: 5.0, range: 0.0..=36000.0, help: "How long a time to simulate." };

/// How soon rigid bodies stop turning.
pub static ANGULAR_DAMPING: Param = Param {
    key: "angular_damping",
    unit: "1/s",
    default: 1.5,
    range: 0.0..=1e3,
    help: "How soon rigid bodies stop turning and rolling: 0 is never, and soft bodies roll less far than hard ones.",
};

/// All of them.
pub static ALL: &[&Param] = &[
    &YOUNG,
    &POISSON,
    &DENSITY,
    &HALF_TIME,
    &CORE,
    &FPS,
    &SUBSTEPS,
    &SPEED,
    &LOOPS,
    &PREROLL,
    &POSTROLL,
    &TETS,
    &EDGE,
    &LIVELY,
    &STIFFNESS,
    &TOLERANCE,
    &FREQUENCY,
    &AMPLITUDE,
    &SAG,
    &DAMPING,
    &MATCH,
    &SECONDS,
    &ANGULAR_DAMPING,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_control_is_usable_as_declared() {
        for p in ALL {
            assert!(p.range.contains(&p.default), "{}: the default {} is outside its range", p.key, p.default);
            assert!(!p.unit.is_empty() && p.help.ends_with('.'), "{}: say the unit, and a whole sentence", p.key);
        }
    }

    #[test]
    fn values_outside_their_range_and_broken_counts_are_refused() {
        assert_eq!(YOUNG.value(None).unwrap(), YOUNG.default);
        assert_eq!(SUBSTEPS.count(Some(3.0)).unwrap(), 3);
        for (param, bad) in [(&YOUNG, -1.0), (&YOUNG, f64::NAN), (&POISSON, 0.5), (&FPS, f64::INFINITY)] {
            assert!(param.value(Some(bad)).unwrap_err().to_string().contains(param.key));
        }
        assert!(SUBSTEPS.count(Some(2.5)).is_err());
    }
}
