//! Numbers for reading: four significant digits, thousands grouped, no false precision.

/// A number with four significant digits, whole where it is large.
pub fn figure(x: f64) -> String {
    let size = x.abs();
    if !x.is_finite() {
        return if x.is_nan() {
            "-".to_owned()
        } else if x > 0.0 {
            "inf".to_owned()
        } else {
            "-inf".to_owned()
        };
    }
    if size == 0.0 {
        "0".to_owned()
    } else if !(1e-4..1e15).contains(&size) {
        format!("{x:.3e}")
    } else if size >= 1000.0 {
        grouped(x)
    } else {
        let decimals = (3 - size.log10().floor() as i32).clamp(0, 8) as usize;
        let text = format!("{x:.decimals$}");
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
    }
}

/// A whole number, thousands grouped.
pub fn whole(count: usize) -> String {
    grouped(count as f64)
}

/// "1 number", "2 numbers".
pub fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{} {noun}s", whole(count)) }
}

/// A bias beside its RMSE: one below a millionth of the error is shown as nothing. The bundle has every digit.
pub fn bias(bias: f64, rmse: f64) -> String {
    if bias.abs() < 1e-6 * rmse { "0".to_owned() } else { figure(bias) }
}

/// A simulated number with its Monte Carlo standard error, both to two digits of the error; alone if it has none.
pub fn simulated(x: f64, error: f64) -> String {
    if error == 0.0 {
        return figure(x);
    }
    let decimals = (1 - error.log10().floor() as i32).clamp(0, 8) as usize;
    let text = format!("{x:.decimals$}");
    // What rounds to nothing has no sign.
    let shown = if text.contains(|digit| matches!(digit, '1'..='9')) { &text } else { text.trim_start_matches('-') };
    format!("{shown} ± {error:.decimals$}")
}

/// An end of a range; open ends are infinite.
pub fn end(end: Option<f64>, open: &str) -> String {
    end.map_or_else(|| open.to_owned(), figure)
}

fn grouped(x: f64) -> String {
    group_digits(&format!("{x:.0}"))
}

/// The whole part of a decimal in groups of three digits.
pub fn group_digits(decimal: &str) -> String {
    let (sign, digits) = decimal.strip_prefix('-').map_or(("", decimal), |digits| ("-", digits));
    let (integer_part, rest) = digits.find('.').map_or((digits, ""), |point| digits.split_at(point));
    let mut text = sign.to_owned();
    for (index, digit) in integer_part.chars().enumerate() {
        if index > 0 && (integer_part.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text + rest
}

/// A part of a whole in per cent, to the nearest whole one, but neither 0 nor 100 where it is not.
pub(crate) fn percent(part: u64, total: u64) -> u64 {
    let rounded = (200 * u128::from(part) + u128::from(total)) / (2 * u128::from(total.max(1)));
    let open = if part == 0 || part >= total { rounded } else { rounded.clamp(1, 99) };
    u64::try_from(open).unwrap_or(100)
}

/// A number with commas between thousands.
pub(crate) fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let comma = |(place, digit): (usize, char)| {
        let before = place > 0 && (digits.len() - place).is_multiple_of(3);
        [before.then_some(','), Some(digit)].into_iter().flatten()
    };
    digits.chars().enumerate().flat_map(comma).collect()
}

#[cfg(test)]
mod tests {
    use super::{figure, percent, simulated, thousands};

    #[test]
    fn simulated_numbers_have_the_digits_of_their_error() {
        assert_eq!(simulated(0.60123, 0.3578), "0.60 ± 0.36");
        assert_eq!(simulated(-1234.5, 123.0), "-1234 ± 123");
        assert_eq!(simulated(2.5, 0.0), "2.5");
        assert_eq!(simulated(-0.001, 0.13), "0.00 ± 0.13");
    }

    #[test]
    fn figures_read_well() {
        let cases = [
            (0.0, "0"),
            (1.0, "1"),
            (-2.5, "-2.5"),
            (0.123456, "0.1235"),
            (12.3456, "12.35"),
            (999.96, "1000"),
            (1234.5, "1,234"),
            (-1234567.0, "-1,234,567"),
            (1e-5, "1.000e-5"),
            (3e20, "3.000e20"),
        ];
        for (x, text) in cases {
            assert_eq!(figure(x), text);
        }
    }

    #[test]
    fn numbers_read_as_people_write_them() {
        assert_eq!([0, 7, 999, 1000, 1_234_567].map(thousands), ["0", "7", "999", "1,000", "1,234,567"]);
        assert_eq!(percent(5479, 20_293), 27);
        assert_eq!((percent(1, 20_000), percent(19_999, 20_000), percent(0, 5), percent(5, 5)), (1, 99, 0, 100));
    }
}
