//! How a step can fail.

/// A step or a search for equilibrium that did not succeed. The state is as it was before it.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("the simulation could not go on at {time:.4} s: {cause}{}", at(*.worst_vertex))]
pub struct StepError {
    /// when [s]
    pub time: f64,
    /// why
    pub cause: Cause,
    /// the vertex with the largest force left over, if that is known
    pub worst_vertex: Option<u32>,
}

fn at(vertex: Option<u32>) -> String {
    vertex.map(|v| format!(" The worst place is at vertex {v}.")).unwrap_or_default()
}

/// Why.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Cause {
    /// Newton's method ran out of iterations.
    #[error(
        "after {iterations} iterations the forces are still out of balance by {residual:.1e} of their size. Take smaller \
         time steps (more substeps), or softer or less extreme material values."
    )]
    NotConverged {
        /// how many
        iterations: usize,
        /// relative to the scene's own forces
        residual: f64,
    },
    /// No step along the search direction lowers the energy.
    #[error(
        "the tissue is stuck: no small motion lowers its energy (forces out of balance by {residual:.1e}). Take smaller \
         time steps (more substeps), or check for elements that the driving motion crushes."
    )]
    Stuck {
        /// relative to the scene's own forces
        residual: f64,
    },
    /// The start of the step already has infinite energy.
    #[error(
        "the driving motion turns elements inside out, which this material does not allow. Slow the motion down, take \
         smaller time steps (more substeps), or use stable-neo-hookean."
    )]
    NotAllowed,
    /// Statics of a body, or a part of one, that nothing holds.
    #[error(
        "nothing holds the body, or a part of it, so it has no shape at rest under load. Pin some of its vertices."
    )]
    Adrift,
    /// Rows that contradict each other.
    #[error("the constraints contradict each other: {row} (counted from 0) asks for a value that the others exclude.")]
    Contradiction {
        /// which row
        row: usize,
    },
    /// NaN or infinity came in.
    #[error("a position, velocity or force is not a number. Check the driving motion and the material values.")]
    NotFinite,
}
