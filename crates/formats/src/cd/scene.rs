//! A scene `.json` and all that it names.

use super::body::{needed, plane, space};
use super::dmat::Dmat;
use crate::json::{Json, load_json};
use crate::{AnyVolume, FormatError, Place, Volume, read_any};
use math::Vect;
use mesh::Surface;
use rig::Affine;
use std::path::{Path, PathBuf};

/// An example of Complementary Dynamics. Lengths are in the units of the files unless said otherwise.
#[derive(Clone, Debug)]
pub struct CdScene {
    /// The name of the file without its ending.
    pub name: String,
    /// What moves.
    pub body: CdBody,
    /// What it is made of, for the body fitted into [−1, 1] by [`CdCharacter::unit_from_file`].
    pub material: CdMaterial,
    /// The time step, which is also the time from frame to frame [s].
    pub dt: f64,
    /// How many frames the animation has.
    pub frames: usize,
    /// Whether the tissue has inertia.
    pub dynamics: bool,
    /// What was repaired or left out on reading; whole sentences for the artist.
    pub notes: Vec<String>,
}

/// What a scene moves.
#[derive(Clone, Debug)]
pub enum CdBody {
    /// Triangles in the plane.
    Plane(CdCharacter<2>),
    /// Tetrahedra in space, y up.
    Space(CdCharacter<3>),
    /// The outline of a picture, where it is not transparent; its mesh has still to be made.
    Picture(PathBuf),
}

/// A volume with its rig.
#[derive(Clone, Debug)]
pub struct CdCharacter<const D: usize> {
    /// What is simulated.
    pub volume: Volume<D>,
    /// What is shown, where it is another surface than that of the volume.
    pub display: Option<Surface>,
    /// What drives it.
    pub rig: CdRig<D>,
    /// Centres the box around the volume and halves its largest side to 1: what the published programs simulate.
    pub unit_from_file: Affine<D>,
}

/// Handles that move a volume.
#[derive(Clone, Debug)]
pub struct CdRig<const D: usize> {
    /// How the handles move the volume.
    pub kind: CdKind,
    /// Where each handle is at rest: a point, the first end of a bone, a knot or a corner.
    pub rest: Vec<Vect<D>>,
    /// The second end of each bone; as `rest` for all other kinds.
    pub ends: Vec<Vect<D>>,
    /// For each handle the one that carries it.
    pub parents: Vec<Option<u32>>,
    /// A row per vertex, a column per handle, rows that sum to 1; none where they have still to be computed.
    pub weights: Option<Dmat>,
    /// For each frame and handle: now_from_rest.
    pub frames: Vec<Vec<Affine<D>>>,
}

/// How handles move a volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CdKind {
    /// Linear blend skinning by bones.
    Bones,
    /// Linear blend skinning by points.
    Points,
    /// Knots of a curve that carries the volume. The files do not tell it from `Points`: flat rigs of points are taken so.
    Wire,
    /// Corners of a closed polygon around the volume; their maps only shift them.
    Cage,
}

/// What a scene is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CdMaterial {
    /// The law, where the file names one.
    pub model: Option<CdModel>,
    /// First Lamé constant λ [Pa].
    pub lambda: f64,
    /// Shear modulus μ [Pa].
    pub mu: f64,
    /// Mass per volume [kg/m³]: 1000, or 1 in the plane. It is not in the files.
    pub density: f64,
}

/// The laws that scenes in space name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CdModel {
    /// As rigid as possible.
    Arap,
    /// Neo-Hookean.
    NeoHookean,
    /// Saint Venant–Kirchhoff.
    StVk,
    /// Corotational.
    Corotational,
}

/// Reads a scene and the files beside it. Folders in the names of files are those of another machine: not followed.
pub fn read_cd_scene(file: impl AsRef<Path>) -> Result<CdScene, FormatError> {
    let file = file.as_ref();
    let value = load_json(file)?;
    let json = Json { value: &value, file };
    json.entries("the scene")?;
    let positive = |key: &str| {
        let number = json.get(key)?.number(key)?;
        let what =
            || FormatError::malformed(format!("{key} is {number}, but must be above zero"), Place::Unknown, file);
        if number > 0.0 { Ok(number) } else { Err(what()) }
    };
    let dt = positive("dt")?;
    let dynamics = json.find("with_dynamics").is_none_or(|value| value.value != &serde_json::json!(0));
    let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let mut notes = Vec::new();
    if json.find("mesh_file").is_none() && json.find("image_file").is_some() {
        let picture = needed(json, "image_file")?;
        notes.push("The body is the outline of a picture, which is not traced here. Only its name was read.".into());
        let material = CdMaterial { model: None, lambda: positive("lambda")?, mu: positive("mu")?, density: 1.0 };
        let frames = json.find("frame_num").map_or(Ok(0), |value| value.integer("frame_num"))?;
        let frames = usize::try_from(frames).unwrap_or(0);
        return Ok(CdScene { name, body: CdBody::Picture(picture), material, dt, frames, dynamics, notes });
    }
    if json.find("frame_num").is_some() {
        notes.push("The key frame_num was ignored: the animation says how many frames there are.".into());
    }
    let mesh = needed(json, "mesh_file")?;
    let (body, frames, density) = match read_any(&mesh)? {
        AnyVolume::Plane(volume) => {
            let character = plane(json, volume, &mut notes)?;
            let frames = character.rig.frames.len();
            (CdBody::Plane(character), frames, 1.0)
        }
        AnyVolume::Space(volume) => {
            let character = space(json, volume, &mesh, &mut notes)?;
            let frames = character.rig.frames.len();
            (CdBody::Space(character), frames, 1000.0)
        }
    };
    let (young, poisson) = (positive("YM")?, json.get("pr")?.number("pr")?);
    if !(-1.0 < poisson && poisson < 0.5) {
        let what = format!("pr, Poisson's ratio, is {poisson}, but must be below 0.5 and above −1");
        return Err(FormatError::malformed(what, Place::Unknown, file));
    }
    let lambda = young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson));
    let model = match body {
        CdBody::Space(_) => Some(model(json.get("model")?)?),
        _ => json.find("model").map(model).transpose()?,
    };
    let material = CdMaterial { model, lambda, mu: young / (2.0 * (1.0 + poisson)), density };
    Ok(CdScene { name, body, material, dt, frames, dynamics, notes })
}

fn model(json: Json) -> Result<CdModel, FormatError> {
    match json.text("model")? {
        "arap" => Ok(CdModel::Arap),
        "neohookean" => Ok(CdModel::NeoHookean),
        "stvk" => Ok(CdModel::StVk),
        "corotational" => Ok(CdModel::Corotational),
        other => {
            let shown: String = other.chars().take(40).collect();
            let what = format!("the model {shown:?} is not one of arap, neohookean, stvk and corotational");
            Err(FormatError::malformed(what, Place::Unknown, json.file))
        }
    }
}
