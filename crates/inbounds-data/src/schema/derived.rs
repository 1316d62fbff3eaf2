//! The columns that are made of others: their names, their order and their kinds.

use crate::{Column, Cuts, DataError, Derivation, DerivedColumn, KeyValue, Keys, Kind, Outcomes, Source};

/// Longest chain of columns that are made of one another, far below what the stack can take.
const LONGEST_CHAIN: usize = 100;

/// Adds the derived columns, and says how each is made.
///
/// **Invariant.** The inputs of a column are columns, of kinds that suit it, and no column is made of itself along any
/// way.
pub(super) fn derive(columns: &mut Vec<Column>, source: &Source) -> Result<Vec<Derivation>, DataError> {
    let stored = columns.len();
    for DerivedColumn { name, .. } in &source.derived {
        if columns.iter().any(|column| column.name == *name) {
            let problem = "is made of others, but there is a column of this name already";
            return Err(DataError::Declaration { column: name.clone(), problem });
        }
        // Its kind is known when those of its inputs are.
        columns.push(Column { name: name.clone(), kind: Kind::Other });
    }
    let mut waiting = Vec::new();
    for (place, derived) in (stored..).zip(&source.derived) {
        let placed = |error| DataError::Derived { column: derived.name.clone(), error: Box::new(error) };
        let inputs = inputs(&derived.rule, columns).map_err(placed)?;
        waiting.push((place, derived, inputs));
    }
    let mut known: Vec<bool> = (0..columns.len()).map(|place| place < stored).collect();
    for _ in 0..LONGEST_CHAIN {
        let (ready, rest): (Vec<_>, Vec<_>) =
            waiting.into_iter().partition(|(_, _, inputs)| inputs.iter().all(|&input| known[input]));
        for (place, derived, inputs) in ready {
            let inputs: Vec<&Column> = inputs.iter().map(|&input| &columns[input]).collect();
            let placed = |error| DataError::Derived { column: derived.name.clone(), error: Box::new(error) };
            let kind = kind_of(&derived.rule, &inputs).map_err(placed)?;
            (columns[place].kind, known[place]) = (kind, true);
        }
        waiting = rest;
    }
    match waiting.first() {
        None => Ok(source.derived.iter().map(|derived| derived.rule.clone()).collect()),
        Some((_, derived, _)) => {
            let problem = "is made of itself, or at the end of a chain of more than 100 columns";
            Err(DataError::Declaration { column: derived.name.clone(), problem })
        }
    }
}

/// The places of the columns that a rule reads.
fn inputs(rule: &Derivation, columns: &[Column]) -> Result<Vec<usize>, DataError> {
    let place = |name: &String| {
        columns.iter().position(|column| column.name == *name).ok_or_else(|| {
            DataError::no_such_column("derived", name, columns.iter().map(|column| column.name.as_str()))
        })
    };
    rule.inputs()?.iter().map(place).collect()
}

/// The kind of what a rule makes of columns of these kinds.
fn kind_of(rule: &Derivation, inputs: &[&Column]) -> Result<Kind, DataError> {
    let refuse = |input: &Column, required: &'static str| DataError::DerivedFrom {
        from: input.name.clone(),
        kind: input.kind,
        required,
    };
    let from =
        |allowed: &[Kind], required: &'static str| match inputs.iter().find(|input| !allowed.contains(&input.kind)) {
            Some(input) => Err(refuse(input, required)),
            None => Ok(()),
        };
    let numbers = [Kind::Integer, Kind::Number, Kind::Boolean];
    match rule {
        Derivation::Taken { part, .. } => from(&[Kind::Date], "of dates").map(|()| part.kind()),
        Derivation::Elapsed { .. } => from(&[Kind::Date], "of dates").map(|()| Kind::Integer),
        Derivation::Cut { cuts, classes, .. } => {
            match cuts {
                Cuts::Numbers(_) => from(&numbers[..2], "of numbers, as its cuts are")?,
                Cuts::Days(_) => from(&[Kind::Date], "of dates, as its cuts are")?,
            }
            let cuts_increase = cuts.as_numbers().is_sorted_by(|a, b| a < b);
            if classes.len() != cuts.count() + 1
                || !cuts_increase
                || !cuts.as_numbers().iter().all(|cut| cut.is_finite())
            {
                return Err(DataError::Cuts { cuts: cuts.count(), classes: classes.len() });
            }
            one_kind(classes.iter())
        }
        Derivation::Recoded { codes, others, .. } => {
            match codes.iter().find_map(|(code, _)| code.kind()) {
                Some(Kind::Integer) => from(&[Kind::Integer], "of integers, as its codes are")?,
                Some(Kind::Boolean) => from(&[Kind::Boolean], "of booleans, as its codes are")?,
                None => from(&[Kind::Integer, Kind::Text, Kind::Boolean], "of integers, texts or booleans")?,
                Some(_) => from(&[Kind::Text], "of texts, as its codes are")?,
            }
            // Each once, and all of one kind.
            Keys::new(vec!["codes".to_owned()], codes.iter().map(|(code, _)| vec![code.clone()]).collect())?;
            one_kind(codes.iter().filter_map(|(_, to)| to.as_ref()).chain(others))
        }
        Derivation::LookedUp { keys, to, .. } => {
            for (place, input) in inputs.iter().enumerate() {
                let kind = keys.iter().find_map(|key| key.get(place)?.kind());
                if !kind.map_or_else(|| is_key(input.kind), |kind| kind == input.kind) {
                    return Err(refuse(input, "of integers, texts or booleans, as its keys are"));
                }
            }
            Keys::new(inputs.iter().map(|input| input.name.clone()).collect(), keys.clone())?;
            match to {
                _ if to.rows() != keys.len() => Err(DataError::DerivedValues),
                Outcomes::Values { of: values, others } => one_kind(values.iter().flatten().chain(others)),
                Outcomes::Numbers { of: numbers, others } => {
                    match numbers.iter().flatten().chain(others).all(|one| one.is_finite()) {
                        true => Ok(Kind::Number),
                        false => Err(DataError::DerivedValues),
                    }
                }
            }
        }
        Derivation::Condition(_) => Ok(Kind::Boolean),
        Derivation::Computed { formula, ranges } => {
            from(&numbers, "of numbers or booleans, to be computed with")?;
            let is_integer: Vec<bool> = inputs.iter().map(|input| input.kind != Kind::Number).collect();
            formula.range(ranges)?;
            formula.check_whole(ranges, &is_integer)?;
            Ok(if formula.is_whole(&is_integer) { Kind::Integer } else { Kind::Number })
        }
    }
}

/// `true` for a kind whose values can be looked up.
fn is_key(kind: Kind) -> bool {
    matches!(kind, Kind::Integer | Kind::Text | Kind::Boolean)
}

/// The kind that all values are of.
fn one_kind<'v>(mut values: impl Iterator<Item = &'v KeyValue>) -> Result<Kind, DataError> {
    let kind = values.next().and_then(KeyValue::kind);
    match kind.filter(|kind| values.all(|value| value.kind() == Some(*kind))) {
        Some(kind) => Ok(kind),
        None => Err(DataError::DerivedValues),
    }
}
