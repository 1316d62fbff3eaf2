//! Attributes of which only some combinations can occur: those that the file has.

use inbounds_input::document::{Item, Mistakes, Reported, Spanned};

use super::{
    kind::{Constraint, Form, Kind, any},
    placing::Placing,
};
use crate::{cells::Structure, error::ReconcileError};

const HELP: &str = "write possible = [[\"age\", \"status\"]], one list for each set of attributes";

pub(super) const KIND: Kind = Kind {
    key: "possible",
    form: Form::Single,
    alone: None,
    read: |root, mistakes| any(root.optional(KIND.key, |item| sets(&item, mistakes).map(Possible))),
};

/// Sets of attributes.
#[derive(Debug)]
struct Possible(Vec<Vec<Spanned<String>>>);

impl Constraint for Possible {
    fn place(&self, placing: &mut Placing) -> Result<(), ReconcileError> {
        placing.expect_attributes(self.0.iter().flatten(), HELP);
        Ok(())
    }

    fn structure(&self, structure: &mut Structure) {
        let names = |set: &Vec<Spanned<String>>| set.iter().map(|name| name.value.clone()).collect();
        structure.possible.extend(self.0.iter().map(names));
    }
}

/// Lists of at least two names, each once.
fn sets(item: &Item, mistakes: &mut Mistakes) -> Result<Vec<Vec<Spanned<String>>>, Reported> {
    let sets = item.list(HELP, mistakes, |set, mistakes| {
        let names = set.list(HELP, mistakes, |name, mistakes| name.text(HELP, mistakes))?;
        let mut once: Vec<&str> = names.value.iter().map(|name| name.value.as_str()).collect();
        once.sort_unstable();
        once.dedup();
        match once.len() < names.value.len().max(2) {
            true => Err(set.refuse("a list of at least two attributes, each once", HELP, mistakes)),
            false => Ok(names),
        }
    })?;
    Ok(sets.value.into_iter().map(|set| set.value).collect())
}
