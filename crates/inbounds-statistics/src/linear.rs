//! Linear combinations of sums or of means of several columns, measured as one number.

use inbounds_core::{Grid, Quantity, Rational, StepRange};

use crate::{Ask, Clip, Column, Reading, Setting, Single, StatisticError, Unit, of_sum, sensitivity::range_of_sum};

/// One column with its weight.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term {
    /// The weight, not zero, at most 18 digits in numerator and denominator.
    pub weight: Rational,
    /// The column and its public bounds.
    pub column: Column,
}

/// Measure of each column that is combined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CombinedMeasure {
    /// Sums over the rows of a cell.
    Sums,
    /// Means over the public number of rows.
    Means,
}

/// `sum_j w_j X_j` over the sums or means `X_j` of columns, described.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinearCombination {
    /// Columns and weights, one or more. The result is stated in the unit of the first column.
    pub terms: Vec<Term>,
    /// Measure of each column that is combined.
    pub measure: CombinedMeasure,
}

/// A combination in whole numbers.
struct Whole {
    denominator: u64,
    grid: Grid,
    factors: Vec<i128>,
    ends: (i128, i128),
}

/// The largest denominator that all weights may share, and the largest numerator over it.
const LARGEST_WEIGHT: i128 = 1_000_000_000_000_000_000;

/// Steps that one row may contribute: times any number of rows below `2^57` they stay below `2^117`.
const LARGEST_CONTRIBUTION: i128 = 1 << 60;

impl LinearCombination {
    /// Calibrates one number a cell.
    ///
    /// # Law
    /// Columns lie on grids of their own. Over the finest of them and the common denominator `D` of the weights, the
    /// combination is the sum over rows of the whole number `sum_j W_j x_j`, `W_j = w_j D 2^(e_j - e)`, which lies in
    /// `[L, U]`, the sums of the lower and upper ends of `W_j [l_j, u_j]`. A row with a missing value that is dropped
    /// counts for no column.
    ///
    /// # Guarantee
    /// That of a sum of contributions in `[L, U]`, see [`of_sum`]: with a public number of rows that all count,
    /// `U - L = sum |w_j| (u_j - l_j)`; under add-remove `max(|L|, |U|)`. One number is measured, so this is never more
    /// than measuring each column, and less where terms cancel. The range follows from `L` and `U` as for a sum. Claim:
    /// `linear-combination`.
    ///
    /// # Errors
    /// [`StatisticError`]: no term, a weight of zero or one too fine, means without a public number of rows or with
    /// values dropped, bounds that no grid holds, or no calibration.
    ///
    /// # Example
    /// Mean income less mean tax of 1000 rows: one row moves the difference by at most (100 + 40) / 1000.
    /// ```
    /// use inbounds_core::{Delta, Epsilon, Neighbours};
    /// use inbounds_mechanisms::registry;
    /// use inbounds_statistics::{ColumnBounds, Design, CombinedMeasure, LinearCombination, Missing, PrivacyUnit, Term};
    /// use inbounds_statistics::{Column, Simulated, Statistic, Setting};
    /// let setting = Setting {
    ///     design: Design { neighbours: Neighbours::Substitute, unit: PrivacyUnit::Row, rows: Some(1000) },
    ///     cells: 1, grouped: false, filtered: false, mechanism: registry::default().into(),
    ///     epsilon: Epsilon::new("1".parse()?)?, delta: Delta::ZERO, rho_rate: None, together: None,
    /// };
    /// let column = |name: &str, upper: u128| {
    ///     let bounds = ColumnBounds { lower: 0u128.into(), upper: upper.into(), integer: true, missing: Missing::Impute(0u128.into()) };
    ///     Column { name: name.into(), bounds }
    /// };
    /// let terms = vec![
    ///     Term { weight: "1".parse()?, column: column("income", 100) },
    ///     Term { weight: "-1".parse()?, column: column("tax", 40) },
    /// ];
    /// let net = LinearCombination { terms, measure: CombinedMeasure::Means }.prepare(&setting).expect("valid");
    /// assert_eq!((net.components()[0].sensitivity(), net.ranges()[0]), (0.14, (-40.0, 100.0)));
    /// # Ok::<(), inbounds_core::CoreError>(())
    /// ```
    pub fn prepare(&self, setting: &Setting) -> Result<Single, StatisticError> {
        let named: Vec<Column> = self.terms.iter().map(|term| term.column.clone()).collect();
        let rows = setting.complete_rows(&named);
        let divisor = self.divisor(rows)?;
        let columns = named
            .iter()
            .map(|column| Clip::for_sums(&column.bounds, &setting.epsilon))
            .collect::<Result<Vec<_>, _>>()?;
        let Whole { denominator, grid, factors, ends } = self.over_whole_numbers(&columns)?;
        let divisor = denominator
            .checked_mul(divisor)
            .ok_or_else(|| refuse(&self.terms[0], "of a denominator that times the number of rows stays below 2^64"))?;
        let sensitivity = of_sum(&setting.design, ends, setting.cells, rows.is_some());
        let (lowest, highest) = range_of_sum(ends, rows, setting.design.rows);
        let range = StepRange::new(lowest, highest)?;
        let role = (Quantity::Combination, &Rational::ONE);
        let component = setting.bounded_component(role, (grid, divisor), &sensitivity, range)?;
        let ask = Ask { clips: columns, ..Ask::default() };
        Ok(Single::new(setting, Reading::Combination(factors), Unit::Columns(vec![0]), ask, component))
    }

    /// The factors `W_j` of the columns' steps, and the ends `L` and `U` of what one row contributes.
    fn over_whole_numbers(&self, columns: &[Clip]) -> Result<Whole, StatisticError> {
        let exponent = columns.iter().map(|clip| clip.grid.exponent()).min().unwrap_or(0);
        let (denominator, weights) = self.whole_weights()?;
        let (mut factors, mut ends) = (Vec::with_capacity(weights.len()), (0, 0));
        for ((term, clip), weight) in self.terms.iter().zip(columns).zip(weights) {
            let requirement = "coarse enough for its contribution to stay below 2^60 steps of the finest column";
            let shift = u32::try_from(clip.grid.exponent() - exponent).unwrap_or(u32::MAX);
            let power = if shift < 100 { 1i128 << shift } else { i128::MAX };
            let product = |end: i64| {
                let product = weight.checked_mul(power)?.checked_mul(i128::from(end))?;
                (product.abs() <= LARGEST_CONTRIBUTION).then_some(product)
            };
            let (a, b) = product(clip.lower).zip(product(clip.upper)).ok_or_else(|| refuse(term, requirement))?;
            factors.push(weight * power);
            ends = (ends.0 + a.min(b), ends.1 + a.max(b));
        }
        match ends {
            (lower, upper) if -lower.min(0) > LARGEST_CONTRIBUTION || upper > LARGEST_CONTRIBUTION => {
                Err(refuse(&self.terms[0], "such that all contributions together stay below 2^60 steps"))
            }
            _ => Ok(Whole { denominator, grid: Grid::power_of_two(exponent)?, factors, ends }),
        }
    }

    /// Divisor of sums.
    fn divisor(&self, rows: Option<u64>) -> Result<u64, StatisticError> {
        if self.terms.is_empty() {
            return Err(StatisticError::AtLeast { name: "number of weighted columns", least: 1, found: 0 });
        }
        let quantity = "a combination of means, over all rows and with no value dropped,";
        match (self.measure, rows) {
            (CombinedMeasure::Sums, _) => Ok(1),
            (CombinedMeasure::Means, Some(0)) => {
                Err(StatisticError::FewRows { quantity: "a mean", least: 1, found: 0 })
            }
            (CombinedMeasure::Means, Some(rows)) => Ok(rows),
            (CombinedMeasure::Means, _) => Err(StatisticError::NoRows { quantity }),
        }
    }

    /// The common denominator of the weights, and each weight times it.
    fn whole_weights(&self) -> Result<(u64, Vec<i128>), StatisticError> {
        let mut denominator = 1i128;
        for term in &self.terms {
            let too_long =
                || refuse(term, "a ratio of whole numbers below 10^18, over one denominator with the others");
            let own = i128::try_from(term.weight.parts().1.clone()).map_err(|_| too_long())?;
            let common = denominator.checked_mul(own / gcd(denominator, own));
            denominator = common.filter(|common| *common <= LARGEST_WEIGHT).ok_or_else(too_long)?;
        }
        let scaled = |term: &Term| {
            let numerator = (&term.weight * &Rational::from(denominator)).floor();
            let requirement = "not zero, and a ratio of whole numbers below 10^18";
            let admissible = |weight: &i128| *weight != 0 && weight.abs() <= LARGEST_WEIGHT;
            numerator.filter(admissible).ok_or_else(|| refuse(term, requirement))
        };
        let weights = self.terms.iter().map(scaled).collect::<Result<Vec<_>, _>>()?;
        Ok((denominator as u64, weights))
    }
}

fn refuse(term: &Term, requirement: &'static str) -> StatisticError {
    StatisticError::Weight { column: term.column.name.clone(), requirement, weight: term.weight.to_f64() }
}

fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a } else { gcd(b, a % b) }
}
