use math::check::Random;

use super::*;
use crate::near::closest_point;
use crate::{block, zoo};

fn check<const D: usize>(zoo: Vec<(&'static str, Mesh<D>)>)
where
    Mat<D>: Small<D>,
{
    let mut random = Random::new(4);
    for (name, mesh) in zoo {
        let (low, high) = mesh.bounds();
        let points: Vec<_> =
            (0..200).map(|_| (low + high) / 2.0 + 0.8 * (high - low).component_mul(&random.vector())).collect();
        let held = Embedding::new(&mesh, &points);
        let nearest = Embedding::nearest(&mesh, &points, None);
        let size = mesh.size();
        assert_eq!((held.len(), &held.outside), (points.len(), &nearest.outside), "{name}");
        // they follow any affine motion, inside or outside
        let (A, t) = (random.matrix::<D>(), random.vector::<D>());
        let moved: Vec<_> = mesh.rest.iter().map(|X| A * X + t).collect();
        for held in [&held, &nearest] {
            for (p, q) in points.iter().zip(held.positions(&moved)) {
                assert!((A * p + t - q).norm() < 1e-10 * (size + 1.0), "{name}");
            }
        }
        for (k, p) in points.iter().enumerate() {
            let (vertices, weights) = nearest.of(k);
            assert_eq!(vertices.len(), D + 1);
            let inside = weights.iter().all(|w| *w > -1e-12);
            assert_eq!(inside, held.outside[k] < 1e-12 * size, "{name}: {p} {}", held.outside[k]);
            assert!(!inside || held.of(k) == nearest.of(k), "{name}: inside there is nothing to blend");
            // brute force: no element is nearer
            let brute = mesh.elements().map(|e| {
                let corners: Vec<_> = e.iter().map(|&v| mesh.rest[v as usize]).collect();
                (closest_point(&corners, p) - p).norm()
            });
            assert!(held.outside[k] <= brute.fold(f64::INFINITY, f64::min) + 1e-12 * size, "{name}");
        }
    }
}
#[test]
fn embedded_points_follow_the_mesh_and_hang_on_the_nearest_elements() {
    check(zoo::plane());
    check(zoo::space());
}

/// A bar that is bent to an arc, and a fine line of points over its top, two thirds of an element above it.
fn bent_bar() -> (Mesh<3>, Vec<Vect<3>>, Vec<Vect<3>>) {
    let mesh = block([12, 2, 2], Vect::from([3.0, 0.5, 0.5]));
    let line: Vec<_> = (0..=1000).map(|k| Vect::from([0.5 + 2.0 * k as f64 / 1000.0, 0.21, 0.66])).collect();
    let bend = |X: &Vect<3>| {
        let (angle, r) = (X[0] / 2.0, 2.0 + X[2]);
        Vect::from([r * angle.sin(), X[1], r * angle.cos()])
    };
    let bent = mesh.rest.iter().map(bend).collect();
    (mesh, line, bent)
}

/// The longest step, and the sharpest kink (second difference), between neighbouring points of a line.
fn steps_and_kinks(x: &[Vect<3>]) -> (f64, f64) {
    let step = x.windows(2).map(|x| (x[1] - x[0]).norm()).fold(0.0, f64::max);
    (step, x.windows(3).map(|x| (x[2] - 2.0 * x[1] + x[0]).norm()).fold(0.0, f64::max))
}

#[test]
fn a_line_over_a_bent_bar_is_smooth() {
    let (mesh, line, bent) = bent_bar();
    let (steps, kinks) = steps_and_kinks(&Embedding::new(&mesh, &line).positions(&bent));
    let (torn_steps, torn_kinks) = steps_and_kinks(&Embedding::nearest(&mesh, &line, None).positions(&bent));
    // the points are 2 mm apart, 3 mm on the arc
    assert!(torn_steps > 0.01, "vacuous: the nearest elements alone do not tear the line ({torn_steps})");
    assert!(steps < 0.0035, "{steps} {torn_steps}");
    assert!(kinks < 0.01 * torn_kinks, "{kinks} {torn_kinks}");
}

#[test]
fn a_line_that_leaves_the_bar_does_so_without_a_jump() {
    let (mesh, _, bent) = bent_bar();
    let line: Vec<_> =
        (0..=3000).map(|k| Vect::from([1.0 + 0.3 * k as f64 / 3000.0, 0.2, 0.3 + 0.5 * k as f64 / 3000.0])).collect();
    let held = Embedding::new(&mesh, &line);
    assert!(held.outside[0] == 0.0 && held.outside[3000] > 0.29);
    let (steps, _) = steps_and_kinks(&held.positions(&bent));
    assert!(steps < 2.0 * 0.6 / 3000.0, "{steps}");
}

#[test]
fn a_point_hangs_on_its_own_body_even_inside_another() {
    let mut mesh = block([2, 2, 2], Vect::from([1.0; 3]));
    let n = mesh.rest.len();
    mesh.corners.extend(mesh.corners.iter().map(|v| v + n as u32).collect::<Vec<_>>());
    mesh.rest.extend(mesh.rest.iter().map(|X| X + Vect::from([1.01, 0.0, 0.0])).collect::<Vec<_>>());
    let body: Vec<u32> = (0..2 * n).map(|v| 7 * (v >= n) as u32).collect();
    let points = [Vect::from([0.9, 0.4, 0.4]); 3];
    let of = BodyOf { vertex: &body, point: &[0, 7, 3] };
    for held in [Embedding::by_body(&mesh, &points, of), Embedding::nearest(&mesh, &points, Some(of))] {
        assert!(held.of(0).0.iter().all(|v| (*v as usize) < n));
        assert!(held.of(1).0.iter().all(|v| (*v as usize) >= n));
        assert_eq!(held.of(2), held.of(0), "a body without elements: the nearest of all");
        assert!(held.outside[0] == 0.0 && (held.outside[1] - 0.11).abs() < 1e-12);
    }
}

#[test]
fn nothing_is_nan_for_flat_elements_lost_points_and_empty_meshes() {
    let mut mesh = block([1, 1, 1], Vect::from([1.0; 3]));
    mesh.rest.push(Vect::from([2.0, 0.0, 0.0]));
    mesh.corners.extend([0, 4, 8, 4]); // flat
    let points = [[3.0, 0.0, 0.0], [f64::NAN, 0.0, 0.0], [1e9, 0.0, f64::INFINITY]].map(Vect::from);
    let held = Embedding::new(&mesh, &points);
    assert!(held.positions(&mesh.rest).iter().all(|x| x.iter().all(|x| x.is_finite())));
    assert!((held.positions(&mesh.rest)[0] - points[0]).norm() < 1e-12);
    assert!(held.of(1).0.is_empty() && held.outside[1] == f64::INFINITY);
    let nothing = Embedding::new(&Mesh::default(), &points);
    assert_eq!((nothing.len(), nothing.positions::<3>(&[])), (3, vec![Vect::zeros(); 3]));
}
