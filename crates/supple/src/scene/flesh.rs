//! What the flesh is, how it is moved and how it is dialled: `[tissue]`, `[method]`, `[dials]`.

use std::path::PathBuf;

use control::Keyed;
use serde::{Deserialize, Serialize};
use toml::Spanned;

use super::Number;

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
    pub(super) at: usize,
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
