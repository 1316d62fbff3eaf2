//! The members of a gzip file, one after the other, and the zeros behind the last one.
//!
//! Tapes and some archives fill files up to the end of a block, and gzip itself accepts zeros there. Whatever else
//! stands behind a member is the next one, or damage.

use std::io::{self, BufRead, Read};

use flate2::bufread::GzDecoder;

/// The text of a gzip file.
pub(super) struct Members<R> {
    /// The member that is read; none at the end of the file.
    member: Option<GzDecoder<R>>,
}

impl<R: BufRead> Members<R> {
    pub(super) fn new(file: R) -> Self {
        Self { member: Some(GzDecoder::new(file)) }
    }
}

impl<R: BufRead> Read for Members<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if out.is_empty() {
            return Ok(0);
        }
        while let Some(member) = &mut self.member {
            match member.read(out)? {
                0 => {}
                read => return Ok(read),
            }
            let is_over = is_over(member.get_mut())?;
            let rest = self.member.take().filter(|_| !is_over);
            self.member = rest.map(|member| GzDecoder::new(member.into_inner()));
        }
        Ok(0)
    }
}

/// Tests that a file has no further member: it ends, or has zeros up to its end.
fn is_over(file: &mut impl BufRead) -> io::Result<bool> {
    if file.fill_buf()?.first().is_some_and(|&byte| byte != 0) {
        return Ok(false);
    }
    loop {
        let zeros = file.fill_buf()?;
        match zeros.len() {
            0 => return Ok(true),
            _ if zeros.iter().any(|&byte| byte != 0) => return Err(io::ErrorKind::InvalidData.into()),
            read => file.consume(read),
        }
    }
}
