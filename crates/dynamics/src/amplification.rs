//! What a step does to a vibration.
//!
//! A damped vibration x″ + c x′ + ω² x = 0 is made of two motions x′ = s x with s² + c s + ω² = 0, and a step of h
//! multiplies each by a number γ that depends on z = h s only. So the three numbers (x, v, a) that a step takes to three
//! others have the eigenvalues γ(z), γ(z̄) and 0: the acceleration is not free.

use math::Complex;

use crate::Integrator;

impl Integrator {
    /// γ − 1, where a step of h takes x to γx when x′ = s x, at z = h s. Exactly it would be e^z − 1.
    ///
    /// From the stages: z x = αx + c_v. Less 1, because it is small for small steps, and keeps its digits then.
    pub fn growth(self, z: Complex<f64>) -> Complex<f64> {
        let mut growth = Complex::new(0.0, 0.0);
        for stage in self.stages(1.0, 1.0) {
            let [x0, v0, a0, x1, v1] = stage.velocity;
            let still = stage.alpha + x0 + x1; // 0: what rests has no velocity
            let known = z * (v0 + v1 - 1.0) + z * z * a0 + growth * (z * v1 + x1) + still;
            growth = known / (z - stage.alpha);
        }
        growth
    }

    /// z for which the growth is γ − 1, with Im γ > 0: the one that tends to ln γ for small steps, and the only one with
    /// Re z ≤ 0 < Im z where there is one.
    pub fn growth_inverse(self, growth: Complex<f64>) -> Complex<f64> {
        let factor = growth + 1.0;
        match self {
            // γ = 1/(1 − z)
            Self::BackwardEuler => growth / factor,
            // γ = (12 + 5z)/((4 − z)(3 − z)). The root of γ² + 118γ + 25, whose imaginary part is positive, has no jump.
            Self::TrapezoidBdf2 => {
                let root = (factor * (factor + 118.0) + 25.0).sqrt();
                24.0 * growth / (7.0 * factor + 5.0 + root)
            }
        }
    }

    /// The angle [rad] of γ that a step cannot quite reach without negative damping, however fast the vibration. What turns
    /// by more is either not shown or is taken for something slower that turns backwards.
    pub fn widest_turn(self) -> f64 {
        match self {
            Self::BackwardEuler => std::f64::consts::FRAC_PI_2,
            Self::TrapezoidBdf2 => std::f64::consts::PI,
        }
    }
}

#[cfg(test)]
mod tests {
    use math::Mat;

    use super::*;

    const BOTH: [Integrator; 2] = [Integrator::BackwardEuler, Integrator::TrapezoidBdf2];

    /// The matrix that takes (x, v, a) one step of h on, where a + c v + ω² x = 0.
    fn amplification(integrator: Integrator, felt: f64, h: f64, omega: f64, c: f64) -> Mat<3> {
        let mut matrix = Mat::<3>::zeros();
        for column in 0..3 {
            let mut known = [0.0; 5];
            known[column] = 1.0;
            let mut now = [0.0; 3];
            for stage in integrator.stages(h, felt) {
                let sum = |w: [f64; 5]| w.iter().zip(known).map(|(w, k)| w * k).sum::<f64>();
                let (c_v, c_a) = (sum(stage.velocity), sum(stage.acceleration));
                let x = -(c_a + c * c_v) / (stage.beta + c * stage.alpha + omega * omega);
                now = [x, stage.alpha * x + c_v, stage.beta * x + c_a];
                (known[3], known[4]) = (now[0], now[1]);
            }
            matrix.set_column(column, &now.into());
        }
        matrix
    }

    /// z in the upper left quadrant, from slow to fast and from undamped to nearly overdamped.
    fn poles() -> impl Iterator<Item = Complex<f64>> {
        let angles = [0.0, 0.01, 0.3, 0.9, 1.5].map(|more| std::f64::consts::FRAC_PI_2 + more);
        angles.into_iter().flat_map(|angle| [0.01, 0.1, 0.5, 1.0, 3.0].map(|size| Complex::from_polar(size, angle)))
    }

    #[test]
    fn the_growth_is_an_eigenvalue_of_the_step_however_much_of_the_acceleration_is_felt() {
        let cases = BOTH.into_iter().flat_map(|i| poles().map(move |z| (i, z)));
        for ((integrator, z), felt) in cases.flat_map(|case| [1.0, 0.4, 0.0].map(|felt| (case, felt))) {
            let h = 0.7;
            let A = amplification(integrator, felt, h, z.norm() / h, -2.0 * z.re / h);
            let factor = integrator.growth(z) + 1.0;
            let minors = (A.trace().powi(2) - (A * A).trace()) / 2.0;
            let scale = 1.0 + A.norm_squared();
            assert!((A.trace() - 2.0 * factor.re).abs() < 1e-13 * scale, "{integrator:?} {z}");
            assert!((minors - factor.norm_sqr()).abs() < 1e-13 * scale, "{integrator:?} {z}");
            assert!(A.determinant().abs() < 1e-13 * scale.powf(1.5), "{integrator:?} {z}");
        }
    }

    #[test]
    fn the_inverse_finds_the_pole_again() {
        for (integrator, z) in BOTH.into_iter().flat_map(|i| poles().map(move |z| (i, z))) {
            let again = integrator.growth_inverse(integrator.growth(z));
            assert!((again - z).norm() < 1e-13 * z.norm(), "{integrator:?} {z} {again}");
        }
    }

    #[test]
    fn an_undamped_vibration_turns_by_less_than_the_widest_turn_until_it_seems_to_turn_backwards() {
        let turn = |i: Integrator, y: f64| (i.growth(Complex::new(0.0, y)) + 1.0).arg();
        for (integrator, fastest) in [(Integrator::BackwardEuler, 1e4), (Integrator::TrapezoidBdf2, 28.8f64.sqrt())] {
            let angles: Vec<f64> = (1..1000).map(|k| turn(integrator, fastest * f64::from(k) / 1000.0)).collect();
            assert!(angles.is_sorted() && angles[0] > 0.0, "{integrator:?}");
            assert!(
                (turn(integrator, fastest * (1.0 - 1e-9)) - integrator.widest_turn()).abs() < 2e-4,
                "{integrator:?}"
            );
        }
        assert!(turn(Integrator::TrapezoidBdf2, 5.4) < 0.0);
    }
}
