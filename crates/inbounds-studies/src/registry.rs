//! One line per study.

use crate::{Paper, Study, fairness, holohan, liu, mcglinchey, zhu};

/// All studies, paper by paper.
pub fn all() -> impl Iterator<Item = &'static Study> {
    [liu::STUDIES, holohan::STUDIES, mcglinchey::STUDIES, zhu::STUDIES, fairness::STUDIES].into_iter().flatten()
}

/// The study of an id.
pub fn find(id: &str) -> Option<&'static Study> {
    all().find(|study| study.id == id)
}

/// The studies of a paper.
pub fn by_paper(paper: Paper) -> impl Iterator<Item = &'static Study> {
    all().filter(move |study| study.paper == paper)
}
