//! The same bits, always.

use super::*;

fn bits(threads: usize) -> Vec<u64> {
    let mesh = mesh::block([12, 5, 5], Vect::from([1.2, 0.5, 0.5]));
    let mut body = body(&mesh, Flesh::StableNeoHookean, 2e4, 0.45, MassKind::Consistent);
    body.pins = vertices(&mesh, |X| X[0] == 0.0);
    body.gravity = Vect::from([0.0, 0.0, -9.81]);
    body.damping.stiffness = 0.01;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let end = pool.install(|| {
        let drive = Hold::at(&body, &mesh.rest);
        let mut stepper = Stepper::new(&body);
        let start = stepper.start(&drive, 0.0, mesh.rest.clone(), vec![Vect::zeros(); mesh.rest.len()]).unwrap();
        run(&mut stepper, &drive, start, 1.0 / 24.0, 3)
    });
    end.x.iter().chain(&end.v).flat_map(|x| x.iter().map(|x| x.to_bits()).collect::<Vec<_>>()).collect()
}

#[test]
fn two_runs_give_the_same_bits() {
    assert!(bits(2) == bits(2));
}

#[test]
fn one_two_and_three_threads_give_the_same_bits() {
    let one = bits(1);
    assert!(one == bits(2));
    assert!(one == bits(3));
}
