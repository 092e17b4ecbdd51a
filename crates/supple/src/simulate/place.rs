//! Places on the body that a scene names: by bone, by box, by painted attribute.

use math::Vect;

use super::puppet::Puppet;
use super::volume::Volume;
use crate::Error;
use crate::scene::{RegionKeys, suggest};

/// How much each vertex of the volume belongs to a place, 0 to 1.
pub(crate) struct Place<'a> {
    pub bones: &'a [String],
    pub corners: Option<[f64; 6]>,
    pub attribute: Option<&'a str>,
}

impl<'a> Place<'a> {
    pub fn of(region: &'a RegionKeys) -> Self {
        Self { bones: &region.bones, corners: region.corners, attribute: region.attribute.as_deref() }
    }

    /// 0 to 1 for each vertex of the volume; where several are named, all must hold.
    pub fn on_vertices(&self, puppet: &Puppet, volume: &Volume, file: &str) -> Result<Vec<f64>, Error> {
        if self.bones.is_empty() && self.corners.is_none() && self.attribute.is_none() {
            let what = "A region needs a place: bones = [\"…\"], box = [x0, y0, z0, x1, y1, z1] or attribute = \"…\".";
            return Err(Error::Asked(what.into()));
        }
        let mut share = vec![1.0; volume.mesh.rest.len()];
        if !self.bones.is_empty() {
            let nodes = bones(self.bones, puppet, file)?;
            for (s, list) in share.iter_mut().zip(&volume.influences) {
                *s *= list.iter().filter(|(node, _)| nodes.contains(node)).map(|(_, w)| w).sum::<f64>();
            }
        }
        if let Some(corners) = self.corners {
            let inside = |X: &Vect<3>| {
                (0..3).all(|i| (corners[i].min(corners[i + 3])..=corners[i].max(corners[i + 3])).contains(&X[i]))
            };
            let scale = puppet.scale();
            for (s, X) in share.iter_mut().zip(&volume.mesh.rest) {
                *s *= f64::from(u8::from(inside(&(X / scale))));
            }
        }
        if let Some(name) = self.attribute {
            let values = puppet.attribute(name).ok_or_else(|| {
                let known = puppet.attribute_names();
                let nearest = suggest(name, known.iter().map(String::as_str)).map(Into::into);
                Error::NoSuch { what: "vertex attribute", name: name.into(), nearest, known, file: file.into() }
            })?;
            let carried = volume.carry(&values);
            share.iter_mut().zip(carried).for_each(|(s, value)| *s *= value.clamp(0.0, 1.0));
        }
        if share.iter().all(|s| *s < 0.01) {
            let (low, high) = volume.mesh.bounds();
            let (low, high) = (low / puppet.scale(), high / puppet.scale());
            let what = format!(
                "a place of the scene holds no part of the body, which reaches from {:.3} {:.3} {:.3} to {:.3} {:.3} \
                 {:.3} m at rest, z up.\n({file})",
                low[0], low[1], low[2], high[0], high[1], high[2]
            );
            return Err(Error::Asked(what));
        }
        Ok(share)
    }

    /// The same for each element: the mean of its corners.
    pub fn on_elements(&self, puppet: &Puppet, volume: &Volume, file: &str) -> Result<Vec<f64>, Error> {
        let share = self.on_vertices(puppet, volume, file)?;
        Ok(volume.mesh.elements().map(|e| e.iter().map(|&v| share[v as usize]).sum::<f64>() / 4.0).collect())
    }
}

/// The nodes of these names.
pub(crate) fn bones(names: &[String], puppet: &Puppet, file: &str) -> Result<Vec<u32>, Error> {
    let known = puppet.bone_names();
    let find = |name: &String| {
        known.iter().find(|(known, _)| known == name).map(|(_, node)| *node).ok_or_else(|| {
            let known: Vec<String> = known.iter().map(|(name, _)| name.clone()).collect();
            let nearest = suggest(name, known.iter().map(String::as_str)).map(Into::into);
            Error::NoSuch { what: "bone", name: name.clone(), nearest, known, file: file.into() }
        })
    };
    names.iter().map(find).collect()
}
