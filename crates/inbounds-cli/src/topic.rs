//! Whole documents of `docs` inside the program, taken in when it is built, so that the two cannot differ.

use std::borrow::Cow;

/// A document that `inbounds help` shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Topic {
    Plan,
    FromFile,
    Layouts,
    Kinds,
    Mechanisms,
    Bundle,
    Figures,
    Page,
    Ledger,
    Approval,
    Auditing,
    Constraints,
    LeastBias,
    Limits,
}

impl Topic {
    /// All of them, in the order of the help.
    pub(crate) const ALL: [Self; 14] = [
        Self::Plan,
        Self::FromFile,
        Self::Layouts,
        Self::Kinds,
        Self::Mechanisms,
        Self::Bundle,
        Self::Figures,
        Self::Page,
        Self::Ledger,
        Self::Approval,
        Self::Auditing,
        Self::Constraints,
        Self::LeastBias,
        Self::Limits,
    ];

    /// Its word on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Plan => "plan",
            Self::FromFile => "from-file",
            Self::Layouts => "layouts",
            Self::Kinds => "kinds",
            Self::Mechanisms => "mechanisms",
            Self::Bundle => "bundle",
            Self::Figures => "figures",
            Self::Page => "page",
            Self::Ledger => "ledger",
            Self::Approval => "approval",
            Self::Auditing => "auditing",
            Self::Constraints => "constraints",
            Self::LeastBias => "least-bias",
            Self::Limits => "limits",
        }
    }

    fn summary(self) -> &'static str {
        match self {
            Self::Plan => "Every key of a plan",
            Self::FromFile => "From your file to a plan, step by step",
            Self::Layouts => "Tables as offices lay them out: what is odd about each, and the plan that reads it",
            Self::Kinds => "The kinds of statistics: what each computes, and how it stays in range",
            Self::Mechanisms => "The mechanisms: noise, estimate, and when to choose which",
            Self::Bundle => "Every column and field of a bundle, and the formulas behind them",
            Self::Figures => "Rates, differences, change and ranks of what was published, with valid intervals",
            Self::Page => "What report.html shows",
            Self::Ledger => "The budget of a data set over all releases: how it is kept and what it promises",
            Self::Approval => "How a plan is approved before it is released, and what an approval covers",
            Self::Auditing => "What `inbounds audit` tries, what it can find, and what it cannot",
            Self::Constraints => "How numbers are made to add up, and the file of constraints",
            Self::LeastBias => "Why the thresholds of the mechanisms are what they are",
            Self::Limits => "What this version does not protect or cover",
        }
    }

    /// The document in Markdown.
    pub(crate) fn text(self) -> Cow<'static, str> {
        const PLAN: &str = include_str!("../../../docs/plan.md");
        match self {
            Self::Plan => PLAN.into(),
            Self::FromFile => include_str!("../../../docs/from-file.md").into(),
            Self::Layouts => include_str!("../../../docs/layouts.md").into(),
            Self::Kinds => include_str!("../../../docs/statistics.md").into(),
            Self::Mechanisms => section(PLAN, "Mechanisms").into(),
            Self::Bundle => include_str!("../../../docs/bundle.md").into(),
            Self::Figures => include_str!("../../../docs/figures.md").into(),
            Self::Page => include_str!("../../../docs/report.md").into(),
            Self::Ledger => include_str!("../../../docs/ledger.md").into(),
            Self::Approval => include_str!("../../../docs/approval.md").into(),
            Self::Auditing => include_str!("../../../docs/audit.md").into(),
            Self::Constraints => include_str!("../../../docs/reconcile.md").into(),
            Self::LeastBias => include_str!("../../../docs/least-bias.md").into(),
            Self::Limits => include_str!("../../../KNOWN-LIMITS.md").into(),
        }
    }
}

/// A section of a document, its heading included; empty if there is none.
fn section(document: &str, title: &str) -> String {
    let heading = |line: &str| line.starts_with('#').then(|| line.trim_start_matches('#').trim().to_owned());
    let inside = document.lines().skip_while(|line| heading(line).as_deref() != Some(title));
    let mut lines = inside.peekable();
    let first = lines.next().unwrap_or_default().to_owned();
    let rest = lines.take_while(|line| heading(line).is_none());
    std::iter::once(first).chain(rest.map(str::to_owned)).collect::<Vec<_>>().join("\n")
}

/// The topics, a line each, for the help of the program.
pub(crate) fn topics() -> String {
    let line = |topic: Topic| format!("  {:<13}{}", topic.name(), topic.summary());
    format!("Documents, by `inbounds help NAME`:\n{}", Topic::ALL.map(line).join("\n"))
}
