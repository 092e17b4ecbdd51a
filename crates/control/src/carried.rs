//! Motion relative to frames that turn: the integrator's own differences, taken in the frames.
//!
//! With R(t) the frame at a vertex and d = x − p, the flesh's place in its frame is e = Rᵀd. The integrator makes e′ and e″ of its past as it
//! makes x′ and x″ of theirs, so what lies still in a frame has e′ = e″ = 0 whatever the frame does, in steps of any length.

use math::{Mat, Small, Vect};
use mesh::Mesh;

use crate::turning::VertexGradients;
use dynamics::Stage;

/// What is known of e at one time, turned into the world: R e, R e′, R e″; and R.
#[derive(Clone, Debug)]
struct Known<const D: usize> {
    e: [Vec<Vect<D>>; 3],
    R: Vec<Mat<D>>,
}

/// e at the start of a step, at the end of its first stage, and at the end of the stage under way.
pub(crate) struct Carried<const D: usize> {
    gradients: VertexGradients<D>,
    start: Known<D>,
    middle: Known<D>,
    now: Known<D>,
    stage: Option<Stage>,
    /// R c_v and R c_a of e
    constants: [Vec<Vect<D>>; 2],
}

impl<const D: usize> Carried<D>
where
    Mat<D>: Small<D>,
{
    /// Frames of a mesh; vertices that are led lie still in theirs.
    pub fn new(mesh: &Mesh<D>, led: &[u32]) -> Self {
        let zeros = || vec![Vect::zeros(); mesh.rest.len()];
        let still = Known { e: [zeros(), zeros(), zeros()], R: vec![Mat::identity(); mesh.rest.len()] };
        Self {
            gradients: VertexGradients::new(mesh, led),
            start: still.clone(),
            middle: still.clone(),
            now: still,
            stage: None,
            constants: [zeros(), zeros()],
        }
    }

    pub fn gradients(&self) -> &VertexGradients<D> {
        &self.gradients
    }

    /// Starts from a shape p, with these d, R e′ and R e″.
    pub fn start(&mut self, p: &[Vect<D>], e: [Vec<Vect<D>>; 3]) {
        self.gradients.rotations(p, &mut self.start.R);
        self.start.e = e;
    }

    /// d, R e′ and R e″ at the start of the step.
    pub fn at_start(&self) -> &[Vec<Vect<D>>; 3] {
        &self.start.e
    }

    /// Prepares a stage that ends with the shape p; returns what R e′ and R e″ are there beside α d and β d. `guess` becomes d where the flesh
    /// keeps its place in its frame.
    pub fn enter(&mut self, k: usize, stage: &Stage, p: &[Vect<D>], guess: &mut [Vect<D>]) -> &[Vec<Vect<D>>; 2] {
        self.gradients.rotations(p, &mut self.now.R);
        self.stage = Some(*stage);
        let [c_v, c_a] = &mut self.constants;
        for i in 0..p.len() {
            let (start, R) = (&self.start, &self.now.R[i]);
            let from_start = R * start.R[i].transpose();
            let mut known = [Vect::zeros(); 5];
            for (known, e) in known.iter_mut().zip(&start.e) {
                *known = from_start * e[i];
            }
            guess[i] = known[0];
            if k > 0 {
                let from_middle = R * self.middle.R[i].transpose();
                known[3] = from_middle * self.middle.e[0][i];
                known[4] = from_middle * self.middle.e[1][i];
                guess[i] = known[3];
            }
            let sum = |weights: &[f64; 5]| -> Vect<D> { weights.iter().zip(&known).map(|(w, known)| *w * known).sum() };
            (c_v[i], c_a[i]) = (sum(&stage.velocity), sum(&stage.acceleration));
        }
        &self.constants
    }

    /// The stage is solved, and d is this.
    pub fn solved(&mut self, d: &[Vect<D>]) {
        let Some(stage) = self.stage else { return };
        let ([c_v, c_a], [e, e1, e2]) = (&self.constants, &mut self.now.e);
        for i in 0..d.len() {
            (e[i], e1[i], e2[i]) = (d[i], stage.alpha * d[i] + c_v[i], stage.beta * d[i] + c_a[i]);
        }
        if stage.at < 1.0 {
            std::mem::swap(&mut self.now, &mut self.middle);
        }
    }

    /// The step is done.
    pub fn leave(&mut self) {
        std::mem::swap(&mut self.now, &mut self.start);
    }
}
