//! Timoshenko's theory of a beam clamped at one end, to compare with.

use dynamics::{Body, equilibrium, lowest_modes};
use elastic::{Flesh, Lame};
use math::Vect;
use mesh::{Mass, MassKind};

use crate::Error;

/// A square beam clamped at one end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Beam {
    /// L [m]
    pub length: f64,
    /// its height and width [m]
    pub height: f64,
    /// E [Pa]
    pub young: f64,
    /// ν
    pub poisson: f64,
    /// ρ [kg/m³]
    pub density: f64,
}

impl Beam {
    fn area(&self) -> f64 {
        self.height * self.height
    }
    /// E I [N m²]
    fn bending(&self) -> f64 {
        self.young * self.height.powi(4) / 12.0
    }
    /// κ G A [N], κ = 10 (1 + ν)/(12 + 11 ν) [Cow66]
    fn shear(&self) -> f64 {
        let kappa = 10.0 * (1.0 + self.poisson) / (12.0 + 11.0 * self.poisson);
        kappa * self.young / (2.0 * (1.0 + self.poisson)) * self.area()
    }

    /// How far the tip sinks under the beam's own weight in gravity g [m/s²]: q L⁴/(8 E I) + q L²/(2 κ G A) [m].
    pub fn deflection(&self, g: f64) -> f64 {
        let q = self.density * self.area() * g;
        q * self.length.powi(4) / (8.0 * self.bending()) + q * self.length.powi(2) / (2.0 * self.shear())
    }

    /// The lowest frequency [Hz]: the first root of the frequency equation of a clamped-free Timoshenko beam [Hua61].
    pub fn frequency(&self) -> f64 {
        let r2 = self.height.powi(2) / (12.0 * self.length.powi(2));
        let s2 = self.bending() / (self.shear() * self.length.powi(2));
        let equation = |b: f64| {
            let root = ((r2 - s2).powi(2) + 4.0 / (b * b)).sqrt();
            let (alpha, beta) = (((root - r2 - s2) / 2.0).sqrt(), ((root + r2 + s2) / 2.0).sqrt());
            let (x, y) = (b * alpha, b * beta);
            2.0 + (b * b * (r2 - s2).powi(2) + 2.0) * x.cosh() * y.cos()
                - b * (r2 + s2) / (1.0 - b * b * r2 * s2).sqrt() * x.sinh() * y.sin()
        };
        // b = ω L² √(ρA/EI); without shear and rotation it is 3.516, with them less
        let (mut low, mut high) = (1e-3, 3.6);
        while high - low > 1e-12 {
            let middle = (low + high) / 2.0;
            if equation(low) * equation(middle) > 0.0 { low = middle } else { high = middle }
        }
        let scale = (self.bending() / (self.density * self.area())).sqrt() / self.length.powi(2);
        low * scale / std::f64::consts::TAU
    }
}

/// A row of the convergence table: how far the simulated bar is from theory.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// cells in the bar's height
    pub cells: usize,
    /// tets in all
    pub tets: usize,
    /// relative error of the first frequency
    pub frequency_error: f64,
    /// relative error of the tip's sag under its own weight
    pub deflection_error: f64,
}

/// Measures a bar of linear material with so many cells (an even number) in its height against theory.
pub fn converge(beam: &Beam, cells: usize) -> Result<Row, Error> {
    const G: f64 = 9.81;
    let along = (beam.length / beam.height * cells as f64).round() as usize;
    let mesh = mesh::block([along, cells, cells], Vect::from([beam.length, beam.height, beam.height]));
    let place = "the beam".to_string();
    let lame = Lame::from_young(beam.young, beam.poisson).map_err(|error| Error::Lame { error, place })?;
    let n = mesh.element_count();
    let mass = Mass::new(&mesh, &vec![beam.density; n], MassKind::Lumped);
    let mut body = Body::new(mesh.rest.clone(), mass, vec![Flesh::Linear.tissue(&mesh, &vec![lame; n])]);
    let rest = &mesh.rest;
    let at = |x: f64| (0..rest.len() as u32).filter(move |&v| (rest[v as usize][0] - x).abs() < 1e-9);
    // As the theory has it, the clamped face stays flat but may grow thinner: only its middle is held in all directions.
    let middle = beam.height / 2.0;
    let axis = |i: usize| Vect::from_fn(|j, _| if i == j { 1.0 } else { 0.0 });
    for v in at(0.0) {
        let X = rest[v as usize];
        body.rows.push(vec![(v, axis(0))]);
        body.rows.extend((1..3).filter(|&i| (X[i] - middle).abs() < 1e-9).map(|i| vec![(v, axis(i))]));
    }
    let frequency = lowest_modes(&body, &mesh.rest, 1)?.frequencies()[0];
    body.gravity = Vect::from([0.0, 0.0, -G]);
    let x = equilibrium(&body, &mesh.rest)?;
    let tip: Vec<f64> = at(beam.length).map(|v| mesh.rest[v as usize][2] - x[v as usize][2]).collect();
    let sag = tip.iter().sum::<f64>() / tip.len() as f64;
    Ok(Row {
        cells,
        tets: n,
        frequency_error: frequency / beam.frequency() - 1.0,
        deflection_error: sag / beam.deflection(G) - 1.0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slender_beam_is_eulers() {
        let beam = Beam { length: 1.0, height: 0.002, young: 1e9, poisson: 0.3, density: 1000.0 };
        let euler = 1.8751040687f64.powi(2) * (1e9 * 0.002f64.powi(2) / 12.0 / 1000.0).sqrt() / std::f64::consts::TAU;
        assert!((beam.frequency() / euler - 1.0).abs() < 1e-4, "{} {euler}", beam.frequency());
    }

    #[test]
    fn shear_and_rotation_make_a_thick_beam_slower() {
        // L/h = 5, ν = 0.3: Timoshenko's first frequency is about 3% below Euler's
        let beam = Beam { length: 1.0, height: 0.2, young: 1e6, poisson: 0.3, density: 1000.0 };
        let euler = 1.8751040687f64.powi(2) * (1e6 * 0.2f64.powi(2) / 12.0 / 1000.0).sqrt() / std::f64::consts::TAU;
        let ratio = beam.frequency() / euler;
        assert!((0.95..0.98).contains(&ratio), "{ratio}");
    }
}
