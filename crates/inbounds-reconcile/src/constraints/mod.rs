//! The constraints file: what must hold, where the measurements file does not say it.
//!
//! A kind of constraint has a file here and a line in [`KINDS`]: how it is read (`reading`), and how it is placed on
//! the nodes of the measurements (`placing`), where it adds its demands and its entry in the manifest.

// A kind that is not in the list was forgotten there.
#![deny(dead_code)]

mod bounds;
mod fixed;
mod kind;
#[cfg_attr(not(feature = "matrices"), path = "without_matrices.rs")]
mod matrix;
mod nested;
mod nonnegative;
mod order;
mod placing;
mod possible;
mod reading;
mod row;
mod system;
mod total;

use std::path::{Path, PathBuf};

use inbounds_bundle::{ConstraintsEntry, digest::sha256};
use inbounds_input::document::{Document, DocumentErrors, Mistakes, Reported, Table};

use self::{
    kind::{Alone, Constraint, Form, Kind},
    placing::Placing,
};
use super::{cells::Structure, error::ReconcileError, sheet::Sheet};

pub(super) use placing::Placed;

/// All kinds. Rows are numbered in this order.
const KINDS: &[Kind] = &[
    nonnegative::KIND,
    fixed::KIND,
    bounds::KIND,
    row::EQUALITY,
    row::INEQUALITY,
    system::KIND,
    total::KIND,
    order::KIND,
    matrix::KIND,
    nested::KIND,
    possible::KIND,
];

/// The file that constraints stand in.
const CONSTRAINTS: Document = Document {
    noun: "constraints file",
    keys: &keys::<{ KINDS.len() }>(None),
    former: &[TOP_DOWN],
    lists: &keys::<{ count(Form::Listed) }>(Some(Form::Listed)),
    shape: "a constraint, such as nonnegative = true, [fixed] or [[equality]]",
};

/// A key of former files, now an option of the command.
const TOP_DOWN: &str = "top_down";

/// Constraints by name, before they meet the measurements. Without any, sums hold and nothing is below zero.
///
/// # Example
/// ```
/// use inbounds_reconcile::Constraints;
/// let constraints = Constraints::parse("nonnegative = true\nfixed.\"New York\" = 20201249")?;
/// let wrong = Constraints::parse("nonnegativ = true").expect_err("a slip");
/// assert!(wrong.to_string().contains("did you mean `nonnegative`?"));
/// # Ok::<(), inbounds_reconcile::DocumentErrors>(())
/// ```
#[derive(Debug, Default)]
pub struct Constraints {
    stated: Vec<Box<dyn Constraint>>,
    name: String,
    text: String,
    folder: PathBuf,
}

impl Constraints {
    /// Reads a constraints file. Files that it names are looked for in its folder, and read when measurements are.
    ///
    /// # Errors
    /// [`DocumentErrors`] with every mistake found; also where the file cannot be read or is not UTF-8 text.
    pub fn read(path: &Path) -> Result<Self, DocumentErrors> {
        let text = CONSTRAINTS.read(path)?;
        let constraints = Self::from_text(&path.display().to_string(), text)?;
        Ok(Self { folder: path.parent().unwrap_or(Path::new("")).to_owned(), ..constraints })
    }

    /// Reads constraints from their text. Mistakes go by the file name `constraints.toml`.
    ///
    /// # Errors
    /// [`DocumentErrors`] with every mistake found.
    pub fn parse(text: &str) -> Result<Self, DocumentErrors> {
        Self::from_text("constraints.toml", text.to_owned())
    }

    fn from_text(name: &str, text: String) -> Result<Self, DocumentErrors> {
        let mut mistakes = Mistakes::new(&text);
        match stated(&mut mistakes) {
            Ok(stated) if mistakes.is_empty() => {
                Ok(Self { stated, name: name.to_owned(), text, folder: PathBuf::new() })
            }
            _ => Err(DocumentErrors::new(name, &text, mistakes.into_list())),
        }
    }

    /// Which combinations of values are cells.
    pub(super) fn structure(&self) -> Structure {
        let mut structure = Structure::default();
        self.stated.iter().for_each(|constraint| constraint.structure(&mut structure));
        structure
    }

    /// The constraints by number of node.
    ///
    /// # Errors
    /// Every name that is no node, and whatever else the measurements contradict; then those of files that the
    /// constraints name.
    pub(super) fn on(&self, sheet: &Sheet) -> Result<Placed, ReconcileError> {
        let mut placing = Placing::new(sheet, &self.folder);
        let placed: Vec<_> = self.stated.iter().map(|constraint| constraint.place(&mut placing)).collect();
        if !placing.mistakes.is_empty() {
            return Err(DocumentErrors::new(&self.name, &self.text, placing.mistakes).into());
        }
        placed.into_iter().collect::<Result<(), _>>()?;
        let sha256 = (!self.name.is_empty()).then(|| sha256(self.text.as_bytes()));
        let nonnegative = placing.placed.nonnegative.unwrap_or(true);
        let entry = ConstraintsEntry { sha256, nonnegative, ..placing.placed.entry };
        Ok(Placed { entry, ..placing.placed })
    }
}

/// Constraints of the file, in the order of the kinds.
fn stated(mistakes: &mut Mistakes) -> Result<Vec<Box<dyn Constraint>>, Reported> {
    let tree = CONSTRAINTS.parse(mistakes)?;
    // A key of before has a mistake of its own, instead of that of an unknown one.
    let former = CONSTRAINTS.former.iter().filter(|key| tree.contains_key(**key));
    let keys: Vec<&str> = CONSTRAINTS.keys.iter().chain(former).copied().collect();
    let root = Table::open("the constraints file", 0..0, &tree, &keys, mistakes);
    let read: Vec<_> = KINDS.iter().map(|kind| (kind.read)(&root, mistakes)).collect();
    for kind in KINDS.iter().filter(|kind| root.item(kind.key).is_some()) {
        refuse_company(kind, &root, mistakes);
    }
    refuse_former(&root, mistakes);
    let read = read.into_iter().collect::<Result<Vec<_>, _>>()?;
    Ok(read.into_iter().flatten().collect())
}

/// Notes what stands beside a kind that goes with no other, right or wrong.
fn refuse_company(kind: &Kind, root: &Table, mistakes: &mut Mistakes) {
    let Some(Alone { reason, but }) = kind.alone else { return };
    for key in CONSTRAINTS.keys.iter().filter(|key| **key != kind.key && !but.contains(key)) {
        let Some(item) = root.item(key).filter(|item| item.value.as_bool() != Some(false)) else { continue };
        let message = format!("`{key}` goes with no [{}]: {reason}", kind.key);
        mistakes.note(&item.span, message, "take one of the two out");
    }
}

fn refuse_former(root: &Table, mistakes: &mut Mistakes) {
    if let Some(item) = root.item(TOP_DOWN) {
        let message =
            "`top_down` is not a key of the constraints file: trees are solved from the roots down by default";
        let help = "remove it, or write --fit joint after the command for all levels at once";
        mistakes.note(&item.span, message, help);
    }
}

/// Number of kinds that are written in a form.
const fn count(form: Form) -> usize {
    let (mut index, mut count) = (0, 0);
    while index < KINDS.len() {
        count += (KINDS[index].form as usize == form as usize) as usize;
        index += 1;
    }
    count
}

/// The keys of all kinds, or of those written in a form, of which there are `N`.
const fn keys<const N: usize>(form: Option<Form>) -> [&'static str; N] {
    let mut keys = [""; N];
    let (mut index, mut count) = (0, 0);
    while index < KINDS.len() {
        let asked = match form {
            Some(form) => KINDS[index].form as usize == form as usize,
            None => true,
        };
        if asked {
            keys[count] = KINDS[index].key;
            count += 1;
        }
        index += 1;
    }
    keys
}
