//! The engine as one thing: all that the doors (program, studio, Python) may use.
#![allow(non_snake_case)]

mod analyze;
mod bar;
pub mod beam;
mod elements;
mod error;
mod examples;
mod fill;
mod page;
pub mod params;
mod perform;
mod picture;
mod record;
pub mod scene;
mod seal;
mod show;
mod simulate;
mod threads;

pub use analyze::{Analysis, Analyze, Sag, analyze};
pub use bar::{Bar, BarMotion};
pub use control::dominant_frequency;
pub use dynamics::Report;
pub use elastic::Flesh;
pub use error::Error;
pub use fill::{FillFile, FillReport, fill_file};
pub use formats::{write_glb, write_obj_sequence};
pub use math::Vect;
pub use mesh::{MassKind, Quality};
pub use page::{Page, Plot, Table, View};
pub use perform::{Performed, Shot, demonstrate, gallery, table};
pub use picture::{Drawn, Picture, Series, Style};
pub use seal::{Seal, write_seal};
pub use show::{Example, Shown, dials_table, show, write_example};
pub use simulate::{Progress, Run, Seconds, Summary, simulate};
pub use threads::{Threads, with_threads};
