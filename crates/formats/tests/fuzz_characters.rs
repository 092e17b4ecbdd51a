//! Damaged files of characters and motion give a character or an error: never a panic, a hang or a giant of memory.

mod damage;
mod scratch;
mod small_characters;

use damage::Damage;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use scratch::Scratch;
use small_characters::Case;

const WORDS: [&str; 15] = [
    "null",
    "[]",
    "{}",
    "\"a\"",
    "{",
    "}",
    "MOTION",
    "JOINT a {",
    "CHANNELS 3",
    "End Site {",
    "0 0\n",
    "[[",
    "]",
    "\"parent\": \"tip\"",
    "1 2 1\n2 1 1\n",
];

fn read(scratch: &Scratch, (name, whole, reader): &Case, bytes: &[u8]) {
    scratch.file(name, bytes);
    let start = std::time::Instant::now();
    let result = reader(&scratch.0);
    assert!(start.elapsed().as_secs() < 60, "it hangs on {name}: {bytes:?}");
    if let Err(error) = result {
        let text = error.to_string();
        assert!(text.lines().count() >= 3 && text.len() < 1500, "{text}");
    }
    scratch.file(name, whole);
}

fn damaged(name: &str, cases: u32) {
    let scratch = Scratch::new(name);
    let all = small_characters::all(&scratch);
    TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() })
        .run(&(0..all.len(), Damage::any(&WORDS)), |(which, damage)| {
            read(&scratch, &all[which], &damage.to(all[which].1.clone()));
            Ok(())
        })
        .unwrap();
}

#[test]
fn a_damaged_character_never_panics_or_hangs() {
    damaged("damaged-characters", 64 * 16);
}

#[test]
#[ignore = "slow: fuzzing"]
fn slow_fuzz_of_damaged_characters() {
    damaged("slow-damaged-characters", 20_000);
}

#[test]
fn every_character_cut_off_at_any_byte_is_refused_or_still_whole() {
    let scratch = Scratch::new("cut-characters");
    for case in small_characters::all(&scratch) {
        assert_eq!((case.2)(&scratch.0), Ok(()), "{}: the whole file must be read", case.0);
        for end in 0..case.1.len() {
            read(&scratch, &case, &case.1[..end]);
        }
    }
}

#[test]
fn random_bytes_are_never_a_character() {
    let scratch = Scratch::new("random-characters");
    let all = small_characters::all(&scratch);
    let strategy = (0..all.len(), proptest::collection::vec(any::<u8>(), 0..200));
    TestRunner::new(Config { cases: 256, failure_persistence: None, ..Config::default() })
        .run(&strategy, |(which, bytes)| {
            read(&scratch, &all[which], &bytes);
            Ok(())
        })
        .unwrap();
}
