//! Skinning eigenmodes: the smoothest weights that a rig does not already have [BZC23].

use math::check::Random;
use math::{Factor, Mat, Vect, symmetric_eigen};
use mesh::{Mesh, Sparse};

use super::ReducedError;
use super::orthonormal::{add, dot, extend, remove};

/// The lowest solutions of L w = λ M w under A w = 0.
pub(super) struct Modes {
    /// √m w, orthonormal, one vector of all vertices per mode
    pub weights: Vec<Vec<f64>>,
    /// λ [1/s²], ascending
    pub values: Vec<f64>,
}

/// An element that has a volume.
pub(super) struct Piece {
    /// its number in the mesh
    pub element: usize,
    /// its vertices
    pub corners: [u32; 4],
    /// ∇φ of each [1/m]
    pub gradients: [Vect<3>; 4],
    /// its rest volume [m³]
    pub volume: f64,
}

/// The elements that are not flat.
pub(super) fn pieces(mesh: &Mesh<3>) -> Vec<Piece> {
    let mut pieces = vec![];
    for (element, corners) in mesh.elements().enumerate() {
        let edges: Mat<3> = Mesh::edges(corners, &mesh.rest);
        let size = edges.column_iter().map(|c| c.norm()).fold(0.0, f64::max);
        let volume = math::Small::det(&edges).abs() / 6.0;
        if !(volume > 1e-14 * size.powi(3)) {
            continue;
        }
        let mut gradients = [Vect::zeros(); 4];
        gradients.iter_mut().zip(Mesh::shape_gradients(&edges)).for_each(|(to, g)| *to = g);
        let corners = [corners[0], corners[1], corners[2], corners[3]];
        pieces.push(Piece { element, corners, gradients, volume });
    }
    pieces
}

/// L, with uᵀ L u = ∫ μ |∇u|² [N/m].
pub(super) fn laplacian(vertices: usize, pieces: &[Piece], mu: &[f64]) -> Sparse {
    let pairs = pieces.iter().flat_map(|p| p.corners.iter().flat_map(move |&a| p.corners.iter().map(move |&b| (a, b))));
    let mut L = Sparse::with_pattern(vertices, pairs.filter(|(a, b)| a >= b));
    for p in pieces {
        for (a, ga) in p.corners.iter().zip(&p.gradients) {
            for (b, gb) in p.corners.iter().zip(&p.gradients).filter(|(b, _)| *b <= a) {
                if let Some(place) = L.find(*a, *b) {
                    L.blocks[place][0] += mu[p.element] * p.volume * ga.dot(gb);
                }
            }
        }
    }
    L
}

/// Vectors that are multiplied together.
const BLOCK: usize = 8;
/// Ritz vectors are good when their residual is this small, relative to their value.
const TOLERANCE: f64 = 1e-8;

/// The `count` lowest modes, or all there are: block Lanczos with full reorthogonalisation on (L + σM)⁻¹, in the variable
/// √m w, where M is the identity.
///
///   root   √m of each vertex [√kg]
///   shift  σ > 0 [1/s²], about as large as the lowest mode
///   rows   an orthonormal basis of the rows of A M^(−½)
pub(super) fn modes(
    L: &Sparse,
    root: &[f64],
    shift: f64,
    rows: &[Vec<f64>],
    count: usize,
) -> Result<Modes, ReducedError> {
    let n = root.len();
    let count = count.min(n.saturating_sub(rows.len()));
    let mut inverse = Inverse::new(L, root, shift, rows)?;
    let (mut Q, mut images): (Vec<Vec<f64>>, Vec<Vec<f64>>) = (vec![], vec![]);
    let mut products: Vec<Vec<f64>> = vec![];
    let mut random = Random::new(1);
    let mut fresh = true; // the block is random, so what it does not find is not there
    let mut block: Vec<Vec<f64>> = (0..BLOCK).map(|_| (0..n).map(|_| random.number()).collect()).collect();
    loop {
        let known = Q.len();
        extend(&mut Q, rows, block, 1e-10);
        images.extend(inverse.times(&Q[known..]));
        for k in known..Q.len() {
            products.push(Q[..=k].iter().map(|q| dot(q, &images[k])).collect());
        }
        let size = Q.len();
        let T = (0..size * size).map(|k| products[(k / size).max(k % size)][(k / size).min(k % size)]).collect();
        let (values, combinations) = symmetric_eigen(T);
        let complete = size >= n - rows.len() || (fresh && size == known);
        let found = count.min(size);
        let combine = |of: &[Vec<f64>], c: &[f64]| {
            let mut sum = vec![0.0; n];
            of.iter().zip(c).for_each(|(v, c)| add(*c, v, &mut sum));
            sum
        };
        let residual = |k: usize| {
            let mut rest = combine(&images, &combinations[k]);
            add(-values[k], &combine(&Q, &combinations[k]), &mut rest);
            dot(&rest, &rest).sqrt() / values[k]
        };
        if complete || (size >= count + BLOCK && (0..found).rev().all(|k| residual(k) < TOLERANCE)) {
            let weights = combinations[..found].iter().map(|c| combine(&Q, c)).collect();
            return Ok(Modes { weights, values: values[..found].iter().map(|t| 1.0 / t - shift).collect() });
        }
        if size > 40 * (count + BLOCK) {
            return Err(ReducedError::NoModes { asked: count });
        }
        fresh = size == known;
        block = match fresh {
            true => (0..BLOCK).map(|_| (0..n).map(|_| random.number()).collect()).collect(),
            false => images[known..].to_vec(),
        };
    }
}

/// (M^(−½) (L + σM) M^(−½))⁻¹ within the rows.
struct Inverse<'a> {
    factor: Factor<1>,
    root: &'a [f64],
    rows: &'a [Vec<f64>],
    /// what the inverse without rows makes of each of them
    bent: Vec<Vec<f64>>,
    /// the factor of the Schur complement
    schur: super::cholesky::Cholesky,
}

impl<'a> Inverse<'a> {
    fn new(L: &Sparse, root: &'a [f64], shift: f64, rows: &'a [Vec<f64>]) -> Result<Self, ReducedError> {
        let mut K = L.clone();
        for (v, root) in root.iter().enumerate() {
            let place = K.starts[v];
            K.blocks[place][0] += shift * root * root;
        }
        let mut factor = Factor::new(&K);
        factor.factorize(&K).map_err(|e| ReducedError::Flat { vertex: e.block })?;
        let schur = super::cholesky::Cholesky::default();
        let mut inverse = Self { factor, root, rows: &[], bent: vec![], schur };
        let bent = inverse.times(rows);
        let c = rows.len();
        let entries: Vec<f64> = (0..c * c).map(|k| dot(&rows[k / c], &bent[k % c])).collect();
        let schur = super::cholesky::Cholesky::new(entries, c).ok_or(ReducedError::NoModes { asked: c })?;
        Ok(Self { rows, bent, schur, ..inverse })
    }

    fn times(&mut self, v: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let n = self.root.len();
        let mut all: Vec<f64> = v.iter().flat_map(|v| v.iter().zip(self.root).map(|(v, r)| v * r)).collect();
        self.factor.solve_many(&mut all);
        let mut out: Vec<Vec<f64>> = vec![];
        for x in all.chunks_exact(n.max(1)) {
            let mut x: Vec<f64> = x.iter().zip(self.root).map(|(x, r)| x * r).collect();
            let mut y: Vec<f64> = self.rows.iter().map(|row| dot(row, &x)).collect();
            self.schur.solve(&mut y);
            self.bent.iter().zip(&y).for_each(|(b, y)| add(-y, b, &mut x));
            remove(self.rows, &mut x);
            out.push(x);
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use mesh::{Mass, MassKind, block};

    use super::*;

    #[test]
    fn the_lowest_weights_of_a_bar_are_its_cosines_and_rows_take_some_away() {
        let mesh = block([24, 2, 2], Vect::from([3.0, 0.2, 0.2]));
        let (mu, density) = (vec![7.0; mesh.element_count()], vec![2.0; mesh.element_count()]);
        let mass = Mass::new(&mesh, &density, MassKind::Lumped);
        let root: Vec<f64> = (0..mesh.rest.len()).map(|v| mass.of(v).sqrt()).collect();
        let L = laplacian(mesh.rest.len(), &pieces(&mesh), &mu);
        let free = modes(&L, &root, 1.0, &[], 4).unwrap();
        for (k, value) in free.values.iter().enumerate() {
            let exact = 7.0 / 2.0 * (std::f64::consts::PI * k as f64 / 3.0).powi(2); // λ = μ/ρ (kπ/ℓ)²
            assert!((value - exact).abs() < 0.02 * exact + 1e-9, "{k}: {value} {exact}");
        }
        // without the first two, the third is the lowest
        let bound = modes(&L, &root, 1.0, &free.weights[..2], 2).unwrap();
        assert!((bound.values[0] / free.values[2] - 1.0).abs() < 1e-9);
        assert!((dot(&bound.weights[1], &free.weights[3]).abs() - 1.0).abs() < 1e-6);
        // a body has no more modes than vertices
        let all = modes(&L, &root, 1.0, &free.weights[..2], 1000).unwrap();
        assert_eq!(all.values.len(), mesh.rest.len() - 2);
    }
}
