//! Bundles, as a recipient reads them.

use inbounds_bundle::{ReconcileManifest, ReleaseManifest, digest::sha256};
use inbounds_release::predict::{self as predicting, model};
use inbounds_report::draw;

use crate::{archive, scratch::Scratch};

/// Stands in a manifest for the digest of the plan beside it, so that a plan can change and still be that of its
/// release.
const DIGEST: &[u8] = b"PLAN_SHA256";

/// The page of a bundle in an archive.
///
/// # Panics
/// If an error says nothing.
pub fn report(bytes: &[u8]) {
    let scratch = Scratch::new();
    let names = [
        ReleaseManifest::FILE,
        ReconcileManifest::FILE,
        "estimates.csv",
        "measurements.csv",
        "fairness.csv",
        "plan.toml",
        "diagnostics.csv",
    ];
    scratch.unpack(&archive::parts(bytes), &names);
    match draw(&scratch.path("")) {
        Ok(drawn) => assert!(drawn.page.starts_with("<!doctype html>") || drawn.page.starts_with("<!DOCTYPE html>")),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// A model in an archive, applied to the rows in it.
///
/// # Panics
/// If an error says nothing.
pub fn predict(bytes: &[u8]) {
    let scratch = Scratch::new();
    let parts = archive::parts(bytes);
    let plan = parts.iter().find(|(name, _)| *name == b"plan.toml").map_or(&b""[..], |(_, text)| text);
    let manifest = parts.iter().find(|(name, _)| *name == ReleaseManifest::FILE.as_bytes());
    let manifest = manifest.map_or_else(Vec::new, |(_, text)| with_digest(text, plan));
    scratch.unpack(&parts, &["estimates.csv", "plan.toml", "rows.csv"]);
    scratch.write(ReleaseManifest::FILE, &manifest);
    let said = |error: predicting::PredictError| assert!(!error.to_string().is_empty());
    match model(&scratch.path(""), None) {
        Ok(model) => match predicting::predict(&model, &scratch.path("rows.csv"), &scratch.path("out.csv")) {
            Ok(_) => {}
            Err(error) => said(error),
        },
        Err(error) => said(error),
    }
}

fn with_digest(manifest: &[u8], plan: &[u8]) -> Vec<u8> {
    let position = manifest.windows(DIGEST.len()).position(|window| window == DIGEST);
    let Some(at) = position else { return manifest.to_vec() };
    [&manifest[..at], sha256(plan).as_bytes(), &manifest[at + DIGEST.len()..]].concat()
}
