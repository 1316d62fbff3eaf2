//! Display of failures, and their exit codes.

use std::{
    fmt,
    io::{self, Write},
    path::Path,
};

use inbounds_advise::{AdviseError, design::DesignFailure};
use inbounds_audit::AuditError;
use inbounds_core::CoreError;
use inbounds_explore::{ExploreError, PlanFileError, StandaloneError};
use inbounds_figures::FiguresError;
use inbounds_ledger::LedgerError;
use inbounds_reconcile::ReconcileError;
use inbounds_release::{
    ReleaseError,
    plan::{DocumentErrors, PlacedMistake},
    predict::PredictError,
};
use inbounds_report::{ExportError, HeldBundles, ReportError};
use inbounds_studies::StudyError;
use miette::{GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteDiagnostic, Report};
use serde_json::json;

use crate::{
    excerpt::Excerpt,
    printable::{in_line, in_place, printable},
    render::Screen,
};

pub(crate) const DONE: u8 = 0;
pub(crate) const WRONG: u8 = 2;
const DATA: u8 = 3;
const WRITE: u8 = 4;
const ENTROPY: u8 = 5;
const UNPRINTED: u8 = 6;
const INFEASIBLE: u8 = 7;
const VERDICT: u8 = 8;
const LEDGER: u8 = 9;
const FOUND: u8 = 10;

/// The command succeeded, but standard output did not take its words.
pub(crate) fn unprinted(error: &io::Error) -> u8 {
    // If standard error is gone, the exit code still reports the failure.
    let _ = writeln!(
        io::stderr().lock(),
        "error: the command succeeded, but its result could not be printed: {error}; if a bundle was to be made, it is \
         complete"
    );
    UNPRINTED
}

/// Says something beside the result, if there is something to say.
pub(crate) fn note(text: &str) {
    if !text.is_empty() {
        // If standard error is gone, the note cannot be shown.
        let _ = writeln!(io::stderr().lock(), "{}", printable(text));
    }
}

/// A command that did not succeed.
pub(crate) enum Failure {
    /// Mistakes in a plan, each with its place.
    Plan(DocumentErrors),
    /// Mistakes in a constraints file, each with its place.
    Constraints(DocumentErrors),
    /// Mistakes in a file of figures, each with its place.
    Figures(DocumentErrors),
    /// Constraints that cannot hold together: nodes and what is required of each.
    Infeasible { conflict: Vec<(String, String)>, message: String },
    /// An answer that was given in full, and that is not as it should be; `json` is all of it.
    Answered { code: u8, message: String, json: String },
    /// Anything else, with its exit code.
    Other { code: u8, message: String },
}

impl From<DocumentErrors> for Failure {
    fn from(errors: DocumentErrors) -> Self {
        Self::Plan(errors)
    }
}

impl From<ReleaseError> for Failure {
    fn from(error: ReleaseError) -> Self {
        let code = code_of(&error);
        match error {
            ReleaseError::Plan(errors) => Self::Plan(errors),
            other => Self::Other { code, message: other.to_string() },
        }
    }
}

fn code_of(error: &ReleaseError) -> u8 {
    match error {
        ReleaseError::Plan(_) | ReleaseError::Budget(_) | ReleaseError::NotApproved { .. } => WRONG,
        ReleaseError::Codebook(_)
        | ReleaseError::NoColumn { .. }
        | ReleaseError::Data(_)
        | ReleaseError::Rows { .. } => DATA,
        ReleaseError::Entropy(_) => ENTROPY,
        ReleaseError::Ledger(_) => LEDGER,
        ReleaseError::Reserved { source, .. } => code_of(source),
        _ => WRITE,
    }
}

impl From<ExploreError> for Failure {
    fn from(error: ExploreError) -> Self {
        match error {
            ExploreError::Plan(PlanFileError::NoPlan(errors)) => Self::Plan(errors),
            ExploreError::Entropy(_) => Self::Other { code: ENTROPY, message: error.to_string() },
            other => Self::Other { code: WRITE, message: other.to_string() },
        }
    }
}

impl From<StandaloneError> for Failure {
    fn from(error: StandaloneError) -> Self {
        match error {
            StandaloneError::Release(error) => error.into(),
            other => Self::Other { code: WRONG, message: other.to_string() },
        }
    }
}

impl From<AuditError> for Failure {
    fn from(error: AuditError) -> Self {
        match error {
            AuditError::Release(error) => error.into(),
            other => Self::Other { code: WRITE, message: other.to_string() },
        }
    }
}

impl From<LedgerError> for Failure {
    fn from(error: LedgerError) -> Self {
        Self::Other { code: LEDGER, message: error.to_string() }
    }
}

impl From<PredictError> for Failure {
    fn from(error: PredictError) -> Self {
        let code = match &error {
            PredictError::Unwritten { .. } => WRITE,
            PredictError::NoModel { .. } | PredictError::SeveralModels { .. } => WRONG,
            _ => DATA,
        };
        match error {
            PredictError::Plan(errors) => Self::Plan(errors),
            other => Self::Other { code, message: other.to_string() },
        }
    }
}

impl From<ReportError> for Failure {
    fn from(error: ReportError) -> Self {
        let code = if matches!(error, ReportError::Unwritable { .. }) { WRITE } else { DATA };
        Self::Other { code, message: error.to_string() }
    }
}

impl From<ExportError> for Failure {
    fn from(error: ExportError) -> Self {
        match error {
            ExportError::Report(error) => error.into(),
            error => Self::Other { code: WRITE, message: error.to_string() },
        }
    }
}

impl From<ReconcileError> for Failure {
    fn from(error: ReconcileError) -> Self {
        let message = error.to_string();
        match error {
            ReconcileError::Bundle(_) | ReconcileError::Report(_) => Self::Other { code: WRITE, message },
            ReconcileError::Constraints(errors) => Self::Constraints(errors),
            ReconcileError::Infeasible { conflict } => Self::Infeasible { conflict, message },
            ReconcileError::Replicates { .. }
            | ReconcileError::Level { .. }
            | ReconcileError::Fit
            | ReconcileError::TotalLabel { .. }
            | ReconcileError::TotalOfTree
            | ReconcileError::Matrix { .. }
            | ReconcileError::NotUnimodular { .. } => Self::Other { code: WRONG, message },
            _ => Self::Other { code: DATA, message },
        }
    }
}

impl From<FiguresError> for Failure {
    fn from(error: FiguresError) -> Self {
        let message = error.to_string();
        match error {
            FiguresError::Document(errors) => Self::Figures(errors),
            FiguresError::Bundle(_) => Self::Other { code: WRITE, message },
            FiguresError::Refused { .. } | FiguresError::NotComparable { .. } | FiguresError::Level { .. } => {
                Self::Other { code: WRONG, message }
            }
            _ => Self::Other { code: DATA, message },
        }
    }
}

impl From<AdviseError> for Failure {
    fn from(error: AdviseError) -> Self {
        Self::Other { code: WRONG, message: error.to_string() }
    }
}

impl From<DesignFailure> for Failure {
    fn from(error: DesignFailure) -> Self {
        Self::Other { code: WRONG, message: error.to_string() }
    }
}

impl From<CoreError> for Failure {
    fn from(error: CoreError) -> Self {
        Self::Other { code: WRONG, message: error.to_string() }
    }
}

impl From<StudyError> for Failure {
    fn from(error: StudyError) -> Self {
        let code = match &error {
            StudyError::NoData { .. } | StudyError::Read { .. } | StudyError::Malformed { .. } => DATA,
            _ => WRONG,
        };
        Self::Other { code, message: error.to_string() }
    }
}

impl Failure {
    /// Arguments that do not go together.
    pub(crate) fn wrong(message: String) -> Self {
        Self::Other { code: WRONG, message }
    }

    /// There is no such study.
    pub(crate) fn no_study(id: &str) -> Self {
        Self::Other { code: WRONG, message: format!("there is no study `{id}`; `inbounds study list` names them all") }
    }

    /// Neither a document nor a command has this name.
    pub(crate) fn no_help(name: &str, documents: &str) -> Self {
        let message =
            format!("there is no help on `{name}`; documents are {documents}, and `inbounds help` names the commands");
        Self::Other { code: WRONG, message }
    }

    /// The manual page could not be made.
    pub(crate) fn no_page(error: &io::Error) -> Self {
        Self::Other { code: UNPRINTED, message: format!("the manual page could not be made: {error}") }
    }

    /// The data of a study is not there.
    pub(crate) fn no_data(reason: &str) -> Self {
        Self::Other { code: DATA, message: reason.to_owned() }
    }

    /// Verdicts that numbers do not bear out.
    pub(crate) fn verdicts(failed: &[String]) -> Self {
        let message = format!("the numbers contradict {} of the verdicts:\n  {}", failed.len(), failed.join("\n  "));
        Self::Other { code: VERDICT, message }
    }

    /// Promises of privacy that are not kept; `json` is the whole audit.
    pub(crate) fn broken_promises(findings: usize, json: String) -> Self {
        let message = match findings {
            1 => "the audit found a promise that is not kept".to_owned(),
            _ => format!("the audit found {findings} promises that are not kept"),
        };
        Self::Answered { code: FOUND, message, json }
    }

    /// A plan that is in order, and for which its ledger would not pay; `json` is all that was checked.
    pub(crate) fn would_refuse(json: String) -> Self {
        Self::Answered { code: LEDGER, message: "the ledger would refuse this release".to_owned(), json }
    }

    /// Bundles that were changed, or that no ledger paid for; `json` is all that was found.
    pub(crate) fn wrong_bundles(held: &HeldBundles, json: String) -> Self {
        let message = match (held.wrong(), held.count()) {
            (1, 1) => "the bundle was changed or never charged".to_owned(),
            (1, all) => format!("1 of {all} bundles was changed or never charged"),
            (wrong, all) => format!("{wrong} of {all} bundles were changed or never charged"),
        };
        Self::Answered { code: LEDGER, message, json }
    }

    /// A page that was drawn of files that are not those of their manifest; `json` is what was drawn.
    pub(crate) fn drawn_of_others(json: String) -> Self {
        let message = "the page was drawn, with a warning on it: the bundle does not match its manifest".to_owned();
        Self::Answered { code: DATA, message, json }
    }

    /// A file that was asked for could not be made.
    pub(crate) fn unwritten(path: &Path, error: &io::Error) -> Self {
        let message = match error.kind() {
            io::ErrorKind::AlreadyExists => {
                format!("{} exists already and is not replaced: remove it or name another file", path.display())
            }
            _ => format!("{} cannot be written: {error}", path.display()),
        };
        Self::Other { code: WRITE, message }
    }

    /// Shows the failure on standard error and gives its exit code.
    pub(crate) fn show(&self) -> u8 {
        // If standard error is gone, the exit code still reports the failure.
        let _ = write!(io::stderr().lock(), "{}", self.text(Screen::errors()));
        self.code()
    }

    fn code(&self) -> u8 {
        match self {
            Self::Plan(_) | Self::Constraints(_) | Self::Figures(_) => WRONG,
            Self::Infeasible { .. } => INFEASIBLE,
            Self::Answered { code, .. } | Self::Other { code, .. } => *code,
        }
    }

    /// The failure for a machine.
    pub(crate) fn to_json(&self) -> String {
        let value = match self {
            Self::Plan(errors) | Self::Constraints(errors) | Self::Figures(errors) => json!({
                "error": match self {
                    Self::Plan(_) => "plan",
                    Self::Figures(_) => "figures",
                    _ => "constraints",
                },
                "exit_code": self.code(),
                "file": errors.name,
                "mistakes_in_all": errors.count(),
                "mistakes": errors.mistakes.iter().map(|mistake| json!({
                    "line": mistake.line, "column": mistake.column, "message": mistake.message, "help": mistake.help,
                })).collect::<Vec<_>>(),
            }),
            Self::Infeasible { conflict, .. } => json!({
                "error": "infeasible",
                "exit_code": self.code(),
                "conflict": conflict.iter().map(|(node, requirement)| json!({
                    "node": node, "requirement": requirement,
                })).collect::<Vec<_>>(),
            }),
            Self::Answered { json, .. } => return json.clone(),
            Self::Other { message, .. } => json!({ "error": message, "exit_code": self.code() }),
        };
        format!("{value:#}")
    }

    /// The failure for people.
    fn text(&self, screen: Screen) -> String {
        match self {
            Self::Infeasible { message, .. } | Self::Answered { message, .. } | Self::Other { message, .. } => {
                format!("{}\n", screen.prose(&format!("error: {}", printable(message))))
            }
            Self::Plan(errors) | Self::Constraints(errors) | Self::Figures(errors) => {
                let mut text: String =
                    errors.mistakes.iter().map(|mistake| pointed_out(errors, mistake, screen) + "\n").collect();
                let count = errors.count();
                let noun = if count == 1 { "mistake" } else { "mistakes" };
                let shown = match errors.more {
                    0 => String::new(),
                    _ => format!(", the first {} of them above", errors.mistakes.len()),
                };
                let (document, spared) = match self {
                    Self::Plan(_) => ("plan", "no row was read"),
                    Self::Figures(_) => ("figures", "nothing was written"),
                    _ => ("constraints", "nothing was written"),
                };
                let name = in_line(&errors.name);
                let summary = match (errors.text.is_empty(), count) {
                    // There is no such file, or it is another kind of file: the one mistake says which.
                    (true, 1) => format!("error: no {document} could be read from {name}; {spared}"),
                    _ => format!("error: {count} {noun} in {name}{shown}; {spared}"),
                };
                text.push_str(&screen.prose(&summary));
                text + "\n"
            }
        }
    }
}

/// A mistake with the words of the plan that hold it.
fn pointed_out(errors: &DocumentErrors, mistake: &PlacedMistake, screen: Screen) -> String {
    let mut diagnostic = MietteDiagnostic::new(in_line(&mistake.message));
    if !errors.text.is_empty() {
        diagnostic = diagnostic.with_label(LabeledSpan::underline(mistake.span.clone()));
    }
    if let Some(help) = &mistake.help {
        diagnostic = diagnostic.with_help(in_line(help));
    }
    let excerpt = Excerpt { name: in_line(&errors.name).into_owned(), text: in_place(&errors.text).into_owned() };
    let report = Report::new(diagnostic).with_source_code(excerpt);
    let colour = io::IsTerminal::is_terminal(&io::stderr()) && std::env::var_os("NO_COLOR").is_none();
    let theme = if colour { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
    let mut text = String::new();
    let handler = GraphicalReportHandler::new_themed(theme).with_links(false).with_break_words(false);
    let handler = if screen.wraps() { handler.with_width(screen.columns()) } else { handler };
    match handler.render_report(&mut text, report.as_ref()) {
        Ok(()) => text,
        Err(fmt::Error) => format!("{}:{}:{}: {}", errors.name, mistake.line, mistake.column, mistake.message),
    }
}
