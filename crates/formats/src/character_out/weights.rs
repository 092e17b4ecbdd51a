//! The weights of a node's shapes over time. A node has one list of weights, so the artist's and ours are merged.

use super::shapes::Shapes;
use rig::{Curve, Interpolation};

/// Keys of a node's weights, straight from key to key.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct WeightKeys {
    /// [s], rising strictly
    pub times: Vec<f32>,
    /// key by key: the artist's shapes, then ours
    pub values: Vec<f32>,
}

/// The artist's weights and ours, with keys where either has keys. Ours are straight between frames, and so is the
/// artist's linear curve: both stay exact. A step becomes two keys as near as the file can tell apart. A spline gets
/// eight keys between its own, and one at each frame.
pub(crate) fn merge(artist: Option<&Curve>, default: &[f64], frames: &[f32], shapes: &Shapes) -> WeightKeys {
    let mut times = frames.to_vec();
    if let Some(curve) = artist {
        times.extend(artist_keys(curve));
    }
    times.retain(|t| t.is_finite() && *t >= 0.0);
    times.sort_by(f32::total_cmp);
    times.dedup();
    let mut values = Vec::new();
    let mut theirs = default.to_vec();
    for &time in &times {
        if let Some(curve) = artist {
            curve.sample(time.into(), &mut theirs);
        }
        values.extend(theirs.iter().map(|&w| w as f32));
        values.extend(between(time, frames, shapes));
    }
    WeightKeys { times, values }
}

fn artist_keys(curve: &Curve) -> Vec<f32> {
    let keys = curve.times.iter().map(|&t| t as f32);
    match curve.interpolation {
        Interpolation::Linear => keys.collect(),
        Interpolation::Step => keys.flat_map(|t| [t.next_down(), t]).collect(),
        Interpolation::Cubic => {
            let inner = |pair: &[f64]| {
                let (a, b) = (pair[0], pair[1]);
                (1..9).map(move |i| (a + (b - a) * f64::from(i) / 9.0) as f32).collect::<Vec<_>>()
            };
            keys.chain(curve.times.windows(2).flat_map(inner)).collect()
        }
    }
}

/// Our weights at a time: straight between frames, still outside of them.
fn between(time: f32, frames: &[f32], shapes: &Shapes) -> Vec<f32> {
    let next = frames.partition_point(|&t| t < time);
    let last = frames.len() - 1;
    if next > last || next == 0 || frames[next] == time {
        return shapes.weights[next.min(last)].clone();
    }
    let (a, b) = (f64::from(frames[next - 1]), f64::from(frames[next]));
    let part = (f64::from(time) - a) / (b - a);
    let mix = |(&u, &v): (&f32, &f32)| (f64::from(u) * (1.0 - part) + f64::from(v) * part) as f32;
    shapes.weights[next - 1].iter().zip(&shapes.weights[next]).map(mix).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pulses() -> Shapes {
        Shapes::per_frame(vec![vec![[1.0, 0.0, 0.0]], vec![[0.0, 1.0, 0.0]]])
    }

    fn curve(interpolation: Interpolation, times: &[f64], values: &[f64]) -> Curve {
        Curve { times: times.to_vec(), width: 1, values: values.to_vec(), interpolation }
    }

    #[test]
    fn linear_curves_and_frames_meet_at_all_keys() {
        let artist = curve(Interpolation::Linear, &[0.0, 1.0], &[0.0, 1.0]);
        let keys = merge(Some(&artist), &[0.0], &[0.25, 0.75], &pulses());
        assert_eq!(keys.times, [0.0, 0.25, 0.75, 1.0]);
        assert_eq!(keys.values, [0.0, 1.0, 0.0, 0.25, 1.0, 0.0, 0.75, 0.0, 1.0, 1.0, 0.0, 1.0]);
    }

    #[test]
    fn a_step_stays_a_step() {
        let artist = curve(Interpolation::Step, &[0.0, 0.5], &[0.0, 1.0]);
        let keys = merge(Some(&artist), &[0.0], &[0.0, 1.0], &pulses());
        assert_eq!(keys.times, [0.0, 0.5f32.next_down(), 0.5, 1.0]);
        let theirs: Vec<f32> = keys.values.chunks(3).map(|w| w[0]).collect();
        assert_eq!(theirs, [0.0, 0.0, 1.0, 1.0]);
        assert_eq!(keys.values[7..9], [0.5, 0.5], "between frames two share the weight");
    }

    #[test]
    fn without_a_curve_the_artists_shapes_stay_as_they_are() {
        let keys = merge(None, &[0.3], &[0.0, 1.0], &pulses());
        assert_eq!(keys.values, [0.3, 1.0, 0.0, 0.3, 0.0, 1.0]);
    }

    #[test]
    fn a_spline_is_followed_between_its_keys() {
        let artist = curve(Interpolation::Cubic, &[0.0, 1.0], &[0.0, 0.0, 4.0, 0.0, 0.0, 0.0]);
        let keys = merge(Some(&artist), &[0.0], &[0.0, 1.0], &pulses());
        assert_eq!(keys.times.len(), 10);
        for (t, w) in keys.times.iter().zip(keys.values.chunks(3)) {
            let exact = 4.0 * t * (1.0 - t) * (1.0 - t);
            assert!((w[0] - exact).abs() < 1e-6);
        }
    }
}
