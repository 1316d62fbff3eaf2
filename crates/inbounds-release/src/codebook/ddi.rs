//! DDI Codebook 2.5, as Nesstar, the World Bank's Metadata Editor and data archives write it.

use std::borrow::Cow;
use std::path::Path;

use inbounds_data::{DeclaredMissing, Kind};
use roxmltree::{Document, Node};

use super::{CodebookError, CodedValue, Refusal, Variable, variable::one_line};

/// The variables of the file with rows, `data`: a study describes several files, of which one is called like it.
pub(super) fn read(name: &str, text: &str, data: &Path) -> Result<Vec<Variable>, CodebookError> {
    let options = roxmltree::ParsingOptions { allow_dtd: false, ..roxmltree::ParsingOptions::default() };
    let text = without_doctype(text);
    let document = Document::parse_with_options(&text, options).map_err(|error| CodebookError::damaged(name, error))?;
    let root = document.root_element();
    let described = root.descendants().find(|node| is(node, "codeBook") || is(node, "dataDscr"));
    let Some(described) = described else {
        let reason = format!("its root is <{}>, and no <codeBook> is below it", root.tag_name().name());
        return Err(CodebookError::UnknownFormat { name: name.to_owned(), reason });
    };
    let nodes: Vec<Node<'_, '_>> = described.descendants().filter(|node| is(node, "var")).collect();
    let of_file = |node: &Node<'_, '_>| {
        node.attribute("files").and_then(|files| files.split_whitespace().next()).map(str::to_owned)
    };
    let files: Vec<(String, String)> = described
        .descendants()
        .filter(|node| is(node, "fileDscr"))
        .filter_map(|node| {
            let inner = children(node, "fileTxt").next();
            Some((
                node.attribute("ID")?.to_owned(),
                inner.and_then(|inner| self::text(inner, "fileName")).unwrap_or_default(),
            ))
        })
        .collect();
    let stem = |path: &str| Path::new(path).file_stem().map(|stem| stem.to_string_lossy().to_lowercase());
    let own = files.iter().find(|(_, file)| stem(file).is_some() && stem(file) == stem(&data.to_string_lossy()));
    let is_own = |node: &&Node<'_, '_>| own.is_none_or(|(id, _)| of_file(node).is_none_or(|file| file == *id));
    let chosen: Vec<Node<'_, '_>> = nodes.iter().filter(is_own).copied().collect();
    let mut names: Vec<&str> = chosen.iter().filter_map(|node| node.attribute("name")).collect();
    names.sort_unstable();
    if own.is_none() && files.len() > 1 && names.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err(CodebookError::WhichTable {
            name: name.to_owned(),
            tables: files
                .into_iter()
                .map(|(id, file)| if file.is_empty() { id } else { file })
                .collect::<Vec<_>>()
                .join(", "),
            data: data.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        });
    }
    Ok(chosen.into_iter().filter_map(variable).collect())
}

/// A document without the line that names its grammar. One that defines entities is left as it is, and refused.
fn without_doctype(text: &str) -> Cow<'_, str> {
    let doctype = text.find("<!DOCTYPE").and_then(|begin| Some((begin, begin + text[begin..].find('>')?)));
    match doctype {
        Some((begin, end)) if !text[begin..end].contains('[') => {
            format!("{}{}", &text[..begin], &text[end + 1..]).into()
        }
        _ => text.into(),
    }
}

fn is(node: &Node, name: &str) -> bool {
    node.is_element() && node.tag_name().name() == name
}

/// Children with this name.
fn children<'a, 'i>(node: Node<'a, 'i>, name: &'static str) -> impl Iterator<Item = Node<'a, 'i>> {
    node.children().filter(move |child| is(child, name))
}

/// All text below a child with this name.
fn text(node: Node<'_, '_>, name: &'static str) -> Option<String> {
    let child = children(node, name).next()?;
    let text: String = child.descendants().filter_map(|node| node.text().filter(|_| node.is_text())).collect();
    let text = one_line(&text);
    (!text.is_empty()).then_some(text)
}

fn variable(node: Node<'_, '_>) -> Option<Variable> {
    let mut variable = Variable::new(node.attribute("name")?.trim()).labelled(text(node, "labl").as_deref());
    let format = children(node, "varFormat").next();
    let is_date = format.is_some_and(|format| {
        let says =
            |attribute: &str| format.attribute(attribute).is_some_and(|word| word.to_lowercase().starts_with("date"));
        says("category") || says("formatname")
    });
    let format = format.and_then(|format| format.attribute("type"));
    let decimals = node.attribute("dcml").and_then(|decimals| decimals.parse::<u32>().ok());
    let is_numeric = format != Some("character");
    // What is missing: categories that say so, and values of <invalrng>.
    for invalid in children(node, "invalrng") {
        variable
            .missing
            .extend(children(invalid, "item").filter_map(|item| item.attribute("VALUE")).map(str::to_owned));
        for range in children(invalid, "range") {
            let end = |name: &str| range.attribute(name).and_then(|end| end.trim().parse::<f64>().ok());
            let (Some(least), Some(largest)) = (end("min"), end("max")) else { continue };
            variable.declare_missing(&DeclaredMissing::Range(least, largest));
        }
    }
    let has_frequencies = children(node, "catgry").any(|category| children(category, "catStat").next().is_some());
    for category in children(node, "catgry") {
        let Some(code) = text(category, "catValu") else { continue };
        if category.attribute("missing").is_some_and(|word| word.eq_ignore_ascii_case("y")) {
            variable.missing.push(code);
        } else {
            variable.values.push(CodedValue { code, label: text(category, "labl") });
        }
    }
    let is_unlabelled = !variable.values.is_empty()
        && variable.values.iter().all(|value| value.label.as_ref().is_none_or(|label| *label == value.code));
    if is_unlabelled && has_frequencies {
        variable.values.clear();
        variable.refused.push(Refusal::ObservedValues);
    }
    let ranges = || children(node, "valrng").flat_map(|valid| children(valid, "range"));
    let ends = |name: &'static str| -> Vec<&str> {
        ranges().filter_map(|range| range.attribute(name)).map(str::trim).collect()
    };
    let number = |end: &&str| end.parse::<f64>().unwrap_or(f64::NAN);
    let least = ends("min").into_iter().min_by(|a, b| number(a).total_cmp(&number(b)));
    let largest = ends("max").into_iter().max_by(|a, b| number(a).total_cmp(&number(b)));
    (variable.lower, variable.upper) = (least.map(str::to_owned), largest.map(str::to_owned));
    let has_range = least.is_some() || largest.is_some();
    let has_decimals =
        least.into_iter().chain(largest).any(|end| end.parse::<f64>().is_ok_and(|end| end.fract() != 0.0));
    // Codes of a quantity stand beside its numbers.
    let is_continuous = node.attribute("intrvl").is_some_and(|word| word == "contin");
    if is_continuous && is_numeric && !variable.values.is_empty() {
        variable.refused.push(Refusal::CodesBesideNumbers(std::mem::take(&mut variable.values)));
    }
    variable.unit = node.attribute("measUnit").map(one_line).filter(|unit| !unit.is_empty());
    variable.kind = match (is_numeric, decimals, &variable.values[..]) {
        _ if is_date => Some(Kind::Date),
        (false, ..) => Some(Kind::Text),
        // Codes say themselves what they are.
        (true, _, [_, ..]) => None,
        (true, Some(0), []) if !has_decimals => Some(Kind::Integer),
        (true, Some(_), []) => Some(Kind::Number),
        (true, None, []) if format.is_some() => Some(Kind::Number),
        (true, None, []) => None,
    };
    // Editors write the observed least and largest number as statistics, and often as the valid range too.
    let statistic = |kind: &str| {
        let statistic = children(node, "sumStat").find(|stat| stat.attribute("type") == Some(kind))?;
        statistic.text().map(|text| text.trim().to_owned())
    };
    let observed = [statistic("min"), statistic("max")];
    let same = |end: &Option<String>, seen: &Option<String>| match (end, seen) {
        (Some(end), Some(seen)) => end.parse::<f64>().ok() == seen.parse::<f64>().ok(),
        _ => false,
    };
    let is_told_apart = observed.iter().all(Option::is_some)
        && !same(&variable.lower, &observed[0])
        && !same(&variable.upper, &observed[1]);
    if has_range && !is_told_apart {
        (variable.lower, variable.upper) = (None, None);
    }
    if variable.values.is_empty() && variable.lower.is_none() && is_numeric {
        match (has_range, observed.iter().any(Option::is_some)) {
            (_, true) => variable.refused.push(Refusal::Observed),
            (true, false) => variable.refused.push(Refusal::MaybeObserved),
            (false, false) => {}
        }
    }
    Some(variable.settled())
}
