//! What cannot be done is said, and nothing is lost.

use dynamics::Cause;

use super::*;

fn bar() -> (Mesh<3>, Body<3>) {
    let mesh = mesh::block([3, 1, 1], Vect::from([0.3, 0.1, 0.1]));
    let body = body(&mesh, Flesh::NeoHookean, 1e4, 0.4, MassKind::Lumped);
    (mesh, body)
}

#[test]
fn a_body_that_nothing_holds_has_no_equilibrium() {
    let (mesh, body) = bar();
    let error = dynamics::equilibrium(&body, &mesh.rest).unwrap_err();
    assert_eq!(error.cause, Cause::Adrift);
    assert!(error.to_string().contains("nothing holds the body"), "{error}");
}

#[test]
fn a_part_that_nothing_holds_is_named_and_its_modes_are_found() {
    // two bars side by side, one of them pinned
    let one = mesh::block([3, 1, 1], Vect::from([0.3, 0.1, 0.1]));
    let n = one.rest.len() as u32;
    let mut two = one.clone();
    two.rest.extend(one.rest.iter().map(|X| X + Vect::from([0.0, 1.0, 0.0])));
    two.corners.extend(one.corners.iter().map(|c| c + n));
    let mut body = body(&two, Flesh::Corotated, 1e4, 0.4, MassKind::Lumped);
    body.pins = vertices(&one, |X| X[0] == 0.0);
    let error = dynamics::equilibrium(&body, &two.rest).unwrap_err();
    assert_eq!((error.cause, error.worst_vertex), (Cause::Adrift, Some(n)));
    // six rigid motions of the free one, then the elastic modes of both
    let modes = dynamics::lowest_modes(&body, &two.rest, 8).unwrap().omega_squared;
    let mut alone = super::body(&one, Flesh::Corotated, 1e4, 0.4, MassKind::Lumped);
    alone.pins = body.pins.clone();
    let first = dynamics::lowest_modes(&alone, &one.rest, 1).unwrap().omega_squared[0];
    assert!(modes[..6].iter().all(|w| w.abs() < 1e-6 * first), "{modes:?}");
    assert!((modes[6] / first - 1.0).abs() < 1e-6, "{} {first}", modes[6]);
}

#[test]
fn motion_that_is_not_a_number_is_refused_and_the_state_kept() {
    struct Broken;
    impl Drive<3> for Broken {
        fn pins(&self, _: f64, x: &mut [Vect<3>]) {
            x.fill(Vect::from([f64::NAN; 3]));
        }
    }
    let (mesh, mut body) = bar();
    body.pins = vertices(&mesh, |X| X[0] == 0.0);
    let mut stepper = Stepper::new(&body);
    let hold = Hold::at(&body, &mesh.rest);
    let mut state = stepper.start(&hold, 0.0, mesh.rest.clone(), vec![Vect::zeros(); mesh.rest.len()]).unwrap();
    let before = state.clone();
    let error = stepper.step(0.1, &Broken, &mut state).unwrap_err();
    assert_eq!(error.cause, Cause::NotFinite);
    assert_eq!(state, before);
}

#[test]
fn a_jump_through_the_body_is_named() {
    struct Through(Vec<Vect<3>>);
    impl Drive<3> for Through {
        fn pins(&self, t: f64, x: &mut [Vect<3>]) {
            for (x, start) in x.iter_mut().zip(&self.0) {
                *x = start + if t > 0.0 { Vect::from([0.25, 0.0, 0.0]) } else { Vect::zeros() };
            }
        }
    }
    let (mesh, mut body) = bar();
    body.pins = vertices(&mesh, |X| X[0] == 0.0);
    let drive = Through(Hold::at(&body, &mesh.rest).pins);
    let mut stepper = Stepper::new(&body);
    let mut state = stepper.start(&drive, 0.0, mesh.rest.clone(), vec![Vect::zeros(); mesh.rest.len()]).unwrap();
    let before = state.clone();
    let error = stepper.step(0.1, &drive, &mut state).unwrap_err();
    assert_eq!(error.cause, Cause::NotAllowed);
    assert!(error.to_string().contains("turned inside out"), "{error}");
    assert_eq!(state, before);
}
