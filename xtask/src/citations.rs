//! Papers are cited by keys like [SGK18]; every key must be in docs/papers.bib.

use std::path::{Path, PathBuf};

/// Fails on a key that the list of papers does not have.
pub fn check(root: &Path) -> Result<(), String> {
    let papers = std::fs::read_to_string(root.join("docs/papers.bib")).map_err(|e| format!("docs/papers.bib: {e}"))?;
    for file in sources(root) {
        let text = std::fs::read_to_string(&file).map_err(|e| format!("{}: {e}", file.display()))?;
        for key in keys(&text) {
            if !papers.contains(&format!("{{{key},")) {
                return Err(format!("{} cites [{key}], which docs/papers.bib does not have", file.display()));
            }
        }
    }
    Ok(())
}

fn sources(root: &Path) -> Vec<PathBuf> {
    let mut found = vec![];
    let mut folders = vec![root.join("crates"), root.join("docs")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            match path.extension().and_then(|e| e.to_str()) {
                _ if path.is_dir() => folders.push(path),
                Some("rs" | "md") => found.push(path),
                _ => {}
            }
        }
    }
    found.sort();
    found
}

/// Words in brackets of two to four capitals or letters and two digits, optionally with an equation: [SGK18, eq. 14].
fn keys(text: &str) -> Vec<String> {
    let inside = text.split('[').skip(1).filter_map(|rest| rest.split(']').next());
    let words = inside.flat_map(|words| words.split([',', ';'])).map(str::trim);
    words.filter(|w| is_key(w)).map(String::from).collect()
}

fn is_key(word: &str) -> bool {
    let letters = word.trim_end_matches(|c: char| c.is_ascii_digit());
    word.len() - letters.len() == 2
        && (2..=5).contains(&letters.len())
        && letters.starts_with(|c: char| c.is_ascii_uppercase())
        && letters.chars().all(|c| c.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_found_and_indices_are_not() {
        assert_eq!(keys("as in [SGK18, eq. 14; Bat07], not x[i2] or [m/s²] or [D2]"), ["SGK18", "Bat07"]);
    }
}
