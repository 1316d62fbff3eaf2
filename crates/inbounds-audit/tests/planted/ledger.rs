//! Defects of a ledger. An audit attacks one release, and has no ledger: what such a defect would let pass is tried
//! here, in a folder of its own.

use std::{fs, path::Path};

use inbounds_core::{Epsilon, Guarantee, Neighbours, Rational, Region};
use inbounds_ledger::{
    Bundle, Charge, DataSet, Ledger, LedgerError, LedgerUnit, Mismatch, Permanence, Request, Terms, Work,
};
use inbounds_mechanisms::account::Cost;
use inbounds_release::{Randomness, ReleaseError, Silent, plan::Plan, release};

/// Households of persons, by a lookup.
const HOUSEHOLDS: &str = r#"
    data.path = "rows.csv"
    privacy.unit = { column = "home", max_rows = 1 }
    privacy.neighbours = "add-remove"
    privacy.epsilon = 1
    privacy.ledger = "rows.ledger"
    columns.person = { type = "text" }
    columns.home = { from = "person", lookup = "homes.csv", others = "alone" }
    statistic = [{ name = "rows", kind = "count" }]
"#;

fn create(folder: &Path, unit: LedgerUnit, data: DataSet) -> Ledger {
    let granted = Guarantee::Pure { epsilon: Epsilon::new(Rational::from(2_u128)).expect("positive") };
    let (neighbours, permanence) = (Neighbours::AddRemove, Permanence::MayChange);
    let terms = Terms { data, unit, neighbours, permanence, granted };
    Ledger::create(&folder.join("rows.ledger"), terms, "a test").expect("creates")
}

/// One household of many persons in the first plan, a household a person in the second: what a ledger lets the first
/// lose, if it pays for both.
pub(crate) fn another_unit_is_paid() -> Option<String> {
    let folder = tempfile::tempdir().expect("folder");
    let write = |name: &str, lines: &dyn Fn(u32) -> String| {
        let lines: String = (0..20).map(lines).collect();
        fs::write(folder.path().join(name), lines).expect("writes");
    };
    write("rows.csv", &|row| if row == 0 { "person\np0\n".into() } else { format!("p{row}\n") });
    write("homes.csv", &|row| if row == 0 { "person,home\np0,one\n".into() } else { format!("p{row},one\n") });
    write("own.csv", &|row| if row == 0 { "person,home\np0,p0\n".into() } else { format!("p{row},p{row}\n") });
    create(folder.path(), LedgerUnit::Column("home".into()), DataSet::at(&folder.path().join("rows.csv")));
    let released = |text: &str, out: &str| {
        let plan = Plan::parse(text, folder.path()).expect("a plan");
        release(&plan, &folder.path().join(out), Randomness::Secure, &Silent)
    };
    released(HOUSEHOLDS, "first").expect("the first is paid");
    match released(&HOUSEHOLDS.replace("homes.csv", "own.csv"), "second") {
        Err(ReleaseError::Ledger(LedgerError::Mismatch(Mismatch::Reading { .. }))) => None,
        Err(error) => panic!("refused for another reason: {error}"),
        Ok(_) => {
            Some("the ledger paid epsilon = 1 for a release in which the household of 20 persons loses 20".to_owned())
        }
    }
}

/// A run that died with its numbers in its folder, and whose price is then given back.
pub(crate) fn numbers_outlive_their_price() -> Option<String> {
    let folder = tempfile::tempdir().expect("folder");
    let mut ledger = create(folder.path(), LedgerUnit::Row, DataSet::Name("rows".into()));
    let partial = folder.path().join(".out.partial-1");
    let bundle = Bundle { folder: folder.path().join("out"), partial: partial.clone() };
    let cost = Cost::Pure { epsilon: Rational::ONE };
    let request = Request {
        title: None,
        work: Work::Plan { sha256: "0".repeat(64), bundle, unit: None },
        charges: vec![Charge { rows: Region::default(), cost }],
        approval: None,
    };
    let opened = Ledger::open(ledger.path()).expect("opens");
    let entry = opened.reserve(request, None, "a test").expect("affordable").entry().number;
    fs::create_dir(&partial).expect("creates");
    fs::write(partial.join("measurements.csv"), "name,value\nrows,17\n").expect("writes");
    ledger.void(entry, "a test", &|_| None, "a test").expect("the run is dead");
    fs::read_to_string(partial.join("measurements.csv"))
        .is_ok()
        .then(|| "the price was given back, and the noisy numbers can be read".to_owned())
}
