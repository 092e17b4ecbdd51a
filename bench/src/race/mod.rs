//! A race against rapier's soft bodies: the same mesh, energy, masses and clamp, at equal error.

use math::Vect;
use mesh::Mesh;

use crate::table::{head, heading, percent, row};
use crate::{Failure, scene};

mod front;
mod material;
mod ours;
mod rapier;

use front::{Front, Run};

/// Cells and size [m] of the bar.
const CELLS: [usize; 3] = [12, 6, 6];
const SIZE: [f64; 3] = [0.5, 0.25, 0.25];
/// Seconds that are simulated, and frames that are compared in them.
const DURATION: f64 = 1.0;
const FRAMES: usize = 15;
/// The steps per second that both engines take.
const RATES: [usize; 2] = [60, 240];
/// The reference takes so many times smaller steps than the smallest of these.
const FINER: usize = 16;
/// Errors at which the engines are compared.
const TARGETS: [f64; 7] = [0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002];

/// The positions of all vertices in each frame.
type Trajectory = Vec<Vec<Vect<3>>>;

/// The mesh that both engines get.
fn bar() -> Mesh<3> {
    mesh::block(CELLS, Vect::from(SIZE))
}

/// Prints the tables.
pub fn run() -> Result<bool, Failure> {
    let mesh = bar();
    let finest = RATES.iter().fold(0, |a, &b| a.max(b)) * FINER;
    let reference = ours::reference(&mesh, finest)?;
    explain(&mesh, finest);
    head(&["engine", "threads", "step [s]", "iterations", "seconds", "error"]);
    let mut fronts = vec![];
    for threads in [1, 2] {
        let show = |run: &Run| show(run, threads);
        let ours = scene::pool(threads)?.install(|| ours::runs(&mesh, &reference, &show))?;
        let theirs = rapier::runs(&mesh, threads, &reference, &show)?;
        fronts.push((threads, Front::new(&ours), Front::new(&theirs)));
    }
    for (threads, ours, theirs) in fronts {
        println!("\nSeconds for an error, on {threads} thread(s), between the best settings of each:\n");
        head(&["error", "Supple [s]", "rapier [s]", "rapier/Supple"]);
        for target in TARGETS {
            let (us, them) = (ours.at(target), theirs.at(target));
            let ratio = us.seconds().zip(them.seconds()).map_or("none".into(), |(u, t)| format!("{:.1}", t / u));
            row(&[percent(target), us.to_string(), them.to_string(), ratio]);
        }
    }
    Ok(true)
}

fn explain(mesh: &Mesh<3>, finest: usize) {
    heading(
        "Race with rapier3d-f64 0.36",
        &format!(
            "A bar of {} tetrahedra ({} vertices), 0.5 × 0.25 × 0.25 m, clamped at one end and let go under gravity for 1 s; \
             E 1e5 Pa, ν 0.45, 1000 kg/m³, no damping. Both engines get the same vertices, tetrahedra, lumped masses and \
             energy (stable neo-Hookean as in Kim and Eberle 2022, which is rapier's; Supple's own differs by a \
             logarithm). The error is the RMS over vertices and {FRAMES} frames of the distance to the reference, \
             over the RMS displacement. Reference: Supple at h = 1/{finest} s. Seconds include setting up. \
             rapier: release build, parallel feature {}, no collider, no sleep; \"constraints\" is its default solver, \
             \"fem\" its finite elements (linearly implicit Euler, conjugate gradients). There is no bar.",
            mesh.element_count(),
            mesh.rest.len(),
            if cfg!(feature = "parallel") { "on" } else { "off (it always runs on one thread)" },
        ),
    );
}

fn show(run: &Run, threads: usize) {
    let error = if run.error.is_finite() { format!("{:.2}%", 100.0 * run.error) } else { "diverged".into() };
    row(&[
        run.engine.clone(),
        threads.to_string(),
        run.step.clone(),
        run.iterations.clone(),
        format!("{:.2}", run.seconds),
        error,
    ]);
}

/// The RMS distance of two trajectories over the RMS displacement of the second.
fn error(trajectory: &Trajectory, reference: &Trajectory, rest: &[Vect<3>]) -> f64 {
    let sum = |pairs: &mut dyn Iterator<Item = (&Vec<Vect<3>>, &[Vect<3>])>| {
        pairs.flat_map(|(a, b)| a.iter().zip(b)).map(|(a, b)| (a - b).norm_squared()).sum::<f64>()
    };
    let apart = sum(&mut trajectory.iter().zip(reference.iter().map(Vec::as_slice)));
    let moved = sum(&mut reference.iter().map(|x| (x, rest)));
    (apart / moved).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_that_does_not_move_has_an_error_of_one() {
        let (rest, moved) = (vec![Vect::from([0.0; 3]); 2], vec![Vect::from([0.0, 1.0, 0.0]); 2]);
        assert_eq!(error(&vec![rest.clone()], &vec![moved.clone()], &rest), 1.0);
        assert_eq!(error(&vec![moved.clone()], &vec![moved], &rest), 0.0);
    }
}
