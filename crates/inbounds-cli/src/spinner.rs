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
        self.0.set_message(match step {
            Step::Opening => "opening the data".to_owned(),
            Step::Reading { statistics: 1 } => "reading rows for 1 statistic".to_owned(),
            Step::Reading { statistics } => format!("reading rows once for {statistics} statistics"),
            Step::Measuring => "drawing noise and computing errors".to_owned(),
            Step::Solving => "making the numbers add up".to_owned(),
            Step::Simulating { number, total } => format!("drawing the noise again, {number} of {total}"),
            Step::Writing => "writing the bundle".to_owned(),
        });
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
