//! Columns that are made of others, against files in which a plain loop has written them.

use std::fs;
use std::sync::Arc;

use arrow::array::{ArrayRef, BooleanArray, Float64Array, Int64Array, StringArray};
use inbounds_core::{Grid, Rational};
use inbounds_data::{
    Bins, CellRules, Clip, ContributionBound, Cuts, Day, Derivation, Engine, Expression, FileEngine, KeyColumn,
    KeyValue, Kind, Missing, NumberRange, Outcomes, Query, Source, read_lookup,
};
use tempfile::tempdir;

use crate::random::Random;
use crate::write::{self, Row};
use crate::{all_answers, filtered, keys, partitions, source, text};

fn range(lower: i128, upper: i128) -> NumberRange {
    NumberRange { lower: Rational::from(lower), upper: Rational::from(upper) }
}

fn formula(text: &str, ranges: &[NumberRange]) -> Derivation {
    match Expression::parse(text).unwrap() {
        Expression::Formula(formula) => Derivation::Computed { formula, ranges: ranges.to_vec() },
        condition @ Expression::Condition { .. } => panic!("{condition:?}"),
    }
}

fn cut(from: &str, cuts: &[f64], classes: &[&str]) -> Derivation {
    let classes = classes.iter().map(|class| text(class)).collect();
    Derivation::Cut { from: from.to_owned(), cuts: Cuts::Numbers(cuts.to_vec()), classes }
}

fn recoded(from: &str, codes: &[(KeyValue, Option<KeyValue>)], others: Option<KeyValue>) -> Derivation {
    Derivation::Recoded { from: from.to_owned(), codes: codes.to_vec(), others }
}

/// A key of two columns, by the words of plans, and what it stands for.
type Pair = (&'static str, &'static str, &'static str);

/// Of a class and a membership.
const STAGES: [Pair; 4] =
    [("old", "true", "a"), ("missing", "false", "b"), ("child", "missing", "a"), ("adult", "true", "missing")];

/// Of a state and a class.
const WEIGHTS: [Pair; 3] = [("CA", "old", "8.125"), ("NV", "missing", "-2.5"), ("OR", "child", "missing")];

fn looked_up(one: &str, other: &str, pairs: [Pair; 4], others: Option<&str>) -> Derivation {
    let value = |word: &str| match (KeyValue::of_word(word), word.parse()) {
        (Some(value), _) => value,
        (None, Ok(truth)) => KeyValue::Boolean(truth),
        (None, Err(_)) => text(word),
    };
    let to = |word: &str| (word != "missing").then(|| text(word));
    Derivation::LookedUp {
        from: vec![one.to_owned(), other.to_owned()],
        keys: pairs.iter().map(|(one, other, _)| vec![value(one), value(other)]).collect(),
        to: Outcomes::Values { of: pairs.iter().map(|(.., word)| to(word)).collect(), others: others.map(text) },
    }
}

fn weights() -> Derivation {
    let value = |word: &str| KeyValue::of_word(word).unwrap_or_else(|| text(word));
    Derivation::LookedUp {
        from: vec!["state".to_owned(), "class".to_owned()],
        keys: WEIGHTS.iter().map(|(state, class, _)| vec![value(state), value(class)]).collect(),
        to: Outcomes::Numbers {
            of: WEIGHTS.iter().map(|(.., number)| number.parse().ok()).collect(),
            others: Some(0.5),
        },
    }
}

/// What the first pair that fits stands for; nothing for a missing cell that no pair names.
fn of_pairs(pairs: &[Pair], one: Option<&str>, other: Option<&str>, others: &'static str) -> Option<&'static str> {
    let key = (one.unwrap_or("missing"), other.unwrap_or("missing"));
    let listed = pairs.iter().find(|pair| (pair.0, pair.1) == key).map(|pair| pair.2);
    let is_whole = one.is_some() && other.is_some();
    listed.or(is_whole.then_some(others)).filter(|word| *word != "missing")
}

/// A column by each rule, also made of one another and in any order.
pub(crate) fn with_rules(source: Source) -> Source {
    let integer = |value| Some(KeyValue::Integer(value));
    source
        .derive("rank", cut("whole", &[0.0, 3.0], &["low", "mid", "low"]))
        .derive("class", cut("age", &[18.0, 64.5], &["child", "adult", "old"]))
        .derive("wealth", cut("income", &[0.0, 1e5], &["debt", "some", "rich"]))
        .derive(
            "code",
            recoded("state", &[(text("CA"), integer(1)), (text("NV"), integer(2)), (text("OR"), None)], integer(9)),
        )
        .derive("flag", recoded("member", &[(KeyValue::Boolean(true), Some(text("yes")))], Some(text("no"))))
        .derive(
            "old",
            recoded("class", &[(text("old"), Some(KeyValue::Boolean(true)))], Some(KeyValue::Boolean(false))),
        )
        .derive(
            "known",
            recoded(
                "state",
                &[(text("CA"), Some(text("west"))), (KeyValue::Missing, Some(text("none")))],
                Some(text("rest")),
            ),
        )
        .derive("stage", looked_up("class", "member", STAGES, Some("any")))
        .derive("weight", weights())
        .derive("rich", Derivation::Condition("income > 100000 AND NOT member".to_owned()))
        .derive("any", Derivation::Condition("class = 'old' OR code IS NULL".to_owned()))
        .derive(
            "score",
            formula(
                "least(income, 1000) * 2 - age / (age + 1) + member",
                &[range(-10, 5000), range(0, 80), range(0, 1)],
            ),
        )
        .derive("whole", formula("floor(age / 10) - 3 * member", &[range(0, 80), range(0, 1)]))
}

/// The same columns of a row, from their definition.
struct Made {
    class: Option<&'static str>,
    wealth: Option<&'static str>,
    code: Option<i64>,
    flag: Option<&'static str>,
    old: Option<bool>,
    rich: Option<bool>,
    any: Option<bool>,
    score: Option<f64>,
    whole: Option<i64>,
    rank: Option<&'static str>,
    known: &'static str,
    stage: Option<&'static str>,
    weight: Option<f64>,
}

fn made(row: &Row) -> Made {
    let income = row.income.filter(|income| !income.is_nan());
    let class = row.age.map(|age| {
        if age < 18 {
            "child"
        } else if age < 65 {
            "adult"
        } else {
            "old"
        }
    });
    let code = row.state.as_deref().and_then(|state| match state {
        "CA" => Some(1),
        "NV" => Some(2),
        "OR" => None,
        _ => Some(9),
    });
    let (rich, member) = (income.map(|income| income > 100_000.0), row.member);
    let score = income.zip(row.age).zip(member).map(|((income, age), member)| {
        let (income, age) = (income.clamp(-10.0, 5000.0), (age as f64).clamp(0.0, 80.0));
        income.min(1000.0) * 2.0 - age / (age + 1.0) + f64::from(u8::from(member))
    });
    let whole = row.age.zip(member).map(|(age, member)| age.clamp(0, 80) / 10 - 3 * i64::from(member));
    Made {
        class,
        wealth: income.map(|income| {
            if income < 0.0 {
                "debt"
            } else if income < 1e5 {
                "some"
            } else {
                "rich"
            }
        }),
        code,
        flag: member.map(|member| if member { "yes" } else { "no" }),
        known: match row.state.as_deref() {
            None => "none",
            Some("CA") => "west",
            Some(_) => "rest",
        },
        stage: of_pairs(&STAGES, class, member.map(|member| if member { "true" } else { "false" }), "any"),
        weight: of_pairs(&WEIGHTS, row.state.as_deref(), class, "0.5").and_then(|number| number.parse().ok()),
        old: class.map(|class| class == "old"),
        rich: match (rich, member) {
            (Some(false), _) | (_, Some(true)) => Some(false),
            (rich, member) => rich.zip(member).map(|(rich, member)| rich && !member),
        },
        any: match class {
            Some("old") => Some(true),
            Some(_) => Some(code.is_none()),
            None => code.is_none().then_some(true),
        },
        score,
        whole,
        rank: whole.map(|whole| if (0..3).contains(&whole) { "mid" } else { "low" }),
    }
}

/// The rows with these columns in the file itself.
fn written(path: &std::path::Path, rows: &[Row]) {
    let all: Vec<Made> = rows.iter().map(made).collect();
    let texts = |column: &dyn Fn(&Made) -> Option<&'static str>| {
        Arc::new(all.iter().map(column).collect::<StringArray>()) as ArrayRef
    };
    let truths =
        |column: &dyn Fn(&Made) -> Option<bool>| Arc::new(all.iter().map(column).collect::<BooleanArray>()) as ArrayRef;
    let wholes =
        |column: &dyn Fn(&Made) -> Option<i64>| Arc::new(all.iter().map(column).collect::<Int64Array>()) as ArrayRef;
    write::columns(
        path,
        vec![
            ("age", Arc::new(rows.iter().map(|row| row.age).collect::<Int64Array>())),
            ("person", Arc::new(rows.iter().map(|row| row.person.clone()).collect::<StringArray>())),
            ("class", texts(&|made| made.class)),
            ("wealth", texts(&|made| made.wealth)),
            ("code", wholes(&|made| made.code)),
            ("flag", texts(&|made| made.flag)),
            ("old", truths(&|made| made.old)),
            ("rich", truths(&|made| made.rich)),
            ("any", truths(&|made| made.any)),
            ("score", Arc::new(all.iter().map(|made| made.score).collect::<Float64Array>())),
            ("whole", wholes(&|made| made.whole)),
            ("rank", texts(&|made| made.rank)),
            ("known", texts(&|made| Some(made.known))),
            ("stage", texts(&|made| made.stage)),
            ("weight", Arc::new(all.iter().map(|made| made.weight).collect::<Float64Array>())),
        ],
    );
}

/// Every use of a column, by each kind of column.
pub(crate) fn queries() -> Vec<Query> {
    let classes = keys(["class"], ["child", "adult", "old"].map(|class| [text(class)]));
    let by_text = |column: &str, values: &[&str]| Some(keys([column], values.iter().map(|value| [text(value)])));
    let pairs = [1, 2, 9, 3]
        .into_iter()
        .flat_map(|code| [true, false].map(|old| [KeyValue::Integer(code), KeyValue::Boolean(old)]));
    let clip = |column: &str, lower, upper, exponent, missing| Clip {
        column: column.to_owned(),
        lower,
        upper,
        grid: Grid::power_of_two(exponent).unwrap(),
        missing,
    };
    let score = clip("score", -100, 8_000, -2, Missing::Drop);
    let whole = clip("whole", -2, 8, 0, Missing::Impute(3));
    let code = clip("code", 0, 9, 0, Missing::Drop);
    let bound = |unit: &str, rows| Some(ContributionBound::of_rows(unit, rows));
    let bins = |column: &str, edges: &[f64]| Some(Bins::new(column, edges.to_vec(), Missing::Drop).unwrap());
    let mut all = vec![
        Query {
            keys: Some(classes.clone()),
            values: vec![score.clone(), whole.clone()],
            products: vec![(0, 1)],
            ..Query::default()
        },
        Query { keys: by_text("flag", &["no", "yes"]), values: vec![code], ..Query::default() },
        Query {
            keys: by_text("rank", &["low"]),
            values: vec![clip("old", 0, 1, 0, Missing::Drop)],
            ..Query::default()
        },
        Query { keys: by_text("wealth", &["rich", "debt"]), ..Query::default() },
        Query { keys: Some(keys(["code", "old"], pairs)), values: vec![whole], ..Query::default() },
        Query { bins: bins("score", &[0.0, 100.0, 2000.0]), keys: Some(classes.clone()), ..Query::default() },
        Query { bins: bins("whole", &[-3.0, 0.0, 2.0, 9.0]), ..Query::default() },
        Query { keys: Some(classes), values: vec![score], bound: bound("person", 2), ..Query::default() },
        Query { keys: by_text("known", &["rest", "none", "west"]), ..Query::default() },
        Query {
            keys: Some(keys(["stage"], [KeyValue::Missing, text("b"), text("a")].map(|stage| [stage]))),
            values: vec![clip("weight", -20, 100, -3, Missing::Drop)],
            ..Query::default()
        },
        Query { keys: Some(keys(["stage", "code", "rich"], missing_keys())), ..Query::default() },
        Query { keys: Some(keys(["rank"], [[KeyValue::Missing]])), ..Query::default() },
        Query { bound: bound("class", 4), ..Query::default() },
        Query { bound: bound("code", 1), ..Query::default() },
    ];
    let filters = [
        "rich",
        "NOT any",
        "any IS NULL",
        "class = 'old' AND whole >= 5",
        "score < 100.5",
        "code IN (1, 9)",
        "rank LIKE 'l%'",
        "flag <> 'no'",
        "score IS NULL",
    ];
    all.extend(filters.map(filtered));
    all
}

/// Keys in which a missing cell is a value as others are.
fn missing_keys() -> impl Iterator<Item = [KeyValue; 3]> {
    let codes = [KeyValue::Integer(9), KeyValue::Missing, KeyValue::Integer(1)];
    let truths = [KeyValue::Missing, KeyValue::Boolean(false)];
    let pairs = codes.into_iter().flat_map(move |code| truths.clone().map(move |truth| (code.clone(), truth)));
    pairs.flat_map(|(code, truth)| [text("any"), KeyValue::Missing].map(|stage| [stage, code.clone(), truth.clone()]))
}

#[test]
fn derived_columns_are_those_of_a_plain_loop() {
    let folder = tempdir().unwrap();
    let rows = Random::new(41).rows(4_000, 300);
    let plain = folder.path().join("written.parquet");
    written(&plain, &rows);
    let plain = FileEngine::open(&Source::new(plain.to_str().unwrap()).with_public_types()).unwrap();
    let expected: Vec<_> = queries().iter().map(|query| all_answers(&plain, query)).collect();
    assert!(expected.iter().all(|answers| answers[0].iter().any(|count| *count > 0)), "{expected:?}");
    for path in write::both(folder.path(), &rows) {
        for threads in [1, 3] {
            let engine = partitions(FileEngine::open(&with_rules(source(&path))).unwrap(), threads);
            for (query, expected) in queries().iter().zip(&expected) {
                assert_eq!(all_answers(&engine, query), *expected, "{} {query:?}", path.display());
            }
        }
    }
}

/// Every query in one pass, so that the columns are made once for all.
#[test]
fn all_questions_of_a_pass_share_derived_columns() {
    let folder = tempdir().unwrap();
    let rows = Random::new(43).rows(1_000, 50);
    let [path, _] = write::both(folder.path(), &rows);
    let engine = FileEngine::open(&with_rules(source(&path))).unwrap();
    let queries = queries();
    let questions = inbounds_data::Questions { queries: queries.iter().collect(), ..Default::default() };
    let together: Vec<_> = crate::answer(&engine, &questions).tallies.iter().map(crate::numbers).collect();
    assert_eq!(together, queries.iter().map(|query| all_answers(&engine, query)).collect::<Vec<_>>());
}

#[test]
fn rules_that_cannot_be_are_refused() {
    let folder = tempdir().unwrap();
    let [path, _] = write::both(folder.path(), &Random::new(5).rows(3, 3));
    let refused = |name: &str, rule: Derivation| {
        FileEngine::open(&source(&path).derive(name, rule)).err().expect("a mistake").to_string()
    };
    let day = Cuts::Days(vec![Day::parse("2024-01-01").unwrap()]);
    let by_day = Derivation::Cut { from: "age".to_owned(), cuts: day, classes: vec![text("a"), text("b")] };
    for (rule, message) in [
        (
            cut("state", &[1.0], &["a", "b"]),
            "column `x`: column `state` must be of numbers, as its cuts are, but it is text",
        ),
        (by_day, "column `x`: column `age` must be of dates, as its cuts are, but it is integer"),
        (
            cut("age", &[1.0], &["a"]),
            "column `x`: cuts must be finite and increasing, with one class more than cuts, got 1 cuts and 1 classes",
        ),
        (
            cut("age", &[2.0, 1.0], &["a", "b", "c"]),
            "column `x`: cuts must be finite and increasing, with one class more than cuts, got 2 cuts and 3 classes",
        ),
        (
            recoded("age", &[(text("a"), Some(text("b")))], None),
            "column `x`: column `age` must be of texts, as its codes are, but it is integer",
        ),
        (
            recoded("state", &[(text("a"), None)], None),
            "column `x`: what codes stand for must be values of one kind, at least one",
        ),
        (
            recoded("state", &[(text("a"), Some(text("b")))], Some(KeyValue::Integer(1))),
            "column `x`: what codes stand for must be values of one kind, at least one",
        ),
        (
            formula("age / (age - 3)", &[range(0, 9)]),
            "column `x`: the divisor `age - 3` must not be zero for any row, but it may be from -3 to 6; narrow the bounds of its columns, or write greatest(age - 3, 1) if it is never below 1",
        ),
        (
            formula("age * age", &[range(0, 1 << 27)]),
            "column `x`: `age * age` may be as large as 1.8014398509481984e16, and must stay within 9.007199254740992e15 to be exact; narrow the bounds of its columns",
        ),
        (
            formula("state + 1", &[range(0, 9)]),
            "column `x`: column `state` must be of numbers or booleans, to be computed with, but it is text",
        ),
        (
            formula("age + x", &[range(0, 9), range(0, 9)]),
            "declared: column `x` is made of itself, or at the end of a chain of more than 100 columns",
        ),
        (
            Derivation::Condition("agee > 3".to_owned()),
            "column `x`: derived: no column `agee` in the data; did you mean `age`?",
        ),
    ] {
        assert_eq!(refused("x", rule), message);
    }
    assert!(refused("age", cut("income", &[1.0], &["a", "b"])).contains("there is a column of this name already"));
    // A code that no cell can be, because it is a missing value.
    let rules = CellRules { missing: vec!["CA".into()], ..CellRules::default() };
    let never = recoded("state", &[(text("CA"), Some(text("b")))], None);
    let engine = FileEngine::open(&source(&path).spell("state", rules).derive("x", never)).unwrap();
    let error = engine.check(&filtered("x IS NULL")).unwrap_err().to_string();
    assert!(error.starts_with("keys: no row can have the key `CA` of `state`"), "{error}");
    // What a condition says of its columns is judged where it is used.
    let engine = FileEngine::open(&source(&path).derive("x", Derivation::Condition("age > 'a'".to_owned()))).unwrap();
    let error = engine.check(&filtered("x")).unwrap_err().to_string();
    assert_eq!(error, "filter: column `age` is integer; compare it with a number, written without quotes");
}

#[test]
fn a_lookup_is_read_with_the_place_of_its_mistakes() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("regions.csv");
    let column = |name: &str, kind| KeyColumn { name: name.to_owned(), kind, cells: CellRules::default() };
    let read = |content: &str| {
        fs::write(&path, content).unwrap();
        read_lookup(&path, &[column("district", Kind::Integer)], &column("region", Kind::Text))
    };
    let pairs = [(7, "North"), (8, "North")].map(|(code, to)| (vec![KeyValue::Integer(code)], Some(text(to))));
    assert_eq!(read("x,region,district\n1,North,7\n1, North ,08\n").unwrap(), pairs);
    let refused = |content| read(content).unwrap_err().to_string().replace(path.to_str().unwrap(), "F");
    assert_eq!(refused("district,region\n7,North\n\n7,North\n"), "key file `F`, line 4: the same key as in line 2: 7");
    assert_eq!(refused("district,region\nx,North\n"), "key file `F`, line 2: column `district`: `x` is not an integer");
    assert_eq!(refused("district,regio\n7,North\n"), "key file `F`: no column `region`; did you mean `regio`?");
}

#[test]
fn a_lookup_by_several_columns_gives_numbers_exactly() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("weights.csv");
    let column = |name: &str, kind| KeyColumn { name: name.to_owned(), kind, cells: CellRules::default() };
    let read = |content: &str| {
        fs::write(&path, content).unwrap();
        let keys = [column("class", Kind::Text), column("district", Kind::Integer)];
        read_lookup(&path, &keys, &column("weight", Kind::Number))
    };
    let rows = read("district,class,weight\n7,old,8.005\nmissing,old,1e-3\n7,'missing',missing\n").unwrap();
    let key = |class: &str, district| vec![text(class), district];
    let expected = vec![
        (key("old", KeyValue::Integer(7)), Some(text("8.005"))),
        (key("old", KeyValue::Missing), Some(text("1e-3"))),
        (key("missing", KeyValue::Integer(7)), None),
    ];
    assert_eq!(rows, expected);
    let refused = |content| read(content).unwrap_err().to_string().replace(path.to_str().unwrap(), "F");
    assert_eq!(
        refused("district,class,weight\n7,old,1\n8,old,2\n7,old,3\n"),
        "key file `F`, line 4: the same key as in line 2: old, 7"
    );
    let error = refused("district,class,weight\n7,old,lots\n");
    assert_eq!(error, "key file `F`, line 2: column `weight`: `lots` is not a decimal number");
}
