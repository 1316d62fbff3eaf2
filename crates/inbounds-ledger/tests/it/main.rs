//! A ledger as programs use it.

mod account;
mod damage;
mod spending;
mod units;

use std::path::{Path, PathBuf};

use inbounds_core::{Cells, Epsilon, Guarantee, Limit, Neighbours, Rational, Region};
use inbounds_ledger::{
    Bundle, Charge, DataSet, Ledger, LedgerError, LedgerUnit, Paid, Permanence, Request, Reservation, Terms, Work,
};
use inbounds_mechanisms::account::Cost;
use tempfile::TempDir;

fn number(text: &str) -> Rational {
    text.parse().expect("number")
}

fn pure(epsilon: &str) -> Guarantee {
    Guarantee::Pure { epsilon: Epsilon::new(number(epsilon)).expect("positive") }
}

fn terms(epsilon: &str) -> Terms {
    let data = DataSet::Name("stays".into());
    Terms {
        data,
        unit: LedgerUnit::Row,
        neighbours: Neighbours::AddRemove,
        permanence: Permanence::Fixed,
        granted: pure(epsilon),
    }
}

fn request(folder: &Path, name: &str, epsilon: &str, ages: Option<&str>) -> Request {
    let limit = |span: &str| Limit {
        column: "age".into(),
        read: "integer".into(),
        cells: Cells::Numbers(vec![span.parse().expect("a span")]),
    };
    let rows = Region::new(ages.map(limit).into_iter().collect());
    Request {
        title: None,
        work: Work::Plan {
            sha256: "0".repeat(64),
            bundle: Bundle { folder: folder.join(name), partial: folder.join(format!(".{name}.partial-1")) },
            unit: None,
        },
        charges: vec![Charge { rows, cost: Cost::Pure { epsilon: number(epsilon) } }],
        approval: None,
    }
}

fn new(epsilon: &str) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("stays.ledger");
    Ledger::create(&path, terms(epsilon), "ada").expect("creates");
    (folder, path)
}

fn reserve(path: &Path, name: &str, epsilon: &str) -> Result<Reservation, LedgerError> {
    let folder = path.parent().expect("a folder");
    Ledger::open(path)?.reserve(request(folder, name, epsilon, None), Some(&number(epsilon)), "ada")
}

fn left(path: &Path) -> String {
    Ledger::open(path).expect("opens").history().expect("reads").balance().left().to_string()
}

fn nothing(_: &Path) -> Option<Paid> {
    None
}
