//! The answers of `inbounds study`.

use std::path::Path;

use inbounds_studies::{
    Check, Findings, Standing, Study, Verdict, pages, registry,
    suite::{Outcome, Suite},
};

use serde_json::{Value, json};

use super::{Screen, columns::Table};

/// The list of all studies.
pub(crate) fn studies(screen: Screen) -> String {
    let studies: Vec<&Study> = registry::all().collect();
    let table = Table::default()
        .words("study", &studies, |study| study.id.to_owned())
        .words("paper", &studies, |study| study.paper.authors().to_owned())
        .words("place", &studies, |study| study.place.to_owned())
        .figures("replicates", &studies, |study| match study.replicates {
            0 => "none".to_owned(),
            replicates => replicates.to_string(),
        });
    screen.table(&table)
}

/// Findings of studies: one in full, several with a line each.
pub(crate) fn suite(suite: &Suite, out: Option<&Path>, screen: Screen) -> String {
    let mut parts = match suite.outcomes.as_slice() {
        [(study, Outcome::Found(findings))] => vec![one(study, findings, screen)],
        several => vec![screen.table(&lines(several))],
    };
    parts.extend(suite.outcomes.iter().filter_map(|(_, outcome)| match outcome {
        Outcome::Skipped(reason) => Some(screen.prose(&format!("Skipped: {reason}."))),
        Outcome::Found(findings) => {
            findings.substitute.as_ref().map(|substitute| screen.prose(&format!("Warning: {substitute}")))
        }
    }));
    if suite.outcomes.len() > 1 {
        parts.push(screen.prose(&suite.decided()));
    }
    parts.extend(untold(suite).map(|sentence| screen.prose(&sentence)));
    parts.extend(out.map(|folder| format!("Tables, pictures and pages: {}", folder.display())));
    parts.join("\n\n")
}

fn one(study: &Study, findings: &Findings, screen: Screen) -> String {
    let checks = &findings.checks;
    let table = Table::default()
        .words("number", checks, |check| check.quantity.clone())
        .words("place", checks, |check| {
            check.statement().map_or("this project", |statement| statement.label).to_owned()
        })
        .figures("claimed", checks, |check| pages::claim(&check.claimed))
        .figures("found", checks, |check| pages::number(check.computed, 6))
        .figures(
            "s.e.",
            checks,
            |check| {
                if check.error > 0.0 { pages::number(check.error, 2) } else { "exact".to_owned() }
            },
        )
        .figures("verdict", checks, |check| verdict(check).to_owned());
    [
        screen.prose(&format!("{}, {}", study.paper.authors(), study.place)),
        screen.prose(&format!("Claimed. {}", study.claim)),
        screen.prose(&format!("Found. {}", findings.prose.trim())),
        screen.table(&table),
    ]
    .join("\n\n")
}

fn verdict(check: &Check) -> &'static str {
    match (check.standing(), &check.verdict) {
        (Standing::Fails, _) => "FAILED",
        (Standing::TooFewReplicates, _) => "too few replicates to tell",
        (Standing::Holds, Verdict::Reproduced { .. }) => "reproduced",
        (Standing::Holds, Verdict::Ours) => "holds",
        (Standing::Holds, Verdict::Differs { .. }) => "differs",
    }
}

/// Note on verdicts that chance could reverse; nothing if there are none.
fn untold(suite: &Suite) -> Option<String> {
    match suite.standing(Standing::TooFewReplicates).count() {
        0 => None,
        1 => Some("1 verdict has too few replicates to tell; raise --replicates, or leave it out.".to_owned()),
        open => Some(format!("{open} verdicts have too few replicates to tell; raise --replicates, or leave it out.")),
    }
}

/// A line a study: how many of its checks have which verdict.
fn lines(outcomes: &[(&'static Study, Outcome)]) -> Table {
    let table = Table::default().words("study", outcomes, |(study, _)| study.id.to_owned()).words(
        "place",
        outcomes,
        |(study, _)| study.place.to_owned(),
    );
    let verdicts = [
        ("reproduced", "reproduced"),
        ("differ", "differs"),
        ("hold", "holds"),
        ("too few replicates", "too few replicates to tell"),
        ("failed", "FAILED"),
    ];
    verdicts.into_iter().enumerate().fold(table, |table, (index, (header, word))| {
        table.figures(header, outcomes, |(_, outcome)| match outcome {
            Outcome::Skipped(_) if index == 0 => "skipped".to_owned(),
            Outcome::Skipped(_) => String::new(),
            Outcome::Found(findings) => {
                findings.checks.iter().filter(|check| verdict(check) == word).count().to_string()
            }
        })
    })
}

/// The list of all studies for a machine.
pub(crate) fn studies_json() -> String {
    let studies: Vec<Value> = registry::all().map(described).collect();
    super::json(&studies)
}

/// Findings of studies for a machine, one entry a study.
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
        "what": check.quantity,
        "claimed": pages::claim(&check.claimed),
        "found": check.computed,
        "standard_error": check.error,
        "verdict": verdict(check),
    });
    if let Some(statement) = check.statement() {
        value["place"] = json!(statement.label);
        value["section"] = json!(statement.section);
    }
    if let Verdict::Differs { why, erratum, .. } = &check.verdict {
        value["why"] = json!(why);
        value["erratum"] = json!(erratum);
    }
    value
}
