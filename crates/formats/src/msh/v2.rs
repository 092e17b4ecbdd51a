//! Version 2.2: one list of nodes, one list of elements with their tags.

use super::Msh;
use super::source::Source;
use crate::FormatError;

pub(super) fn nodes(source: &mut Source, msh: &mut Msh) -> Result<(), FormatError> {
    let promised = source.count_line("the number of vertices")?;
    for found in 0..promised {
        source.cursor.reading("vertices", promised, found);
        let number = source.int("the number of a vertex")?;
        let x = source.floats()?;
        msh.raw.points.push(x, number, source.cursor.line_number());
    }
    Ok(())
}

pub(super) fn elements(source: &mut Source, msh: &mut Msh) -> Result<(), FormatError> {
    let promised = source.count_line("the number of elements")?;
    let mut found = 0;
    while found < promised {
        source.cursor.reading("elements", promised, found);
        // In binary files one header stands before many elements, in text files each line is its own.
        let first = if source.binary() { None } else { Some(source.int("the number of an element")?) };
        let kind = source.kind()?;
        let count = if source.binary() { source.int("")? } else { 1 };
        let tags = source.int("the number of tags")?;
        if count < 1 {
            let what = format!("a block says that it holds {count} elements");
            return Err(FormatError::malformed(what, source.cursor.place(), source.cursor.file));
        }
        for _ in 0..count {
            source.cursor.reading("elements", promised, found);
            let number = match first {
                Some(number) => number,
                None => source.int("")?,
            };
            let mut group = 0; // the first tag is the physical group
            for k in 0..tags {
                let tag = source.int("a tag")?;
                group = if k == 0 { tag } else { group };
            }
            let mut corners = Vec::with_capacity(kind.nodes);
            for _ in 0..kind.nodes {
                corners.push(source.int("the number of a vertex")?);
            }
            msh.push(&kind, &corners, number, source.cursor.line_number(), group);
            found += 1;
        }
    }
    Ok(())
}
