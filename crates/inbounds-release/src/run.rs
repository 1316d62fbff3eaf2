//! The release: rows, answers, measurements, estimates, bundle, in that order and never back.

use std::path::{Path, PathBuf};

use inbounds_bundle::{Destination, JointEntry, LeftOutEntry, Notice, ReleaseManifest, SharedNoiseEntry};
use inbounds_data::UnitMemory;
use inbounds_mechanisms::{
    mechanism::Measurements,
    sampler::{Entropy, SecureEntropy, SeededEntropy},
};
use inbounds_statistics::Design;

use crate::{
    Measured, OpenedPlan, ReleaseError, approval,
    bundle::{self, About},
    estimating,
    left_out::LeftOutRows,
    notices::{self, Known, RowsRead},
    payment::Payer,
    plan::Plan,
    progress::{Progress, Step},
    released::{Entered, Published, Randomness, Released, Run},
};

/// The noise of one run. Whether its bundle is private follows from what it is, and from nothing said beside it.
enum Noise {
    Secure(SecureEntropy),
    Seeded(SeededEntropy, u64),
}

impl Noise {
    fn open(randomness: Randomness) -> Result<Self, ReleaseError> {
        Ok(match randomness {
            Randomness::Secure => Self::Secure(SecureEntropy::from_os()?),
            Randomness::Seeded(seed) => Self::Seeded(SeededEntropy::from_seed(seed), seed),
        })
    }

    fn entropy(&mut self) -> &mut dyn Entropy {
        match self {
            Self::Secure(entropy) => entropy,
            Self::Seeded(entropy, _) => entropy,
        }
    }

    /// Source of the draws, once nothing more is drawn.
    fn drawn(self) -> Randomness {
        match self {
            Self::Secure(_) => Randomness::Secure,
            Self::Seeded(_, seed) => Randomness::Seeded(seed),
        }
    }
}

/// A finished release.
pub struct Release {
    /// Folder of the bundle.
    pub folder: PathBuf,
    /// Statistics in plan order.
    pub statistics: Vec<Released>,
    /// Content of `release.json`.
    pub manifest: ReleaseManifest,
    /// State of the ledger's entry for it.
    pub entered: Entered,
}

/// Releases a plan into a new folder.
///
/// All questions are answered before the first noise is drawn, and the bundle appears whole or not at all, so whatever
/// fails loses nothing and spends nothing, but for one thing: where the plan names a ledger, its price counts from the
/// first noise on. The same holds for a release that is [stopped](Progress::stop).
///
/// # Errors
/// [`ReleaseError`].
pub fn release(
    plan: &Plan,
    out: &Path,
    randomness: Randomness,
    progress: &dyn Progress,
) -> Result<Release, ReleaseError> {
    release_within(&UnitMemory::default(), plan, out, randomness, progress)
}

/// The same where the units of the rows may take no more than this much memory, which changes nothing of the bundle.
///
/// # Errors
/// [`ReleaseError`].
pub fn release_within(
    memory: &UnitMemory,
    plan: &Plan,
    out: &Path,
    randomness: Randomness,
    progress: &dyn Progress,
) -> Result<Release, ReleaseError> {
    plan.decided()?;
    let destination = Destination::claim(out)?;
    progress.begin(Step::Opening);
    let mut opened = OpenedPlan::new(plan)?;
    approval::hold(plan, &opened)?;
    opened.engine.limit_units(memory);
    let payer = Payer::ask(plan, &opened, &destination, randomness)?;
    let mut noise = Noise::open(randomness)?;
    progress.begin(Step::Reading { statistics: opened.tasks.len() });
    let exact = opened.answer(plan, progress.stop())?;
    // Whatever keeps a bundle from being begun must show before its price is spent.
    let begun = destination.begin()?;
    let mut payment = payer.reserve()?;
    progress.begin(Step::Measuring);
    let Measured { statistics, published, diagnostics, left_out, rounding_seed } =
        opened.measure(exact, noise.entropy());
    let diagnostics = opened.diagnostics.as_ref().zip(diagnostics);
    let tasks = opened.tasks.into_iter().zip(published).map(|(task, keys)| task.with_published(keys));
    let measured = tasks.zip(statistics).collect();
    let mut statistics = estimating::estimate_all(measured, rounding_seed, progress);
    let miss = notices::miss_of_statistic(statistics.len());
    let read = diagnostics.as_ref().and_then(|(asked, measured)| asked.rows_read(measured, miss));
    notice_rows(plan, &opened.design, read, &mut statistics);
    let left_out: Vec<(&LeftOutRows, Measurements)> = opened.left_out.iter().zip(left_out).collect();
    let left_out = notice_left_out(plan, &left_out, miss, &mut statistics);
    if let Some(to) = plan.round {
        statistics.iter_mut().for_each(|statistic| statistic.round(to));
    }
    statistics.iter_mut().for_each(notice_noise);
    for statistic in &mut statistics {
        let notices = notices::of_moments(plan, statistic);
        statistic.notices.extend(notices);
    }
    progress.begin(Step::Writing);
    let run = Run { randomness: noise.drawn(), rounding_seed };
    let diagnostics = diagnostics.map(|(asked, measured)| asked.entry(&measured));
    let published = Published { statistics: &statistics, diagnostics, left_out };
    let apart = opened.grants.apart(plan);
    let joint: Vec<JointEntry> = opened.joint.iter().map(|joint| joint.entry(plan)).collect();
    let (design, spent, granted) = (&opened.design, &opened.cost, opened.grants.granted());
    let wants = opened.wants.as_ref();
    let together: Vec<SharedNoiseEntry> = opened.together.iter().map(|shared| shared.entry(plan)).collect();
    let (apart, joint, together) = (apart.as_ref(), joint.as_slice(), together.as_slice());
    let chosen = opened.chosen.as_slice();
    let about = About { plan, design, granted, spent, apart, joint, together, chosen, wants, run };
    let written = bundle::write(begun, &about, published, &mut payment, || progress.is_stopped());
    let (folder, manifest, entered) = written.map_err(|error| payment.lost(error))?;
    Ok(Release { folder, statistics, manifest, entered })
}

/// Adds what shows in the numbers of rows of all statistics together.
fn notice_rows(plan: &Plan, design: &Design, read: Option<RowsRead>, statistics: &mut [Released]) {
    let expected = plan.data.expect_rows.as_ref().map(|expected| expected.value);
    let known = Known { public: design.rows, read, expected };
    let notices = notices::of_rows(plan, &known, statistics);
    statistics.iter_mut().zip(notices).for_each(|(statistic, notices)| statistic.notices.extend(notices));
}

/// Adds what shows of rows that are left out, at the first of the statistics that leave them out, in place of what
/// another statistic tells of them.
fn notice_left_out(
    plan: &Plan,
    measured: &[(&LeftOutRows, Measurements)],
    miss: f64,
    statistics: &mut [Released],
) -> Vec<LeftOutEntry> {
    let miss = miss / measured.len().max(1) as f64;
    let mut entries = Vec::new();
    for (asked, measured) in measured {
        let entry = asked.entry(plan, measured);
        // Answers of rows are no rows.
        let counts_rows = |place: &&usize| plan.set_of(&plan.statistics[**place]).is_none();
        let counting = asked.statistics.iter().filter(counts_rows);
        let counted = counting.filter_map(|place| notices::rows_counted(&statistics[*place], 0.25 * miss));
        // How wide an interval for noise is depends on no measurement, so the narrowest may be taken.
        let counted = counted.min_by(|a, b| a.width().total_cmp(&b.width()));
        let notices = asked.notices(&entry, measured, counted, miss);
        if !notices.is_empty() {
            for place in &asked.statistics {
                statistics[*place].notices.retain(|notice| !matches!(notice, Notice::RowsLost { .. }));
            }
            statistics[asked.statistics[0]].notices.extend(notices);
        }
        entries.push(entry);
    }
    entries
}

/// Adds what the noise leaves to see. That most estimates are lost in it is said only where nothing else explains them:
/// rows that are not there leave estimates of noise alone.
fn notice_noise(statistic: &mut Released) {
    let expected = notices::of_expected(&statistic.task, &statistic.expected);
    let lost = || notices::of_intervals(&statistic.task, &statistic.estimates);
    let notices = expected.or_else(|| if statistic.notices.is_empty() { lost() } else { None });
    statistic.notices.extend(notices);
    statistic.notices.extend(notices::of_cells(&statistic.task, &statistic.expected));
    statistic.notices.extend(notices::of_factor(&statistic.task));
}
