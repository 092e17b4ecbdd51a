//! Weights for a rig that has none.

use math::{Mat, Small, Vect};
use mesh::Mesh;

use super::biharmonic::biharmonic;
use super::heat::heat;
use super::laplacian::Laplacian;
use super::{RigError, Weights};

/// A bone at rest: a segment, or a point where both ends are the same.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bone<const D: usize> {
    /// where it starts [m]
    pub from: Vect<D>,
    /// where it ends [m]
    pub to: Vect<D>,
}

/// How weights are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AutoWeights {
    /// bounded biharmonic weights [JBPS11]: smooth, local, no bleeding; slower
    #[default]
    Biharmonic,
    /// heat weights [BP07]: every bone heats the flesh nearest to it; fast
    Heat,
}

/// Weights could not be found.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum WeightError {
    /// nothing to weigh against
    #[error("there are no bones, so nothing can move the character.\nAdd a bone or a handle.")]
    NoBones,
    /// nothing to weigh
    #[error("the volume is empty: there is nothing to find weights for.\nFill the character first.")]
    EmptyVolume,
    /// a bone whose place is not a number
    #[error("bone {bone} has no place: its ends are not numbers.\nExport the skeleton again.")]
    BoneNowhere {
        /// which
        bone: usize,
    },
    /// elements so bad that weights cannot be solved for
    #[error(
        "weights cannot be found near vertex {vertex}: elements there are almost flat.\nFill the character again with larger elements."
    )]
    FlatElements {
        /// where
        vertex: usize,
    },
    /// what came out is not a set of weights
    #[error(transparent)]
    Rig(#[from] RigError),
}

impl<const D: usize> Bone<D> {
    /// How far a point is from the bone [m].
    pub fn distance(&self, x: &Vect<D>) -> f64 {
        let along = self.to - self.from;
        let s = (along.dot(&(x - self.from)) / along.norm_squared()).clamp(0.0, 1.0);
        (x - self.from - if s.is_nan() { Vect::zeros() } else { s * along }).norm()
    }
}

/// Weights of bones on the vertices of a volume: between 0 and 1, Σ = 1 for each vertex, 1 on the bone itself.
pub fn automatic_weights<const D: usize>(
    mesh: &Mesh<D>,
    bones: &[Bone<D>],
    kind: AutoWeights,
) -> Result<Weights, WeightError>
where
    Mat<D>: Small<D>,
{
    if bones.is_empty() {
        return Err(WeightError::NoBones);
    }
    if mesh.rest.is_empty() {
        return Err(WeightError::EmptyVolume);
    }
    let finite = |x: &Vect<D>| x.iter().all(|x| x.is_finite());
    if let Some(bone) = bones.iter().position(|b| !finite(&b.from) || !finite(&b.to)) {
        return Err(WeightError::BoneNowhere { bone });
    }
    if let Some(vertex) = mesh.rest.iter().position(|x| !finite(x)) {
        return Err(RigError::NotANumber { what: "rest positions", place: vertex }.into());
    }
    let laplacian = Laplacian::new(mesh);
    let mut columns = match kind {
        AutoWeights::Biharmonic => biharmonic(mesh, &laplacian, bones)?,
        AutoWeights::Heat => heat(mesh, &laplacian, bones)?,
    };
    // what is too small to see goes, and what is left over nowhere goes to the nearest bone
    for v in 0..mesh.rest.len() {
        columns.iter_mut().for_each(|c| c[v] = if c[v] > 1e-4 { c[v].min(1.0) } else { 0.0 });
        if columns.iter().map(|c| c[v]).sum::<f64>() < 1e-2 {
            columns[nearest(bones, &mesh.rest[v])][v] = 1.0;
        }
    }
    Ok(Weights::from_columns(&columns)?)
}

/// The nearest bone, the first of them in a tie.
pub(super) fn nearest<const D: usize>(bones: &[Bone<D>], x: &Vect<D>) -> usize {
    let all = bones.iter().enumerate().map(|(b, bone)| (bone.distance(x), b));
    all.fold((f64::INFINITY, 0), |a, b| if b.0 < a.0 { b } else { a }).1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row<const D: usize>(bones: usize, length: f64, at: f64) -> Vec<Bone<D>> {
        let point = |k: usize| Vect::from_fn(|i, _| if i == 0 { length * k as f64 / bones as f64 } else { at });
        (0..bones).map(|k| Bone { from: point(k), to: point(k + 1) }).collect()
    }

    fn facts<const D: usize>(mesh: &Mesh<D>, bones: &[Bone<D>], kind: AutoWeights) -> Weights
    where
        Mat<D>: Small<D>,
    {
        let weights = automatic_weights(mesh, bones, kind).unwrap();
        for (v, X) in mesh.rest.iter().enumerate() {
            let (mut sum, mut largest) = (0.0, (0.0, 0));
            for (b, w) in weights.of(v) {
                assert!((0.0..=1.0 + 1e-12).contains(&w), "{kind:?}: vertex {v} has weight {w}");
                sum += w;
                largest = if w > largest.0 { (w, b) } else { largest };
            }
            assert!((sum - 1.0f64).abs() < 1e-12, "{kind:?}: weights of {v} sum to {sum}");
            let (near, own) = (bones[nearest(bones, X)].distance(X), bones[largest.1].distance(X));
            assert!(own < near + 0.15 * mesh.size(), "{kind:?}: vertex {v} follows a bone {own} away, not {near}");
        }
        weights
    }

    #[test]
    fn weights_are_bounded_sum_to_one_and_follow_near_bones_in_the_plane_and_in_space() {
        for kind in [AutoWeights::Biharmonic, AutoWeights::Heat] {
            facts(&mesh::block([24, 6], Vect::from([4.0, 1.0])), &row(3, 4.0, 0.5), kind);
            facts(&mesh::block([16, 4, 4], Vect::from([4.0, 1.0, 1.0])), &row(3, 4.0, 0.5), kind);
        }
    }

    #[test]
    fn a_body_a_thousand_times_larger_gets_the_same_weights() {
        for kind in [AutoWeights::Biharmonic, AutoWeights::Heat] {
            let make = |scale: f64| {
                let mesh = mesh::block([12, 4], scale * Vect::from([4.0, 1.0]));
                automatic_weights(&mesh, &row(3, 4.0 * scale, 0.5 * scale), kind).unwrap()
            };
            let (a, b) = (make(1.0), make(1000.0));
            for v in 0..a.vertices() {
                let dense = |w: &Weights| {
                    w.of(v).fold([0.0; 3], |mut row, (b, w)| {
                        row[b] = w;
                        row
                    })
                };
                assert!(dense(&a).iter().zip(dense(&b)).all(|(a, b)| (a - b).abs() < 1e-3), "{kind:?} {v}");
            }
        }
    }

    #[test]
    fn separate_parts_stray_vertices_flat_elements_and_bones_in_one_place_are_no_trouble() {
        let mut mesh = mesh::block([6, 3], Vect::from([2.0, 1.0]));
        let other = mesh.rest.len() as u32;
        mesh.rest.extend([[9.0, 0.0], [9.0, 1.0], [8.0, 0.0], [5.0, 5.0]].map(Vect::from));
        mesh.corners.extend([other, other + 1, other + 2, 0, 1, 1]);
        let mut bones = row(2, 2.0, 0.5);
        bones.push(bones[1]);
        bones.push(Bone { from: bones[0].from, to: bones[0].from });
        for kind in [AutoWeights::Biharmonic, AutoWeights::Heat] {
            let weights = automatic_weights(&mesh, &bones, kind).unwrap();
            assert_eq!(weights.vertices(), mesh.rest.len());
            assert!((0..mesh.rest.len()).all(|v| (weights.of(v).map(|w| w.1).sum::<f64>() - 1.0).abs() < 1e-12));
        }
    }

    #[test]
    fn what_cannot_be_weighed_is_refused_with_advice() {
        let mesh = mesh::block([2, 2], Vect::from([1.0, 1.0]));
        let weigh = |mesh: &Mesh<2>, bones: &[Bone<2>]| automatic_weights(mesh, bones, AutoWeights::Heat).unwrap_err();
        assert_eq!(weigh(&mesh, &[]), WeightError::NoBones);
        let bones = row(1, 1.0, 0.5);
        assert_eq!(weigh(&Mesh { rest: vec![], corners: vec![] }, &bones), WeightError::EmptyVolume);
        let nowhere = Bone { from: Vect::from([f64::NAN, 0.0]), to: Vect::zeros() };
        let error = weigh(&mesh, &[bones[0], nowhere]);
        assert_eq!(error.to_string(), "bone 1 has no place: its ends are not numbers.\nExport the skeleton again.");
    }

    /// Many bones on a slender body: each rules where it is nearest, whatever the others do.
    #[test]
    fn of_twenty_bones_each_rules_its_own_place() {
        let mesh = mesh::block([68, 5, 5], Vect::from([13.6, 1.0, 1.0]));
        let bones = row(20, 13.6, 0.5);
        let weights = automatic_weights(&mesh, &bones, AutoWeights::Biharmonic).unwrap();
        assert_eq!((weights.vertices(), weights.handles()), (2484, 20));
        for (v, X) in mesh.rest.iter().enumerate() {
            let middle = |b: usize| (bones[b].from[0] + bones[b].to[0]) / 2.0;
            let nearest =
                (0..20).min_by(|&a, &b| (middle(a) - X[0]).abs().total_cmp(&(middle(b) - X[0]).abs())).unwrap();
            let most = weights.of(v).max_by(|a, b| a.1.total_cmp(&b.1)).unwrap().0;
            assert!(nearest.abs_diff(most as usize) <= 1, "{X}: {nearest} {most}");
        }
    }
}
