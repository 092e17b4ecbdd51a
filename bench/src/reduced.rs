//! The real-time model against fast_cody, the program of its authors, on their fish.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use control::{Reduced, ReducedOptions};
use math::Vect;

use crate::Failure;
use crate::fish::{Fish, MATERIAL, folder};
use crate::table::{head, heading, ms, row, verdict};

/// A step may take so long [s].
const STEP: f64 = 2.5e-3;
/// And the precomputation so much of fast_cody's.
const PRECOMPUTE: f64 = 0.5;
/// fast_cody ends a step after so many iterations, or when the length of the change of its coefficients is below this.
const ITERATIONS: usize = 30;
const THRESHOLD: f64 = 1e-8;
/// Its weights are orthonormal over 10,000 vertices, so that a vertex moves 1/√10,000 of that.
const TOLERANCE: f64 = 1e-10;
/// How often the swim is repeated.
const ROUNDS: usize = 4;

/// Prints the table.
pub fn run() -> Result<bool, Failure> {
    heading(
        "Real time",
        &format!(
            "The fish of fast_cody (10,000 vertices, 42,205 tetrahedra, 2 bones), as rigid as possible, 192 degrees of \
             freedom, 100 clusters, h = {} s, tolerance {TOLERANCE:e} m, at most {ITERATIONS} iterations; median of the steps of its \
             swim, beside fast_cody 0.0.8. Motion: the root mean square of u over vertices and steps. Bars: {} ms a step, {PRECOMPUTE} of its precomputation.",
            MATERIAL[2],
            ms(STEP)
        ),
    );
    let Some(folder) = folder() else {
        println!("skipped: there is no folder shared/data/cd3d/fish_fast_cody beside the repository");
        return Ok(true);
    };
    let fish = Fish::read(&folder)?;
    head(&[
        "program",
        "precompute [s]",
        "bar",
        "step [ms]",
        "slowest step [ms]",
        "bar",
        "positions [ms]",
        "iterations",
        "motion [1e-3]",
    ]);
    let peer = python().and_then(|python| fast_cody(&python, &folder));
    let ours = fish.measure()?;
    let [precompute, step, slowest, positions, iterations, motion] = ours;
    let other = peer.as_ref().ok().map(|p| p[0]);
    let share = other.map_or("no peer", |other| verdict(precompute, PRECOMPUTE * other));
    let met = verdict(step, STEP) == "PASS" && share != "FAIL";
    row(&[
        "Supple".into(),
        format!("{precompute:.2}"),
        share.into(),
        format!("{:.3}", 1e3 * step),
        format!("{:.3}", 1e3 * slowest),
        verdict(step, STEP).into(),
        format!("{:.3}", 1e3 * positions),
        format!("{iterations:.1}"),
        format!("{:.2}", 1e3 * motion),
    ]);
    match peer {
        Ok([precompute, step, slowest, motion]) => row(&[
            "fast_cody".into(),
            format!("{precompute:.2}"),
            String::new(),
            format!("{:.3}", 1e3 * step),
            format!("{:.3}", 1e3 * slowest),
            String::new(),
            "not timed".into(),
            format!("at most {ITERATIONS}"),
            format!("{:.2}", 1e3 * motion),
        ]),
        Err(why) => println!("\nfast_cody: skipped: {why}"),
    }
    Ok(met)
}

impl Fish {
    /// Seconds: precomputation, the median and the longest step, positions; the mean number of iterations, and how far it moves.
    fn measure(&self) -> Result<[f64; 6], Failure> {
        let [mu, density, step] = MATERIAL.map(|x| vec![x; self.mesh.element_count()]);
        let options =
            ReducedOptions { step: step[0], tolerance: TOLERANCE, iterations: ITERATIONS, ..Default::default() };
        let none = vec![0.0; mu.len()];
        let start = Instant::now();
        let model = Reduced::new(&self.mesh, &mu, &none, &density, &self.rig.jacobian, &self.leak, &options)?;
        let precompute = start.elapsed().as_secs_f64();
        let mut live = model.live(&self.rig)?;
        let (mut steps, mut shown, mut iterations, mut squares) = (vec![], vec![], 0, 0.0);
        let mut x = vec![Vect::zeros(); self.mesh.rest.len()];
        let mut u = x.clone();
        for _ in 0..ROUNDS {
            live.reset(&self.swim[0])?;
            for p in &self.swim {
                let start = Instant::now();
                let took = live.step(p)?;
                steps.push(start.elapsed().as_secs_f64());
                iterations += took.iterations;
                let start = Instant::now();
                live.positions(&mut x);
                shown.push(start.elapsed().as_secs_f64());
                model.displacements(live.coefficients(), &mut u);
                squares += u.iter().map(|u| u.norm_squared()).sum::<f64>() / u.len() as f64;
            }
        }
        if !x.iter().all(|x| x.iter().all(|x| x.is_finite())) {
            return Err("the fish flew off".into());
        }
        steps.sort_by(f64::total_cmp);
        shown.sort_by(f64::total_cmp);
        let [mean, square] = [iterations as f64, squares].map(|sum| sum / steps.len() as f64);
        Ok([precompute, steps[steps.len() / 2], steps[steps.len() - 1], shown[shown.len() / 2], mean, square.sqrt()])
    }
}

/// A Python that has fast_cody: in a virtual environment under `target`, made now if need be.
fn python() -> Result<PathBuf, String> {
    let environment = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/fast_cody");
    let own = environment.join("bin/python");
    let has_it = || {
        let tried =
            Command::new(&own).args(["-c", "import fast_cody"]).stderr(Stdio::null()).stdout(Stdio::null()).status();
        tried.is_ok_and(|status| status.success())
    };
    if has_it() {
        return Ok(own);
    }
    let packages = ["fast_cody==0.0.8", "libigl==2.5.1", "numpy<2", "scipy<1.14", "scikit-learn<1.6"];
    crate::pardiso::quietly(Command::new("python3").args(["-m", "venv"]).arg(&environment))?;
    crate::pardiso::quietly(Command::new(&own).args(["-m", "pip", "install", "--quiet"]).args(packages))?;
    if has_it() { Ok(own) } else { Err("fast_cody was installed but cannot be imported".into()) }
}

/// Seconds: its precomputation, its median and its longest step; and how far it moves.
fn fast_cody(python: &Path, fish: &Path) -> Result<[f64; 4], String> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers/fast_cody.py");
    let mut command = Command::new(python);
    command.arg(script).arg(fish).arg(ITERATIONS.to_string()).arg(THRESHOLD.to_string());
    let output = command.output().map_err(|error| error.to_string())?;
    let said = String::from_utf8_lossy(&output.stdout);
    let find = |key: &str| {
        let mut lines = said.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
        lines.find_map(|line| line[key].as_f64())
    };
    match (find("precompute"), find("step"), find("worst"), find("motion")) {
        (Some(precompute), Some(step), Some(worst), Some(motion)) => Ok([precompute, step, worst, motion]),
        _ => Err(String::from_utf8_lossy(&output.stderr).lines().last().unwrap_or("it said nothing").to_owned()),
    }
}
