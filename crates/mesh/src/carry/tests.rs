use math::check::Random;

use super::*;
use crate::{block, zoo};

/// Points on and around the boundary of a mesh: some on it, some a little inside or outside.
fn skin<const D: usize>(mesh: &Mesh<D>) -> Vec<Vect<D>> {
    let mut random = Random::new(5);
    let boundary = mesh.boundary();
    let (low, high) = mesh.bounds();
    let off = 0.01 * (high - low);
    let mut points = vec![];
    for facet in boundary.chunks_exact(D) {
        for _ in 0..3 {
            let w: Vec<f64> = (0..D).map(|_| random.number().abs() + 0.01).collect();
            let sum: f64 = w.iter().sum();
            let on: Vect<D> = facet.iter().zip(&w).map(|(&v, w)| w / sum * mesh.rest[v as usize]).sum();
            points.push(on + off.component_mul(&random.vector()));
        }
    }
    points
}

fn check<const D: usize>(zoo: Vec<(&'static str, Mesh<D>)>)
where
    Mat<D>: Small<D>,
{
    let mut random = Random::new(6);
    for (name, mesh) in zoo {
        let points = skin(&mesh);
        let at = Embedding::nearest(&mesh, &points, None);
        let slope = random.vector::<D>() / mesh.size();
        let columns = [vec![0.7; points.len()], points.iter().map(|p| slope.dot(p)).collect()];
        for smoothness in [Smoothness::Harmonic, Smoothness::Biharmonic] {
            let carried = carry(&mesh, &at, &columns, smoothness);
            assert!(carried[0].iter().all(|u| (u - 0.7).abs() < 1e-12), "{name}: constants are kept");
            let off = mesh.rest.iter().zip(&carried[1]).map(|(X, u)| (slope.dot(X) - u).abs()).fold(0.0, f64::max);
            if smoothness == Smoothness::Biharmonic {
                assert!(off < 1e-6, "{name}: linear functions are kept, but {off}");
            }
        }
    }
}
#[test]
fn constants_are_carried_exactly_and_plates_stay_straight() {
    check(zoo::plane());
    check(zoo::space());
}

#[test]
fn a_smooth_function_on_the_skin_is_found_again_on_it_and_inside() {
    let mesh = block([8, 8, 8], Vect::from([1.0; 3]));
    let points = skin(&mesh);
    let at = Embedding::nearest(&mesh, &points, None);
    // harmonic and biharmonic, so that both kinds should find it
    let f = |X: &Vect<3>| X[0] * X[0] - 0.5 * X[1] * X[1] - 0.5 * X[2] * X[2] + X[0] * X[1];
    let known = vec![points.iter().map(f).collect::<Vec<f64>>()];
    for smoothness in [Smoothness::Harmonic, Smoothness::Biharmonic] {
        let carried = carry(&mesh, &at, &known, smoothness);
        let off = mesh.rest.iter().zip(&carried[0]).map(|(X, u)| (f(X) - u).abs()).fold(0.0, f64::max);
        assert!(off < 0.02, "{smoothness:?}: {off}");
        // a straight line over an edge of h misses a curve by f'' h²/8
        let fit = misfit(&at, &known[0], &carried[0]);
        assert!(fit < 2.0 * 2.0 / 8.0 / 64.0, "{smoothness:?}: {fit}");
    }
}

/// How far the carried values are from the known ones at most.
fn misfit(at: &Embedding, known: &[f64], carried: &[f64]) -> f64 {
    let value = |k: usize| {
        let (vertices, weights) = at.of(k);
        vertices.iter().zip(weights).map(|(&v, w)| w * carried[v as usize]).sum::<f64>()
    };
    known.iter().enumerate().map(|(k, known)| (value(k) - known).abs()).fold(0.0, f64::max)
}

#[test]
fn a_few_rough_values_are_met() {
    let mesh = block([8, 8, 8], Vect::from([1.0; 3]));
    let mut random = Random::new(8);
    let mut points: Vec<Vect<3>> = vec![]; // two elements apart, so that the mesh can follow
    for p in skin(&mesh) {
        if points.iter().all(|q| (p - q).norm() > 0.25) {
            points.push(p);
        }
    }
    let known = vec![points.iter().map(|_| random.number()).collect::<Vec<f64>>()];
    let at = Embedding::nearest(&mesh, &points, None);
    for (smoothness, most) in [(Smoothness::Harmonic, 0.05), (Smoothness::Biharmonic, 0.05)] {
        let carried = carry(&mesh, &at, &known, smoothness);
        let fit = misfit(&at, &known[0], &carried[0]);
        assert!(fit < most, "{smoothness:?}: {fit} with {} points", points.len());
    }
}

/// A block, another one that touches it, and a third far away that no point belongs to.
#[test]
fn each_body_takes_its_own_values_and_one_without_takes_the_nearest() {
    let one = block([3, 3, 3], Vect::from([1.0; 3]));
    let n = one.rest.len() as u32;
    let mut mesh = Mesh::default();
    for (k, x) in [0.0, 1.0, 5.0].into_iter().enumerate() {
        mesh.rest.extend(one.rest.iter().map(|X| X + Vect::from([x, 0.0, 0.0])));
        mesh.corners.extend(one.corners.iter().map(|v| v + k as u32 * n));
    }
    mesh.rest.push(Vect::from([-1.0, 0.0, 0.0])); // in no element
    let body: Vec<u32> = (0..mesh.rest.len() as u32).map(|v| v / n).collect();
    let points: Vec<Vect<3>> = mesh.rest[..2 * n as usize].to_vec();
    let of = BodyOf { vertex: &body, point: &body[..points.len()] };
    let first: Vec<f64> = of.point.iter().map(|b| if *b == 0 { 1.0 } else { 0.0 }).collect();
    let columns = [first.clone(), first.iter().map(|f| 1.0 - f).collect()];
    for smoothness in [Smoothness::Harmonic, Smoothness::Biharmonic] {
        let carried = carry_by_body(&mesh, &points, of, &columns, smoothness);
        for v in 0..mesh.rest.len() {
            let expected = if body[v] == 0 || body[v] == 3 { 1.0 } else { 0.0 };
            assert!(
                (carried[0][v] - expected).abs() < 1e-9 && (carried[0][v] + carried[1][v] - 1.0).abs() < 1e-9,
                "{v}"
            );
        }
    }
}

#[test]
fn carried_weights_are_weights_and_nothing_known_is_no_harm() {
    let mesh = block([6, 3, 3], Vect::from([2.0, 1.0, 1.0]));
    let points = skin(&mesh);
    let at = Embedding::nearest(&mesh, &points, None);
    // one joint in the left half, one in the right: a jump, which plates overshoot
    let left: Vec<f64> = points.iter().map(|p| (p[0] < 1.0) as u32 as f64).collect();
    let columns = [left.clone(), left.iter().map(|w| 1.0 - w).collect()];
    let rough = carry(&mesh, &at, &columns, Smoothness::Biharmonic);
    assert!(rough[0].iter().any(|w| *w < 0.0), "vacuous: nothing overshoots");
    let weights = carry_weights(&mesh, &at, &columns, Smoothness::Biharmonic);
    for (v, X) in mesh.rest.iter().enumerate() {
        let (a, b) = (weights[0][v], weights[1][v]);
        assert!(a >= 0.0 && b >= 0.0 && (a + b - 1.0).abs() < 1e-15);
        assert!((X[0] - 1.0).abs() < 0.4 || (a > 0.5) == (X[0] < 1.0));
    }
    let nothing = Embedding::new(&mesh, &[]);
    assert!(carry(&mesh, &nothing, &[vec![]], Smoothness::Harmonic)[0].iter().all(|u| *u == 0.0));
    let lost = Embedding::nearest(&mesh, &[Vect::from([f64::NAN; 3])], None);
    assert!(carry(&mesh, &lost, &[vec![f64::NAN]], Smoothness::Harmonic)[0].iter().all(|u| *u == 0.0));
    assert_eq!(carry(&Mesh::<3>::default(), &nothing, &[vec![]], Smoothness::Harmonic), [vec![]; 1] as [Vec<f64>; 1]);
}
