//! ARCHITECTURE.md says which crate uses which; this compares it with what Cargo says.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

type Arrows = BTreeMap<String, Vec<String>>;

/// Fails where the page and the crates differ.
pub fn check(root: &Path) -> Result<(), String> {
    let page = std::fs::read_to_string(root.join("ARCHITECTURE.md")).map_err(|e| format!("ARCHITECTURE.md: {e}"))?;
    let (written, real) = (written(&page), real(root)?);
    for (name, uses) in &real {
        if written.get(name) != Some(uses) {
            return Err(format!("ARCHITECTURE.md should have the line `{name} → {}`", uses.join(", ")));
        }
    }
    match written.keys().find(|name| !real.contains_key(*name)) {
        Some(name) => Err(format!("ARCHITECTURE.md speaks of a crate {name} that there is not")),
        None => Ok(()),
    }
}

/// The indented lines `name → a, b` of the page.
fn written(page: &str) -> Arrows {
    let arrow = |line: &str| {
        let (name, uses) = line.strip_prefix("    ")?.split_once(" →")?;
        let uses = uses.split(',').map(|u| u.trim().to_string()).filter(|u| !u.is_empty()).collect();
        Some((name.to_string(), uses))
    };
    page.lines().filter_map(arrow).collect()
}

/// What each of our crates uses of the others, tests left out.
fn real(root: &Path) -> Result<Arrows, String> {
    let out = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps"])
        .current_dir(root)
        .output()
        .map_err(|e| format!("cargo metadata: {e}"))?;
    let metadata: Value = serde_json::from_slice(&out.stdout).map_err(|e| format!("cargo metadata: {e}"))?;
    let short = |name: &str| name.strip_prefix("supple-").unwrap_or(name).to_string();
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let packages = list(&metadata["packages"]);
    let text = |value: &Value| value.as_str().unwrap_or_default().to_string();
    let names: Vec<String> = packages.iter().map(|p| text(&p["name"])).collect();
    let mut arrows = Arrows::new();
    for package in &packages {
        let mut uses: Vec<String> = list(&package["dependencies"])
            .iter()
            .filter(|d| d["kind"].is_null())
            .map(|d| text(&d["name"]))
            .filter(|name| names.contains(name))
            .map(|name| short(&name))
            .collect();
        uses.sort();
        arrows.insert(short(&text(&package["name"])), uses);
    }
    Ok(arrows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrows_are_read_from_the_page() {
        let arrows = written("text\n    mesh → math\n    math →\n");
        assert_eq!(arrows["mesh"], ["math"]);
        assert!(arrows["math"].is_empty());
    }
}
