//! Markdown tables, bars and units.

use std::io::Write;

/// Prints a heading and a sentence under it.
pub fn heading(title: &str, about: &str) {
    println!("\n## {title}\n\n{about}\n");
}

/// Prints the head of a table.
pub fn head(columns: &[&str]) {
    println!("| {} |", columns.join(" | "));
    println!("|{}", " --- |".repeat(columns.len()));
}

/// Prints a row of a table at once, since the next one may take long.
pub fn row(cells: &[String]) {
    println!("| {} |", cells.join(" | "));
    std::io::stdout().flush().ok(); // a closed pipe shows at the next line
}

/// Whether a value is at most the bar.
pub fn verdict(value: f64, bar: f64) -> &'static str {
    if value <= bar { "PASS" } else { "FAIL" }
}

/// Seconds as milliseconds.
pub fn ms(seconds: f64) -> String {
    format!("{:.1}", 1e3 * seconds)
}

/// A share as a percentage.
pub fn percent(share: f64) -> String {
    format!("{:.1}%", 100.0 * share)
}
