//! Facts about adjusted dynamics: what amplitude 0, 1 and all between must be.
#![allow(non_snake_case)]

use control::{Adjusted, Form};
use dynamics::{Body, Damping, Drive, Integrator, Ride, Scales, State, Stepper};
use elastic::{Flesh, Lame};
use math::{Mat, Vect};
use mesh::{Mass, MassKind, Mesh};

/// Pins that are moved by a function of time and place.
struct Moved<'a> {
    mesh: &'a Mesh<3>,
    pins: &'a [u32],
    path: &'a (dyn Fn(f64, &Vect<3>) -> Vect<3> + Sync),
}

impl Drive<3> for Moved<'_> {
    fn pins(&self, t: f64, x: &mut [Vect<3>]) {
        x.iter_mut().zip(self.pins).for_each(|(x, &v)| *x = (self.path)(t, &self.mesh.rest[v as usize]));
    }
}

fn bar() -> Mesh<3> {
    mesh::block([8, 2, 2], Vect::from([0.4, 0.1, 0.1]))
}

fn flesh(mesh: &Mesh<3>, flesh: Flesh, gravity: f64) -> Body<3> {
    let n = mesh.element_count();
    let lame = vec![Lame::from_young(2e5, 0.4).unwrap(); n];
    let mass = Mass::new(mesh, &vec![1000.0; n], MassKind::Lumped);
    let mut body = Body::new(mesh.rest.clone(), mass, vec![flesh.tissue(mesh, &lame)]);
    body.pins = (0..mesh.rest.len() as u32).filter(|&v| mesh.rest[v as usize][0] < 0.06).collect();
    body.gravity = Vect::from([0.0, 0.0, -gravity]);
    body
}

const STEP: f64 = 1.0 / 48.0;

struct Run {
    x: Vec<Vec<Vect<3>>>,
    p: Vec<Vec<Vect<3>>>,
    amplitude: f64,
    solved: usize,
}

/// Rides through so many steps with this share of inertia.
#[allow(clippy::too_many_arguments)]
fn ride(
    mesh: &Mesh<3>,
    body: &Body<3>,
    drive: &Moved,
    integrator: Integrator,
    form: Form,
    epsilon: f64,
    steps: usize,
    step: f64,
) -> Run {
    ride_by(mesh, body, drive, integrator, form, &|_| epsilon, steps, step)
}

/// The same with a share that changes.
#[allow(clippy::too_many_arguments)]
fn ride_by(
    mesh: &Mesh<3>,
    body: &Body<3>,
    drive: &Moved,
    integrator: Integrator,
    form: Form,
    epsilon: &(dyn Fn(f64) -> f64 + Sync),
    steps: usize,
    step: f64,
) -> Run {
    let n = mesh.rest.len();
    let mut adjusted = Adjusted::new(body, mesh, Box::new(move |t, s: &mut Scales| s.inertia = vec![epsilon(t); n]));
    adjusted.form = form;
    adjusted.set_tolerance(1e-12, 0.0);
    let mut stepper = Stepper::new(body);
    (stepper.integrator, stepper.newton.tolerance) = (integrator, 1e-12);
    let (zero, mut x) = (vec![Vect::zeros(); n], mesh.rest.clone());
    adjusted.start(drive, 0.0, &mut x, &zero);
    let mut state = State { t: 0.0, x, v: zero.clone(), a: zero };
    let mut run = Run { x: vec![], p: vec![], amplitude: 0.0, solved: 0 };
    for _ in 0..steps {
        stepper.step_on(step, drive, Some(&mut adjusted), &mut state).unwrap();
        run.x.push(state.x.clone());
        run.p.push(adjusted.motion().x.clone());
    }
    (run.amplitude, run.solved) = (adjusted.amplitude()[0], adjusted.took.settled.solved);
    run
}

fn largest(a: &[Vect<3>], b: &[Vect<3>]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max)
}

fn most(run: &Run) -> f64 {
    run.x.iter().zip(&run.p).map(|(x, p)| largest(x, p)).fold(0.0, f64::max)
}

/// A yank to the side, and a stop.
fn yank(t: f64, X: &Vect<3>) -> Vect<3> {
    X + Vect::from([0.0, 0.5 * t.clamp(0.0, 0.4), 0.0])
}

/// Turns about y, back and forth.
fn swing(t: f64, X: &Vect<3>) -> Vect<3> {
    let (s, c) = (0.8 * (5.0 * t).sin()).sin_cos();
    Mat::<3>::new(c, 0.0, s, 0.0, 1.0, 0.0, -s, 0.0, c) * X
}

/// Squeezes and shears the core while it moves.
fn squeeze(t: f64, X: &Vect<3>) -> Vect<3> {
    let s = 0.2 * (6.0 * t).sin();
    X + Vect::from([s * X[2], 0.3 * t * t + s * X[1], -s * X[2]])
}

type Path = fn(f64, &Vect<3>) -> Vect<3>;
const MOTIONS: [(&str, Path); 3] = [("yank", yank), ("swing", swing), ("squeeze", squeeze)];
const BOTH: [Integrator; 2] = [Integrator::BackwardEuler, Integrator::TrapezoidBdf2];

#[test]
fn amplitude_0_is_the_static_shape() {
    let mesh = bar();
    for (name, path) in MOTIONS {
        for kind in [Flesh::StableNeoHookean, Flesh::StVenantKirchhoff] {
            for damping in [Damping { mass: 0.0, stiffness: 5e-3 }, Damping { mass: 4.0, stiffness: 0.0 }] {
                let mut body = flesh(&mesh, kind, 9.81);
                body.damping = damping;
                let drive = Moved { mesh: &mesh, pins: &body.pins, path: &path };
                for integrator in BOTH {
                    for form in [Form::Relative, Form::FivePoint] {
                        let still = ride(&mesh, &body, &drive, integrator, form, 0.0, 12, STEP);
                        assert!(most(&still) < 1e-8 * mesh.size(), "{name} {kind:?} {integrator:?}: {}", most(&still));
                    }
                    let moving = ride(&mesh, &body, &drive, integrator, Form::Relative, 1.0, 12, STEP);
                    assert!(most(&moving) > 1e-3 * mesh.size(), "vacuous: {name} does not move it");
                }
            }
        }
    }
}

#[test]
fn amplitude_1_is_the_plain_simulation() {
    let mesh = bar();
    for (name, path) in MOTIONS {
        for integrator in BOTH {
            let mut body = flesh(&mesh, Flesh::StableNeoHookean, 9.81);
            if name == "yank" {
                body.damping.stiffness = 5e-3; // K v is the same in a frame that does not turn
            }
            let drive = Moved { mesh: &mesh, pins: &body.pins, path: &path };
            let adjusted = ride(&mesh, &body, &drive, integrator, Form::Relative, 1.0, 24, STEP);
            let mut stepper = Stepper::new(&body);
            (stepper.integrator, stepper.newton.tolerance) = (integrator, 1e-12);
            let zero = vec![Vect::zeros(); mesh.rest.len()];
            let mut x = mesh.rest.clone();
            stepper.equilibrium(&drive, 0.0, &mut x).unwrap();
            let mut state = State { t: 0.0, x, v: zero.clone(), a: zero };
            for there in &adjusted.x {
                stepper.step(STEP, &drive, &mut state).unwrap();
                let off = largest(there, &state.x);
                assert!(off < 1e-10 * mesh.size(), "{name} {integrator:?} at {}: {off}", state.t);
            }
            assert!(most(&adjusted) > 1e-3 * mesh.size(), "vacuous");
        }
    }
}

#[test]
fn amplitude_is_linear_for_linear_flesh_that_is_not_turned() {
    let mesh = bar();
    let mut body = flesh(&mesh, Flesh::Linear, 9.81);
    body.damping.stiffness = 5e-3;
    let drive = Moved { mesh: &mesh, pins: &body.pins, path: &yank };
    for integrator in BOTH {
        let of = |epsilon| ride(&mesh, &body, &drive, integrator, Form::Relative, epsilon, 48, STEP).amplitude;
        let one = of(1.0);
        for epsilon in [0.25, 0.5, 2.0, 4.0] {
            let ratio = of(epsilon) / one;
            assert!((ratio / epsilon - 1.0).abs() < 1e-6, "{integrator:?} {epsilon}: {ratio}");
        }
    }
}

/// Turns on and on about z, from rest.
fn spin(t: f64, X: &Vect<3>) -> Vect<3> {
    let (s, c) = (4.0 * if t < 1.0 { 0.5 * t * t } else { t - 0.5 }).sin_cos();
    Mat::<3>::new(c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0) * X
}

#[test]
fn a_spin_may_be_felt_several_times_in_long_steps_and_by_a_share_that_changes() {
    let mesh = bar();
    let mut body = flesh(&mesh, Flesh::StableNeoHookean, 0.0);
    body.damping.mass = 3.0;
    let drive = Moved { mesh: &mesh, pins: &body.pins, path: &spin };
    let rising = |t: f64| 1.0 + 3.0 * (t - 1.5).clamp(0.0, 0.5);
    let shares: [&(dyn Fn(f64) -> f64 + Sync); 3] = [&|_| 4.0, &|_| 0.5, &rising];
    for (k, share) in shares.into_iter().enumerate() {
        for integrator in BOTH {
            let run = |n: usize| {
                let steps = 72 * n;
                let run = ride_by(&mesh, &body, &drive, integrator, Form::Relative, share, steps, 3.0 / steps as f64);
                run.x[steps - 1].iter().zip(&run.p[steps - 1]).map(|(x, p)| x - p).collect::<Vec<_>>()
            };
            let (long, half, short) = (run(1), run(2), run(6));
            let still = vec![Vect::zeros(); short.len()];
            let [off, half, size] = [largest(&long, &short), largest(&half, &short), largest(&still, &short)];
            // backward Euler pulls what circles sideways, whatever is felt of it
            let bound = if integrator == Integrator::BackwardEuler { 1.3 } else { 0.2 };
            assert!(size > 1e-3 * mesh.size(), "vacuous: {size}");
            assert!(half < 0.6 * off && off < bound * size, "{k} {integrator:?}: {off}, {half} of {size}");
        }
    }
}

/// METHODS A10: the printed form leaves 0.31 with backward Euler and 0.02 with trapezoid-BDF2 of a motion like this one.
#[test]
fn the_printed_form_does_not_stop_at_amplitude_0() {
    let mesh = bar();
    let mut body = flesh(&mesh, Flesh::StableNeoHookean, 0.0);
    body.damping.stiffness = 5e-3;
    let drive = Moved { mesh: &mesh, pins: &body.pins, path: &yank };
    let left = |integrator, form| {
        let of = |epsilon| ride(&mesh, &body, &drive, integrator, form, epsilon, 48, STEP).amplitude;
        of(0.0) / of(1.0)
    };
    assert!(left(Integrator::BackwardEuler, Form::Printed) > 0.1);
    assert!(left(Integrator::TrapezoidBdf2, Form::Printed) > 0.003);
    assert!(left(Integrator::BackwardEuler, Form::Relative) < 1e-9);
}

#[test]
fn what_moves_rigidly_is_not_solved_for() {
    let mesh = bar();
    for (path, gravity, solved) in [(swing as Path, 0.0, 0), (yank, 0.0, 0), (yank, 9.81, 1)] {
        let body = flesh(&mesh, Flesh::StableNeoHookean, gravity);
        let drive = Moved { mesh: &mesh, pins: &body.pins, path: &path };
        let run = ride(&mesh, &body, &drive, Integrator::TrapezoidBdf2, Form::Relative, 0.5, 20, STEP);
        assert_eq!(run.solved, solved);
    }
    // and it is the shape that would be found
    let body = flesh(&mesh, Flesh::StableNeoHookean, 0.0);
    let drive = Moved { mesh: &mesh, pins: &body.pins, path: &swing };
    let run = ride(&mesh, &body, &drive, Integrator::TrapezoidBdf2, Form::Relative, 0.5, 20, STEP);
    let mut stepper = Stepper::new(&body);
    stepper.newton.tolerance = 1e-12;
    let mut x = run.p[19].clone();
    x.iter_mut().zip(&mesh.rest).for_each(|(x, X)| *x += 1e-3 * X);
    stepper.equilibrium(&drive, 20.0 * STEP, &mut x).unwrap();
    assert!(largest(&x, &run.p[19]) < 1e-8 * mesh.size());
}

#[test]
fn a_run_goes_on_from_what_was_saved_to_the_same_bits() {
    let mesh = bar();
    let mut body = flesh(&mesh, Flesh::StableNeoHookean, 9.81);
    body.damping.stiffness = 5e-3;
    let drive = Moved { mesh: &mesh, pins: &body.pins, path: &squeeze };
    let new = || Adjusted::new(&body, &mesh, Box::new(|_, s: &mut Scales| s.inertia = vec![0.7; 200]));
    let mut adjusted = new();
    let mut stepper = Stepper::new(&body);
    let (zero, mut x) = (vec![Vect::zeros(); mesh.rest.len()], mesh.rest.clone());
    adjusted.start(&drive, 0.0, &mut x, &zero);
    let mut state = State { t: 0.0, x, v: zero.clone(), a: zero };
    let mut saved = None;
    for k in 0..20 {
        if k == 9 {
            saved = Some((state.clone(), adjusted.save()));
        }
        stepper.step_on(STEP, &drive, Some(&mut adjusted), &mut state).unwrap();
    }
    let (mut again, memory) = saved.unwrap();
    let mut resumed = new();
    assert!(!resumed.restore(&drive, &memory[1..]));
    assert!(resumed.restore(&drive, &memory));
    let mut stepper = Stepper::new(&body);
    for _ in 9..20 {
        stepper.step_on(STEP, &drive, Some(&mut resumed), &mut again).unwrap();
    }
    assert_eq!(state, again);
    assert_eq!(adjusted.amplitude(), resumed.amplitude());
    assert_eq!(adjusted.frames().a, resumed.frames().a);
}

/// All forces of linear flesh are linear in the positions, those of a turning frame too: one iteration of Newton's method does.
#[test]
fn a_spin_that_is_felt_in_part_is_solved_in_one_iteration_where_flesh_is_linear() {
    let mesh = bar();
    for kind in [MassKind::Lumped, MassKind::Consistent] {
        let mut body = flesh(&mesh, Flesh::Linear, 0.0);
        body.mass = Mass::new(&mesh, &vec![1000.0; mesh.element_count()], kind);
        let drive = Moved { mesh: &mesh, pins: &body.pins, path: &spin };
        for epsilon in [0.5, 3.0] {
            let n = mesh.rest.len();
            let mut adjusted =
                Adjusted::new(&body, &mesh, Box::new(move |_, s: &mut Scales| s.inertia = vec![epsilon; n]));
            let mut state =
                State { t: 0.0, x: mesh.rest.clone(), v: vec![Vect::zeros(); n], a: vec![Vect::zeros(); n] };
            adjusted.start(&drive, 0.0, &mut state.x, &state.v);
            let mut stepper = Stepper::new(&body);
            let steps = 48;
            let mut iterations = 0;
            for _ in 0..steps {
                iterations += stepper.step_on(STEP, &drive, Some(&mut adjusted), &mut state).unwrap().iterations;
            }
            let most = if kind == MassKind::Lumped { 2 * steps } else { 5 * steps };
            assert!(adjusted.amplitude()[0] > 1e-4, "vacuous");
            assert!(iterations <= most, "{kind:?} {epsilon}: {iterations} in {} stages", 2 * steps);
        }
    }
}
