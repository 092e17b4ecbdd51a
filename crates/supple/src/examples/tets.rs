//! Shapes filled with tetrahedra.

use formats::{Region, Volume};
use mesh::{ElementSize, FillOptions, Mesh};

use super::implicit::Solid;
use super::polygonize::cut_out;

/// A shape filled with tets of this edge [m], their regions after the parts they are nearest to. Empty if it cannot be filled.
pub(crate) fn tets(solid: &Solid, edge: f64, parts: &[(&str, Solid)]) -> Volume<3> {
    let options = FillOptions { size: ElementSize::Edge(edge), refine: false };
    let mesh = mesh::fill(&cut_out(solid, 0.4 * edge), &options).map(|filled| filled.mesh).unwrap_or_default();
    let mut regions: Vec<Region> =
        parts.iter().map(|(name, _)| Region { name: name.to_string(), ..Region::default() }).collect();
    for (k, e) in mesh.elements().enumerate() {
        let middle = e.iter().map(|&v| mesh.rest[v as usize]).sum::<math::Vect<3>>() / 4.0;
        let far = parts.iter().map(|(_, part)| part.at(&middle));
        if let Some((nearest, _)) = far.enumerate().min_by(|a, b| a.1.total_cmp(&b.1)) {
            regions[nearest].elements.push(k as u32);
        }
    }
    Volume { mesh, regions, notes: vec![] }
}

/// The vertices of some elements, in rising order.
pub(crate) fn vertices_of(mesh: &Mesh<3>, elements: &[u32]) -> Vec<u32> {
    let mut all: Vec<u32> = elements.iter().flat_map(|&e| &mesh.corners[4 * e as usize..][..4]).copied().collect();
    all.sort_unstable();
    all.dedup();
    all
}
