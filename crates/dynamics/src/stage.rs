//! An integrator is a list of stages, in each of which velocity and acceleration are affine in the unknown positions.

use math::Vect;

/// How a step in time is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Integrator {
    /// One stage, first order, strongly damped.
    BackwardEuler,
    /// Trapezoid to the middle of the step, then the three-point backward difference [Bat07]. Second order, and
    /// stable for any step.
    #[default]
    TrapezoidBdf2,
}

/// v = αx + c_v and a = βx + c_a at time t, where each constant is a sum over what is known.
#[derive(Clone, Copy, Debug)]
pub struct Stage {
    /// where in the step, 0 to 1
    pub at: f64,
    /// α [1/s]
    pub alpha: f64,
    /// β [1/s²]
    pub beta: f64,
    /// c_v by x₀, v₀, a₀, x₁, v₁
    pub velocity: [f64; 5],
    /// c_a by x₀, v₀, a₀, x₁, v₁
    pub acceleration: [f64; 5],
}

impl Integrator {
    /// The stages of a step of h [s]; index 1 is the end of the first stage.
    ///
    /// `felt` is how much of the acceleration at the start a trapezoid step looks at, 1 as a rule. That of a body with crushed elements is huge and would blow
    /// it up; with less of it (0: none) the step is still of second order, and to a vibration it does the same, to the last bit.
    pub(crate) fn stages(self, h: f64, felt: f64) -> impl Iterator<Item = Stage> {
        let q = 8.0 / (1.0 + felt);
        let stages = match self {
            // v = (x − x₀)/h, a = (v − v₀)/h
            Self::BackwardEuler => [
                Some(Stage {
                    at: 1.0,
                    alpha: 1.0 / h,
                    beta: 1.0 / (h * h),
                    velocity: [-1.0 / h, 0.0, 0.0, 0.0, 0.0],
                    acceleration: [-1.0 / (h * h), -1.0 / h, 0.0, 0.0, 0.0],
                }),
                None,
            ],
            Self::TrapezoidBdf2 => [
                // x = x₀ + h/4 (s v₀ + v), v = v₀ + h/4 (s a₀ + a) with s = felt
                Some(Stage {
                    at: 0.25 * (1.0 + felt),
                    alpha: 4.0 / h,
                    beta: 16.0 / (h * h),
                    velocity: [-4.0 / h, -felt, 0.0, 0.0, 0.0],
                    acceleration: [-16.0 / (h * h), -4.0 * (1.0 + felt) / h, -felt, 0.0, 0.0],
                }),
                // v = ((q−3) x₀ − q x₁ + 3x)/h, a = ((q−3) v₀ − q v₁ + 3v)/h; q = 4 for all of it
                Some(Stage {
                    at: 1.0,
                    alpha: 3.0 / h,
                    beta: 9.0 / (h * h),
                    velocity: [(q - 3.0) / h, 0.0, 0.0, -q / h, 0.0],
                    acceleration: [3.0 * (q - 3.0) / (h * h), (q - 3.0) / h, 0.0, -3.0 * q / (h * h), -q / h],
                }),
            ],
        };
        stages.into_iter().flatten()
    }
}

impl Stage {
    /// α = β = 0: no time passes.
    pub(crate) const STATIC: Self = Self { at: 0.0, alpha: 0.0, beta: 0.0, velocity: [0.0; 5], acceleration: [0.0; 5] };

    /// The constants c_v, c_a from what is known.
    pub fn constants<const D: usize>(
        &self,
        known: [&[Vect<D>]; 5],
        velocity: &mut [Vect<D>],
        acceleration: &mut [Vect<D>],
    ) {
        for i in 0..velocity.len() {
            let sum = |weights: &[f64; 5]| {
                let mut sum = Vect::zeros();
                for (w, k) in weights.iter().zip(known) {
                    if *w != 0.0 {
                        sum += *w * k[i];
                    }
                }
                sum
            };
            (velocity[i], acceleration[i]) = (sum(&self.velocity), sum(&self.acceleration));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A pendulum, x″ = −sin x, after so many steps; each stage by fixed-point iteration.
    fn pendulum(felt: f64, steps: usize) -> f64 {
        let h = 2.0 / steps as f64;
        let mut now = [1.5_f64, 0.0, -1.5_f64.sin()];
        for _ in 0..steps {
            let mut known = [now[0], now[1], now[2], 0.0, 0.0];
            for stage in Integrator::TrapezoidBdf2.stages(h, felt) {
                let sum = |w: [f64; 5]| w.iter().zip(known).map(|(w, k)| w * k).sum::<f64>();
                let (c_v, c_a) = (sum(stage.velocity), sum(stage.acceleration));
                let mut x = now[0];
                (0..50).for_each(|_| x = (-x.sin() - c_a) / stage.beta);
                now = [x, stage.alpha * x + c_v, -x.sin()];
                (known[3], known[4]) = (x, now[1]);
            }
        }
        now[0]
    }

    #[test]
    fn a_step_is_of_second_order_however_much_of_the_acceleration_is_felt() {
        let right = pendulum(1.0, 20_000);
        for felt in [1.0, 0.5, 0.0] {
            let [rough, fine] = [100, 200].map(|steps| (pendulum(felt, steps) - right).abs());
            assert!(rough > 1e-6 && (rough / fine - 4.0).abs() < 0.1, "{felt}: {rough} {fine}");
        }
    }

    /// Follows x(t) = 1, t, t² exactly as far as its order says.
    #[test]
    fn the_stages_are_exact_for_polynomials_up_to_their_order() {
        let h = 0.1;
        for (integrator, order) in [(Integrator::BackwardEuler, 1), (Integrator::TrapezoidBdf2, 2)] {
            for power in 0..=order {
                let x = |t: f64| t.powi(power);
                let v = |t: f64| if power == 0 { 0.0 } else { power as f64 * t.powi(power - 1) };
                let a = |_: f64| if power == 2 { 2.0 } else { 0.0 };
                let t0 = 0.7;
                let mut known = [x(t0), v(t0), a(t0), 0.0, 0.0];
                for stage in integrator.stages(h, 1.0) {
                    let t = t0 + stage.at * h;
                    let sum = |w: [f64; 5]| w.iter().zip(known).map(|(w, k)| w * k).sum::<f64>();
                    let velocity = stage.alpha * x(t) + sum(stage.velocity);
                    let acceleration = stage.beta * x(t) + sum(stage.acceleration);
                    assert!((velocity - v(t)).abs() < 1e-12 && (acceleration - a(t)).abs() < 1e-10, "{stage:?}");
                    (known[3], known[4]) = (x(t), velocity);
                }
            }
        }
    }
}
