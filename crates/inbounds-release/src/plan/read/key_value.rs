//! A value in a list of possible values. Texts are in the normal form of Unicode in which cells are compared.

use inbounds_data::{KeyValue, nfc};
use inbounds_input::document::{Item, Mistakes, Reported, Spanned};
use toml::de::DeValue;

/// Text, a whole number of 64 bits or a boolean; the word `missing` is the missing cell.
pub(in crate::plan) fn read(item: &Item, mistakes: &mut Mistakes) -> Result<Spanned<KeyValue>, Reported> {
    let help = "possible values are strings, whole numbers or booleans";
    match item.value {
        DeValue::String(text) => {
            let text = nfc(text);
            Ok(item.put(KeyValue::of_word(text.trim()).unwrap_or_else(|| KeyValue::Text(text.into_owned()))))
        }
        DeValue::Boolean(value) => Ok(item.put(KeyValue::Boolean(*value))),
        DeValue::Integer(digits) => match i64::from_str_radix(digits.as_str(), digits.radix()) {
            Ok(value) => Ok(item.put(KeyValue::Integer(value))),
            Err(_) => Err(item.refuse("a whole number of 64 bits", help, mistakes)),
        },
        _ => Err(item.refuse("a string, a whole number or a boolean", help, mistakes)),
    }
}
