//! Names of columns in one key.

use inbounds_input::document::{Complaint, Item, Mistakes, Reported, Spanned, refuse_repeats, shorten};

/// One name, or a list in which each stands once.
pub(in crate::plan) fn names(
    item: &Item,
    help: &str,
    mistakes: &mut Mistakes,
) -> Result<Spanned<Vec<Spanned<String>>>, Reported> {
    if item.value.as_str().is_some() {
        return Ok(item.put(vec![item.text(help, mistakes)?]));
    }
    let columns = item.list(help, mistakes, |entry, mistakes| entry.text(help, mistakes))?;
    refuse_repeats(&columns.value, mistakes, |name| {
        let message = format!("{} must name each column once, got `{}` twice", item.subject, shorten(name));
        Complaint::new(message, "remove the second one")
    })?;
    Ok(columns)
}
