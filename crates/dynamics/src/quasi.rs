//! Quasi-Newton [LBK17]: a factorization that does not depend on the positions is kept from step to step, and what the steps show
//! of the stiffness mends it. With as-rigid-as-possible flesh or springs its first step is that of local-global methods.

use math::{AlikeSaddle, BlockMatrix, packed};

use crate::forces::dot;
use crate::lessons::Lessons;
use crate::newton::Solution;
use crate::report::timed;
use crate::system::System;
use crate::{Body, Cause, Newton};

/// Which way stages are solved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Solver {
    /// A factorization in every iteration: few of them, as exact as asked for.
    #[default]
    Newton,
    /// One factorization for all steps of a length: many iterations of a few triangular solves. Where it does not lead to the tolerance,
    /// where rows change over time or stiffness is damped, Newton's method takes over.
    QuasiNewton,
}

impl Solver {
    /// What suits a body whose rows stay as they are.
    pub fn suited<const D: usize>(body: &Body<D>) -> Self {
        if body.energies.iter().all(|energy| energy.is_bounded()) { Self::QuasiNewton } else { Self::Newton }
    }
}

/// The metric bounds the stiffness; most motion meets about this share of it (docs/performance.md).
const MET: f64 = 0.55;
/// How many iterations it is given.
const ITERATIONS: usize = 300;
/// How many steps are remembered.
const LESSONS: usize = 12;

/// Kept factorizations.
pub(crate) struct Quasi<const D: usize> {
    h: BlockMatrix<1>,
    /// what the energies' metric adds to each block, for each entry (block, term of all energies, value)
    stiffness: Vec<(u32, u32, f64)>,
    mass: Vec<(u32, f64)>,
    /// by what they are of: the weights of stiffness and mass
    kept: Vec<([f64; 2], Vec<f64>, AlikeSaddle<D>)>,
    lessons: Lessons<D>,
}

impl<const D: usize> Quasi<D> {
    /// None where an energy has no metric, or vertices are pinned.
    pub fn new(system: &System<'_, D>) -> Option<Self> {
        let body = system.body;
        if !body.pins.is_empty() || system.free.is_empty() {
            return None;
        }
        let mut entries = vec![];
        let mut first = 0;
        for energy in &system.energies {
            let arity = energy.arity();
            let mut k = vec![0.0; packed(arity)];
            for (term, stencil) in energy.stencils().chunks_exact(arity).enumerate() {
                if !energy.metric(term, &mut k) {
                    return None;
                }
                for a in 0..arity {
                    for b in 0..=a {
                        let pair = (stencil[a].max(stencil[b]), stencil[a].min(stencil[b]));
                        entries.push((pair, (first + term) as u32, k[packed(a) + b]));
                    }
                }
            }
            first += energy.terms();
        }
        let coupled = || (0..body.rest.len()).flat_map(|i| body.mass.row(i).map(move |(j, m)| (i as u32, j, m)));
        let pairs = entries.iter().map(|(pair, ..)| *pair).chain(coupled().map(|(i, j, _)| (i, j)));
        let h = BlockMatrix::<1>::with_pattern(body.rest.len(), pairs);
        let place = |(r, c): (u32, u32)| h.find(r, c).expect("the pattern was made of it") as u32;
        let stiffness = entries.iter().map(|(pair, term, k)| (place(*pair), *term, *k)).collect();
        let mass = coupled().filter(|(i, j, _)| i >= j).map(|(i, j, m)| (place((i, j)), m)).collect();
        Some(Self { h, stiffness, mass, kept: vec![], lessons: Lessons::new(LESSONS) })
    }

    /// The place of the factorization for these weights, and these factors on the terms, in `kept`.
    fn factor(&mut self, system: &System<'_, D>, weights: [f64; 2], scale: &[f64]) -> Option<usize> {
        if let Some(k) = self.kept.iter().position(|(w, s, _)| *w == weights && s == scale) {
            return Some(k);
        }
        self.h.blocks.iter_mut().for_each(|b| b[(0, 0)] = 0.0);
        for (block, term, k) in &self.stiffness {
            let scale = scale.get(*term as usize).copied().unwrap_or(1.0);
            self.h.blocks[*block as usize][(0, 0)] += weights[0] * scale * k;
        }
        for (block, m) in &self.mass {
            self.h.blocks[*block as usize][(0, 0)] += weights[1] * m;
        }
        // two stages of a step, and those of half a step
        let mut saddle = if self.kept.len() < 4 { AlikeSaddle::new(&self.h) } else { self.kept.remove(0).2 };
        saddle.factorize(&self.h, system.rows.all()).ok()?;
        self.kept.push((weights, scale.to_vec(), saddle));
        Some(self.kept.len() - 1)
    }

    /// Moves the free vertices of x to where the forces of the stage balance; false where that takes too long or fails.
    pub fn solve(
        &mut self,
        newton: &Newton,
        solution: &mut Solution<'_, '_, D>,
        x: &mut [math::Vect<D>],
    ) -> Result<bool, Cause> {
        let (inertia, damping) = solution.weights();
        if inertia == 0.0 || damping != 0.0 {
            return Ok(false);
        }
        let scale = solution.problem.ride.map_or(&[][..], |(_, scales)| &scales.stiffness);
        let mut clock = std::time::Duration::ZERO;
        let found = timed(&mut clock, || self.factor(solution.system, [MET, inertia], scale));
        solution.report.seconds.factorization += clock;
        let Some(k) = found else { return Ok(false) };
        self.lessons.clear();
        let mut feasible = solution.rows_hold(x);
        let mut energy = None;
        let size = x.iter().map(|x| x.amax()).fold(0.0, f64::max);
        let diagonal = (0..self.h.columns()).map(|c| self.h.diagonal(c)[(0, 0)]).sum::<f64>();
        let n = self.h.columns() as f64;
        solution.rounding = 4.0 * f64::EPSILON * diagonal / n.max(1.0) * size * n.sqrt();
        let mut balance = solution.balance(x);
        for _ in 0..ITERATIONS {
            solution.report.residual = balance.relative();
            if !balance.residual.is_finite() {
                return Ok(false);
            }
            if feasible && balance.residual <= (newton.tolerance * balance.forces).max(solution.rounding) {
                return Ok(true);
            }
            solution.report.solves += 1;
            // what the rows take is left out: it is large, and its rounding would grow
            let residual = solution.scratch.projected.clone();
            self.lessons.arrived(&residual);
            let (lessons, saddle) = (&self.lessons, &mut self.kept[k].2);
            solution.direction_by(x, feasible, |system, p, d| {
                p.iter_mut().zip(&residual).for_each(|(p, r)| *p = -r);
                lessons.solve(p, |p| saddle.solve(p, d));
                if feasible {
                    system.rows.project(p);
                }
            });
            if !feasible {
                x.iter_mut().zip(&solution.scratch.spread).for_each(|(x, p)| *x += p);
                feasible = true;
                balance = solution.balance(x);
                continue;
            }
            // a whole step is good where the slope falls well: then no energy is asked for
            let before = x.to_vec();
            let direction = solution.scratch.direction.clone();
            let slope = dot(&residual, &direction);
            x.iter_mut().zip(&solution.scratch.spread).for_each(|(x, p)| *x += p);
            let there = solution.balance(x);
            if slope < 0.0 && dot(&solution.scratch.projected, &direction).abs() <= 0.9 * slope.abs() {
                (balance, energy) = (there, None);
                self.lessons.stepped(direction, residual);
                continue;
            }
            x.copy_from_slice(&before);
            solution.balance(x); // the search looks at it
            solution.set_direction(&direction);
            match solution.search(x, balance, energy) {
                Ok(Some(end)) => energy = Some(end),
                Ok(None) => return Ok(true),
                Err(_) => return Ok(false),
            }
            let step = solution.system.free.iter().map(|&v| x[v as usize] - before[v as usize]).collect();
            self.lessons.stepped(step, residual);
            balance = solution.balance(x);
        }
        Ok(false)
    }

    /// The rows have changed.
    pub fn forget(&mut self) {
        self.kept.clear();
    }
}
