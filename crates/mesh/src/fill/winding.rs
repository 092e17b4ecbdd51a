//! Inside and outside of any triangles.

use math::Vect;

use super::tree::Tree;
use crate::Surface;

/// The generalized winding number of a surface [JKS13]: how often it winds around a point. It is 1 inside and 0 outside of
/// a closed surface, and changes gradually where there are holes. Distant triangles are seen together, as the first two
/// terms of their far field [BDS18].
pub struct Winding(Tree);

impl Winding {
    /// Prepares a surface. Its positions must be finite; corners that do not exist are left out.
    pub fn new(surface: &Surface) -> Self {
        let corner = |v: u32| surface.x.get(v as usize).copied();
        let whole = surface.triangles.iter().filter_map(|t| Some([corner(t[0])?, corner(t[1])?, corner(t[2])?]));
        Self(Tree::new(whole.collect()))
    }
    /// The winding number around x.
    pub fn at(&self, x: &Vect<3>) -> f64 {
        self.0.winding(x)
    }
    /// The distance from x to the surface [m]; ∞ if it is empty.
    pub fn distance(&self, x: &Vect<3>) -> f64 {
        self.0.nearest(x)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tree::{closest_on_triangle, solid_angle};
    use super::*;
    use math::check::Random;

    fn soup(random: &mut Random, count: usize) -> Surface {
        let x = (0..3 * count).map(|k| random.vector::<3>() * if k % 3 == 0 { 3.0 } else { 0.4 }).collect::<Vec<_>>();
        // corners near the first of each three
        let x: Vec<Vect<3>> = (0..x.len()).map(|k| if k % 3 == 0 { x[k] } else { x[k] + x[k - k % 3] }).collect();
        Surface { x, triangles: (0..count as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect() }
    }

    #[test]
    fn winding_number_and_distance_are_those_of_brute_force() {
        let mut random = Random::new(5);
        let surface = soup(&mut random, 400);
        let winding = Winding::new(&surface);
        let triangles: Vec<_> = surface.triangles.iter().map(|t| t.map(|v| surface.x[v as usize])).collect();
        let mut largest = 0.0f64;
        for _ in 0..500 {
            let x = 4.0 * random.vector::<3>();
            let angle: f64 = triangles.iter().map(|t| solid_angle(t, &x)).sum();
            let error = winding.at(&x) - angle / (4.0 * std::f64::consts::PI);
            largest = largest.max(error.abs());
            let near = triangles.iter().map(|t| (closest_on_triangle(t, &x) - x).norm()).fold(f64::INFINITY, f64::min);
            assert!((winding.distance(&x) - near).abs() < 1e-12);
            assert_eq!(winding.0.nearest_within(&x, 1.001 * near), winding.distance(&x));
            assert_eq!(winding.0.nearest_within(&x, 0.999 * near), 0.999 * near);
            assert!(winding.0.is_near(&x, 1.001 * near) && !winding.0.is_near(&x, 0.999 * near));
        }
        assert!(largest > 0.0 && largest < 2e-3, "{largest}");
    }

    #[test]
    fn a_closed_surface_winds_once_around_its_inside() {
        let (skin, _) = crate::block([3, 3, 3], Vect::from([1.0; 3])).skin();
        let winding = Winding::new(&skin);
        assert!((winding.at(&Vect::from([0.4, 0.5, 0.7])) - 1.0).abs() < 2e-3);
        assert!(winding.at(&Vect::from([1.4, 0.5, 0.7])).abs() < 2e-3);
        assert!(Winding::new(&Surface::default()).at(&Vect::zeros()) == 0.0);
    }

    #[test]
    fn a_rough_winding_number_tells_the_same_side_as_a_precise_one() {
        let (mut skin, _) = crate::block([6, 6, 6], Vect::from([1.0; 3])).skin();
        let mut random = Random::new(6);
        for holes in [0, 100] {
            skin.triangles.truncate(skin.triangles.len() - holes);
            let tree = Winding::new(&skin).0;
            let mut rough = 0;
            for _ in 0..500 {
                let x = Vect::from([0.5; 3]) + random.vector::<3>();
                let (precise, about) = (tree.winding(&x), tree.winding_about_half(&x));
                assert_eq!(precise > 0.5, about > 0.5, "{precise} {about}");
                rough += usize::from(precise != about);
            }
            assert!(rough > 100, "vacuous: {rough}");
        }
    }

    #[test]
    fn the_nearest_point_of_a_triangle_is_where_no_sample_is_nearer() {
        let mut random = Random::new(8);
        for _ in 0..200 {
            let t = [(); 3].map(|()| random.vector::<3>());
            let x = 2.0 * random.vector::<3>();
            let d = (closest_on_triangle(&t, &x) - x).norm();
            for i in 0..=20 {
                for j in 0..=20 - i {
                    let (a, b) = (i as f64 / 20.0, j as f64 / 20.0);
                    let sample = t[0] * a + t[1] * b + t[2] * (1.0 - a - b);
                    assert!(d <= (sample - x).norm() + 1e-12);
                }
            }
        }
    }
}
