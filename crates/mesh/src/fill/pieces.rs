//! A surface taken apart: welded, cleaned, cut into connected pieces that face outward.

use std::collections::{BTreeMap, HashMap, VecDeque};

use math::Vect;

use super::FillError;
use super::tree::{area_normal, middle};
use crate::Surface;

/// Vertices nearer than this share of the diagonal are one.
const WELD: f64 = 1e-6;
/// The largest coordinate that is computed with [m].
const FARTHEST: f64 = 1e12;

/// A surface in units of its own size, ready to be filled.
pub(crate) struct Parts {
    /// welded positions, relative to `origin`, in units of `scale`
    pub x: Vec<Vect<3>>,
    /// the welded vertex of each vertex of the surface
    pub welded: Vec<u32>,
    /// which vertices of the surface have a triangle
    pub used: Vec<bool>,
    pub pieces: Vec<Piece>,
    /// pieces that hang together at an edge that they share with others
    pub links: Vec<[u32; 2]>,
    pub origin: Vect<3>,
    /// the diagonal of the surface [m]
    pub scale: f64,
    pub notes: Vec<String>,
}

/// Triangles that are connected by edges.
pub(crate) struct Piece {
    pub triangles: Vec<[u32; 3]>,
    /// whether each edge has as many triangles on one side as on the other
    pub closed: bool,
    /// vertices on open edges
    pub rim: Vec<u32>,
    pub low: Vect<3>,
    pub high: Vect<3>,
}

impl Piece {
    pub fn size(&self) -> f64 {
        (self.high - self.low).norm()
    }
}

impl Parts {
    pub fn new(surface: &Surface) -> Result<Self, FillError> {
        let mut used = vec![false; surface.x.len()];
        for (triangle, corners) in surface.triangles.iter().enumerate() {
            for &vertex in corners {
                let vertices = surface.x.len();
                *used.get_mut(vertex as usize).ok_or(FillError::NoSuchVertex { triangle, vertex, vertices })? = true;
            }
        }
        let bounds = bounds(surface, &used)?;
        let nothing = FillError::Nothing { triangles: surface.triangles.len() };
        let Some((low, high)) = bounds else { return Err(nothing) };
        let (origin, scale) = (low, (high - low).norm());
        if scale < 1e-9 || scale < 1e-9 * (low.amax() + high.amax()) {
            return Err(nothing);
        }
        let (x, welded) = weld(surface, &used, &origin, scale);
        let mut notes = vec![];
        let mut triangles: Vec<[u32; 3]> = surface.triangles.iter().map(|t| t.map(|v| welded[v as usize])).collect();
        let flat = |t: &[u32; 3]| is_flat(&t.map(|v| x[v as usize]));
        if let Some(first) = triangles.iter().position(flat) {
            let before = triangles.len();
            triangles.retain(|t| !flat(t));
            let count = before - triangles.len();
            notes.push(format!("{count} triangles of zero area were ignored (first: {first})."));
        }
        if triangles.is_empty() {
            return Err(nothing);
        }
        let before = triangles.len();
        let triangles = without_copies(triangles);
        if triangles.len() < before {
            notes.push(format!("{} triangles that lie on others were ignored.", before - triangles.len()));
        }
        let (pieces, links) = connect(&x, triangles);
        Ok(Self { x, welded, used, pieces, links, origin, scale, notes })
    }

    pub fn corners(&self, t: &[u32; 3]) -> [Vect<3>; 3] {
        t.map(|v| self.x[v as usize])
    }
}

fn bounds(surface: &Surface, used: &[bool]) -> Result<Option<(Vect<3>, Vect<3>)>, FillError> {
    let mut bounds: Option<(Vect<3>, Vect<3>)> = None;
    for (vertex, x) in surface.x.iter().enumerate().filter(|(v, _)| used[*v]) {
        if !x.iter().all(|c| c.is_finite()) {
            return Err(FillError::NotAPlace { vertex, at: (*x).into() });
        }
        if x.amax() > FARTHEST {
            return Err(FillError::TooFar { vertex, at: (*x).into(), limit: FARTHEST });
        }
        bounds = Some(bounds.map_or((*x, *x), |(low, high)| (low.inf(x), high.sup(x))));
    }
    Ok(bounds)
}

/// Positions in units of the surface, each place once, and where each vertex went.
fn weld(surface: &Surface, used: &[bool], origin: &Vect<3>, scale: f64) -> (Vec<Vect<3>>, Vec<u32>) {
    let mut cells: HashMap<[i64; 3], Vec<u32>> = HashMap::new(); // only looked up, never walked through
    let mut x: Vec<Vect<3>> = vec![];
    let mut welded = vec![0; surface.x.len()];
    for v in (0..surface.x.len()).filter(|&v| used[v]) {
        let p = (surface.x[v] - origin) / scale;
        // A cell is twice as wide as the distance, so that the neighbours are on one side in each direction.
        let at = p / (2.0 * WELD);
        let side =
            |i: usize, far: bool| at[i].floor() as i64 + if far { at[i].fract().round() as i64 * 2 - 1 } else { 0 };
        let near = (0..8).filter_map(|k| cells.get(&[side(0, k & 1 > 0), side(1, k & 2 > 0), side(2, k & 4 > 0)]));
        let same = near.flatten().copied().filter(|&w| (x[w as usize] - p).norm() <= WELD).min();
        welded[v] = same.unwrap_or_else(|| {
            cells.entry([side(0, false), side(1, false), side(2, false)]).or_default().push(x.len() as u32);
            x.push(p);
            x.len() as u32 - 1
        });
    }
    (x, welded)
}

fn is_flat(t: &[Vect<3>; 3]) -> bool {
    let longest = (t[0] - t[1]).norm().max((t[1] - t[2]).norm()).max((t[2] - t[0]).norm());
    !(area_normal(t).norm() * 2.0 > 1e-9 * longest)
}

/// Leaves out triangles that are there twice. Where most triangles of a part also have a reversed twin, the part is drawn
/// from both sides, and one side is left out. (Where only some have, two parts touch: both keep theirs.)
fn without_copies(triangles: Vec<[u32; 3]>) -> Vec<[u32; 3]> {
    let mut same: BTreeMap<[u32; 3], Vec<u32>> = BTreeMap::new();
    let mut sets = Sets::new(triangles.len());
    let mut edges: BTreeMap<[u32; 2], u32> = BTreeMap::new();
    let mut keep = vec![true; triangles.len()];
    let start = |t: &[u32; 3]| (0..3).min_by_key(|&i| t[i]).unwrap_or(0);
    let even = |t: &[u32; 3]| t[(start(t) + 1) % 3] < t[(start(t) + 2) % 3];
    for (k, t) in triangles.iter().enumerate() {
        let mut key = *t;
        key.sort_unstable();
        let others = same.entry(key).or_default();
        if others.iter().any(|&o| even(&triangles[o as usize]) == even(t)) {
            keep[k] = false;
            continue;
        }
        others.push(k as u32);
        for i in 0..3 {
            let edge = [t[i].min(t[(i + 1) % 3]), t[i].max(t[(i + 1) % 3])];
            sets.join(*edges.entry(edge).or_insert(k as u32), k as u32);
        }
    }
    let (mut all, mut twins) = (vec![0; triangles.len()], vec![0; triangles.len()]);
    for those in same.values() {
        let part = sets.of(those[0]) as usize;
        all[part] += those.len();
        twins[part] += if those.len() == 2 { 2 } else { 0 };
    }
    for those in same.values().filter(|those| those.len() == 2) {
        let part = sets.of(those[0]) as usize;
        keep[those[1] as usize] = 2 * twins[part] < all[part];
    }
    triangles.into_iter().zip(keep).filter(|(_, keep)| *keep).map(|(t, _)| t).collect()
}

/// The pieces, facing outward, and which of them share an edge that belongs to none.
fn connect(x: &[Vect<3>], mut triangles: Vec<[u32; 3]>) -> (Vec<Piece>, Vec<[u32; 2]>) {
    let mut edges: BTreeMap<[u32; 2], Vec<(u32, bool)>> = BTreeMap::new();
    for (k, t) in triangles.iter().enumerate() {
        for i in 0..3 {
            let (a, b) = (t[i], t[(i + 1) % 3]);
            edges.entry([a.min(b), a.max(b)]).or_default().push((k as u32, a < b));
        }
    }
    // (neighbour, whether it faces the same way)
    let mut neighbours: Vec<Vec<(u32, bool)>> = vec![vec![]; triangles.len()];
    let mut loose = vec![];
    for (edge, around) in &edges {
        for [(a, forth), (b, back)] in pairs(x, &triangles, edge, around, &mut loose) {
            neighbours[a as usize].push((b, forth != back));
            neighbours[b as usize].push((a, forth != back));
        }
    }
    let mut piece_of = vec![u32::MAX; triangles.len()];
    let mut pieces = vec![];
    for first in 0..triangles.len() {
        if piece_of[first] != u32::MAX {
            continue;
        }
        let mut queue = VecDeque::from([(first as u32, true)]);
        let (mut members, mut turned) = (vec![], vec![]);
        piece_of[first] = pieces.len() as u32;
        while let Some((t, right)) = queue.pop_front() {
            members.push(t);
            if !right {
                turned.push(t);
            }
            for &(next, same) in &neighbours[t as usize] {
                if piece_of[next as usize] == u32::MAX {
                    piece_of[next as usize] = pieces.len() as u32;
                    queue.push_back((next, right == same));
                }
            }
        }
        for t in turned {
            triangles[t as usize].swap(1, 2);
        }
        members.sort_unstable();
        pieces.push(outward(x, members.iter().map(|&t| triangles[t as usize]).collect()));
    }
    let links = loose.into_iter().map(|pair: [u32; 2]| pair.map(|t| piece_of[t as usize]));
    let mut links: Vec<_> = links.filter(|[a, b]| a != b).collect();
    links.sort_unstable();
    links.dedup();
    (pieces, links)
}

/// Which triangles around an edge continue each other. Where there are more than two, those do that have the inside between
/// them: so two cubes that touch in an edge stay two. What is left over goes to `loose`.
fn pairs(
    x: &[Vect<3>],
    triangles: &[[u32; 3]],
    edge: &[u32; 2],
    around: &[(u32, bool)],
    loose: &mut Vec<[u32; 2]>,
) -> Vec<[(u32, bool); 2]> {
    if around.len() == 2 {
        return vec![[around[0], around[1]]];
    }
    let (a, b) = (x[edge[0] as usize], x[edge[1] as usize]);
    let axis = (b - a).normalize();
    let direction = |t: u32| {
        let opposite = triangles[t as usize].into_iter().find(|v| !edge.contains(v)).unwrap_or(edge[0]);
        let d = x[opposite as usize] - a;
        d - axis * axis.dot(&d)
    };
    // The inside of a triangle that runs along the edge is behind its normal: clockwise around the edge.
    let mut wedges = vec![];
    for &(s, _) in around.iter().filter(|s| s.1) {
        for &(t, _) in around.iter().filter(|t| !t.1) {
            let (u, v) = (direction(s), direction(t));
            let angle = (-axis.dot(&u.cross(&v))).atan2(u.dot(&v)).rem_euclid(std::f64::consts::TAU);
            wedges.push((if angle < 1e-4 { angle + std::f64::consts::TAU } else { angle }, s, t));
        }
    }
    wedges.sort_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    let mut taken: Vec<u32> = vec![];
    let mut found = vec![];
    for (_, s, t) in wedges {
        if !taken.contains(&s) && !taken.contains(&t) {
            taken.extend([s, t]);
            found.push([(s, true), (t, false)]);
        }
    }
    loose.extend(around.iter().filter(|t| !taken.contains(&t.0)).map(|t| [around[0].0, t.0]));
    if taken.len() < around.len() {
        // A fin stands on this edge: all around it belong together.
        loose.extend(around.iter().map(|t| [around[0].0, t.0]));
    }
    found
}

fn outward(x: &[Vect<3>], mut triangles: Vec<[u32; 3]>) -> Piece {
    let corners = |t: &[u32; 3]| t.map(|v| x[v as usize]);
    let (mut centre, mut area) = (Vect::zeros(), 0.0);
    for t in &triangles {
        let size = area_normal(&corners(t)).norm();
        centre += middle(&corners(t)) * size;
        area += size;
    }
    centre /= area;
    let volume: f64 =
        triangles.iter().map(|t| area_normal(&corners(t)).dot(&(middle(&corners(t)) - centre)) / 3.0).sum();
    if volume < 0.0 {
        triangles.iter_mut().for_each(|t| t.swap(1, 2));
    }
    let mut balance: BTreeMap<[u32; 2], i32> = BTreeMap::new();
    for t in &triangles {
        for i in 0..3 {
            let (a, b) = (t[i], t[(i + 1) % 3]);
            *balance.entry([a.min(b), a.max(b)]).or_default() += if a < b { 1 } else { -1 };
        }
    }
    let mut rim: Vec<u32> = balance.into_iter().filter(|(_, sum)| *sum != 0).flat_map(|(edge, _)| edge).collect();
    rim.sort_unstable();
    rim.dedup();
    let all = || triangles.iter().flat_map(corners);
    let low = all().fold(Vect::from([f64::INFINITY; 3]), |m, x| m.inf(&x));
    let high = all().fold(Vect::from([f64::NEG_INFINITY; 3]), |m, x| m.sup(&x));
    Piece { closed: rim.is_empty(), rim, low, high, triangles }
}

/// Things that are joined step by step.
pub(crate) struct Sets(Vec<u32>);

impl Sets {
    pub fn new(count: usize) -> Self {
        Self((0..count as u32).collect())
    }
    /// The first member of the set that this one is in.
    pub fn of(&mut self, mut k: u32) -> u32 {
        while self.0[k as usize] != k {
            self.0[k as usize] = self.0[self.0[k as usize] as usize];
            k = self.0[k as usize];
        }
        k
    }
    pub fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.of(a), self.of(b));
        self.0[a.max(b) as usize] = a.min(b);
    }
}
