//! A scene: all that one simulation is made of, as a TOML file or as flags say it.
//!
//! Unknown keys are errors that name the nearest key there is; values out of range are errors that name the line.

use std::path::{Path, PathBuf};

use control::Keyed;
use serde::{Deserialize, Serialize};
use toml::Spanned;

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

/// `[character]`
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CharacterKeys {
    /// .glb or .gltf; .obj or .stl with `cache`; MakeHuman's base.obj with `skeleton`; a volume (.veg, .mesh, .msh, .node)
    /// that [`PinKeys`] move; a scene of Complementary Dynamics (.json)
    pub file: Option<PathBuf>,
    /// a built-in body with a rig, instead of a file
    pub example: Option<ExampleKey>,
    /// the surface of a volume to show (.obj, .stl); without it, the volume's own
    pub skin: Option<PathBuf>,
    /// how long a volume is simulated [s]; without it, until a second after the last key
    pub seconds: Number,
    /// the name of one of its animations
    pub clip: Option<String>,
    /// motion capture (.bvh), carried over by joint names
    pub motion: Option<PathBuf>,
    /// the first captured frame is a T-pose that does not belong to the motion; without this key it is found out
    pub motion_t_pose: Option<bool>,
    /// a vertex cache that moves the surface: .pc2, .mdd, or the first of a sequence of .obj
    pub cache: Option<PathBuf>,
    /// frames per second of a cache that does not say
    pub cache_fps: Number,
    /// MakeHuman's rig (.mhskel)
    pub skeleton: Option<PathBuf>,
    /// MakeHuman's weights (.mhw)
    pub weights: Option<PathBuf>,
    /// MakeHuman's shapes (.target) with how far each is in
    pub targets: Vec<TargetKeys>,
    /// which way is up in the surface that a cache moves: "z" (as Supple writes) or "y"
    pub up: Option<UpKey>,
    /// which way is up in the cache; without it, as in the surface
    pub cache_up: Option<UpKey>,
    /// see [`params::FPS`]
    pub fps: Number,
    /// see [`params::SUBSTEPS`]
    pub substeps: Number,
    /// see [`params::SPEED`]
    pub speed: Number,
    /// see [`params::LOOPS`]
    pub loops: Number,
    /// see [`params::PREROLL`]
    pub preroll: Number,
    /// see [`params::POSTROLL`]
    pub postroll: Number,
    /// times in the clip [s] at which the character is somewhere else at once
    pub teleports: Option<Vec<f64>>,
    /// take the size of the file as it is, however large or small
    pub real_size: bool,
}

/// Built-in bodies with rigs.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum ExampleKey {
    /// a flat worm that hops, coarse on one side and fine on the other
    Worm,
    /// cloth of springs that flies
    Carpet,
    /// a bar that is twisted
    Twist,
    /// bodies that fall into a heap
    Drop,
}

/// One of MakeHuman's shapes.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TargetKeys {
    /// .target
    pub file: PathBuf,
    /// 0 to 1
    pub amount: f64,
}

/// Which axis points up.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum UpKey {
    /// as most modelling tools have it
    Y,
    /// as Blender has it
    Z,
}

/// `[tissue]`
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TissueKeys {
    /// the name of a material
    pub material: Option<String>,
    /// see [`params::YOUNG`]; without it, see [`params::LIVELY`]
    pub young: Number,
    /// see [`params::POISSON`]
    pub poisson: Number,
    /// see [`params::DENSITY`]
    pub density: Number,
    /// see [`params::HALF_TIME`]
    pub damping_half_time: Number,
    /// what damping acts on; without it, stiffness for volumes and mass for characters
    pub damping: Option<DampingKey>,
    /// see [`params::LIVELY`]
    pub lively: Number,
    /// see [`params::TETS`]
    pub tets: Number,
    /// see [`params::EDGE`]
    pub edge: Number,
    /// smaller elements where the body is thin
    pub refine: bool,
    /// whether the modelled shape has its weight already
    pub modelled: Option<ModelledKey>,
    /// places with a material of their own
    pub region: Vec<RegionKeys>,
}

/// What the modelled shape is.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum ModelledKey {
    /// the flesh before it has any weight: it sags from there
    #[default]
    Weightless,
    /// the flesh as it hangs at rest: nothing drops, and it sags another way when it is tilted
    Hanging,
}

/// What damping acts on.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum DampingKey {
    /// motion as a whole: every wobble fades alike
    Mass,
    /// deformation: fast wobbles fade first
    Stiffness,
}

/// `[[tissue.region]]`: a place on the body, what it is made of there, and what its dials are.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RegionKeys {
    /// what moves with these bones
    pub bones: Vec<String>,
    /// what lies in this box at rest: two opposite corners [m], z up
    #[serde(rename = "box")]
    pub corners: Option<[f64; 6]>,
    /// what is painted: the name of a vertex attribute, 0 to 1
    pub attribute: Option<String>,
    /// what lies in this ball at rest: middle and radius [m], z up
    pub sphere: Option<[f64; 4]>,
    /// what a volume's file calls so
    pub group: Option<String>,
    /// these vertices of a volume, counted from 0
    pub vertices: Vec<u32>,
    /// see [`params::FREQUENCY`]; each dial of a region is multiplied with the body's
    pub frequency: Option<DialKey>,
    /// see [`params::AMPLITUDE`]
    pub amplitude: Option<DialKey>,
    /// see [`params::SAG`]
    pub sag: Option<DialKey>,
    /// see [`params::DAMPING`]
    pub damping: Option<DialKey>,
    /// see [`params::YOUNG`]
    pub young: Number,
    /// see [`params::STIFFNESS`]
    pub stiffness: Number,
    /// see [`params::POISSON`]
    pub poisson: Number,
    /// see [`params::DENSITY`]
    pub density: Number,
}

/// `[method]`
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MethodKeys {
    /// how the rig moves the flesh
    pub kind: Option<MethodKind>,
    /// what momentum reaches flesh in the rig's complement
    pub leak: Option<LeakKey>,
    /// it leaks where this is painted: 1 all of it, 0 nothing
    pub leak_attribute: Option<String>,
    /// how steps are solved; without it, what is fast enough for what is looked at, exact for what is measured
    pub solver: Option<SolverKey>,
    /// see [`params::CORE`]
    pub core: Number,
    /// the core is only near these bones
    pub core_bones: Vec<String>,
    /// the core is what lies in this box at rest
    pub core_box: Option<[f64; 6]>,
    /// the core is what is painted
    pub core_attribute: Option<String>,
    /// for complement: where the rig's momentum goes over to the flesh, painted (.dmat): a number per vertex, 0 lets all of it through
    pub mask: Option<PathBuf>,
    /// the flesh follows the rig: no simulation
    pub no_physics: bool,
    /// how steps are made
    pub integrator: Option<IntegratorKey>,
}

/// How the rig moves the flesh.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum MethodKind {
    /// a core near the bones follows the rig, the rest hangs on it
    Attach,
    /// the flesh moves in the space that the rig cannot reach
    Complement,
}

/// How steps are solved.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum SolverKey {
    /// a factorization in every iteration
    Newton,
    /// a factorization that is kept, and many iterations
    QuasiNewton,
}

/// What momentum the rig's motion gives to flesh in its complement.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum LeakKey {
    /// all at the surface, none deep inside
    #[default]
    Surface,
    /// none
    None,
}

/// How steps are made.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum IntegratorKey {
    /// keeps energy
    #[default]
    TrapezoidBdf2,
    /// loses some
    BackwardEuler,
}

/// `[dials]`: each a ratio to the body as it is, or keys [[time, ratio], …].
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DialKeys {
    /// see [`params::FREQUENCY`]
    pub frequency: Option<DialKey>,
    /// see [`params::AMPLITUDE`]
    pub amplitude: Option<DialKey>,
    /// see [`params::SAG`]
    pub sag: Option<DialKey>,
    /// see [`params::DAMPING`]
    pub damping: Option<DialKey>,
    /// false: the amplitude is predicted, not matched by simulating again
    #[serde(rename = "match")]
    pub matched: Option<bool>,
    /// inertia stays as it is, whatever amplitude that gives: frequency as it could be changed before there were dials
    pub plain_inertia: bool,
    /// see [`params::MATCH`]
    pub tolerance: Number,
    /// which equation is solved
    pub form: Option<FormKey>,
}

/// Which equation is solved.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum FormKey {
    /// relative to the static shape
    #[default]
    Relative,
    /// the same, with inertia from five static shapes around each time
    FivePoint,
    /// as the paper prints it
    Printed,
}

/// A dial: one ratio, or keys over time.
#[derive(Clone, Deserialize)]
#[serde(try_from = "Spanned<toml::Value>")]
pub struct DialKey {
    /// (time [s], ratio)
    pub keys: Keyed,
    at: usize,
}

impl TryFrom<Spanned<toml::Value>> for DialKey {
    type Error = &'static str;
    fn try_from(said: Spanned<toml::Value>) -> Result<Self, Self::Error> {
        const WANTED: &str = "a dial is a number, or keys with rising times: [[0.0, 1.0], [2.0, 0.5]]";
        let number = |value: &toml::Value| value.as_float().or(value.as_integer().map(|n| n as f64));
        let key = |value: &toml::Value| match value.as_array().map(Vec::as_slice) {
            Some([t, ratio]) => Some((number(t)?, number(ratio)?)),
            _ => None,
        };
        let keys = match said.get_ref() {
            toml::Value::Array(list) => list.iter().map(key).collect::<Option<Vec<_>>>().and_then(Keyed::new),
            value => number(value).and_then(|ratio| Keyed::new(vec![(0.0, ratio)])),
        };
        Ok(Self { keys: keys.ok_or(WANTED)?, at: said.span().start })
    }
}

impl From<f64> for DialKey {
    fn from(ratio: f64) -> Self {
        Self { keys: Keyed::constant(ratio), at: 0 }
    }
}

/// Without the place, as [`Said`].
impl std::fmt::Debug for DialKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.keys.fmt(f)
    }
}

/// `[[pin]]`: vertices of a volume (by one or several of the first keys), held where their keys say.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PinKeys {
    /// what lies in this box at rest: two opposite corners [m]
    #[serde(rename = "box")]
    pub corners: Option<[f64; 6]>,
    /// what lies in this ball at rest: middle and radius [m]
    pub sphere: Option<[f64; 4]>,
    /// what the file calls so
    pub group: Option<String>,
    /// these, counted from 0
    pub vertices: Vec<u32>,
    /// the point that they are turned about [m], as it is at rest
    pub about: [f64; 3],
    /// how it goes from key to key
    pub interpolation: Option<InterpolationKey>,
    /// where they are at some times; without keys they stay
    pub keys: Vec<PoseKeys>,
}

/// How a motion goes from key to key.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum InterpolationKey {
    /// straight, with sudden changes of speed
    #[default]
    Linear,
    /// smooth, through all keys
    Cubic,
}

/// A rigid motion away from rest.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PoseKeys {
    /// [s]
    pub time: f64,
    /// [m]
    pub translate: [f64; 3],
    /// the axis, as long as the angle [degrees]
    pub rotate: [f64; 3],
}

/// `[[force]]`: a push on a body with a rig. Of flat bodies the first two numbers of each place and direction count.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ForceKeys {
    /// on what lies in this box at rest: two opposite corners [m]; without a place, on all of it
    #[serde(rename = "box")]
    pub corners: Option<[f64; 6]>,
    /// on what lies in this ball at rest: middle and radius [m]
    pub sphere: Option<[f64; 4]>,
    /// on these vertices, counted from 0
    pub vertices: Vec<u32>,
    /// a steady push from `start` to `end`, per mass [m/s²]
    pub push: Option<[f64; 3]>,
    /// a blow at `start` that changes velocities by this much [m/s]
    pub blow: Option<[f64; 3]>,
    /// [s]
    pub start: f64,
    /// [s]; without it, to the end
    pub end: Option<f64>,
}

/// `[[rigid]]`: a body that falls, and wobbles.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RigidKeys {
    /// which shape
    pub shape: ShapeKey,
    /// of a box its sides, of a sphere its radius, of a torus the radii of ring and tube [m]
    pub size: Vec<f64>,
    /// of its middle at the start [m]
    pub position: [f64; 3],
    /// the axis, as long as the angle [degrees]
    pub rotation: [f64; 3],
    /// at the start [m/s]
    pub velocity: [f64; 3],
    /// the axis, as long as it turns fast [rad/s]
    pub spin: [f64; 3],
    /// see [`params::DENSITY`]
    pub density: Number,
}

/// The shape of a body that falls.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum ShapeKey {
    /// with three sides
    #[default]
    Box,
    /// a ball
    Sphere,
    /// a ring
    Torus,
}

/// `[rigid_world]`
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RigidWorldKeys {
    /// the height of the ground [m]
    pub ground: Number,
    /// downward [m/s²]
    pub gravity: Number,
    /// how long they fall [s]
    pub seconds: Number,
    /// how much of its speed a body keeps when it bounces, 0 to 1
    pub bounce: Number,
    /// how rough they are
    pub friction: Number,
    /// see [`params::ANGULAR_DAMPING`]
    pub angular_damping: Number,
}

/// `[world]`
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WorldKeys {
    /// [m/s²], z up
    pub gravity: Option<[f64; 3]>,
    /// a steady push on all of a body with a rig, per mass [m/s²]
    pub wind: Option<[f64; 3]>,
}

/// `[output]`
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OutputKeys {
    /// where the result goes; its ending picks the format
    pub file: Option<PathBuf>,
    /// more of them
    pub files: Vec<PathBuf>,
    /// what a .glb holds
    pub shapes: Option<ShapesKey>,
    /// see [`params::TOLERANCE`]
    pub tolerance: Number,
}

/// What a .glb holds.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum ShapesKey {
    /// as few shapes as the tolerance allows
    #[default]
    Principal,
    /// one shape for each frame
    PerFrame,
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

fn line_of(text: &str, byte: usize) -> usize {
    text.bytes().take(byte).filter(|b| *b == b'\n').count() + 1
}

/// Serde's words, made readable: "unknown field `yuong`, expected one of `young`, `poisson`".
fn explain(message: &str) -> String {
    let quoted: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    match &quoted[..] {
        [unknown, known @ ..] if message.starts_with("unknown") && !known.is_empty() => {
            let what = if message.starts_with("unknown field") { "key" } else { "word" };
            let meant =
                suggest(unknown, known.iter().copied()).map_or(String::new(), |k| format!(" Did you mean {k:?}?"));
            format!("there is no {what} {unknown:?} here.{meant} There are: {}", known.join(", "))
        }
        _ => message.trim_end_matches('.').to_string(),
    }
}

/// Letters to change, add, take away or swap with the next to get from one word to the other.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.to_lowercase().chars().collect(), b.to_lowercase().chars().collect());
    let mut rows = vec![(0..=b.len()).collect::<Vec<_>>()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let change = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = change.min(row[j - 1] + 1).min(rows[i - 1][j] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

/// The name that was probably meant: a third of its letters may be wrong.
pub(crate) fn suggest<'a>(given: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let near = known.min_by_key(|k| distance(given, k))?;
    (distance(given, near) <= given.chars().count().max(near.chars().count()).div_ceil(3)).then_some(near)
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
