//! What the artist steers: one file per method, each a filling of the slots of the one equation.
#![allow(non_snake_case)]

mod adjust;
mod animated;
mod attach;
mod carried;
mod complement;
mod core;
mod dials;
mod envelope;
mod nature;
mod poles;
mod recurrence;
mod reduced;
mod ringing;
mod shadow;
mod spectrum;
mod tone;
mod turning;
mod unreachable;

pub use adjust::{Adjusted, Factors, Form, Took, Weights};
pub use animated::{Animated, Complementary, Performance};
pub use attach::{Attached, Follow, JUST_BEFORE, carry_over, damping_of};
pub use complement::{Complement, ComplementError, Leak};
pub use core::{CoreError, find_core, hold_all};
pub use dials::{Dials, Factor, Keyed, Placed, Plan};
pub use envelope::ringing_by_spectrum;
pub use nature::{Nature, Sagging};
pub use poles::{Clock, Rayleigh, Seen, Tuned, seen, tuned};
pub use recurrence::ringing_by_recurrence;
pub use reduced::{Live, Reduced, ReducedError, ReducedOptions, StepTook};
pub use ringing::{Ringing, ringing};
pub use shadow::{Oscillators, Push, Shadow, Tuning};
pub use spectrum::dominant_frequency;
pub use turning::{VertexGradients, turning};
pub use unreachable::Unreachable;
