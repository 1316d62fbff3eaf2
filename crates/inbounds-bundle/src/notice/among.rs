//! Estimates that stand side by side, and what bounds did to them.

use serde::{Deserialize, Serialize};

/// The estimates that a notice is of, which stand side by side.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Among {
    // Before those that have one of its fields.
    /// Those of a margin of the tables of a level, by the columns of the margin.
    MarginOfLevel {
        /// The level.
        level: String,
        /// The columns.
        margin: Vec<String>,
    },
    /// Those of a level of a hierarchy.
    Level {
        /// The level.
        level: String,
    },
    /// Those of a margin of a table, by its columns; of the total, if there are none.
    Margin {
        /// The columns.
        margin: Vec<String>,
    },
    /// Numbers that equations put side by side, as sums or as what these are sums of.
    Nodes {
        /// The first of them.
        node: String,
        /// Number of these nodes.
        nodes: usize,
    },
}

impl Among {
    /// They by name, with one of two verbs.
    fn and(&self, singular: &str, plural: &str) -> String {
        match self {
            Self::Level { level } => format!("Level `{level}` {singular}"),
            Self::Margin { margin } if margin.is_empty() => format!("The total {singular}"),
            Self::Margin { margin } => format!("Margin `{}` {singular}", margin.join(", ")),
            Self::MarginOfLevel { level, margin } if margin.is_empty() => {
                format!("The totals of level `{level}` {plural}")
            }
            Self::MarginOfLevel { level, margin } => {
                format!("Margin `{}` of level `{level}` {singular}", margin.join(", "))
            }
            Self::Nodes { node, nodes: 1 } => format!("`{node}` {singular}"),
            Self::Nodes { node, nodes } => format!("The {nodes} numbers such as `{node}` {plural}"),
        }
    }

    /// Sentence on its distance to the linear fit, in standard deviations of that fit.
    pub(super) fn drifted(&self, distance: f64, limit: f64, false_alarm: f64) -> String {
        let one = if matches!(self, Self::Nodes { nodes: 1, .. }) { "the" } else { "an" };
        let another = match self {
            Self::Margin { .. } => "in another margin",
            Self::MarginOfLevel { .. } => "at another level or in another margin",
            Self::Level { .. } | Self::Nodes { .. } => "at another level",
        };
        format!(
            "{} drifted: {one} estimate lies {distance:.1} standard deviations from the least-squares fit of all measurements \
             without bounds; were the estimates right, noise alone would exceed {limit:.1}, here or {another}, with \
             probability {:.1} % at most. Bounds of other numbers, or shrinking, have moved it: quote raw measurements instead.",
            self.and("has", "have"),
            100.0 * false_alarm
        )
    }

    /// Sentence on the ratio of their RMSE to that of the linear fit.
    pub(super) fn worse(&self, ratio: f64) -> String {
        format!(
            "{} made worse by bounds or by shrinking: in the simulations the RMSE there is {ratio:.2} times that of the least-squares fit of all \
             measurements without bounds. Rely on the intervals, which are those of that fit.",
            self.and("is", "are")
        )
    }
}
