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
pub(super) fn fingerprint(
    mesh: &Mesh<3>,
    lists: [&[f64]; 4],
    jacobian: &Jacobian<3>,
    options: &ReducedOptions,
) -> u64 {
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
