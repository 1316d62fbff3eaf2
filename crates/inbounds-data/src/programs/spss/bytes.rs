//! Bytes of a file.

use std::io::Read;

use super::super::broken::Broken;

/// Eight bytes of a row.
pub(super) type Element = [u8; 8];

/// So many bytes, or the end of the file, which is damage.
pub(super) fn take<const N: usize>(file: &mut impl Read) -> Result<[u8; N], Broken> {
    let mut bytes = [0; N];
    file.read_exact(&mut bytes)?;
    Ok(bytes)
}
