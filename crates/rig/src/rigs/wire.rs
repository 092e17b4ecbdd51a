//! A curve that a body hangs on.

use math::Vect;
use nalgebra::SVector;

use super::error::all_finite;
use super::rotation::constant;
use super::{Motion, Number, RigError};

/// Wire deformer: a cubic Hermite curve through knots (Catmull–Rom [CR74]; one-sided tangents at the ends), each vertex
/// rigidly attached to the frame of the nearest sample of the rest curve. The frame is tangent and normal in the plane;
/// in space the normals are carried along the curve without twist [WJZL08].
///   p     the places of the knots, D numbers each     [m]
#[derive(Clone, Debug)]
pub struct Wire<const D: usize> {
    knots: Vec<Vect<D>>,
    /// the sample each vertex is attached to
    sample: Vec<u32>,
    /// where it is in the frame of that sample [m]
    local: Vec<Vect<D>>,
    /// the frame of the first rest sample, as columns: its tangent, then normals
    first: Vec<Vect<D>>,
}

/// Samples per span.
const SAMPLES: usize = 30;

/// A point of the curve and the axes there.
#[derive(Clone, Copy, Debug)]
pub struct Frame<N, const D: usize> {
    point: SVector<N, D>,
    axes: [SVector<N, D>; 3],
}

impl<const D: usize> Wire<D> {
    /// Attaches vertices [m] to the curve through these knots [m].
    pub fn new(rest: &[Vect<D>], knots: Vec<Vect<D>>) -> Result<Self, RigError> {
        all_finite("rest positions", rest)?;
        all_finite("knots", &knots)?;
        let different = 1 + knots.windows(2).filter(|k| k[0] != k[1]).count();
        if knots.len() < 2 || different < knots.len() {
            return Err(RigError::ShortWire { knots: different.min(knots.len()) });
        }
        let tangent = (knots[1] - knots[0]).normalize();
        let mut wire = Self { knots, sample: vec![], local: vec![], first: complete(tangent) };
        let frames = wire.frames::<f64>(&Motion::rest(&wire));
        for X in rest {
            let nearest = frames.iter().enumerate().map(|(s, f)| ((X - f.point).norm_squared(), s));
            let (_, s) = nearest.fold((f64::INFINITY, 0), |a, b| if b.0 < a.0 { b } else { a });
            wire.sample.push(s as u32);
            wire.local.push(Vect::from_fn(|i, _| frames[s].axes[i].dot(&(X - frames[s].point))));
        }
        Ok(wire)
    }

    /// The frames at all samples.
    fn frames<N: Number>(&self, p: &[N]) -> Vec<Frame<N, D>> {
        let knot = |i: usize| SVector::<N, D>::from_fn(|k, _| p[D * i + k]);
        let last = p.len() / D - 1;
        let slope = |i: usize| {
            let (a, b) = (i.saturating_sub(1), (i + 1).min(last));
            (knot(b) - knot(a)) / N::from((b - a) as f64) // per span
        };
        let mut frames = Vec::with_capacity(last * SAMPLES + 1);
        let mut axes = [SVector::zeros(); 3];
        for (axis, first) in axes.iter_mut().zip(&self.first) {
            *axis = constant(first);
        }
        for s in 0..=last * SAMPLES {
            let i = (s / SAMPLES).min(last - 1);
            let u = (s - i * SAMPLES) as f64 / SAMPLES as f64;
            let [a, b, ta, tb] = [knot(i), knot(i + 1), slope(i), slope(i + 1)];
            let mix = |h: [f64; 4]| a * N::from(h[0]) + ta * N::from(h[1]) + b * N::from(h[2]) + tb * N::from(h[3]);
            let (u2, u3) = (u * u, u * u * u);
            let point = mix([2.0 * u3 - 3.0 * u2 + 1.0, u3 - 2.0 * u2 + u, 3.0 * u2 - 2.0 * u3, u3 - u2]);
            let along = mix([6.0 * (u2 - u), 3.0 * u2 - 4.0 * u + 1.0, 6.0 * (u - u2), 3.0 * u2 - 2.0 * u]);
            axes = carried(axes, along);
            frames.push(Frame { point, axes });
        }
        frames
    }
}

/// A tangent and normals to it, all of unit length and at right angles.
fn complete<const D: usize>(tangent: Vect<D>) -> Vec<Vect<D>> {
    let mut axes = vec![tangent];
    let mut candidates: Vec<usize> = (0..D).collect();
    candidates.sort_by(|a, b| tangent[*a].abs().total_cmp(&tangent[*b].abs()));
    for i in candidates {
        let mut axis = Vect::zeros();
        axis[i] = 1.0;
        for other in &axes {
            axis -= other.dot(&axis) * other;
        }
        if axes.len() < D {
            axes.push(axis.normalize());
        }
    }
    axes
}

/// The axes, turned by the smallest rotation that brings the first one along this direction. Where the curve stands still
/// they stay.
fn carried<N: Number, const D: usize>(axes: [SVector<N, D>; 3], along: SVector<N, D>) -> [SVector<N, D>; 3] {
    let square = along.dot(&along);
    if !(square.re() > 1e-24 * along.iter().fold(1.0, |m: f64, x| m.max(x.re().abs()))) {
        return axes;
    }
    let (old, tangent) = (axes[0], along / square.sqrt());
    let mut turned = [tangent, axes[1], axes[2]];
    if D == 2 {
        // the normal stays on its side of the tangent, however far the tangent turns
        let side = if (old[0] * axes[1][1] - old[1] * axes[1][0]).re() < 0.0 { -1.0 } else { 1.0 };
        turned[1] = SVector::from_fn(|i, _| if i == 0 { tangent[1] * -side } else { tangent[0] * side });
        return turned;
    }
    let sum = old.dot(&tangent) + 1.0;
    if sum.re() > 1e-12 {
        for axis in &mut turned[1..D] {
            *axis -= (old + tangent) * (axis.dot(&tangent) / sum);
        }
    } else {
        turned[D - 1] = -turned[D - 1]; // straight back: half a turn about the first normal
    }
    turned
}

impl<const D: usize> Motion<D> for Wire<D> {
    type Shared<N: Number> = Vec<Frame<N, D>>;

    fn parameters(&self) -> usize {
        D * self.knots.len()
    }
    fn vertices(&self) -> usize {
        self.local.len()
    }
    fn rest(&self) -> Vec<f64> {
        self.knots.iter().flat_map(|k| k.iter().copied()).collect()
    }
    fn share<N: Number>(&self, p: &[N]) -> Self::Shared<N> {
        self.frames(p)
    }
    fn place<N: Number>(&self, v: usize, frames: &Self::Shared<N>) -> SVector<N, D> {
        let Frame { point, axes } = &frames[self.sample[v] as usize];
        self.local[v].iter().zip(axes).fold(*point, |x, (l, axis)| x + *axis * N::from(*l))
    }
    fn moved_by(&self, v: usize) -> Vec<u32> {
        let span = (self.sample[v] as usize / SAMPLES).min(self.knots.len() - 2);
        // in space normals come along the curve from its start
        let first = if D == 2 { span.saturating_sub(1) } else { 0 };
        let last = (span + 2).min(self.knots.len() - 1);
        ((D * first) as u32..(D * (last + 1)) as u32).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rigs::check::{check_rig_around_rest, positions};
    use crate::rigs::differentiate;

    #[test]
    fn its_jacobian_is_right_in_the_plane_and_in_space() {
        let X = mesh::block([6, 2], Vect::from([3.0, 1.0])).rest;
        let knots = [[0.0, 0.5], [0.9, 0.7], [2.0, 0.4], [3.0, 0.5]].map(Vect::from).to_vec();
        check_rig_around_rest(&Wire::new(&X, knots).unwrap(), 0.3);
        let X = mesh::block([5, 1, 1], Vect::from([3.0, 1.0, 1.0])).rest;
        let knots = [[0.0, 0.5, 0.5], [0.9, 0.7, 0.2], [2.0, 0.4, 0.5], [3.0, 0.5, 0.9]].map(Vect::from).to_vec();
        check_rig_around_rest(&Wire::new(&X, knots).unwrap(), 0.3);
    }

    #[test]
    fn the_rest_curve_gives_the_rest_shape_and_rigidly_moved_knots_move_it_rigidly() {
        let X = mesh::block([5, 1, 1], Vect::from([3.0, 1.0, 1.0])).rest;
        let knots = [[0.0, 0.5, 0.5], [0.9, 0.7, 0.2], [2.0, 0.4, 0.5]].map(Vect::from).to_vec();
        let wire = Wire::new(&X, knots.clone()).unwrap();
        assert!(positions(&wire, &Motion::rest(&wire)).iter().zip(&X).all(|(x, X)| (x - X).norm() < 1e-13));
        // a shift, and a turn in the plane, where frames are unique
        let shifted: Vec<f64> = knots.iter().flat_map(|k| [k[0] + 1.0, k[1] - 2.0, k[2]]).collect();
        let shift = Vect::from([1.0, -2.0, 0.0]);
        assert!(positions(&wire, &shifted).iter().zip(&X).all(|(x, X)| (x - X - shift).norm() < 1e-13));
        let X = mesh::block([5, 1], Vect::from([3.0, 1.0])).rest;
        let knots = [[0.0, 0.5], [0.9, 0.7], [2.0, 0.4]].map(Vect::from).to_vec();
        let wire = Wire::new(&X, knots.clone()).unwrap();
        for angle in [1.0, 3.0, std::f64::consts::PI] {
            let R = nalgebra::Rotation2::new(angle);
            let p: Vec<f64> = knots.iter().flat_map(|k| (R * k).iter().copied().collect::<Vec<_>>()).collect();
            assert!(positions(&wire, &p).iter().zip(&X).all(|(x, X)| (x - R * X).norm() < 1e-12), "{angle}");
        }
    }

    #[test]
    fn the_curve_goes_through_its_knots_and_folding_it_up_gives_no_nan() {
        let knots: Vec<Vect<3>> = [[0.0, 0.0, 0.0], [1.0, 0.3, 0.0], [2.0, 0.0, 0.4]].map(Vect::from).to_vec();
        let wire = Wire::new(&knots, knots.clone()).unwrap();
        let p = [0.0, 1.0, 0.0, 1.0, 0.5, 0.0, -2.0, 0.0, 0.4];
        for (x, knot) in positions(&wire, &p).iter().zip(p.chunks(3)) {
            assert!((x - Vect::from_column_slice(knot)).norm() < 1e-13);
        }
        for p in [
            vec![0.0; 9],
            vec![0.0, 0.0, 0.0, -1.0, -0.3, 0.0, -2.0, 0.0, -0.4],
            vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        ] {
            assert!(positions(&wire, &p).iter().flatten().all(|x| x.is_finite()));
            assert!(differentiate(&wire, &p).value.iter().flatten().all(|x| x.is_finite()));
        }
        assert_eq!(Wire::new(&knots, vec![knots[0]; 3]).unwrap_err(), RigError::ShortWire { knots: 1 });
    }
}
