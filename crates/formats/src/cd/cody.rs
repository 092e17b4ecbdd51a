//! Rigs and animations of the program fast_cody: JSON with one world matrix per bone.

use super::dmat::Dmat;
use crate::json::{Json, load_json};
use crate::{FormatError, Place};
use math::{Mat, Vect};
use rig::Affine;
use std::path::Path;

/// A skinned mesh. Lengths are in the units of the file.
#[derive(Clone, Debug, PartialEq)]
pub struct CodyRig {
    /// Whether `rest`, `corners` and `weights` are of the tetrahedra; otherwise of their surface.
    pub volume: bool,
    /// Vertices, in an order of their own: those of a surface lie on vertices of the volume's `.msh`.
    pub rest: Vec<Vect<3>>,
    /// Vertex numbers from 0, three per face or four per tetrahedron.
    pub corners: Vec<u32>,
    /// A row per vertex, a column per bone, rows that sum to 1.
    pub weights: Dmat,
    /// Each bone at rest: world_from_bone. May scale, by hundreds too.
    pub world_from_bone: Vec<Affine<3>>,
    /// How long each bone is along its own y, in its own units.
    pub lengths: Vec<f64>,
    /// Who carries whom; told for show only, as all matrices are of the world.
    pub parents: Vec<Option<u32>>,
    /// What was repaired or left out on reading; whole sentences for the artist.
    pub notes: Vec<String>,
}

impl CodyRig {
    /// For each bone of a frame of [`read_cody_animation`]: now_from_rest; none if the frame has other bones, or flies off.
    pub fn maps(&self, frame: &[Affine<3>]) -> Option<Vec<Affine<3>>> {
        let rest = &self.world_from_bone;
        let map = |(now, rest): (&Affine<3>, &Affine<3>)| Some(*now * rest.inverse()?).filter(Affine::is_finite);
        (frame.len() == rest.len()).then(|| frame.iter().zip(rest).map(map).collect())?
    }
}

/// Reads a rig `.json` of fast_cody.
pub fn read_cody_rig(file: impl AsRef<Path>) -> Result<CodyRig, FormatError> {
    let file = file.as_ref();
    let value = load_json(file)?;
    let json = Json { value: &value, file };
    let volume = match json.get("rig_type")?.text("rig_type")? {
        "surface" => false,
        "volume" => true,
        other => {
            let shown: String = other.chars().take(40).collect();
            return Err(wrong(format!("rig_type is {shown:?}, but must be surface or volume"), file));
        }
    };
    let rest: Vec<Vect<3>> = json
        .get("V")?
        .list("V")?
        .map(|x| Ok(x.numbers::<3>("a vertex of V")?.into()))
        .collect::<Result<_, FormatError>>()?;
    let world_from_bone: Vec<Affine<3>> =
        json.get("p0")?.list("p0")?.map(|m| matrix(m, "a matrix of p0")).collect::<Result<_, _>>()?;
    if let Some(bone) = world_from_bone.iter().position(|map| map.inverse().is_none()) {
        return Err(wrong(format!("bone {bone} is flat at rest"), file));
    }
    let corners = corners(json.get("F")?, if volume { 4 } else { 3 }, rest.len())?;
    let (weights, notes) = weights(json.get("W")?, rest.len(), world_from_bone.len())?;
    let lengths = json.find("lengths").map(|l| l.list("lengths")?.map(|x| x.number("a length")).collect());
    let lengths = lengths.transpose()?.unwrap_or_default();
    let parents = json.find("pI").map(|p| parents(p, world_from_bone.len())).transpose()?;
    let parents = parents.unwrap_or_else(|| vec![None; world_from_bone.len()]);
    Ok(CodyRig { volume, rest, corners, weights, world_from_bone, lengths, parents, notes })
}

/// Reads an animation `.json` of fast_cody: for each frame world_from_bone of each bone. No time is stored; the
/// published program takes 0.01 s per frame.
pub fn read_cody_animation(file: impl AsRef<Path>) -> Result<Vec<Vec<Affine<3>>>, FormatError> {
    let file = file.as_ref();
    let value = load_json(file)?;
    let frames = Json { value: &value, file }.get("P")?.list("P")?;
    let frames: Vec<Vec<Affine<3>>> = frames
        .map(|frame| frame.list("a frame of P")?.map(|m| matrix(m, "a matrix of P")).collect())
        .collect::<Result<_, _>>()?;
    if frames.is_empty() {
        return Err(wrong("the animation has no frames", file));
    }
    if let Some(k) = frames.iter().position(|frame| frame.len() != frames[0].len()) {
        let what = format!("frame {k} has {} bones, but frame 0 has {}", frames[k].len(), frames[0].len());
        return Err(wrong(what, file));
    }
    Ok(frames)
}

fn wrong(what: impl Into<String>, file: &Path) -> FormatError {
    FormatError::malformed(what, Place::Unknown, file)
}

/// Three rows of four; files of volumes have four rows of three, the transpose.
fn matrix(json: Json, what: &str) -> Result<Affine<3>, FormatError> {
    let rows: Vec<Json> = json.list(what)?.collect();
    match rows.len() {
        3 => {
            let rows = [rows[0].numbers::<4>(what)?, rows[1].numbers(what)?, rows[2].numbers(what)?];
            Ok(Affine { R: Mat::<3>::from_fn(|i, j| rows[i][j]), t: Vect::<3>::from_fn(|i, _| rows[i][3]) })
        }
        4 => {
            let columns: Vec<[f64; 3]> = rows.iter().map(|row| row.numbers(what)).collect::<Result<_, _>>()?;
            Ok(Affine { R: Mat::<3>::from_fn(|i, j| columns[j][i]), t: columns[3].into() })
        }
        other => Err(wrong(format!("{what} has {other} rows, but needs three or four"), json.file)),
    }
}

fn corners(json: Json, size: usize, vertices: usize) -> Result<Vec<u32>, FormatError> {
    let mut all = Vec::new();
    for (k, face) in json.list("F")?.enumerate() {
        let corners = face.list("a face of F")?;
        if corners.len() != size {
            let what = format!("face {k} of F has {} corners, but needs {size}", corners.len());
            return Err(wrong(what, json.file));
        }
        for corner in corners {
            let vertex = corner.integer("a corner of F")?;
            if !(0..vertices as i64).contains(&vertex) {
                let (what, number, place, file) = ("face", k as i64, Place::Unknown, json.file.into());
                return Err(FormatError::NoSuchVertex { what, number, vertex, vertices, place, file });
            }
            all.push(vertex as u32);
        }
    }
    Ok(all)
}

fn weights(json: Json, rows: usize, columns: usize) -> Result<(Dmat, Vec<String>), FormatError> {
    let list = json.list("W")?;
    if list.len() != rows {
        let what = format!("W has {} rows, but there are {rows} vertices in V", list.len());
        return Err(wrong(what, json.file));
    }
    let (mut by_row, mut scaled) = (Vec::new(), 0);
    for (k, row) in list.enumerate() {
        let row: Vec<f64> = row.list("a row of W")?.map(|w| w.number("a weight of W")).collect::<Result<_, _>>()?;
        let sum: f64 = row.iter().sum();
        if row.len() != columns || !(sum > 1e-12 && sum.is_finite()) {
            let what = format!("vertex {k} has {} weights that sum to {sum}, but there are {columns} bones", row.len());
            return Err(wrong(what, json.file));
        }
        scaled += usize::from((sum - 1.0).abs() > 1e-4);
        by_row.extend(row.iter().map(|w| w / sum));
    }
    let values = (0..columns).flat_map(|c| by_row.iter().skip(c).step_by(columns).copied()).collect();
    let weights = Dmat { rows, columns, values };
    let note = format!("The weights of {scaled} vertices did not sum to 1. They were scaled.");
    Ok((weights, if scaled > 0 { vec![note] } else { Vec::new() }))
}

/// A number that is no other bone means none.
fn parents(json: Json, bones: usize) -> Result<Vec<Option<u32>>, FormatError> {
    let all: Vec<i64> = json.list("pI")?.map(|parent| parent.integer("a parent of pI")).collect::<Result<_, _>>()?;
    let parent = |k: usize| all.get(k).copied().filter(|&p| (0..bones as i64).contains(&p) && p != k as i64);
    Ok((0..bones).map(|k| parent(k).map(|p| p as u32)).collect())
}
