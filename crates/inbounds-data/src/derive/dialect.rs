//! The words of conditions and formulas, as the parser takes them.
//!
//! **Idea.** The parser knows the syntax of many databases, and where a word fails to be one thing it tries the next.
//! Of what is nested it then tries everything twice at each level: `NOT (NOT (NOT (...` and `a.b.c.d...` took seconds.
//! Here a word is one thing from the outset, decided by what follows it, and what no condition has is refused before
//! the parser sees it. The depth of brackets is limited by the parser.

use sqlparser::{
    ast::Expr as Sql,
    dialect::Dialect,
    keywords::Keyword,
    parser::{Parser, ParserError},
    tokenizer::{Token, Tokenizer, Word},
};

/// A parser at the beginning of a text.
///
/// # Errors
/// What is wrong, in words: a text without an end, or syntax that expressions have not.
pub(super) fn parser(text: &str) -> Result<Parser<'static>, String> {
    let tokens = Tokenizer::new(&Plain, text).tokenize_with_location().map_err(|error| error.to_string())?;
    let seen = tokens.iter().map(|token| &token.token).filter(|token| !matches!(token, Token::Whitespace(_)));
    let seen: Vec<&Token> = seen.collect();
    if let Some(problem) = (0..seen.len()).find_map(|place| refused(&seen, place)) {
        return Err(problem);
    }
    Ok(Parser::new(&Plain).with_tokens_with_locations(tokens))
}

/// Refusal of the token at a place, judged with its neighbours.
fn refused(tokens: &[&Token], place: usize) -> Option<String> {
    let at = |place: Option<usize>| place.and_then(|place| tokens.get(place).copied());
    let (before, after) = (at(place.checked_sub(1)), at(place.checked_add(1)));
    match tokens[place] {
        Token::Period => {
            let is_name = |token: Option<&Token>| matches!(token, Some(Token::Word(_)));
            let is_second = matches!(at(place.checked_sub(2)), Some(Token::Period));
            let joins = is_name(before) && is_name(after) && !is_second;
            (!joins).then(|| "put a column name with a dot in double quotes".to_owned())
        }
        // It would be tried as a type and as a word, at each level.
        Token::Word(word) if word.keyword == Keyword::INTERVAL && word.quote_style.is_none() => {
            let is_called = after.is_some_and(begins_operand);
            is_called.then(|| "an expression has no intervals of time".to_owned())
        }
        Token::LParen if after.is_some_and(begins_query) => Some("an expression cannot hold a query".to_owned()),
        token @ (Token::LBracket
        | Token::LBrace
        | Token::Colon
        | Token::SemiColon
        | Token::Arrow
        | Token::RArrow
        | Token::AtSign
        | Token::Placeholder(_)) => Some(format!("`{token}` has no meaning in an expression")),
        _ => None,
    }
}

fn begins_query(token: &Token) -> bool {
    use Keyword as K;
    let Token::Word(word) = token else { return false };
    word.quote_style.is_none() && matches!(word.keyword, K::SELECT | K::WITH | K::VALUES | K::FROM | K::TABLE)
}

/// Columns, numbers, texts, operators and calls; nothing that only one database has.
#[derive(Debug)]
struct Plain;

impl Dialect for Plain {
    fn is_delimited_identifier_start(&self, start: char) -> bool {
        start == '"' || start == '`'
    }

    fn is_identifier_start(&self, start: char) -> bool {
        start.is_alphabetic() || matches!(start, '_' | '#' | '@')
    }

    fn is_identifier_part(&self, part: char) -> bool {
        part.is_alphabetic() || part.is_ascii_digit() || matches!(part, '_' | '#' | '@' | '$')
    }

    fn is_reserved_for_identifier(&self, _: Keyword) -> bool {
        true
    }

    /// A column may be named like a function or a keyword of SQL, such as `floor`: it is a column unless an operand
    /// follows.
    fn parse_prefix(&self, parser: &mut Parser<'_>) -> Option<Result<Sql, ParserError>> {
        let Token::Word(word) = &parser.peek_token_ref().token else { return None };
        if word.quote_style.is_some()
            || !is_ambiguous(word.keyword)
            || begins_operand(&parser.peek_nth_token_ref(1).token)
        {
            return None;
        }
        Some(parser.parse_identifier().map(Sql::Identifier))
    }
}

/// Words with which the parser begins something of its own.
fn is_ambiguous(keyword: Keyword) -> bool {
    use Keyword as K;
    matches!(
        keyword,
        K::ARRAY
            | K::CASE
            | K::CAST
            | K::CEIL
            | K::CONVERT
            | K::CURRENT_DATE
            | K::CURRENT_TIME
            | K::CURRENT_TIMESTAMP
            | K::EXISTS
            | K::EXTRACT
            | K::FLOOR
            | K::INTERVAL
            | K::LOCALTIME
            | K::LOCALTIMESTAMP
            | K::OVERLAY
            | K::POSITION
            | K::SAFE_CAST
            | K::SUBSTR
            | K::SUBSTRING
            | K::TRIM
            | K::TRY_CAST
    )
}

/// `true` if an operand of the word before begins here.
fn begins_operand(next: &Token) -> bool {
    use Keyword as K;
    match next {
        Token::Word(Word { keyword, .. }) => {
            !matches!(keyword, K::AND | K::OR | K::NOT | K::IN | K::IS | K::BETWEEN | K::LIKE | K::ILIKE)
        }
        Token::LParen | Token::LBracket | Token::Period | Token::Number(..) | Token::SingleQuotedString(_) => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use crate::derive::parse_sql;

    /// Each took from one second to longer than anybody waits: the time doubled with each level.
    #[test]
    fn what_is_nested_takes_no_longer_at_each_level() {
        let nested = |open: &str, inner: &str, close: &str, depth: usize| {
            format!("{}{inner}{}", open.repeat(depth), close.repeat(depth))
        };
        for depth in [18, 24, 40, 200, 2000] {
            for (open, inner, close) in [
                ("NOT (", "a <", ")"),
                ("NOT (NOT -", "a(", ")"),
                ("a(", "1", ")"),
                ("a(b, ", "1 +", ")"),
                ("CAST(", "1", " AS INT)"),
                ("CASE ", "", ""),
                ("floor(", "", ")"),
                ("d.", "d", ""),
                ("d.(", "", ""),
                ("x IN (", "", ")"),
                ("x IN ((y), (", "", "))"),
                ("(SELECT ", "", ")"),
                ("INTERVAL (", "", ")"),
                ("- ", "", ""),
                ("array<", "", ">"),
                ("a BETWEEN (", "", ")"),
            ] {
                let begin = Instant::now();
                let _ = parse_sql(&nested(open, inner, close, depth));
                // Milliseconds at most, and hours if the time doubles with each of forty levels.
                assert!(begin.elapsed().as_secs() < 10, "{depth} times {open}");
            }
        }
    }

    #[test]
    fn a_column_may_be_named_like_something_else() {
        for text in ["floor >= 3", "position = 1 AND interval IN (1, 2)", "cast IS NULL", "(ceil) + 1"] {
            assert!(parse_sql(text).is_ok(), "{text}");
        }
        assert!(parse_sql("floor(rent / 12)").is_ok());
        assert!(parse_sql("station.name = 'x'").is_ok());
        for text in ["a.b.c = 1", "a[1]", "x IN (SELECT 1)", "1 + (2", "a -> 1"] {
            assert!(parse_sql(text).is_err(), "{text}");
        }
    }
}
