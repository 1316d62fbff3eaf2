//! Dates without quotes, which SQL takes for arithmetic.

/// A date, or a month of a year, that stands outside of quotes.
pub(super) fn unquoted_date(text: &str) -> Option<&str> {
    let mut quote = None;
    let mut before = ' ';
    for (place, letter) in text.char_indices() {
        match quote {
            Some(open) if open == letter => quote = None,
            Some(_) => {}
            None if matches!(letter, '\'' | '"') => quote = Some(letter),
            // Not inside a name or a number.
            None if letter.is_ascii_digit() && !before.is_alphanumeric() && !matches!(before, '_' | '.') => {
                if let Some(length) = length_of_date(&text[place..]) {
                    return Some(&text[place..place + length]);
                }
            }
            None => {}
        }
        before = letter;
    }
    None
}

/// The length of the date with which a text begins: three numbers between two of the same signs, or a year and a month.
fn length_of_date(text: &str) -> Option<usize> {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let first = digits(text);
    let sign = text[first..].chars().next().filter(|sign| matches!(sign, '-' | '/' | '.'))?;
    let second = digits(&text[first + 1..]);
    let end = first + 1 + second;
    let third = text[end..].strip_prefix(sign).map_or(0, digits);
    let is_part = |length: usize| matches!(length, 1 | 2);
    match (first, second, third) {
        (4, 1 | 2, 1 | 2) => Some(end + 1 + third),
        (first, 1 | 2, 4) if is_part(first) => Some(end + 1 + third),
        (4, 2, 0) if sign == '-' => Some(end),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::unquoted_date;

    #[test]
    fn dates_are_told_from_numbers_and_names() {
        for (text, date) in [
            ("d >= 2023-05-01", "2023-05-01"),
            ("d BETWEEN 1.5.2023 AND 3", "1.5.2023"),
            ("d = 2023/5/1 AND x > 2", "2023/5/1"),
            ("m = 2023-05", "2023-05"),
            ("'it''s' = a AND d < 01-02-2023", "01-02-2023"),
        ] {
            assert_eq!(unquoted_date(text), Some(date), "{text}");
        }
        for text in
            ["d >= '2023-05-01'", "\"2023-05-01\" > 3", "x > 2023.05", "x > -5", "a2023-05-01 = 3", "x = 1e-5", "1/2"]
        {
            assert_eq!(unquoted_date(text), None, "{text}");
        }
    }
}
