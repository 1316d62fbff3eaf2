//! Names of functions and variables.

use std::{fs, path::Path};

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};

use crate::repository::{files_below, root};

/// A preposition names neither what a function does nor what a variable holds. Fields of records keep it where it is a
/// key of what is published.
const FORBIDDEN: &str = "of";

/// Tokens shown around a name.
const SHOWN: usize = 6;

/// Where the forbidden word is anything but a field, with the tokens around it. Fields stand in braces before a colon,
/// or behind a dot.
fn uses(tokens: TokenStream, is_braced: bool) -> Vec<String> {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let is_mark = |token: Option<&TokenTree>, mark: char| matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == mark && punct.spacing() == Spacing::Alone);
    let mut uses_found = Vec::new();
    for (index, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Group(group) => {
                uses_found.extend(uses(group.stream(), group.delimiter() == Delimiter::Brace));
            }
            TokenTree::Ident(name) if name == FORBIDDEN => {
                let before = index.checked_sub(1).map(|before| &tokens[before]);
                let after = tokens.get(index + 1);
                let is_call =
                    matches!(after, Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis);
                let is_bound = matches!(before, Some(TokenTree::Ident(word)) if word == "let" || word == "mut");
                let is_field = is_mark(before, '.') && !is_call || is_braced && is_mark(after, ':') && !is_bound;
                if !is_field {
                    let around = &tokens[index.saturating_sub(SHOWN)..tokens.len().min(index + SHOWN)];
                    uses_found.push(around.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "));
                }
            }
            TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
    uses_found
}

fn uses_in_file(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).expect("a source");
    let tokens: TokenStream = text.parse().unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    uses(tokens, false).iter().map(|around| format!("{}: {around}", path.display())).collect()
}

#[test]
fn no_function_or_variable_is_named_of() {
    let sources = files_below(&root().join("crates"), "rs");
    let all: Vec<String> = sources.iter().flat_map(|path| uses_in_file(path)).collect();
    assert!(all.is_empty(), "{} uses of `{FORBIDDEN}` as a name:\n{}", all.len(), all.join("\n"));
}

#[test]
fn functions_variables_and_parameters_are_seen_and_fields_are_not() {
    let seen = |text: &str| uses(text.parse().expect("tokens"), false).len();
    let names = [
        "fn of() {}",
        "let of = 1;",
        "|of| 1",
        "fn f(of: u32) {}",
        "let R { of, .. } = r;",
        "r.of(1)",
        "R::of(1)",
        "{ let of: u8 = 1; }",
    ];
    assert_eq!(names.map(seen), [1; 8]);
    let fields = ["struct R { of: u32 }", "R { of: 1 }", "r.of", "let R { of: total } = r;", "// of\n", "\"of\""];
    assert_eq!(fields.map(seen), [0; 6]);
}
