//! Sections about all statistics of a release together.

use inbounds_bundle::{DiagnosticsEntry, ReleaseManifest};

use super::words;
use crate::document::{Block, Section};

pub(super) fn guarantee(manifest: &ReleaseManifest) -> Section {
    let mut blocks = if manifest.private {
        vec![
            Block::Quote(words::quoted(&manifest.guarantee.words)),
            Block::Heading("In other words"),
            Block::Paragraph(words::guess(manifest)),
            Block::Paragraph(
                "This holds whatever they know or compute, now or later, and for everything that is derived from the numbers on \
                 this page."
                    .to_owned(),
            ),
        ]
    } else {
        vec![Block::Paragraph(
            "There is none. Anyone who knows the seed can draw the same noise again and subtract it. The numbers show what a \
             release from these rows would look like; the budget below is what it would cost."
                .to_owned(),
        )]
    };
    blocks.push(Block::Facts(words::facts(manifest)));
    blocks.extend(manifest.guarantee.wants.iter().map(|wants| Block::Paragraph(words::quoted(&wants.sentence()))));
    blocks.extend(manifest.guarantee.apart.iter().map(|apart| Block::Paragraph(words::quoted(&apart.sentence()))));
    blocks.extend(manifest.guarantee.joint.iter().map(|joint| Block::Paragraph(words::quoted(&joint.sentence()))));
    let together = manifest.guarantee.together.iter();
    blocks.extend(together.map(|shared| Block::Paragraph(words::quoted(&shared.sentence()))));
    blocks.extend(manifest.guarantee.chosen.iter().map(|chosen| Block::Paragraph(words::quoted(&chosen.sentence()))));
    blocks.extend(manifest.guarantee.ledger.iter().map(|ledger| Block::Paragraph(ledger.sentence())));
    blocks.extend(manifest.guarantee.notices.iter().map(|notice| Block::Paragraph(notice.sentence())));
    Section { id: "guarantee".to_owned(), title: "The guarantee".to_owned(), blocks }
}

/// Measurements of the rows themselves.
pub(super) fn diagnostics(entry: &DiagnosticsEntry) -> Section {
    let head = format!(
        "Noisy counts of how the rows were read, measured with epsilon {} of this release. Each count has its own Laplace \
         noise.",
        entry.epsilon
    );
    let blocks = vec![Block::Paragraph(head), Block::List(entry.sentences())];
    Section { id: "diagnostics".to_owned(), title: "The rows".to_owned(), blocks }
}

pub(super) fn caveats(manifest: &ReleaseManifest) -> Section {
    let mut items: Vec<String> = vec![
        "Bias, RMSE and intervals refer to the exact answer over the rows that were counted. They cover neither the effects of \
         the rules below nor errors in the data."
            .to_owned(),
        "Bias and RMSE “at most” are the largest over the answers in the interval. Where they are simulated they are those that \
         would hold if the answers equalled the estimates; the answers are private, and near an end of a range the errors can \
         differ much from that."
            .to_owned(),
        "For further computations take raw measurements where there are any: they are unbiased, and biases would add up."
            .to_owned(),
    ];
    items.extend(words::of_intervals(manifest));
    items.extend(manifest.private.then(|| manifest.guarantee.other_releases().sentence()));
    items.extend(manifest.rules.iter().map(|rule| words::quoted(rule)));
    Section { id: "caveats".to_owned(), title: "Caveats".to_owned(), blocks: vec![Block::List(items)] }
}
