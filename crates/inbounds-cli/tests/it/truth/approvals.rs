//! A plan is approved as it is, with its public files, and nothing else is released under the approval.

use inbounds_bundle::digest::sha256;

use super::*;

const APPROVER: [&str; 4] = ["--approver", "M. Weber", "--reason", "report of 2026"];

/// A plan whose keys stand in a file, with a ledger that could pay twice.
fn bench() -> Workbench {
    let bench = Workbench::new();
    bench.write("sexes.csv", "sex\nf\nm\n");
    bench.edit("by = [\"sex\"]", "by = [\"sex\"]\nkeys = \"sexes.csv\"");
    bench.edit("epsilon = 1", "epsilon = 1\nledger = \"people.ledger\"");
    let unit = ["--data", "rows.csv", "--unit", "row", "--neighbours", "add-remove", "--epsilon", "2"];
    let made = bench.run(&[&["ledger", "create", "people.ledger"][..], &unit[..]].concat());
    assert_eq!(made.code, 0, "{}", made.err);
    bench
}

fn digest(bench: &Workbench, page: &str) -> String {
    let checked = bench.run(&["check", "plan.toml", "--out", page, "--epsilon", "0.5,4", "--json"]);
    assert_eq!(checked.code, 0, "{}", checked.err);
    let json: Value = serde_json::from_str(&checked.out).expect("JSON");
    assert_eq!(json["approval"]["page"], page);
    json["approval"]["sha256"].as_str().expect("a digest").to_owned()
}

fn approved(bench: &Workbench, digest: &str, out: &str) -> Said {
    let mut arguments = vec!["release", "plan.toml", "--out", out, "--approved", digest];
    arguments.extend(APPROVER);
    bench.run(&arguments)
}

#[test]
fn an_approval_is_in_the_manifest_on_the_page_and_in_the_ledger() {
    let bench = bench();
    let digest = digest(&bench, "approval.html");
    let listed: String =
        ["plan.toml", "sexes.csv"].map(|name| format!("{}  {name}\n", sha256(file(&bench, name).as_bytes()))).concat();
    assert_eq!(digest, sha256(listed.as_bytes()), "the digest of what `sha256sum plan.toml sexes.csv` prints");
    let released = approved(&bench, &digest.to_uppercase(), "bundle");
    assert_eq!(released.code, 0, "{}", released.err);
    let entry = &manifest(&bench, "bundle")["approval"];
    assert_eq!(*entry, serde_json::json!({ "sha256": digest, "approver": "M. Weber", "reason": "report of 2026" }));
    let sentence = "Approved by M. Weber: report of 2026.";
    assert!(file(&bench, "bundle/report.html").contains(sentence));
    let shown = bench.run(&["ledger", "show", "people.ledger", "--json"]);
    assert!(shown.out.contains(sentence), "{}", shown.out);
}

#[test]
fn another_plan_or_public_file_is_refused_before_anything_is_spent() {
    let bench = bench();
    let digest = digest(&bench, "approval.html");
    let plan = file(&bench, "plan.toml");
    bench.edit("upper = 110", "upper = 120");
    let other_plan = approved(&bench, &digest, "bundle");
    bench.write("plan.toml", plan);
    bench.write("sexes.csv", "sex\nm\nf\n");
    let other_keys = approved(&bench, &digest, "bundle");
    for refused in [other_plan, other_keys] {
        assert_eq!(refused.code, 2, "{}", refused.err);
        let words = refused.err.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains("this plan was not approved") && words.contains(&digest), "{words}");
    }
    assert!(!bench.path("bundle").exists());
    let shown: Value =
        serde_json::from_str(&bench.run(&["ledger", "show", "people.ledger", "--json"]).out).expect("JSON");
    assert_eq!(shown["entries"].as_array().expect("entries").len(), 1, "only the opening: {shown}");
}

#[test]
fn the_page_says_what_an_officer_has_to_know() {
    let bench = bench();
    digest(&bench, "approval.html");
    let page = file(&bench, "approval.html");
    for said in [
        "The plan protects one row. Whoever has several rows, such as visits or purchases, is protected less",
        "age &gt;= 18",
        "sha256sum plan.toml sexes.csv | sha256sum",
        "epsilon 0.5",
        "epsilon 4",
        "Of 100 who have seen the release, at most 74 are right on average.",
        "0 to 110",
        "missing = &quot;drop&quot;",
        "The release would cost the ledger epsilon = 1.",
    ] {
        assert!(
            page.contains(said) || page.contains(&said.replace("&gt;", "&#62;").replace("&quot;", "&#34;")),
            "{said}"
        );
    }
    let text = bench.run(&["check", "plan.toml", "--out", "approval.html"]);
    assert_eq!(text.code, 4, "nothing is overwritten: {}", text.err);
    bench.edit("ledger = \"people.ledger\"\n", "");
    digest(&bench, "without.html");
    assert!(file(&bench, "without.html").contains("The plan names no ledger."));
}

#[test]
fn parts_of_an_approval_are_refused() {
    let bench = bench();
    let alone = bench.run(&["release", "plan.toml", "--out", "bundle", "--approved", &"0".repeat(64)]);
    assert!(alone.code == 2 && alone.err.contains("--approver"), "{}", alone.err);
    let short = approved(&bench, "9f9f", "bundle");
    assert!(short.code == 2 && short.err.contains("64 hexadecimal digits"), "{}", short.err);
    let mut arguments = vec!["release", "plan.toml", "--out", "bundle", "--approver", "M. Weber"];
    arguments.extend(["--reason", "none"]);
    assert_eq!(bench.run(&arguments).code, 2);
}
