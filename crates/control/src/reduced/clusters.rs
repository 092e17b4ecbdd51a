//! Elements that turn together: k-means on the weights of the modes [BZC23].

use rayon::prelude::*;

/// Modes that are looked at.
const FEATURES: usize = 10;
/// Rounds of k-means, if it does not come to rest before.
const ROUNDS: usize = 40;

/// For each element the number of its cluster. The same elements give the same clusters, on any number of threads.
///
///   weights  of each mode, the mean over each element
///   values   λ of each mode: a weight counts by 1/λ, so that smooth modes decide
///   size     of each element, how much it counts
pub(super) fn clusters(weights: &[Vec<f64>], values: &[f64], size: &[f64], count: usize) -> Vec<u32> {
    let elements = size.len();
    if count >= elements {
        return (0..elements as u32).collect();
    }
    let least = values.iter().copied().filter(|l| *l > 0.0).fold(f64::INFINITY, f64::min);
    let features = weights.len().min(FEATURES);
    let mut points = vec![[0.0; FEATURES]; elements];
    for (k, (weights, value)) in weights.iter().zip(values).enumerate().take(features) {
        let scale = if least.is_finite() { least / value.max(least) } else { 1.0 };
        points.iter_mut().zip(weights).for_each(|(p, w)| p[k] = scale * w);
    }
    let mut centres = spread(&points, count.max(1));
    let mut labels = vec![u32::MAX; elements];
    for _ in 0..ROUNDS {
        let new: Vec<u32> = points.par_iter().with_min_len(512).map(|p| nearest(&centres, p)).collect();
        let still = new == labels;
        labels = new;
        if still {
            break;
        }
        let (mut sums, mut total) = (vec![[0.0; FEATURES]; centres.len()], vec![0.0; centres.len()]);
        for ((p, &label), size) in points.iter().zip(&labels).zip(size) {
            total[label as usize] += size;
            sums[label as usize].iter_mut().zip(p).for_each(|(s, p)| *s += size * p);
        }
        for ((centre, sum), total) in centres.iter_mut().zip(&sums).zip(&total).filter(|(_, total)| **total > 0.0) {
            *centre = sum.map(|s| s / total);
        }
    }
    renumbered(&labels)
}

/// Points far from one another: the first, then always the one farthest from those before.
fn spread(points: &[[f64; FEATURES]], count: usize) -> Vec<[f64; FEATURES]> {
    let mut far = vec![f64::INFINITY; points.len()];
    let (mut centres, mut next) = (vec![], 0);
    while centres.len() < count {
        let centre = points[next];
        centres.push(centre);
        far.par_iter_mut().zip(points).with_min_len(1024).for_each(|(f, p)| *f = f.min(distance(p, &centre)));
        let (mut best, mut largest) = (0, -1.0);
        for (k, f) in far.iter().enumerate() {
            if *f > largest {
                (best, largest) = (k, *f);
            }
        }
        if !(largest > 0.0) {
            break; // fewer different points than clusters
        }
        next = best;
    }
    centres
}

fn distance(a: &[f64; FEATURES], b: &[f64; FEATURES]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

fn nearest(centres: &[[f64; FEATURES]], p: &[f64; FEATURES]) -> u32 {
    let mut best = (f64::INFINITY, 0);
    for (k, centre) in centres.iter().enumerate() {
        let d = distance(centre, p);
        if d < best.0 {
            best = (d, k as u32);
        }
    }
    best.1
}

/// Numbers without gaps, in the order in which they first occur.
fn renumbered(labels: &[u32]) -> Vec<u32> {
    let mut number = vec![u32::MAX; labels.iter().map(|&l| l as usize + 1).max().unwrap_or(0)];
    let mut used = 0;
    let mut of = |l: u32| {
        let number = &mut number[l as usize];
        if *number == u32::MAX {
            (*number, used) = (used, used + 1);
        }
        *number
    };
    labels.iter().map(|&l| of(l)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_in_three_heaps_make_three_clusters_and_each_its_own_where_there_are_enough() {
        let weights = vec![vec![0.0, 5.0, 0.1, 5.1, 9.0, 0.05], vec![0.3, -0.2, 0.1, 0.2, 0.0, 0.2]];
        let labels = clusters(&weights, &[1.0, 50.0], &[1.0; 6], 3);
        assert_eq!(labels, [0, 1, 0, 1, 2, 0]);
        assert_eq!(clusters(&weights, &[1.0, 50.0], &[1.0; 6], 6), [0, 1, 2, 3, 4, 5]);
        assert_eq!(clusters(&[vec![1.0; 4]], &[1.0], &[1.0; 4], 3), [0; 4], "no difference, one cluster");
        assert_eq!(clusters(&weights, &[1.0, 50.0], &[1.0; 6], 0), [0; 6]);
    }
}
