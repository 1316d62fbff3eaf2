//! The search for neighbours whose exact answers differ by more than the noise was made for.

use inbounds_core::Sensitivity;
use inbounds_data::Query;

use crate::{
    AuditError, Options,
    draw::Draw,
    finding::{Example, Finding, Norm},
    learned, loss,
    neighbours::Generator,
    subject::{Outcome, Subject},
    table::{Pair, Row, Side},
    vector::Exact,
};

/// Change of one vector between the tables of a pair.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Change {
    pub(crate) l1: u128,
    pub(crate) linf: u128,
    pub(crate) cells: u64,
    /// The sum of squares.
    pub(crate) squares: u128,
}

impl Change {
    fn between(left: &[i128], right: &[i128]) -> Self {
        let moved = left.iter().zip(right).map(|(a, b)| a.abs_diff(*b)).filter(|steps| *steps > 0);
        moved.fold(Self::default(), |change, steps| Self {
            l1: change.l1.saturating_add(steps),
            linf: change.linf.max(steps),
            cells: change.cells + 1,
            squares: change.squares.saturating_add(steps.saturating_mul(steps)),
        })
    }

    /// The first bound that it breaks, with what was calibrated and what was found.
    fn breaks(&self, bound: &Sensitivity) -> Option<(Norm, u128, u128)> {
        let pairs = [
            (Norm::L1, bound.l1, self.l1),
            (Norm::Largest, bound.linf, self.linf),
            (Norm::Cells, bound.cells.into(), self.cells.into()),
        ];
        let squares = bound.squares.as_ref().map(|squares| {
            let stated = squares.floor().and_then(|squares| u128::try_from(squares).ok()).unwrap_or(u128::MAX);
            (Norm::Squares, stated, self.squares)
        });
        pairs.into_iter().chain(squares).find(|(_, stated, reached)| reached > stated)
    }
}

/// A pair with its answers.
#[derive(Clone, Default)]
pub(crate) struct Known {
    pub(crate) pair: Pair,
    pub(crate) exact: [Exact; 2],
}

impl Known {
    /// Numbers of both tables that are zero. Of pairs that show as much, one with more is sampled: where nothing is,
    /// programs take ways of their own.
    fn zeros(&self) -> usize {
        self.exact.iter().flatten().flatten().filter(|steps| **steps == 0).count()
    }

    /// `true` if this pair shows more than the known one, or as much with more zeros.
    fn exceeds<T: PartialOrd>(&self, shows: T, known: Option<(T, &Self)>) -> bool {
        known.is_none_or(|(least, known)| shows > least || (shows == least && self.zeros() > known.zeros()))
    }
}

/// Results of the search.
#[derive(Default)]
pub(crate) struct Searched {
    /// Tables that the engine read.
    pub(crate) tables: u64,
    /// For each vector the largest changes reached, by any pairs.
    pub(crate) reached: Vec<Change>,
    /// For each vector the pair that moves it furthest, if one does.
    pub(crate) worst: Vec<Option<Known>>,
    /// For each statistic in plan order, and then for all together, the pair that loses most, if one loses anything.
    pub(crate) losing: Vec<Option<(f64, Known)>>,
    /// Pairs of different tables with the same answers.
    pub(crate) alike: Vec<Known>,
    pub(crate) findings: Vec<Finding>,
}

/// Pairs that are tried whatever their size.
const LEAST: u64 = 20;

/// Most pairs with the same answers that are kept.
const MOST_ALIKE: usize = 6;

/// Tries pairs until there are enough, of pairs or of rows.
pub(crate) fn search(
    subject: &mut Subject,
    options: &Options,
    begin: &mut dyn FnMut(u64),
) -> Result<Searched, AuditError> {
    let generator = Generator::new(subject);
    let mut draw = Draw::from_seed(options.seed);
    let vectors = subject.vectors.len();
    let mut searched = Searched {
        reached: vec![Change::default(); vectors],
        worst: vec![None; vectors],
        losing: vec![None; subject.outline.tasks.len() + 1],
        ..Searched::default()
    };
    let mut rows = 0;
    for number in 0..options.pairs {
        if number >= LEAST && rows > options.rows {
            break;
        }
        begin(number);
        let known = searched.worst[draw.below(vectors)].as_ref();
        let pair = match known.filter(|_| number % 2 == 1) {
            Some(known) => generator.near(&known.pair, &subject.columns, &mut draw),
            None => generator.pair(&subject.columns, &mut draw),
        };
        searched.tables += 2;
        rows += Side::BOTH.map(|side| pair.table(side).len() as u64).iter().sum::<u64>();
        match subject.answers(&pair)? {
            [Outcome::Exact(left), Outcome::Exact(right)] => {
                searched.take(subject, Known { pair, exact: [left, right] })?;
            }
            refused => searched.refused(subject, pair, refused),
        }
        if number % 8 == 0 {
            searched.conditions(subject)?;
        }
    }
    Ok(searched)
}

impl Searched {
    /// Evaluates a pair and records its evidence.
    fn take(&mut self, subject: &mut Subject, known: Known) -> Result<(), AuditError> {
        let [left, right] = &known.exact;
        let changes: Vec<Change> = left.iter().zip(right).map(|(a, b)| Change::between(a, b)).collect();
        // Counts of rows that are left out differ wherever nothing else does.
        let statistics = changes.iter().zip(&subject.vectors).filter(|(_, vector)| !vector.is_of_left_out());
        let is_alike = statistics.into_iter().all(|(change, _)| change.l1 == 0);
        if is_alike && self.alike.len() < MOST_ALIKE && known.pair.left != known.pair.right {
            self.alike.push(known.clone());
        }
        if changes.iter().all(|change| change.l1 == 0) {
            return Ok(());
        }
        self.delta(subject, &known);
        for (place, change) in changes.iter().enumerate() {
            let bound = subject.vectors[place].mechanism.sensitivity().clone();
            let reached = &mut self.reached[place];
            let before = self.worst[place].as_ref().map(|worst| (reached.l1, worst));
            if change.l1 > 0 && known.exceeds(change.l1, before) {
                self.worst[place] = Some(known.clone());
            }
            let broken = change.breaks(&bound).filter(|_| reached.breaks(&bound).is_none());
            reached.l1 = reached.l1.max(change.l1);
            reached.linf = reached.linf.max(change.linf);
            reached.cells = reached.cells.max(change.cells);
            reached.squares = reached.squares.max(change.squares);
            if let Some((norm, stated, largest)) = broken {
                let breaks = |change: &Change| change.breaks(&bound).is_some();
                let (pair, tables) = smallest(subject, &known.pair, place, breaks)?;
                self.tables += tables;
                let vector = &subject.vectors[place];
                self.findings.push(Finding::Sensitivity {
                    statistic: subject.name_of(vector.statistic),
                    vector: vector.role.clone(),
                    norm,
                    calibrated: stated,
                    reached: largest,
                    example: Example::new(subject, &pair),
                });
            }
        }
        self.price(subject, &known);
        Ok(())
    }

    /// Holds the loss of a pair against what is known.
    fn price(&mut self, subject: &Subject, known: &Known) {
        let losses = loss::of_statistics(subject, &known.exact);
        let total = loss::of_release(subject, &known.exact, &losses);
        let last = self.losing.len() - 1;
        for (place, loss) in losses.into_iter().chain([total]).enumerate() {
            let losing = self.losing[place].as_ref().map(|(loss, known)| (*loss, known));
            let before = losing.map_or(0.0, |(loss, _)| loss);
            if loss <= 0.0 || !known.exceeds(loss, losing) {
                continue;
            }
            self.losing[place] = Some((loss, known.clone()));
            let statistic = (place < last).then_some(place);
            // Sums of doubles: nine digits are more than any defect hides in.
            let over = |loss: f64, claimed: f64| loss > claimed * (1.0 + 1e-9);
            let claimed =
                loss::bound(subject, statistic).filter(|claimed| over(loss, *claimed) && !over(before, *claimed));
            if let Some(claimed) = claimed {
                let statistic = statistic.map(|place| subject.name_of(Some(place)));
                let example = Example::new(subject, &known.pair);
                self.findings.push(Finding::Loss { statistic, claimed, reached: loss, example });
            }
        }
    }

    /// Holds the probability that a key of one table alone is published, or that noise loses more than epsilon, against
    /// the delta that its statistic has.
    fn delta(&mut self, subject: &Subject, known: &Known) {
        for (place, vector) in subject.vectors.iter().enumerate() {
            let (left, right) = (&known.exact[0][place], &known.exact[1][place]);
            let reached = match vector.threshold {
                Some(_) => Some(learned::delta(vector, left, right)),
                None => loss::delta(&*vector.mechanism, left, right),
            };
            let Some(reached) = reached else { continue };
            let claimed = vector.mechanism.guarantee().delta().map_or(0.0, |delta| delta.value().to_f64());
            let statistic = subject.name_of(vector.statistic);
            let is_known =
                |finding: &Finding| matches!(finding, Finding::Delta { statistic: known, .. } if *known == statistic);
            // Nine digits are more than any defect hides in.
            if reached > claimed * (1.0 + 1e-9) && !self.findings.iter().any(is_known) {
                let example = Example::new(subject, &known.pair);
                self.findings.push(Finding::Delta { statistic, claimed, reached, example });
            }
        }
    }

    fn refused(&mut self, subject: &Subject, pair: Pair, outcomes: [Outcome; 2]) {
        let known = self.findings.iter().any(|finding| matches!(finding, Finding::Refused { .. }));
        let reason = outcomes.into_iter().find_map(|outcome| match outcome {
            Outcome::Refused(reason) => Some(reason),
            Outcome::Exact(_) => None,
        });
        if let Some(reason) = reason.filter(|_| !known) {
            self.findings.push(Finding::Refused { reason, example: Example::new(subject, &pair) });
        }
    }

    /// Tests that rows that fail a condition are left out, in the table that was read last: rows that meet it and rows
    /// that meet its opposite cannot outnumber all rows.
    fn conditions(&mut self, subject: &Subject) -> Result<(), AuditError> {
        for task in &subject.outline.tasks {
            let Some(condition) = &task.query.filter else { continue };
            let bare = Query { bound: None, rows_per_cell: None, ..task.query.clone() };
            let opposite = Query { filter: Some(format!("NOT ({condition})")), ..bare.clone() };
            let all = Query { filter: None, ..bare.clone() };
            let counts = [&bare, &opposite, &all].map(|query| subject.counts(query));
            let [met, failed, all] = counts;
            let (met, failed, all) = (met?, failed?, all?);
            let exceeds = met.iter().zip(&failed).zip(&all).any(|((met, failed), all)| met + failed > *all);
            let name = subject.name_of(Some(task.index));
            let known = |finding: &Finding| matches!(finding, Finding::Condition { statistic } if *statistic == name);
            if exceeds && !self.findings.iter().any(known) {
                self.findings.push(Finding::Condition { statistic: name });
            }
        }
        Ok(())
    }
}

/// A pair with fewer rows that still moves a vector as it should not, for people to read, and the tables that this
/// took.
fn smallest(
    subject: &mut Subject,
    pair: &Pair,
    vector: usize,
    breaks: impl Fn(&Change) -> bool,
) -> Result<(Pair, u64), AuditError> {
    let (mut best, mut tables) = (pair.clone(), 0);
    if subject.outline.design.rows.is_some() {
        return Ok((best, tables));
    }
    let fewer =
        |rows: &[Row]| [Vec::new(), rows[..rows.len() / 2].to_vec(), rows[..rows.len().saturating_sub(1)].to_vec()];
    let mut changed = true;
    while changed && tables < 60 {
        changed = false;
        let candidates = fewer(&best.others).map(|others| Pair { others, ..best.clone() });
        let lefts = fewer(&best.left).map(|left| Pair { left, ..best.clone() });
        let rights = fewer(&best.right).map(|right| Pair { right, ..best.clone() });
        let size = |pair: &Pair| pair.table(Side::Left).len() + pair.table(Side::Right).len();
        for candidate in candidates.into_iter().chain(lefts).chain(rights) {
            if size(&candidate) >= size(&best) {
                continue;
            }
            tables += 2;
            if let [Outcome::Exact(left), Outcome::Exact(right)] = subject.answers(&candidate)?
                && breaks(&Change::between(&left[vector], &right[vector]))
            {
                (best, changed) = (candidate, true);
                break;
            }
        }
    }
    Ok((best, tables))
}
