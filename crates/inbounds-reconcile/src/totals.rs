//! Labels of totals among the values of an attribute.
//!
//! A label such as `Total` names the sum over its attribute, and taking it for one more value counts everything twice.
//! Labels in use are recognised; what the caller names is recognised too.

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

/// Characters around a label that are not part of it, as in `(all)`, `Total:` or `-- total --`.
const AROUND: &[char] = &[' ', '\t', '\u{a0}', ':', '.', '(', ')', '[', ']', '<', '>', '-', '–', '—'];

/// Which values of attributes are labels of totals.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TotalLabels {
    /// Labels that the caller names, compared without regard to case and to blanks around them.
    pub named: Vec<String>,
    /// True if the usual labels are recognised.
    pub usual: bool,
}

impl Default for TotalLabels {
    fn default() -> Self {
        Self { named: Vec::new(), usual: true }
    }
}

impl TotalLabels {
    /// `true` if a value is a label of a total.
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
