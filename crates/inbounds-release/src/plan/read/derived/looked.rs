//! Rule from a file that is looked up.

use inbounds_core::Rational;
use inbounds_data::{Derivation, KeyValue, LookupRow, Outcomes};

use super::recode::LookupOthers;

/// The rule for columns of the names `from`, of the rows of a file, and the numbers that it gives.
pub(super) fn looked_up(
    rows: Vec<LookupRow>,
    others: &LookupOthers,
    mut from: Vec<String>,
) -> (Derivation, Vec<Rational>) {
    match others {
        LookupOthers::Value(others) if from.len() == 1 => {
            let codes = rows.into_iter().map(|(mut key, to)| (key.remove(0), to)).collect();
            (Derivation::Recoded { from: from.remove(0), codes, others: others.clone() }, Vec::new())
        }
        LookupOthers::Value(others) => {
            let (keys, outcomes) = rows.into_iter().unzip();
            (
                Derivation::LookedUp { from, keys, to: Outcomes::Values { of: outcomes, others: others.clone() } },
                Vec::new(),
            )
        }
        LookupOthers::Number(others) => {
            let (keys, outcomes): (Vec<Vec<KeyValue>>, Vec<Option<KeyValue>>) = rows.into_iter().unzip();
            // Numbers are read as the decimals that they are written as.
            let exact = |value: Option<KeyValue>| value.and_then(|value| value.to_string().parse::<Rational>().ok());
            let exact: Vec<Option<Rational>> = outcomes.into_iter().map(exact).collect();
            let number = |number: &Option<Rational>| number.as_ref().map(Rational::to_f64);
            let to = Outcomes::Numbers { of: exact.iter().map(number).collect(), others: number(others) };
            let numbers = exact.into_iter().chain([others.clone()]).flatten().collect();
            (Derivation::LookedUp { from, keys, to }, numbers)
        }
    }
}
