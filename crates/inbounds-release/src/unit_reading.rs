//! Construction and reading of the unit of a plan, for the ledger that adds up the losses of one unit.
//!
//! **Law.** Two plans with the same reading put every row of the same files into the same unit. So a reading holds the
//! rule and the way of reading of every column that the unit is made of, and nothing else: what a plan says of other
//! columns, and how much of a unit it uses (`max_rows`, `[per_unit]`), changes no unit.

use inbounds_bundle::digest::sha256;
use inbounds_data::{Column, Cuts, DatePart, DateSpan, Derivation, KeyValue, Kind, NumberRange, Outcomes, READER};
use inbounds_ledger::{Aspect, UnitReading};

use crate::plan::{CellRules, Negative, NumberStyle, Plan};

/// Construction and reading of the unit of a plan; `stored` are the columns of the files, with their kinds.
pub(crate) fn unit_reading(plan: &Plan, stored: &[Column]) -> UnitReading {
    let reader = (Aspect::Reader, READER.to_string());
    let layout = layout(plan);
    let columns = plan.privacy.unit.column().map(|column| plan.origins(&column.value)).unwrap_or_default();
    let frequency = plan.frequency().into_iter().flat_map(|frequency| {
        let name = &frequency.column.value;
        let how = (Aspect::Frequency(name.clone()), format!("{:?} or {:?}", frequency.bounds, frequency.missing));
        let origins = plan.origins(name).into_iter().flat_map(|column| column_reading(plan, stored, column));
        [how].into_iter().chain(origins).collect::<Vec<_>>()
    });
    let columns = columns.into_iter().flat_map(|column| column_reading(plan, stored, column));
    UnitReading::new([reader].into_iter().chain(layout).chain(columns).chain(frequency))
}

/// Settings that decide where a row ends and, if the unit is a column, where its cell does and which line names it.
fn layout(plan: &Plan) -> Vec<(Aspect, String)> {
    let text = &plan.data.text;
    if !plan.data.format.has_separators() {
        return Vec::new();
    }
    let (separator, quote) = text.signs(plan.data.format);
    let sign = |sign: u8| char::from(sign).to_string();
    let quote = (Aspect::Quote, quote.map(sign).unwrap_or_default());
    let encoding = (Aspect::Encoding, text.encoding.word().to_owned());
    let mut aspects = vec![quote, encoding];
    if plan.privacy.unit.column().is_some() {
        let skip = (Aspect::Skip, text.skip.to_string());
        let comment = (Aspect::Comment, text.comment.map(sign).unwrap_or_default());
        aspects.extend([(Aspect::Separator, sign(separator)), skip, comment]);
    }
    aspects
}

/// Derivation of a column, or the reading of its cells.
fn column_reading(plan: &Plan, stored: &[Column], name: &str) -> Vec<(Aspect, String)> {
    let column = plan.row_column(name);
    if let Some(derived) = column.and_then(|column| column.derived.as_ref()) {
        return vec![(Aspect::Rule(name.to_owned()), rule(&derived.rule))];
    }
    let declared = column.and_then(|column| column.column_type.as_ref()).map(|kind| kind.value);
    let kind = || stored.iter().find(|column| column.name == name).map_or(Kind::Other, |column| column.kind);
    let kind = declared.unwrap_or_else(kind);
    let typed = (Aspect::Type(name.to_owned()), kind.name().to_owned());
    [typed].into_iter().chain(cells(name, kind, &plan.cell_rules(name))).collect()
}

/// Those of the rules of a column's cells that matter for cells of a kind.
fn cells(name: &str, kind: Kind, rules: &CellRules) -> Vec<(Aspect, String)> {
    let CellRules { trim, missing, thousands, decimal, number, date } = rules;
    let name = || name.to_owned();
    let missing = || (Aspect::MissingValues(name()), listed(missing));
    let thousands = || (Aspect::Thousands(name()), thousands.map(String::from).unwrap_or_default());
    let decimal = || (Aspect::Decimal(name()), decimal.to_string());
    let number = || (Aspect::Numbers(name()), style(number));
    let trim = || (Aspect::Trim(name()), trim.to_string());
    let format = || (Aspect::Format(name()), date.patterns().join(", "));
    match kind {
        Kind::Text => vec![missing(), trim()],
        Kind::Integer | Kind::Number | Kind::Boolean => vec![missing(), thousands(), decimal(), number()],
        Kind::Date => vec![missing(), format()],
        // The plan does not say what it is, so all of them may.
        Kind::Other => vec![missing(), trim(), thousands(), decimal(), number(), format()],
    }
}

/// Marks in numbers; nothing for plain ones.
fn style(style: &NumberStyle) -> String {
    let NumberStyle { marks, spelled, negative, either_decimal, groups } = style;
    let spelled: Vec<String> = spelled.iter().map(|(text, number)| format!("{text} is {number}")).collect();
    let negative = match negative {
        Negative::Sign => "",
        Negative::Brackets => "negative in brackets",
        Negative::Behind => "negative with the sign behind",
    };
    let groups: Vec<String> = groups.iter().map(u8::to_string).collect();
    let parts = [
        (!marks.is_empty()).then(|| format!("marks {}", listed(marks))),
        (!spelled.is_empty()).then(|| format!("numbers {}", listed(&spelled))),
        (!negative.is_empty()).then(|| negative.to_owned()),
        either_decimal.then(|| "a point or a comma before decimals".to_owned()),
        (!groups.is_empty()).then(|| format!("groups of {}", groups.join(" "))),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
}

/// Spellings, which mean the same in any order.
fn listed(spellings: &[String]) -> String {
    let mut all: Vec<String> = spellings.iter().map(|spelling| format!("{spelling:?}")).collect();
    all.sort_unstable();
    all.dedup();
    all.join(", ")
}

/// A rule as text that is the same for the same rule alone, and never changes its meaning from one version to the next.
fn rule(rule: &Derivation) -> String {
    match rule {
        Derivation::Taken { from, part } => match part {
            DatePart::AgeAt(day) => format!("the age at {day} of {from:?}"),
            named => format!("the {} of {from:?}", named.word()),
        },
        Derivation::Elapsed { from, to, unit } => {
            let unit = match unit {
                DateSpan::Days => "days",
                DateSpan::Years => "years",
            };
            format!("the {unit} from {from:?} to {to:?}")
        }
        Derivation::Cut { from, cuts, classes } => {
            let cuts: Vec<String> = match cuts {
                Cuts::Numbers(cuts) => cuts.iter().map(|cut| format!("{cut:?}")).collect(),
                Cuts::Days(cuts) => cuts.iter().map(ToString::to_string).collect(),
            };
            let classes: Vec<String> = classes.iter().map(value).collect();
            format!("{from:?} cut at {} into {}", cuts.join(", "), classes.join(", "))
        }
        Derivation::Recoded { from, codes, others } => {
            let to = |to: &Option<KeyValue>| to.as_ref().map_or_else(|| "missing".to_owned(), value);
            // Codes mean the same in any order. Those of a lookup can be names of people, so that only their digest is
            // kept.
            let mut codes: Vec<String> =
                codes.iter().map(|(code, made)| format!("{} is {}", value(code), to(made))).collect();
            codes.sort_unstable();
            let digest = sha256(codes.join("\n").as_bytes());
            format!("{from:?} recoded by {} values (SHA-256 {}), others {}", codes.len(), &digest[..32], to(others))
        }
        Derivation::LookedUp { from, keys, to } => {
            // Columns mean the same in any order, each with its own values.
            let mut order: Vec<usize> = (0..from.len()).collect();
            order.sort_by_key(|&place| &from[place]);
            let key =
                |key: &Vec<KeyValue>| order.iter().map(|&place| value(&key[place])).collect::<Vec<_>>().join(", ");
            let missing = || "missing".to_owned();
            let made = |made: &Option<KeyValue>| made.as_ref().map_or_else(missing, value);
            let number = |made: &Option<f64>| made.map_or_else(missing, |number| format!("{number:?}"));
            let (made, others): (Vec<String>, String) = match to {
                Outcomes::Values { of: values, others } => (values.iter().map(made).collect(), made(others)),
                Outcomes::Numbers { of: numbers, others } => (numbers.iter().map(number).collect(), number(others)),
            };
            let mut rows: Vec<String> =
                keys.iter().zip(made).map(|(row, made)| format!("{} is {made}", key(row))).collect();
            rows.sort_unstable();
            let (digest, from) = (sha256(rows.join("\n").as_bytes()), listed(from));
            format!("{from} looked up among {} rows (SHA-256 {}), others {others}", rows.len(), &digest[..32])
        }
        Derivation::Condition(text) => format!("whether {text}"),
        Derivation::Computed { formula, ranges } => {
            let range = |NumberRange { lower, upper }: &NumberRange| format!("{lower} to {upper}");
            let ranges: Vec<String> = ranges.iter().map(range).collect();
            format!("{formula}, with its columns clipped to {}", ranges.join(", "))
        }
    }
}

/// A value such that no two of different kinds are one text.
fn value(value: &KeyValue) -> String {
    match value {
        KeyValue::Integer(value) => value.to_string(),
        KeyValue::Text(value) => format!("{value:?}"),
        KeyValue::Boolean(value) => value.to_string(),
        KeyValue::Missing => "the missing cell".to_owned(),
    }
}
