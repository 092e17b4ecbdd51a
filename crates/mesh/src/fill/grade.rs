//! Smaller background tets where a body is thin.

use std::collections::BTreeMap;

use math::Vect;
use rayon::prelude::*;
use rstar::RTree;
use rstar::primitives::GeomWithData;

use super::field::Field;
use super::lattice::Background;

/// Elements wanted across a thin place.
const ACROSS: f64 = 2.5;
/// The smallest elements are this share of the largest.
const SMALLEST: f64 = 0.25;

/// Where smaller elements are wanted: place and edge length.
pub(crate) type Wish = (Vect<3>, f64);

/// What thickness asks for; of many wishes in a place, the smallest.
pub(crate) fn wishes(thickness: &[(Vect<3>, f64)], edge: f64) -> Vec<Wish> {
    let mut places: BTreeMap<[i64; 3], Wish> = BTreeMap::new();
    for &(x, t) in thickness {
        let size = (t / ACROSS).max(SMALLEST * edge);
        if size < 0.75 * edge {
            let place = [0, 1, 2].map(|i| (x[i] / (SMALLEST * edge)).floor() as i64);
            let wish = places.entry(place).or_insert((x, size));
            if size < wish.1 {
                *wish = (x, size);
            }
        }
    }
    places.into_values().collect()
}

/// Bisects tets at their longest edges until the wishes are met and the tets fit together again.
pub(crate) fn grade(background: &mut Background, field: &Field, wishes: &[Wish]) {
    let points = wishes.iter().map(|(x, size)| GeomWithData::new([x.x, x.y, x.z], *size));
    let tree = RTree::bulk_load(points.collect());
    let mut fresh = vec![true; background.tets.len()]; // the others were looked at before
    for _ in 0..12 {
        let too_long = |t: &[u32; 4]| {
            let (edge, square) = longest(&background.at, t);
            let length = (square as f64).sqrt() * background.step;
            let centre = t.iter().map(|&v| background.x[v as usize]).sum::<Vect<3>>() / 4.0;
            let reach = t.iter().map(|&v| (background.x[v as usize] - centre).norm()).fold(0.0, f64::max);
            let mut near = tree.locate_within_distance([centre.x, centre.y, centre.z], (1.3 * reach).powi(2));
            near.any(|wish| wish.data < 0.75 * length).then_some(edge)
        };
        let edges: Vec<[u32; 2]> =
            background.tets.par_iter().zip(&fresh).filter(|t| *t.1).filter_map(|t| too_long(t.0)).collect();
        if edges.is_empty() {
            break;
        }
        let mut split = Splits::default();
        for edge in edges {
            split.at(background, edge);
        }
        fresh = close(background, split);
    }
    let from = background.f.len();
    background.f.par_extend(background.x[from..].par_iter().map(|x| field.at(x)));
}

/// The middles of the edges that are split: for each vertex, those to vertices with higher numbers.
#[derive(Default)]
struct Splits(Vec<Vec<(u32, u32)>>);

impl Splits {
    fn find(&self, [a, b]: [u32; 2]) -> Option<u32> {
        self.0.get(a as usize)?.iter().find(|to| to.0 == b).map(|to| to.1)
    }

    fn at(&mut self, background: &mut Background, edge: [u32; 2]) -> u32 {
        if let Some(middle) = self.find(edge) {
            return middle;
        }
        let [a, b] = edge.map(|v| background.at[v as usize]);
        let at = [0, 1, 2].map(|i| (a[i] + b[i]) / 2);
        let middle = background.x.len() as u32;
        background.at.push(at);
        background.x.push(background.position(at));
        if self.0.len() <= edge[0] as usize {
            self.0.resize(edge[0] as usize + 1, vec![]);
        }
        self.0[edge[0] as usize].push((edge[1], middle));
        middle
    }

    fn any_in(&self, t: &[u32; 4]) -> bool {
        (0..4).any(|i| (0..i).any(|j| self.find([t[i].min(t[j]), t[i].max(t[j])]).is_some()))
    }
}

/// Splits tets until none has an edge with a point in its middle. Says which are new.
fn close(background: &mut Background, mut split: Splits) -> Vec<bool> {
    let mut fresh = vec![false; background.tets.len()];
    loop {
        let before = std::mem::take(&mut background.tets);
        let mut after = Vec::with_capacity(before.len());
        let mut after_fresh = Vec::with_capacity(before.len());
        let mut done = true;
        for (t, fresh) in before.into_iter().zip(fresh) {
            if !split.any_in(&t) {
                after.push(t);
                after_fresh.push(fresh);
                continue;
            }
            let (edge, _) = longest(&background.at, &t);
            let middle = split.at(background, edge);
            after.extend(edge.map(|end| t.map(|v| if v == end { middle } else { v })));
            after_fresh.extend([true; 2]);
            done = false;
        }
        (background.tets, fresh) = (after, after_fresh);
        if done {
            return fresh;
        }
    }
}

/// The longest edge of a tet and its squared length in steps. Of equal ones the first by place, so that neighbours agree.
fn longest(at: &[[i32; 3]], t: &[u32; 4]) -> ([u32; 2], i64) {
    let mut best = ([0, 0], -1);
    for i in 0..4 {
        for j in 0..i {
            let edge = [t[i].min(t[j]), t[i].max(t[j])];
            let [a, b] = edge.map(|v| at[v as usize]);
            let square = (0..3).map(|k| i64::from(a[k] - b[k]).pow(2)).sum::<i64>();
            if square > best.1 || (square == best.1 && edge < best.0) {
                best = (edge, square);
            }
        }
    }
    best
}
