//! Orders of accuracy in time.

use dynamics::{Damping, Integrator, Newton};

use super::*;

/// The error at a fixed time against a much finer run, for h, h/2, h/4: a swinging, damped, nonlinear bar.
fn errors(integrator: Integrator) -> Vec<f64> {
    let mesh = mesh::block([5, 2], Vect::from([0.5, 0.1]));
    let mut body = body(&mesh, Flesh::StableNeoHookean, 3e4, 0.4, MassKind::Consistent);
    body.pins = vertices(&mesh, |X| X[0] == 0.0);
    body.gravity = Vect::from([0.0, -9.81]);
    body.damping = Damping { mass: 0.5, stiffness: 0.01 };
    let drive = Hold::at(&body, &mesh.rest);
    let end = |steps: usize| {
        let mut stepper = Stepper::new(&body);
        stepper.integrator = integrator;
        stepper.newton = Newton { tolerance: 1e-11, ..Newton::default() };
        let start = stepper.start(&drive, 0.0, mesh.rest.clone(), vec![Vect::zeros(); mesh.rest.len()]).unwrap();
        run(&mut stepper, &drive, start, 0.3 / steps as f64, steps).x
    };
    let reference = match integrator {
        // as fine for the first order as for the second: from the better one
        Integrator::BackwardEuler => return errors_against(&end, &second_order_reference(&mesh, &body, &drive)),
        Integrator::TrapezoidBdf2 => end(1024),
    };
    errors_against(&end, &reference)
}

fn second_order_reference(mesh: &Mesh<2>, body: &Body<2>, drive: &Hold<2>) -> Vec<Vect<2>> {
    let mut stepper = Stepper::new(body);
    stepper.newton = Newton { tolerance: 1e-11, ..Newton::default() };
    let start = stepper.start(drive, 0.0, mesh.rest.clone(), vec![Vect::zeros(); mesh.rest.len()]).unwrap();
    run(&mut stepper, drive, start, 0.3 / 512.0, 512).x
}

fn errors_against(end: &dyn Fn(usize) -> Vec<Vect<2>>, reference: &[Vect<2>]) -> Vec<f64> {
    [32, 64, 128].map(|steps| largest_difference(&end(steps), reference)).to_vec()
}

#[test]
fn halving_the_step_halves_the_error_of_backward_euler() {
    let e = errors(Integrator::BackwardEuler);
    let order = (e[1] / e[2]).log2();
    assert!((order - 1.0).abs() < 0.15, "{e:?}: order {order}");
}

#[test]
fn halving_the_step_quarters_the_error_of_trapezoid_bdf2() {
    let e = errors(Integrator::TrapezoidBdf2);
    let order = (e[1] / e[2]).log2();
    assert!((order - 2.0).abs() < 0.15, "{e:?}: order {order}");
}
