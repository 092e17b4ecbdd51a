//! What can be wrong with a surface that is to be filled.

/// Why a surface cannot be filled. Each text says what to do.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FillError {
    /// No triangle has an area.
    #[error(
        "there is nothing to fill: {triangles} triangles, none with an area.\n\
         Check that the file has a mesh, and that it is not scaled to zero."
    )]
    Nothing {
        /// how many triangles there were
        triangles: usize,
    },
    /// A coordinate that is no place.
    #[error(
        "vertex {vertex} is at {}, which is not a place.\n\
         Move the vertex or delete it, and save the file again.", place(.at)
    )]
    NotAPlace {
        /// number of the vertex, from 0
        vertex: usize,
        /// its coordinates
        at: [f64; 3],
    },
    /// A coordinate too large to compute with.
    #[error(
        "vertex {vertex} is at {}, too far away to compute with (the limit is {limit:e} m).\n\
         Check the unit and the scale of the file, or delete the vertex.", place(.at)
    )]
    TooFar {
        /// number of the vertex, from 0
        vertex: usize,
        /// its coordinates [m]
        at: [f64; 3],
        /// the largest coordinate that is possible [m]
        limit: f64,
    },
    /// A triangle with a corner that does not exist.
    #[error(
        "triangle {triangle} has the corner {vertex}, but there are only {vertices} vertices.\n\
         The file is damaged. Save it again from your modelling tool."
    )]
    NoSuchVertex {
        /// number of the triangle, from 0
        triangle: usize,
        /// the corner it asks for
        vertex: u32,
        /// how many vertices there are
        vertices: usize,
    },
    /// A size or a count that means nothing.
    #[error("{asked} is not a size for elements.\nGive an edge length above zero, or a number of tets from 1.")]
    NotASize {
        /// what was asked for
        asked: String,
    },
    /// More than memory holds.
    #[error(
        "elements of {asked:.3e} m would need {cells:.1e} cells, more than the limit of {limit:.0e}.\n\
         Elements of {possible:.3e} m or larger are possible."
    )]
    TooMany {
        /// the edge asked for [m]
        asked: f64,
        /// how many cells that makes
        cells: f64,
        /// how many are allowed
        limit: f64,
        /// the smallest edge that is possible [m]
        possible: f64,
    },
    /// An outline that encloses no area.
    #[error(
        "the outline encloses no area.\n\
         Give at least one closed loop of three points that are not on a line."
    )]
    NoArea,
}

fn place(at: &[f64; 3]) -> String {
    format!("({}, {}, {})", number(at[0]), number(at[1]), number(at[2]))
}

fn number(x: f64) -> String {
    if x.abs() < 1e-3 || x.abs() > 1e6 { format!("{x:e}") } else { format!("{x}") }
}
