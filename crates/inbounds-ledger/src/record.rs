//! Entries as text: JSON, with every number that a claim rests on as exact text.

use inbounds_core::{Cells, Delta, Epsilon, Guarantee, Limit, Named, Neighbours, Rational, Region, Rho, Span};
use inbounds_mechanisms::account::Cost;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::{Bundle, Charge, DataSet, Deed, Entry, LedgerUnit, Permanence, Request, Terms, Work};

/// What an entry says before it has a number and a hash.
pub(crate) struct Draft<'a> {
    pub(crate) at: &'a str,
    pub(crate) by: &'a str,
    pub(crate) deed: &'a Deed,
}

/// The text of an entry that follows the one with the hash `previous`.
pub(crate) fn text(number: u64, previous: &str, draft: &Draft) -> String {
    let record = EntryRecord {
        number,
        previous: previous.to_owned(),
        at: draft.at.to_owned(),
        by: draft.by.to_owned(),
        program: concat!("inbounds ", env!("CARGO_PKG_VERSION")).to_owned(),
        deed: draft.deed.into(),
    };
    serde_json::to_string(&record).expect("strings, numbers and lists serialise")
}

/// The entry that a text is, with the hash of the one before that it names; `None` where it is no entry of this schema.
pub(crate) fn entry(text: &str) -> Option<(Entry, String)> {
    let record: EntryRecord = serde_json::from_str(text).ok()?;
    let EntryRecord { number, previous, at, by, program, deed } = record;
    Some((Entry { number, hash: hash(text), at, by, program, deed: deed.read()? }, previous))
}

/// SHA-256 in lower-case hexadecimal.
pub(crate) fn hash(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct EntryRecord {
    number: u64,
    previous: String,
    at: String,
    by: String,
    program: String,
    deed: DeedRecord,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
enum DeedRecord {
    Opened {
        data: DataRecord,
        rows: PermanenceRecord,
        unit: UnitRecord,
        neighbours: String,
        granted: CostRecord,
    },
    Reserved {
        title: Option<String>,
        /// This, `bundle` and `partial` are there for a plan, and for nothing else.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        plan_sha256: Option<String>,
        charges: Vec<ChargeRecord>,
        apart: Vec<ApartRecord>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        bundle: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        partial: Option<String>,
    },
    Published {
        reservation: u64,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        manifest_sha256: Option<String>,
    },
    Voided {
        reservation: u64,
        reason: String,
    },
    Recorded {
        cost: CostRecord,
        reason: String,
    },
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum DataRecord {
    Path(String),
    Name(String),
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum PermanenceRecord {
    MayChange,
    Fixed,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum UnitRecord {
    Row,
    Column(String),
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
enum CostRecord {
    Pure { epsilon: String },
    Approximate { epsilon: String, delta: String },
    ZeroConcentrated { rho: String },
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ChargeRecord {
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

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ApartRecord {
    entry: u64,
    column: String,
}

impl From<&Deed> for DeedRecord {
    fn from(deed: &Deed) -> Self {
        match deed {
            Deed::Opened(terms) => Self::Opened {
                data: match &terms.data {
                    DataSet::Path(path) => DataRecord::Path(path.to_string_lossy().into_owned()),
                    DataSet::Name(name) => DataRecord::Name(name.clone()),
                },
                rows: match terms.permanence {
                    Permanence::MayChange => PermanenceRecord::MayChange,
                    Permanence::Fixed => PermanenceRecord::Fixed,
                },
                unit: match &terms.unit {
                    LedgerUnit::Row => UnitRecord::Row,
                    LedgerUnit::Column(column) => UnitRecord::Column(column.clone()),
                },
                neighbours: terms.neighbours.name().to_owned(),
                granted: CostRecord::from(&Cost::from(&terms.granted)),
            },
            Deed::Reserved { request, apart } => Self::Reserved {
                title: request.title.clone(),
                plan_sha256: request.plan_sha256().map(str::to_owned),
                charges: request.charges.iter().map(ChargeRecord::from).collect(),
                apart: apart
                    .iter()
                    .map(|(entry, column)| ApartRecord { entry: *entry, column: column.clone() })
                    .collect(),
                bundle: request.bundle().map(|bundle| bundle.folder.to_string_lossy().into_owned()),
                partial: request.bundle().map(|bundle| bundle.partial.to_string_lossy().into_owned()),
            },
            Deed::Published { reservation, manifest_sha256 } => {
                Self::Published { reservation: *reservation, manifest_sha256: manifest_sha256.clone() }
            }
            Deed::Voided { reservation, reason } => Self::Voided { reservation: *reservation, reason: reason.clone() },
            Deed::Recorded { cost, reason } => Self::Recorded { cost: cost.into(), reason: reason.clone() },
        }
    }
}

impl DeedRecord {
    fn read(self) -> Option<Deed> {
        Some(match self {
            Self::Opened { data, rows, unit, neighbours, granted } => Deed::Opened(Terms {
                data: match data {
                    DataRecord::Path(path) => DataSet::Path(path.into()),
                    DataRecord::Name(name) => DataSet::Name(name),
                },
                unit: match unit {
                    UnitRecord::Row => LedgerUnit::Row,
                    UnitRecord::Column(column) => LedgerUnit::Column(column),
                },
                permanence: match rows {
                    PermanenceRecord::MayChange => Permanence::MayChange,
                    PermanenceRecord::Fixed => Permanence::Fixed,
                },
                neighbours: Neighbours::named(&neighbours)?,
                granted: granted.guarantee()?,
            }),
            Self::Reserved { title, plan_sha256, charges, apart, bundle, partial } => Deed::Reserved {
                request: Request {
                    title,
                    work: work(plan_sha256, bundle, partial)?,
                    charges: charges.into_iter().map(ChargeRecord::read).collect::<Option<_>>()?,
                },
                apart: apart.into_iter().map(|record| (record.entry, record.column)).collect(),
            },
            Self::Published { reservation, manifest_sha256 } => Deed::Published { reservation, manifest_sha256 },
            Self::Voided { reservation, reason } => Deed::Voided { reservation, reason },
            Self::Recorded { cost, reason } => Deed::Recorded { cost: cost.read()?, reason },
        })
    }
}

/// What a reservation pays for; `None` where only a part of it is said.
fn work(plan_sha256: Option<String>, bundle: Option<String>, partial: Option<String>) -> Option<Work> {
    match (plan_sha256, bundle, partial) {
        (Some(sha256), Some(folder), Some(partial)) => {
            Some(Work::Plan { sha256, bundle: Bundle { folder: folder.into(), partial: partial.into() } })
        }
        (None, None, None) => Some(Work::Program),
        _ => None,
    }
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
    fn read(self) -> Option<Cost> {
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

    fn guarantee(self) -> Option<Guarantee> {
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
    fn read(self) -> Option<Charge> {
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
