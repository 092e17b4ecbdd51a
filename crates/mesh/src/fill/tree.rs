//! A tree of boxes over triangles: nearest point, winding number, and what a ray meets first.

use math::{Mat, Vect};

/// Triangles in boxes in boxes. Each box knows its triangles from afar, as a dipole.
pub(crate) struct Tree {
    triangles: Vec<[Vect<3>; 3]>,
    boxes: Vec<Box>,
    /// one for each box, apart from them because the nearest triangle is found without
    dipoles: Vec<Dipole>,
}

struct Box {
    low: Vect<3>,
    high: Vect<3>,
    /// triangles of a leaf, or none; the first child follows its parent, `second` is the other one
    first: u32,
    count: u32,
    second: u32,
}

struct Dipole {
    /// the middle of its area, and the radius around it that holds all
    centre: Vect<3>,
    radius: f64,
    /// Σ area·normal, and its first moment Σ area·normal ⊗ (middle − centre)
    normal: Vect<3>,
    moment: Mat<3>,
}

const LEAF: usize = 4;
/// A box this many radii away is seen as a dipole. On the shapes of the tests winding numbers are then wrong by up to 0.03.
const FAR: f64 = 3.0;
/// And where a rough number will do: wrong by up to 0.07.
const ROUGHLY_FAR: f64 = 2.0;
/// Farther than this from ½ a rough winding number tells inside from outside.
const CLEAR: f64 = 0.35;

impl Tree {
    pub fn new(triangles: Vec<[Vect<3>; 3]>) -> Self {
        let mut order: Vec<u32> = (0..triangles.len() as u32).collect();
        let mut tree = Self { triangles: vec![], boxes: vec![], dipoles: vec![] };
        if !order.is_empty() {
            tree.grow(&triangles, &mut order, 0);
        }
        tree.triangles = order.iter().map(|&t| triangles[t as usize]).collect();
        tree
    }

    pub fn bounds(&self) -> (Vect<3>, Vect<3>) {
        self.boxes.first().map_or((Vect::zeros(), Vect::zeros()), |n| (n.low, n.high))
    }

    /// The distance to the nearest triangle; ∞ if there is none.
    pub fn nearest(&self, x: &Vect<3>) -> f64 {
        self.search(x, f64::INFINITY, 0.0)
    }

    /// The same where it is known to be less than `limit`, which is faster; `limit` if it is not.
    pub fn nearest_within(&self, x: &Vect<3>, limit: f64) -> f64 {
        self.search(x, limit, 0.0)
    }

    /// Whether a triangle is nearer than this.
    pub fn is_near(&self, x: &Vect<3>, distance: f64) -> bool {
        self.search(x, distance, distance) < distance
    }

    /// The smallest distance below `limit`, or any below `enough`.
    fn search(&self, x: &Vect<3>, limit: f64, enough: f64) -> f64 {
        let (mut best, enough) = (limit * limit, enough * enough);
        let mut found = false;
        let mut stack = [(0u32, 0f64); 96];
        let mut depth = usize::from(!self.boxes.is_empty());
        while depth > 0 {
            depth -= 1;
            let (at, bound) = stack[depth];
            if bound >= best {
                continue;
            }
            let node = &self.boxes[at as usize];
            if node.count > 0 {
                for t in &self.triangles[node.first as usize..(node.first + node.count) as usize] {
                    let d = (closest_on_triangle(t, x) - x).norm_squared();
                    if d < best {
                        (best, found) = (d, true);
                    }
                }
                if found && best < enough {
                    break;
                }
                continue;
            }
            let (one, two) = (at + 1, node.second);
            let (d_one, d_two) =
                (self.boxes[one as usize].distance_squared(x), self.boxes[two as usize].distance_squared(x));
            let ((near, d_near), (far, d_far)) =
                if d_two < d_one { ((two, d_two), (one, d_one)) } else { ((one, d_one), (two, d_two)) };
            if d_far < best {
                stack[depth] = (far, d_far);
                depth += 1;
            }
            if d_near < best {
                stack[depth] = (near, d_near);
                depth += 1;
            }
        }
        if found { best.sqrt() } else { limit }
    }

    /// How often the triangles wind around x.
    pub fn winding(&self, x: &Vect<3>) -> f64 {
        self.winding_from(x, FAR)
    }

    /// The same where only its place relative to ±½ matters: rough, but not near there.
    pub fn winding_about_half(&self, x: &Vect<3>) -> f64 {
        let rough = self.winding_from(x, ROUGHLY_FAR);
        if (rough.abs() - 0.5).abs() > CLEAR { rough } else { self.winding(x) }
    }

    /// The same, with boxes seen as dipoles that are this many radii away.
    fn winding_from(&self, x: &Vect<3>, far: f64) -> f64 {
        let mut sum = 0.0;
        let mut stack = [0u32; 96];
        let mut depth = usize::from(!self.boxes.is_empty());
        while depth > 0 {
            depth -= 1;
            let at = stack[depth];
            let (node, dipole) = (&self.boxes[at as usize], &self.dipoles[at as usize]);
            let r = dipole.centre - x;
            let square = r.norm_squared();
            if square > (far * dipole.radius).powi(2) {
                let cube = square * square.sqrt();
                sum += dipole.normal.dot(&r) / cube + dipole.moment.trace() / cube
                    - 3.0 * r.dot(&(dipole.moment * r)) / (cube * square);
            } else if node.count > 0 {
                for t in &self.triangles[node.first as usize..(node.first + node.count) as usize] {
                    sum += solid_angle(t, x);
                }
            } else {
                stack[depth] = node.second;
                stack[depth + 1] = at + 1;
                depth += 2;
            }
        }
        sum / (4.0 * std::f64::consts::PI)
    }

    /// The first t in (from, to) where origin + t·direction meets a triangle.
    pub fn ray(&self, origin: &Vect<3>, direction: &Vect<3>, from: f64, to: f64) -> Option<f64> {
        let mut best = to;
        let mut stack = [0u32; 96];
        let mut depth = usize::from(!self.boxes.is_empty());
        while depth > 0 {
            depth -= 1;
            let at = stack[depth];
            let node = &self.boxes[at as usize];
            if !node.meets(origin, direction, from, best) {
                continue;
            }
            if node.count == 0 {
                stack[depth] = node.second;
                stack[depth + 1] = at + 1;
                depth += 2;
            }
            for t in node.first..node.first + node.count {
                let [a, b, c] = &self.triangles[t as usize];
                let (u, v, s) = (b - a, c - a, origin - a);
                let p = direction.cross(&v);
                let q = s.cross(&u);
                let det = u.dot(&p);
                let (k, l, t) = (s.dot(&p) / det, direction.dot(&q) / det, v.dot(&q) / det);
                if k >= 0.0 && l >= 0.0 && k + l <= 1.0 && t > from && t < best {
                    best = t;
                }
            }
        }
        (best < to).then_some(best)
    }

    /// Adds the box of some triangles and all in it. `first` is how many triangles come before them.
    fn grow(&mut self, triangles: &[[Vect<3>; 3]], mine: &mut [u32], first: usize) {
        let corners = || mine.iter().flat_map(|&t| triangles[t as usize]);
        let high = corners().fold(Vect::from([f64::NEG_INFINITY; 3]), |m, x| m.sup(&x));
        let low = corners().fold(Vect::from([f64::INFINITY; 3]), |m, x| m.inf(&x));
        let (mut normal, mut centre, mut area) = (Vect::zeros(), Vect::zeros(), 0.0);
        for &t in mine.iter() {
            let n = area_normal(&triangles[t as usize]);
            normal += n;
            centre += n.norm() * middle(&triangles[t as usize]);
            area += n.norm();
        }
        let centre = if area > 0.0 { centre / area } else { (low + high) / 2.0 };
        let mut moment = Mat::zeros();
        for &t in mine.iter() {
            let t = &triangles[t as usize];
            moment += area_normal(t) * (middle(t) - centre).transpose();
        }
        let radius = corners().map(|x| (x - centre).norm()).fold(0.0, f64::max);
        let at = self.boxes.len();
        let leaf = mine.len() <= LEAF;
        let count = if leaf { mine.len() as u32 } else { 0 };
        self.boxes.push(Box { low, high, first: first as u32, count, second: 0 });
        self.dipoles.push(Dipole { centre, radius, normal, moment });
        if leaf {
            return;
        }
        let axis = (high - low).imax();
        let half = mine.len() / 2;
        let key = |t: u32| triangles[t as usize].iter().map(|x| x[axis]).sum::<f64>();
        mine.select_nth_unstable_by(half, |&a, &b| key(a).total_cmp(&key(b)).then(a.cmp(&b)));
        let (one, two) = mine.split_at_mut(half);
        self.grow(triangles, one, first);
        self.boxes[at].second = self.boxes.len() as u32;
        self.grow(triangles, two, first + half);
    }
}

impl Box {
    fn distance_squared(&self, x: &Vect<3>) -> f64 {
        let off = |i: usize| (self.low[i] - x[i]).max(x[i] - self.high[i]).max(0.0);
        let (a, b, c) = (off(0), off(1), off(2));
        a * a + b * b + c * c
    }

    fn meets(&self, origin: &Vect<3>, direction: &Vect<3>, mut from: f64, mut to: f64) -> bool {
        for i in 0..3 {
            let (a, b) = ((self.low[i] - origin[i]) / direction[i], (self.high[i] - origin[i]) / direction[i]);
            if a.is_nan() || b.is_nan() {
                continue; // the ray runs in a side of the box
            }
            (from, to) = (from.max(a.min(b)), to.min(a.max(b)));
        }
        from <= to * (1.0 + 1e-12) + 1e-300
    }
}

/// The normal of a triangle, as long as its area [m²].
pub(crate) fn area_normal([a, b, c]: &[Vect<3>; 3]) -> Vect<3> {
    (b - a).cross(&(c - a)) / 2.0
}

/// The middle of a triangle.
pub(crate) fn middle([a, b, c]: &[Vect<3>; 3]) -> Vect<3> {
    (a + b + c) / 3.0
}

/// How much of the view from x a triangle fills, positive from behind: 4π is all [VS83].
pub(crate) fn solid_angle(triangle: &[Vect<3>; 3], x: &Vect<3>) -> f64 {
    let (a, b, c) = (triangle[0] - x, triangle[1] - x, triangle[2] - x);
    let (p, q, r) = (a.norm(), b.norm(), c.norm());
    2.0 * a.dot(&b.cross(&c)).atan2(p * q * r + a.dot(&b) * r + b.dot(&c) * p + c.dot(&a) * q)
}

/// The point of a triangle that is nearest to x, by the regions of its plane in which x can be.
pub(crate) fn closest_on_triangle([a, b, c]: &[Vect<3>; 3], x: &Vect<3>) -> Vect<3> {
    let (ab, ac, ax) = (b - a, c - a, x - a);
    let (d1, d2) = (ab.dot(&ax), ac.dot(&ax));
    if d1 <= 0.0 && d2 <= 0.0 {
        return *a;
    }
    let bx = x - b;
    let (d3, d4) = (ab.dot(&bx), ac.dot(&bx));
    if d3 >= 0.0 && d4 <= d3 {
        return *b;
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return a + ab * (d1 / (d1 - d3));
    }
    let cx = x - c;
    let (d5, d6) = (ab.dot(&cx), ac.dot(&cx));
    if d6 >= 0.0 && d5 <= d6 {
        return *c;
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return a + ac * (d2 / (d2 - d6));
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0 {
        return b + (c - b) * ((d4 - d3) / ((d4 - d3) + (d5 - d6)));
    }
    a + (ab * vb + ac * vc) / (va + vb + vc)
}
