//! Which joints of two skeletons are the same, by their names.

use std::collections::BTreeMap;

use crate::{Character, Mocap, RetargetError};

/// Names that mean one joint, as they are after [`plain`].
const ALIASES: [(&str, &str); 5] = [
    ("lefthandindex1", "lefthandfinger1"),
    ("righthandindex1", "righthandfinger1"),
    ("lefttoe", "lefttoebase"),
    ("righttoe", "righttoebase"),
    ("pelvis", "hips"),
];

/// A name without what differs between programs: prefixes, separators, upper case, aliases.
fn plain(name: &str) -> String {
    let name = name.rsplit([':', '|']).next().unwrap_or(name);
    let name: String = name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    let name = name.strip_prefix("mixamorig").unwrap_or(&name);
    let alias = ALIASES.iter().find(|(from, _)| *from == name);
    alias.map_or(name, |(_, to)| to).into()
}

/// Pairs of captured joint and node of the same name, and notes on captured joints that have none. Of nodes with one name the
/// first counts.
pub(super) fn match_names(
    mocap: &Mocap,
    character: &Character,
    notes: &mut Vec<String>,
) -> Result<Vec<(u32, u32)>, RetargetError> {
    let mut nodes = BTreeMap::new();
    for (k, node) in character.nodes.iter().enumerate() {
        nodes.entry(plain(&node.name)).or_insert(k as u32);
    }
    let (mut matched, mut alone) = (Vec::new(), Vec::new());
    for (k, joint) in mocap.joints.iter().enumerate().filter(|(_, j)| !j.is_end && !j.name.is_empty()) {
        match nodes.remove(&plain(&joint.name)) {
            Some(node) => matched.push((k as u32, node)),
            None => alone.push(joint.name.as_str()),
        }
    }
    if matched.is_empty() {
        let captured = mocap.joints.iter().filter(|j| !j.is_end).map(|j| j.name.as_str());
        return Err(RetargetError::NothingMatches {
            mocap: first_names(captured),
            character: first_names(character.nodes.iter().map(|n| n.name.as_str())),
        });
    }
    if !alone.is_empty() {
        let names = first_names(alone.into_iter());
        notes.push(format!("The motion capture's {names} found no joint of that name in the character."));
    }
    Ok(matched)
}

/// Up to five names, and how many there are beside them.
fn first_names<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<_> = names.filter(|n| !n.is_empty()).map(|n| format!("{n:?}")).collect();
    match names.len() {
        0 => "no names".into(),
        1..=5 => names.join(", "),
        more => format!("{} and {} more", names[..5].join(", "), more - 5),
    }
}

/// Whether a joint moves an arm or what hangs on it.
pub(super) fn is_arm(name: &str) -> bool {
    let name = plain(name);
    ["arm", "hand", "finger", "thumb", "wrist", "elbow"].iter().any(|word| name.contains(word))
}

/// Whether a joint moves the long bone of an arm or a leg.
pub(super) fn is_limb(name: &str) -> bool {
    let name = plain(name);
    ["arm", "elbow", "leg", "thigh", "knee", "shin", "calf"].iter().any(|word| name.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_different_programs_are_one() {
        for name in ["LeftUpLeg", "mixamorig:LeftUpLeg", "mixamorig_LeftUpLeg", "Armature|left_up-leg", "LEFT UP.LEG"] {
            assert_eq!(plain(name), "leftupleg");
        }
        assert_eq!(plain("LeftHandIndex1"), plain("LeftHandFinger1"));
        assert!(plain("upperarm01.L") != plain("upperarm01.R"));
    }

    #[test]
    fn limbs_are_told_from_feet_and_shoulders() {
        assert!(["LeftArm", "RightForeArm", "LeftUpLeg", "RightLeg"].iter().all(|n| is_limb(n)));
        assert!(
            !["LeftFoot", "LeftToeBase", "LeftShoulder", "LHipJoint", "Spine1", "LeftHand"].iter().any(|n| is_limb(n))
        );
        assert!(is_arm("LeftHandIndex1") && !is_arm("LeftFoot"));
    }
}
