//! Vibration modes.

use dynamics::lowest_modes;
use math::symmetric_eigen;

use super::*;

/// K and M of the unknowns by columns of unit vectors, and the generalised eigenvalues by M^(−1/2) K M^(−1/2).
fn dense_reference<const D: usize>(mesh: &Mesh<D>, body: &Body<D>) -> Vec<f64> {
    let free: Vec<usize> = (0..mesh.rest.len()).filter(|v| !body.pins.contains(&(*v as u32))).collect();
    let n = D * free.len();
    let mut K = vec![0.0; n * n];
    let energy = &body.energies[0];
    let step = 1e-6 * mesh.size();
    for j in 0..n {
        let force = |sign: f64| {
            let mut x = mesh.rest.clone();
            x[free[j / D]][j % D] += sign * step;
            let mut g = vec![Vect::<D>::zeros(); x.len()];
            let mut local = vec![Vect::zeros(); D + 1];
            for (e, corners) in mesh.elements().enumerate() {
                energy.gradient(e, &x, &mut local);
                corners.iter().zip(&local).for_each(|(&v, f)| g[v as usize] += f);
            }
            g
        };
        let (plus, minus) = (force(1.0), force(-1.0));
        for i in 0..n {
            K[j * n + i] = (plus[free[i / D]][i % D] - minus[free[i / D]][i % D]) / (2.0 * step);
        }
    }
    let mass: Vec<f64> = (0..n).map(|i| body.mass.of(free[i / D]).sqrt()).collect();
    for j in 0..n {
        for i in 0..n {
            K[j * n + i] /= mass[i] * mass[j];
        }
    }
    let mut values = symmetric_eigen(K).0;
    values.reverse();
    values
}

#[test]
fn the_lowest_modes_are_those_of_a_dense_solver() {
    let mesh = mesh::block([4, 2, 2], Vect::from([0.4, 0.1, 0.1]));
    let mut body = body(&mesh, Flesh::StableNeoHookean, 2e4, 0.4, MassKind::Lumped);
    body.pins = vertices(&mesh, |X| X[0] == 0.0);
    let expected = dense_reference(&mesh, &body);
    let modes = lowest_modes(&body, &mesh.rest, 20).unwrap();
    for (found, expected) in modes.omega_squared.iter().zip(&expected) {
        assert!((found / expected - 1.0).abs() < 1e-5, "{found} {expected}");
    }
    // they are orthonormal in M
    for (i, a) in modes.shapes.iter().enumerate() {
        for (j, b) in modes.shapes.iter().enumerate() {
            let product = body.mass.product(a, b);
            assert!((product - if i == j { 1.0 } else { 0.0 }).abs() < 1e-9, "{i} {j}: {product}");
        }
    }
}

#[test]
fn a_free_body_has_its_rigid_motions_and_then_its_elastic_modes() {
    let mesh = mesh::block([4, 2, 2], Vect::from([0.4, 0.1, 0.1]));
    let space = body(&mesh, Flesh::Corotated, 2e4, 0.4, MassKind::Lumped);
    let expected = dense_reference(&mesh, &space);
    let modes = lowest_modes(&space, &mesh.rest, 12).unwrap();
    let elastic = modes.omega_squared[6];
    assert!(modes.omega_squared[..6].iter().all(|w| w.abs() < 1e-6 * elastic), "{:?}", modes.omega_squared);
    for (found, expected) in modes.omega_squared[6..].iter().zip(&expected[6..]) {
        assert!((found / expected - 1.0).abs() < 1e-4, "{found} {expected}");
    }
    let disc = mesh::disc(4, 0.3);
    let plane = body(&disc, Flesh::Linear, 2e4, 0.4, MassKind::Consistent);
    let modes = lowest_modes(&plane, &disc.rest, 6).unwrap();
    assert!(
        modes.omega_squared[..3].iter().all(|w| w.abs() < 1e-6 * modes.omega_squared[3]),
        "{:?}",
        modes.omega_squared
    );
    assert!(modes.omega_squared[3] > 1.0);
}

#[test]
fn modes_under_rows_are_those_under_the_same_pins() {
    let mesh = mesh::block([5, 2], Vect::from([0.5, 0.1]));
    for kind in [MassKind::Lumped, MassKind::Consistent] {
        let ends = vertices(&mesh, |X| X[0] == 0.0);
        let mut pinned = body(&mesh, Flesh::StableNeoHookean, 2e4, 0.4, kind);
        let mut rowed = body(&mesh, Flesh::StableNeoHookean, 2e4, 0.4, kind);
        pinned.pins = ends.clone();
        for &v in &ends {
            rowed.hold_point(&[v], &[1.0]);
        }
        let a = lowest_modes(&pinned, &mesh.rest, 6).unwrap();
        let b = lowest_modes(&rowed, &mesh.rest, 6).unwrap();
        for (a, b) in a.omega_squared.iter().zip(&b.omega_squared) {
            assert!((a / b - 1.0).abs() < 1e-6, "{a} {b}");
        }
    }
}

#[test]
fn more_modes_than_unknowns_are_not_invented() {
    let mesh = mesh::block([1, 1], Vect::from([1.0, 1.0]));
    let mut body = body(&mesh, Flesh::Linear, 1e4, 0.3, MassKind::Lumped);
    body.pins = vec![0, 1];
    assert_eq!(lowest_modes(&body, &mesh.rest, 100).unwrap().frequencies().len(), 4);
}
