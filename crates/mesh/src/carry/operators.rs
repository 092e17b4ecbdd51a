//! How unsmooth a function on a mesh is: symmetric matrices on its vertices.

use math::{BlockMatrix, Mat, Small, Vect};

use crate::Mesh;
use crate::embedding::is_solid;

/// A sparse symmetric matrix with one number per pair of vertices.
pub type Sparse = BlockMatrix<1>;

/// L, with uᵀ L u = ∫|∇u|² for functions that are linear in each element (the cotangent Laplacian, positive)
/// [m^(D−2)]. Elements without volume are left out.
pub fn stiffness<const D: usize>(mesh: &Mesh<D>) -> Sparse
where
    Mat<D>: Small<D>,
{
    let mut terms = Terms::default();
    for (e, edges, volume) in solid(mesh) {
        let gradients: Vec<Vect<D>> = Mesh::shape_gradients(&edges).collect();
        for axis in 0..D {
            terms.add(volume, e.iter().copied().zip(gradients.iter().map(|g| g[axis])));
        }
    }
    terms.matrix(mesh.rest.len())
}

/// The volume that belongs to each vertex: an equal share of its elements [m^D].
pub fn lumped<const D: usize>(mesh: &Mesh<D>) -> Vec<f64>
where
    Mat<D>: Small<D>,
{
    let mut volumes = vec![0.0; mesh.rest.len()];
    for (e, _, volume) in solid(mesh) {
        e.iter().for_each(|&v| volumes[v as usize] += volume / (D + 1) as f64);
    }
    volumes
}

/// B, with uᵀ B u = Σ A²/(V₁ + V₂) [∂u/∂n]² over the facets between two elements, where [∂u/∂n] is how much the slope across the
/// facet changes: a measure of ∫|∇∇u|² [m^(D−4)]. It is 0 for linear functions, also at the boundary, where the usual
/// L M⁻¹ L asks for a slope of 0 (natural boundary conditions [SGWJ18]), and it couples fewer vertices.
pub fn bending<const D: usize>(mesh: &Mesh<D>) -> Sparse
where
    Mat<D>: Small<D>,
{
    // (sorted vertices padded to three, place in `elements`, opposite corner)
    let elements: Vec<_> = solid(mesh).collect();
    let mut facets: Vec<([u32; 3], u32, u32)> = vec![];
    for (k, (e, _, _)) in elements.iter().enumerate() {
        for opposite in 0..=D {
            let mut key = [0; 3];
            let others = e.iter().enumerate().filter(|(i, _)| *i != opposite).map(|(_, v)| *v);
            key.iter_mut().zip(others).for_each(|(k, v)| *k = v);
            key[..D].sort_unstable();
            facets.push((key, k as u32, opposite as u32));
        }
    }
    facets.sort_unstable();
    let mut terms = Terms::default();
    for pair in facets.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
        let [one, other] = [&pair[0], &pair[1]].map(|f| &elements[f.1 as usize]);
        let slopes = |edges: &Mat<D>| Mesh::shape_gradients(edges).collect::<Vec<_>>();
        let (g1, g2) = (slopes(&one.1), slopes(&other.1));
        let height = 1.0 / g1[pair[0].2 as usize].norm();
        let normal = height * g1[pair[0].2 as usize];
        let area = D as f64 * one.2 / height;
        let first = one.0.iter().zip(&g1).map(|(&v, g)| (v, g.dot(&normal)));
        let second = other.0.iter().zip(&g2).map(|(&v, g)| (v, -g.dot(&normal)));
        terms.add(area * area / (one.2 + other.2), first.chain(second));
    }
    terms.matrix(mesh.rest.len())
}

/// The elements that have a volume: corners, edges, volume.
pub(crate) fn solid<const D: usize>(mesh: &Mesh<D>) -> impl Iterator<Item = (&[u32], Mat<D>, f64)>
where
    Mat<D>: Small<D>,
{
    let simplex = (1..=D).product::<usize>() as f64;
    let all = mesh.elements().map(|e| (e, Mesh::edges(e, &mesh.rest)));
    all.filter(|(_, edges)| is_solid(edges)).map(move |(e, edges)| (e, edges, edges.det().abs() / simplex))
}

/// A sum of squares w (c·u)², on its way to a matrix.
#[derive(Default)]
pub(super) struct Terms {
    entries: Vec<((u32, u32), f64)>,
}

impl Terms {
    /// Adds w (c·u)².
    pub fn add(&mut self, w: f64, c: impl Iterator<Item = (u32, f64)> + Clone) {
        for (i, a) in c.clone() {
            self.entries.extend(c.clone().filter(|(j, _)| *j <= i).map(|(j, b)| ((i, j), w * a * b)));
        }
    }

    /// Adds a matrix, scaled.
    pub fn add_matrix(&mut self, scale: f64, matrix: &Sparse) {
        for column in 0..matrix.columns() {
            for k in matrix.starts[column]..matrix.starts[column + 1] {
                self.entries.push(((matrix.rows[k], column as u32), scale * matrix.blocks[k][0]));
            }
        }
    }

    /// The matrix of the sum.
    pub fn matrix(&self, columns: usize) -> Sparse {
        let mut matrix = Sparse::with_pattern(columns, self.entries.iter().map(|(pair, _)| *pair));
        for ((row, column), value) in &self.entries {
            if let Some(place) = matrix.find(*row, *column) {
                matrix.blocks[place][0] += value;
            }
        }
        matrix
    }
}

#[cfg(test)]
mod tests {
    use math::check::Random;

    use super::*;
    use crate::{block, zoo};

    fn energy(matrix: &Sparse, u: &[f64]) -> f64 {
        let u: Vec<Vect<1>> = u.iter().map(|u| Vect::from([*u])).collect();
        let mut out = u.clone();
        matrix.times(&u, &mut out);
        u.iter().zip(&out).map(|(u, o)| u[0] * o[0]).sum()
    }

    fn check<const D: usize>(zoo: Vec<(&'static str, Mesh<D>)>)
    where
        Mat<D>: Small<D>,
    {
        let mut random = Random::new(9);
        for (name, mesh) in zoo {
            let (L, B) = (stiffness(&mesh), bending(&mesh));
            let slope = random.vector::<D>() / mesh.size();
            let linear: Vec<f64> = mesh.rest.iter().map(|X| slope.dot(X) + 3.0).collect();
            let volume: f64 = lumped(&mesh).iter().sum();
            let exact = slope.norm_squared() * volume;
            assert!((volume / mesh.volumes(&mesh.rest).iter().sum::<f64>() - 1.0).abs() < 1e-12, "{name}");
            assert!((energy(&L, &linear) / exact - 1.0).abs() < 1e-9, "{name}: ∫|∇u|² of a linear function");
            let rough: Vec<f64> = mesh.rest.iter().map(|_| random.number()).collect();
            assert!(energy(&L, &rough) > 0.0, "{name}");
            if mesh.boundary().len() / D < mesh.element_count() * (D + 1) {
                let (bent, straight) = (energy(&B, &rough), energy(&B, &linear).abs());
                assert!(bent > 0.0 && straight < 1e-12 * bent, "{name}: {straight} {bent}");
            }
        }
    }
    #[test]
    fn gradients_are_measured_exactly_and_straight_functions_are_not_bent() {
        check(zoo::plane());
        check(zoo::space());
    }

    #[test]
    fn bending_does_not_depend_on_the_size_of_the_elements() {
        let of = |n: usize| {
            let mesh = block([n; 3], Vect::from([1.0; 3]));
            let u: Vec<f64> = mesh.rest.iter().map(|X| (2.0 * X[0] + X[1]).sin() * X[2]).collect();
            energy(&bending(&mesh), &u)
        };
        let (coarse, fine) = (of(8), of(16));
        assert!((fine / coarse - 1.0).abs() < 0.1, "{coarse} {fine}");
    }
}
