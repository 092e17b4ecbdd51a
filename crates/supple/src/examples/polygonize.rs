//! A shape's surface as triangles: cut out of a lattice of tetrahedra, then evened out.

use std::collections::BTreeMap;

use math::Vect;
use mesh::Surface;

use super::implicit::{Solid, v};

/// A cut nearer to a lattice point than this share of the edge draws the point onto the surface, as in [LS07].
const NEAR_LONG: f64 = 0.25;
const NEAR_SHORT: f64 = 0.41;
/// The cubes along a block that is asked as one.
const BLOCK: usize = 4;
/// How often vertices move to the middle of their neighbours.
const PASSES: usize = 8;

/// A body-centred cubic lattice over a shape's box: points, what the shape says there, and which were drawn onto it.
struct Lattice {
    size: [usize; 3],
    edge: f64,
    low: Vect<3>,
    /// of each point; 0 for those on the surface
    value: Vec<f64>,
    /// where each point on the surface was drawn to
    drawn: BTreeMap<usize, Vect<3>>,
}

impl Lattice {
    fn new(solid: &Solid, edge: f64) -> Self {
        // at multiples of the edge, so that what is the same on both sides has the same lattice there
        let low = solid.low.map(|c| edge * ((c / edge).floor() - 1.0));
        let size = [0, 1, 2].map(|i| ((solid.high[i] - low[i]) / edge).ceil() as usize + 3);
        let mut lattice = Self { size, edge, low, value: vec![], drawn: BTreeMap::new() };
        lattice.value = vec![f64::MAX; 2 * size.iter().product::<usize>()];
        let blocks = size.map(|n| n.div_ceil(BLOCK));
        for block in 0..blocks.iter().product() {
            let block = [block % blocks[0], block / blocks[0] % blocks[1], block / blocks[0] / blocks[1]];
            lattice.fill(solid, block.map(|b| BLOCK * b));
        }
        lattice
    }

    /// Asks the shape at the points of a block of cubes, or only at its middle where that is far from the surface.
    fn fill(&mut self, solid: &Solid, first: [usize; 3]) {
        let half = 0.5 * BLOCK as f64 * self.edge;
        let middle = solid.at(&self.place(self.point(first, 0)).add_scalar(half));
        let far = middle.abs() > 1.5 * 3_f64.sqrt() * half;
        let end = [0, 1, 2].map(|i| self.size[i].min(first[i] + BLOCK));
        for (k, j) in (first[2]..end[2]).flat_map(|k| (first[1]..end[1]).map(move |j| (k, j))) {
            for point in self.point([first[0], j, k], 0)..=self.point([end[0] - 1, j, k], 1) {
                let value = if far { middle } else { solid.at(&self.place(point)) };
                // a point exactly on the surface counts as inside
                self.value[point] = if value == 0.0 { -f64::MIN_POSITIVE } else { value };
            }
        }
    }

    /// The number of the corner (half = 0) or the middle (half = 1) of a cube.
    fn point(&self, at: [usize; 3], half: usize) -> usize {
        2 * ((at[2] * self.size[1] + at[1]) * self.size[0] + at[0]) + half
    }

    fn cube(&self, point: usize) -> [usize; 3] {
        let cube = point / 2;
        [cube % self.size[0], cube / self.size[0] % self.size[1], cube / self.size[0] / self.size[1]]
    }

    fn place(&self, point: usize) -> Vect<3> {
        let half = 0.5 * (point % 2) as f64;
        let [i, j, k] = self.cube(point);
        self.low + self.edge * v(i as f64 + half, j as f64 + half, k as f64 + half)
    }

    /// The points along the long and the short edges at a point, and how near a cut may be to it.
    fn neighbours(&self, point: usize) -> Vec<(usize, f64)> {
        let (cube, half) = (self.cube(point).map(|c| c as isize), point % 2);
        let long = [[1, 0, 0], [0, 1, 0], [0, 0, 1]].into_iter().flat_map(|d| [d, d.map(|c: isize| -c)]);
        let other = if half == 0 { -1 } else { 1 };
        let short = (0..8).map(|bits| [bits & 1, (bits >> 1) & 1, bits >> 2].map(|bit| other * bit));
        let steps = long.map(|d| (d, half, NEAR_LONG)).chain(short.map(|d| (d, 1 - half, NEAR_SHORT)));
        let inside = |at: [isize; 3]| at.iter().zip(&self.size).all(|(c, n)| *c >= 0 && *c < *n as isize);
        let moved = steps.map(|(d, half, near)| ([cube[0] + d[0], cube[1] + d[1], cube[2] + d[2]], half, near));
        moved.filter(|m| inside(m.0)).map(|(at, half, near)| (self.point(at.map(|c| c as usize), half), near)).collect()
    }

    /// Where the surface cuts the edge from a to b, as a share of it.
    fn cut(&self, a: usize, b: usize) -> f64 {
        self.value[a] / (self.value[a] - self.value[b])
    }

    /// Draws points onto the surface where it passes near them.
    fn draw(&mut self) {
        for a in 0..self.value.len() {
            if self.value[a].abs() > self.edge {
                continue;
            }
            let cuts = self.neighbours(a).into_iter().filter(|(b, _)| self.value[a] * self.value[*b] < 0.0);
            let near = cuts.map(|(b, near)| (self.cut(a, b) / near, b)).filter(|(far, _)| *far < 1.0);
            if let Some((_, b)) = near.min_by(|a, b| a.0.total_cmp(&b.0)) {
                let place = self.place(a).lerp(&self.place(b), self.cut(a, b));
                self.drawn.insert(a, place);
                self.value[a] = 0.0;
            }
        }
    }

    /// The surface inside one tet, its corners as pairs of lattice points: the ends of the cut edge, or one point twice.
    fn cut_tet(&self, tet: [usize; 4], out: &mut Vec<[(usize, usize); 3]>) {
        let of = |sign: f64| tet.into_iter().filter(move |p| self.value[*p] * sign > 0.0).collect::<Vec<_>>();
        let (inside, outside) = (of(-1.0), of(1.0));
        let on: Vec<_> = tet.into_iter().filter(|p| self.value[*p] == 0.0).map(|p| (p, p)).collect();
        if inside.is_empty() || (outside.is_empty() && on.len() < 3) {
            return;
        }
        let cut = |a: usize, b: usize| (a.min(b), a.max(b));
        let corners: Vec<_> = match (&inside[..], &outside[..]) {
            ([a, b], [c, d]) => vec![cut(*a, *c), cut(*a, *d), cut(*b, *d), cut(*b, *c)],
            _ => on.into_iter().chain(inside.iter().flat_map(|a| outside.iter().map(move |b| cut(*a, *b)))).collect(),
        };
        let middle = |(a, b): (usize, usize)| (self.place(a) + self.place(b)) / 2.0;
        for k in 2..corners.len() {
            let [a, b, c] = [corners[0], corners[k - 1], corners[k]];
            let normal = (middle(b) - middle(a)).cross(&(middle(c) - middle(a)));
            let inward = normal.dot(&(self.place(inside[0]) - middle(a))) > 0.0;
            out.push(if inward { [a, c, b] } else { [a, b, c] });
        }
    }

    /// The surface through all tets: four around each edge between corners of cubes.
    fn surface(&self) -> Surface {
        let mut cuts = vec![];
        for axis in 0..3 {
            let (one, two) = ((axis + 1) % 3, (axis + 2) % 3);
            for a in (0..self.value.len()).step_by(2) {
                let at = self.cube(a);
                if at[axis] + 1 >= self.size[axis]
                    || at[one] == 0
                    || at[two] == 0
                    || self.value[a].abs() > 2.0 * self.edge
                {
                    continue;
                }
                let back = |d1: usize, d2: usize| {
                    let mut at = at;
                    at[one] -= d1;
                    at[two] -= d2;
                    self.point(at, 1)
                };
                let mut next = at;
                next[axis] += 1;
                let (b, ring) = (self.point(next, 0), [back(0, 0), back(1, 0), back(1, 1), back(0, 1)]);
                (0..4).for_each(|k| self.cut_tet([a, b, ring[k], ring[(k + 1) % 4]], &mut cuts));
            }
        }
        // what is on the surface with an inside on both sides is no surface
        let key = |t: &[(usize, usize); 3]| {
            let mut key = *t;
            key.sort_unstable();
            key
        };
        cuts.sort_by_key(key);
        let twice = |k: usize| {
            (k > 0 && key(&cuts[k - 1]) == key(&cuts[k])) || cuts.get(k + 1).is_some_and(|n| key(n) == key(&cuts[k]))
        };
        let mut numbers = BTreeMap::new();
        let mut surface = Surface::default();
        for k in (0..cuts.len()).filter(|k| !twice(*k)) {
            surface.triangles.push(cuts[k].map(|(a, b)| {
                *numbers.entry((a, b)).or_insert_with(|| {
                    let on = self.drawn.get(&a).filter(|_| a == b);
                    surface.x.push(on.copied().unwrap_or_else(|| self.place(a).lerp(&self.place(b), self.cut(a, b))));
                    surface.x.len() as u32 - 1
                })
            }));
        }
        surface
    }
}

/// The vertices that share an edge with each vertex, in rising order.
pub(crate) fn neighbours(surface: &Surface) -> Vec<Vec<u32>> {
    let mut all = vec![vec![]; surface.x.len()];
    for t in &surface.triangles {
        (0..3).for_each(|k| all[t[k] as usize].extend([t[(k + 1) % 3], t[(k + 2) % 3]]));
    }
    for list in &mut all {
        list.sort_unstable();
        list.dedup();
    }
    all
}

/// The surface of a shape, closed, as a lattice of this edge has it [m].
pub(crate) fn cut_out(solid: &Solid, edge: f64) -> Surface {
    let mut lattice = Lattice::new(solid, edge);
    lattice.draw();
    lattice.surface()
}

/// The surface of a shape, closed, evened out. Its triangles' edges are shorter than the lattice's edge [m]: about 0.6 of it.
/// What is thinner than the lattice's edge may be lost, or come out in pieces.
pub(crate) fn polygonize(solid: &Solid, edge: f64) -> Surface {
    let mut surface = cut_out(solid, edge);
    let around = neighbours(&surface);
    let h = 0.02 * edge;
    for _ in 0..PASSES {
        let before = surface.x.clone();
        for (x, near) in surface.x.iter_mut().zip(&around) {
            let middle = near.iter().map(|&n| before[n as usize]).sum::<Vect<3>>() / near.len().max(1) as f64;
            let normal = solid.gradient(x, h).try_normalize(1e-9).unwrap_or_default();
            let way = middle - *x;
            *x += 0.6 * (way - normal * normal.dot(&way));
            for _ in 0..2 {
                let slope = solid.gradient(x, h);
                let step = slope * (solid.at(x) / slope.norm_squared().max(1e-2));
                *x -= step.cap_magnitude(0.3 * edge);
            }
        }
    }
    surface
}

#[cfg(test)]
mod tests {
    use super::super::implicit::{ball, cone};
    use super::*;

    #[test]
    fn a_ball_has_the_volume_of_a_ball_and_even_triangles() {
        let surface = polygonize(&ball(v(0.1, 0.2, 0.3), 1.0), 0.2);
        let volume = super::super::tests::volume(&surface);
        assert!((volume / (4.0 / 3.0 * std::f64::consts::PI) - 1.0).abs() < 0.03, "{volume}");
        assert!(surface.x.iter().all(|x| ((x - v(0.1, 0.2, 0.3)).norm() - 1.0).abs() < 1e-4));
        let edges = surface.triangles.iter().flat_map(|t| (0..3).map(|k| [t[k], t[(k + 1) % 3]]));
        let long: Vec<f64> = edges.map(|[a, b]| (surface.x[a as usize] - surface.x[b as usize]).norm()).collect();
        let (least, most) = (long.iter().copied().fold(1.0, f64::min), long.iter().copied().fold(0.0, f64::max));
        assert!(most < 3.0 * least, "{least} {most}");
    }

    #[test]
    fn a_surface_is_closed_also_where_it_is_thin() {
        super::super::tests::check_closed(&polygonize(&cone(v(0.0, 0.0, 0.0), 0.11, v(0.7, 0.9, 0.1), 0.06), 0.08));
    }
}
