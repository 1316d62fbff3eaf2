//! What a release says of all its statistics together.

use inbounds_bundle::{ComponentEntry, DiagnosticsEntry, Exact, ReleaseManifest, StatisticEntry};

use super::{names::Names, words};
use crate::{
    document::{Bar, Block, Column, Entry, Part, Section, Table},
    figures::figure,
};

pub(super) fn guarantee(manifest: &ReleaseManifest) -> Section {
    let mut blocks = if manifest.private {
        vec![
            Block::Quote(words::quoted(&manifest.guarantee.words)),
            Block::Heading("In other words"),
            Block::Paragraph(words::guess(manifest)),
            Block::Paragraph(
                "This holds whatever they know or compute, now or later, and for everything that is derived from the numbers on \
                 this page."
                    .to_owned(),
            ),
        ]
    } else {
        vec![Block::Paragraph(
            "There is none. Anyone who knows the seed can draw the same noise again and subtract it. The numbers show what a \
             release from these rows would look like; the budget below is what it would cost."
                .to_owned(),
        )]
    };
    blocks.extend(manifest.guarantee.ledger.iter().map(|ledger| Block::Paragraph(ledger.sentence())));
    blocks.extend(manifest.guarantee.notices.iter().map(|notice| Block::Paragraph(notice.sentence())));
    Section { id: "guarantee".to_owned(), title: "The guarantee".to_owned(), blocks }
}

pub(super) fn budget(manifest: &ReleaseManifest, names: &Names) -> Section {
    let guarantee = &manifest.guarantee;
    let granted = &guarantee.epsilon_granted.0;
    let mut parts: Vec<Part> = Vec::new();
    let mut rows = Vec::new();
    for (index, statistic) in manifest.statistics.iter().enumerate() {
        let number = (index + 1).to_string();
        let pieces = pieces(&number, statistic);
        let list = |(number, component, epsilon): &(String, &ComponentEntry, &Exact)| {
            format!("{number}: {}, {epsilon}", words::role(component))
        };
        rows.push(vec![
            Entry::of(format!("{number}. {}", names.statistic(statistic)))
                .with_note(pieces.iter().map(list).collect::<Vec<_>>().join("; ")),
            Entry::of(statistic.epsilon.to_string()),
            Entry::of(format!("{} %", figure(words::percent(&statistic.epsilon.0, granted)))),
        ]);
        if pieces.is_empty() {
            parts.push(part(number, words::percent(&statistic.epsilon.0, granted)));
        } else {
            let piece = |(number, _, epsilon): (String, &ComponentEntry, &Exact)| {
                part(number, words::percent(&epsilon.0, granted))
            };
            parts.extend(pieces.into_iter().map(piece));
        }
    }
    if let Some(diagnostics) = &manifest.diagnostics {
        let width = words::percent(&diagnostics.epsilon.0, granted);
        let number = (manifest.statistics.len() + 1).to_string();
        rows.push(vec![
            Entry::of(format!("{number}. diagnostics")),
            Entry::of(diagnostics.epsilon.to_string()),
            Entry::of(format!("{} %", figure(width))),
        ]);
        parts.push(part(number, width));
    }
    let left = 100.0 - words::percent(&guarantee.epsilon_spent.0, granted);
    if left > 1e-9 {
        parts.push(Part { number: String::new(), rest: true, width: left });
        rows.push(vec![Entry::of("not spent"), Entry::of(""), Entry::of(format!("{} %", figure(left)))]);
    }
    let spoken = format!(
        "Of epsilon {}, {} is spent; the table below shows the parts.",
        guarantee.epsilon_granted, guarantee.epsilon_spent
    );
    let delta = if guarantee.delta_granted.is_positive() {
        format!(" Delta {} is granted and {} spent.", guarantee.delta_granted, guarantee.delta_spent)
    } else {
        String::new()
    };
    Section {
        id: "budget".to_owned(),
        title: "The budget".to_owned(),
        blocks: vec![
            Block::Paragraph(format!(
                "Epsilon limits what all statistics together can reveal about one unit; each spends a part, and the parts add \
                 up. Less epsilon means more noise.{delta}"
            )),
            Block::Bar(Bar { label: spoken, parts }),
            Block::Folded(
                format!("Parts of epsilon {}", guarantee.epsilon_granted),
                vec![Block::Table(Table {
                    caption: "What each statistic spends, and on which measurements".to_owned(),
                    columns: vec![Column::words("statistic"), Column::numbers("epsilon"), Column::numbers("part")],
                    rows,
                    note: String::new(),
                })],
            ),
        ],
    }
}

/// A part of the bar, by its number where there is room for it.
fn part(number: String, width: f64) -> Part {
    const ROOM: f64 = 3.0;
    Part { number: if width >= ROOM { number } else { String::new() }, rest: false, width }
}

/// How a statistic that is measured more than once divides its epsilon, each part with a letter; nothing where the parts are
/// not known.
fn pieces<'a>(number: &str, statistic: &'a StatisticEntry) -> Vec<(String, &'a ComponentEntry, &'a Exact)> {
    if statistic.measured.len() < 2 {
        return vec![];
    }
    let piece = |(letter, component): (char, &'a ComponentEntry)| {
        Some((format!("{number}{letter}"), component, component.epsilon.as_ref()?))
    };
    let pieces: Option<Vec<_>> = ('a'..='z').zip(&statistic.measured).map(piece).collect();
    pieces.filter(|pieces| pieces.len() == statistic.measured.len()).unwrap_or_default()
}

/// What was measured of the rows themselves.
pub(super) fn diagnostics(entry: &DiagnosticsEntry) -> Section {
    let head = format!(
        "Noisy counts of how the rows were read, measured with epsilon {} of this release. Each count has its own Laplace \
         noise.",
        entry.epsilon
    );
    let blocks = vec![Block::Paragraph(head), Block::List(entry.sentences())];
    Section { id: "diagnostics".to_owned(), title: "The rows".to_owned(), blocks }
}

pub(super) fn caveats(manifest: &ReleaseManifest) -> Section {
    let mut items: Vec<String> = vec![
        "Bias, RMSE and intervals refer to the exact answer over the rows that were counted. They cover neither the effects of \
         the rules below nor errors in the data."
            .to_owned(),
        "Bias and RMSE “at most” are the largest over the answers in the interval. Where they are simulated they are those that \
         would hold if the answers equalled the estimates; the answers are private, and near an end of a range the errors can \
         differ much from that."
            .to_owned(),
        "An interval is for one number. Of a hundred of them at 95 %, about five may miss.".to_owned(),
        "For further computations take raw measurements where there are any: they are unbiased, and biases would add up."
            .to_owned(),
        manifest.guarantee.other_releases().sentence(),
    ];
    items.extend(manifest.rules.iter().map(|rule| words::quoted(rule)));
    Section { id: "caveats".to_owned(), title: "Caveats".to_owned(), blocks: vec![Block::List(items)] }
}
