//! Damage that is done to files: something put in place of something else, and an end too early.

use proptest::prelude::*;
use proptest::sample::Index;

/// What is put where in place of how many bytes; whether the file is cut off, and where.
#[derive(Clone, Debug)]
pub struct Damage {
    changes: Vec<(Index, usize, Vec<u8>)>,
    cut: Option<Index>,
}

impl Damage {
    /// Up to three changes, by random bytes, numbers that no reader likes, and these words.
    pub fn any(words: &[&'static str]) -> impl Strategy<Value = Self> + use<> {
        let numbers = ["1000000000000000000", "99999999999999999999999", "4294967296", "1e308", "1e-308"];
        let short = ["-1", "0", "3", "nan", "inf", "\n", "#", " "];
        let words = [&numbers[..], &short[..], words].concat();
        let piece = prop_oneof![
            proptest::collection::vec(any::<u8>(), 0..9),
            proptest::sample::select(words).prop_map(|word| word.as_bytes().to_vec()),
        ];
        let changes = proptest::collection::vec((any::<Index>(), 0..12usize, piece), 0..4);
        (changes, any::<Option<Index>>()).prop_map(|(changes, cut)| Self { changes, cut })
    }

    pub fn to(self, mut bytes: Vec<u8>) -> Vec<u8> {
        for (at, drop, piece) in self.changes {
            let at = at.index(bytes.len() + 1);
            let end = (at + drop).min(bytes.len());
            bytes.splice(at..end, piece);
        }
        if let Some(end) = self.cut {
            bytes.truncate(end.index(bytes.len() + 1));
        }
        bytes
    }
}
