//! Isosurface stuffing [LS07]: background tets are fitted to a body.

use math::{Mat, Small, Vect};
use rayon::prelude::*;

use super::field::Field;
use super::lattice::Background;
use crate::Mesh;

/// A vertex moves to the surface if that cuts an edge of it nearer than this, as a share of the edge: for the long and the
/// short edges of the lattice [LS07, table 1], and for the edges of a graded one.
const LONG: f64 = 0.24999;
const SHORT: f64 = 0.41189;
const GRADED: f64 = 0.25;

/// A corner of a tet that is fitted: where it is in the background, and its sign.
type Corner = (u32, i8);

struct Stuffing<'a> {
    background: &'a Background,
    graded: bool,
    /// positions after the warp, then the cut points, then points in the middle of prisms
    x: Vec<Vect<3>>,
    sign: Vec<i8>,
    /// edges with a cut point, sorted
    cuts: Vec<[u32; 2]>,
    tets: Vec<[u32; 4]>,
}

/// The tets of a body.
pub(crate) fn stuff(background: &Background, field: &Field, graded: bool) -> Mesh<3> {
    let mut cuts: Vec<[u32; 2]> = vec![];
    for t in &background.tets {
        for i in 0..4 {
            for j in 0..i {
                let (a, b) = (t[i].min(t[j]), t[i].max(t[j]));
                if (background.f[a as usize] > 0.0) != (background.f[b as usize] > 0.0) {
                    cuts.push([a, b]);
                }
            }
        }
    }
    cuts.par_sort_unstable();
    cuts.dedup();
    let share: Vec<f64> = cuts.par_iter().map(|e| cut(background, field, e)).collect();
    let sign = background.f.iter().map(|f| if *f > 0.0 { 1 } else { -1 }).collect();
    let mut stuffing = Stuffing { background, graded, x: background.x.clone(), sign, cuts, tets: vec![] };
    stuffing.warp(&share);
    for t in &background.tets {
        stuffing.fit(t.map(|v| (v, stuffing.sign[v as usize])));
    }
    stuffing.mesh()
}

/// Where an edge crosses the surface, as a share of it.
fn cut(background: &Background, field: &Field, &[a, b]: &[u32; 2]) -> f64 {
    let (p, q) = (background.x[a as usize], background.x[b as usize]);
    let (mut f, mut g) = (background.f[a as usize], background.f[b as usize]);
    let (mut from, mut to) = (0.0, 1.0);
    let small = 1e-3 * (q - p).norm();
    // Regula falsi; every third time the middle, because the field jumps where a hole is closed.
    for k in 0..9 {
        let t = if k % 3 == 2 { 0.5 * (from + to) } else { from + (to - from) * (f / (f - g)).clamp(0.02, 0.98) };
        let Some(h) = field.unless_on_surface(&(p + (q - p) * t), small) else { return t };
        if (h > 0.0) == (f > 0.0) {
            (from, f) = (t, h);
        } else {
            (to, g) = (t, h);
        }
    }
    0.5 * (from + to)
}

impl Stuffing<'_> {
    /// Moves vertices that are too near to a cut point onto it, the nearest one; then they are on the surface.
    fn warp(&mut self, share: &[f64]) {
        let mut around: Vec<(u32, u32)> = vec![];
        for (k, e) in self.cuts.iter().enumerate() {
            around.extend(e.map(|v| (v, k as u32)));
        }
        around.par_sort_unstable();
        let cut_points: Vec<Vect<3>> = self
            .cuts
            .iter()
            .zip(share)
            .map(|(e, t)| self.background.x[e[0] as usize] * (1.0 - t) + self.background.x[e[1] as usize] * *t)
            .collect();
        for same in around.chunk_by(|a, b| a.0 == b.0) {
            let v = same[0].0;
            let mut best: Option<(f64, u32)> = None;
            for &(_, k) in same {
                let e = self.cuts[k as usize];
                if e.iter().any(|&w| self.sign[w as usize] == 0) {
                    continue; // its other end is on the surface already
                }
                let t = if e[0] == v { share[k as usize] } else { 1.0 - share[k as usize] };
                let way = (cut_points[k as usize] - self.background.x[v as usize]).norm();
                if t < self.limit(&e) && best.is_none_or(|b| way < b.0 * (1.0 - 1e-6)) {
                    best = Some((way, k));
                }
            }
            if let Some((_, k)) = best {
                self.x[v as usize] = cut_points[k as usize];
                self.sign[v as usize] = 0;
            }
        }
        self.x.extend(cut_points);
    }

    fn limit(&self, &[a, b]: &[u32; 2]) -> f64 {
        match (self.graded, self.is_long(a, b)) {
            (true, _) => GRADED,
            (false, true) => LONG,
            (false, false) => SHORT,
        }
    }

    /// Whether an edge of the lattice is one of the longer ones, along an axis.
    fn is_long(&self, a: u32, b: u32) -> bool {
        let (a, b) = (self.background.at[a as usize], self.background.at[b as usize]);
        (0..3).filter(|&i| a[i] != b[i]).count() == 1
    }

    /// The point where the edge between these vertices is cut.
    fn between(&self, a: u32, b: u32) -> u32 {
        let key = [a.min(b), a.max(b)];
        (self.background.x.len() + self.cuts.partition_point(|e| *e < key)) as u32
    }

    /// Of the face with a and b inside and c outside, whether the diagonal of the quadrilateral that stays starts at a.
    /// Both tets at the face must answer alike.
    fn starts_at_first(&self, a: u32, b: u32, c: u32) -> bool {
        if self.graded {
            let (p, q) = (self.between(a, c), self.between(b, c));
            let length = |v: u32, w: u32| (self.x[v as usize] - self.x[w as usize]).norm_squared();
            let (first, second) = (length(a, q), length(b, p));
            return if (first - second).abs() > 1e-9 * (first + second) { first < second } else { a < b };
        }
        // From the short edge's end to the cut on the long one: the other way was measured to make 8.9° instead of 15°.
        match (self.is_long(c, a), self.is_long(c, b)) {
            (true, false) => false,
            (false, true) => true,
            _ => {
                // The parity rule [LS07, section 3.2]: a has an even number of coordinates larger than c, or b has.
                let (a, c) = (self.background.at[a as usize], self.background.at[c as usize]);
                (0..3).filter(|&i| a[i] > c[i]).count() % 2 == 0
            }
        }
    }

    /// The part of a tet that is inside.
    fn fit(&mut self, t: [Corner; 4]) {
        let with = |s: i8| -> Vec<u32> { t.iter().filter(|c| c.1 == s).map(|c| c.0).collect() };
        let (inside, on, out) = (with(1), with(0), with(-1));
        match (inside.len(), on.len(), out.len()) {
            (0, _, _) => {}
            (_, _, 0) => self.tets.push(t.map(|c| c.0)),
            (1, _, _) => {
                let corner = |(v, s): Corner| if s < 0 { self.between(inside[0], v) } else { v };
                self.tets.push(t.map(corner));
            }
            (2, 1, 1) => {
                let (a, b, z) = (inside[0], inside[1], on[0]);
                let (p, q) = (self.between(a, out[0]), self.between(b, out[0]));
                if self.starts_at_first(a, b, out[0]) {
                    self.tets.extend([[a, b, q, z], [a, q, p, z]]);
                } else {
                    self.tets.extend([[a, b, p, z], [b, q, p, z]]);
                }
            }
            (2, 0, 2) => {
                let ends = [inside[0], inside[1]].map(|v| [v, self.between(v, out[0]), self.between(v, out[1])]);
                let c = self.starts_at_first(inside[0], inside[1], out[0]);
                let d = self.starts_at_first(inside[0], inside[1], out[1]);
                // The quadrilateral on the surface is ours alone: what the others leave possible, or the shorter diagonal.
                let length = |v: u32, w: u32| (self.x[v as usize] - self.x[w as usize]).norm_squared();
                let last = match (c, d) {
                    (true, false) => false,
                    (false, true) => true,
                    _ => length(ends[0][1], ends[1][2]) <= length(ends[0][2], ends[1][1]),
                };
                self.prism(ends, [c, d, last]);
            }
            _ => {
                let (a, b, c, z) = (inside[0], inside[1], inside[2], out[0]);
                let top = [a, b, c].map(|v| self.between(v, z));
                let first =
                    [self.starts_at_first(a, b, z), self.starts_at_first(a, c, z), self.starts_at_first(b, c, z)];
                self.prism([[a, b, c], top], first);
            }
        }
    }

    /// A prism between two triangles. For the sides (0, 1), (0, 2), (1, 2): whether the diagonal starts at the first of
    /// these corners of the lower triangle.
    fn prism(&mut self, [u, v]: [[u32; 3]; 2], [ab, ac, bc]: [bool; 3]) {
        let wins = [u8::from(ab) + u8::from(ac), u8::from(!ab) + u8::from(bc), u8::from(!ac) + u8::from(!bc)];
        let who = |n: u8| wins.iter().position(|w| *w == n);
        if let (Some(i), Some(j), Some(k)) = (who(2), who(1), who(0)) {
            self.tets.extend([[u[i], u[j], u[k], v[k]], [u[i], u[j], v[j], v[k]], [u[i], v[i], v[j], v[k]]]);
            return;
        }
        // The diagonals run in a circle: such a prism needs a point in its middle.
        let s = self.x.len() as u32;
        self.x.push(u.iter().chain(&v).map(|&p| self.x[p as usize]).sum::<Vect<3>>() / 6.0);
        self.tets.extend([[u[0], u[1], u[2], s], [v[0], v[1], v[2], s]]);
        for (i, j, first) in [(0, 1, ab), (0, 2, ac), (1, 2, bc)] {
            let (i, j) = if first { (i, j) } else { (j, i) };
            self.tets.extend([[u[i], u[j], v[j], s], [u[i], v[i], v[j], s]]);
        }
    }

    /// Numbers the vertices that are used, and turns all tets the right way.
    fn mesh(self) -> Mesh<3> {
        let mut number = vec![u32::MAX; self.x.len()];
        let mut mesh = Mesh { rest: vec![], corners: Vec::with_capacity(4 * self.tets.len()) };
        for t in &self.tets {
            let edges = Mat::<3>::from_fn(|i, j| self.x[t[j + 1] as usize][i] - self.x[t[0] as usize][i]);
            let turned = if edges.det() < 0.0 { [t[1], t[0], t[2], t[3]] } else { *t };
            mesh.corners.extend(turned.map(|v| {
                if number[v as usize] == u32::MAX {
                    number[v as usize] = mesh.rest.len() as u32;
                    mesh.rest.push(self.x[v as usize]);
                }
                number[v as usize]
            }));
        }
        mesh
    }
}
