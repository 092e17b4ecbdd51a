//! Coloured surfaces put together from shapes.

use std::f64::consts::{PI, TAU};
use std::ops::Range;

use math::Vect;
use mesh::Surface;
use nalgebra::UnitQuaternion;

use super::implicit::{Solid, v};
use super::polygonize::polygonize;

/// Red, green and blue from 0 to 1, as on a screen.
pub(crate) type Colour = [f32; 3];

/// Closed surfaces, which may overlap, and the colour of each vertex.
#[derive(Default)]
pub(crate) struct Painted {
    /// all of them
    pub surface: Surface,
    /// of each vertex
    pub colours: Vec<Colour>,
}

impl Painted {
    /// Adds a shape cut out of a lattice of this edge [m]; its vertices.
    pub fn add(&mut self, solid: &Solid, edge: f64, colour: impl Fn(&Vect<3>) -> Colour) -> Range<usize> {
        let first = self.surface.x.len();
        let made = polygonize(solid, edge);
        self.colours.extend(made.x.iter().map(colour));
        self.surface.triangles.extend(made.triangles.iter().map(|t| t.map(|k| k + first as u32)));
        self.surface.x.extend(made.x);
        first..self.surface.x.len()
    }

    /// Adds a closed surface of rings from tip to tip: `place` has a point for a way along it (0 to 1) and an angle around it
    /// (0 to 2π), anticlockwise seen from its end. Its vertices.
    pub fn add_rings(
        &mut self,
        [rings, segments]: [usize; 2],
        place: impl Fn(f64, f64) -> Vect<3>,
        colour: impl Fn(&Vect<3>) -> Colour,
    ) -> Range<usize> {
        let first = self.surface.x.len();
        let last = (first + (rings - 1) * segments + 1) as u32;
        let x = &mut self.surface.x;
        x.push(place(0.0, 0.0));
        for along in (1..rings).map(|ring| ring as f64 / rings as f64) {
            x.extend((0..segments).map(|k| place(along, TAU * k as f64 / segments as f64)));
        }
        x.push(place(1.0, 0.0));
        self.colours.extend(x[first..].iter().map(colour));
        let at = |ring: usize, k: usize| (first + 1 + (ring - 1) * segments + k % segments) as u32;
        for k in 0..segments {
            self.surface
                .triangles
                .extend([[first as u32, at(1, k + 1), at(1, k)], [last, at(rings - 1, k), at(rings - 1, k + 1)]]);
            for ring in 1..rings - 1 {
                let [a, b, c, d] = [at(ring, k), at(ring, k + 1), at(ring + 1, k + 1), at(ring + 1, k)];
                self.surface.triangles.extend([[a, b, c], [a, c, d]]);
            }
        }
        first..self.surface.x.len()
    }

    /// Adds a closed band: `place` has a point for an angle along it and an angle around it (both 0 to 2π), the second
    /// anticlockwise seen against the first. Its vertices.
    pub fn add_loop(
        &mut self,
        [rings, segments]: [usize; 2],
        place: impl Fn(f64, f64) -> Vect<3>,
        colour: Colour,
    ) -> Range<usize> {
        let first = self.surface.x.len();
        let angle = |k: usize, of: usize| TAU * k as f64 / of as f64;
        for ring in 0..rings {
            self.surface.x.extend((0..segments).map(|k| place(angle(ring, rings), angle(k, segments))));
            self.colours.extend((0..segments).map(|_| colour));
        }
        let at = |ring: usize, k: usize| (first + ring % rings * segments + k % segments) as u32;
        for (ring, k) in (0..rings).flat_map(|ring| (0..segments).map(move |k| (ring, k))) {
            let [a, b, c, d] = [at(ring, k), at(ring, k + 1), at(ring + 1, k + 1), at(ring + 1, k)];
            self.surface.triangles.extend([[a, b, c], [a, c, d]]);
        }
        first..self.surface.x.len()
    }

    /// Adds an ellipsoid with these half axes, turned, then moved; its vertices.
    pub fn add_ball(&mut self, half: Vect<3>, turn: UnitQuaternion<f64>, to: Vect<3>, colour: Colour) -> Range<usize> {
        let place = |along: f64, around: f64| {
            let (r, z) = (PI * along).sin_cos();
            turn * v(r * around.cos(), r * around.sin(), -z).component_mul(&half) + to
        };
        let size = if half.max() < 0.045 { [6, 8] } else { [8, 12] };
        self.add_rings(size, place, |_| colour)
    }

    /// Adds a round cord along a line from 0 to 1, thick as `radius` says, with rounded tips; its vertices.
    pub fn add_cord(
        &mut self,
        size: [usize; 2],
        line: impl Fn(f64) -> Vect<3>,
        radius: impl Fn(f64) -> f64,
        colour: impl Fn(&Vect<3>) -> Colour,
    ) -> Range<usize> {
        let way = |s: f64| (line((s + 1e-3).min(1.0)) - line((s - 1e-3).max(0.0))).normalize();
        let side = if way(0.5).x.abs() < 0.8 { Vect::x() } else { Vect::y() };
        let place = |along: f64, around: f64| {
            let s = 0.6 * along + 0.2 * (1.0 - (PI * along).cos()); // denser at the tips, where it closes
            let across = way(s).cross(&side).normalize();
            let up = way(s).cross(&across);
            let round = (1.0 - (2.0 * s - 1.0).abs().powi(12)).sqrt();
            line(s) + radius(s) * round * (across * around.cos() + up * around.sin())
        };
        self.add_rings(size, place, colour)
    }
}

/// A colour as it is written on the web: 0xRRGGBB.
pub(crate) fn rgb(hex: u32) -> Colour {
    [hex >> 16, hex >> 8, hex].map(|byte| (byte & 255) as f32 / 255.0)
}

/// From one colour to another.
pub(crate) fn mix(a: Colour, b: Colour, share: f64) -> Colour {
    let share = share.clamp(0.0, 1.0) as f32;
    [0, 1, 2].map(|i| a[i] + share * (b[i] - a[i]))
}

/// From 0 below `from` to 1 above `to`, smoothly.
pub(crate) fn step(from: f64, to: f64, x: f64) -> f64 {
    let s = ((x - from) / (to - from)).clamp(0.0, 1.0);
    s * s * (3.0 - 2.0 * s)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_mixed_in_their_order() {
        assert_eq!(mix(rgb(0xff0000), rgb(0x0000ff), 0.25), [0.75, 0.0, 0.25]);
        assert_eq!([0.0, 1.0, 2.0, 3.0].map(|x| step(1.0, 2.0, x)), [0.0, 0.0, 1.0, 1.0]);
    }
}
