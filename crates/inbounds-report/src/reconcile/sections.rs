//! The reconciled numbers, their accuracy, and the nodes that bear the error.

use std::collections::HashMap;

use inbounds_bundle::{ErrorMethod, LawEntry, NestedEntry, ReconcileManifest};
use inbounds_plot::{Interval, Marks, Series};

use super::{
    done::{self, are},
    fairness::Class,
    nodes::Told,
};
use crate::{
    cells::{Cell, Cells},
    crosses::Layout,
    document::{Block, Column, Cross, CrossCell, CrossRow, Entry, Picture, Section, Table},
    errors,
    figures::{figure, simulated, whole},
    pictures::{self, Moved, Subject},
    release::{
        technical::{FIRST, ROWS, entries},
        words::{self, counted, quoted},
    },
    spread::{Spread, Style},
};

/// Most numbers that a picture shows one by one.
const ONE_BY_ONE: usize = 26;

/// Most pictures of levels or margins.
const PICTURES: usize = 8;

/// Unit of the numbers: the input does not state it.
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
            Entry::new(law.law.word()).with_note(if law.stated {
                ""
            } else {
                "assumed: the file gives only a variance"
            }),
            Entry::new(whole(law.measurements)),
            Entry::new(scale),
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

pub(super) fn estimates(manifest: &ReconcileManifest, (nodes, told): (&Cells, &Told), fairness: &[Class]) -> Section {
    let level = manifest.error.interval.as_ref().map(|interval| interval.level);
    let subject = subject(manifest);
    let mut blocks: Vec<Block> = tables(manifest, nodes, told).into_iter().map(Block::Cross).collect();
    let mut drawn = pictures(nodes, told, subject);
    drawn.extend(sizes("leaves", fairness, manifest));
    drawn.extend(sizes("inner nodes", fairness, manifest));
    blocks.extend((!drawn.is_empty()).then_some(Block::Pictures(drawn)));
    let shown = if nodes.count <= ROWS { nodes.count } else { FIRST };
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
        rows: nodes.shown.iter().take(shown).map(entries).collect(),
        note: nodes.cut(shown, "estimates.csv"),
    };
    blocks.push(Block::Folded("Bias and error of each number".to_owned(), vec![Block::Table(table)]));
    section("estimates", "Estimates", blocks)
}

pub(super) fn subject(manifest: &ReconcileManifest) -> Subject {
    Subject {
        title: String::new(),
        axis: UNIT.to_owned(),
        style: super::style(manifest),
        bars: manifest.constraints.nonnegative,
        level: manifest.error.interval.as_ref().map(|interval| interval.level),
        moved: Moved::ToAgree,
    }
}

/// The numbers of each level of a tree or of each margin of a table, over an axis of their own.
pub(super) fn pictures(nodes: &Cells, told: &Told, mut subject: Subject) -> Vec<Picture> {
    let group_of = |cell: &Cell| -> Vec<bool> {
        match told {
            Told::Table(_) => cell.values.iter().map(Option::is_some).collect(),
            Told::Tree => vec![false; cell.rank as usize],
            Told::List => vec![],
        }
    };
    let mut groups: Vec<(Vec<bool>, Vec<&Cell>)> = Vec::new();
    for cell in &nodes.shown {
        let group = group_of(cell);
        match groups.iter_mut().find(|(known, _)| *known == group) {
            Some((_, cells)) => cells.push(cell),
            None => groups.push((group, vec![cell])),
        }
    }
    groups.retain(|(_, cells)| cells.len() > 1);
    let mut drawn = Vec::new();
    for (index, (group, cells)) in groups.iter().enumerate() {
        let id = if index == 0 { "nodes".to_owned() } else { format!("nodes-{}", index + 1) };
        subject.title = match told {
            Told::Table(attributes) => {
                let by = attributes.iter().zip(group).filter(|(_, told)| **told).map(|(name, _)| name.as_str());
                format!("by {}", by.collect::<Vec<_>>().join(", "))
            }
            Told::Tree => format!("level {}", group.len()),
            Told::List => String::new(),
        };
        drawn.push(match cells.len() <= ONE_BY_ONE {
            true => pictures::cells(&id, &subject, cells, pictures::label),
            false => pictures::largest(&id, &subject, cells, (ONE_BY_ONE, pictures::label)),
        });
    }
    drawn.truncate(PICTURES);
    drawn
}

/// The numbers of a tree or table, each in its place.
pub(super) fn tables(manifest: &ReconcileManifest, nodes: &Cells, told: &Told) -> Vec<Cross> {
    let style = super::style(manifest);
    let interval = manifest.error.interval.as_ref();
    let beside = interval.map_or_else(String::new, |interval| {
        format!("; under each estimate plus or minus ({})", words::level(interval.level))
    });
    match told {
        Told::List => vec![],
        Told::Tree => vec![tree(nodes, format!("Estimates{beside}"), style)],
        Told::Table(attributes) => {
            let nested = manifest.constraints.table.as_ref().map(|table| table.nested.as_slice()).unwrap_or_default();
            let layout = Layout {
                attributes: attributes.iter().map(String::as_str).collect(),
                nested: path(attributes, nested),
                outputs: vec![],
                caption: "Estimates".to_owned(),
                beside,
                note: nodes.cut(nodes.shown.len(), "estimates.csv"),
                style: &|_| style,
            };
            layout.tables(&nodes.shown)
        }
    }
}

/// Places of the attributes that lie in one another, the outermost first.
fn path(attributes: &[String], nested: &[NestedEntry]) -> Vec<usize> {
    let outer = |name: &str| nested.iter().find(|entry| entry.inner == name).map(|entry| entry.outer.as_str());
    let depth = |name: &str| std::iter::successors(outer(name), |name| outer(name)).take(attributes.len()).count();
    let is_nested = |name: &String| nested.iter().any(|entry| entry.inner == *name || entry.outer == *name);
    let mut path: Vec<usize> = (0..attributes.len()).filter(|column| is_nested(&attributes[*column])).collect();
    path.sort_by_key(|column| depth(&attributes[*column]));
    path
}

/// Nodes below their parents.
fn tree(nodes: &Cells, caption: String, style: Style) -> Cross {
    let mut children: HashMap<Option<&str>, Vec<&Cell>> = HashMap::new();
    for cell in &nodes.shown {
        children.entry(cell.values[0].as_deref()).or_default().push(cell);
    }
    let mut rows = Vec::with_capacity(nodes.shown.len());
    let mut next: Vec<&Cell> = children.get(&None).into_iter().flatten().rev().copied().collect();
    while let Some(cell) = next.pop() {
        let name = pictures::label(cell);
        next.extend(children.get(&Some(name.as_str())).into_iter().flatten().rev());
        let shown = |value: f64, interval: Option<(f64, f64)>| {
            let spread = Spread::new(value, interval, style);
            let beside = spread.beside().to_owned();
            CrossCell { number: Some(value), value: spread.value, beside, tells_nothing: false }
        };
        let measured = cell.measurement.map(|value| CrossCell {
            number: Some(value),
            value: figure(value),
            beside: String::new(),
            tells_nothing: false,
        });
        rows.push(CrossRow {
            name,
            depth: cell.rank as usize,
            total: false,
            cells: vec![Some(shown(cell.estimate, cell.interval)), measured],
        });
    }
    Cross {
        caption,
        stub: "node".to_owned(),
        across: String::new(),
        heads: ["estimate", "measured"].map(str::to_owned).to_vec(),
        rows,
        places: false,
        note: nodes.cut(nodes.shown.len(), "estimates.csv"),
    }
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
                Entry::new(format!("{}, {by} {}", class.nodes, class.class)),
                Entry::new(whole(class.count as usize)),
                Entry::new(simulated(class.bias, class.bias_error)),
                Entry::new(figure(class.after)),
                Entry::new(class.before.map_or_else(|| "–".to_owned(), figure)),
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
