//! What was reconciled, how well, and who bears the error.

use inbounds_bundle::{ErrorMethod, LawEntry, ReconcileManifest};
use inbounds_plot::{Interval, Marks, Series};

use super::{
    done::{self, are},
    fairness::Class,
};
use crate::{
    cells::{Cell, Cells},
    document::{Block, Column, Entry, Picture, Section, Table},
    errors,
    figures::{figure, simulated, whole},
    pictures::{self, Moved, Subject},
    release::{
        technical::entries,
        words::{counted, quoted},
    },
    spread::Style,
};

/// Most numbers that a picture shows one by one.
const ONE_BY_ONE: usize = 26;

/// What the numbers are in: the input does not say.
const UNIT: &str = "unit of the input";

fn section(id: &str, title: &str, blocks: Vec<Block>) -> Section {
    Section { id: id.to_owned(), title: title.to_owned(), blocks }
}

pub(super) fn done(manifest: &ReconcileManifest) -> Section {
    let blocks = vec![
        Block::List(done::held(manifest)),
        Block::Paragraph(done::solved(&manifest.solver)),
        Block::Folded("Noise of the measurements".to_owned(), vec![Block::Table(noise(manifest))]),
    ];
    section("done", "What was done", blocks)
}

fn noise(manifest: &ReconcileManifest) -> Table {
    let row = |law: &LawEntry| {
        let scale = if law.least_scale == law.largest_scale {
            figure(law.least_scale)
        } else {
            format!("{} to {}", figure(law.least_scale), figure(law.largest_scale))
        };
        vec![
            Entry::of(law.law.word()).with_note(if law.stated {
                ""
            } else {
                "assumed: the file gives only a variance"
            }),
            Entry::of(whole(law.measurements)),
            Entry::of(scale),
        ]
    };
    let unmeasured = manifest.input.unmeasured_nodes;
    Table {
        caption: "Noise of the measurements, as the input says".to_owned(),
        columns: vec![Column::words("distribution"), Column::numbers("measurements"), Column::numbers("scale")],
        rows: manifest.input.laws.iter().map(row).collect(),
        note: if unmeasured > 0 {
            format!("{} not measured but computed from the others.", are(unmeasured, "number"))
        } else {
            String::new()
        },
    }
}

pub(super) fn privacy() -> Section {
    let words = "No rows were read. Whatever is done to measurements leaves their guarantee as it was: no budget was spent, and \
                 none was gained. Whoever published the measurements states what the guarantee is.";
    section("guarantee", "The guarantee and the budget", vec![Block::Paragraph(words.to_owned())])
}

pub(super) fn estimates(manifest: &ReconcileManifest, nodes: &Cells, fairness: &[Class]) -> Section {
    let level = manifest.error.interval.as_ref().map(|interval| interval.level);
    let subject = Subject {
        title: String::new(),
        axis: UNIT.to_owned(),
        style: Style::Plain,
        bars: manifest.constraints.nonnegative,
        level,
        moved: Moved::ToAgree,
    };
    let shown: Vec<&Cell> = nodes.shown.iter().collect();
    let mut drawn = match nodes.count {
        0 => vec![],
        count if count <= ONE_BY_ONE => vec![pictures::cells("nodes", &subject, &shown, pictures::label)],
        _ => vec![pictures::ranked("nodes", &subject, nodes.marks.clone())],
    };
    drawn.extend(sizes("leaves", fairness, manifest));
    drawn.extend(sizes("inner nodes", fairness, manifest));
    let mut blocks = if drawn.is_empty() { vec![] } else { vec![Block::Pictures(drawn)] };
    let interval =
        level.map_or_else(String::new, |level| format!("; under each its {} % interval", figure(100.0 * level)));
    let table = Table {
        caption: format!("Estimates, level by level from the top{interval}"),
        columns: vec![
            Column::words("node"),
            Column::numbers("estimate and interval"),
            Column::numbers("measured"),
            Column::numbers("bias"),
            Column::numbers("RMSE"),
        ],
        rows: nodes.shown.iter().map(entries).collect(),
        note: nodes.cut("estimates.csv"),
    };
    blocks.push(Block::Folded("Bias and error of each number".to_owned(), vec![Block::Table(table)]));
    section("estimates", "Estimates", blocks)
}

/// Errors of leaves or inner nodes by their size.
fn sizes(kind: &str, fairness: &[Class], manifest: &ReconcileManifest) -> Option<Picture> {
    let classes: Vec<&Class> = fairness.iter().filter(|class| class.nodes == kind && class.by == "size").collect();
    if classes.is_empty() {
        return None;
    }
    let at = |height: fn(&Class) -> Option<f64>| -> Vec<(f64, f64)> {
        classes.iter().enumerate().filter_map(|(at, class)| Some((at as f64, height(class)?))).collect()
    };
    let bias = |(at, class): (usize, &&Class)| Interval {
        x: at as f64,
        y: class.bias,
        lower: class.bias - 2.0 * class.bias_error,
        upper: class.bias + 2.0 * class.bias_error,
    };
    let series = vec![
        Series::points("standard deviation of the estimates", at(|class| Some(class.after))),
        Series::points("standard deviation of the measurements", at(|class| class.before)),
        Series {
            name: "bias of the estimates, two standard errors either way".to_owned(),
            marks: Marks::YIntervals(classes.iter().enumerate().map(bias).collect()),
        },
    ];
    let names = classes.iter().map(|class| class.class.clone()).collect();
    let caption = format!("Averages over {kind} of similar size.{}", done::trade_by_size(manifest).unwrap_or_default());
    let id = kind.replace(' ', "-");
    Some(errors::by_class(&id, names, format!("estimate, {kind}"), UNIT, series, caption))
}

pub(super) fn cost(manifest: &ReconcileManifest, nodes: &Cells, fairness: &[Class]) -> Section {
    let moves = nodes.parts.first().cloned().unwrap_or_default();
    let mut words = format!(
        "{} of {} moved, by {} in root mean square and by at most {}.",
        whole(moves.moved),
        counted(moves.measured, "measured number"),
        figure(moves.mean()),
        figure(moves.farthest)
    );
    words.extend(done::trade(manifest));
    let mut blocks = vec![Block::Paragraph(words)];
    if !fairness.is_empty() {
        let row = |class: &Class| {
            let by = if class.by == "size" { "estimate" } else { "siblings" };
            vec![
                Entry::of(format!("{}, {by} {}", class.nodes, class.class)),
                Entry::of(whole(class.count as usize)),
                Entry::of(simulated(class.bias, class.bias_error)),
                Entry::of(figure(class.after)),
                Entry::of(class.before.map_or_else(|| "–".to_owned(), figure)),
            ]
        };
        let source = match (&manifest.error.method, manifest.error.replicates) {
            (method, _) if method.is(ErrorMethod::ExactVariance) => "Variances are exact.".to_owned(),
            (_, runs) => {
                format!(
                    "From {} simulations that take the estimates as the truth; ± is the standard error.",
                    whole(runs)
                )
            }
        };
        let table = Table {
            caption: "Bias and standard deviation by size and by number of siblings".to_owned(),
            columns: vec![
                Column::words("class"),
                Column::numbers("nodes"),
                Column::numbers("mean bias"),
                Column::numbers("standard deviation"),
                Column::numbers("before"),
            ],
            rows: fairness.iter().map(row).collect(),
            note: source,
        };
        blocks.push(Block::Folded("Who bears the error".to_owned(), vec![Block::Table(table)]));
    }
    section("cost", "What staying in bounds cost", blocks)
}

pub(super) fn caveats(manifest: &ReconcileManifest) -> Section {
    let mut items = vec![
        "Variances and noise distributions are taken from the input. If they are wrong, so are weights, errors and intervals."
            .to_owned(),
        "Bias and RMSE are those that would hold if the estimates were the truth. Where many numbers are near a bound the truth \
         is different."
            .to_owned(),
        "An interval is for one number. It need not contain its estimate if constraints have moved the estimate far.".to_owned(),
    ];
    items.extend(manifest.rules.iter().map(|rule| quoted(rule)));
    items.push(format!("The input had the SHA-256 {}.", manifest.input.sha256));
    section("caveats", "Caveats", vec![Block::List(items)])
}
