//! (x, v) → (x′, v′): stages of an integrator, Newton's method, statics, vibration modes, linear constraints.
#![allow(non_snake_case)]

mod body;
mod drive;
mod error;
mod forces;
mod modes;
mod newton;
mod report;
mod stage;
mod stepper;
mod system;

pub use body::{Body, Damping};
pub use drive::{Drive, Hold};
pub use error::{Cause, StepError};
pub use modes::{Modes, lowest_modes};
pub use newton::Newton;
pub use report::{Report, Seconds};
pub use stage::Integrator;
pub use stepper::{State, Stepper, equilibrium};
