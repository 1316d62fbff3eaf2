//! Notices and warnings to read before the estimates are used.

use inbounds_bundle::{Notice, SolvedSystem};
use inbounds_project::table::TableQueries;

use super::Outcome;
use crate::{
    drift::{self, Remedy},
    options::Options,
    projection::{Ending, Errors, Fit},
    suspected_totals,
};

impl Outcome {
    /// Notices to read before the estimates are used.
    pub(super) fn notices(&self) -> Vec<Notice> {
        let outside = |&node: &usize| self.node(node).is_outside();
        let outside = match (0..self.model.nodes()).filter(outside).count() {
            0 => None,
            estimates => Some(Notice::OutsideInterval { estimates }),
        };
        let mut notices: Vec<Notice> = self.below_zero.iter().cloned().chain(self.reading()).collect();
        notices.extend(self.drift.iter().cloned().chain(outside));
        notices.sort_by_key(|notice| !notice.comes_first());
        notices
    }

    /// Notices about the reading of names and values of the input, where another reading gives other numbers.
    fn reading(&self) -> Vec<Notice> {
        let nodes = self.sheet.tree.namesakes();
        let mut notices: Vec<Notice> = (!nodes.is_empty()).then_some(Notice::SameName { nodes }).into_iter().collect();
        if let Some(cells) = &self.sheet.cells {
            // Slices of a nested table are not alike, and residuals do not add up.
            let comparable = !cells.is_nested() && cells.queries == TableQueries::Margins;
            notices.extend(
                comparable
                    .then(|| suspected_totals::suspects(cells, &cells.lattice(), &self.model))
                    .into_iter()
                    .flatten(),
            );
            let labels = cells.total_labels();
            notices.extend((!labels.is_empty()).then_some(Notice::TotalLabels { labels }));
        }
        notices
    }

    /// Warnings to heed before the estimates are used.
    pub(super) fn warnings(&self, options: &Options) -> Vec<String> {
        let fits = drift::Fits {
            model: &self.model,
            estimates: &self.solved.estimates,
            linear: &self.linear,
            variance: &self.variance,
            pooled: &self.pooled,
            groups: &self.groups,
        };
        // A consequence of nonnegativity is reported once.
        let apart = drift::apart(&fits, &self.sheet.measured)
            .filter(|notice| self.below_zero.is_none() || !notice.is_kept_from(&fits, 0.0));
        let mut warnings: Vec<String> =
            apart.map(|notice| drift::words(&self.sheet, &fits, notice, self.remedy(options))).into_iter().collect();
        warnings.extend(self.solver.warning());
        if self.solved.ending != Ending::Optimal {
            warnings.push("the solver stopped before its certificate held: see `solver.certificate`".to_owned());
        }
        if let Some(Errors { unsolved: unsolved @ 1.., .. }) = self.errors {
            warnings.push(format!(
                "in {unsolved} of the replicates the solver stopped before its certificate held: bias and RMSE include the \
                 numbers that it had reached"
            ));
        }
        warnings
    }

    /// Remedy for bounds that move coarse sums.
    fn remedy(&self, options: &Options) -> Remedy {
        match (options.fit, self.solver.method().system()) {
            (Some(Fit::Joint), _) => Remedy::LeaveOutJoint,
            (
                _,
                SolvedSystem::TopDownTree
                | SolvedSystem::TopDownTable
                | SolvedSystem::ShrunkTree
                | SolvedSystem::ShrunkTable,
            ) => Remedy::CheckBounds,
            _ => Remedy::FixSums,
        }
    }
}
