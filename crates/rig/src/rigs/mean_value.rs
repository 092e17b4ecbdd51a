//! Mean value coordinates: cage weights in closed form, inside and outside.

use math::Vect;

use super::error::all_finite;
use super::{Cage, CageCoordinates, RigError};

impl Cage<2> {
    /// Mean value coordinates of points in a polygon [Flo03]: w_i ∝ (tan(α_{i−1}/2) + tan(α_i/2)) / |c_i − x|, α the signed
    /// angles under which the edges are seen. Negative weights are possible where the polygon is not convex.
    pub fn mean_value(&self, points: &[Vect<2>]) -> Result<CageCoordinates, RigError> {
        let at = |x: &Vect<2>, w: &mut [f64]| {
            for edge in self.facets.chunks_exact(2) {
                let [i, j] = [edge[0] as usize, edge[1] as usize];
                let (a, b) = (self.corners[i] - x, self.corners[j] - x);
                let (ra, rb) = (a.norm(), b.norm());
                // tan(α/2) = sin α / (1 + cos α)
                let (sin, cos) = (a.perp(&b), ra * rb + a.dot(&b));
                if cos <= 1e-14 * ra * rb {
                    // x is on this edge, or on one of its ends
                    w.fill(0.0);
                    let whole = (self.corners[j] - self.corners[i]).norm();
                    (w[i], w[j]) = (rb / whole, ra / whole);
                    return;
                }
                w[i] += sin / cos / ra;
                w[j] += sin / cos / rb;
            }
        };
        self.coordinates(points, at)
    }
}

impl Cage<3> {
    /// Mean value coordinates of points in a closed triangle mesh [JSW05, fig. 4].
    pub fn mean_value(&self, points: &[Vect<3>]) -> Result<CageCoordinates, RigError> {
        let at = |x: &Vect<3>, w: &mut [f64]| {
            for t in self.facets.chunks_exact(3) {
                if let Some((on, weights)) = of_triangle(x, [0, 1, 2].map(|k| self.corners[t[k] as usize])) {
                    if on {
                        w.fill(0.0);
                    }
                    for k in 0..3 {
                        w[t[k] as usize] += weights[k];
                    }
                    if on {
                        return;
                    }
                }
            }
        };
        self.coordinates(points, at)
    }
}

/// The weights that a triangle gives to its corners as seen from x, and whether x is on it. None where x is in its plane,
/// beside it: then it gives nothing.
fn of_triangle(x: &Vect<3>, corners: [Vect<3>; 3]) -> Option<(bool, [f64; 3])> {
    const NEAR: f64 = 1e-7;
    let d = corners.map(|c| (c - x).norm());
    let u: [Vect<3>; 3] = std::array::from_fn(|k| (corners[k] - x) / d[k]);
    let (next, previous) = (|k: usize| (k + 1) % 3, |k: usize| (k + 2) % 3);
    let angle: [f64; 3] = std::array::from_fn(|k| 2.0 * ((u[next(k)] - u[previous(k)]).norm() / 2.0).min(1.0).asin());
    let half = angle.iter().sum::<f64>() / 2.0;
    if std::f64::consts::PI - half < NEAR {
        return Some((true, std::array::from_fn(|k| angle[k].sin() * d[next(k)] * d[previous(k)])));
    }
    let cos: [f64; 3] = std::array::from_fn(|k| {
        2.0 * half.sin() * (half - angle[k]).sin() / (angle[next(k)].sin() * angle[previous(k)].sin()) - 1.0
    });
    let side = u[0].dot(&u[1].cross(&u[2])).signum();
    let sin = cos.map(|c| side * (1.0 - c * c).max(0.0).sqrt());
    if !sin.iter().all(|s| s.abs() > NEAR) {
        return None;
    }
    let weight = |k: usize| {
        let (n, p) = (next(k), previous(k));
        (angle[k] - cos[n] * angle[p] - cos[p] * angle[n]) / (d[k] * angle[n].sin() * sin[p])
    };
    Some((false, [weight(0), weight(1), weight(2)]))
}

impl<const D: usize> Cage<D> {
    /// Weights of each point by `at`, scaled to the sum 1; those of a corner itself where a point is on it.
    fn coordinates(&self, points: &[Vect<D>], at: impl Fn(&Vect<D>, &mut [f64])) -> Result<CageCoordinates, RigError> {
        self.check()?;
        all_finite("rest positions", points)?;
        let n = self.corners.len();
        let size = self.corners.iter().map(|c| (c - self.corners[0]).norm()).fold(0.0, f64::max);
        let mut values = vec![0.0; n * points.len()];
        for (x, w) in points.iter().zip(values.chunks_exact_mut(n)) {
            if let Some(corner) = self.corners.iter().position(|c| (c - x).norm() <= 1e-12 * size) {
                w[corner] = 1.0;
                continue;
            }
            at(x, w);
            let sum: f64 = w.iter().sum();
            w.iter_mut().for_each(|w| *w /= sum);
        }
        // rounding, and triangles left out when seen edge-on
        self.make_precise(points, &mut values)?;
        Ok(CageCoordinates { values })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rigs::cage::tests::{box_cage, check_cage};
    use math::check::Random;

    fn some<const D: usize>(low: f64, high: f64) -> Vec<Vect<D>> {
        let mut random = Random::new(3);
        (0..40).map(|_| random.vector::<D>().map(|x| low + (high - low) * (x + 1.0) / 2.0)).collect()
    }

    #[test]
    fn affine_maps_of_the_corners_are_reproduced_inside_outside_and_on_the_walls() {
        let corners = [[0.0, 0.0], [3.0, 0.0], [3.0, 2.0], [1.5, 0.6], [0.0, 2.0]].map(Vect::from);
        let polygon = Cage::polygon(corners.to_vec());
        let mut points = some(-1.0, 4.0);
        points.extend(corners);
        points.extend([[1.0, 0.0], [3.0, 1.7], [0.75, 1.3]].map(Vect::from));
        check_cage(&polygon, &polygon.mean_value(&points).unwrap(), &points);
        let cage = box_cage([2.0, 1.0, 1.5]);
        let mut points = some(-1.0, 3.0);
        points.extend(&cage.corners);
        points.extend([[1.0, 0.0, 0.0], [0.7, 0.3, 1.5], [0.0, 0.5, 0.1], [1.0, 0.5, 0.75]].map(Vect::from));
        check_cage(&cage, &cage.mean_value(&points).unwrap(), &points);
    }

    /// The formulas themselves, before the last digits are set right.
    #[test]
    fn the_formulas_are_precise_by_themselves() {
        let cage = box_cage([2.0, 1.0, 1.5]);
        for x in some::<3>(0.1, 0.9) {
            let (mut sum, mut place) = (0.0, Vect::<3>::zeros());
            for t in cage.facets.chunks_exact(3) {
                let corners = [0, 1, 2].map(|k| cage.corners[t[k] as usize]);
                let (_, w) = of_triangle(&x, corners).unwrap();
                for k in 0..3 {
                    sum += w[k];
                    place += w[k] * corners[k];
                }
            }
            assert!((place / sum - x).norm() < 1e-9, "{x:?}: {:?}", place / sum);
        }
    }

    #[test]
    fn inside_a_convex_cage_no_weight_is_negative_and_corners_own_themselves() {
        let square = Cage::polygon([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]].map(Vect::from).to_vec());
        let mut points = some(0.0, 1.0);
        assert!(square.mean_value(&points).unwrap().values.iter().all(|w| *w > -1e-13));
        points.truncate(0);
        points.push(square.corners[2]);
        let w = square.mean_value(&points).unwrap().values;
        assert!((w[2] - 1.0).abs() < 1e-13 && w[0].abs() + w[1].abs() + w[3].abs() < 1e-13);
    }
}
