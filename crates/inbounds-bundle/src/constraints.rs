//! The constraints of a reconciliation besides sums along a tree: each field of the record with its sentence.

use serde::{Deserialize, Serialize};

use crate::figures::{counted, figure, whole};

/// The constraints besides the sums.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "field names are the schema; docs/reconcile.md describes each")]
pub struct ConstraintsEntry {
    #[serde(default)]
    pub file: Option<String>,
    #[serde(default)]
    pub sha256: Option<String>,
    pub nonnegative: bool,
    pub integer: bool,
    pub top_down: bool,
    pub fixed_nodes: usize,
    pub bounded_nodes: usize,
    #[serde(default)]
    pub total: Option<f64>,
    #[serde(default)]
    pub orders: usize,
    #[serde(default)]
    pub equalities: usize,
    #[serde(default)]
    pub inequalities: usize,
    #[serde(default)]
    pub system: Option<SystemEntry>,
    #[serde(default)]
    pub matrix: Option<MatrixEntry>,
    #[serde(default)]
    pub table: Option<TableEntry>,
}

impl ConstraintsEntry {
    /// Constraints that hold for the estimates, one sentence each; `exactness` is a phrase, with the comma before it,
    /// on how exactly sums hold.
    ///
    /// The fields are taken apart one by one, so that a new one does not compile without its sentence.
    pub fn sentences(&self, exactness: &str) -> Vec<String> {
        let Self {
            file: _,
            sha256: _,
            nonnegative,
            integer,
            top_down,
            fixed_nodes,
            bounded_nodes,
            total,
            orders,
            equalities,
            inequalities,
            system,
            matrix,
            table,
        } = self;
        let some = |count: usize| (count > 0).then_some(count);
        let sentences = [
            table.as_ref().map(|table| table.sentence(exactness)),
            total.map(|total| format!("All numbers add up to {}{exactness}.", figure(total))),
            some(*equalities).map(|count| format!("{}{exactness}.", hold(count, "equality", "equalities"))),
            some(*inequalities).map(|count| format!("{}.", hold(count, "inequality", "inequalities"))),
            system.as_ref().map(SystemEntry::sentence),
            some(*orders).map(|count| {
                let kept = if count == 1 { "One order is".to_owned() } else { format!("{} orders are", whole(count)) };
                format!("{kept} kept: each number is at most the next.")
            }),
            matrix.as_ref().map(MatrixEntry::sentence),
            nonnegative.then(|| "Nothing is negative.".to_owned()),
            integer.then(|| "All estimates are whole.".to_owned()),
            some(*fixed_nodes).map(|count| {
                format!("{} {} known exactly.", counted(count, "number"), if count == 1 { "is" } else { "are" })
            }),
            some(*bounded_nodes).map(|count| {
                format!(
                    "{} {} own bounds.",
                    counted(count, "number"),
                    if count == 1 { "has its" } else { "have their" }
                )
            }),
            top_down
                .then(|| "Upper levels are estimated first, and bounds at lower levels never change them.".to_owned()),
        ];
        sentences.into_iter().flatten().collect()
    }
}

fn hold(count: usize, one: &str, more: &str) -> String {
    if count == 1 { format!("1 stated {one} holds") } else { format!("{} stated {more} hold", whole(count)) }
}

/// The files of sparse rows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "see ConstraintsEntry")]
pub struct SystemEntry {
    pub triplets: String,
    pub triplets_sha256: String,
    pub sides: String,
    pub sides_sha256: String,
}

impl SystemEntry {
    fn sentence(&self) -> String {
        let Self { triplets, sides, triplets_sha256: _, sides_sha256: _ } = self;
        format!("Coefficients and right-hand sides were read from “{triplets}” and “{sides}”.")
    }
}

/// The matrix whose entries the nodes are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "see ConstraintsEntry")]
pub struct MatrixEntry {
    pub size: usize,
    pub unit_diagonal: bool,
}

impl MatrixEntry {
    fn sentence(&self) -> String {
        let Self { size, unit_diagonal } = self;
        let ones = if *unit_diagonal { ", with ones on the diagonal" } else { "" };
        format!("The numbers are a symmetric {size} by {size} matrix that is positive semidefinite{ones}.")
    }
}

/// The table whose cells and margins the nodes are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "see ConstraintsEntry")]
pub struct TableEntry {
    pub attributes: Vec<String>,
    pub values: Vec<usize>,
    pub margins: usize,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub residuals: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub totals: Vec<TotalLabelEntry>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nested: Vec<NestedEntry>,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub places: usize,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub possible: Vec<Vec<String>>,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// An attribute whose values lie in those of another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "see ConstraintsEntry")]
pub struct NestedEntry {
    pub inner: String,
    pub outer: String,
}

/// A value of an attribute that was read as the sum over it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "see ConstraintsEntry")]
pub struct TotalLabelEntry {
    pub attribute: String,
    pub label: String,
}

impl TotalLabelEntry {
    /// Labels with their attributes: "`Total` of `region` and `All` of `sex`".
    pub(crate) fn listed(labels: &[Self]) -> String {
        let one = |Self { attribute, label }: &Self| format!("`{label}` of `{attribute}`");
        listed(&labels.iter().map(one).collect::<Vec<_>>())
    }
}

impl TableEntry {
    /// The attributes, with how many values each has: "district (3 values) and tenure (4 values)".
    pub fn attributes(&self) -> String {
        let one = |(name, values): (&String, &usize)| format!("{name} ({})", counted(*values, "value"));
        let attributes = self.attributes.iter().zip(&self.values).skip(self.places);
        let attributes = listed(&attributes.map(one).collect::<Vec<_>>());
        match self.places {
            0 => attributes,
            levels => format!("{attributes} at {} in {}", self.places(), counted(levels, "level")),
        }
    }

    /// "3,200 places".
    fn places(&self) -> String {
        counted(self.values.iter().take(self.places).sum(), "place")
    }

    /// The labels that were read as sums, in a clause; none if there are none.
    pub fn totals(&self) -> Option<String> {
        let verb = if self.totals.len() == 1 { "is read as the sum" } else { "are read as sums" };
        (!self.totals.is_empty()).then(|| format!("{} {verb}", TotalLabelEntry::listed(&self.totals)))
    }

    fn sentence(&self, exactness: &str) -> String {
        // Labels of totals have a notice.
        let Self { attributes, values, margins, residuals, totals: _, nested, places, possible } = self;
        let sizes = attributes.iter().zip(values).skip(*places);
        let sizes = sizes.map(|(attribute, values)| format!("{attribute} ({})", whole(*values)));
        let sizes = listed(&sizes.collect::<Vec<_>>());
        let numbers = match margins {
            _ if *places > 0 => format!(
                "The numbers are tables by {sizes} at {} in {}: each is the sum of its cells in every larger margin, and of those of the \
                 places in its own{exactness}.",
                self.places(),
                counted(*places, "level")
            ),
            1 => format!("The numbers are one margin of a table by {sizes}."),
            _ => format!(
                "The numbers are {} of a table by {sizes}: each is the sum of its cells in every larger one{exactness}.",
                counted(*margins, "margin")
            ),
        };
        let lies = |NestedEntry { inner, outer }: &NestedEntry| {
            format!(" Each {inner} lies in one {outer}, and combinations that the input does not have are no cells.")
        };
        let levels = &attributes[..*places];
        let nested = nested.iter().filter(|entry| !levels.contains(&entry.inner));
        let numbers = nested.map(lies).fold(numbers, |numbers, lies| numbers + &lies);
        let together = |names: &Vec<String>| {
            format!(" Combinations of {} that the input does not have are no cells.", listed(names))
        };
        let numbers = possible.iter().map(together).fold(numbers, |numbers, together| numbers + &together);
        match residuals {
            true => format!(
                "{numbers} Measured were residuals: what is left of each margin once the mean along each of its attributes is taken away."
            ),
            false => numbers,
        }
    }
}

/// "a", "a and b", "a, b and c".
fn listed(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [only] => only.clone(),
        [others @ .., last] => format!("{} and {last}", others.join(", ")),
    }
}
