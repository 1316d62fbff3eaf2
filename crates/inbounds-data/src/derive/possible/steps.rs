//! The rules of a group of columns, one after the other.

use std::collections::{BTreeSet, HashMap};

use super::cells::{Cell, Told};
use super::rules::Rules;
use crate::{Cuts, DatePart, Derivation, KeyValue, Kind, Outcomes};

/// Construction from earlier cells, which are named by their places.
enum Step {
    Part { from: usize, part: DatePart },
    Cut { from: usize, cuts: Cuts, classes: Vec<KeyValue> },
    Map { from: Vec<usize>, codes: HashMap<Vec<KeyValue>, Cell>, others: Cell },
}

/// Stored columns first, then what is made of them.
pub(super) struct Steps {
    roots: Vec<Option<Kind>>,
    steps: Vec<Step>,
    /// Distinctions in each of them.
    told: Vec<Told>,
    /// The places of the columns that were asked for.
    pub(super) asked: Vec<usize>,
}

/// The rule of a column, unless it is taken for a column of its own.
fn rule<'r>(column: &str, rules: &'r dyn Rules) -> Option<&'r Derivation> {
    let is_followed = |rule: &&Derivation| match rule {
        // A day of each month and around each birthday distinguishes these; of other parts all combinations are kept.
        Derivation::Taken { part, .. } => {
            matches!(part, DatePart::Year | DatePart::Month | DatePart::Quarter | DatePart::AgeAt(_))
        }
        Derivation::Cut { .. } | Derivation::Recoded { .. } | Derivation::LookedUp { .. } => true,
        Derivation::Elapsed { .. } | Derivation::Condition(_) | Derivation::Computed { .. } => false,
    };
    rules.rule(column).filter(is_followed)
}

/// The names of the columns that a rule is applied to.
fn inputs(rule: &Derivation) -> Vec<&str> {
    match rule {
        Derivation::Taken { from, .. } | Derivation::Cut { from, .. } | Derivation::Recoded { from, .. } => vec![from],
        Derivation::LookedUp { from, .. } => from.iter().map(String::as_str).collect(),
        Derivation::Elapsed { .. } | Derivation::Condition(_) | Derivation::Computed { .. } => Vec::new(),
    }
}

/// The columns that a column comes from in the end.
pub(super) fn roots(column: &str, rules: &dyn Rules) -> BTreeSet<String> {
    let (mut stored, mut seen, mut waiting) = (BTreeSet::new(), BTreeSet::new(), vec![column]);
    while let Some(name) = waiting.pop() {
        match rule(name, rules) {
            _ if !seen.insert(name) => {}
            None => {
                stored.insert(name.to_owned());
            }
            Some(rule) => waiting.extend(inputs(rule)),
        }
    }
    stored
}

impl Steps {
    /// Those that lead to columns with these listed values; none where a rule does not suit what it is applied to.
    pub(super) fn leading_to(columns: &[(&str, &[KeyValue])], rules: &dyn Rules) -> Option<Self> {
        let names: BTreeSet<String> = columns.iter().flat_map(|(name, _)| roots(name, rules)).collect();
        let mut places: HashMap<String, usize> = names.iter().cloned().zip(0..).collect();
        let roots: Vec<Option<Kind>> = names.iter().map(|name| rules.kind(name)).collect();
        let told = roots.iter().map(|_| Told::default()).collect();
        let mut made = Self { roots, steps: Vec::new(), told, asked: Vec::new() };
        for (name, values) in columns {
            let place = made.add(name, rules, &mut places, 0)?;
            made.asked.push(place);
            made.told[place].values.extend(values.iter().cloned());
        }
        Some(made)
    }

    fn add(
        &mut self,
        column: &str,
        rules: &dyn Rules,
        places: &mut HashMap<String, usize>,
        depth: usize,
    ) -> Option<usize> {
        const DEEPEST: usize = 100;
        if let Some(place) = places.get(column) {
            return Some(*place);
        }
        let rule = rule(column, rules).filter(|_| depth < DEEPEST)?;
        let from = inputs(rule).into_iter().map(|name| self.add(name, rules, places, depth + 1));
        let from: Vec<usize> = from.collect::<Option<_>>()?;
        let value = |to: &Option<KeyValue>| to.clone().map_or(Cell::Missing, Cell::Value);
        let number = |to: &Option<f64>| to.map_or(Cell::Missing, Cell::Number);
        let step = match rule {
            Derivation::Taken { part, .. } => Step::Part { from: from[0], part: *part },
            Derivation::Cut { cuts, classes, .. } => {
                Step::Cut { from: from[0], cuts: cuts.clone(), classes: classes.clone() }
            }
            Derivation::Recoded { codes, others, .. } => Step::Map {
                from,
                codes: codes.iter().map(|(code, to)| (vec![code.clone()], value(to))).collect(),
                others: value(others),
            },
            Derivation::LookedUp { keys, to, .. } => {
                let (outcomes, others): (Vec<Cell>, Cell) = match to {
                    Outcomes::Values { of: values, others } => (values.iter().map(value).collect(), value(others)),
                    Outcomes::Numbers { of: numbers, others } => (numbers.iter().map(number).collect(), number(others)),
                };
                Step::Map { from, codes: keys.iter().cloned().zip(outcomes).collect(), others }
            }
            Derivation::Elapsed { .. } | Derivation::Condition(_) | Derivation::Computed { .. } => return None,
        };
        let place = self.told.len();
        self.tell(&step, place);
        self.steps.push(step);
        self.told.push(Told::default());
        places.insert(column.to_owned(), place);
        Some(place)
    }

    /// Notes which cells the step of a place distinguishes.
    fn tell(&mut self, step: &Step, place: usize) {
        match step {
            Step::Part { from, part } => self.told[*from].parts.push((*part, place)),
            Step::Cut { from, cuts: Cuts::Numbers(cuts), .. } => self.told[*from].cuts.extend(cuts),
            Step::Cut { from, cuts: Cuts::Days(days), .. } => self.told[*from].days.extend(days),
            Step::Map { from, codes, .. } => {
                for (index, place) in from.iter().enumerate() {
                    self.told[*place].values.extend(codes.keys().filter_map(|key| key.get(index)).cloned());
                }
            }
        }
    }

    /// Cells of each stored column that stand for all.
    pub(super) fn candidates(&self) -> Vec<Vec<Cell>> {
        let dates = |told: &Told| {
            let edges = told.parts.iter().flat_map(|(part, to)| self.told[*to].edges().map(|edge| (*part, edge)));
            told.dates(edges)
        };
        let cells = |(kind, told): (&Option<Kind>, &Told)| match kind {
            Some(Kind::Boolean) => told.truths(),
            Some(Kind::Integer) => told.integers(),
            Some(Kind::Number) => told.numbers(),
            Some(Kind::Date) => dates(told),
            _ if !told.parts.is_empty() || !told.days.is_empty() => dates(told),
            _ if told.values.iter().any(|value| matches!(value, KeyValue::Boolean(_))) => told.truths(),
            _ if told.cuts.is_empty() => told.codes(),
            // What is cut and has codes is whole.
            _ if told.values.is_empty() => told.numbers(),
            _ => told.integers(),
        };
        self.roots.iter().zip(&self.told).map(cells).collect()
    }

    /// All cells that follow from these; none where a rule does not suit them.
    pub(super) fn applied(&self, mut cells: Vec<Cell>) -> Option<Vec<Cell>> {
        for step in &self.steps {
            let made = match step {
                Step::Part { from, part } => match &cells[*from] {
                    Cell::Missing => Cell::Missing,
                    Cell::Day(day) => Cell::Value(KeyValue::Integer(part.number(*day)?)),
                    _ => return None,
                },
                Step::Cut { from, cuts, classes } => match class(&cells[*from], cuts)? {
                    Some(place) => Cell::Value(classes.get(place)?.clone()),
                    None => Cell::Missing,
                },
                Step::Map { from, codes, others } => {
                    let key: Option<Vec<KeyValue>> = from.iter().map(|place| cells[*place].key()).collect();
                    match key.and_then(|key| codes.get(&key)) {
                        Some(to) => to.clone(),
                        None if from.iter().any(|place| cells[*place] == Cell::Missing) => Cell::Missing,
                        None => others.clone(),
                    }
                }
            };
            cells.push(made);
        }
        Some(cells)
    }
}

/// The class of a cell, none of a missing one.
fn class(cell: &Cell, cuts: &Cuts) -> Option<Option<usize>> {
    Some(match (cell, cuts) {
        (Cell::Missing, _) => None,
        (Cell::Value(KeyValue::Integer(value)), Cuts::Numbers(cuts)) => {
            Some(cuts.iter().filter(|cut| cut.ceil() as i128 <= i128::from(*value)).count())
        }
        (Cell::Number(number), Cuts::Numbers(cuts)) => Some(cuts.iter().filter(|cut| **cut <= *number).count()),
        (Cell::Day(day), Cuts::Days(cuts)) => Some(cuts.iter().filter(|cut| **cut <= *day).count()),
        _ => return None,
    })
}
