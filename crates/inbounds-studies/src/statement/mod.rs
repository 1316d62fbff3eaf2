//! Statements of the papers, one by one: definitions, theorems, figures, tables, printed numbers and findings.
//!
//! A check of a paper's claim names one of these statements ([`Check::reproduced`](crate::Check::reproduced),
//! [`Check::differs`](crate::Check::differs)), so that no claim goes without a place in the paper. Every statement is
//! computed by a study or says why none can; [`crate::pages::statements`] is the table of them all.

pub(crate) mod fairness;
pub(crate) mod holohan;
pub(crate) mod liu;
pub(crate) mod mcglinchey;
pub(crate) mod zhu;

use crate::Paper;

/// One statement of a paper.
#[derive(Debug, PartialEq, Eq)]
pub struct Statement {
    /// The paper.
    pub paper: Paper,
    /// Its label there, such as `Theorem 12`; unique in the paper.
    pub label: &'static str,
    /// The section where it stands.
    pub section: &'static str,
    /// The statement, in this project's words.
    pub says: &'static str,
    /// Numbers of errata in `docs/studies/errata.md` that correct it.
    pub errata: &'static [u32],
    /// Why no study computes it; none if one does.
    pub uncomputed: Option<&'static str>,
}

/// Declares the statements of a paper, and `ALL`, the list of them.
///
/// An entry is `NAME: "label", "section", "says", [errata];`, with `, uncomputed "reason"` before the semicolon where
/// no study computes it.
macro_rules! statements {
    ($paper:expr; $($name:ident: $label:literal, $section:literal, $says:literal, [$($erratum:literal),*]
        $(, uncomputed $reason:literal)?;)*) => {
        $(pub(crate) static $name: $crate::statement::Statement = $crate::statement::Statement {
            paper: $paper,
            label: $label,
            section: $section,
            says: $says,
            errata: &[$($erratum),*],
            uncomputed: statements!(@reason $($reason)?),
        };)*

        /// In the order of the paper.
        pub(super) static ALL: &[&$crate::statement::Statement] = &[$(&$name),*];
    };
    (@reason) => { None };
    (@reason $reason:literal) => { Some($reason) };
}
use statements;

/// All statements, paper by paper.
pub fn all() -> impl Iterator<Item = &'static Statement> {
    [liu::ALL, holohan::ALL, mcglinchey::ALL, zhu::ALL, fairness::ALL].into_iter().flatten().copied()
}

/// The statements of a paper.
pub fn by_paper(paper: Paper) -> impl Iterator<Item = &'static Statement> {
    all().filter(move |statement| statement.paper == paper)
}
