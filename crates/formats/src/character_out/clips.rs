//! Channels of weights put into the file's clips.

use super::draft::{Draft, list};
use super::meshes::{Counts, object};
use super::weights::WeightKeys;
use crate::FormatError;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A sampler that is straight from key to key.
pub(crate) fn sampler(draft: &mut Draft, times: usize, values: &[f32], shape: &str) -> Value {
    json!({ "input": times, "output": draft.floats(values, shape), "interpolation": "LINEAR" })
}

/// Puts a node's weights into a clip, in place of those it has there.
pub(crate) fn set_weights(draft: &mut Draft, clip: usize, node: u32, keys: &WeightKeys) -> Option<()> {
    let times = draft.times(&keys.times);
    let sampler = sampler(draft, times, &keys.values, "SCALAR");
    let animation = object(&mut draft.json, "animations", clip)?;
    let samplers = list(animation, "samplers");
    samplers.push(sampler);
    let sampler = samplers.len() - 1;
    let channels = list(animation, "channels");
    match channels.iter_mut().find(|channel| moves_weights(channel) == Some(node.into())) {
        Some(channel) => channel.as_object_mut()?.insert("sampler".into(), sampler.into()).map(|_| ()),
        None => {
            channels.push(json!({ "sampler": sampler, "target": { "node": node, "path": "weights" } }));
            Some(())
        }
    }
}

/// The node whose weights a channel moves.
fn moves_weights(channel: &Value) -> Option<u64> {
    (channel["target"]["path"] == "weights").then(|| channel["target"]["node"].as_u64()).flatten()
}

/// Where a clip moves the weights of nodes that have got shapes, ours are out: each key gets zeros for them.
/// `read` gives the numbers of an accessor.
pub(crate) fn widen(
    draft: &mut Draft,
    counts: &BTreeMap<u32, Counts>,
    read: &dyn Fn(usize) -> Result<Vec<f64>, FormatError>,
) -> Result<(), FormatError> {
    for clip in 0..list(&mut draft.json, "animations").len() {
        let Some(animation) = object(&mut draft.json, "animations", clip) else { continue };
        let channels = list(animation, "channels").clone();
        for (k, channel) in channels.iter().enumerate() {
            let count = moves_weights(channel).and_then(|node| counts.get(&u32::try_from(node).ok()?));
            let (Some(count), Some(index)) = (count, channel["sampler"].as_u64()) else { continue };
            let Some(animation) = object(&mut draft.json, "animations", clip) else { continue };
            let Some(mut sampler) = list(animation, "samplers").get(index as usize).cloned() else { continue };
            let Some(output) = sampler["output"].as_u64() else { continue };
            let mut values: Vec<f32> = Vec::new();
            for theirs in read(output as usize)?.chunks(count.artist.max(1)) {
                values.extend(theirs.iter().map(|&w| w as f32));
                values.resize(values.len() + count.ours, 0.0);
            }
            sampler["output"] = draft.floats(&values, "SCALAR").into();
            let shared = channels.iter().filter(|other| other["sampler"] == channel["sampler"]).count() > 1;
            let Some(animation) = object(&mut draft.json, "animations", clip) else { continue };
            let samplers = list(animation, "samplers");
            if !shared {
                samplers[index as usize] = sampler;
                continue;
            }
            samplers.push(sampler);
            let last = samplers.len() - 1;
            if let Some(channel) = list(animation, "channels").get_mut(k).and_then(Value::as_object_mut) {
                channel.insert("sampler".into(), last.into());
            }
        }
    }
    Ok(())
}

/// Takes out samplers that no channel of a clip uses any more.
pub(crate) fn sweep(draft: &mut Draft, clip: usize) {
    let Some(animation) = object(&mut draft.json, "animations", clip) else { return };
    let channels = list(animation, "channels").clone();
    let used = |k: usize| channels.iter().any(|channel| channel["sampler"].as_u64() == Some(k as u64));
    let kept: Vec<usize> = (0..list(animation, "samplers").len()).filter(|&k| used(k)).collect();
    let samplers = list(animation, "samplers");
    *samplers = kept.iter().map(|&k| samplers[k].clone()).collect();
    for channel in list(animation, "channels") {
        let place = channel["sampler"].as_u64().and_then(|old| kept.iter().position(|&k| k as u64 == old));
        if let (Some(place), Some(channel)) = (place, channel.as_object_mut()) {
            channel.insert("sampler".into(), place.into());
        }
    }
}
