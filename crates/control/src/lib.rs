//! What the artist steers: one file per method, each a filling of the slots of the one equation.
#![allow(non_snake_case)]

mod attach;
mod core;

pub use attach::{Attached, Follow, JUST_BEFORE, carry_over, damping_of};
pub use core::{CoreError, find_core, hold_all};
