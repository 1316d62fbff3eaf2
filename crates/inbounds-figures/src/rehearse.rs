//! Figures of a plan before its release: the operands of every key are found among the numbers that there will be.

use std::ops::Range;

use crate::{
    FiguresError, FiguresFile, PlannedStatistic,
    evaluate::Composed,
    numbers::{Atoms, Statistics},
    operand::Sources,
};

impl FiguresFile {
    /// The figures that no release of these statistics could make, with their places. Operands are found as a release
    /// finds them; what only the values of measurements decide is no part of it.
    pub fn rehearse(&self, planned: Vec<PlannedStatistic>) -> Vec<(Range<usize>, FiguresError)> {
        let (atoms, statistics) = (Atoms::default(), Statistics::planned(planned));
        let sources = Sources::new(&atoms, vec![&statistics], &self.folder);
        let refused = |asked: &crate::file::Asked| {
            let read = asked.operands().try_for_each(|operand| sources.read(operand));
            let composed = read.and_then(|()| {
                let figure = || asked.name.clone();
                Composed::of_figure(asked, &sources)
                    .map_err(|refusal| FiguresError::Refused { figure: figure(), refusal })
            });
            Some((asked.span.clone(), composed.err()?))
        };
        self.figures.iter().filter_map(refused).collect()
    }
}
