//! The numbers an artist can set, each declared once: its key in scenes, its flag, its default and its help.

use std::ops::RangeInclusive;

/// A number with a name.
#[derive(Clone, Debug)]
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

/// All of them.
pub static ALL: &[&Param] = &[&YOUNG, &POISSON, &DENSITY];

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
}
