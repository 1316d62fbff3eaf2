//! Columns of texts, of which most repeat.

use std::{borrow::Cow, collections::HashMap, sync::Arc};

use arrow::array::{ArrayRef, DictionaryArray, Int32Array, StringArray};

/// Texts, empty where there is none.
pub(super) fn words<'t>(texts: impl Iterator<Item = Option<&'t str>>) -> ArrayRef {
    words_of(texts, Cow::Borrowed)
}

/// Texts of what mostly is the same as before, each kept once; empty where there is nothing.
pub(super) fn words_of<'t, T: ?Sized + 't>(
    all: impl Iterator<Item = Option<&'t T>>,
    text: impl Fn(&'t T) -> Cow<'t, str>,
) -> ArrayRef {
    let (mut known, mut texts): (HashMap<Cow<'t, str>, i32>, Vec<Cow<'t, str>>) = (HashMap::new(), Vec::new());
    let mut last: Option<(&T, i32)> = None;
    let mut code = |one: &'t T| match last {
        Some((before, code)) if std::ptr::eq(before, one) => code,
        _ => {
            let text = text(one);
            let code = known.get(&text).copied().unwrap_or_else(|| {
                texts.push(text.clone());
                known.insert(text, texts.len() as i32 - 1);
                texts.len() as i32 - 1
            });
            last = Some((one, code));
            code
        }
    };
    let codes: Int32Array = all.map(|one| one.map(&mut code)).collect();
    Arc::new(DictionaryArray::new(codes, Arc::new(StringArray::from_iter_values(texts))))
}
