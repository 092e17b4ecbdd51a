//! Bodies recover from anything.
//!
//! These are stiff enough to unfold within a step (1e5 Pa at 1/24 s). A much softer body, scrambled, can come to rest in a
//! tangle without inverted elements: that is an equilibrium of its own, and it stays there.

use dynamics::Integrator;
use math::check::Random;

use super::*;

/// How far the elements are from a rotated rest shape: the largest |σ − 1|.
fn deformation<const D: usize>(mesh: &Mesh<D>, x: &[Vect<D>]) -> f64
where
    Mat<D>: Small<D>,
{
    let worst = mesh.elements().map(|e| {
        let Dm = Mesh::<D>::edges(e, &mesh.rest);
        let F = Mesh::<D>::edges(e, x) * (Dm.cofactor() / Dm.det()).transpose();
        F.signed_svd().sigma.add_scalar(-1.0).amax()
    });
    worst.fold(0.0, f64::max)
}

fn recover<const D: usize>(mesh: Mesh<D>, flesh: Flesh)
where
    Mat<D>: Small<D>,
{
    let size = mesh.size();
    let mut starts: Vec<(String, Vec<Vect<D>>)> = vec![
        (
            "flattened".into(),
            mesh.rest.iter().map(|X| Vect::from_fn(|i, _| if i == D - 1 { 0.0 } else { X[i] })).collect(),
        ),
        (
            "inside out".into(),
            mesh.rest.iter().map(|X| Vect::from_fn(|i, _| if i == 0 { -X[i] } else { X[i] })).collect(),
        ),
    ];
    for seed in [1, 2, 3] {
        let mut random = Random::new(seed);
        starts.push((format!("random {seed}"), mesh.rest.iter().map(|_| size * 0.5 * random.vector::<D>()).collect()));
    }
    let low = mesh.bounds().0[0];
    for poisson in [0.3, 0.49] {
        for pinned in [false, true] {
            let mut body = body(&mesh, flesh, 1e5, poisson, MassKind::Lumped);
            if pinned {
                body.pins = vertices(&mesh, |X| X[0] < low + 0.2 * size);
            }
            let hold = Hold::at(&body, &mesh.rest);
            // A pinned body that is mirrored away from its pins has farther to go than a step takes it, and may stay folded.
            for (name, x) in starts.iter().filter(|(name, _)| !pinned || name != "inside out") {
                for integrator in [Integrator::BackwardEuler, Integrator::TrapezoidBdf2] {
                    let mut stepper = Stepper::new(&body);
                    stepper.integrator = integrator;
                    let still = vec![Vect::zeros(); x.len()];
                    let start = stepper.start(&hold, 0.0, x.clone(), still).unwrap();
                    assert!(deformation(&mesh, x) > 0.5, "vacuous: {name} is hardly deformed");
                    // the second-order integrator hardly damps what is left: let it come to rest with backward Euler
                    let end = run(&mut stepper, &hold, start, 1.0 / 24.0, 40);
                    stepper.integrator = Integrator::BackwardEuler;
                    let end = run(&mut stepper, &hold, end, 1.0 / 24.0, 100);
                    let left = deformation(&mesh, &end.x);
                    let case = format!("{} at {poisson}, {name}, pinned {pinned}, {integrator:?}", flesh.name());
                    // a free body keeps some spin, which stretches it; a tangle leaves 0.05 and more
                    let allowed = if pinned { 1e-3 } else { 3e-3 };
                    assert!(left < allowed, "{case}: {left}");
                }
            }
        }
    }
}

#[test]
fn stable_neo_hookean_bodies_recover() {
    recover(mesh::disc(3, 0.5), Flesh::StableNeoHookean);
    recover(mesh::block([3, 2, 2], Vect::from([0.6, 0.4, 0.4])), Flesh::StableNeoHookean);
}

#[test]
fn corotated_bodies_recover() {
    recover(mesh::disc(3, 0.5), Flesh::Corotated);
    recover(mesh::block([3, 2, 2], Vect::from([0.6, 0.4, 0.4])), Flesh::Corotated);
}

#[test]
fn arap_bodies_recover() {
    recover(mesh::disc(3, 0.5), Flesh::Arap);
    recover(mesh::block([3, 2, 2], Vect::from([0.6, 0.4, 0.4])), Flesh::Arap);
}
