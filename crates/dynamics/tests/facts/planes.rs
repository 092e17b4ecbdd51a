//! The plane is a slice of space.

use super::*;
use dynamics::Newton;

/// A triangle mesh as a slab: every triangle a prism of three tets.
fn extrude(flat: &Mesh<2>, thickness: f64) -> Mesh<3> {
    let n = flat.rest.len() as u32;
    let layer = |z: f64| flat.rest.iter().map(move |X| Vect::from([X[0], X[1], z]));
    let mut solid = Mesh { rest: layer(0.0).chain(layer(thickness)).collect(), corners: vec![] };
    for e in flat.elements() {
        // cut along the diagonals that start at the smaller number, so that neighbours fit
        let mut e = e.to_vec();
        e.sort_unstable();
        let [a, b, c] = [e[0], e[1], e[2]];
        for tet in [[a, b, c, c + n], [a, b, b + n, c + n], [a, a + n, b + n, c + n]] {
            let first = solid.corners.len();
            solid.corners.extend(tet);
            if Mesh::edges(&solid.corners[first..], &solid.rest).det() < 0.0 {
                solid.corners.swap(first, first + 1);
            }
        }
    }
    solid
}

#[test]
fn a_bar_in_the_plane_moves_like_the_same_bar_in_space_between_two_walls() {
    let flat = mesh::block([6, 2], Vect::from([0.6, 0.2]));
    let solid = extrude(&flat, 0.1);
    let n = flat.rest.len();
    for flesh in [Flesh::StableNeoHookean, Flesh::Corotated, Flesh::StVenantKirchhoffVolume, Flesh::MooneyRivlin] {
        let mut plane = body(&flat, flesh, 2e4, 0.45, MassKind::Lumped);
        plane.pins = vertices(&flat, |X| X[0] == 0.0);
        plane.gravity = Vect::from([0.0, -9.81]);
        let mut space = body(&solid, flesh, 2e4, 0.45, MassKind::Lumped);
        space.pins = vertices(&solid, |X| X[0] == 0.0);
        space.gravity = Vect::from([0.0, -9.81, 0.0]);
        let unit = |i: usize| Vect::<3>::from_fn(|j, _| if i == j { 1.0 } else { 0.0 });
        for v in 0..n as u32 {
            space.rows.extend([vec![(v, unit(2))], vec![(v + n as u32, unit(2))]]); // the walls
            space.rows.extend((0..2).map(|i| vec![(v, unit(i)), (v + n as u32, -unit(i))])); // the same motion at both
        }
        let (hold2, hold3) = (Hold::at(&plane, &flat.rest), Hold::at(&space, &solid.rest));
        let mut stepper2 = Stepper::new(&plane);
        let mut stepper3 = Stepper::new(&space);
        stepper2.newton = Newton { tolerance: 1e-11, ..Newton::default() };
        stepper3.newton = stepper2.newton;
        let still = vec![Vect::zeros(); n];
        let start2 = stepper2.start(&hold2, 0.0, flat.rest.clone(), still).unwrap();
        let start3 = stepper3.start(&hold3, 0.0, solid.rest.clone(), vec![Vect::zeros(); 2 * n]).unwrap();
        let end2 = run(&mut stepper2, &hold2, start2, 1.0 / 48.0, 12);
        let end3 = run(&mut stepper3, &hold3, start3, 1.0 / 48.0, 12);
        let sag = largest_difference(&end2.x, &flat.rest);
        assert!(sag > 0.02, "vacuous: the bar hardly moves ({sag})");
        for v in 0..n {
            let off = (end2.x[v] - Vect::from([end3.x[v][0], end3.x[v][1]])).norm();
            assert!(off < 1e-8, "{}: {off}", flesh.name());
        }
    }
}
