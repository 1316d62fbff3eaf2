//! What is no bundle gets an error that names the file and what is wrong with it.

use std::fs;

use inbounds_report::{ReportError, redraw, render};
use serde_json::json;

use crate::bundle::{Bundle, manifest};

const HEADER: &str = "statistic,by_place,unit,estimate,interval_lower,interval_upper,bias_at_estimate,bias_error,\
                      rmse_at_estimate,rmse_error,worst_bias,measurement";

fn refused(bundle: &Bundle, words: &[&str]) {
    let said = render(bundle.folder()).expect_err("refused").to_string();
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
    let mut later = manifest(0);
    later["schema"] = json!("inbounds/release/2");
    refused(&Bundle::release(later, HEADER), &["release.json", "inbounds/release/2", "inbounds/release/1"]);
    let mut short = manifest(0);
    short["guarantee"] = json!({});
    refused(&Bundle::release(short, HEADER), &["release.json", "missing field"]);
    let mut inexact = manifest(0);
    inexact["guarantee"]["epsilon_spent"] = json!("two");
    refused(&Bundle::release(inexact, HEADER), &["release.json", "two"]);
}

#[test]
fn a_table_that_is_not_the_manifests_is_named_with_its_place() {
    let with = |rows: &str| Bundle::release(manifest(1), &format!("{HEADER}\n{rows}"));
    refused(&with("others,Ivel,rows,5,0,9,0,0,2,0,1,5\n"), &["estimates.csv", "line 2", "no such statistic"]);
    refused(&with("people,Ivel,rows,five,0,9,0,0,2,0,1,5\n"), &["line 2, column `estimate`", "`five` is no number"]);
    refused(&with("people,Ivel,rows,,0,9,0,0,2,0,1,5\n"), &["line 2, column `estimate`", "there is no number"]);
    refused(&with("people,Ivel\n"), &["estimates.csv"]);
    refused(&Bundle::release(manifest(1), "statistic,estimate\n"), &["no column `interval_lower`"]);
    let bundle = with("");
    fs::remove_file(bundle.folder().join("estimates.csv")).expect("removes");
    refused(&bundle, &["estimates.csv"]);
}

#[test]
fn a_file_list_cannot_lead_out_of_the_bundle() {
    for name in ["../secret", "/etc/hostname", "a/b", "."] {
        let bundle = Bundle::counts(&[("Ivel", 5)]);
        let path = bundle.folder().join("release.json");
        let text = fs::read_to_string(&path).expect("manifest").replace("estimates.csv", name);
        fs::write(&path, text).expect("writes");
        refused(&bundle, &["release.json", name, "no plain name"]);
    }
}
