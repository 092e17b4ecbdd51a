//! Dense kernels of one front, cut into pieces of fixed size: the same bits come out on any number of threads.

use std::mem::MaybeUninit;

use faer::dyn_stack::MemStack;
use faer::linalg::cholesky::llt::factor::{LltError, cholesky_in_place};
use faer::linalg::matmul::matmul;
use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::reborrow::{Reborrow, ReborrowMut};
use faer::{Accum, MatMut, MatRef, Par};

/// Work [flops] below which a piece is not cut further.
const GRAIN: f64 = 2e7;
/// Columns that are factored at once.
const PANEL: usize = 128;

/// Factors the leading square of L (rows ≥ columns) as L Lᵀ and divides the rows below by it.
/// The error is the first column whose pivot is not positive.
pub(crate) fn factor_columns(mut L: MatMut<'_, f64>) -> Result<(), usize> {
    let (rows, columns) = (L.nrows(), L.ncols());
    if columns > PANEL {
        let half = (columns / 2).next_multiple_of(16);
        let (mut left, right) = L.split_at_col_mut(half);
        factor_columns(left.rb_mut())?;
        let mut right = right.split_at_row_mut(half).1;
        let below = left.rb().subrows(half, rows - half);
        let (square, rectangle) = right.rb_mut().split_at_row_mut(columns - half);
        let (top, bottom) = below.split_at_row(columns - half);
        rayon::join(
            || subtract_square(square, top, Accum::Add),
            || subtract_product(rectangle, bottom, top, Accum::Add),
        );
        return factor_columns(right).map_err(|column| half + column);
    }
    let mut scratch = [const { MaybeUninit::<u8>::uninit() }; 8 * PANEL + 256];
    let (mut square, below) = L.rb_mut().split_at_row_mut(columns);
    match cholesky_in_place(
        square.rb_mut(),
        Default::default(),
        Par::Seq,
        MemStack::new(&mut scratch),
        Default::default(),
    ) {
        Ok(_) => {}
        Err(LltError::NonPositivePivot { index }) => return Err(index),
    }
    divide(square.rb(), below);
    Ok(())
}

/// B ← B L⁻ᵀ
fn divide(L: MatRef<'_, f64>, B: MatMut<'_, f64>) {
    let n = L.nrows() as f64;
    if n * n * B.nrows() as f64 > GRAIN && B.nrows() > 64 {
        let half = (B.nrows() / 2).next_multiple_of(16);
        let (top, bottom) = B.split_at_row_mut(half);
        rayon::join(|| divide(L, top), || divide(L, bottom));
    } else {
        solve_lower_triangular_in_place(L, B.transpose_mut(), Par::Seq);
    }
}

/// C ← C − B Bᵀ, or −B Bᵀ where the old C is replaced; only the lower triangle is touched.
pub(crate) fn subtract_square(C: MatMut<'_, f64>, B: MatRef<'_, f64>, accum: Accum) {
    let n = C.nrows();
    if n as f64 * n as f64 * B.ncols() as f64 > GRAIN && n > 64 {
        let half = (n / 2).next_multiple_of(16);
        let (first, rest) = C.split_at_row_mut(half);
        let (rectangle, last) = rest.split_at_col_mut(half);
        let (top, bottom) = B.split_at_row(half);
        rayon::join(
            || subtract_product(rectangle, bottom, top, accum),
            || {
                rayon::join(
                    || subtract_square(first.split_at_col_mut(half).0, top, accum),
                    || subtract_square(last, bottom, accum),
                )
            },
        );
    } else if n > 0 {
        use BlockStructure::{Rectangular, TriangularLower};
        triangular::matmul(C, TriangularLower, accum, B, Rectangular, B.transpose(), Rectangular, -1.0, Par::Seq);
    }
}

/// C ← C − A Bᵀ, or −A Bᵀ where the old C is replaced
fn subtract_product(C: MatMut<'_, f64>, A: MatRef<'_, f64>, B: MatRef<'_, f64>, accum: Accum) {
    let (rows, columns) = (C.nrows(), C.ncols());
    if 2.0 * rows as f64 * columns as f64 * A.ncols() as f64 > GRAIN && rows.max(columns) > 64 {
        if rows >= columns {
            let half = (rows / 2).next_multiple_of(16);
            let ((top, bottom), (a, b)) = (C.split_at_row_mut(half), A.split_at_row(half));
            rayon::join(|| subtract_product(top, a, B, accum), || subtract_product(bottom, b, B, accum));
        } else {
            let half = (columns / 2).next_multiple_of(16);
            let ((left, right), (a, b)) = (C.split_at_col_mut(half), B.split_at_row(half));
            rayon::join(|| subtract_product(left, A, a, accum), || subtract_product(right, A, b, accum));
        }
    } else {
        matmul(C, accum, A, B.transpose(), -1.0, Par::Seq);
    }
}

/// A list as a matrix of one column.
pub(crate) fn column(y: &[f64]) -> MatRef<'_, f64> {
    MatRef::from_column_major_slice(y, y.len(), 1)
}

/// A list as a matrix of one column.
pub(crate) fn column_mut(y: &mut [f64]) -> MatMut<'_, f64> {
    let n = y.len();
    MatMut::from_column_major_slice_mut(y, n, 1)
}

/// y ← L⁻¹ y for the lower triangle of a column-major square.
pub(crate) fn solve_lower(L: &[f64], y: &mut [f64]) {
    let L = MatRef::from_column_major_slice(L, y.len(), y.len());
    solve_lower_triangular_in_place(L, column_mut(y), Par::Seq);
}

/// y ← L⁻ᵀ y
pub(crate) fn solve_lower_transposed(L: &[f64], y: &mut [f64]) {
    let L = MatRef::from_column_major_slice(L, y.len(), y.len());
    solve_upper_triangular_in_place(L.transpose(), column_mut(y), Par::Seq);
}

/// The eigenvalues of a symmetric matrix (column-major), descending, and the eigenvector of each.
pub fn symmetric_eigen(A: Vec<f64>) -> (Vec<f64>, Vec<Vec<f64>>) {
    let n = A.len().isqrt();
    if n == 0 {
        return (vec![], vec![]);
    }
    let A = MatRef::from_column_major_slice(&A, n, n);
    let eigen = A.self_adjoint_eigen(faer::Side::Lower).expect("a symmetric matrix of numbers has eigenvalues");
    let (values, vectors) = (eigen.S(), eigen.U());
    (0..n).rev().map(|k| (values[k], (0..n).map(|i| vectors[(i, k)]).collect())).unzip()
}
