//! The table of independence: one dial is turned, all four quantities are measured.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use super::measured::{Measured, text};
use super::{Example, measure_scene, setup, turned};
use crate::scene::{IntegratorKey, Scene};
use crate::{Error, Table};

/// A way to simulate an example for the table.
struct Case {
    title: &'static str,
    example: Example,
    material: &'static str,
    integrator: IntegratorKey,
    /// steps in a frame
    substeps: f64,
    /// how long a wobble lasts [s]; short enough for the integrator to reach it at all ratios, or not
    half_time: f64,
    /// how stiff, where not as the example is
    stiff: Option<Stiff>,
    /// how long it is simulated, where not as the example is [s]; of a character, how long after its clip
    seconds: Option<f64>,
    /// of the frequency, and of the other dials
    frequencies: &'static [f64],
    ratios: &'static [f64],
    /// of the damping too, where it has some of its own
    dampings: Option<&'static [f64]>,
}

/// How stiff flesh is.
#[derive(Clone, Copy)]
enum Stiff {
    /// Young's modulus [Pa]
    Young(f64),
    /// natural frequency [Hz]
    Lively(f64),
}

/// Marks what was measured in a vibration that fades before it has swung twice.
const BRIEF: &str = " †";

const WIDE: &[f64] = &[0.25, 0.5, 2.0, 4.0];
const NARROW: &[f64] = &[0.5, 2.0];

const LINEAR: [Case; 4] = [
    Case {
        title: "Linear flesh (sunflower), trapezoid-BDF2, 24 steps a second",
        example: Example::Sunflower,
        material: "linear",
        integrator: IntegratorKey::TrapezoidBdf2,
        substeps: 1.0,
        half_time: 1.2,
        stiff: Some(Stiff::Young(1.1e7)),
        seconds: Some(18.0),
        frequencies: WIDE,
        ratios: WIDE,
        dampings: None,
    },
    // so slow and so damped that these steps can show all ratios
    Case {
        title: "Slow linear flesh (sunflower), backward Euler, 24 steps a second",
        half_time: 0.35,
        stiff: Some(Stiff::Young(1e6)),
        ..EULER
    },
    EULER,
    Case {
        title: "Linear flesh (sunflower), backward Euler, 24 frames of 4 steps a second",
        substeps: 4.0,
        frequencies: NARROW,
        ratios: NARROW,
        dampings: None,
        ..EULER
    },
];

const EULER: Case = Case {
    title: "Linear flesh (sunflower), backward Euler, 24 steps a second",
    example: Example::Sunflower,
    material: "linear",
    integrator: IntegratorKey::BackwardEuler,
    substeps: 1.0,
    half_time: 0.8,
    stiff: None,
    seconds: None,
    frequencies: WIDE,
    ratios: WIDE,
    dampings: None,
};

/// Four times as fast it feels fifteen times the inertia of its spin, which takes shorter steps; what rings four times as long is given the time for it.
const JELLYFISH: Case = Case {
    title: "Saint Venant–Kirchhoff with volume term (jellyfish), trapezoid-BDF2, 24 steps a second",
    example: Example::Jellyfish,
    material: "stvk-volume",
    integrator: IntegratorKey::TrapezoidBdf2,
    substeps: 1.0,
    half_time: 0.5,
    stiff: None,
    seconds: None,
    frequencies: &[0.25, 0.5, 2.0],
    ratios: WIDE,
    dampings: Some(&[0.25, 0.5, 2.0]),
};

/// Stiff enough to swing a few times after its last stomp at half the frequency too.
const SUMO: Case = Case {
    title: "Saint Venant–Kirchhoff with volume term (sumo), trapezoid-BDF2, 48 steps a second",
    example: Example::Sumo,
    substeps: 2.0,
    stiff: Some(Stiff::Lively(3.5)),
    seconds: Some(2.5),
    frequencies: WIDE,
    ..JELLYFISH
};

const LONG_SUMO: Case = Case {
    title: "Saint Venant–Kirchhoff with volume term (sumo), trapezoid-BDF2, 48 steps a second, nine seconds to ring out",
    seconds: Some(7.0),
    frequencies: &[],
    ratios: &[],
    dampings: Some(&[4.0]),
    ..SUMO
};

/// Shorter steps show what is too fast for the others, and stomps that feel many times their inertia.
const FAST_SUMO: Case = Case {
    title: "Saint Venant–Kirchhoff with volume term (sumo), trapezoid-BDF2, 96 steps a second",
    substeps: 4.0,
    frequencies: &[2.0, 4.0],
    ratios: &[],
    dampings: None,
    ..SUMO
};

const FAST: Case = Case {
    title: "Saint Venant–Kirchhoff with volume term (jellyfish), trapezoid-BDF2, 96 steps a second",
    substeps: 4.0,
    frequencies: &[4.0],
    ratios: &[],
    dampings: None,
    ..JELLYFISH
};

const LONG: Case = Case {
    title: "Saint Venant–Kirchhoff with volume term (jellyfish), trapezoid-BDF2, 24 steps a second, eight seconds to ring out",
    seconds: Some(18.0),
    frequencies: &[],
    ratios: &[],
    dampings: Some(&[4.0]),
    ..JELLYFISH
};

const STABLE: &str = "stable-neo-hookean";

const NONLINEAR: [Case; 12] = [
    JELLYFISH,
    LONG,
    FAST,
    Case { title: "Stable neo-Hookean (jellyfish), trapezoid-BDF2, 24 steps a second", material: STABLE, ..JELLYFISH },
    Case {
        title: "Stable neo-Hookean (jellyfish), trapezoid-BDF2, 24 steps a second, eight seconds to ring out",
        material: STABLE,
        ..LONG
    },
    Case { title: "Stable neo-Hookean (jellyfish), trapezoid-BDF2, 96 steps a second", material: STABLE, ..FAST },
    SUMO,
    LONG_SUMO,
    FAST_SUMO,
    Case { title: "Stable neo-Hookean (sumo), trapezoid-BDF2, 48 steps a second", material: STABLE, ..SUMO },
    Case {
        title: "Stable neo-Hookean (sumo), trapezoid-BDF2, 48 steps a second, nine seconds to ring out",
        material: STABLE,
        ..LONG_SUMO
    },
    Case { title: "Stable neo-Hookean (sumo), trapezoid-BDF2, 96 steps a second", material: STABLE, ..FAST_SUMO },
];

impl Case {
    fn scene(&self, scene: &Scene) -> Scene {
        let mut scene = scene.clone();
        scene.tissue.material = Some(self.material.into());
        scene.tissue.damping_half_time = Some(self.half_time.into());
        match self.stiff {
            Some(Stiff::Young(young)) => scene.tissue.young = Some(young.into()),
            Some(Stiff::Lively(lively)) => scene.tissue.lively = Some(lively.into()),
            None => (),
        }
        let length = self.seconds.map(Into::into);
        match self.example {
            Example::Sunflower | Example::Jellyfish => scene.character.seconds = length.or(scene.character.seconds),
            Example::Sumo | Example::Jellyphant => scene.character.postroll = length,
        }
        scene.method.integrator = Some(self.integrator);
        scene.character.substeps = Some(self.substeps.into());
        scene
    }

    fn table(
        &self,
        folder: &Path,
        wanted: &dyn Fn(&str) -> bool,
        say: &mut dyn FnMut(&str),
    ) -> Result<Option<Table>, Error> {
        const DIALS: [&str; 4] = ["frequency", "amplitude", "sag", "damping"];
        let called = |name: &str, ratio: f64| format!("{}: {name} {ratio}", self.title);
        let ratios = |dial: usize| match dial {
            0 => self.frequencies,
            3 => self.dampings.unwrap_or(self.ratios),
            _ => self.ratios,
        };
        if !(0..4).any(|dial| ratios(dial).iter().any(|ratio| wanted(&called(DIALS[dial], *ratio)))) {
            return Ok(None);
        }
        let setup = setup(self.example, folder)?;
        let scene = self.scene(&setup.scene);
        let stop = AtomicBool::new(false);
        let plain = measure_scene(scene.clone(), None, &stop, &mut |_| ())?;
        let base = Measured::of(&plain.0, &plain.1, setup.rest);
        let mut rows = vec![];
        for (dial, name) in DIALS.into_iter().enumerate() {
            if dial == 2 && base.sag < 1e-9 {
                continue; // nothing sags without gravity
            }
            for &ratio in ratios(dial).iter().filter(|ratio| wanted(&called(name, **ratio))) {
                say(&called(name, ratio));
                let mut dials = [1.0; 4];
                dials[dial] = ratio;
                let mut row = vec![format!("{name} {ratio}")];
                match measure_scene(turned(&scene, dials), Some((&plain.0, &plain.1)), &stop, &mut |_| ()) {
                    Ok((summary, watch)) => {
                        let measured = Measured::of(&summary, &watch, setup.rest);
                        row.extend(measured.ratios(&base).map(text));
                        if measured.brief && measured.ring.is_some() {
                            [1, 4].into_iter().for_each(|k| row[k].push_str(BRIEF));
                        }
                        row.push(summary.runs.to_string());
                        say(&format!("tried: {:?}, wanted {:?}", summary.tried, summary.amplitude_asked));
                    }
                    Err(error @ Error::Dial { .. }) => {
                        row.push(error.to_string().split('\n').next().unwrap_or_default().into());
                        row.resize(6, "–".into());
                    }
                    Err(error) => return Err(error),
                }
                say(&row.join(" | "));
                rows.push(row);
            }
        }
        let head = ["dial", "frequency", "amplitude", "sag", "half-time", "simulations"].map(String::from).to_vec();
        Ok(Some(Table { title: self.title.into(), caption: String::new(), head, rows }))
    }
}

/// One dial is turned at a time, and the ratios of all four quantities are measured from the motion: docs/dials.md. Files go into the
/// folder; only rows whose title is wanted are made; `say` is told what is being done.
pub fn dials_table(
    nonlinear: bool,
    folder: &Path,
    wanted: &dyn Fn(&str) -> bool,
    say: &mut dyn FnMut(&str),
) -> Result<Vec<Table>, Error> {
    let cases: &[Case] = if nonlinear { &NONLINEAR } else { &LINEAR };
    cases.iter().filter_map(|case| case.table(folder, wanted, say).transpose()).collect()
}
