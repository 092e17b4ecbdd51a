//! Facts about moving bodies: closed forms, invariants, orders of convergence, and two ways to one answer.
#![allow(non_snake_case)]

use dynamics::{Body, Drive, Hold, State, Stepper};
use elastic::{Flesh, Lame};
use math::{Mat, Small, Vect};
use mesh::{Mass, MassKind, Mesh};

mod closed_forms;
mod constraints;
mod errors;
mod modes;
mod orders;
mod planes;
mod recovery;
mod repeatability;

/// A body of one material.
pub fn body<const D: usize>(mesh: &Mesh<D>, flesh: Flesh, young: f64, poisson: f64, kind: MassKind) -> Body<D>
where
    Mat<D>: Small<D>,
{
    let n = mesh.element_count();
    let lame = vec![Lame::from_young(young, poisson).unwrap(); n];
    Body::new(mesh.rest.clone(), Mass::new(mesh, &vec![1000.0; n], kind), vec![flesh.tissue(mesh, &lame)])
}

/// The vertices of a mesh where this holds.
pub fn vertices<const D: usize>(mesh: &Mesh<D>, which: impl Fn(&Vect<D>) -> bool) -> Vec<u32> {
    (0..mesh.rest.len() as u32).filter(|&v| which(&mesh.rest[v as usize])).collect()
}

/// Runs so many steps and returns the last state.
pub fn run<const D: usize>(
    stepper: &mut Stepper<'_, D>,
    drive: &dyn Drive<D>,
    mut state: State<D>,
    h: f64,
    steps: usize,
) -> State<D>
where
    Mat<D>: Small<D>,
{
    for _ in 0..steps {
        stepper.step(h, drive, &mut state).unwrap();
    }
    state
}

/// Nothing is prescribed.
pub fn free<const D: usize>() -> Hold<D> {
    Hold { pins: vec![], rows: vec![] }
}

/// The largest distance between two lists of positions.
pub fn largest_difference<const D: usize>(a: &[Vect<D>], b: &[Vect<D>]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max)
}
