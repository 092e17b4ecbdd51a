//! The check that every rig must pass: its Jacobian against finite differences.

use math::Vect;
use math::check::Random;

use super::Rig;

/// The positions for these parameters.
pub fn positions<const D: usize>(rig: &dyn Rig<D>, p: &[f64]) -> Vec<Vect<D>> {
    let mut x = vec![Vect::zeros(); rig.vertices()];
    rig.positions(p, &mut x);
    x
}

/// Checks a rig at p: the Jacobian against central differences, parameter by parameter; Jr and Jrᵀ against each other;
/// and for a linear rig that x = x(0) + Jr p and that Jr is the same everywhere.
///
/// Panics with what is wrong; refuses to pass where nothing moves.
pub fn check_rig<const D: usize>(rig: &dyn Rig<D>, p: &[f64]) {
    assert_eq!(p.len(), rig.parameters(), "p has the wrong length");
    assert_eq!(rig.rest().len(), rig.parameters(), "the rest pose has the wrong length");
    let Jr = rig.jacobian(p);
    assert_eq!((Jr.vertices(), Jr.parameters), (rig.vertices(), rig.parameters()), "the Jacobian has the wrong size");
    let x = positions(rig, p);
    assert!(x.iter().flatten().chain(Jr.value.iter().flatten()).all(|x| x.is_finite()), "not a number");
    let size = |x: &[Vect<D>]| x.iter().map(|x| x.norm()).fold(0.0, f64::max);
    assert!(size(&Jr.value) > 1e-6 * size(&x), "vacuous: the Jacobian is zero");
    let (step, scale) = (1e-5, size(&x) + size(&Jr.value));
    for k in 0..p.len() {
        let moved = |distance: f64| {
            let mut p = p.to_vec();
            p[k] += distance;
            positions(rig, &p)
        };
        let mut unit = vec![0.0; p.len()];
        unit[k] = 1.0;
        let mut column = vec![Vect::zeros(); rig.vertices()];
        Jr.times(&unit, &mut column);
        for (v, (a, b)) in moved(step).iter().zip(moved(-step)).enumerate() {
            let difference = (a - b) / (2.0 * step);
            assert!(
                (column[v] - difference).norm() < 1e-8 * scale,
                "parameter {k} moves vertex {v} by {:?}, its own difference by {difference:?}",
                column[v]
            );
        }
    }
    let mut random = Random::new(5);
    let dp: Vec<f64> = p.iter().map(|_| random.number()).collect();
    let f: Vec<Vect<D>> = x.iter().map(|_| random.vector()).collect();
    let mut dx = vec![Vect::zeros(); x.len()];
    Jr.times(&dp, &mut dx);
    let power: f64 = dx.iter().zip(&f).map(|(dx, f)| dx.dot(f)).sum();
    let same: f64 = Jr.transpose_times(&f).iter().zip(&dp).map(|(a, b)| a * b).sum();
    assert!((power - same).abs() < 1e-11 * scale * x.len() as f64, "Jr and its transpose disagree");
    if rig.is_linear() {
        assert_eq!(Jr, rig.jacobian(&rig.rest()), "a linear rig's Jacobian changes");
        let base = positions(rig, &vec![0.0; p.len()]);
        Jr.times(p, &mut dx);
        for (v, x) in x.iter().enumerate() {
            assert!((x - base[v] - dx[v]).norm() < 1e-13 * scale * (1.0 + size(&x_of(p))), "vertex {v} is not linear");
        }
    }
}

/// The parameters as points of one number each, to measure them.
fn x_of<const D: usize>(p: &[f64]) -> Vec<Vect<D>> {
    p.iter().map(|&p| Vect::from_element(p / (D as f64).sqrt())).collect()
}

/// Checks a rig at its rest pose and at three random poses, parameters within `reach` of rest.
pub fn check_rig_around_rest<const D: usize>(rig: &dyn Rig<D>, reach: f64) {
    let mut random = Random::new(17);
    for reach in [0.0, 0.3 * reach, reach, reach] {
        let p: Vec<f64> = rig.rest().iter().map(|p| p + reach * random.number()).collect();
        check_rig(rig, &p);
    }
}
