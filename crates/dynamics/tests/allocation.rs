//! A step in time allocates nothing.

use std::alloc::System;

use dynamics::{Body, Hold, Stepper};
use elastic::{Flesh, Lame};
use math::Vect;
use mesh::{Mass, MassKind};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static GLOBAL: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// One test in this file: nothing else may run while allocations are counted.
#[test]
fn newton_iterations_allocate_nothing_on_one_thread_and_on_two() {
    let mesh = mesh::block([12, 5, 5], Vect::from([1.2, 0.5, 0.5]));
    let n = mesh.element_count();
    let lame = vec![Lame::from_young(2e4, 0.45).unwrap(); n];
    let mass = Mass::new(&mesh, &vec![1000.0; n], MassKind::Consistent);
    let mut body = Body::new(mesh.rest.clone(), mass, vec![Flesh::StableNeoHookean.tissue(&mesh, &lame)]);
    body.pins = (0..mesh.rest.len() as u32).filter(|&v| mesh.rest[v as usize][0] == 0.0).collect();
    body.gravity = Vect::from([0.0, 0.0, -9.81]);
    body.damping.stiffness = 0.01;
    for held in mesh.corners.chunks_exact(4).rev().take(40).step_by(7) {
        body.hold_point(held, &[0.25; 4]);
    }
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let (allocations, iterations) = pool.install(|| {
            let drive = Hold::at(&body, &mesh.rest);
            let mut stepper = Stepper::new(&body);
            let still = vec![Vect::zeros(); mesh.rest.len()];
            let mut state = stepper.start(&drive, 0.0, mesh.rest.clone(), still).unwrap();
            // The dense kernels keep a buffer for each thread, made when that thread first needs it.
            for _ in 0..4 {
                stepper.step(1.0 / 24.0, &drive, &mut state).unwrap();
            }
            let region = Region::new(GLOBAL);
            let mut iterations = 0;
            for _ in 0..4 {
                iterations += stepper.step(1.0 / 24.0, &drive, &mut state).unwrap().iterations;
            }
            (region.change().allocations, iterations)
        });
        assert!(iterations > 8, "vacuous: {iterations} iterations");
        assert_eq!(allocations, 0, "in {iterations} iterations on {threads} threads");
    }
}
