//! Sums the terms of energies into vectors and matrices: in parallel, without atomics, always in the same order.

use rayon::prelude::*;

use crate::energy::packed;
use crate::{BlockMatrix, Energy, Mat, Vect};

/// Terms or rows that one task handles: fixed, so that sums do not depend on the number of threads.
const CHUNK: usize = 128;
const PINNED: u32 = u32::MAX;

/// Where the terms of some energies meet. Terms are first evaluated each into its own place, then every vertex and
/// every block of the matrix gathers what belongs to it.
pub struct Assembly<const D: usize> {
    parts: Vec<Part>,
    forces: Vec<Vect<D>>,
    tangents: Vec<Mat<D>>,
    partial: Vec<f64>,
    vertices: Lists,
    blocks: Lists,
    /// what each term is multiplied by, energy after energy; empty where that is 1
    scale: Vec<f64>,
}

/// The share of one energy in the buffers.
struct Part {
    arity: usize,
    terms: usize,
    /// the number of its first term among those of all energies
    first: usize,
    forces: usize,
    tangents: usize,
    partial: usize,
}

/// For each vertex or block, the places it gathers from.
#[derive(Default)]
struct Lists {
    starts: Vec<u32>,
    places: Vec<u32>,
}

impl Lists {
    /// From (who, place) pairs; each list keeps the order of the pairs.
    fn new(count: usize, pairs: impl Iterator<Item = (u32, u32)> + Clone) -> Self {
        let mut starts = vec![0; count + 1];
        for (who, _) in pairs.clone() {
            starts[who as usize + 1] += 1;
        }
        for i in 0..count {
            starts[i + 1] += starts[i];
        }
        let mut next = starts.clone();
        let mut places = vec![0; starts[count] as usize];
        for (who, place) in pairs {
            places[next[who as usize] as usize] = place;
            next[who as usize] += 1;
        }
        Self { starts, places }
    }
    fn of(&self, i: usize) -> &[u32] {
        &self.places[self.starts[i] as usize..self.starts[i + 1] as usize]
    }
}

impl<const D: usize> Assembly<D> {
    /// Plans the sums of these energies. The unknowns are the vertices where `free`; the matrix that comes back has room
    /// for their Hessian, and for `more` pairs of vertices.
    pub fn new(
        energies: &[&dyn Energy<D>],
        free: &[bool],
        more: impl IntoIterator<Item = (u32, u32)>,
    ) -> (Self, BlockMatrix<D>) {
        let mut unknown = vec![PINNED; free.len()];
        let mut count = 0;
        for (u, _) in unknown.iter_mut().zip(free).filter(|(_, free)| **free) {
            *u = count;
            count += 1;
        }
        let both_free = |&(a, b): &(u32, u32)| a != PINNED && b != PINNED;
        // the pairs of vertices of all terms, in the order of the blocks in `tangents`
        let pairs = energies.iter().flat_map(|e| {
            e.stencils()
                .chunks_exact(e.arity())
                .flat_map(|s| (0..s.len()).flat_map(move |a| (0..=a).map(move |b| (s[a], s[b]))))
        });
        let to_unknowns = |(a, b): (u32, u32)| (unknown[a as usize], unknown[b as usize]);
        let matrix =
            BlockMatrix::with_pattern(count as usize, pairs.clone().chain(more).map(to_unknowns).filter(both_free));
        let (mut parts, mut first, mut forces, mut tangents, mut partial) = (vec![], 0, 0, 0, 0);
        for energy in energies {
            let (arity, terms) = (energy.arity(), energy.terms());
            parts.push(Part { arity, terms, first, forces, tangents, partial });
            first += terms;
            forces += arity * terms;
            tangents += packed(arity) * terms;
            partial += terms.div_ceil(CHUNK);
        }
        let vertices = energies.iter().flat_map(|e| e.stencils().iter().copied()).zip(0..);
        // the last bit of a place says that the block must be transposed
        let blocks: Vec<(u32, u32)> = pairs
            .map(to_unknowns)
            .zip(0u32..)
            .filter(|(pair, _)| both_free(pair))
            .filter_map(|((a, b), place)| {
                let block = matrix.find(a.max(b), a.min(b))?;
                Some((block as u32, 2 * place + (a < b) as u32))
            })
            .collect();
        let assembly = Self {
            parts,
            forces: vec![Vect::zeros(); forces],
            tangents: vec![Mat::zeros(); tangents],
            partial: vec![0.0; partial],
            vertices: Lists::new(free.len(), vertices),
            blocks: Lists::new(matrix.rows.len(), blocks.iter().copied()),
            scale: vec![],
        };
        (assembly, matrix)
    }

    /// Multiplies each term, energy after energy, from now on; an empty list multiplies by 1.
    pub fn set_scale(&mut self, scale: &[f64]) {
        self.scale.clear();
        self.scale.extend_from_slice(scale);
    }

    /// Σ E(x) [J]
    pub fn value(&mut self, energies: &[&dyn Energy<D>], x: &[Vect<D>]) -> f64 {
        for (part, energy) in self.parts.iter().zip(energies) {
            let (chunks, scale) = (part.terms.div_ceil(CHUNK), scale_of(&self.scale, part));
            self.partial[part.partial..part.partial + chunks].par_iter_mut().enumerate().for_each(|(k, sum)| {
                let terms = k * CHUNK..((k + 1) * CHUNK).min(part.terms);
                *sum = terms.map(|term| scale(term) * energy.value(term, x)).sum();
            });
        }
        self.partial.iter().sum()
    }

    /// g ← Σ ∂E/∂x [N], for every vertex, pinned or not.
    pub fn gradient(&mut self, energies: &[&dyn Energy<D>], x: &[Vect<D>], g: &mut [Vect<D>]) {
        for (part, energy) in self.parts.iter().zip(energies) {
            let scale = scale_of(&self.scale, part);
            self.forces[part.forces..part.forces + part.arity * part.terms]
                .par_chunks_mut(part.arity * CHUNK)
                .enumerate()
                .for_each(|(k, forces)| {
                    for (i, f) in forces.chunks_exact_mut(part.arity).enumerate() {
                        energy.gradient(k * CHUNK + i, x, f);
                        let scale = scale(k * CHUNK + i);
                        if scale != 1.0 {
                            f.iter_mut().for_each(|f| *f *= scale);
                        }
                    }
                });
        }
        self.gather_forces(g);
    }

    /// The size of the forces of all single terms, before they balance each other: √Σ|f|² [N], of the gradient evaluated
    /// last.
    pub fn force_size(&self) -> f64 {
        self.forces.iter().map(|f| f.norm_squared()).sum::<f64>().sqrt()
    }

    /// Evaluates the Hessians of all terms, for [`Self::fill`] and [`Self::times`].
    pub fn tangents(&mut self, energies: &[&dyn Energy<D>], x: &[Vect<D>], definite: bool) {
        for (part, energy) in self.parts.iter().zip(energies) {
            let (size, scale) = (packed(part.arity), scale_of(&self.scale, part));
            self.tangents[part.tangents..part.tangents + size * part.terms]
                .par_chunks_mut(size * CHUNK)
                .enumerate()
                .for_each(|(k, blocks)| {
                    for (i, H) in blocks.chunks_exact_mut(size).enumerate() {
                        energy.hessian(k * CHUNK + i, x, definite, H);
                        let scale = scale(k * CHUNK + i);
                        if scale != 1.0 {
                            H.iter_mut().for_each(|H| *H *= scale);
                        }
                    }
                });
        }
    }

    /// matrix ← old · matrix + new · Σ ∂²E/∂x², from the tangents evaluated last.
    pub fn fill(&self, matrix: &mut BlockMatrix<D>, old: f64, new: f64) {
        matrix.blocks.par_chunks_mut(CHUNK).enumerate().for_each(|(k, blocks)| {
            for (i, block) in blocks.iter_mut().enumerate() {
                let mut sum = Mat::zeros();
                for &place in self.blocks.of(k * CHUNK + i) {
                    let tangent = &self.tangents[place as usize / 2];
                    sum += if place % 2 == 0 { *tangent } else { tangent.transpose() };
                }
                *block = if old == 0.0 { new * sum } else { old * *block + new * sum };
            }
        });
    }

    /// out ← Σ share · ∂²E/∂x² · v for every vertex, pinned or not, from the tangents evaluated last. The share of each term,
    /// energy after energy, is 1 where the list is empty.
    pub fn times(&mut self, energies: &[&dyn Energy<D>], v: &[Vect<D>], share: &[f64], out: &mut [Vect<D>]) {
        for (part, energy) in self.parts.iter().zip(energies) {
            let share = scale_of(share, part);
            let (arity, size) = (part.arity, packed(part.arity));
            let tangents = &self.tangents[part.tangents..part.tangents + size * part.terms];
            self.forces[part.forces..part.forces + arity * part.terms]
                .par_chunks_mut(arity * CHUNK)
                .zip(tangents.par_chunks(size * CHUNK))
                .zip(energy.stencils().par_chunks(arity * CHUNK))
                .enumerate()
                .for_each(|(k, ((forces, tangents), stencils))| {
                    let terms = forces.chunks_exact_mut(arity).zip(tangents.chunks_exact(size));
                    for (i, ((f, H), s)) in terms.zip(stencils.chunks_exact(arity)).enumerate() {
                        f.fill(Vect::zeros());
                        for a in 0..arity {
                            for b in 0..a {
                                let H = &H[packed(a) + b];
                                f[a] += H * v[s[b] as usize];
                                f[b] += H.tr_mul(&v[s[a] as usize]);
                            }
                            f[a] += H[packed(a) + a] * v[s[a] as usize];
                        }
                        let share = share(k * CHUNK + i);
                        if share != 1.0 {
                            f.iter_mut().for_each(|f| *f *= share);
                        }
                    }
                });
        }
        self.gather_forces(out);
    }

    fn gather_forces(&self, out: &mut [Vect<D>]) {
        out.par_chunks_mut(CHUNK).enumerate().for_each(|(k, out)| {
            for (i, out) in out.iter_mut().enumerate() {
                *out = Vect::zeros();
                for &place in self.vertices.of(k * CHUNK + i) {
                    *out += self.forces[place as usize];
                }
            }
        });
    }
}

/// What a term of this part is multiplied by, from a list over the terms of all parts.
fn scale_of<'s>(list: &'s [f64], part: &Part) -> impl Fn(usize) -> f64 + Sync + use<'s> {
    let list = if list.is_empty() { &[] } else { &list[part.first..part.first + part.terms] };
    move |term| list.get(term).copied().unwrap_or(1.0)
}
