//! Progress on standard error; hidden when that is no terminal or with `--quiet`.

use std::time::Duration;

use inbounds_release::{Progress, Step};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A spinner that says which step is running, and for how long.
pub(crate) struct Spinner(ProgressBar);

impl Spinner {
    pub(crate) fn new(quiet: bool) -> Self {
        // `stderr()` draws nothing when standard error is no terminal.
        let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        let bar = ProgressBar::with_draw_target(None, target);
        bar.set_style(ProgressStyle::with_template("{spinner} {msg} ({elapsed})").expect("a constant template"));
        bar.enable_steady_tick(Duration::from_millis(120));
        Self(bar)
    }

    pub(crate) fn finish(&self) {
        self.0.finish_and_clear();
    }
}

impl Progress for Spinner {
    fn begin(&self, step: Step) {
        self.0.set_message(step.to_string());
    }
}

impl inbounds_audit::Progress for Spinner {
    fn at(&self, stage: &str) {
        self.0.set_message(stage.to_owned());
    }
}

impl inbounds_studies::Progress for Spinner {
    fn begin(&self, study: &str) {
        self.0.set_message(format!("computing {study}"));
    }

    fn at(&self, study: &str, simulation: &str, done: u64, total: u64) {
        self.0.set_message(format!("computing {study}: {simulation}, {done} of {total}"));
    }
}
