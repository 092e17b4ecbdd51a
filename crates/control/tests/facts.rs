//! Facts about tissue on a core that follows a rig.
#![allow(non_snake_case)]

use control::{Attached, Follow, damping_of, find_core};
use dynamics::{Body, Drive, State, Stepper};
use elastic::{Flesh, Lame};
use math::{Mat, Vect};
use mesh::{Mass, MassKind, Mesh};

/// A rig that moves the whole bar as one: x = R(t) X + c(t), and teleports.
struct Rigid<'a> {
    rest: &'a [Vect<3>],
    pose: Box<dyn Fn(f64) -> (Mat<3>, Vect<3>) + Sync>,
    jumps: Vec<f64>,
}
impl Follow for Rigid<'_> {
    fn positions(&self, t: f64, x: &mut [Vect<3>]) {
        let (R, c) = (self.pose)(t);
        x.iter_mut().zip(self.rest).for_each(|(x, X)| *x = R * X + c);
    }
    fn jumps(&self) -> &[f64] {
        &self.jumps
    }
}

fn bar() -> Mesh<3> {
    mesh::block([10, 2, 2], Vect::from([0.5, 0.1, 0.1]))
}

/// Flesh on a core at one end.
fn tissue(mesh: &Mesh<3>) -> Body<3> {
    tissue_of(mesh, 1e5)
}

/// The same of this stiffness [Pa].
fn tissue_of(mesh: &Mesh<3>, young: f64) -> Body<3> {
    let n = mesh.element_count();
    let lame = vec![Lame::from_young(young, 0.4).unwrap(); n];
    let mass = Mass::new(mesh, &vec![1000.0; n], MassKind::Lumped);
    let mut body = Body::new(mesh.rest.clone(), mass, vec![Flesh::StableNeoHookean.tissue(mesh, &lame)]);
    body.pins = find_core(mesh, &[[[0.01, 0.05, 0.05], [0.06, 0.05, 0.05]].map(Vect::from)], 0.1).unwrap();
    assert!(body.pins.len() < mesh.rest.len() / 2);
    body
}

fn attach<'a>(
    mesh: &'a Mesh<3>,
    body: &Body<3>,
    jumps: &[f64],
    pose: impl Fn(f64) -> (Mat<3>, Vect<3>) + Sync + 'static,
) -> Attached<Rigid<'a>> {
    let follow = Rigid { rest: &mesh.rest, pose: Box::new(pose), jumps: jumps.to_vec() };
    Attached::new(follow, body.pins.clone(), mesh.rest.len(), 1e-3)
}

fn turned(angle: f64) -> Mat<3> {
    let (s, c) = angle.sin_cos();
    Mat::<3>::new(c, 0.0, s, 0.0, 1.0, 0.0, -s, 0.0, c)
}

fn largest(a: &[Vect<3>], b: &[Vect<3>]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max)
}

/// Elastic energy, and kinetic energy relative to the rig [J].
fn energy(body: &Body<3>, attached: &Attached<Rigid<'_>>, state: &State<3>) -> f64 {
    let mut v = vec![Vect::zeros(); state.v.len()];
    assert!(attached.velocities(state.t, &mut v));
    let relative: Vec<_> = state.v.iter().zip(&v).map(|(a, b)| a - b).collect();
    let elastic: f64 = body.energies.iter().map(|e| (0..e.terms()).map(|k| e.value(k, &state.x)).sum::<f64>()).sum();
    elastic + 0.5 * body.mass.product(&relative, &relative)
}

#[test]
fn a_core_at_rest_stays_at_rest() {
    let mesh = bar();
    let mut body = tissue(&mesh);
    body.damping.mass = 3.0;
    let mut attached = attach(&mesh, &body, &[], |_| (turned(0.4), Vect::from([1.0, 2.0, 3.0])));
    let mut stepper = Stepper::new(&body);
    let mut state = attached.start(&mut stepper, 0.0).unwrap();
    for _ in 0..5 {
        attached.advance(&mut stepper, state.t + 1.0 / 24.0, &mut state).unwrap();
    }
    assert!(largest(&state.x, &attached.rig(0.0)) < 1e-9);
}

#[test]
fn a_bar_on_a_swinging_core_follows_and_lags() {
    let mesh = bar();
    let mut body = tissue(&mesh);
    body.damping.mass = damping_of(0.1);
    let swing = |t: f64| 0.5 * (1.0 - (3.0 * t).cos());
    let mut attached = attach(&mesh, &body, &[], move |t| (turned(swing(t)), Vect::zeros()));
    let mut stepper = Stepper::new(&body);
    let mut state = attached.start(&mut stepper, 0.0).unwrap();
    let mut lag = 0.0f64;
    for frame in 1..=48 {
        attached.advance(&mut stepper, state.t + 1.0 / 24.0, &mut state).unwrap();
        let rig = attached.rig(frame as f64 / 24.0);
        for &v in &body.pins {
            assert!((state.x[v as usize] - rig[v as usize]).norm() < 1e-12, "the core is where the rig puts it");
        }
        let off = largest(&state.x, &rig);
        assert!(off < 0.1, "frame {frame}: it follows, but {off}");
        lag = lag.max(off);
    }
    assert!(lag > 0.005, "vacuous: it follows as if it were stiff ({lag})");
    assert!((state.t - 2.0).abs() < 1e-9);
}

#[test]
fn the_amplitude_halves_in_the_half_time() {
    let mesh = bar();
    let mut body = tissue(&mesh);
    let half_time = 0.2;
    body.damping.mass = damping_of(half_time);
    let mut attached = attach(&mesh, &body, &[], |_| (Mat::identity(), Vect::zeros()));
    let mut stepper = Stepper::new(&body);
    // its slowest vibration, small
    let modes = dynamics::lowest_modes(&body, &mesh.rest, 1).unwrap();
    let shape = modes.shapes[0].clone();
    let scale = 1e-3 / shape.iter().map(|s| s.norm()).fold(0.0, f64::max);
    let start = mesh.rest.iter().zip(&shape).map(|(X, s)| X + scale * s).collect();
    let mut state = stepper.start(&attached, 0.0, start, vec![Vect::zeros(); mesh.rest.len()]).unwrap();
    let amplitude = |state: &State<3>| {
        let u: Vec<_> = state.x.iter().zip(&mesh.rest).map(|(x, X)| x - X).collect();
        body.mass.product(&u, &shape)
    };
    let first = amplitude(&state);
    // after whole periods of the damped vibration it is at its turning point again
    let period = std::f64::consts::TAU / (modes.omega_squared[0] - body.damping.mass.powi(2) / 4.0).sqrt();
    let periods = (2.0 * half_time / period).round().max(1.0);
    let steps = 100 * periods as usize;
    for _ in 0..steps {
        attached.advance(&mut stepper, state.t + period / 100.0, &mut state).unwrap();
    }
    let (left, expected) = (amplitude(&state) / first, 0.5f64.powf(periods * period / half_time));
    assert!(expected < 0.6, "vacuous: {expected}");
    assert!((left / expected - 1.0).abs() < 0.02, "{left} {expected}");
}

#[test]
fn a_rig_that_moves_on_steadily_feels_no_damping() {
    let mesh = bar();
    let mut body = tissue(&mesh);
    body.damping.mass = 20.0;
    let mut attached = attach(&mesh, &body, &[], |t| (Mat::identity(), t * Vect::from([3.0, 1.0, -2.0])));
    let mut stepper = Stepper::new(&body);
    let mut state = attached.start(&mut stepper, 0.0).unwrap();
    for _ in 0..24 {
        attached.advance(&mut stepper, state.t + 1.0 / 24.0, &mut state).unwrap();
    }
    let off = largest(&state.x, &attached.rig(1.0));
    assert!(off < 1e-6, "{off}");
    // the same body whose drive says nothing of its velocity is held back
    struct Pins<'a>(&'a Attached<Rigid<'a>>);
    impl Drive<3> for Pins<'_> {
        fn pins(&self, t: f64, x: &mut [Vect<3>]) {
            self.0.pins(t, x);
        }
    }
    let mut state = attached.start(&mut stepper, 0.0).unwrap();
    for _ in 0..24 {
        stepper.step(1.0 / 24.0, &Pins(&attached), &mut state).unwrap();
    }
    let off = largest(&state.x, &attached.rig(1.0));
    assert!(off > 0.01, "vacuous: {off}");
}

/// A steady walk that is cut: at the jump the character is elsewhere and looks elsewhere.
#[test]
fn a_teleport_leaves_no_energy() {
    let mesh = bar();
    let mut body = tissue(&mesh);
    body.damping.mass = 1.0;
    let jump = 0.1 + 1.0 / 48.0; // in the middle of a step
    let mut attached = attach(&mesh, &body, &[jump], move |t| {
        let walked = t * Vect::from([1.0, 0.0, 0.0]);
        if t < jump {
            (turned(0.0), walked)
        } else {
            (turned(2.0), turned(2.0) * walked + Vect::from([50.0, -7.0, 2.0]))
        }
    });
    let mut stepper = Stepper::new(&body);
    let mut state = attached.start(&mut stepper, 0.0).unwrap();
    for _ in 0..10 {
        attached.advance(&mut stepper, state.t + 1.0 / 24.0, &mut state).unwrap();
    }
    let off = largest(&state.x, &attached.rig(10.0 / 24.0));
    assert!(off < 1e-6, "{off}");
    let left = energy(&body, &attached, &state);
    assert!(left < 1e-9, "{left} J");
}

#[test]
fn a_vibration_goes_on_after_a_teleport_as_if_there_had_been_none() {
    let mesh = bar();
    let body = tissue(&mesh);
    let run = |jumps: &[f64]| {
        let mut attached = attach(&mesh, &body, jumps, {
            let at = jumps.first().copied().unwrap_or(f64::INFINITY);
            move |t| if t < at { (turned(0.0), Vect::zeros()) } else { (turned(1.0), Vect::from([9.0, 0.0, 0.0])) }
        });
        let mut stepper = Stepper::new(&body);
        stepper.newton.tolerance = 1e-9;
        let mut state = attached.start(&mut stepper, 0.0).unwrap();
        for (v, X) in state.v.iter_mut().zip(&mesh.rest) {
            v[2] += 3.0 * X[0] * X[0];
        }
        for _ in 0..16 {
            attached.advance(&mut stepper, state.t + 1.0 / 96.0, &mut state).unwrap();
        }
        state.x
    };
    // at the end of a step, so that both take the same steps
    let (plain, cut) = (run(&[]), run(&[8.0 / 96.0]));
    let cut: Vec<_> = cut.iter().map(|x| turned(1.0).transpose() * (x - Vect::from([9.0, 0.0, 0.0]))).collect();
    let moved = largest(&plain, &mesh.rest);
    let off = largest(&plain, &cut);
    assert!(moved > 0.02, "vacuous: {moved}");
    assert!(off < 0.01 * moved, "{off} of {moved}");
}

#[test]
fn the_motion_of_the_rig_is_a_good_start_and_changes_no_result() {
    /// The same without a guess.
    struct Unguessed<'a>(&'a Attached<Rigid<'a>>);
    impl Drive<3> for Unguessed<'_> {
        fn pins(&self, t: f64, x: &mut [Vect<3>]) {
            self.0.pins(t, x);
        }
        fn velocities(&self, t: f64, v: &mut [Vect<3>]) -> bool {
            self.0.velocities(t, v)
        }
    }
    let mesh = bar();
    let body = tissue_of(&mesh, 1e9); // soft flesh goes where its velocity leads, stiff where the rig does
    // two turns per second, 30 degrees in a step
    let mut attached = attach(&mesh, &body, &[], |t| (turned(4.0 * std::f64::consts::PI * t), Vect::zeros()));
    let mut stepper = Stepper::new(&body);
    stepper.newton.tolerance = 1e-9;
    let mut run = |guess: bool| {
        let mut state = attached.start(&mut stepper, 0.0).unwrap();
        let mut iterations = 0;
        for _ in 0..6 {
            let report = match guess {
                true => attached.advance(&mut stepper, state.t + 1.0 / 24.0, &mut state).unwrap(),
                false => stepper.step(1.0 / 24.0, &Unguessed(&attached), &mut state).unwrap(),
            };
            iterations += report.iterations;
        }
        (state.x, iterations)
    };
    let ((x, with), (y, without)) = (run(true), run(false));
    assert!(largest(&x, &y) < 1e-6, "{}", largest(&x, &y));
    assert!(with < without, "{with} iterations with the guess, {without} without");
}
