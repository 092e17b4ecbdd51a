//! Heat weights.

use math::{Factor, Mat, Small};
use mesh::Mesh;

use super::laplacian::Laplacian;
use super::{Bone, WeightError};

/// Heat weights in a volume [BP07]: (L + H) w_b = H p_b, where p_b is 1 at vertices whose nearest bone is b (shared where
/// several are equally near), and H = V/d² couples a vertex of volume V to that bone at distance d.
pub(super) fn heat<const D: usize>(
    mesh: &Mesh<D>,
    laplacian: &Laplacian,
    bones: &[Bone<D>],
) -> Result<Vec<Vec<f64>>, WeightError>
where
    Mat<D>: Small<D>,
{
    let n = mesh.rest.len();
    let nearest_allowed = 1e-6 * mesh.size().max(f64::MIN_POSITIVE);
    let mut matrix = laplacian.matrix.clone();
    let mut columns = vec![0.0; n * bones.len()];
    for (v, X) in mesh.rest.iter().enumerate() {
        let distances: Vec<f64> = bones.iter().map(|b| b.distance(X).max(nearest_allowed)).collect();
        let near = distances.iter().copied().fold(f64::INFINITY, f64::min);
        let equal = |d: &f64| *d <= near * (1.0 + 1e-6);
        let count = distances.iter().filter(|d| equal(d)).count() as f64;
        let volume = laplacian.volume[v];
        let H = if volume > 0.0 { volume / (near * near) } else { 1.0 };
        matrix.blocks[laplacian.matrix.starts[v]][0] += H;
        for (b, _) in distances.iter().enumerate().filter(|(_, d)| equal(d)) {
            columns[b * n + v] = H / count;
        }
    }
    let mut factor = Factor::new(&matrix);
    factor.factorize(&matrix).map_err(|e| WeightError::FlatElements { vertex: e.block })?;
    factor.solve_many(&mut columns);
    Ok(columns.chunks_exact(n).map(|c| c.to_vec()).collect())
}
