//! Damaged files give a volume or an error: never a panic, a hang or a giant of memory.

mod damage;
mod scratch;

use damage::Damage;
use formats::MshFlavour;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use scratch::{Scratch, two_tets, two_triangles};

/// A valid file of every format and flavour: its ending and its bytes.
fn zoo(scratch: &Scratch) -> Vec<(&'static str, Vec<u8>)> {
    let mut all = Vec::new();
    let mut keep = |ending: &'static str, write: &dyn Fn(&std::path::Path)| {
        let file = scratch.0.join(format!("whole.{ending}"));
        write(&file);
        all.push((ending, std::fs::read(file).unwrap()));
    };
    for ending in ["mesh", "node", "ele", "veg"] {
        keep(ending, &|file| formats::write_volume(file, &two_tets()).unwrap());
    }
    keep("obj", &|file| formats::write_volume(file, &two_triangles()).unwrap());
    for flavour in [MshFlavour::Text22, MshFlavour::Binary22, MshFlavour::Text41, MshFlavour::Binary41] {
        keep("msh", &|file| formats::write_msh(file, &two_tets(), flavour).unwrap());
    }
    let veg = all.iter().find(|(ending, _)| *ending == "veg").unwrap().1.clone();
    let tail = b"*SET s\n1,2\n*MATERIAL m\nENU, 1, 2, 0.3\n*REGION\ns, m\n*INCLUDE whole.veg\n";
    all.push(("veg", [veg, tail.to_vec()].concat()));
    let names = b"$PhysicalNames\n1\n3 1 \"a\"\n$EndPhysicalNames\n";
    let msh = all.iter().find(|(ending, _)| *ending == "msh").unwrap().1.clone();
    all.push(("msh", [msh, names.to_vec()].concat()));
    all
}

const WORDS: [&str; 7] =
    ["$Nodes\n", "$EndNodes\n", "*SET x\n", "*INCLUDE a.veg\n", "Vertices", "Tetrahedra", "f 1 2 3\n"];

fn read(scratch: &Scratch, ending: &str, bytes: &[u8]) {
    let file = scratch.file(&format!("whole.{ending}"), bytes);
    let start = std::time::Instant::now();
    let _ = formats::read_any(&file);
    let _ = formats::read_surface(&file);
    assert!(start.elapsed().as_secs() < 60, "it hangs on {bytes:?}");
}

fn damaged_files(name: &str, cases: u32) {
    let scratch = Scratch::new(name);
    let zoo = zoo(&scratch);
    TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() })
        .run(&(0..zoo.len(), Damage::any(&WORDS)), |(which, damage)| {
            let (ending, whole) = &zoo[which];
            read(&scratch, ending, &damage.to(whole.clone()));
            // The partner of a damaged .node or .ele is whole again for the next case.
            scratch.file(&format!("whole.{ending}"), &zoo.iter().find(|(e, _)| e == ending).unwrap().1);
            Ok(())
        })
        .unwrap();
}

fn random_bytes(name: &str, cases: u32) {
    let scratch = Scratch::new(name);
    let head = prop_oneof![
        Just(""),
        Just("$MeshFormat\n2.2 1 8\n\u{1}\0\0\0\n$EndMeshFormat\n$Elements\n9\n"),
        Just("$MeshFormat\n4.1 1 8\n\u{1}\0\0\0\n$EndMeshFormat\n$Nodes\n"),
        Just("*VERTICES\n"),
        Just("MeshVersionFormatted 1 Dimension 3 Vertices "),
        Just("v 0 0 0\nf "),
    ];
    let strategy = (head, proptest::collection::vec(any::<u8>(), 0..200));
    TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() })
        .run(&strategy, |(head, tail)| {
            let bytes = [head.as_bytes(), &tail].concat();
            for ending in ["veg", "mesh", "msh", "node", "ele", "obj"] {
                read(&scratch, ending, &bytes);
            }
            Ok(())
        })
        .unwrap();
}

#[test]
fn a_damaged_file_never_panics_or_hangs() {
    damaged_files("damaged", 64 * 8);
}
#[test]
fn random_bytes_never_panic_or_hang() {
    random_bytes("random", 64);
}
#[test]
#[ignore = "slow: fuzzing"]
fn slow_fuzz_of_damaged_files() {
    damaged_files("slow-damaged", 20_000);
}
#[test]
#[ignore = "slow: fuzzing"]
fn slow_fuzz_of_random_bytes() {
    random_bytes("slow-random", 20_000);
}
#[test]
fn every_file_cut_off_at_any_byte_is_refused_or_still_whole() {
    let scratch = Scratch::new("cut");
    for (ending, bytes) in zoo(&scratch) {
        for end in 0..bytes.len() {
            read(&scratch, ending, &bytes[..end]);
        }
        scratch.file(&format!("whole.{ending}"), &bytes);
    }
}
