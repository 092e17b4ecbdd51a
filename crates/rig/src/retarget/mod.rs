//! Captured motion put on a character, joint by joint of the same name.

mod names;
mod rests;

use std::collections::BTreeMap;

use math::Vect;

use crate::hierarchy::parents_first;
use crate::{Affine, Channel, Character, Clip, Curve, Interpolation, Mocap, Target};

use names::match_names;
use rests::{Goal, Source, align, rotation};

/// How captured motion is put on a character.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Retarget {
    /// in which pose the captured skeleton corresponds to the character's rest
    pub rest: MocapRest,
    /// leave out the first frame: in CMU files a T-pose that was put there
    pub skip_first: bool,
    /// turn arms and legs that point elsewhere at rest (a T-pose and an A-pose) so that they point as captured
    pub align: bool,
    /// move the hips as captured, scaled to the character; otherwise it moves on the spot
    pub travel: bool,
}

/// The captured skeleton's rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MocapRest {
    /// all joints at their offsets, nothing turned
    Offsets,
    /// as in the first frame
    FirstFrame,
}

impl Default for Retarget {
    fn default() -> Self {
        Self { rest: MocapRest::Offsets, skip_first: false, align: true, travel: true }
    }
}

impl Retarget {
    /// For the files of the CMU library, which start with a T-pose.
    pub fn cmu() -> Self {
        Self { rest: MocapRest::FirstFrame, skip_first: true, ..Self::default() }
    }
}

/// Captured motion as a clip of a character.
#[derive(Clone, Debug)]
pub struct Retargeted {
    /// from 0 s on
    pub clip: Clip,
    /// captured joint and node, as many as were matched
    pub matched: Vec<(u32, u32)>,
    /// what found no partner, for the artist
    pub notes: Vec<String>,
}

/// Why captured motion cannot be put on a character.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RetargetError {
    /// no name in common
    #[error(
        "no joint of the motion capture has the name of a joint of the character, so nothing would move.\n\
         Rename the character's joints. The motion capture has {mocap}; the character has {character}."
    )]
    NothingMatches {
        /// the first names
        mocap: String,
        /// the first names
        character: String,
    },
    /// nothing to play
    #[error("the motion capture has no frames{}, so nothing would move.", if *.skipped { " after its first, which is left out" } else { "" })]
    NoFrames {
        /// whether there was one that was left out
        skipped: bool,
    },
}

/// Puts captured motion on a character. Joints are matched by name: upper and lower case, separators, and what stands before a
/// `:` or `|` or as `mixamorig` in front do not count, and a few names have a second form: LeftHandIndex1 is LeftHandFinger1,
/// LeftToe is LeftToeBase, and so on the right; Pelvis is Hips.
///
/// Each matched node turns in the world as its captured joint turned from the captured rest: R = ΔR · A · R_rest, where A takes
/// the arm or leg at rest to the direction of the captured one ([`Retarget::align`]); hands go with their arms, feet stay flat. The
/// captured root moves the first matched node, scaled by the ratio of the heights of the two above their lowest joints; its
/// path starts above the character's place, and at its lowest the lowest joint is as high as the character's own at rest.
/// The nodes that nothing moves stand as bound. Scales that differ by axis are kept but not turned exactly.
pub fn retarget(mocap: &Mocap, character: &Character, options: &Retarget) -> Result<Retargeted, RetargetError> {
    let mut notes = Vec::new();
    let matched = match_names(mocap, character, &mut notes)?;
    let first = usize::from(options.skip_first);
    if mocap.frames() <= first {
        return Err(RetargetError::NoFrames { skipped: mocap.frames() > 0 });
    }
    let source = Source::new(mocap, options);
    let target = Goal::new(character);
    let aligned = align(mocap, character, &source, &target, &matched, options.align);
    let joint_of: BTreeMap<usize, usize> = matched.iter().map(|&(j, n)| (n as usize, j as usize)).collect();

    // the captured joint that travels: of those matched the one nearest to the root
    let order = parents_first(&mocap.joints.iter().map(|j| j.parent).collect::<Vec<_>>());
    let node_of: BTreeMap<usize, usize> = matched.iter().map(|&(j, n)| (j as usize, n as usize)).collect();
    let root = order.iter().find_map(|(j, _)| Some((*j, *node_of.get(j)?)));

    let frames: Vec<_> = (first..mocap.frames()).map(|k| source.world(&mocap.locals(k))).collect();
    let times: Vec<_> = (0..frames.len()).map(|k| k as f64 * mocap.step()).collect();
    let mut channels = target.stand_as_bound(character);
    let mut turns: BTreeMap<usize, Vec<f64>> = joint_of.keys().map(|&n| (n, Vec::new())).collect();
    for frame in &frames {
        let mut now = target.rotation.clone(); // world_from_node, rotations only
        for &(node, parent) in &target.order {
            let world_from_parent = parent.map_or(target.world, |p| now[p]);
            now[node] = match joint_of.get(&node) {
                Some(&j) => rotation(&frame[j]) * source.rotation[j].inverse() * aligned[&node] * target.rotation[node],
                None => {
                    world_from_parent
                        * parent.map_or(target.world, |p| target.rotation[p]).inverse()
                        * target.rotation[node]
                }
            };
            if let Some(keys) = turns.get_mut(&node) {
                keys.extend((world_from_parent.inverse() * now[node]).coords.iter());
            }
        }
    }
    for (node, values) in turns {
        channels.retain(|c| c.target != Target::Rotation(node as u32));
        channels.push(channel(Target::Rotation(node as u32), &times, 4, values));
    }
    if let (true, Some((joint, node))) = (options.travel, root) {
        let values = travel(&source, &target, &frames, &matched, (joint, node), &mut notes);
        channels.retain(|c| c.target != Target::Translation(node as u32));
        channels.push(channel(Target::Translation(node as u32), &times, 3, values));
    }
    Ok(Retargeted { clip: Clip { name: "motion capture".into(), channels }, matched, notes })
}

/// Where the root is in its parent, frame by frame.
fn travel(
    source: &Source,
    target: &Goal,
    frames: &[Vec<Affine<3>>],
    matched: &[(u32, u32)],
    (joint, node): (usize, usize),
    notes: &mut Vec<String>,
) -> Vec<f64> {
    let lowest_joint = |at: &[Affine<3>]| matched.iter().map(|&(j, _)| at[j as usize].t.z).fold(f64::MAX, f64::min);
    let rest = &target.rest.world_from_node;
    let ground = matched.iter().map(|&(_, n)| rest[n as usize].t.z).fold(f64::MAX, f64::min);
    let floor = frames.iter().map(|frame| lowest_joint(frame)).fold(f64::MAX, f64::min);
    let (ours, theirs) = (rest[node].t.z - ground, source.rest[joint].t.z - lowest_joint(&source.rest));
    let known = ours > 0.0 && theirs > 0.0 && (ours / theirs).is_finite();
    let scale = if known { ours / theirs } else { 1.0 };
    if !known {
        notes.push("One of the skeletons has nothing below its hips; the path is not scaled.".into());
    }
    let parent_from_world = target.parent_from_world(node);
    let place = |frame: &Vec<Affine<3>>| {
        let across = rest[node].t + scale * (frame[joint].t - frames[0][joint].t);
        let up = ground + scale * (frame[joint].t.z - floor);
        parent_from_world.apply(&Vect::from([across.x, across.y, up])).data.0[0]
    };
    frames.iter().flat_map(place).collect()
}

fn channel(target: Target, times: &[f64], width: usize, values: Vec<f64>) -> Channel {
    Channel { target, curve: Curve { times: times.into(), width, values, interpolation: Interpolation::Linear } }
}

#[cfg(test)]
mod tests;
