//! Everything that pulls: energies as sums of small terms.

use crate::{Mat, Vect};

/// Anything that stores energy in the vertex positions x: tissue, springs, a contact.
///
/// It is a sum of terms, each of which sees a few vertices only. Because a term says which ones, summing them into
/// vectors and matrices, in parallel and always in the same order, is written once ([`crate::Assembly`]).
pub trait Energy<const D: usize>: Send + Sync {
    /// How many vertices one term sees.
    fn arity(&self) -> usize;
    /// The vertices of all terms, `arity()` for each.
    fn stencils(&self) -> &[u32];
    /// The energy of a term [J]; ∞ where x is not allowed.
    fn value(&self, term: usize, x: &[Vect<D>]) -> f64;
    /// g ← the derivative of that energy by each of the term's vertices [N].
    fn gradient(&self, term: usize, x: &[Vect<D>], g: &mut [Vect<D>]);
    /// H ← the second derivative [N/m], row by row up to the diagonal: the block of its a-th and b-th vertex, b ≤ a, is
    /// at a(a+1)/2 + b. Where `definite`, the nearest positive semi-definite one instead.
    fn hessian(&self, term: usize, x: &[Vect<D>], definite: bool, H: &mut [Mat<D>]);
    /// k ← about how stiff a term is, however it is turned: a number for each pair of its vertices, placed as in `hessian`, that
    /// stands for a multiple of the identity [N/m]. It says where to look for balance, not where balance is. False where there is none.
    fn metric(&self, _term: usize, _k: &mut [f64]) -> bool {
        false
    }
    /// The share that is left of a term's volume, where it has one; it is negative inside out.
    fn volume_left(&self, _term: usize, _x: &[Vect<D>]) -> f64 {
        1.0
    }
    /// Whether it is nowhere stiffer than the metric says: then a factorization of the metric leads to balance in few steps.
    fn is_bounded(&self) -> bool {
        false
    }
    /// Whether the energy is the same when the whole body is turned.
    fn is_objective(&self) -> bool {
        true
    }
}

impl<const D: usize> dyn Energy<D> + '_ {
    /// The number of terms.
    pub fn terms(&self) -> usize {
        self.stencils().len() / self.arity()
    }
}

/// How many blocks the lower triangle of a term's Hessian has.
pub fn packed(arity: usize) -> usize {
    arity * (arity + 1) / 2
}
