//! `supple mesh`: a surface filled with tetrahedra.

use std::path::PathBuf;

use clap::Args;
use supple::params::{EDGE, TETS};

use crate::{Failure, progress, say};

/// Fill a surface with tetrahedra
///
/// Open, torn and overlapping surfaces are filled as far as they have an inside.
///
/// Example: supple mesh spot.obj -o spot.msh --tets 5000
#[derive(Args)]
pub struct Mesh {
    /// A surface (.obj, .stl) or a character (.glb, .gltf) in the pose it was bound in
    surface: PathBuf,
    /// The volume: .veg, .mesh, .msh, .node
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    #[arg(long, allow_negative_numbers = true, help = format!("{} [default: {}]", TETS.help, TETS.default), value_name = "N")]
    tets: Option<f64>,
    #[arg(long, allow_negative_numbers = true, help = EDGE.help, value_name = EDGE.unit, conflicts_with = "tets")]
    edge: Option<f64>,
    /// Smaller tetrahedra where the body is thin
    #[arg(long)]
    refine: bool,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

impl Mesh {
    pub fn run(self) -> Result<(), Failure> {
        let spinner = progress::spinner();
        let options = supple::FillFile { tets: self.tets, edge: self.edge, refine: self.refine };
        let report =
            supple::fill_file(&self.surface, &self.output, &options, &mut |now| spinner.set_message(now.to_string()));
        spinner.finish_and_clear();
        let report = report?;
        if self.json {
            return say(serde_json::to_string_pretty(&report)?);
        }
        for note in &report.notes {
            say(format!("Note: {note}"))?;
        }
        let q = &report.quality;
        say(format!(
            "{} tets, {} vertices, {} separate bodies; edges of {:.4} m, angles {:.1}° to {:.1}°; {:.1}% of the surface's \
             vertices lie within one element\nWrote {}",
            report.tets,
            report.vertices,
            report.bodies,
            report.edge,
            q.smallest_angle,
            q.largest_angle,
            100.0 * report.coverage,
            self.output.display()
        ))
    }
}
