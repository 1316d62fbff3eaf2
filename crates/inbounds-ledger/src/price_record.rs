//! Prices as they stand in entries, and the rows on which they were spent: every number as exact text.

use inbounds_core::{Cells, Delta, Epsilon, Guarantee, Limit, Rational, Region, Rho, Span};
use inbounds_mechanisms::account::Cost;
use serde::{Deserialize, Serialize};

use crate::Charge;

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) enum CostRecord {
    Pure { epsilon: String },
    Approximate { epsilon: String, delta: String },
    ZeroConcentrated { rho: String },
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ChargeRecord {
    cost: CostRecord,
    /// All rows where there is no limit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    rows: Vec<LimitRecord>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LimitRecord {
    column: String,
    read: String,
    cells: CellsRecord,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum CellsRecord {
    Texts(Vec<String>),
    Numbers(Vec<String>),
}

impl From<&Cost> for CostRecord {
    fn from(cost: &Cost) -> Self {
        match cost {
            Cost::Pure { epsilon } => Self::Pure { epsilon: epsilon.to_string() },
            Cost::Approximate { epsilon, delta } => {
                Self::Approximate { epsilon: epsilon.to_string(), delta: delta.to_string() }
            }
            Cost::ZeroConcentrated { rho } => Self::ZeroConcentrated { rho: rho.to_string() },
        }
    }
}

impl CostRecord {
    pub(crate) fn read(self) -> Option<Cost> {
        // A price is never negative: it would give back what was spent.
        let number = |text: String| text.parse().ok().filter(|number| *number >= Rational::ZERO);
        Some(match self {
            Self::Pure { epsilon } => Cost::Pure { epsilon: number(epsilon)? },
            Self::Approximate { epsilon, delta } => {
                Cost::Approximate { epsilon: number(epsilon)?, delta: number(delta)? }
            }
            Self::ZeroConcentrated { rho } => Cost::ZeroConcentrated { rho: number(rho)? },
        })
    }

    pub(crate) fn guarantee(self) -> Option<Guarantee> {
        Some(match self.read()? {
            Cost::Pure { epsilon } => Guarantee::Pure { epsilon: Epsilon::new(epsilon).ok()? },
            Cost::Approximate { epsilon, delta } => {
                Guarantee::Approximate { epsilon: Epsilon::new(epsilon).ok()?, delta: Delta::new(delta).ok()? }
            }
            Cost::ZeroConcentrated { rho } => Guarantee::ZeroConcentrated { rho: Rho::new(rho).ok()? },
        })
    }
}

impl From<&Charge> for ChargeRecord {
    fn from(charge: &Charge) -> Self {
        let limit = |limit: &Limit| LimitRecord {
            column: limit.column.clone(),
            read: limit.read.clone(),
            cells: match &limit.cells {
                Cells::Texts(texts) => CellsRecord::Texts(texts.iter().cloned().collect()),
                Cells::Numbers(spans) => CellsRecord::Numbers(spans.iter().map(ToString::to_string).collect()),
            },
        };
        Self { cost: (&charge.cost).into(), rows: charge.rows.limits().iter().map(limit).collect() }
    }
}

impl ChargeRecord {
    pub(crate) fn read(self) -> Option<Charge> {
        let limit = |LimitRecord { column, read, cells }: LimitRecord| {
            let cells = match cells {
                CellsRecord::Texts(texts) => Cells::Texts(texts.into_iter().collect()),
                CellsRecord::Numbers(spans) => {
                    let spans: Option<Vec<Span>> = spans.iter().map(|span| span.parse().ok()).collect();
                    Cells::Numbers(spans?)
                }
            };
            Some(Limit { column, read, cells })
        };
        let limits: Option<Vec<Limit>> = self.rows.into_iter().map(limit).collect();
        Some(Charge { rows: Region::new(limits?), cost: self.cost.read()? })
    }
}
