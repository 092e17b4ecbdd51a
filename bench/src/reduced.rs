//! The real-time model against fast_cody, the program of its authors, on their fish.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use control::{Reduced, ReducedOptions};
use math::{BlockMatrix, Factor, Mat, Vect};
use mesh::{Mesh, Near, Sparse, lumped, stiffness};
use rig::{Linear, Weights, affine_handles};

use crate::Failure;
use crate::table::{head, heading, ms, row, verdict};

/// A step may take so long [s].
const STEP: f64 = 2.5e-3;
/// And the precomputation so much of fast_cody's.
const PRECOMPUTE: f64 = 0.5;
/// As fast_cody has them: μ [Pa], density [kg/m³], h [s]. It says μ = 1e4 for μ/2 ‖F − R‖², which is half of ours.
const MATERIAL: [f64; 3] = [5e3, 1e3, 0.01];
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

/// Where the fish is, if it is.
fn folder() -> Option<PathBuf> {
    let up = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().skip(1).take(3);
    let mut all = up.map(|folder| folder.join("../shared/data/cd3d/fish_fast_cody"));
    all.find(|folder| folder.join("cd_fish.msh").is_file())
}

/// The fish, one unit high, and its swim as parameters.
struct Fish {
    mesh: Mesh<3>,
    rig: Linear<3>,
    leak: Vec<f64>,
    swim: Vec<Vec<f64>>,
}

impl Fish {
    fn read(folder: &Path) -> Result<Self, Failure> {
        let mut mesh = formats::read_volume(folder.join("cd_fish.msh"))?.mesh;
        let bones = formats::read_cody_rig(folder.join("rigs/skeleton_rig/skeleton_rig.json"))?;
        let frames = formats::read_cody_animation(folder.join("rigs/skeleton_rig/anim/swim.json"))?;
        let numbers: Vec<u32> = (0..mesh.rest.len() as u32).collect();
        let near = Near::new(&mesh.rest, numbers.chunks(1).map(|k| (k[0], k)));
        let mut known: Vec<(u32, Vec<f64>)> = vec![];
        for (k, X) in bones.rest.iter().enumerate() {
            let vertex = near.nearest(X).ok_or("the fish has no vertices")?.1;
            known.push((vertex, bones.weights.row(k).collect()));
        }
        let weights = diffuse(&mesh, known, 1e4)?;
        let (low, high) = mesh.bounds();
        let scale = 1.0 / (high[1] - low[1]);
        mesh.rest.iter_mut().for_each(|X| *X *= scale);
        let skin = mesh.boundary().into_iter().map(|v| (v, vec![1.0])).collect();
        let leak = diffuse(&mesh, skin, 1e-3)?.remove(0).iter().map(|w| 1.0 - w).collect();
        let pose = |frame: &Vec<rig::Affine<3>>| -> Result<Vec<f64>, Failure> {
            let maps = bones.maps(frame).ok_or("a frame of the swim has other bones")?;
            let rows = |m: &rig::Affine<3>| {
                let rows: [[f64; 4]; 3] =
                    std::array::from_fn(|i| [m.R[(i, 0)], m.R[(i, 1)], m.R[(i, 2)], scale * m.t[i]]);
                rows.concat()
            };
            Ok(maps.iter().flat_map(rows).collect())
        };
        let swim = frames.iter().map(pose).collect::<Result<_, Failure>>()?;
        let rig = affine_handles(&mesh.rest, &Weights::from_columns(&weights)?)?;
        Ok(Self { mesh, rig, leak, swim })
    }

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

/// Known values, spread by one backward step of heat as fast_cody does: (t L + M) w = 0 elsewhere, then each column is
/// scaled to 0 … 1.
fn diffuse(mesh: &Mesh<3>, mut known: Vec<(u32, Vec<f64>)>, t: f64) -> Result<Vec<Vec<f64>>, Failure> {
    known.sort_by_key(|(v, _)| *v);
    known.dedup_by_key(|(v, _)| *v);
    let (n, count) = (mesh.rest.len(), known.first().map_or(0, |k| k.1.len()));
    let (L, M): (Sparse, Vec<f64>) = (stiffness(mesh), lumped(mesh));
    let mut columns = vec![vec![f64::NAN; n]; count];
    for (v, values) in &known {
        columns.iter_mut().zip(values).for_each(|(column, value)| column[*v as usize] = *value);
    }
    let free: Vec<u32> = (0..n as u32).filter(|&v| columns[0][v as usize].is_nan()).collect();
    let mut place = vec![u32::MAX; n];
    free.iter().zip(0..).for_each(|(&v, k)| place[v as usize] = k);
    let entries = || {
        (0..n).flat_map(|c| (L.starts[c]..L.starts[c + 1]).map(move |k| (k, c))).map(|(k, c)| {
            let (r, value) = (L.rows[k] as usize, t * L.blocks[k][0]);
            (r, c, if r == c { value + M[c] } else { value })
        })
    };
    let inside = |r: usize, c: usize| place[r] != u32::MAX && place[c] != u32::MAX;
    let pairs = entries().filter(|&(r, c, _)| inside(r, c)).map(|(r, c, _)| (place[r], place[c]));
    let mut A = BlockMatrix::<1>::with_pattern(free.len(), pairs);
    let mut b = vec![0.0; free.len() * count];
    for (r, c, value) in entries() {
        if inside(r, c) {
            let at = A.find(place[r].max(place[c]), place[r].min(place[c])).ok_or("no such entry")?;
            A.blocks[at] += Mat::<1>::from_element(value);
        }
        for (to, from) in [(r, c), (c, r)] {
            if place[to] != u32::MAX && place[from] == u32::MAX {
                for (k, column) in columns.iter().enumerate() {
                    b[k * free.len() + place[to] as usize] -= value * column[from];
                }
            }
        }
    }
    let mut factor = Factor::new(&A);
    factor.factorize(&A)?;
    factor.solve_many(&mut b);
    for (column, b) in columns.iter_mut().zip(b.chunks_exact(free.len())) {
        free.iter().zip(b).for_each(|(&v, b)| column[v as usize] = *b);
        let (low, high) = column.iter().fold((f64::MAX, f64::MIN), |(low, high), w| (low.min(*w), high.max(*w)));
        column.iter_mut().for_each(|w| *w = (*w - low) / (high - low));
    }
    Ok(columns)
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
