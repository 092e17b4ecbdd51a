//! The spinning jellyfish, against the same problem in a frame that turns exactly with its core.
#![allow(non_snake_case)]

use control::Adjusted;
use dynamics::{Body, Damping, Drive, Scales, State, Stepper};
use elastic::{Flesh, Lame};
use math::{Mat, Vect};
use mesh::{Mass, MassKind, Mesh};
use rayon::prelude::*;
use supple::{Example, write_example};

/// How long it is watched [s], and how fast it spins after 0.2 s [rad/s].
const SECONDS: f64 = 0.3;
const RATE: f64 = 6.0;
const RISE: f64 = 0.2;

/// The angle at a time, with its rate and the rate's: it spins up smoothly.
fn angle(t: f64) -> [f64; 3] {
    let s = (t / RISE).min(1.0);
    let grown = RATE * RISE * (s * s * s - 0.5 * s * s * s * s) + RATE * (t - RISE).max(0.0);
    [grown, RATE * (3.0 * s * s - 2.0 * s * s * s), RATE / RISE * 6.0 * s * (1.0 - s)]
}

fn turned(t: f64) -> Mat<3> {
    let (s, c) = angle(t)[0].sin_cos();
    Mat::<3>::new(c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0)
}

/// The core, turned about the middle of the body.
struct Spin<'a>(&'a Body<3>);

impl Drive<3> for Spin<'_> {
    fn pins(&self, t: f64, x: &mut [Vect<3>]) {
        x.iter_mut().zip(&self.0.pins).for_each(|(x, &v)| *x = turned(t) * self.0.rest[v as usize]);
    }
}

/// Fourth-order Runge–Kutta in the turning frame: q″ = −M⁻¹ f(X + q) − d q′ − ε(ω′×y + ω×(ω×y) + 2ω×q′), y = X + q. Nothing of it is shared
/// with the engine but the elastic forces.
fn in_the_turning_frame(mesh: &Mesh<3>, body: &Body<3>, epsilon: f64, steps: usize) -> Vec<Vect<3>> {
    let n = mesh.rest.len();
    let mut is_free = vec![true; n];
    body.pins.iter().for_each(|&v| is_free[v as usize] = false);
    let energy = &body.energies[0];
    let elements: Vec<&[u32]> = mesh.elements().collect();
    let acceleration = |t: f64, q: &[Vect<3>], v: &[Vect<3>]| -> Vec<Vect<3>> {
        let x: Vec<Vect<3>> = mesh.rest.iter().zip(q).map(|(X, q)| X + q).collect();
        let pulls: Vec<[Vect<3>; 4]> = (0..elements.len())
            .into_par_iter()
            .with_min_len(512)
            .map(|e| {
                let mut g = [Vect::zeros(); 4];
                energy.gradient(e, &x, &mut g);
                g
            })
            .collect();
        let mut force = vec![Vect::zeros(); n];
        for (corners, pull) in elements.iter().zip(&pulls) {
            corners.iter().zip(pull).for_each(|(&v, g)| force[v as usize] += g);
        }
        let [_, rate, growth] = angle(t);
        let (w, w1) = (Vect::from([0.0, 0.0, rate]), Vect::from([0.0, 0.0, growth]));
        let one = |i: usize| {
            let inertia = w1.cross(&x[i]) + w.cross(&w.cross(&x[i])) + 2.0 * w.cross(&v[i]);
            -force[i] / body.mass.of(i) - body.damping.mass * v[i] - epsilon * inertia
        };
        (0..n).map(|i| if is_free[i] { one(i) } else { Vect::zeros() }).collect()
    };
    let plus =
        |a: &[Vect<3>], s: f64, b: &[Vect<3>]| -> Vec<Vect<3>> { a.iter().zip(b).map(|(a, b)| a + s * b).collect() };
    let (mut q, mut v) = (vec![Vect::zeros(); n], vec![Vect::zeros(); n]);
    let h = SECONDS / steps as f64;
    for k in 0..steps {
        let t = k as f64 * h;
        let a1 = acceleration(t, &q, &v);
        let (q2, v2) = (plus(&q, h / 2.0, &v), plus(&v, h / 2.0, &a1));
        let a2 = acceleration(t + h / 2.0, &q2, &v2);
        let (q3, v3) = (plus(&q, h / 2.0, &v2), plus(&v, h / 2.0, &a2));
        let a3 = acceleration(t + h / 2.0, &q3, &v3);
        let (q4, v4) = (plus(&q, h, &v3), plus(&v, h, &a3));
        let a4 = acceleration(t + h, &q4, &v4);
        for i in 0..n {
            q[i] += h / 6.0 * (v[i] + 2.0 * v2[i] + 2.0 * v3[i] + v4[i]);
            v[i] += h / 6.0 * (a1[i] + 2.0 * a2[i] + 2.0 * a3[i] + a4[i]);
        }
    }
    q.iter().map(|q| turned(SECONDS) * q).collect()
}

/// x − p at the end, as the engine has it.
fn as_simulated(mesh: &Mesh<3>, body: &Body<3>, epsilon: f64, steps: usize) -> Vec<Vect<3>> {
    let n = mesh.rest.len();
    let mut adjusted = Adjusted::new(body, mesh, Box::new(move |_, s: &mut Scales| s.inertia = vec![epsilon; n]));
    let mut stepper = Stepper::new(body);
    stepper.newton.tolerance = 1e-8;
    let (zero, mut x, drive) = (vec![Vect::zeros(); n], mesh.rest.clone(), Spin(body));
    adjusted.start(&drive, 0.0, &mut x, &zero);
    let mut state = State { t: 0.0, x, v: zero.clone(), a: zero };
    for _ in 0..steps {
        stepper.step_on(SECONDS / steps as f64, &drive, Some(&mut adjusted), &mut state).unwrap();
    }
    assert_eq!(adjusted.took.settled.solved, 0, "its static shape is a known one, turned");
    state.x.iter().zip(&adjusted.motion().x).map(|(x, p)| x - p).collect()
}

#[test]
fn a_spinning_jellyfish_is_the_same_in_an_exactly_turning_frame() {
    let folder = std::env::temp_dir().join(format!("supple-spin-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    write_example(Example::Jellyfish, &folder).unwrap();
    let volume = formats::read_volume(folder.join("jellyfish.veg")).unwrap();
    let _ = std::fs::remove_dir_all(&folder);
    let (mesh, n) = (&volume.mesh, volume.mesh.element_count());
    let core = volume.regions.iter().find(|region| region.name == "core").unwrap();
    let lame = vec![Lame::from_young(1e5, 0.4).unwrap(); n];
    let mass = Mass::new(mesh, &vec![1000.0; n], MassKind::Lumped);
    let mut body = Body::new(mesh.rest.clone(), mass, vec![Flesh::StableNeoHookean.tissue(mesh, &lame)]);
    body.damping = Damping { mass: 3.0, stiffness: 0.0 };
    let mut pins: Vec<u32> =
        core.elements.iter().flat_map(|&e| mesh.elements().nth(e as usize).unwrap().to_vec()).collect();
    pins.sort_unstable();
    pins.dedup();
    body.pins = pins;
    for epsilon in [0.4, 1.5] {
        let d = as_simulated(mesh, &body, epsilon, 150);
        let exact = in_the_turning_frame(mesh, &body, epsilon, 1000);
        let size = exact.iter().map(|q| q.norm()).fold(0.0, f64::max);
        let off = d.iter().zip(&exact).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
        println!("{n} tets, inertia {epsilon}: off by {off:.2e} m of {size:.2e} m");
        assert!(size > 0.01 * mesh.size(), "vacuous: {size}");
        assert!(off < 1e-3 * size, "{epsilon}: {off} of {size}");
    }
}
