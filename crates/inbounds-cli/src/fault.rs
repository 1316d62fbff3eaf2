//! Faults of the program itself.
//!
//! The message of a panic may quote what the code stumbled over, and that may be a cell. So it is never shown, only
//! where it was. Readers of rows run on threads of their own, where a panic is taken for damage of the file and told as
//! such.

use std::panic;

use inbounds_input::{caught, keep_place};

use crate::failure::Failure;

/// Exit code of a Rust program that panics.
const FAULT: u8 = 101;

/// Does something; a panic is one more failure, of which nothing but its place in the code is known.
pub(crate) fn watched(work: impl FnOnce() -> Result<String, Failure>) -> Result<String, Failure> {
    let before = panic::take_hook();
    panic::set_hook(Box::new(keep_place));
    let done = caught(work);
    panic::set_hook(before);
    done.unwrap_or_else(|place| Err(failure(&place)))
}

fn failure(place: &str) -> Failure {
    let message = format!(
        "inbounds failed at {place}; this is a fault of the program, please report it. If a release was running, its epsilon may be \
         spent: with a ledger, `inbounds ledger check` tells"
    );
    Failure::Other { code: FAULT, message }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_tells_its_place_and_not_its_message() {
        let failed = watched(|| panic!("a cell: {}", "CANARY")).expect_err("it fails");
        let told = failed.to_json();
        assert!(told.contains("crates/inbounds-cli/src/fault.rs:") && !told.contains("CANARY"), "{told}");
        let on_a_thread = || {
            let damage = std::thread::spawn(|| panic!("CANARY")).join();
            Ok(if damage.is_err() { "damaged".to_owned() } else { String::new() })
        };
        assert_eq!(watched(on_a_thread).ok().as_deref(), Some("damaged"));
    }
}
