//! `.bvh` motion capture: a hierarchy of joints, then one row of numbers per frame.

use crate::cursor::Cursor;
use crate::load::load;
use crate::text::parse;
use crate::{FormatError, Up};
use math::Vect;
use rig::{Mocap, MocapChannel, MocapJoint};
use std::collections::BTreeSet;
use std::path::Path;

/// Reads motion capture. The file says neither its units nor its axes: metres and y up are taken. Set
/// `world_from_file` otherwise, for the CMU library to `Up::Y.world_from_file(Mocap::CMU_UNIT)`.
pub fn read_bvh(file: impl AsRef<Path>) -> Result<Mocap, FormatError> {
    let file = file.as_ref();
    let data = load(file)?;
    let data = data.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&data); // the mark some editors put first
    let mut words = Cursor::new(data, file);
    words.reading("joints", 0, 0);
    let mut mocap = Mocap { world_from_file: Up::Y.world_from_file(1.0), ..Mocap::default() };
    if !words.word().is_some_and(|word| word.eq_ignore_ascii_case("HIERARCHY")) {
        return Err(FormatError::malformed("the word HIERARCHY is not at the start", words.place(), file));
    }
    hierarchy(&mut words, &mut mocap)?;
    let mut names = BTreeSet::new();
    if let Some(twice) = mocap.joints.iter().find(|joint| !joint.is_end && !names.insert(joint.name.as_str())) {
        mocap.notes.push(format!("Two joints have the name {:?}.", twice.name));
    }
    motion(&mut words, &mut mocap)?;
    Ok(mocap)
}

/// All joints, up to the word MOTION. Children follow their parents.
fn hierarchy(words: &mut Cursor, mocap: &mut Mocap) -> Result<(), FormatError> {
    let mut open: Vec<u32> = Vec::new();
    loop {
        let word = words.word().ok_or_else(|| words.ended())?;
        let place = words.place();
        let malformed = |what: String| FormatError::malformed(what, place, words.file);
        let current = open.last().and_then(|&joint| mocap.joints.get_mut(joint as usize));
        match word.to_ascii_uppercase().as_str() {
            kind @ ("ROOT" | "JOINT" | "END") => {
                let parent = open.last().copied();
                if (kind == "ROOT") != parent.is_none() {
                    let inside = if parent.is_some() { "inside a joint" } else { "outside the root" };
                    return Err(malformed(format!("{word} stands {inside}")));
                }
                let (name, is_end) = (opened(words)?, kind == "END");
                let name = if is_end { String::new() } else { name };
                open.push(mocap.joints.len() as u32);
                mocap.joints.push(MocapJoint { name, parent, is_end, ..MocapJoint::default() });
            }
            "OFFSET" => {
                let Some(joint) = current else { return Err(malformed("OFFSET stands outside a joint".into())) };
                let mut at = Vect::<3>::zeros();
                for slot in at.iter_mut() {
                    *slot = finite(words)?;
                }
                joint.offset = at;
            }
            "CHANNELS" => {
                let Some(joint) = current else { return Err(malformed("CHANNELS stand outside a joint".into())) };
                for _ in 0..words.number::<u64>("the number of channels")? {
                    joint.channels.push(channel(words)?);
                }
            }
            "}" if open.pop().is_some() => {}
            "MOTION" if open.is_empty() => return Ok(()),
            "MOTION" => return Err(malformed("MOTION begins before the last joint has its }".into())),
            _ => {
                let shown: String = word.chars().take(40).collect();
                return Err(malformed(format!("{shown:?} stands where JOINT, OFFSET, CHANNELS or }} should be")));
            }
        }
    }
}

/// The name of a joint, which may have spaces, up to its `{`.
fn opened(words: &mut Cursor) -> Result<String, FormatError> {
    let place = words.place();
    let mut name = Vec::new();
    while name.len() < 20 {
        let word = words.word().ok_or_else(|| words.ended())?;
        match word.strip_suffix('{') {
            Some(last) => {
                name.extend((!last.is_empty()).then(|| last.to_string()));
                return Ok(name.join(" "));
            }
            None => name.push(word.into_owned()),
        }
    }
    Err(FormatError::malformed("the name of a joint is not followed by {", place, words.file))
}

fn channel(words: &mut Cursor) -> Result<MocapChannel, FormatError> {
    let word = words.word().ok_or_else(|| words.ended())?;
    let place = words.place();
    match word.to_ascii_lowercase().as_str() {
        "xposition" => Ok(MocapChannel::XPosition),
        "yposition" => Ok(MocapChannel::YPosition),
        "zposition" => Ok(MocapChannel::ZPosition),
        "xrotation" => Ok(MocapChannel::XRotation),
        "yrotation" => Ok(MocapChannel::YRotation),
        "zrotation" => Ok(MocapChannel::ZRotation),
        _ => {
            let shown: String = word.chars().take(40).collect();
            let what = format!("{shown:?} stands where a channel such as Xrotation should be");
            Err(FormatError::malformed(what, place, words.file))
        }
    }
}

fn finite(words: &mut Cursor) -> Result<f64, FormatError> {
    let number: f64 = words.number("a number of an offset")?;
    let place = words.place();
    if number.is_finite() {
        return Ok(number);
    }
    Err(FormatError::malformed(format!("a number of an offset is {number}"), place, words.file))
}

/// The rows of the frames. A row is a line, so that a number lost in one does not shift all that follow.
fn motion(words: &mut Cursor, mocap: &mut Mocap) -> Result<(), FormatError> {
    words.reading("frames", 0, 0);
    let promised: u64 = setting(words, "frames")?;
    let place = words.place();
    mocap.frame_time = setting(words, "frame time")?;
    if !(mocap.frame_time.is_finite() && mocap.frame_time > 0.0) {
        let what = format!("the time from frame to frame is {}, but must be above zero", mocap.frame_time);
        return Err(FormatError::malformed(what, place, words.file));
    }
    let width = mocap.channels();
    if width == 0 {
        return Err(FormatError::malformed("no joint has a channel, so nothing moves", place, words.file));
    }
    let mut found = 0;
    loop {
        let place = words.place();
        let Some(line) = words.next_line() else { break };
        let before = mocap.values.len();
        for word in line.split_whitespace() {
            let value: f64 = parse(word, "a number of a frame", place, words.file)?;
            if !value.is_finite() {
                return Err(FormatError::malformed(format!("a number of frame {found} is {value}"), place, words.file));
            }
            mocap.values.push(value);
        }
        match mocap.values.len() - before {
            0 => continue,
            count if count == width => found += 1,
            count => {
                let what = format!("frame {found} has {count} numbers, but the joints need {width}");
                return Err(FormatError::malformed(what, place, words.file));
            }
        }
    }
    if found < promised {
        return Err(FormatError::EndsEarly { what: "frames", promised, found, file: words.file.into() });
    }
    if found == 0 {
        return Err(FormatError::malformed("the file holds no frame", words.place(), words.file));
    }
    if found > promised {
        mocap
            .notes
            .push(format!("The file says that it holds {promised} frames, but there are {found}. All were read."));
    }
    Ok(())
}

/// A line such as `Frames: 4`.
fn setting<T: std::str::FromStr>(words: &mut Cursor, name: &str) -> Result<T, FormatError> {
    loop {
        let place = words.place();
        let line = words.next_line().ok_or_else(|| words.ended())?;
        if line.is_empty() {
            continue;
        }
        return match line.split_once(':') {
            Some((key, value)) if key.trim().eq_ignore_ascii_case(name) => {
                parse(value.trim(), &format!("the value of {name:?}"), place, words.file)
            }
            _ => Err(FormatError::malformed(format!("the line {name:?} is missing"), place, words.file)),
        };
    }
}
