//! What can go wrong, in the artist's words.

use crate::params::DENSITY;

/// An error of the engine.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file that cannot be read or written.
    #[error(transparent)]
    Format(#[from] formats::FormatError),
    /// A value that makes no sense.
    #[error("{} is {value} {}. It must be from {} to {}. {}", .param.key, .param.unit, .param.range.start(), .param.range.end(), .param.help)]
    Range {
        /// which
        param: &'static crate::params::Param,
        /// what it is
        value: f64,
    },
    /// Material values that no material has.
    #[error("{error}\n({place})")]
    Lame {
        /// why
        error: elastic::LameError,
        /// where they came from
        place: String,
    },
    /// A density that no flesh has.
    #[error("the density is {density} kg/m³. It must be from {} to {}: flesh is near 1000.\n({place})", DENSITY.range.start(), DENSITY.range.end())]
    Density {
        /// what it is
        density: f64,
        /// where it came from
        place: String,
    },
    /// A material of a file that Supple does not have.
    #[error(
        "the region {region:?} is made of {law}, which Supple does not have. Give one material for the whole body with \
         --young and --poisson.\n({file})"
    )]
    Law {
        /// its name
        region: String,
        /// what it is made of
        law: &'static str,
        /// the file
        file: String,
    },
    /// A box that holds no vertex.
    #[error(
        "the box {given} holds no vertex, so it pins nothing. The body reaches from {low} to {high}: the box must overlap \
         it."
    )]
    EmptyBox {
        /// as it was given
        given: String,
        /// one corner of the body
        low: String,
        /// the other
        high: String,
    },
    /// Too few or too many numbers.
    #[error("{what} needs {wanted} numbers for this mesh, but {given} were given.")]
    Numbers {
        /// which option
        what: &'static str,
        /// how many it takes
        wanted: String,
        /// how many there are
        given: usize,
    },
    /// All vertices are pinned.
    #[error("every vertex is pinned, so nothing can move. Make the boxes of --pin-box smaller.")]
    AllPinned,
    /// The simulation failed.
    #[error(transparent)]
    Step(#[from] dynamics::StepError),
    /// The threads could not be started.
    #[error("the computer refused to start {threads} threads: {reason}. Try a smaller --threads.")]
    Threads {
        /// how many
        threads: usize,
        /// why
        reason: String,
    },
}
