//! Rotations nearest to matrices that change little from one iteration to the next.

use math::{Mat, Small};

/// The rotation R for which tr(RᵀA) is largest.
pub(super) fn nearest(A: &Mat<3>) -> Mat<3> {
    A.signed_polar().R
}
