//! A whole character as the artist bound it: one rest space for all its parts, and what moves them out of it.

use math::Vect;

use crate::binding::bind;
use crate::{Affine, Character, Local, Pose, Trs};

/// The rest of a character: the world's axes and metres, all parts as they were bound to their joints. A part's vertex X goes to
/// Σ w · world_from_rest(node) · X, the sum over its influences: with [`Bound::maps`] that is the posed vertex, also where the
/// file's default pose is not the one the skin was bound in.
#[derive(Clone, Debug)]
pub struct Bound {
    /// where each part's vertices are at rest [m], with the shapes as far in as by default
    pub rest: Vec<Vec<Vect<3>>>,
    /// where each node is at rest
    pub world_from_node: Vec<Affine<3>>,
    /// what could not be bound as the file says, for the artist
    pub notes: Vec<String>,
    node_from_world: Vec<Affine<3>>,
    influences: Vec<Influences>,
    joints: Vec<Joint>,
    /// a joint that carries nothing but ends a bone of one that does: that one, and where it ends
    ends: Vec<(usize, Vect<3>)>,
}

/// A joint that carries part of the body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Joint {
    /// the node
    pub node: u32,
    /// where it is at rest [m]
    pub at: Vect<3>,
    /// the joint it moves with: a place in the list of joints
    pub parent: Option<u32>,
}

/// Which nodes move the vertices of a part.
#[derive(Clone, Debug)]
struct Influences {
    starts: Vec<u32>,
    nodes: Vec<u32>,
    weights: Vec<f64>,
}

impl Bound {
    /// Binds a character.
    pub fn new(character: &Character) -> Self {
        let (world_from_node, world_from_mesh, notes) = bind(character);
        let pose = character.rest_pose();
        let shaped = |(part, map): (usize, &Affine<3>)| {
            character.shaped(&pose, part).iter().map(|x| map.apply(x)).collect::<Vec<_>>()
        };
        let rest = world_from_mesh.iter().enumerate().map(shaped).collect();
        let back = |map: &Affine<3>| map.inverse().unwrap_or_default(); // `bind` gives no other
        let influences: Vec<_> = (0..character.parts.len()).map(|part| Influences::new(character, part)).collect();
        let mut bound = Self {
            rest,
            node_from_world: world_from_node.iter().map(back).collect(),
            world_from_node,
            joints: Vec::new(),
            notes,
            influences,
            ends: Vec::new(),
        };
        bound.find_joints(character);
        bound
    }

    /// world_from_rest of each node in a pose.
    pub fn maps(&self, pose: &Pose) -> Vec<Affine<3>> {
        pose.world_from_node.iter().zip(&self.node_from_world).map(|(now, back)| *now * *back).collect()
    }

    /// The nodes and weights that move a vertex of a part, Σ = 1; the part's own node if it has no skin.
    pub fn influences(&self, part: usize, vertex: usize) -> impl Iterator<Item = (u32, f64)> + '_ {
        let of = &self.influences[part];
        let range = of.starts[vertex] as usize..of.starts[vertex + 1] as usize;
        of.nodes[range.clone()].iter().copied().zip(of.weights[range].iter().copied())
    }

    /// The joints that carry vertices of a part, and those that connect them, parents before children.
    pub fn joints(&self) -> &[Joint] {
        &self.joints
    }

    /// The bones as segments [m], each with the node that it moves with: from each joint to its children; where there are
    /// none, into the middle of what it carries.
    pub fn bones(&self) -> Vec<(u32, [Vect<3>; 2])> {
        let mut bones = Vec::new();
        let mut is_leaf = vec![true; self.joints.len()];
        let children = self.joints.iter().filter_map(|j| Some((j.parent? as usize, j.at)));
        for (parent, end) in children.chain(self.ends.iter().copied()) {
            bones.push((self.joints[parent].node, [self.joints[parent].at, end]));
            is_leaf[parent] = false;
        }
        let leaves: Vec<&Joint> = self.joints.iter().zip(is_leaf).filter(|(_, leaf)| *leaf).map(|(j, _)| j).collect();
        let middles = self.middles();
        bones.extend(
            leaves.iter().map(|joint| (joint.node, [joint.at, middles[joint.node as usize].unwrap_or(joint.at)])),
        );
        bones
    }

    /// The middle of what each node carries, where it carries anything; what it carries alone counts most.
    fn middles(&self) -> Vec<Option<Vect<3>>> {
        let mut sums = vec![(0.0, Vect::zeros()); self.world_from_node.len()];
        for (part, rest) in self.rest.iter().enumerate() {
            for (vertex, x) in rest.iter().enumerate() {
                for (node, w) in self.influences(part, vertex) {
                    let sum = &mut sums[node as usize];
                    *sum = (sum.0 + w * w, sum.1 + w * w * x);
                }
            }
        }
        let middle = |(weight, sum): (f64, Vect<3>)| Some(sum / weight).filter(|x| x.iter().all(|x| x.is_finite()));
        sums.into_iter().map(middle).collect()
    }

    /// The rest as a pose, from which motion can start.
    pub fn pose(&self, character: &Character) -> Pose {
        let local = |(k, node): (usize, &crate::Node)| {
            let parent = node.parent.map(|p| p as usize).filter(|&p| p < self.node_from_world.len() && p != k);
            let parent_from_world = match parent {
                Some(p) => self.node_from_world[p],
                None => character.world_from_file.inverse().unwrap_or_default(),
            };
            let map = parent_from_world * self.world_from_node[k];
            let trs = Trs::from_affine(&map);
            let (size, kept) = (1e-9 * map.R.norm(), node.local.affine());
            let moved = 1e-9 * (map.t.norm() + size);
            if (kept.R - map.R).norm() <= size && (kept.t - map.t).norm() <= moved {
                node.local // as in the file, to the bit
            } else if (trs.affine().R - map.R).norm() <= size {
                Local::Trs(trs)
            } else {
                Local::Matrix(map)
            }
        };
        let locals = character.nodes.iter().enumerate().map(local).collect();
        character.assemble(locals, character.parts.iter().map(|p| p.shape_weights.clone()).collect())
    }

    /// Finds the joints that carry vertices, those between them, and those of a skin where several of them meet.
    fn find_joints(&mut self, character: &Character) {
        let count = character.nodes.len();
        let mut carries = vec![false; count];
        self.influences.iter().flat_map(|i| &i.nodes).for_each(|&n| carries[n as usize] = true);
        let mut in_skin = vec![false; count];
        let skins = character.parts.iter().filter_map(|p| p.skin.as_ref());
        skins.flat_map(|s| &s.joints).for_each(|&j| in_skin[j as usize] = true);

        let parents: Vec<_> = character.nodes.iter().map(|n| n.parent).collect();
        let order = crate::hierarchy::parents_first(&parents);
        let (mut branches, mut above) = (vec![0; count], vec![false; count]); // with something that carries, below and above
        for &(node, parent) in order.iter().rev() {
            if let Some(parent) = parent.filter(|_| carries[node] || branches[node] > 0) {
                branches[parent] += 1;
            }
        }
        let mut place: Vec<Option<u32>> = vec![None; count]; // the node's own joint, else that of the nearest ancestor
        for &(node, parent) in &order {
            above[node] = parent.is_some_and(|p| above[p] || carries[p]);
            let between = above[node] && branches[node] > 0;
            let meets = in_skin[node] && branches[node] > 1;
            let nearest = parent.and_then(|p| place[p]);
            let at = self.world_from_node[node].t;
            place[node] = nearest;
            if carries[node] || between || meets {
                place[node] = Some(self.joints.len() as u32);
                self.joints.push(Joint { node: node as u32, at, parent: nearest });
            } else if let (true, Some(joint)) = (in_skin[node], nearest) {
                let joint = joint as usize;
                if parent == Some(self.joints[joint].node as usize) && at != self.joints[joint].at {
                    self.ends.push((joint, at));
                }
            }
        }
    }
}

impl Influences {
    fn new(character: &Character, part: usize) -> Self {
        let part = &character.parts[part];
        let vertices = part.surface.x.len();
        let mut all = Self { starts: vec![0], nodes: Vec::new(), weights: Vec::new() };
        for vertex in 0..vertices {
            match &part.skin {
                Some(skin) => {
                    for (joint, weight) in skin.of(vertex).filter(|(_, w)| *w != 0.0) {
                        all.nodes.push(skin.joints[joint]);
                        all.weights.push(weight);
                    }
                }
                None => {
                    all.nodes.push(part.node);
                    all.weights.push(1.0);
                }
            }
            all.starts.push(all.nodes.len() as u32);
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::zoo;

    /// The largest distance between Σ w · maps · rest and the posed vertices [of the size].
    fn worst(character: &Character, bound: &Bound, pose: &Pose) -> f64 {
        let maps = bound.maps(pose);
        let (mut worst, mut size) = (0.0, 0.0);
        for (part, rest) in bound.rest.iter().enumerate() {
            for (vertex, x) in character.posed(pose, part).iter().enumerate() {
                let moved: Vect<3> =
                    bound.influences(part, vertex).map(|(n, w)| w * maps[n as usize].apply(&rest[vertex])).sum();
                worst = f64::max(worst, (moved - x).norm());
                size = f64::max(size, x.norm());
            }
        }
        assert!(size > 0.1, "vacuous");
        worst / size
    }

    #[test]
    fn the_rest_and_its_maps_give_every_pose_of_a_scaled_armature() {
        for armature in [1.0, 100.0, 1e-3] {
            let mut character = zoo::strip(3, armature);
            character.clips[0].channels.pop(); // the shapes are not in the maps
            let bound = Bound::new(&character);
            assert!(bound.notes.is_empty(), "{:?}", bound.notes);
            let posed = character.posed(&character.rest_pose(), 0);
            let apart = bound.rest[0].iter().zip(&posed).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
            assert!(apart < 1e-12, "rest is not the default pose: {apart}");
            for t in [0.0, 0.3, 1.0] {
                assert!(worst(&character, &bound, &character.pose(&character.clips[0], t)) < 1e-12);
            }
        }
    }

    #[test]
    fn a_default_pose_that_is_not_the_bind_pose_still_gives_the_straight_rest() {
        let mut character = zoo::strip(3, 100.0);
        let Local::Trs(upper) = &mut character.nodes[0].local else { panic!() };
        upper.rotation = zoo::about_z(1.2);
        character.clips[0].channels.truncate(1);
        let bound = Bound::new(&character);
        let length = |x: &[Vect<3>]| (x[x.len() - 2] - x[0]).norm();
        assert!((length(&bound.rest[0]) - 2.0).abs() < 1e-12, "straight: {}", length(&bound.rest[0]));
        assert!(length(&character.posed(&character.rest_pose(), 0)) < 1.8, "the default is bent");
        assert!(worst(&character, &bound, &character.rest_pose()) < 1e-12);
        assert!(worst(&character, &bound, &character.pose(&character.clips[0], 0.7)) < 1e-12);
        let pose = bound.pose(&character);
        for (a, b) in pose.world_from_node.iter().zip(&bound.world_from_node) {
            assert!((a.R - b.R).norm() < 1e-9 * b.R.norm() && (a.t - b.t).norm() < 1e-9);
        }
    }

    #[test]
    fn two_skins_that_share_a_joint_lie_in_one_rest() {
        // the second skin's mesh space is shifted: only its joint's bind says where it lies
        let mut character = zoo::strip(2, 1.0);
        let Local::Trs(upper) = &mut character.nodes[0].local else { panic!() };
        upper.rotation = zoo::about_z(0.8);
        let mut second = character.parts[0].clone();
        let shift = Vect::from([3.0, 0.0, 0.0]);
        second.surface.x.iter_mut().for_each(|x| *x += shift);
        second.skin.as_mut().unwrap().joint_from_mesh.iter_mut().for_each(|b| b.t -= shift);
        character.parts.push(second);
        let bound = Bound::new(&character);
        assert!(bound.notes.is_empty(), "{:?}", bound.notes);
        let apart = bound.rest[0].iter().zip(&bound.rest[1]).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
        assert!(apart < 1e-12, "{apart}");
        assert!(worst(&character, &bound, &character.rest_pose()) < 1e-12);
    }

    #[test]
    fn skins_bound_to_a_joint_in_two_places_are_named() {
        let mut character = zoo::strip(2, 1.0);
        let mut second = character.parts[0].clone();
        second.name = "sleeve".into();
        second.skin.as_mut().unwrap().joint_from_mesh[0].t.y += 0.5;
        character.parts.push(second);
        let notes = Bound::new(&character).notes;
        assert_eq!(notes.len(), 1);
        assert!(notes[0].starts_with("\"sleeve\" was bound to"), "{}", notes[0]);
    }

    #[test]
    fn a_singular_bind_and_a_hidden_node_are_said_and_survived() {
        let mut character = zoo::strip(2, 1.0);
        character.parts[0].skin.as_mut().unwrap().joint_from_mesh[0] = Affine::zero();
        let mut hidden = character.parts[0].clone();
        (hidden.skin, hidden.node) = (None, 4);
        character.parts.push(hidden);
        let mut node = zoo::node("prop", Some(0), [0.0; 3]);
        node.local = Local::Trs(Trs { scale: Vect::zeros(), ..Trs::default() });
        character.nodes.push(node);
        let bound = Bound::new(&character);
        assert_eq!(bound.notes.len(), 2, "{:?}", bound.notes);
        assert!(bound.notes[0].starts_with("\"prop\" is flattened at rest"));
        assert!(bound.notes[1].contains("is bound to \"upper\" flattened"));
        assert!(bound.rest.iter().flatten().all(|x| x.iter().all(|x| x.is_finite())));
        assert!(bound.maps(&character.rest_pose()).iter().all(Affine::is_finite));
        assert!((bound.rest[1][4] - bound.rest[1][0]).norm() > 0.5, "the prop has its full size");
    }

    #[test]
    fn joints_are_those_that_carry_and_bones_run_between_them() {
        let mut character = zoo::strip(2, 1.0);
        character.nodes.push(zoo::node("tip", Some(0), [0.0, 1.0, 0.0])); // 4: ends the upper bone
        character.nodes.push(zoo::node("camera", Some(1), [0.0, 5.0, 0.0])); // 5: nothing
        character.parts[0].skin.as_mut().unwrap().joints.push(4);
        character.parts[0].skin.as_mut().unwrap().joint_from_mesh.push(Affine::identity());
        character.parts[0].skin.as_mut().unwrap().joint_from_mesh[2].t.y = -2.0;
        let bound = Bound::new(&character);
        let joints: Vec<_> = bound.joints().iter().map(|j| (j.node, j.parent)).collect();
        assert_eq!(joints, [(2, None), (0, Some(0))]);
        let bones: Vec<_> = bound.bones().iter().map(|(n, b)| (*n, b[0].z, b[1].z)).collect();
        assert_eq!(bones, [(2, 0.0, 1.0), (0, 1.0, 2.0)]);
    }
}
