//! Motion as morph targets: one shape per frame, or few principal shapes, with weights from 0 to 1.

use math::symmetric_eigen;
use nalgebra::DMatrix;

/// What a shape adds to a vertex, in mesh space.
pub(crate) type Delta = [f32; 3];

/// Shapes, and how far each is in at each frame: frame f shows Σ weights[f][k] deltas[k].
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Shapes {
    /// shape by shape, vertex by vertex
    pub deltas: Vec<Vec<Delta>>,
    /// frame by frame, shape by shape; from 0 to 1, because Blender clamps
    pub weights: Vec<Vec<f32>>,
}

impl Shapes {
    /// Every frame is a shape: exact, and as large as all frames.
    pub fn per_frame(frames: Vec<Vec<Delta>>) -> Self {
        let count = frames.len();
        let weights = (0..count).map(|f| (0..count).map(|k| if k == f { 1.0 } else { 0.0 }).collect()).collect();
        Shapes { deltas: frames, weights }
    }

    /// As few shapes as bring every vertex of every frame within `tolerance` of its place [m], but at most `most`.
    /// The principal components of the frames around their mean, the strongest first. `stretch` of a vertex at a frame
    /// bounds how many metres one unit of its delta is in the world. Where all frames are no more shapes than that, they
    /// are the shapes.
    pub fn principal(frames: Vec<Vec<Delta>>, stretch: &[Vec<f32>], tolerance: f64, most: usize) -> Self {
        let count = frames.len();
        let vertices = frames.first().map_or(0, Vec::len);
        let mut base = vec![[0.0; 3]; vertices]; // the mean, and what rescaling takes out of the weights
        for frame in &frames {
            add(&mut base, 1.0 / count as f64, frame);
        }
        let mut residual = frames.clone();
        residual.iter_mut().for_each(|frame| subtract(frame, |v, i| base[v][i]));
        let (values, components) = symmetric_eigen(gram(&residual));
        let floor = values.first().map_or(0.0, |largest| largest * 1e-14);
        let mut shapes = Shapes { deltas: Vec::new(), weights: vec![Vec::new(); count] };
        let enough = 0.98 * tolerance; // the rest is for the rounding of the base, and for what is dropped as still
        for (component, value) in components.iter().zip(values) {
            let done = worst(&residual, stretch) <= enough;
            if done || shapes.deltas.len() + 2 > most || !(value > floor) {
                break;
            }
            shapes.add(component, &mut residual, &mut base);
        }
        let exact = worst(&residual, stretch) <= enough;
        if count <= most && (!exact || shapes.deltas.len() + 1 >= count) {
            return Self::per_frame(frames);
        }
        shapes.deltas.push(base.iter().map(|d| d.map(|x| x as f32)).collect());
        shapes.weights.iter_mut().for_each(|weights| weights.push(1.0));
        shapes
    }

    /// Takes one component (its weight at each frame) out of the residual. Weights in a..b become 0..1: the shape grows
    /// by b − a, and a times the shape is left to the base.
    fn add(&mut self, component: &[f64], residual: &mut [Vec<Delta>], base: &mut [[f64; 3]]) {
        let a = component.iter().copied().fold(f64::INFINITY, f64::min);
        let range = component.iter().copied().fold(f64::NEG_INFINITY, f64::max) - a;
        if !(range > 0.0) {
            return;
        }
        let mut sum = vec![[0.0; 3]; base.len()];
        for (&weight, frame) in component.iter().zip(residual.iter()) {
            add(&mut sum, range * weight, frame);
        }
        let shape: Vec<Delta> = sum.iter().map(|d| d.map(|x| x as f32)).collect();
        add(base, a / range, &shape);
        for (frame, (all, &weight)) in residual.iter_mut().zip(self.weights.iter_mut().zip(component)) {
            let rescaled = ((weight - a) / range).clamp(0.0, 1.0) as f32;
            all.push(rescaled);
            let total = f64::from(rescaled) + a / range;
            subtract(frame, |v, i| total * f64::from(shape[v][i]));
        }
        self.deltas.push(shape);
    }

    /// What else changes with the frames, such as normals, as the same number of shapes: those that come nearest to it in
    /// the sense of least squares when moved by the same weights.
    pub fn fit(&self, frames: &[Vec<Delta>]) -> Vec<Vec<Delta>> {
        let (count, shapes) = (frames.len(), self.deltas.len());
        let W = DMatrix::from_fn(count, shapes, |f, k| f64::from(self.weights[f][k]));
        let mut WtW = W.transpose() * &W;
        let damping = 1e-10 * WtW.trace();
        (0..shapes).for_each(|k| WtW[(k, k)] += damping);
        let solved =
            WtW.cholesky().map_or_else(|| DMatrix::zeros(shapes, count), |factor| factor.solve(&W.transpose()));
        let vertices = frames.first().map_or(0, Vec::len);
        let shape = |k: usize| {
            let mut sum = vec![[0.0; 3]; vertices];
            for (f, frame) in frames.iter().enumerate().filter(|(f, _)| solved[(k, *f)] != 0.0) {
                add(&mut sum, solved[(k, f)], frame);
            }
            sum.iter().map(|d| d.map(|x| x as f32)).collect()
        };
        (0..shapes).map(shape).collect()
    }

    /// Forgets movements below `least` in mesh space, so that shapes become sparse.
    pub fn still(&mut self, least: f64) {
        for delta in self.deltas.iter_mut().flatten() {
            if delta.iter().all(|x| f64::from(x.abs()) < least) {
                *delta = [0.0; 3];
            }
        }
    }

    /// What readers add to the mesh at a frame.
    pub fn at(&self, frame: usize) -> Vec<[f64; 3]> {
        let mut sum = vec![[0.0; 3]; self.deltas.first().map_or(0, Vec::len)];
        for (delta, &weight) in self.deltas.iter().zip(&self.weights[frame]) {
            if weight != 0.0 {
                add(&mut sum, weight.into(), delta);
            }
        }
        sum
    }
}

fn add(sum: &mut [[f64; 3]], weight: f64, delta: &[Delta]) {
    for (sum, delta) in sum.iter_mut().zip(delta) {
        for i in 0..3 {
            sum[i] += weight * f64::from(delta[i]);
        }
    }
}

fn subtract(delta: &mut [Delta], what: impl Fn(usize, usize) -> f64) {
    for (v, delta) in delta.iter_mut().enumerate() {
        for i in 0..3 {
            delta[i] = (f64::from(delta[i]) - what(v, i)) as f32;
        }
    }
}

/// The dot products of all pairs of frames, column by column.
fn gram(frames: &[Vec<Delta>]) -> Vec<f64> {
    let n = frames.len();
    let mut G = vec![0.0; n * n];
    for i in 0..n {
        for j in i..n {
            let product = dot(frames[i].as_flattened(), frames[j].as_flattened());
            (G[i * n + j], G[j * n + i]) = (product, product);
        }
    }
    G
}

/// In eight sums side by side, which a processor does at once.
fn dot(a: &[f32], b: &[f32]) -> f64 {
    let mut sums = [0.0; 8];
    for (a, b) in a.chunks(8).zip(b.chunks(8)) {
        for (sum, (&a, &b)) in sums.iter_mut().zip(a.iter().zip(b)) {
            *sum += f64::from(a) * f64::from(b);
        }
    }
    sums.iter().sum()
}

/// No vertex is farther from its place at any frame [m].
fn worst(residual: &[Vec<Delta>], stretch: &[Vec<f32>]) -> f64 {
    let pairs = residual.iter().flatten().zip(stretch.iter().flatten());
    let squared =
        |(d, &s): (&Delta, &f32)| d.iter().map(|&x| f64::from(x) * f64::from(x)).sum::<f64>() * f64::from(s).powi(2);
    pairs.map(squared).fold(0.0, f64::max).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A wave of `parts` independent movements.
    fn wave(frames: usize, vertices: usize, parts: usize) -> Vec<Vec<Delta>> {
        let place = |f: usize, v: usize, i: usize| {
            let one = |p: usize| ((f * (p + 1)) as f64 * 0.3).sin() * ((v * 3 + i) as f64 * (0.1 + p as f64)).cos();
            ((0..parts).map(one).sum::<f64>() + 0.2) as f32
        };
        (0..frames).map(|f| (0..vertices).map(|v| [0, 1, 2].map(|i| place(f, v, i))).collect()).collect()
    }

    fn error(shapes: &Shapes, frames: &[Vec<Delta>]) -> f64 {
        let distance = |f: usize| {
            let pairs = shapes.at(f).into_iter().zip(frames[f].clone()).collect::<Vec<_>>();
            let squared = |(a, b): ([f64; 3], Delta)| (0..3).map(|i| (a[i] - f64::from(b[i])).powi(2)).sum::<f64>();
            pairs.into_iter().map(squared).fold(0.0, f64::max).sqrt()
        };
        (0..frames.len()).map(distance).fold(0.0, f64::max)
    }

    fn ones(frames: &[Vec<Delta>]) -> Vec<Vec<f32>> {
        frames.iter().map(|frame| vec![1.0; frame.len()]).collect()
    }

    #[test]
    fn three_movements_need_three_shapes_and_a_base() {
        let frames = wave(40, 50, 3);
        let shapes = Shapes::principal(frames.clone(), &ones(&frames), 1e-4, 100);
        assert_eq!(shapes.deltas.len(), 4);
        assert!(error(&shapes, &frames) < 1e-5, "{}", error(&shapes, &frames));
    }

    #[test]
    fn every_vertex_of_every_frame_is_within_the_tolerance() {
        let frames = wave(40, 50, 12);
        let mut before = usize::MAX;
        for tolerance in [1e-5, 1e-2, 0.3, 1.0] {
            let shapes = Shapes::principal(frames.clone(), &ones(&frames), tolerance, 100);
            assert!(error(&shapes, &frames) <= tolerance);
            assert!(shapes.deltas.len() <= before && shapes.deltas.len() > 1);
            before = shapes.deltas.len();
        }
        assert!(before < 13, "a loose tolerance needs fewer shapes than there are movements");
    }

    #[test]
    fn weights_are_from_0_to_1_and_reach_both() {
        let frames = wave(40, 50, 5);
        let shapes = Shapes::principal(frames.clone(), &ones(&frames), 1e-4, 100);
        let (all, count) = (&shapes.weights, shapes.deltas.len());
        assert!(all.iter().flatten().all(|w| (0.0..=1.0).contains(w)));
        for k in 0..count - 1 {
            assert!(all.iter().any(|w| w[k] == 0.0) && all.iter().any(|w| w[k] == 1.0));
        }
        assert!(all.iter().all(|w| w[count - 1] == 1.0), "the base is always in");
    }

    #[test]
    fn what_no_few_shapes_can_show_is_shown_frame_by_frame() {
        let frames = wave(6, 50, 12);
        let shapes = Shapes::principal(frames.clone(), &ones(&frames), 1e-6, 100);
        assert_eq!(shapes, Shapes::per_frame(frames.clone()));
        assert_eq!(error(&shapes, &frames), 0.0);
        let few = Shapes::principal(frames.clone(), &ones(&frames), 1e-6, 3);
        assert_eq!(few.deltas.len(), 3, "the artist's limit holds");
        assert!(error(&few, &frames) > 1e-6);
    }

    #[test]
    fn a_tolerance_counts_in_the_world_where_the_mesh_is_a_hundred_times_larger() {
        let frames = wave(40, 50, 12);
        let large = vec![vec![100.0; 50]; 40];
        let shapes = Shapes::principal(frames.clone(), &large, 1.0, 100);
        assert!(error(&shapes, &frames) <= 0.01);
        assert!(shapes.deltas.len() > Shapes::principal(frames.clone(), &ones(&frames), 1.0, 100).deltas.len());
    }

    #[test]
    fn what_moves_with_the_same_weights_is_fitted_exactly() {
        let frames = wave(40, 50, 3);
        let shapes = Shapes::principal(frames.clone(), &ones(&frames), 1e-4, 100);
        let halves: Vec<Vec<Delta>> = frames.iter().map(|f| f.iter().map(|d| d.map(|x| x / 2.0)).collect()).collect();
        let fitted = Shapes { deltas: shapes.fit(&halves), weights: shapes.weights.clone() };
        assert!(error(&fitted, &halves) < 1e-5, "{}", error(&fitted, &halves));
    }

    #[test]
    fn stillness_and_single_frames_are_fine() {
        let still = vec![vec![[0.5, 0.0, 0.0]; 4]; 9];
        let shapes = Shapes::principal(still.clone(), &ones(&still), 1e-6, 10);
        assert_eq!((shapes.deltas.len(), error(&shapes, &still)), (1, 0.0));
        let one = wave(1, 4, 1);
        assert_eq!(error(&Shapes::principal(one.clone(), &ones(&one), 1e-6, 10), &one), 0.0);
        assert_eq!(Shapes::principal(vec![], &[], 1e-6, 10).weights.len(), 0);
    }
}
