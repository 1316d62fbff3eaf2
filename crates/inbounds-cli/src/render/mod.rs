//! Results as text for people and as JSON for machines.

mod advise;
mod check;
mod design;
mod predict;
mod reconcile;
mod release;
mod study;

use comfy_table::{Cell, CellAlignment, ContentArrangement, Table, TableComponent, presets};
use inbounds_report::figures;
use serde::Serialize;

pub(crate) use advise::{advise, refused};
pub(crate) use check::{check, check_json};
pub(crate) use design::design;
pub(crate) use predict::{predict, predict_json};
pub(crate) use reconcile::reconcile;
pub(crate) use release::{release, release_json};
pub(crate) use study::{studies, studies_json, suite, suite_json};

/// Indented JSON.
pub(crate) fn json(value: &impl Serialize) -> String {
    serde_json::to_string_pretty(value).expect("strings, numbers and lists serialise")
}

/// A table with the first `words` columns to the left and numbers to the right.
fn table(header: &[&str], words: usize, rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let mut table = Table::new();
    table.load_preset(presets::UTF8_HORIZONTAL_ONLY).set_content_arrangement(ContentArrangement::Dynamic);
    // One line under the header; lines between rows would double the height.
    table.remove_style(TableComponent::HorizontalLines).remove_style(TableComponent::MiddleIntersections);
    let align = |(index, text): (usize, String)| {
        let side = if index < words { CellAlignment::Left } else { CellAlignment::Right };
        Cell::new(text).set_alignment(side)
    };
    table.set_header(header.iter().map(|name| (*name).to_owned()).enumerate().map(align));
    for row in rows {
        table.add_row(row.into_iter().enumerate().map(align));
    }
    table.to_string()
}
