//! Gmsh `.msh`, versions 2.2 and 4.1, text and binary, either byte order.

mod kinds;
mod source;
mod v2;
mod v4;
mod write;

pub use write::{MshFlavour, write_msh};

use crate::load::load;
use crate::raw::{Cells, Raw};
use crate::{AnyVolume, FormatError, Region, check};
use kinds::Kind;
use source::{Source, Version};
use std::collections::BTreeMap;
use std::path::Path;

/// What has been read so far.
#[derive(Default)]
struct Msh {
    raw: Raw,
    /// (dimension, physical group) → its name
    names: BTreeMap<(i64, i64), String>,
    /// (dimension, entity) → its physical groups; only 4.1 has it
    entities: BTreeMap<(i64, i64), Vec<i64>>,
    /// The group (2.2) or entity (4.1) of each triangle and each tetrahedron.
    triangle_groups: Vec<i64>,
    tet_groups: Vec<i64>,
    /// A kind of element that was met but cannot be used: of dimension 2, of dimension 3.
    refused: [Option<&'static str>; 2],
}

pub(crate) fn read(file: &Path) -> Result<AnyVolume, FormatError> {
    let data = load(file)?;
    let mut source = Source::new(&data, file);
    let mut msh = Msh::default();
    while let Some(section) = source.section()? {
        match (section.as_str(), source.version) {
            ("MeshFormat", _) => source.format()?,
            ("PhysicalNames", _) => physical_names(&mut source, &mut msh)?,
            ("Entities", Some(Version::V4)) => v4::entities(&mut source, &mut msh)?,
            ("Nodes", Some(Version::V2)) => v2::nodes(&mut source, &mut msh)?,
            ("Nodes", Some(Version::V4)) => v4::nodes(&mut source, &mut msh)?,
            ("Elements", Some(Version::V2)) => v2::elements(&mut source, &mut msh)?,
            ("Elements", Some(Version::V4)) => v4::elements(&mut source, &mut msh)?,
            ("Nodes" | "Elements", None) => {
                let what = "the file does not begin with $MeshFormat";
                return Err(FormatError::malformed(what, source.cursor.place(), file));
            }
            _ => {} // data of other programs
        }
        source.cursor.skip_past(format!("$End{section}").as_bytes())?;
    }
    msh.finish(file)
}

/// Lines `dimension tag "name"`; text also in binary files.
fn physical_names(source: &mut Source, msh: &mut Msh) -> Result<(), FormatError> {
    let promised = source.count_line("the number of names")?;
    for found in 0..promised {
        source.cursor.reading("names of physical groups", promised, found);
        let place = source.cursor.place();
        let line = source.cursor.next_line().ok_or_else(|| source.cursor.ended())?;
        let mut words = line.splitn(3, char::is_whitespace);
        let mut number = || words.next().and_then(|word| word.parse::<i64>().ok());
        let (Some(dimension), Some(tag)) = (number(), number()) else {
            let what = "a name of a physical group lacks its numbers";
            return Err(FormatError::malformed(what, place, source.cursor.file));
        };
        let name = words.next().unwrap_or_default().trim().trim_matches('"').to_string();
        msh.names.insert((dimension, tag), name);
    }
    Ok(())
}

impl Msh {
    /// Takes one element; points and lines are dropped, what cannot be used is remembered.
    fn push(&mut self, kind: &Kind, corners: &[i64], number: i64, line: u32, group: i64) {
        let (cells, groups) = match (kind.dimension, kind.nodes) {
            (2, 3) => (&mut self.raw.triangles, &mut self.triangle_groups),
            (3, 4) => (&mut self.raw.tets, &mut self.tet_groups),
            (0 | 1, _) => return,
            (dimension, _) => {
                self.refused[dimension as usize - 2].get_or_insert(kind.name);
                return;
            }
        };
        cells.push(corners, number, line);
        groups.push(group);
    }

    fn finish(mut self, file: &Path) -> Result<AnyVolume, FormatError> {
        let [face, solid] = self.refused;
        let refused = solid.or(face.filter(|_| self.raw.tets.numbers.is_empty()));
        if let Some(name) = refused {
            return Err(FormatError::Unsupported {
                what: format!("{name} elements"),
                remedy: "Export with first-order elements (in Gmsh: Mesh, Set order 1), tetrahedra or triangles only."
                    .into(),
                place: crate::Place::Unknown,
                file: file.into(),
            });
        }
        let (triangle_groups, tet_groups) = (&self.triangle_groups, &self.tet_groups);
        let (triangles, tets) = (self.regions(2, triangle_groups), self.regions(3, tet_groups));
        let name = |cells: &mut Cells, regions| cells.regions = regions;
        name(&mut self.raw.triangles, triangles);
        name(&mut self.raw.tets, tets);
        check::check(self.raw, file)
    }

    /// One region per physical group, in the order of their numbers.
    fn regions(&self, dimension: i64, groups: &[i64]) -> Vec<Region> {
        let mut members = BTreeMap::<i64, Vec<u32>>::new();
        for (element, &group) in groups.iter().enumerate() {
            for &tag in self.entities.get(&(dimension, group)).map_or(&[group][..], Vec::as_slice) {
                members.entry(tag).or_default().push(element as u32);
            }
        }
        members.remove(&0); // in no group
        let name = |tag| self.names.get(&(dimension, tag)).cloned().unwrap_or_else(|| tag.to_string());
        members.into_iter().map(|(tag, elements)| Region { name: name(tag), elements, material: None }).collect()
    }
}
