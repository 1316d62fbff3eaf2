//! The data dictionary of a REDCap project, as `Download Data Dictionary` writes it.

use csv::{ReaderBuilder, StringRecord};
use inbounds_data::Kind;

use super::{CodebookError, CodedValue, Refusal, Variable, table::separator, variable::one_line};

/// Heads of the columns that are read, in the language in which every project is exported, and as the API calls them.
const HEADS: [[&str; 2]; 9] = [
    ["Variable / Field Name", "field_name"],
    ["Field Type", "field_type"],
    ["Field Label", "field_label"],
    ["Choices, Calculations, OR Slider Labels", "select_choices_or_calculations"],
    ["Text Validation Type OR Show Slider Number", "text_validation_type_or_show_slider_number"],
    ["Text Validation Min", "text_validation_min"],
    ["Text Validation Max", "text_validation_max"],
    ["Identifier?", "identifier"],
    ["Form Name", "form_name"],
];

/// Columns that REDCap adds to an export by itself.
const OWN: [(&str, Kind, &str); 5] = [
    ("redcap_event_name", Kind::Text, "Event"),
    ("redcap_repeat_instrument", Kind::Text, "Repeated form"),
    ("redcap_repeat_instance", Kind::Integer, "Place among repetitions"),
    ("redcap_data_access_group", Kind::Text, "Data access group"),
    ("redcap_survey_identifier", Kind::Text, "Survey participant"),
];

/// `true` if a text begins as a data dictionary does.
pub(super) fn is_header(text: &str) -> bool {
    let first = text.lines().next().unwrap_or_default();
    HEADS[0].iter().any(|head| first.contains(head)) && HEADS[1].iter().any(|head| first.contains(head))
}

pub(super) fn read(name: &str, text: &str) -> Result<Vec<Variable>, CodebookError> {
    let mut reader = ReaderBuilder::new().delimiter(separator(text)).flexible(true).from_reader(text.as_bytes());
    let header = reader.headers().map_err(|error| CodebookError::damaged(name, error))?.clone();
    let places = HEADS.map(|heads| header.iter().position(|head| heads.contains(&head.trim())));
    let (mut variables, mut forms) = (Vec::new(), Vec::<String>::new());
    for row in reader.records() {
        let row = row.map_err(|error| CodebookError::damaged(name, error))?;
        let [fields @ .., form] = places.map(|place| place.and_then(|place| cell(&row, place)));
        variables.extend(described(fields));
        forms.extend(form.filter(|form| forms.iter().all(|known| known != form)).map(str::to_owned));
    }
    variables.extend(forms.iter().map(|form| complete(form)));
    variables.extend(
        OWN.map(|(name, kind, label)| Variable { kind: Some(kind), ..Variable::new(name).labelled(Some(label)) }),
    );
    Ok(variables)
}

fn cell(row: &StringRecord, place: usize) -> Option<&str> {
    row.get(place).map(str::trim).filter(|cell| !cell.is_empty())
}

/// The column that each form has in every export.
fn complete(form: &str) -> Variable {
    let values = numbered(["Incomplete", "Unverified", "Complete"]);
    Variable { values, ..Variable::new(format!("{form}_complete")).labelled(Some(&format!("{form}: complete?"))) }
        .settled()
}

/// The variables of a field: one, or one a choice of a field with checkboxes.
fn described([name, field, label, choices, validation, lower, upper, identifies]: [Option<&str>; 8]) -> Vec<Variable> {
    let (Some(name), Some(field)) = (name, field) else { return Vec::new() };
    let label = label.map(without_markup);
    let mut variable = Variable::new(name).labelled(label.as_deref());
    if identifies.is_some_and(|word| word.eq_ignore_ascii_case("y")) {
        variable.refused.push(Refusal::Identifier);
    }
    match field {
        "radio" | "dropdown" => variable.values = choices.map(coded).unwrap_or_default(),
        "yesno" => variable.values = numbered(["No", "Yes"]),
        "truefalse" => variable.values = numbered(["False", "True"]),
        "checkbox" => {
            return choices.map(coded).unwrap_or_default().iter().map(|choice| ticked(&variable, choice)).collect();
        }
        "slider" => {
            variable.kind = Some(Kind::Integer);
            // A slider goes from 0 to 100 where the dictionary does not say otherwise.
            (variable.lower, variable.upper) =
                (Some(lower.unwrap_or("0").to_owned()), Some(upper.unwrap_or("100").to_owned()));
        }
        "calc" => variable.kind = Some(Kind::Number),
        "text" => {
            let validation = validation.unwrap_or_default();
            variable.kind = Some(validated(validation));
            variable.decimal = validation.ends_with("comma_decimal").then_some(',');
            if matches!(variable.kind, Some(Kind::Integer | Kind::Number)) {
                (variable.lower, variable.upper) = (lower.map(str::to_owned), upper.map(str::to_owned));
            }
        }
        "notes" | "file" | "signature" => {
            variable.kind = Some(Kind::Text);
            variable.refused.push(Refusal::FreeText);
        }
        // Headings have no column.
        "descriptive" => return Vec::new(),
        other => variable.refused.push(Refusal::Type(other.to_owned())),
    }
    vec![variable.settled()]
}

/// Values from 0 on with these labels.
fn numbered<const N: usize>(labels: [&str; N]) -> Vec<CodedValue> {
    let value = |(code, label): (usize, &str)| CodedValue { code: code.to_string(), label: Some(label.to_owned()) };
    labels.into_iter().enumerate().map(value).collect()
}

/// The column of one choice of a field with checkboxes: `field___code`, 1 where it is ticked.
fn ticked(field: &Variable, choice: &CodedValue) -> Variable {
    let code = choice.code.to_lowercase().replace('-', "_");
    let label = match (&field.label, &choice.label) {
        (Some(field), Some(choice)) => Some(format!("{field}: {choice}")),
        (field, choice) => choice.clone().or_else(|| field.clone()),
    };
    Variable {
        names: vec![format!("{}___{code}", field.names[0])],
        label,
        values: numbered(["not ticked", "ticked"]),
        refused: field.refused.clone(),
        ..Variable::default()
    }
    .settled()
}

/// The type of a text field by its validation.
fn validated(validation: &str) -> Kind {
    match validation {
        "integer" => Kind::Integer,
        _ if validation.starts_with("number") => Kind::Number,
        // Raw data have dates as year, month and day, however they are shown.
        "date_ymd" | "date_dmy" | "date_mdy" => Kind::Date,
        _ => Kind::Text,
    }
}

/// `1, Male | 2, Female`.
fn coded(choices: &str) -> Vec<CodedValue> {
    let value = |part: &str| {
        let (code, label) = part.split_once(',').unwrap_or((part, ""));
        let label = without_markup(label);
        CodedValue { code: code.trim().to_owned(), label: (!label.is_empty()).then_some(label) }
    };
    choices.split('|').map(value).filter(|value| !value.code.is_empty()).collect()
}

/// A label without the tags that REDCap allows in it.
fn without_markup(label: &str) -> String {
    let mut text = String::new();
    let mut is_tag = false;
    for letter in label.chars() {
        match letter {
            '<' => is_tag = true,
            '>' if is_tag => is_tag = false,
            letter if !is_tag => text.push(letter),
            _ => {}
        }
    }
    // A single `<` begins no tag.
    one_line(if is_tag { label } else { &text })
}
