//! Which pieces of a surface are one body.

use math::Vect;

use super::pieces::{Parts, Piece, Sets};
use super::tree::{Tree, middle};

/// Pieces that enter each other by less than this share of the smaller one only touch.
const TOUCH: f64 = 0.02;
/// An open rim this near to another piece is sewn to it (share of the whole surface's diagonal).
const SEAM: f64 = 0.005;

/// The body of each piece, numbered from 0 in the order of the pieces, and how many there are.
pub(crate) fn bodies(parts: &Parts) -> (Vec<u32>, usize) {
    let pieces = &parts.pieces;
    let mut sets = Sets::new(pieces.len());
    for &[a, b] in &parts.links {
        sets.join(a, b);
    }
    let trees: Vec<Tree> =
        pieces.iter().map(|p| Tree::new(p.triangles.iter().map(|t| parts.corners(t)).collect())).collect();
    let mut order: Vec<usize> = (0..pieces.len()).collect();
    order.sort_by(|&i, &j| pieces[i].low.x.total_cmp(&pieces[j].low.x).then(i.cmp(&j)));
    for (k, &i) in order.iter().enumerate() {
        for &j in &order[k + 1..] {
            if pieces[j].low.x > pieces[i].high.x + SEAM {
                break;
            }
            let apart = (pieces[i].low - pieces[j].high).sup(&(pieces[j].low - pieces[i].high)).max();
            if apart > SEAM || sets.of(i as u32) == sets.of(j as u32) {
                continue;
            }
            if belong(parts, (&pieces[i], &trees[i]), (&pieces[j], &trees[j])) {
                sets.join(i as u32, j as u32);
            }
        }
    }
    let mut number = vec![u32::MAX; pieces.len()];
    let mut count = 0;
    let body = (0..pieces.len() as u32).map(|k| {
        let first = sets.of(k) as usize;
        if number[first] == u32::MAX {
            number[first] = count;
            count += 1;
        }
        number[first]
    });
    let body = body.collect();
    (body, count as usize)
}

fn belong(parts: &Parts, a: (&Piece, &Tree), b: (&Piece, &Tree)) -> bool {
    let depth = TOUCH * a.0.size().min(b.0.size());
    enters(parts, a.0, b, depth)
        || enters(parts, b.0, a, depth)
        || sewn(parts, a.0, b.1)
        || sewn(parts, b.0, a.1)
        || (!(a.0.closed && b.0.closed) && (crosses(parts, a.0, b) || crosses(parts, b.0, a)))
}

/// Whether a piece has points deeper than this inside the other one.
fn enters(parts: &Parts, piece: &Piece, (other, tree): (&Piece, &Tree), depth: f64) -> bool {
    let inside = |p: &Vect<3>| {
        let boxed = (0..3).all(|i| p[i] > other.low[i] + depth && p[i] < other.high[i] - depth);
        boxed && !tree.is_near(p, depth) && tree.winding_about_half(p).abs() > 0.5
    };
    let step = 0.1 * other.size(); // a triangle is looked at in points this far apart
    other.triangles.len() > 3
        && piece.triangles.iter().any(|t| {
            let c = parts.corners(t);
            let out = |i: usize| {
                let (a, b, c) = (c[0][i], c[1][i], c[2][i]);
                a.max(b).max(c) <= other.low[i] + depth || a.min(b).min(c) >= other.high[i] - depth
            };
            if out(0) || out(1) || out(2) {
                return false;
            }
            let longest = (0..3).map(|i| (c[i] - c[(i + 1) % 3]).norm()).fold(0.0, f64::max);
            let n = (longest / step).ceil().clamp(1.0, 12.0) as usize;
            inside(&middle(&c))
                || (0..=n).any(|i| {
                    (0..=n - i).any(|j| {
                        let (s, t) = (i as f64 / n as f64, j as f64 / n as f64);
                        inside(&(c[0] * (1.0 - s - t) + c[1] * s + c[2] * t))
                    })
                })
        })
}

/// Whether a third of the open rim of a piece runs along the other one.
fn sewn(parts: &Parts, piece: &Piece, tree: &Tree) -> bool {
    let near = piece.rim.iter().filter(|&&v| tree.is_near(&parts.x[v as usize], SEAM)).count();
    near > 0 && 3 * near >= piece.rim.len()
}

/// Whether an edge of a piece goes through the other one.
fn crosses(parts: &Parts, piece: &Piece, (other, tree): (&Piece, &Tree)) -> bool {
    piece.triangles.iter().any(|t| {
        let c = parts.corners(t);
        (0..3).any(|i| {
            let (p, q) = (c[i], c[(i + 1) % 3]);
            let boxed = (0..3).all(|k| p[k].min(q[k]) <= other.high[k] && p[k].max(q[k]) >= other.low[k]);
            boxed && tree.ray(&p, &(q - p), 0.02, 0.98).is_some()
        })
    })
}
