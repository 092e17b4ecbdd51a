//! Ogawa, the container of Alembic files: blocks of data, and groups of their places. What is pointed at stands before
//! what points at it, so that a file is written in one go; only the place of the root is filled in last.

use std::io::{self, Seek, SeekFrom, Write};

/// Where a block or group is in the file; the highest bit tells blocks from groups.
pub(super) type Offset = u64;

const BLOCK: u64 = 1 << 63;
/// The group without members.
pub(super) const NO_GROUP: Offset = 0;
/// The block without bytes.
pub(super) const NO_BLOCK: Offset = BLOCK;

/// A file in the making.
pub(super) struct Ogawa<'a, W: Write + Seek> {
    out: &'a mut W,
    at: u64,
}

impl<'a, W: Write + Seek> Ogawa<'a, W> {
    /// Starts the file.
    pub(super) fn new(out: &'a mut W) -> io::Result<Self> {
        out.write_all(b"Ogawa\0\0\x01")?; // the first zero becomes 255 when the file is complete
        out.write_all(&[0; 8])?;
        Ok(Self { out, at: 16 })
    }

    /// A block of bytes.
    pub(super) fn block(&mut self, bytes: &[u8]) -> io::Result<Offset> {
        if bytes.is_empty() {
            return Ok(NO_BLOCK);
        }
        let start = self.at;
        self.put(&(bytes.len() as u64).to_le_bytes())?;
        self.put(bytes)?;
        Ok(start | BLOCK)
    }

    /// The value of a property at one time. Readers take values with the same key for the same.
    pub(super) fn sample(&mut self, values: &[u8]) -> io::Result<Offset> {
        let mut bytes = key(values).to_le_bytes().to_vec();
        bytes.extend(values);
        self.block(&bytes)
    }

    /// A group.
    pub(super) fn group(&mut self, members: &[Offset]) -> io::Result<Offset> {
        if members.is_empty() {
            return Ok(NO_GROUP);
        }
        let start = self.at;
        self.put(&(members.len() as u64).to_le_bytes())?;
        members.iter().try_for_each(|member| self.put(&member.to_le_bytes()))?;
        Ok(start)
    }

    /// Ends the file.
    pub(super) fn finish(self, root: Offset) -> io::Result<()> {
        self.out.seek(SeekFrom::Start(8))?;
        self.out.write_all(&root.to_le_bytes())?;
        self.out.seek(SeekFrom::Start(5))?;
        self.out.write_all(&[0xff])
    }

    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.at += bytes.len() as u64;
        self.out.write_all(bytes)
    }
}

/// FNV-1a with 128 bits.
fn key(bytes: &[u8]) -> u128 {
    const PRIME: u128 = (1 << 88) + 0x13b;
    bytes.iter().fold(0x6c62272e07bb014262b821756295c58d, |key, &byte| (key ^ u128::from(byte)).wrapping_mul(PRIME))
}

#[cfg(test)]
mod tests {
    #[test]
    fn keys_are_those_of_the_published_hash() {
        assert_eq!(super::key(b""), 0x6c62272e07bb014262b821756295c58d);
        assert_eq!(super::key(b"a"), 0xd228cb696f1a8caf78912b704e4a8964);
        assert_eq!(super::key(b"foobar"), 0x343e1662793c64bf6f0d3597ba446f18);
    }
}
