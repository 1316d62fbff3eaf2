//! Cells from which tables are made: those that the plan names, their neighbours, and those that readers get wrong.
//!
//! Everything that a plan names stands in its text: bounds, edges, cuts, codes, and the numbers and words of
//! conditions. So the words of the whole text are candidates for every column, and what belongs to a column by name is
//! tried most.

use std::sync::Arc;

use inbounds_data::{Column, Derivation, KeyValue, Kind};
use inbounds_release::{
    OpenedPlan,
    plan::{self, Plan},
};

/// A cell as a file of text holds it; none for a null.
pub(crate) type Cell = Option<Arc<str>>;

/// A column of the data and what may stand in it.
pub(crate) struct Candidates {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    /// Cells with which rows count; those of numbers in increasing order.
    pub(crate) usual: Vec<Cell>,
    /// Cells that the plan names, and those next to them.
    pub(crate) near: Vec<Cell>,
    /// Cells that readers get wrong, and none.
    pub(crate) odd: Vec<Cell>,
}

/// Usual cells, those next to them, and odd ones.
type Sorts = (Vec<Cell>, Vec<Cell>, Vec<Cell>);

/// Longest word of a plan that is tried as a cell.
const LONGEST: usize = 60;

/// Most words and most numbers of a plan that are tried.
const MOST: usize = 300;

/// The columns of the data with their candidates, those of no use left out.
pub(crate) fn candidates(plan: &Plan, outline: &OpenedPlan, columns: &[Column]) -> Vec<Candidates> {
    let words = Words::parse(plan.text());
    let useful = columns.iter().filter(|column| column.kind != Kind::Other);
    useful.map(|column| of_column(plan, outline, column, &words)).collect()
}

fn cell(text: impl AsRef<str>) -> Cell {
    Some(Arc::from(text.as_ref()))
}

fn cells<const N: usize>(texts: [&str; N]) -> Vec<Cell> {
    texts.map(cell).to_vec()
}

fn of_column(plan: &Plan, outline: &OpenedPlan, column: &Column, words: &Words) -> Candidates {
    let (name, kind) = (column.name.clone(), column.kind);
    let (missing, keys): (Vec<_>, Vec<_>) =
        keys_of(plan, outline, &name).into_iter().partition(|key| *key == KeyValue::Missing);
    let (usual, near, odd) = match kind {
        Kind::Integer | Kind::Number => numbers(plan, &name, kind, &keys, words),
        Kind::Boolean => (cells(["false", "true"]), Vec::new(), cells(["TRUE", " true", "0", "1", "maybe"])),
        Kind::Date => dates(words),
        Kind::Text | Kind::Other => texts(&keys, words),
    };
    // Cells of a set: the most answers that count, the others and more, and each alone.
    let usual = match plan.row_column(&name).and_then(plan::Column::set) {
        None => usual,
        Some(set) => {
            let (most, options) = (set.most as usize, &set.options);
            let joined = |options: &[String]| cell(options.join(&set.separator));
            let ends = [joined(&options[..most]), joined(&options[options.len() - most..]), joined(options)];
            ends.into_iter().chain(usual).collect()
        }
    };
    // Where the missing cell is a key, rows without a value count as others do.
    let near = near.into_iter().chain(missing.iter().map(|_| None));
    let rules = plan.cell_rules(&name);
    let missing = rules.missing.iter().map(cell);
    let odd = odd.into_iter().chain(missing).chain([None, cell(""), cell(" ")]);
    let written = |cell: Cell| match (kind, rules.decimal) {
        (Kind::Number, ',') => cell.map(|text| Arc::from(text.replace('.', ","))),
        _ => cell,
    };
    let near = near.map(written).collect();
    Candidates { name, kind, usual: usual.into_iter().map(written).collect(), near, odd: odd.map(written).collect() }
}

/// Values that a column is grouped, listed or recoded by.
fn keys_of(plan: &Plan, outline: &OpenedPlan, name: &str) -> Vec<KeyValue> {
    let of_task = outline.tasks.iter().filter_map(|task| task.query.keys.as_ref()).flat_map(|keys| {
        let place = keys.columns().iter().position(|column| column == name);
        place.into_iter().flat_map(move |place| keys.values(place).cloned())
    });
    let listed = plan.row_column(name).and_then(|column| column.values.as_ref());
    let listed = listed.into_iter().flatten().map(|value| value.value.clone());
    let recoded = plan.columns.iter().filter_map(|column| match &column.derived.as_ref()?.rule {
        Derivation::Recoded { from, codes, .. } if from == name => {
            Some(codes.iter().map(|(code, _)| code.clone()).collect::<Vec<_>>())
        }
        Derivation::LookedUp { from, keys, .. } => {
            let place = from.iter().position(|from| from == name)?;
            Some(keys.iter().map(|key| key[place].clone()).collect())
        }
        _ => None,
    });
    let mut all: Vec<KeyValue> = of_task.chain(listed).chain(recoded.flatten()).collect();
    all.sort();
    all.dedup();
    all
}

fn numbers(plan: &Plan, name: &str, kind: Kind, keys: &[KeyValue], words: &Words) -> Sorts {
    let bounds = plan.row_column(name).and_then(|column| column.bounds.as_ref());
    let own = bounds.into_iter().flat_map(|bounds| [bounds.lower.value.to_f64(), bounds.upper.value.to_f64()]);
    let listed = keys.iter().filter_map(|key| key.to_string().parse::<f64>().ok());
    let mut usual: Vec<f64> = own.chain(listed).collect();
    if usual.is_empty() {
        usual.extend(&words.numbers);
    }
    if usual.is_empty() {
        usual.extend([0.0, 1.0]);
    }
    usual.sort_by(f64::total_cmp);
    usual.dedup();
    let number = |value: f64| cell(if kind == Kind::Integer { value.round().to_string() } else { value.to_string() });
    let near =
        |value: &f64| [*value, value.next_up(), value.next_down(), value + 1.0, value - 1.0, 0.5 * value, -value];
    let around = usual.iter().chain(&words.numbers).flat_map(near).map(number);
    // A plain `-0`, the ends of what doubles and integers can hold, and what is no number.
    let odd = ["-0", "1e300", "-1e300", "inf", "-inf", "NaN", "9223372036854775807", "-9223372036854775808"];
    let odd =
        odd.into_iter().chain(["9007199254740993", "0.1", "1e-320", "99999999999999999999999", "oops", "+7", "0x10"]);
    (usual.iter().copied().map(number).collect(), around.collect(), odd.map(cell).collect())
}

fn texts(keys: &[KeyValue], words: &Words) -> Sorts {
    let mut usual: Vec<String> = keys.iter().map(KeyValue::to_string).collect();
    if usual.is_empty() {
        usual.extend(["one".to_owned(), "two".to_owned()]);
    }
    let odd = ["nowhere", "NULL", "a \"quoted\", word", "two\nlines", "\u{feff}", "\u{0}"];
    let spelled = usual.iter().take(MOST).flat_map(|key| [format!(" {key}"), format!("{key} "), key.to_uppercase()]);
    let near = spelled.chain(words.texts.iter().cloned()).map(cell).collect();
    (usual.into_iter().map(cell).collect(), near, odd.map(cell).to_vec())
}

fn dates(words: &Words) -> Sorts {
    let days =
        words.texts.iter().filter(|text| text.len() == 10 && text.bytes().filter(|byte| *byte == b'-').count() == 2);
    let days = days.cloned().chain(["1970-01-01", "2000-02-29", "2024-12-31"].map(str::to_owned));
    let odd = ["2023-02-29", "0001-01-01", "9999-12-31", "31.12.2024", "12/31/2024", "today"];
    (days.map(cell).collect(), Vec::new(), cells(odd))
}

/// The words of a plan.
struct Words {
    numbers: Vec<f64>,
    texts: Vec<String>,
}

impl Words {
    fn parse(text: &str) -> Self {
        let is_sign = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '-' | '+' | '_');
        let tokens = text.split(|letter: char| !is_sign(letter)).map(|token| token.replace('_', ""));
        let mut numbers: Vec<f64> =
            tokens.filter_map(|token| token.parse().ok()).filter(|value: &f64| value.is_finite()).collect();
        numbers.sort_by(f64::total_cmp);
        numbers.dedup();
        numbers.truncate(MOST);
        let quoted = |quote: char| text.split(quote).skip(1).step_by(2);
        let short = |text: &&str| !text.is_empty() && text.len() <= LONGEST && !text.contains('\n');
        let mut texts: Vec<String> = quoted('"').chain(quoted('\'')).filter(short).map(str::to_owned).collect();
        texts.sort();
        texts.dedup();
        texts.truncate(MOST);
        Self { numbers, texts }
    }
}

#[cfg(test)]
mod tests {
    use super::Words;

    #[test]
    fn the_words_of_a_plan_are_its_numbers_and_what_is_quoted() {
        let words = Words::parse("upper = 15_000\nwhere = \"age > 65 AND sex = 'male'\"\nedges = [-0.5, 1e3]\n");
        assert_eq!(words.numbers, [-0.5, 65.0, 1000.0, 15000.0]);
        assert_eq!(words.texts, ["age > 65 AND sex = 'male'", "male"]);
    }
}
