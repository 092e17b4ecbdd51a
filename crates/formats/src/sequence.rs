//! An animation as one `.obj` per frame, for programs that read nothing else.

use math::Vect;
use std::path::{Path, PathBuf};

use crate::save::{save, unwritable};
use crate::take_out::for_files;
use crate::{Animation, FormatError, Frames, Take, TakePart, Written};

/// Writes `name_0000.obj`, `name_0001.obj`, … into `folder`, which is made if only it is missing. The axes are those of
/// the simulation, because `.obj` knows no upward axis and is read here without turning.
pub fn write_obj_sequence(folder: impl AsRef<Path>, animation: &Animation) -> Result<Vec<PathBuf>, FormatError> {
    let folder = folder.as_ref();
    animation.check(folder)?;
    if !folder.is_dir() {
        std::fs::create_dir(folder).map_err(|error| unwritable(folder, error))?;
    }
    let triangles = &animation.surface.triangles;
    let part = TakePart {
        name: animation.name.clone(),
        sizes: vec![3; triangles.len()],
        corners: triangles.iter().flatten().copied().collect(),
        vertices: animation.surface.x.len(),
        uv: Vec::new(),
        color: animation.color,
    };
    let take = Take { name: animation.name.clone(), fps: animation.fps, parts: vec![part] };
    let name = for_files(&animation.name);
    (animation.frames.iter().enumerate())
        .map(|(k, x)| {
            let file = folder.join(format!("{name}_{k:04}.obj"));
            write_frame(&file, &take, std::slice::from_ref(x)).map(|()| file)
        })
        .collect()
}

/// Writes `walk_0000.obj`, `walk_0001.obj`, … where `walk.obj` was asked for.
pub(crate) fn write(file: &Path, take: &Take, frames: &mut dyn Frames) -> Result<Written, FormatError> {
    let name = file.file_stem().unwrap_or_default().to_string_lossy();
    let mut written = Written::default();
    for k in 0..frames.count() {
        let target = file.with_file_name(format!("{name}_{k:04}.obj"));
        write_frame(&target, take, &take.frame(frames, k, file)?)?;
        written.files.push(target);
    }
    written.notes.push(format!("an .obj file holds one frame, so there are {}.", written.files.len()));
    Ok(written)
}

/// All parts at one time, positions bit for bit.
fn write_frame(file: &Path, take: &Take, x: &[Vec<Vect<3>>]) -> Result<(), FormatError> {
    let names = take.names(|name| name.split_whitespace().collect::<Vec<_>>().join("_"));
    save(file, |out| {
        let (mut vertices, mut textured) = (1, 1);
        for ((part, x), name) in take.parts.iter().zip(x).zip(&names) {
            writeln!(out, "o {name}")?;
            for x in x {
                writeln!(out, "v {:.16e} {:.16e} {:.16e}", x.x, x.y, x.z)?;
            }
            for [u, v] in part.file_uv() {
                writeln!(out, "vt {u} {v}")?;
            }
            for face in part.faces() {
                write!(out, "f")?;
                for &v in face {
                    match part.uv.is_empty() {
                        true => write!(out, " {}", vertices + u64::from(v))?,
                        false => write!(out, " {}/{}", vertices + u64::from(v), textured + u64::from(v))?,
                    }
                }
                writeln!(out)?;
            }
            vertices += part.vertices as u64;
            textured += part.uv.len() as u64;
        }
        Ok(())
    })
}
