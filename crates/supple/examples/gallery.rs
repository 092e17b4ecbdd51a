//! All scenes of complementary dynamics, drawn beside their rigs alone, and how long they take.
//!
//! `cargo run --release -p supple --example gallery [NAME | SCENE.toml ...]` writes docs/gallery/NAME.gif and NAME.png, and prints
//! a table.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;

fn main() -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let found = std::fs::read_dir(root.join("scenes/complement")).into_iter().flatten().flatten();
    let is_wanted = |file: &PathBuf| {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        file.extension().is_some_and(|e| e == "toml") && (wanted.is_empty() || wanted.contains(&name))
    };
    let mut scenes: Vec<PathBuf> = found.map(|entry| entry.path()).filter(is_wanted).collect();
    scenes.extend(wanted.iter().filter(|name| name.ends_with(".toml")).map(PathBuf::from));
    scenes.sort();
    let mut last = String::new();
    let mut show = |name: &str, _: supple::Progress| {
        if last != name {
            eprintln!("{name}");
            last = name.to_string();
        }
    };
    match supple::gallery(&scenes, &root.join("docs/gallery"), &AtomicBool::new(false), &mut show) {
        Ok(shots) => {
            print!("{}", supple::table(&shots));
            if shots.iter().all(|shot| shot.summary.is_ok()) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
