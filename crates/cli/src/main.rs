//! The `supple` program, one file per command.

use std::process::ExitCode;

use clap::{Parser, Subcommand};

mod analyze;
mod demo;
mod mesh;
mod progress;
mod simulate;

/// Soft tissue for animated characters.
#[derive(Parser)]
#[command(name = "supple", version, about, arg_required_else_help = true)]
struct Program {
    #[command(subcommand)]
    command: Command,
    /// Threads to work with; 0 takes all. The result is the same for any number
    #[arg(long, global = true, default_value_t = 0, value_name = "N", value_parser = clap::value_parser!(u64).range(0..=256))]
    threads: u64,
}

#[derive(Subcommand)]
enum Command {
    Demo(demo::Demo),
    Simulate(Box<simulate::Simulate>),
    Mesh(mesh::Mesh),
    Analyze(analyze::Analyze),
}

/// 0: done. 1: it could not be done, and why is on standard error. 2: the command line is wrong (from clap).
fn main() -> ExitCode {
    let Program { command, threads } = Program::parse();
    let run = || match command {
        Command::Demo(demo) => demo.run(),
        Command::Simulate(simulate) => simulate.run(),
        Command::Mesh(mesh) => mesh.run(),
        Command::Analyze(analyze) => analyze.run(),
    };
    match supple::with_threads(supple::Threads(threads as usize), run) {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(error)) => fail(&*error),
        Err(error) => fail(&error),
    }
}

fn fail(error: &dyn std::error::Error) -> ExitCode {
    eprintln!("supple: {error}");
    ExitCode::FAILURE
}

/// Anything that can end a command early.
type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Prints a line to standard output. A reader that has gone away (`supple … | head`) is no error.
fn say(line: impl std::fmt::Display) -> Result<(), Failure> {
    use std::io::Write;
    match writeln!(std::io::stdout(), "{line}") {
        Err(e) if e.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        result => Ok(result?),
    }
}
