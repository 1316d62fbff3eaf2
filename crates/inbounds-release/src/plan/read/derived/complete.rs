//! Completes derived columns with all columns at hand: types of codes, files that are looked up, ranges of formulas.

use std::path::Path;

use inbounds_bundle::{FileEntry, digest::sha256_of_file};
use inbounds_core::Rational;
use inbounds_data::{CellRules, DateSpan, Derivation, Expression, Formula, KeyColumn, NumberRange, read_lookup};
use inbounds_input::{
    document::{Mistakes, Reported, Spanned, column_header, fill, given, shorten},
    located,
};

use super::DerivedDraft;
use super::cut::CutDraft;
use super::looked::looked_up;
use super::order::{check, check_values, idle_code, in_order};
use super::recode::{LookupDraft, RecodeDraft};
use crate::plan::data::{or_public, why_untyped};
use crate::plan::read::{Draft, PublicFiles, labels::typed};
use crate::plan::{Bounds, Derived, KeyValue, Kind, fit};

/// Completes the derived columns of a draft, each after those that it is made of. Paths are relative to `folder`.
pub(in crate::plan) fn complete(draft: &mut Draft, folder: &Path, mistakes: &mut Mistakes) {
    for place in in_order(draft, mistakes) {
        let made = Completer { draft, folder, mistakes }.made(place);
        if let Ok(columns) = &mut draft.columns {
            match made {
                Ok(Made { derived, kind, values, bounds }) => {
                    let column = &mut columns[place];
                    column.made = Ok(Some(derived));
                    fill(&mut column.column_type, kind);
                    fill(&mut column.values, values);
                    fill(&mut column.bounds, bounds);
                    check(column, mistakes);
                }
                Err(reported) => columns[place].made = Err(reported),
            }
        }
    }
    check_values(draft, mistakes);
}

/// Properties of a derived column that are known by now.
struct Made {
    derived: Derived,
    kind: Option<Spanned<Kind>>,
    values: Option<Vec<Spanned<KeyValue>>>,
    bounds: Option<Bounds>,
}

struct Completer<'d, 'm, 't> {
    draft: &'d Draft,
    folder: &'d Path,
    mistakes: &'m mut Mistakes<'t>,
}

impl Completer<'_, '_, '_> {
    fn made(&mut self, place: usize) -> Result<Made, Reported> {
        let draft = self.draft;
        let columns = draft.columns.as_ref().map_err(|reported| *reported)?;
        let column = &columns[place];
        let header = column_header(&column.name.value);
        let derived = column.derived.as_ref().map_err(|reported| *reported)?;
        let derived = derived.as_ref().expect("a derived column");
        let inputs = derived.inputs();
        // What follows from a mistake is none of its own.
        for input in inputs.iter().filter_map(|input| draft.row_column(&input.value)) {
            input.derived.as_ref().and(input.made.as_ref()).map_err(|reported| *reported)?;
            input.column_type.as_ref().map_err(|reported| *reported)?;
        }
        let span = inputs.first().map_or(column.name.span.clone(), |input| input.span.clone());
        let rule = match derived {
            DerivedDraft::Taken { from, part } => {
                self.from(from, &header, &[Kind::Date])?;
                Derivation::Taken { from: from.value.clone(), part: part.value }
            }
            DerivedDraft::Elapsed { from, to, unit } => {
                self.from(from, &header, &[Kind::Date])?;
                self.input("take", to, &header, &[Kind::Date])?;
                Derivation::Elapsed { from: from.value.clone(), to: to.value.clone(), unit: *unit }
            }
            DerivedDraft::Cut { from, cut: CutDraft { cuts, classes } } => {
                let kinds: &[Kind] = match &cuts.value {
                    inbounds_data::Cuts::Days(_) => &[Kind::Date],
                    inbounds_data::Cuts::Numbers(_) => &[Kind::Integer, Kind::Number],
                };
                self.from(from, &header, kinds)?;
                Derivation::Cut { from: from.value.clone(), cuts: cuts.value.clone(), classes: classes.clone() }
            }
            DerivedDraft::Recoded { from, recode } => self.recoded(from, recode, &header)?,
            DerivedDraft::Lookup { from, lookup } => return self.looked_up(from, lookup, &column.name.value, span),
            DerivedDraft::Is(Spanned { value: Expression::Condition { text, .. }, .. }) => {
                Derivation::Condition(text.clone())
            }
            DerivedDraft::Is(Spanned { value: Expression::Formula(formula), .. }) => match self.days_between(formula) {
                Some(rule) => rule,
                None => return self.computed(formula, inputs, &header, span),
            },
        };
        let kind = match rule {
            Derivation::Elapsed { .. } => Some(Kind::Integer),
            _ => derived.kind(),
        };
        let values = rule.values();
        Ok(self.finished(Derived { rule, inputs, lookup: None, span }, kind, values, Vec::new()))
    }

    /// With the values that the rule lists, and the bounds of whole numbers among them or of other `numbers` that it
    /// gives.
    fn finished(
        &self,
        derived: Derived,
        kind: Option<Kind>,
        values: Option<Vec<KeyValue>>,
        numbers: Vec<Rational>,
    ) -> Made {
        let span = derived.span.clone();
        let integers = values.iter().flatten().filter_map(|value| match value {
            KeyValue::Integer(value) => Some(Rational::from(i128::from(*value))),
            _ => None,
        });
        // A number that is always the same is between itself and zero.
        let only = numbers.first().filter(|first| numbers.iter().all(|number| number == *first));
        let zero = only.map(|_| Rational::ZERO);
        let all: Vec<Rational> = integers.chain(numbers.iter().cloned()).chain(zero).collect();
        let ends = all.iter().min().zip(all.iter().max()).filter(|(lower, upper)| lower < upper);
        let end = |end: &Rational| Spanned::new(end.clone(), span.clone());
        Made {
            bounds: ends.map(|(lower, upper)| Bounds { lower: end(lower), upper: end(upper) }),
            values: values.map(|values| values.into_iter().map(|value| Spanned::new(value, span.clone())).collect()),
            kind: kind.map(|kind| Spanned::new(kind, span.clone())),
            derived,
        }
    }

    /// The rule of a formula that takes one date from another: the days between them.
    fn days_between(&self, formula: &Formula) -> Option<Derivation> {
        let (to, from) = formula.difference()?;
        let is_date = |name: &str| {
            let column = self.draft.row_column(name)?;
            given(&column.column_type).filter(|kind| kind.value == Kind::Date)
        };
        is_date(to).and(is_date(from))?;
        Some(Derivation::Elapsed { from: from.to_owned(), to: to.to_owned(), unit: DateSpan::Days })
    }

    /// The type of a column that `from` names.
    fn from(&mut self, from: &Spanned<String>, header: &str, kinds: &[Kind]) -> Result<Option<Kind>, Reported> {
        self.input("from", from, header, kinds)
    }

    /// The type of a column that another one is made of, if it is known; notes one that does not suit.
    fn input(
        &mut self,
        key: &str,
        from: &Spanned<String>,
        header: &str,
        kinds: &[Kind],
    ) -> Result<Option<Kind>, Reported> {
        let name = shorten(&from.value);
        let words: Vec<&str> = kinds.iter().map(|kind| kind.name()).collect();
        let words = words.join(" or ");
        let declare = format!("write type = \"{}\" in {}", kinds[0], column_header(&from.value));
        let Some(column) = self.draft.row_column(&from.value) else {
            return match self.draft.untyped() {
                Some(format) => {
                    let why = why_untyped(format);
                    let message = format!("`{key}` in {header} names `{name}`, which must be declared: {why}");
                    Err(self.mistakes.note(&from.span, message, format!("{declare}{}", or_public(format))))
                }
                None => Ok(None),
            };
        };
        let declare = match &column.derived {
            Ok(None) => declare,
            _ => "make it of another column".to_owned(),
        };
        match given(&column.column_type).map(|kind| kind.value) {
            Some(kind) if !kinds.contains(&kind) => {
                let message =
                    format!("`{key}` in {header} must name a column of type {words}, but `{name}` is of type {kind}");
                Err(self.mistakes.note(&from.span, message, declare))
            }
            kind => Ok(kind),
        }
    }

    /// Codes are read by the type of their column, or by what they look like where only the data know it.
    fn recoded(&mut self, from: &Spanned<String>, recode: &RecodeDraft, header: &str) -> Result<Derivation, Reported> {
        let kind = self.from(from, header, &[Kind::Text, Kind::Integer, Kind::Boolean])?;
        let all = |kind: Kind| recode.codes.iter().all(|(code, _)| typed(&code.value, kind).is_some());
        let kind = kind.unwrap_or_else(|| {
            [Kind::Integer, Kind::Boolean].into_iter().find(|kind| all(*kind)).unwrap_or(Kind::Text)
        });
        let mut codes: Vec<(KeyValue, Option<KeyValue>)> = Vec::new();
        for (code, to) in &recode.codes {
            let Some(value) = typed(code.value.trim(), kind) else {
                let message = format!(
                    "`recode` in {header} must name values of type {kind}, as `{}` is, got `{}`",
                    shorten(&from.value),
                    shorten(&code.value)
                );
                return Err(self.mistakes.note(&code.span, message, "mend the code, or the type of the column"));
            };
            if codes.iter().any(|(known, _)| *known == value) {
                let message = format!("`recode` in {header} must name each code once, got {value} twice");
                return Err(self.mistakes.note(&code.span, message, "remove the second one"));
            }
            codes.push((value, to.clone()));
        }
        if let Some(idle) = idle_code(self.draft, &from.value, codes.iter().map(|(code, _)| code)) {
            let (code, value) = (&recode.codes[idle].0, &codes[idle].0);
            let message = format!(
                "`recode` in {header} names {}, which the rule of `{}` never gives",
                shorten(&fit::written(value)),
                shorten(&from.value)
            );
            return Err(self.mistakes.note(
                &code.span,
                message,
                "mend the code, or the rule of the column that it is made of",
            ));
        }
        Ok(Derivation::Recoded { from: from.value.clone(), codes, others: recode.others.clone() })
    }

    fn looked_up(
        &mut self,
        from: &[Spanned<String>],
        lookup: &LookupDraft,
        name: &str,
        span: std::ops::Range<usize>,
    ) -> Result<Made, Reported> {
        let header = column_header(name);
        let path = located(self.folder, &lookup.file.value);
        self.is_no_data(&path, lookup, &header)?;
        let spelled = |name: &str, kind| KeyColumn {
            name: name.to_owned(),
            kind,
            cells: CellRules { missing: Vec::new(), ..CellRules::default() },
        };
        let mut keys = Vec::new();
        for from in from {
            let kind = self.from(from, &header, &[Kind::Text, Kind::Integer, Kind::Boolean])?.unwrap_or(Kind::Text);
            keys.push(spelled(&from.value, kind));
        }
        let names: Vec<String> = from.iter().map(|from| format!("`{}`", shorten(&from.value))).collect();
        let note = |problem: String, mistakes: &mut Mistakes| {
            let each = if names.len() == 1 { "each value of the first" } else { "each combination of the first" };
            let help = format!(
                "the file must have a column {} and a column `{}`, and {each} once",
                names.join(", a column "),
                shorten(name)
            );
            mistakes.note(&lookup.file.span, format!("`lookup` in {header}: {problem}"), help)
        };
        let table = read_lookup(&path, &keys, &spelled(name, lookup.kind))
            .map_err(|error| note(error.to_string(), self.mistakes))?;
        let sha256 = sha256_of_file(&path)
            .map_err(|error| note(format!("cannot read {}: {error}", path.display()), self.mistakes))?;
        let (rule, numbers) = looked_up(table, &lookup.others, from.iter().map(|from| from.value.clone()).collect());
        let values = rule.values();
        let file = FileEntry { name: lookup.file.value.clone(), sha256 };
        let derived = Derived { rule, inputs: from.to_vec(), lookup: Some(file), span };
        Ok(self.finished(derived, Some(lookup.kind), values, numbers))
    }

    /// A file that is looked up is published, and so it is not that of the rows.
    fn is_no_data(&mut self, path: &Path, lookup: &LookupDraft, header: &str) -> Result<(), Reported> {
        if !PublicFiles::new(self.folder, &self.draft.data).is_data(path) {
            return Ok(());
        }
        let message =
            format!("`lookup` in {header} must be another file than the data: it is published, and rows are private");
        let help = "write what is publicly known in a file of its own";
        Err(self.mistakes.note(&lookup.file.span, message, help))
    }

    /// A formula, with the bounds that follow from those of its columns.
    fn computed(
        &mut self,
        formula: &Formula,
        inputs: Vec<Spanned<String>>,
        header: &str,
        span: std::ops::Range<usize>,
    ) -> Result<Made, Reported> {
        let ranges = inputs.iter().map(|input| self.range(input, header)).collect::<Result<Vec<_>, _>>()?;
        let refuse = |problem: String, mistakes: &mut Mistakes| {
            mistakes.note(
                &span,
                format!("`is` in {header}: {problem}"),
                "mend the formula, or the bounds of its columns",
            )
        };
        let range = formula.range(&ranges).map_err(|error| refuse(error.to_string(), self.mistakes))?;
        let kind =
            |input: &Spanned<String>| given(&self.draft.row_column(&input.value)?.column_type).map(|kind| kind.value);
        let kinds: Option<Vec<Kind>> = inputs.iter().map(kind).collect();
        let kind = match kinds {
            Some(kinds) => {
                let are_integers: Vec<bool> = kinds.iter().map(|kind| *kind != Kind::Number).collect();
                formula
                    .check_whole(&ranges, &are_integers)
                    .map_err(|error| refuse(error.to_string(), self.mistakes))?;
                Some(if formula.is_whole(&are_integers) { Kind::Integer } else { Kind::Number })
            }
            None => None,
        };
        let end = |end: Rational| Spanned::new(end, span.clone());
        let bounds = (range.lower < range.upper).then(|| Bounds { lower: end(range.lower), upper: end(range.upper) });
        let rule = Derivation::Computed { formula: formula.clone(), ranges };
        let derived = Derived { rule, inputs, lookup: None, span: span.clone() };
        Ok(Made { derived, kind: kind.map(|kind| Spanned::new(kind, span)), values: None, bounds })
    }

    /// The range to which a column of a formula is clipped.
    fn range(&mut self, input: &Spanned<String>, header: &str) -> Result<NumberRange, Reported> {
        let name = shorten(&input.value);
        let column = self.draft.row_column(&input.value);
        let kind = column.and_then(|column| given(&column.column_type)).map(|kind| kind.value);
        match kind {
            Some(Kind::Boolean) => return Ok(NumberRange { lower: Rational::ZERO, upper: Rational::ONE }),
            None | Some(Kind::Integer | Kind::Number) => {}
            Some(other) => {
                let message =
                    format!("`is` in {header} must compute with numbers or booleans, but `{name}` is of type {other}");
                let help = if other == Kind::Date {
                    "take a number from it first, into a column of its own; two dates give the days between them: is \
                        = \"discharged - admitted\""
                } else {
                    "make a column of numbers of it first, with `from` and `recode` or `take`"
                };
                return Err(self.mistakes.note(&input.span, message, help));
            }
        }
        match column.map(|column| &column.bounds) {
            Some(Ok(Some(bounds))) => {
                Ok(NumberRange { lower: bounds.lower.value.clone(), upper: bounds.upper.value.clone() })
            }
            Some(Err(reported)) => Err(*reported),
            Some(Ok(None)) | None => {
                let message = format!(
                    "`is` in {header} computes with `{name}`, which has no bounds: without them one row could be any number"
                );
                let help = format!("add `lower` and `upper` to {}", column_header(&input.value));
                Err(self.mistakes.note(&input.span, message, help))
            }
        }
    }
}
