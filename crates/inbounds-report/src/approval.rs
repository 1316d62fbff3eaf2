//! The page on which a plan is approved: what is published, about whom, what one person can lose, what is left of a
//! budget, and how wrong the numbers will be, before a row is read.

use inbounds_bundle::{FileEntry, Notice, Program, PublicationEntry, percent_believed, percent_guessed_right};
use inbounds_figures::FigureOutline;

use crate::{
    document::{Block, Column, Entry, Page, Section, Table},
    figures::figure,
    release::words::quoted,
};

/// A plan, put before the person who approves it or not.
#[derive(Debug, Clone)]
pub struct ApprovalRequest {
    /// Title of the plan.
    pub title: Option<String>,
    /// What the numbers are about, where the plan says it.
    pub publication: PublicationEntry,
    /// Path of the rows, as in the plan.
    pub rows: String,
    /// Digest that is approved.
    pub sha256: String,
    /// Files that the digest covers: the plan, and the public files that it names.
    pub files: Vec<FileEntry>,
    /// Guarantee in words.
    pub promise: String,
    /// Meaning of the guarantee for an attacker who guesses, as a sentence.
    pub meaning: String,
    /// Privacy unit, in words.
    pub unit: String,
    /// Neighbour relation.
    pub neighbours: String,
    /// Epsilon that the release spends, rounded up.
    pub epsilon: f64,
    /// Delta that the release spends, rounded up.
    pub delta: f64,
    /// Warnings that the person must have read.
    pub cautions: Vec<Caution>,
    /// Notices of the check about the budget.
    pub notices: Vec<Notice>,
    /// State of the ledger, as a sentence, if the plan names one.
    pub ledger: Option<String>,
    /// Statistics in plan order.
    pub statistics: Vec<RequestedStatistic>,
    /// Figures that the release makes of their numbers.
    pub figures: Vec<FigureOutline>,
    /// Epsilons of the whole release at which errors are stated: that of the plan, and those asked for.
    pub epsilons: Vec<String>,
    /// Columns that the plan describes.
    pub columns: Vec<RequestedColumn>,
    /// Rules by which rows become numbers, with all that is assumed public, as sentences.
    pub rules: Vec<String>,
    /// Text of the plan, whose comments are the reasons of its author.
    pub plan: String,
}

/// A statistic of a plan that waits for approval.
#[derive(Debug, Clone)]
pub struct RequestedStatistic {
    /// Name in the plan.
    pub name: String,
    /// Label for people, if the plan has one.
    pub label: Option<String>,
    /// Kind.
    pub kind: String,
    /// Columns whose values it reads.
    pub columns: Vec<String>,
    /// Columns by which it is grouped.
    pub by: Vec<String>,
    /// Condition on the rows that count, as in the plan.
    pub filter: Option<String>,
    /// Number of published cells; `None` where noise chooses them.
    pub cells: Option<usize>,
    /// Its part of epsilon, exact.
    pub epsilon: String,
    /// Registered names of its mechanisms, each once.
    pub mechanisms: Vec<String>,
    /// Unit of its numbers.
    pub unit: String,
    /// Probability with which its intervals hold.
    pub level: f64,
    /// Errors to expect, by the truth.
    pub errors: Vec<RequestedErrors>,
    /// Notices about its noise, and other remarks, as sentences.
    pub remarks: Vec<String>,
}

/// Errors of a statistic at one truth, one for each epsilon of the page.
#[derive(Debug, Clone)]
pub struct RequestedErrors {
    /// The truth, in words.
    pub case: String,
    /// Half width of the interval, where one is foretold, and root mean square error; `None` where that epsilon has no
    /// such case.
    pub at: Vec<Option<(Option<f64>, f64)>>,
}

/// A column that a plan describes.
#[derive(Debug, Clone)]
pub struct RequestedColumn {
    /// Name in the plan.
    pub name: String,
    /// Label for people, if the plan has one.
    pub label: Option<String>,
    /// Unit of its values, if the plan has one.
    pub unit: Option<String>,
    /// Bounds to which its values are clipped.
    pub bounds: Option<(f64, f64)>,
    /// Number of listed values.
    pub values: Option<usize>,
}

/// A warning on the page of an approval.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Caution {
    /// The unit is a row, and a person may have several.
    RowsProtected,
    /// The unit is not chosen.
    UnitUndecided,
    /// The plan names no ledger.
    NoLedger,
    /// The ledger refuses the release, for this reason.
    LedgerRefuses(String),
    /// The rows were not at hand, so that the plan was not checked against them.
    RowsUnseen(String),
}

impl Caution {
    fn sentence(&self) -> String {
        match self {
            Self::RowsProtected => {
                "The plan protects one row. Whoever has several rows, such as visits or purchases, is \
                                    protected less: epsilon counts once for each of them."
                    .to_owned()
            }
            Self::UnitUndecided => "Nobody has chosen whom the plan protects. It is not released before.".to_owned(),
            Self::NoLedger => "The plan names no ledger. Nothing adds up what releases about the same people cost \
                               together, so the guarantee of this page is that of this release alone."
                .to_owned(),
            Self::LedgerRefuses(reason) => format!("The ledger of the plan refuses the release: {reason}."),
            Self::RowsUnseen(sentence) => sentence.clone(),
        }
    }
}

/// The page: one HTML file that needs nothing else.
pub fn approval_page(request: &ApprovalRequest) -> String {
    let numbers = request.statistics.len();
    let counted = if numbers == 1 { "one statistic".to_owned() } else { format!("{numbers} statistics") };
    let publication = &request.publication;
    let given = [("Period", &publication.period), ("Source", &publication.source), ("Contact", &publication.contact)];
    let mut facts = vec![
        ("Statistics", numbers.to_string()),
        ("Protects", quoted(&request.unit)),
        ("Epsilon", figure(request.epsilon)),
        ("Delta", figure(request.delta)),
        ("Rows", request.rows.clone()),
    ];
    facts.extend(given.into_iter().filter_map(|(name, value)| Some((name, value.clone()?))));
    Page {
        title: request.title.clone().unwrap_or_else(|| "A plan without a title".to_owned()),
        kind: "Request for approval",
        lead: format!(
            "A plan to publish {counted} under differential privacy. No row was read for this page, and nothing is \
             spent until somebody releases the plan."
        ),
        warnings: request.cautions.iter().map(Caution::sentence).collect(),
        sure: None,
        facts,
        notices: Vec::new(),
        sections: vec![
            published(request),
            loss(request),
            budget(request),
            errors(request),
            public(request),
            approval(request),
        ],
        program: Program::this().to_string(),
        source: "the plan and the public files that it names",
    }
    .to_string()
}

fn section(id: &str, title: &str, blocks: Vec<Block>) -> Section {
    Section { id: id.to_owned(), title: title.to_owned(), blocks }
}

fn published(request: &ApprovalRequest) -> Section {
    let row = |one: &RequestedStatistic| {
        let listed = |names: &[String]| if names.is_empty() { "–".to_owned() } else { names.join(", ") };
        let cells = one.cells.map_or_else(|| "as noise chooses".to_owned(), |cells| cells.to_string());
        vec![
            Entry::new(one.label.clone().unwrap_or_else(|| one.name.clone())).with_note(one.kind.clone()),
            Entry::new(listed(&one.columns)),
            Entry::new(listed(&one.by)),
            Entry::new(one.filter.clone().unwrap_or_else(|| "all".to_owned())),
            Entry::new(cells),
            Entry::new(one.epsilon.clone()).with_note(one.mechanisms.join(", ")),
        ]
    };
    let table = Table {
        caption: "Every statistic of the plan".to_owned(),
        columns: vec![
            Column::words("statistic"),
            Column::words("reads"),
            Column::words("by"),
            Column::words("rows that count"),
            Column::numbers("numbers"),
            Column::numbers("epsilon"),
        ],
        rows: request.statistics.iter().map(row).collect(),
        note: "Beside each estimate its raw measurement, bias, error and interval are published.".to_owned(),
    };
    let figures = (!request.figures.is_empty()).then(|| Block::Table(figures(&request.figures)));
    section("published", "What is published", [Block::Table(table)].into_iter().chain(figures).collect())
}

fn figures(figures: &[FigureOutline]) -> Table {
    let row = |one: &FigureOutline| {
        let tables = if one.tables.is_empty() { "–".to_owned() } else { one.tables.join(", ") };
        vec![
            Entry::new(one.title.clone()).with_note(one.kind.noun()),
            Entry::new(one.statistics.join(", ")),
            Entry::new(tables),
        ]
    };
    Table {
        caption: "Figures that are made of these numbers".to_owned(),
        columns: vec![Column::words("figure"), Column::words("statistics"), Column::words("public tables")],
        rows: figures.iter().map(row).collect(),
        note: "They read no row and cost no epsilon.".to_owned(),
    }
}

/// Beliefs before a release, in percent, whose largest growth the page states.
const BELIEFS: [f64; 4] = [0.1, 1.0, 10.0, 50.0];

fn loss(request: &ApprovalRequest) -> Section {
    let (epsilon, delta) = (request.epsilon, request.delta);
    let mut blocks = vec![
        Block::Quote(request.promise.clone()),
        Block::Paragraph(format!("{} Neighbours: {}.", request.meaning, request.neighbours)),
    ];
    if delta == 0.0 {
        let row = |before: &f64| {
            vec![
                Entry::new(format!("{} %", figure(*before))),
                Entry::new(format!("{} %", percent_believed(*before, epsilon))),
            ]
        };
        blocks.push(Block::Table(Table {
            caption: "How sure somebody can become that a person is in the data, or of a fact about her".to_owned(),
            columns: vec![Column::numbers("before the release"), Column::numbers("after it at most")],
            rows: BELIEFS.iter().map(row).collect(),
            note: "Odds are multiplied by e to the power of epsilon at most, whatever else is known.".to_owned(),
        }));
    }
    let right = percent_guessed_right(epsilon, delta);
    let right = (right.ceil() as u64).min(100);
    blocks.push(Block::Paragraph(format!(
        "Of 100 people who toss a coin to guess such a fact, 50 are right. Of 100 who have seen the release, at most \
         {right} are right on average."
    )));
    section("loss", "What one person can lose", blocks)
}

fn budget(request: &ApprovalRequest) -> Section {
    let state = request.ledger.clone().unwrap_or_else(|| Caution::NoLedger.sentence());
    let mut blocks = vec![Block::Paragraph(state)];
    let notices: Vec<String> = request.notices.iter().map(Notice::sentence).collect();
    blocks.extend((!notices.is_empty()).then_some(Block::Notices(notices)));
    section("budget", "What is left of the budget", blocks)
}

fn errors(request: &ApprovalRequest) -> Section {
    let mut blocks = vec![Block::Paragraph(
        "How far the published numbers will be from the true ones, by the epsilon of the whole release. Plus-minus is \
         half the width of the interval; the root mean square error (RMSE) stands under it."
            .to_owned(),
    )];
    for statistic in &request.statistics {
        let entry = |at: &Option<(Option<f64>, f64)>| {
            let half = at.and_then(|(half, _)| half);
            let shown = half.map_or_else(|| "–".to_owned(), |half| format!("± {}", figure(half)));
            Entry::new(shown).with_note(at.map_or_else(String::new, |(_, rmse)| format!("RMSE {}", figure(rmse))))
        };
        let row = |errors: &RequestedErrors| {
            let mut row = vec![Entry::new(errors.case.clone())];
            row.extend(errors.at.iter().map(entry));
            row
        };
        let mut columns = vec![Column::words("where the truth is")];
        columns.extend(request.epsilons.iter().map(|epsilon| Column::numbers(format!("epsilon {epsilon}"))));
        let name = statistic.label.as_ref().unwrap_or(&statistic.name);
        blocks.push(Block::Table(Table {
            caption: format!("{name}, in {}; intervals of {} %", statistic.unit, figure(100.0 * statistic.level)),
            columns,
            rows: statistic.errors.iter().map(row).collect(),
            note: quoted(&statistic.remarks.join(" ")),
        }));
    }
    section("errors", "How wrong the numbers will be", blocks)
}

fn public(request: &ApprovalRequest) -> Section {
    let assumed = "The guarantee holds if the following is public knowledge or a decision, and was not taken from the \
                   rows: bounds of columns, lists of values, keys, conditions, public numbers and files. The comments \
                   of the plan are the reasons of its author.";
    section(
        "public",
        "What is assumed to be public, and why",
        vec![
            Block::Paragraph(assumed.to_owned()),
            Block::Table(columns(&request.columns)),
            Block::List(request.rules.clone()),
            Block::Heading("The plan"),
            Block::Code(request.plan.clone()),
        ],
    )
}

fn columns(columns: &[RequestedColumn]) -> Table {
    let row = |column: &RequestedColumn| {
        let bounds = column.bounds.map(|(lower, upper)| format!("{} to {}", figure(lower), figure(upper)));
        let note: Vec<&str> = column.label.iter().chain(&column.unit).map(String::as_str).collect();
        vec![
            Entry::new(column.name.clone()).with_note(note.join(", ")),
            Entry::new(bounds.unwrap_or_else(|| "–".to_owned())),
            Entry::new(column.values.map_or_else(|| "–".to_owned(), |values| values.to_string())),
        ]
    };
    Table {
        caption: "Columns that the plan describes".to_owned(),
        columns: vec![Column::words("column"), Column::numbers("bounds"), Column::numbers("listed values")],
        rows: columns.iter().map(row).collect(),
        note: "Values outside the bounds are clipped to them.".to_owned(),
    }
}

fn approval(request: &ApprovalRequest) -> Section {
    let listed = request.files.iter().map(|file| vec![Entry::new(file.name.clone()), Entry::new(file.sha256.clone())]);
    let names: Vec<&str> = request.files.iter().map(|file| file.name.as_str()).collect();
    let table = Table {
        caption: "Files that the approval covers".to_owned(),
        columns: vec![Column::words("file"), Column::words("SHA-256")],
        rows: listed.collect(),
        note: String::new(),
    };
    let plan = names.first().copied().unwrap_or_default();
    section(
        "approval",
        "To approve",
        vec![
            Block::Paragraph(
                "An approval is for this plan, byte for byte, with the public files that it names. It is \
                              not for the rows, which may change, nor for a version of the program."
                    .to_owned(),
            ),
            Block::Code(request.sha256.clone()),
            Block::Paragraph(
                "Whoever releases the plan gives the digest, who approved it, and why. Any other plan is \
                              refused; approver and reason stand in the manifest of the bundle and in the ledger."
                    .to_owned(),
            ),
            Block::Code(format!(
                "inbounds release {} --out DIR --approved {} \\\n  --approver NAME --reason WORDS",
                plan, request.sha256
            )),
            Block::Table(table),
            Block::Paragraph(format!(
                "The digest is that of the list which this prints, where the plan is called {plan}:"
            )),
            Block::Code(format!("sha256sum {} | sha256sum", names.join(" "))),
        ],
    )
}
