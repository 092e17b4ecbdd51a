//! The subspace: skinning modes from which everything the rig can do is taken away.

use math::Vect;
use mesh::{Mesh, Sparse};
use rig::Jacobian;

use super::ReducedError;
use super::modes::{Modes, modes};
use super::orthonormal::{add, dot, extend, pivoted};

/// Directions of the rig below this share of their length are rounding errors of others.
const DEPENDENT: f64 = 1e-13;
/// The same for rows on weights; what they let pass is projected out afterwards.
const DEPENDENT_WEIGHTS: f64 = 1e-9;

/// u = B z as scalar functions on the vertices, "fields": each of the first `shared` moves along every axis (three
/// coefficients each), the others come in threes, one per axis, that move together (one coefficient).
///
/// Every column b has Jrᵀ M D b = 0, and BᵀMB = 1.
pub(super) struct Basis {
    /// how many fields move along every axis
    pub shared: usize,
    /// all fields, one number per vertex each [1/√kg]
    pub fields: Vec<Vec<f64>>,
    /// what the shared fields were made from
    pub modes: Modes,
}

/// Makes the subspace.
///
///   root  √m of each vertex [√kg]
///   leak  D, one number per vertex: where it is 0 the tissue may do what the rig does
///
/// A rig of affine handles moves along one axis with each parameter. Then the weights themselves are chosen such that
/// w X and w are complementary [BZC23]. For other rigs modes are projected.
pub(super) fn basis(
    mesh: &Mesh<3>,
    L: &Sparse,
    root: &[f64],
    jacobian: &Jacobian<3>,
    leak: &[f64],
    count: usize,
) -> Result<Basis, ReducedError> {
    let moves = moves(root, jacobian, leak);
    let along_axes = moves.iter().all(|m| m.iter().filter(|c| !c.is_empty()).count() <= 1);
    let rig = pivoted(moves.iter().flatten().filter(|c| !c.is_empty()).cloned().collect(), DEPENDENT);
    let places = places(mesh);
    let skinned = |w: &Vec<f64>| -> Vec<Vec<f64>> {
        let times = |j: usize| w.iter().zip(&places).map(|(w, Y)| w * Y[j]).collect();
        vec![w.clone(), times(0), times(1), times(2)]
    };
    let rows = match along_axes {
        true => pivoted(rig.iter().flat_map(skinned).collect(), DEPENDENT_WEIGHTS),
        false => vec![],
    };
    let modes = modes(L, root, shift(mesh, L, root), &rows, count)?;
    let mut fields = vec![];
    extend(&mut fields, &rig, modes.weights.iter().flat_map(skinned), 1e-9);
    let shared = fields.len();
    fields.extend(split(&moves, &rig));
    if fields.is_empty() {
        return Err(ReducedError::Everything { parameters: jacobian.parameters });
    }
    for field in &mut fields {
        field.iter_mut().zip(root).for_each(|(f, root)| *f /= root);
    }
    Ok(Basis { shared, fields, modes })
}

/// √m D Jr, by parameter and axis; empty where it is 0.
fn moves(root: &[f64], jacobian: &Jacobian<3>, leak: &[f64]) -> Vec<[Vec<f64>; 3]> {
    let mut moves = vec![[const { Vec::<f64>::new() }; 3]; jacobian.parameters];
    for v in 0..root.len() {
        for (k, value) in jacobian.row(v) {
            for axis in 0..3 {
                let c = root[v] * leak[v] * value[axis];
                if c != 0.0 {
                    let column = &mut moves[k][axis];
                    column.resize(root.len(), 0.0);
                    column[v] = c;
                }
            }
        }
    }
    moves
}

/// Rest positions about the middle, in units of the size: the same functions w X span the same space with better numbers.
fn places(mesh: &Mesh<3>) -> Vec<Vect<3>> {
    let (low, high) = mesh.bounds();
    let scale = 2.0 / (high - low).amax().max(f64::MIN_POSITIVE);
    mesh.rest.iter().map(|X| scale * (X - (low + high) / 2.0)).collect()
}

/// About the lowest value of L w = λ M w: ∫μ/∫ρ/ℓ².
fn shift(mesh: &Mesh<3>, L: &Sparse, root: &[f64]) -> f64 {
    let X: Vec<Vect<1>> = mesh.rest.iter().map(|X| Vect::from([X[0]])).collect();
    let mut out = X.clone();
    L.times(&X, &mut out);
    let stiffness: f64 = X.iter().zip(&out).map(|(X, o)| X[0] * o[0]).sum(); // ∫μ |∇X|² = ∫μ
    stiffness.abs() / dot(root, root) / mesh.size().powi(2)
}

/// The fields above are orthogonal to what the rig does along each axis by itself. Where a parameter moves along several
/// axes at once this is too much: here are the combinations that are complementary all the same, three fields each.
fn split(moves: &[[Vec<f64>; 3]], rig: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let along = |c: &Vec<f64>, q: &Vec<f64>| if c.is_empty() { 0.0 } else { dot(c, q) };
    let rows = moves.iter().map(|m| m.iter().flat_map(|c| rig.iter().map(move |q| along(c, q))).collect());
    let rows = pivoted(rows.collect(), DEPENDENT);
    let size = 3 * rig.len();
    let unit = |k: usize| (0..size).map(|i| f64::from(i == k)).collect::<Vec<f64>>();
    let mut others = vec![];
    extend(&mut others, &rows, (0..size).map(unit), 1e-8);
    let field = |c: &[f64]| {
        let mut sum = vec![0.0; rig[0].len()];
        c.iter().zip(rig).for_each(|(c, q)| add(*c, q, &mut sum));
        sum
    };
    others.iter().flat_map(|c| c.chunks_exact(rig.len()).map(field).collect::<Vec<_>>()).collect()
}
