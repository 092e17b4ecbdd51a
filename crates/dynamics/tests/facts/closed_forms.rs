//! Motions and shapes that are known exactly.

use dynamics::{Integrator, Newton};
use math::check::Random;

use super::*;

const BOTH: [MassKind; 2] = [MassKind::Lumped, MassKind::Consistent];

#[test]
fn a_uniform_stretch_of_the_boundary_stretches_every_element_alike() {
    patch_test(mesh::block([3, 3, 3], Vect::from([1.0; 3])));
    patch_test(mesh::disc(4, 1.0));
}

fn patch_test<const D: usize>(mesh: Mesh<D>)
where
    Mat<D>: Small<D>,
{
    let mut random = Random::new(3);
    for &flesh in Flesh::ALL {
        let mut body = body(&mesh, flesh, 1e4, 0.4, MassKind::Lumped);
        body.pins = mesh.boundary();
        body.pins.sort_unstable();
        body.pins.dedup();
        let F = Mat::identity() + 0.05 * random.matrix::<D>();
        let expected: Vec<Vect<D>> = mesh.rest.iter().map(|X| F * X).collect();
        let drive = Hold::at(&body, &expected);
        let mut x: Vec<Vect<D>> = expected.iter().map(|x| x + 0.01 * random.vector::<D>()).collect();
        let mut stepper = Stepper::new(&body);
        stepper.newton = Newton { tolerance: 1e-12, ..Newton::default() };
        assert!(stepper.unknowns() > 0, "vacuous: nothing is free");
        stepper.equilibrium(&drive, 0.0, &mut x).unwrap();
        let off = largest_difference(&x, &expected);
        assert!(off < 1e-9, "{}: {off}", flesh.name());
    }
}

#[test]
fn free_fall_is_exact() {
    let mesh = mesh::block([2, 1, 1], Vect::from([0.2, 0.1, 0.1]));
    let (g, v0) = (Vect::from([0.3, 0.0, -9.81]), Vect::from([1.0, -2.0, 3.0]));
    for kind in BOTH {
        let mut body = body(&mesh, Flesh::StableNeoHookean, 1e4, 0.4, kind);
        body.gravity = g;
        for integrator in [Integrator::BackwardEuler, Integrator::TrapezoidBdf2] {
            let mut stepper = Stepper::new(&body);
            stepper.integrator = integrator;
            let start = stepper.start(&free(), 0.0, mesh.rest.clone(), vec![v0; mesh.rest.len()]).unwrap();
            assert!(start.a.iter().all(|a| (a - g).norm() < 1e-9));
            let h = 1.0 / 24.0;
            let end = run(&mut stepper, &free(), start, h, 24);
            // backward Euler falls as if the clock ran half a step ahead: exact for its own recursion
            let fall = if integrator == Integrator::BackwardEuler { 0.5 * (1.0 + h) } else { 0.5 };
            let expected: Vec<_> = mesh.rest.iter().map(|X| X + v0 + fall * g).collect();
            let off = largest_difference(&end.x, &expected);
            assert!(off < 1e-9, "{integrator:?} {kind:?}: {off}");
        }
    }
}

/// Linear momentum is kept to rounding. The integrators do not keep angular momentum exactly; its error falls with the
/// order of the integrator.
#[test]
fn free_flight_keeps_linear_momentum_and_angular_momentum_to_the_order_of_the_integrator() {
    let mesh = mesh::block([4, 2, 2], Vect::from([0.4, 0.2, 0.2]));
    let body = body(&mesh, Flesh::Corotated, 2e4, 0.4, MassKind::Consistent);
    // spinning, drifting, and stretching while it goes
    let v: Vec<_> = mesh
        .rest
        .iter()
        .map(|X| {
            Vect::from([0.5, 0.2, -0.1]) + Vect::from([0.3, 1.0, 2.0]).cross(X) + Vect::from([2.0 * X[0], 0.0, 0.0])
        })
        .collect();
    let momenta = |state: &State<3>| {
        let mut p = state.v.clone();
        body.mass.times(&state.v, &mut p);
        let linear: Vect<3> = p.iter().sum();
        let angular: Vect<3> = state.x.iter().zip(&p).map(|(x, p)| x.cross(p)).sum();
        (linear, angular)
    };
    let drift = |integrator, steps: usize| {
        let mut stepper = Stepper::new(&body);
        stepper.integrator = integrator;
        stepper.newton = Newton { tolerance: 1e-11, ..Newton::default() };
        let start = stepper.start(&free(), 0.0, mesh.rest.clone(), v.clone()).unwrap();
        let (linear, angular) = momenta(&start);
        let end = run(&mut stepper, &free(), start, 0.5 / steps as f64, steps);
        let (linear_end, angular_end) = momenta(&end);
        assert!(
            (linear_end - linear).norm() < 1e-10 * linear.norm(),
            "{integrator:?}: {}",
            (linear_end - linear).norm()
        );
        (angular_end - angular).norm() / angular.norm()
    };
    let (coarse, fine) = (drift(Integrator::TrapezoidBdf2, 64), drift(Integrator::TrapezoidBdf2, 128));
    assert!(fine < 2e-4 && coarse / fine > 3.5, "{coarse} {fine}");
    let (coarse, fine) = (drift(Integrator::BackwardEuler, 128), drift(Integrator::BackwardEuler, 256));
    assert!(fine < 0.1 && coarse / fine > 1.7, "{coarse} {fine}");
}

/// Pins that accelerate upward in empty space, seen from the pins, are still pins under gravity.
#[test]
fn accelerating_pins_are_gravity() {
    struct Lift {
        pins: Vec<Vect<3>>,
        g: f64,
    }
    impl Drive<3> for Lift {
        fn pins(&self, t: f64, x: &mut [Vect<3>]) {
            for (x, start) in x.iter_mut().zip(&self.pins) {
                *x = start + Vect::from([0.0, 0.0, 0.5 * self.g * t * t]);
            }
        }
    }
    let mesh = mesh::block([4, 1, 1], Vect::from([0.4, 0.1, 0.1]));
    let (n, h) = (mesh.rest.len(), 1.0 / 96.0);
    for kind in BOTH {
        for integrator in [Integrator::BackwardEuler, Integrator::TrapezoidBdf2] {
            let mut body = body(&mesh, Flesh::StableNeoHookean, 5e4, 0.4, kind);
            body.pins = vertices(&mesh, |X| X[0] == 0.0);
            let simulate = |body: &Body<3>, drive: &dyn Drive<3>, v: f64| {
                let mut stepper = Stepper::new(body);
                (stepper.integrator, stepper.newton.tolerance) = (integrator, 1e-11);
                let start = stepper.start(drive, 0.0, mesh.rest.clone(), vec![Vect::from([0.0, 0.0, v]); n]).unwrap();
                run(&mut stepper, drive, start, h, 24)
            };
            // The first backward difference of the path sees g only if the step before it is on the path too.
            let v = if integrator == Integrator::BackwardEuler { -0.5 * 9.81 * h } else { 0.0 };
            let lifted = simulate(&body, &Lift { pins: Hold::at(&body, &mesh.rest).pins, g: 9.81 }, v);
            body.gravity = Vect::from([0.0, 0.0, -9.81]);
            let hung = simulate(&body, &Hold::at(&body, &mesh.rest), 0.0);
            let ride = 0.5 * 9.81 * hung.t * hung.t;
            let carried: Vec<_> = hung.x.iter().map(|x| x + Vect::from([0.0, 0.0, ride])).collect();
            let off = largest_difference(&lifted.x, &carried);
            assert!(off < 1e-8, "{kind:?} {integrator:?}: {off}");
            assert!(largest_difference(&hung.x, &mesh.rest) > 0.02, "vacuous: it hardly moves");
        }
    }
}

#[test]
fn a_damped_oscillator_decays_as_its_damping_says() {
    // One free vertex on a spring: m x″ + (d_m m + d_k k) x′ + k x = 0
    let mesh = Mesh { rest: [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]].map(Vect::from).to_vec(), corners: vec![0, 1, 2] };
    let springs = elastic::Springs { ends: vec![0, 1], length: vec![1.0], stiffness: vec![400.0] };
    let mass = Mass::new(&mesh, &[6.0], MassKind::Lumped);
    let mut body = Body::new(mesh.rest.clone(), mass, vec![Box::new(springs)]);
    body.pins = vec![0, 2];
    body.damping = dynamics::Damping { mass: 1.0, stiffness: 0.004 };
    let (m, k) = (body.mass.of(1), 400.0);
    let rate = (body.damping.mass + body.damping.stiffness * k / m) / 2.0;
    let omega = (k / m - rate * rate).sqrt();
    let mut x = mesh.rest.clone();
    x[1][0] += 0.1;
    let drive = Hold::at(&body, &x);
    let mut stepper = Stepper::new(&body);
    let start = stepper.start(&drive, 0.0, x, vec![Vect::zeros(); 3]).unwrap();
    let end = run(&mut stepper, &drive, start, 1e-3, 500);
    let t: f64 = 0.5;
    let expected = 0.1 * (-rate * t).exp() * ((omega * t).cos() + rate / omega * (omega * t).sin());
    assert!((end.x[1][0] - 1.0 - expected).abs() < 2e-5, "{} {expected}", end.x[1][0] - 1.0);
}

#[test]
fn a_point_force_stretches_a_bar_by_hookes_law() {
    // Poisson's ratio 0, so the bar stays straight: u = F L / (E A)
    let mesh = mesh::block([8, 2, 2], Vect::from([1.0, 0.2, 0.2]));
    let mut body = body(&mesh, Flesh::Linear, 1e5, 0.0, MassKind::Lumped);
    body.pins = vertices(&mesh, |X| X[0] == 0.0);
    let end = mesh.boundary();
    // the end face carries the force in proportion to the area around each vertex
    for f in end.chunks_exact(3).filter(|f| f.iter().all(|&v| mesh.rest[v as usize][0] == 1.0)) {
        let area = Mesh::facet_normal(f, &mesh.rest)[0];
        body.forces.extend(f.iter().map(|&v| (v, Vect::from([100.0 * area / 3.0, 0.0, 0.0]))));
    }
    let x = dynamics::equilibrium(&body, &mesh.rest).unwrap();
    for v in vertices(&mesh, |X| X[0] == 1.0) {
        let stretch = x[v as usize][0] - 1.0;
        assert!((stretch - 100.0 / 1e5).abs() < 1e-10, "{stretch}");
    }
}

/// The first of two vertices is on a ridge between two valleys at ±1: U = y⁴ − 2y². Made positive, its curvature is 4 on the ridge, not −4.
struct Ridge;

impl math::Energy<2> for Ridge {
    fn arity(&self) -> usize {
        2
    }
    fn stencils(&self) -> &[u32] {
        &[0, 1]
    }
    fn value(&self, _: usize, x: &[Vect<2>]) -> f64 {
        x[0][1].powi(4) - 2.0 * x[0][1].powi(2) + 0.5 * x[0][0].powi(2)
    }
    fn gradient(&self, _: usize, x: &[Vect<2>], g: &mut [Vect<2>]) {
        g.copy_from_slice(&[Vect::from([x[0][0], 4.0 * x[0][1].powi(3) - 4.0 * x[0][1]]), Vect::zeros()]);
    }
    fn hessian(&self, _: usize, x: &[Vect<2>], definite: bool, H: &mut [Mat<2>]) {
        let bend = 12.0 * x[0][1].powi(2) - 4.0;
        H.fill(Mat::zeros());
        H[0] = Mat::from_diagonal(&Vect::from([1.0, if definite { bend.abs() } else { bend }]));
    }
}

/// Step by step as Newton's method has it, it would go twice as far in each: 40 of them to come down from here.
#[test]
fn a_ridge_is_left_in_few_iterations() {
    let mesh = mesh::block([1, 1], Vect::from([1.0, 1.0]));
    let mut body = body(&mesh, Flesh::Linear, 1e4, 0.4, MassKind::Lumped);
    body.energies = vec![Box::new(Ridge)];
    body.pins = (1..mesh.rest.len() as u32).collect();
    let mut x = mesh.rest.clone();
    x[0] = Vect::from([0.0, 1e-12]);
    let report = Stepper::new(&body).equilibrium(&Hold::at(&body, &x), 0.0, &mut x).unwrap();
    assert!((x[0][1] - 1.0).abs() < 1e-6 && report.iterations < 20, "{} {}", x[0], report.iterations);
}
