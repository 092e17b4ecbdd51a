//! The mass of a body, shared out among its vertices.

use math::{Mat, Small, Vect};
use rayon::prelude::*;

use crate::Mesh;

/// How the mass of an element is given to its corners.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MassKind {
    /// an equal share for each corner: a diagonal matrix
    Lumped,
    /// what linear interpolation of the velocity says: ∫ρ φ_a φ_b
    Consistent,
}

/// A mass matrix M. Its entries are the same for every direction, so they are kept once per pair of vertices: row by row,
/// both triangles, columns ascending.
#[derive(Clone, Debug, PartialEq)]
pub struct Mass {
    starts: Vec<u32>,
    columns: Vec<u32>,
    values: Vec<f64>,
    total: f64,
}

impl Mass {
    /// The mass of a mesh with a density for each element [kg/m^D].
    pub fn new<const D: usize>(mesh: &Mesh<D>, density: &[f64], kind: MassKind) -> Self
    where
        Mat<D>: Small<D>,
    {
        let mut entries: Vec<(u32, u32, f64)> = vec![];
        let corners = (D + 1) as f64;
        for ((e, volume), density) in mesh.elements().zip(mesh.volumes(&mesh.rest)).zip(density) {
            let mass = density * volume.abs();
            for &a in e {
                match kind {
                    MassKind::Lumped => entries.push((a, a, mass / corners)),
                    MassKind::Consistent => entries.extend(
                        e.iter().map(|&b| (a, b, mass * if a == b { 2.0 } else { 1.0 } / (corners * (corners + 1.0)))),
                    ),
                }
            }
        }
        entries.sort_by_key(|&(a, b, _)| (a, b));
        let mut mass = Self { starts: vec![0; mesh.rest.len() + 1], columns: vec![], values: vec![], total: 0.0 };
        for same in entries.chunk_by(|p, q| (p.0, p.1) == (q.0, q.1)) {
            mass.columns.push(same[0].1);
            mass.values.push(same.iter().map(|e| e.2).sum());
            mass.starts[same[0].0 as usize + 1] += 1;
        }
        for i in 0..mesh.rest.len() {
            mass.starts[i + 1] += mass.starts[i];
        }
        mass.total = mass.values.iter().sum();
        mass
    }

    /// The mass of the whole body [kg].
    pub fn total(&self) -> f64 {
        self.total
    }

    /// The entries of a row, as (column, value).
    pub fn row(&self, i: usize) -> impl Iterator<Item = (u32, f64)> {
        let range = self.starts[i] as usize..self.starts[i + 1] as usize;
        self.columns[range.clone()].iter().copied().zip(self.values[range].iter().copied())
    }

    /// The sum of a row: the mass that follows the vertex where all move alike.
    pub fn of(&self, i: usize) -> f64 {
        self.row(i).map(|(_, m)| m).sum()
    }

    /// out ← M x
    pub fn times<const D: usize>(&self, x: &[Vect<D>], out: &mut [Vect<D>]) {
        out.par_iter_mut().with_min_len(1024).enumerate().for_each(|(i, out)| {
            *out = Vect::zeros();
            for (j, m) in self.row(i) {
                *out += m * x[j as usize];
            }
        });
    }

    /// xᵀ M y
    pub fn product<const D: usize>(&self, x: &[Vect<D>], y: &[Vect<D>]) -> f64 {
        (0..x.len()).map(|i| self.row(i).map(|(j, m)| m * x[i].dot(&y[j as usize])).sum::<f64>()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::zoo;

    #[test]
    fn both_kinds_weigh_the_same_and_agree_on_rigid_motion() {
        for (name, mesh) in zoo::space() {
            let density = vec![700.0; mesh.element_count()];
            let volume: f64 = mesh.volumes(&mesh.rest).iter().sum();
            for kind in [MassKind::Lumped, MassKind::Consistent] {
                let mass = Mass::new(&mesh, &density, kind);
                assert!((mass.total() / (700.0 * volume) - 1.0).abs() < 1e-13, "{name}");
                let v = vec![Vect::from([1.0, -2.0, 3.0]); mesh.rest.len()];
                let mut p = v.clone();
                mass.times(&v, &mut p);
                let momentum = p.iter().sum::<Vect<3>>();
                assert!((momentum - mass.total() * v[0]).norm() < 1e-12 * mass.total() * v[0].norm(), "{name}");
                assert!((mass.product(&v, &v) / (14.0 * mass.total()) - 1.0).abs() < 1e-13, "{name}");
            }
        }
    }

    #[test]
    fn consistent_mass_integrates_linear_velocities_exactly() {
        // ∫ρ x² over a unit cube is ρ/3 for linear interpolation of x
        let mesh = block_of_one();
        let mass = Mass::new(&mesh, &vec![3.0; mesh.element_count()], MassKind::Consistent);
        let v: Vec<Vect<3>> = mesh.rest.iter().map(|X| Vect::from([X[0], 0.0, 0.0])).collect();
        assert!((mass.product(&v, &v) - 1.0).abs() < 1e-13);
    }
    fn block_of_one() -> Mesh<3> {
        crate::block([2, 2, 2], Vect::from([1.0; 3]))
    }
}
