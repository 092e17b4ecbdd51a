//! A surface in a file to a volume in a file.

use std::path::Path;

use mesh::Quality;
use serde::Serialize;

use crate::Error;
use crate::params::{EDGE, TETS};
use crate::simulate::rest_surface;

/// How a surface is filled.
#[derive(Clone, Copy, Debug, Default)]
pub struct FillFile {
    /// about how many tetrahedra; see [`TETS`]
    pub tets: Option<f64>,
    /// the length of their edges [m], in place of their number; see [`EDGE`]
    pub edge: Option<f64>,
    /// smaller ones where the body is thin
    pub refine: bool,
}

/// What became of it.
#[derive(Clone, Debug, Serialize)]
pub struct FillReport {
    /// how many
    pub tets: usize,
    /// how many
    pub vertices: usize,
    /// how many bodies that do not hang together
    pub bodies: usize,
    /// the length of edges [m]
    pub edge: f64,
    /// share of the surface's vertices within one element of the volume
    pub coverage: f64,
    /// the shape of the elements
    pub quality: Quality,
    /// what was mended: whole sentences
    pub notes: Vec<String>,
}

/// Fills the surface of a file with tetrahedra and writes them. `progress` is told what is being done.
pub fn fill_file(
    surface: &Path,
    volume: &Path,
    options: &FillFile,
    progress: &mut dyn FnMut(&str),
) -> Result<FillReport, Error> {
    let size = match options.edge {
        Some(edge) => mesh::ElementSize::Edge(EDGE.value(Some(edge))?),
        None => mesh::ElementSize::Count(TETS.count(options.tets)?),
    };
    formats::check_volume_output(volume)?;
    progress("reading");
    let (skin, mut notes) = rest_surface(surface)?;
    progress("filling with tetrahedra");
    let filled = mesh::fill(&skin, &mesh::FillOptions { size, refine: options.refine })
        .map_err(|error| Error::Fill { error, file: surface.display().to_string() })?;
    progress("writing");
    formats::write_volume(volume, &filled.mesh)?;
    notes.extend(filled.notes);
    Ok(FillReport {
        tets: filled.mesh.element_count(),
        vertices: filled.mesh.rest.len(),
        bodies: filled.body.iter().max().map_or(0, |b| *b as usize + 1),
        edge: filled.edge,
        coverage: filled.coverage,
        quality: Quality::of(&filled.mesh),
        notes,
    })
}
