//! Totals among the values of an attribute: labels that say so, and values that equal the sum of the others.
//!
//! A label such as `Total` names the sum over its attribute, and taking it for one more value counts everything twice.
//! Labels in use are recognised; what the caller names is recognised too. Any other value that equals the sum of the
//! others in every slice is reported, because nothing but its caller knows what it is.

use inbounds_bundle::Notice;
use inbounds_project::table::Axes;

use super::cells::Cells;
use crate::projection::{Lattice, Model};

/// Labels of totals, in lower case, by language. Codes of SDMX and Eurostat stand with English.
#[rustfmt::skip]
const USUAL: &[&str] = &[
    // English, German, French.
    "total", "totals", "tot", "_t", "all", "overall", "sum", "grand total", "both sexes", "all ages", "all persons", "all regions",
    "gesamt", "insgesamt", "summe", "gesamtsumme", "zusammen", "alle",
    "totaux", "ensemble", "toutes", "tous", "somme", "total général", "toutes et tous", "deux sexes",
    // Italian, Spanish, Portuguese, Romanian, Catalan.
    "totale", "totali", "insieme", "tutti", "tutte", "somma", "in complesso",
    "totales", "todos", "todas", "suma", "ambos sexos", "soma", "ambos os sexos", "totais", "toate", "tots", "totes", "ambdós sexes",
    // Dutch, Danish, Norwegian, Swedish, Finnish, Icelandic, Estonian, Latvian, Lithuanian.
    "totaal", "som", "i alt", "ialt", "totalt", "tilsammen", "samtlige", "summa", "samtliga", "sammanlagt", "alla", "båda könen",
    "yhteensä", "kaikki", "alls", "samtals", "kokku", "kopā", "pavisam", "iš viso",
    // Polish, Czech, Slovak, Hungarian, Croatian, Slovenian, Albanian.
    "razem", "ogółem", "łącznie", "celkem", "úhrnem", "spolu", "celkom", "úhrn", "összesen", "mindösszesen", "együtt",
    "ukupno", "svega", "skupaj", "gjithsej",
    // Russian, Ukrainian, Bulgarian, Serbian, Macedonian, Greek, Turkish.
    "всего", "итого", "усього", "всього", "разом", "общо", "всичко", "укупно", "свега", "вкупно", "σύνολο", "συνολο", "toplam", "genel toplam",
    // Irish, Welsh, Maltese, Basque.
    "iomlán", "cyfanswm", "guztira",
    // Chinese, Japanese, Korean, Vietnamese, Indonesian, Thai, Hindi.
    "合计", "合計", "总计", "總計", "总数", "總數", "総数", "総計", "計", "全体", "全部", "합계", "계", "전체", "총계",
    "tổng", "tổng số", "tổng cộng", "jumlah", "รวม", "कुल", "योग",
    // Arabic, Hebrew, Persian.
    "المجموع", "الإجمالي", "إجمالي", "סה\"כ", "סך הכל", "جمع", "جمع کل",
];

/// What stands around a label without being part of it, as in `(all)`, `Total:` or `-- total --`.
const AROUND: &[char] = &[' ', '\t', '\u{a0}', ':', '.', '(', ')', '[', ']', '<', '>', '-', '–', '—'];

/// Probability of the notice on a value that has nothing to do with the others, over all attributes.
const FALSE_ALARM: f64 = 0.01;
/// Standard deviations above zero from which the sum of the others tells anything.
const TELLING: f64 = 3.0;

/// Which values of attributes are labels of totals.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TotalLabels {
    /// Labels that the caller names, compared without regard to case and to blanks around them.
    pub named: Vec<String>,
    /// Whether the usual labels are recognised.
    pub usual: bool,
}

impl Default for TotalLabels {
    fn default() -> Self {
        Self { named: Vec::new(), usual: true }
    }
}

impl TotalLabels {
    /// Whether a value is a label of a total.
    ///
    /// # Example
    /// ```
    /// let usual = inbounds_reconcile::TotalLabels::default();
    /// assert!(usual.includes("(Total)") && usual.includes("insgesamt") && !usual.includes("All others"));
    /// ```
    pub fn includes(&self, value: &str) -> bool {
        let plain = value.trim().to_lowercase();
        self.named.iter().any(|label| label.trim().to_lowercase() == plain)
            || self.usual && USUAL.contains(&plain.trim_matches(AROUND))
    }
}

/// One notice for each attribute of which a value equals the sum of the others.
///
/// For a slice with `D`, the value less the sum `T` of the others, and `V`, the variance of `D`, the evidence is the
/// normal density of `D` over `1 / (2 T)`, the density of a value spread evenly between 0 and `2 T`. Were a value so
/// spread in each slice by itself, the product over slices would pass `1 / p` with probability at most `p`, by Markov's
/// inequality. With `p` the false-alarm rate over the number of values, the rate holds over all of them. A slice whose
/// other values are lost in noise counts only against a total.
pub(super) fn suspects(cells: &Cells, lattice: &Lattice, model: &Model) -> Vec<Notice> {
    let attributes = lattice.sizes.iter().enumerate().filter(|(_, size)| **size > 2);
    let slices: Vec<Slices> =
        attributes.filter_map(|(attribute, _)| Slices::largest(attribute, lattice, model)).collect();
    let values: usize = slices.iter().map(|slices| slices.size).sum();
    let enough = libm::log(values as f64 / FALSE_ALARM);
    let found = slices.iter().filter_map(|slices| {
        let evidence = (0..slices.size).map(|value| (slices.evidence(value), value));
        let (evidence, value) = evidence.max_by(|one, other| one.0.total_cmp(&other.0))?;
        (evidence >= enough && !slices.is_part(value)).then(|| Notice::EqualsSum {
            attribute: cells.attributes[slices.attribute].clone(),
            value: cells.value_name(slices.attribute, value).to_owned(),
            slices: slices.of.len(),
            false_alarm: FALSE_ALARM,
        })
    });
    found.collect()
}

/// The measured cells of a margin, slice by slice along one attribute.
struct Slices {
    attribute: usize,
    size: usize,
    /// Of each slice the value and variance of each of its cells, and its measured sum, if there is one.
    of: Vec<Slice>,
}

/// The value and variance of each cell of a slice, and its measured sum.
type Slice = (Vec<(f64, f64)>, Option<f64>);

impl Slices {
    /// Those of the margin with most slices that were measured throughout.
    fn largest(attribute: usize, lattice: &Lattice, model: &Model) -> Option<Self> {
        let margins = lattice.margins.iter().filter(|(axes, _)| axes.iter().any(|axis| axis == attribute));
        let slices = margins.map(|margin| Self::of_margin(attribute, lattice, model, margin));
        slices.filter(|slices| !slices.of.is_empty()).max_by_key(|slices| slices.of.len())
    }

    fn of_margin(attribute: usize, lattice: &Lattice, model: &Model, (axes, nodes): &(Axes, Vec<u32>)) -> Self {
        let size = lattice.sizes[attribute];
        let after = axes.iter().filter(|axis| *axis > attribute);
        let stride: usize = after.map(|axis| lattice.sizes[axis]).product();
        let rest = Axes::of(axes.iter().filter(|axis| *axis != attribute));
        let sums = lattice.margins.iter().find(|(axes, _)| *axes == rest).map(|(_, nodes)| nodes);
        let measured = |node: u32| {
            let node = node as usize;
            (model.variance[node] < f64::INFINITY).then(|| (model.value[node], model.variance[node]))
        };
        let slice = |index: usize| {
            let first = index / stride * size * stride + index % stride;
            let cells: Option<Vec<_>> = (0..size).map(|value| measured(nodes[first + value * stride])).collect();
            let sum = sums.and_then(|sums| Some(measured(*sums.get(index)?)?.0));
            cells.map(|cells| (cells, sum))
        };
        Self { attribute, size, of: (0..nodes.len() / size).filter_map(slice).collect() }
    }

    /// The logarithm of the evidence that a value is the sum of the others.
    fn evidence(&self, value: usize) -> f64 {
        let of_slice = |(cells, _): &(Vec<(f64, f64)>, Option<f64>)| {
            let own = cells[value].0;
            let others = cells.iter().map(|cell| cell.0).sum::<f64>() - own;
            let stated = cells.iter().map(|cell| cell.1).sum::<f64>();
            let variance = stated.max((1e-9 * (own.abs() + others.abs())).powi(2)).max(f64::MIN_POSITIVE);
            let off = (own - others) * (own - others) / (2.0 * variance);
            if others > TELLING * libm::sqrt(variance) {
                libm::log(2.0 * others / libm::sqrt(2.0 * std::f64::consts::PI * variance)) - off
            } else {
                -off
            }
        };
        self.of.iter().map(of_slice).sum()
    }

    /// Whether measured sums over the attribute say that a value is one part of them.
    fn is_part(&self, value: usize) -> bool {
        let differences = self.of.iter().filter_map(|(cells, sum)| {
            let all: f64 = cells.iter().map(|cell| cell.0).sum();
            sum.map(|sum| ((sum - all).powi(2), (sum - cells[value].0).powi(2)))
        });
        let (as_part, as_total) = differences.fold((0.0, 0.0), |sums, one| (sums.0 + one.0, sums.1 + one.1));
        as_part < as_total
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_recognised_in_any_case_and_with_blanks() {
        let usual = TotalLabels::default();
        for label in
            ["Total", " TOTAL ", "Gesamt", "i alt", "OGÓŁEM", "Összesen", "ВСЕГО", "合計", "(All)", "Total:", "_T"]
        {
            assert!(usual.includes(label), "{label}");
        }
        for value in ["North", "All others", "Totalitarian", "sumo", "T", "Allen County", ""] {
            assert!(!usual.includes(value), "{value}");
        }
        let named = TotalLabels { named: vec!["Both kinds".to_owned()], usual: false };
        assert!(named.includes("both kinds ") && !named.includes("Total"));
    }
}
