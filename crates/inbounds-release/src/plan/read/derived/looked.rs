//! What a file that is looked up says, as a rule.

use inbounds_core::Rational;
use inbounds_data::{Derivation, KeyValue, LookupRow, Outcomes};

use super::recode::LookupOthers;

/// The rows of a file that is looked up.
pub(super) struct Looked {
    keys: Vec<Vec<KeyValue>>,
    to: Outcomes,
    /// The numbers that it gives.
    pub(super) numbers: Vec<Rational>,
}

impl Looked {
    pub(super) fn new(rows: Vec<LookupRow<KeyValue>>, others: &LookupOthers) -> Self {
        let (keys, of): (Vec<Vec<KeyValue>>, Vec<Option<KeyValue>>) = rows.into_iter().unzip();
        match others {
            LookupOthers::Value(others) => {
                Self { keys, to: Outcomes::Values { of, others: others.clone() }, numbers: Vec::new() }
            }
            LookupOthers::Number(others) => {
                // Numbers are read as the decimals that they are written as.
                let exact =
                    |value: Option<KeyValue>| value.and_then(|value| value.to_string().parse::<Rational>().ok());
                let exact: Vec<Option<Rational>> = of.into_iter().map(exact).collect();
                let number = |number: &Option<Rational>| number.as_ref().map(Rational::to_f64);
                let to = Outcomes::Numbers { of: exact.iter().map(number).collect(), others: number(others) };
                Self { keys, to, numbers: exact.into_iter().chain([others.clone()]).flatten().collect() }
            }
        }
    }

    /// The rule for columns of these names.
    pub(super) fn rule(&self, mut from: Vec<String>) -> Derivation {
        match (&self.to, from.len()) {
            (Outcomes::Values { of, others }, 1) => {
                let codes = self.keys.iter().zip(of).map(|(key, to)| (key[0].clone(), to.clone()));
                Derivation::Recoded { from: from.remove(0), codes: codes.collect(), others: others.clone() }
            }
            (to, _) => Derivation::LookedUp { from, keys: self.keys.clone(), to: to.clone() },
        }
    }
}
