//! The volume of a scene, with its rig.

use super::dmat::{Dmat, read_dmat};
use super::scene::{CdCharacter, CdKind, CdRig};
use super::tgf::{Tgf, read_tgf};
use super::{frames2, frames3, matrices};
use crate::json::Json;
use crate::{FormatError, Place, Volume, read_surface};
use math::{Mat, Vect};
use mesh::Mesh;
use rig::Affine;
use std::path::{Path, PathBuf};

/// The file that a key names, beside the scene.
pub(crate) fn beside(json: Json, key: &str) -> Result<Option<PathBuf>, FormatError> {
    let Some(name) = json.find(key) else { return Ok(None) };
    let name = name.text(key)?.rsplit(['/', '\\']).next().unwrap_or_default();
    Ok(Some(json.file.with_file_name(name)))
}

/// The same, where the scene makes no sense without it.
pub(crate) fn needed(json: Json, key: &str) -> Result<PathBuf, FormatError> {
    json.get(key)?;
    Ok(beside(json, key)?.unwrap_or_default())
}

/// A flat body: bones, a wire, a cage, or points whose maps are stored.
pub(crate) fn plane(json: Json, volume: Volume<2>, notes: &mut Vec<String>) -> Result<CdCharacter<2>, FormatError> {
    let unit_from_file = unit_from_file(&volume.mesh, json.file)?;
    let animation = needed(json, "anim_file")?;
    let stored = is_table(&animation);
    let graph = match (beside(json, "handle_file")?, beside(json, "skeleton_file")?) {
        (Some(file), _) | (None, Some(file)) => read_tgf(file)?,
        (None, None) => Tgf { points: constraints(json, &volume.mesh)?, edges: Vec::new() },
    };
    let is_cage = stored && beside(json, "constraint_file")?.is_none();
    let kind = if stored && !is_cage { Some(CdKind::Points) } else { is_cage.then_some(CdKind::Cage) };
    let mut rig = rest(&graph, kind);
    let file_from_unit = inverse(&unit_from_file, json.file)?;
    rig.frames = match rig.kind {
        CdKind::Cage => {
            let frames = matrices::corner_rows(&read_dmat(&animation)?, rig.rest.len(), &animation)?;
            let shift = |(x, rest): (&Vect<2>, &Vect<2>)| {
                let t = file_from_unit.apply(x) - rest;
                Affine { R: Mat::identity(), t }
            };
            frames.iter().map(|corners| corners.iter().zip(&rig.rest).map(shift).collect()).collect()
        }
        _ if stored => {
            let frames = matrices::affine_rows(&read_dmat(&animation)?, rig.rest.len(), &animation)?;
            let in_file = |map: Affine<2>| file_from_unit * map * unit_from_file;
            frames.into_iter().map(|maps| maps.into_iter().map(in_file).collect()).collect()
        }
        _ => frames2::read(&animation, &graph, &rig.rest)?,
    };
    rig.weights = weights(json, volume.mesh.rest.len(), rig.rest.len(), notes)?;
    some_frames(&rig, &animation)?;
    Ok(CdCharacter { volume, display: None, rig, unit_from_file })
}

/// A solid body: bones or points.
pub(crate) fn space(
    json: Json,
    volume: Volume<3>,
    mesh: &Path,
    notes: &mut Vec<String>,
) -> Result<CdCharacter<3>, FormatError> {
    let unit_from_file = unit_from_file(&volume.mesh, json.file)?;
    let graph = read_tgf(needed(json, "handle_file")?)?;
    let mut rig = rest::<3>(&graph, graph.bones().is_empty().then_some(CdKind::Points));
    let animation = needed(json, "anim_file")?;
    rig.frames = frames3::read(&animation, &graph, &rig.rest)?;
    rig.weights = weights(json, volume.mesh.rest.len(), rig.rest.len(), notes)?;
    some_frames(&rig, &animation)?;
    let shown = mesh.with_extension("obj");
    let display = if shown.is_file() { Some(read_surface(&shown)?) } else { None };
    Ok(CdCharacter { volume, display, rig, unit_from_file })
}

fn is_table(file: &Path) -> bool {
    file.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("dmat"))
}

/// The handles at rest, in no frame yet. Where `kind` is none, bones decide.
fn rest<const D: usize>(graph: &Tgf, kind: Option<CdKind>) -> CdRig<D> {
    let flat = |x: &Vect<3>| Vect::<D>::from_fn(|i, _| x[i]);
    let bones = graph.bones();
    let end = |i: usize| bones.iter().map(|bone| flat(&graph.points[bone[i] as usize])).collect();
    let (kind, rest, ends, parents): (_, Vec<Vect<D>>, _, _) = match kind {
        None if !bones.is_empty() => (CdKind::Bones, end(0), end(1), graph.parents()),
        kind => {
            let points: Vec<_> = graph.points.iter().map(flat).collect();
            (kind.unwrap_or(CdKind::Wire), points.clone(), points, vec![None; graph.points.len()])
        }
    };
    CdRig { kind, rest, ends, parents, weights: None, frames: Vec::new() }
}

/// The vertices that a list of numbers from 1 names.
fn constraints(json: Json, mesh: &Mesh<2>) -> Result<Vec<Vect<3>>, FormatError> {
    let file = needed(json, "constraint_file")?;
    let place = |number: f64| {
        let vertex = (number >= 1.0 && number.fract() == 0.0).then_some(number as usize);
        vertex.and_then(|v| mesh.rest.get(v - 1)).map(|x| Vect::<3>::new(x.x, x.y, 0.0)).ok_or_else(|| {
            let what = format!("a handle is to be vertex {number}, but the mesh has vertices 1 to {}", mesh.rest.len());
            FormatError::malformed(what, Place::Unknown, &file)
        })
    };
    read_dmat(&file)?.values.into_iter().map(place).collect()
}

/// Weights that fit the mesh and the rig. Rows that do not sum to 1 are scaled; an empty row cannot be.
fn weights(json: Json, rows: usize, columns: usize, notes: &mut Vec<String>) -> Result<Option<Dmat>, FormatError> {
    let Some(file) = beside(json, "weight_file")? else { return Ok(None) };
    let mut weights = read_dmat(&file)?;
    if (weights.rows, weights.columns) != (rows, columns) {
        let (r, c) = (weights.rows, weights.columns);
        let what = format!(
            "there are {r} rows of {c} weights, but the mesh has {rows} vertices and the rig {columns} handles"
        );
        return Err(FormatError::malformed(what, Place::Line(1), &file));
    }
    let mut scaled = 0;
    for row in 0..rows {
        let sum: f64 = weights.row(row).sum();
        if (sum - 1.0).abs() <= 1e-4 {
            continue;
        }
        if !(sum > 1e-12 && sum.is_finite()) {
            let what = format!("the weights of vertex {} sum to {sum}, so nothing moves it", row + 1);
            return Err(FormatError::malformed(what, Place::Unknown, &file));
        }
        scaled += 1;
        (0..columns).for_each(|column| weights.values[column * rows + row] /= sum);
    }
    if scaled > 0 {
        notes.push(format!("The weights of {scaled} vertices did not sum to 1. They were scaled."));
    }
    Ok(Some(weights))
}

fn some_frames<const D: usize>(rig: &CdRig<D>, file: &Path) -> Result<(), FormatError> {
    if rig.frames.is_empty() {
        return Err(FormatError::malformed("the animation has no frames", Place::Unknown, file));
    }
    // Angles and shifts are numbers, but their products need not be.
    match rig.frames.iter().position(|maps| maps.iter().any(|map| !map.is_finite())) {
        Some(k) => Err(FormatError::malformed(format!("frame {k} is too far away"), Place::Unknown, file)),
        None => Ok(()),
    }
}

fn unit_from_file<const D: usize>(mesh: &Mesh<D>, file: &Path) -> Result<Affine<D>, FormatError> {
    let (low, high) = mesh.bounds();
    let half = (high - low).max() / 2.0;
    let R = Mat::identity() / half;
    let map = Affine { R, t: -(R * (low + (high - low) / 2.0)) };
    if map.is_finite() { Ok(map) } else { Err(no_size(file)) }
}

fn inverse(map: &Affine<2>, file: &Path) -> Result<Affine<2>, FormatError> {
    map.inverse().ok_or_else(|| no_size(file))
}

fn no_size(file: &Path) -> FormatError {
    FormatError::malformed("the mesh is too large or too small to be brought to size 1", Place::Unknown, file)
}
