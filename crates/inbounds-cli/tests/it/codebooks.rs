//! Codebooks of the kinds that people have, from `plan init` to `check`.

use std::{fs, path::Path};

use crate::workbench::Workbench;

/// A codebook, its format as documents call it, and a column to count by.
const CODEBOOKS: [(&str, &str, &str, &str); 10] = [
    ("nhanes-demo-j", "codebook.csv", "table", "RIAGENDR"),
    ("ess-nesstar", "codebook.xml", "DDI, Nesstar", "gndr"),
    ("dhs-ir-nada", "codebook.xml", "DDI, NADA", "v025"),
    ("eu-lfs", "codebook.csv", "table", "ILOSTAT"),
    ("redcap-longitudinal", "codebook.csv", "REDCap", "sex"),
    ("frictionless-camtrap-dp", "codebook.json", "Table Schema", "observationType"),
    ("frictionless-dermatology", "codebook.json", "data package", "class"),
    ("csvw-hes-apc", "codebook.json", "CSV on the Web", "ADMIMETH"),
    ("geih-nada", "codebook.xml", "DDI, NADA", "P6160"),
    ("dataverse-dct", "codebook.xml", "DDI, Dataverse", "Geschlecht"),
];

/// Sentences about what is not taken, by their beginning, and the word for them in the table.
const REFUSED: [(&str, &str); 9] = [
    ("# minimum and maximum of the codebook were taken from the rows", "observed"),
    ("# the codebook has a valid range", "observed"),
    ("# the codebook lists values without labels", "observed"),
    ("# codes beside numbers", "codes beside numbers"),
    ("# missing? Then list", "looks missing"),
    ("# the codebook calls the type", "type"),
    ("# values of the codebook are not taken", "values"),
    ("# free text", "free text"),
    ("# the codebook says that it identifies people", "identifies"),
];

/// What the plan does not take of a codebook is a comment that says why.
#[test]
fn nothing_of_a_codebook_vanishes() {
    let bench = Workbench::new();
    fs::remove_file(bench.path("plan.toml")).expect("the usual plan");
    bench.write("people.csv", "id,smoke,free\n1,1,a\n");
    bench.write(
        "cb.csv",
        "variable,type,min,max,values,missing\nid,integer,,,,\nsmoke,boolean,,,1=smokes|0=does not,8\n\
         free,memo,,,a=one|b=two,\nghost,integer,0,1,,\n",
    );
    let said = bench.run(&[
        "plan",
        "init",
        "people.csv",
        "--codebook",
        "cb.csv",
        "--unit",
        "row",
        "--epsilon",
        "1",
        "--count-by",
        "smoke",
    ]);
    assert_eq!(said.code, 0, "{}", said.err);
    let plan = fs::read_to_string(bench.path("plan.toml")).expect("a plan");
    for line in [
        "# It describes 1 of 4 variables that the data do not have: ghost.\n",
        "labels = { true = \"smokes\", false = \"does not\" }   # cb.csv\n",
        "values = [true, false]\n",
        "type = \"text\"   # by the values or bounds in cb.csv\n",
        "# the codebook calls the type `memo`, which no column of a plan has\n",
    ] {
        assert!(plan.contains(line), "{line}\n{plan}");
    }
    let checked = bench.run(&["check", "plan.toml"]);
    assert_eq!(checked.code, 0, "{}", checked.err);
}

/// A codebook leaves at most two questions about columns, and the plan can be checked once these are answered.
#[test]
fn ten_codebooks_make_plans_with_few_questions() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/codebooks");
    let documented = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/from-file.md");
    let documented = fs::read_to_string(documented).expect("the document");
    let mut rows = Vec::new();
    for (name, file, format, by) in CODEBOOKS {
        let bench = Workbench::new();
        fs::remove_file(bench.path("plan.toml")).expect("the usual plan");
        for file in [file, "data.csv"] {
            fs::copy(data.join(name).join(file), bench.path(file)).expect("a file");
        }
        let said = bench.run(&[
            "plan",
            "init",
            "data.csv",
            "--codebook",
            file,
            "--unit",
            "row",
            "--epsilon",
            "1",
            "--count-by",
            by,
        ]);
        assert_eq!(said.code, 0, "{name}: {}", said.err);
        let plan = fs::read_to_string(bench.path("plan.toml")).expect("a plan");
        let columns = &plan[plan.find("\n[columns").expect("a column")..];
        let taken = |key: &str| {
            let begin = format!("{key} = ");
            columns.lines().filter(|line| line.starts_with(&begin) && line.ends_with(&format!("# {file}"))).count()
        };
        let mut refused: Vec<String> = Vec::new();
        for (place, (_, word)) in REFUSED.iter().enumerate() {
            let is_first = REFUSED.iter().position(|(_, known)| known == word) == Some(place);
            let begins = |line: &str| REFUSED.iter().any(|(begin, known)| known == word && line.starts_with(begin));
            let count = columns.lines().filter(|line| begins(line)).count();
            if is_first && count > 0 {
                refused.push(format!("{word} {count}"));
            }
        }
        let questions = columns.lines().filter(|line| line.contains("(?)")).count();
        // What is asked is answered with anything that is of the type.
        let answered: String = plan
            .lines()
            .map(|line| match line.strip_prefix("# values = [").filter(|_| line.contains("(?)")) {
                Some(rest) if rest.starts_with('"') => "values = [\"a\", \"b\"]\n".to_owned(),
                Some(_) => "values = [1, 2]\n".to_owned(),
                None => format!("{line}\n"),
            })
            .collect();
        bench.write("plan.toml", answered);
        let checked = bench.run(&["check", "plan.toml"]);
        assert_eq!(checked.code, 0, "{name}: {}\n{plan}", checked.err);
        assert!(questions <= 2, "{name}: {questions} questions\n{columns}");
        rows.push(format!(
            "| `{name}` | {format} | {} | {} | {} | {} | {} | {} | {} | {questions} |",
            columns.lines().filter(|line| line.starts_with("[columns")).count(),
            taken("type"),
            taken("lower"),
            taken("values"),
            taken("missing_values"),
            taken("label"),
            if refused.is_empty() { "none".to_owned() } else { refused.join(", ") },
        ));
    }
    let missing: Vec<&String> = rows.iter().filter(|row| !documented.contains(row.as_str())).collect();
    assert!(missing.is_empty(), "docs/from-file.md lacks\n{}", rows.join("\n"));
}
