//! Motion of nodes as a new clip, where it is not the artist's clip as it is: other speed, loops, motion capture.

use super::clips::sampler;
use super::draft::{Draft, list};
use super::meshes::object;
use nalgebra::{Quaternion, UnitQuaternion};
use rig::{Character, Local, Pose, Trs};
use serde_json::{Value, json};

/// What a channel takes of a node's place.
type Numbers = fn(&Trs) -> Vec<f64>;

/// The places of all nodes in their parents, frame by frame.
pub(crate) struct Track {
    locals: Vec<Vec<Trs>>,
    rest: Vec<Trs>,
}

impl Track {
    pub fn new(character: &Character) -> Self {
        let rest = character.nodes.iter().map(|node| node.local.trs()).collect();
        Self { locals: Vec::new(), rest }
    }

    /// The next frame. Quaternions stay on one side, so that what is straight between them is short.
    pub fn push(&mut self, pose: &Pose) {
        let before = self.locals.last().unwrap_or(&self.rest);
        let near = |(local, before): (&Local, &Trs)| {
            let mut trs = local.trs();
            if trs.rotation.dot(&before.rotation) < 0.0 {
                trs.rotation = -trs.rotation;
            }
            trs
        };
        self.locals.push(pose.parent_from_node.iter().zip(before).map(near).collect());
    }

    /// Adds the clip; its place among the animations. Only what moves, or is not as the file has it, gets a channel.
    pub fn write(&self, draft: &mut Draft, name: &str, times: &[f32]) -> usize {
        let input = draft.times(times);
        let (mut channels, mut samplers) = (Vec::new(), Vec::new());
        for node in 0..self.rest.len() {
            let paths: [(&str, &str, Numbers); 3] = [
                ("translation", "VEC3", |trs| trs.translation.as_slice().to_vec()),
                ("rotation", "VEC4", |trs| unit(&trs.rotation).as_slice().to_vec()),
                ("scale", "VEC3", |trs| trs.scale.as_slice().to_vec()),
            ];
            for (path, shape, numbers) in paths {
                let rest = numbers(&self.rest[node]);
                let keys: Vec<Vec<f64>> = self.locals.iter().map(|frame| numbers(&frame[node])).collect();
                let size = rest.iter().fold(1e-3, |size: f64, x| size.max(x.abs()));
                let differs = |key: &Vec<f64>| key.iter().zip(&rest).any(|(a, b)| (a - b).abs() > 1e-7 * size);
                if !keys.iter().any(differs) {
                    continue;
                }
                let values: Vec<f32> = keys.concat().into_iter().map(|x| x as f32).collect();
                channels.push(json!({ "sampler": samplers.len(), "target": { "node": node, "path": path } }));
                samplers.push(sampler(draft, input, &values, shape));
                self.make_movable(draft, node);
            }
        }
        draft.push("animations", json!({ "name": name, "channels": channels, "samplers": samplers }))
    }

    /// A node with a matrix must not be animated: it gets its translation, rotation and scale instead.
    fn make_movable(&self, draft: &mut Draft, node: usize) {
        let rest = &self.rest[node];
        if let Some(json) = object(&mut draft.json, "nodes", node)
            && json.remove("matrix").is_some()
        {
            json.insert("translation".into(), json!(rest.translation.as_slice()));
            json.insert("rotation".into(), json!(unit(&rest.rotation).as_slice()));
            json.insert("scale".into(), json!(rest.scale.as_slice()));
        }
    }
}

/// Takes the clip out again if nothing ended up in it: a clip without channels is not allowed.
pub(crate) fn drop_empty(draft: &mut Draft, clip: usize) {
    let empty = object(&mut draft.json, "animations", clip).is_some_and(|clip| list(clip, "channels").is_empty());
    if empty {
        list(&mut draft.json, "animations").truncate(clip);
    }
    if draft.json.get("animations").and_then(Value::as_array).is_some_and(Vec::is_empty) {
        draft.json.remove("animations");
    }
}

/// x y z w, of length 1.
fn unit(rotation: &Quaternion<f64>) -> nalgebra::Vector4<f64> {
    UnitQuaternion::try_new(*rotation, 1e-12).unwrap_or_default().coords
}
