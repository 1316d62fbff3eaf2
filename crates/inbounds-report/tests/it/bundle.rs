//! Small bundles, written as the schema says.

use std::{fmt::Write, fs, path::Path};

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tempfile::TempDir;

/// A bundle in a temporary folder.
pub(crate) struct Bundle(TempDir);

const ESTIMATES: &str = "unit,estimate,interval_lower,interval_upper,bias_at_estimate,bias_error,rmse_at_estimate,rmse_error,\
                         worst_bias,measurement";

impl Bundle {
    /// Counts of rows in these groups at epsilon 0.8, three rows a unit, clamped at zero.
    pub(crate) fn counts(groups: &[(&str, i64)]) -> Self {
        let mut table = format!("statistic,by_place,{ESTIMATES}\n");
        for (name, measured) in groups {
            let estimate = (*measured).max(0);
            let (lower, upper) = ((estimate - 11).max(0), estimate + 11);
            let name = name.replace('"', "\"\"");
            writeln!(table, "people,\"{name}\",rows,{estimate},{lower},{upper},0.5,0,5.2,0,1.85,{measured}")
                .expect("text");
        }
        Self::release(manifest(groups.len()), &table)
    }

    /// A release of a manifest without its files, and a table of estimates.
    pub(crate) fn release(manifest: Value, estimates: &str) -> Self {
        Self::of("release.json", manifest, &[("estimates.csv", estimates)])
    }

    /// The reconciliation of a tree of three nodes.
    pub(crate) fn reconciled() -> Self {
        let estimates = "node,parent,level,estimate,interval_lower,interval_upper,bias_at_estimate,bias_error,rmse_at_estimate,\
                         rmse_error,measurement,measurement_variance\n\
                         port,state,1,0,0,13,1.7,0.2,3.9,0.4,-11,49.8\n\
                         state,,0,40,30,52,0.2,0.1,5.1,0.3,41,49.8\n\
                         mill,state,1,40,28,53,-0.1,0.3,5.5,0.4,44,49.8\n";
        let fairness = "nodes,by,class,count,mean_bias,mean_bias_error,mean_variance,mean_measured_variance\n\
                        leaves,size,0,1,1.7,0.2,15.2,49.8\n\
                        leaves,size,10 to 100,1,-0.1,0.3,30.2,49.8\n";
        let manifest = json!({
            "schema": "inbounds/reconcile/1",
            "program": { "name": "inbounds", "version": "0.1.0" },
            "input": {
                "file": "given/counts.csv", "sha256": "ab".repeat(32), "rows": 3, "nodes": 3, "roots": 1, "leaves": 2,
                "levels": 2, "measurements": 3, "unmeasured_nodes": 0,
                "laws": [{ "law": "discrete-laplace", "stated": true, "measurements": 3, "least_scale": 5.0, "largest_scale": 5.0 }]
            },
            "constraints": {
                "file": null, "sha256": null, "nonnegative": true, "integer": true, "top_down": false, "fixed_nodes": 0,
                "bounded_nodes": 0
            },
            "solver": {
                "method": "least-squares-in-integers", "status": "optimal", "objective": 2.4,
                "certificate": { "stationarity": 0.0, "feasibility": 0.0, "complementarity": 0.0 },
                "tolerance": 1e-12, "grid": 1.0
            },
            "error": {
                "method": "parametric-bootstrap", "replicates": 200, "seed": "0",
                "interval": { "level": 0.95, "method": "simulated-error-rank-cut-to-range", "rank": 191 }
            },
            "rules": ["All estimates are multiples of `solver.grid`."],
            "warnings": ["the root `state` has drifted from its measurement"],
        });
        Self::of("reconcile.json", manifest, &[("estimates.csv", estimates), ("fairness.csv", fairness)])
    }

    fn of(name: &str, mut manifest: Value, tables: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().expect("folder");
        let entry = |(name, text): &(&str, &str)| {
            fs::write(folder.path().join(name), text).expect("writes");
            let digest = Sha256::digest(text.as_bytes());
            let sha256: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
            json!({ "name": name, "sha256": sha256 })
        };
        manifest["files"] = tables.iter().map(entry).collect();
        fs::write(folder.path().join(name), manifest.to_string()).expect("writes");
        Self(folder)
    }

    pub(crate) fn folder(&self) -> &Path {
        self.0.path()
    }

    /// Its page.
    pub(crate) fn page(&self) -> String {
        inbounds_report::render(self.folder()).expect("draws")
    }
}

/// The manifest of the counts.
pub(crate) fn manifest(cells: usize) -> Value {
    json!({
        "schema": "inbounds/release/1",
        "program": { "name": "inbounds", "version": "0.1.0" },
        "title": "People by place",
        "private": true,
        "rounding_seed": "1",
        "guarantee": {
            "words": "Adding or removing all rows that share one value of `patient` changes nothing by much.",
            "privacy_unit": "rows that share a `patient`",
            "rows_per_unit": 3,
            "neighbours": "add-remove",
            "public_rows": null,
            "epsilon_granted": "2", "delta_granted": "0", "epsilon_spent": "0.8", "delta_spent": "0"
        },
        "plan_sha256": "cd".repeat(32),
        "rules": ["Missing values follow `clip.missing`."],
        "statistics": [statistic(cells)],
    })
}

fn statistic(cells: usize) -> Value {
    json!({
        "name": "people", "kind": "count", "column": null, "by": ["place"], "where": null, "cells": cells,
        "unit": "rows", "epsilon": "0.8", "clip": null,
        "range": { "lower": 0.0, "upper": null },
        "measured": [{
            "role": "count", "level": null, "cells": cells, "mechanism": "clamped-discrete-laplace",
            "law": "discrete-laplace", "epsilon": "0.8", "delta": "0", "loss_bound": 0.8, "scale": 3.75,
            "inverse_scale_per_step": "4/15", "variance_parameter_in_steps": null, "staircase": null,
            "processing": { "rule": "clamp" }, "grid_spacing": 1.0, "divisor": 1, "centre": null,
            "sensitivity": { "l1_steps": "3", "linf_steps": "3", "cells": 3, "l1": 3.0, "rule": "sum-add-remove" },
            "range_steps": { "lower": "0", "upper": null }
        }],
        "bias": { "formula": "clamped-discrete-laplace-bias", "worst": 1.85 },
        "expected_error": [{ "case": "at the lower end", "bias": 1.85, "rmse": 3.74 }],
        "interval": { "level": 0.95, "method": "noise-quantile-cut-to-range" },
        "projection": null,
        "a field of a later version": 1
    })
}
