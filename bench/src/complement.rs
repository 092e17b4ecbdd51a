//! Complementary dynamics in full space: time for a frame.

use std::time::Instant;

use control::{Animated, Complementary, Leak, Performance};
use dynamics::{Body, Integrator, Solver, Stepper};
use elastic::{Flesh, Lame};
use math::Vect;
use mesh::{Mass, MassKind, Mesh};
use rig::{Linear, Rig, Weights, affine_handles};

use crate::Failure;
use crate::fish::{Fish, MATERIAL, folder};
use crate::table::{head, heading, ms, row, verdict};

/// How well steps are solved: as for characters that are looked at.
const TOLERANCE: f64 = 1e-4;
/// λ of the fish's flesh where it has one: Poisson's ratio 0.4 [Pa]
const LAMBDA: f64 = 2e4;

/// Prints the table.
pub fn run() -> Result<bool, Failure> {
    heading(
        "Complement",
        &format!(
            "Full space, backward Euler, h = {} s, forces balanced to {TOLERANCE:e} of their size. The fish of fast_cody swims; a block \
             with 50 affine handles is shaken. The paper reports 14.8 s for a smaller fish and 49.2 s for 600 parameters, the paper after \
             it 3 s for the fish.",
            MATERIAL[2]
        ),
    );
    head(&[
        "example",
        "vertices",
        "tets",
        "parameters",
        "flesh",
        "solver",
        "frame [ms]",
        "slowest [ms]",
        "iterations",
        "bar [ms]",
        "",
    ]);
    let mut met = true;
    match folder() {
        None => println!("fish: skipped: there is no folder shared/data/cd3d/fish_fast_cody beside the repository"),
        Some(folder) => {
            let fish = Fish::read(&folder)?;
            let swim = &fish.swim;
            let parameters = |t: f64| {
                let s = (t / MATERIAL[2]).clamp(0.0, (swim.len() - 1) as f64);
                let k = (s.floor() as usize).min(swim.len() - 2);
                let blend = |(a, b): (&f64, &f64)| a + (s - k as f64) * (b - a);
                swim[k].iter().zip(&swim[k + 1]).map(blend).collect()
            };
            for (flesh, solver, frames, bar) in [
                (Flesh::Arap, Solver::QuasiNewton, 120, 0.15),
                (Flesh::Corotated, Solver::QuasiNewton, 60, 0.15),
                (Flesh::StableNeoHookean, Solver::Newton, 12, 1.5),
            ] {
                let animated = Performance { rig: &fish.rig, parameters: Box::new(parameters), jumps: vec![] };
                let leak = Leak::Mask(fish.leak.clone());
                met &= measure("fish", &fish.mesh, &animated, &leak, flesh, solver, frames, bar)?;
            }
        }
    }
    let (mesh, rig) = handled_block()?;
    let rest = rig.rest();
    let parameters = |t: f64| {
        let mut p = rest.clone();
        for (k, p) in p.iter_mut().enumerate() {
            *p += 0.02 * (9.0 * t + 1.7 * (k / 12) as f64).sin() * f64::from(k % 4 == 3);
        }
        p
    };
    let animated = Performance { rig: &rig, parameters: Box::new(parameters), jumps: vec![] };
    met &= measure("block", &mesh, &animated, &Leak::Surface, Flesh::Arap, Solver::QuasiNewton, 30, 1.0)?;
    Ok(met)
}

#[allow(clippy::too_many_arguments)]
fn measure(
    name: &str,
    mesh: &Mesh<3>,
    animated: &Performance<'_, 3>,
    leak: &Leak,
    flesh: Flesh,
    solver: Solver,
    frames: usize,
    bar: f64,
) -> Result<bool, Failure> {
    let [mu, density, h] = MATERIAL;
    let n = mesh.element_count();
    let lame = vec![Lame { mu, lambda: LAMBDA }; n];
    let mass = Mass::new(mesh, &vec![density; n], MassKind::Lumped);
    let mut body = Body::new(mesh.rest.clone(), mass, vec![flesh.tissue(mesh, &lame)]);
    let mut drive = Complementary::attach(&mut body, mesh, animated, leak, 0.0)?;
    let mut stepper = Stepper::new(&body);
    (stepper.integrator, stepper.solver, stepper.newton.tolerance) = (Integrator::BackwardEuler, solver, TOLERANCE);
    let mut state = drive.start(&mut stepper, 0.0)?;
    let (mut seconds, mut iterations) = (vec![], 0);
    for k in 1..=frames {
        let start = Instant::now();
        let report = drive.advance(&mut stepper, k as f64 * h, &mut state)?;
        seconds.push(start.elapsed().as_secs_f64());
        iterations += report.iterations + report.solves;
    }
    seconds.sort_by(f64::total_cmp);
    let mean = seconds.iter().sum::<f64>() / frames as f64;
    row(&[
        name.into(),
        mesh.rest.len().to_string(),
        n.to_string(),
        animated.jacobian(0.0).parameters.to_string(),
        flesh.name().into(),
        if solver == Solver::Newton { "Newton" } else { "quasi-Newton" }.into(),
        ms(mean),
        ms(seconds[frames - 1]),
        format!("{:.1}", iterations as f64 / frames as f64),
        ms(bar),
        verdict(mean, bar).into(),
    ]);
    Ok(mean <= bar)
}

/// A block of 15,000 vertices with 50 affine handles, 600 parameters: each vertex follows those near it.
fn handled_block() -> Result<(Mesh<3>, Linear<3>), Failure> {
    let size = Vect::from([1.0, 0.4, 0.4]);
    let mesh = mesh::block([48, 17, 16], size);
    let mut handles: Vec<Vect<3>> = vec![];
    for k in 0..50 {
        let (i, j) = (k / 5, k % 5);
        let (y, z) = [(0.5, 0.5), (0.15, 0.15), (0.85, 0.15), (0.15, 0.85), (0.85, 0.85)][j];
        handles.push(Vect::from([(i as f64 + 0.5) / 10.0, y * size[1], z * size[2]]));
    }
    let weights = mesh.rest.iter().map(|X| {
        let mut all: Vec<(u32, f64)> = handles
            .iter()
            .zip(0..)
            .map(|(c, k)| (k, (1.0 - (X - c).norm() / 0.25).max(0.0).powi(2)))
            .filter(|(_, w)| *w > 0.0)
            .collect();
        let sum: f64 = all.iter().map(|(_, w)| w).sum();
        all.iter_mut().for_each(|(_, w)| *w /= sum);
        all
    });
    let rig = affine_handles(&mesh.rest, &Weights::new(50, weights)?)?;
    Ok((mesh, rig))
}
