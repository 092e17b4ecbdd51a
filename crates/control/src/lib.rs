//! What the artist steers: one file per method, each a filling of the slots of the one equation.
#![allow(non_snake_case)]

mod adjust;
mod attach;
mod core;
mod shadow;
mod turning;

pub use adjust::{Adjusted, Factors, Form, Motion, Took, Weights};
pub use attach::{Attached, Follow, JUST_BEFORE, carry_over, damping_of};
pub use core::{CoreError, find_core, hold_all};
pub use shadow::{Shadow, Tuning};
pub use turning::{VertexGradients, turning};
