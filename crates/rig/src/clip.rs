//! Animations: curves over time that move nodes and shapes.

use nalgebra::{Quaternion, UnitQuaternion};

/// One animation of a character.
#[derive(Clone, Debug, Default)]
pub struct Clip {
    /// the artist's; may be empty
    pub name: String,
    /// what it moves
    pub channels: Vec<Channel>,
}

/// One thing that moves.
#[derive(Clone, Debug)]
pub struct Channel {
    /// what
    pub target: Target,
    /// how
    pub curve: Curve,
}

/// What a channel moves; each names a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// 3 numbers [m]
    Translation(u32),
    /// a quaternion x y z w
    Rotation(u32),
    /// 3 numbers
    Scale(u32),
    /// the weights of the shapes of the part at this node, one number each
    Weights(u32),
}

/// Keys over time.
#[derive(Clone, Debug)]
pub struct Curve {
    /// [s], rising strictly, at least one
    pub times: Vec<f64>,
    /// numbers per key
    pub width: usize,
    /// key by key; for cubic splines in-tangent, value, out-tangent of each key
    pub values: Vec<f64>,
    /// between keys
    pub interpolation: Interpolation,
}

/// How a curve goes from key to key. Before the first and after the last it stands still.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interpolation {
    /// it jumps at the keys
    Step,
    /// straight; rotations on the shorter arc
    Linear,
    /// Hermite, tangents per second
    Cubic,
}

impl Clip {
    /// When its first key is [s]; 0 if it has none.
    pub fn start(&self) -> f64 {
        self.key_times().reduce(f64::min).unwrap_or(0.0)
    }

    /// When its last key is [s]; 0 if it has none.
    pub fn end(&self) -> f64 {
        self.key_times().reduce(f64::max).unwrap_or(0.0)
    }

    fn key_times(&self) -> impl Iterator<Item = f64> + '_ {
        let ends = |c: &Channel| [c.curve.times.first().copied(), c.curve.times.last().copied()];
        self.channels.iter().flat_map(ends).flatten().filter(|t| t.is_finite())
    }
}

/// Where a time falls on a curve.
enum Place {
    /// on a key, or before the first or after the last
    At(usize),
    /// between key k and the next: how far (0..1), and their distance [s]
    Between(usize, f64, f64),
}

impl Curve {
    /// The numbers at time t [s]; before the first key and after the last as there. What is missing, or no number, stays as
    /// it was in `out`. Rotations have [`Curve::sample_rotation`].
    pub fn sample(&self, t: f64, out: &mut [f64]) {
        let width = self.width.min(out.len());
        match self.place(t) {
            Some(Place::At(k)) => (0..width).for_each(|i| set(&mut out[i], self.value(k, i))),
            Some(Place::Between(k, s, h)) => (0..width).for_each(|i| set(&mut out[i], self.between(k, s, h, i))),
            None => {}
        }
    }

    /// The rotation at time t [s]: on the shorter arc at constant speed for linear curves, of unit length always.
    pub fn sample_rotation(&self, t: f64, out: &mut Quaternion<f64>) {
        let mut xyzw = [f64::NAN; 4];
        match self.place(t) {
            Some(Place::Between(k, s, _)) if self.interpolation == Interpolation::Linear => {
                let key = |k| Quaternion::from([0, 1, 2, 3].map(|i| self.value(k, i).unwrap_or(f64::NAN)));
                let (from, to) = (key(k), key(k + 1));
                if from.coords.iter().chain(to.coords.iter()).all(|x| x.is_finite()) {
                    xyzw = slerp(&from, &to, s).coords.into();
                }
            }
            _ => self.sample(t, &mut xyzw),
        }
        if let Some(unit) = UnitQuaternion::try_new(Quaternion::from(xyzw), 1e-12).filter(|q| q.norm().is_finite()) {
            *out = unit.into_inner();
        }
    }

    fn place(&self, t: f64) -> Option<Place> {
        let after = self.times.partition_point(|&key| key <= t); // keys up to t; none for NaN
        if after == 0 || after >= self.times.len() {
            return self.times.len().checked_sub(1).map(|last| Place::At(after.min(last)));
        }
        let (k, h) = (after - 1, self.times[after] - self.times[after - 1]);
        let s = (t - self.times[k]) / h;
        let stands = self.interpolation == Interpolation::Step || s == 0.0 || !s.is_finite();
        Some(if stands { Place::At(k) } else { Place::Between(k, s, h) })
    }

    /// Number i of key k.
    fn value(&self, k: usize, i: usize) -> Option<f64> {
        self.values.get(self.row(k, 1) + i).copied()
    }

    /// Where the numbers of key k start: 0 in-tangent, 1 value, 2 out-tangent.
    fn row(&self, k: usize, which: usize) -> usize {
        if self.interpolation == Interpolation::Cubic { (3 * k + which) * self.width } else { k * self.width }
    }

    fn between(&self, k: usize, s: f64, h: f64, i: usize) -> Option<f64> {
        let (from, to) = (self.value(k, i)?, self.value(k + 1, i)?);
        if self.interpolation != Interpolation::Cubic {
            return Some(from + s * (to - from));
        }
        let leaving = h * self.values.get(self.row(k, 2) + i)?;
        let arriving = h * self.values.get(self.row(k + 1, 0) + i)?;
        let (s2, s3) = (s * s, s * s * s);
        let (rise, fall) = (3.0 * s2 - 2.0 * s3, 1.0 - 3.0 * s2 + 2.0 * s3);
        Some(fall * from + rise * to + (s3 - 2.0 * s2 + s) * leaving + (s3 - s2) * arriving)
    }
}

fn set(out: &mut f64, value: Option<f64>) {
    if let Some(value) = value.filter(|v| v.is_finite()) {
        *out = value;
    }
}

/// From one rotation to another on the shorter arc, at constant speed. One that has no length counts as none.
pub(crate) fn slerp(from: &Quaternion<f64>, to: &Quaternion<f64>, s: f64) -> Quaternion<f64> {
    let unit = |q: &Quaternion<f64>| UnitQuaternion::try_new(*q, 1e-12).unwrap_or_default().into_inner();
    let (from, mut to) = (unit(from), unit(to));
    if from.dot(&to) < 0.0 {
        to = -to;
    }
    // the angle by its half chord: exact also where it is small
    let angle = 2.0 * (0.5 * (to - from).norm()).min(1.0).asin();
    if angle < 1e-9 {
        return from.lerp(&to, s).normalize();
    }
    ((from * ((1.0 - s) * angle).sin() + to * (s * angle).sin()) / angle.sin()).normalize()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::zoo::about_z;

    fn at(curve: &Curve, t: f64) -> f64 {
        let mut out = [f64::NAN];
        curve.sample(t, &mut out);
        out[0]
    }

    fn curve(interpolation: Interpolation, values: &[f64]) -> Curve {
        Curve { times: vec![1.0, 3.0], width: 1, values: values.into(), interpolation }
    }

    #[test]
    fn steps_lines_and_splines_have_the_values_computed_by_hand() {
        let step = curve(Interpolation::Step, &[5.0, 7.0]);
        assert_eq!([0.0, 1.0, 2.999, 3.0, 9.0].map(|t| at(&step, t)), [5.0, 5.0, 5.0, 7.0, 7.0]);
        let linear = curve(Interpolation::Linear, &[5.0, 7.0]);
        assert_eq!([0.0, 1.0, 1.5, 3.0, 9.0].map(|t| at(&linear, t)), [5.0, 5.0, 5.5, 7.0, 7.0]);
        // in, value, out of two keys 2 s apart: y = 1 + 2s·3 at the start; s = 1/4 by the Hermite polynomials
        let cubic = curve(Interpolation::Cubic, &[9.0, 1.0, 3.0, -1.0, 2.0, 9.0]);
        let by_hand = 0.84375 * 1.0 + 0.15625 * 2.0 + 0.140625 * 2.0 * 3.0 + 0.046875 * 2.0 * 1.0;
        assert_eq!([0.0, 1.5, 3.0, 9.0].map(|t| at(&cubic, t)), [1.0, by_hand, 2.0, 2.0]);
        let slope = (at(&cubic, 1.0 + 1e-6) - at(&cubic, 1.0)) / 1e-6;
        assert!((slope - 3.0).abs() < 1e-4, "the out-tangent is per second: {slope}");
    }

    #[test]
    fn rotations_take_the_shorter_arc_at_constant_speed() {
        let (from, to) = (about_z(0.2), -about_z(2.2));
        let values = [from.coords.data.0[0], to.coords.data.0[0]].concat();
        let curve = Curve { times: vec![0.0, 1.0], width: 4, values, interpolation: Interpolation::Linear };
        for (t, angle) in [(-1.0, 0.2), (0.25, 0.7), (0.5, 1.2), (2.0, 2.2)] {
            let mut q = Quaternion::identity();
            curve.sample_rotation(t, &mut q);
            assert!(q.dot(&about_z(angle)).abs() > 1.0 - 1e-15, "{t}: {q}");
            assert!((q.norm() - 1.0).abs() < 1e-15);
        }
    }

    #[test]
    fn a_turn_of_any_size_is_divided_exactly() {
        for angle in [1e-12, 1e-9, 1e-4, 1.0, 3.1] {
            let (a, b) =
                (UnitQuaternion::new_normalize(about_z(0.3)), UnitQuaternion::new_normalize(about_z(0.3 + angle)));
            let ours = slerp(&a, &b, 0.3);
            assert!((ours - about_z(0.3 + 0.3 * angle)).norm() < 1e-15, "{angle}");
        }
    }

    #[test]
    fn clips_without_keys_or_length_and_broken_curves_change_nothing() {
        assert_eq!((Clip::default().start(), Clip::default().end()), (0.0, 0.0));
        let empty = Curve { times: vec![], width: 1, values: vec![], interpolation: Interpolation::Linear };
        let short = Curve { times: vec![0.0, 1.0], width: 1, values: vec![2.0], interpolation: Interpolation::Cubic };
        let nan = Curve { values: vec![f64::NAN, f64::INFINITY], ..curve(Interpolation::Linear, &[]) };
        let turn = Curve { width: 4, values: vec![f64::NAN; 8], ..nan.clone() };
        for curve in [&empty, &short, &nan, &turn] {
            for t in [0.0, 0.5, 2.0, f64::NAN, f64::INFINITY] {
                let (mut out, mut q) = ([4.0], about_z(1.0));
                curve.sample(t, &mut out);
                curve.sample_rotation(t, &mut q);
                assert_eq!((out, q), ([4.0], about_z(1.0)));
            }
        }
        let one = Curve { times: vec![0.5], width: 1, values: vec![2.0], interpolation: Interpolation::Linear };
        assert_eq!([0.0, 0.5, 1.0, f64::NAN].map(|t| at(&one, t)), [2.0; 4]);
        let late = Clip { name: String::new(), channels: vec![Channel { target: Target::Scale(0), curve: one }] };
        assert_eq!((late.start(), late.end()), (0.5, 0.5));
    }
}
