//! The guarantee and the rules, in plain words.

use inbounds_bundle::{PerUnitEntry, PrivacyUnitEntry, UnitColumnEntry};
use inbounds_core::Neighbours;
use inbounds_data::{KeyValue, LearnKeys, Longer, SetColumn};
use inbounds_statistics::{Design, PrivacyUnit};

use super::About;

use crate::{
    grants::Spent,
    payment::Payment,
    plan::{Bounds, Column, Missing, Plan, Spanned, Statistic, StatisticKind, Unit as PlanUnit},
    released::Randomness,
};

/// The privacy unit in words.
pub(crate) fn privacy_unit(plan: &Plan) -> PrivacyUnitEntry {
    match &plan.privacy.unit {
        PlanUnit::Row => match &plan.data.frequency {
            Some(column) => PrivacyUnitEntry::Counted(column.value.clone()),
            None => PrivacyUnitEntry::Row,
        },
        PlanUnit::Column { column, .. } | PlanUnit::OneRow { column } => PrivacyUnitEntry::Column(column.value.clone()),
        PlanUnit::Rows { most } => PrivacyUnitEntry::Rows(most.value),
    }
}

/// Rule that makes one row of the rows of each unit, if the plan has one.
pub(crate) fn per_unit(plan: &Plan) -> Option<PerUnitEntry> {
    let name = |name: &Option<Spanned<String>>| name.as_ref().map(|name| name.value.clone());
    let column = |column: &Column| {
        let taken = column.per_unit.as_ref()?;
        let rows = taken.from.as_ref().and_then(|from| plan.row_column(&from.value));
        let rows = rows.filter(|_| taken.take.value.adds());
        let ends = |bounds: &Bounds| (bounds.lower.value.to_f64(), bounds.upper.value.to_f64());
        Some(UnitColumnEntry {
            clipped: rows.and_then(|rows| rows.bounds.as_ref()).map(ends),
            missing: rows.and_then(|rows| match &rows.missing {
                Some(Missing::Impute(value)) => Some(value.to_f64()),
                Some(Missing::Drop) | None => None,
            }),
            name: column.name.value.clone(),
            take: taken.take.value.into(),
            from: name(&taken.from),
            order: name(&taken.order),
            filter: name(&taken.filter),
        })
    };
    let unit = plan.privacy.unit.column()?.value.clone();
    Some(PerUnitEntry { unit, columns: plan.per_unit.as_ref()?.iter().filter_map(column).collect() })
}

/// The release's guarantee, in words.
pub(super) fn guarantee(about: &About, payment: &Payment) -> String {
    let &About { plan, design, spent, run, .. } = about;
    if let Randomness::Seeded(seed) = run.randomness {
        return format!(
            "NOT PRIVATE. The noise was drawn from the seed {seed}, which anyone can guess, for a test or a \
             demonstration. Do not publish numbers about real people from this bundle."
        );
    }
    let (promise, others) = (promise(plan, design, spent), others(payment));
    format!("{promise} {others} the time this run took, or what the plan itself reveals.")
}

/// The guarantee of a release with this cost, whatever else is released.
pub(crate) fn promise(plan: &Plan, design: &Design, spent: &Spent) -> String {
    let (unit, promise_of_plan) = match &plan.privacy.unit {
        PlanUnit::Row => match &plan.data.frequency {
            Some(column) => (format!("one of those that `{}` counts", column.value), String::new()),
            None => ("one row".to_owned(), String::new()),
        },
        PlanUnit::Column { column, .. } | PlanUnit::OneRow { column } => {
            (format!("all rows that share one value of `{}`", column.value), String::new())
        }
        PlanUnit::Rows { most } => (
            match &plan.data.frequency {
                Some(column) => format!("at most {} of those that `{}` counts", most.value, column.value),
                None => format!("at most {} rows", most.value),
            },
            format!(
                " So it protects whoever has at most {} rows. That nobody has more is a promise of the plan: no column says \
                 whose the rows are.",
                most.value
            ),
        ),
    };
    let change = match design.neighbours {
        Neighbours::AddRemove => format!("Adding or removing {unit}"),
        Neighbours::Substitute if matches!(plan.privacy.unit, PlanUnit::Rows { .. }) => {
            format!("Replacing {unit} by any others")
        }
        Neighbours::Substitute => format!("Replacing {unit} by any other"),
    };
    // To four decimals, upward: "at most" must hold for what is printed.
    let factor = match (spent.epsilon.to_f64_up().exp().next_up() * 1e4).ceil() / 1e4 {
        factor if factor < 1e6 => format!(" ({factor:.4})"),
        // A factor this large promises next to nothing; no digits would help.
        _ => String::new(),
    };
    let (is_approximate, epsilon, delta) =
        (spent.delta.is_positive(), spent.epsilon.rounded_up(), spent.delta.rounded_up());
    let (promise, kind) = if is_approximate {
        (format!(", give or take a probability of {delta} in all"), "approximate differential privacy")
    } else {
        (String::new(), "pure differential privacy")
    };
    format!(
        "{change} changes the probability of every possible outcome of this whole release by a factor of at most \
         e^{epsilon}{factor}{promise}. This is {kind}, epsilon = {epsilon}, delta = {delta}, and it holds for the \
         integers that were computed.{promise_of_plan}"
    )
}

/// Composition with other releases, in words, up to the other limits of the guarantee.
fn others(payment: &Payment) -> String {
    match payment {
        Payment::NoLedger | Payment::NotCharged => "It does not cover other releases from the same rows,".to_owned(),
        Payment::Reserved(reserved) => {
            let ledger = reserved.entry();
            format!(
                "The ledger that paid for it, which gives out {} in all, had {} left before and has {} left now. The guarantee \
                 does not cover releases from the same rows that were not charged to that ledger,",
                ledger.granted.rounded_down(),
                ledger.left_before.rounded_down(),
                ledger.left_after.rounded_down()
            )
        }
    }
}

/// Definition of missing cells, and their effect wherever a cell can stand.
fn missing(plan: &Plan) -> String {
    let listed =
        |codes: &[Spanned<String>]| codes.iter().map(|code| format!("`{}`", code.value)).collect::<Vec<_>>().join(", ");
    let mut lists = Vec::new();
    if !plan.data.missing_values.is_empty() {
        lists.push(format!("{} in all columns without a list of their own", listed(&plan.data.missing_values)));
    }
    for column in &plan.columns {
        if let Some(own) = &column.cells.missing_values {
            let codes = if own.value.is_empty() { "none".to_owned() } else { listed(&own.value) };
            lists.push(format!("{codes} in `{}`", column.name.value));
        }
    }
    let lists = if lists.is_empty() { "none".to_owned() } else { lists.join("; ") };
    format!(
        "A cell is missing if it is empty, null or NaN, cannot be read as the type of its column, or is listed as a missing value \
         (listed: {lists}). Where a statistic reads numbers, its `clip.missing` says what a row with a missing cell counts as. A \
         row with a missing cell in a column of `by` counts in no cell, and in `where` no comparison with a missing cell is true."
    )
}

fn trimmed(plan: &Plan) -> String {
    let exact = |column: &&Column| column.cells.trim.as_ref().is_some_and(|trim| !trim.value);
    let exact: Vec<_> = plan.columns.iter().filter(exact).map(|column| format!("`{}`", column.name.value)).collect();
    let but = if exact.is_empty() { String::new() } else { format!(", but in {}", exact.join(" and ")) };
    format!(
        "Blanks around a text are no part of it{but}: texts that differ in them alone are one key, and one privacy unit."
    )
}

/// Descriptions of the columns that the data do not have.
fn derived(plan: &Plan) -> Vec<String> {
    let sentence = |column: &Column| Some(column.derived.as_ref()?.sentence(&column.name.value));
    let mut sentences: Vec<String> = plan.columns.iter().filter_map(sentence).collect();
    if !sentences.is_empty() {
        sentences.push(
            "A derived column is made of other cells of its row, by a public rule. It is missing where one of these is missing, but for a \
             condition, which is missing where neither true nor false follows from the cells that are there."
                .to_owned(),
        );
    }
    if plan.columns.iter().filter_map(|column| column.derived.as_ref()).any(|derived| derived.rule.names_missing()) {
        sentences.push(
            "Where a code or a list names `missing`, a missing cell stands for what is said there: one without a value of the type of its \
             column, because it is empty, a code for a missing value, or unreadable."
                .to_owned(),
        );
    }
    sentences
}

/// Where group keys come from.
fn keys(plan: &Plan) -> String {
    let listed = "Group keys are public and were given with the plan. A row whose key is not listed counts nowhere; a listed key \
                  without rows is released as noise around 0.";
    let named = |of_space: bool| {
        let learned = plan.statistics.iter().filter(|statistic| statistic.learn_keys.value.is_some());
        let chosen = learned.filter(|statistic| statistic.spurious.is_some() == of_space);
        chosen.map(|statistic| format!("`{}`", statistic.name.value)).collect::<Vec<String>>().join(" and ")
    };
    let (of_rows, of_space) = (named(false), named(true));
    let mut rule = listed.to_owned();
    let is_missing = |column: &Column| column.values.iter().flatten().any(|value| value.value == KeyValue::Missing);
    if plan.read_columns().iter().any(is_missing) {
        rule += " The key `missing` is that of rows without a value of the type of the column: an empty cell, a code for a missing \
                 value, or one that cannot be read.";
    }
    let has_impossible = |statistic: &Statistic| plan.cells(statistic).is_some_and(|cells| !cells.are_all());
    let impossible: Vec<String> = (plan.statistics.iter().filter(|statistic| has_impossible(statistic)))
        .map(|statistic| format!("`{}`", statistic.name.value))
        .collect();
    if !impossible.is_empty() {
        rule += &format!(
            " Columns of {} are made of one another: combinations of values that their rules give to no row are no cells.",
            impossible.join(" and ")
        );
    }
    if !of_rows.is_empty() {
        rule += &format!(
            " But the keys of {of_rows} are those that rows have, published where noise on their counts allows; a text of more than {} bytes is \
             a missing value there.",
            LearnKeys::LONGEST_TEXT
        );
    }
    if !of_space.is_empty() {
        rule += &format!(
            " But of the keys of {of_space} all get noise, and those whose noisy count is large enough are published. They are the listed values, \
             and of whole numbers those from the lower to the upper bound: there a row beyond the bounds counts nowhere."
        );
    }
    rule
}

/// Rule for a cell with several answers.
fn several(set: &SetColumn) -> String {
    let most = if (set.most as usize) < set.options.len() {
        format!("; of more than {}, those that come first in `values`", set.most)
    } else {
        String::new()
    };
    format!("A cell of `{}` holds several answers, and its row counts in the cell of each{most}.", set.column)
}

/// Sentence on the rows into which each row of the files is turned where columns are gathered.
fn gathered(longer: &Longer) -> String {
    const SHOWN: usize = 4;
    let shown = longer.columns.iter().map(|column| format!("`{column}`"));
    let listed = match &longer.columns[..] {
        [_, .., last] if longer.columns.len() > SHOWN => format!("{} to `{last}`", shown.take(1).collect::<String>()),
        _ => shown.collect::<Vec<_>>().join(", "),
    };
    format!(
        "Each row of the files becomes {} rows, one for each of the columns {listed}: its name stands in `{}`, and its cell in \
         `{}`.",
        longer.columns.len(),
        longer.names_to,
        longer.values_to
    )
}

/// Rules for rows that need one, none of which raises an error.
pub(crate) fn rules(plan: &Plan, design: &Design) -> Vec<String> {
    let mut rules = vec![
        "Values outside a column's bounds are clipped to the nearest bound; infinities too.".to_owned(),
        missing(plan),
        trimmed(plan),
        keys(plan),
        "Each value is rounded to the nearest point of the statistic's grid before it is added. Before noise, a sum is \
         off by at most half a grid step for each of its rows."
            .to_owned(),
    ];
    rules.extend(derived(plan));
    rules.extend(plan.columns.iter().filter_map(Column::set).map(|set| several(&set)));
    rules.extend(plan.data.longer.as_ref().map(|longer| gathered(&longer.value)));
    rules.extend(plan.frequency().map(|frequency| frequency.sentence()));
    rules.extend(per_unit(plan).map(|entry| entry.sentence()));
    if let (PlanUnit::Rows { most }, _) = (&plan.privacy.unit, design.unit) {
        rules.push(format!(
            "All rows count. The noise hides any {} of them, and no column says whose they are.",
            most.value
        ));
    } else if let PrivacyUnit::Column(most) = design.unit {
        let in_groups = match (most.groups() < most.rows(), most.rows_per_group() < most.rows()) {
            (false, false) => String::new(),
            (true, false) => format!(", in at most {} groups", most.groups()),
            (false, true) => format!(", at most {} of them in a group", most.rows_per_group()),
            (true, true) => {
                format!(", in at most {} groups and at most {} in each", most.groups(), most.rows_per_group())
            }
        };
        rules.push(format!(
            "Each statistic keeps at most {} rows a unit{in_groups}, chosen by a public hash of the unit's own rows; rows \
             without a unit are dropped. Error from rows left out is not part of any bias or interval here.",
            most.rows()
        ));
    }
    let units = |statistic: &Statistic| matches!(statistic.kind, StatisticKind::Units(_));
    if plan.statistics.iter().any(units) {
        rules.push(format!(
            "Numbers of units: a unit counts once in each group in which a row of it counts, in at most {} groups. Without groups, \
             every unit with a row that counts is counted.",
            design.contribution().groups()
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
    if plan.statistics.iter().any(|statistic| statistic.margins.is_some()) {
        rules.push(
            "Statistics with margins: a cell of a margin is the sum of the listed combinations in it, so a row with a value that is \
             not listed, in any column of `by`, counts in no margin, the total included. Where estimates are made whole, each is rounded \
             up or down so that the sums hold and the sum of squares grows least, smaller margins first."
                .to_owned(),
        );
    }
    let mean = |statistic: &Statistic| matches!(statistic.kind, StatisticKind::Mean(_));
    let adds_up = |statistic: &Statistic| statistic.levels.is_some() || statistic.margins.is_some();
    if plan.statistics.iter().any(|statistic| adds_up(statistic) && mean(statistic)) {
        rules.push(
            "Means that add up: where a cell's estimated count is 0, nothing is known of its mean: the estimate is the middle of \
             the column's bounds and the interval all of them."
                .to_owned(),
        );
    }
    rules
}
