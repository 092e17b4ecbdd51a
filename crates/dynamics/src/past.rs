//! Static shapes that were found, and where they lead.

use math::Vect;

use crate::Drive;

/// A shape and when it was.
pub(crate) type Dated<const D: usize> = (f64, Vec<Vect<D>>);

/// The last shapes of a body that is driven.
#[derive(Default)]
pub(crate) struct Past<const D: usize> {
    shapes: Vec<Dated<D>>,
    /// where the drive alone would have had all vertices then; empty where it does not say
    followed: Vec<Vec<Vect<D>>>,
}

/// How many are kept.
const KEPT: usize = 3;

impl<const D: usize> Past<D> {
    pub fn shapes(&self) -> &[Dated<D>] {
        &self.shapes
    }

    pub fn is_empty(&self) -> bool {
        self.shapes.is_empty()
    }

    pub fn clear(&mut self) {
        self.shapes.clear();
        self.followed.clear();
    }

    pub fn push(&mut self, drive: &dyn Drive<D>, t: f64, x: &[Vect<D>]) {
        if self.shapes.len() == KEPT {
            self.shapes.remove(0);
            self.followed.remove(0);
        }
        self.shapes.push((t, x.to_vec()));
        let mut all = x.to_vec();
        self.followed.push(if drive.everything(t, &mut all) { all } else { vec![] });
    }

    /// x ← where the shapes lead: through how far they are from what the drive alone would do goes a parabola where they are `exact`, else a
    /// line, as far as they have kept to it. x stays where there are none.
    pub fn lead(&self, drive: &dyn Drive<D>, t: f64, exact: bool, x: &mut [Vect<D>]) {
        let (Some((_, last)), Some(followed)) = (self.shapes.last(), self.followed.last()) else { return };
        let times = || self.shapes.iter().map(|(t, _)| *t).chain([t]);
        if !times().zip(times().skip(1)).all(|(a, b)| a < b) {
            return x.copy_from_slice(last);
        }
        if followed.is_empty() || !drive.everything(t, x) {
            x.fill(Vect::zeros());
        }
        for (weight, k) in self.weights(t, exact).into_iter().rev().zip((0..self.shapes.len()).rev()) {
            x.iter_mut().zip(&self.shapes[k].1).for_each(|(x, p)| *x += weight * p);
            x.iter_mut().zip(&self.followed[k]).for_each(|(x, f)| *x -= weight * f);
        }
    }

    /// What the last shapes are multiplied by, the last one last.
    fn weights(&self, t: f64, exact: bool) -> Vec<f64> {
        let times: Vec<f64> = self.shapes.iter().map(|(t, _)| *t).collect();
        let used = &times[if exact { 0 } else { times.len().saturating_sub(2) }..];
        let others = |tk: f64| used.iter().filter(move |tj| **tj != tk);
        let weights = used.iter().map(|&tk| others(tk).map(|tj| (t - tj) / (tk - tj)).product());
        if exact || times.len() < KEPT {
            return weights.collect();
        }
        // errors of inexact shapes would grow along the line
        let (trend, line) = (self.trend(), weights.collect::<Vec<f64>>());
        vec![trend * line[0], 1.0 - trend * line[0]]
    }

    /// How much of the velocity between the first two of three shapes is found again between the last two, from 0 to 1: about 1 where they move evenly,
    /// and little where what they differ by is chance.
    fn trend(&self) -> f64 {
        let place =
            |k: usize, i: usize| self.shapes[k].1[i] - self.followed[k].get(i).copied().unwrap_or_else(Vect::zeros);
        let velocity = |k: usize, i: usize| (place(k + 1, i) - place(k, i)) / (self.shapes[k + 1].0 - self.shapes[k].0);
        let (mut again, mut before) = (0.0, 0.0);
        for i in 0..self.shapes[0].1.len() {
            let [v0, v1] = [velocity(0, i), velocity(1, i)];
            (again, before) = (again + v0.dot(&v1), before + v0.norm_squared());
        }
        if before > 0.0 { (again / before).clamp(0.0, 1.0) } else { 1.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Says nothing.
    struct Free;
    /// Moves everything with x = sin t.
    struct Waving;
    impl Drive<2> for Free {
        fn pins(&self, _: f64, _: &mut [Vect<2>]) {}
    }
    impl Drive<2> for Waving {
        fn pins(&self, _: f64, _: &mut [Vect<2>]) {}
        fn everything(&self, t: f64, x: &mut [Vect<2>]) -> bool {
            x.fill(Vect::repeat(t.sin()));
            true
        }
    }

    fn led(drive: &dyn Drive<2>, shapes: &[(f64, f64)], t: f64, exact: bool) -> f64 {
        let mut past = Past::default();
        shapes.iter().for_each(|(t, x)| past.push(drive, *t, &[Vect::repeat(*x)]));
        let mut x = [Vect::repeat(f64::NAN)];
        past.lead(drive, t, exact, &mut x);
        x[0].x
    }

    #[test]
    fn a_line_and_a_parabola_are_gone_on_with_and_so_is_what_the_drive_does() {
        let at = |f: fn(f64) -> f64| [0.0, 0.5, 0.75, 1.0].map(|t| (t, f(t)));
        assert!((led(&Free, &at(|t| 3.0 - t), 1.25, false) - 1.75).abs() < 1e-14);
        assert!((led(&Free, &at(|t| t * t), 1.25, true) - 1.5625).abs() < 1e-14);
        assert!((led(&Waving, &at(|t| t.sin() + 2.0 * t), 1.25, false) - 1.25f64.sin() - 2.5).abs() < 1e-14);
        assert!(led(&Free, &[], 1.0, false).is_nan() && led(&Free, &[(1.0, 4.0)], 2.0, false) == 4.0);
        assert_eq!(led(&Free, &at(|t| t), 0.75, false), 1.0, "back in time: the last one");
    }

    #[test]
    fn what_goes_to_and_fro_leads_nowhere() {
        assert_eq!(led(&Free, &[(0.0, 1.0), (1.0, 1.1), (2.0, 1.0)], 3.0, false), 1.0);
        let half = led(&Free, &[(0.0, 0.0), (1.0, 1.0), (2.0, 1.5)], 3.0, false);
        assert!((half - 1.75).abs() < 1e-14, "half of the velocity was found again: {half}");
    }
}
