use inbounds_core::Rational;

use super::{Formula, FormulaError, NumberRange, Span};
use crate::Expression;

/// A small generator, seeded: the top bits of a linear congruence.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }

    fn formula(&mut self, depth: u32) -> String {
        if depth == 0 || self.below(6) == 0 {
            let constants = ["0", "1", "0.1", "3", "1e9", "1e-9", "123456.789"];
            return match self.below(3) {
                0 => constants[self.below(7) as usize].to_owned(),
                _ => ["a", "b", "c"][self.below(3) as usize].to_owned(),
            };
        }
        let (left, right) = (self.formula(depth - 1), self.formula(depth - 1));
        match self.below(9) {
            0 => format!("-({left})"),
            1 => format!("abs({left})"),
            2 => format!("floor({left})"),
            3 => format!("least({left}, {right})"),
            4 => format!("greatest({left}, {right}, 2)"),
            5 => format!("({left}) / ({right})"),
            6 => format!("({left}) * ({right})"),
            7 => format!("({left}) - ({right})"),
            _ => format!("({left}) + ({right})"),
        }
    }

    fn number(&mut self) -> f64 {
        let magnitude = [0.0, 1e-300, 0.1, 1.0, 3.0, 1e6, 9_007_199_254_740_993.0, 1e149][self.below(8) as usize];
        (self.below(2_000_001) as f64 / 1e6 - 1.0) * magnitude
    }
}

fn parse(text: &str) -> Result<Formula, FormulaError> {
    match Expression::parse(text)? {
        Expression::Formula(formula) => Ok(formula),
        Expression::Condition { .. } => panic!("{text} is no condition"),
    }
}

/// Whatever the cells, a formula that is not refused gives a number in its range of doubles, to the last bit.
#[test]
fn no_row_leaves_the_range() {
    let mut random = Random(17);
    let (mut refused, mut computed) = (0, 0);
    for _ in 0..8_000 {
        let text = random.formula(4);
        let Ok(formula) = parse(&text) else { continue };
        let ends: Vec<(f64, f64)> = formula
            .columns()
            .iter()
            .map(|_| {
                let (a, b) = (random.number(), random.number());
                (a.min(b), a.max(b))
            })
            .collect();
        let exact = |end: f64| Rational::from_f64(end).expect("finite");
        let ranges: Vec<NumberRange> =
            ends.iter().map(|&(lower, upper)| NumberRange { lower: exact(lower), upper: exact(upper) }).collect();
        if formula.range(&ranges).is_err() {
            refused += 1;
            continue;
        }
        computed += 1;
        let spans: Vec<Span<f64>> = ends.iter().map(|&(lower, upper)| Span { lower, upper }).collect();
        let span = formula.span(&formula.root, &spans).expect("it has a range");
        let columns: Vec<Vec<f64>> = ends
            .iter()
            .map(|&(lower, upper)| {
                let inner =
                    (0..20).map(|_| (lower + (upper - lower) * random.below(1_000) as f64 / 999.0).clamp(lower, upper));
                [lower, upper, 0f64.clamp(lower, upper)].into_iter().chain(inner).collect()
            })
            .collect();
        for value in formula.of_rows(&columns, 23) {
            assert!(span.lower <= value && value <= span.upper, "{text} {ends:?}: {value:e}");
        }
    }
    assert!(refused > 500 && computed > 2_000, "{refused} {computed}");
}

#[test]
fn ranges_are_exact() {
    let range = |lower: &str, upper: &str| NumberRange {
        lower: lower.parse().expect("a number"),
        upper: upper.parse().expect("a number"),
    };
    for (text, expected) in [
        ("a + b", range("-0.9", "3.1")),
        ("a - b", range("-4", "0")),
        ("a * b", range("-3", "0.3")),
        ("-a", range("-0.1", "1")),
        ("abs(a)", range("0", "1")),
        ("a / (b + 0.9)", range("-1", "0.1")),
        ("floor(b) / 7", range("0", "3/7")),
        ("least(a, b, 0)", range("-1", "0")),
        ("greatest(2 * a, b)", range("0.1", "3")),
        ("\"a\" - a", range("-1.1", "1.1")),
    ] {
        let formula = parse(text).expect(text);
        let known = |name: &String| if name == "a" { range("-1", "0.1") } else { range("0.1", "3") };
        let ranges: Vec<NumberRange> = formula.columns().iter().map(known).collect();
        assert_eq!(formula.range(&ranges).expect(text), expected, "{text}");
    }
}

#[test]
fn what_is_no_formula_is_refused() {
    let remedy = "a formula is made of columns, numbers, +, -, *, /, abs, floor, least and greatest";
    for (text, message) in [
        ("sqrt(a)", format!("`sqrt(a)` is not allowed; {remedy}")),
        ("a % 2", format!("`a % 2` is not allowed; {remedy}")),
        ("a + 'x'", format!("`'x'` is not allowed; {remedy}")),
        ("abs(a, b)", format!("`abs(a, b)` is not allowed; {remedy}")),
        ("least()", format!("`least()` is not allowed; {remedy}")),
        ("a.b + 1", "`a.b` is not allowed; put a column name with a dot in double quotes".to_owned()),
        ("1 + 2", "`1 + 2` must name a column".to_owned()),
        (&vec!["a"; 1_000].join(" + "), "`...` is not allowed; nest at most 200 operations".to_owned()),
    ] {
        // Signs that formulas do not have make a condition, which is refused where it is used.
        match Expression::parse(text) {
            Err(error) => assert_eq!(error.to_string(), message),
            Ok(expression) => {
                assert!(matches!(expression, Expression::Condition { .. }) && text.contains('%'), "{text}")
            }
        }
    }
    assert!(matches!(parse("a +"), Err(FormulaError::Syntax { .. })));
}
