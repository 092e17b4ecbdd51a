//! Finite-difference checks, and the repeatable random numbers they sample with.

use crate::energy::packed;
use crate::{Energy, Mat, Vect};

/// A small repeatable random number generator (splitmix64), for tests and starting vectors.
pub struct Random(u64);

impl Random {
    /// The same seed gives the same numbers everywhere.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }
    /// Uniform in −1..1.
    pub fn number(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
    /// Components uniform in −1..1.
    pub fn vector<const D: usize>(&mut self) -> Vect<D> {
        Vect::from_fn(|_, _| self.number())
    }
    /// Entries uniform in −1..1.
    pub fn matrix<const D: usize>(&mut self) -> Mat<D> {
        Mat::from_fn(|_, _| self.number())
    }
}

/// Checks an energy's two derivatives against finite differences at x, moving vertices by about `step`.
///
/// Panics with what is wrong; refuses to pass where there is nothing to see.
pub fn check_energy<const D: usize>(energy: &dyn Energy<D>, x: &[Vect<D>], step: f64) {
    let (arity, terms) = (energy.arity(), energy.terms());
    assert!(terms > 0, "vacuous: the energy has no terms");
    let mut random = Random::new(11);
    let zeros = || vec![Vect::<D>::zeros(); arity];
    let mut largest = 0.0f64;
    for term in 0..terms {
        let stencil = &energy.stencils()[term * arity..(term + 1) * arity];
        let direction: Vec<Vect<D>> = (0..arity).map(|_| random.vector()).collect();
        let moved = |distance: f64| {
            let mut y = x.to_vec();
            for (&v, d) in stencil.iter().zip(&direction) {
                y[v as usize] += distance * d;
            }
            y
        };
        let at = |distance: f64| {
            let (y, mut g) = (moved(distance), zeros());
            energy.gradient(term, &y, &mut g);
            (energy.value(term, &y), g)
        };
        let ((e1, g1), (_, g), (e2, g2)) = (at(-step), at(0.0), at(step));
        let force: f64 = g.iter().map(|g| g.norm()).sum();
        largest = largest.max(force);
        let slope: f64 = g.iter().zip(&direction).map(|(g, d)| g.dot(d)).sum();
        let difference = (e2 - e1) / (2.0 * step);
        let noise = 1e-15 * (e1.abs() + e2.abs()) / step;
        assert!(
            (slope - difference).abs() < 1e-6 * force + 10.0 * noise,
            "term {term}: the gradient gives {slope}, the energy's own difference {difference}"
        );
        let mut H = vec![Mat::zeros(); packed(arity)];
        energy.hessian(term, x, false, &mut H);
        let Hd = times(&H, &direction);
        let dg: Vec<_> = g1.iter().zip(&g2).map(|(g1, g2)| (g2 - g1) / (2.0 * step)).collect();
        let size: f64 = dg.iter().map(|d| d.norm()).sum();
        let off: f64 = Hd.iter().zip(&dg).map(|(a, b)| (a - b).norm()).sum();
        assert!(
            off < 1e-5 * size + 1e-14 * force / step,
            "term {term}: the Hessian gives {Hd:?}, the gradient's own difference {dg:?}"
        );
        energy.hessian(term, x, true, &mut H);
        let work: f64 = times(&H, &direction).iter().zip(&direction).map(|(a, b)| a.dot(b)).sum();
        assert!(work >= -1e-9 * size, "term {term}: the projected Hessian is not positive: {work}");
    }
    assert!(largest > 0.0, "vacuous: no term pulls");
}

/// H d for a packed lower triangle.
fn times<const D: usize>(H: &[Mat<D>], d: &[Vect<D>]) -> Vec<Vect<D>> {
    let block = |a: usize, b: usize| if b <= a { H[packed(a) + b] } else { H[packed(b) + a].transpose() };
    (0..d.len()).map(|a| (0..d.len()).map(|b| block(a, b) * d[b]).sum()).collect()
}
