//! What a glTF file names outside its description: files beside it, and data written into the text.

/// What a URI leads to.
#[derive(Debug, PartialEq)]
pub(crate) enum Uri {
    /// the data themselves
    Data(Vec<u8>),
    /// a file, from the folder of the one that names it
    File(String),
    /// somewhere that is not beside the file
    Elsewhere,
    /// data that are not what they say
    Broken,
}

impl Uri {
    pub fn parse(text: &str) -> Uri {
        if let Some(data) = text.strip_prefix("data:") {
            let Some((kind, body)) = data.split_once(',') else { return Uri::Broken };
            let bytes = if kind.ends_with(";base64") { base64(body.as_bytes()) } else { Some(percent(body)) };
            return bytes.map_or(Uri::Broken, Uri::Data);
        }
        let name = String::from_utf8_lossy(&percent(text)).into_owned();
        // A colon before the first slash ends the name of a scheme (https:) or of a drive (C:).
        let scheme = name.split(['/', '\\']).next().is_some_and(|first| first.contains(':'));
        match scheme || name.is_empty() || name.starts_with(['/', '\\']) || name.contains('\0') {
            true => Uri::Elsewhere,
            false => Uri::File(name),
        }
    }
}

/// %20 and the like become the bytes they stand for; a % that is none stays.
fn percent(text: &str) -> Vec<u8> {
    let (text, mut at) = (text.as_bytes(), 0);
    let mut bytes = Vec::with_capacity(text.len());
    while let Some(&byte) = text.get(at) {
        let digit = |k: usize| text.get(at + k).and_then(|&c| char::from(c).to_digit(16));
        let (byte, step) = match (byte, digit(1), digit(2)) {
            (b'%', Some(high), Some(low)) => ((16 * high + low) as u8, 3),
            _ => (byte, 1),
        };
        bytes.push(byte);
        at += step;
    }
    bytes
}

/// The bytes that base64 text stands for; none where it is not base64.
fn base64(text: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut held) = (0u32, 0);
    let end = text.iter().rposition(|&c| c != b'=' && !c.is_ascii_whitespace()).map_or(0, |last| last + 1);
    for &c in &text[..end] {
        let six = match c {
            b'A'..=b'Z' => c - b'A',
            b'a'..=b'z' => c - b'a' + 26,
            b'0'..=b'9' => c - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            c if c.is_ascii_whitespace() => continue,
            _ => return None,
        };
        bits = bits << 6 | u32::from(six);
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held) as u8);
            bits &= (1 << held) - 1;
        }
    }
    (held < 6).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_in_the_text_are_the_bytes_they_stand_for() {
        let data = |bytes: &[u8]| Uri::Data(bytes.to_vec());
        assert_eq!(Uri::parse("data:application/octet-stream;base64,AAECA/8="), data(&[0, 1, 2, 3, 255]));
        assert_eq!(Uri::parse("data:;base64,AAEC"), data(&[0, 1, 2]));
        assert_eq!(Uri::parse("data:;base64,AA=="), data(&[0]));
        assert_eq!(Uri::parse("data:text/plain,a%20b"), data(b"a b"));
        assert_eq!(Uri::parse("data:;base64,"), data(&[]));
        for broken in ["data:", "data:;base64", "data:;base64,AAE*", "data:;base64,A", "data:;base64,AA=A"] {
            assert_eq!(Uri::parse(broken), Uri::Broken, "{broken}");
        }
    }

    #[test]
    fn names_of_files_may_hold_spaces_and_signs() {
        assert_eq!(Uri::parse("my%20fox%C3%A9.bin"), Uri::File("my foxé.bin".into()));
        assert_eq!(Uri::parse("../100%.bin"), Uri::File("../100%.bin".into()));
        for far in ["https://example.org/a.bin", "file:///a.bin", "C:\\a.bin", "/a.bin", "", "a%00"] {
            assert_eq!(Uri::parse(far), Uri::Elsewhere, "{far}");
        }
    }
}
