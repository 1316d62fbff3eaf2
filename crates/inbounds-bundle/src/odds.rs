//! Meaning of a guarantee in odds and probabilities.
//!
//! Under pure epsilon a release multiplies the odds of any two neighbouring data sets by at most `e^epsilon`, for any
//! observer, whatever that observer knows: posterior odds are prior odds times a likelihood ratio, and
//! `P(S) <= e^epsilon Q(S)` for every event bounds the ratio. With delta no such bound holds for every outcome; what
//! holds on average is the chance to guess right.

use serde::{Deserialize, Serialize};

/// Secret of a guarantee: the data concerned, and the hidden fact about them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "of", rename_all = "kebab-case")]
pub enum Secret {
    /// The presence of a row in the data.
    Presence,
    /// The presence in the data of the rows that share a value of a column.
    PresenceOfUnit {
        /// The column.
        column: String,
    },
    /// The presence in the data of one of those that a column counts in each row.
    PresenceOfCounted {
        /// The column with their numbers.
        column: String,
    },
    /// The presence in the data of some rows, at most `rows`.
    PresenceOfRows {
        /// Largest number of rows.
        rows: u64,
    },
    /// Which of two sets of values some rows have, at most this many.
    ValuesOfRows {
        /// Largest number of rows.
        rows: u64,
    },
    /// Which of two sets of values a row has.
    Values,
    /// Which of two sets of rows a unit has.
    ValuesOfUnit {
        /// The column that names the unit.
        column: String,
    },
}

impl Secret {
    /// The secret as a clause after "that".
    fn belief(&self) -> String {
        match self {
            Self::Presence => "a given row is in the data".to_owned(),
            Self::PresenceOfUnit { column } => format!("the rows of a given `{column}` are in the data"),
            Self::PresenceOfCounted { column } => format!("a given one of those that `{column}` counts is in the data"),
            Self::PresenceOfRows { rows } => format!("some given rows, at most {rows}, are in the data"),
            Self::ValuesOfRows { rows } => {
                format!("some given rows, at most {rows}, have some given values rather than others")
            }
            Self::Values => "a given row has some given values rather than others".to_owned(),
            Self::ValuesOfUnit { column } => {
                format!("the rows of a given `{column}` are some given ones rather than others")
            }
        }
    }
}

/// The probability, in percent, with which anyone guesses right which of two neighbouring answers was released from,
/// both being equally likely beforehand.
///
/// # Guarantee
/// Under `P(S) <= e^epsilon Q(S) + delta` both ways, at most `(e^epsilon + delta) / (1 + e^epsilon)`. Who answers the
/// second on an event `S` errs with probabilities `a = P(S)` and `b = 1 - Q(S)`. The guarantee for `S` and for what is
/// not `S` gives `1 - b <= e^epsilon a + delta` and `1 - a <= e^epsilon b + delta`; added up,
/// `a + b >= 2 (1 - delta) / (1 + e^epsilon)`, and the guess is right with probability `1 - (a + b) / 2`. Claim:
/// `guess-right`.
///
/// Rounded upward to a tenth of a percent. `epsilon` and `delta` are upper bounds of the exact ones.
pub fn percent_guessed_right(epsilon: f64, delta: f64) -> f64 {
    let factor = libm::exp(epsilon).next_up();
    let right = if factor.is_finite() { ((factor + delta) / (1.0 + factor)).next_up() } else { 1.0 };
    (1000.0 * right).ceil().min(1000.0) / 10.0
}

/// The belief in percent that a fact can have at most after a release of pure epsilon, if it was `percent` before.
///
/// # Guarantee
/// Posterior odds are at most `e^epsilon` times prior odds, so the belief is at most
/// `1 / (1 + (1 - p) / p * e^-epsilon)` for a prior `p = percent / 100`. Rounded upward to a tenth of a percent.
/// `epsilon` is an upper bound of the exact one.
///
/// ```
/// use inbounds_bundle::percent_believed;
///
/// assert_eq!(percent_believed(50.0, 1.0), 73.2);
/// assert_eq!(percent_believed(1.0, 1.0), 2.7);
/// ```
pub fn percent_believed(percent: f64, epsilon: f64) -> f64 {
    let against = (100.0 - percent) / percent * libm::exp(-epsilon).next_down();
    (1000.0 * (1.0 / (1.0 + against)).next_up()).ceil().min(1000.0) / 10.0
}

/// Meaning of epsilon and delta for someone who guesses, as a sentence.
///
/// ```
/// use inbounds_bundle::{Secret, meaning};
///
/// assert_eq!(
///     meaning(&Secret::Presence, 2.0, 0.0),
///     "Someone who is 50 % sure that a given row is in the data can be at most 88.1 % sure after this release, which \
///      multiplies the odds by at most e^2 = 7.4."
/// );
/// ```
pub fn meaning(secret: &Secret, epsilon: f64, delta: f64) -> String {
    let (percent, belief) = (percent_guessed_right(epsilon, delta), secret.belief());
    if delta > 0.0 {
        return format!(
            "Someone who is 50 % sure that {belief}, and who guesses after this release, is right with a probability of at \
             most {percent} %."
        );
    }
    format!(
        "Someone who is 50 % sure that {belief} can be at most {percent} % sure after this release, which multiplies the \
         odds by at most e^{} = {}.",
        short(epsilon),
        times(epsilon)
    )
}

/// `true` for a guarantee that leaves next to nothing to doubt: a belief of 1 % can become one of 99 %, or with delta a
/// guess is right with 99 % where it was right with 50 %.
pub fn is_weak(epsilon: f64, delta: f64) -> bool {
    if delta > 0.0 { percent_guessed_right(epsilon, delta) >= 99.0 } else { libm::exp(epsilon) >= 99.0 * 99.0 }
}

/// Warning about a weak guarantee, with its figures.
pub(crate) fn weakness(secret: &Secret, epsilon: f64, delta: f64) -> String {
    let (belief, shown) = (secret.belief(), short(epsilon));
    if delta > 0.0 {
        let percent = percent_guessed_right(epsilon, delta);
        return format!(
            "Epsilon {shown} protects next to nothing: someone who guesses whether {belief} may be right with a probability of \
             {percent} %, against 50 % without the release."
        );
    }
    // Odds of one in a million, times e^epsilon, in logarithms so that nothing overflows.
    let log_odds = epsilon - libm::log(1e6 - 1.0);
    let becomes = if log_odds < 0.0 {
        format!("may put it at 1 in {} after the release", round(1.0 + libm::exp(-log_odds)))
    } else {
        format!("may be sure of it after the release, except for a chance of 1 in {}", power(log_odds))
    };
    format!(
        "Epsilon {shown} protects next to nothing: someone who put the chance that {belief} at 1 in a million {becomes}. \
         Epsilon 1 would multiply the odds by {} at most.",
        times(1.0)
    )
}

/// An epsilon with at most six decimals, or as many digits where it is very small or large, rounded up: what is stated
/// is not less than what is meant, but for the last bits of a double.
fn short(epsilon: f64) -> String {
    const DECIMALS: f64 = 1e6;
    if !(1e-3..1e9).contains(&epsilon) {
        let rounded: f64 = format!("{epsilon:.5e}").parse().unwrap_or(epsilon);
        let is_it = (rounded - epsilon).abs() <= 4.0 * f64::EPSILON * epsilon;
        let near = if is_it || rounded > epsilon { rounded } else { epsilon };
        return if near < 1e-9 { format!("{near:e}") } else { near.to_string() };
    }
    let near = (epsilon * DECIMALS).round() / DECIMALS;
    let is_it = (near - epsilon).abs() <= 4.0 * f64::EPSILON * epsilon;
    if is_it || near > epsilon { near.to_string() } else { ((epsilon * DECIMALS).ceil() / DECIMALS).to_string() }
}

/// `e^epsilon`, short.
fn times(epsilon: f64) -> String {
    if epsilon < libm::log(1000.0) { format!("{:.1}", libm::exp(epsilon)) } else { power(epsilon) }
}

/// `1 + e^exponent` to two digits, as a power of ten where it is large.
fn power(exponent: f64) -> String {
    let tens = exponent / std::f64::consts::LN_10;
    if tens < 6.0 {
        return round(1.0 + libm::exp(exponent));
    }
    let exponent = tens.floor();
    format!("{:.1}e{exponent}", libm::pow(10.0, tens - exponent))
}

/// A number of at least 1 in two or three digits.
fn round(x: f64) -> String {
    if x < 10.0 { format!("{x:.1}") } else { format!("{x:.0}") }
}

#[cfg(test)]
mod tests {
    use super::{Secret, is_weak, meaning, percent_guessed_right, weakness};

    /// Epsilons are said with six decimals at most, none of them lower.
    #[test]
    fn epsilons_are_short_and_not_below() {
        for (epsilon, said) in [
            (0.42810000000000004, "0.4281"),
            (1.0 / 3.0, "0.333334"),
            (2.0, "2"),
            (1e-5, "0.00001"),
            (1e-6_f64.next_up(), "0.000001"),
            (1e-12, "1e-12"),
        ] {
            let sentence = meaning(&Secret::Presence, epsilon, 0.0);
            assert!(sentence.contains(&format!("e^{said} =")), "{sentence}");
        }
    }

    /// The best guess between two laws, by trying every event.
    fn best_guess(p: &[f64], q: &[f64]) -> f64 {
        let right = |event: usize| -> f64 {
            let weigh = |(index, (p, q)): (usize, (&f64, &f64))| if event >> index & 1 == 1 { *q } else { *p };
            p.iter().zip(q).enumerate().map(weigh).sum::<f64>() / 2.0
        };
        (0..1 << p.len()).map(right).fold(0.0, f64::max)
    }

    /// The pair of laws that uses a guarantee up: with probability `delta` the answer itself, else one of two in the
    /// ratio `e^epsilon`.
    fn extremes(epsilon: f64, delta: f64) -> [[f64; 4]; 2] {
        let (more, less) = (libm::exp(epsilon), 1.0);
        let part = (1.0 - delta) / (more + less);
        [[delta, more * part, less * part, 0.0], [0.0, less * part, more * part, delta]]
    }

    #[test]
    fn no_guess_is_better_and_the_best_is_as_good() {
        for epsilon in [0.0, 0.01, 0.5, 1.0, 2.0, 8.0] {
            for delta in [0.0, 1e-6, 0.01, 0.3] {
                let [p, q] = extremes(epsilon, delta);
                let (best, told) = (100.0 * best_guess(&p, &q), percent_guessed_right(epsilon, delta));
                assert!(best <= told && told - best <= 0.1 + 1e-9, "{epsilon}, {delta}: {best} and {told}");
            }
        }
    }

    #[test]
    fn huge_epsilons_promise_nothing() {
        let right =
            [(1e6, 0.0), (700.0, 0.5), (0.0, 1.0)].map(|(epsilon, delta)| percent_guessed_right(epsilon, delta));
        assert_eq!(right, [100.0; 3]);
        assert_eq!(
            [1.0, 9.0, 9.2, 100.0, 1000.0].map(|epsilon| is_weak(epsilon, 0.0)),
            [false, false, true, true, true]
        );
        assert!(is_weak(5.0, 1e-6) && !is_weak(2.0, 1e-6));
    }

    /// Bayes' rule on the pair of laws that uses the guarantee up, from one in a million.
    #[test]
    fn weakness_states_the_posterior_of_one_in_a_million() {
        let posterior = |epsilon: f64| {
            let [p, q] = extremes(epsilon, 0.0);
            1e-6 * p[1] / (1e-6 * p[1] + (1.0 - 1e-6) * q[1])
        };
        let said = |epsilon: f64| weakness(&Secret::Presence, epsilon, 0.0);
        assert!(
            said(10.0).contains(&format!("may put it at 1 in {:.0} after", 1.0 / posterior(10.0))),
            "{}",
            said(10.0)
        );
        // 1 in 1 - posterior; doubles still resolve it at epsilon 20.
        let wrong = 1.0 / (1.0 - posterior(20.0));
        assert!(said(20.0).contains(&format!("except for a chance of 1 in {wrong:.0}.")), "{wrong}: {}", said(20.0));
        // e^100 = 2.688e43, over a million.
        assert!(said(100.0).contains("chance of 1 in 2.7e37."), "{}", said(100.0));
        assert!(said(1000.0).contains("chance of 1 in 2.0e428."), "{}", said(1000.0));
    }

    #[test]
    fn sentences_name_what_is_hidden() {
        let column = "patient".to_owned();
        let secrets = [
            (Secret::PresenceOfUnit { column: column.clone() }, "the rows of a given `patient` are in the data"),
            (
                Secret::PresenceOfCounted { column: "n".to_owned() },
                "a given one of those that `n` counts is in the data",
            ),
            (Secret::PresenceOfRows { rows: 3 }, "some given rows, at most 3, are in the data"),
            (Secret::ValuesOfRows { rows: 3 }, "some given rows, at most 3, have some given values"),
            (Secret::Values, "a given row has some given values"),
            (Secret::ValuesOfUnit { column }, "the rows of a given `patient` are some given ones"),
        ];
        for (secret, words) in secrets {
            for (epsilon, delta) in [(1.0, 0.0), (1.0, 1e-6)] {
                assert!(meaning(&secret, epsilon, delta).contains(words));
                assert!(weakness(&secret, 100.0, delta).contains(words));
            }
        }
    }
}
