//! Which reader or writer a file's ending asks for.

use crate::save::check_writable;
use crate::{AnyVolume, FormatError, MshFlavour, Volume, medit, msh, obj, stl, tetgen, veg};
use mesh::{Mesh, Surface};
use std::path::Path;

const VOLUMES: &str = ".veg, .mesh, .msh, .node, .ele or (flat meshes only) .obj";

pub(crate) fn ending(file: &Path) -> String {
    file.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase()
}

pub(crate) fn unknown(file: &Path, known: &'static str) -> FormatError {
    let ending = match ending(file) {
        none if none.is_empty() => none,
        some => format!(".{some}"),
    };
    FormatError::UnknownEnding { ending, known, file: file.into() }
}

/// Reads a volume, flat or solid, in the format that the ending of the file names.
pub fn read_any(file: impl AsRef<Path>) -> Result<AnyVolume, FormatError> {
    let file = file.as_ref();
    match ending(file).as_str() {
        "veg" => veg::read(file),
        "mesh" => medit::read(file),
        "msh" => msh::read(file),
        "node" | "ele" => tetgen::read(file),
        "obj" => obj::read_volume(file),
        _ => Err(unknown(file, VOLUMES)),
    }
}

/// Reads a volume of tetrahedra; an error where the file holds a flat mesh.
pub fn read_volume(file: impl AsRef<Path>) -> Result<Volume<3>, FormatError> {
    match read_any(&file)? {
        AnyVolume::Space(volume) => Ok(volume),
        AnyVolume::Plane(_) => Err(wrong(&file, "a flat", "a solid")),
    }
}

/// Reads a flat mesh of triangles; an error where the file holds tetrahedra.
pub fn read_plane(file: impl AsRef<Path>) -> Result<Volume<2>, FormatError> {
    match read_any(&file)? {
        AnyVolume::Plane(volume) => Ok(volume),
        AnyVolume::Space(_) => Err(wrong(&file, "a solid", "a flat")),
    }
}

fn wrong(file: impl AsRef<Path>, found: &'static str, wanted: &'static str) -> FormatError {
    FormatError::WrongDimension { found, wanted, file: file.as_ref().into() }
}

/// Reads a surface for show: `.obj` or `.stl`.
pub fn read_surface(file: impl AsRef<Path>) -> Result<Surface, FormatError> {
    let file = file.as_ref();
    match ending(file).as_str() {
        "obj" => obj::read_surface(file),
        "stl" => stl::read_surface(file),
        _ => Err(unknown(file, ".obj or .stl")),
    }
}

/// Whether a volume can be written there: its ending is known, its folder is there.
pub fn check_volume_output(file: impl AsRef<Path>) -> Result<(), FormatError> {
    let file = file.as_ref();
    match ending(file).as_str() {
        "veg" | "mesh" | "msh" | "node" | "ele" => check_writable(file),
        _ => Err(unknown(file, VOLUMES)),
    }
}

/// Writes a mesh in the format that the ending of the file names; `.msh` as 4.1 text.
pub fn write_volume<const D: usize>(file: impl AsRef<Path>, mesh: &Mesh<D>) -> Result<(), FormatError> {
    let file = file.as_ref();
    match ending(file).as_str() {
        "veg" if D == 3 => {
            let rest = mesh.rest.iter().map(|x| math::Vect::<3>::from_fn(|i, _| x[i])).collect();
            veg::write_veg(file, &Mesh { rest, corners: mesh.corners.clone() }, &[])
        }
        "mesh" => medit::write_mesh(file, mesh),
        "msh" => msh::write_msh(file, mesh, MshFlavour::default()),
        "node" | "ele" => tetgen::write_node_ele(file, mesh),
        "obj" if D == 2 => obj::write_plane(file, mesh),
        "veg" => Err(wrong(file, "a flat", "a solid")),
        "obj" => Err(wrong(file, "a solid", "a flat")),
        _ => Err(unknown(file, VOLUMES)),
    }
}
