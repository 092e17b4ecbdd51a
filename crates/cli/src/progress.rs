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

/// A long run: what is being done, then a bar for the frames.
#[derive(Default)]
pub struct Stages {
    shown: Option<(ProgressBar, bool)>,
}

impl Stages {
    /// Shows how far it is.
    pub fn show(&mut self, progress: supple::Progress) {
        match progress {
            supple::Progress::Doing(what) => self.doing(what),
            supple::Progress::Frames { done, all } => self.frames(done, all),
        }
    }

    /// Says what is being done.
    fn doing(&mut self, what: &str) {
        if self.shown.as_ref().is_none_or(|(_, is_bar)| *is_bar) {
            self.clear();
            self.shown = Some((spinner(), false));
        }
        if let Some((shown, _)) = &self.shown {
            shown.set_message(what.to_string());
        }
    }

    /// Counts frames.
    fn frames(&mut self, done: usize, all: usize) {
        if self.shown.as_ref().is_none_or(|(_, is_bar)| !*is_bar) {
            self.clear();
            self.shown = Some((bar(all, "frames"), true));
        }
        if let Some((shown, _)) = &self.shown {
            shown.set_position(done as u64);
        }
    }

    /// Takes everything off the screen.
    pub fn clear(&mut self) {
        if let Some((shown, _)) = self.shown.take() {
            shown.finish_and_clear();
        }
    }
}
