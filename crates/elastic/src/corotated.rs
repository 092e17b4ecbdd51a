//! Corotated linear elasticity.

use crate::Lame;
use crate::registry::FromLame;
use crate::stretches::{Stretches, material_of_stretches};

/// Corotated linear elasticity [MG04; as an energy CPSS10]:
/// ψ = μ ‖F − R‖² + λ/2 tr²(S − I) = μ Σ(σᵢ − 1)² + λ/2 (Σ(σᵢ − 1))².
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Corotated(pub(crate) Stretches);

impl FromLame for Corotated {
    fn from_lame(lame: Lame) -> Self {
        Self(Stretches { mu: lame.mu, lambda: lame.lambda })
    }
}
material_of_stretches!(Corotated);

#[cfg(test)]
crate::check::check_material!(Corotated, Kink);
