//! Flesh: a mesh whose elements are made of a material.

use math::{Energy, Mat, Small, Vect, packed};
use mesh::Mesh;

use crate::Material;

/// The elastic energy Σ V ψ(F) of a mesh, with a material of its own for each element.
pub struct Tissue<const D: usize, M> {
    corners: Vec<u32>,
    /// ∇φ in the rest shape, D + 1 per element [1/m]
    gradients: Vec<Vect<D>>,
    /// rest volume of each element [m^D]
    volume: Vec<f64>,
    materials: Vec<M>,
}

impl<const D: usize, M> Tissue<D, M>
where
    Mat<D>: Small<D>,
{
    /// The elements must not be flat (the readers of meshes see to that).
    pub fn new(mesh: &Mesh<D>, materials: Vec<M>) -> Self {
        assert_eq!(materials.len(), mesh.element_count(), "one material per element");
        let mut gradients = Vec::with_capacity(mesh.corners.len());
        for e in mesh.elements() {
            gradients.extend(Mesh::shape_gradients(&Mesh::edges(e, &mesh.rest)));
        }
        Self { corners: mesh.corners.clone(), gradients, volume: mesh.volumes(&mesh.rest), materials }
    }

    fn corners(&self, element: usize) -> &[u32] {
        &self.corners[element * (D + 1)..(element + 1) * (D + 1)]
    }
    fn gradients(&self, element: usize) -> &[Vect<D>] {
        &self.gradients[element * (D + 1)..(element + 1) * (D + 1)]
    }
    /// F = Σ x_a ∇φ_aᵀ
    fn deformation(&self, element: usize, x: &[Vect<D>]) -> Mat<D> {
        let mut F = Mat::zeros();
        for (&v, g) in self.corners(element).iter().zip(self.gradients(element)) {
            F += x[v as usize] * g.transpose();
        }
        F
    }
}

impl<const D: usize, M: Material<D>> Energy<D> for Tissue<D, M>
where
    Mat<D>: Small<D>,
{
    fn arity(&self) -> usize {
        D + 1
    }
    fn stencils(&self) -> &[u32] {
        &self.corners
    }
    fn value(&self, element: usize, x: &[Vect<D>]) -> f64 {
        self.volume[element] * self.materials[element].psi(&self.deformation(element, x))
    }
    fn gradient(&self, element: usize, x: &[Vect<D>], g: &mut [Vect<D>]) {
        let P = self.volume[element] * self.materials[element].stress(&self.deformation(element, x));
        for (g, grad) in g.iter_mut().zip(self.gradients(element)) {
            *g = P * grad;
        }
    }
    fn hessian(&self, element: usize, x: &[Vect<D>], definite: bool, H: &mut [Mat<D>]) {
        let tangent = self.materials[element].tangent(&self.deformation(element, x));
        let tangent = if definite { tangent.project() } else { tangent };
        tangent.blocks(self.gradients(element), |at, block| H[at] = self.volume[element] * block);
    }
    /// V κ ∇φ_a·∇φ_b with κ = ∂P₀₀/∂F₀₀ at rest (2μ + λ): for as-rigid-as-possible flesh the global step of [LBK17].
    fn metric(&self, element: usize, k: &mut [f64]) -> bool {
        let axis = Vect::<D>::from_fn(|i, _| if i == 0 { 1.0 } else { 0.0 });
        let mut stiffness = 0.0;
        self.materials[element].tangent(&Mat::identity()).blocks(&[axis], |_, block| stiffness = block[(0, 0)]);
        let gradients = self.gradients(element);
        for a in 0..=D {
            for b in 0..=a {
                k[packed(a) + b] = self.volume[element] * stiffness * gradients[a].dot(&gradients[b]);
            }
        }
        true
    }
    fn volume_left(&self, element: usize, x: &[Vect<D>]) -> f64 {
        self.deformation(element, x).det()
    }
    fn is_bounded(&self) -> bool {
        self.materials.iter().all(|m| m.is_bounded())
    }
    fn is_objective(&self) -> bool {
        self.materials.iter().all(|m| m.is_objective())
    }
}

#[cfg(test)]
mod tests {
    use math::check::{Random, check_energy};

    use super::*;
    use crate::{Flesh, Lame};

    /// Two elements that share a face.
    fn pair<const D: usize>() -> Mesh<D> {
        let mut rest = vec![Vect::zeros()];
        rest.extend((0..D).map(|i| Vect::from_fn(|j, _| if i == j { 1.0 } else { 0.1 * j as f64 })));
        rest.push(Vect::from_element(0.9));
        let second: Vec<u32> = if D == 2 { vec![1, 3, 2] } else { vec![1, 2, 3, 4] };
        Mesh { rest, corners: (0..=D as u32).chain(second).collect() }
    }

    fn check_all<const D: usize>()
    where
        Mat<D>: Small<D>,
    {
        let mesh = pair::<D>();
        let mut random = Random::new(8);
        let lame = [Lame { mu: 300.0, lambda: 900.0 }, Lame { mu: 500.0, lambda: 2000.0 }];
        for &flesh in Flesh::ALL {
            let tissue = flesh.tissue(&mesh, &lame);
            let smooth = !matches!(flesh, Flesh::Arap | Flesh::Corotated);
            let invertible = !matches!(flesh, Flesh::NeoHookean | Flesh::MooneyRivlin);
            let mut check = |scale: Vect<D>, noise: f64| {
                let x: Vec<_> =
                    mesh.rest.iter().map(|X| X.component_mul(&scale) + noise * random.vector::<D>()).collect();
                check_energy(&*tissue, &x, 1e-6);
            };
            check(Vect::from_element(1.0), 0.05);
            if invertible {
                let axes = |k: usize| Vect::from_fn(|i, _| if i < k { 1.2 } else { 0.0 });
                let mut mirror = Vect::from_element(1.0);
                mirror[0] = -0.8;
                check(mirror, 0.05);
                check(axes(D - 1), 0.0);
                if smooth {
                    for k in 1..D - 1 {
                        check(axes(k), 0.0); // a line
                    }
                }
            }
        }
    }
    #[test]
    fn the_derivatives_of_every_material_hold_on_a_mesh() {
        check_all::<2>();
        check_all::<3>();
    }
}
