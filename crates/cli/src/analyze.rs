//! `supple analyze`: frequencies, sag and quality of a mesh.

use std::fmt::Write;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use supple::params::{DENSITY, POISSON, Param, YOUNG};
use supple::{Analysis, Flesh, MassKind};

use crate::{Failure, progress, say};

/// Measure a mesh: natural frequencies, sag under gravity, quality of its elements
///
/// Example: supple analyze beam.veg --pin-box -1,-1,-1,0.01,1,1 --modes 4
#[derive(Args)]
pub struct Analyze {
    /// A volume: .veg, .mesh, .msh, .node/.ele, or a flat .obj of triangles
    mesh: PathBuf,
    /// What it is made of
    #[arg(long, default_value = Flesh::StableNeoHookean.name(), value_parser = material_names(), value_name = "NAME")]
    material: String,
    #[arg(long, allow_negative_numbers = true, help = help(&YOUNG), value_name = YOUNG.unit)]
    young: Option<f64>,
    #[arg(long, allow_negative_numbers = true, help = help(&POISSON), value_name = "RATIO")]
    poisson: Option<f64>,
    #[arg(long, allow_negative_numbers = true, help = help(&DENSITY), value_name = DENSITY.unit)]
    density: Option<f64>,
    /// How the mass of an element is given to its corners
    #[arg(long, default_value = "lumped", value_name = "KIND")]
    mass: Mass,
    /// Pin the vertices in this box (two opposite corners); may be given several times
    #[arg(long, value_name = "x0,y0,z0,x1,y1,z1", allow_hyphen_values = true)]
    pin_box: Vec<Numbers>,
    /// Gravity [m/s²]
    #[arg(long, default_value = "0,0,-9.81", value_name = "x,y,z", allow_hyphen_values = true)]
    gravity: Numbers,
    /// How many vibration modes
    #[arg(long, default_value_t = 6, value_name = "K")]
    modes: usize,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Mass {
    Lumped,
    Consistent,
}

pub(crate) fn material_names() -> clap::builder::PossibleValuesParser {
    Flesh::ALL.iter().map(|flesh| flesh.name()).into()
}

/// Numbers with commas between them.
#[derive(Clone, Debug)]
struct Numbers(Vec<f64>);

impl std::str::FromStr for Numbers {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let number = |word: &str| match word.trim().parse::<f64>() {
            Ok(x) if x.is_finite() => Ok(x),
            _ => Err(format!("{word:?} is not a number; write them with commas between, like 0,0,-9.81")),
        };
        text.split(',').map(number).collect::<Result<_, _>>().map(Self)
    }
}

/// The help of a parameter with its default.
fn help(param: &Param) -> String {
    format!("{} [default: the file's, else {}]", param.help, param.default)
}

impl Analyze {
    pub fn run(self) -> Result<(), Failure> {
        let options = supple::Analyze {
            material: self.material.parse()?,
            young: self.young,
            poisson: self.poisson,
            density: self.density,
            mass: match self.mass {
                Mass::Lumped => MassKind::Lumped,
                Mass::Consistent => MassKind::Consistent,
            },
            pin_boxes: self.pin_box.into_iter().map(|n| n.0).collect(),
            gravity: self.gravity.0,
            modes: self.modes,
        };
        let spinner = progress::spinner();
        let analysis = supple::analyze(&self.mesh, &options, &mut |now| spinner.set_message(now.to_string()));
        spinner.finish_and_clear();
        let analysis = analysis?;
        if self.json { say(serde_json::to_string_pretty(&analysis)?) } else { say(text(&analysis)) }
    }
}

fn text(a: &Analysis) -> String {
    let (element, volume) = if a.dimension == 2 { ("triangles", "m²") } else { ("tets", "m³") };
    let mut out = format!(
        "{} vertices, {} {element}, {} pinned; volume {:.6} {volume}, mass {:.6} kg, {}\n",
        a.vertices, a.elements, a.pinned, a.volume, a.mass, a.material
    );
    let q = &a.quality;
    let _ = writeln!(
        out,
        "angles {:.1}° to {:.1}°, radius ratio {:.3} on average, {:.3} at worst (element {})",
        q.smallest_angle, q.largest_angle, q.mean_radius_ratio, q.worst_radius_ratio, q.worst_element
    );
    if let Some(sag) = a.sag {
        let _ = writeln!(out, "sag under gravity: at most {:.6} m, norm {:.6} m", sag.max, sag.norm);
    }
    let frequencies: Vec<String> = a.frequencies_hz.iter().map(|f| format!("{f:.4}")).collect();
    let _ = write!(out, "frequencies [Hz]: {}", frequencies.join(", "));
    for note in &a.notes {
        let _ = write!(out, "\nNote: {note}");
    }
    out
}
