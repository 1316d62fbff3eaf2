//! DDI Codebook 2.5, as Nesstar, the World Bank's Metadata Editor and data archives write it.

use inbounds_data::Kind;
use roxmltree::{Document, Node};

use super::{CodebookError, CodedValue, Refusal, Variable, variable::one_line};

pub(super) fn read(name: &str, text: &str) -> Result<Vec<Variable>, CodebookError> {
    let options = roxmltree::ParsingOptions { allow_dtd: false, ..roxmltree::ParsingOptions::default() };
    let document = Document::parse_with_options(text, options).map_err(|error| CodebookError::damaged(name, error))?;
    let root = document.root_element();
    if root.tag_name().name() != "codeBook" {
        let what = format!("its root is <{}>, and not <codeBook>", root.tag_name().name());
        return Err(CodebookError::UnknownFormat { name: name.to_owned(), what });
    }
    Ok(root.descendants().filter(|node| is(node, "var")).filter_map(variable).collect())
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
    let format = children(node, "varFormat").next().and_then(|format| format.attribute("type"));
    let decimals = node.attribute("dcml").and_then(|decimals| decimals.parse::<u32>().ok());
    let is_numeric = format != Some("character");
    // What is missing: categories that say so, and values of <invalrng>.
    for invalid in children(node, "invalrng") {
        variable
            .missing
            .extend(children(invalid, "item").filter_map(|item| item.attribute("VALUE")).map(str::to_owned));
    }
    for category in children(node, "catgry") {
        let Some(code) = text(category, "catValu") else { continue };
        if category.attribute("missing").is_some_and(|word| word.eq_ignore_ascii_case("y")) {
            variable.missing.push(code);
        } else {
            variable.values.push(CodedValue { code, label: text(category, "labl") });
        }
    }
    variable.missing.dedup();
    for range in children(node, "valrng").flat_map(|valid| children(valid, "range")) {
        let end = |name: &str| range.attribute(name).map(|end| end.trim().to_owned()).filter(|end| !end.is_empty());
        (variable.lower, variable.upper) = (end("min"), end("max"));
    }
    variable.unit = node.attribute("measUnit").map(one_line).filter(|unit| !unit.is_empty());
    variable.kind = match (is_numeric, decimals, &variable.values[..]) {
        (false, ..) => Some(Kind::Text),
        // Codes say themselves what they are.
        (true, _, [_, ..]) => None,
        (true, Some(0), []) => Some(Kind::Integer),
        (true, Some(_), []) => Some(Kind::Number),
        (true, None, []) if format.is_some() => Some(Kind::Number),
        (true, None, []) => None,
    };
    // Editors write the observed least and largest number as statistics, and often as the valid range too.
    let statistic = |kind: &str| {
        let found = children(node, "sumStat").find(|stat| stat.attribute("type") == Some(kind))?;
        found.text().map(|text| text.trim().to_owned())
    };
    let observed = [statistic("min"), statistic("max")];
    if observed.iter().any(Option::is_some) {
        let same = |end: &Option<String>, seen: &Option<String>| match (end, seen) {
            (Some(end), Some(seen)) => end.parse::<f64>().ok() == seen.parse::<f64>().ok(),
            _ => false,
        };
        if same(&variable.lower, &observed[0]) || same(&variable.upper, &observed[1]) {
            (variable.lower, variable.upper) = (None, None);
        }
        if variable.values.is_empty() && variable.lower.is_none() {
            variable.refused.push(Refusal::Observed);
        }
    }
    Some(variable.settled())
}
