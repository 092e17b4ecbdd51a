//! USD as text: `.usda`, z up, metres; the time code is the number of the frame, from 0.

use std::io::{self, Write};
use std::path::Path;

use crate::save::{Trouble, save_frames};
use crate::take_out::{bounds, single};
use crate::{FormatError, Frames, Take, TakePart, Written};

/// One file, a mesh for each part.
pub(crate) fn write(file: &Path, take: &Take, frames: &mut dyn Frames) -> Result<Written, FormatError> {
    let names = take.names(identifier);
    let root = match identifier(&take.name) {
        empty if empty.is_empty() => "take".to_string(),
        root => root,
    };
    save_frames(file, |out| {
        let (fps, last) = (take.fps, frames.count() - 1);
        writeln!(out, "#usda 1.0\n(\n    defaultPrim = \"{root}\"\n    upAxis = \"Z\"\n    metersPerUnit = 1")?;
        writeln!(out, "    startTimeCode = 0\n    endTimeCode = {last}")?;
        writeln!(out, "    timeCodesPerSecond = {fps}\n    framesPerSecond = {fps}\n)\n")?;
        writeln!(out, "def Xform \"{root}\" (\n    kind = \"component\"\n)\n{{")?;
        for (k, (part, name)) in take.parts.iter().zip(&names).enumerate() {
            writeln!(out, "    def Mesh \"{name}\" (\n        displayName = {}\n    )\n    {{", quoted(&part.name))?;
            faces(out, part)?;
            points(out, file, take, k, frames)?;
            writeln!(out, "    }}")?;
        }
        Ok(writeln!(out, "}}")?)
    })?;
    Ok(Written::one(file))
}

/// What does not change. Faces that name a vertex twice show nothing and are left out: Blender 5.0 drops them itself, and
/// now and then a good face with them.
fn faces(out: &mut impl Write, part: &TakePart) -> io::Result<()> {
    let once = |face: &&[u32]| (1..face.len()).all(|k| !face[..k].contains(&face[k]));
    let faces: Vec<&[u32]> = part.faces().filter(once).collect();
    writeln!(out, "        uniform token subdivisionScheme = \"none\"")?;
    list(out, "int[] faceVertexCounts", &faces, |out, face| write!(out, "{}", face.len()))?;
    list(out, "int[] faceVertexIndices", &faces.concat(), |out, v| write!(out, "{v}"))?;
    let color = part.color.map(|v| if v.is_finite() { v } else { 0.5 });
    list(out, "color3f[] primvars:displayColor", &[color], triple)?;
    if !part.uv.is_empty() {
        let uv: Vec<[f32; 2]> = part.file_uv().collect();
        write!(out, "        texCoord2f[] primvars:st = [")?;
        commas(out, &uv, |out, [u, v]| write!(out, "({u:?}, {v:?})"))?;
        writeln!(out, "] (\n            interpolation = \"vertex\"\n        )")?;
    }
    Ok(())
}

/// The vertices of each frame, and the boxes around them.
fn points(out: &mut impl Write, file: &Path, take: &Take, part: usize, frames: &mut dyn Frames) -> Result<(), Trouble> {
    let mut boxes = Vec::new();
    writeln!(out, "        point3f[] points.timeSamples = {{")?;
    for k in 0..frames.count() {
        let x: Vec<[f32; 3]> = take.frame(frames, k, file)?[part].iter().map(single).collect();
        boxes.push(bounds(&x));
        write!(out, "            {k}: [")?;
        commas(out, &x, triple)?;
        writeln!(out, "],")?;
    }
    writeln!(out, "        }}\n        float3[] extent.timeSamples = {{")?;
    for (k, corners) in boxes.iter().enumerate() {
        write!(out, "            {k}: [")?;
        commas(out, corners, triple)?;
        writeln!(out, "],")?;
    }
    Ok(writeln!(out, "        }}")?)
}

/// `{:?}` has an exponent where it is shorter, and reads back to the same bits.
fn triple<W: Write>(out: &mut W, [x, y, z]: &[f32; 3]) -> io::Result<()> {
    write!(out, "({x:?}, {y:?}, {z:?})")
}

fn list<W: Write, T>(
    out: &mut W,
    name: &str,
    values: &[T],
    write: impl Fn(&mut W, &T) -> io::Result<()>,
) -> io::Result<()> {
    write!(out, "        {name} = [")?;
    commas(out, values, write)?;
    writeln!(out, "]")
}

fn commas<W: Write, T>(out: &mut W, values: &[T], write: impl Fn(&mut W, &T) -> io::Result<()>) -> io::Result<()> {
    for (k, value) in values.iter().enumerate() {
        if k > 0 {
            write!(out, ", ")?;
        }
        write(out, value)?;
    }
    Ok(())
}

/// A name as USD wants it: letters and digits of ASCII and underscores, no digit first; empty where nothing is left.
fn identifier(name: &str) -> String {
    let plain: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    match plain.chars().next() {
        Some(first) if first.is_ascii_digit() => format!("_{plain}"),
        Some(_) if plain.chars().all(|c| c == '_') => String::new(),
        _ => plain,
    }
}

/// As a string in the file.
fn quoted(text: &str) -> String {
    let escaped: String = text
        .chars()
        .map(|c| match c {
            '"' | '\\' => format!("\\{c}"),
            control if control.is_control() => " ".into(),
            other => other.into(),
        })
        .collect();
    format!("\"{escaped}\"")
}

#[cfg(test)]
mod tests {
    use super::{identifier, quoted};

    #[test]
    fn names_become_identifiers() {
        for (name, expected) in [
            ("Body", "Body"),
            ("Body.001", "Body_001"),
            ("3 eyes", "_3_eyes"),
            ("Bösch", "B_sch"),
            ("目", ""),
            ("", ""),
        ] {
            assert_eq!(identifier(name), expected);
        }
    }

    #[test]
    fn strings_cannot_end_early() {
        assert_eq!(quoted("a \"b\"\\\n"), r#""a \"b\"\\ ""#);
    }
}
