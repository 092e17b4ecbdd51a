//! All products of the subspace with stiffness, mass and rig: what a step needs instead of the mesh.

use math::Vect;
use mesh::{Mesh, Sparse};
use rayon::prelude::*;
use rig::Jacobian;

use super::basis::Basis;
use super::modes::Piece;
use super::orthonormal::dot;

/// Precomputed numbers, all in plain lists. f fields, n vertices, P parameters, C clusters.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Tables {
    /// [f, shared fields, n, P, C]
    pub sizes: [usize; 5],
    /// Φ: the fields, vertex after vertex                          n × f      [1/√kg]
    pub fields: Vec<f64>,
    /// Φᵀ L Φ                                                      f × f      [1/s²]
    pub stiffness: Vec<f64>,
    /// Φᵀ L X, axis after axis                                     3 × f      [N/√kg]
    pub rest: Vec<f64>,
    /// Φᵀ L Jr, parameter after parameter                          P × 3 × f
    pub rig_stiffness: Vec<f64>,
    /// Φᵀ M Jr                                                     P × 3 × f
    pub rig_mass: Vec<f64>,
    /// Φᵀ M 1: what falls with a field                             f          [√kg]
    pub weight: Vec<f64>,
    /// Σ V μ ∇Φ over each cluster, axis after axis                 C × 3 × f
    pub turning: Vec<f64>,
    /// Σ V μ ∂Jr/∂X over each cluster, row after row               C × P × 9
    pub rig_turning: Vec<f64>,
    /// Σ V μ and Σ V λ of each cluster                             C × 2      [J]
    pub cluster: Vec<f64>,
    /// λ of the modes [1/s²], then the whole mass [kg]
    pub values: Vec<f64>,
}

impl Tables {
    /// The lists, and how many numbers each must have (those of `values` are free).
    pub fn lists(&mut self) -> [(&mut Vec<f64>, Option<usize>); 10] {
        let [f, _, n, P, C] = self.sizes;
        [
            (&mut self.fields, Some(n * f)),
            (&mut self.stiffness, Some(f * f)),
            (&mut self.rest, Some(3 * f)),
            (&mut self.rig_stiffness, Some(P * 3 * f)),
            (&mut self.rig_mass, Some(P * 3 * f)),
            (&mut self.weight, Some(f)),
            (&mut self.turning, Some(C * 3 * f)),
            (&mut self.rig_turning, Some(C * P * 9)),
            (&mut self.cluster, Some(C * 2)),
            (&mut self.values, None),
        ]
    }

    /// How many coefficients the shared fields and the others have.
    pub fn freedoms(&self) -> usize {
        3 * self.sizes[1] + (self.sizes[0] - self.sizes[1]) / 3
    }

    /// What each field does along each axis, axis after axis, where the coefficients are z. They are kept axis after axis
    /// too, those of fields that come in threes last.
    pub fn spread(&self, z: &[f64], y: &mut [f64]) {
        let [f, shared, ..] = self.sizes;
        for (i, y) in y.chunks_exact_mut(f).enumerate() {
            y[..shared].copy_from_slice(&z[i * shared..(i + 1) * shared]);
            for (y, z) in y[shared..].chunks_exact_mut(3).zip(&z[3 * shared..]) {
                y[i] = *z; // the other two stay 0
            }
        }
    }

    /// The transpose of `spread`: what forces on fields do to coefficients.
    pub fn gather(&self, y: &[f64], z: &mut [f64]) {
        let [f, shared, ..] = self.sizes;
        z[3 * shared..].fill(0.0);
        for (i, y) in y.chunks_exact(f).enumerate() {
            z[i * shared..(i + 1) * shared].copy_from_slice(&y[..shared]);
            for (y, z) in y[shared..].chunks_exact(3).zip(&mut z[3 * shared..]) {
                *z += y[i];
            }
        }
    }

    /// u ← B z
    pub fn displacements(&self, z: &[f64], u: &mut [Vect<3>]) {
        let f = self.sizes[0];
        let mut y = vec![0.0; 3 * f];
        self.spread(z, &mut y);
        let (x, yz) = y.split_at(f);
        let (y, z) = yz.split_at(f);
        u.par_iter_mut().with_min_len(512).zip(self.fields.par_chunks_exact(f)).for_each(|(u, row)| {
            *u = Vect::from([dot(row, x), dot(row, y), dot(row, z)]);
        });
    }

    /// How many vertices there are.
    pub fn vertices(&self) -> usize {
        self.fields.len() / self.sizes[0].max(1)
    }

    /// Bᵀ of a force on one vertex [N].
    pub fn pushed(&self, vertex: usize, force: &Vect<3>) -> Vec<f64> {
        let f = self.sizes[0];
        let row = &self.fields[vertex * f..(vertex + 1) * f];
        let y: Vec<f64> = force.iter().flat_map(|force| row.iter().map(move |r| r * force)).collect();
        let mut z = vec![0.0; self.freedoms()];
        self.gather(&y, &mut z);
        z
    }

    /// All products.
    ///
    ///   root    √m of each vertex
    ///   labels  the cluster of each piece
    #[allow(clippy::too_many_arguments)]
    pub fn new(
        mesh: &Mesh<3>,
        pieces: &[Piece],
        basis: &Basis,
        L: &Sparse,
        root: &[f64],
        [mu, lambda]: [&[f64]; 2],
        jacobian: &Jacobian<3>,
        labels: &[u32],
    ) -> Self {
        let (f, n, P) = (basis.fields.len(), root.len(), jacobian.parameters);
        let C = labels.iter().map(|&l| l as usize + 1).max().unwrap_or(0);
        let mut t = Self { sizes: [f, basis.shared, n, P, C], ..Self::default() };
        t.fields = (0..n * f).map(|k| basis.fields[k % f][k / f]).collect();
        let LPhi = times(L, &t.fields, f);
        t.stiffness = transpose_times(&t.fields, &LPhi, f);
        (t.rest, t.rig_stiffness, t.rig_mass) = (vec![0.0; 3 * f], vec![0.0; P * 3 * f], vec![0.0; P * 3 * f]);
        t.weight = vec![0.0; f];
        let add = |a: f64, row: &[f64], to: &mut [f64]| to.iter_mut().zip(row).for_each(|(t, r)| *t += a * r);
        for v in 0..n {
            let (row, bent, mass) = (&t.fields[v * f..(v + 1) * f], &LPhi[v * f..(v + 1) * f], root[v] * root[v]);
            add(mass, row, &mut t.weight);
            for i in 0..3 {
                add(mesh.rest[v][i], bent, &mut t.rest[i * f..(i + 1) * f]);
                for (k, value) in jacobian.row(v).filter(|(_, value)| value[i] != 0.0) {
                    let at = (3 * k + i) * f..(3 * k + i + 1) * f;
                    add(value[i], bent, &mut t.rig_stiffness[at.clone()]);
                    add(mass * value[i], row, &mut t.rig_mass[at]);
                }
            }
        }
        t.turnings(pieces, mu, lambda, jacobian, labels);
        t.values = basis.modes.values.clone();
        t.values.push(root.iter().map(|r| r * r).sum());
        t
    }

    fn turnings(&mut self, pieces: &[Piece], mu: &[f64], lambda: &[f64], jacobian: &Jacobian<3>, labels: &[u32]) {
        let [f, _, _, P, C] = self.sizes;
        self.turning = vec![0.0; C * 3 * f];
        self.rig_turning = vec![0.0; C * P * 9];
        self.cluster = vec![0.0; C * 2];
        for (p, &label) in pieces.iter().zip(labels) {
            let (c, stiffness) = (label as usize, mu[p.element] * p.volume);
            self.cluster[2 * c] += stiffness;
            self.cluster[2 * c + 1] += lambda[p.element] * p.volume;
            for (v, gradient) in p.corners.iter().map(|&v| v as usize).zip(&p.gradients) {
                for j in 0..3 {
                    let a = stiffness * gradient[j];
                    let row = &self.fields[v * f..(v + 1) * f];
                    let to = &mut self.turning[(3 * c + j) * f..(3 * c + j + 1) * f];
                    to.iter_mut().zip(row).for_each(|(t, r)| *t += a * r);
                    for (k, value) in jacobian.row(v) {
                        for i in 0..3 {
                            self.rig_turning[(c * P + k) * 9 + 3 * i + j] += a * value[i];
                        }
                    }
                }
            }
        }
    }
}

/// L Φ, for f functions that stand side by side at each vertex.
fn times(L: &Sparse, fields: &[f64], f: usize) -> Vec<f64> {
    let mut out = vec![0.0; fields.len()];
    let mut add = |to: usize, a: f64, from: usize| {
        let row = &fields[from * f..(from + 1) * f];
        out[to * f..(to + 1) * f].iter_mut().zip(row).for_each(|(o, r)| *o += a * r);
    };
    for c in 0..L.columns() {
        for k in L.starts[c]..L.starts[c + 1] {
            let (r, a) = (L.rows[k] as usize, L.blocks[k][0]);
            add(r, a, c);
            if r != c {
                add(c, a, r);
            }
        }
    }
    out
}

/// Φᵀ Ψ, symmetric: the two halves are made alike.
fn transpose_times(fields: &[f64], others: &[f64], f: usize) -> Vec<f64> {
    let mut out = vec![0.0; f * f];
    out.par_chunks_mut(f).enumerate().for_each(|(a, out)| {
        for (row, other) in fields.chunks_exact(f).zip(others.chunks_exact(f)) {
            out.iter_mut().zip(other).for_each(|(o, b)| *o += row[a] * b);
        }
    });
    (0..f * f).map(|k| 0.5 * (out[k] + out[(k % f) * f + k / f])).collect()
}
