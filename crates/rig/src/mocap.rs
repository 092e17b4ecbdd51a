//! Motion capture: a skeleton of its own, and how its joints turn in each frame.

use math::Vect;
use nalgebra::{UnitQuaternion, Vector3};

use crate::hierarchy::parents_first;
use crate::{Affine, Channel, Clip, Curve, Interpolation, Target, Trs};

/// A motion-capture take as its file has it, in the file's own axes and units; `world_from_file` leads out of them.
#[derive(Clone, Debug, Default)]
pub struct Mocap {
    /// the skeleton; a parent may stand anywhere in the list
    pub joints: Vec<MocapJoint>,
    /// [s]
    pub frame_time: f64,
    /// frame by frame, joint by joint, channel by channel; angles in degrees, positions in the file's units
    pub values: Vec<f64>,
    /// metres, z up: the file does not say, its reader must be told
    pub world_from_file: Affine<3>,
    /// what was mended or ignored while reading, for the artist
    pub notes: Vec<String>,
}

/// A joint of a captured skeleton.
#[derive(Clone, Debug, Default)]
pub struct MocapJoint {
    /// as in the file; empty for an end site
    pub name: String,
    /// the joint it hangs on
    pub parent: Option<u32>,
    /// from its parent, when nothing turns [file's units]
    pub offset: Vect<3>,
    /// what its numbers in a frame mean, in the order of the file
    pub channels: Vec<MocapChannel>,
    /// only the tip of its parent
    pub is_end: bool,
}

/// What one captured number means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MocapChannel {
    /// replaces the x of the offset
    XPosition,
    /// replaces the y of the offset
    YPosition,
    /// replaces the z of the offset
    ZPosition,
    /// about x [degrees]
    XRotation,
    /// about y [degrees]
    YRotation,
    /// about z [degrees]
    ZRotation,
}

impl Mocap {
    /// Metres per unit of the files of the CMU library: 1/0.45 inch.
    pub const CMU_UNIT: f64 = 0.0254 / 0.45;

    /// How many numbers a frame has.
    pub fn channels(&self) -> usize {
        self.joints.iter().map(|j| j.channels.len()).sum()
    }

    /// How many whole frames there are.
    pub fn frames(&self) -> usize {
        self.values.len().checked_div(self.channels()).unwrap_or(0)
    }

    /// The time from frame to frame [s]; 1/30 where the file's makes no sense.
    pub fn step(&self) -> f64 {
        if self.frame_time > 0.0 && self.frame_time.is_finite() { self.frame_time } else { 1.0 / 30.0 }
    }

    /// Where each joint is in its parent when nothing turns: at its offset.
    pub fn offsets(&self) -> Vec<Trs> {
        self.joints.iter().map(|j| Trs { translation: j.offset, ..Trs::default() }).collect()
    }

    /// Where each joint is in its parent at a frame: rotations in the order of the channels, the first outermost; positions
    /// replace the offset. A frame that is not there is the offsets' pose; a value that is no number is 0.
    pub fn locals(&self, frame: usize) -> Vec<Trs> {
        let mut locals = self.offsets();
        let width = self.channels();
        let Some(mut row) = self.values.chunks_exact(width.max(1)).nth(frame) else { return locals };
        for (joint, local) in self.joints.iter().zip(&mut locals) {
            let (own, rest) = row.split_at(joint.channels.len());
            row = rest;
            let mut rotation = UnitQuaternion::identity();
            for (channel, &value) in joint.channels.iter().zip(own).filter(|(_, v)| v.is_finite()) {
                let about = |axis| UnitQuaternion::from_axis_angle(&axis, value.to_radians());
                match channel {
                    MocapChannel::XPosition => local.translation.x = value,
                    MocapChannel::YPosition => local.translation.y = value,
                    MocapChannel::ZPosition => local.translation.z = value,
                    MocapChannel::XRotation => rotation *= about(Vector3::x_axis()),
                    MocapChannel::YRotation => rotation *= about(Vector3::y_axis()),
                    MocapChannel::ZRotation => rotation *= about(Vector3::z_axis()),
                }
            }
            local.rotation = *rotation.quaternion();
        }
        locals
    }

    /// Where each joint is in the file's space: file_from_joint.
    pub fn file_from_joints(&self, locals: &[Trs]) -> Vec<Affine<3>> {
        let parents: Vec<_> = self.joints.iter().map(|j| j.parent).collect();
        let mut places = vec![Affine::identity(); locals.len()];
        for (joint, parent) in parents_first(&parents) {
            let parent_from_joint = locals[joint].affine();
            places[joint] = parent.map_or(parent_from_joint, |p| places[p] * parent_from_joint);
        }
        places
    }

    /// The take as a clip for nodes that stand for its joints one by one, in the file's units; from the frame `first` on,
    /// which is at 0 s.
    pub fn as_clip(&self, first: usize) -> Clip {
        let frames: Vec<_> = (first..self.frames()).map(|k| self.locals(k)).collect();
        let times: Vec<_> = (0..frames.len()).map(|k| k as f64 * self.step()).collect();
        let mut channels = Vec::new();
        if times.is_empty() {
            return Clip::default();
        }
        for (j, joint) in self.joints.iter().enumerate() {
            let mut push = |target, width, values| {
                let curve = Curve { times: times.clone(), width, values, interpolation: Interpolation::Linear };
                channels.push(Channel { target, curve });
            };
            if joint.channels.iter().any(|c| c.is_position()) {
                let values = frames.iter().flat_map(|f| f[j].translation.data.0[0]).collect();
                push(Target::Translation(j as u32), 3, values);
            }
            if joint.channels.iter().any(|c| !c.is_position()) {
                let values = frames.iter().flat_map(|f| f[j].rotation.coords.data.0[0]).collect();
                push(Target::Rotation(j as u32), 4, values);
            }
        }
        Clip { name: String::new(), channels }
    }
}

impl MocapChannel {
    /// Whether it moves the joint and does not turn it.
    pub fn is_position(self) -> bool {
        matches!(self, Self::XPosition | Self::YPosition | Self::ZPosition)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Character;

    /// The root's rotations come before its position, and the head's in another order.
    fn take() -> Mocap {
        use MocapChannel::*;
        let root = vec![ZRotation, XRotation, YRotation, XPosition, YPosition, ZPosition];
        let head = vec![YRotation, XRotation, ZRotation];
        let joint = |name: &str, parent, y, channels| MocapJoint {
            name: name.into(),
            parent,
            offset: [0.0, y, 0.0].into(),
            channels,
            is_end: false,
        };
        let mut joints = vec![joint("Root", None, 5.0, root), joint("Head", Some(0), 2.0, head)];
        joints.push(MocapJoint { is_end: true, ..joint("", Some(1), 1.0, vec![]) });
        let values =
            vec![90.0, 90.0, 0.0, 1.0, 2.0, 3.0, 0.0, 0.0, 90.0, 0.0, 0.0, 0.0, 4.0, f64::NAN, 6.0, 0.0, 0.0, 0.0];
        Mocap { joints, frame_time: 0.1, values, ..Mocap::default() }
    }

    #[test]
    fn rotations_are_applied_in_the_order_of_the_channels_and_positions_replace_the_offset() {
        let take = take();
        assert_eq!((take.channels(), take.frames()), (9, 2));
        let places = take.file_from_joints(&take.locals(0));
        let near =
            |k: usize, at: [f64; 3]| assert!((places[k].t - Vect::from(at)).norm() < 1e-12, "{k}: {}", places[k].t);
        near(0, [1.0, 2.0, 3.0]);
        near(1, [1.0, 2.0, 3.0 + 2.0]); // Rz(90°) Rx(90°) takes y to z
        near(2, [1.0, 2.0 - 1.0, 5.0]); // Rz(90°) takes y to −x, then Rx leaves it, then Rz(90°) takes −x to −y
        assert_eq!(take.locals(1)[0].translation, Vect::from([4.0, 5.0, 6.0]), "what is no number stays at its offset");
        assert_eq!(take.locals(9), take.offsets());
    }

    #[test]
    fn as_a_clip_it_moves_nodes_that_stand_for_its_joints() {
        let take = take();
        let node = |j: &MocapJoint| crate::zoo::node(&j.name, j.parent, j.offset.into());
        let character = Character { nodes: take.joints.iter().map(node).collect(), ..Character::default() };
        for (first, k, t) in [(0, 0, 0.0), (0, 1, 0.1), (1, 1, 0.0)] {
            let pose = character.pose(&take.as_clip(first), t);
            let places = take.file_from_joints(&take.locals(k));
            for (a, b) in pose.world_from_node.iter().zip(&places) {
                assert!((a.R - b.R).norm() + (a.t - b.t).norm() < 1e-12);
            }
        }
        assert_eq!(take.as_clip(2).channels.len(), 0);
    }
}
