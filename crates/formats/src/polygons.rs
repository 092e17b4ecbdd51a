//! A surface whose faces have any number of corners, as artists model it.

use math::Vect;
use std::collections::BTreeMap;

/// Polygons in space, and the groups that the file puts them into.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Polygons {
    /// Positions, in the axes and units of the file.
    pub x: Vec<Vect<3>>,
    /// How many corners each face has: three or more.
    pub sizes: Vec<u32>,
    /// Vertex numbers from 0, one face after the other, anticlockwise seen from outside.
    pub corners: Vec<u32>,
    /// In the order in which the file first names them. A face before the first group is in none.
    pub groups: Vec<Group>,
}

/// Faces that belong together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Group {
    /// All that stands behind `g`.
    pub name: String,
    /// Face numbers from 0, rising.
    pub faces: Vec<u32>,
}

impl Polygons {
    /// The corners of each face.
    pub fn faces(&self) -> impl Iterator<Item = &[u32]> {
        let mut rest = self.corners.as_slice();
        self.sizes.iter().map(move |&size| {
            let (face, after) = rest.split_at((size as usize).min(rest.len()));
            rest = after;
            face
        })
    }
    /// Each face as a fan around its first corner.
    pub fn triangles(&self) -> Vec<[u32; 3]> {
        self.faces().flat_map(fan).collect()
    }
    /// The faces of one group, with all vertices left in their places.
    pub fn only(&self, group: &Group) -> Polygons {
        let mut chosen = Polygons { x: self.x.clone(), ..Polygons::default() };
        let mut wanted = group.faces.iter().peekable();
        for (k, face) in self.faces().enumerate() {
            if wanted.next_if_eq(&&(k as u32)).is_some() {
                chosen.sizes.push(face.len() as u32);
                chosen.corners.extend_from_slice(face);
            }
        }
        chosen
    }
}

fn fan(face: &[u32]) -> impl Iterator<Item = [u32; 3]> + '_ {
    face.get(1..).unwrap_or_default().windows(2).map(|pair| [face[0], pair[0], pair[1]])
}

/// The groups of a file while it is read.
#[derive(Default)]
pub(crate) struct Groups {
    pub all: Vec<Group>,
    places: BTreeMap<String, usize>,
    current: Option<usize>,
}

impl Groups {
    /// The faces from here on belong to this group.
    pub fn enter(&mut self, name: &str) {
        let all = &mut self.all;
        let place = *self.places.entry(name.into()).or_insert_with(|| {
            all.push(Group { name: name.into(), faces: Vec::new() });
            all.len() - 1
        });
        self.current = Some(place);
    }
    pub fn add(&mut self, face: u32) {
        if let Some(group) = self.current.and_then(|place| self.all.get_mut(place)) {
            group.faces.push(face);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_that_is_entered_twice_keeps_its_place_and_its_faces() {
        let mut groups = Groups::default();
        groups.add(0);
        for (face, name) in ["a", "b", "a"].into_iter().enumerate() {
            groups.enter(name);
            groups.add(face as u32 + 1);
        }
        let found: Vec<_> = groups.all.iter().map(|g| (g.name.as_str(), g.faces.clone())).collect();
        assert_eq!(found, [("a", vec![1, 3]), ("b", vec![2])]);
    }

    #[test]
    fn a_pentagon_is_a_fan_of_three_triangles_and_a_group_is_cut_out_whole() {
        let polygons = Polygons { sizes: vec![3, 5], corners: vec![0, 1, 2, 0, 2, 3, 4, 5], ..Polygons::default() };
        assert_eq!(polygons.triangles(), [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]]);
        let chosen = polygons.only(&Group { name: "b".into(), faces: vec![1] });
        assert_eq!((chosen.sizes, chosen.corners), (vec![5], vec![0, 2, 3, 4, 5]));
    }
}
