//! One step: backward Euler in the subspace, by turns of local rotations and a global solve.

use math::{Mat, Vect};

use super::cholesky::Cholesky;
use super::live::StepTook;
use super::memory::Memory;
use super::orthonormal::{add, dot};
use super::rotations::nearest;
use super::tables::Tables;

/// E(z) = zᵀBᵀLB z + b·z + |z − ẑ|²/2h² − 2 Σ tr(R_cᵀA_c) + ½ Σ Λ_c (tr(R_cᵀA_c)/w_c − 3)², but for a constant:
/// elastic energy, inertia and forces. A_c = Σ V μ F over a cluster, w_c = Σ V μ, Λ_c = Σ V λ, and R_c is the rotation nearest
/// to A_c. With λ = 0 it is the least over all rotations of Σ V μ ‖F − R_c‖², so taking turns always goes down.
pub(super) struct Problem<'a> {
    tables: &'a Tables,
    /// 1/h²
    hasty: f64,
    /// whether there is any λ
    resists_volume: bool,
    /// ẑ
    target: Vec<f64>,
    /// b
    linear: Vec<f64>,
    /// A_c without z
    posed: Vec<Mat<3>>,
    /// R_c of the last evaluation
    rotations: Vec<Mat<3>>,
    /// y and ∂E/∂y, by fields and axes
    y: Vec<f64>,
    dy: Vec<f64>,
}

impl<'a> Problem<'a> {
    pub fn new(tables: &'a Tables, h: f64) -> Self {
        let ([f, _, _, _, C], m) = (tables.sizes, tables.freedoms());
        Self {
            tables,
            hasty: 1.0 / (h * h),
            resists_volume: tables.cluster.chunks_exact(2).any(|c| c[1] > 0.0),
            target: vec![0.0; m],
            linear: vec![0.0; m],
            posed: vec![Mat::zeros(); C],
            rotations: vec![Mat::identity(); C],
            y: vec![0.0; 3 * f],
            dy: vec![0.0; 3 * f],
        }
    }

    /// Sets what stays the same during a step.
    ///
    ///   moved   p − p of the rest pose
    ///   bent    p − 2 p(t − h) + p(t − 2h)
    ///   target  ẑ = 2 z(t − h) − z(t − 2h)
    ///   pushes  Bᵀ of forces
    pub fn prepare(&mut self, moved: &[f64], bent: &[f64], target: &[f64], pushes: &[f64], gravity: &Vect<3>) {
        let t = self.tables;
        let [f, _, _, P, C] = t.sizes;
        self.target.copy_from_slice(target);
        self.dy.iter_mut().zip(&t.rest).for_each(|(dy, rest)| *dy = 2.0 * rest);
        for k in 0..P {
            let of = 3 * f * k..3 * f * (k + 1);
            add(2.0 * moved[k], &t.rig_stiffness[of.clone()], &mut self.dy);
            add(self.hasty * bent[k], &t.rig_mass[of], &mut self.dy);
        }
        for i in 0..3 {
            add(-gravity[i], &t.weight, &mut self.dy[i * f..(i + 1) * f]);
        }
        t.gather(&self.dy, &mut self.linear);
        add(-1.0, pushes, &mut self.linear);
        for c in 0..C {
            let mut A = [0.0; 9];
            for (k, moved) in moved.iter().enumerate() {
                add(*moved, &t.rig_turning[(c * P + k) * 9..(c * P + k + 1) * 9], &mut A);
            }
            self.posed[c] = Mat::from_row_slice(&A) + Mat::from_diagonal_element(t.cluster[2 * c]);
        }
    }

    /// E, and g ← ∂E/∂z.
    pub fn evaluate(&mut self, z: &[f64], g: &mut [f64]) -> f64 {
        let t = self.tables;
        let [f, ..] = t.sizes;
        t.spread(z, &mut self.y);
        let mut energy = 0.0;
        for (y, dy) in self.y.chunks_exact(f).zip(self.dy.chunks_exact_mut(f)) {
            dy.fill(0.0);
            y.iter().zip(t.stiffness.chunks_exact(f)).for_each(|(y, row)| add(2.0 * y, row, dy));
            energy += 0.5 * dot(y, dy);
        }
        for (c, turning) in t.turning.chunks_exact(3 * f).enumerate() {
            let y = &self.y;
            let A = self.posed[c] + Mat::from_fn(|i, j| dot(&y[i * f..(i + 1) * f], &turning[j * f..(j + 1) * f]));
            let R = nearest(&A, &self.rotations[c]);
            let (w, volume) = (t.cluster[2 * c], t.cluster[2 * c + 1]);
            let trace = R.dot(&A);
            let excess = trace / w - 3.0;
            energy += 0.5 * volume * excess * excess - 2.0 * trace;
            self.rotations[c] = R;
            pull(f, turning, &((volume / w * excess - 2.0) * R), &mut self.dy);
        }
        t.gather(&self.dy, g);
        for k in 0..z.len() {
            let late = z[k] - self.target[k];
            g[k] += self.linear[k] + self.hasty * late;
            energy += z[k] * self.linear[k] + 0.5 * self.hasty * late * late;
        }
        energy
    }

    /// Goes to the least E from z.
    ///
    ///   factor  of the matrix without λ
    pub fn solve(&mut self, factor: &Cholesky, z: &mut [f64], tolerance: f64, iterations: usize) -> StepTook {
        let mass = self.tables.values.last().copied().unwrap_or(1.0);
        let mut g = vec![0.0; z.len()];
        let mut energy = self.evaluate(z, &mut g);
        let own = if self.resists_volume { self.stiff() } else { None };
        let mut took = StepTook { iterations: 0, change: f64::INFINITY, converged: false };
        let (mut trial, mut step) = (z.to_vec(), g.clone());
        let mut memory = Memory::default();
        while took.iterations < iterations {
            step.iter_mut().zip(&g).for_each(|(step, g)| *step = -g);
            match &own {
                Some(own) => own.solve(&mut step),
                None => step.chunks_exact_mut(factor.len()).for_each(|axis| factor.solve(axis)),
            }
            took.iterations += 1;
            took.change = (dot(&step, &step) / mass).sqrt();
            took.converged = took.change < tolerance;
            if took.converged || took.iterations == iterations {
                add(1.0, &step, z);
                break;
            }
            // what earlier iterations say, then the step itself, then, for λ only, shorter ones
            let slope = dot(&g, &step);
            memory.predict(z, &step, &mut trial);
            let mut share = 2.0;
            loop {
                let found = self.evaluate(&trial, &mut g);
                let allowed = energy + 1e-13 * energy.abs() + if share > 1.0 { 0.0 } else { 1e-4 * share * slope };
                if found <= allowed || (share <= 1.0 && !self.resists_volume) || share < 1e-6 {
                    energy = found;
                    break;
                }
                memory.forget();
                share *= 0.5;
                trial.copy_from_slice(z);
                add(share, &step, &mut trial);
            }
            z.copy_from_slice(&trial);
        }
        took
    }

    /// The factor of 2BᵀLB + 1/h² + Σ Λ_c/w_c² (B_cᵀR_c)(B_cᵀR_c)ᵀ, which holds R_c.
    fn stiff(&self) -> Option<Cholesky> {
        let t = self.tables;
        let ([f, ..], m) = (t.sizes, t.freedoms());
        let mut matrix = whole(t, self.hasty);
        let (mut y, mut z) = (vec![0.0; 3 * f], vec![0.0; m]);
        for (c, turning) in t.turning.chunks_exact(3 * f).enumerate() {
            let (w, volume) = (t.cluster[2 * c], t.cluster[2 * c + 1]);
            y.fill(0.0);
            pull(f, turning, &self.rotations[c], &mut y);
            t.gather(&y, &mut z);
            for (k, row) in matrix.chunks_exact_mut(m).enumerate() {
                add(volume / (w * w) * z[k], &z, row);
            }
        }
        Cholesky::new(matrix, m)
    }
}

/// dy += P : A_c, for a stress P.
fn pull(f: usize, turning: &[f64], P: &Mat<3>, dy: &mut [f64]) {
    let (x, yz) = turning.split_at(f);
    let (y, z) = yz.split_at(f);
    for (i, dy) in dy.chunks_exact_mut(f).enumerate() {
        let [a, b, c] = [P[(i, 0)], P[(i, 1)], P[(i, 2)]];
        for (((dy, x), y), z) in dy.iter_mut().zip(x).zip(y).zip(z) {
            *dy += a * x + b * y + c * z;
        }
    }
}

/// 2BᵀLB + 1/h², m×m
fn whole(t: &Tables, hasty: f64) -> Vec<f64> {
    let ([f, ..], m) = (t.sizes, t.freedoms());
    let (mut y, mut dy, mut z) = (vec![0.0; 3 * f], vec![0.0; 3 * f], vec![0.0; m]);
    let mut matrix = vec![0.0; m * m];
    for (k, row) in matrix.chunks_exact_mut(m).enumerate() {
        z.fill(0.0);
        z[k] = 2.0;
        t.spread(&z, &mut y);
        for (y, dy) in y.chunks_exact(f).zip(dy.chunks_exact_mut(f)) {
            dy.fill(0.0);
            y.iter().zip(t.stiffness.chunks_exact(f)).filter(|(y, _)| **y != 0.0).for_each(|(y, row)| add(*y, row, dy));
        }
        t.gather(&dy, row);
        row[k] += hasty;
    }
    matrix
}

/// The factor of 2BᵀLB + 1/h²: where all fields are shared the three axes have the same, so it is of one of them.
pub(super) fn factor(t: &Tables, h: f64) -> Option<Cholesky> {
    let [f, shared, ..] = t.sizes;
    let hasty = 1.0 / (h * h);
    if f > shared {
        return Cholesky::new(whole(t, hasty), t.freedoms());
    }
    let entry = |k: usize| 2.0 * t.stiffness[k] + if k / f == k % f { hasty } else { 0.0 };
    Cholesky::new((0..f * f).map(entry).collect(), f)
}
