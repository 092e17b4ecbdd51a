//! The lowest vibration modes of a constrained body.

use math::check::Random;
use math::{Vect, symmetric_eigen};

use crate::forces::dot;
use crate::system::System;
use crate::{Body, Cause, StepError};

/// Free vibrations u(t) = shape · cos(ω t) about the positions they were asked for.
#[derive(Clone, Debug)]
pub struct Modes<const D: usize> {
    /// ω² [1/s²], ascending; about 0 for rigid motions, below 0 where the body is about to buckle
    pub omega_squared: Vec<f64>,
    /// shapeᵀ K⁺ shape [1/s²], with the positive part K⁺ of the stiffness that damping sees: ω² where nothing is compressed
    pub drag: Vec<f64>,
    /// displacement of every vertex, each with ½ shapeᵀ M shape = ½
    pub shapes: Vec<Vec<Vect<D>>>,
}

impl<const D: usize> Modes<D> {
    /// Frequencies [Hz], ascending; 0 where ω² is negative.
    pub fn frequencies(&self) -> Vec<f64> {
        self.omega_squared.iter().map(|w| w.max(0.0).sqrt() / std::f64::consts::TAU).collect()
    }
}

/// shapeᵀ K⁺ shape of each shape about x.
fn drag<const D: usize>(system: &mut System<'_, D>, x: &[Vect<D>], shapes: &[Vec<Vect<D>>]) -> Vec<f64> {
    let System { assembly, energies, .. } = system;
    assembly.tangents(energies, x, true);
    let mut product = vec![Vect::zeros(); x.len()];
    let mut of = |shape: &Vec<Vect<D>>| {
        assembly.times(energies, shape, &[], &mut product);
        dot(shape, &product)
    };
    shapes.iter().map(&mut of).collect()
}

/// Vectors that are multiplied together; at least as many as a free body has rigid motions.
const BLOCK: usize = 8;
/// Ritz vectors are good when their residual is this small, relative to their value.
const TOLERANCE: f64 = 1e-8;

/// The `count` lowest modes of (K, M) about x under the body's pins and rows, rigid ones included: block Lanczos with full
/// reorthogonalisation on the factorization of K + σM.
pub fn lowest_modes<const D: usize>(body: &Body<D>, x: &[Vect<D>], count: usize) -> Result<Modes<D>, StepError> {
    let mut system = System::new(body);
    let n = system.free.len();
    let dimension = (D * n).saturating_sub(system.rows.len());
    let count = count.min(dimension);
    if count == 0 {
        return Ok(Modes { omega_squared: vec![], drag: vec![], shapes: vec![] });
    }
    let shift = factor_shifted(&mut system, x)?;
    let mut krylov = Krylov { vectors: vec![], images: vec![], masses: vec![], products: vec![] };
    let mut random = Random::new(1);
    let mut block = random_block(&mut system, &mut random);
    let mut fresh = true;
    loop {
        let known = krylov.vectors.len();
        krylov.extend(&mut system, block);
        let (values, combinations) = krylov.ritz();
        let worst = |krylov: &Krylov<D>, system: &System<'_, D>| {
            let residuals =
                (0..count.min(values.len())).map(|k| krylov.residual(system, values[k], &combinations[k]) / values[k]);
            residuals.fold(0.0, f64::max)
        };
        let size = krylov.vectors.len();
        if size == 0 {
            return Err(StepError::timeless(Cause::NotFinite));
        }
        let complete = size >= dimension || (fresh && size == known); // nothing is left to be found
        if complete && size < count {
            let cause = Cause::NotConverged { iterations: size, residual: 1.0 };
            return Err(StepError::timeless(cause));
        }
        if complete || (size >= count + BLOCK && worst(&krylov, &system) < TOLERANCE) {
            let omega_squared = values[..count].iter().map(|theta| 1.0 / theta - shift).collect();
            let shapes: Vec<Vec<Vect<D>>> = combinations[..count]
                .iter()
                .map(|c| {
                    let mut shape = vec![Vect::zeros(); x.len()];
                    for (u, &v) in system.free.iter().enumerate() {
                        shape[v as usize] = krylov.vectors.iter().zip(c).map(|(q, c)| *c * q[u]).sum();
                    }
                    shape
                })
                .collect();
            let drag = drag(&mut system, x, &shapes);
            return Ok(Modes { omega_squared, drag, shapes });
        }
        if size > 40 * (count + BLOCK) {
            let cause = Cause::NotConverged { iterations: size, residual: worst(&krylov, &system) };
            return Err(StepError::timeless(cause));
        }
        fresh = size == known; // the space is closed, but there may be others
        let last = size.saturating_sub(BLOCK);
        block = if fresh { random_block(&mut system, &mut random) } else { krylov.images[last..].to_vec() };
    }
}

/// Random vectors within the rows, to start from.
fn random_block<const D: usize>(system: &mut System<'_, D>, random: &mut Random) -> Vec<Vec<Vect<D>>> {
    let n = system.free.len();
    let mut block: Vec<Vec<Vect<D>>> = (0..BLOCK).map(|_| (0..n).map(|_| random.vector()).collect()).collect();
    for v in &mut block {
        apply_inverse(system, v);
    }
    block
}

/// Factors K + σM with the smallest σ that makes it positive; returns σ.
fn factor_shifted<const D: usize>(system: &mut System<'_, D>, x: &[Vect<D>]) -> Result<f64, StepError> {
    system.assembly.tangents(&system.energies, x, false);
    system.fill(0.0, 1.0);
    let mass = system.mean_diagonal();
    system.fill(1.0, 0.0);
    let diagonal = system.mean_diagonal();
    let scale = diagonal / mass;
    // Never 0: a body that is pinned may still have motions without energy, like a hinge. One that only rows hold would lose as many
    // digits as it is small.
    let mut shift = if system.held { 1e-9 } else { 1e-6 } * scale;
    while shift < 1e3 * scale {
        system.fill(1.0, shift);
        system.stiffen_rows(diagonal);
        if system.factorize().is_ok() {
            return Ok(shift);
        }
        shift *= 10.0;
    }
    Err(StepError::timeless(Cause::NotPositive))
}

/// v ← (K + σM)⁻¹ v within the rows.
fn apply_inverse<const D: usize>(system: &mut System<'_, D>, v: &mut [Vect<D>]) {
    let still = vec![0.0; system.rows.len()];
    system.solve(v, &still);
    if !still.is_empty() {
        system.rows.project(v);
    }
}

/// M v on the unknowns.
fn times_mass<const D: usize>(system: &System<'_, D>, v: &[Vect<D>]) -> Vec<Vect<D>> {
    let vertices = system.body.rest.len();
    let mut all = vec![Vect::zeros(); vertices];
    for (v, &i) in v.iter().zip(&system.free) {
        all[i as usize] = *v;
    }
    let mut out = all.clone();
    system.body.mass.times(&all, &mut out);
    system.free.iter().map(|&i| out[i as usize]).collect()
}

/// A growing space, orthonormal in M, and where the operator (K + σM)⁻¹ M takes it.
struct Krylov<const D: usize> {
    vectors: Vec<Vec<Vect<D>>>,
    images: Vec<Vec<Vect<D>>>,
    /// M times each vector
    masses: Vec<Vec<Vect<D>>>,
    /// row j: the products of vector i with the image of vector j in M, i ≤ j
    products: Vec<Vec<f64>>,
}

impl<const D: usize> Krylov<D> {
    fn extend(&mut self, system: &mut System<'_, D>, block: Vec<Vec<Vect<D>>>) {
        for mut v in block {
            let before = dot(&v, &times_mass(system, &v)).sqrt();
            for _ in 0..2 {
                for (q, m) in self.vectors.iter().zip(&self.masses) {
                    let c = dot(m, &v);
                    v.iter_mut().zip(q).for_each(|(v, q)| *v -= c * q);
                }
            }
            let m = times_mass(system, &v);
            let norm = dot(&v, &m).sqrt();
            if !(norm > 1e-12 * before) {
                continue; // nothing new in it
            }
            let scale = |list: Vec<Vect<D>>| list.into_iter().map(|v| v / norm).collect::<Vec<_>>();
            let (v, m) = (scale(v), scale(m));
            let mut image = m.clone();
            apply_inverse(system, &mut image);
            self.vectors.push(v);
            self.masses.push(m);
            self.products.push(self.masses.iter().map(|m| dot(m, &image)).collect());
            self.images.push(image);
        }
    }

    /// The Ritz values, descending, and for each the combination of vectors that has it.
    fn ritz(&self) -> (Vec<f64>, Vec<Vec<f64>>) {
        let n = self.vectors.len();
        let T = (0..n * n).map(|k| self.products[(k / n).max(k % n)][(k / n).min(k % n)]).collect();
        symmetric_eigen(T)
    }

    /// ‖A q − θ q‖ in M, relative to ‖q‖ = 1.
    fn residual(&self, system: &System<'_, D>, theta: f64, combination: &[f64]) -> f64 {
        let n = self.vectors[0].len();
        let rest: Vec<Vect<D>> = (0..n)
            .map(|u| {
                let terms = self.vectors.iter().zip(&self.images).zip(combination);
                terms.map(|((q, a), c)| *c * (a[u] - theta * q[u])).sum()
            })
            .collect();
        dot(&rest, &times_mass(system, &rest)).sqrt()
    }
}
