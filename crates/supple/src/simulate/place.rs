//! Places on the body that a scene names: by bone, by box, by painted attribute.

use formats::Region;
use math::Vect;
use mesh::Mesh;

use super::puppet::Puppet;
use super::volume::Volume;
use crate::Error;
use crate::scene::{PinKeys, RegionKeys, suggest};

/// How much each vertex of the volume belongs to a place, 0 to 1.
#[derive(Default)]
pub(crate) struct Place<'a> {
    pub bones: &'a [String],
    pub corners: Option<[f64; 6]>,
    pub attribute: Option<&'a str>,
    pub sphere: Option<[f64; 4]>,
    pub group: Option<&'a str>,
    pub vertices: &'a [u32],
}

impl<'a> Place<'a> {
    pub fn of(region: &'a RegionKeys) -> Self {
        Self {
            bones: &region.bones,
            corners: region.corners,
            attribute: region.attribute.as_deref(),
            sphere: region.sphere,
            group: region.group.as_deref(),
            vertices: &region.vertices,
        }
    }

    pub fn of_pin(pin: &'a PinKeys) -> Self {
        let PinKeys { corners, sphere, group, vertices, .. } = pin;
        Self { corners: *corners, sphere: *sphere, group: group.as_deref(), vertices, ..Self::default() }
    }

    /// The vertices of a volume's file that belong to it; where several things are named, all must hold.
    pub fn vertices_of(&self, volume: &formats::Volume<3>, file: &str) -> Result<Vec<u32>, Error> {
        if self.is_nowhere() {
            let what = "A [[pin]] needs a place: box = [x0, y0, z0, x1, y1, z1], sphere = [x, y, z, radius], \
                        group = \"…\" or vertices = [0, 1, …].";
            return Err(Error::Asked(what.into()));
        }
        let mut share = vec![1.0; volume.mesh.rest.len()];
        self.by_shape(&volume.mesh.rest, 1.0, &mut share);
        self.by_file(&volume.mesh, &volume.regions, file, &mut share)?;
        let found: Vec<u32> = (0..share.len() as u32).filter(|&v| share[v as usize] > 0.0).collect();
        if found.is_empty() { Err(holds_nothing(&volume.mesh, 1.0, file)) } else { Ok(found) }
    }

    fn is_nowhere(&self) -> bool {
        self.bones.is_empty()
            && self.corners.is_none()
            && self.attribute.is_none()
            && self.sphere.is_none()
            && self.group.is_none()
            && self.vertices.is_empty()
    }

    /// Leaves what is in the box and in the ball; positions are `scale` times as large as they are said.
    fn by_shape(&self, rest: &[Vect<3>], scale: f64, share: &mut [f64]) {
        let in_box = |X: &Vect<3>| {
            self.corners.is_none_or(|c| (0..3).all(|i| (c[i].min(c[i + 3])..=c[i].max(c[i + 3])).contains(&X[i])))
        };
        let in_ball = |X: &Vect<3>| self.sphere.is_none_or(|[x, y, z, r]| (X - Vect::from([x, y, z])).norm() <= r);
        for (s, X) in share.iter_mut().zip(rest) {
            let X = X / scale;
            *s *= f64::from(u8::from(in_box(&X) && in_ball(&X)));
        }
    }

    /// Leaves what is in the group and in the list.
    fn by_file(&self, mesh: &Mesh<3>, regions: &[Region], file: &str, share: &mut [f64]) -> Result<(), Error> {
        let mut only = |keep: &mut dyn Iterator<Item = u32>| {
            let mut kept = vec![0.0; share.len()];
            keep.for_each(|v| kept[v as usize] = 1.0);
            share.iter_mut().zip(kept).for_each(|(s, k)| *s *= k);
        };
        if let Some(name) = self.group {
            let region = regions.iter().find(|region| region.name == name).ok_or_else(|| {
                let known: Vec<String> = regions.iter().map(|region| region.name.clone()).collect();
                no_such("group", name, known, file)
            })?;
            only(&mut region.elements.iter().flat_map(|&e| &mesh.corners[4 * e as usize..4 * e as usize + 4]).copied());
        }
        if !self.vertices.is_empty() {
            if let Some(v) = self.vertices.iter().find(|v| **v as usize >= mesh.rest.len()) {
                return Err(Error::Asked(format!(
                    "there is no vertex {v}: the volume has {}, counted from 0.\n({file})",
                    mesh.rest.len()
                )));
            }
            only(&mut self.vertices.iter().copied());
        }
        Ok(())
    }

    /// 0 to 1 for each vertex of the volume; where several are named, all must hold.
    pub fn on_vertices(&self, puppet: &Puppet, volume: &Volume, file: &str) -> Result<Vec<f64>, Error> {
        if self.is_nowhere() {
            let what = "A region needs a place: bones = [\"…\"], box = [x0, y0, z0, x1, y1, z1], sphere = [x, y, z, radius], \
                        attribute = \"…\", group = \"…\" or vertices = [0, 1, …].";
            return Err(Error::Asked(what.into()));
        }
        let mut share = vec![1.0; volume.mesh.rest.len()];
        if !self.bones.is_empty() {
            let nodes = bones(self.bones, puppet, file)?;
            for (s, list) in share.iter_mut().zip(&volume.influences) {
                *s *= list.iter().filter(|(node, _)| nodes.contains(node)).map(|(_, w)| w).sum::<f64>();
            }
        }
        self.by_shape(&volume.mesh.rest, puppet.scale(), &mut share);
        match puppet.driven() {
            Some(driven) => self.by_file(&volume.mesh, &driven.volume.regions, file, &mut share)?,
            None if self.group.is_some() || !self.vertices.is_empty() => {
                let what = "group and vertices are for volumes (.veg, .msh, …). In a character name bones, a box, a sphere \
                            or a painted attribute.";
                return Err(Error::Asked(what.into()));
            }
            None => {}
        }
        if let Some(name) = self.attribute {
            let values = puppet
                .attribute(name)
                .ok_or_else(|| no_such("vertex attribute", name, puppet.attribute_names(), file))?;
            let carried = volume.carry(&values);
            share.iter_mut().zip(carried).for_each(|(s, value)| *s *= value.clamp(0.0, 1.0));
        }
        if share.iter().all(|s| *s < 0.01) {
            return Err(holds_nothing(&volume.mesh, puppet.scale(), file));
        }
        Ok(share)
    }

    /// The same, without sudden edges: each value is mixed with those around it.
    pub fn on_vertices_smoothly(&self, puppet: &Puppet, volume: &Volume, file: &str) -> Result<Vec<f64>, Error> {
        const ROUNDS: usize = 3;
        let mut share = self.on_vertices(puppet, volume, file)?;
        for _ in 0..ROUNDS {
            let (mut sum, mut count) = (vec![0.0; share.len()], vec![0.0; share.len()]);
            for e in volume.mesh.elements() {
                let mean = e.iter().map(|&v| share[v as usize]).sum::<f64>() / 4.0;
                for &v in e {
                    sum[v as usize] += mean;
                    count[v as usize] += 1.0;
                }
            }
            share = sum.iter().zip(&count).map(|(s, n): (&f64, &f64)| s / n.max(1.0)).collect();
        }
        Ok(share)
    }

    /// The same for each element: the mean of its corners.
    pub fn on_elements(&self, puppet: &Puppet, volume: &Volume, file: &str) -> Result<Vec<f64>, Error> {
        let share = self.on_vertices(puppet, volume, file)?;
        Ok(on_elements(&volume.mesh, &share))
    }
}

/// A value of the vertices at each element: the mean of its corners.
pub(crate) fn on_elements(mesh: &Mesh<3>, share: &[f64]) -> Vec<f64> {
    mesh.elements().map(|e| e.iter().map(|&v| share[v as usize]).sum::<f64>() / 4.0).collect()
}

fn no_such(what: &'static str, name: &str, known: Vec<String>, file: &str) -> Error {
    let nearest = suggest(name, known.iter().map(String::as_str)).map(Into::into);
    Error::NoSuch { what, name: name.into(), nearest, known, file: file.into() }
}

fn holds_nothing(mesh: &Mesh<3>, scale: f64, file: &str) -> Error {
    let (low, high) = mesh.bounds();
    let (low, high) = (low / scale, high / scale);
    Error::Asked(format!(
        "a place of the scene holds no part of the body, which reaches from {:.3} {:.3} {:.3} to {:.3} {:.3} {:.3} m at \
         rest, z up.\n({file})",
        low[0], low[1], low[2], high[0], high[1], high[2]
    ))
}

/// The nodes of these names.
pub(crate) fn bones(names: &[String], puppet: &Puppet, file: &str) -> Result<Vec<u32>, Error> {
    let known = puppet.bone_names();
    let find = |name: &String| {
        known
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, node)| *node)
            .ok_or_else(|| no_such("bone", name, known.iter().map(|(name, _)| name.clone()).collect(), file))
    };
    names.iter().map(find).collect()
}
