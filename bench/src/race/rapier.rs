//! rapier's side of the race.

use math::Vect;
use mesh::Mesh;
use rapier3d_f64::dynamics::{
    SoftBodyBuilder, SoftBodyCellModel, SoftBodyHandle, SoftBodyMaterial, SoftBodySolver, SoftFemParameters,
};
use rapier3d_f64::math::Vector;
use rapier3d_f64::pipeline::PhysicsWorld;

use crate::{Failure, scene};

use super::front::{Run, best_of};
use super::{DURATION, FRAMES, Trajectory, error};

/// One way to run: steps per second, substeps of a step, and the solver with its effort.
struct Setting(usize, usize, Effort);

/// How hard a substep is solved.
#[derive(Clone, Copy, Debug)]
enum Effort {
    /// so many sweeps over the constraints more than the one that everything gets
    Sweeps(usize),
    /// at most so many iterations of conjugate gradients, to this relative residual
    Gradients(usize, f64),
}

/// rapier's own defaults: four substeps; three more sweeps; twenty iterations to 1e-5.
const SUBSTEPS: usize = 4;
const SWEEPS: Effort = Effort::Sweeps(3);
const GRADIENTS: Effort = Effort::Gradients(20, 1e-5);
/// As many iterations as the residual needs.
const CONVERGED: Effort = Effort::Gradients(1000, 1e-5);

const SETTINGS: [Setting; 14] = [
    Setting(60, SUBSTEPS, SWEEPS),
    Setting(240, SUBSTEPS, SWEEPS),
    Setting(60, 16, SWEEPS),
    Setting(60, 64, SWEEPS),
    Setting(60, SUBSTEPS, Effort::Sweeps(31)),
    Setting(60, 16, Effort::Sweeps(0)),
    Setting(60, 64, Effort::Sweeps(0)),
    Setting(240, 64, Effort::Sweeps(0)),
    Setting(60, 1, GRADIENTS),
    Setting(60, SUBSTEPS, GRADIENTS),
    Setting(240, SUBSTEPS, GRADIENTS),
    Setting(60, 64, GRADIENTS),
    Setting(60, SUBSTEPS, CONVERGED),
    Setting(240, SUBSTEPS, CONVERGED),
];

/// Runs all settings on so many threads (on one if rapier was built without its threads).
pub fn runs(
    mesh: &Mesh<3>,
    threads: usize,
    reference: &Trajectory,
    show: &(dyn Fn(&Run) + Sync),
) -> Result<Vec<Run>, Failure> {
    SETTINGS.iter().map(|setting| run(mesh, threads, setting, reference, show)).collect()
}

fn run(
    mesh: &Mesh<3>,
    threads: usize,
    setting: &Setting,
    reference: &Trajectory,
    show: &(dyn Fn(&Run) + Sync),
) -> Result<Run, Failure> {
    let (seconds, trajectory) = best_of(|| simulate(mesh, threads, setting))?;
    let Setting(rate, substeps, effort) = setting;
    let (engine, iterations) = match effort {
        Effort::Sweeps(more) => ("rapier constraints", format!("{substeps} substeps, {} sweeps each", 1 + more)),
        Effort::Gradients(most, tolerance) => {
            ("rapier fem", format!("{substeps} substeps, at most {most} CG each, to {tolerance:e}"))
        }
    };
    let run = Run {
        engine: engine.into(),
        step: format!("1/{rate}"),
        iterations,
        seconds,
        error: error(&trajectory, reference, &mesh.rest),
    };
    show(&run);
    Ok(run)
}

fn simulate(mesh: &Mesh<3>, threads: usize, setting: &Setting) -> Result<Trajectory, Failure> {
    let (mut world, handle) = world(mesh, threads, setting)?;
    let mut trajectory = vec![];
    let steps = (DURATION * setting.0 as f64).round() as usize / FRAMES;
    for _ in 0..FRAMES {
        for _ in 0..steps {
            world.step();
        }
        let body = world.soft_bodies.get(handle).ok_or("rapier lost the body")?;
        trajectory.push(body.particle_positions().map(|x| Vect::from([x.x, x.y, x.z])).collect());
    }
    Ok(trajectory)
}

fn world(
    mesh: &Mesh<3>,
    threads: usize,
    Setting(rate, substeps, effort): &Setting,
) -> Result<(PhysicsWorld, SoftBodyHandle), Failure> {
    let mut world = PhysicsWorld::new();
    use_threads(&mut world, threads)?;
    world.gravity = Vector::new(0.0, scene::GRAVITY, 0.0);
    let parameters = &mut world.integration_parameters;
    parameters.dt = 1.0 / *rate as f64;
    parameters.num_solver_iterations = *substeps;
    let mut body = soft_body(mesh)?;
    match *effort {
        Effort::Sweeps(more) => body = body.solver(SoftBodySolver::Constraints).additional_pgs_iterations(more),
        Effort::Gradients(max_linear_iterations, linear_tolerance) => {
            body = body.solver(SoftBodySolver::Fem);
            parameters.soft_bodies.fem =
                SoftFemParameters { linear_tolerance, max_linear_iterations, ..Default::default() };
        }
    }
    let handle = world.insert_soft_body(body);
    Ok((world, handle))
}

#[cfg(feature = "parallel")]
fn use_threads(world: &mut PhysicsWorld, threads: usize) -> Result<(), Failure> {
    Ok(world.physics_pipeline.configure_thread_pool(threads)?)
}

#[cfg(not(feature = "parallel"))]
fn use_threads(_: &mut PhysicsWorld, _: usize) -> Result<(), Failure> {
    Ok(())
}

/// The same body as ours: its masses and pins are taken from there.
fn soft_body(mesh: &Mesh<3>) -> Result<SoftBodyBuilder, Failure> {
    let ours = super::ours::body(mesh)?;
    let positions = mesh.rest.iter().map(|X| Vector::new(X[0], X[1], X[2])).collect();
    let cells: Result<Vec<[u32; 4]>, _> = mesh.elements().map(<[u32; 4]>::try_from).collect();
    let material = SoftBodyMaterial {
        young_modulus: scene::YOUNG,
        poisson_ratio: scene::POISSON,
        elastic_damping_ratio: 0.0,
        ..Default::default()
    };
    let mut body = SoftBodyBuilder::new(positions)
        .cells(cells?)
        .cell_model(SoftBodyCellModel::NeoHookean)
        .material(material)
        .no_surface_collider()
        .can_sleep(false);
    body.masses = (0..mesh.rest.len()).map(|v| ours.mass.of(v)).collect();
    body.pinned = ours.pins;
    Ok(body)
}
