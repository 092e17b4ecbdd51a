//! A live interface: parameters of the rig in, the next frame out.

use math::Vect;
use rig::Rig;

use super::orthonormal::add;
use super::problem::Problem;
use super::{Reduced, ReducedError};

/// What a step took.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepTook {
    /// local and global solves
    pub iterations: usize,
    /// how far the last one moved the body, as the root of the mean square over its mass [m]
    pub change: f64,
    /// whether that is below the tolerance
    pub converged: bool,
}

/// A reduced model in motion.
pub struct Live<'a> {
    model: &'a Reduced,
    rig: &'a dyn Rig<3>,
    /// parameters: of the rest pose, now, and a step ago
    p_rest: Vec<f64>,
    p: [Vec<f64>; 2],
    /// coefficients now and a step ago
    z: [Vec<f64>; 2],
    /// on the coefficients, for the next step only [N √kg⁻¹]
    pushes: Vec<f64>,
    /// [m/s²]
    gravity: Vect<3>,
    problem: Problem<'a>,
}

impl<'a> Live<'a> {
    pub(super) fn new(model: &'a Reduced, rig: &'a dyn Rig<3>) -> Self {
        let p = rig.rest();
        let z = vec![0.0; model.freedoms()];
        Self {
            model,
            rig,
            p_rest: p.clone(),
            p: [p.clone(), p],
            z: [z.clone(), z.clone()],
            pushes: z,
            gravity: Vect::zeros(),
            problem: Problem::new(&model.tables, model.options.step),
        }
    }

    /// Goes on by h, to where the rig has these parameters. If they cannot be, nothing changes.
    pub fn step(&mut self, parameters: &[f64]) -> Result<StepTook, ReducedError> {
        self.check(parameters)?;
        let options = &self.model.options;
        let moved: Vec<f64> = parameters.iter().zip(&self.p_rest).map(|(p, rest)| p - rest).collect();
        let turned = |k: usize| parameters[k] - 2.0 * self.p[0][k] + self.p[1][k];
        let bent: Vec<f64> = (0..parameters.len()).map(turned).collect();
        let target: Vec<f64> = self.z[0].iter().zip(&self.z[1]).map(|(z, before)| 2.0 * z - before).collect();
        let problem = &mut self.problem;
        problem.prepare(&moved, &bent, &target, &self.pushes, &self.gravity);
        let mut z = target.clone();
        let took = problem.solve(&self.model.factor, &mut z, options.tolerance, options.iterations);
        self.p.swap(0, 1);
        self.p[0].copy_from_slice(parameters);
        self.z.swap(0, 1);
        self.z[0] = z;
        self.pushes.fill(0.0);
        Ok(took)
    }

    /// Where all vertices are [m].
    pub fn positions(&self, x: &mut [Vect<3>]) {
        let mut u = vec![Vect::zeros(); x.len()];
        self.model.displacements(&self.z[0], &mut u);
        self.rig.positions(&self.p[0], x);
        x.iter_mut().zip(&u).for_each(|(x, u)| *x += u);
    }

    /// z
    pub fn coefficients(&self) -> &[f64] {
        &self.z[0]
    }

    /// Pushes a vertex during the next step [N].
    pub fn push(&mut self, vertex: usize, force: &Vect<3>) -> Result<(), ReducedError> {
        let vertices = self.model.tables.vertices();
        if vertex >= vertices {
            return Err(ReducedError::NoVertex { vertex, vertices });
        }
        if !force.sum().is_finite() {
            let (what, value, must) = ("the force on vertex", force.sum(), "a number");
            return Err(ReducedError::Wrong { what, place: vertex, value, must });
        }
        let push = self.model.tables.pushed(vertex, force);
        add(1.0, &push, &mut self.pushes);
        Ok(())
    }

    /// Everything falls from now on [m/s²]. A rig that can move the body as a whole holds it, but for what leaks.
    pub fn set_gravity(&mut self, gravity: Vect<3>) {
        self.gravity = gravity;
    }

    /// At rest again, in the pose of these parameters.
    pub fn reset(&mut self, parameters: &[f64]) -> Result<(), ReducedError> {
        self.check(parameters)?;
        self.p = [parameters.to_vec(), parameters.to_vec()];
        self.z.iter_mut().for_each(|z| z.fill(0.0));
        self.pushes.fill(0.0);
        Ok(())
    }

    fn check(&self, parameters: &[f64]) -> Result<(), ReducedError> {
        let expected = self.p_rest.len();
        if parameters.len() != expected {
            return Err(ReducedError::Parameters { expected, found: parameters.len() });
        }
        match parameters.iter().position(|p| !p.is_finite()) {
            Some(place) => {
                let (what, value, must) = ("parameter", parameters[place], "a number");
                Err(ReducedError::Wrong { what, place, value, must })
            }
            None => Ok(()),
        }
    }
}
