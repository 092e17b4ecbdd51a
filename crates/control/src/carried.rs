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
        Self { rate: Mat::zeros(), turned: Mat::zeros(), epsilon: 1.0, d: zero, e1: zero, y1: zero, y2: zero }
    }

    /// y′ and y″ in the frame of another ε.
    #[inline]
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
}

/// d at the start of a step, at the end of its first stage, and at the end of the stage under way.
pub(crate) struct Carried<const D: usize> {
    gradients: VertexGradients<D>,
    start: Vec<Known<D>>,
    middle: Vec<Known<D>>,
    now: Vec<Known<D>>,
    /// R at those three times
    rotations: [Vec<Mat<D>>; 3],
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
        let n = mesh.rest.len();
        let still = vec![Known::still(); n];
        Self {
            gradients: VertexGradients::new(mesh, led),
            start: still.clone(),
            middle: still.clone(),
            now: still,
            rotations: std::array::from_fn(|_| vec![Mat::identity(); n]),
            stage: None,
            felt: 0.0,
        }
    }

    pub fn gradients(&self) -> &VertexGradients<D> {
        &self.gradients
    }

    /// R at the end of the stage under way, until the step is left; 1 at vertices that are led.
    pub fn rotations(&self) -> &[Mat<D>] {
        &self.rotations[2]
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
        self.gradients.rotations(p, &mut self.rotations[2]);
        let [start, _, now] = &mut self.rotations;
        start.copy_from_slice(now);
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

    /// Prepares a stage that ends with the shape p, where vertices feel ε of their frames' turning (an empty list: all of it). `take` is given what
    /// is prepared at each vertex, with a place for what it makes of it.
    pub fn enter<T: Send>(
        &mut self,
        k: usize,
        stage: &Stage,
        p: &[Vect<D>],
        epsilon: &[f64],
        out: impl IndexedParallelIterator<Item = T>,
        take: impl Fn(usize, Prepared<D>, T) + Sync,
    ) {
        self.stage = Some(*stage);
        let (start, middle, gradients, zero) = (&self.start, &self.middle, &self.gradients, Vect::zeros());
        let [R_start, R_middle, R_now] = &mut self.rotations;
        let each = self.now.par_iter_mut().zip(R_now).zip(out).enumerate();
        // all in one pass: little is done at a vertex, so waking threads costs
        each.with_min_len(256).for_each(|(i, ((now, R), out))| {
            let mut prepared = Prepared { velocity: zero, acceleration: zero, spin: Mat::zeros(), guess: zero };
            if gradients.knows(i) {
                let epsilon = epsilon.get(i).copied().unwrap_or(1.0);
                *R = gradients.rotation(i, p);
                let middle = (k > 0).then(|| (&middle[i], &R_middle[i]));
                prepared = prepare(now, (&start[i], &R_start[i]), middle, stage, R, epsilon);
            }
            take(i, prepared, out);
        });
    }

    /// The stage is solved, and d is this.
    pub fn solved(&mut self, d: &[Vect<D>]) {
        let Some(stage) = self.stage else { return };
        let gradients = &self.gradients;
        let each = self.now.par_iter_mut().zip(d).enumerate().with_min_len(512);
        each.filter(|(i, _)| gradients.knows(*i)).for_each(|(_, (known, d))| {
            known.d = *d;
            known.e1 += stage.alpha * d;
            known.y1 += stage.alpha * d;
            known.y2 += stage.beta * d;
        });
        if stage.at < 1.0 {
            std::mem::swap(&mut self.now, &mut self.middle);
            self.rotations.swap(1, 2);
        }
    }

    /// The step is done.
    pub fn leave(&mut self) {
        let felt = |k: &Known<D>| k.epsilon * (0.5 * k.turned.norm_squared()).sqrt();
        if self.now.iter().any(|k| k.epsilon > 1.0) {
            let sum: f64 = self.now.iter().filter(|k| k.epsilon > 1.0).map(felt).sum();
            self.felt = self.felt.max(sum / self.gradients.known().max(1) as f64);
        }
        std::mem::swap(&mut self.now, &mut self.start);
        self.rotations.swap(0, 2);
    }
}

/// Vectors of a time from which on R went this way, as they are seen in the frame in which it turns ε times as fast.
#[inline]
fn aside<const D: usize>(turn: &Mat<D>, way: Option<Turn<D>>, epsilon: f64, vectors: [Vect<D>; 2]) -> [Vect<D>; 2]
where
    Mat<D>: Small<D>,
{
    if epsilon == 1.0 {
        return vectors;
    }
    way.unwrap_or_else(|| Turn::of(turn)).times(1.0 - epsilon, vectors)
}

/// The entries of a skew matrix that say all of it.
fn pairs<const D: usize>() -> impl Iterator<Item = (usize, usize)> {
    (0..D).flat_map(|i| (i + 1..D).map(move |j| (i, j)))
}

/// Prepares a vertex whose frame is R when the stage ends; what is known at the start of the step, and at the end of its first stage, comes with the frame there.
#[inline]
fn prepare<const D: usize>(
    now: &mut Known<D>,
    (start, R_start): (&Known<D>, &Mat<D>),
    middle: Option<(&Known<D>, &Mat<D>)>,
    stage: &Stage,
    R: &Mat<D>,
    epsilon: f64,
) -> Prepared<D>
where
    Mat<D>: Small<D>,
{
    let turn = R * R_start.transpose();
    let way = Turn::of(&turn);
    (now.epsilon, now.turned) = (epsilon, way.log());
    // the angle by the integrator's differences: it starts from 0
    now.rate = stage.alpha * now.turned + stage.velocity[1] * start.rate;
    // sums first, then they are turned
    let mut velocity = turn * (stage.velocity[0] * start.d + stage.velocity[1] * start.e1);
    let [y1, y2] = start.seen(epsilon);
    let sums = [&stage.velocity, &stage.acceleration].map(|w| w[0] * start.d + w[1] * y1 + w[2] * y2);
    let [mut sideways, mut acceleration] = aside(&turn, Some(way), epsilon, sums);
    let guess = if let Some((middle, R_middle)) = middle {
        now.rate += stage.velocity[3] * middle.turned;
        let turn = R * R_middle.transpose();
        velocity += turn * (stage.velocity[3] * middle.d + stage.velocity[4] * middle.e1);
        let [y1, _] = middle.seen(epsilon);
        let sums = [&stage.velocity, &stage.acceleration].map(|w| w[3] * middle.d + w[4] * y1);
        let [v, a] = aside(&turn, None, epsilon, sums);
        sideways += v;
        acceleration += a;
        turn * middle.d
    } else {
        turn * start.d
    };
    // what d adds to them is known when the stage is solved
    (now.e1, now.y1, now.y2) = (velocity, sideways, acceleration);
    Prepared { velocity, acceleration, spin: felt_spin(now, stage), guess }
}

/// ε(1−ε) Ω², as much of it as steps can show.
#[inline]
fn felt_spin<const D: usize>(now: &Known<D>, stage: &Stage) -> Mat<D> {
    let share = now.epsilon * (1.0 - now.epsilon);
    if share == 0.0 {
        return Mat::zeros();
    }
    let size = share.abs() * 0.5 * now.rate.norm_squared();
    let bound = if size > SPIN * stage.beta { SPIN * stage.beta / size } else { 1.0 };
    share * bound * now.rate * now.rate
}
