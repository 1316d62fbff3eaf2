//! One spelling for letters that Unicode can write in several ways.

use std::borrow::Cow;

use unicode_normalization::{UnicodeNormalization, is_nfc};

/// A text in the normal form NFC, in which `é` is one letter however it was typed. Texts are compared in it.
///
/// # Example
/// ```
/// assert_eq!(inbounds_data::nfc("Orle\u{301}ans"), "Orl\u{e9}ans");
/// ```
pub fn nfc(text: &str) -> Cow<'_, str> {
    if text.is_ascii() || is_nfc(text) { Cow::Borrowed(text) } else { Cow::Owned(text.nfc().collect()) }
}
