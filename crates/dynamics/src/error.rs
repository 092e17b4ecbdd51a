//! How a step can fail.

/// A step or a search for equilibrium that did not succeed. The state is as it was before it.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{}{cause}{}{}", when(*.time), at(*.worst_vertex), remedy(.cause, *.time))]
pub struct StepError {
    /// when [s]; none where no time passes
    pub time: Option<f64>,
    /// why
    pub cause: Cause,
    /// the vertex with the largest force left over, if that is known
    pub worst_vertex: Option<u32>,
}

impl StepError {
    pub(crate) fn timeless(cause: Cause) -> Self {
        Self { time: None, cause, worst_vertex: None }
    }
}

fn when(time: Option<f64>) -> String {
    time.map(|t| format!("the simulation could not go on at {t:.4} s: ")).unwrap_or_default()
}

fn at(vertex: Option<u32>) -> String {
    vertex.map(|v| format!(" The worst place is at vertex {v}.")).unwrap_or_default()
}

fn remedy(cause: &Cause, time: Option<f64>) -> &'static str {
    match (cause, time) {
        (Cause::NotConverged { .. } | Cause::Stuck { .. }, Some(_)) => {
            " Take smaller time steps (more substeps), or check for elements that the driving motion crushes."
        }
        (Cause::NotConverged { .. } | Cause::Stuck { .. }, None) => {
            " Pin more vertices if a part can still turn or slide freely, or take a stiffer material."
        }
        (Cause::NotAllowed, Some(_)) => {
            " Slow the motion down, take smaller time steps (more substeps), or use stable-neo-hookean."
        }
        (Cause::NotAllowed, None) => " Use stable-neo-hookean, or start from a sound shape.",
        _ => "",
    }
}

/// Why.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Cause {
    /// Newton's method ran out of iterations.
    #[error("after {iterations} iterations the forces are still out of balance by {residual:.1e} of their size.")]
    NotConverged {
        /// how many
        iterations: usize,
        /// relative to the scene's own forces
        residual: f64,
    },
    /// No step along the search direction lowers the energy.
    #[error("the tissue is stuck: no small motion lowers its energy (forces out of balance by {residual:.1e}).")]
    Stuck {
        /// relative to the scene's own forces
        residual: f64,
    },
    /// The start of the step already has infinite energy.
    #[error("elements are turned inside out, which this material does not allow.")]
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
    /// The stiffness could not be factored.
    #[error("the stiffness of the body is not positive, however it is shifted. Check the material values.")]
    NotPositive,
    /// NaN or infinity came in.
    #[error("a position, velocity or force is not a number. Check the driving motion and the material values.")]
    NotFinite,
}
