//! Clips: what moves nodes and shapes over time.

use super::accessor::{Numbers, Reader};
use super::mesh::shape_count;
use super::{called, index, name_of};
use crate::FormatError;
use rig::{Channel, Clip, Curve, Interpolation, Part, Target};
use serde_json::Value;

/// All clips of the file. Channels that move nothing that there is are left out.
pub(super) fn clips(reader: &mut Reader, parts: &[Part]) -> Result<Vec<Clip>, FormatError> {
    let document = reader.document;
    let mut clips = Vec::new();
    for (k, animation) in document.list("animations").iter().enumerate() {
        let who = called("the clip", document, "animations", k);
        let mut channels = Vec::new();
        for entry in animation["channels"].as_array().map_or(&[][..], Vec::as_slice) {
            channels.extend(channel(reader, animation, entry, parts, &who)?);
        }
        clips.push(Clip { name: name_of(animation), channels });
    }
    Ok(clips)
}

fn channel(
    reader: &mut Reader,
    animation: &Value,
    entry: &Value,
    parts: &[Part],
    clip: &str,
) -> Result<Option<Channel>, FormatError> {
    let document = reader.document;
    let Some(node) = index(&entry["target"]["node"], "nodes", document, clip)? else {
        reader.note(format!("{clip} moves something that is no node; that was left out"));
        return Ok(None);
    };
    let place = node as u32;
    let shapes = parts.iter().find(|p| p.node == place).map_or_else(|| shape_count(reader, node), |p| p.shapes.len());
    let (target, width) = match entry["target"]["path"].as_str() {
        Some("translation") => (Target::Translation(place), 3),
        Some("rotation") => (Target::Rotation(place), 4),
        Some("scale") => (Target::Scale(place), 3),
        Some("weights") => (Target::Weights(place), shapes),
        _ => {
            reader.note(format!("{clip} moves something unknown; that was left out"));
            return Ok(None);
        }
    };
    let who = format!("{clip}, which moves {},", called("the node", document, "nodes", node));
    if width == 0 {
        reader.note(format!("{who} asks for shapes, but there are none; that was left out"));
        return Ok(None);
    }
    let samplers = animation["samplers"].as_array().map_or(&[][..], Vec::as_slice);
    let sampler = super::container::whole(&entry["sampler"]).and_then(|k| samplers.get(k as usize));
    let sampler = sampler.ok_or_else(|| document.malformed(format!("{who} has no keys")))?;
    let interpolation = match sampler["interpolation"].as_str() {
        Some("STEP") => Interpolation::Step,
        Some("CUBICSPLINE") => Interpolation::Cubic,
        Some("LINEAR") | None => Interpolation::Linear,
        Some(_) => {
            reader.note(format!("{who} goes from key to key in an unknown way; straight was taken"));
            Interpolation::Linear
        }
    };
    let times = reader.numbers(&sampler["input"], &format!("the times of {who}"))?;
    let values = reader.numbers(&sampler["output"], &format!("the keys of {who}"))?;
    let curve = curve(reader, times, values, width, interpolation, &who)?;
    Ok(curve.map(|curve| Channel { target, curve }))
}

/// The keys, with those left out that have no time of their own or no value; none where no key is left.
fn curve(
    reader: &mut Reader,
    times: Numbers,
    values: Numbers,
    width: usize,
    interpolation: Interpolation,
    who: &str,
) -> Result<Option<Curve>, FormatError> {
    let document = reader.document;
    let keys = times.values.len();
    if keys == 0 {
        reader.note(format!("{who} has no keys there; that was left out"));
        return Ok(None);
    }
    let per_key = if interpolation == Interpolation::Cubic { 3 } else { 1 };
    // Shapes share one list of numbers; everything else has a vector for each key.
    let found = if values.width == 1 { values.values.len() / keys / per_key } else { values.width };
    if times.width != 1 || values.values.len() < keys.saturating_mul(found * per_key) || found == 0 {
        let (found, needed) = (values.count, keys * per_key);
        return Err(document.malformed(format!("{who} has {found} values for {keys} keys, but needs {needed}")));
    }
    if found != width {
        return Err(document.malformed(format!("{who} has keys of {found} numbers, but needs {width}")));
    }
    let step = width * per_key;
    let mut curve = Curve { times: Vec::new(), width, values: Vec::new(), interpolation };
    for (&time, key) in times.values.iter().zip(values.values.chunks_exact(step)) {
        let later = curve.times.last().is_none_or(|&last| time > last);
        if time.is_finite() && later && key.iter().all(|x| x.is_finite()) {
            curve.times.push(time);
            curve.values.extend_from_slice(key);
        }
    }
    let lost = keys - curve.times.len();
    if lost > 0 {
        reader.note(format!("{who} has {lost} of {keys} keys out of order or without a number; they were left out"));
    }
    Ok((!curve.times.is_empty()).then_some(curve))
}
