//! Constraints by number of node, once the measurements say what nodes there are.

use std::{ops::Range, path::Path};

use inbounds_bundle::ConstraintsEntry;
use inbounds_input::{
    document::{Mistake, Spanned},
    nearest,
};

use crate::{cells::Cells, projection::Demand, sheet::Sheet};

/// Constraints by number of node.
#[derive(Default)]
pub(crate) struct Placed {
    /// True if every node is at zero or above, where that is stated or follows.
    pub(crate) nonnegative: Option<bool>,
    pub(crate) fixed: Vec<(usize, f64)>,
    pub(crate) bounds: Vec<(usize, f64, f64)>,
    /// Everything beyond.
    pub(crate) demands: Vec<Box<dyn Demand>>,
    /// The constraints' entry in the manifest, as far as they know it.
    pub(crate) entry: ConstraintsEntry,
}

/// Where constraints meet the measurements.
pub(super) struct Placing<'a> {
    pub(super) sheet: &'a Sheet,
    /// The folder of the constraints file, in which other files are looked for.
    pub(super) folder: &'a Path,
    pub(super) placed: Placed,
    pub(super) mistakes: Vec<Mistake>,
}

impl<'a> Placing<'a> {
    pub(super) fn new(sheet: &'a Sheet, folder: &'a Path) -> Self {
        Self { sheet, folder, placed: Placed::default(), mistakes: Vec::new() }
    }

    /// The number of a node; a name that no node has is noted.
    pub(super) fn find(&mut self, name: &Spanned<String>) -> Option<u32> {
        let sheet = self.sheet;
        // A cell may be named by the label of its total.
        let as_cell = || sheet.names().find(&sheet.cells.as_ref()?.name_of(&name.value));
        let node = sheet.names().find(&name.value).or_else(as_cell);
        if node.is_none() {
            let namesake =
                sheet.tree.namesakes().into_iter().find(|longer| longer.ends_with(&format!(" / {}", name.value)));
            let near = namesake.or_else(|| nearest(&name.value, sheet.names().iter()).map(str::to_owned));
            let help = near
                .map_or_else(|| "name a node of the column `node`".into(), |near| format!("did you mean `{near}`?"));
            self.note(&name.span, format!("{} has no node `{}`", self.sheet.file.display(), name.value), help);
        }
        node
    }

    /// Notes names of which the table has no attribute; the help is for those that are near none.
    pub(super) fn expect_attributes<'n>(&mut self, names: impl Iterator<Item = &'n Spanned<String>>, help: &str) {
        let attributes = self.sheet.cells.as_ref().map_or(&[][..], Cells::own_attributes);
        for name in names.filter(|name| !attributes.contains(&name.value)) {
            let near = nearest(&name.value, attributes.iter().map(String::as_str));
            let help = near.map_or_else(|| help.to_owned(), |near| format!("did you mean `{near}`?"));
            self.note(&name.span, format!("the table has no attribute `{}`", name.value), help);
        }
    }

    /// Notes a mistake at a place of the constraints file.
    pub(super) fn note(&mut self, span: &Range<usize>, message: impl Into<String>, help: impl Into<String>) {
        self.mistakes.push(Mistake::at(span, message, Some(help.into())));
    }

    /// Adds what must hold beyond sums along a tree and bounds of nodes, if anything, with its entry in the
    /// manifest. (Measurements state requirements of single nodes too, and the model counts both.)
    pub(super) fn demand(&mut self, demand: Option<impl Demand + 'static>, record: impl FnOnce(&mut ConstraintsEntry)) {
        self.placed.demands.extend(demand.map(|demand| Box::new(demand) as Box<dyn Demand>));
        record(&mut self.placed.entry);
    }
}
