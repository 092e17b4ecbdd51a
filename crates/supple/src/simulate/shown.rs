//! What the artist sees of a frame: the posed skin, moved by as much as the flesh has moved from the rig.

use formats::{FormatError, Frames};
use math::Vect;

use super::puppet::Puppet;
use super::volume::Volume;
use crate::record::Record;

/// The frames of a run, as files want them.
pub(crate) struct Shown<'a> {
    pub record: &'a mut Record,
    pub puppet: &'a Puppet,
    pub volume: &'a Volume,
    pub fps: f64,
}

impl Shown<'_> {
    /// When a frame is [s].
    pub fn time(&self, frame: usize) -> f64 {
        frame as f64 / self.fps
    }

    /// How far the flesh has moved each vertex of each part from where the rig has it [m], in the size of the file.
    pub fn displacements(&mut self, frame: usize) -> Result<Vec<Vec<Vect<3>>>, FormatError> {
        let unreadable = |e: crate::Error| FormatError::Unreadable { reason: e.to_string(), file: "frames".into() };
        let mut moved = self.record.state(frame).map_err(unreadable)?.x;
        // the skin of a volume is posed at rest, also where its pins have moved
        let rig = match self.puppet.driven() {
            Some(_) => self.volume.mesh.rest.clone(),
            None => self.volume.rig(self.puppet, self.time(frame)),
        };
        let scale = self.puppet.scale();
        for (x, rig) in moved.iter_mut().zip(&rig) {
            *x = (*x - rig) / scale;
        }
        let all = self.volume.skin.positions(&moved);
        Ok(self.puppet.split(&all))
    }
}

impl Frames for Shown<'_> {
    fn count(&self) -> usize {
        self.record.frames()
    }

    fn frame(&mut self, k: usize) -> Result<Vec<Vec<Vect<3>>>, FormatError> {
        let mut parts = self.puppet.posed(self.time(k));
        for (part, moved) in parts.iter_mut().zip(self.displacements(k)?) {
            part.iter_mut().zip(moved).for_each(|(x, d)| *x += d);
        }
        Ok(parts)
    }
}
