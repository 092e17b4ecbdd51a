//! Rigs that are not linear: written once for any kind of number, differentiated by running them with dual numbers.

use math::Vect;
use nalgebra::SVector;
use num_dual::{Dual64, DualNum};
use rayon::prelude::*;

use super::{Jacobian, Rig};

/// A number that may carry a derivative along: f64, or a dual number.
pub trait Number: DualNum<Primitive = f64> + Copy + Send + Sync {}
impl<T: DualNum<Primitive = f64> + Copy + Send + Sync> Number for T {}

/// A motion in two stages, for any kind of number: first what all vertices share (the maps of the bones, the frames along
/// a curve), then each vertex from that. Whatever is a `Motion` is a [`Rig`], its Jacobian comes by forward-mode
/// automatic differentiation.
pub trait Motion<const D: usize>: Sync {
    /// What the parameters make for all vertices together.
    type Shared<N: Number>: Send + Sync;
    /// How many numbers set a pose.
    fn parameters(&self) -> usize;
    /// How many vertices it moves.
    fn vertices(&self) -> usize;
    /// The parameters of the rest pose.
    fn rest(&self) -> Vec<f64>;
    /// The first stage.
    fn share<N: Number>(&self, p: &[N]) -> Self::Shared<N>;
    /// The second stage: where a vertex is [m].
    fn place<N: Number>(&self, vertex: usize, shared: &Self::Shared<N>) -> SVector<N, D>;
    /// The parameters that can move a vertex, each once. Leaving one out leaves its derivative out.
    fn moved_by(&self, vertex: usize) -> Vec<u32>;
}

/// Jr at p: one run of the first stage per parameter with its derivative set to 1, then each vertex with those that move it.
pub fn differentiate<const D: usize, M: Motion<D>>(motion: &M, p: &[f64]) -> Jacobian<D> {
    let seeded = |k: usize| -> Vec<Dual64> {
        p.iter().enumerate().map(|(i, &x)| Dual64::new(x, if i == k { 1.0 } else { 0.0 })).collect()
    };
    let shared: Vec<_> = (0..p.len()).into_par_iter().map(|k| motion.share(&seeded(k))).collect();
    let row = |vertex: usize| {
        let slope = |k: &u32| (*k, motion.place(vertex, &shared[*k as usize]).map(|x| x.eps));
        motion.moved_by(vertex).iter().map(slope).collect::<Vec<_>>()
    };
    let rows: Vec<_> = (0..motion.vertices()).into_par_iter().with_min_len(256).map(row).collect();
    Jacobian::from_rows(p.len(), rows)
}

impl<const D: usize, M: Motion<D>> Rig<D> for M {
    fn parameters(&self) -> usize {
        Motion::parameters(self)
    }
    fn vertices(&self) -> usize {
        Motion::vertices(self)
    }
    fn rest(&self) -> Vec<f64> {
        Motion::rest(self)
    }
    fn positions(&self, p: &[f64], x: &mut [Vect<D>]) {
        let shared = self.share(p);
        x.par_iter_mut().with_min_len(1024).enumerate().for_each(|(v, x)| *x = self.place(v, &shared));
    }
    fn jacobian(&self, p: &[f64]) -> Jacobian<D> {
        differentiate(self, p)
    }
    fn is_linear(&self) -> bool {
        false
    }
}
