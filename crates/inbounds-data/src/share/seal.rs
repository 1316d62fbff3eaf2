//! Sealed bytes: what only those can read and make who have the question.
//!
//! A share is `magic, version, question, nonce`, and then what is sealed by XChaCha20-Poly1305 under the key of the
//! question, with all before the nonce as associated data. Nonces are drawn: of 192 bits, so that none comes twice.
//! What is sealed is filled up with zeros to a length of few significant bits (Padme: Nikitin et al., "Reducing
//! Metadata Leakage from Encrypted Files and Communication with PURBs", PoPETs 2019(4), section 4), so that the
//! length says little of the numbers.

use std::fmt;

use chacha20poly1305::aead::{Aead, Generate, KeyInit, Payload};
use chacha20poly1305::{Key, XChaCha20Poly1305, XNonce};
use serde::{Deserialize, Serialize};

use super::{Content, ShareError};

/// Beginning of a share: a word, and the version of the rest.
const HEAD: &[u8; 9] = b"inbshare\x01";
const NONCE: usize = 24;

/// Key material with which a question seals its shares. Secret, and without a form in which it could be shown.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Secret {
    /// Which question it is. Public.
    id: [u8; 16],
    key: [u8; 32],
    /// By which units are divided into groups.
    pub(super) groups: [u8; 16],
}

/// Sealed partial result of some rows: bytes that tell nothing without the question. See
/// [`ShareQuestion::share`](crate::ShareQuestion::share).
#[derive(Clone, PartialEq, Eq)]
pub struct SealedShare(Vec<u8>);

impl fmt::Debug for SealedShare {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("SealedShare").finish_non_exhaustive()
    }
}

impl SealedShare {
    /// The bytes, to be sent and to be handed to [`Shares::add`](crate::Shares::add).
    pub fn into_bytes(self) -> Vec<u8> {
        self.0
    }
}

/// Random bytes from the operating system.
pub(super) fn random<const N: usize>() -> Result<[u8; N], ShareError> {
    let mut bytes = [0; N];
    for part in bytes.chunks_mut(size_of::<Key>()) {
        let drawn = Key::try_generate().map_err(|_| ShareError::Entropy)?;
        part.copy_from_slice(&drawn[..part.len()]);
    }
    Ok(bytes)
}

impl Secret {
    pub(super) fn new() -> Result<Self, ShareError> {
        Ok(Self { id: random()?, key: random()?, groups: random()? })
    }

    fn cipher(&self) -> XChaCha20Poly1305 {
        XChaCha20Poly1305::new(&Key::from(self.key))
    }

    fn head(&self) -> Vec<u8> {
        [HEAD.as_slice(), &self.id].concat()
    }

    pub(super) fn seal(&self, content: &Content) -> Result<SealedShare, ShareError> {
        let mut plain = postcard::to_stdvec(content).expect("numbers are plain data");
        plain.resize(padded(plain.len()), 0);
        let (head, nonce) = (self.head(), XNonce::from(random::<NONCE>()?));
        let sealed = self.cipher().encrypt(&nonce, Payload { msg: &plain, aad: &head });
        let sealed = sealed.expect("fewer than 2^38 bytes");
        Ok(SealedShare([head.as_slice(), &nonce, &sealed].concat()))
    }

    pub(super) fn open(&self, share: &[u8]) -> Result<Content, ShareError> {
        let rest = share.strip_prefix(HEAD).ok_or(ShareError::NoShare)?;
        let (id, rest) = rest.split_at_checked(self.id.len()).ok_or(ShareError::NoShare)?;
        let (nonce, sealed) = rest.split_first_chunk::<NONCE>().ok_or(ShareError::NoShare)?;
        if id != self.id {
            return Err(ShareError::OtherQuestion);
        }
        let payload = Payload { msg: sealed, aad: &self.head() };
        let plain = self.cipher().decrypt(&XNonce::from(*nonce), payload).map_err(|_| ShareError::Altered)?;
        let (content, rest) = postcard::take_from_bytes(&plain).map_err(|_| ShareError::NoAnswer)?;
        if rest.iter().all(|&byte| byte == 0) { Ok(content) } else { Err(ShareError::NoAnswer) }
    }
}

/// The least length of at most as many significant bits as its number of bits has bits itself, and not below 256.
fn padded(length: usize) -> usize {
    let length = length.max(256);
    let bits = length.ilog2();
    let dropped = bits - (bits.ilog2() + 1);
    length.next_multiple_of(1 << dropped)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{KeyValue, Part};

    fn content() -> Content {
        let learned = vec![vec![(vec![KeyValue::Text("a canary".to_owned())], 7)]];
        Content { part: Part::Number(3), groups: vec![1, 9], numbers: vec![-5, 1 << 100], learned }
    }

    #[test]
    fn lengths_have_few_bits() {
        assert_eq!([0, 256, 257, 1000, 100_000].map(padded), [256, 256, 272, 1024, 100_352]);
        assert!(
            (1..100_000)
                .all(|length| padded(length) >= length && padded(length) as f64 <= 256.0 + 1.07 * length as f64)
        );
        assert!((1..1000).all(|length| padded(padded(length)) == padded(length)));
    }

    #[test]
    fn only_its_own_secret_opens_a_share_and_only_as_it_was_sealed() {
        let (secret, other) = (Secret::new().expect("entropy"), Secret::new().expect("entropy"));
        let share = secret.seal(&content()).expect("entropy").into_bytes();
        assert!(!share.windows(8).any(|bytes| bytes == b"a canary"));
        let opened = secret.open(&share).expect("its own secret");
        assert_eq!((opened.part, opened.numbers), (Part::Number(3), vec![-5, 1 << 100]));
        assert!(matches!(other.open(&share), Err(ShareError::OtherQuestion)));
        let thief = Secret { id: secret.id, ..other };
        assert!(matches!(thief.open(&share), Err(ShareError::Altered)));
        for place in 0..share.len() {
            let mut altered = share.clone();
            altered[place] ^= 1;
            assert!(secret.open(&altered).is_err(), "byte {place}");
            assert!(secret.open(&share[..place]).is_err(), "{place} bytes");
        }
        assert!(secret.seal(&content()).expect("entropy").into_bytes() != share, "no nonce comes twice");
    }
}
