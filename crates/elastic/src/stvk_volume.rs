//! Saint Venant–Kirchhoff with a volume term.

use crate::registry::FromLame;
use crate::{Invariants, Jet, Lame, StVenantKirchhoff};

/// Saint Venant–Kirchhoff flesh that also keeps its volume: ψ = ψ_StVK(μ, λ − k) + k/2 (J − 1)² [paper A].
///
/// The volume term adds k to the bulk response at rest; what it adds is taken off λ, so that Young's modulus and
/// Poisson's ratio keep their meaning.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StVenantKirchhoffVolume {
    strain: StVenantKirchhoff,
    /// k, the stiffness of the volume [Pa]
    k: f64,
}

impl StVenantKirchhoffVolume {
    /// With k [Pa] of the resistance to a change of volume given to J.
    pub fn new(lame: Lame, k: f64) -> Self {
        Self { strain: StVenantKirchhoff::from_lame(Lame { lambda: lame.lambda - k, ..lame }), k }
    }
}

impl FromLame for StVenantKirchhoffVolume {
    /// Half of λ goes to the volume; none where it is negative, since that would reward growth without end.
    fn from_lame(lame: Lame) -> Self {
        Self::new(lame, lame.lambda.max(0.0) / 2.0)
    }
}

impl Invariants for StVenantKirchhoffVolume {
    fn jet(&self, I: f64, Q: f64, J: f64) -> Jet {
        let mut jet = self.strain.jet(I, Q, J);
        jet.value += self.k / 2.0 * (J - 1.0).powi(2);
        jet.d[2] += self.k * (J - 1.0);
        jet.dd[(2, 2)] += self.k;
        jet
    }
}

#[cfg(test)]
crate::check::check_material!(StVenantKirchhoffVolume, Smooth);
