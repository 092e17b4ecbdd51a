//! Newton's method for one stage: minimises its incremental potential with projected Hessians and a line search.

use std::time::{Duration, Instant};

use math::{Vect, rows};

use crate::Cause;
use crate::stage::Stage;
use crate::system::System;

/// How hard Newton's method tries.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Newton {
    /// stops when the forces out of balance are this small, relative to the scene's own forces
    pub tolerance: f64,
    /// gives up after so many iterations
    pub iterations: usize,
}

impl Default for Newton {
    fn default() -> Self {
        Self { tolerance: 1e-8, iterations: 100 }
    }
}

/// What a step took.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Report {
    /// Newton iterations: factorizations and solves
    pub iterations: usize,
    /// forces left out of balance, relative to the scene's own
    pub residual: f64,
    /// how often the step was halved
    pub halvings: usize,
    /// where the time went
    pub seconds: Seconds,
}

/// Where the time of a step went.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Seconds {
    /// energies, forces and tangents of the elements
    pub elements: Duration,
    /// gathering tangents into the matrix
    pub assembly: Duration,
    /// factorization
    pub factorization: Duration,
    /// triangular solves
    pub solve: Duration,
    /// all of it
    pub total: Duration,
}

impl Report {
    /// Adds what another step took; the residual is the worse of the two.
    pub fn add(&mut self, other: &Self) {
        self.iterations += other.iterations;
        self.halvings += other.halvings;
        self.residual = self.residual.max(other.residual);
        let (s, o) = (&mut self.seconds, &other.seconds);
        s.elements += o.elements;
        s.assembly += o.assembly;
        s.factorization += o.factorization;
        s.solve += o.solve;
        s.total += o.total;
    }
}

/// Runs and adds the time it took.
fn timed<T>(clock: &mut Duration, run: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = run();
    *clock += start.elapsed();
    result
}

/// One stage to be solved.
pub(crate) struct Problem<'p, const D: usize> {
    pub stage: Stage,
    /// c_v and c_a
    pub velocity: &'p [Vect<D>],
    pub acceleration: &'p [Vect<D>],
    /// M g + f
    pub external: &'p [Vect<D>],
    /// what the body's rows must be
    pub rows: &'p [f64],
}

/// Vectors that Newton's method works with: made once.
pub(crate) struct Scratch<const D: usize> {
    v: Vec<Vect<D>>,
    a: Vec<Vect<D>>,
    /// ∂U/∂x
    elastic: Vec<Vect<D>>,
    /// M(a + d_m v), then all forces but the elastic ones
    other: Vec<Vect<D>>,
    trial: Vec<Vect<D>>,
    /// on the unknowns: the residual, what the rows leave of it, the search direction
    residual: Vec<Vect<D>>,
    projected: Vec<Vect<D>>,
    direction: Vec<Vect<D>>,
    /// on all vertices: the search direction, zero at pins
    spread: Vec<Vect<D>>,
    violation: Vec<f64>,
}

impl<const D: usize> Scratch<D> {
    pub fn new(system: &System<'_, D>) -> Self {
        let vertices = system.body.rest.len();
        let (all, free) = (|| vec![Vect::zeros(); vertices], || vec![Vect::zeros(); system.free.len()]);
        Self {
            v: all(),
            a: all(),
            elastic: all(),
            other: all(),
            trial: all(),
            residual: free(),
            projected: free(),
            direction: free(),
            spread: all(),
            violation: vec![0.0; system.rows.len()],
        }
    }

    /// The vertex with the largest force left over.
    pub fn worst_vertex(&self, system: &System<'_, D>) -> Option<u32> {
        let largest = (0..system.free.len())
            .reduce(|a, b| if self.projected[b].norm_squared() > self.projected[a].norm_squared() { b } else { a });
        largest.map(|u| system.free[u])
    }
}

/// How far from balance.
struct Balance {
    residual: f64,
    /// the size of the scene's own forces
    forces: f64,
    /// the size of the forces of single elements, most of which balance each other
    single: f64,
}

impl Balance {
    fn relative(&self) -> f64 {
        if self.forces > 0.0 { self.residual / self.forces } else { self.residual }
    }
}

impl Newton {
    /// Moves the free vertices of x to where the forces of the stage balance. Pinned ones must be in place already.
    pub(crate) fn solve<const D: usize>(
        &self,
        system: &mut System<'_, D>,
        scratch: &mut Scratch<D>,
        problem: &Problem<'_, D>,
        x: &mut [Vect<D>],
    ) -> Result<Report, Cause> {
        let start = Instant::now();
        let mut report = Report::default();
        let result = self.iterate(system, scratch, problem, x, &mut report);
        report.seconds.total = start.elapsed();
        result.map(|()| report)
    }

    fn iterate<const D: usize>(
        &self,
        system: &mut System<'_, D>,
        scratch: &mut Scratch<D>,
        problem: &Problem<'_, D>,
        x: &mut [Vect<D>],
        report: &mut Report,
    ) -> Result<(), Cause> {
        let Stage { alpha, beta, .. } = problem.stage;
        let damping = system.body.damping;
        let inertia = beta + alpha * damping.mass;
        let stiffness = 1.0 + alpha * damping.stiffness;
        // Bodies that only rows hold have a singular stiffness of their own, and nothing else in statics.
        let needs_shift = beta == 0.0 && (!system.rows.is_empty() || system.body.pins.len() < D);
        let mut rounding = 0.0;
        // Projected Hessians converge slowly where elements are compressed; the exact one, where it is positive, does not.
        let mut exact = false;
        let mut before = f64::INFINITY;
        let mut energy = None;
        let mut feasible = system.rows.is_empty();
        let mut balance = self.balance(system, scratch, problem, x, report);
        loop {
            report.residual = balance.relative();
            if !balance.residual.is_finite() {
                return Err(Cause::NotFinite);
            }
            if feasible && balance.residual <= (self.tolerance * balance.forces).max(rounding) {
                return Ok(());
            }
            if report.iterations == self.iterations {
                return Err(Cause::NotConverged { iterations: self.iterations, residual: balance.relative() });
            }
            report.iterations += 1;
            exact ^= balance.residual > 0.3 * before; // slow: try the other kind
            exact &= balance.residual < 0.01 * balance.single;
            before = balance.residual;
            let seconds = &mut report.seconds;
            let at_hand = damping.stiffness != 0.0 && alpha != 0.0;
            let tried = exact;
            if exact {
                timed(&mut seconds.assembly, || system.fill_exact(x, alpha * damping.stiffness, inertia));
                exact = timed(&mut seconds.factorization, || system.factorize()).is_ok();
            }
            let diagonal;
            let mut shift = 0.0;
            if exact {
                diagonal = system.mean_diagonal();
            } else {
                if !at_hand || tried {
                    let System { assembly, energies, .. } = &mut *system;
                    timed(&mut seconds.elements, || assembly.tangents(energies, x, true));
                }
                timed(&mut seconds.assembly, || system.fill(stiffness, inertia));
                diagonal = system.mean_diagonal();
                shift = if needs_shift { 1e-7 * diagonal } else { 0.0 };
                system.shift(shift);
                while timed(&mut seconds.factorization, || system.factorize()).is_err() {
                    let more = if shift == 0.0 { 1e-10 * diagonal } else { 9.0 * shift };
                    shift += more;
                    if !(shift < 10.0 * diagonal) {
                        return Err(Cause::NotFinite);
                    }
                    system.shift(more);
                }
            }
            let size = x.iter().map(|x| x.amax()).fold(0.0, f64::max);
            rounding = 4.0 * f64::EPSILON * diagonal * size * (system.free.len() as f64).sqrt();
            let energy_rounding = rounding * size;

            for (p, r) in scratch.direction.iter_mut().zip(&scratch.residual) {
                *p = -r;
            }
            for (d, &k) in scratch.violation.iter_mut().zip(&system.kept) {
                *d = if feasible { 0.0 } else { problem.rows[k] - rows::apply(&system.all_rows[k], x) };
            }
            timed(&mut seconds.solve, || system.solve(&mut scratch.direction, &scratch.violation));
            for (p, &v) in scratch.direction.iter().zip(&system.free) {
                scratch.spread[v as usize] = *p;
            }
            if !feasible {
                // The first step meets the rows whatever it costs; from then on directions keep them.
                x.iter_mut().zip(&scratch.spread).for_each(|(x, p)| *x += p);
                feasible = true;
                energy = None;
                balance = self.balance(system, scratch, problem, x, report);
                continue;
            }
            let start = match energy {
                Some(energy) => energy,
                None => self.energy(system, x, report),
            };
            if start == f64::INFINITY {
                return Err(Cause::NotAllowed);
            }
            let curvature = self.curvature(system, scratch, inertia, stiffness, shift, alpha);
            let slope = dot(&scratch.residual, &scratch.direction);
            let linear: f64 = scratch.other.iter().zip(&scratch.spread).map(|(f, p)| f.dot(p)).sum();
            let mut length = 1.0;
            loop {
                for ((t, x), p) in scratch.trial.iter_mut().zip(&*x).zip(&scratch.spread) {
                    *t = x + length * p;
                }
                let end = self.energy(system, &scratch.trial, report);
                let rise = end - start + length * linear + 0.5 * length * length * curvature;
                if rise <= 1e-4 * length * slope {
                    energy = Some(end);
                    break;
                }
                // Near the end the energy changes less than it rounds: there the forces decide.
                let scale = start.abs() + end.abs() + linear.abs() + curvature;
                if length == 1.0 && rise <= 1e-3 * scale + energy_rounding {
                    let old = balance.residual;
                    let trial = std::mem::take(&mut scratch.trial);
                    let new = self.balance(system, scratch, problem, &trial, report);
                    scratch.trial = trial;
                    if new.residual <= 0.9 * old || new.residual <= rounding {
                        energy = Some(end);
                        break;
                    }
                    balance = self.balance(system, scratch, problem, x, report);
                    if balance.residual <= 16.0 * rounding {
                        return Ok(());
                    }
                }
                length *= 0.5;
                if length < 1e-10 {
                    return Err(Cause::Stuck { residual: balance.relative() });
                }
            }
            x.copy_from_slice(&scratch.trial);
            balance = self.balance(system, scratch, problem, x, report);
        }
    }

    /// x ← the one of x and these that has the lowest incremental potential: where the velocity leads (`onward`), and, for
    /// a body with elements inside out, its rest shape (`fitted`). Tangled flesh has many equilibria; this finds the way
    /// out of them that a line search alone, which only goes downhill, does not. A sound body never takes it, since it
    /// would jump over barriers that are real.
    pub(crate) fn choose_start<const D: usize>(
        &self,
        system: &mut System<'_, D>,
        scratch: &mut Scratch<D>,
        problem: &Problem<'_, D>,
        x: &mut [Vect<D>],
        onward: &[Vect<D>],
        fitted: &[Vect<D>],
    ) {
        let inverted = system.energies.iter().any(|e| (0..e.terms()).any(|term| e.is_inverted(term, x)));
        let mut potential = |x: &[Vect<D>]| {
            let beta = problem.stage.beta;
            for ((a, x), c) in scratch.a.iter_mut().zip(x).zip(problem.acceleration) {
                *a = beta * x + c;
            }
            let inertia = system.body.mass.product(&scratch.a, &scratch.a) / (2.0 * beta);
            let external: f64 = problem.external.iter().zip(x).map(|(f, x)| f.dot(x)).sum();
            system.assembly.value(&system.energies, x) + inertia - external
        };
        let mut lowest = potential(x);
        for other in [Some(onward), inverted.then_some(fitted)].into_iter().flatten() {
            let value = potential(other);
            if value < lowest {
                lowest = value;
                x.copy_from_slice(other);
            }
        }
    }

    fn energy<const D: usize>(&self, system: &mut System<'_, D>, x: &[Vect<D>], report: &mut Report) -> f64 {
        let System { assembly, energies, .. } = system;
        let energy = timed(&mut report.seconds.elements, || assembly.value(energies, x));
        if energy.is_nan() { f64::INFINITY } else { energy }
    }

    /// The forces at x: r = M(a + d_m v) + d_k K v + ∂U/∂x − f on the unknowns.
    fn balance<const D: usize>(
        &self,
        system: &mut System<'_, D>,
        scratch: &mut Scratch<D>,
        problem: &Problem<'_, D>,
        x: &[Vect<D>],
        report: &mut Report,
    ) -> Balance {
        let Stage { alpha, beta, .. } = problem.stage;
        let damping = system.body.damping;
        let mut forces = 0.0f64;
        let System { body, assembly, energies, free, rows, .. } = system;
        let size = |f: &[Vect<D>]| free.iter().map(|&v| f[v as usize].norm_squared()).sum::<f64>().sqrt();
        timed(&mut report.seconds.elements, || assembly.gradient(energies, x, &mut scratch.elastic));
        let single = assembly.force_size();
        // In a stretched body that nothing else pulls all forces cancel; then single elements set the scale.
        forces = forces.max(size(&scratch.elastic)).max(1e-4 * single);
        if beta == 0.0 && alpha == 0.0 {
            scratch.other.fill(Vect::zeros());
        } else {
            for i in 0..x.len() {
                scratch.v[i] = alpha * x[i] + problem.velocity[i];
                scratch.a[i] = beta * x[i] + problem.acceleration[i] + damping.mass * scratch.v[i];
            }
            body.mass.times(&scratch.a, &mut scratch.other);
            forces = forces.max(size(&scratch.other));
            if damping.stiffness != 0.0 {
                timed(&mut report.seconds.elements, || {
                    assembly.tangents(energies, x, true);
                    assembly.times(energies, &scratch.v, &mut scratch.a);
                });
                forces = forces.max(damping.stiffness * size(&scratch.a));
                for (o, a) in scratch.other.iter_mut().zip(&scratch.a) {
                    *o += damping.stiffness * a;
                }
            }
        }
        forces = forces.max(size(problem.external));
        for (o, f) in scratch.other.iter_mut().zip(problem.external) {
            *o -= f;
        }
        for (u, &v) in free.iter().enumerate() {
            scratch.residual[u] = scratch.other[v as usize] + scratch.elastic[v as usize];
        }
        scratch.projected.copy_from_slice(&scratch.residual);
        if !rows.is_empty() {
            rows.project(&mut scratch.projected);
        }
        Balance { residual: dot(&scratch.projected, &scratch.projected).sqrt(), forces, single }
    }

    /// pᵀ (inertia M + α d_k K) p along the search direction: the part of the potential that is quadratic. K comes from
    /// pᵀ H p = −rᵀ p, which a Newton direction fulfils.
    fn curvature<const D: usize>(
        &self,
        system: &System<'_, D>,
        scratch: &Scratch<D>,
        inertia: f64,
        stiffness: f64,
        shift: f64,
        alpha: f64,
    ) -> f64 {
        let (p, r) = (&scratch.direction, &scratch.residual);
        let mass =
            if inertia == 0.0 { 0.0 } else { inertia * system.body.mass.product(&scratch.spread, &scratch.spread) };
        let elastic = (-dot(r, p) - mass - shift * dot(p, p)).max(0.0) / stiffness;
        mass + alpha * system.body.damping.stiffness * elastic
    }
}

fn dot<const D: usize>(a: &[Vect<D>], b: &[Vect<D>]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.dot(b)).sum()
}
