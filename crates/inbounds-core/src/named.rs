//! Values that files know by a word.

/// One of a few things, each with a word in files that never changes its meaning.
pub trait Named: Copy + 'static {
    /// All of them.
    fn all() -> &'static [Self];

    /// The word in files.
    fn name(self) -> &'static str;

    /// The one of a word.
    fn named(word: &str) -> Option<Self> {
        Self::all().iter().copied().find(|one| one.name() == word)
    }
}

/// Declares an enum whose variants are [`Named`], each with its word beside it.
///
/// ```
/// use inbounds_core::Named;
///
/// inbounds_core::ids! {
///     /// How a day begins.
///     Breakfast {
///         /// With tea.
///         Tea = "tea",
///         /// Without.
///         Nothing = "none",
///     }
/// }
/// assert_eq!((Breakfast::named("tea"), Breakfast::Nothing.name()), (Some(Breakfast::Tea), "none"));
/// ```
#[macro_export]
macro_rules! ids {
    ($(#[$doc:meta])* $name:ident { $($(#[$of_id:meta])* $id:ident = $word:literal,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum $name {
            $($(#[$of_id])* $id,)*
        }

        impl $crate::Named for $name {
            fn all() -> &'static [Self] {
                &[$(Self::$id),*]
            }

            fn name(self) -> &'static str {
                match self {
                    $(Self::$id => $word,)*
                }
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, formatter: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                formatter.write_str($crate::Named::name(*self))
            }
        }
    };
}
