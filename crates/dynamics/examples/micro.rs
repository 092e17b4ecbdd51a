use elastic::*;
use math::*;
use mesh::*;
use std::time::Instant;
fn main() {
    let mesh = block([20, 13, 13], Vect::from([1.0, 0.6, 0.6]));
    let ne = mesh.element_count();
    let lame = vec![Lame::from_young(1e5, 0.45).unwrap(); ne];
    let mut r = check::Random::new(1);
    let x: Vec<Vect<3>> = mesh.rest.iter().map(|x| x + 0.004 * r.vector::<3>()).collect();
    for f in [Flesh::StableNeoHookean, Flesh::Corotated] {
        let t = f.tissue(&mesh, &lame);
        let mut g = [Vect::zeros(); 4];
        let mut h = [Mat::zeros(); 10];
        let time = |f: &mut dyn FnMut(usize)| {
            let mut b = f64::MAX;
            for _ in 0..5 {
                let s = Instant::now();
                for e in 0..ne {
                    f(e);
                }
                b = b.min(s.elapsed().as_secs_f64());
            }
            b / ne as f64 * 1e9
        };
        let mut acc = 0.0;
        println!("{} tets {ne}: value {:.0} ns", f.name(), time(&mut |e| acc += t.value(e, &x)));
        println!(
            "gradient {:.0} ns",
            time(&mut |e| {
                t.gradient(e, &x, &mut g);
                acc += g[0][0];
            })
        );
        println!(
            "hessian {:.0} ns, projected {:.0} ns",
            time(&mut |e| {
                t.hessian(e, &x, false, &mut h);
                acc += h[0][0];
            }),
            {
                let mut h2 = [Mat::zeros(); 10];
                time(&mut |e| {
                    t.hessian(e, &x, true, &mut h2);
                })
            }
        );
        let fs: Vec<Mat<3>> = (0..ne).map(|_| Mat::identity() + 0.1 * r.matrix::<3>()).collect();
        println!("svd {:.0} ns", time(&mut |e| acc += fs[e].signed_svd().sigma[2]));
        println!("psd {:.0} ns", time(&mut |e| acc += (fs[e] + fs[e].transpose()).psd()[0]));
        println!("{acc}");
    }
    let t = Flesh::StableNeoHookean.tissue(&mesh, &lame);
    let e: Vec<&dyn Energy<3>> = vec![&*t];
    let (mut a, mut m) = Assembly::new(&e, &vec![true; x.len()], []);
    rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap().install(|| {
        let ms = |s: Instant| s.elapsed().as_secs_f64() * 1e3;
        for _ in 0..3 {
            let mut g = x.clone();
            let s = Instant::now();
            a.gradient(&e, &x, &mut g);
            let t1 = ms(s);
            let s = Instant::now();
            a.tangents(&e, &x, true);
            let t2 = ms(s);
            let s = Instant::now();
            a.fill(&mut m, 0.0, 1.0);
            let t3 = ms(s);
            let s = Instant::now();
            let v = a.value(&e, &x);
            println!("asm gradient {t1:.2} tangents {t2:.2} fill {t3:.2} value {:.2} {v}", ms(s));
        }
    });
}
