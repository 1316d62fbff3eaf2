//! The guarantee and the rules, in plain words.

use inbounds_bundle::{PrivacyUnitEntry, UnitEntry};
use inbounds_core::Neighbours;
use inbounds_statistics::{Design, PrivacyUnit, compound::Unit};

use crate::{
    Spent,
    plan::{Plan, Statistic, StatisticKind},
    run::Randomness,
};

/// The unit of an output, in words.
pub(crate) fn unit(statistic: &Statistic, unit: &Unit) -> UnitEntry {
    let columns = statistic.columns();
    let name = |place: &usize| columns.get(*place).map_or("", |column| column.value.as_str());
    match unit {
        Unit::None => UnitEntry::PureNumber,
        Unit::Rows => UnitEntry::Rows,
        Unit::Columns(places) => UnitEntry::product(&places.iter().map(name).collect::<Vec<_>>()),
    }
}

/// The privacy unit in words.
pub(crate) fn privacy_unit(plan: &Plan) -> PrivacyUnitEntry {
    plan.privacy.unit.column().map_or(PrivacyUnitEntry::Row, |column| PrivacyUnitEntry::Column(column.value.clone()))
}

/// What the release promises.
pub(crate) fn guarantee(plan: &Plan, design: &Design, spent: &Spent, randomness: Randomness) -> String {
    if let Randomness::Seeded(seed) = randomness {
        return format!(
            "NOT PRIVATE. The noise was drawn from the seed {seed}, which anyone can guess, for a test or a \
             demonstration. Do not publish numbers about real people from this bundle."
        );
    }
    let unit = match design.unit {
        PrivacyUnit::Row => "one row".to_owned(),
        PrivacyUnit::Column { .. } => {
            let column = plan.privacy.unit.column().map_or("", |column| column.value.as_str());
            format!("all rows that share one value of `{column}`")
        }
    };
    let change = match design.neighbours {
        Neighbours::AddRemove => format!("Adding or removing {unit}"),
        Neighbours::Substitute => format!("Replacing {unit} by any other"),
    };
    // To four decimals, upward: "at most" must hold for what is printed.
    let factor = match (spent.epsilon.to_f64_up().exp().next_up() * 1e4).ceil() / 1e4 {
        factor if factor < 1e6 => format!(" ({factor:.4})"),
        // A factor this large promises next to nothing; no digits would help.
        _ => String::new(),
    };
    let Spent { epsilon, delta } = spent;
    let (promise, kind) = if delta.is_positive() {
        (format!(", give or take a probability of {delta} in all"), "approximate differential privacy")
    } else {
        (String::new(), "pure differential privacy")
    };
    format!(
        "{change} changes the probability of every possible outcome of this whole release by a factor of at most \
         e^{epsilon}{factor}{promise}. This is {kind}, epsilon = {epsilon}, delta = {delta}, and it holds for the \
         integers that were computed. It does not cover other releases from the same rows, the time this run took, or \
         what the plan itself reveals."
    )
}

/// Rules for rows that need one, none of which raises an error.
pub(crate) fn rules(plan: &Plan, design: &Design) -> Vec<String> {
    let mut rules = vec![
        "Values outside a column's bounds are clipped to the nearest bound; infinities too.".to_owned(),
        "A null, a NaN, or text that is no number is missing; each statistic's `clip.missing` says whether missing rows \
         are dropped or what they stand for."
            .to_owned(),
        "Group keys are public and were given with the plan. A row whose key is not listed counts nowhere; a listed key \
         without rows is released as noise around 0."
            .to_owned(),
        "Each value is rounded to the nearest point of the statistic's grid before it is added, so a sum errs by at \
         most half a grid step a row before noise."
            .to_owned(),
    ];
    if let PrivacyUnit::Column { max_rows } = design.unit {
        rules.push(format!(
            "Each statistic keeps at most {max_rows} rows a unit, chosen by a public hash of the unit's own rows; rows \
             without a unit are dropped. Error from rows left out is not part of any bias or interval here."
        ));
    }
    if plan.statistics.iter().any(|statistic| statistic.levels.is_some()) {
        rules.push(
            "Statistics with levels: a cell of a coarser level is the sum of the listed cells in it, so a row whose key is not \
             listed counts at no level, the total included. Of whole numbers that are equally good, the smaller total is \
             taken, then the cell whose key is listed first."
                .to_owned(),
        );
    }
    let mean = |statistic: &Statistic| matches!(statistic.kind, StatisticKind::Mean { .. });
    if plan.statistics.iter().any(|statistic| statistic.levels.is_some() && mean(statistic)) {
        rules.push(
            "Means with levels: where a cell's estimated count is 0, nothing is known of its mean: the estimate is the middle of \
             the column's bounds and the interval all of them."
                .to_owned(),
        );
    }
    rules
}
