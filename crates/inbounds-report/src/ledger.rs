//! A ledger for people who do not run the program: as a page like that of a bundle, and as a table.

use inbounds_ledger::{DataSet, History, price::theorem};
use inbounds_mechanisms::account::Cost;

use crate::{
    document::{Bar, Block, Column, Entry, Page, Part, Section, Table},
    figures::figure,
    release::words::quoted,
};

/// The page of a ledger: one HTML file that needs nothing else.
pub fn ledger_page(history: &History) -> String {
    let terms = history.terms();
    let balance = history.balance();
    let granted = Cost::from(&terms.granted);
    let program = history.entries().last().map(|entry| entry.program.clone()).unwrap_or_default();
    let page = Page {
        title: format!("Ledger of {}", short_name(&terms.data)),
        kind: "Privacy ledger",
        lead: format!(
            "What releases from these rows have cost together, and what is left. It protects {}.",
            quoted(&terms.unit.to_string())
        ),
        warnings: Vec::new(),
        sure: None,
        facts: vec![
            ("Granted", granted.rounded_down()),
            ("Spent", balance.spent.to_string()),
            ("Left", balance.left().rounded_down()),
            ("Neighbours", terms.neighbours.to_string()),
            ("Releases", history.reservations().count().to_string()),
        ],
        notices: Vec::new(),
        sections: vec![budget(history), entries(history), proof(history)],
        program,
        source: "the entries of the ledger",
    };
    page.to_string()
}

/// Short name of the data set, for people; its place is in the history.
fn short_name(data: &DataSet) -> String {
    match data {
        DataSet::Path(path) => path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        DataSet::Name(name) => name.clone(),
    }
}

fn budget(history: &History) -> Section {
    let balance = history.balance();
    let spent = 100.0 * balance.share_spent();
    let parts = vec![
        Part { number: String::new(), rest: false, width: spent.clamp(0.0, 100.0) },
        Part { number: String::new(), rest: true, width: (100.0 - spent).clamp(0.0, 100.0) },
    ];
    let label = format!("{} % of the budget is spent.", figure(spent));
    Section {
        id: "budget".to_owned(),
        title: "The budget".to_owned(),
        blocks: vec![
            Block::Paragraph(label.clone()),
            Block::Bar(Bar { label, parts }),
            Block::Paragraph(theorem(&history.terms().granted).to_owned()),
        ],
    }
}

fn entries(history: &History) -> Section {
    let rows = history.statement().into_iter().map(|line| {
        vec![
            Entry::new(line.entry.number.to_string()),
            Entry::new(quoted(&line.what)).with_note(format!("{}, {}", line.entry.at, line.entry.by)),
            Entry::new(line.price.map(|price| price.to_string()).unwrap_or_default()),
            Entry::new(line.left.rounded_down()),
        ]
    });
    let table = Table {
        caption: "Every entry, in the order in which it was made".to_owned(),
        columns: vec![
            Column::words("entry"),
            Column::words("what was done"),
            Column::numbers("price"),
            Column::numbers("left"),
        ],
        rows: rows.collect(),
        note: "Times are those of the clocks of the machines; the order of the entries does not depend on them."
            .to_owned(),
    };
    Section { id: "entries".to_owned(), title: "The history".to_owned(), blocks: vec![Block::Table(table)] }
}

fn proof(history: &History) -> Section {
    let last = history.entries().last().map(|entry| entry.hash.clone()).unwrap_or_default();
    Section {
        id: "proof".to_owned(),
        title: "Whether it is complete".to_owned(),
        blocks: vec![
            Block::Paragraph(
                "Each entry holds the SHA-256 of the one before. When this page was made, all of them agreed. Whoever keeps the last \
                 one can tell later whether this history was changed."
                    .to_owned(),
            ),
            Block::Code(format!("first entry {}\nlast entry  {last}", history.id())),
        ],
    }
}

/// The history as CSV: one row an entry, amounts exact.
///
/// # Errors
/// None that a text in memory could have; those of the writer are passed on.
pub fn ledger_csv(history: &History) -> Result<Vec<u8>, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(["entry", "at", "by", "program", "deed", "epsilon", "delta", "rho", "what", "hash"])?;
    for line in history.statement() {
        let [epsilon, delta, rho] = match &line.price {
            Some(Cost::Pure { epsilon }) => [epsilon.to_string(), String::new(), String::new()],
            Some(Cost::Approximate { epsilon, delta }) => [epsilon.to_string(), delta.to_string(), String::new()],
            Some(Cost::ZeroConcentrated { rho }) => [String::new(), String::new(), rho.to_string()],
            None => Default::default(),
        };
        let entry = line.entry;
        let number = entry.number.to_string();
        let deed = entry.deed.name();
        writer.write_record([
            &number,
            &entry.at,
            &entry.by,
            &entry.program,
            deed,
            &epsilon,
            &delta,
            &rho,
            &line.what,
            &entry.hash,
        ])?;
    }
    writer.into_inner().map_err(|error| error.into_error().into())
}
