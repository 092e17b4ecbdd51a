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

use crate::turning::{LOT, VertexGradients};
use dynamics::Stage;

/// What is known of a vertex at one time; vectors are turned into the world. Where all inertia is always felt, only the first two are.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
struct Known<const D: usize> {
    d: Vect<D>,
    /// e′
    e1: Vect<D>,
    /// y′ and y″
    y1: Vect<D>,
    y2: Vect<D>,
    /// ε
    epsilon: f64,
    /// Ω = R′Rᵀ, and how far R has turned since the step began; skew matrices as [`entries`] has them
    rate: Vect<D>,
    turned: Vect<D>,
}

impl<const D: usize> Known<D> {
    fn still() -> Self {
        let zero = Vect::zeros();
        Self { d: zero, e1: zero, y1: zero, y2: zero, epsilon: 1.0, rate: zero, turned: zero }
    }

    /// y′ and y″ in the frame of another ε.
    #[inline]
    fn seen(&self, epsilon: f64) -> [Vect<D>; 2] {
        let more = epsilon - self.epsilon;
        if more == 0.0 {
            return [self.y1, self.y2];
        }
        let rate = skew(&self.rate);
        let around = rate * self.d;
        let squares = epsilon * epsilon - self.epsilon * self.epsilon;
        [self.y1 + more * around, self.y2 + 2.0 * more * (rate * self.e1) + squares * (rate * around)]
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

impl<const D: usize> Prepared<D> {
    fn still() -> Self {
        let zero = Vect::zeros();
        Self { velocity: zero, acceleration: zero, spin: Mat::zeros(), guess: zero }
    }
}

/// d at the start of a step, at the end of its first stage, and at the end of the stage under way.
pub(crate) struct Carried<const D: usize> {
    gradients: VertexGradients<D>,
    /// ε is always 1 everywhere
    plain: bool,
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
    /// Frames of a mesh; vertices that are led lie still in theirs. With `plain`, all vertices always feel all of their frames' turning.
    pub fn new(mesh: &Mesh<D>, led: &[u32], plain: bool) -> Self {
        let n = mesh.rest.len();
        let still = vec![Known::still(); n];
        Self {
            gradients: VertexGradients::new(mesh, led),
            plain,
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
            known.rate = entries(&(R * skew(&known.rate) * R.transpose()));
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
            let vectors = [k.d, k.e1, k.y1, k.y2, k.rate].into_iter();
            vectors.flat_map(|v| v.iter().copied().collect::<Vec<_>>()).chain([k.epsilon]).collect::<Vec<f64>>()
        };
        self.start.iter().flat_map(numbers).collect()
    }

    /// How many numbers are saved.
    pub fn saved_len(&self) -> usize {
        self.start.len() * Self::NUMBERS
    }
    const NUMBERS: usize = 5 * D + 1;

    /// Goes on from what was saved, at the shape p; returns d.
    pub fn restore(&mut self, p: &[Vect<D>], saved: &[f64]) -> Vec<Vect<D>> {
        for (known, numbers) in self.start.iter_mut().zip(saved.chunks_exact(Self::NUMBERS)) {
            let [d, e1, y1, y2, rate] = [0, 1, 2, 3, 4].map(|k| Vect::from_column_slice(&numbers[k * D..(k + 1) * D]));
            *known = Known { d, e1, y1, y2, epsilon: numbers[Self::NUMBERS - 1], rate, turned: Vect::zeros() };
        }
        self.turn_to(p);
        self.start.iter().map(|known| known.d).collect()
    }

    /// Prepares a stage that ends with the shape p, where vertices feel ε of their frames' turning (an empty list: all of it). `take` is given a vertex, its place
    /// in its lot, what is prepared there, and where the lot's results go.
    pub fn enter<T: Send>(
        &mut self,
        k: usize,
        stage: &Stage,
        p: &[Vect<D>],
        epsilon: &[f64],
        lots: impl IndexedParallelIterator<Item = T>,
        take: impl Fn([usize; 2], Prepared<D>, &mut T) + Sync,
    ) {
        self.stage = Some(*stage);
        let (start, middle, gradients, plain) = (&self.start, &self.middle, &self.gradients, self.plain);
        let [R_start, R_middle, R_now] = &mut self.rotations;
        let each = self.now.par_chunks_mut(LOT).zip(R_now.par_chunks_mut(LOT)).zip(lots).enumerate();
        // all in one pass: little is done at a vertex, so waking threads costs
        each.with_min_len(64).for_each(|(lot, ((now, R), mut out))| {
            let first = lot * LOT;
            gradients.rotations_from(first, p, R);
            for (place, (now, R)) in now.iter_mut().zip(R).enumerate() {
                let i = first + place;
                let mut prepared = Prepared::still();
                if gradients.knows(i) {
                    let middle = (k > 0).then(|| (&middle[i], &R_middle[i]));
                    let epsilon = (!plain).then(|| epsilon.get(i).copied().unwrap_or(1.0));
                    prepared = prepare(now, (&start[i], &R_start[i]), middle, stage, R, epsilon);
                }
                take([i, place], prepared, &mut out);
            }
        });
    }

    /// The stage is solved, and d is this.
    pub fn solved(&mut self, d: &[Vect<D>]) {
        let Some(stage) = self.stage else { return };
        let (gradients, plain) = (&self.gradients, self.plain);
        let each = self.now.par_iter_mut().zip(d).enumerate().with_min_len(512);
        each.filter(|(i, _)| gradients.knows(*i)).for_each(|(_, (known, d))| {
            known.d = *d;
            known.e1 += stage.alpha * d;
            if !plain {
                known.y1 += stage.alpha * d;
                known.y2 += stage.beta * d;
            }
        });
        if stage.at < 1.0 {
            std::mem::swap(&mut self.now, &mut self.middle);
            self.rotations.swap(1, 2);
        }
    }

    /// The step is done.
    pub fn leave(&mut self) {
        let felt = |k: &Known<D>| k.epsilon * k.turned.norm();
        if !self.plain && self.now.iter().any(|k| k.epsilon > 1.0) {
            let sum: f64 = self.now.iter().filter(|k| k.epsilon > 1.0).map(felt).sum();
            self.felt = self.felt.max(sum / self.gradients.known().max(1) as f64);
        }
        std::mem::swap(&mut self.now, &mut self.start);
        self.rotations.swap(0, 2);
    }
}

/// Vectors of a time from which on R went this way, as they are seen in the frame in which it turns ε times as fast.
#[inline]
fn aside<const D: usize>(way: impl FnOnce() -> Turn<D>, epsilon: f64, vectors: [Vect<D>; 2]) -> [Vect<D>; 2]
where
    Mat<D>: Small<D>,
{
    if epsilon == 1.0 { vectors } else { way().times(1.0 - epsilon, vectors) }
}

/// The entries of a skew matrix that say all of it: its norm is √2 times theirs. In the plane one is left 0.
#[inline]
fn entries<const D: usize>(skew: &Mat<D>) -> Vect<D> {
    let mut out = Vect::zeros();
    for i in 0..D {
        (i + 1..D).for_each(|j| out[i + j - 1] = skew[(i, j)]);
    }
    out
}

/// The skew matrix with these entries.
#[inline]
fn skew<const D: usize>(entries: &Vect<D>) -> Mat<D> {
    let mut out = Mat::zeros();
    for i in 0..D {
        (i + 1..D).for_each(|j| (out[(i, j)], out[(j, i)]) = (entries[i + j - 1], -entries[i + j - 1]));
    }
    out
}

/// Prepares a vertex whose frame is R when the stage ends; what is known at the start of the step, and at the end of its first stage, comes with the frame there.
/// Without ε no more than `velocity` and `guess` are asked for, now and ever.
#[inline]
fn prepare<const D: usize>(
    now: &mut Known<D>,
    (start, R_start): (&Known<D>, &Mat<D>),
    middle: Option<(&Known<D>, &Mat<D>)>,
    stage: &Stage,
    R: &Mat<D>,
    epsilon: Option<f64>,
) -> Prepared<D>
where
    Mat<D>: Small<D>,
{
    let turn = R * R_start.transpose();
    let middle = middle.map(|(middle, R_middle)| (middle, R * R_middle.transpose()));
    // sums first, then they are turned
    let (mut velocity, mut guess) =
        (turn * (stage.velocity[0] * start.d + stage.velocity[1] * start.e1), turn * start.d);
    if let Some((middle, turn)) = &middle {
        velocity += turn * (stage.velocity[3] * middle.d + stage.velocity[4] * middle.e1);
        guess = turn * middle.d;
    }
    // what d adds to this, and to y′ and y″, is known when the stage is solved
    now.e1 = velocity;
    let Some(epsilon) = epsilon else { return Prepared { velocity, guess, ..Prepared::still() } };

    let way = Turn::of(&turn);
    (now.epsilon, now.turned) = (epsilon, entries(&way.log()));
    // the angle by the integrator's differences: it starts from 0
    now.rate = stage.alpha * now.turned + stage.velocity[1] * start.rate;
    let [y1, y2] = start.seen(epsilon);
    let sums = [&stage.velocity, &stage.acceleration].map(|w| w[0] * start.d + w[1] * y1 + w[2] * y2);
    [now.y1, now.y2] = aside(|| way, epsilon, sums);
    if let Some((middle, turn)) = &middle {
        now.rate += stage.velocity[3] * middle.turned;
        let [y1, _] = middle.seen(epsilon);
        let sums = [&stage.velocity, &stage.acceleration].map(|w| w[3] * middle.d + w[4] * y1);
        let [more1, more2] = aside(|| Turn::of(turn), epsilon, sums);
        now.y1 += more1;
        now.y2 += more2;
    }
    Prepared { velocity, acceleration: now.y2, spin: felt_spin(now, stage), guess }
}

/// ε(1−ε) Ω², as much of it as steps can show.
#[inline]
fn felt_spin<const D: usize>(now: &Known<D>, stage: &Stage) -> Mat<D> {
    let share = now.epsilon * (1.0 - now.epsilon);
    if share == 0.0 {
        return Mat::zeros();
    }
    let size = share.abs() * now.rate.norm_squared();
    let bound = if size > SPIN * stage.beta { SPIN * stage.beta / size } else { 1.0 };
    let rate = skew(&now.rate);
    share * bound * rate * rate
}
