//! What a file said, before it is believed.

use crate::{FormatError, Place, Region};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The vertices of a file.
#[derive(Default)]
pub(crate) struct Points {
    pub x: Vec<[f64; 3]>,
    /// Where they stand, if not in the file that was asked for.
    pub file: Option<PathBuf>,
    /// The file's own number of each.
    pub numbers: Vec<i64>,
    /// The line of each; 0 where there are no lines.
    pub lines: Vec<u32>,
}

/// The triangles or the tetrahedra of a file.
#[derive(Default)]
pub(crate) struct Cells {
    /// Where they stand, if not in the file that was asked for.
    pub file: Option<PathBuf>,
    /// The file's own numbers of the vertices, three or four per element.
    pub corners: Vec<i64>,
    pub numbers: Vec<i64>,
    pub lines: Vec<u32>,
    /// A mark per element, where the file has one.
    pub labels: Vec<String>,
    pub regions: Vec<Region>,
}

/// A file before [`crate::check`].
#[derive(Default)]
pub(crate) struct Raw {
    pub points: Points,
    pub triangles: Cells,
    pub tets: Cells,
    /// Whether the file says that it is two-dimensional.
    pub plane: bool,
}

impl Points {
    pub fn push(&mut self, x: [f64; 3], number: i64, line: u32) {
        self.x.push(x);
        self.numbers.push(number);
        self.lines.push(line);
    }
    pub fn place(&self, k: usize) -> Place {
        place(self.lines[k])
    }
}

impl Cells {
    pub fn push(&mut self, corners: &[i64], number: i64, line: u32) {
        self.corners.extend_from_slice(corners);
        self.numbers.push(number);
        self.lines.push(line);
    }
    pub fn place(&self, k: usize) -> Place {
        place(self.lines[k])
    }
    /// Regions from the labels of the elements. One label for all says nothing, so it makes no region.
    pub fn regions_from_labels(&mut self) {
        let mut groups = BTreeMap::<&str, Vec<u32>>::new();
        for (element, label) in self.labels.iter().enumerate() {
            groups.entry(label).or_default().push(element as u32);
        }
        if groups.len() > 1 {
            let region = |(name, elements): (&str, _)| Region { name: name.into(), elements, material: None };
            self.regions = groups.into_iter().map(region).collect();
        }
    }
}

fn place(line: u32) -> Place {
    if line == 0 { Place::Unknown } else { Place::Line(line as usize) }
}

/// From the file's own numbers to positions in the list, from 0.
pub(crate) enum Numbering {
    InARow { first: i64, count: i64 },
    Sparse(BTreeMap<i64, u32>),
}

impl Numbering {
    /// An error if two have the same number.
    pub fn new(
        numbers: &[i64],
        what: &'static str,
        place: impl Fn(usize) -> Place,
        file: &Path,
    ) -> Result<Self, FormatError> {
        let first = numbers.first().copied().unwrap_or(0);
        if numbers.iter().enumerate().all(|(k, &n)| n.checked_sub(first) == Some(k as i64)) {
            return Ok(Numbering::InARow { first, count: numbers.len() as i64 });
        }
        let mut map = BTreeMap::new();
        for (k, &number) in numbers.iter().enumerate() {
            if map.insert(number, k as u32).is_some() {
                return Err(FormatError::SameNumber { what, number, place: place(k), file: file.into() });
            }
        }
        Ok(Numbering::Sparse(map))
    }
    pub fn get(&self, number: i64) -> Option<u32> {
        match self {
            Numbering::InARow { first, count } => {
                number.checked_sub(*first).filter(|k| (0..*count).contains(k)).map(|k| k as u32)
            }
            Numbering::Sparse(map) => map.get(&number).copied(),
        }
    }
}
