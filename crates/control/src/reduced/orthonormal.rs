//! Orthonormal bases by Gram–Schmidt.

use rayon::prelude::*;

/// x·y, in four sums so that it is fast; always in the same order.
pub(super) fn dot(x: &[f64], y: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    let (x4, y4) = (x.chunks_exact(4), y.chunks_exact(4));
    let rest: f64 = x4.remainder().iter().zip(y4.remainder()).map(|(x, y)| x * y).sum();
    for (x, y) in x4.zip(y4) {
        for k in 0..4 {
            sums[k] += x[k] * y[k];
        }
    }
    (sums[0] + sums[2]) + (sums[1] + sums[3]) + rest
}

/// y ← y + a x
pub(super) fn add(a: f64, x: &[f64], y: &mut [f64]) {
    y.iter_mut().zip(x).for_each(|(y, x)| *y += a * x);
}

/// v ← v − Q Qᵀ v for orthonormal Q.
pub(super) fn remove(Q: &[Vec<f64>], v: &mut [f64]) {
    for q in Q {
        add(-dot(q, v), q, v);
    }
}

/// Vectors in a given order, added to an orthonormal basis one after the other. One whose part outside the basis is below
/// `tolerance` of its length is left out.
///
///   against  what the basis must be orthogonal to, itself orthonormal
pub(super) fn extend(
    Q: &mut Vec<Vec<f64>>,
    against: &[Vec<f64>],
    v: impl IntoIterator<Item = Vec<f64>>,
    tolerance: f64,
) {
    for mut v in v {
        let length = dot(&v, &v).sqrt();
        if !(length > 0.0 && length.is_finite()) {
            continue;
        }
        v.iter_mut().for_each(|v| *v /= length);
        let mut left = 1.0;
        // twice is enough, unless almost all is lost: then once more, from what is left
        for _ in 0..4 {
            remove(against, &mut v);
            remove(Q, &mut v);
            let now = dot(&v, &v).sqrt();
            left *= now;
            if !(left > tolerance) {
                break;
            }
            v.iter_mut().for_each(|v| *v /= now);
            if now > 0.9 {
                break;
            }
        }
        if left > tolerance {
            Q.push(v);
        }
    }
}

/// A basis of what vectors span, the one with the largest remainder next, so that the rank is told well. All are scaled to
/// the length 1 first; what is left out is below `tolerance`.
pub(super) fn pivoted(mut vectors: Vec<Vec<f64>>, tolerance: f64) -> Vec<Vec<f64>> {
    let mut Q: Vec<Vec<f64>> = vec![];
    vectors.retain(|v| dot(v, v) > 0.0);
    vectors.par_iter_mut().for_each(|v| {
        let length = dot(v, v).sqrt();
        v.iter_mut().for_each(|v| *v /= length);
    });
    let originals = vectors.clone();
    loop {
        let lengths: Vec<f64> = vectors.par_iter().map(|v| dot(v, v).sqrt()).collect();
        let Some((k, longest)) = lengths.iter().copied().enumerate().max_by(|a, b| a.1.total_cmp(&b.1)) else {
            return Q;
        };
        if !(longest > tolerance) {
            return Q;
        }
        let before = Q.len();
        extend(&mut Q, &[], [originals[k].clone()], 0.0);
        let Some(q) = Q.get(before) else { return Q };
        vectors.par_iter_mut().for_each(|v| add(-dot(q, v), q, v));
        vectors[k].fill(0.0);
    }
}

#[cfg(test)]
mod tests {
    use math::check::Random;

    use super::*;

    #[test]
    fn the_basis_is_orthonormal_and_spans_what_it_was_made_from() {
        let mut random = Random::new(4);
        let mut v: Vec<Vec<f64>> = (0..6).map(|_| (0..30).map(|_| random.number()).collect()).collect();
        v.push(v[0].iter().zip(&v[1]).map(|(a, b)| 1e6 * (a + b)).collect()); // nothing new
        v.push(v[2].iter().zip(&v[3]).enumerate().map(|(k, (a, b))| a - b + 1e-7 * (k as f64).sin()).collect());
        v.push(vec![0.0; 30]);
        let Q = pivoted(v.clone(), 1e-13);
        assert_eq!(Q.len(), 7);
        for (i, p) in Q.iter().enumerate() {
            for (j, q) in Q.iter().enumerate() {
                assert!((dot(p, q) - f64::from(i == j)).abs() < 1e-14);
            }
        }
        for mut v in v {
            let length = dot(&v, &v).sqrt();
            remove(&Q, &mut v);
            assert!(dot(&v, &v).sqrt() <= 1e-13 * length);
        }
    }
}
