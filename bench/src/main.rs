//! How fast Supple is: where an iteration's time goes, our factorization against MKL PARDISO's, a race with
//! rapier, what the dials cost, and the real-time model against the program of its authors.
//!
//! `cargo run --release -p supple-bench [iteration] [factor] [race] [dials] [complement] [reduced]`; without a name, all of them.
#![allow(non_snake_case)]

use std::process::ExitCode;

mod complement;
mod dials;
mod factor;
mod fish;
mod iteration;
mod pardiso;
mod race;
mod reduced;
mod scene;
mod table;

/// What can go wrong with a benchmark itself.
type Failure = Box<dyn std::error::Error + Send + Sync>;

/// A part of the benchmark: prints its tables and says whether all bars were met.
type Part = fn() -> Result<bool, Failure>;

const PARTS: [(&str, Part); 6] = [
    ("complement", complement::run),
    ("iteration", iteration::run),
    ("factor", factor::run),
    ("race", race::run),
    ("dials", dials::run),
    ("reduced", reduced::run),
];

fn main() -> ExitCode {
    let chosen: Vec<String> = std::env::args().skip(1).collect();
    if let Some(unknown) = chosen.iter().find(|name| PARTS.iter().all(|(part, _)| part != name)) {
        eprintln!("There is no part {unknown:?}. The parts are: iteration, factor, race, dials, complement, reduced.");
        return ExitCode::from(2);
    }
    let mut all_met = true;
    for (name, part) in PARTS {
        if chosen.is_empty() || chosen.iter().any(|c| c == name) {
            all_met &= part().unwrap_or_else(|error| {
                println!("\n{name}: FAIL, it could not be run: {error}");
                false
            });
        }
    }
    if all_met { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
