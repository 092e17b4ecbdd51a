//! Alembic: animated meshes in one `.abc` file of the Ogawa kind. y up, metres, seconds, as every program expects.
//!
//! Each part is a transform that does nothing, so that programs name the object after it, and below it the mesh.

mod ogawa;
mod property;

use math::Vect;
use std::io::{self, Seek, Write};
use std::path::Path;

use crate::pc2::count;
use crate::save::save_frames;
use crate::take_out::{bounds, single};
use crate::{FormatError, Frames, Take, TakePart, Written};
use ogawa::{NO_BLOCK, NO_GROUP, Offset, Ogawa};
use property::{
    BOOL, BOX, INTEGERS, IS_BOX, IS_POINT, IS_UV, MESH, MESH_OBJECT, NONE, POINTS, UVS, XFORM, XFORM_OBJECT,
};

/// Room for the two hashes at the end of each list of children; readers accept zeros.
const HASHES: [u8; 32] = [0; 32];
/// Of the library whose files ours are like: 1.8.3.
const LIBRARY: u32 = 10803;

/// Alembic has y up.
fn alembic_from_world(x: &Vect<3>) -> [f32; 3] {
    single(&Vect::<3>::new(x.x, x.z, -x.y))
}

/// The samples of one part, as they come.
#[derive(Default)]
struct Samples {
    bounds: Vec<Offset>,
    points: Vec<Offset>,
}

/// One file. Each frame is written as it is read.
pub(crate) fn write(file: &Path, take: &Take, frames: &mut dyn Frames) -> Result<Written, FormatError> {
    let length = count(frames.count(), "frames", file)?.unsigned_abs();
    for part in &take.parts {
        count(part.vertices, "vertices", file)?; // corners are of 31 bits
    }
    save_frames(file, |out| {
        let mut ogawa = Ogawa::new(out)?;
        let mut samples: Vec<Samples> = take.parts.iter().map(|_| Samples::default()).collect();
        for k in 0..frames.count() {
            for (x, samples) in take.frame(frames, k, file)?.iter().zip(&mut samples) {
                let x: Vec<[f32; 3]> = x.iter().map(alembic_from_world).collect();
                let corners = bounds(&x).into_iter().flatten().flat_map(|v| f64::from(v).to_le_bytes());
                samples.bounds.push(ogawa.sample(&corners.collect::<Vec<u8>>())?);
                let values = x.into_iter().flatten().flat_map(f32::to_le_bytes);
                samples.points.push(ogawa.sample(&values.collect::<Vec<u8>>())?);
                samples.points.push(NO_BLOCK); // a list without further dimensions
            }
        }
        let names = take.names(|name| name.replace('/', "_"));
        let mut objects = vec![NO_GROUP]; // the top has no properties of its own
        let mut children = Vec::new();
        for ((part, samples), name) in take.parts.iter().zip(&samples).zip(&names) {
            objects.push(object(&mut ogawa, part, samples, name, length)?);
            children.extend(property::child(name, XFORM_OBJECT));
        }
        children.extend(HASHES);
        objects.push(ogawa.block(&children)?);
        let top = ogawa.group(&objects)?;
        let root = [
            ogawa.block(&0u32.to_le_bytes())?,
            ogawa.block(&LIBRARY.to_le_bytes())?,
            top,
            ogawa.block(about(take).as_bytes())?,
            ogawa.block(&samplings(take.fps, length))?,
            ogawa.block(&property::descriptions())?,
        ];
        let root = ogawa.group(&root)?;
        Ok(ogawa.finish(root)?)
    })?;
    Ok(Written::one(file))
}

/// A transform that does nothing, and the mesh below it.
fn object<W: Write + Seek>(
    ogawa: &mut Ogawa<W>,
    part: &TakePart,
    samples: &Samples,
    name: &str,
    frames: u32,
) -> io::Result<Offset> {
    let mesh = mesh(ogawa, part, samples, frames)?;
    let properties = [mesh, ogawa.block(&property::compound(".geom", MESH))?];
    let shape = [ogawa.group(&properties)?, ogawa.block(&HASHES)?];
    let shape = ogawa.group(&shape)?;
    let inherits = ogawa.sample(&[1])?;
    let xform = [ogawa.group(&[inherits])?, ogawa.block(&property::still(".inherits", BOOL, NONE))?];
    let properties = [ogawa.group(&xform)?, ogawa.block(&property::compound(".xform", XFORM))?];
    let mut children = property::child(&format!("{name}Shape"), MESH_OBJECT);
    children.extend(HASHES);
    let object = [ogawa.group(&properties)?, shape, ogawa.block(&children)?];
    ogawa.group(&object)
}

fn mesh<W: Write + Seek>(ogawa: &mut Ogawa<W>, part: &TakePart, samples: &Samples, frames: u32) -> io::Result<Offset> {
    let corners: Vec<u32> = part.faces().flat_map(|face| face.iter().rev().copied()).collect(); // clockwise
    let mut values = vec![
        ogawa.group(&samples.bounds)?,
        ogawa.group(&samples.points)?,
        list(ogawa, corners.iter().flat_map(|v| v.to_le_bytes()))?,
        list(ogawa, part.sizes.iter().flat_map(|n| n.to_le_bytes()))?,
    ];
    let mut headers = property::moving(".selfBnds", BOX, IS_BOX, frames);
    headers.extend(property::moving("P", POINTS, IS_POINT, frames));
    headers.extend(property::still(".faceIndices", INTEGERS, NONE));
    headers.extend(property::still(".faceCounts", INTEGERS, NONE));
    if !part.uv.is_empty() {
        values.push(list(ogawa, part.file_uv().flatten().flat_map(f32::to_le_bytes))?);
        headers.extend(property::still("uv", UVS, IS_UV));
    }
    values.push(ogawa.block(&headers)?);
    ogawa.group(&values)
}

/// The one sample of an array that never changes.
fn list<W: Write + Seek>(ogawa: &mut Ogawa<W>, bytes: impl Iterator<Item = u8>) -> io::Result<Offset> {
    let sample = ogawa.sample(&bytes.collect::<Vec<u8>>())?;
    ogawa.group(&[sample, NO_BLOCK])
}

/// What stands in the file's information.
fn about(take: &Take) -> String {
    format!("FramesPerTimeUnit={};_ai_AlembicVersion=Alembic 1.8.3;_ai_Application=Supple", take.fps)
}

/// Time sampling 0 for what stands still, and 1: frame k at k / fps [s].
fn samplings(fps: f64, frames: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (frames, step) in [(1, 1.0), (frames, 1.0 / fps)] {
        bytes.extend(frames.to_le_bytes());
        bytes.extend(step.to_le_bytes());
        bytes.extend(1u32.to_le_bytes()); // one sample per step, the first at 0
        bytes.extend(0f64.to_le_bytes());
    }
    bytes
}
