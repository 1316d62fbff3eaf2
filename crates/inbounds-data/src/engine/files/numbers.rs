//! Whole numbers as bytes: seven bits a byte, least first, the sign in the lowest bit. A small number takes one byte.

pub(super) fn write(number: i128, bytes: &mut Vec<u8>) {
    let mut rest = (number << 1 ^ number >> 127) as u128;
    while rest >= 128 {
        bytes.push(rest as u8 | 128);
        rest >>= 7;
    }
    bytes.push(rest as u8);
}

/// The next number, in its shortest form; `None` if there is none.
pub(super) fn read(bytes: &mut &[u8]) -> Option<i128> {
    let mut found: u128 = 0;
    for place in 0.. {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        let bits = u128::from(byte & 127);
        if place > 18 || bits << (7 * place) >> (7 * place) != bits || (byte == 0 && place > 0) {
            return None;
        }
        found |= bits << (7 * place);
        if byte < 128 {
            break;
        }
    }
    Some((found >> 1) as i128 ^ -((found & 1) as i128))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_they_were_written() {
        let sides = [0, 1, 63, 64, 127, 128, 1 << 62, 1 << 100, i128::MAX - 1, i128::MAX];
        let numbers: Vec<i128> = sides.into_iter().flat_map(|number| [number, -number, -number - 1]).collect();
        let mut bytes = Vec::new();
        numbers.iter().for_each(|number| write(*number, &mut bytes));
        let mut rest = bytes.as_slice();
        assert_eq!(numbers.iter().map(|_| read(&mut rest)).collect::<Option<Vec<_>>>(), Some(numbers));
        assert!(rest.is_empty());
        assert_eq!(bytes[..2], [0, 0], "an empty cell takes one byte");
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for bytes in [vec![], vec![128], vec![128, 0], vec![255; 30], [vec![255; 18], vec![7]].concat()] {
            assert_eq!(read(&mut bytes.as_slice()), None, "{bytes:?}");
        }
    }
}
