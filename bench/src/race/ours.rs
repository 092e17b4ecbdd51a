//! Our side of the race.

use dynamics::{Body, Hold, Integrator, Newton, Stepper};
use elastic::{Lame, Tissue};
use math::Vect;
use mesh::Mesh;

use crate::{Failure, scene};

use super::front::{Run, best_of};
use super::material::WithoutLogarithm;
use super::{DURATION, FRAMES, Trajectory, error};

/// One way to run: the integrator, steps per second, Newton's tolerance.
struct Setting(Integrator, usize, f64);

const SETTINGS: [Setting; 10] = [
    Setting(Integrator::TrapezoidBdf2, 15, 1e-3),
    Setting(Integrator::TrapezoidBdf2, 30, 1e-3),
    Setting(Integrator::TrapezoidBdf2, 60, 1e-3),
    Setting(Integrator::TrapezoidBdf2, 120, 1e-3),
    Setting(Integrator::TrapezoidBdf2, 240, 1e-3),
    Setting(Integrator::TrapezoidBdf2, 480, 1e-3),
    Setting(Integrator::TrapezoidBdf2, 60, 1e-8),
    Setting(Integrator::TrapezoidBdf2, 240, 1e-8),
    Setting(Integrator::BackwardEuler, 60, 1e-3),
    Setting(Integrator::BackwardEuler, 240, 1e-3),
];

/// The trajectory everything is compared to.
pub fn reference(mesh: &Mesh<3>, rate: usize) -> Result<Trajectory, Failure> {
    let body = body(mesh)?;
    Ok(simulate(&body, &Setting(Integrator::TrapezoidBdf2, rate, Newton::default().tolerance))?.0)
}

/// Runs all settings.
pub fn runs(mesh: &Mesh<3>, reference: &Trajectory, show: &(dyn Fn(&Run) + Sync)) -> Result<Vec<Run>, Failure> {
    SETTINGS.iter().map(|setting| run(mesh, setting, reference, show)).collect()
}

fn run(
    mesh: &Mesh<3>,
    setting: &Setting,
    reference: &Trajectory,
    show: &(dyn Fn(&Run) + Sync),
) -> Result<Run, Failure> {
    let mut iterations = 0;
    let (seconds, trajectory) = best_of(|| {
        let body = body(mesh)?;
        let (trajectory, taken) = simulate(&body, setting)?;
        iterations = taken;
        Ok(trajectory)
    })?;
    let Setting(integrator, rate, tolerance) = setting;
    let each = iterations as f64 / (*rate as f64 * DURATION);
    let run = Run {
        engine: format!("Supple {integrator:?}"),
        step: format!("1/{rate}"),
        iterations: format!("{each:.1} Newton per step, to {tolerance:e}"),
        seconds,
        error: error(&trajectory, reference, &mesh.rest),
    };
    show(&run);
    Ok(run)
}

pub fn body(mesh: &Mesh<3>) -> Result<Body<3>, Failure> {
    let material = WithoutLogarithm(Lame::from_young(scene::YOUNG, scene::POISSON)?);
    Ok(scene::clamped(mesh, Box::new(Tissue::new(mesh, vec![material; mesh.element_count()]))))
}

/// The trajectory, and how many Newton iterations it took.
fn simulate(body: &Body<3>, Setting(integrator, rate, tolerance): &Setting) -> Result<(Trajectory, usize), Failure> {
    let hold = Hold::at(body, &body.rest);
    let mut stepper = Stepper::new(body);
    stepper.integrator = *integrator;
    stepper.newton = Newton { tolerance: *tolerance, ..Newton::default() };
    let mut state = stepper.start(&hold, 0.0, body.rest.clone(), vec![Vect::zeros(); body.rest.len()])?;
    let (mut trajectory, mut iterations) = (vec![], 0);
    let steps = (DURATION * *rate as f64).round() as usize / FRAMES;
    for _ in 0..FRAMES {
        for _ in 0..steps {
            iterations += stepper.step(1.0 / *rate as f64, &hold, &mut state)?.iterations;
        }
        trajectory.push(state.x.clone());
    }
    Ok((trajectory, iterations))
}
