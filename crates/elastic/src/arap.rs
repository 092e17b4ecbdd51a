//! As rigid as possible.

use crate::Lame;
use crate::registry::FromLame;
use crate::stretches::{Stretches, material_of_stretches};

/// As-rigid-as-possible flesh: ψ = μ ‖F − R‖² = μ Σ(σᵢ − 1)². It resists shear and stretch alike; Poisson's ratio plays
/// no part beyond μ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arap(pub(crate) Stretches);

impl FromLame for Arap {
    fn from_lame(lame: Lame) -> Self {
        Self(Stretches { mu: lame.mu, lambda: 0.0 })
    }
    fn small_strain(lame: Lame) -> Lame {
        Lame { lambda: 0.0, ..lame }
    }
}
material_of_stretches!(Arap);

#[cfg(test)]
crate::check::check_material!(Arap, Kink);
