//! Pins, held points and general rows.

use math::Row;
use mesh::Embedding;

use super::*;

/// A bar that is held by points inside its first cells, moved along a path.
struct Path {
    start: Vec<f64>,
}
impl Drive<3> for Path {
    fn pins(&self, _: f64, _: &mut [Vect<3>]) {}
    fn rows(&self, t: f64, b: &mut [f64]) {
        for (k, (b, start)) in b.iter_mut().zip(&self.start).enumerate() {
            *b = start + if k % 3 == 2 { 0.1 * (6.0 * t).sin() } else { 0.0 };
        }
    }
}

/// 24 points at the centres of the first layer's tets: 72 rows, many of which follow from the others.
fn held_by_points() -> (Mesh<3>, Body<3>) {
    let mesh = mesh::block([4, 2, 2], Vect::from([0.8, 0.4, 0.4]));
    let mut body = body(&mesh, Flesh::Corotated, 3e4, 0.4, MassKind::Lumped);
    let centres: Vec<Vect<3>> = mesh
        .elements()
        .map(|e| e.iter().map(|&v| mesh.rest[v as usize]).sum::<Vect<3>>() / 4.0)
        .filter(|c| c[0] < 0.2)
        .collect();
    assert_eq!(centres.len(), 24);
    let held = Embedding::new(&mesh, &centres);
    for k in 0..centres.len() {
        let (v, w) = held.of(k);
        body.hold_point(v, w);
    }
    (mesh, body)
}

#[test]
fn dependent_rows_are_removed_and_all_are_kept_true() {
    let (mesh, body) = held_by_points();
    let drive = Path { start: Hold::at(&body, &mesh.rest).rows };
    let mut stepper = Stepper::new(&body);
    let removed = stepper.dependent_rows();
    assert_eq!(removed, 72 - 3 * 15, "the 24 points have rank 15 in each coordinate");
    let mut state = stepper.start(&drive, 0.0, mesh.rest.clone(), vec![Vect::zeros(); mesh.rest.len()]).unwrap();
    for _ in 0..10 {
        stepper.step(1.0 / 24.0, &drive, &mut state).unwrap();
        let mut b = vec![0.0; 72];
        drive.rows(state.t, &mut b);
        for (row, b) in body.rows.iter().zip(b) {
            assert!((math::rows::apply(row, &state.x) - b).abs() < 1e-10);
        }
    }
    assert!(largest_difference(&state.x, &mesh.rest) > 0.05, "vacuous: nothing moved");
}

#[test]
fn a_body_held_by_points_alone_finds_its_equilibrium() {
    let (mesh, mut body) = held_by_points();
    body.gravity = Vect::from([0.0, 0.0, -9.81]);
    let x = dynamics::equilibrium(&body, &mesh.rest).unwrap();
    let tip = vertices(&mesh, |X| X[0] > 0.79)[0] as usize;
    assert!(x[tip][2] < mesh.rest[tip][2] - 0.02, "it does not sag: {}", x[tip]);
}

#[test]
fn rows_that_hold_whole_vertices_do_what_pins_do() {
    let mesh = mesh::block([4, 1, 1], Vect::from([0.4, 0.1, 0.1]));
    let ends = vertices(&mesh, |X| X[0] == 0.0);
    let mut pinned = body(&mesh, Flesh::StableNeoHookean, 3e4, 0.4, MassKind::Lumped);
    pinned.gravity = Vect::from([0.0, 0.0, -9.81]);
    pinned.damping.stiffness = 0.02;
    let mut rowed = body(&mesh, Flesh::StableNeoHookean, 3e4, 0.4, MassKind::Lumped);
    (rowed.gravity, rowed.damping) = (pinned.gravity, pinned.damping);
    pinned.pins = ends.clone();
    for &v in &ends {
        rowed.hold_point(&[v], &[1.0]);
    }
    let simulate = |body: &Body<3>| {
        let drive = Hold::at(body, &mesh.rest);
        let mut stepper = Stepper::new(body);
        stepper.newton.tolerance = 1e-11;
        let start = stepper.start(&drive, 0.0, mesh.rest.clone(), vec![Vect::zeros(); mesh.rest.len()]).unwrap();
        run(&mut stepper, &drive, start, 1.0 / 24.0, 10).x
    };
    let off = largest_difference(&simulate(&pinned), &simulate(&rowed));
    assert!(off < 1e-8, "{off}");
}

#[test]
fn rows_on_pinned_vertices_are_taken_for_what_they_are() {
    let mesh = mesh::block([2, 1, 1], Vect::from([0.2, 0.1, 0.1]));
    let mut body = body(&mesh, Flesh::Corotated, 1e4, 0.3, MassKind::Lumped);
    body.pins = vertices(&mesh, |X| X[0] == 0.0);
    let row: Row<3> = vec![(body.pins[0], Vect::from([1.0, 0.0, 0.0]))];
    body.rows = vec![row];
    let mut drive = Hold::at(&body, &mesh.rest);
    let mut stepper = Stepper::new(&body);
    assert_eq!(stepper.dependent_rows(), 1);
    let mut x = mesh.rest.clone();
    assert!(stepper.equilibrium(&drive, 0.0, &mut x).is_ok());
    drive.rows[0] += 0.1;
    let error = stepper.equilibrium(&drive, 0.0, &mut x).unwrap_err();
    assert_eq!(error.cause, dynamics::Cause::Contradiction { row: 0 });
}

/// Pins that move faster than the elements are long: the step is halved until it works, and the pins arrive.
#[test]
fn a_step_that_crushes_elements_is_made_in_halves() {
    struct Jump(Vec<Vect<3>>);
    impl Drive<3> for Jump {
        fn pins(&self, t: f64, x: &mut [Vect<3>]) {
            for (x, start) in x.iter_mut().zip(&self.0) {
                *x = start + Vect::from([0.3 * t, 0.0, 0.0]);
            }
        }
    }
    let mesh = mesh::block([4, 1, 1], Vect::from([0.4, 0.1, 0.1]));
    let mut body = body(&mesh, Flesh::NeoHookean, 3e4, 0.4, MassKind::Lumped);
    body.pins = vertices(&mesh, |X| X[0] == 0.0);
    let drive = Jump(Hold::at(&body, &mesh.rest).pins);
    let mut stepper = Stepper::new(&body);
    let mut state = stepper.start(&drive, 0.0, mesh.rest.clone(), vec![Vect::zeros(); mesh.rest.len()]).unwrap();
    let report = stepper.step(1.0, &drive, &mut state).unwrap();
    assert!(report.halvings > 0, "vacuous: {report:?}");
    assert!((state.x[body.pins[0] as usize][0] - 0.3).abs() < 1e-12 && (state.t - 1.0).abs() < 1e-12);
}
