//! Bodies recover from anything.

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
                let mut stepper = Stepper::new(&body, x.len());
                stepper.integrator = Integrator::BackwardEuler;
                let start = stepper.start(&free(), 0.0, x.clone(), vec![Vect::zeros(); x.len()]).unwrap();
                assert!(deformation(&mesh, x) > 0.5, "vacuous: {name} is hardly deformed");
                eprintln!("CASE {} {poisson} {name}", flesh.name());
                if std::env::var("REC").is_ok() {let mut st=start.clone(); let mut sp=Stepper::new(&body, x.len()); sp.integrator = Integrator::BackwardEuler; for k in 0..200 { let r=sp.step(1.0/24.0,&free(),&mut st); if k%10==0 { let inv=mesh.volumes(&st.x).iter().filter(|v| **v<0.0).count(); eprintln!("REC inv {inv} {k} {:.3e} {}", deformation(&mesh,&st.x), r.map_or("FAIL".into(), |r| format!("{} {}", r.iterations, r.halvings)));} }}
                let end = run(&mut stepper, &free(), start, 1.0 / 24.0, 60);
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

#[test]
fn zz_survey() {
    for young in [1e4, 1e5, 1e6] { for mesh in [mesh::block([3, 2, 2], Vect::from([0.6, 0.4, 0.4])), mesh::block([6, 4, 4], Vect::from([0.6, 0.4, 0.4]))] {
    for flesh in [Flesh::StableNeoHookean, Flesh::Corotated] { for poisson in [0.45, 0.49] {
        let mut good = 0; let mut inv = 0; let mut fail = 0;
        for seed in 0..4 { let mut random = Random::new(seed); let size = mesh.size();
            let _ = size; let x: Vec<Vect<3>> = mesh.rest.iter().map(|_| Vect::from([0.3, 0.2, 0.2]).component_mul(&random.vector::<3>())).collect();
            let body = body(&mesh, flesh, young, poisson, MassKind::Lumped);
            let mut stepper = Stepper::new(&body, x.len()); stepper.integrator = Integrator::BackwardEuler;
            let mut st = stepper.start(&free(), 0.0, x.clone(), vec![Vect::zeros(); x.len()]).unwrap();
            for _ in 0..150 { if stepper.step(1.0/24.0, &free(), &mut st).is_err() { fail += 1; break; } }
            if deformation(&mesh, &st.x) < 1e-2 { good += 1 }
            inv += mesh.volumes(&st.x).iter().filter(|v| **v<0.0).count();
        }
        eprintln!("SURVEY E {young} tets {} {} {poisson}: good {good}/8 inverted {inv} fail {fail}", mesh.element_count(), flesh.name());
    }}}}
}
