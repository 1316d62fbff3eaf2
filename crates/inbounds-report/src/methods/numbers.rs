//! Numbers as languages write them.

use crate::figures::figure;

/// Number format of a language.
#[derive(Clone, Copy)]
pub(super) struct Writing {
    pub(super) decimal: &'static str,
    /// Between thousands.
    pub(super) group: &'static str,
}

impl Writing {
    /// A number with four significant digits, or the digits of one that is written already.
    pub(super) fn number(self, number: f64) -> String {
        self.digits(&figure(number))
    }

    /// Digits as English writes them, `12,345.6`, in this language; other words stay.
    pub(super) fn digits(self, written: &str) -> String {
        let letters: Vec<char> = written.chars().collect();
        let is_digit = |at: Option<usize>| at.and_then(|at| letters.get(at)).is_some_and(char::is_ascii_digit);
        let mut text = String::new();
        for (at, letter) in letters.iter().enumerate() {
            let amid = is_digit(at.checked_sub(1)) && is_digit(Some(at + 1));
            match letter {
                ',' if amid => text += self.group,
                '.' if amid => text += self.decimal,
                letter => text.push(*letter),
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::Writing;

    #[test]
    fn digits_are_written_as_a_language_does() {
        let german = Writing { decimal: ",", group: "." };
        assert_eq!(german.digits("± 12,345.6 Euro, 0.5 %. Ende"), "± 12.345,6 Euro, 0,5 %. Ende");
        assert_eq!(german.number(1_234_567.0), "1.234.567");
    }
}
