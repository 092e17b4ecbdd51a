//! Motion relative to frames that turn: the integrator's own differences, taken in the frames.
//!
//! With R(t) the frame at a vertex and d = x − p, the flesh's place in its frame is e = Rᵀd. With ε of the inertia of its frame it has
//!
//! ```text
//! R e″ + ε (x″ − R e″) = ε p″ + y″ + ε(1−ε) Ω² d,
//! ```
//!
//! where y is d as it is seen from a frame in which R turns ε times as fast as it does in the world: for ε = 1 that is the world, for ε = 0 it is R.
//! The integrator makes e′ and y″ of their past as it makes x′ and x″ of theirs: what lies still in a frame has no velocity and no acceleration
//! there whatever the frame does, in steps of any length. (To difference e and x each by itself, (1−ε) R e″ + ε x″, is the same to second order, but for
//! ε > 1 it grows where frames keep turning by more than about half a radian over ε−1 in a step.)

use math::{Mat, Small, Turn, Vect};
use mesh::Mesh;
use rayon::prelude::*;

use crate::turning::VertexGradients;
use dynamics::Stage;

/// What is known of a vertex at one time; vectors are turned into the world.
#[derive(Clone, Copy, Debug)]
struct Known<const D: usize> {
    R: Mat<D>,
    /// Ω = R′Rᵀ
    rate: Mat<D>,
    /// how far R has turned since the step began
    turned: Mat<D>,
    /// ε
    epsilon: f64,
    d: Vect<D>,
    /// e′
    e1: Vect<D>,
    /// y′ and y″
    y1: Vect<D>,
    y2: Vect<D>,
}

impl<const D: usize> Known<D> {
    fn still() -> Self {
        let zero = Vect::zeros();
        Self {
            R: Mat::identity(),
            rate: Mat::zeros(),
            turned: Mat::zeros(),
            epsilon: 1.0,
            d: zero,
            e1: zero,
            y1: zero,
            y2: zero,
        }
    }

    /// y′ and y″ in the frame of another ε.
    fn seen(&self, epsilon: f64) -> [Vect<D>; 2] {
        let more = epsilon - self.epsilon;
        if more == 0.0 {
            return [self.y1, self.y2];
        }
        let around = self.rate * self.d;
        let squares = epsilon * epsilon - self.epsilon * self.epsilon;
        [self.y1 + more * around, self.y2 + 2.0 * more * (self.rate * self.e1) + squares * (self.rate * around)]
    }
}

/// What a stage is prepared with at a vertex.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Prepared<const D: usize> {
    /// R e′ and y″ beside α d and β d
    pub velocity: Vect<D>,
    pub acceleration: Vect<D>,
    /// ε(1−ε) Ω²
    pub spin: Mat<D>,
    /// d where the flesh keeps its place in its frame
    pub guess: Vect<D>,
    /// y′ beside α d
    sideways: Vect<D>,
}

/// d at the start of a step, at the end of its first stage, and at the end of the stage under way.
pub(crate) struct Carried<const D: usize> {
    gradients: VertexGradients<D>,
    start: Vec<Known<D>>,
    middle: Vec<Known<D>>,
    now: Vec<Known<D>>,
    prepared: Vec<Prepared<D>>,
    rotations: Vec<Mat<D>>,
    stage: Option<Stage>,
    /// how far frames turned in a step as it is felt, ε times, on average; the most of all steps in which more than all was felt [rad]
    pub felt: f64,
}

/// ε(1−ε) Ω² is felt up to this share of β: beyond, frames turn so far in a step that it would not be found.
const SPIN: f64 = 0.3;

impl<const D: usize> Carried<D>
where
    Mat<D>: Small<D>,
{
    /// Frames of a mesh; vertices that are led lie still in theirs.
    pub fn new(mesh: &Mesh<D>, led: &[u32]) -> Self {
        let (n, zero) = (mesh.rest.len(), Vect::zeros());
        let still = vec![Known::still(); n];
        let prepared = Prepared { velocity: zero, acceleration: zero, spin: Mat::zeros(), guess: zero, sideways: zero };
        Self {
            gradients: VertexGradients::new(mesh, led),
            start: still.clone(),
            middle: still.clone(),
            now: still,
            prepared: vec![prepared; n],
            rotations: vec![Mat::identity(); n],
            stage: None,
            felt: 0.0,
        }
    }

    pub fn gradients(&self) -> &VertexGradients<D> {
        &self.gradients
    }

    /// R at the end of the stage under way; 1 at vertices that are led.
    pub fn rotations(&self) -> &[Mat<D>] {
        &self.rotations
    }

    /// Starts from a shape p, where the flesh lies still.
    pub fn start(&mut self, p: &[Vect<D>]) {
        self.start.fill(Known::still());
        self.turn_to(p);
    }

    /// The shape has jumped to p, turned by R, and what was known along with it; d is this.
    pub fn teleport(&mut self, p: &[Vect<D>], R: &Mat<D>, d: &[Vect<D>]) {
        for (known, d) in self.start.iter_mut().zip(d) {
            known.rate = R * known.rate * R.transpose();
            [known.e1, known.y1, known.y2] = [known.e1, known.y1, known.y2].map(|v| R * v);
            known.d = *d;
        }
        self.turn_to(p);
    }

    fn turn_to(&mut self, p: &[Vect<D>]) {
        self.gradients.rotations(p, &mut self.rotations);
        self.start.iter_mut().zip(&self.rotations).for_each(|(known, R)| known.R = *R);
    }

    /// What is known at the start of the step, as numbers; the frames are those of p there.
    pub fn save(&self) -> Vec<f64> {
        let numbers = |k: &Known<D>| {
            let vectors = [k.d, k.e1, k.y1, k.y2].into_iter().flat_map(|v| v.iter().copied().collect::<Vec<_>>());
            vectors.chain(pairs::<D>().map(|(i, j)| k.rate[(i, j)])).chain([k.epsilon]).collect::<Vec<f64>>()
        };
        self.start.iter().flat_map(numbers).collect()
    }

    /// How many numbers are saved.
    pub fn saved_len(&self) -> usize {
        self.start.len() * Self::NUMBERS
    }
    const NUMBERS: usize = 4 * D + D * (D - 1) / 2 + 1;

    /// Goes on from what was saved, at the shape p; returns d.
    pub fn restore(&mut self, p: &[Vect<D>], saved: &[f64]) -> Vec<Vect<D>> {
        for (known, numbers) in self.start.iter_mut().zip(saved.chunks_exact(Self::NUMBERS)) {
            let [d, e1, y1, y2] = [0, 1, 2, 3].map(|k| Vect::from_column_slice(&numbers[k * D..(k + 1) * D]));
            *known = Known { epsilon: numbers[Self::NUMBERS - 1], d, e1, y1, y2, ..Known::still() };
            for ((i, j), number) in pairs::<D>().zip(&numbers[4 * D..]) {
                (known.rate[(i, j)], known.rate[(j, i)]) = (*number, -number);
            }
        }
        self.turn_to(p);
        self.start.iter().map(|known| known.d).collect()
    }

    /// Prepares a stage that ends with the shape p, where vertices feel ε of their frames' turning (an empty list: all of it).
    pub fn enter(&mut self, k: usize, stage: &Stage, p: &[Vect<D>], epsilon: &[f64]) -> &[Prepared<D>] {
        self.gradients.rotations(p, &mut self.rotations);
        self.stage = Some(*stage);
        let (start, middle, rotations, gradients) = (&self.start, &self.middle, &self.rotations, &self.gradients);
        let each = self.prepared.par_iter_mut().zip(&mut self.now).enumerate().with_min_len(256);
        each.filter(|(i, _)| gradients.knows(*i)).for_each(|(i, (prepared, now))| {
            let (start, middle, epsilon) = (&start[i], &middle[i], epsilon.get(i).copied().unwrap_or(1.0));
            *prepared = prepare(now, start, (k > 0).then_some(middle), stage, &rotations[i], epsilon);
        });
        &self.prepared
    }

    /// The stage is solved, and d is this.
    pub fn solved(&mut self, d: &[Vect<D>]) {
        let Some(stage) = self.stage else { return };
        for (known, (prepared, d)) in self.now.iter_mut().zip(self.prepared.iter().zip(d)) {
            known.d = *d;
            known.e1 = stage.alpha * d + prepared.velocity;
            known.y1 = stage.alpha * d + prepared.sideways;
            known.y2 = stage.beta * d + prepared.acceleration;
        }
        if stage.at < 1.0 {
            std::mem::swap(&mut self.now, &mut self.middle);
        }
    }

    /// The step is done.
    pub fn leave(&mut self) {
        let felt =
            |k: &Known<D>| if k.epsilon > 1.0 { k.epsilon * (0.5 * k.turned.norm_squared()).sqrt() } else { 0.0 };
        self.felt = self.felt.max(self.now.iter().map(felt).sum::<f64>() / self.gradients.known().max(1) as f64);
        std::mem::swap(&mut self.now, &mut self.start);
    }
}

/// Vectors of a time from which on R went this way, as they are seen in the frame in which it turns ε times as fast.
#[inline]
fn aside<const D: usize, const N: usize>(way: &Turn<D>, epsilon: f64, vectors: [Vect<D>; N]) -> [Vect<D>; N]
where
    Mat<D>: Small<D>,
{
    if epsilon == 1.0 {
        return vectors;
    }
    let turn = way.times(1.0 - epsilon);
    vectors.map(|v| turn(&v))
}

/// The entries of a skew matrix that say all of it.
fn pairs<const D: usize>() -> impl Iterator<Item = (usize, usize)> {
    (0..D).flat_map(|i| (i + 1..D).map(move |j| (i, j)))
}

/// Prepares a vertex whose frame is R when the stage ends.
fn prepare<const D: usize>(
    now: &mut Known<D>,
    start: &Known<D>,
    middle: Option<&Known<D>>,
    stage: &Stage,
    R: &Mat<D>,
    epsilon: f64,
) -> Prepared<D>
where
    Mat<D>: Small<D>,
{
    let turn = R * start.R.transpose();
    let way = Turn::of(&turn);
    (now.R, now.epsilon, now.turned) = (*R, epsilon, way.log());
    // the angle by the integrator's differences: it starts from 0
    now.rate = stage.alpha * now.turned + stage.velocity[1] * start.rate;
    let mut e = [turn * start.d, turn * start.e1];
    let mut velocity = stage.velocity[0] * e[0] + stage.velocity[1] * e[1];
    let [y1, y2] = start.seen(epsilon);
    let y = aside(&way, epsilon, [start.d, y1, y2]);
    let [mut sideways, mut acceleration] =
        [&stage.velocity, &stage.acceleration].map(|w| w[0] * y[0] + w[1] * y[1] + w[2] * y[2]);
    if let Some(middle) = middle {
        now.rate += stage.velocity[3] * middle.turned;
        let turn = R * middle.R.transpose();
        e = [turn * middle.d, turn * middle.e1];
        velocity += stage.velocity[3] * e[0] + stage.velocity[4] * e[1];
        let way = if epsilon == 1.0 { way } else { Turn::of(&turn) };
        let y = aside(&way, epsilon, [middle.d, middle.seen(epsilon)[0]]);
        sideways += stage.velocity[3] * y[0] + stage.velocity[4] * y[1];
        acceleration += stage.acceleration[3] * y[0] + stage.acceleration[4] * y[1];
    }
    let share = epsilon * (1.0 - epsilon);
    let size = share.abs() * 0.5 * now.rate.norm_squared();
    let bound = if size > SPIN * stage.beta { SPIN * stage.beta / size } else { 1.0 };
    let spin = if share == 0.0 { Mat::zeros() } else { share * bound * now.rate * now.rate };
    Prepared { velocity, acceleration, spin, guess: e[0], sideways }
}
