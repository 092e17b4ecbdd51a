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

fn recover<const D: usize>(mesh: Mesh<D>)
where
    Mat<D>: Small<D>,
{
    let mut random = Random::new(16);
    let size = mesh.size();
    let starts: Vec<(&str, Vec<Vect<D>>)> = vec![
        ("random", mesh.rest.iter().map(|_| size * 0.5 * random.vector::<D>()).collect()),
        ("flattened", mesh.rest.iter().map(|X| Vect::from_fn(|i, _| if i == D - 1 { 0.0 } else { X[i] })).collect()),
        ("inside out", mesh.rest.iter().map(|X| Vect::from_fn(|i, _| if i == 0 { -X[i] } else { X[i] })).collect()),
    ];
    for flesh in [Flesh::StableNeoHookean, Flesh::Corotated, Flesh::Arap] {
        for poisson in [0.3, 0.49] {
            let body = body(&mesh, flesh, 1e5, poisson, MassKind::Lumped);
            for (name, x) in &starts {
                let mut stepper = Stepper::new(&body);
                stepper.integrator = Integrator::BackwardEuler;
                let start = stepper.start(&free(), 0.0, x.clone(), vec![Vect::zeros(); x.len()]).unwrap();
                assert!(deformation(&mesh, x) > 0.5, "vacuous: {name} is hardly deformed");
                let end = run(&mut stepper, &free(), start, 1.0 / 24.0, 100);
                let left = deformation(&mesh, &end.x);
                assert!(left < 1e-3, "{} at {poisson}, {name}: {left}", flesh.name());
            }
        }
    }
}

#[test]
fn random_flattened_and_inside_out_bodies_recover_in_the_plane() {
    recover(mesh::disc(3, 0.5));
}

#[test]
fn random_flattened_and_inside_out_bodies_recover_in_space() {
    recover(mesh::block([3, 2, 2], Vect::from([0.6, 0.4, 0.4])));
}
