//! Several files in one text, so that they can be read, written by hand, and changed together.

/// The line before a file, less its name.
const BEGIN: &[u8] = b"==== ";

/// The files of an archive, by name. What stands before the first one belongs to none.
pub(crate) fn parts(bytes: &[u8]) -> Vec<(&[u8], &[u8])> {
    let mut parts = Vec::new();
    let mut rest = after_begin(bytes);
    while let Some(part) = rest {
        let end = part.iter().position(|byte| *byte == b'\n').unwrap_or(part.len());
        let (name, body) = (&part[..end], part.get(end + 1..).unwrap_or_default());
        let next = (0..body.len()).find(|&at| starts_line(body, at) && body[at..].starts_with(BEGIN));
        parts.push((name, &body[..next.unwrap_or(body.len())]));
        rest = next.map(|at| &body[at + BEGIN.len()..]);
    }
    parts
}

/// Bytes after the first beginning of a file.
fn after_begin(bytes: &[u8]) -> Option<&[u8]> {
    let at = (0..bytes.len()).find(|&at| starts_line(bytes, at) && bytes[at..].starts_with(BEGIN))?;
    Some(&bytes[at + BEGIN.len()..])
}

fn starts_line(bytes: &[u8], at: usize) -> bool {
    at == 0 || bytes[at - 1] == b'\n'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_archive_is_cut_at_its_lines() {
        let text = b"note\n==== a.csv\nx,y\n1 ==== 2\n==== b\n==== c\nlast";
        let files = parts(text);
        let expected: [(&[u8], &[u8]); 3] = [(b"a.csv", b"x,y\n1 ==== 2\n"), (b"b", b""), (b"c", b"last")];
        assert_eq!(files, expected);
        assert!(parts(b"no file").is_empty());
        assert_eq!(parts(b"==== a"), [(&b"a"[..], &b""[..])]);
    }
}
