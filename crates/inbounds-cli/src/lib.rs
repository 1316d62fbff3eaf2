//! The command `inbounds`: arguments, exit codes and words on the terminal. Nothing is computed here.
//!
//! It is a library so that whatever else brings the command, such as the Python package, brings this one; [`text`] has
//! the words of single results.

mod arguments;
mod excerpt;
mod exit_codes;
mod failure;
mod fault;
mod help;
mod interview;
mod ledger;
mod printable;
mod render;
mod spinner;
mod study;
pub mod text;
mod topic;

use std::{
    ffi::OsString,
    fs::File,
    io::{self, IsTerminal, Write},
    path::Path,
};

use clap::Parser;
use inbounds_advise::{advise, design::design, figure};
use inbounds_audit::audit;
use inbounds_explore::{Explorer, standalone};
use inbounds_figures::{FiguresFile, FiguresMade, compare, figures, read_release};
use inbounds_reconcile::reconcile;
use inbounds_release::{
    Approvable, AssumedRows, FirstAnswers, FirstLook, PlanText, Randomness, ReleaseError, approvable, by_epsilon,
    check,
    codebook::Codebook,
    parse_plan, peek,
    plan::{TextEncoding, TextLayout},
    predict, read_plan, release_within, sample_sizes, unfinished_beside,
};

use arguments::{
    AdviseArguments, Arguments, AuditArguments, CheckArguments, Command, CompareArguments, DesignArguments,
    ExploreArguments, ExportArguments, FigureArguments, InitArguments, PeekArguments, PlanCommand, PredictArguments,
    ReconcileArguments, ReleaseArguments, ReportArguments,
};
use failure::Failure;
use interview::Interview;
use render::{Screen, Shown};
use spinner::Spinner;

/// Runs the command with these arguments, the first of which is its own name, and returns its exit code.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(refused) => {
            // If standard error is gone, the exit code still reports the failure. Help that was asked for is no
            // failure.
            let _ = refused.print();
            return u8::try_from(refused.exit_code()).unwrap_or(failure::WRONG);
        }
    };
    let json = arguments.command.json();
    match fault::watched(|| answer(arguments.command)) {
        Ok(text) => print(&text),
        Err(failure) => {
            if json {
                print(&failure.to_json());
            }
            failure.show()
        }
    }
}

fn answer(command: Command) -> Result<String, Failure> {
    match command {
        Command::Release(arguments) => run_release(&arguments),
        Command::Check(arguments) => run_check(&arguments),
        Command::Explore(arguments) => run_explore(&arguments),
        Command::Peek(arguments) => run_peek(&arguments),
        Command::Audit(arguments) => run_audit(&arguments),
        Command::Plan(PlanCommand::Init(arguments)) => run_init(&arguments),
        Command::Advise(arguments) => run_advise(&arguments),
        Command::Design(arguments) => run_design(&arguments),
        Command::Predict(arguments) => run_predict(&arguments),
        Command::Figure(arguments) => run_figure(&arguments),
        Command::Compare(arguments) => run_compare(&arguments),
        Command::Reconcile(arguments) => run_reconcile(&arguments),
        Command::Report(arguments) => run_report(&arguments),
        Command::Export(arguments) => run_export(&arguments),
        Command::Study(command) => study::run(&command),
        Command::Ledger(command) => ledger::run(&command),
        Command::Help(arguments) => help::help(&arguments.words),
        Command::Completions(arguments) => Ok(help::completions(arguments.shell)),
        Command::Man(arguments) => help::manual(&arguments.words),
    }
}

fn run_release(arguments: &ReleaseArguments) -> Result<String, Failure> {
    let mut plan = read_plan(&arguments.plan)?;
    plan.approval = arguments.approval()?;
    for unfinished in unfinished_beside(&arguments.out) {
        failure::note(&Screen::errors().prose(&unfinished.sentence()));
    }
    let randomness = arguments.seed.map_or(Randomness::Secure, Randomness::Seeded);
    let spinner = Spinner::new(arguments.quiet);
    let outcome = release_within(&arguments.memory.of_units(), &plan, &arguments.out, randomness, &spinner);
    spinner.finish();
    let released = outcome?;
    let figures = FiguresMade::open(&released.folder)?;
    Ok(if arguments.json {
        render::release_json(&plan, &released, figures.as_ref())
    } else {
        render::release(&plan, (&released, figures.as_ref()), shown(arguments.all), Screen::output())
    })
}

fn run_init(arguments: &InitArguments) -> Result<String, Failure> {
    let InitArguments { data, out, encoding, skip, header, sheet, codebook, .. } = arguments;
    let encoding = encoding.unwrap_or(TextEncoding::ByMark);
    let laid_out = TextLayout { encoding, skip: *skip, header: *header, sheet: sheet.clone(), ..TextLayout::default() };
    // Paths of a plan are relative to its folder.
    let beside = out.parent().is_none_or(|folder| folder == Path::new(""));
    let is_url = data.to_str().is_some_and(|data| data.contains("://"));
    let path = if beside || is_url { Ok(data.clone()) } else { std::path::absolute(data) };
    let path = path.map_err(|error| Failure::unwritten(out, &error))?;
    let codebook = codebook.as_ref().map(|file| Codebook::read(file, data)).transpose().map_err(ReleaseError::from)?;
    if arguments.rows.is_some() && arguments.neighbours != "substitute" {
        return Err(Failure::wrong(
            "`--rows` is for `--neighbours substitute`, under which their number is public".to_owned(),
        ));
    }
    let is_row = arguments.unit.as_deref() == Some("row");
    if arguments.neighbours == "substitute" && is_row && arguments.rows.is_none() {
        return Err(Failure::wrong(
            "`--neighbours substitute` needs `--rows N`, the number of rows, which everybody knows".to_owned(),
        ));
    }
    let look = FirstLook::open(data, laid_out, codebook.as_ref())?;
    let (path, folder) = (path.to_string_lossy(), out.parent().unwrap_or(Path::new("")));
    // Questions are asked where a user is at a terminal.
    let mut answers = arguments.answers();
    if arguments.unit.is_none() && io::stdin().is_terminal() && io::stderr().is_terminal() {
        let expected = |tried: &FirstAnswers| errors_of(&look.plan(&path, tried).ok()?, folder);
        let width = Screen::errors().columns();
        let interview =
            Interview { look: &look, width, input: io::stdin().lock(), output: io::stderr(), expected: &expected };
        answers = interview.ask(answers).map_err(|error| Failure::unwritten(Path::new("the terminal"), &error))?;
    }
    let plan = look.plan(&path, &answers)?;
    write_new(out, plan.as_bytes()).map_err(|error| Failure::unwritten(out, &error))?;
    let (plan, check) = (out.display(), "inbounds check");
    Ok(format!("Plan: {plan}\nAnswer the questions in it, marked with (?), and run `{check} {plan}` at any time."))
}

/// The errors to expect of a plan that is not written yet; `None` where it cannot be checked.
fn errors_of(text: &str, folder: &Path) -> Option<String> {
    let plan = parse_plan(PlanText { text, name: "the plan", folder, rows: None }).ok()?;
    let report = check::check(&plan, &AssumedRows::Usual).ok()?;
    Some(render::expected_so_far(&report, Screen::output()))
}

fn run_check(arguments: &CheckArguments) -> Result<String, Failure> {
    let plan = read_plan(&arguments.plan)?;
    let assumed = arguments.assumed();
    let report = check::check(&plan, &assumed)?;
    let sizes = arguments.sample_sizes.as_ref().map(|sizes| sample_sizes(&plan, sizes)).transpose()?;
    let epsilons = by_epsilon(&plan, &arguments.epsilon, &assumed)?;
    let approval = arguments.out.as_ref().map(|out| -> Result<_, Failure> {
        let Approvable { sha256, page } = approvable(&plan, &arguments.epsilon, &assumed)?;
        write_new(out, page.as_bytes()).map_err(|error| Failure::unwritten(out, &error))?;
        Ok(render::ApprovalPage { path: out.clone(), sha256 })
    });
    let approval = approval.transpose()?;
    let more = render::More { sizes, epsilons: (arguments.epsilon.clone(), epsilons), approval };
    let json = || render::check_json(&report, &more);
    let words = || render::check(&report, &more, shown(arguments.all), Screen::output());
    let refused = report.ledger.as_ref().is_some_and(|ledger| ledger.refused.is_some());
    answered(arguments.json, words, json, refused.then_some(Failure::would_refuse))
}

fn run_explore(arguments: &ExploreArguments) -> Result<String, Failure> {
    if let Some(out) = &arguments.out {
        let plan = read_plan(&arguments.plan)?;
        let page = standalone(&arguments.plan.display().to_string(), &plan)?;
        write_new(out, page.as_bytes()).map_err(|error| Failure::unwritten(out, &error))?;
        return Ok(format!("Page: {}", out.display()));
    }
    let explorer = Explorer::open(&arguments.plan, arguments.port)?;
    print(&format!(
        "Open {} in a browser of this machine. Whoever has this address can read and write the plan; Ctrl-C ends it.",
        explorer.url()
    ));
    explorer.serve()
}

fn run_peek(arguments: &PeekArguments) -> Result<String, Failure> {
    let plan = read_plan(&arguments.plan)?;
    let peeked = peek::peek(&plan, &arguments.memory.of_units())?;
    Ok(if arguments.json { render::peek_json(&peeked) } else { render::peek(&peeked, Screen::output()) })
}

fn run_audit(arguments: &AuditArguments) -> Result<String, Failure> {
    let mut plan = read_plan(&arguments.plan)?;
    if let Some(data) = &arguments.data {
        // Paths of a plan are relative to its folder.
        let path = std::path::absolute(data).map_err(|error| Failure::wrong(format!("{}: {error}", data.display())))?;
        plan.data.path.value = path.to_string_lossy().into_owned();
    }
    let spinner = Spinner::new(arguments.quiet);
    let outcome = audit(&plan, &arguments.options(), &spinner);
    spinner.finish();
    let audited = outcome?;
    let words = || render::audit(&plan, &audited, Screen::output());
    let findings = audited.findings.len();
    let failure = (findings > 0).then_some(move |json| Failure::broken_promises(findings, json));
    answered(arguments.json, words, || render::json(&audited), failure)
}

/// An answer in words or as JSON. One that is not as it should be is printed like any other; the failure that follows,
/// made of the JSON, gives the exit code.
pub(crate) fn answered(
    as_json: bool,
    words: impl FnOnce() -> String,
    json: impl FnOnce() -> String,
    failure: Option<impl FnOnce(String) -> Failure>,
) -> Result<String, Failure> {
    match (failure, as_json) {
        (None, true) => Ok(json()),
        (None, false) => Ok(words()),
        (Some(failure), true) => Err(failure(json())),
        (Some(failure), false) => {
            print(&words());
            Err(failure(json()))
        }
    }
}

fn run_advise(arguments: &AdviseArguments) -> Result<String, Failure> {
    let question = arguments.question()?;
    let ranking = advise(&question, arguments.criterion)?;
    if let Some(path) = &arguments.plot {
        let svg = figure(&question, &ranking.advice).to_svg();
        write_new(path, svg.as_bytes()).map_err(|error| Failure::unwritten(path, &error))?;
    }
    if arguments.json {
        failure::note(&render::refused(&ranking));
        return Ok(render::json(&ranking.advice));
    }
    Ok(render::advise(&question, arguments.criterion, &ranking, Screen::output()))
}

fn run_design(arguments: &DesignArguments) -> Result<String, Failure> {
    let question = arguments.question()?;
    let designed = design(&question)?;
    if let Some(path) = &arguments.out {
        write_new(path, designed.to_csv().as_bytes()).map_err(|error| Failure::unwritten(path, &error))?;
    }
    Ok(if arguments.json { render::json(&designed) } else { render::design(&question, &designed, Screen::output()) })
}

fn run_predict(arguments: &PredictArguments) -> Result<String, Failure> {
    let model = predict::model(&arguments.bundle, arguments.statistic.as_deref())?;
    let predicted = predict::predict(&model, &arguments.rows, &arguments.out)?;
    Ok(if arguments.json {
        render::predict_json(&predicted, &arguments.out)
    } else {
        render::predict(&predicted, &arguments.out, Screen::output())
    })
}

fn run_figure(arguments: &FigureArguments) -> Result<String, Failure> {
    let file = FiguresFile::read(&arguments.figures).map_err(Failure::Figures)?;
    let made = figures(&arguments.bundle, &file, &arguments.out)?;
    Ok(if arguments.json {
        render::json(&made.manifest)
    } else {
        render::figures_made((&made, &read_release(&arguments.bundle)?), shown(arguments.all), Screen::output())
    })
}

fn run_compare(arguments: &CompareArguments) -> Result<String, Failure> {
    let made = compare(&arguments.old, &arguments.new, arguments.interval, &arguments.out)?;
    Ok(if arguments.json {
        render::json(&made.manifest)
    } else {
        render::compared((&made, &read_release(&arguments.new)?), shown(arguments.all), Screen::output())
    })
}

fn run_reconcile(arguments: &ReconcileArguments) -> Result<String, Failure> {
    let spinner = Spinner::new(arguments.quiet);
    let outcome = reconcile(&arguments.measurements, &arguments.options(), &arguments.out, &spinner);
    spinner.finish();
    let reconciled = outcome?;
    Ok(if arguments.json {
        render::json(&reconciled.manifest)
    } else {
        render::reconcile(&reconciled, shown(arguments.all), Screen::output())
    })
}

fn run_report(arguments: &ReportArguments) -> Result<String, Failure> {
    let drawn = inbounds_report::draw_in(&arguments.bundle, arguments.language)?;
    let path = match &arguments.out {
        Some(path) => {
            write_new(path, drawn.page.as_bytes()).map_err(|error| Failure::unwritten(path, &error))?;
            path.clone()
        }
        None => drawn.put_into(&arguments.bundle)?,
    };
    let json = || render::json(&serde_json::json!({ "report": path, "warning": drawn.warning }));
    let words = || {
        let warning = drawn.warning.as_ref().map(|warning| Screen::output().prose(warning));
        [Some(format!("Report: {}", path.display())), warning].into_iter().flatten().collect::<Vec<_>>().join("\n")
    };
    answered(arguments.json, words, json, drawn.warning.is_some().then_some(Failure::drawn_of_others))
}

fn run_export(arguments: &ExportArguments) -> Result<String, Failure> {
    let files = inbounds_report::export(&arguments.bundle, &arguments.out, arguments.language)?;
    if arguments.json {
        return Ok(render::json(&serde_json::json!({ "folder": arguments.out, "files": files })));
    }
    let paths = files.iter().map(|file| arguments.out.join(file).display().to_string());
    Ok(paths.collect::<Vec<_>>().join("\n"))
}

/// Requested part of a long table.
fn shown(all: bool) -> Shown {
    if all { Shown::All } else { Shown::First }
}

/// Writes a file that must not exist yet. Once this returns, a loss of power leaves the bytes whole.
pub(crate) fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::create_new(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// Writes to standard output, without control characters; a reader that has gone away (`| head`) is no failure.
fn print(text: &str) -> u8 {
    match writeln!(io::stdout().lock(), "{}", printable::printable(text)) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => failure::unprinted(&error),
        _ => failure::DONE,
    }
}
