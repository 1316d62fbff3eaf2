//! French.

use super::{Hidden, Speaks, Statement, Typical, numbers::Writing};

pub(super) struct French;

/// Thousands are parted by a narrow space that does not break.
const NUMBERS: Writing = Writing { decimal: ",", group: "\u{202f}" };

impl Speaks for French {
    fn heading(&self) -> &'static str {
        "Méthodologie"
    }

    fn sentence(&self, statement: &Statement) -> String {
        match statement {
            Statement::About { things, period, source } => {
                let things = things.map_or_else(String::new, |things| format!("Champ\u{a0}: {things}. "));
                let period = period.map_or_else(String::new, |period| format!("Période\u{a0}: {period}. "));
                let source = source.map_or_else(String::new, |source| format!("Source\u{a0}: {source}. "));
                format!("{things}{period}{source}").trim_end().to_owned()
            }
            Statement::Noise { hidden, epsilon, delta } => {
                let delta = delta.map_or_else(String::new, |delta| format!(", delta = {}", NUMBERS.digits(delta)));
                let epsilon = NUMBERS.digits(epsilon);
                format!(
                    "Ces chiffres ne sont pas exacts\u{a0}: pour protéger les données individuelles, un bruit aléatoire leur a été ajouté, de \
                     sorte qu’ils ne dépendent presque pas {}, quoi que l’on sache par ailleurs (confidentialité différentielle, \
                     epsilon = {epsilon}{delta}).",
                    hidden_words(*hidden)
                )
            }
            Statement::Seeded => {
                "Ces chiffres ne sont qu’une démonstration\u{a0}: le bruit provient d’une graine connue et ne protège personne.".to_owned()
            }
            Statement::Limit { rows: 1, column } => {
                format!("Un seul enregistrement au plus par «\u{a0}{column}\u{a0}» a été pris en compte.")
            }
            Statement::Limit { rows, column } => {
                format!("Au plus {rows} enregistrements par «\u{a0}{column}\u{a0}» ont été pris en compte.")
            }
            Statement::Clipped { column, lower, upper, unit } => format!(
                "Les valeurs de «\u{a0}{column}\u{a0}» inférieures à {} ou supérieures à {}{} ont été ramenées à ces bornes.",
                NUMBERS.number(*lower),
                NUMBERS.number(*upper),
                spaced(unit)
            ),
            Statement::Dropped { column } => format!(
                "Les enregistrements sans valeur pour «\u{a0}{column}\u{a0}» ne sont pas pris en compte dans les chiffres qui l’utilisent."
            ),
            Statement::CountedAs { column, value, unit } => format!(
                "Une valeur manquante de «\u{a0}{column}\u{a0}» compte pour {}{}.",
                NUMBERS.number(*value),
                spaced(unit)
            ),
            Statement::AddsUp { in_integers: true } => {
                "Les totaux sont exactement égaux à la somme de leurs composantes, en nombres entiers, car les chiffres bruités ont été \
                 ajustés conjointement."
                    .to_owned()
            }
            Statement::AddsUp { in_integers: false } => {
                "Les totaux sont égaux à la somme de leurs composantes, car les chiffres bruités ont été ajustés conjointement."
                    .to_owned()
            }
            Statement::KeptInRange => {
                "Aucun chiffre publié ne sort des valeurs possibles. Les petits effectifs peuvent donc être trop élevés en \
                 moyenne\u{a0}; l’ampleur de cet écart est publiée pour chaque chiffre."
                    .to_owned()
            }
            Statement::Margin { level } => format!(
                "La marge indiquée à côté d’un chiffre (±) est construite de sorte que le chiffre sans bruit s’y trouve avec une probabilité de \
                 {}\u{a0}%. Cela vaut \
                 pour chaque chiffre pris isolément, et non pour tous les chiffres d’un tableau à la fois.",
                NUMBERS.number(100.0 * level)
            ),
            Statement::Scope => {
                "Cette marge ne couvre que l’effet du bruit, et non les erreurs des données elles-mêmes, telles que des réponses \
                 erronées ou manquantes."
                    .to_owned()
            }
            Statement::TellNothing { numbers: 1 } => {
                "Un chiffre porte la mention «\u{a0}tells nothing\u{a0}»\u{a0}: il pourrait prendre presque n’importe quelle valeur et ne doit pas \
                 être cité."
                    .to_owned()
            }
            Statement::TellNothing { numbers } => format!(
                "{numbers} chiffres portent la mention «\u{a0}tells nothing\u{a0}»\u{a0}: ils pourraient prendre presque n’importe quelle valeur \
                 et ne doivent pas être cités."
            ),
            Statement::Contact(contact) => format!("Contact\u{a0}: {contact}."),
            Statement::Made { program, digest } => format!(
                "Produit avec {program}. Les paramètres du bruit et tous les chiffres non arrondis figurent dans release.json (SHA-256 \
                 {digest}) et dans les tableaux joints."
            ),
        }
    }

    fn how_sure(&self, level: f64, typical: &[Typical]) -> String {
        let each = |one: &Typical| {
            let off = NUMBERS.digits(&one.plus_minus);
            format!("{}, {off}{}", one.name, one.unit.behind("points de pourcentage"))
        };
        format!(
            "Précision\u{a0}: au moins la moitié des chiffres sont connus, chacun avec un niveau de confiance de {}\u{a0}%, à ceci près\u{a0}: {}.",
            NUMBERS.number(100.0 * level),
            typical.iter().map(each).collect::<Vec<_>>().join("\u{a0}; ")
        )
    }
}

fn hidden_words(hidden: Hidden) -> String {
    match hidden {
        Hidden::Row => "de la présence d’un enregistrement donné dans les données".to_owned(),
        Hidden::Rows(rows) => format!("de la présence de {rows} enregistrements donnés dans les données"),
        Hidden::Unit(unit) => {
            format!("de la présence des enregistrements d’une même valeur de «\u{a0}{unit}\u{a0}» dans les données")
        }
        Hidden::Values => "des valeurs d’un enregistrement donné".to_owned(),
        Hidden::ValuesOf(rows) => format!("des valeurs de {rows} enregistrements donnés"),
    }
}

fn spaced(unit: &str) -> String {
    if unit.is_empty() { String::new() } else { format!("\u{a0}{unit}") }
}
