//! Version 4.1: nodes and elements in blocks, one per entity of the model.

use super::Msh;
use super::source::Source;
use crate::FormatError;

/// Points, curves, surfaces, volumes; of each only the physical groups are kept.
pub(super) fn entities(source: &mut Source, msh: &mut Msh) -> Result<(), FormatError> {
    source.cursor.reading("entities", 0, 0);
    let mut counts = [0; 4];
    for count in &mut counts {
        *count = source.count("the number of entities")?;
    }
    for (dimension, promised) in counts.into_iter().enumerate() {
        for found in 0..promised {
            source.cursor.reading("entities", promised, found);
            let entity = source.int("the number of an entity")?;
            source.floats()?; // a point has a position, the others a box
            if dimension > 0 {
                source.floats()?;
            }
            let mut groups = Vec::new();
            for _ in 0..source.count("the number of physical groups")? {
                groups.push(source.int("the number of a physical group")?.saturating_abs());
            }
            if dimension > 0 {
                for _ in 0..source.count("the number of boundary entities")? {
                    source.int("the number of an entity")?;
                }
            }
            msh.entities.insert((dimension as i64, entity), groups);
        }
    }
    Ok(())
}

pub(super) fn nodes(source: &mut Source, msh: &mut Msh) -> Result<(), FormatError> {
    source.cursor.reading("vertices", 0, 0);
    let blocks = source.count("the number of blocks")?;
    let promised = source.count("the number of vertices")?;
    source.tag("the least number")?;
    source.tag("the greatest number")?;
    let mut found = 0;
    for _ in 0..blocks {
        source.cursor.reading("vertices", promised, found);
        let dimension = source.int("the dimension of a block")?;
        source.int("the entity of a block")?;
        let parametric = source.int("whether the block is parametric")? != 0;
        let count = source.count("the number of vertices")?;
        let mut numbers = Vec::new();
        for _ in 0..count {
            numbers.push(source.tag("the number of a vertex")?);
        }
        for number in numbers {
            source.cursor.reading("vertices", promised, found);
            let x = source.floats()?;
            let line = source.cursor.line_number();
            if parametric {
                for _ in 0..dimension {
                    source.float()?;
                }
            }
            msh.raw.points.push(x, number, line);
            found += 1;
        }
    }
    all_there(source, "vertices", promised, found)
}

pub(super) fn elements(source: &mut Source, msh: &mut Msh) -> Result<(), FormatError> {
    source.cursor.reading("elements", 0, 0);
    let blocks = source.count("the number of blocks")?;
    let promised = source.count("the number of elements")?;
    source.tag("the least number")?;
    source.tag("the greatest number")?;
    let mut found = 0;
    for _ in 0..blocks {
        source.cursor.reading("elements", promised, found);
        source.int("the dimension of a block")?;
        let entity = source.int("the entity of a block")?;
        // Without $Entities an entity belongs to no group.
        let kind = source.kind()?;
        let group = if msh.entities.contains_key(&(kind.dimension, entity)) { entity } else { 0 };
        for _ in 0..source.count("the number of elements")? {
            source.cursor.reading("elements", promised, found);
            let number = source.tag("the number of an element")?;
            let mut corners = Vec::with_capacity(kind.nodes);
            for _ in 0..kind.nodes {
                corners.push(source.tag("the number of a vertex")?);
            }
            msh.push(&kind, &corners, number, source.cursor.line_number(), group);
            found += 1;
        }
    }
    all_there(source, "elements", promised, found)
}

fn all_there(source: &Source, what: &'static str, promised: u64, found: u64) -> Result<(), FormatError> {
    if found < promised {
        return Err(FormatError::EndsEarly { what, promised, found, file: source.cursor.file.into() });
    }
    Ok(())
}
