//! What is no bundle gets an error that names the file and what is wrong with it. Each is a real bundle with one thing
//! changed.

use std::fs;

use inbounds_report::{ReportError, redraw, render};
use serde_json::json;

use super::{Bundle, Draw};

fn counts() -> Bundle {
    Bundle::counts(&[("Ivel", 5)], Draw::Seeded)
}

fn refused(bundle: &Bundle, words: &[&str]) {
    let said = render(&bundle.file("")).expect_err("refused").to_string();
    for words in words {
        assert!(said.contains(words), "`{words}` is not in: {said}");
    }
}

#[test]
fn a_folder_without_a_manifest_is_no_bundle() {
    let folder = tempfile::tempdir().expect("folder");
    assert!(matches!(render(folder.path()), Err(ReportError::NoBundle { .. })));
    assert!(matches!(redraw(&folder.path().join("gone")), Err(ReportError::NoBundle { .. })));
    assert_eq!(fs::read_dir(folder.path()).expect("folder").count(), 0);
}

#[test]
fn a_manifest_of_another_version_is_named() {
    let bundle = counts();
    bundle.edit(|manifest| manifest["guarantee"]["epsilon_spent"] = json!("two"));
    refused(&bundle, &["release.json", "two"]);
    bundle.edit(|manifest| manifest["guarantee"] = json!({}));
    refused(&bundle, &["release.json", "missing field"]);
    bundle.edit(|manifest| manifest["schema"] = json!("inbounds/release/2"));
    refused(&bundle, &["release.json", "inbounds/release/2", "inbounds/release/1"]);
}

#[test]
fn what_a_later_version_adds_is_left_alone() {
    let bundle = counts();
    let before = bundle.page();
    bundle.edit(|manifest| {
        manifest["a field of a later version"] = json!(1);
        manifest["statistics"][0]["another"] = json!({ "of": [1, 2] });
    });
    // The digest of the manifest stands in the page.
    assert_eq!(bundle.page().len(), before.len());
}

#[test]
fn a_table_that_is_not_the_manifests_is_named_with_its_place() {
    let with = |from: &str, to: &str| {
        let bundle = counts();
        bundle.replace("estimates.csv", from, to);
        bundle
    };
    let bundle = counts();
    let estimate =
        bundle.text("estimates.csv").lines().nth(1).expect("a row").split(',').nth(4).expect("it").to_owned();
    refused(&with("people,Ivel", "others,Ivel"), &["estimates.csv", "line 2", "no such statistic"]);
    let cell = format!("rows,{estimate},");
    refused(&with(&cell, "rows,five,"), &["line 2, column `estimate`", "`five` is no number"]);
    refused(&with(&cell, "rows,,"), &["line 2, column `estimate`", "there is no number"]);
    refused(&with(&cell, ""), &["estimates.csv"]);
    refused(&with(",interval_lower,", ",lower_end,"), &["no column `interval_lower`"]);
    fs::remove_file(bundle.file("estimates.csv")).expect("removes");
    refused(&bundle, &["estimates.csv"]);
}

#[test]
fn a_file_list_cannot_lead_out_of_the_bundle() {
    for name in ["../secret", "/etc/hostname", "a/b", "."] {
        let bundle = counts();
        bundle.replace("release.json", "\"estimates.csv\"", &format!("\"{name}\""));
        refused(&bundle, &["release.json", name, "no plain name"]);
    }
}
