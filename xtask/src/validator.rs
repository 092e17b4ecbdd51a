//! The Khronos glTF validator, for the tests that write .glb files.

use std::path::Path;
use std::process::Command;

/// The variable that tells the tests where it is.
pub const VARIABLE: &str = "SUPPLE_GLTF_VALIDATOR";

/// Installs it below target/ if it is not there yet, and returns where. Without npm it says so, and the tests skip.
pub fn install(root: &Path) -> Option<String> {
    let folder = root.join("target/gltf-validator");
    if !folder.join("node_modules/gltf-validator").is_dir() {
        std::fs::create_dir_all(&folder).ok()?;
        println!("$ npm install gltf-validator (into target/gltf-validator)");
        let status = Command::new("npm")
            .args(["install", "--silent", "--no-fund", "--no-audit", "--prefix"])
            .arg(&folder)
            .arg("gltf-validator")
            .status();
        if !matches!(status, Ok(status) if status.success()) {
            println!("skipped: npm could not install gltf-validator, so .glb files are not validated");
            return None;
        }
    }
    Some(folder.display().to_string())
}

/// How many errors it finds in a .glb file; none where it does not run.
pub fn errors(root: &Path, folder: &str, file: &Path) -> Option<u64> {
    let script = root.join("crates/formats/tests/validate.cjs");
    let modules = Path::new(folder).join("node_modules");
    let run = Command::new("node").arg(script).arg(file).env("NODE_PATH", modules).output().ok()?;
    String::from_utf8_lossy(&run.stdout).split_whitespace().next()?.parse().ok()
}
