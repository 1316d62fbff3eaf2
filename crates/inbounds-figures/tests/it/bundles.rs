//! Small releases written for tests: a manifest, measurements and estimates, as `inbounds release` writes them.

use std::{fs, path::Path};

use inbounds_bundle::digest::sha256;
use inbounds_figures::{FigureCell, FiguresError, FiguresFile, FiguresMade, figures};
use inbounds_mechanisms::{
    noise::{DiscreteCube, DiscreteLaplace, GridNoise, fill_discrete_cube},
    sampler::SeededEntropy,
};
use serde_json::{Value, json};

/// A measured number of a test: statistic, keys by column, entry, component, level, margin, steps and power of two of a
/// step.
pub(crate) struct Measured {
    pub(crate) statistic: &'static str,
    pub(crate) keys: Vec<(&'static str, String)>,
    pub(crate) output: &'static str,
    pub(crate) component: &'static str,
    pub(crate) level: &'static str,
    pub(crate) steps: i128,
    pub(crate) exponent: i32,
}

/// A published number of a test.
pub(crate) struct Published {
    pub(crate) statistic: &'static str,
    pub(crate) keys: Vec<(&'static str, String)>,
    pub(crate) output: &'static str,
    pub(crate) estimate: f64,
}

/// Discrete Laplace noise of a count with this inverse scale.
pub(crate) fn laplace_component(role: &str, level: Option<&str>, tau: &str, spacing: f64) -> Value {
    let scale = spacing / tau.parse::<f64>().expect("a number");
    component(
        role,
        level,
        "clamped-discrete-laplace",
        "discrete-laplace",
        scale,
        spacing,
        json!({ "inverse_scale_per_step": tau }),
    )
}

/// Cube noise of `dimensions` numbers drawn together, in steps of one part.
pub(crate) fn cube_component(role: &str, tau: &str, dimensions: usize, spacing: f64) -> Value {
    let law = DiscreteCube::new(tau.parse().expect("number"), dimensions, 1).expect("a law");
    let scale = inbounds_mechanisms::law::Noise::variance(&law).sqrt() * spacing;
    let cube = json!({ "inverse_scale_per_part": tau, "parts": "1", "dimensions": dimensions.to_string() });
    component(role, None, "clamped-discrete-cube", "discrete-cube", scale, spacing, json!({ "cube": cube }))
}

fn component(
    role: &str,
    level: Option<&str>,
    mechanism: &str,
    law: &str,
    scale: f64,
    spacing: f64,
    parameters: Value,
) -> Value {
    let quantity = match role {
        "count" => json!({ "id": "count" }),
        "sum" => json!({ "id": "sum" }),
        "distances to the bounds" => json!({ "id": "distances" }),
        "residual" => json!({ "id": "residual" }),
        centred => json!({ "id": "centred-sum", "column": centred.trim_start_matches("centred sum of ") }),
    };
    let mut value = json!({
        "role": role, "quantity": quantity, "level": level, "cells": 1, "mechanism": mechanism, "law": law, "epsilon": "1",
        "delta": "0", "scale": scale, "processing": { "rule": "clamp" }, "grid_spacing": spacing, "divisor": 1, "centre": null,
        "sensitivity": { "l1_steps": "1", "linf_steps": "1", "cells": 1, "l1": 1.0 },
    });
    let fields = value.as_object_mut().expect("an object");
    fields.extend(parameters.as_object().expect("an object").clone());
    if role.starts_with("centred") {
        fields.insert("centre".to_owned(), json!(50.0));
    }
    value
}

pub(crate) fn statistic(name: &str, kind: &str, by: &[&str], measured: Vec<Value>) -> Value {
    json!({
        "name": name, "kind": kind, "column": null, "columns": [], "by": by, "where": null, "cells": 1, "unit": "rows", "epsilon": "1",
        "clip": null, "range": { "lower": 0.0, "upper": null },
        "outputs": [{ "name": "", "quantity": { "id": "statistic" }, "unit": "rows", "range": { "lower": 0.0, "upper": null } }],
        "measured": measured, "bias": { "formula": "clamped-bias", "worst": null }, "expected_error": [],
        "interval": { "level": 0.95, "method": "noise-quantile-cut-to-range" }, "projection": null,
    })
}

/// Writes a release into a folder.
pub(crate) fn write(
    folder: &Path,
    statistics: &[Value],
    together: &[Value],
    rows: &[Measured],
    published: &[Published],
) {
    write_with(folder, statistics, together, rows, published, true, "1");
}

pub(crate) fn write_with(
    folder: &Path,
    statistics: &[Value],
    together: &[Value],
    rows: &[Measured],
    published: &[Published],
    private: bool,
    seed: &str,
) {
    fs::create_dir_all(folder).expect("a folder");
    let mut columns: Vec<&str> = rows.iter().flat_map(|row| row.keys.iter().map(|(column, _)| *column)).collect();
    columns.sort_unstable();
    columns.dedup();
    let named: String = columns.iter().map(|column| format!(",by_{column}")).collect();
    let key = |keys: &[(&str, String)]| -> String {
        let value = |column: &&str| {
            let entry = keys.iter().find(|(known, _)| known == column);
            format!(",{}", entry.map_or("", |(_, value)| value.as_str()))
        };
        columns.iter().map(value).collect()
    };
    let mut text = format!("statistic{named},output,component,measurement,steps,grid_exponent,divisor,level,margin\n");
    for row in rows {
        let value = row.steps as f64 * 2f64.powi(row.exponent);
        text.push_str(&format!(
            "{}{},{},{},{value},{},{},1,{},\n",
            row.statistic,
            key(&row.keys),
            row.output,
            row.component,
            row.steps,
            row.exponent,
            row.level
        ));
    }
    let manifest = json!({
        "schema": "inbounds/release/1", "program": { "name": "inbounds", "version": "0.1.0" }, "title": "A test", "private": private,
        "rounding_seed": seed,
        "guarantee": {
            "words": "", "privacy_unit": "single rows", "rows_per_unit": 1, "neighbours": "add-remove", "public_rows": null,
            "epsilon_granted": "1", "delta_granted": "0", "epsilon_spent": "1", "delta_spent": "0", "together": together,
        },
        "rules": [], "statistics": statistics,
        "files": [{ "name": "measurements.csv", "sha256": sha256(text.as_bytes()) }],
    });
    fs::write(folder.join("release.json"), serde_json::to_vec(&manifest).expect("JSON")).expect("writes");
    fs::write(folder.join("measurements.csv"), text).expect("writes");
    let mut text = format!("statistic{named},output,unit,estimate,bias_at_estimate,rmse_at_estimate\n");
    for cell in published {
        text.push_str(&format!("{}{},{},rows,{},0.1,2\n", cell.statistic, key(&cell.keys), cell.output, cell.estimate));
    }
    fs::write(folder.join("estimates.csv"), text).expect("writes");
}

/// Counts by group, in a release with one statistic `people`.
pub(crate) fn counts(folder: &Path, tau: &str, counts: &[(&str, i128)]) {
    let group = |name: &str| vec![("group", name.to_owned())];
    let rows: Vec<Measured> = counts
        .iter()
        .map(|(name, steps)| Measured {
            statistic: "people",
            keys: group(name),
            output: "",
            component: "count",
            level: "",
            steps: *steps,
            exponent: 0,
        })
        .collect();
    let published: Vec<Published> = counts
        .iter()
        .map(|(name, steps)| Published {
            statistic: "people",
            keys: group(name),
            output: "",
            estimate: (*steps).max(0) as f64,
        })
        .collect();
    write(
        folder,
        &[statistic("people", "count", &["group"], vec![laplace_component("count", None, tau, 1.0)])],
        &[],
        &rows,
        &published,
    );
}

/// Makes figures of a release, which are read again; the folder of the output is deleted at once.
pub(crate) fn make(folder: &Path, text: &str) -> Result<FiguresMade, FiguresError> {
    let file = FiguresFile::parse(text)?;
    let out = folder.join("figures-of-a-test");
    let made = figures(folder, &file, &out);
    if let Ok(made) = &made {
        let again = FiguresMade::open(&out).expect("opens").expect("figures");
        assert_eq!(again.manifest, made.manifest);
        for (again, made) in again.figures.iter().zip(&made.figures) {
            assert_eq!(again.cells, made.cells, "cells that were read again are others");
        }
        fs::remove_dir_all(&out).expect("removes");
    }
    made
}

/// The single figure's cells.
pub(crate) fn cells(folder: &Path, text: &str) -> Vec<FigureCell> {
    make(folder, text).unwrap_or_else(|error| panic!("{error}")).figures.remove(0).cells
}

/// Counts with fresh discrete Laplace noise.
pub(crate) fn noisy(counts: &[i128], tau: &str, entropy: &mut SeededEntropy) -> Vec<i128> {
    let law = DiscreteLaplace::with_inverse_scale(tau.parse().expect("number")).expect("a law");
    GridNoise::Laplace(law).add_to(counts, entropy)
}

/// A vector of cube noise in parts.
pub(crate) fn cube(tau: &str, dimensions: usize, entropy: &mut SeededEntropy) -> Vec<i128> {
    let law = DiscreteCube::new(tau.parse().expect("number"), dimensions, 1).expect("a law");
    let mut vector = vec![0; dimensions];
    fill_discrete_cube(&law, entropy, &mut vector);
    vector
}
