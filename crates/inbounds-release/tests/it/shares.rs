//! Releases of rows that are elsewhere: every example plan gives the same bundle, byte for byte, from shares as from
//! its file, however rows are divided; and a release that cannot count its shares spends nothing.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::array::{ArrayRef, BooleanArray, RecordBatch, StringArray, UInt32Array};
use arrow::compute::{filter_record_batch, take_record_batch};
use inbounds_release::plan::Plan;
use inbounds_release::{
    MemoryRows, OpenedPlan, Part, PlanDraft, Randomness, ReleaseError, ShareError, ShareQuestion, Shares, Silent,
    UnitMemory, release,
};

fn plans() -> Vec<PathBuf> {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let folders = ["people", "registry"].map(|folder| examples.join(folder));
    let files = folders.iter().flat_map(|folder| fs::read_dir(folder).expect("examples"));
    let mut plans: Vec<PathBuf> = files.map(|file| file.expect("a file").path()).collect();
    plans.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    plans.sort();
    plans
}

/// The rows of a plan's CSV file, as texts, in an order of their own.
fn rows(plan: &Plan) -> RecordBatch {
    let mut reader = csv::Reader::from_path(plan.locate(&plan.data.path.value)).expect("a file");
    let names: Vec<String> = reader.headers().expect("a header").iter().map(str::to_owned).collect();
    let records: Vec<csv::StringRecord> = reader.records().collect::<Result<_, _>>().expect("records");
    let cells = |place: usize| -> ArrayRef {
        Arc::new(
            records
                .iter()
                .map(|record| Some(record[place].to_owned()).filter(|cell| !cell.is_empty()))
                .collect::<StringArray>(),
        )
    };
    let columns = names.iter().enumerate().map(|(place, name)| (name.clone(), cells(place), true));
    let batch = RecordBatch::try_from_iter_with_nullable(columns).expect("columns of one length");
    let count = u32::try_from(records.len()).expect("a small file");
    let step = (0..).map(|more| 7919 + more).find(|step| gcd(*step, count) == 1).expect("a number");
    let shuffled = UInt32Array::from_iter_values(
        (0..u64::from(count)).map(|row| (row * u64::from(step) % u64::from(count)) as u32),
    );
    take_record_batch(&batch, &shuffled).expect("rows that are there")
}

fn gcd(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// The plan of rows that are elsewhere.
fn elsewhere(path: &Path, rows: &RecordBatch) -> Plan {
    PlanDraft::read(path).finish(Some(MemoryRows::elsewhere(rows.schema()))).expect("a plan")
}

fn held(rows: &RecordBatch) -> MemoryRows {
    MemoryRows::new("rows", rows.schema(), std::slice::from_ref(rows)).expect("rows")
}

/// A number of parts, with all rows of a unit in one; without units rows are dealt out.
fn parts(question: &ShareQuestion, rows: &RecordBatch, parts: usize) -> Vec<RecordBatch> {
    let place: Vec<usize> = match question.unit() {
        Some(_) => {
            let groups = question.groups(&held(rows)).expect("groups");
            groups.into_iter().map(|group| group.map_or(0, usize::from) % parts).collect()
        }
        None => (0..rows.num_rows()).map(|row| row % parts).collect(),
    };
    let part = |part: usize| {
        let mine: BooleanArray = place.iter().map(|place| Some(*place == part)).collect();
        filter_record_batch(rows, &mine).expect("rows")
    };
    (0..parts).map(part).collect()
}

fn share(question: &ShareQuestion, rows: &RecordBatch, part: usize) -> Vec<u8> {
    let share = question.share(&held(rows), Part::Number(part as u64), &UnitMemory::default(), None);
    share.unwrap_or_else(|error| panic!("{error}")).into_bytes()
}

fn released(plan: &Plan, folder: &Path) -> Result<BTreeMap<String, Vec<u8>>, ReleaseError> {
    release(plan, folder, Randomness::Seeded(7), &Silent)?;
    let files = fs::read_dir(folder).expect("a bundle").map(|file| file.expect("a file").path());
    Ok(files
        .map(|path| (path.file_name().expect("a name").to_string_lossy().into(), fs::read(path).expect("bytes")))
        .collect())
}

#[test]
fn every_example_is_the_same_from_shares() {
    let room = tempfile::tempdir().expect("a folder");
    let mut with_units = 0;
    for path in plans() {
        let here = Plan::read(&path).unwrap_or_else(|errors| panic!("{errors}"));
        let expected = released(&here, &room.path().join("here")).unwrap_or_else(|error| panic!("{error}"));
        let rows = rows(&here);
        for number in [1, 2, 7] {
            let mut plan = elsewhere(&path, &rows);
            let question = OpenedPlan::question(&plan).expect("a question");
            with_units += usize::from(question.unit().is_some());
            let there = ShareQuestion::from_bytes(&question.to_bytes()).expect("a question");
            let mut shares = Shares::new(question);
            for (part, rows) in parts(&there, &rows, number).iter().enumerate().rev() {
                let share = share(&there, rows, part);
                assert!(shares.add(&share).expect("a share"));
                assert!(!shares.add(&share).expect("a share"), "it counts once");
            }
            plan.shares = Some(Arc::new(shares));
            let from_shares = released(&plan, &room.path().join("there")).unwrap_or_else(|error| panic!("{error}"));
            assert!(from_shares == expected, "{} in {number} parts", path.display());
            fs::remove_dir_all(room.path().join("there")).expect("a bundle");
        }
        fs::remove_dir_all(room.path().join("here")).expect("a bundle");
    }
    assert!(with_units >= 9, "units are among the examples");
}

#[test]
fn rows_that_are_elsewhere_are_released_from_their_own_shares_alone() {
    let room = tempfile::tempdir().expect("a folder");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/people/plan.toml");
    let rows = rows(&Plan::read(&path).expect("a plan"));
    let mut plan = elsewhere(&path, &rows);
    let none = released(&plan, &room.path().join("none")).expect_err("nobody has read them");
    assert!(none.to_string().contains("the rows of this plan are elsewhere"), "{none}");
    // Shares of one plan, for another.
    let question = OpenedPlan::question(&elsewhere(&path.with_file_name("by-age.toml"), &rows)).expect("a question");
    let mut shares = Shares::new(question.clone());
    shares.add(&share(&question, &rows, 0)).expect("a share");
    plan.shares = Some(Arc::new(shares));
    let other = released(&plan, &room.path().join("other"));
    assert!(matches!(other, Err(ReleaseError::Data(inbounds_data::DataError::Share(ShareError::NoAnswer)))));
    assert_eq!(fs::read_dir(room.path()).expect("a folder").count(), 0, "nothing is left of them");
}
