//! Findings of the paper in its first simulation, at the fewest and at the most rows.

use super::{
    covariance_design::{ROWS, STATISTICS, Simulated},
    estimate::{Against, Estimate, PAPERS, agrees, difference, differs},
    mechanism::Mechanism,
};
use crate::{
    Check, Claim,
    monte_carlo::{Mean, Sample},
    statement::liu as said,
};

/// Places of the statistics.
const S11: usize = 0;
const S12: usize = 2;
const R: usize = 3;

impl Simulated {
    /// Mean of a function of a statistic.
    fn mean(&self, statistic: usize, function: impl Fn(f64) -> f64) -> Estimate {
        let mut mean = Mean::default();
        let Sample(all) = &self.released.0[statistic];
        all.iter().for_each(|&x| mean.add(function(x)));
        (mean.value(), mean.error())
    }

    fn bias(&self, statistic: usize) -> Estimate {
        let truth = self.setting.truths()[statistic];
        self.mean(statistic, |x| x - truth)
    }

    fn square(&self, statistic: usize) -> Estimate {
        let truth = self.setting.truths()[statistic];
        self.mean(statistic, |x| (x - truth) * (x - truth))
    }

    /// Share of the released values that are `end` in absolute value.
    fn share_at(&self, statistic: usize, end: f64) -> Estimate {
        self.mean(statistic, |x| f64::from(u8::from(x.abs() == end)))
    }

    fn words(&self, statistic: usize) -> String {
        let setting = &self.setting;
        let (n, r) = (setting.rows, setting.correlation);
        format!("{}, r = {r}, n = {n}, {}", STATISTICS[statistic], setting.mechanism.name())
    }
}

fn size((value, error): Estimate) -> Estimate {
    (value.abs(), error)
}

/// The checks.
pub(super) fn checks(cells: &[Simulated]) -> Vec<Check> {
    let at = |mechanism, correlation, rows| {
        let wanted = |cell: &&Simulated| {
            let setting = &cell.setting;
            setting.mechanism == mechanism && setting.correlation == correlation && setting.rows == rows
        };
        cells.iter().find(wanted).expect("a simulated cell")
    };
    let (few, many) = (ROWS[0], ROWS[4]);
    let mut checks = Vec::new();
    for mechanism in PAPERS {
        checks.extend(biased(at(mechanism, 0.7, few)));
        checks.extend(unbiased(at(mechanism, 0.0, few)));
        let check = |quantity, claimed, computed| agrees(&said::FIGURE_1_LIMIT, quantity, claimed, computed);
        checks.extend(limit(at(mechanism, 0.7, few), at(mechanism, 0.7, many), check));
    }
    let ours = |quantity, claimed, (computed, error): Estimate| Check::ours(quantity, claimed, computed, error);
    checks.extend(limit(at(Mechanism::Exact, 0.7, few), at(Mechanism::Exact, 0.7, many), ours));
    checks.extend(order(at(Mechanism::Clamped, 0.7, few), at(Mechanism::Published, 0.7, few)));
    checks.extend(ends(at(Mechanism::Clamped, 0.7, few), at(Mechanism::Clamped, 0.7, many)));
    checks
}

fn biased(cell: &Simulated) -> Vec<Check> {
    let check = |statistic: usize, claimed: Claim| {
        agrees(&said::FIGURE_1, format!("bias: {}", cell.words(statistic)), claimed, cell.bias(statistic))
    };
    let (up, down) = (Claim::Above(0.1), Claim::Below(-0.1));
    vec![check(S11, up), check(S12, down), check(R, down)]
}

fn unbiased(cell: &Simulated) -> Vec<Check> {
    let check = |statistic: usize| {
        let quantity = format!("bias: {}", cell.words(statistic));
        agrees(&said::FIGURE_1_ZERO, quantity, Claim::exactly(0.0), cell.bias(statistic))
    };
    vec![check(S12), check(R)]
}

/// Bias and error at the most rows against those at the fewest.
fn limit(few: &Simulated, many: &Simulated, check: fn(String, Claim, Estimate) -> Check) -> Vec<Check> {
    let mut checks = Vec::new();
    for statistic in [S11, S12, R] {
        let words =
            |measure: &str| format!("{measure} less that at n = {}: {}", few.setting.rows, many.words(statistic));
        let less = Claim::Below(0.0);
        let bias = difference(size(many.bias(statistic)), size(few.bias(statistic)));
        checks.push(check(words("absolute bias"), less, bias));
        checks.push(check(words("MSE"), less, difference(many.square(statistic), few.square(statistic))));
    }
    checks
}

/// Truncation against BIT, for what is released within released ends.
fn order(clamped: &Simulated, published: &Simulated) -> [Check; 2] {
    let excess = |statistic| difference(size(published.bias(statistic)), size(clamped.bias(statistic)));
    let quantity = |statistic| format!("absolute bias less that of clamping: {}", published.words(statistic));
    let (more, why) = (Claim::Above(0.0), "clamped variances of zero leave the covariance no room at all");
    [
        differs(&said::FIGURE_1_ORDER, quantity(S12), more, excess(S12), Against(why, 52)),
        agrees(&said::FIGURE_1_ORDER, quantity(R), more, excess(R)),
    ]
}

/// Share of clamped values at an end.
fn ends(few: &Simulated, many: &Simulated) -> Vec<Check> {
    let positive = Claim::Above(0.0);
    let (exact, shares) = (&said::EXACT_ENDS, &said::FIGURE_1_ENDS);
    let [zeros, ones] = [few.share_at(S11, 0.0), few.share_at(R, 1.0)];
    let fall = difference(ones, many.share_at(R, 1.0));
    let quantity = format!("share of values at an end: {}", few.words(R));
    vec![
        agrees(exact, format!("share of values that are 0: {}", few.words(S11)), positive, zeros),
        agrees(exact, quantity.clone(), positive, ones),
        agrees(shares, format!("{quantity}, less that at n = 800"), positive, fall),
        agrees(shares, format!("{quantity}, less that of S11"), positive, difference(ones, zeros)),
    ]
}
