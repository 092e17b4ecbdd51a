//! The body as a volume: filled with tetrahedra, bound to the rig, with the skin bound to it.

use control::Follow;
use math::Vect;
use mesh::{BodyOf, ElementSize, Embedding, FillOptions, Filled, Mesh, Smoothness};
use rayon::prelude::*;

use super::driven::Driven;
use super::puppet::Puppet;
use crate::Error;
use crate::params::{EDGE, TETS};
use crate::scene::{Scene, TissueKeys, plain};

/// A volume that a rig moves.
pub(crate) struct Volume {
    pub mesh: Mesh<3>,
    /// which separate body each vertex belongs to
    pub body_of_vertex: Vec<u32>,
    /// the skin's vertices, each in one element, for carrying values inward
    held: Embedding,
    pub bodies: usize,
    pub coverage: f64,
    /// the skin's vertices, all parts one after the other
    pub skin: Embedding,
    /// nodes that move each vertex, with weights
    pub influences: Vec<Vec<(u32, f64)>>,
    /// positions of all vertices in each frame of a cache
    fields: Vec<Vec<Vect<3>>>,
}

/// How the scene wants the body filled.
pub(crate) fn options(tissue: &TissueKeys, scale: f64) -> Result<FillOptions, Error> {
    let size = match plain(&tissue.edge) {
        Some(edge) => ElementSize::Edge(scale * EDGE.value(Some(edge))?),
        None => ElementSize::Count(TETS.count(plain(&tissue.tets))?),
    };
    Ok(FillOptions { size, refine: tissue.refine })
}

/// Fills the character at rest.
pub(crate) fn fill(scene: &Scene, puppet: &Puppet, file: &str) -> Result<Filled, Error> {
    let options = options(&scene.tissue, puppet.scale())?;
    mesh::fill(&puppet.surface(), &options).map_err(|error| Error::Fill { error, file: file.into() })
}

/// Binds the volume to the rig and the skin to the volume.
pub(crate) fn bind(filled: Filled, puppet: &Puppet, notes: &mut Vec<String>) -> Volume {
    notes.extend(filled.notes.iter().cloned());
    let surface = puppet.surface();
    let mut body_of_vertex = vec![0; filled.mesh.rest.len()];
    for (e, body) in filled.mesh.elements().zip(&filled.body) {
        e.iter().for_each(|&v| body_of_vertex[v as usize] = *body);
    }
    let bodies = body_of_vertex.iter().max().map_or(0, |b| *b as usize + 1);
    let body_of = BodyOf { vertex: &body_of_vertex, point: &filled.group_of_vertex };
    let skin = Embedding::by_body(&filled.mesh, &surface.x, body_of);
    let held = Embedding::nearest(&filled.mesh, &surface.x, Some(body_of));
    let mut volume = Volume {
        mesh: filled.mesh,
        body_of_vertex,
        held,
        bodies,
        coverage: filled.coverage,
        skin,
        influences: vec![],
        fields: vec![],
    };
    volume.influences = influences(puppet, &volume);
    volume.fields = fields(puppet, &volume);
    volume
}

impl Volume {
    /// A volume as its file has it.
    pub fn given(driven: &Driven) -> Self {
        let mesh = driven.volume.mesh.clone();
        let parts = mesh.connected();
        let mut bodies = parts.clone();
        bodies.sort_unstable();
        bodies.dedup();
        let held = Embedding::nearest(&mesh, &driven.skin.x, None);
        let skin = Embedding::new(&mesh, &driven.skin.x);
        let near = held.outside.iter().filter(|away| **away <= mesh.size() / 20.0).count();
        Self {
            body_of_vertex: parts,
            held,
            bodies: bodies.len(),
            coverage: near as f64 / driven.skin.x.len().max(1) as f64,
            skin,
            influences: vec![],
            fields: vec![],
            mesh,
        }
    }

    /// A value of the skin's vertices, carried into the volume.
    pub fn carry(&self, values: &[f64]) -> Vec<f64> {
        self.carry_all(&[values.to_vec()], Smoothness::Harmonic).pop().unwrap_or_default()
    }

    fn carry_all(&self, columns: &[Vec<f64>], smoothness: Smoothness) -> Vec<Vec<f64>> {
        mesh::carry(&self.mesh, &self.held, columns, smoothness)
    }

    /// Where the rig has all vertices at a time.
    pub fn rig(&self, puppet: &Puppet, t: f64) -> Vec<Vect<3>> {
        if let Some(cached) = puppet.cached() {
            return cached.blend(t, &self.mesh.rest, &self.fields);
        }
        if let Some(driven) = puppet.driven() {
            return driven.rig(t);
        }
        let Some(acted) = puppet.acted() else { return self.mesh.rest.clone() };
        let maps = acted.bound.maps(&acted.pose(t));
        let place = |(X, list): (&Vect<3>, &Vec<(u32, f64)>)| -> Vect<3> {
            list.iter().map(|(node, w)| *w * maps[*node as usize].apply(X)).sum()
        };
        self.mesh.rest.par_iter().zip(&self.influences).with_min_len(512).map(place).collect()
    }
}

/// The skin's weights, carried into the volume.
fn influences(puppet: &Puppet, volume: &Volume) -> Vec<Vec<(u32, f64)>> {
    let Some(acted) = puppet.acted() else { return vec![] };
    let mut nodes: Vec<u32> = vec![];
    let mut of_points: Vec<Vec<(u32, f64)>> = vec![];
    for (part, rest) in acted.bound.rest.iter().enumerate() {
        for vertex in 0..rest.len() {
            let list: Vec<(u32, f64)> = acted.bound.influences(part, vertex).collect();
            nodes.extend(list.iter().map(|(node, _)| *node));
            of_points.push(list);
        }
    }
    nodes.sort_unstable();
    nodes.dedup();
    let place = |node: u32| nodes.partition_point(|&n| n < node);
    let mut columns = vec![vec![0.0; of_points.len()]; nodes.len()];
    for (point, list) in of_points.iter().enumerate() {
        list.iter().for_each(|(node, w)| columns[place(*node)][point] += w);
    }
    let carried = mesh::carry_weights(&volume.mesh, &volume.held, &columns, Smoothness::Harmonic);
    let of_vertex = |v: usize| {
        let all = nodes.iter().zip(&carried).map(|(&node, column)| (node, column[v]));
        all.filter(|(_, w)| *w > 0.0).collect()
    };
    (0..volume.mesh.rest.len()).map(of_vertex).collect()
}

/// The frames of a cache, carried into the volume.
fn fields(puppet: &Puppet, volume: &Volume) -> Vec<Vec<Vect<3>>> {
    let Some(cached) = puppet.cached() else { return vec![] };
    let mut columns = vec![];
    for frame in &cached.frames {
        for i in 0..3 {
            columns.push(frame.iter().zip(&cached.surface.x).map(|(x, X)| x[i] - X[i]).collect());
        }
    }
    let carried = volume.carry_all(&columns, Smoothness::Biharmonic);
    let field = |c: &[Vec<f64>]| {
        (0..volume.mesh.rest.len()).map(|v| volume.mesh.rest[v] + Vect::from([c[0][v], c[1][v], c[2][v]])).collect()
    };
    carried.chunks_exact(3).map(field).collect()
}

/// A volume and what moves it.
pub(crate) struct Bound<'a> {
    pub puppet: &'a Puppet,
    pub volume: &'a Volume,
}

impl Follow for Bound<'_> {
    fn positions(&self, t: f64, x: &mut [Vect<3>]) {
        x.copy_from_slice(&self.volume.rig(self.puppet, t));
    }
    fn jumps(&self) -> &[f64] {
        self.puppet.jumps()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The skin that rides on the volume, moved by the rig, is near the artist's own: what is shown is not held by a volume
    /// that does something else.
    #[test]
    fn the_volume_moves_as_the_skin_does() {
        let folder = std::env::temp_dir().join(format!("supple-volume-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let file = folder.join("seal.glb");
        crate::write_seal(&file).unwrap();
        let mut scene = Scene::default();
        scene.character.file = Some(file);
        scene.tissue.tets = Some(2000.0.into());
        let puppet = super::super::open::open(&scene).unwrap().puppet;
        let volume = bind(fill(&scene, &puppet, "seal").unwrap(), &puppet, &mut vec![]);
        assert!(volume.coverage > 0.99);
        for (k, t) in [-2.0, 0.3, 0.7, 1.4].into_iter().enumerate() {
            let shown = volume.skin.positions(&volume.rig(&puppet, t));
            let posed = puppet.posed(t).concat();
            let off: Vec<f64> = shown.iter().zip(&posed).map(|(a, b)| (a - b).norm() / puppet.size()).collect();
            let (most, mean) = (off.iter().copied().fold(0.0, f64::max), off.iter().sum::<f64>() / off.len() as f64);
            assert!(most < 0.02 && mean < 0.003, "at {t}: at most {most}, {mean} on average");
            if k == 0 {
                assert!(most < 1e-9, "at rest it is exact: {most}");
            }
        }
        std::fs::remove_dir_all(folder).unwrap();
    }
}
