//! `supple analyze`: frequencies, sag and quality of a mesh.

use std::fmt::Write;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use supple::params::{DENSITY, HALF_TIME, POISSON, Param, YOUNG};
use supple::scene::Scene;
use supple::{Analysis, Flesh, MassKind, Run};

use crate::{Failure, progress, say};

/// Measure a mesh (frequencies, sag, half-time, quality) or a moving scene or character (inertial amplitude too)
///
/// A scene (.toml) or a character (.glb, .gltf) is simulated, but nothing is written.
///
/// Example: supple analyze beam.veg --pin-box -1,-1,-1,0.01,1,1 --modes 4
#[derive(Args)]
pub struct Analyze {
    /// A volume: .veg, .mesh, .msh, .node/.ele, or a flat .obj of triangles; or a scene (.toml) or character (.glb, .gltf)
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
    #[arg(long, allow_negative_numbers = true, help = HALF_TIME.help, value_name = HALF_TIME.unit)]
    damping_half_time: Option<f64>,
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
        let ending = self.mesh.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        if matches!(ending.as_str(), "toml" | "glb" | "gltf") {
            return self.moving(ending == "toml");
        }
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
            half_time: self.damping_half_time,
        };
        let spinner = progress::spinner();
        let analysis = supple::analyze(&self.mesh, &options, &mut |now| spinner.set_message(now.to_string()));
        spinner.finish_and_clear();
        let analysis = analysis?;
        if self.json { say(serde_json::to_string_pretty(&analysis)?) } else { say(text(&analysis)) }
    }
}

impl Analyze {
    /// Simulates a scene or a character to measure it.
    fn moving(self, is_scene: bool) -> Result<(), Failure> {
        if !self.pin_box.is_empty() {
            return Err("--pin-box is for volumes; a scene names its own pins, a character has its core.".into());
        }
        let mut scene = if is_scene { Scene::read(&self.mesh)? } else { Scene::default() };
        if !is_scene {
            scene.character.file = Some(self.mesh.clone());
        }
        let tissue = &mut scene.tissue;
        for (key, flag) in [
            (&mut tissue.young, self.young),
            (&mut tissue.poisson, self.poisson),
            (&mut tissue.density, self.density),
            (&mut tissue.damping_half_time, self.damping_half_time),
        ] {
            *key = flag.map(Into::into).or(*key);
        }
        let stop = crate::simulate::stop_on_ctrl_c();
        let mut shown = progress::Stages::default();
        let run = Run { unwritten: true, ..Run::default() };
        let summary = supple::simulate(&scene, &run, &stop, &mut |progress| shown.show(progress));
        shown.clear();
        let summary = summary?;
        if self.json { say(serde_json::to_string_pretty(&summary)?) } else { say(crate::simulate::text(&summary)) }
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
    if let Some(hz) = a.damped_frequency_hz {
        let _ = writeln!(out, "lowest frequency with a half-time of {} s: {hz:.4} Hz", a.half_time_s);
    }
    let frequencies: Vec<String> = a.frequencies_hz.iter().map(|f| format!("{f:.4}")).collect();
    let _ = write!(out, "frequencies [Hz]: {}", frequencies.join(", "));
    for note in &a.notes {
        let _ = write!(out, "\nNote: {note}");
    }
    out
}
