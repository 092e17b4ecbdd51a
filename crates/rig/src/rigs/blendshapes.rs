//! Shapes that are mixed.

use math::Vect;

use super::error::{all_finite, same_length};
use super::{Jacobian, Linear, RigError};

/// Blendshapes [LAR14]: x = X + Σ_k p_k δ_k.
///   X     rest positions                                    [m]
///   δ_k   what shape k adds to each vertex at weight 1      [m]
///   p     the weights of the shapes                         [1]
pub fn blendshapes<const D: usize>(rest: &[Vect<D>], shapes: &[Vec<Vect<D>>]) -> Result<Linear<D>, RigError> {
    all_finite("rest positions", rest)?;
    for shape in shapes {
        same_length("blendshapes", rest.len(), shape.len())?;
        all_finite("blendshapes", shape)?;
    }
    let of = |v: usize| shapes.iter().zip(0..).map(move |(s, k)| (k, s[v])).filter(|(_, d)| *d != Vect::<D>::zeros());
    let jacobian = Jacobian::from_rows(shapes.len(), (0..rest.len()).map(|v| of(v).collect()));
    Ok(Linear { base: rest.to_vec(), jacobian, rest: vec![0.0; shapes.len()] })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rigs::check::{check_rig_around_rest, positions};
    use math::check::Random;

    #[test]
    fn shapes_add_up() {
        let X = mesh::block([2, 2, 1], Vect::from([1.0; 3])).rest;
        let mut random = Random::new(2);
        let mut shapes: Vec<Vec<Vect<3>>> = (0..3).map(|_| X.iter().map(|_| random.vector()).collect()).collect();
        shapes[1][4] = Vect::zeros();
        let rig = blendshapes(&X, &shapes).unwrap();
        check_rig_around_rest(&rig, 2.0);
        let x = positions(&rig, &[0.5, 1.0, -2.0]);
        assert!((x[7] - X[7] - 0.5 * shapes[0][7] - shapes[1][7] + 2.0 * shapes[2][7]).norm() < 1e-14);
        shapes[2].pop();
        assert!(matches!(blendshapes(&X, &shapes), Err(RigError::Lengths { expected: 18, found: 17, .. })));
    }
}
