//! The first built-in example: a clamped bar that is pulled down at its tip and released.

use dynamics::{Body, Damping, Drive, Hold, Report, Stepper, lowest_modes};
use elastic::{Flesh, Lame};
use formats::Animation;
use math::Vect;
use mesh::{Mass, MassKind, Mesh};

use crate::beam::Beam;
use crate::{Drawn, Error, Picture, Series, Style, dominant_frequency};

/// A bar clamped at one end, pulled down at the other, and let go.
#[derive(Clone, Copy, Debug)]
pub struct Bar {
    /// its size and material
    pub beam: Beam,
    /// cells in its height
    pub cells: usize,
    /// the pull at its tip [N]
    pub pull: f64,
    /// frames per second
    pub fps: f64,
    /// steps per frame
    pub substeps: usize,
    /// how long it is watched [s]
    pub seconds: f64,
}

impl Default for Bar {
    fn default() -> Self {
        Self {
            beam: Beam { length: 0.5, height: 0.07, young: 1e6, poisson: 0.3, density: 1000.0 },
            cells: 6,
            pull: 2.0,
            fps: 24.0,
            substeps: 2,
            seconds: 3.0,
        }
    }
}

/// The bar's motion, and what it shows.
pub struct BarMotion {
    /// the skin, frame by frame
    pub animation: Animation,
    /// how far the tip is from where it rests [m], each step
    pub tip: Vec<f64>,
    /// seconds from one of them to the next
    pub step: f64,
    /// measured from the motion [Hz]
    pub measured_hz: Option<f64>,
    /// computed from stiffness and mass [Hz]
    pub mode_hz: f64,
    /// Timoshenko's [Hz]
    pub theory_hz: f64,
    /// size of the mesh
    pub vertices: usize,
    /// size of the mesh
    pub tets: usize,
    /// what the simulation took
    pub report: Report,
}

impl Bar {
    fn mesh(&self) -> Mesh<3> {
        let Beam { length, height, .. } = self.beam;
        let along = (length / height * self.cells as f64).round() as usize;
        let mut mesh = mesh::block([along, self.cells, self.cells], Vect::from([length, height, height]));
        for X in &mut mesh.rest {
            *X -= Vect::from([0.0, height / 2.0, height / 2.0]);
        }
        mesh
    }

    fn body(&self, mesh: &Mesh<3>) -> Result<Body<3>, Error> {
        let Beam { young, poisson, density, .. } = self.beam;
        let place = "the built-in bar".to_string();
        let lame = Lame::from_young(young, poisson).map_err(|error| Error::Lame { error, place })?;
        let n = mesh.element_count();
        let mass = Mass::new(mesh, &vec![density; n], MassKind::Lumped);
        let tissue = Flesh::StableNeoHookean.tissue(mesh, &vec![lame; n]);
        let mut body = Body::new(mesh.rest.clone(), mass, vec![tissue]);
        body.pins = (0..mesh.rest.len() as u32).filter(|&v| mesh.rest[v as usize][0] == 0.0).collect();
        body.damping = Damping { mass: 0.0, stiffness: 2e-3 };
        Ok(body)
    }

    /// How many frames there will be.
    pub fn frames(&self) -> usize {
        (self.seconds * self.fps).round() as usize + 1
    }

    /// Simulates it. `progress` is told how many frames are done.
    pub fn simulate(&self, progress: &mut dyn FnMut(usize)) -> Result<BarMotion, Error> {
        let mesh = self.mesh();
        let tip: Vec<u32> =
            (0..mesh.rest.len() as u32).filter(|&v| mesh.rest[v as usize][0] > 0.999 * self.beam.length).collect();
        let height = |x: &[Vect<3>]| tip.iter().map(|&v| x[v as usize][2]).sum::<f64>() / tip.len() as f64;

        let mut body = self.body(&mesh)?;
        let mode_hz = lowest_modes(&body, &mesh.rest, 1)?.frequencies().first().copied().unwrap_or(0.0);
        let hold = Hold::at(&body, &mesh.rest);
        body.forces = tip.iter().map(|&v| (v, Vect::from([0.0, 0.0, -self.pull / tip.len() as f64]))).collect();
        let pulled = dynamics::equilibrium(&body, &mesh.rest)?;
        body.forces.clear();

        let (skin, vertices) = mesh.skin();
        let on_skin = |x: &[Vect<3>]| vertices.iter().map(|&v| x[v as usize]).collect::<Vec<_>>();
        let mut stepper = Stepper::new(&body);
        let drive: &dyn Drive<3> = &hold;
        let mut state = stepper.start(drive, 0.0, pulled.clone(), vec![Vect::zeros(); pulled.len()])?;
        let (mut frames, mut heights) = (vec![on_skin(&state.x)], vec![height(&state.x)]);
        let (step, mut report) = (1.0 / (self.fps * self.substeps as f64), Report::default());
        progress(1);
        for frame in 1..self.frames() {
            for _ in 0..self.substeps {
                report.add(&stepper.step(step, drive, &mut state)?);
                heights.push(height(&state.x));
            }
            frames.push(on_skin(&state.x));
            progress(frame + 1);
        }
        let animation =
            Animation { name: "bar".into(), surface: skin, frames, fps: self.fps, color: [0.85, 0.42, 0.36] };
        Ok(BarMotion {
            animation,
            measured_hz: dominant_frequency(&heights, step),
            tip: heights,
            step,
            mode_hz,
            theory_hz: self.beam.frequency(),
            vertices: mesh.rest.len(),
            tets: mesh.element_count(),
            report,
        })
    }
}

impl BarMotion {
    /// The pulled, the middle and the highest frame over each other, and the motion of the tip below.
    pub fn picture(&self) -> String {
        let mut picture = Picture::new(720.0, 480.0);
        let frames = &self.animation.frames;
        let half = self.measured_hz.map_or(frames.len() / 2, |f| (0.5 * self.animation.fps / f).round() as usize);
        let at = |k: usize| &frames[k.min(frames.len() - 1)][..];
        let triangles = &self.animation.surface.triangles[..];
        let colour = self.animation.color.map(f64::from);
        let drawn = |k, colour, opacity| Drawn { x: at(k), triangles, colour, opacity };
        picture.surfaces(&[drawn(0, [0.75; 3], 0.5), drawn(half, [0.75; 3], 0.5), drawn(half / 2, colour, 1.0)], 270.0);
        let points = |f: &dyn Fn(f64) -> f64| {
            self.tip.iter().enumerate().map(|(k, _)| k as f64 * self.step).map(|t| (t, f(t))).collect::<Vec<_>>()
        };
        let tip = self.tip.iter().enumerate().map(|(k, z)| (k as f64 * self.step, 100.0 * z)).collect();
        let start = 100.0 * self.tip[0];
        let mode = |t: f64| start * (std::f64::consts::TAU * self.mode_hz * t).cos();
        let series = |name: &str, colour: &str, points| Series {
            name: name.into(),
            colour: colour.into(),
            points,
            style: Style::Line,
        };
        picture.curves(
            &[
                series("lowest computed mode, undamped", "#aaa", points(&mode)),
                series("tip of the simulated bar", "#c0483c", tip),
            ],
            "time [s]",
            "height of the tip [cm]",
            284.0,
        );
        picture.svg()
    }
}
