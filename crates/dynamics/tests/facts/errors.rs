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
    assert!(error.to_string().contains("turns elements inside out"), "{error}");
    assert_eq!(state, before);
}
