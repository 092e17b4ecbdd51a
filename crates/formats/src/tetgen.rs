//! TetGen and Triangle: vertices in `.node`, elements in `.ele` beside it.

use crate::load::load_text;
use crate::raw::Raw;
use crate::save::{check_finite, save};
use crate::text::{Line, lines};
use crate::{AnyVolume, FormatError, check};
use mesh::Mesh;
use std::path::Path;

/// Either of the two files finds the other.
pub(crate) fn read(file: &Path) -> Result<AnyVolume, FormatError> {
    let (node, ele) = (file.with_extension("node"), file.with_extension("ele"));
    let mut raw = Raw::default();
    raw.points.file = Some(node.clone());
    vertices(&load_text(&node)?, &node, &mut raw)?;
    raw.triangles.file = Some(ele.clone());
    raw.tets.file = Some(ele.clone());
    elements(&load_text(&ele)?, &ele, &mut raw)?;
    check::check(raw, file)
}

fn header<'a>(
    lines: &mut impl Iterator<Item = Line<'a>>,
    what: &'static str,
    file: &Path,
) -> Result<Line<'a>, FormatError> {
    lines.next().ok_or_else(|| FormatError::Empty { what, file: file.into() })
}

fn vertices(text: &str, file: &Path, raw: &mut Raw) -> Result<(), FormatError> {
    let mut lines = lines(text, file);
    let mut head = header(&mut lines, "vertices", file)?;
    let promised: u64 = head.number("the number of vertices")?;
    raw.plane = match head.number("the dimension")? {
        2 => true,
        3 => false,
        other => {
            let what = format!("the dimension is {other}, but must be 2 or 3");
            return Err(FormatError::malformed(what, head.place(), file));
        }
    };
    for found in 0..promised {
        let early = || FormatError::EndsEarly { what: "vertices", promised, found, file: file.into() };
        let mut line = lines.next().ok_or_else(early)?;
        let number = line.number("the number of a vertex")?;
        let mut x = [0.0; 3];
        for slot in &mut x[..if raw.plane { 2 } else { 3 }] {
            *slot = line.number("a coordinate")?;
        }
        raw.points.push(x, number, line.number as u32);
    }
    no_more(lines.next(), "vertices", promised)
}

fn elements(text: &str, file: &Path, raw: &mut Raw) -> Result<(), FormatError> {
    let mut lines = lines(text, file);
    let mut head = header(&mut lines, "elements", file)?;
    let promised: u64 = head.number("the number of elements")?;
    let size: usize = head.number("the number of corners")?;
    if matches!((raw.plane, size), (true, 6) | (false, 10)) {
        return Err(FormatError::Unsupported {
            what: format!("curved elements with {size} nodes"),
            remedy: "Export with first-order elements: run TetGen or Triangle without -o2.".into(),
            place: head.place(),
            file: file.into(),
        });
    }
    let expected = if raw.plane { 3 } else { 4 };
    if size != expected {
        let what = format!("the elements have {size} corners, but must have {expected}");
        return Err(FormatError::malformed(what, head.place(), file));
    }
    let cells = if raw.plane { &mut raw.triangles } else { &mut raw.tets };
    for found in 0..promised {
        let early = || FormatError::EndsEarly { what: "elements", promised, found, file: file.into() };
        let mut line = lines.next().ok_or_else(early)?;
        let number = line.number("the number of an element")?;
        let mut corners = [0; 4];
        for slot in &mut corners[..expected] {
            *slot = line.number("the number of a vertex")?;
        }
        cells.push(&corners[..expected], number, line.number as u32);
        cells.labels.push(line.word().unwrap_or_default().to_string()); // the region attribute, if any
    }
    cells.regions_from_labels();
    no_more(lines.next(), "elements", promised)
}

fn no_more(line: Option<Line>, what: &str, promised: u64) -> Result<(), FormatError> {
    let Some(line) = line else { return Ok(()) };
    let what = format!("there are more {what} than the {promised} that the file says it holds");
    Err(FormatError::malformed(what, line.place(), line.file))
}

/// Writes a `.node` file and an `.ele` file beside it, numbered from 1, positions bit for bit.
pub fn write_node_ele<const D: usize>(file: &Path, mesh: &Mesh<D>) -> Result<(), FormatError> {
    check_finite(&mesh.rest, file)?;
    save(&file.with_extension("node"), |out| {
        writeln!(out, "{} {D} 0 0", mesh.rest.len())?;
        for (k, x) in mesh.rest.iter().enumerate() {
            write!(out, "{}", k + 1)?;
            x.iter().try_for_each(|v| write!(out, " {v:.16e}"))?;
            writeln!(out)?;
        }
        Ok(())
    })?;
    save(&file.with_extension("ele"), |out| {
        writeln!(out, "{} {} 0", mesh.element_count(), D + 1)?;
        for (k, element) in mesh.elements().enumerate() {
            write!(out, "{}", k + 1)?;
            element.iter().try_for_each(|&v| write!(out, " {}", u64::from(v) + 1))?;
            writeln!(out)?;
        }
        Ok(())
    })
}
