//! The mesh itself: positions and corners, and the geometry of one element.

use math::{Mat, Small, Vect};

/// A volume filled with simplices: triangles where D = 2, tetrahedra where D = 3.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh<const D: usize> {
    /// Rest positions X, one per vertex [m].
    pub rest: Vec<Vect<D>>,
    /// Vertex numbers, D + 1 per element, positively oriented.
    pub corners: Vec<u32>,
}

impl<const D: usize> Mesh<D> {
    /// The corners of each element.
    pub fn elements(&self) -> impl ExactSizeIterator<Item = &[u32]> {
        self.corners.chunks_exact(D + 1)
    }
    /// The number of elements.
    pub fn element_count(&self) -> usize {
        self.corners.len() / (D + 1)
    }
    /// Dₘ = [x₁−x₀ … x_D−x₀]: the edges from the first corner, as columns.
    pub fn edges(element: &[u32], x: &[Vect<D>]) -> Mat<D> {
        Mat::from_fn(|i, j| x[element[j + 1] as usize][i] - x[element[0] as usize][i])
    }
    /// ∇φ of each corner, for an element with these edges [1/m]: they stand on the facets, 1/height long.
    pub fn shape_gradients(edges: &Mat<D>) -> impl Iterator<Item = Vect<D>>
    where
        Mat<D>: Small<D>,
    {
        let B = edges.cofactor() / edges.det(); // Dₘ⁻ᵀ: column a is ∇φ of corner a + 1
        std::iter::once(-B.column_sum()).chain((0..D).map(move |a| Vect::from(B.column(a))))
    }
    /// Signed volumes (areas where D = 2) of all elements where the vertices are at x [m^D].
    pub fn volumes(&self, x: &[Vect<D>]) -> Vec<f64>
    where
        Mat<D>: Small<D>,
    {
        let simplex = (1..=D).product::<usize>() as f64;
        self.elements().map(|e| Self::edges(e, x).det() / simplex).collect()
    }
    /// The corners of the box around the rest shape; zeros for an empty mesh.
    pub fn bounds(&self) -> (Vect<D>, Vect<D>) {
        let mut points = self.rest.iter();
        let first = points.next().copied().unwrap_or_else(Vect::zeros);
        points.fold((first, first), |(low, high), x| (low.inf(x), high.sup(x)))
    }
    /// The diagonal of that box [m].
    pub fn size(&self) -> f64 {
        let (low, high) = self.bounds();
        (high - low).norm()
    }
}
