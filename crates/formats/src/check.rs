//! From what a file said to a volume that can be simulated. Every reader ends here.

use crate::raw::{Cells, Numbering, Points, Raw};
use crate::{AnyVolume, FormatError, Volume};
use math::{Mat, Small, Vect};
use mesh::Mesh;
use std::path::Path;

/// An element whose volume is below this part of its longest edge to the power D is flat.
const FLAT: f64 = 1e-12;

/// The tetrahedra of a file if it has any, else the triangles if they lie in a plane of constant z.
pub(crate) fn check(raw: Raw, file: &Path) -> Result<AnyVolume, FormatError> {
    let Raw { points, triangles, tets, plane } = raw;
    check_points(&points, file)?;
    if !tets.numbers.is_empty() {
        return build::<3>(&points, tets, "tetrahedron", file).map(AnyVolume::Space);
    }
    if triangles.numbers.is_empty() {
        return Err(FormatError::Empty { what: "elements", file: file.into() });
    }
    if !plane && points.x.iter().any(|x| x[2] != points.x[0][2]) {
        return Err(FormatError::IsSurface { file: file.into() });
    }
    build::<2>(&points, triangles, "triangle", file).map(AnyVolume::Plane)
}

/// There are vertices, and each has a position.
pub(crate) fn check_points(points: &Points, file: &Path) -> Result<(), FormatError> {
    let file = points.file.as_deref().unwrap_or(file);
    if points.x.is_empty() {
        return Err(FormatError::Empty { what: "vertices", file: file.into() });
    }
    for (k, x) in points.x.iter().enumerate() {
        if let Some(&value) = x.iter().find(|v| !v.is_finite()) {
            let (vertex, place) = (points.numbers[k], points.place(k));
            return Err(FormatError::NotFinite { vertex, value, place, file: file.into() });
        }
    }
    Ok(())
}

fn build<const D: usize>(
    points: &Points,
    cells: Cells,
    what: &'static str,
    file: &Path,
) -> Result<Volume<D>, FormatError>
where
    Mat<D>: Small<D>,
{
    let rest: Vec<Vect<D>> = points.x.iter().map(|x| Vect::from_fn(|i, _| x[i])).collect();
    let corners = resolve(points, &cells, D + 1, what, file)?;
    let mut mesh = Mesh { rest, corners };
    check_all_used(points, &mesh, file)?;
    let mut notes = Vec::new();
    orient(&mut mesh, &cells, what, &mut notes, file)?;
    Ok(Volume { mesh, regions: cells.regions, notes })
}

/// The corners as positions in the list of vertices: all there, all different.
fn resolve(
    points: &Points,
    cells: &Cells,
    size: usize,
    what: &'static str,
    file: &Path,
) -> Result<Vec<u32>, FormatError> {
    let points_file = points.file.as_deref().unwrap_or(file);
    let numbering = Numbering::new(&points.numbers, "vertices", |k| points.place(k), points_file)?;
    let file = cells.file.as_deref().unwrap_or(file);
    let mut corners = Vec::with_capacity(cells.corners.len());
    for (k, element) in cells.corners.chunks_exact(size).enumerate() {
        let (number, place) = (cells.numbers[k], cells.place(k));
        for (i, &vertex) in element.iter().enumerate() {
            corners.push(numbering.get(vertex).ok_or_else(|| {
                let vertices = points.x.len();
                FormatError::NoSuchVertex { what, number, vertex, vertices, place, file: file.into() }
            })?);
            if element[..i].contains(&vertex) {
                return Err(FormatError::RepeatedCorner { what, number, vertex, place, file: file.into() });
            }
        }
    }
    Ok(corners)
}

fn check_all_used<const D: usize>(points: &Points, mesh: &Mesh<D>, file: &Path) -> Result<(), FormatError> {
    let file = points.file.as_deref().unwrap_or(file);
    let mut used = vec![false; mesh.rest.len()];
    for &corner in &mesh.corners {
        used[corner as usize] = true;
    }
    let Some(first) = used.iter().position(|u| !u) else { return Ok(()) };
    let count = used.iter().filter(|u| !**u).count();
    let (vertex, place) = (points.numbers[first], points.place(first));
    Err(FormatError::Unreferenced { count, vertex, place, file: file.into() })
}

/// All volumes positive. Where all are negative the file numbers corners the other way round, and they are swapped.
fn orient<const D: usize>(
    mesh: &mut Mesh<D>,
    cells: &Cells,
    what: &'static str,
    notes: &mut Vec<String>,
    file: &Path,
) -> Result<(), FormatError>
where
    Mat<D>: Small<D>,
{
    let file = cells.file.as_deref().unwrap_or(file);
    let mut negative = Vec::new();
    for (k, (element, volume)) in mesh.elements().zip(mesh.volumes(&mesh.rest)).enumerate() {
        let (number, place) = (cells.numbers[k], cells.place(k));
        // Edges over the longest number in them: their products neither overflow nor vanish.
        let edges = Mesh::edges(element, &mesh.rest);
        let size = edges.amax();
        let shape = edges / size;
        let longest = longest_edge(&shape);
        let relative = shape.det() / (1..=D).product::<usize>() as f64;
        let extreme = |extreme| FormatError::Extreme { what, number, extreme, place, file: file.into() };
        if !size.is_finite() || !volume.is_finite() {
            return Err(extreme("large"));
        }
        if relative.is_nan() || relative.abs() <= FLAT * longest.powi(D as i32) {
            return Err(FormatError::Flat { what, number, place, file: file.into() });
        }
        if volume.abs() < f64::MIN_POSITIVE {
            return Err(extreme("small"));
        }
        if volume < 0.0 {
            negative.push(k);
        }
    }
    let (count, total) = (negative.len(), mesh.element_count());
    if count == total {
        mesh.corners.chunks_exact_mut(D + 1).for_each(|element| element.swap(D - 1, D));
        notes.push("All elements were numbered the other way round (negative volume). They were turned.".into());
    } else if let Some(&first) = negative.first() {
        let (number, place) = (cells.numbers[first], cells.place(first));
        return Err(FormatError::Inverted { what, count, total, number, place, file: file.into() });
    }
    Ok(())
}

fn longest_edge<const D: usize>(edges: &Mat<D>) -> f64 {
    let mut longest: f64 = 0.0;
    for i in 0..D {
        longest = longest.max(edges.column(i).norm());
        for j in 0..i {
            longest = longest.max((edges.column(i) - edges.column(j)).norm());
        }
    }
    longest
}
