//! Wavefront `.obj`: surfaces in space, and triangle meshes in the plane.
//!
//! Read here and not by the crate tobj: its errors name no lines, and a damaged file must be told by line.

use crate::check::check_points;
use crate::load::load_text;
use crate::polygons::{Groups, Polygons};
use crate::raw::{Cells, Points, Raw};
use crate::save::{check_finite, save};
use crate::text::{Line, lines, parse};
use crate::{AnyVolume, FormatError, check};
use math::Vect;
use mesh::{Mesh, Surface};
use std::path::Path;

/// A surface for show. Vertices outside every face are kept, polygons become fans of triangles.
pub(crate) fn read_surface(file: &Path) -> Result<Surface, FormatError> {
    let polygons = read_polygons(file)?;
    Ok(Surface { triangles: polygons.triangles(), x: polygons.x })
}

/// Reads the faces of an `.obj` with all their corners, and its groups. Axes and units are those of the file.
pub fn read_polygons(file: impl AsRef<Path>) -> Result<Polygons, FormatError> {
    let file = file.as_ref();
    let parsed = read(&load_text(file)?, file)?;
    check_points(&parsed.points, file)?;
    if parsed.polygons.sizes.is_empty() {
        return Err(FormatError::Empty { what: "faces", file: file.into() });
    }
    Ok(Polygons { x: parsed.points.x.into_iter().map(Vect::from).collect(), ..parsed.polygons })
}

/// Only the vertices, as a frame of a sequence needs them.
pub(crate) fn read_vertices(file: &Path) -> Result<Vec<Vect<3>>, FormatError> {
    let points = read(&load_text(file)?, file)?.points;
    check_points(&points, file)?;
    Ok(points.x.into_iter().map(Vect::from).collect())
}

/// A flat mesh of triangles; an error where the file is a surface in space.
pub(crate) fn read_volume(file: &Path) -> Result<AnyVolume, FormatError> {
    let Parsed { points, polygons, lines } = read(&load_text(file)?, file)?;
    let mut triangles = Cells::default();
    for (corners, line) in polygons.faces().zip(lines) {
        for pair in corners[1..].windows(2) {
            let number = triangles.numbers.len() as i64 + 1;
            triangles.push(&[corners[0], pair[0], pair[1]].map(|v| i64::from(v) + 1), number, line);
        }
    }
    check::check(Raw { points, triangles, ..Raw::default() }, file)
}

/// A file as it stands: corners exist, but vertices need not be numbers.
struct Parsed {
    points: Points,
    /// without their x
    polygons: Polygons,
    /// the line of each face
    lines: Vec<u32>,
}

fn read(text: &str, file: &Path) -> Result<Parsed, FormatError> {
    let mut points = Points::default();
    let mut groups = Groups::default();
    let mut faces: Vec<(Vec<i64>, Line)> = Vec::new();
    for mut line in lines(text, file) {
        match line.word() {
            // What follows x y z, a colour perhaps, is not read.
            Some("v") => {
                let number = points.x.len() as i64 + 1;
                points.push(line.numbers("a coordinate")?, number, line.number as u32);
            }
            Some("f") => {
                let here = line.clone();
                groups.add(faces.len() as u32);
                faces.push((face(&mut line, points.x.len())?, here));
            }
            Some("g") => groups.enter(line.rest().trim()),
            _ => {} // texture, normals, materials: not ours
        }
    }
    // A face may come before its vertices, so the range is checked last.
    let mut polygons = Polygons { groups: groups.all, ..Polygons::default() };
    for (k, (corners, line)) in faces.iter().enumerate() {
        if let Some(&vertex) = corners.iter().find(|v| !(1..=points.x.len() as i64).contains(v)) {
            let (what, number, vertices, place) = ("face", k as i64 + 1, points.x.len(), line.place());
            return Err(FormatError::NoSuchVertex { what, number, vertex, vertices, place, file: file.into() });
        }
        polygons.sizes.push(corners.len() as u32);
        polygons.corners.extend(corners.iter().map(|&v| (v - 1) as u32));
    }
    let lines = faces.iter().map(|(_, line)| line.number as u32).collect();
    Ok(Parsed { points, polygons, lines })
}

/// The corners of a face, from 1; forms `a`, `a/b`, `a//c`, `a/b/c`; −1 is the vertex just before.
fn face(line: &mut Line, vertices: usize) -> Result<Vec<i64>, FormatError> {
    let mut corners = Vec::new();
    while let Some(word) = line.word() {
        let vertex = word.split('/').next().unwrap_or_default();
        let vertex: i64 = parse(vertex, "the number of a vertex", line.place(), line.file)?;
        corners.push(if vertex < 0 { vertex.saturating_add(vertices as i64 + 1) } else { vertex });
    }
    if corners.len() < 3 {
        let what = format!("a face has {} corners, but needs three", corners.len());
        return Err(FormatError::malformed(what, line.place(), line.file));
    }
    Ok(corners)
}

/// Writes a surface as `.obj`, positions bit for bit, in the axes they are in.
pub fn write_obj_surface(file: &Path, surface: &Surface) -> Result<(), FormatError> {
    check_finite(&surface.x, file)?;
    write(file, surface.x.iter().map(|x| [x.x, x.y, x.z]), surface.triangles.iter().copied())
}

/// Writes a flat mesh, with z = 0.
pub(crate) fn write_plane<const D: usize>(file: &Path, mesh: &Mesh<D>) -> Result<(), FormatError> {
    check_finite(&mesh.rest, file)?;
    write(file, mesh.rest.iter().map(|x| [x[0], x[1], 0.0]), mesh.elements().map(|e| [e[0], e[1], e[2]]))
}

fn write(
    file: &Path,
    x: impl Iterator<Item = [f64; 3]>,
    triangles: impl Iterator<Item = [u32; 3]>,
) -> Result<(), FormatError> {
    save(file, |out| {
        for [x, y, z] in x {
            writeln!(out, "v {x:.16e} {y:.16e} {z:.16e}")?;
        }
        for [a, b, c] in triangles {
            writeln!(out, "f {} {} {}", u64::from(a) + 1, u64::from(b) + 1, u64::from(c) + 1)?;
        }
        Ok(())
    })
}
