//! VegaFEM `.veg`: tetrahedra with sets, materials and regions, in text.

mod include;
mod material;
mod write;

pub use write::write_veg;

use crate::raw::{Numbering, Raw};
use crate::text::Line;
use crate::{AnyVolume, FormatError, Material, Region, check};
use include::Source;
use std::collections::BTreeMap;
use std::iter::Peekable;
use std::path::Path;

type Lines<'a> = Peekable<std::vec::IntoIter<Line<'a>>>;

#[derive(Default)]
struct Veg<'a> {
    raw: Raw,
    materials: BTreeMap<String, Material>,
    /// element numbers as the file has them, each with its line
    sets: BTreeMap<String, Vec<(i64, Line<'a>)>>,
    /// set, material, and the line that says so
    regions: Vec<(String, String, Line<'a>)>,
}

pub(crate) fn read(file: &Path) -> Result<AnyVolume, FormatError> {
    let source = Source::load(file)?;
    let lines: Vec<Line> = source.lines().collect();
    let mut lines = lines.into_iter().peekable();
    let mut veg = Veg::default();
    while let Some(mut line) = lines.next() {
        let section = line.word().unwrap_or_default().to_ascii_uppercase();
        let name = || line.rest().trim().to_string();
        match section.as_str() {
            "*VERTICES" => vertices(&mut lines, &mut veg.raw, file)?,
            "*ELEMENTS" => elements(&mut lines, &mut veg.raw, file)?,
            "*MATERIAL" => {
                let mut law = next_in_section(&mut lines).ok_or_else(|| {
                    FormatError::malformed(
                        format!("the material {:?} is not described", name()),
                        line.place(),
                        line.file,
                    )
                })?;
                veg.materials.insert(name(), material::read(name(), &mut law)?);
            }
            "*SET" => set(&mut lines, veg.sets.entry(name()).or_default())?,
            "*REGION" => {
                while let Some(line) = next_in_section(&mut lines) {
                    let (set, material) = line.rest().split_once(',').ok_or_else(|| {
                        let what = "a region needs the name of a set and the name of a material, with a comma between";
                        FormatError::malformed(what, line.place(), line.file)
                    })?;
                    veg.regions.push((set.trim().into(), material.trim().into(), line.clone()));
                }
            }
            _ if section.starts_with('*') => while next_in_section(&mut lines).is_some() {},
            _ => {
                let what = format!("{section:?} stands where a section such as *VERTICES should begin");
                return Err(FormatError::malformed(what, line.place(), line.file));
            }
        }
    }
    veg.raw.tets.regions = veg.name_regions(file)?;
    check::check(veg.raw, file)
}

/// The next line, unless it begins a section.
fn next_in_section<'a>(lines: &mut Lines<'a>) -> Option<Line<'a>> {
    lines.next_if(|line| !line.rest().starts_with('*'))
}

fn header<'a>(lines: &mut Lines<'a>, what: &'static str, file: &Path) -> Result<Line<'a>, FormatError> {
    let empty = || FormatError::Empty { what, file: file.into() };
    next_in_section(lines).ok_or_else(empty)
}

fn vertices(lines: &mut Lines, raw: &mut Raw, file: &Path) -> Result<(), FormatError> {
    let mut head = header(lines, "vertices", file)?;
    raw.points.file = Some(head.file.into()); // it may be an included one
    let promised: u64 = head.number("the number of vertices")?;
    for found in 0..promised {
        let early = || FormatError::EndsEarly { what: "vertices", promised, found, file: file.into() };
        let mut line = next_in_section(lines).ok_or_else(early)?;
        let number = line.number("the number of a vertex")?;
        raw.points.push(line.numbers("a coordinate")?, number, line.number as u32);
    }
    no_more(lines, "vertices", promised)
}

fn elements(lines: &mut Lines, raw: &mut Raw, file: &Path) -> Result<(), FormatError> {
    let kind = header(lines, "elements", file)?;
    if !kind.rest().eq_ignore_ascii_case("TET") && !kind.rest().eq_ignore_ascii_case("TETS") {
        return Err(FormatError::Unsupported {
            what: format!("elements of the kind {}", kind.rest()),
            remedy: "Export the volume as tetrahedra (TET), or cut its cubes into tetrahedra first.".into(),
            place: kind.place(),
            file: kind.file.into(),
        });
    }
    let mut head = header(lines, "elements", file)?;
    raw.tets.file = Some(head.file.into());
    let promised: u64 = head.number("the number of elements")?;
    for found in 0..promised {
        let early = || FormatError::EndsEarly { what: "elements", promised, found, file: file.into() };
        let mut line = next_in_section(lines).ok_or_else(early)?;
        let number = line.number("the number of an element")?;
        let corners: [i64; 4] = line.numbers("the number of a vertex")?;
        raw.tets.push(&corners, number, line.number as u32);
    }
    no_more(lines, "elements", promised)
}

fn no_more(lines: &mut Lines, what: &str, promised: u64) -> Result<(), FormatError> {
    match next_in_section(lines) {
        Some(line) => {
            let what = format!("there are more {what} than the {promised} that the section says it holds");
            Err(FormatError::malformed(what, line.place(), line.file))
        }
        None => Ok(()),
    }
}

fn set<'a>(lines: &mut Lines<'a>, set: &mut Vec<(i64, Line<'a>)>) -> Result<(), FormatError> {
    while let Some(line) = next_in_section(lines) {
        let mut words = line.clone();
        while !words.rest().trim_matches(|c: char| c == ',' || c.is_whitespace()).is_empty() {
            set.push((words.number("the number of an element")?, line.clone()));
        }
    }
    Ok(())
}

impl Veg<'_> {
    /// The regions with their materials, then the sets that no region uses.
    fn name_regions(&mut self, file: &Path) -> Result<Vec<Region>, FormatError> {
        let cells = &self.raw.tets;
        let numbering = Numbering::new(&cells.numbers, "elements", |k| cells.place(k), file)?;
        let mut elements = BTreeMap::from([("allElements", (0..cells.numbers.len() as u32).collect::<Vec<_>>())]);
        for (name, members) in &self.sets {
            let mut list = Vec::with_capacity(members.len());
            for (element, line) in members {
                list.push(numbering.get(*element).ok_or_else(|| FormatError::NoSuchElement {
                    set: name.clone(),
                    element: *element,
                    place: line.place(),
                    file: line.file.into(),
                })?);
            }
            elements.insert(name, list);
        }
        let mut regions = Vec::new();
        for (set, material, line) in &self.regions {
            let unknown = |kind, name: &str| {
                FormatError::malformed(format!("there is no {kind} {name:?}"), line.place(), line.file)
            };
            let elements = elements.get(set.as_str()).ok_or_else(|| unknown("set", set))?.clone();
            let material = self.materials.get(material).ok_or_else(|| unknown("material", material))?;
            regions.push(Region { name: set.clone(), elements, material: Some(material.clone()) });
        }
        for name in self.sets.keys().filter(|name| self.regions.iter().all(|(set, ..)| set != *name)) {
            regions.push(Region { name: name.clone(), elements: elements[name.as_str()].clone(), material: None });
        }
        Ok(regions)
    }
}
