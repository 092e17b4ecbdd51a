//! A model kept in one file: a head, then plain little-endian numbers.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use mesh::Mesh;
use rig::Jacobian;

use super::ReducedOptions;
use super::tables::Tables;

/// What such a file starts with; the digits change with what is in it.
const MAGIC: &[u8; 8] = b"supred01";

/// Many numbers as one, to tell lists apart (not against attackers).
struct Print(u64);

impl Print {
    fn new() -> Self {
        Self(0x9E37_79B9_7F4A_7C15)
    }
    fn add(&mut self, word: u64) {
        let mut z = (self.0 ^ word).wrapping_add(0x9E37_79B9_7F4A_7C15);
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        self.0 = z ^ (z >> 31);
    }
    fn list(&mut self, words: impl ExactSizeIterator<Item = u64>) {
        self.add(words.len() as u64);
        words.for_each(|word| self.add(word));
    }
}

/// Of a rig.
pub(super) fn of_jacobian(jacobian: &Jacobian<3>) -> u64 {
    let mut print = Print::new();
    print.add(jacobian.parameters as u64);
    print.list(jacobian.starts.iter().map(|s| *s as u64));
    print.list(jacobian.parameter.iter().map(|p| u64::from(*p)));
    for axis in 0..3 {
        print.list(jacobian.value.iter().map(|x| x[axis].to_bits()));
    }
    print.0
}

/// Of all that a model is made from. The time step and how long to iterate do not matter to what is kept.
pub(super) fn fingerprint(mesh: &Mesh<3>, lists: [&[f64]; 4], jacobian: &Jacobian<3>, options: &ReducedOptions) -> u64 {
    let mut print = Print::new();
    print.list([options.modes as u64, options.clusters as u64, of_jacobian(jacobian)].into_iter());
    for axis in 0..3 {
        print.list(mesh.rest.iter().map(|X| X[axis].to_bits()));
    }
    print.list(mesh.corners.iter().map(|c| u64::from(*c)));
    lists.iter().for_each(|list| print.list(list.iter().map(|x| x.to_bits())));
    print.0
}

/// Writes a file beside it, and puts it in its place when it is whole.
pub(super) fn write(file: &Path, fingerprint: u64, tables: &mut Tables) -> io::Result<()> {
    let mut words = vec![fingerprint];
    words.extend(tables.sizes.map(|s| s as u64));
    for (list, _) in tables.lists() {
        words.push(list.len() as u64);
        words.extend(list.iter().map(|x| x.to_bits()));
    }
    let mut print = Print::new();
    print.list(words.iter().copied());
    words.push(print.0);
    let mut bytes = MAGIC.to_vec();
    bytes.extend(words.iter().flat_map(|word| word.to_le_bytes()));
    let mut partial = file.as_os_str().to_owned();
    partial.push(format!(".{}.partial", std::process::id()));
    let written = (|| {
        let mut out = fs::File::create(&partial)?;
        out.write_all(&bytes)?;
        out.sync_all()?;
        fs::rename(&partial, file)
    })();
    if written.is_err() {
        let _ = fs::remove_file(&partial); // it may not even exist; the first error is the one to tell
    }
    written
}

/// The tables, if the file is whole and has this fingerprint and these numbers of vertices and parameters.
pub(super) fn read(file: &Path, fingerprint: u64, [vertices, parameters]: [usize; 2]) -> Option<Tables> {
    let bytes = fs::read(file).ok()?;
    let (magic, rest) = bytes.split_at_checked(MAGIC.len())?;
    let (words, left) = rest.as_chunks::<8>();
    if magic != MAGIC || !left.is_empty() {
        return None;
    }
    let words: Vec<u64> = words.iter().map(|word| u64::from_le_bytes(*word)).collect();
    let (sum, words) = words.split_last()?;
    let mut print = Print::new();
    print.list(words.iter().copied());
    let (head, mut words) = words.split_at_checked(6)?;
    if print.0 != *sum || head[0] != fingerprint {
        return None;
    }
    let mut tables = Tables::default();
    for (size, word) in tables.sizes.iter_mut().zip(&head[1..]) {
        *size = usize::try_from(*word).ok().filter(|size| *size < 1 << 31)?;
    }
    let [f, shared, n, P, C] = tables.sizes;
    let fits = f.checked_mul(f.max(n).max(3 * C).max(3 * P))?.max(C.checked_mul(9 * P)?) <= bytes.len();
    if n != vertices || P != parameters || f == 0 || shared > f || (f - shared) % 3 != 0 || !fits {
        return None;
    }
    for (list, expected) in tables.lists() {
        let (length, from) = words.split_first()?;
        let length = usize::try_from(*length).ok()?;
        let (numbers, after) = from.split_at_checked(length)?;
        if expected.is_some_and(|expected| expected != length) {
            return None;
        }
        *list = numbers.iter().map(|word| f64::from_bits(*word)).collect();
        words = after;
    }
    (words.is_empty() && !tables.values.is_empty()).then_some(tables)
}

#[cfg(test)]
mod tests {
    use math::check::Random;

    use super::super::tests::{bar, pose};
    use super::super::{Reduced, ReducedError};
    use super::*;

    /// A folder of its own, gone afterwards.
    struct Folder(std::path::PathBuf);
    impl Folder {
        fn new(name: &str) -> Self {
            let folder = std::env::temp_dir().join(format!("supple-reduced-{name}-{}", std::process::id()));
            fs::create_dir_all(&folder).unwrap();
            Self(folder)
        }
    }
    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn cached(file: &Path, modes: usize) -> Result<Reduced, ReducedError> {
        let bar = bar([2, 2, 2]);
        let options = ReducedOptions { modes, clusters: 9, ..Default::default() };
        Reduced::cached(file, &bar.mesh, &bar.mu, &bar.lambda, &bar.density, &bar.rig.jacobian, &bar.leak, &options)
    }

    fn steps(model: &Reduced) -> Vec<u64> {
        let bar = bar([2, 2, 2]);
        let mut live = model.live(&bar.rig).unwrap();
        (1..6).for_each(|k| assert!(live.step(&pose(0.05 * k as f64)).unwrap().iterations > 0));
        live.coefficients().iter().map(|z| z.to_bits()).collect()
    }

    #[test]
    fn a_model_from_the_file_gives_the_same_bits_and_another_one_is_made_anew() {
        let folder = Folder::new("same");
        let file = folder.0.join("model");
        let made = cached(&file, 2).unwrap();
        let written = fs::read(&file).unwrap();
        let again = cached(&file, 2).unwrap();
        assert_eq!(made.tables, again.tables);
        assert_eq!(steps(&made), steps(&again));
        assert!(steps(&made).iter().any(|z| *z != 0), "vacuous");
        assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 1, "nothing is left beside it");
        assert_ne!(cached(&file, 3).unwrap().tables, made.tables);
        assert_ne!(fs::read(&file).unwrap(), written);
        let nowhere = folder.0.join("no such folder/model");
        assert!(matches!(cached(&nowhere, 2), Err(ReducedError::Unwritable { .. })));
    }

    #[test]
    fn damaged_and_foreign_files_are_made_anew() {
        let folder = Folder::new("damaged");
        let file = folder.0.join("model");
        let made = cached(&file, 2).unwrap();
        let whole = fs::read(&file).unwrap();
        let mut random = Random::new(6);
        let mut any = |n: usize| ((0.5 + 0.5 * random.number()) * n as f64) as usize % n;
        let bar = bar([2, 2, 2]);
        let options = ReducedOptions { modes: 2, clusters: 9, ..Default::default() };
        let print =
            fingerprint(&bar.mesh, [&bar.mu, &bar.lambda, &bar.density, &bar.leak], &bar.rig.jacobian, &options);
        let sizes = [bar.mesh.rest.len(), 24];
        assert!(read(&file, print, sizes).is_some(), "vacuous");
        for k in 0..600 {
            let mut bytes = whole.clone();
            match k % 3 {
                0 => bytes.truncate(if k < 60 { k } else { any(whole.len()) }),
                1 => bytes[if k < 100 { k } else { any(whole.len()) }] ^= 1 << (k % 8),
                _ => bytes.extend_from_slice(&whole[..1 + any(40)]),
            }
            fs::write(&file, &bytes).unwrap();
            assert!(read(&file, print, sizes).is_none(), "damage {k} was not seen");
            if k % 60 == 0 {
                assert_eq!(cached(&file, 2).unwrap().tables, made.tables);
                assert_eq!(fs::read(&file).unwrap(), whole, "the file is whole again");
            }
        }
        // wrong numbers under a right checksum: no panic, whatever they are
        for k in 0..400 {
            let mut words: Vec<u64> = whole[8..].as_chunks::<8>().0.iter().map(|w| u64::from_le_bytes(*w)).collect();
            words.pop();
            let at = if k < 200 { 1 + k % 7 } else { any(words.len()) };
            words[at] = [0, 1, u64::MAX, 1 << 30, 1 << 62, words[at] + 3, words[at] ^ 1][any(7)];
            let mut sum = Print::new();
            sum.list(words.iter().copied());
            words.push(sum.0);
            let bytes = MAGIC.iter().copied().chain(words.iter().flat_map(|w| w.to_le_bytes())).collect::<Vec<u8>>();
            fs::write(&file, &bytes).unwrap();
            let _ = cached(&file, 2).unwrap();
        }
    }
}
