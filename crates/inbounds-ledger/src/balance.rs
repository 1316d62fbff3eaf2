//! Spent amount and remainder.
//!
//! **Idea.** A unit loses what is charged to the rows that it can be among. Where a unit is one row,
//! [`Region::partitions`] puts every row into a class by one column; the largest sum over the classes bounds what any
//! row loses, and the least of these bounds over the columns is taken. Without conditions there is one class, and
//! everything adds.
//!
//! **Invariant.** The charges are public and fixed before the noise that they pay for, so for each row the sum over the
//! charges that it can be in is a filter of its own.

use inbounds_core::{Guarantee, Partition, Rational, Region};
use inbounds_mechanisms::account::Cost;

use crate::{
    Composition,
    price::{combine, cost, parts},
};

/// A price, and the rows on which it was spent.
#[derive(Debug, Clone, PartialEq)]
pub struct Charge {
    /// The rows that could count.
    pub rows: Region,
    /// Cost for these rows.
    pub cost: Cost,
}

/// The state of a ledger.
#[derive(Debug, Clone, PartialEq)]
pub struct Balance {
    /// All that may ever be spent.
    pub granted: Guarantee,
    /// The most that any row has lost.
    pub spent: Cost,
}

impl Balance {
    /// The part of the grant that is spent, the larger one of epsilon and delta; a description, not an account.
    pub fn share_spent(&self) -> f64 {
        let (granted, spent) = (parts(&Cost::from(&self.granted)), parts(&self.spent));
        let share = |(spent, granted): (&Rational, &Rational)| {
            if granted.is_positive() { spent.to_f64() / granted.to_f64() } else { 0.0 }
        };
        spent.iter().zip(&granted).map(share).fold(0.0, f64::max)
    }

    /// The balance after the charges of some releases; `composition` says whether disjoint rows help.
    pub(crate) fn after(granted: &Guarantee, releases: &[&[Charge]], composition: Composition) -> Self {
        let charges = counted(granted, releases, composition);
        let charges: Vec<&Charge> = charges.iter().collect();
        let worst = |partition: Partition| {
            [0, 1].map(|part| partition.largest(|place| parts(&charges[place].cost)[part].clone()))
        };
        let bounds: Vec<_> = ways(&charges, composition).into_iter().map(worst).collect();
        let least = [0, 1].map(|part| bounds.iter().map(|bound| bound[part].clone()).min().unwrap_or(Rational::ZERO));
        Self { granted: granted.clone(), spent: cost(least, granted) }
    }

    /// Remainder of the grant; never negative in a ledger that only [`Ledger`](crate::Ledger) wrote.
    pub fn left(&self) -> Cost {
        let ([granted, of_delta], [spent, delta]) = (parts(&Cost::from(&self.granted)), parts(&self.spent));
        cost([&granted - &spent, &of_delta - &delta], &self.granted)
    }

    /// Amount spent beyond the amount spent `before`: less than a price where public conditions keep rows apart.
    pub fn added_to(&self, before: &Self) -> Cost {
        combine(&self.spent, &before.spent, &self.granted, |after, before| after - before)
    }

    /// `true` if no more is spent than granted, to the last digit.
    pub fn is_within(&self) -> bool {
        parts(&self.left()).iter().all(|left| *left >= Rational::ZERO)
    }
}

/// The charges that count: where only those within a release are composed in parallel, one charge a release, on all
/// rows.
fn counted(granted: &Guarantee, releases: &[&[Charge]], composition: Composition) -> Vec<Charge> {
    let single_charge = |release: &&[Charge]| Charge {
        rows: Region::default(),
        cost: Balance::after(granted, &[*release], Composition::Parallel).spent,
    };
    match composition {
        Composition::Parallel | Composition::Sequential => releases.iter().copied().flatten().cloned().collect(),
        Composition::ParallelWithin => releases.iter().map(single_charge).collect(),
    }
}

/// Ways to put charges into classes such that all that a unit can be among are in one.
fn ways(charges: &[&Charge], composition: Composition) -> Vec<Partition> {
    let regions: Vec<&Region> = charges.iter().map(|charge| &charge.rows).collect();
    composition.ways_within(&regions)
}

/// The largest epsilon of a plan with this one's shares that would fit, rounded down to six digits; `None` where none
/// does.
///
/// Prices in epsilon are proportional to the plan's epsilon and prices in rho to its square, except those of Gaussian
/// noise, for which `scaled` is false and nothing is promised. A delta does not shrink with epsilon, so it must fit as
/// it is.
pub fn fits(
    history: &[&[Charge]],
    asked: &[Charge],
    granted: &Guarantee,
    composition: Composition,
    epsilon: &Rational,
) -> Option<Rational> {
    let history = counted(granted, history, composition);
    let asked = counted(granted, &[asked], composition);
    let charges: Vec<&Charge> = history.iter().chain(&asked).collect();
    let total = parts(&Cost::from(granted));
    let add = |places: &[usize], part: usize, new: bool| {
        let mine = places.iter().filter(|place| (**place >= history.len()) == new);
        mine.fold(Rational::ZERO, |sum, place| &sum + &parts(&charges[*place].cost)[part])
    };
    let factor_of_class = |class: &Vec<usize>| {
        let delta_fits = &add(class, 1, false) + &add(class, 1, true) <= total[1];
        let (old, new) = (add(class, 0, false), add(class, 0, true));
        match (delta_fits, new.is_positive()) {
            (false, _) => Some(Rational::ZERO),
            (true, true) => Some(&(&total[0] - &old) / &new),
            (true, false) => None,
        }
    };
    let factor_of = |partition: &Partition| partition.classes.iter().filter_map(factor_of_class).min();
    let factor = ways(&charges, composition).iter().filter_map(factor_of).max()?;
    let factor = if matches!(granted, Guarantee::ZeroConcentrated { .. }) { root_below(&factor)? } else { factor };
    down_to_six_digits(&(epsilon * &factor))
}

/// A number whose square is at most `value`, and nearly `value`.
fn root_below(value: &Rational) -> Option<Rational> {
    let mut root = value.to_f64_down().max(0.0).sqrt();
    loop {
        let exact = Rational::from_f64(root)?;
        if &exact * &exact <= *value {
            return Some(exact);
        }
        root = root.next_down();
    }
}

/// The value rounded down to six digits; `None` unless it is positive.
fn down_to_six_digits(value: &Rational) -> Option<Rational> {
    if !value.is_positive() {
        return None;
    }
    let exponent = 5 - value.to_f64_down().log10().floor() as i32;
    let power: Rational = format!("1e{}", exponent.clamp(-300, 300)).parse().ok()?;
    let digits = Rational::from((value * &power).floor()?);
    let rounded = &digits / &power;
    rounded.is_positive().then_some(rounded)
}

#[cfg(test)]
mod tests {
    use inbounds_core::{Cells, Delta, Epsilon, Limit, Rho};
    use proptest::prelude::*;

    use super::*;

    fn number(text: &str) -> Rational {
        text.parse().expect("number")
    }

    fn pure(epsilon: &str) -> Guarantee {
        Guarantee::Pure { epsilon: Epsilon::new(number(epsilon)).expect("positive") }
    }

    fn charge(span: Option<&str>, epsilon: &str) -> Charge {
        let limit = |span: &str| Limit {
            column: "age".into(),
            read: "integer".into(),
            cells: Cells::Numbers(vec![span.parse().expect("a span")]),
        };
        Charge {
            rows: Region::new(span.map(limit).into_iter().collect()),
            cost: Cost::Pure { epsilon: number(epsilon) },
        }
    }

    fn spent(charges: &[Charge], composition: Composition) -> String {
        Balance::after(&pure("1"), &[charges], composition).spent.to_string()
    }

    #[test]
    fn charges_add_unless_no_unit_can_be_in_two_of_them() {
        let charges = [charge(Some("[0, 18)"), "0.3"), charge(Some("[18, 65)"), "0.5"), charge(None, "0.1")];
        assert_eq!(spent(&charges, Composition::Parallel), "epsilon = 0.6");
        assert_eq!(spent(&charges, Composition::Sequential), "epsilon = 0.9");
        assert_eq!(spent(&[], Composition::Parallel), "epsilon = 0");
        let overlapping = [charge(Some("[0, 18]"), "0.3"), charge(Some("[18, 65)"), "0.5")];
        assert_eq!(spent(&overlapping, Composition::Parallel), "epsilon = 0.8");
    }

    #[test]
    fn a_grant_is_kept_to_the_last_digit() {
        let balance = |epsilon: &str| Balance::after(&pure("1"), &[&[charge(None, epsilon)]], Composition::Parallel);
        assert!(balance("1").is_within());
        assert!(!balance("1.00000000000000000001").is_within());
        assert_eq!(balance("1/3").left(), Cost::Pure { epsilon: number("2/3") });
        let granted = Guarantee::Approximate {
            epsilon: Epsilon::new(number("1")).expect("positive"),
            delta: Delta::new(number("1e-6")).expect("a probability"),
        };
        let cost = Cost::Approximate { epsilon: number("0.1"), delta: number("1.1e-6") };
        assert!(
            !Balance::after(&granted, &[&[Charge { rows: Region::default(), cost }]], Composition::Parallel)
                .is_within()
        );
    }

    #[test]
    fn what_fits_is_rounded_down() {
        let history = [charge(None, "1/3")];
        let fitting = |epsilon: &str| {
            fits(&[&history], &[charge(None, epsilon)], &pure("1"), Composition::Parallel, &number("2"))
        };
        assert_eq!(fitting("2"), Some(number("0.666666")));
        // A plan whose statistics cost half of its epsilon may have twice as much.
        assert_eq!(fitting("1"), Some(number("1.33333")));
        let full = [charge(None, "1")];
        assert_eq!(fits(&[&full], &[charge(None, "1")], &pure("1"), Composition::Parallel, &number("1")), None);
        let rho = Guarantee::ZeroConcentrated { rho: Rho::new(number("0.5")).expect("positive") };
        let charge = |rho: &str| Charge { rows: Region::default(), cost: Cost::ZeroConcentrated { rho: number(rho) } };
        assert_eq!(
            fits(&[&[charge("0.375")]], &[charge("0.5")], &rho, Composition::Parallel, &number("1")),
            Some(number("0.5"))
        );
    }

    proptest! {
        /// Whatever the charges, no age loses more than the bound, and what is said to fit does.
        #[test]
        fn no_row_loses_more_than_is_spent(
            charges in prop::collection::vec((0u32..9, 0u32..9, 1u32..9, any::<bool>()), 1..7),
            asked in 1u32..40,
        ) {
            let charges: Vec<Charge> = charges.iter().map(|(from, to, tenths, all)| {
                let span = format!("[{}, {})", from.min(to), from.max(to));
                charge((!all).then_some(span.as_str()), &format!("{tenths}/10"))
            }).collect();
            let balance = Balance::after(&pure("1"), &[&charges], Composition::Parallel);
            let Cost::Pure { epsilon: bound } = balance.spent else { unreachable!() };
            for age in 0..9 {
                let covers = |charge: &&Charge| charge.rows.limits().iter().all(|limit| match &limit.cells {
                    Cells::Numbers(spans) => spans.iter().all(|span| {
                        let text = span.to_string();
                        let (from, to) = text[1..text.len() - 1].split_once(", ").expect("two ends");
                        (from.parse().expect("number")..to.parse().expect("number")).contains(&age)
                    }),
                    Cells::Texts(_) => false,
                });
                let lost = charges.iter().filter(covers).fold(Rational::ZERO, |sum, charge| &sum + &parts(&charge.cost)[0]);
                prop_assert!(lost <= bound, "{age}");
            }
            let granted = pure("5");
            let epsilon = Rational::ratio(asked.into(), 10);
            let scaled = |epsilon: Rational| Charge { rows: Region::default(), cost: Cost::Pure { epsilon } };
            if let Some(most) = fits(&[&charges], &[scaled(epsilon.clone())], &granted, Composition::Parallel, &epsilon) {
                prop_assert!(Balance::after(&granted, &[&charges, &[scaled(most)]], Composition::Parallel).is_within());
            }
        }
    }
}
