//! Complementary dynamics [ZBLJ20]: flesh moves in the space that its rig cannot reach, C u = 0 for u = x − rig(p) and C = Jrᵀ M D.
//!
//! With D = I the flesh takes no momentum from the rig; where D is 0, at the surface, it takes all of it (METHODS B1 to B8).

use dynamics::Body;
use math::{Factor, Mat, Row, Small, Vect, rows};
use mesh::{Mass, Mesh};
use rig::Jacobian;

/// What momentum the rig's motion gives to the flesh.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Leak {
    /// All at the surface, none deep inside: D solves −ΔD = 1, and is (nearly) 0 at the boundary.
    #[default]
    Surface,
    /// None: D = I. Rigid motion moves nothing but the rig, and gravity does nothing.
    None,
    /// As painted, D for each vertex: 0 lets all of it through, 1 nothing.
    Mask(Vec<f64>),
}

/// Why there is no complementary motion.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ComplementError {
    /// A mask of another mesh.
    #[error(
        "the mask has {given} values, but the volume has {needed} vertices. Paint one value for each vertex of the volume."
    )]
    MaskSize {
        /// values
        given: usize,
        /// vertices
        needed: usize,
    },
    /// A mask with values that are no numbers.
    #[error("the mask has a value at vertex {vertex} that is not a number.")]
    MaskValue {
        /// where
        vertex: usize,
    },
    /// A rig of another mesh.
    #[error("the rig moves {given} vertices, but the volume has {needed}.")]
    RigSize {
        /// of the rig
        given: usize,
        /// of the volume
        needed: usize,
    },
    /// The rig moves nothing, or the mask is 0 wherever it does.
    #[error(
        "the rig holds nothing: its Jacobian is zero wherever the mask is not. The flesh would float away. Check the weights of the \
         rig and the mask."
    )]
    NothingHeld,
    /// A part of the body that the rig does not hold.
    #[error(
        "the rig does not hold the part of the body at vertex {vertex}, so it would float away. Give its vertices weights, or a mask \
         that is not zero there."
    )]
    PartNotHeld {
        /// a vertex of it
        vertex: u32,
    },
    /// The rig can reach every shape.
    #[error(
        "the rig has {rank} independent parameters, as many as the flesh has unknowns ({unknowns}): it already reaches every shape, so \
         nothing is left to move. Fill the body with more elements, or use a simpler rig."
    )]
    NothingLeft {
        /// independent parameters
        rank: usize,
        /// numbers that say where the flesh is
        unknowns: usize,
    },
    /// The rig's Jacobian is not a number.
    #[error(
        "the rig's motion is not a number: its Jacobian has infinite or undefined values. Check its weights and its pose."
    )]
    NotFinite,
}

/// What makes rows of Jacobians: M and D.
#[derive(Clone, Debug)]
pub struct Complement {
    mass: Mass,
    /// D for each vertex
    pub leak: Vec<f64>,
    /// which part of the body each vertex belongs to
    part: Vec<u32>,
    /// parts of the body that have too few vertices inside for the momentum to leak, and have D = I instead
    pub solid_parts: usize,
}

/// D at the surface, where all momentum leaks: not quite 0, so that a limb with hardly a vertex inside is still held.
const THIN: f64 = 3e-3;
/// What is left of a row that others explain, relative to its length.
const DEPENDENT: f64 = 1e-7;

impl Complement {
    /// Prepares a body of this mesh.
    pub fn new<const D: usize>(body: &Body<D>, mesh: &Mesh<D>, leak: &Leak) -> Result<Self, ComplementError>
    where
        Mat<D>: Small<D>,
    {
        let n = body.rest.len();
        let mut solid_parts = 0;
        let leak = match leak {
            Leak::None => vec![1.0; n],
            Leak::Mask(values) if values.len() != n => {
                return Err(ComplementError::MaskSize { given: values.len(), needed: n });
            }
            Leak::Mask(values) => match values.iter().position(|d| !d.is_finite()) {
                Some(vertex) => return Err(ComplementError::MaskValue { vertex }),
                None => values.clone(),
            },
            Leak::Surface => {
                let (leak, solid) = surface_leak(mesh, n);
                solid_parts = solid;
                leak
            }
        };
        Ok(Self { mass: body.mass.clone(), leak, part: mesh.connected(), solid_parts })
    }

    /// Rows that span those of C = Jrᵀ M D, orthonormal (METHODS B6) unless there are very many: then only those that move the same
    /// vertices are orthogonal to each other. Parts of the body that do not hang together have rows of their own.
    pub fn rows<const D: usize>(&self, jacobian: &Jacobian<D>) -> Result<Vec<Row<D>>, ComplementError> {
        let n = self.leak.len();
        if jacobian.vertices() != n {
            return Err(ComplementError::RigSize { given: jacobian.vertices(), needed: n });
        }
        if jacobian.value.iter().any(|value| !value.sum().is_finite()) {
            return Err(ComplementError::NotFinite);
        }
        let mut found: Vec<Row<D>> = vec![];
        let mut load = vec![Vect::<D>::zeros(); n];
        for column in jacobian.columns() {
            // M Jr, then D: a consistent mass reaches the neighbours
            let mut touched: Vec<u32> = vec![];
            for (v, value) in &column {
                for (w, m) in self.mass.row(*v as usize) {
                    load[w as usize] += m * value;
                    touched.push(w);
                }
            }
            touched.sort_unstable();
            touched.dedup();
            let mut row: Row<D> = touched.iter().map(|&v| (v, self.leak[v as usize] * load[v as usize])).collect();
            touched.iter().for_each(|&v| load[v as usize] = Vect::zeros());
            row.retain(|(_, c)| c.amax() > 0.0);
            // each part is held by itself: two that share a bone could drift apart otherwise
            row.sort_by_key(|(v, _)| (self.part[*v as usize], *v));
            for own in row.chunk_by(|a, b| self.part[a.0 as usize] == self.part[b.0 as usize]) {
                let mut own = own.to_vec();
                if normalise(&mut own) > 0.0 {
                    found.push(own);
                }
            }
        }
        // rows with the same vertices, one after the other
        found.sort_by(|a, b| a.iter().map(|e| e.0).cmp(b.iter().map(|e| e.0)));
        let mut out: Vec<Row<D>> = vec![];
        for mut row in found {
            let same: Vec<usize> =
                (0..out.len()).rev().take_while(|&k| out[k].iter().map(|e| e.0).eq(row.iter().map(|e| e.0))).collect();
            for _ in 0..2 {
                for &k in &same {
                    let share: f64 = row.iter().zip(&out[k]).map(|(a, b)| a.1.dot(&b.1)).sum();
                    row.iter_mut().zip(&out[k]).for_each(|(a, b)| a.1 -= share * b.1);
                }
            }
            if normalise(&mut row) > DEPENDENT {
                out.push(row);
            }
        }
        if out.is_empty() {
            return Err(ComplementError::NothingHeld);
        }
        Ok(rows::orthonormal_rows(out))
    }

    /// Whether these rows hold every part of a mesh, and leave something to move.
    pub fn check<const D: usize>(&self, mesh: &Mesh<D>, rows: &[Row<D>]) -> Result<(), ComplementError> {
        let part = mesh.connected();
        let mut holds = vec![0; part.len()];
        for row in rows {
            let mut last = u32::MAX;
            for (v, _) in row {
                if part[*v as usize] != last {
                    last = part[*v as usize];
                    holds[last as usize] += 1;
                }
            }
        }
        let loose = (0..part.len()).find(|&v| holds[part[v] as usize] == 0);
        if let Some(vertex) = loose {
            return Err(ComplementError::PartNotHeld { vertex: vertex as u32 });
        }
        let unknowns = D * self.leak.len();
        if rows.len() >= unknowns {
            return Err(ComplementError::NothingLeft { rank: rows.len(), unknowns });
        }
        Ok(())
    }
}

/// Scales a row to length 1 and returns what that was.
fn normalise<const D: usize>(row: &mut Row<D>) -> f64 {
    let length = row.iter().map(|(_, c)| c.norm_squared()).sum::<f64>().sqrt();
    if length > 0.0 {
        row.iter_mut().for_each(|(_, c)| *c /= length);
    }
    length
}

/// D with −ΔD = 1 inside and [`THIN`] at the boundary, the largest being 1, and how many parts have too few vertices inside for that: there D is 1.
fn surface_leak<const D: usize>(mesh: &Mesh<D>, vertices: usize) -> (Vec<f64>, usize)
where
    Mat<D>: Small<D>,
{
    let mut inside = vec![false; vertices];
    mesh.corners.iter().for_each(|&v| inside[v as usize] = true);
    mesh.boundary().iter().for_each(|&v| inside[v as usize] = false);
    let part = mesh.connected();
    let mut count = vec![0; vertices];
    (0..vertices).filter(|&v| inside[v]).for_each(|v| count[part[v] as usize] += 1);
    let is_solid = |v: usize| count[part[v] as usize] <= D;
    let mut solid: Vec<u32> = (0..vertices).filter(|&v| is_solid(v)).map(|v| part[v]).collect();
    solid.sort_unstable();
    solid.dedup();

    let mut L = mesh::stiffness(mesh);
    let mut right: Vec<Vect<1>> = mesh::lumped(mesh).into_iter().map(|v| Vect::from([v])).collect();
    // vertices at the boundary are kept at 0
    for c in 0..vertices {
        for k in L.starts[c]..L.starts[c + 1] {
            let r = L.rows[k] as usize;
            if !inside[r] || !inside[c] {
                L.blocks[k][(0, 0)] = if r == c { 1.0 } else { 0.0 };
            }
        }
        if !inside[c] {
            right[c][0] = 0.0;
        }
    }
    let mut factor = Factor::new(&L);
    let mut leak = vec![0.0; vertices];
    if factor.factorize(&L).is_ok() {
        factor.solve(&mut right);
        let most = right.iter().map(|d| d[0]).fold(f64::MIN_POSITIVE, f64::max);
        leak.iter_mut().zip(&right).for_each(|(d, r)| *d = (r[0] / most).max(THIN));
    } else {
        leak.iter_mut().zip(&inside).for_each(|(d, inside)| *d = f64::from(*inside).max(THIN));
    }
    (0..vertices).filter(|&v| is_solid(v)).for_each(|v| leak[v] = 1.0);
    (leak, solid.len())
}
