//! Progress on a terminal; silent elsewhere.

use indicatif::{ProgressBar, ProgressStyle};

/// A bar that counts to a known end.
pub fn bar(length: usize, unit: &str) -> ProgressBar {
    let style = ProgressStyle::with_template(&format!("{{bar:32}} {{pos}}/{{len}} {unit}, {{eta}} left"));
    let bar = ProgressBar::new(length as u64);
    style.map_or(bar.clone(), |style| bar.with_style(style))
}

/// A sign of life that says what is being done.
pub fn spinner() -> ProgressBar {
    let spinner = ProgressBar::new_spinner();
    spinner.enable_steady_tick(std::time::Duration::from_millis(120));
    spinner
}
