use dynamics::*;
use elastic::*;
use math::Vect;
use mesh::*;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let n: usize = a[1].parse().unwrap();
    let th: usize = a[2].parse().unwrap();
    let damp: f64 = a[3].parse().unwrap();
    let mesh = block([n * 7, n, n], Vect::from([0.7, 0.1, 0.1]));
    let ne = mesh.element_count();
    let lame = vec![Lame::from_young(1e6, 0.45).unwrap(); ne];
    let mut body = Body::new(
        mesh.rest.clone(),
        Mass::new(&mesh, &vec![1000.0; ne], MassKind::Lumped),
        vec![Flesh::StableNeoHookean.tissue(&mesh, &lame)],
    );
    body.pins = (0..mesh.rest.len() as u32).filter(|&v| mesh.rest[v as usize][0] == 0.0).collect();
    body.gravity = Vect::from([0.0, 0.0, -9.81]);
    body.damping.stiffness = damp;
    let hold = Hold::at(&body, &mesh.rest);
    rayon::ThreadPoolBuilder::new().num_threads(th).build().unwrap().install(|| {
        let mut s = Stepper::new(&body); s.newton.tolerance = 1e-6; let mut st = s.start(&hold, 0.0, mesh.rest.clone(), vec![Vect::zeros(); mesh.rest.len()]).unwrap();
        let mut r = Report::default(); for _ in 0..6 { r.add(&s.step(1.0 / 48.0, &hold, &mut st).unwrap()); }
        let i = r.iterations as f64; let ms = |d: std::time::Duration| d.as_secs_f64() * 1e3 / i; let q = r.seconds;
        println!("tets {ne} threads {th} iters {i} halv {} per iter ms: elements {:.2} assembly {:.2} factor {:.2} solve {:.2} total {:.2}", r.halvings, ms(q.elements), ms(q.assembly), ms(q.factorization), ms(q.solve), ms(q.total));
    });
}
