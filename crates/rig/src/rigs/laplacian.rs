//! The Laplacian of linear elements on a volume, and solving with some values given.

use math::{BlockMatrix, Factor, Mat, NotPositive, Small};
use mesh::Mesh;

/// L of [`mesh::stiffness`] [m^(D−2)], and the volume that belongs to each vertex [m^D].
pub(super) struct Laplacian {
    pub(super) matrix: BlockMatrix<1>,
    pub(super) volume: Vec<f64>,
}

impl Laplacian {
    pub(super) fn new<const D: usize>(mesh: &Mesh<D>) -> Self
    where
        Mat<D>: Small<D>,
    {
        Self { matrix: mesh::stiffness(mesh), volume: mesh::lumped(mesh) }
    }

    /// L V⁻¹ L, V the volumes of the vertices: bends where L stretches [m^(D−4)].
    pub(super) fn squared(&self) -> BlockMatrix<1> {
        let rows = full_rows(&self.matrix);
        let mut pairs = vec![];
        for row in &rows {
            pairs.extend(
                row.iter().flat_map(|&(i, _)| row.iter().map(move |&(j, _)| (i, j)).filter(move |p| p.0 >= p.1)),
            );
        }
        let mut squared = BlockMatrix::<1>::with_pattern(rows.len(), pairs);
        for (row, &volume) in rows.iter().zip(&self.volume).filter(|(_, v)| **v > 0.0) {
            for &(i, a) in row {
                for &(j, b) in row.iter().filter(|(j, _)| *j <= i) {
                    if let Some(k) = squared.find(i, j) {
                        squared.blocks[k][0] += a * b / volume;
                    }
                }
            }
        }
        squared
    }
}

/// Both triangles of a symmetric matrix, row by row, columns ascending.
pub(super) fn full_rows(matrix: &BlockMatrix<1>) -> Vec<Vec<(u32, f64)>> {
    let mut rows = vec![vec![]; matrix.columns()];
    for c in 0..matrix.columns() {
        for k in matrix.starts[c]..matrix.starts[c + 1] {
            let r = matrix.rows[k];
            rows[r as usize].push((c as u32, matrix.blocks[k][0]));
            if r as usize != c {
                rows[c].push((r, matrix.blocks[k][0]));
            }
        }
    }
    rows.iter_mut().for_each(|row| row.sort_by_key(|e| e.0));
    rows
}

/// Minimises ½ wᵀ A w where values of some vertices are given: fills in the others, for several columns at once.
pub(super) fn fill_in(matrix: &BlockMatrix<1>, given: &[bool], columns: &mut [&mut [f64]]) -> Result<(), NotPositive> {
    let free: Vec<u32> = (0..given.len() as u32).filter(|v| !given[*v as usize]).collect();
    if free.is_empty() {
        return Ok(());
    }
    let mut place = vec![u32::MAX; given.len()];
    free.iter().zip(0..).for_each(|(&v, k)| place[v as usize] = k);
    let mut small = BlockMatrix::<1> { starts: vec![0], rows: vec![], blocks: vec![] };
    let n = free.len();
    let mut right = vec![0.0; n * columns.len()];
    for c in 0..matrix.columns() {
        for k in matrix.starts[c]..matrix.starts[c + 1] {
            let (r, value) = (matrix.rows[k] as usize, matrix.blocks[k][0]);
            match (given[r], given[c]) {
                (false, false) => {
                    small.rows.push(place[r]);
                    small.blocks.push(matrix.blocks[k]);
                }
                (true, true) => {}
                (one, _) => {
                    let (known, unknown) = if one { (r, c) } else { (c, r) };
                    for (right, column) in right.chunks_exact_mut(n).zip(columns.iter()) {
                        right[place[unknown] as usize] -= value * column[known];
                    }
                }
            }
        }
        if !given[c] {
            small.starts.push(small.rows.len());
        }
    }
    let mut factor = Factor::new(&small);
    factor.factorize(&small)?;
    factor.solve_many(&mut right);
    for (right, column) in right.chunks_exact(n).zip(columns) {
        free.iter().zip(right).for_each(|(&v, x)| column[v as usize] = *x);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use math::Vect;

    use super::*;

    #[test]
    fn the_square_is_the_laplacian_twice() {
        for (name, mesh) in mesh::zoo::space() {
            let laplacian = Laplacian::new(&mesh);
            let x: Vec<Vect<1>> = mesh.rest.iter().map(|X| Vect::from([X[0]])).collect();
            let mut Lx = x.clone();
            laplacian.matrix.times(&x, &mut Lx);
            let y: Vec<Vect<1>> = Lx.iter().zip(&laplacian.volume).map(|(l, v)| l / *v).collect();
            let (mut one, mut two) = (y.clone(), y.clone());
            laplacian.matrix.times(&y, &mut one);
            laplacian.squared().times(&x, &mut two);
            let size = one.iter().map(|x| x[0].abs()).fold(0.0, f64::max);
            assert!(size > 0.0, "{name}: vacuous");
            assert!(one.iter().zip(&two).all(|(a, b)| (a - b).norm() <= 1e-9 * size), "{name}");
        }
    }
}
