//! What can be wrong with a file, said to the artist who made it.

use std::fmt;
use std::path::{Path, PathBuf};

/// Where in the file something stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A line of a text file, from 1.
    Line(usize),
    /// A byte of a binary file, from 0.
    Byte(usize),
    /// Nothing better than the name of the vertex or element is known.
    Unknown,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Line(line) => write!(f, " (line {line})"),
            Place::Byte(byte) => write!(f, " (byte {byte})"),
            Place::Unknown => Ok(()),
        }
    }
}

/// Everything that can go wrong with a file. The text says what is wrong, then what to do, then which file.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs)] // the text of each says what it is
pub enum FormatError {
    #[error("there is no file of this name.\nCheck the spelling and the folder.\n({})", file.display())]
    Missing { file: PathBuf },

    #[error("this is a folder, or a device, not a file.\nName a file in it.\n({})", file.display())]
    NotAFile { file: PathBuf },

    #[error("the file cannot be read: {reason}.\nCheck that you may open it, and that the disk is there.\n({})", file.display())]
    Unreadable { reason: String, file: PathBuf },

    #[error("files that end in {ending:?} are not known here.\nUse one that ends in {known}.\n({})", file.display())]
    UnknownEnding { ending: String, known: &'static str, file: PathBuf },

    #[error("{word:?} stands where {what} should be{place}.\n\
             The file is damaged, or is not what its ending says. Export it again.\n({})", file.display())]
    NotANumber { word: String, what: String, place: Place, file: PathBuf },

    #[error("the file says that it holds {promised} {what}, but it ends after {found}.\n\
             It was cut off, or its header is wrong. Export or copy it again.\n({})", file.display())]
    EndsEarly { what: &'static str, promised: u64, found: u64, file: PathBuf },

    #[error("{what}{place}.\nThe file is damaged, or is not what its ending says. Export it again.\n({})", file.display())]
    Malformed { what: String, place: Place, file: PathBuf },

    #[error("the file holds {what}{place}, which Supple cannot use.\n{remedy}\n({})", file.display())]
    Unsupported { what: String, remedy: String, place: Place, file: PathBuf },

    #[error("the line *INCLUDE {name}{place} cannot be followed: {why}.\n\
             Put that file into the folder of the mesh, or paste its lines in place of the *INCLUDE.\n({})", file.display())]
    Include { name: String, why: String, place: Place, file: PathBuf },

    #[error("a part of this file is kept in {name:?}, which is not there.\n\
             Put both into the folders they were exported to, or export as .glb, which is one file.\n({})", file.display())]
    MissingPiece { name: String, file: PathBuf },

    #[error("the mesh holds no {what}.\nCheck that the volume was selected when it was exported.\n({})", file.display())]
    Empty { what: &'static str, file: PathBuf },

    #[error("vertex {vertex}{place} has no position: one of its numbers is {value}.\n\
             Give it a place in your modelling tool and export again.\n({})", file.display())]
    NotFinite { vertex: i64, value: f64, place: Place, file: PathBuf },

    #[error("two {what} have the number {number}{place}.\nExport the mesh again, so that each has its own.\n({})", file.display())]
    SameNumber { what: &'static str, number: i64, place: Place, file: PathBuf },

    #[error("{what} {number}{place} asks for vertex {vertex}, but there is no such vertex among the {vertices}.\n\
             Export the mesh again, with all its vertices.\n({})", file.display())]
    NoSuchVertex { what: &'static str, number: i64, vertex: i64, vertices: usize, place: Place, file: PathBuf },

    #[error("the set {set:?} asks for element {element}{place}, but there is no such element.\n\
             Take it out of the set, or export the mesh again.\n({})", file.display())]
    NoSuchElement { set: String, element: i64, place: Place, file: PathBuf },

    #[error("{what} {number}{place} uses vertex {vertex} twice, so it has no volume.\n\
             Remove it, or mesh the shape again.\n({})", file.display())]
    RepeatedCorner { what: &'static str, number: i64, vertex: i64, place: Place, file: PathBuf },

    #[error("{what} {number}{place} is flat: its corners leave no room between them, so it cannot push back.\n\
             Remove it, or mesh the shape again and ask the mesher for better-shaped elements.\n({})", file.display())]
    Flat { what: &'static str, number: i64, place: Place, file: PathBuf },

    #[error("{count} of the {total} elements are inside out (negative volume), first {what} {number}{place}.\n\
             The others are not, so it is the mesh that is folded. Repair it in the mesher and export it again.\n({})", file.display())]
    Inverted { what: &'static str, count: usize, total: usize, number: i64, place: Place, file: PathBuf },

    #[error("{what} {number}{place} is too {extreme} to compute with.\n\
             Check the units of the export; Supple works in metres.\n({})", file.display())]
    Extreme { what: &'static str, number: i64, extreme: &'static str, place: Place, file: PathBuf },

    #[error("{count} of the vertices belong to no element, first vertex {vertex}{place}. They would hang in the air.\n\
             Delete the loose vertices and export again.\n({})", file.display())]
    Unreferenced { count: usize, vertex: i64, place: Place, file: PathBuf },

    #[error("this is a surface in space, not a volume: it has triangles but nothing inside.\n\
             Fill it with tetrahedra in a mesher such as TetGen, fTetWild or Gmsh, and give Supple that file.\n({})", file.display())]
    IsSurface { file: PathBuf },

    #[error("this is {found} mesh, but {wanted} mesh is needed here.\nChoose another file.\n({})", file.display())]
    WrongDimension { found: &'static str, wanted: &'static str, file: PathBuf },

    #[error("there is nothing to write: {what}.\nSimulate first, then export.\n({})", file.display())]
    Nothing { what: &'static str, file: PathBuf },

    #[error("frame {frame} has {found} vertices, but the surface has {expected}.\n\
             All frames must show the same surface.\n({})", file.display())]
    WrongFrame { frame: usize, found: usize, expected: usize, file: PathBuf },

    #[error("vertex {vertex} of {which} has flown off: its position does not fit in the file.\n\
             Lower the time step or raise the damping, and simulate again.\n({})", file.display())]
    FlownOff { vertex: usize, which: String, file: PathBuf },

    #[error("{fps} frames per second are not possible.\nGive a number above zero, such as 24.\n({})", file.display())]
    BadRate { fps: f64, file: PathBuf },

    #[error("the folder {} does not exist.\nMake it first, or choose another place to save.\n({})", folder.display(), file.display())]
    NoFolder { folder: PathBuf, file: PathBuf },

    #[error("the file cannot be written: {reason}.\nCheck that you may write there, and that the disk is not full.\n({})", file.display())]
    Unwritable { reason: String, file: PathBuf },
}

impl FormatError {
    pub(crate) fn malformed(what: impl Into<String>, place: Place, file: &Path) -> Self {
        FormatError::Malformed { what: what.into(), place, file: file.into() }
    }
}
