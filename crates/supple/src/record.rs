//! Simulated frames on disk: each is complete before the next one starts, so that a stopped run can go on to the same bits.
//!
//! A file of records of one length: a header, then for each frame its time, positions, velocities, accelerations and a checksum,
//! all little-endian. What was cut off in the middle of a record is ignored.
//!
//! What a run remembers besides its state is needed of the last frame only. It is in a file of its own beside, with two places that are
//! written in turn, each before its frame: one of them is always whole.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use dynamics::State;
use math::Vect;

use crate::Error;

const MAGIC: &[u8; 8] = b"supple1\n";
const HEADER: u64 = 8 + 8 + 8;

/// Frames of one simulation.
pub struct Record {
    file: File,
    path: PathBuf,
    vertices: usize,
    frames: usize,
}

impl Record {
    /// Starts a new record, in place of an old one. The fingerprint stands for all that the frames depend on.
    pub fn create(path: &Path, fingerprint: u64, vertices: usize) -> Result<Self, Error> {
        let fail = |e| trouble(path, "the frames cannot be written", e);
        let mut file =
            OpenOptions::new().read(true).write(true).create(true).truncate(true).open(path).map_err(fail)?;
        file.write_all(&header(fingerprint, vertices)).map_err(fail)?;
        Ok(Self { file, path: path.into(), vertices, frames: 0 })
    }

    /// Opens a record to go on with it. Its whole frames stay; damaged ones at its end are dropped.
    pub fn resume(path: &Path, fingerprint: u64, vertices: usize) -> Result<Self, Error> {
        let fail = |e| trouble(path, "the frames cannot be read", e);
        let mut file = match OpenOptions::new().read(true).write(true).open(path) {
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
                let what = "there are no frames of a stopped run to go on with. Run without --resume.";
                return Err(Error::Record { what: what.into(), file: path.into() });
            }
            opened => opened.map_err(fail)?,
        };
        let mut found = [0; HEADER as usize];
        if file.read_exact(&mut found).is_err() || found[..8] != *MAGIC {
            let what = "this file does not hold frames of a stopped run. Run without --resume.";
            return Err(Error::Record { what: what.into(), file: path.into() });
        }
        if found != header(fingerprint, vertices) {
            let what = "these frames were made from another input or with other settings. \
                        Use the ones of the stopped run, or run without --resume.";
            return Err(Error::Record { what: what.into(), file: path.into() });
        }
        let length = file.metadata().map_err(fail)?.len();
        let mut record = Self { file, path: path.into(), vertices, frames: 0 };
        let stored = (length.saturating_sub(HEADER) / record.stride()) as usize;
        while record.frames < stored && record.whole(record.frames).map_err(fail)? {
            record.frames += 1;
        }
        record.file.set_len(record.place(record.frames)).map_err(fail)?;
        Ok(record)
    }

    /// How many frames it holds.
    pub fn frames(&self) -> usize {
        self.frames
    }

    fn stride(&self) -> u64 {
        8 + 9 * 8 * self.vertices as u64 + 8
    }

    fn place(&self, frame: usize) -> u64 {
        HEADER + frame as u64 * self.stride()
    }

    fn bytes(&mut self, frame: usize) -> std::io::Result<Vec<u8>> {
        let mut bytes = vec![0; self.stride() as usize];
        self.file.seek(SeekFrom::Start(self.place(frame)))?;
        self.file.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    fn whole(&mut self, frame: usize) -> std::io::Result<bool> {
        let bytes = self.bytes(frame)?;
        let (data, sum) = bytes.split_at(bytes.len() - 8);
        Ok(fingerprint([data]).to_le_bytes() == sum)
    }

    /// Adds a frame, and what the run remembers with it. Where the disk is full, the frames before it stay good.
    pub fn push(&mut self, state: &State<3>, memory: &[f64]) -> Result<(), Error> {
        self.remember(memory).map_err(|e| trouble(&self.path, "the frames cannot be written", e))?;
        let mut bytes = Vec::with_capacity(self.stride() as usize);
        bytes.extend(state.t.to_le_bytes());
        for v in [&state.x, &state.v, &state.a].into_iter().flatten() {
            v.iter().for_each(|number| bytes.extend(number.to_le_bytes()));
        }
        bytes.extend(fingerprint([&bytes[..]]).to_le_bytes());
        let place = self.place(self.frames);
        let written = self.file.seek(SeekFrom::Start(place)).and_then(|_| self.file.write_all(&bytes));
        if let Err(e) = written {
            let _ = self.file.set_len(place); // as far as the disk allows; a damaged frame is known by its checksum
            let what = format!(
                "frame {} cannot be written: {e}.\nMake room on the disk, then go on with --resume: the {} frames before it are kept.",
                self.frames, self.frames
            );
            return Err(Error::Record { what, file: self.path.clone() });
        }
        self.frames += 1;
        Ok(())
    }

    fn memory_file(&self) -> PathBuf {
        let mut name = self.path.as_os_str().to_owned();
        name.push(".memory");
        name.into()
    }

    /// Writes a memory: frame, how many numbers, the numbers, a checksum. Its place, one of two, is that of the frame to come.
    fn remember(&mut self, memory: &[f64]) -> std::io::Result<()> {
        if memory.is_empty() {
            return Ok(());
        }
        let mut bytes: Vec<u8> =
            [self.frames as u64, memory.len() as u64].iter().flat_map(|n| n.to_le_bytes()).collect();
        memory.iter().for_each(|number| bytes.extend(number.to_le_bytes()));
        bytes.extend(fingerprint([&bytes[..]]).to_le_bytes());
        let mut file = OpenOptions::new().write(true).create(true).truncate(false).open(self.memory_file())?;
        file.seek(SeekFrom::Start((self.frames % 2 * bytes.len()) as u64))?;
        file.write_all(&bytes)
    }

    /// The last frame, and what the run remembered then; nothing where that is damaged.
    pub fn last(&mut self) -> Result<(State<3>, Vec<f64>), Error> {
        let frame = self.frames.saturating_sub(1);
        let all = std::fs::read(self.memory_file()).unwrap_or_default();
        let find = || {
            let count = u64::from_le_bytes(all.get(8..16)?.try_into().ok()?);
            let length = usize::try_from(count).ok()?.checked_add(3)?.checked_mul(8)?;
            let place = all.get((frame % 2).checked_mul(length)?..)?.get(..length)?;
            let (data, sum) = place.split_at(length - 8);
            let right = data[..8] == (frame as u64).to_le_bytes() && fingerprint([data]).to_le_bytes() == sum;
            let numbers = data[16..].chunks_exact(8).map(|b| f64::from_le_bytes(b.try_into().unwrap_or_default()));
            right.then(|| numbers.collect())
        };
        let memory = find().unwrap_or_default();
        Ok((self.state(frame)?, memory))
    }

    /// Reads a frame.
    pub fn state(&mut self, frame: usize) -> Result<State<3>, Error> {
        let bytes = self.bytes(frame).map_err(|e| trouble(&self.path, "the frames cannot be read", e))?;
        let mut numbers = bytes.chunks_exact(8).map(|b| f64::from_le_bytes(b.try_into().unwrap_or_default()));
        let t = numbers.next().unwrap_or_default();
        let n = self.vertices;
        let mut list =
            || -> Vec<Vect<3>> { (0..n).map(|_| Vect::from_fn(|_, _| numbers.next().unwrap_or_default())).collect() };
        Ok(State { t, x: list(), v: list(), a: list() })
    }

    /// Removes the file.
    pub fn remove(self) {
        // if they cannot be removed, nothing is lost
        let _ = std::fs::remove_file(self.memory_file());
        let _ = std::fs::remove_file(&self.path);
    }
}

fn header(fingerprint: u64, vertices: usize) -> [u8; HEADER as usize] {
    let mut bytes = [0; HEADER as usize];
    bytes[..8].copy_from_slice(MAGIC);
    bytes[8..16].copy_from_slice(&fingerprint.to_le_bytes());
    bytes[16..].copy_from_slice(&(vertices as u64).to_le_bytes());
    bytes
}

/// FNV-1a, eight bytes at a time: it tells accidents, not attacks.
pub(crate) fn fingerprint<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut mix = |word: u64| {
        hash = (hash ^ word).wrapping_mul(0x0000_0100_0000_01b3);
        hash ^= hash >> 29;
    };
    for piece in pieces {
        let mut words = piece.chunks_exact(8);
        words.by_ref().for_each(|w| mix(u64::from_le_bytes(w.try_into().unwrap_or_default())));
        words.remainder().iter().for_each(|b| mix(u64::from(*b)));
        mix(piece.len() as u64);
    }
    hash
}

fn trouble(file: &Path, what: &str, error: std::io::Error) -> Error {
    let what = format!("{what}: {error}. Check that you may write there, and that the disk is not full.");
    Error::Record { what, file: file.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(k: usize) -> State<3> {
        let list = |s: f64| (0..5).map(|i| Vect::from([s, k as f64, i as f64 / 3.0])).collect();
        State { t: k as f64 / 24.0, x: list(1.0), v: list(2.0), a: list(3.0) }
    }

    fn memory(k: usize) -> Vec<f64> {
        (0..7).map(|i| (k * 10 + i) as f64).collect()
    }

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("supple-record-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn frames_come_back_bit_for_bit_and_a_torn_one_is_dropped() {
        let folder = folder("torn");
        let path = folder.join("a.frames");
        let mut record = Record::create(&path, 7, 5).unwrap();
        (0..4).for_each(|k| record.push(&state(k), &memory(k)).unwrap());
        drop(record);
        let length = std::fs::metadata(&path).unwrap().len();
        OpenOptions::new().write(true).open(&path).unwrap().set_len(length - 100).unwrap();
        let mut record = Record::resume(&path, 7, 5).unwrap();
        assert_eq!(record.frames(), 3);
        assert_eq!(record.last().unwrap(), (state(2), memory(2)));
        record.push(&state(3), &memory(3)).unwrap();
        assert_eq!(record.last().unwrap(), (state(3), memory(3)));
        for k in 0..4 {
            assert_eq!(record.state(k).unwrap(), state(k));
        }
        // one bit in the last memory
        let place = path.with_file_name("a.frames.memory");
        let mut bytes = std::fs::read(&place).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        std::fs::write(&place, &bytes).unwrap();
        assert_eq!(record.last().unwrap(), (state(3), vec![]));
        // one bit in the third frame
        let mut bytes = std::fs::read(&path).unwrap();
        let place = record.place(2) as usize + 50;
        bytes[place] ^= 1;
        std::fs::write(&path, &bytes).unwrap();
        assert_eq!(Record::resume(&path, 7, 5).unwrap().frames(), 2);
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn the_memory_of_a_first_frame_is_found() {
        let folder = folder("first");
        let mut record = Record::create(&folder.join("a.frames"), 7, 5).unwrap();
        record.push(&state(0), &memory(0)).unwrap();
        assert_eq!(record.last().unwrap(), (state(0), memory(0)));
        // the disk was full in the middle of the next one
        OpenOptions::new().append(true).open(record.memory_file()).unwrap().write_all(&[1; 21]).unwrap();
        assert_eq!(record.last().unwrap(), (state(0), memory(0)));
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn other_settings_and_other_files_are_refused() {
        let folder = folder("other");
        let path = folder.join("a.frames");
        assert!(Record::resume(&path, 7, 5).err().unwrap().to_string().contains("no frames"));
        drop(Record::create(&path, 7, 5).unwrap());
        assert!(Record::resume(&path, 8, 5).err().unwrap().to_string().contains("other settings"));
        assert!(Record::resume(&path, 7, 6).err().unwrap().to_string().contains("other settings"));
        std::fs::write(&path, b"x").unwrap();
        assert!(Record::resume(&path, 7, 5).err().unwrap().to_string().contains("does not hold"));
        std::fs::remove_dir_all(folder).unwrap();
    }
}
