//! Tests that nothing but measurements is published. Whole releases of tables with the same exact answers, by the same
//! seed, must be the same bundle to the last byte; and the same noise must be drawn for any rows.

use std::{collections::BTreeMap, fs, path::Path};

use inbounds_mechanisms::sampler::{Entropy, SeededEntropy};
use inbounds_release::{Randomness, Silent, release};

use crate::{
    AuditError, Options,
    draw::Draw,
    finding::{Example, Finding},
    search::{Known, Searched},
    subject::{Subject, noisy},
    table::Side,
};

/// Pairs of which the noise is compared.
const PAIRS: usize = 40;

/// Comparisons of bundles, and their findings.
#[derive(Default)]
pub(crate) struct Compared {
    /// Pairs of bundles.
    pub(crate) bundles: usize,
    pub(crate) findings: Vec<Finding>,
}

/// Compares bundles, noise and seeds.
pub(crate) fn compare(subject: &Subject, searched: &Searched, options: &Options) -> Result<Compared, AuditError> {
    let mut compared = Compared::default();
    let mut seeds = Draw::from_seed(options.seed ^ COMPARING);
    for known in &searched.alike {
        let seed = seeds.word();
        let [left, right] = [bundle(subject, known, Side::Left, seed)?, bundle(subject, known, Side::Right, seed)?];
        compared.bundles += 1;
        let differs = left.iter().find(|(name, bytes)| right.get(*name) != Some(bytes)).map(|(name, _)| name.clone());
        let more = || right.keys().find(|name| !left.contains_key(*name)).cloned();
        if let Some(file) = differs.or_else(more) {
            compared.findings.push(Finding::Published { file, example: Example::new(subject, &known.pair) });
            break;
        }
    }
    let pairs = searched.worst.iter().flatten().chain(searched.losing.iter().flatten().map(|(_, known)| known));
    for known in pairs.take(PAIRS) {
        compared.noise(subject, known, seeds.word());
    }
    Ok(compared)
}

/// So that comparing has seeds of its own.
const COMPARING: u64 = 0x0043_4f4d_5041_5245;

/// The files of the bundle of one table, or the words of its refusal.
fn bundle(subject: &Subject, known: &Known, side: Side, seed: u64) -> Result<BTreeMap<String, Vec<u8>>, AuditError> {
    let mut plan = subject.plan_of(&known.pair.table(side))?;
    plan.counts_left_out = false;
    let out = subject.folder("bundle");
    let mut files = BTreeMap::new();
    if let Err(error) = release(&plan, &out, Randomness::Seeded(seed), &Silent) {
        files.insert("the words of a refusal".to_owned(), error.to_string().into_bytes());
        return Ok(files);
    }
    let unread = |path: &Path| {
        let path = path.to_owned();
        move |source| AuditError::Unwritten { path, source }
    };
    for entry in fs::read_dir(&out).map_err(unread(&out))? {
        let path = entry.map_err(unread(&out))?.path();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        files.insert(name, fs::read(&path).map_err(unread(&path))?);
    }
    fs::remove_dir_all(&out).map_err(unread(&out))?;
    Ok(files)
}

/// A seeded source that remembers what it gave.
struct Remembering {
    source: SeededEntropy,
    words: Vec<u64>,
}

impl Entropy for Remembering {
    fn word(&mut self) -> u64 {
        let word = self.source.word();
        self.words.push(word);
        word
    }

    fn fill(&mut self, words: &mut [u64]) {
        self.source.fill(words);
        self.words.extend_from_slice(words);
    }
}

impl Compared {
    /// By one seed, added noise is the same for both tables; and what seeds the rounding drew no noise.
    fn noise(&mut self, subject: &Subject, known: &Known, seed: u64) {
        let measure = |side: usize| {
            let mut entropy = Remembering { source: SeededEntropy::from_seed(seed), words: Vec::new() };
            let measured = subject.measure(&known.exact[side], &mut entropy);
            (noisy(subject, &measured, &known.exact[side]), measured.rounding_seed, entropy.words)
        };
        let [(left, published, words), (right, ..)] = [measure(0), measure(1)];
        // The seed is the last word but for those of the rows that are left out.
        let mut entropy = Remembering { source: SeededEntropy::from_seed(seed), words: Vec::new() };
        subject.measure_statistics(&known.exact[0], &mut entropy);
        let place = entropy.words.len().saturating_sub(1);
        let is_noise = |(index, word): (usize, &u64)| index != place && *word == published;
        if words.iter().enumerate().any(is_noise) && !self.findings.contains(&Finding::Seed) {
            self.findings.push(Finding::Seed);
        }
        // Conditioned noise depends on where the answer lies, and with it the words that are left for others.
        let additive = subject.vectors.iter().take_while(|vector| vector.mechanism.adds_noise());
        for (place, vector) in additive.enumerate() {
            let noise = |noisy: &[i128], exact: &[i128]| -> Vec<i128> {
                noisy.iter().zip(exact).map(|(noisy, exact)| noisy - exact).collect()
            };
            let same = noise(&left[place], &known.exact[0][place]) == noise(&right[place], &known.exact[1][place]);
            let statistic = subject.name_of(vector.statistic);
            let finding = Finding::NoiseOfRows { statistic };
            if !same && !self.findings.contains(&finding) {
                self.findings.push(finding);
            }
        }
    }
}
