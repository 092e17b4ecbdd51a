//! The two numbers of linear elasticity, in the three ways people give them.

/// Lamé parameters. Every material here behaves like linear elasticity with these two for small deformations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lame {
    /// μ, the shear modulus [Pa]
    pub mu: f64,
    /// λ, the first parameter [Pa]
    pub lambda: f64,
}

/// Numbers that no material has.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LameError {
    /// Young's modulus
    #[error("Young's modulus is {0} Pa. It must be a positive number: fat is near 3e3, muscle near 3e4.")]
    Young(f64),
    /// Poisson's ratio
    #[error(
        "Poisson's ratio is {0}. It must be above -1 and below 0.5: 0.45 suits flesh, and 0.5 itself (no change of volume \
         at all) cannot be simulated with these elements."
    )]
    Poisson(f64),
}

impl Lame {
    /// From Young's modulus [Pa] and Poisson's ratio [1].
    pub fn from_young(young: f64, poisson: f64) -> Result<Self, LameError> {
        if !(young > 0.0 && young.is_finite()) {
            return Err(LameError::Young(young));
        }
        if !(poisson > -1.0 && poisson < 0.5) {
            return Err(LameError::Poisson(poisson));
        }
        Ok(Self {
            mu: young / (2.0 * (1.0 + poisson)),
            lambda: young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson)),
        })
    }
    /// κ = λ + 2/3 μ, the bulk modulus [Pa]
    pub fn bulk(&self) -> f64 {
        self.lambda + 2.0 / 3.0 * self.mu
    }
    /// Young's modulus [Pa]
    pub fn young(&self) -> f64 {
        self.mu * (3.0 * self.lambda + 2.0 * self.mu) / (self.lambda + self.mu)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_numbers_are_refused() {
        assert_eq!(Lame::from_young(-1.0, 0.3), Err(LameError::Young(-1.0)));
        assert!(Lame::from_young(f64::NAN, 0.3).is_err());
        assert_eq!(Lame::from_young(1e4, 0.5), Err(LameError::Poisson(0.5)));
        assert!(Lame::from_young(1e4, f64::NAN).is_err());
    }

    #[test]
    fn youngs_modulus_comes_back() {
        let lame = Lame::from_young(1e4, 0.3).unwrap();
        assert!((lame.young() - 1e4).abs() < 1e-8);
    }
}
