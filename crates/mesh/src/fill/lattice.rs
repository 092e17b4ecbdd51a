//! The body-centred cubic lattice: two cubic grids, one in the middles of the other.

use math::Vect;
use rayon::prelude::*;

use super::field::Field;

/// Tets that cover a body, before they are fitted to it.
pub(crate) struct Background {
    pub x: Vec<Vect<3>>,
    /// the places in whole numbers, in steps of a 64th of a lattice edge
    pub at: Vec<[i32; 3]>,
    /// signed distance, positive inside
    pub f: Vec<f64>,
    pub tets: Vec<[u32; 4]>,
    /// where (0, 0, 0) is, and how long a step is
    pub origin: Vect<3>,
    pub step: f64,
}

/// Steps per lattice edge: halves of halves stay whole numbers.
pub(crate) const STEPS: i32 = 64;

/// Cells of a lattice around a body, in each direction.
pub(crate) fn cells(field: &Field, edge: f64) -> [f64; 3] {
    let (low, high) = field.bounds();
    let reach = field.margin() + 1.5 * edge;
    [0, 1, 2].map(|i| 2.0 * (((high[i] - low[i]) / 2.0 + reach) / edge).ceil())
}

impl Background {
    /// All lattice tets that have a corner inside the body. The lattice is centred on the body's bounds, so that a body
    /// that is moved has the same tets, and a symmetric one has symmetric tets if the centre of its bounds is on its mirror.
    /// With `near`, also those that come near its surface.
    pub fn new(field: &Field, edge: f64, near: bool) -> Self {
        let cells = cells(field, edge).map(|n| n as usize);
        let (low, high) = field.bounds();
        let middle = (low + high) / 2.0;
        let origin = Vect::from_fn(|i, _| middle[i] - edge * (cells[i] / 2) as f64);
        let points = cells.map(|n| n + 1); // of both grids; the last middles stay unused
        let total = points.iter().product::<usize>();
        let place = |k: usize, grid: usize| -> [i32; 3] {
            let at = [k / (points[1] * points[2]), k / points[2] % points[1], k % points[2]];
            at.map(|i| STEPS * i as i32 + grid as i32 * STEPS / 2)
        };
        let step = edge / f64::from(STEPS);
        let position = |at: [i32; 3]| origin + step * Vect::from(at.map(f64::from));
        // A row at a time: far from the surface one sample tells the sign of its neighbours.
        let mut f = vec![0.0; 2 * total];
        f.par_chunks_mut(points[2]).enumerate().for_each(|(row, values)| {
            let first = row * points[2];
            let (mut sure, mut known, mut distance) = (0.0, 0.0, f64::INFINITY);
            for (k, value) in values.iter_mut().enumerate() {
                sure -= edge;
                distance += 1.001 * edge;
                if sure <= 1.5 * edge {
                    let n = first + k;
                    let sample = field.sample(&position(place(n % total, n / total)), distance);
                    (sure, known, distance) = (sample.sure, sample.f, sample.distance);
                    *value = sample.f;
                } else {
                    *value = known.signum() * sure.min(known.abs());
                }
            }
        });
        let mut background = Self { x: vec![], at: vec![], f: vec![], tets: vec![], origin, step };
        let mut number = vec![u32::MAX; 2 * total];
        let strides = [points[1] * points[2], points[2], 1];
        for k in 0..total {
            let cell = [k / strides[0], k / strides[1] % points[1], k % points[2]];
            if (0..3).any(|i| cell[i] >= cells[i]) {
                continue;
            }
            for axis in (0..3).filter(|&i| cell[i] + 1 < cells[i]) {
                let (u, v) = (strides[(axis + 1) % 3], strides[(axis + 2) % 3]);
                let face = k + strides[axis];
                let ring = [face, face + u, face + u + v, face + v];
                for side in 0..4 {
                    // two middles, and an edge of the face between them
                    let tet = [total + k, total + face, ring[side], ring[(side + 1) % 4]];
                    let wanted = |v: &usize| f[*v] > 0.0 || (near && f[*v] > -edge);
                    if !tet.iter().any(wanted) {
                        continue;
                    }
                    background.tets.push(tet.map(|v| {
                        if number[v] == u32::MAX {
                            number[v] = background.x.len() as u32;
                            let at = place(v % total, v / total);
                            background.at.push(at);
                            background.x.push(position(at));
                            background.f.push(f[v]);
                        }
                        number[v]
                    }));
                }
            }
        }
        background
    }

    pub fn position(&self, at: [i32; 3]) -> Vect<3> {
        self.origin + self.step * Vect::from(at.map(f64::from))
    }
}
