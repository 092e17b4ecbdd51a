use math::*;
use std::io::Write;
use std::time::Instant;
fn main() {
    let a: Vec<usize> = std::env::args().skip(1).map(|x| x.parse().unwrap()).collect();
    let (nx, ny, nz) = (a[0], a[1], a[2]);
    let id = |i: usize, j: usize, k: usize| ((i * (ny + 1) + j) * (nz + 1) + k) as u32;
    let perms = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
    let mut pairs = vec![];
    for i in 0..nx {
        for j in 0..ny {
            for k in 0..nz {
                for p in perms {
                    let mut o = [i, j, k];
                    let mut v = vec![id(o[0], o[1], o[2])];
                    for s in 0..3 {
                        o[p[s]] += 1;
                        v.push(id(o[0], o[1], o[2]));
                    }
                    for a in 0..4 {
                        for b in 0..a {
                            pairs.push((v[a], v[b]));
                        }
                    }
                }
            }
        }
    }
    let n = (nx + 1) * (ny + 1) * (nz + 1);
    let mut m = BlockMatrix::<3>::with_pattern(n, pairs);
    let mut r = check::Random::new(1);
    for c in 0..n {
        for k in m.starts[c]..m.starts[c + 1] {
            m.blocks[k] = if m.rows[k] as usize == c {
                let x = r.matrix::<3>();
                60.0 * Mat::<3>::identity() + x + x.transpose()
            } else {
                r.matrix()
            };
        }
    }
    let t = Instant::now();
    let mut f = Factor::new(&m);
    println!(
        "unknowns {} nnz(L) {:.1}M flops {:.2}G analyse {:.0} ms",
        3 * n,
        f.len() as f64 / 1e6,
        f.work() * 1e-9,
        t.elapsed().as_secs_f64() * 1e3
    );
    for th in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(th).build().unwrap();
        pool.install(|| {
            let mut best = f64::MAX;
            for _ in 0..5 {
                let t = Instant::now();
                f.factorize(&m).unwrap();
                best = best.min(t.elapsed().as_secs_f64());
            }
            let b: Vec<Vect<3>> = (0..n).map(|_| r.vector()).collect();
            let mut x = b.clone();
            let t = Instant::now();
            f.solve(&mut x);
            let ts = t.elapsed().as_secs_f64();
            let mut ax = b.clone();
            m.times(&x, &mut ax);
            let e = ax.iter().zip(&b).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
            println!(
                "{th} threads: factor {:.1} ms ({:.1} GF/s) solve {:.1} ms err {e:.1e}",
                best * 1e3,
                f.work() / best * 1e-9,
                ts * 1e3
            );
        });
    }
    if a.len() > 3 {
        let mut w = std::io::BufWriter::new(std::fs::File::create("/tmp/m.bin").unwrap());
        let (mut cp, mut ri, mut v) = (vec![0i64], vec![], vec![]);
        for c in 0..n {
            for i in 0..3 {
                for k in m.starts[c]..m.starts[c + 1] {
                    let rr = m.rows[k] as usize;
                    for j in 0..3 {
                        if 3 * rr + j >= 3 * c + i {
                            ri.push((3 * rr + j) as i64);
                            v.push(m.blocks[k][(j, i)]);
                        }
                    }
                }
                cp.push(ri.len() as i64);
            }
        }
        w.write_all(&(3 * n as i64).to_le_bytes()).unwrap();
        w.write_all(&(ri.len() as i64).to_le_bytes()).unwrap();
        for x in cp {
            w.write_all(&x.to_le_bytes()).unwrap();
        }
        for x in ri {
            w.write_all(&x.to_le_bytes()).unwrap();
        }
        for x in v {
            w.write_all(&x.to_le_bytes()).unwrap();
        }
    }
}
