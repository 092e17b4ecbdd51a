//! Medit `.mesh`: a stream of words, sections in any order.

use crate::cursor::Cursor;
use crate::load::load;
use crate::raw::{Cells, Raw};
use crate::save::{check_finite, save};
use crate::{AnyVolume, FormatError, check};
use mesh::Mesh;
use std::path::Path;

pub(crate) fn read(file: &Path) -> Result<AnyVolume, FormatError> {
    let data = load(file)?;
    let mut words = Cursor::new(&data, file);
    let mut raw = Raw::default();
    while let Some(section) = words.word() {
        words.reading("numbers", 0, 0);
        match section.as_ref() {
            "Dimension" => {
                let place = words.place();
                raw.plane = match words.number("the dimension")? {
                    2 => true,
                    3 => false,
                    other => {
                        let what = format!("the dimension is {other}, but must be 2 or 3");
                        return Err(FormatError::malformed(what, place, file));
                    }
                };
            }
            "Vertices" => vertices(&mut words, &mut raw)?,
            "Triangles" => cells::<3>(&mut words, "triangles", &mut raw.triangles)?,
            "Tetrahedra" => cells::<4>(&mut words, "tetrahedra", &mut raw.tets)?,
            "Hexahedra" | "Prisms" | "Pentahedra" | "Pyramids" | "TetrahedraP2" => {
                let place = words.place();
                if words.number::<u64>("the number of elements")? > 0 {
                    return Err(FormatError::Unsupported {
                        what: format!("elements of the kind {section}"),
                        remedy: "Cut them into tetrahedra with four corners in the mesher, and export again.".into(),
                        place,
                        file: file.into(),
                    });
                }
            }
            "End" => break,
            _ if section.parse::<f64>().is_ok() || !section.starts_with(|c: char| c.is_ascii_alphabetic()) => {
                let shown: String = section.chars().take(40).collect();
                let what = format!("{shown:?} stands where a section such as Vertices should begin");
                return Err(FormatError::malformed(what, words.place(), file));
            }
            // Edges, Corners, Normals and many more: numbers that are not needed.
            _ => {
                while words.peek().is_some_and(|word| word.parse::<f64>().is_ok()) {
                    words.word();
                }
            }
        }
    }
    check::check(raw, file)
}

fn vertices(words: &mut Cursor, raw: &mut Raw) -> Result<(), FormatError> {
    let promised: u64 = words.number("the number of vertices")?;
    for found in 0..promised {
        words.reading("vertices", promised, found);
        let mut x = [0.0; 3];
        for slot in &mut x[..if raw.plane { 2 } else { 3 }] {
            *slot = words.number("a coordinate")?;
        }
        let line = words.line_number();
        words.number::<f64>("the mark of a vertex")?;
        raw.points.push(x, raw.points.x.len() as i64 + 1, line);
    }
    Ok(())
}

fn cells<const N: usize>(words: &mut Cursor, what: &'static str, cells: &mut Cells) -> Result<(), FormatError> {
    let promised: u64 = words.number("the number of elements")?;
    for found in 0..promised {
        words.reading(what, promised, found);
        let mut corners = [0; N];
        for slot in &mut corners {
            *slot = words.number("the number of a vertex")?;
        }
        cells.push(&corners, cells.numbers.len() as i64 + 1, words.line_number());
        cells.labels.push(words.number::<i64>("the mark of an element")?.to_string());
    }
    cells.regions_from_labels();
    Ok(())
}

/// Writes triangles or tetrahedra as Medit `.mesh`, positions bit for bit.
pub fn write_mesh<const D: usize>(file: &Path, mesh: &Mesh<D>) -> Result<(), FormatError> {
    check_finite(&mesh.rest, file)?;
    save(file, |out| {
        writeln!(out, "MeshVersionFormatted 2\nDimension {D}\n\nVertices\n{}", mesh.rest.len())?;
        for x in &mesh.rest {
            x.iter().try_for_each(|v| write!(out, "{v:.16e} "))?;
            writeln!(out, "0")?;
        }
        let kind = if D == 2 { "Triangles" } else { "Tetrahedra" };
        writeln!(out, "\n{kind}\n{}", mesh.element_count())?;
        for element in mesh.elements() {
            element.iter().try_for_each(|&v| write!(out, "{} ", u64::from(v) + 1))?;
            writeln!(out, "0")?;
        }
        writeln!(out, "\nEnd")
    })
}
