//! What steps show of the stiffness, used to mend an old factorization on the way (L-BFGS).

use math::Vect;

use crate::forces::dot;

/// K step = change, as seen.
struct Lesson<const D: usize> {
    step: Vec<Vect<D>>,
    change: Vec<Vect<D>>,
    curvature: f64,
}

/// The last steps and how the forces changed with each.
pub(crate) struct Lessons<const D: usize> {
    most: usize,
    learned: Vec<Lesson<D>>,
    /// step and residual before it
    last: Option<[Vec<Vect<D>>; 2]>,
}

impl<const D: usize> Lessons<D> {
    /// Room for this many.
    pub fn new(most: usize) -> Self {
        Self { most, learned: vec![], last: None }
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.learned.clear();
        self.last = None;
    }

    /// A step was made where the residual was this.
    pub fn stepped(&mut self, step: Vec<Vect<D>>, residual: Vec<Vect<D>>) {
        self.last = Some([step, residual]);
    }

    /// It led to this residual, and too far where the forces along it push back with more than this share of what pushed on. Then the way back to
    /// where neither would, if they changed evenly; the step counts as shorter by it.
    pub fn overshot(&mut self, residual: &[Vect<D>], share: f64) -> Option<Vec<Vect<D>>> {
        let [step, start] = self.last.as_mut()?;
        let (on, back) = (-dot(step, start), dot(step, residual));
        if !(on > 0.0 && back > share * on) {
            return None;
        }
        let short = on / (on + back);
        let way_back = step.iter().map(|p| (short - 1.0) * p).collect();
        step.iter_mut().for_each(|p| *p *= short);
        Some(way_back)
    }

    /// It led to this residual.
    pub fn arrived(&mut self, residual: &[Vect<D>]) {
        let Some([step, mut change]) = self.last.take() else { return };
        change.iter_mut().zip(residual).for_each(|(old, r)| *old = r - *old);
        let curvature = dot(&step, &change);
        if curvature > 1e-12 * dot(&change, &change).sqrt() * dot(&step, &step).sqrt() {
            if self.learned.len() == self.most {
                self.learned.remove(0);
            }
            self.learned.push(Lesson { step, change, curvature });
        }
    }

    /// p ← about K⁻¹ p, where `solve` does that with the old factorization.
    pub fn solve(&self, p: &mut [Vect<D>], solve: impl FnOnce(&mut [Vect<D>])) {
        let weights: Vec<f64> = (self.learned.iter().rev())
            .map(|l| {
                let weight = dot(&l.step, p) / l.curvature;
                p.iter_mut().zip(&l.change).for_each(|(p, y)| *p -= weight * y);
                weight
            })
            .collect();
        solve(p);
        for (l, weight) in self.learned.iter().zip(weights.iter().rev()) {
            let more = weight - dot(&l.change, p) / l.curvature;
            p.iter_mut().zip(&l.step).for_each(|(p, step)| *p += more * step);
        }
    }
}
