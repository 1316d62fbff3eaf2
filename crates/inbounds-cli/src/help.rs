//! The documentation inside the program: documents set for the terminal, the help of commands, the manual page,
//! completions.

use clap::CommandFactory;

use crate::{
    arguments::Arguments,
    failure::Failure,
    render::{self, Screen},
    topic::Topic,
};

/// Widest text that reads well.
const COLUMNS: usize = 80;

/// A document, or the help of a command; that of the program without words.
///
/// # Errors
/// [`Failure`] for words that name neither.
pub(crate) fn help(words: &[String]) -> Result<String, Failure> {
    if let [word] = words
        && let Some(topic) = Topic::ALL.into_iter().find(|topic| topic.name() == word)
    {
        return Ok(render::markdown(&topic.text(), Screen::output().columns().min(COLUMNS)));
    }
    let mut command = command(words)?;
    Ok(command.render_long_help().to_string().trim_end().to_owned())
}

/// The manual page of a command in roff, for `man -l -`; that of the program without words.
///
/// # Errors
/// [`Failure`] for words that name no command, and where the page cannot be made.
pub(crate) fn manual(words: &[String]) -> Result<String, Failure> {
    let mut page = Vec::new();
    clap_mangen::Man::new(command(words)?).render(&mut page).map_err(|error| Failure::no_page(&error))?;
    Ok(String::from_utf8_lossy(&page).trim_end().to_owned())
}

/// Script with which a shell completes commands and options.
pub(crate) fn completions(shell: clap_complete::Shell) -> String {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "inbounds", &mut script);
    String::from_utf8_lossy(&script).trim_end().to_owned()
}

/// The command that words name, with its whole name.
fn command(words: &[String]) -> Result<clap::Command, Failure> {
    let mut command = Arguments::command();
    command.build();
    for word in words {
        command = command.find_subcommand(word).cloned().ok_or_else(|| {
            let names: Vec<&str> = Topic::ALL.map(Topic::name).to_vec();
            Failure::no_help(&words.join(" "), &names.join(", "))
        })?;
    }
    Ok(command)
}

#[cfg(test)]
mod tests {
    use super::{COLUMNS, command, help};
    use crate::{render, topic::Topic};

    /// Words of a document that are not part of its markup.
    fn words(text: &str) -> Vec<String> {
        text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| word.len() > 3).map(str::to_owned).collect()
    }

    #[test]
    fn every_document_is_whole_and_fits() {
        for topic in Topic::ALL {
            let document = topic.text();
            let shown = render::markdown(&document, COLUMNS);
            assert!(shown.lines().count() > 10, "{}: {shown}", topic.name());
            for line in shown.lines().filter(|line| !line.starts_with("    ")) {
                let fits = line.chars().count() <= COLUMNS || line.split_whitespace().count() == 1;
                assert!(fits, "{}: {line}", topic.name());
            }
            // Targets of links, and comments around measured figures, are left out; everything else is there.
            let document: String =
                document.split("<!--").map(|part| part.split_once("-->").map_or(part, |(_, rest)| rest)).collect();
            let document: String =
                document.lines().filter(|line| !line.starts_with("```")).map(|line| format!("{line}\n")).collect();
            let prose: String =
                document.split("](").map(|part| part.split_once(')').map_or(part, |(_, rest)| rest)).collect();
            let known: std::collections::HashSet<String> = words(&shown).into_iter().collect();
            let lost: Vec<String> = words(&prose).into_iter().filter(|word| !known.contains(word)).collect();
            assert!(lost.len() * 200 < known.len(), "{} loses {lost:?}", topic.name());
        }
    }

    /// A document may have the name of a group of commands, which has no arguments of its own and whose commands it
    /// names.
    #[test]
    fn no_topic_hides_a_command() {
        for topic in Topic::ALL {
            for inner in command(&[topic.name().to_owned()]).iter().flat_map(|group| group.get_subcommands()) {
                let full_command = format!("inbounds {} {}", topic.name(), inner.get_name());
                assert!(
                    inner.get_name() == "help" || topic.text().contains(&full_command),
                    "`help {}` hides {full_command}",
                    topic.name()
                );
            }
            let lonely = |subcommand: &clap::Command| !subcommand.has_subcommands();
            assert!(
                !command(&[topic.name().to_owned()]).is_ok_and(|subcommand| lonely(&subcommand)),
                "{} is a command",
                topic.name()
            );
            assert!(help(&[topic.name().to_owned()]).is_ok());
        }
        assert!(help(&["study".to_owned(), "run".to_owned()]).is_ok_and(|text| text.contains("inbounds study run")));
        assert!(help(&["plan".to_owned(), "init".to_owned()]).is_ok_and(|text| text.contains("inbounds plan init")));
        assert!(help(&["nonsense".to_owned()]).is_err());
    }
}
