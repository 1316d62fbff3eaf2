//! German.

use super::{Hidden, Speaks, Statement, Typical, numbers::Writing};

pub(super) struct German;

const NUMBERS: Writing = Writing { decimal: ",", group: "." };

impl Speaks for German {
    fn heading(&self) -> &'static str {
        "Methodische Hinweise"
    }

    fn sentence(&self, statement: &Statement) -> String {
        match statement {
            Statement::About { things, period, source } => {
                let things = things.map_or_else(String::new, |things| format!("Gezählt wurden: {things}. "));
                let period = period.map_or_else(String::new, |period| format!("Berichtszeitraum: {period}. "));
                let source = source.map_or_else(String::new, |source| format!("Quelle: {source}. "));
                format!("{things}{period}{source}").trim_end().to_owned()
            }
            Statement::Noise { hidden, epsilon, delta } => {
                let delta = delta.map_or_else(String::new, |delta| format!(", Delta = {}", NUMBERS.digits(delta)));
                let epsilon = NUMBERS.digits(epsilon);
                format!(
                    "Die Zahlen sind nicht exakt: Zum Schutz der Einzelangaben wurden sie mit Zufallswerten überlagert, sodass sie \
                     kaum davon abhängen, {} – unabhängig davon, was jemand sonst noch weiß (Differential Privacy, Epsilon = {epsilon}{delta}).",
                    hidden_words(*hidden)
                )
            }
            Statement::Seeded => {
                "Die Zahlen dienen nur der Veranschaulichung: Die Zufallswerte stammen aus einem bekannten Startwert und schützen \
                 niemanden."
                    .to_owned()
            }
            Statement::Limit { rows: 1, column } => {
                format!("Je „{column}“ wurde höchstens ein Datensatz berücksichtigt.")
            }
            Statement::Limit { rows, column } => {
                format!("Je „{column}“ wurden höchstens {rows} Datensätze berücksichtigt.")
            }
            Statement::Clipped { column, lower, upper, unit } => format!(
                "Werte von „{column}“ unter {} oder über {}{} wurden auf diese Grenzen gesetzt.",
                NUMBERS.number(*lower),
                NUMBERS.number(*upper),
                spaced(unit)
            ),
            Statement::Dropped { column } => {
                format!("Datensätze ohne Angabe zu „{column}“ gehen in die betreffenden Zahlen nicht ein.")
            }
            Statement::CountedAs { column, value, unit } => {
                format!("Fehlende Angaben zu „{column}“ zählen als {}{}.", NUMBERS.number(*value), spaced(unit))
            }
            Statement::AddsUp { in_integers: true } => {
                "Summen stimmen genau mit ihren Teilen überein, in ganzen Zahlen, weil die überlagerten Zahlen gemeinsam \
                 angepasst wurden."
                    .to_owned()
            }
            Statement::AddsUp { in_integers: false } => {
                "Summen stimmen mit ihren Teilen überein, weil die überlagerten Zahlen gemeinsam angepasst wurden.".to_owned()
            }
            Statement::KeptInRange => {
                "Keine veröffentlichte Zahl liegt außerhalb des Möglichen. Kleine Zahlen können deshalb im Mittel zu hoch sein; \
                 um wie viel, ist zu jeder Zahl veröffentlicht."
                    .to_owned()
            }
            Statement::Margin { level } => format!(
                "Die Plus-Minus-Angabe neben einer Zahl ist so bestimmt, dass die Zahl ohne Zufallswerte mit einer Wahrscheinlichkeit von \
                 {}\u{a0}% innerhalb dieser Spanne liegt. Das gilt für jede Zahl einzeln, nicht für alle Zahlen einer Tabelle zugleich.",
                NUMBERS.number(100.0 * level)
            ),
            Statement::Scope => {
                "Erfasst ist damit nur die Wirkung der Zufallswerte, nicht aber Fehler in den Daten selbst, etwa falsche oder \
                 fehlende Angaben."
                    .to_owned()
            }
            Statement::TellNothing { numbers: 1 } => {
                "Eine Zahl ist mit „tells nothing“ gekennzeichnet: Sie kann nahezu jeden Wert haben und sollte nicht zitiert werden."
                    .to_owned()
            }
            Statement::TellNothing { numbers } => format!(
                "{numbers} Zahlen sind mit „tells nothing“ gekennzeichnet: Sie können nahezu jeden Wert haben und sollten nicht \
                 zitiert werden."
            ),
            Statement::Contact(contact) => format!("Auskunft: {contact}."),
            Statement::Made { program, digest } => format!(
                "Erstellt mit {program}. Die Parameter der Zufallswerte und alle ungerundeten Zahlen stehen in release.json \
                 (SHA-256 {digest}) und den zugehörigen Tabellen."
            ),
        }
    }

    fn how_sure(&self, level: f64, typical: &[Typical]) -> String {
        let each = |one: &Typical| {
            format!("{}: {}{}", one.name, NUMBERS.digits(&one.plus_minus), one.unit.behind("Prozentpunkte"))
        };
        format!(
            "Genauigkeit: Mindestens die Hälfte der Zahlen ist, jede mit einer Sicherheit von {}\u{a0}%, so genau bekannt: {}.",
            NUMBERS.number(100.0 * level),
            typical.iter().map(each).collect::<Vec<_>>().join("; ")
        )
    }
}

fn hidden_words(hidden: Hidden) -> String {
    match hidden {
        Hidden::Row => "ob ein einzelner Datensatz in den Daten enthalten ist".to_owned(),
        Hidden::Rows(rows) => format!("ob {rows} beliebige Datensätze in den Daten enthalten sind"),
        Hidden::Unit(unit) => {
            format!("ob die Datensätze zu einem einzelnen Wert von „{unit}“ in den Daten enthalten sind")
        }
        Hidden::Values => "welche Werte ein einzelner Datensatz hat".to_owned(),
        Hidden::ValuesOf(rows) => format!("welche Werte {rows} beliebige Datensätze haben"),
    }
}

fn spaced(unit: &str) -> String {
    if unit.is_empty() { String::new() } else { format!("\u{a0}{unit}") }
}
