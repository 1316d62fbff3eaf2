//! Values of the constraints file that several kinds have.

use inbounds_input::document::{Field, Item, Mistakes, Reported, Spanned, Table, shorten};
use toml::de::DeValue;

/// Least and largest coefficient: squares of both are far from the ends of doubles.
const COEFFICIENTS: std::ops::RangeInclusive<f64> = 1e-30..=1e30;

/// `true` if a number can be a coefficient.
pub(super) fn is_coefficient(number: f64) -> bool {
    COEFFICIENTS.contains(&number.abs())
}

/// `true` if a number can be a value.
pub(super) fn is_value(number: f64) -> bool {
    number.abs() <= 1e90
}

/// A number that the solvers take.
pub(super) fn number(item: &Item, help: &str, mistakes: &mut Mistakes) -> Result<f64, Reported> {
    let value = item.number(mistakes)?.value.to_f64();
    if is_value(value) { Ok(value) } else { Err(item.refuse("between -1e90 and 1e90", help, mistakes)) }
}

/// True or false.
pub(super) fn switch(item: &Item, mistakes: &mut Mistakes) -> Result<bool, Reported> {
    item.value.as_bool().ok_or_else(|| item.refuse("true or false", "write true or false", mistakes))
}

/// The entries of the table `key`, whose keys are names of nodes.
pub(super) fn by_node<T>(
    root: &Table,
    key: &str,
    help: &str,
    mistakes: &mut Mistakes,
    read: impl Fn(&Item, &mut Mistakes) -> Result<T, Reported>,
) -> Field<Vec<(Spanned<String>, T)>> {
    root.optional(key, |item| entries(&item, &format!("[{key}]"), help, mistakes, read))
}

/// The entries of a table whose keys are names of nodes; `place` is what messages call it.
pub(super) fn entries<T>(
    item: &Item,
    place: &str,
    help: &str,
    mistakes: &mut Mistakes,
    read: impl Fn(&Item, &mut Mistakes) -> Result<T, Reported>,
) -> Result<Vec<(Spanned<String>, T)>, Reported> {
    let DeValue::Table(entries) = item.value else { return Err(item.refuse("a table", help, mistakes)) };
    let mut named = Vec::new();
    let mut outcome = Ok(());
    for (name, value) in entries {
        let subject = format!("`{}` in {place}", shorten(name.get_ref()));
        match read(&Item { subject, value: value.get_ref(), span: value.span() }, mistakes) {
            Ok(value) => named.push((Spanned::new(name.get_ref().to_string(), name.span()), value)),
            Err(reported) => outcome = Err(reported),
        }
    }
    named.sort_by_key(|(name, _)| name.span.start);
    outcome.map(|()| named)
}
