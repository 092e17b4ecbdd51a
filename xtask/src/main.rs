//! `cargo xtask test`: every check. `cargo xtask test --all`: the slow ones too. `cargo xtask bench`: the benchmarks.
//! `cargo xtask blender`: characters in and out, compared by Blender.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

mod architecture;
mod blender;
mod citations;
mod validator;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let result = match words[..] {
        ["test"] => test(false),
        ["test", "--all"] => test(true),
        ["bench", ..] => bench(&words[1..]),
        ["blender", ..] => blender::run(&root(), &words[1..]),
        _ => Err("usage: cargo xtask test [--all] | cargo xtask bench [iteration|factor|race|dials|complement|reduced]\n       \
                  | cargo xtask blender [--all-clips] [--write] [NAME…]"
            .into()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("xtask: {reason}");
            ExitCode::FAILURE
        }
    }
}

/// The top folder of the project.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map_or_else(PathBuf::new, Path::to_path_buf)
}

/// Format, lints, pages against code, tests, doc tests.
fn test(all: bool) -> Result<(), String> {
    cargo(&["fmt", "--all", "--check"], &[])?;
    cargo(&["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"], &[])?;
    architecture::check(&root())?;
    citations::check(&root())?;
    let validator = validator::install(&root());
    let env: Vec<(&str, &str)> = validator.iter().map(|folder| (validator::VARIABLE, folder.as_str())).collect();
    let mut arguments = vec!["test", "--workspace"];
    if all {
        arguments.extend(["--", "--include-ignored"]);
    }
    cargo(&arguments, &env)
}

fn bench(parts: &[&str]) -> Result<(), String> {
    let mut arguments = vec!["run", "--release", "--package", "supple-bench", "--"];
    arguments.extend(parts);
    cargo(&arguments, &[])
}

/// Runs cargo in the top folder and waits for it.
fn cargo(arguments: &[&str], env: &[(&str, &str)]) -> Result<(), String> {
    println!("$ cargo {}", arguments.join(" "));
    let status = Command::new(env!("CARGO"))
        .args(arguments)
        .envs(env.iter().copied())
        .current_dir(root())
        .status()
        .map_err(|e| format!("cargo does not start: {e}"))?;
    if status.success() { Ok(()) } else { Err(format!("cargo {} failed", arguments.join(" "))) }
}
