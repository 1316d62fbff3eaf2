//! One known total of all nodes.

use inbounds_input::document::Spanned;

use super::{
    kind::{Constraint, Form, Kind, any},
    placing::Placing,
    reading::number,
};
use crate::{
    error::ReconcileError,
    projection::{Demand, Fit, Model, Row, Sense, Solver, Total},
};

pub(super) const KIND: Kind = Kind {
    key: "total",
    form: Form::Single,
    alone: None,
    read: |root, mistakes| {
        let help = "write the sum of all nodes, such as 100";
        any(root.optional(KIND.key, |item| Ok(KnownTotal(item.put(number(&item, help, mistakes)?)))))
    },
};

#[derive(Debug)]
struct KnownTotal(Spanned<f64>);

impl Constraint for KnownTotal {
    fn place(&self, placing: &mut Placing) -> Result<(), ReconcileError> {
        if placing.sheet.tree.has_parents() {
            let message = "`total` is the sum of all nodes, which says little where nodes have parents";
            placing.note(&self.0.span, message, "fix the root in [fixed], or write an [[equality]]");
        }
        placing.demand(Some(SumOfAll(self.0.value)), |entry| entry.total = Some(self.0.value));
        Ok(())
    }
}

/// The sum of all nodes, none of which has a parent.
struct SumOfAll(f64);

impl SumOfAll {
    fn row(&self, model: &Model) -> Row {
        let terms = (0..model.nodes() as u32).map(|node| (node, 1.0)).collect();
        Row::implied(terms, Sense::Equal, self.0, |row, _| ("total".to_owned(), format!("must be {}", row.side)))
    }
}

impl Demand for SumOfAll {
    fn rows(&self, model: &Model) -> Vec<Row> {
        vec![self.row(model)]
    }

    fn solver(&self, model: &Model, is_integer: bool, _: Fit) -> Option<Box<dyn Solver>> {
        Some(Box::new(Total::new(model, self.row(model), is_integer)?))
    }

    fn total(&self) -> Option<f64> {
        Some(self.0)
    }
}
