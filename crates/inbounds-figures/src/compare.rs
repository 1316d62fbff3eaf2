//! The change of every number from one release to another of the same plan.

use std::path::Path;

use inbounds_bundle::{Destination, StatisticEntry};

use crate::{
    Against, ComparisonEntry, FigureEntry, FigureKind, FiguresError, FiguresMade, FiguresManifest, MadeFigure,
    NotCompared, Refusal,
    evaluate::{Begun, Misses, difference, finish, miss_together, quotient},
    numbers::{Atoms, Published},
    operand::{Number, Sources},
    solve::Solver,
    write::{methods, write},
};

/// Compares two releases and writes the change of every number, as a difference and in percent, into a new folder:
/// `figures.csv` and `figures.json`. No row is read.
///
/// Numbers are compared that have the same definition: kind, columns, grouping, condition, clipping and unit. What has
/// not is named in
/// [`ComparisonEntry::refused`], with the reason.
///
/// # Errors
/// [`FiguresError::NotComparable`] where the two are one release or come from one seed, hide other units or treat rows
/// in another way; and those of [`figures`](crate::figures).
pub fn compare(old: &Path, new: &Path, level: f64, out: &Path) -> Result<FiguresMade, FiguresError> {
    if !(0.5..=0.9999).contains(&level) {
        return Err(FiguresError::Level { level });
    }
    let destination = Destination::claim(out)?;
    // Both releases, which must be comparable as a whole.
    let mut atoms = Atoms::default();
    let bundles = [Published::open(old, &mut atoms)?, Published::open(new, &mut atoms)?];
    comparable(&bundles[0], &bundles[1]).map_err(|reason| FiguresError::NotComparable { reason })?;
    let sources = Sources::new(&atoms, bundles.iter().map(|bundle| &bundle.statistics).collect(), Path::new(""));
    let mut solver = Solver::new(&atoms);
    let mut comparison = ComparisonEntry {
        numbers: 0,
        told: 0,
        by_chance: 0.0,
        told_together: 0,
        refused: Vec::new(),
        only_in_old: 0,
        only_in_new: 0,
    };
    // Numbers that both have, by statistic, before their intervals: the chance of a miss depends on how many there are.
    let mut pairs: Vec<(String, Vec<Twins>)> = Vec::new();
    for (place, statistic) in bundles[1].statistics.iter().enumerate() {
        let name = statistic.shape.name.clone();
        let numbers_compared = bundles[0].statistics.named(&name).map_err(|_| "only the new release has it".to_owned());
        let numbers_compared = numbers_compared.and_then(|(earlier, before)| {
            let [old, new] = [(0, earlier), (1, place)].map(|(bundle, at)| &bundles[bundle].manifest.statistics[at]);
            same_definition(old, new)?;
            let mut numbers = Vec::new();
            // Matches each cell of the new release with the cell of the same key and output in the old one.
            for (cell, published) in statistic.cells.iter().enumerate() {
                let twin =
                    before.at(&published.key).iter().find(|twin| before.cells[**twin].output == published.output);
                let Some(&twin) = twin else {
                    comparison.only_in_new += 1;
                    continue;
                };
                let in_words = |refusal: Refusal| refusal.to_string();
                let one = sources.cell((1, place, cell), statistic).map_err(in_words)?;
                let other = sources.cell((0, earlier, twin), before).map_err(in_words)?;
                numbers.push((published.output.clone(), one, other));
            }
            comparison.only_in_old += before.cells.len().saturating_sub(numbers.len());
            Ok(numbers)
        });
        match numbers_compared {
            Ok(numbers) if numbers.is_empty() => {
                comparison
                    .refused
                    .push(NotCompared { statistic: name, reason: "the two have no cell in common".to_owned() });
            }
            Ok(numbers) => pairs.push((name, numbers)),
            Err(reason) => comparison.refused.push(NotCompared { statistic: name, reason }),
        }
    }
    // Statistics that only the old release has.
    for statistic in bundles[0].statistics.iter() {
        if bundles[1].statistics.named(&statistic.shape.name).is_err() {
            let (statistic, reason) = (statistic.shape.name.clone(), "only the old release has it".to_owned());
            comparison.refused.push(NotCompared { statistic, reason });
        }
    }
    // Error probability of one interval, and of each interval if all are to hold together.
    let miss = 1.0 - level;
    let atoms_of = |(_, one, other): &Twins| [one.raw.atoms(), other.raw.atoms()].concat();
    let all = miss_together(miss, pairs.iter().flat_map(|(_, numbers)| numbers.iter().map(atoms_of)), &sources);
    let misses = Misses { own: miss, all };
    // For each statistic, the difference and the relative change of every matched number, with their intervals.
    let mut made = Vec::new();
    for (name, numbers) in pairs {
        for kind in [FigureKind::Difference, FigureKind::Change] {
            let refused = |refusal| FiguresError::Refused { figure: name.clone(), refusal };
            let mut cells = Vec::with_capacity(numbers.len());
            for (output, one, other) in &numbers {
                let key = key_of(&bundles, one);
                let begun: Begun = match kind {
                    FigureKind::Change => {
                        quotient(&key, one.clone(), other.clone(), 100.0, -100.0, "percent").map_err(refused)?
                    }
                    _ => difference(&key, one.clone(), other.clone()),
                };
                let mut cell = finish(begun, misses, kind.neutral(), &sources, &mut solver).map_err(refused)?;
                cell.output.clone_from(output);
                // Counts the differences that are distinguished from no change, each alone and all together.
                if kind == FigureKind::Difference {
                    comparison.numbers += 1;
                    let is_told = |against: Option<Against>| {
                        usize::from(against.is_some_and(|against| against != Against::Untold))
                    };
                    comparison.told += is_told(cell.against);
                    comparison.told_together += is_told(cell.against_all);
                }
                cells.push(cell);
            }
            let entry = FigureEntry {
                name: name.clone(),
                label: None,
                kind: kind.to_string(),
                cells: cells.len(),
                level,
                joint: false,
                methods: methods(&cells),
                neutral: kind.neutral(),
            };
            made.push(MadeFigure { entry, cells });
        }
    }
    // Bound on the expected number of false positives if nothing changed.
    comparison.by_chance = miss * comparison.numbers as f64;
    if made.is_empty() {
        let reasons: Vec<String> =
            comparison.refused.iter().map(|one| format!("`{}`: {}", one.statistic, one.reason)).collect();
        return Err(FiguresError::NotComparable { reason: reasons.join("; ") });
    }
    let manifest = FiguresManifest { comparison: Some(comparison), ..FiguresManifest::new(&bundles, &made) };
    let (folder, manifest) = destination.commit(|partial| write(partial, manifest, &made))?;
    Ok(FiguresMade { folder, manifest, figures: made })
}

/// Name of a number within its cell, and the number in the new and in the old release.
type Twins = (String, Number, Number);

fn key_of(bundles: &[Published], number: &Number) -> crate::numbers::Key {
    let cell = number.made_of.as_ref().and_then(|cells| cells.keys().next());
    cell.map(|(bundle, statistic, cell)| bundles[*bundle].statistics.get(*statistic).cells[*cell].key.clone())
        .unwrap_or_default()
}

/// Checks that two releases count the same of the same kind of rows, with noise of their own.
fn comparable(old: &Published, new: &Published) -> Result<(), String> {
    if old.digest == new.digest {
        return Err("they are the same release".to_owned());
    }
    let (one, other) = (&old.manifest, &new.manifest);
    if !one.private && !other.private && one.rounding_seed == other.rounding_seed {
        return Err(
            "both were made from one seed, so that their noise is the same; give the releases seeds of their own"
                .to_owned(),
        );
    }
    let (before, after) = (&one.guarantee, &other.guarantee);
    let differs = |difference: &str, old: String, new: String| {
        Err(format!("{difference}: {old} in the old one, {new} in the new one"))
    };
    if before.privacy_unit != after.privacy_unit {
        return differs("they hide different units", before.privacy_unit.to_string(), after.privacy_unit.to_string());
    }
    let limits = |guarantee: &inbounds_bundle::GuaranteeEntry| {
        (guarantee.rows_per_unit, guarantee.groups_per_unit, guarantee.rows_per_group)
    };
    if limits(before) != limits(after) {
        let words = |limits: (u64, Option<u64>, Option<u64>)| format!("{limits:?}");
        return differs("other numbers of rows of one unit count", words(limits(before)), words(limits(after)));
    }
    if one.per_unit != other.per_unit {
        return Err("the rows of a unit were made into one in different ways (`per_unit`)".to_owned());
    }
    if one.rules != other.rules {
        let rule = other
            .rules
            .iter()
            .find(|rule| !one.rules.contains(rule))
            .or_else(|| one.rules.iter().find(|rule| !other.rules.contains(rule)));
        return Err(format!(
            "rows were treated by different rules: {}",
            rule.map_or("in another order", String::as_str)
        ));
    }
    Ok(())
}

/// Checks that two statistics are one number of different rows.
fn same_definition(old: &StatisticEntry, new: &StatisticEntry) -> Result<(), String> {
    let differs = |difference: &str, old: String, new: String| {
        Err(format!("{difference}: {old} in the old one, {new} in the new one"))
    };
    if old.kind != new.kind {
        return differs("another kind", old.kind.to_string(), new.kind.to_string());
    }
    if old.columns != new.columns {
        return differs("other columns", old.columns.join(", "), new.columns.join(", "));
    }
    if old.by != new.by || old.within != new.within {
        return differs("grouped by other columns", old.by.join(", "), new.by.join(", "));
    }
    if old.filter != new.filter {
        let words = |filter: &Option<String>| filter.clone().unwrap_or_else(|| "none".to_owned());
        return differs("another condition (`where`)", words(&old.filter), words(&new.filter));
    }
    if old.unit != new.unit {
        return differs("another unit", old.unit.to_string(), new.unit.to_string());
    }
    if old.missing != new.missing {
        return Err("rows without a number are treated in another way".to_owned());
    }
    if old.combination != new.combination {
        return Err("other weights".to_owned());
    }
    for (one, other) in old.clips.iter().zip(&new.clips) {
        // Bounds lie on the grid of each release, which is finer than any that matters.
        let near = 2.0 * one.grid_spacing.max(other.grid_spacing);
        if (one.lower - other.lower).abs() > near || (one.upper - other.upper).abs() > near {
            let words = |clip: &inbounds_bundle::ClipEntry| format!("{} to {}", clip.lower, clip.upper);
            return differs("clipped to other bounds", words(one), words(other));
        }
    }
    Ok(())
}
