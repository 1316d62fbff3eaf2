//! The approval of a plan by a person.

use crate::CoreError;

/// Approval of one plan with the public files that it names, before it spends anything.
///
/// A release under an approval is refused if the digest of its plan is another one; approver and reason go into the
/// manifest and the ledger.
///
/// ```
/// use inbounds_core::Approval;
///
/// let digest = "9f".repeat(32);
/// let approval = Approval::new(&digest, "M. Weber, data protection officer", "annual report 2026")?;
/// assert_eq!(approval.sha256(), digest);
/// assert!(Approval::new("9f9f", "M. Weber", "annual report 2026").is_err());
/// assert!(Approval::new(&digest, " ", "annual report 2026").is_err());
/// # Ok::<(), inbounds_core::CoreError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Approval {
    sha256: String,
    approver: String,
    reason: String,
}

impl Approval {
    /// Approval of the plan with this digest, in hexadecimal, by `approver` for `reason`.
    ///
    /// # Errors
    /// [`CoreError::Parameter`] unless `sha256` has 64 hexadecimal digits, and `approver` and `reason` have a word each
    /// and no control character, such as the end of a line.
    pub fn new(sha256: &str, approver: &str, reason: &str) -> Result<Self, CoreError> {
        if sha256.len() != 64 || !sha256.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            let requirement = "the 64 hexadecimal digits that `inbounds check` shows";
            return Err(CoreError::parameter("approved", sha256, requirement));
        }
        Ok(Self {
            sha256: sha256.to_ascii_lowercase(),
            approver: words("approver", approver)?,
            reason: words("reason", reason)?,
        })
    }

    /// Digest of the approved plan, in lower-case hexadecimal.
    pub fn sha256(&self) -> &str {
        &self.sha256
    }

    /// Name of the person who approved it.
    pub fn approver(&self) -> &str {
        &self.approver
    }

    /// Reason that the person gave.
    pub fn reason(&self) -> &str {
        &self.reason
    }

    /// Approver and reason as a sentence.
    pub fn sentence(&self) -> String {
        format!("Approved by {}: {}.", self.approver, self.reason.trim_end_matches('.'))
    }
}

fn words(name: &'static str, text: &str) -> Result<String, CoreError> {
    let text = text.trim();
    match text.is_empty() || text.chars().any(char::is_control) {
        true => Err(CoreError::parameter(name, text.escape_default(), "words on one line")),
        false => Ok(text.to_owned()),
    }
}
