//! What can go wrong, in the artist's words.

use std::path::PathBuf;

use crate::params::DENSITY;

/// An error of the engine.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file that cannot be read or written.
    #[error(transparent)]
    Format(#[from] formats::FormatError),
    /// A value that makes no sense.
    #[error("{} is {value}{}. It must be from {} to {}. {}", .param.key, unit(.param), .param.range.start(), .param.range.end(), .param.help)]
    Range {
        /// which
        param: &'static crate::params::Param,
        /// what it is
        value: f64,
    },
    /// A broken number of things.
    #[error("{} is {value}. It must be a whole number. {}", .param.key, .param.help)]
    Broken {
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
    /// A rig that flesh cannot be the complement of.
    #[error("{error}\n({file})")]
    Complement {
        /// why
        error: control::ComplementError,
        /// the file
        file: String,
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
    /// A scene file with a mistake.
    #[error("line {line}: {}.\n({})", .what.trim_end_matches('.'), file.display())]
    Scene {
        /// where
        line: usize,
        /// what is wrong
        what: String,
        /// the scene
        file: PathBuf,
    },
    /// A name that the character does not have.
    #[error("there is no {what} {name:?}.{} There {}.\n({file})", meant(.nearest), there_are(.known, .what))]
    NoSuch {
        /// clip, bone, attribute
        what: &'static str,
        /// as given
        name: String,
        /// the one that may have been meant
        nearest: Option<String>,
        /// all there are
        known: Vec<String>,
        /// whose
        file: String,
    },
    /// Something that has to be said is missing, or cannot be meant.
    #[error("{0}")]
    Asked(String),
    /// A surface that cannot be filled.
    #[error("{error}\n({file})")]
    Fill {
        /// why
        error: mesh::FillError,
        /// the surface
        file: String,
    },
    /// A body without a core or without flesh.
    #[error("{error}\n({file})")]
    Core {
        /// why
        error: control::CoreError,
        /// the character
        file: String,
    },
    /// A rig that cannot be made.
    #[error("{error}\n({file})")]
    Rig {
        /// why
        error: rig::RigError,
        /// where it came from
        file: String,
    },
    /// Weights that cannot be found.
    #[error("{error}\n({file})")]
    Weights {
        /// why
        error: rig::WeightError,
        /// whose
        file: String,
    },
    /// Dials that ask for what cannot be shown.
    #[error(
        "{error}\n(The dials ask for that; there are now {fps} frames a second with {substeps} steps in each: --fps, --substeps. --integrator trapezoid-bdf2 loses less than backward-euler.)"
    )]
    Dial {
        /// why
        error: control::Unreachable,
        /// steps in a frame
        substeps: usize,
        /// frames per second
        fps: f64,
    },
    /// Motion that does not fit.
    #[error("{error}\n({file})")]
    Retarget {
        /// why
        error: rig::RetargetError,
        /// the motion
        file: String,
    },
    /// The frames on disk cannot be used.
    #[error("{what}\n({})", file.display())]
    Record {
        /// why, and what to do
        what: String,
        /// the frames
        file: PathBuf,
    },
    /// The simulation failed in a frame.
    #[error("frame {frame}: {error}\n{}Try more --substeps, a stiffer --young or a shorter --damping-half-time.", kept(*.frame))]
    Frame {
        /// from 0
        frame: usize,
        /// why
        error: dynamics::StepError,
    },
}

fn unit(param: &crate::params::Param) -> String {
    if param.unit == "1" { String::new() } else { format!(" {}", param.unit) }
}

fn kept(frames: usize) -> String {
    if frames > 0 { format!("The {frames} frames before it are written. ") } else { String::new() }
}

fn meant(nearest: &Option<String>) -> String {
    nearest.as_ref().map_or(String::new(), |name| format!(" Did you mean {name:?}?"))
}

/// "are: a, b, c and 14 more", or "is none".
fn there_are(known: &[String], what: &str) -> String {
    const SHOWN: usize = 12;
    match known.len() {
        0 => format!("is no {what} at all"),
        n => {
            let names: Vec<String> = known.iter().take(SHOWN).map(|name| format!("{name:?}")).collect();
            let more = if n > SHOWN { format!(" and {} more", n - SHOWN) } else { String::new() };
            format!("are: {}{more}", names.join(", "))
        }
    }
}
