//! A scene: all that one simulation is made of, as a TOML file or as flags say it.
//!
//! Unknown keys are errors that name the nearest key there is; values out of range are errors that name the line.

mod character;
mod flesh;
mod words;
mod world;

use std::path::Path;

use serde::Deserialize;
use toml::Spanned;

pub use character::{CharacterKeys, ExampleKey, TargetKeys, UpKey};
pub use flesh::{
    DampingKey, DialKey, DialKeys, FormKey, IntegratorKey, LeakKey, MethodKeys, MethodKind, ModelledKey, RegionKeys,
    SolverKey, TissueKeys,
};
pub(crate) use words::suggest;
use words::{explain, line_of};
pub use world::{
    ForceKeys, InterpolationKey, OutputKeys, PinKeys, PoseKeys, RigidKeys, RigidWorldKeys, ShapeKey, ShapesKey,
    WorldKeys,
};

use crate::Error;
use crate::params::{self, Param};

/// A number, if it is given.
pub type Number = Option<Said>;

/// A number that remembers where in the file it stands.
#[derive(Clone, Copy, Deserialize)]
#[serde(from = "Spanned<f64>")]
pub struct Said {
    /// what is said
    pub value: f64,
    /// the byte of the file where it is said
    at: usize,
}

impl From<Spanned<f64>> for Said {
    fn from(said: Spanned<f64>) -> Self {
        Self { value: *said.get_ref(), at: said.span().start }
    }
}

impl From<f64> for Said {
    fn from(value: f64) -> Self {
        Self { value, at: 0 }
    }
}

/// Without the place: two scenes that say the same are the same.
impl std::fmt::Debug for Said {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.value.fmt(f)
    }
}

/// What is to be simulated.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Scene {
    /// who moves
    pub character: CharacterKeys,
    /// what the flesh is made of
    pub tissue: TissueKeys,
    /// how the flesh is moved
    pub method: MethodKeys,
    /// the artist's dials
    pub dials: DialKeys,
    /// what of a volume is held, and moved
    pub pin: Vec<PinKeys>,
    /// what pushes a body from outside
    pub force: Vec<ForceKeys>,
    /// bodies that fall
    pub rigid: Vec<RigidKeys>,
    /// where they fall
    pub rigid_world: RigidWorldKeys,
    /// where it is
    pub world: WorldKeys,
    /// what is written
    pub output: OutputKeys,
}
impl Scene {
    /// Reads a scene; files in it are looked for beside it.
    pub fn read(file: &Path) -> Result<Self, Error> {
        let mut scene = Self::parse(&formats::read_text(file)?, file)?;
        let folder = file.parent().unwrap_or(Path::new(""));
        let c = &mut scene.character;
        let named = [&mut c.file, &mut c.skin, &mut c.motion, &mut c.cache, &mut c.skeleton, &mut c.weights];
        let named = named.into_iter().chain([&mut scene.method.mask]);
        let outputs = scene.output.file.iter_mut().chain(&mut scene.output.files);
        let targets = c.targets.iter_mut().map(|t| &mut t.file);
        for path in named.flatten().chain(targets).chain(outputs) {
            *path = folder.join(&*path);
        }
        Ok(scene)
    }

    fn parse(text: &str, file: &Path) -> Result<Self, Error> {
        let scene: Self = toml::from_str(text).map_err(|error| {
            let line = error.span().map_or(1, |span| line_of(text, span.start));
            Error::Scene { line, what: explain(error.message()), file: file.into() }
        })?;
        for (param, given) in scene.numbers() {
            let Some(given) = given else { continue };
            if let Err(error) = param.value(Some(given.value)) {
                let line = line_of(text, given.at);
                return Err(Error::Scene { line, what: error.to_string(), file: file.into() });
            }
        }
        for (param, dial) in scene.all_dials() {
            let Some(dial) = dial else { continue };
            if let Some(error) = dial.keys.keys().iter().find_map(|(_, ratio)| param.value(Some(*ratio)).err()) {
                let line = line_of(text, dial.at);
                return Err(Error::Scene { line, what: error.to_string(), file: file.into() });
            }
        }
        Ok(scene)
    }

    /// Each number that has a range, with its range.
    fn numbers(&self) -> Vec<(&'static Param, &Number)> {
        let (c, t) = (&self.character, &self.tissue);
        let mut all = vec![
            (&params::FPS, &c.fps),
            (&params::FPS, &c.cache_fps),
            (&params::SUBSTEPS, &c.substeps),
            (&params::SPEED, &c.speed),
            (&params::LOOPS, &c.loops),
            (&params::PREROLL, &c.preroll),
            (&params::POSTROLL, &c.postroll),
            (&params::YOUNG, &t.young),
            (&params::POISSON, &t.poisson),
            (&params::DENSITY, &t.density),
            (&params::HALF_TIME, &t.damping_half_time),
            (&params::LIVELY, &t.lively),
            (&params::TETS, &t.tets),
            (&params::EDGE, &t.edge),
            (&params::CORE, &self.method.core),
            (&params::TOLERANCE, &self.output.tolerance),
            (&params::SECONDS, &c.seconds),
            (&params::SECONDS, &self.rigid_world.seconds),
            (&params::ANGULAR_DAMPING, &self.rigid_world.angular_damping),
            (&params::MATCH, &self.dials.tolerance),
        ];
        all.extend(self.rigid.iter().map(|body| (&params::DENSITY, &body.density)));
        for region in &t.region {
            all.extend([
                (&params::YOUNG, &region.young),
                (&params::STIFFNESS, &region.stiffness),
                (&params::POISSON, &region.poisson),
                (&params::DENSITY, &region.density),
            ]);
        }
        all
    }
}

impl Scene {
    /// Each dial with its range: the body's and those of regions.
    fn all_dials(&self) -> Vec<(&'static Param, &Option<DialKey>)> {
        let d = &self.dials;
        let mut all = vec![[&d.frequency, &d.amplitude, &d.sag, &d.damping]];
        all.extend(self.tissue.region.iter().map(|r| [&r.frequency, &r.amplitude, &r.sag, &r.damping]));
        let params = [&params::FREQUENCY, &params::AMPLITUDE, &params::SAG, &params::DAMPING];
        all.into_iter().flat_map(|dials| params.into_iter().zip(dials)).collect()
    }

    /// Whether every dial is in its range; scenes from files are checked when they are read.
    pub(crate) fn check_dials(&self) -> Result<(), Error> {
        for (param, dial) in self.all_dials() {
            for (_, ratio) in dial.iter().flat_map(|dial| dial.keys.keys()) {
                param.value(Some(*ratio))?;
            }
        }
        Ok(())
    }
}

/// The number, if one was given.
pub(crate) fn plain(number: &Number) -> Option<f64> {
    number.map(|n| n.value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        Scene::parse(text, Path::new("walk.toml")).unwrap_err().to_string()
    }

    #[test]
    fn a_scene_says_all_that_flags_can_say() {
        let text = r#"
            [character]
            file = "sumo.glb"
            clip = "walk"
            fps = 24
            substeps = 4
            [tissue]
            material = "stable-neo-hookean"
            young = 2e4
            damping_half_time = 0.3
            [[tissue.region]]
            bones = ["belly"]
            young = 5e3
            [method]
            kind = "attach"
            core = 0.35
            [output]
            file = "out.glb"
        "#;
        let scene = Scene::parse(text, Path::new("s.toml")).unwrap();
        assert_eq!(plain(&scene.character.substeps), Some(4.0));
        assert_eq!(scene.tissue.region[0].bones, ["belly"]);
        assert_eq!(plain(&scene.tissue.region[0].young), Some(5e3));
        assert_eq!(scene.method.kind, Some(MethodKind::Attach));
    }

    #[test]
    fn a_misspelt_key_is_told_with_the_key_that_was_meant_and_its_line() {
        let text = refused("[tissue]\nyuong = 3\n");
        assert!(text.contains("\"yuong\"") && text.contains("Did you mean \"young\"?"), "{text}");
        assert!(text.contains("line 2") && text.contains("walk.toml"), "{text}");
        assert!(refused("[tisue]\n").contains("\"tissue\""));
        assert!(refused("[method]\nkind = \"atach\"\n").contains("\"attach\""));
        assert!(
            refused("[[tissue.region]]\nbnes = [\"a\"]\n").contains("bnes"),
            "{}",
            refused("[[tissue.region]]\nbnes = [\"a\"]\n")
        );
    }

    #[test]
    fn impossible_values_are_told_with_their_line_and_range() {
        let text = refused("[tissue]\n\npoisson = 0.7\n");
        assert!(text.contains("line 3") && text.contains("0.499"), "{text}");
        assert!(refused("[tissue]\nyoung = \"soft\"\n").contains("line 2"));
        assert!(refused("[character\n").contains("line 1"));
    }

    #[test]
    fn dials_and_pins_are_numbers_or_keys() {
        let text = "[character]\nfile = \"bar.veg\"\nskin = \"bar.obj\"\nseconds = 2\n[dials]\nfrequency = 2\nsag = 0\n\
                    amplitude = [[0, 1], [2.5, 0.5]]\nmatch = false\n[[pin]]\nsphere = [0, 0, 0, 1]\ninterpolation = \"cubic\"\n\
                    keys = [{ time = 0 }, { time = 1, rotate = [0, 0, 90] }]\n[[tissue.region]]\ngroup = \"ear\"\ndamping = 0.5\n";
        let scene = Scene::parse(text, Path::new("s.toml")).unwrap();
        let at = |dial: &Option<DialKey>, t: f64| dial.as_ref().unwrap().keys.at(t);
        assert_eq!([at(&scene.dials.frequency, 9.0), at(&scene.dials.sag, 0.0)], [2.0, 0.0]);
        assert_eq!(at(&scene.dials.amplitude, 1.25), 0.75);
        assert_eq!(at(&scene.tissue.region[0].damping, 0.0), 0.5);
        assert_eq!((scene.pin[0].keys.len(), scene.pin[0].interpolation), (2, Some(InterpolationKey::Cubic)));
    }

    #[test]
    fn dials_that_make_no_sense_are_told_with_their_line() {
        for bad in ["\"fast\"", "[]", "[1, 2]", "[[0, 1], [0, 2]]", "[[1, 1], [0, 2]]", "[[0, 1, 2]]", "true", "nan"] {
            let text = refused(&format!("[dials]\n\nfrequency = {bad}\n"));
            assert!(text.contains("line 3"), "{bad}: {text}");
        }
        for (key, bad) in
            [("frequency", "-1"), ("frequency", "0"), ("amplitude", "-0.5"), ("sag", "1e9"), ("damping", "0")]
        {
            let text = refused(&format!("[dials]\n{key} = {bad}\n"));
            assert!(text.contains("line 2") && text.contains(key) && text.contains("from"), "{key} {bad}: {text}");
        }
        let text = refused("[[tissue.region]]\nbones = [\"a\"]\namplitude = [[0, 1], [1, -3]]\n");
        assert!(text.contains("line 3") && text.contains("amplitude"), "{text}");
        assert!(refused("[[pin]]\nkeys = [{ tme = 0 }]\n").contains("\"time\""));
    }
}
