//! (x, v) → (x′, v′): stages of an integrator, Newton's method, statics, vibration modes, linear constraints.
//!
//! A block that hangs from one of its faces and swings for a second:
//!
//! ```
//! use dynamics::{Body, Hold, Stepper};
//! use elastic::{Flesh, Lame};
//! use math::Vect;
//! use mesh::{Mass, MassKind};
//!
//! let mesh = mesh::block([6, 2, 2], Vect::from([0.3, 0.1, 0.1]));
//! let lame = vec![Lame::from_young(3e4, 0.45)?; mesh.element_count()];
//! let mass = Mass::new(&mesh, &vec![1000.0; mesh.element_count()], MassKind::Lumped);
//! let mut body = Body::new(mesh.rest.clone(), mass, vec![Flesh::StableNeoHookean.tissue(&mesh, &lame)]);
//! body.pins = (0..mesh.rest.len() as u32).filter(|&v| mesh.rest[v as usize][0] == 0.0).collect();
//! body.gravity = Vect::from([0.0, 0.0, -9.81]);
//!
//! let hold = Hold::at(&body, &mesh.rest);
//! let mut stepper = Stepper::new(&body);
//! let mut state = stepper.start(&hold, 0.0, mesh.rest.clone(), vec![Vect::zeros(); mesh.rest.len()])?;
//! for _ in 0..24 {
//!     stepper.step(1.0 / 24.0, &hold, &mut state)?;
//! }
//! assert!((state.t - 1.0).abs() < 1e-12);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![allow(non_snake_case)]

mod amplification;
mod body;
mod drive;
mod error;
mod forces;
mod lessons;
mod modes;
mod newton;
mod past;
mod quasi;
mod report;
mod ride;
mod stage;
mod statics;
mod stepper;
mod system;

pub use body::{Body, Damping};
pub use drive::{Drive, Hold};
pub use error::{Cause, StepError};
pub use modes::{Modes, lowest_modes};
pub use newton::Newton;
pub use quasi::Solver;
pub use report::{Report, Seconds};
pub use ride::{Derivatives, Frames, Ride, Scales, Teleport};
pub use stage::{Integrator, Stage};
pub use statics::{Memory, Settled, Statics};
pub use stepper::{State, Stepper, equilibrium};
