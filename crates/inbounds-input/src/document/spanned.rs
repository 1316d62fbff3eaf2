//! A value and the place where it stands.

use std::ops::Range;

/// A value with its byte range in the text of the document.
///
/// Later phases note a mistake at the range when the value turns out not to fit something else.
///
/// # Example
/// ```
/// use inbounds_input::document::Spanned;
/// let name = Spanned::new("age".to_owned(), 7..10);
/// assert_eq!(name.map(|text| text.len()), Spanned::new(3, 7..10));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spanned<T> {
    /// The value.
    pub value: T,
    /// Byte range of the value in the text.
    pub span: Range<usize>,
}

impl<T> Spanned<T> {
    /// A value at a place.
    pub fn new(value: T, span: Range<usize>) -> Self {
        Self { value, span }
    }

    /// Another value at the same place.
    pub fn map<U>(self, convert: impl FnOnce(T) -> U) -> Spanned<U> {
        Spanned { value: convert(self.value), span: self.span }
    }
}
