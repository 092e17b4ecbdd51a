//! Vertices that were baked: an animation without controls.

use math::Vect;

use super::error::{all_finite, same_length};
use super::{Jacobian, Rig, RigError};

/// Raw vertex positions, frame by frame. It has no parameters, so its Jacobian is empty: nothing but its time can be set.
#[derive(Clone, Debug)]
pub struct Cache<const D: usize> {
    frames: Vec<Vec<Vect<D>>>,
    /// where it is, in frames from the first; between two frames vertices move straight, outside they stand still
    pub time: f64,
}

impl<const D: usize> Cache<D> {
    /// From the positions of each frame [m]; all frames have the same vertices.
    pub fn new(frames: Vec<Vec<Vect<D>>>) -> Result<Self, RigError> {
        let vertices = frames.first().ok_or(RigError::NoFrames)?.len();
        for frame in &frames {
            same_length("cached positions", vertices, frame.len())?;
            all_finite("cached positions", frame)?;
        }
        Ok(Self { frames, time: 0.0 })
    }
    /// How many frames there are; at least one.
    pub fn frames(&self) -> usize {
        self.frames.len()
    }
}

impl<const D: usize> Rig<D> for Cache<D> {
    fn parameters(&self) -> usize {
        0
    }
    fn vertices(&self) -> usize {
        self.frames[0].len()
    }
    fn rest(&self) -> Vec<f64> {
        vec![]
    }
    fn positions(&self, _: &[f64], x: &mut [Vect<D>]) {
        let last = self.frames.len() - 1;
        let time = self.time.max(0.0).min(last as f64); // NaN is the start
        let before = time as usize;
        let (a, b) = (&self.frames[before], &self.frames[(before + 1).min(last)]);
        let s = time - before as f64;
        for (x, (a, b)) in x.iter_mut().zip(a.iter().zip(b)) {
            *x = if s == 0.0 { *a } else { (1.0 - s) * a + s * b };
        }
    }
    fn jacobian(&self, _: &[f64]) -> Jacobian<D> {
        Jacobian::from_rows(0, vec![vec![]; Rig::vertices(self)])
    }
    fn is_linear(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rigs::check::positions;

    #[test]
    fn frames_come_back_to_the_bit_and_time_runs_between_them() {
        let frame = |k: f64| vec![Vect::from([0.1 * k, 0.3]), Vect::from([1.7, k / 3.0])];
        let mut cache = Cache::new(vec![frame(0.0), frame(1.0), frame(4.0)]).unwrap();
        for (time, expected) in
            [(0.0, 0.0), (1.0, 1.0), (2.0, 4.0), (1.5, 2.5), (-3.0, 0.0), (99.0, 4.0), (f64::NAN, 0.0)]
        {
            cache.time = time;
            let (x, expected) = (positions(&cache, &[]), frame(expected));
            assert!(x.iter().zip(&expected).all(|(a, b)| (a - b).norm() < 1e-15), "{time}");
            assert!(time.fract() != 0.0 || time.is_nan() || x == expected);
        }
        let Jr = cache.jacobian(&[]);
        assert_eq!((Jr.vertices(), Jr.parameters, Jr.value.len()), (2, 0, 0));
    }

    #[test]
    fn a_cache_without_frames_or_with_changing_vertices_is_refused() {
        assert_eq!(Cache::<3>::new(vec![]).unwrap_err(), RigError::NoFrames);
        let frames = vec![vec![Vect::<3>::zeros(); 4], vec![Vect::zeros(); 5]];
        assert!(matches!(Cache::new(frames), Err(RigError::Lengths { expected: 4, found: 5, .. })));
        assert!(Cache::new(vec![vec![Vect::from([f64::NAN, 0.0])]]).is_err());
    }
}
