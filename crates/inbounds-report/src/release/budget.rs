//! Division of epsilon.

use inbounds_bundle::{ComponentEntry, Exact, ReleaseManifest, StatisticEntry};
use inbounds_mechanisms::noise::NoiseKind;

use super::{names::Names, words};
use crate::{
    document::{Bar, Block, Column, Entry, Part, Section, Table},
    figures::figure,
};

/// Groups of statistics that are drawn one by one.
const DRAWN: usize = 6;

/// Owner of a part of epsilon.
enum Owner<'a> {
    /// A statistic, by its name in the plan.
    Statistic(&'a str),
    /// The diagnostics, which are about all rows.
    Diagnostics,
}

/// The parts of epsilon: drawn, and as rows of a table.
struct Parts<'a> {
    drawn: Vec<(Owner<'a>, Part)>,
    rows: Vec<Vec<Entry>>,
}

pub(super) fn section(manifest: &ReleaseManifest, names: &Names) -> Section {
    let guarantee = &manifest.guarantee;
    let Parts { drawn, rows } = parts(manifest, names);
    let delta = if guarantee.delta_granted.is_positive() {
        format!(" Of delta {}, {} {}.", guarantee.delta_granted, guarantee.delta_spent.rounded_up(), spent(manifest))
    } else {
        String::new()
    };
    let together = match guarantee.together.as_slice() {
        [] => "",
        _ => ". Statistics that are made of the same numbers spend one part together",
    };
    let adds = match &guarantee.apart {
        None => ", and the parts add up",
        Some(_) => "; the parts of statistics that one row can count in add up, with one bar for each such group",
    };
    let mut blocks = vec![Block::Paragraph(format!(
        "Epsilon limits what all statistics together can reveal about one unit; each spends a part{adds}{together}. Less epsilon means more \
         noise.{delta}"
    ))];
    blocks.extend(bars(manifest, &drawn).into_iter().map(Block::Bar));
    blocks.push(Block::Folded(
        format!("Parts of epsilon {}", guarantee.epsilon_granted),
        vec![Block::Table(Table {
            caption: "What each statistic spends, and on which measurements".to_owned(),
            columns: vec![Column::words("statistic"), Column::numbers("epsilon"), Column::numbers("part")],
            rows,
            note: String::new(),
        })],
    ));
    Section { id: "budget".to_owned(), title: "The budget".to_owned(), blocks }
}

/// Verb for a part: seeded noise protects no unit, and spends nothing.
fn spent(manifest: &ReleaseManifest) -> &'static str {
    if manifest.private { "is spent" } else { "would be spent" }
}

/// One bar of all parts, or of each of the first groups of statistics that a row can count in together.
fn bars(manifest: &ReleaseManifest, drawn: &[(Owner, Part)]) -> Vec<Bar> {
    let guarantee = &manifest.guarantee;
    let bar = |label: String, is_in: &dyn Fn(&str) -> bool| {
        let counts = |(owner, _): &&(Owner, Part)| match owner {
            Owner::Statistic(name) => is_in(name),
            Owner::Diagnostics => true,
        };
        let mut parts: Vec<Part> = drawn.iter().filter(counts).map(|(_, part)| part.clone()).collect();
        let left = 100.0 - parts.iter().map(|part| part.width).sum::<f64>();
        if left > 1e-9 {
            parts.push(Part { number: String::new(), rest: true, width: left });
        }
        Bar { label, parts }
    };
    match &guarantee.apart {
        None => {
            let spoken = format!(
                "Of epsilon {}, {} {}; the table below shows the parts.",
                guarantee.epsilon_granted,
                guarantee.epsilon_spent,
                spent(manifest)
            );
            vec![bar(spoken, &|_| true)]
        }
        Some(apart) => {
            let of_class = |class: &Vec<String>| {
                let spoken = format!("Parts of epsilon {} of {}.", guarantee.epsilon_granted, class.join(", "));
                bar(spoken, &|name| class.iter().any(|known| known == name))
            };
            apart.classes.iter().take(DRAWN).map(of_class).collect()
        }
    }
}

fn parts<'a>(manifest: &'a ReleaseManifest, names: &Names) -> Parts<'a> {
    let guarantee = &manifest.guarantee;
    let granted = &guarantee.epsilon_granted.0;
    let mut parts = Parts { drawn: Vec::new(), rows: Vec::new() };
    for (index, statistic) in manifest.statistics.iter().enumerate() {
        let shared = guarantee.together.iter().find(|shared| shared.holds(&statistic.name));
        if shared.is_some_and(|shared| shared.statistics.first() != Some(&statistic.name)) {
            // Its part is that of the first of its group.
            continue;
        }
        let number = (index + 1).to_string();
        let pieces = pieces(&number, statistic);
        let list = |(number, component, epsilon): &(String, &ComponentEntry, &Exact)| {
            format!("{number}: {}, {epsilon}", words::role(component))
        };
        parts.rows.push(vec![
            Entry::new(format!("{number}. {}", names.statistic(statistic))).with_note(match shared {
                Some(shared) => shared.with_others(),
                None => pieces.iter().map(list).collect::<Vec<_>>().join("; "),
            }),
            Entry::new(statistic.epsilon.to_string()),
            Entry::new(format!("{} %", figure(words::percent(&statistic.epsilon.0, granted)))),
        ]);
        let mut draw = |number: String, epsilon: &Exact| {
            parts.drawn.push((Owner::Statistic(&statistic.name), part(number, words::percent(&epsilon.0, granted))));
        };
        if pieces.is_empty() {
            draw(number, &statistic.epsilon);
        } else {
            pieces.into_iter().for_each(|(number, _, epsilon)| draw(number, epsilon));
        }
    }
    if let Some(diagnostics) = &manifest.diagnostics {
        let width = words::percent(&diagnostics.epsilon.0, granted);
        let number = (manifest.statistics.len() + 1).to_string();
        parts.rows.push(vec![
            Entry::new(format!("{number}. diagnostics")),
            Entry::new(diagnostics.epsilon.to_string()),
            Entry::new(format!("{} %", figure(width))),
        ]);
        parts.drawn.push((Owner::Diagnostics, part(number, width)));
    }
    let left = 100.0 - words::percent(&guarantee.epsilon_spent.0, granted);
    if left > 1e-9 {
        parts.rows.push(vec![Entry::new("not spent"), Entry::new(""), Entry::new(format!("{} %", figure(left)))]);
    }
    parts
}

/// A part of the bar, by its number where there is room for it.
fn part(number: String, width: f64) -> Part {
    const ROOM: f64 = 3.0;
    Part { number: if width >= ROOM { number } else { String::new() }, rest: false, width }
}

/// Division of its epsilon by a statistic that is measured more than once, each part with a letter; nothing where the
/// parts are not known, or where one vector of noise has all of it.
fn pieces<'a>(number: &str, statistic: &'a StatisticEntry) -> Vec<(String, &'a ComponentEntry, &'a Exact)> {
    let is_one_vector = statistic.measured.iter().any(|component| component.law.is(NoiseKind::Cube));
    if statistic.measured.len() < 2 || is_one_vector {
        return vec![];
    }
    let piece = |(letter, component): (char, &'a ComponentEntry)| {
        Some((format!("{number}{letter}"), component, component.epsilon.as_ref()?))
    };
    let pieces: Option<Vec<_>> = ('a'..='z').zip(&statistic.measured).map(piece).collect();
    pieces.filter(|pieces| pieces.len() == statistic.measured.len()).unwrap_or_default()
}
