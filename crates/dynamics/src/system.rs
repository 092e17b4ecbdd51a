//! A body prepared for solving: unknowns numbered, patterns found, memory set aside.

use math::rows::{self, independent_rows, tidy};
use math::{Assembly, BlockMatrix, Energy, Factor, Mat, NotPositive, Row, Rows, Saddle, Vect};
use rayon::prelude::*;

use crate::ride::Scales;
use crate::{Body, Drive};

/// The unknowns of a body and the matrices on them.
pub(crate) struct System<'a, const D: usize> {
    pub body: &'a Body<D>,
    pub energies: Vec<&'a dyn Energy<D>>,
    pub assembly: Assembly<D>,
    pub matrix: BlockMatrix<D>,
    pub factor: Factor<D>,
    /// the vertex of each unknown
    pub free: Vec<u32>,
    /// rows on the unknowns that are kept, prepared
    pub rows: Rows<D>,
    pub saddle: Saddle<D>,
    /// which of the body's rows are kept
    pub kept: Vec<usize>,
    /// the body's rows, tidy, on vertices
    pub all_rows: Vec<Row<D>>,
    /// where the mass goes in the matrix: (block, value, the two vertices)
    mass: Vec<(u32, f64, [u32; 2])>,
    /// a aᵀ of each row that fits into the matrix's pattern: (block, value)
    stiffening: Vec<(u32, Mat<D>)>,
    /// every part of the body is held by pins and rows that fit into the pattern, as far as can be told from their number
    pub held: bool,
    /// a vertex of a part that nothing holds
    pub adrift: Option<u32>,
    /// the unknown of each vertex
    unknown: Vec<Option<u32>>,
}

/// How often crushed flesh is evened out.
const SWEEPS: usize = 30;

/// How crushed a body is.
pub(crate) struct Crushing {
    /// what is left of the volume of the element that is crushed most, as a share
    pub least: f64,
    /// how many elements are crushed, as a share
    pub share: f64,
}

/// Rows, prepared.
struct Conditions<const D: usize> {
    all_rows: Vec<Row<D>>,
    on_unknowns: Vec<Row<D>>,
    kept: Vec<usize>,
    rows: Rows<D>,
}

impl<const D: usize> Conditions<D> {
    fn of(rows: &[Row<D>], unknown: &[Option<u32>]) -> Self {
        let all_rows: Vec<Row<D>> = rows.iter().map(|row| tidy(row.clone())).collect();
        let on_unknowns: Vec<Row<D>> = all_rows
            .iter()
            .map(|row| row.iter().filter_map(|(v, c)| Some((unknown[*v as usize]?, *c))).collect())
            .collect();
        let kept = independent_rows(&on_unknowns);
        let rows = Rows::new(kept.iter().map(|&k| on_unknowns[k].clone()).collect())
            .expect("independent rows have a definite Gram matrix");
        Self { all_rows, on_unknowns, kept, rows }
    }
}

impl<'a, const D: usize> System<'a, D> {
    pub fn new(body: &'a Body<D>) -> Self {
        let vertices = body.rest.len();
        let mut is_free = vec![true; vertices];
        for &v in &body.pins {
            is_free[v as usize] = false;
        }
        let coupled = (0..vertices as u32).flat_map(|i| body.mass.row(i as usize).map(move |(j, _)| (i, j)));
        let energies: Vec<&dyn Energy<D>> = body.energies.iter().map(|e| &**e).collect();
        let (assembly, matrix) = Assembly::new(&energies, &is_free, coupled);
        let free: Vec<u32> = (0..vertices as u32).filter(|&v| is_free[v as usize]).collect();
        let mut unknown = vec![None; vertices];
        for (u, &v) in free.iter().enumerate() {
            unknown[v as usize] = Some(u as u32);
        }
        let Conditions { all_rows, on_unknowns, kept, rows } = Conditions::of(&body.rows, &unknown);
        let mut mass = vec![];
        for (u, &v) in free.iter().enumerate() {
            for (w, value) in body.mass.row(v as usize) {
                if let Some(column) = unknown[w as usize].filter(|&c| c <= u as u32) {
                    mass.extend(matrix.find(u as u32, column).map(|block| (block as u32, value, [v, w])));
                }
            }
        }
        let fits: Vec<_> = kept.iter().filter_map(|&k| outer_product(&on_unknowns[k], &matrix)).collect();
        let parts = Parts::of(body, &all_rows);
        let held = fits.len() == kept.len() && parts.holds.iter().all(|&holds| holds >= D * D);
        let adrift = parts.vertices.iter().zip(&parts.holds).find(|(_, holds)| **holds == 0).map(|(v, _)| *v);
        let stiffening = fits.into_iter().flatten().collect();
        let mut factor = Factor::new(&matrix);
        factor.reserve(rows.len());
        let saddle = Saddle::new(rows.len(), free.len());
        Self {
            body,
            energies,
            assembly,
            matrix,
            factor,
            free,
            rows,
            saddle,
            kept,
            all_rows,
            mass,
            stiffening,
            held,
            adrift,
            unknown,
        }
    }

    /// Takes the rows at time t of the drive, where they change, and says so.
    pub fn follow(&mut self, drive: &dyn Drive<D>, t: f64) -> bool {
        let Some(rows) = drive.conditions(t) else { return false };
        let new = Conditions::of(&rows, &self.unknown);
        if new.kept.len() != self.kept.len() {
            self.factor.reserve(new.rows.len());
            self.saddle = Saddle::new(new.rows.len(), self.free.len());
        }
        (self.all_rows, self.kept, self.rows) = (new.all_rows, new.kept, new.rows);
        true
    }

    /// external ← μ M g + f at time t of the drive.
    pub fn load(&self, drive: &dyn Drive<D>, t: f64, gravity: &[f64], external: &mut [Vect<D>]) {
        let body = self.body;
        for (i, f) in external.iter_mut().enumerate() {
            // the field of gravity is scaled, then multiplied by M: for a consistent mass the neighbours' count too
            let mass: f64 = if gravity.is_empty() {
                body.mass.of(i)
            } else {
                body.mass.row(i).map(|(j, m)| m * Scales::at(gravity, j as usize)).sum()
            };
            *f = mass * body.gravity;
        }
        self.add_forces(drive, t, external);
    }

    /// external ← external + f at time t of the drive.
    pub fn add_forces(&self, drive: &dyn Drive<D>, t: f64, external: &mut [Vect<D>]) {
        for (v, f) in &self.body.forces {
            external[*v as usize] += f;
        }
        drive.add_forces(t, external);
    }

    /// matrix ← stiffness · K + mass · M, from the tangents evaluated last.
    pub fn fill(&mut self, stiffness: f64, mass: f64) {
        self.assembly.fill(&mut self.matrix, 0.0, stiffness);
        self.add_mass(mass);
    }

    /// matrix ← matrix + mass · M
    pub fn add_mass(&mut self, mass: f64) {
        if mass != 0.0 {
            for &(block, m, _) in &self.mass {
                self.matrix.blocks[block as usize] += mass * m * Mat::identity();
            }
        }
    }

    /// matrix ← matrix + M · spin, one for each vertex; between two of them their mean.
    pub fn add_spin(&mut self, spin: &[Mat<D>]) {
        if !spin.is_empty() {
            for &(block, m, [v, w]) in &self.mass {
                self.matrix.blocks[block as usize] += 0.5 * m * (spin[v as usize] + spin[w as usize]);
            }
        }
    }

    /// How crushed the elements are, where those with less than this share of their volume are called so.
    pub fn crushing(&self, x: &[Vect<D>], crushed: f64) -> Crushing {
        let (mut least, mut count, mut all) = (1.0_f64, 0, 0);
        for energy in &self.energies {
            let one = |left: f64| (left, usize::from(left < crushed));
            let both = |a: (f64, usize), b: (f64, usize)| (a.0.min(b.0), a.1 + b.1);
            let terms = (0..energy.terms()).into_par_iter().with_min_len(512);
            let found = terms.map(|term| one(energy.volume_left(term, x))).reduce(|| (1.0, 0), both);
            (least, count, all) = (least.min(found.0), count + found.1, all + energy.terms());
        }
        Crushing { least, share: count as f64 / all.max(1) as f64 }
    }

    /// out ← x, but where elements are crushed: there the flesh is moved from its shape p as the flesh around it is, evened out.
    pub fn smooth_over(&self, p: &[Vect<D>], x: &[Vect<D>], crushed: f64, out: &mut [Vect<D>]) {
        let mut moved: Vec<Vect<D>> = x.iter().zip(p).map(|(x, p)| x - p).collect();
        let mut inside = vec![false; x.len()];
        for energy in &self.energies {
            let terms = energy.stencils().chunks_exact(energy.arity()).enumerate();
            for (_, stencil) in terms.filter(|(term, _)| energy.volume_left(*term, x) < crushed) {
                stencil
                    .iter()
                    .filter(|v| self.unknown[**v as usize].is_some())
                    .for_each(|v| inside[*v as usize] = true);
            }
        }
        let mut around: Vec<(u32, u32)> = vec![];
        for energy in &self.energies {
            for stencil in energy.stencils().chunks_exact(energy.arity()) {
                for &v in stencil.iter().filter(|v| inside[**v as usize]) {
                    around.extend(stencil.iter().filter(|w| **w != v).map(|w| (v, *w)));
                }
            }
        }
        around.sort_unstable();
        around.dedup();
        for _ in 0..SWEEPS {
            for list in around.chunk_by(|a, b| a.0 == b.0) {
                let sum: Vect<D> = list.iter().map(|(_, w)| moved[*w as usize]).sum();
                moved[list[0].0 as usize] = sum / list.len() as f64;
            }
        }
        out.iter_mut().zip(moved.iter().zip(p)).for_each(|(out, (d, p))| *out = p + d);
    }

    /// matrix ← matrix + weight · Aᵀ A, for the rows that fit into its pattern. This changes no solution within the rows, but
    /// makes a matrix positive that is so only there: the stiffness of a body that nothing but rows holds.
    pub fn stiffen_rows(&mut self, weight: f64) {
        for (block, product) in &self.stiffening {
            self.matrix.blocks[*block as usize] += weight * product;
        }
    }

    /// matrix ← matrix + shift · I
    pub fn shift(&mut self, shift: f64) {
        for c in 0..self.matrix.columns() {
            let block = self.matrix.starts[c];
            self.matrix.blocks[block] += shift * Mat::identity();
        }
    }

    /// The mean of the matrix's diagonal.
    pub fn mean_diagonal(&self) -> f64 {
        let n = self.matrix.columns();
        (0..n).map(|c| self.matrix.diagonal(c).trace()).sum::<f64>() / (D * n.max(1)) as f64
    }

    /// gaps ← b − A x of the kept rows, b being what all must be. Returns the largest, relative to the sum of a row's entries and to the positions.
    pub fn gaps(&self, b: &[f64], x: &[Vect<D>], gaps: &mut Vec<f64>) -> f64 {
        let size = x.iter().map(|x| x.amax()).fold(f64::MIN_POSITIVE, f64::max);
        gaps.clear();
        gaps.extend(self.kept.iter().map(|&k| b[k] - rows::apply(&self.all_rows[k], x)));
        let length = |k: &usize| self.all_rows[*k].iter().map(|(_, c)| c.amax()).sum::<f64>();
        gaps.iter().zip(&self.kept).map(|(gap, k)| gap.abs() / (length(k) * size)).fold(0.0, f64::max)
    }

    /// Factors the matrix and what the rows need.
    pub fn factorize(&mut self) -> Result<(), NotPositive> {
        self.factor.factorize(&self.matrix)?;
        self.saddle.prepare(&mut self.factor, &self.rows)
    }

    /// f ← the p with H p + Aᵀλ = f and A p = d.
    pub fn solve(&mut self, f: &mut [Vect<D>], d: &[f64]) {
        self.saddle.solve(&mut self.factor, f, d);
    }
}

/// The blocks of a aᵀ for a row on unknowns, scaled to |a| = 1; none where the matrix has no room for one of them.
fn outer_product<const D: usize>(row: &Row<D>, matrix: &BlockMatrix<D>) -> Option<Vec<(u32, Mat<D>)>> {
    let length: f64 = row.iter().map(|(_, c)| c.norm_squared()).sum();
    let mut blocks = vec![];
    for (i, (a, ca)) in row.iter().enumerate() {
        for (b, cb) in &row[..=i] {
            blocks.push((matrix.find(*a, *b)? as u32, ca * cb.transpose() / length)); // rows ascend: b ≤ a
        }
    }
    Some(blocks)
}

/// The parts of a body that are not connected with each other.
struct Parts {
    /// the first vertex of each
    vertices: Vec<u32>,
    /// how many conditions hold each: D for a pin, 1 for a row
    holds: Vec<usize>,
}

impl Parts {
    fn of<const D: usize>(body: &Body<D>, rows: &[Row<D>]) -> Self {
        // Each vertex points to a smaller one of its part, or to itself.
        let mut first: Vec<u32> = (0..body.rest.len() as u32).collect();
        fn find(first: &mut [u32], mut v: u32) -> u32 {
            while first[v as usize] != v {
                first[v as usize] = first[first[v as usize] as usize];
                v = first[v as usize];
            }
            v
        }
        let terms = body.energies.iter().flat_map(|e| e.stencils().chunks_exact(e.arity()));
        for term in terms {
            for &v in &term[1..] {
                let (a, b) = (find(&mut first, term[0]), find(&mut first, v));
                first[a.max(b) as usize] = a.min(b);
            }
        }
        for row in rows {
            for (v, _) in row.iter().skip(1) {
                let (a, b) = (find(&mut first, row[0].0), find(&mut first, *v));
                first[a.max(b) as usize] = a.min(b);
            }
        }
        let mut holds = vec![0; body.rest.len()];
        for &v in &body.pins {
            holds[find(&mut first, v) as usize] += D;
        }
        for v in rows.iter().filter_map(|row| row.first()).map(|(v, _)| *v) {
            holds[find(&mut first, v) as usize] += 1;
        }
        let vertices: Vec<u32> = (0..first.len() as u32).filter(|&v| first[v as usize] == v).collect();
        Self { holds: vertices.iter().map(|&v| holds[v as usize]).collect(), vertices }
    }
}

#[cfg(test)]
mod tests {
    use elastic::{Flesh, Lame};
    use mesh::{Mass, MassKind};

    use super::*;

    #[test]
    fn crushed_flesh_is_laid_out_like_the_flesh_around_it() {
        let mesh = mesh::block([8, 4, 4], Vect::from([0.4, 0.2, 0.2]));
        let n = mesh.element_count();
        let lame = vec![Lame::from_young(1e4, 0.4).unwrap(); n];
        let mass = Mass::new(&mesh, &vec![1000.0; n], MassKind::Lumped);
        let mut body = Body::new(mesh.rest.clone(), mass, vec![Flesh::StableNeoHookean.tissue(&mesh, &lame)]);
        body.pins = (0..25).collect();
        let system = System::new(&body);
        // the flesh hangs to the side, and a ball of it is turned inside out
        let hanging: Vec<Vect<3>> = mesh.rest.iter().map(|X| X + Vect::from([0.0, 0.3 * X[0], 0.0])).collect();
        let middle = Vect::from([0.25, 0.1, 0.1]);
        let is_turned = |X: &Vect<3>| (X - middle).norm() < 0.06;
        let turn = |(X, x): (&Vect<3>, &Vect<3>)| if is_turned(X) { middle - 1.5 * (x - middle) } else { *x };
        let tangled: Vec<Vect<3>> = mesh.rest.iter().zip(&hanging).map(turn).collect();
        assert!(system.crushing(&tangled, 0.1).least < -1.0, "vacuous: nothing is inside out");
        let mut out = tangled.clone();
        system.smooth_over(&mesh.rest, &tangled, 0.1, &mut out);
        assert!(system.crushing(&out, 0.1).least > 0.8);
        let off = |(a, b): (&Vect<3>, &Vect<3>)| (a - b).norm();
        assert!(out.iter().zip(&hanging).map(off).fold(0.0, f64::max) < 0.01, "it does not hang as the rest does");
        assert_eq!(out[0], tangled[0], "what is held or sound stays");
    }
}
