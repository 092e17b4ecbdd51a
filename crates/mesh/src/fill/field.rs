//! The shape of one body as a function of space: positive inside.

use math::Vect;

use super::pieces::Parts;
use super::tree::{Tree, area_normal};

/// Signed distance to the surface of a body, positive inside, in units of the surface.
pub(crate) struct Field {
    /// all its triangles, for the distance
    all: Tree,
    /// each closed piece; each is inside of itself whatever the others do
    closed: Vec<Tree>,
    /// all open pieces, which enclose together
    open: Option<Tree>,
    /// where it is too thin to be seen: everything within a radius of some triangles is inside too
    thick: Vec<(Tree, f64)>,
    pub triangles: Vec<[u32; 3]>,
}

/// What is known about a place.
pub(crate) struct Sample {
    /// signed distance
    pub f: f64,
    /// the sign is the same within this radius
    pub sure: f64,
    /// to the nearest triangle
    pub distance: f64,
}

impl Field {
    pub fn new(parts: &Parts, pieces: &[usize]) -> Self {
        let corners = |t: &[u32; 3]| parts.corners(t);
        let triangles: Vec<[u32; 3]> = pieces.iter().flat_map(|&p| parts.pieces[p].triangles.iter().copied()).collect();
        let tree = |p: &usize| Tree::new(parts.pieces[*p].triangles.iter().map(corners).collect());
        let open: Vec<_> = pieces
            .iter()
            .filter(|&&p| !parts.pieces[p].closed)
            .flat_map(|&p| parts.pieces[p].triangles.iter().map(corners))
            .collect();
        Self {
            all: Tree::new(triangles.iter().map(corners).collect()),
            closed: pieces.iter().filter(|&&p| parts.pieces[p].closed).map(tree).collect(),
            open: (!open.is_empty()).then(|| Tree::new(open)),
            thick: vec![],
            triangles,
        }
    }

    pub fn bounds(&self) -> (Vect<3>, Vect<3>) {
        self.all.bounds()
    }

    /// How far outside of the bounds the body can reach.
    pub fn margin(&self) -> f64 {
        self.thick.iter().map(|t| t.1).fold(0.0, f64::max)
    }

    pub fn thicken(&mut self, triangles: Vec<[Vect<3>; 3]>, radius: f64) {
        self.thick.push((Tree::new(triangles), radius));
    }

    pub fn clear_thick(&mut self) {
        self.thick.clear();
    }

    pub fn at(&self, x: &Vect<3>) -> f64 {
        self.sample(x, f64::INFINITY).f
    }

    /// What is known about x, which is less than `limit` away from a triangle.
    pub fn sample(&self, x: &Vect<3>, limit: f64) -> Sample {
        let distance = self.all.nearest_within(x, limit);
        let (inside, mut sure) = self.inside(x, distance);
        let mut f = if inside { distance.max(1e-14) } else { -distance.max(1e-14) };
        for (tree, radius) in &self.thick {
            let depth = radius - tree.nearest(x);
            sure = sure.min(depth.abs());
            f = f.max(depth);
        }
        Sample { f, sure, distance }
    }

    /// The same as `at` where x is not on the surface, to a tolerance. Which side it is on is only found out where that
    /// matters.
    pub fn unless_on_surface(&self, x: &Vect<3>, tolerance: f64) -> Option<f64> {
        let d = self.all.nearest(x).max(1e-14);
        let depth = self.thick.iter().map(|(tree, radius)| radius - tree.nearest(x)).fold(f64::NEG_INFINITY, f64::max);
        let f = if depth >= d {
            depth
        } else if d < tolerance {
            return None;
        } else if self.inside(x, d).0 {
            d
        } else {
            depth.max(-d)
        };
        (f.abs() >= tolerance).then_some(f)
    }

    fn inside(&self, x: &Vect<3>, d: f64) -> (bool, f64) {
        let within = |t: &Tree| {
            let (low, high) = t.bounds();
            (0..3).all(|i| x[i] >= low[i] && x[i] <= high[i])
        };
        if self.closed.iter().any(|t| within(t) && t.winding_about_half(x).abs() > 0.5) {
            return (true, d);
        }
        let Some(open) = &self.open else { return (false, d) };
        let w = open.winding_about_half(x);
        // Away from its triangles w is harmonic: it changes little within a small part of the distance to them.
        (w > 0.5, if (w - 0.5).abs() > 0.25 { d / 8.0 } else { 0.0 })
    }

    /// How thick the body is behind points of its surface about `spacing` apart: the way along the inward normal to the next
    /// triangle, if that is less than `up_to`, with the place in its middle.
    pub fn thickness(&self, parts: &Parts, spacing: f64, up_to: f64) -> Vec<(Vect<3>, f64)> {
        let through = |t: &[u32; 3]| {
            let c = parts.corners(t);
            let n = area_normal(&c).normalize();
            let longest = (0..3).map(|i| (c[i] - c[(i + 1) % 3]).norm()).fold(0.0, f64::max);
            let cuts = (longest / spacing).ceil().clamp(1.0, 40.0) as usize;
            let points = (0..cuts).flat_map(move |i| (0..cuts - i).map(move |j| (i, j))).map(move |(i, j)| {
                let (s, t) = ((i as f64 + 1.0 / 3.0) / cuts as f64, (j as f64 + 1.0 / 3.0) / cuts as f64);
                c[0] * (1.0 - s - t) + c[1] * s + c[2] * t
            });
            let ray = move |p: Vect<3>| self.all.ray(&p, &-n, 1e-7, up_to).map(|t| (p - n * (t / 2.0), t));
            points.filter_map(ray).collect::<Vec<_>>()
        };
        self.triangles.iter().flat_map(through).collect()
    }
}
