//! One line that checks a material: `check_material!(Material { … })`.

use math::check::Random;
use math::{Mat, Small, Vect};

use crate::{Lame, Material};

/// How a material behaves where flesh is turned inside out.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Inverted {
    /// smooth everywhere
    Smooth,
    /// linear: always positive
    Linear,
    /// finite everywhere, with a kink where two stretches cancel
    Kink,
    /// not allowed: ∞
    Barrier,
}

/// Stretches to sample: at rest, tame, wild, inverted, flattened to a plane, a line and a point.
fn stretches<const D: usize>(random: &mut Random) -> Vec<(&'static str, Vect<D>)> {
    let mut all = vec![("at rest", Vect::from_element(1.0))];
    for _ in 0..40 {
        let mut tame = || Vect::<D>::from_fn(|_, _| 1.0 + 0.4 * random.number());
        all.push(("deformed", tame()));
        let mut inverted = tame();
        inverted[D - 1] *= -0.7;
        all.push(("inverted", inverted));
        let mut flat = tame();
        flat[D - 1] = 0.0;
        all.push(("flattened to a plane", flat));
        let mut line = Vect::zeros();
        line[0] = 1.0 + 0.4 * random.number();
        all.push(("flattened to a line", line));
        all.push(("wild", 2.0 * random.vector::<D>()));
    }
    all.push(("flattened to a point", Vect::zeros()));
    all
}

/// A random rotation.
fn rotation<const D: usize>(random: &mut Random) -> Mat<D>
where
    Mat<D>: Small<D>,
{
    random.matrix::<D>().signed_polar().R
}

pub(crate) fn check_derivatives<const D: usize>(m: &impl Material<D>, inverted: Inverted)
where
    Mat<D>: Small<D>,
{
    let mut random = Random::new(5);
    let (mut checked, mut indefinite) = (0, 0);
    for (state, sigma) in stretches::<D>(&mut random) {
        let F = rotation::<D>(&mut random) * Mat::from_diagonal(&sigma) * rotation::<D>(&mut random);
        let dF = random.matrix::<D>();
        if inverted == Inverted::Barrier && F.det() < 0.05 {
            assert!(F.det() > -1e-12 || m.psi(&F) == f64::INFINITY, "{state}: inverted, yet finite");
            continue;
        }
        let (psi, P, T) = (m.psi(&F), m.stress(&F), m.tangent(&F));
        let answer = T.apply(&dF);
        assert!(psi.is_finite() && P.sum().is_finite() && answer.sum().is_finite(), "{state}: not finite");
        check_projection(state, &T);
        assert!(T.project().apply(&dF).dot(&dF) >= -1e-9 * answer.norm(), "{state}: the projection is not positive");
        indefinite += (answer.dot(&dF) < 0.0) as usize;
        let sorted = F.signed_svd().sigma;
        if inverted == Inverted::Kink && sorted[D - 1] + sorted[D - 2] < 0.02 {
            continue; // the derivative does not exist there
        }
        checked += 1;
        let h = 2e-6;
        let dpsi = (m.psi(&(F + h * dF)) - m.psi(&(F - h * dF))) / (2.0 * h);
        let dP = (m.stress(&(F + h * dF)) - m.stress(&(F - h * dF))) / (2.0 * h);
        let size = 1.0 + P.norm() + dP.norm();
        assert!((P.dot(&dF) - dpsi).abs() < 1e-7 * size, "{state}: the stress is not ∂ψ/∂F: {} {dpsi}", P.dot(&dF));
        assert!((answer - dP).norm() < 1e-6 * size, "{state}: the tangent is not ∂P/∂F: {answer} {dP}");
        if state == "deformed" {
            assert!(P.norm() > 1e-3, "vacuous: the stress is zero at a deformed F");
        }
    }
    assert!(checked >= 40, "the samples are too few: {checked}");
    assert!(matches!(inverted, Inverted::Barrier | Inverted::Linear) || indefinite > 0, "the samples are too tame");
    assert!(inverted != Inverted::Barrier || m.psi(&Mat::zeros()) == f64::INFINITY, "collapsed, yet finite");
    assert!(m.psi(&Mat::identity()).abs() < 1e-12, "the rest state has energy {}", m.psi(&Mat::identity()));
    assert!(m.stress(&Mat::identity()).norm() < 1e-12, "the rest state is under stress");
}

/// The projection is the nearest positive semi-definite map: the dense tangent with its negative eigenvalues set to zero.
fn check_projection<const D: usize>(state: &str, T: &crate::Tangent<D>)
where
    Mat<D>: Small<D>,
{
    let dense = |T: &crate::Tangent<D>| -> Vec<f64> {
        let unit = |k: usize| Mat::<D>::from_fn(|i, j| if D * j + i == k { 1.0 } else { 0.0 });
        (0..D * D).flat_map(|k| T.apply(&unit(k)).iter().copied().collect::<Vec<_>>()).collect()
    };
    let (values, vectors) = math::symmetric_eigen(dense(T));
    let size = values.iter().fold(1.0, |a: f64, v| a.max(v.abs()));
    let n = D * D;
    for (k, found) in dense(&T.project()).into_iter().enumerate() {
        let expected: f64 = values.iter().zip(&vectors).map(|(l, v)| l.max(0.0) * v[k / n] * v[k % n]).sum();
        assert!(
            (found - expected).abs() < 1e-9 * size,
            "{state}: the projection is not the nearest: {found} {expected}"
        );
    }
}

/// For small deformations every material is linear elasticity with its Lamé parameters.
pub(crate) fn check_rest_tangent<const D: usize>(m: &impl Material<D>, lame: Lame)
where
    Mat<D>: Small<D>,
{
    let dF = Random::new(2).matrix::<D>();
    let expected = lame.mu * (dF + dF.transpose()) + lame.lambda * dF.trace() * Mat::identity();
    let found = m.tangent(&Mat::identity()).apply(&dF);
    assert!((found - expected).norm() < 1e-12 * expected.norm(), "{found} is not linear elasticity's {expected}");
}

/// Checks a material in 2D and 3D; the second argument says what it does where flesh is inverted.
macro_rules! check_material {
    ($Material:ident, $inverted:ident) => {
        mod derivatives {
            use crate::check::{Inverted, check_derivatives, check_rest_tangent};
            use crate::registry::FromLame;
            const LAME: crate::Lame = crate::Lame { mu: 3.0, lambda: 20.0 };
            #[test]
            fn in_the_plane() {
                check_derivatives::<2>(&super::$Material::from_lame(LAME), Inverted::$inverted);
                check_rest_tangent::<2>(&super::$Material::from_lame(LAME), super::$Material::small_strain(LAME));
            }
            #[test]
            fn in_space() {
                check_derivatives::<3>(&super::$Material::from_lame(LAME), Inverted::$inverted);
                check_rest_tangent::<3>(&super::$Material::from_lame(LAME), super::$Material::small_strain(LAME));
            }
        }
    };
}
pub(crate) use check_material;

/// StVK that drops the terms it is told to drop: the check must notice.
struct Forgetful {
    force: bool,
}
impl crate::Invariants for Forgetful {
    fn jet(&self, I: f64, Q: f64, J: f64) -> crate::Jet {
        use crate::registry::FromLame;
        let lame = Lame { mu: 3.0, lambda: 20.0 };
        let mut jet = crate::StVenantKirchhoff::from_lame(lame).jet(I, Q, J);
        if self.force {
            jet.d[0] = -lame.mu / 2.0;
        }
        jet.dd[(0, 0)] = 0.0;
        jet
    }
}

#[test]
#[should_panic(expected = "the stress is not ∂ψ/∂F")]
fn a_term_dropped_from_the_stress_is_found() {
    check_derivatives::<3>(&Forgetful { force: true }, Inverted::Smooth);
}

#[test]
#[should_panic(expected = "the tangent is not ∂P/∂F")]
fn a_term_dropped_from_the_tangent_is_found() {
    check_derivatives::<2>(&Forgetful { force: false }, Inverted::Smooth);
}
