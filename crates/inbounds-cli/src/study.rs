//! `inbounds study`: which studies there are, one of them, or all.

use std::{iter, path::Path};

use inbounds_studies::{
    Check, Study, pages, registry,
    suite::{Outcome, Suite},
};

use crate::{
    arguments::{StudyCommand, StudySettings},
    failure::{self, Failure},
    render::{self, Screen},
    spinner::Spinner,
};

/// Runs a study command and returns the text for standard output.
pub(crate) fn run(command: &StudyCommand) -> Result<String, Failure> {
    match command {
        StudyCommand::List { json } => {
            Ok(if *json { render::studies_json() } else { render::studies(Screen::output()) })
        }
        StudyCommand::Run(arguments) => {
            let study = registry::find(&arguments.id).ok_or_else(|| Failure::no_study(&arguments.id))?;
            let suite = compute(iter::once(study), &arguments.settings)?;
            if let [(_, Outcome::Skipped(reason))] = suite.outcomes.as_slice() {
                return Err(Failure::no_data(reason));
            }
            answer(&suite, arguments.settings.json, arguments.out.as_deref())
        }
        StudyCommand::All(arguments) => {
            let suite = compute(registry::all(), &arguments.settings)?;
            answer(&suite, arguments.settings.json, Some(&arguments.out))
        }
    }
}

fn compute(studies: impl Iterator<Item = &'static Study>, settings: &StudySettings) -> Result<Suite, Failure> {
    let spinner = Spinner::new(settings.quiet);
    let suite = Suite::run(studies, &settings.settings(), &spinner);
    spinner.finish();
    Ok(suite?)
}

/// Writes what was asked for, and fails if a verdict does; the files are written all the same.
fn answer(suite: &Suite, json: bool, out: Option<&Path>) -> Result<String, Failure> {
    if let Some(folder) = out {
        suite.write(folder).map_err(|error| Failure::unwritten(folder, &error))?;
    }
    let text = if json { render::suite_json(suite) } else { render::suite(suite, out, Screen::output()) };
    let failed: Vec<String> = suite.failed().map(|(study, check)| unborne(study, check)).collect();
    if failed.is_empty() {
        return Ok(text);
    }
    failure::note(&text);
    Err(Failure::verdicts(&failed))
}

fn unborne(study: &Study, check: &Check) -> String {
    let (claimed, computed) = (pages::claim(&check.claimed), pages::number(check.computed, 6));
    let error = pages::number(check.error, 2);
    format!("{}: {}: claimed {claimed}, found {computed} with standard error {error}", study.id, check.quantity)
}

#[cfg(test)]
mod tests {
    use inbounds_studies::{Check, Claim, Findings, registry, suite::Outcome, suite::Suite};

    use super::answer;

    fn suite(check: Check) -> Suite {
        let findings =
            Findings { tables: vec![], figure: None, checks: vec![check], prose: String::new(), substitute: None };
        let study = registry::all().next().expect("a study");
        Suite { outcomes: vec![(study, Outcome::Found(Box::new(findings)))] }
    }

    #[test]
    fn contradicted_verdicts_fail_and_open_ones_do_not() {
        let check = |estimate| Check::ours("x", Claim::Above(0.0), estimate, 0.1);
        assert!(answer(&suite(check(-1.0)), false, None).is_err());
        assert!(answer(&suite(check(0.1)), false, None).is_ok());
    }
}
