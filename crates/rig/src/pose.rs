//! Where everything of a character is at one moment.

use math::Vect;

use crate::hierarchy::parents_first;
use crate::{Affine, Character, Clip, Local, Target};

/// A character at one moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pose {
    /// where each node is in its parent, in the file's units
    pub parent_from_node: Vec<Local>,
    /// where each node is in the world: metres, z up
    pub world_from_node: Vec<Affine<3>>,
    /// how far each shape of each part is in
    pub shape_weights: Vec<Vec<f64>>,
}

impl Character {
    /// As the file has it when no clip moves it.
    pub fn rest_pose(&self) -> Pose {
        self.pose(&Clip::default(), 0.0)
    }

    /// As a clip has it at time t [s]. What the clip does not move is at rest; a value that is no number moves nothing.
    pub fn pose(&self, clip: &Clip, t: f64) -> Pose {
        let mut locals: Vec<_> = self.nodes.iter().map(|n| n.local).collect();
        let mut shape_weights: Vec<_> = self.parts.iter().map(|p| p.shape_weights.clone()).collect();
        for channel in &clip.channels {
            let (Target::Translation(node) | Target::Rotation(node) | Target::Scale(node) | Target::Weights(node)) =
                channel.target;
            if let Target::Weights(_) = channel.target {
                for (part, weights) in self.parts.iter().zip(&mut shape_weights).filter(|(p, _)| p.node == node) {
                    weights.resize(part.shapes.len(), 0.0);
                    channel.curve.sample(t, weights);
                }
                continue;
            }
            let Some(local) = locals.get_mut(node as usize) else { continue };
            let mut trs = local.trs();
            match channel.target {
                Target::Translation(_) => channel.curve.sample(t, trs.translation.as_mut_slice()),
                Target::Scale(_) => channel.curve.sample(t, trs.scale.as_mut_slice()),
                Target::Rotation(_) => channel.curve.sample_rotation(t, &mut trs.rotation),
                Target::Weights(_) => {}
            }
            *local = Local::Trs(trs);
        }
        self.assemble(locals, shape_weights)
    }

    /// A pose from where each node is in its parent.
    pub fn assemble(&self, parent_from_node: Vec<Local>, shape_weights: Vec<Vec<f64>>) -> Pose {
        let world_from_node = self.chain(&parent_from_node, |_| None);
        Pose { parent_from_node, world_from_node, shape_weights }
    }

    /// world_from_node of each node: what `known` says, else its parent's times its own place there.
    pub(crate) fn chain(&self, locals: &[Local], known: impl Fn(usize) -> Option<Affine<3>>) -> Vec<Affine<3>> {
        let parents: Vec<_> = self.nodes.iter().map(|n| n.parent).collect();
        let mut world_from_node = vec![self.world_from_file; self.nodes.len()];
        for (node, parent) in parents_first(&parents) {
            let world_from_parent = parent.map_or(self.world_from_file, |p| world_from_node[p]);
            world_from_node[node] = known(node).unwrap_or_else(|| world_from_parent * locals[node].affine());
        }
        world_from_node
    }

    /// A part's vertices after its shapes, in the mesh's own space.
    pub fn shaped(&self, pose: &Pose, part: usize) -> Vec<Vect<3>> {
        let weights = pose.shape_weights.get(part).map_or(&[][..], |w| w);
        let part = &self.parts[part];
        let mut x = part.surface.x.clone();
        for (shape, &weight) in part.shapes.iter().zip(weights).filter(|(_, w)| w.is_finite() && **w != 0.0) {
            x.iter_mut().zip(&shape.delta).for_each(|(x, delta)| *x += weight * delta);
        }
        x
    }

    /// world_from_mesh of each vertex of a part: its joints' maps blended, or its node's. A skinned part does not move with
    /// its node, as glTF has it.
    pub fn maps(&self, pose: &Pose, part: usize) -> Vec<Affine<3>> {
        let part = &self.parts[part];
        let vertices = part.surface.x.len();
        let Some(skin) = &part.skin else { return vec![pose.world_from_node[part.node as usize]; vertices] };
        let joints = skin.joints.iter().zip(&skin.joint_from_mesh);
        let world_from_mesh: Vec<_> = joints.map(|(&j, &bind)| pose.world_from_node[j as usize] * bind).collect();
        let blend = |vertex| {
            let mut sum = Affine::zero();
            skin.of(vertex).for_each(|(joint, weight)| sum.add_scaled(weight, &world_from_mesh[joint]));
            sum
        };
        (0..vertices).map(blend).collect()
    }

    /// A part's vertices in the world [m], z up.
    pub fn posed(&self, pose: &Pose, part: usize) -> Vec<Vect<3>> {
        let maps = self.maps(pose, part);
        maps.iter().zip(self.shaped(pose, part)).map(|(map, x)| map.apply(&x)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Trs, zoo};

    #[test]
    fn a_strip_bends_at_its_joint_whatever_the_armature_s_scale_and_the_nodes_order() {
        for armature in [1.0, 100.0] {
            let character = zoo::strip(2, armature);
            let pose = character.pose(&character.clips[0], 1.0);
            let x = character.posed(&pose, 0);
            // lower end: shifted by 0.5 along x and twice as wide; upper end: turned about z of the file by 90°, so its height
            // 1 above the joint goes to −x; the world has z up
            let near = |k: usize, at: [f64; 3]| assert!((x[k] - Vect::from(at)).norm() < 1e-12, "{k}: {}", x[k]);
            near(0, [0.5 - 0.4, 0.0, 0.0]);
            near(1, [0.5 + 0.4, 0.0, 0.0]);
            near(8, [0.5 - 1.0, 0.0, 1.0 - 0.4]);
            near(9, [0.5 - 1.0, 0.0, 1.0 + 0.4]);
        }
    }

    #[test]
    fn a_rigid_part_moves_with_its_node_and_a_matrix_can_be_animated() {
        let mut character = zoo::strip(1, 1.0);
        character.parts[0].skin = None;
        let at_node = Vect::from([7.0 - 0.2, -9.0, 8.0]);
        assert!((character.posed(&character.rest_pose(), 0)[0] - at_node).norm() < 1e-12);
        let turned = Trs { rotation: zoo::about_z(0.4), scale: Vect::from([-2.0, 3.0, 4.0]), ..Trs::default() };
        character.nodes[3].local = Local::Matrix(turned.affine());
        let clip = Clip {
            name: String::new(),
            channels: vec![zoo::linear(Target::Translation(3), &[0.0], vec![1.0, 2.0, 3.0])],
        };
        let place = character.pose(&clip, 0.0).parent_from_node[3].affine();
        assert!((place.R - turned.affine().R).norm() < 1e-12 && place.t == Vect::from([1.0, 2.0, 3.0]));
    }

    #[test]
    fn a_chain_of_a_hundred_thousand_joints_is_posed() {
        let nodes = (0..100_000).map(|k| zoo::node("", (k < 99_999).then_some(k + 1), [0.0, 1e-3, 0.0])).collect();
        let character = Character { nodes, ..Character::default() };
        let pose = character.rest_pose();
        assert!((pose.world_from_node[0].t.y - 100.0).abs() < 1e-6);
    }

    #[test]
    fn channels_of_nodes_that_are_not_there_and_values_that_are_no_numbers_move_nothing() {
        let mut character = zoo::strip(1, 1.0);
        let rest = character.rest_pose();
        character.clips[0].channels.iter_mut().for_each(|c| c.curve.values.fill(f64::NAN));
        character.clips[0].channels.push(zoo::linear(Target::Scale(99), &[0.0], vec![1.0; 3]));
        assert_eq!(character.pose(&character.clips[0], 0.5), rest);
    }
}
