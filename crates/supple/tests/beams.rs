//! Bars against Timoshenko's beam theory.

use dynamics::lowest_modes;

use super::*;

/// A bar clamped at one end: length, height, Young's modulus, Poisson's ratio; density 1000.
const LENGTH: f64 = 1.0;
const HEIGHT: f64 = 0.2;
const YOUNG: f64 = 1e6;
const POISSON: f64 = 0.3;

/// First frequency [Hz] and tip deflection [m] under its own weight of a square cantilever with `n` cells in its height.
fn measured(n: usize) -> (f64, f64) {
    let mesh = mesh::block([5 * n, n, n], Vect::from([LENGTH, HEIGHT, HEIGHT]));
    let mut body = body(&mesh, Flesh::Linear, YOUNG, POISSON, MassKind::Lumped);
    body.pins = vertices(&mesh, |X| X[0] == 0.0);
    let frequency = lowest_modes(&body, &mesh.rest, 1).unwrap().frequencies()[0];
    body.gravity = Vect::from([0.0, 0.0, -9.81]);
    let x = dynamics::equilibrium(&body, &mesh.rest).unwrap();
    let tip = vertices(&mesh, |X| X[0] == LENGTH);
    let sag = tip.iter().map(|&v| mesh.rest[v as usize][2] - x[v as usize][2]).sum::<f64>() / tip.len() as f64;
    (frequency, sag)
}

#[test]
fn a_clamped_bar_converges_to_timoshenko() {
    let theory = supple_theory::cantilever(LENGTH, HEIGHT, YOUNG, POISSON, 1000.0, 9.81);
    let table: Vec<(f64, f64)> = [2, 4, 8].map(measured).to_vec();
    let off: Vec<(f64, f64)> =
        table.iter().map(|(f, s)| (f / theory.frequency - 1.0, s / theory.deflection - 1.0)).collect();
    for w in off.windows(2) {
        assert!(w[1].0.abs() < 0.5 * w[0].0.abs() && w[1].1.abs() < 0.5 * w[0].1.abs(), "no convergence: {off:?}");
    }
    eprintln!("{off:?}");
}
