//! Springs on edges.

use math::{Energy, Mat, Small, Vect, packed};
use mesh::Mesh;

/// A network of springs, ½ k (l − l₀)² each.
#[derive(Clone, Debug, Default)]
pub struct Springs {
    /// two vertices per spring
    pub ends: Vec<u32>,
    /// l₀, rest lengths [m]
    pub length: Vec<f64>,
    /// k [N/m]
    pub stiffness: Vec<f64>,
}

/// Below this share of its rest length a spring's direction means nothing; the tangent stays bounded.
const COLLAPSED: f64 = 1e-6;

impl Springs {
    /// A spring on every edge of a mesh, about as stiff together as the mesh made of a material with this Young's
    /// modulus for each element: k = Σ E V / l² over the elements at an edge [VG98].
    pub fn on_edges<const D: usize>(mesh: &Mesh<D>, young: &[f64]) -> Self
    where
        Mat<D>: Small<D>,
    {
        let volumes = mesh.volumes(&mesh.rest);
        let mut edges: Vec<(u32, u32, f64)> = vec![];
        for ((e, volume), young) in mesh.elements().zip(volumes).zip(young) {
            for a in 0..e.len() {
                edges.extend((0..a).map(|b| (e[a].min(e[b]), e[a].max(e[b]), young * volume.abs())));
            }
        }
        edges.sort_by_key(|&(a, b, _)| (a, b));
        let mut springs = Self::default();
        for same in edges.chunk_by(|p, q| (p.0, p.1) == (q.0, q.1)) {
            let (a, b, _) = same[0];
            let length = (mesh.rest[a as usize] - mesh.rest[b as usize]).norm();
            springs.ends.extend([a, b]);
            springs.length.push(length);
            springs.stiffness.push(same.iter().map(|e| e.2).sum::<f64>() / length.powi(2));
        }
        springs
    }

    fn edge<const D: usize>(&self, spring: usize, x: &[Vect<D>]) -> Vect<D> {
        x[self.ends[2 * spring] as usize] - x[self.ends[2 * spring + 1] as usize]
    }
}

impl<const D: usize> Energy<D> for Springs {
    fn arity(&self) -> usize {
        2
    }
    fn stencils(&self) -> &[u32] {
        &self.ends
    }
    fn value(&self, s: usize, x: &[Vect<D>]) -> f64 {
        0.5 * self.stiffness[s] * (self.edge(s, x).norm() - self.length[s]).powi(2)
    }
    fn gradient(&self, s: usize, x: &[Vect<D>], g: &mut [Vect<D>]) {
        let d = self.edge(s, x);
        let l = d.norm().max(COLLAPSED * self.length[s]);
        g[0] = self.stiffness[s] * (1.0 - self.length[s] / l) * d;
        g[1] = -g[0];
    }
    fn hessian(&self, s: usize, x: &[Vect<D>], definite: bool, H: &mut [Mat<D>]) {
        let d = self.edge(s, x);
        let l = d.norm().max(COLLAPSED * self.length[s]);
        let (n, across) = (d / l, 1.0 - self.length[s] / l);
        let across = if definite { across.max(0.0) } else { across };
        let along = n * n.transpose();
        let block = self.stiffness[s] * (across * (Mat::identity() - along) + along);
        H[packed(0)] = block;
        H[packed(1)] = -block;
        H[packed(1) + 1] = block;
    }
    fn is_bounded(&self) -> bool {
        true
    }
    fn metric(&self, s: usize, k: &mut [f64]) -> bool {
        k.copy_from_slice(&[1.0, -1.0, 1.0].map(|sign| sign * self.stiffness[s]));
        true
    }
}

#[cfg(test)]
mod tests {
    use math::check::{Random, check_energy};

    use super::*;

    fn check<const D: usize>() {
        let mut random = Random::new(1);
        let springs =
            Springs { ends: vec![0, 1, 2, 0, 1, 3], length: vec![1.0, 0.3, 2.0], stiffness: vec![5.0, 9.0, 7.0] };
        // wild positions; on a line; nearly on a point
        let wild: Vec<Vect<D>> = (0..4).map(|_| random.vector()).collect();
        check_energy(&springs, &wild, 1e-6);
        let mut axis = Vect::<D>::zeros();
        axis[0] = 1.0;
        check_energy(&springs, &[0.0, 0.7, -0.2, 0.3].map(|t| t * axis), 1e-6);
        check_energy(&springs, &wild.iter().map(|x| 1e-3 * x).collect::<Vec<_>>(), 1e-8);
    }
    #[test]
    fn the_derivatives_hold() {
        check::<2>();
        check::<3>();
    }

    /// A bar of springs stretches about as much as one of the material they stand for: within a factor of two.
    #[test]
    fn springs_on_edges_are_about_as_stiff_as_the_material() {
        let mesh = mesh::block([6, 3, 3], Vect::from([0.6, 0.3, 0.3]));
        let springs = Springs::on_edges(&mesh, &vec![1e4; mesh.element_count()]);
        let stretched: Vec<_> = mesh.rest.iter().map(|X| Vect::from([1.001 * X[0], X[1], X[2]])).collect();
        let energy: f64 = (0..springs.length.len()).map(|s| Energy::<3>::value(&springs, s, &stretched)).sum();
        let material = 0.5 * 1e4 * 0.001f64.powi(2) * 0.6 * 0.3 * 0.3; // ½ E ε² V, Poisson's ratio 0
        assert!((0.5..2.0).contains(&(energy / material)), "{}", energy / material);
    }

    #[test]
    fn a_collapsed_spring_stays_finite() {
        let springs = Springs { ends: vec![0, 1], length: vec![1.0], stiffness: vec![5.0] };
        let x = [Vect::<3>::zeros(); 2];
        let (mut g, mut H) = ([Vect::zeros(); 2], [Mat::zeros(); 3]);
        springs.gradient(0, &x, &mut g);
        springs.hessian(0, &x, true, &mut H);
        assert!(g[0].sum().is_finite() && H.iter().all(|H| H.sum().is_finite()));
    }
}
