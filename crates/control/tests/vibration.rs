//! Facts about a weight on a spring: what is tuned is what the simulation does.
#![allow(non_snake_case)]

use control::{Clock, Rayleigh, Seen, ringing, ringing_by_spectrum, tuned};
use dynamics::{Body, Hold, Integrator, Stepper};
use math::Vect;
use mesh::{Mass, MassKind, Mesh};

#[test]
fn a_weight_on_a_spring_swings_and_halves_exactly_as_tuned() {
    let mesh = Mesh { rest: [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]].map(Vect::from).to_vec(), corners: vec![0, 1, 2] };
    for (integrator, kind, half_time) in [
        (Integrator::BackwardEuler, Rayleigh::Mass, 0.5),
        (Integrator::BackwardEuler, Rayleigh::Stiffness, 0.3),
        (Integrator::TrapezoidBdf2, Rayleigh::Mass, 3.0),
        (Integrator::TrapezoidBdf2, Rayleigh::Stiffness, 0.8),
    ] {
        let (h, wanted) = (1.0 / 24.0, Seen::new(1.189, half_time));
        let tuned = tuned(Clock::Steps { integrator, h }, kind, wanted).unwrap();
        let mass = Mass::new(&mesh, &[6.0], MassKind::Lumped);
        let stiffness = vec![mass.of(1) * tuned.omega * tuned.omega];
        let spring = elastic::Springs { ends: vec![0, 1], length: vec![1.0], stiffness };
        let mut body = Body::new(mesh.rest.clone(), mass, vec![Box::new(spring)]);
        body.pins = vec![0, 2];
        body.damping = tuned.damping;
        let mut x = mesh.rest.clone();
        x[1][0] += 0.1;
        let hold = Hold::at(&body, &x);
        let mut stepper = Stepper::new(&body);
        stepper.integrator = integrator;
        stepper.newton.tolerance = 1e-12;
        let mut state = stepper.start(&hold, 0.0, x, vec![Vect::zeros(); 3]).unwrap();
        let mut step = || {
            let length = state.x[1][0];
            stepper.step(h, &hold, &mut state).unwrap();
            length
        };
        let samples: Vec<f64> = (0..180).map(|_| step()).collect();
        let found = ringing(&samples, h).unwrap();
        assert!((found.frequency_hz / 1.189 - 1.0).abs() < 1e-8, "{integrator:?} {kind:?} {found:?}");
        assert!((found.half_time_s / half_time - 1.0).abs() < 1e-8, "{integrator:?} {kind:?} {found:?}");
        let found = ringing_by_spectrum(&samples, h).unwrap();
        assert!((found.frequency_hz / 1.189 - 1.0).abs() < 2e-3, "{integrator:?} {kind:?} {found:?}");
        assert!((found.half_time_s / half_time - 1.0).abs() < 5e-3, "{integrator:?} {kind:?} {found:?}");
    }
}
