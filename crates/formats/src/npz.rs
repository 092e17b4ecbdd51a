//! NPZ: all frames as arrays, for Python.
//!
//! `positions` frames × vertices × 3, the vertices of all parts one after the other [m], z up; `starts` where each part
//! begins in them, and their number; `faces` n × 3 triangles into them; `names` of the parts; `fps` [1/s].

use npyz::npz::NpzWriter;
use npyz::zip::CompressionMethod;
use npyz::zip::write::FileOptions;
use npyz::{AutoSerialize, DType, Serialize, TypeStr, WriterBuilder};
use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;

use crate::save::{Trouble, save_frames};
use crate::take_out::single;
use crate::{FormatError, Frames, Take, Written};

type Arrays<'a> = NpzWriter<&'a mut BufWriter<File>>;

/// One file, whatever the number of parts.
pub(crate) fn write(file: &Path, take: &Take, frames: &mut dyn Frames) -> Result<Written, FormatError> {
    save_frames(file, |out| {
        let mut arrays = NpzWriter::new(out);
        positions(&mut arrays, file, take, frames)?;
        let mut starts = vec![0i64];
        let mut faces: Vec<i32> = Vec::new();
        for part in &take.parts {
            let start = starts[starts.len() - 1];
            let corner = |v: u32| i32::try_from(start + i64::from(v)).map_err(io::Error::other);
            for face in part.faces() {
                for pair in face[1..].windows(2) {
                    faces.extend([corner(face[0])?, corner(pair[0])?, corner(pair[1])?]);
                }
            }
            starts.push(start + part.vertices as i64);
        }
        array(&mut arrays, "faces", &[faces.len() as u64 / 3, 3], faces)?;
        array(&mut arrays, "starts", &[starts.len() as u64], starts)?;
        names(&mut arrays, take)?;
        array(&mut arrays, "fps", &[], [take.fps])?;
        arrays.zip_writer().finish().map_err(io::Error::from)?;
        Ok(())
    })?;
    Ok(Written::one(file))
}

fn positions(arrays: &mut Arrays, file: &Path, take: &Take, frames: &mut dyn Frames) -> Result<(), Trouble> {
    let shape = [frames.count() as u64, take.vertices() as u64, 3];
    let mut writer =
        arrays.array("positions", options(shape.iter().product()))?.default_dtype().shape(&shape).begin_nd()?;
    for k in 0..frames.count() {
        let x = take.frame(frames, k, file)?;
        writer.extend(x.iter().flatten().flat_map(single))?;
    }
    Ok(writer.finish()?)
}

/// As `np.array(["Body", "Eyes"])` would be: little-endian UTF-32, all as long as the longest.
fn names(arrays: &mut Arrays, take: &Take) -> io::Result<()> {
    let longest = take.parts.iter().map(|part| part.name.chars().count()).max().unwrap_or(0).max(1);
    let kind: TypeStr = format!("<U{longest}").parse().map_err(io::Error::other)?;
    let shape = [take.parts.len() as u64];
    let builder = arrays.array::<str>("names", options(longest as u64 * shape[0]))?;
    let mut writer = builder.dtype(DType::Plain(kind)).shape(&shape).begin_nd()?;
    take.parts.iter().try_for_each(|part| writer.push(part.name.as_str()))?;
    writer.finish()
}

fn array<T>(arrays: &mut Arrays, name: &str, shape: &[u64], values: impl IntoIterator<Item = T>) -> io::Result<()>
where
    T: Serialize + AutoSerialize,
{
    let mut writer = arrays.array(name, options(shape.iter().product()))?.default_dtype().shape(shape).begin_nd()?;
    writer.extend(values)?;
    writer.finish()
}

/// Not compressed, so that numpy reads it as fast as the disk; with the room that files above 4 GB need.
fn options(numbers: u64) -> FileOptions {
    FileOptions::default().compression_method(CompressionMethod::Stored).large_file(numbers >= 1 << 28)
}
