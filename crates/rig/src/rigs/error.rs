//! What can be wrong with the makings of a rig.

use math::Vect;

/// A rig could not be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RigError {
    /// two things that belong together have different lengths
    #[error(
        "the {what} of this rig are for {found} vertices or bones, but it has {expected}.\n\
         The mesh was probably changed after the rig was made: export both again."
    )]
    Lengths {
        /// what does not fit
        what: &'static str,
        /// how many there should be
        expected: usize,
        /// how many there are
        found: usize,
    },
    /// a number is NaN or infinite
    #[error(
        "the {what} of this rig hold a value that is not a number (first: number {place}).\nExport the character again, or remove what is broken there."
    )]
    NotANumber {
        /// where
        what: &'static str,
        /// the first of them
        place: usize,
    },
    /// a vertex that no handle moves
    #[error(
        "vertex {vertex} is moved by nothing: all its weights are zero.\nPaint it to a bone, or let Supple find the weights itself."
    )]
    Unweighted {
        /// the first of them
        vertex: usize,
    },
    /// an index beyond the end
    #[error("the {what} of this rig name number {index}, but there are only {count}.\nExport the character again.")]
    OutOfRange {
        /// what names it
        what: &'static str,
        /// the number it names
        index: usize,
        /// how many there are
        count: usize,
    },
    /// two corrective shapes for one pose
    #[error(
        "the corrective shapes {first} and {second} are for the same pose of their joints (0 is the rest pose).\nKeep one of the two, or pose one differently."
    )]
    SamePose {
        /// the one, counted from 1; 0 is the rest pose
        first: usize,
        /// the other
        second: usize,
    },
    /// a cage that has no inside
    #[error(
        "the cage is flat or has too few corners ({corners}): it encloses nothing.\nUse a closed cage around the character."
    )]
    FlatCage {
        /// how many corners it has
        corners: usize,
    },
    /// a vertex for which the cage gives no weights
    #[error(
        "vertex {vertex} has no place in the cage.\nMake the cage a little larger, so that it encloses the character."
    )]
    NotInCage {
        /// the first of them
        vertex: usize,
    },
    /// a curve with too few knots, or knots in one place
    #[error(
        "a wire needs at least two knots in different places, this one has {knots}.\nAdd a knot, or move them apart."
    )]
    ShortWire {
        /// different knots
        knots: usize,
    },
    /// a cache without frames
    #[error("the vertex cache has no frames.\nExport the animation again with at least one frame.")]
    NoFrames,
}

/// Fails where two lengths differ.
pub(super) fn same_length(what: &'static str, expected: usize, found: usize) -> Result<(), RigError> {
    if expected == found { Ok(()) } else { Err(RigError::Lengths { what, expected, found }) }
}

/// Fails on a point that is NaN or infinite.
pub(super) fn all_finite<const D: usize>(what: &'static str, points: &[Vect<D>]) -> Result<(), RigError> {
    match points.iter().position(|x| !x.iter().all(|x| x.is_finite())) {
        Some(place) => Err(RigError::NotANumber { what, place }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_error_says_what_to_do() {
        let all = [
            RigError::Lengths { what: "weights", expected: 3, found: 2 },
            RigError::NotANumber { what: "weights", place: 7 },
            RigError::Unweighted { vertex: 4 },
            RigError::OutOfRange { what: "weights", index: 9, count: 3 },
            RigError::SamePose { first: 0, second: 2 },
            RigError::FlatCage { corners: 2 },
            RigError::NotInCage { vertex: 12 },
            RigError::ShortWire { knots: 1 },
            RigError::NoFrames,
        ];
        for error in all {
            let text = error.to_string();
            let (what, remedy) = text.split_once('\n').unwrap();
            assert!(what.ends_with('.') && remedy.ends_with('.') && !remedy.contains('\n'), "{text}");
        }
    }
}
