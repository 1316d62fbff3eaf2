//! The answers of `inbounds study`.

use std::path::Path;

use inbounds_studies::{
    Check, Findings, Study, Verdict, pages, registry,
    suite::{Outcome, Suite},
};

use serde_json::{Value, json};

use super::table;

/// The list of all studies.
pub(crate) fn studies() -> String {
    let row = |study: &Study| {
        let replicates = if study.replicates == 0 { "none".to_owned() } else { study.replicates.to_string() };
        vec![study.id.to_owned(), study.paper.authors().to_owned(), study.place.to_owned(), replicates]
    };
    table(&["study", "paper", "place", "replicates"], 3, registry::all().map(row))
}

/// What studies found: one in full, several with a line each.
pub(crate) fn suite(suite: &Suite, out: Option<&Path>) -> String {
    let mut parts = match suite.outcomes.as_slice() {
        [(study, Outcome::Found(findings))] => vec![one(study, findings)],
        several => vec![lines(several)],
    };
    parts.extend(suite.outcomes.iter().filter_map(|(_, outcome)| match outcome {
        Outcome::Skipped(reason) => Some(format!("Skipped: {reason}.")),
        Outcome::Found(findings) => findings.substitute.as_ref().map(|substitute| format!("Warning: {substitute}")),
    }));
    parts.extend(out.map(|folder| format!("Tables, pictures and pages: {}", folder.display())));
    parts.join("\n\n")
}

fn one(study: &Study, findings: &Findings) -> String {
    let header = ["number", "claimed", "found", "s.e.", "verdict"];
    let row = |check: &Check| {
        let error = if check.error > 0.0 { pages::number(check.error, 2) } else { "exact".to_owned() };
        vec![
            check.what.clone(),
            pages::claim(&check.claimed),
            pages::number(check.found, 6),
            error,
            verdict(check).to_owned(),
        ]
    };
    [
        format!("{}, {}", study.paper.authors(), study.place),
        format!("Claimed. {}", study.claim),
        format!("Found. {}", findings.prose.trim()),
        table(&header, 1, findings.checks.iter().map(row)),
    ]
    .join("\n\n")
}

fn verdict(check: &Check) -> &'static str {
    match (&check.verdict, check.holds()) {
        (_, false) => "FAILED",
        (Verdict::Reproduced, true) => "reproduced",
        (Verdict::Ours, true) => "holds",
        (Verdict::Differs { .. }, true) => "differs",
    }
}

fn lines(outcomes: &[(&'static Study, Outcome)]) -> String {
    let header = ["study", "place", "reproduced", "differ", "hold", "failed"];
    let row = |(study, outcome): &(&'static Study, Outcome)| {
        let mut row = vec![study.id.to_owned(), study.place.to_owned()];
        match outcome {
            Outcome::Skipped(_) => row.extend(["skipped".to_owned(), String::new(), String::new(), String::new()]),
            Outcome::Found(findings) => {
                let count = |word: &str| findings.checks.iter().filter(|check| verdict(check) == word).count();
                row.extend(["reproduced", "differs", "holds", "FAILED"].map(|word| count(word).to_string()));
            }
        }
        row
    };
    table(&header, 2, outcomes.iter().map(row))
}

/// The list of all studies for a machine.
pub(crate) fn studies_json() -> String {
    let studies: Vec<Value> = registry::all().map(described).collect();
    super::json(&studies)
}

/// What studies found for a machine, one entry a study.
pub(crate) fn suite_json(suite: &Suite) -> String {
    let entry = |(study, outcome): &(&'static Study, Outcome)| {
        let mut entry = described(study);
        match outcome {
            Outcome::Skipped(reason) => entry["skipped"] = json!(reason),
            Outcome::Found(findings) => {
                entry["found"] = json!(findings.prose);
                entry["substitute"] = json!(findings.substitute);
                entry["checks"] = findings.checks.iter().map(check_json).collect();
            }
        }
        entry
    };
    super::json(&suite.outcomes.iter().map(entry).collect::<Vec<_>>())
}

fn described(study: &Study) -> Value {
    json!({
        "id": study.id,
        "paper": study.paper.key(),
        "place": study.place,
        "claim": study.claim,
        "replicates": study.replicates,
    })
}

/// Numbers that are not finite are null, as JSON has none.
fn check_json(check: &Check) -> Value {
    let mut value = json!({
        "what": check.what,
        "claimed": pages::claim(&check.claimed),
        "found": check.found,
        "standard_error": check.error,
        "verdict": verdict(check),
    });
    if let Verdict::Differs { why, erratum } = &check.verdict {
        value["why"] = json!(why);
        value["erratum"] = json!(erratum);
    }
    value
}
