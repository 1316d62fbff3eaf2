//! Rows with cells that must never show, in every format.

use std::{fs, io::Write, sync::Arc};

use flate2::{Compression, write::GzEncoder};
use inbounds_data::{
    arrow::{
        array::{ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, StringArray},
        ipc::writer::FileWriter,
    },
    parquet::arrow::ArrowWriter,
};

use crate::workbench::Workbench;

/// Cells of one person, none of which the plans list.
pub(super) struct Person {
    person: &'static str,
    region: &'static str,
    age: i64,
    income: f64,
    member: bool,
    day: &'static str,
}

/// What of [`CANARY`] would betray it, however it is spelled.
///
/// Numbers are so long that no digest and no noise holds them by chance.
pub(super) const TRACES: [&str; 6] = ["CANARY", "8675309173", "8,675,309", "918273645", "918,273,645", "2073-09-17"];

const CANARY: Person = Person {
    person: "CANARYperson",
    region: "CANARYregion",
    age: 8_675_309_173,
    income: 918_273_645.625,
    member: true,
    day: "2073-09-17",
};

/// Another person in their place.
const OTHER: Person =
    Person { person: "somebody", region: "hills", age: 33, income: 250.5, member: false, day: "1991-02-03" };

/// Who is among the rows.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Among {
    Canary,
    Other,
    Nobody,
}

/// A format of files with rows, and how a plan names it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Format {
    Csv,
    Gzip,
    JsonLines,
    Arrow,
    Parquet,
}

impl Format {
    pub(super) const ALL: [Self; 5] = [Self::Csv, Self::Gzip, Self::JsonLines, Self::Arrow, Self::Parquet];

    pub(super) fn file(self) -> &'static str {
        match self {
            Self::Csv => "people.csv",
            Self::Gzip => "people.csv.gz",
            Self::JsonLines => "people.jsonl",
            Self::Arrow => "people.arrow",
            Self::Parquet => "people.parquet",
        }
    }

    /// The bytes of a file with thirty persons and one more.
    pub(super) fn bytes(self, among: Among) -> Vec<u8> {
        let people = people(among);
        match self {
            Self::Csv => csv(&people).into_bytes(),
            Self::Gzip => {
                let mut writer = GzEncoder::new(Vec::new(), Compression::fast());
                writer.write_all(csv(&people).as_bytes()).expect("compresses");
                writer.finish().expect("compresses")
            }
            Self::JsonLines => people.iter().map(json).collect::<String>().into_bytes(),
            Self::Arrow => {
                let batch = batch(&people);
                let mut writer = FileWriter::try_new(Vec::new(), &batch.schema()).expect("a schema");
                writer.write(&batch).expect("writes");
                writer.into_inner().expect("ends")
            }
            Self::Parquet => {
                let batch = batch(&people);
                let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), None).expect("a schema");
                writer.write(&batch).expect("writes");
                writer.into_inner().expect("ends")
            }
        }
    }

    /// Files that are damaged beside the canary, or in it.
    pub(super) fn damaged(self) -> Vec<Vec<u8>> {
        let intact = self.bytes(Among::Canary);
        let with = |more: &[u8]| [&intact[..], more].concat();
        let cut = intact[..intact.len() * 2 / 3].to_vec();
        match self {
            Self::Csv => vec![
                with(b"CANARYperson,CANARYregion\n"),
                with(b"CANARYperson,CANARYregion,8675309173,918273645.625,true,2073-09-17,8675309173\n"),
                with(b"\"CANARYperson,8675309173\n"),
                with(b"CANARYperson,\xffCANARY,8675309173,918273645.625,true,2073-09-17\n"),
                with(b"a\"CANARY\"b,\"x\"CANARY,1,1,1,1\n"),
            ],
            Self::JsonLines => vec![
                with(b"{\"person\":\"CANARY\n"),
                with(b"[\"CANARY\",8675309173]\n"),
                with(b"{\"age\":NaN,\"person\":\"CANARY\"}\n"),
                with(b"{\"person\":\"CANARY\\ud800 \xff\"}\n"),
                cut,
            ],
            Self::Gzip => vec![cut, with(b"CANARY8675309173")],
            Self::Arrow | Self::Parquet => {
                let mut spoilt = intact.clone();
                let middle = intact.len() / 3;
                spoilt[middle..middle + intact.len() / 3].fill(0x5a);
                vec![cut, spoilt, with(b"CANARY8675309173")]
            }
        }
    }

    pub(super) fn write(self, bench: &Workbench, bytes: &[u8]) {
        fs::write(bench.path(self.file()), bytes).expect("writes");
    }
}

fn people(among: Among) -> Vec<Person> {
    let usual = (0..30_i64).map(|place| Person {
        person: ["ada", "bob", "cem"][place as usize % 3],
        region: ["coast", "hills"][place as usize % 2],
        age: 20 + place,
        income: 100.0 + place as f64,
        member: place % 4 == 0,
        day: "1990-01-01",
    });
    let more = match among {
        Among::Canary => Some(CANARY),
        Among::Other => Some(OTHER),
        Among::Nobody => None,
    };
    more.into_iter().chain(usual).collect()
}

fn csv(people: &[Person]) -> String {
    let line = |Person { person, region, age, income, member, day }: &Person| {
        format!("{person},{region},{age},{income},{member},{day}\n")
    };
    let lines: String = people.iter().map(line).collect();
    format!("person,region,age,income,member,day\n{lines}")
}

fn json(Person { person, region, age, income, member, day }: &Person) -> String {
    format!(
        "{{\"person\":\"{person}\",\"region\":\"{region}\",\"age\":{age},\"income\":{income},\"member\":{member},\"day\":\"{day}\"}}\n"
    )
}

fn batch(people: &[Person]) -> RecordBatch {
    let texts =
        |field: fn(&Person) -> &str| Arc::new(StringArray::from_iter_values(people.iter().map(field))) as ArrayRef;
    let columns = [
        ("person", texts(|one| one.person)),
        ("region", texts(|one| one.region)),
        ("age", Arc::new(Int64Array::from_iter_values(people.iter().map(|one| one.age))) as ArrayRef),
        ("income", Arc::new(Float64Array::from_iter_values(people.iter().map(|one| one.income))) as ArrayRef),
        ("member", Arc::new(BooleanArray::from_iter(people.iter().map(|one| Some(one.member)))) as ArrayRef),
        ("day", texts(|one| one.day)),
    ];
    RecordBatch::try_from_iter(columns).expect("columns of one length")
}
