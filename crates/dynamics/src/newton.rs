//! Newton's method for one stage: minimises its incremental potential with a line search.

use math::Vect;

use crate::Cause;
use crate::forces::{Balance, Problem, Scratch, dot, mean_square};
use crate::report::{Report, timed};
use crate::ride::Scales;
use crate::system::System;

/// How hard Newton's method tries.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Newton {
    /// stops when the forces out of balance are this small, relative to the scene's own forces
    pub tolerance: f64,
    /// gives up after so many iterations
    pub iterations: usize,
    /// also stops after a step that moved the vertices no more than this, on average [m]
    pub step: f64,
}

impl Default for Newton {
    fn default() -> Self {
        Self { tolerance: 1e-6, iterations: 100, step: 0.0 }
    }
}

/// Where the potential falls by more than this share of what its slope says (half of it is what Newton's method expects), a step goes further.
const STEADY: f64 = 0.7;
/// At most so many times its length.
const FURTHEST: f64 = 64.0;

/// One solution under way.
pub(crate) struct Solution<'s, 'a, const D: usize> {
    pub system: &'s mut System<'a, D>,
    pub scratch: &'s mut Scratch<D>,
    pub problem: &'s Problem<'s, D>,
    pub report: &'s mut Report,
    /// Use the exact Hessian, not the projected one. Projected ones converge slowly where elements are compressed; the
    /// exact one, where it is positive, does not.
    exact: bool,
    /// forces this small come from rounding [N]
    pub rounding: f64,
    /// what was added to the diagonal of the matrix [N/m]
    shift: f64,
}

impl Newton {
    /// Moves the free vertices of x to where the forces of the stage balance. Pinned ones must be in place already.
    pub(crate) fn solve<const D: usize>(
        &self,
        system: &mut System<'_, D>,
        scratch: &mut Scratch<D>,
        problem: &Problem<'_, D>,
        x: &mut [Vect<D>],
        report: &mut Report,
    ) -> Result<(), Cause> {
        let mut solution = Solution::new(system, scratch, problem, report);
        let (mut before, mut energy) = (f64::INFINITY, None);
        let mut feasible = solution.rows_hold(x);
        for iteration in 0.. {
            let balance = solution.balance(x);
            solution.report.residual = balance.relative();
            if !balance.residual.is_finite() {
                return Err(Cause::NotFinite);
            }
            if feasible && balance.residual <= (self.tolerance * balance.forces).max(solution.rounding) {
                break;
            }
            if iteration == self.iterations {
                return Err(Cause::NotConverged { iterations: iteration, residual: balance.relative() });
            }
            solution.report.iterations += 1;
            // Where one kind of Hessian is slow the other is tried; far from balance only the safe one.
            solution.exact ^= balance.residual > 0.3 * before;
            solution.exact &= balance.residual < 0.01 * balance.single;
            before = balance.residual;
            solution.factorize(x)?;
            solution.find_direction(x, feasible);
            let short = mean_square(&solution.scratch.direction).sqrt() <= self.step;
            if feasible {
                match solution.search(x, balance, energy)? {
                    Some(end) => energy = Some(end),
                    None => break,
                }
            } else {
                // The first step meets the rows whatever it costs; from then on directions keep them.
                x.iter_mut().zip(&solution.scratch.spread).for_each(|(x, p)| *x += p);
                feasible = true;
            }
            if short {
                break;
            }
        }
        Ok(())
    }
}

impl<'s, 'a, const D: usize> Solution<'s, 'a, D> {
    pub fn new(
        system: &'s mut System<'a, D>,
        scratch: &'s mut Scratch<D>,
        problem: &'s Problem<'s, D>,
        report: &'s mut Report,
    ) -> Self {
        Self { system, scratch, problem, report, exact: false, rounding: 0.0, shift: 0.0 }
    }

    pub fn balance(&mut self, x: &[Vect<D>]) -> Balance {
        self.problem.balance(self.system, self.scratch, x, self.report)
    }

    fn energy(&mut self, x: &[Vect<D>]) -> f64 {
        let System { assembly, energies, .. } = &mut *self.system;
        let energy = timed(&mut self.report.seconds.elements, || assembly.value(energies, x));
        if energy.is_nan() { f64::INFINITY } else { energy }
    }

    /// Whether x fulfils the rows already, to rounding.
    pub fn rows_hold(&mut self, x: &[Vect<D>]) -> bool {
        self.system.gaps(self.problem.rows, x, &mut self.scratch.violation) <= 1e-13
    }

    /// β + α d_m, what M is multiplied by, and α d_k, what damping adds to K. Where they vary over the body their means are
    /// taken: the matrix only leads to the solution, the forces say where it is.
    pub fn weights(&self) -> (f64, f64) {
        let (stage, damping) = (&self.problem.stage, &self.system.body.damping);
        let [c_m, c_k] = self.problem.ride.map_or([1.0; 2], |(_, scales)| {
            [&scales.mass_damping, &scales.stiffness_damping].map(|list| Scales::mean(list))
        });
        (stage.beta + stage.alpha * damping.mass * c_m, stage.alpha * damping.stiffness * c_k)
    }

    /// Factors H = K + α d_k K⁺ + (β + α d_m + spin) M at x, where K⁺ is the projected tangent; where K itself is not exact, or
    /// H not positive, K⁺ stands for both. The balance at x must have been taken last.
    fn factorize(&mut self, x: &[Vect<D>]) -> Result<(), Cause> {
        let (inertia, damping) = self.weights();
        let System { assembly, energies, matrix, .. } = &mut *self.system;
        let seconds = &mut self.report.seconds;
        let at_hand = damping != 0.0 && !self.exact; // the balance needed them
        if self.exact {
            if damping != 0.0 {
                timed(&mut seconds.assembly, || assembly.fill(matrix, 0.0, damping));
            }
            timed(&mut seconds.elements, || assembly.tangents(energies, x, false));
            let old = if damping != 0.0 { 1.0 } else { 0.0 };
            timed(&mut seconds.assembly, || assembly.fill(matrix, old, 1.0));
            self.exact = self.factorize_filled(x, inertia, 0).is_ok();
            if self.exact {
                return Ok(());
            }
        }
        let System { assembly, energies, matrix, .. } = &mut *self.system;
        let seconds = &mut self.report.seconds;
        if !at_hand {
            timed(&mut seconds.elements, || assembly.tangents(energies, x, true));
        }
        timed(&mut seconds.assembly, || assembly.fill(matrix, 0.0, 1.0 + damping));
        self.factorize_filled(x, inertia, 12)
    }

    /// Adds the mass and factors; where that fails, with a larger and larger shift of the diagonal.
    fn factorize_filled(&mut self, x: &[Vect<D>], inertia: f64, tries: usize) -> Result<(), Cause> {
        let spin = self.problem.spin();
        let (system, seconds) = (&mut *self.system, &mut self.report.seconds);
        timed(&mut seconds.assembly, || {
            system.add_mass(inertia);
            system.add_spin(spin);
        });
        let diagonal = system.mean_diagonal();
        let size = x.iter().map(|x| x.amax()).fold(0.0, f64::max);
        self.rounding = 4.0 * f64::EPSILON * diagonal * size * (system.free.len() as f64).sqrt();
        self.shift = 0.0;
        if inertia == 0.0 {
            system.stiffen_rows(diagonal);
            self.shift = if system.held { 0.0 } else { 1e-7 * diagonal };
        }
        system.shift(self.shift);
        for _ in 0..=tries {
            if timed(&mut seconds.factorization, || system.factorize()).is_ok() {
                return Ok(());
            }
            let more = if self.shift == 0.0 { 1e-10 * diagonal } else { 9.0 * self.shift };
            system.shift(more);
            self.shift += more;
        }
        Err(Cause::NotPositive)
    }

    /// The Newton direction: H p + Aᵀλ = −r, and A p closes the gap to the rows.
    fn find_direction(&mut self, x: &[Vect<D>], feasible: bool) {
        self.direction_by(x, feasible, |system, p, d| system.solve(p, d));
    }

    /// The direction that `solve` makes of a force and what the rows must become.
    pub fn direction_by(
        &mut self,
        x: &[Vect<D>],
        feasible: bool,
        solve: impl FnOnce(&mut System<'a, D>, &mut [Vect<D>], &[f64]),
    ) {
        let (system, s) = (&mut *self.system, &mut *self.scratch);
        s.direction.iter_mut().zip(&s.residual).for_each(|(p, r)| *p = -r);
        if feasible {
            s.violation.clear();
            s.violation.resize(system.kept.len(), 0.0);
        } else {
            system.gaps(self.problem.rows, x, &mut s.violation);
        }
        timed(&mut self.report.seconds.solve, || solve(system, &mut s.direction, &s.violation));
        for (p, &v) in s.direction.iter().zip(&system.free) {
            s.spread[v as usize] = *p;
        }
    }

    /// Takes a direction that was found before.
    pub fn set_direction(&mut self, direction: &[Vect<D>]) {
        self.scratch.direction.copy_from_slice(direction);
        for (p, &v) in direction.iter().zip(&self.system.free) {
            self.scratch.spread[v as usize] = *p;
        }
    }

    /// Moves x along the direction as far as the potential falls, and returns the energy there; none where x is as good as
    /// rounding lets it be. `energy` is that at x, if it is known.
    pub fn search(&mut self, x: &mut [Vect<D>], balance: Balance, energy: Option<f64>) -> Result<Option<f64>, Cause> {
        let start = energy.unwrap_or_else(|| self.energy(x));
        if start == f64::INFINITY {
            return Err(Cause::NotAllowed);
        }
        // All but U is quadratic along the direction.
        let curvature = self.curvature();
        let slope = dot(&self.scratch.residual, &self.scratch.direction);
        let linear = dot(&self.scratch.other, &self.scratch.spread);
        let size = x.iter().map(|x| x.amax()).fold(0.0, f64::max);
        let rise = |length: f64, end: f64| end - start + length * linear + 0.5 * length * length * curvature;
        let mut length = 1.0;
        while length > 1e-10 {
            let mut end = self.energy_along(x, length);
            let mut risen = rise(length, end);
            let mut accepted = risen <= 1e-4 * length * slope;
            let mut stop = false;
            let scale = start.abs() + end.abs() + linear.abs() + curvature;
            // Near the end the energy changes less than it rounds: there the forces decide.
            if !accepted && length == 1.0 && risen <= 1e-3 * scale + self.rounding * size {
                let trial = std::mem::take(&mut self.scratch.trial);
                let there = self.balance(&trial).residual;
                self.scratch.trial = trial;
                accepted = there <= (0.9 * balance.residual).max(self.rounding);
                stop = !accepted && balance.residual <= 16.0 * self.rounding;
            } else if accepted && length == 1.0 && risen < STEADY * slope && risen < -1e-9 * scale {
                // It falls on steadily: the tangent is stiffer than the body is this way, or the body is about to turn over.
                while length < FURTHEST {
                    let beyond = self.energy_along(x, 2.0 * length);
                    if !(rise(2.0 * length, beyond) < risen) {
                        break;
                    }
                    (length, end, risen) = (2.0 * length, beyond, rise(2.0 * length, beyond));
                }
            }
            if accepted {
                x.iter_mut().zip(&self.scratch.spread).for_each(|(x, p)| *x += length * p);
            }
            if accepted || stop {
                return Ok(accepted.then_some(end));
            }
            length *= 0.5;
        }
        Err(Cause::Stuck { residual: balance.relative() })
    }

    /// U at x + length · direction.
    fn energy_along(&mut self, x: &[Vect<D>], length: f64) -> f64 {
        let s = &mut *self.scratch;
        for ((t, x), p) in s.trial.iter_mut().zip(x).zip(&s.spread) {
            *t = x + length * p;
        }
        let trial = std::mem::take(&mut s.trial);
        let energy = self.energy(&trial);
        self.scratch.trial = trial;
        energy
    }

    /// pᵀ ((β + α d_m + spin) M + α d_k K⁺) p. K⁺ comes from pᵀ H p = −rᵀ p, which a Newton direction fulfils; where H has the
    /// exact K beside K⁺, that is an approximation (near balance, where the two agree).
    fn curvature(&self) -> f64 {
        let (inertia, damping) = self.weights();
        let s = &*self.scratch;
        let body = self.system.body;
        let mass = match inertia {
            0.0 => 0.0,
            _ => inertia * body.mass.product(&s.spread, &s.spread) + self.problem.spin_product(&body.mass, &s.spread),
        };
        let all = -dot(&s.residual, &s.direction) - self.shift * dot(&s.direction, &s.direction);
        mass + damping / (1.0 + damping) * (all - mass).max(0.0)
    }
}
