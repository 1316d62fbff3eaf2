//! Entries as text: JSON, with every number that a claim rests on as exact text.

use std::path::PathBuf;

use inbounds_core::{Approval, Named, Neighbours};
use inbounds_mechanisms::account::Cost;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::{
    Bundle, DataSet, Deed, Entry, LedgerUnit, Permanence, Request, Terms, Work,
    price_record::{ChargeRecord, CostRecord},
    unit_record::{self, AspectRecord},
};

/// Content of an entry before it has a number and a hash.
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
        /// Not there in schema 1, nor for what a program does.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        unit: Vec<AspectRecord>,
        /// Not there in schemas 1 and 2, nor without an approval.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        approval: Option<ApprovalRecord>,
    },
    Published {
        reservation: u64,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        manifest_sha256: Option<String>,
    },
    Voided {
        reservation: u64,
        reason: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        removed: Option<String>,
    },
    Recorded {
        cost: CostRecord,
        reason: String,
    },
    Named {
        name: String,
        reason: String,
    },
    SameUnit {
        unit: Vec<AspectRecord>,
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
    Rows(u64),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ApartRecord {
    entry: u64,
    column: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ApprovalRecord {
    sha256: String,
    approver: String,
    reason: String,
}

impl From<&Approval> for ApprovalRecord {
    fn from(approval: &Approval) -> Self {
        Self {
            sha256: approval.sha256().to_owned(),
            approver: approval.approver().to_owned(),
            reason: approval.reason().to_owned(),
        }
    }
}

impl ApprovalRecord {
    fn read(&self) -> Option<Approval> {
        Approval::new(&self.sha256, &self.approver, &self.reason).ok()
    }
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
                    LedgerUnit::Rows(rows) => UnitRecord::Rows(*rows),
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
                unit: unit_record::records(request.unit()),
                approval: request.approval.as_ref().map(ApprovalRecord::from),
            },
            Deed::Published { reservation, manifest_sha256 } => {
                Self::Published { reservation: *reservation, manifest_sha256: manifest_sha256.clone() }
            }
            Deed::Voided { reservation, reason, removed } => Self::Voided {
                reservation: *reservation,
                reason: reason.clone(),
                removed: removed.as_ref().map(|path| path.to_string_lossy().into_owned()),
            },
            Deed::Recorded { cost, reason } => Self::Recorded { cost: cost.into(), reason: reason.clone() },
            Deed::Named { name, reason } => Self::Named { name: name.clone(), reason: reason.clone() },
            Deed::SameUnit { unit, reason } => {
                Self::SameUnit { unit: unit_record::records(Some(unit)), reason: reason.clone() }
            }
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
                    UnitRecord::Rows(rows) => LedgerUnit::Rows(rows),
                },
                permanence: match rows {
                    PermanenceRecord::MayChange => Permanence::MayChange,
                    PermanenceRecord::Fixed => Permanence::Fixed,
                },
                neighbours: Neighbours::named(&neighbours)?,
                granted: granted.guarantee()?,
            }),
            Self::Reserved { title, plan_sha256, charges, apart, bundle, partial, unit, approval } => Deed::Reserved {
                request: Request {
                    title,
                    work: work(plan_sha256, bundle, partial, unit)?,
                    charges: charges.into_iter().map(ChargeRecord::read).collect::<Option<_>>()?,
                    approval: match approval {
                        Some(approval) => Some(approval.read()?),
                        None => None,
                    },
                },
                apart: apart.into_iter().map(|record| (record.entry, record.column)).collect(),
            },
            Self::Published { reservation, manifest_sha256 } => Deed::Published { reservation, manifest_sha256 },
            Self::Voided { reservation, reason, removed } => {
                Deed::Voided { reservation, reason, removed: removed.map(PathBuf::from) }
            }
            Self::Recorded { cost, reason } => Deed::Recorded { cost: cost.read()?, reason },
            Self::Named { name, reason } => Deed::Named { name, reason },
            Self::SameUnit { unit, reason } => Deed::SameUnit { unit: unit_record::reading(unit)??, reason },
        })
    }
}

/// Work that a reservation pays for; `None` where only a part of it is stated.
fn work(
    plan_sha256: Option<String>,
    bundle: Option<String>,
    partial: Option<String>,
    unit: Vec<AspectRecord>,
) -> Option<Work> {
    let unit = unit_record::reading(unit)?;
    match (plan_sha256, bundle, partial) {
        (Some(sha256), Some(folder), Some(partial)) => {
            Some(Work::Plan { sha256, bundle: Bundle { folder: folder.into(), partial: partial.into() }, unit })
        }
        (None, None, None) => unit.is_none().then_some(Work::Program),
        _ => None,
    }
}
