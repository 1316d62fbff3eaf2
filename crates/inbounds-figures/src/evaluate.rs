//! Figures of all keys.

use std::collections::BTreeMap;

use crate::{
    Against, Extent, FigureCell, FigureKind, Refusal,
    cell::PER,
    file::{Adding, Asked, Operand},
    method::FigureMethod,
    numbers::{Form, Key, Raw},
    operand::{Number, Sources, key_in_words},
    rank::ranks,
    solve::{Solved, Solver, TooRare},
};

/// Composition of a figure of one key.
#[derive(Debug, Clone)]
pub(crate) enum Made {
    /// One number whose noise is known as a whole.
    Single { raw: Raw, range: (f64, f64) },
    /// One form over another, which may be below 0.
    Ratio { top: Form, bottom: Form, range: (f64, f64) },
    /// `one - other`, of which one is a quotient.
    Difference { one: Box<Number>, other: Box<Number> },
    /// `factor one / other + shift`, of which one is a quotient.
    Quotient { one: Box<Number>, other: Box<Number>, factor: f64, shift: f64 },
}

/// A figure before its interval.
pub(crate) struct Begun {
    pub(crate) key: Key,
    pub(crate) unit: String,
    pub(crate) estimate: Option<f64>,
    pub(crate) made_of: Option<BTreeMap<(usize, usize, usize), f64>>,
    pub(crate) made: Made,
}

impl From<TooRare> for Refusal {
    fn from(_: TooRare) -> Self {
        Self::TooRare
    }
}

/// A figure of all keys before its intervals.
pub(crate) enum Composed {
    /// Numbers whose places are asked for.
    Ranked(Vec<(Key, Number)>),
    /// Figures of one key each.
    Each(Vec<Begun>),
}

impl Composed {
    /// Finds the operands of all keys. Of the numbers only the public ones are read, so that what is refused of numbers
    /// that a plan will have is what is refused of those that are released.
    pub(crate) fn of_figure(asked: &Asked, sources: &Sources) -> Result<Self, Refusal> {
        let keys = keys(asked, sources)?;
        if keys.is_empty() {
            return Err(Refusal::Empty);
        }
        if asked.kind == FigureKind::Rank {
            let number = |key: Key| Ok((key.clone(), sources.number(0, &asked.subject, &key)?));
            return keys.into_iter().map(number).collect::<Result<_, Refusal>>().map(Self::Ranked);
        }
        keys.iter().map(|key| begin(asked, key, sources)).collect::<Result<_, Refusal>>().map(Self::Each)
    }
}

/// The cells of a figure of one bundle.
pub(crate) fn cells(asked: &Asked, sources: &Sources, solver: &mut Solver) -> Result<Vec<FigureCell>, Refusal> {
    let begun = match Composed::of_figure(asked, sources)? {
        Composed::Ranked(numbers) => return ranks(asked, &numbers, sources, solver),
        Composed::Each(begun) => begun,
    };
    let all = miss_together(1.0 - asked.level, begun.iter().map(|begun| begun.made.atoms()), sources);
    let misses = Misses { own: if asked.joint { all } else { 1.0 - asked.level }, all };
    begun.into_iter().map(|begun| finish(begun, misses, asked.kind.neutral(), sources, solver)).collect()
}

/// The keys of a figure, in the order in which cells of `of` are published.
fn keys(asked: &Asked, sources: &Sources) -> Result<Vec<Key>, Refusal> {
    let Operand::Published { statistic, fixed, .. } = &asked.subject else { return Ok(vec![Key::new()]) };
    let (_, known) = sources.statistics[0].named(statistic)?;
    let Operand::Published { total, .. } = &asked.subject else { return Ok(vec![Key::new()]) };
    let is_added = |column: &String| match total {
        Adding::Nothing => asked.over.contains(column),
        Adding::All => true,
        Adding::Over(columns) => columns.contains(column),
    };
    let free = |column: &&String| !fixed.contains_key(*column) && !is_added(column);
    let by: Vec<String> = match &asked.by {
        Some(by) => by.clone(),
        None => known.shape.by.iter().filter(free).cloned().collect(),
    };
    if let Some(column) =
        by.iter().chain(&asked.over).chain(fixed.keys()).find(|column| !known.shape.by.contains(column))
    {
        return Err(Refusal::NoColumn { statistic: statistic.clone(), column: column.clone() });
    }
    let keys = parts(sources, statistic, fixed, &by)?;
    if keys.is_empty() && !fixed.is_empty() {
        return Err(Refusal::NoCell { statistic: statistic.clone(), key: key_in_words(fixed) });
    }
    Ok(keys)
}

/// The values of some columns among the published cells that meet conditions.
fn parts(sources: &Sources, statistic: &str, fixed: &Key, columns: &[String]) -> Result<Vec<Key>, Refusal> {
    let (_, known) = sources.statistics[0].named(statistic)?;
    let mut keys: Vec<Key> = Vec::new();
    let mut seen = std::collections::HashSet::new();
    for cell in &known.cells {
        let meets = fixed.iter().all(|(column, value)| cell.key.get(column) == Some(value));
        let part: Key =
            columns.iter().filter_map(|column| Some((column.clone(), cell.key.get(column)?.clone()))).collect();
        if meets && part.len() == columns.len() && seen.insert(part.clone()) {
            keys.push(part);
        }
    }
    Ok(keys)
}

fn begin(asked: &Asked, key: &Key, sources: &Sources) -> Result<Begun, Refusal> {
    let number = |operand: &Operand| sources.number(0, operand, key);
    let other = |operand: &Option<Operand>| number(operand.as_ref().unwrap_or(&asked.subject));
    match asked.kind {
        FigureKind::Ratio => quotient(key, number(&asked.subject)?, other(&asked.per)?, asked.times, 0.0, ""),
        FigureKind::Rate => {
            let population = other(&asked.per)?;
            if let Some(found) = public(&population) {
                as_population(found, key)?;
            }
            quotient(key, number(&asked.subject)?, population, asked.times, 0.0, "")
        }
        FigureKind::Change => {
            quotient(key, number(&asked.subject)?, other(&asked.from)?, asked.times, -asked.times, "percent")
        }
        FigureKind::Index => {
            let mut base = key.clone();
            base.extend(asked.base.clone().unwrap_or_default());
            let base = sources.number(0, &asked.subject, &base)?;
            quotient(key, number(&asked.subject)?, base, asked.times, 0.0, "index")
        }
        FigureKind::Difference => Ok(difference(key, number(&asked.subject)?, other(&asked.from)?)),
        FigureKind::WeightedSum | FigureKind::StandardisedRate => sum(asked, key, sources),
        FigureKind::Rank => Err(Refusal::Empty),
    }
}

pub(crate) fn difference(key: &Key, one: Number, other: Number) -> Begun {
    let estimate = Some(one.estimate - other.estimate);
    let unit = one.unit.clone();
    if let (Raw::Quotient(top, bottom), Some(public)) = (&one.raw, public(&other)) {
        let raw = Raw::Quotient(top.clone().plus(-public, bottom), bottom.clone());
        let range = (one.range.0 - public, one.range.1 - public);
        return Begun { key: key.clone(), unit, estimate, made_of: one.made_of, made: Made::Single { raw, range } };
    }
    if let (Raw::Quotient(top, bottom), Raw::Quotient(less, below)) = (&one.raw, &other.raw)
        && bottom == below
    {
        // Two means of the same rows: what both are divided by is one number.
        let raw = Raw::Quotient(top.clone().plus(-1.0, less), bottom.clone());
        let range = (one.range.0 - other.range.1, one.range.1 - other.range.0);
        return Begun { key: key.clone(), unit, estimate, made_of: None, made: Made::Single { raw, range } };
    }
    match Number::sum(&[(1.0, &one), (-1.0, &other)]) {
        Some(sum) => Begun {
            key: key.clone(),
            unit,
            estimate,
            made_of: sum.made_of,
            made: Made::Single { raw: sum.raw, range: sum.range },
        },
        None => Begun {
            key: key.clone(),
            unit,
            estimate,
            made_of: None,
            made: Made::Difference { one: Box::new(one), other: Box::new(other) },
        },
    }
}

/// A public number that a rate is per.
fn as_population(population: f64, key: &Key) -> Result<f64, Refusal> {
    if population > 0.0 { Ok(population) } else { Err(Refusal::Population { population, key: key_in_words(key) }) }
}

/// The value of a number that holds no noise.
fn public(number: &Number) -> Option<f64> {
    number.form().filter(|form| form.is_public()).map(|form| form.constant)
}

/// `factor one / other + shift`.
pub(crate) fn quotient(
    key: &Key,
    one: Number,
    other: Number,
    factor: f64,
    shift: f64,
    unit: &str,
) -> Result<Begun, Refusal> {
    let unit = match (unit, other.form().is_some_and(Form::is_public)) {
        ("", _) if factor != 1.0 => format!("{}{PER}{factor}", one.unit),
        ("", _) if one.unit == other.unit => "pure number".to_owned(),
        ("", true) => one.unit.clone(),
        ("", false) => format!("{}{PER}{}", one.unit, other.unit),
        (unit, _) => unit.to_owned(),
    };
    let estimate = (other.estimate != 0.0).then(|| factor * one.estimate / other.estimate + shift);
    let is_part = one.part.as_ref().zip(other.part.as_ref()).is_some_and(|(one, other)| one.is_within(other));
    let range = match () {
        () if is_part => (shift, factor + shift),
        () if one.range.0 >= 0.0 && other.range.0 >= 0.0 => (shift, f64::INFINITY),
        () => (f64::NEG_INFINITY, f64::INFINITY),
    };
    let key = key.clone();
    let Some(divisor) = public(&other) else {
        let over = |top: &Form, bottom: &Form| {
            let top = top.times(factor).plus(shift, bottom);
            Made::Ratio { top, bottom: bottom.clone(), range }
        };
        let made = match (&one.raw, &other.raw) {
            (Raw::Linear(top), Raw::Linear(bottom)) => over(top, bottom),
            // Two means of the same rows: what both are divided by cancels.
            (Raw::Quotient(top, rows), Raw::Quotient(bottom, same)) if rows == same => over(top, bottom),
            _ => Made::Quotient { one: Box::new(one), other: Box::new(other), factor, shift },
        };
        return Ok(Begun { key, unit, estimate, made_of: None, made });
    };
    if divisor == 0.0 {
        return Err(Refusal::PublicZero { key: key_in_words(&key) });
    }
    let scale = factor / divisor;
    let made_of = one.made_of.map(|cells| cells.into_iter().map(|(cell, weight)| (cell, scale * weight)).collect());
    let ends = (scale * one.range.0 + shift, scale * one.range.1 + shift);
    let range = (ends.0.min(ends.1), ends.0.max(ends.1));
    let raw = match one.raw {
        Raw::Linear(form) => Raw::Linear(form.times(scale).plus(1.0, &Form::of_number(shift))),
        Raw::Quotient(top, bottom) => Raw::Quotient(top.times(scale).plus(shift, &bottom), bottom),
    };
    Ok(Begun { key, unit, estimate, made_of, made: Made::Single { raw, range } })
}

/// A sum over the cells of some columns, with public weights; of rates per public population for a standardised rate.
fn sum(asked: &Asked, key: &Key, sources: &Sources) -> Result<Begun, Refusal> {
    let Operand::Published { statistic, fixed, .. } = &asked.subject else { return Err(Refusal::Empty) };
    let mut conditions = fixed.clone();
    conditions.extend(key.clone());
    let classes = parts(sources, statistic, &conditions, &asked.over)?;
    let mut terms: Vec<(f64, Number)> = Vec::new();
    let mut total = 0.0;
    for class in classes {
        let mut key = key.clone();
        key.extend(class);
        let weight = match &asked.weights {
            Some(weights) => sources.number(0, weights, &key)?.estimate,
            None => 1.0,
        };
        total += weight;
        let factor = match (asked.kind, &asked.per) {
            (FigureKind::StandardisedRate, Some(per)) => {
                let population = sources.number(0, per, &key)?;
                let population = public(&population).ok_or(Refusal::NoisyPopulation)?;
                weight * asked.times / as_population(population, &key)?
            }
            _ => weight,
        };
        terms.push((factor, sources.number(0, &asked.subject, &key)?));
    }
    if asked.kind == FigureKind::StandardisedRate {
        if total == 0.0 {
            return Err(Refusal::PublicZero { key: "the sum of the weights".to_owned() });
        }
        terms.iter_mut().for_each(|(factor, _)| *factor /= total);
    }
    let weighted: Vec<(f64, &Number)> = terms.iter().map(|(factor, number)| (*factor, number)).collect();
    let not_linear =
        || Refusal::NotLinear { kind: inbounds_core::Named::name(asked.kind), statistic: statistic.clone() };
    let sum = Number::sum(&weighted).ok_or_else(not_linear)?;
    let unit = match asked.kind {
        FigureKind::StandardisedRate => format!("{}{PER}{}", sum.unit, asked.times),
        _ => sum.unit.clone(),
    };
    Ok(Begun {
        key: key.clone(),
        unit,
        estimate: Some(sum.estimate),
        made_of: sum.made_of,
        made: Made::Single { raw: sum.raw, range: sum.range },
    })
}

impl Made {
    /// The measurements that it is made of.
    pub(crate) fn atoms(&self) -> Vec<usize> {
        match self {
            Self::Single { raw, .. } => raw.atoms(),
            Self::Ratio { top, bottom, .. } => [top, bottom].map(Form::atoms).concat(),
            Self::Difference { one, other, .. } | Self::Quotient { one, other, .. } => {
                [one.raw.atoms(), other.raw.atoms()].concat()
            }
        }
    }
}

/// Measurements with noise of their own, or vectors of noise, in a figure: two figures without a common one are
/// independent.
fn noises(atoms: &[usize], sources: &Sources) -> Vec<(bool, usize)> {
    let noise = |atom: &usize| sources.atoms.get(*atom).vector.map_or((false, *atom), |vector| (true, vector));
    let mut noises: Vec<(bool, usize)> = atoms.iter().map(noise).collect();
    noises.sort_unstable();
    noises.dedup();
    noises
}

/// Chances of a miss: of a cell by itself, and of one where all cells are to be right at once.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Misses {
    pub(crate) own: f64,
    pub(crate) all: f64,
}

/// `1 - (1 - miss)^(1/m)` for `m` independent figures, exactly, and `miss / m` for others.
pub(crate) fn miss_together(miss: f64, atoms: impl Iterator<Item = Vec<usize>>, sources: &Sources) -> f64 {
    let of_each: Vec<Vec<(bool, usize)>> =
        atoms.map(|atoms| noises(&atoms, sources)).filter(|noises| !noises.is_empty()).collect();
    let mut all = of_each.concat();
    let (count, figures) = (all.len(), of_each.len().max(1) as f64);
    all.sort_unstable();
    all.dedup();
    if all.len() == count { -libm::expm1(libm::log1p(-miss) / figures) } else { miss / figures }
}

pub(crate) fn finish(
    begun: Begun,
    misses: Misses,
    neutral: Option<f64>,
    sources: &Sources,
    solver: &mut Solver,
) -> Result<FigureCell, Refusal> {
    let Begun { key, unit, estimate, made_of, made } = begun;
    let (raw, raw_rmse) = match &made {
        Made::Single { raw: Raw::Linear(form), .. } => {
            (Some(form.value(sources.atoms)), Some(form.deviation(sources.atoms)))
        }
        Made::Single { raw, .. } => (raw.value(sources.atoms), None),
        Made::Ratio { top, bottom, .. } => {
            let bottom = bottom.value(sources.atoms);
            ((bottom != 0.0).then(|| top.value(sources.atoms) / bottom), None)
        }
        Made::Difference { one, other } => {
            let both = one.raw.value(sources.atoms).zip(other.raw.value(sources.atoms));
            (both.map(|(one, other)| one - other), None)
        }
        Made::Quotient { one, other, factor, shift } => {
            let both = one.raw.value(sources.atoms).zip(other.raw.value(sources.atoms));
            (both.filter(|(_, other)| *other != 0.0).map(|(one, other)| factor * one / other + shift), None)
        }
    };
    let (solved, possible) = solve(&made, misses.own, sources, solver)?;
    let solved = solved.holding(estimate);
    let against_all = match neutral {
        None => None,
        Some(neutral) => match solve(&made, misses.all, sources, solver) {
            Ok((solved, _)) => {
                let solved = solved.holding(estimate);
                Some(Against::compare(neutral, solved.lower, solved.upper))
            }
            // Too rare a miss to be drawn: then it cannot be told.
            Err(Refusal::TooRare) if misses.own != misses.all => Some(Against::Untold),
            Err(refusal) => return Err(refusal),
        },
    };
    let errors_at_estimate = made_of.as_ref().and_then(|cells| sources.errors(cells));
    Ok(FigureCell {
        key,
        output: String::new(),
        unit,
        estimate,
        raw,
        lower: solved.lower,
        upper: solved.upper,
        extent: Extent::classify(solved.lower, solved.upper, possible, solved.contradicts),
        against: neutral.map(|neutral| Against::compare(neutral, solved.lower, solved.upper)),
        against_all,
        method: solved.method,
        method_error: solved.error,
        miss: misses.own,
        raw_rmse,
        errors_at_estimate,
        quality: None,
    })
}

/// The interval, and all that is possible.
fn solve(made: &Made, miss: f64, sources: &Sources, solver: &mut Solver) -> Result<(Solved, (f64, f64)), Refusal> {
    let (one, other) = match made {
        Made::Single { raw, range } => return Ok((solver.interval(raw, miss, *range)?, *range)),
        Made::Ratio { top, bottom, range } => return Ok((solver.quotient(top, bottom, miss, *range)?, *range)),
        Made::Difference { one, other } | Made::Quotient { one, other, .. } => (one, other),
    };
    if let Made::Difference { one, other } = made
        && let Some((lower, upper)) = solver.difference(one, other, miss)?
    {
        let possible = (one.range.0 - other.range.1, one.range.1 - other.range.0);
        let solved = Solved { lower, upper, method: FigureMethod::DifferenceTest, error: 0.0, contradicts: false };
        return Ok((solved, possible));
    }
    // Intervals of both that hold together: each misses with half of the chance, or a little more where they are
    // independent.
    let own = miss_together(miss, [one, other].into_iter().map(|number| number.raw.atoms()), sources);
    let [first, second] = [one, other].map(|number| solver.interval(&number.raw, own, number.range));
    let (first, second) = (first?, second?);
    let (lower, upper, possible) = match made {
        Made::Quotient { factor, shift, .. } => {
            let (lower, upper) = over((first.lower, first.upper), (second.lower, second.upper));
            let possible = over(one.range, other.range);
            (factor * lower + shift, factor * upper + shift, (factor * possible.0 + shift, factor * possible.1 + shift))
        }
        _ => (
            first.lower - second.upper,
            first.upper - second.lower,
            (one.range.0 - other.range.1, one.range.1 - other.range.0),
        ),
    };
    let contradicts = first.contradicts || second.contradicts;
    Ok((Solved { lower, upper, method: FigureMethod::Together, error: 0.0, contradicts }, possible))
}

/// All quotients of numbers of two intervals.
fn over((a, b): (f64, f64), (c, d): (f64, f64)) -> (f64, f64) {
    match () {
        () if c > 0.0 || d < 0.0 => {
            let ends = [a / c, a / d, b / c, b / d].map(|end| if end.is_nan() { 0.0 } else { end });
            (ends.iter().copied().fold(f64::INFINITY, f64::min), ends.iter().copied().fold(f64::NEG_INFINITY, f64::max))
        }
        () if c >= 0.0 && a >= 0.0 => (if d.is_finite() { a / d } else { 0.0 }, f64::INFINITY),
        () => (f64::NEG_INFINITY, f64::INFINITY),
    }
}
