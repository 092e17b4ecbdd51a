//! Surfaces made of nothing.

use std::f64::consts::TAU;

use math::Vect;
use mesh::{Surface, block};

pub fn join(parts: &[Surface]) -> Surface {
    let mut all = Surface::default();
    for part in parts {
        let first = all.x.len() as u32;
        all.x.extend(&part.x);
        all.triangles.extend(part.triangles.iter().map(|t| t.map(|v| v + first)));
    }
    all
}

/// A box, each side cut into squares.
pub fn cuboid(low: [f64; 3], size: [f64; 3]) -> Surface {
    let (mut skin, _) = block([3, 3, 3], Vect::from(size)).skin();
    skin.x.iter_mut().for_each(|x| *x += Vect::from(low));
    skin
}

pub fn inverted(mut surface: Surface) -> Surface {
    surface.triangles.iter_mut().for_each(|t| t.swap(0, 1));
    surface
}

/// A patch of squares; `wrap` says which of the directions are closed.
pub fn patch(n: [u32; 2], wrap: [bool; 2], at: impl Fn(f64, f64) -> [f64; 3]) -> Surface {
    let points = [0, 1].map(|i| n[i] + u32::from(!wrap[i]));
    let x = (0..points[0] * points[1]).map(|k| {
        let (i, j) = (k / points[1], k % points[1]);
        Vect::from(at(f64::from(i) / f64::from(n[0]), f64::from(j) / f64::from(n[1])))
    });
    let vertex = |i: u32, j: u32| i % points[0] * points[1] + j % points[1];
    let mut triangles = vec![];
    for (i, j) in (0..n[0]).flat_map(|i| (0..n[1]).map(move |j| (i, j))) {
        let [a, b, c, d] = [vertex(i, j), vertex(i + 1, j), vertex(i + 1, j + 1), vertex(i, j + 1)];
        triangles.extend([[a, b, c], [a, c, d]]);
    }
    Surface { x: x.collect(), triangles }
}

/// A sphere of radius 1; the poles have triangles without area.
pub fn sphere(n: u32) -> Surface {
    patch([2 * n, n], [true, false], |u, v| {
        let (a, b) = (TAU * u, TAU / 2.0 * (1.0 - v));
        [b.sin() * a.cos(), b.sin() * a.sin(), b.cos()]
    })
}

pub fn torus(large: f64, small: f64) -> Surface {
    patch([48, 24], [true, true], |u, v| {
        let (a, b) = (TAU * u, TAU * v);
        [(large + small * b.cos()) * a.cos(), (large + small * b.cos()) * a.sin(), small * b.sin()]
    })
}

/// A strip with one side.
pub fn moebius() -> Surface {
    patch([60, 6], [false, false], |u, v| {
        let (a, w) = (TAU * u, 0.6 * (v - 0.5));
        let r = 1.0 + w * (a / 2.0).cos();
        [r * a.cos(), r * a.sin(), w * (a / 2.0).sin()]
    })
}
