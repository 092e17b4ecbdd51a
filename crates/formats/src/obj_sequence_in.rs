//! An animation as one `.obj` per frame, put in order by the number in the name.

use crate::obj::read_vertices;
use crate::{Cache, CacheOptions, FormatError};
use std::path::{Path, PathBuf};

/// Reads a sequence named by one of its files (`walk_0001.obj`), a pattern (`walk_####.obj`, `walk_*.obj`,
/// `walk_%04d.obj`) or its folder. Frame number n is shown n − first frames after the start. The faces are those of any
/// one file: see [`crate::read_polygons`].
pub fn read_obj_sequence(name: impl AsRef<Path>, options: &CacheOptions) -> Result<Cache, FormatError> {
    options.check(name.as_ref())?;
    let files = numbered_files(name.as_ref())?;
    let mut cache = Cache::default();
    for (k, (number, file)) in files.iter().enumerate() {
        let frame = read_vertices(file)?;
        if k == 0 {
            cache.vertices = frame.len();
        }
        if frame.len() != cache.vertices {
            let (found, expected) = (frame.len(), cache.vertices);
            return Err(FormatError::WrongFrame { frame: k, found, expected, file: file.clone() });
        }
        cache.frames.push(frame.into_iter().map(|x| options.up.z_up(x)).collect());
        cache.times.push((number - files[0].0) as f64 / options.fps);
    }
    let gaps = files.windows(2).filter(|f| f[1].0 != f[0].0 + 1).count();
    if gaps > 0 {
        let note =
            format!("Some numbers are missing between the files (gaps: {gaps}). The motion goes straight across them.");
        cache.notes.push(note);
    }
    Ok(cache)
}

/// The files of a sequence, in the order of their numbers. `name` as for [`read_obj_sequence`].
pub fn obj_sequence_files(name: impl AsRef<Path>) -> Result<Vec<PathBuf>, FormatError> {
    Ok(numbered_files(name.as_ref())?.into_iter().map(|(_, file)| file).collect())
}

fn numbered_files(name: &Path) -> Result<Vec<(u64, PathBuf)>, FormatError> {
    let whole = name.is_dir();
    let folder = if whole { name } else { name.parent().unwrap_or(Path::new("")) };
    let wanted = match whole {
        true => None,
        false => Some(around_number(&name.file_name().unwrap_or_default().to_string_lossy()).ok_or_else(|| {
            FormatError::Unsupported {
                what: "no number in its name".into(),
                remedy: "Name the frames like walk_0001.obj, walk_0002.obj, … and choose the first.".into(),
                place: crate::Place::Unknown,
                file: name.into(),
            }
        })?),
    };
    let unreadable = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::NotFound => FormatError::Missing { file: name.into() },
        _ => FormatError::Unreadable { reason: error.to_string(), file: name.into() },
    };
    let opened = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let mut found: Vec<(u64, String)> = Vec::new();
    let mut names: Vec<(String, String)> = wanted.iter().map(|(p, _, s)| (p.clone(), s.clone())).collect();
    for entry in std::fs::read_dir(opened).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?.file_name().to_string_lossy().into_owned();
        let Some((before, number, after)) = around_number(&entry) else { continue };
        let Some(number) = number.filter(|_| after.to_ascii_lowercase().ends_with(".obj")) else { continue };
        let ends = (before, after);
        if whole && !names.contains(&ends) && names.len() < 3 {
            names.push(ends.clone());
        }
        if names.contains(&ends) {
            found.push((number, entry));
        }
    }
    if whole && names.len() > 1 {
        names.sort();
        let shown: Vec<String> = names.iter().map(|(before, after)| format!("{before}…{after}")).collect();
        return Err(FormatError::Unsupported {
            what: format!("more than one sequence: {}", shown.join(", ")),
            remedy: "Choose the first file of the one that you mean.".into(),
            place: crate::Place::Unknown,
            file: name.into(),
        });
    }
    found.sort();
    if let Some(two) = found.windows(2).find(|f| f[0].0 == f[1].0) {
        let (what, number, place) = ("files", two[0].0.min(i64::MAX as u64) as i64, crate::Place::Unknown);
        return Err(FormatError::SameNumber { what, number, place, file: folder.join(&two[1].1) });
    }
    if found.is_empty() {
        return Err(FormatError::Missing { file: name.into() });
    }
    Ok(found.into_iter().map(|(number, entry)| (number, folder.join(entry))).collect())
}

/// What stands before the last number of a name, the number, and what follows. In patterns the number is left open.
fn around_number(name: &str) -> Option<(String, Option<u64>, String)> {
    if let Some(at) = name.find('%') {
        let digits = name[at + 1..].bytes().take_while(u8::is_ascii_digit).count();
        let after = name[at + 1 + digits..].strip_prefix('d')?;
        return Some((name[..at].into(), None, after.into()));
    }
    for mark in ['#', '*'] {
        if let (Some(first), Some(last)) = (name.find(mark), name.rfind(mark)) {
            return Some((name[..first].into(), None, name[last + 1..].into()));
        }
    }
    let stem = name.rfind('.').unwrap_or(name.len());
    let end = name[..stem].rfind(|c: char| c.is_ascii_digit())? + 1;
    let start = end - name[..end].bytes().rev().take_while(u8::is_ascii_digit).count();
    Some((name[..start].into(), Some(name[start..end].parse().ok()?), name[end..].into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_number_before_the_ending_is_the_number_of_the_frame() {
        let parts = around_number;
        let expect = |a: &str, n, b: &str| Some((a.to_string(), n, b.to_string()));
        assert_eq!(parts("v2_walk_0012.obj"), expect("v2_walk_", Some(12), ".obj"));
        assert_eq!(parts("walk12_low.obj"), expect("walk", Some(12), "_low.obj"));
        assert_eq!(parts("walk_####.obj"), expect("walk_", None, ".obj"));
        assert_eq!(parts("walk_%04d.obj"), expect("walk_", None, ".obj"));
        assert_eq!(parts("walk_*.obj"), expect("walk_", None, ".obj"));
        assert_eq!(parts("walk.obj"), None);
    }
}
