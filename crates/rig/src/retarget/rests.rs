//! The two skeletons at rest, and what takes one rest to the other.

use std::collections::BTreeMap;

use nalgebra::UnitQuaternion;

use super::names::{is_arm, is_limb};
use super::{MocapRest, Retarget, channel};
use crate::hierarchy::parents_first;
use crate::{Affine, Bound, Channel, Character, Mocap, Target, Trs};

pub(super) fn rotation(map: &Affine<3>) -> UnitQuaternion<f64> {
    UnitQuaternion::try_new(Trs::from_affine(map).rotation, 1e-12).unwrap_or_default()
}

/// The captured skeleton at rest, in the world.
pub(super) struct Source<'a> {
    mocap: &'a Mocap,
    /// world_from_joint [m]
    pub(super) rest: Vec<Affine<3>>,
    pub(super) rotation: Vec<UnitQuaternion<f64>>,
}

impl<'a> Source<'a> {
    pub(super) fn new(mocap: &'a Mocap, options: &Retarget) -> Self {
        let locals = match options.rest {
            MocapRest::Offsets => mocap.offsets(),
            MocapRest::FirstFrame => mocap.locals(0),
        };
        let mut source = Self { mocap, rest: Vec::new(), rotation: Vec::new() };
        source.rest = source.world(&locals);
        source.rotation = source.rest.iter().map(rotation).collect();
        source
    }

    /// world_from_joint [m]
    pub(super) fn world(&self, locals: &[Trs]) -> Vec<Affine<3>> {
        self.mocap.file_from_joints(locals).iter().map(|a| self.mocap.world_from_file * *a).collect()
    }
}

/// The character at rest.
pub(super) struct Goal {
    pub(super) rest: Bound,
    pub(super) rotation: Vec<UnitQuaternion<f64>>,
    /// the rotation of world_from_file
    pub(super) world: UnitQuaternion<f64>,
    pub(super) order: Vec<(usize, Option<usize>)>,
    /// world_from_file
    file: Affine<3>,
}

impl Goal {
    pub(super) fn new(character: &Character) -> Self {
        let rest = Bound::new(character);
        let order = parents_first(&character.nodes.iter().map(|n| n.parent).collect::<Vec<_>>());
        Self {
            rotation: rest.world_from_node.iter().map(rotation).collect(),
            world: rotation(&character.world_from_file),
            file: character.world_from_file,
            rest,
            order,
        }
    }

    pub(super) fn parent_from_world(&self, node: usize) -> Affine<3> {
        let parent = self.order.iter().find(|(n, _)| *n == node).and_then(|(_, p)| *p);
        let world_from_parent = parent.map_or(self.file, |p| self.rest.world_from_node[p]);
        world_from_parent.inverse().unwrap_or_default()
    }

    /// One key for all that is elsewhere by default than at rest.
    pub(super) fn stand_as_bound(&self, character: &Character) -> Vec<Channel> {
        let mut channels = Vec::new();
        for (n, local) in self.rest.pose(character).parent_from_node.iter().enumerate() {
            let (bound, default) = (local.affine(), character.nodes[n].local.affine());
            let apart = (bound.R - default.R).norm() > 1e-5 * bound.R.norm()
                || (bound.t - default.t).norm() > 1e-5 * (bound.t.norm() + default.t.norm());
            if apart {
                let (trs, n) = (local.trs(), n as u32);
                channels.push(channel(Target::Translation(n), &[0.0], 3, trs.translation.as_slice().into()));
                channels.push(channel(Target::Rotation(n), &[0.0], 4, trs.rotation.coords.as_slice().into()));
                channels.push(channel(Target::Scale(n), &[0.0], 3, trs.scale.as_slice().into()));
            }
        }
        channels
    }
}

/// For each matched node the rotation, in the world, that takes its bone at rest to the direction of the captured one.
pub(super) fn align(
    mocap: &Mocap,
    character: &Character,
    source: &Source,
    target: &Goal,
    matched: &[(u32, u32)],
    wanted: bool,
) -> BTreeMap<usize, UnitQuaternion<f64>> {
    let joint_of: BTreeMap<usize, usize> = matched.iter().map(|&(j, n)| (n as usize, j as usize)).collect();
    // the nearest matched node above each node, and with it the nearest below, if it is the only one
    let mut above: Vec<Option<usize>> = vec![None; character.nodes.len()];
    let mut below: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for &(node, parent) in &target.order {
        above[node] = parent.and_then(|p| if joint_of.contains_key(&p) { Some(p) } else { above[p] });
        if let (true, Some(up)) = (joint_of.contains_key(&node), above[node]) {
            below.entry(up).or_default().push(node);
        }
    }
    let mut turns = BTreeMap::new();
    for &(node, _) in &target.order {
        let Some(&joint) = joint_of.get(&node) else { continue };
        let name = &mocap.joints[joint].name;
        let inherited = above[node].and_then(|up| turns.get(&up).copied());
        let inherited = inherited.filter(|_| is_arm(name) || is_limb(name)).unwrap_or_else(UnitQuaternion::identity);
        let next = below.get(&node).filter(|all| all.len() == 1 && wanted && is_limb(name));
        let turn = next.and_then(|next| {
            let ours = target.rest.world_from_node[next[0]].t - target.rest.world_from_node[node].t;
            let theirs = source.rest[joint_of[&next[0]]].t - source.rest[joint].t;
            Some(UnitQuaternion::rotation_between(&(inherited * ours), &theirs)? * inherited)
        });
        turns.insert(node, turn.unwrap_or(inherited));
    }
    turns
}
