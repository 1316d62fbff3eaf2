//! Metadata of the columns of `estimates.csv`, in CSV on the Web (W3C, tabular metadata).

use serde_json::{Map, Value, json};

use crate::edition::Edition;

/// Meaning and type of a column of estimates; columns of keys and attributes are none of these.
const COLUMNS: [(&str, &str, &str); 29] = [
    ("statistic", "string", "name of the statistic in the plan"),
    ("node", "string", "name of the node"),
    ("parent", "string", "name of its parent; empty for a root"),
    ("output", "string", "which number of the cell it is; empty where a cell has one"),
    ("unit", "string", "unit of the numbers in this row"),
    ("estimate", "double", "published value, inside its range"),
    ("interval_lower", "double", "lower end of the interval for the exact answer"),
    ("interval_upper", "double", "upper end of the interval"),
    (
        "bias_at_estimate",
        "double",
        "expected estimate minus answer, were the answer the estimate; not to be subtracted",
    ),
    ("bias_error", "double", "Monte Carlo standard error of the bias"),
    ("rmse_at_estimate", "double", "root mean square error, were the answer the estimate"),
    ("rmse_error", "double", "Monte Carlo standard error of the RMSE"),
    ("worst_bias", "double", "largest absolute bias over the range; empty where none is known"),
    ("population_lower", "double", "lower end of the interval for the population that the rows are a sample of"),
    ("population_upper", "double", "upper end of that interval"),
    ("kind", "string", "kind of the statistic"),
    ("level", "string", "level of the hierarchy"),
    ("margin", "string", "margin of the table"),
    ("row", "string", "row of a matrix"),
    ("column", "string", "column of a matrix"),
    ("bin_lower", "double", "lower edge of a bin"),
    ("bin_upper", "double", "upper edge of a bin"),
    ("probability", "double", "probability of a quantile"),
    ("interval_level", "double", "coverage probability of the interval"),
    ("measurement", "double", "noisy value before it was moved into its range or made to agree"),
    ("measurement_variance", "double", "variance of the pooled measurement"),
    ("bias_over_interval", "double", "bias that is largest in absolute value over the answers in the interval"),
    ("rmse_over_interval", "double", "largest RMSE over the answers in the interval"),
    ("tells_nothing", "boolean", "whether the interval takes up nine tenths of a finite range or more"),
];

pub(super) fn metadata(edition: &Edition, table: &[u8]) -> Vec<u8> {
    let header = csv::Reader::from_reader(table).headers().cloned().unwrap_or_default();
    let columns: Vec<Value> = header.iter().map(column).collect();
    let mut described = Map::new();
    described.insert("@context".to_owned(), json!(["http://www.w3.org/ns/csvw", { "@language": "en" }]));
    described.insert("url".to_owned(), json!("estimates.csv"));
    described.insert("dc:title".to_owned(), json!(edition.title));
    let methods = json!({ "@value": edition.methods.join(" "), "@language": edition.language });
    described.insert("dc:description".to_owned(), methods);
    for (name, words) in &edition.about {
        let property = match *name {
            "When" => "dc:temporal",
            "Source" => "dc:source",
            "Contact" => "dc:publisher",
            _ => "dc:subject",
        };
        described.insert(property.to_owned(), json!(words));
    }
    described.insert("dialect".to_owned(), json!({ "encoding": "utf-8", "header": true }));
    described.insert("tableSchema".to_owned(), json!({ "columns": columns }));
    let mut text = serde_json::to_vec_pretty(&Value::Object(described)).expect("words and lists serialise");
    text.push(b'\n');
    text
}

fn column(name: &str) -> Value {
    let (datatype, meaning) = match COLUMNS.iter().find(|(known, _, _)| *known == name) {
        Some((_, datatype, meaning)) => (*datatype, (*meaning).to_owned()),
        None => {
            let attribute = name.strip_prefix("by_").unwrap_or(name);
            ("string", format!("value of {attribute}; empty for all values together"))
        }
    };
    json!({ "titles": name, "datatype": datatype, "dc:description": meaning, "null": "" })
}
