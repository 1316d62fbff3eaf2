//! The numbers of a reconciliation before everything else.

use inbounds_bundle::ReconcileManifest;

use crate::{
    cells::{Cell, Cells},
    document::{Block, Column, Entry, Section, Table},
    figures::whole,
    pictures,
    release::words,
    spread::Spread,
};

/// Most numbers in the first table; the section of estimates has more.
const SHOWN: usize = 8;

/// The first table: numbers from the top level down, and how far off each may be.
pub(super) fn section(manifest: &ReconcileManifest, nodes: &Cells) -> Section {
    let interval = manifest.error.interval.as_ref();
    let row = |cell: &Cell| {
        let spread = Spread::new(cell.estimate, cell.interval, super::style(manifest));
        let plus_minus = spread.beside().to_owned();
        let mut row = vec![Entry::new(pictures::label(cell)), Entry::new(spread.value)];
        row.extend(interval.map(|_| Entry::new(plus_minus)));
        row
    };
    let mut rows: Vec<Vec<Entry>> = nodes.shown.iter().take(SHOWN).map(row).collect();
    if nodes.count > SHOWN {
        let rest = Entry::new(format!("and {} more", whole(nodes.count - SHOWN))).leading_to("estimates".to_owned());
        rows.push(vec![rest, Entry::default()].into_iter().chain(interval.map(|_| Entry::default())).collect());
    }
    let mut columns = vec![Column::words("number"), Column::numbers("estimate")];
    columns
        .extend(interval.map(|interval| Column::numbers(format!("plus or minus ({})", words::level(interval.level)))));
    let caption = match interval {
        Some(_) => "Each estimate, and how far below or above it the true number may lie",
        None => "Estimates, without intervals, as no errors were asked for",
    };
    let table = Table { caption: caption.to_owned(), columns, rows, note: String::new() };
    Section { id: "headline".to_owned(), title: "The numbers".to_owned(), blocks: vec![Block::Table(table)] }
}
