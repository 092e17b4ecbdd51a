//! Built-in example models, made in code: two of tetrahedra that pins move, two characters on skeletons.

mod implicit;
mod jellyfish;
mod jellyphant;
mod jellyphant_romp;
mod motion;
mod painted;
mod polygonize;
mod skeleton;
mod sumo;
mod sumo_stomp;
mod sunflower;
mod tets;

pub(crate) use implicit::Solid;
pub(crate) use jellyfish::jellyfish;
pub(crate) use jellyphant::jellyphant;
pub(crate) use sumo::sumo;
pub(crate) use sunflower::sunflower;
pub(crate) use tets::tets;

use math::Vect;
use mesh::Surface;

/// A body of tetrahedra that its pins move. Metres, z up; the viewer looks along y.
pub(crate) struct TetModel {
    /// what it is
    pub name: &'static str,
    /// the tets; regions are named and have no material
    pub volume: formats::Volume<3>,
    /// what is shown, in the volume or near it: closed pieces that may overlap
    pub skin: Surface,
    /// of each vertex of the skin, red, green and blue from 0 to 1 as on a screen (sRGB)
    pub colours: Vec<[f32; 3]>,
    /// the vertices of the volume that the keys move
    pub pins: Vec<u32>,
    /// the point that keys turn about [m]
    pub about: Vect<3>,
    /// how the pins move, in rising time
    pub keys: Vec<MotionKey>,
    /// a cubic through the keys, else straight lines between them
    pub smooth: bool,
    /// how long it is shown [s]
    pub seconds: f64,
}

/// Where the pins are at a time: turned about `about`, then moved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct MotionKey {
    /// [s]
    pub time: f64,
    /// [m]
    pub translate: Vect<3>,
    /// axis times angle [rad]
    pub turn: Vect<3>,
}

/// A character with a skeleton and one clip, in the axes of glTF: y up, facing z, metres.
pub(crate) struct RigModel {
    /// what it is
    pub name: &'static str,
    /// its one part is skinned, and has the colours as `COLOR_0` too (linear, as glTF wants them)
    pub character: rig::Character,
    /// of each vertex of the part, red, green and blue from 0 to 1 as on a screen (sRGB)
    pub colours: Vec<[f32; 3]>,
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// Inside a closed surface [m³].
    pub(crate) fn volume(surface: &Surface) -> f64 {
        surface.triangles.iter().map(|t| cone_volume(surface, t)).sum()
    }

    fn cone_volume(surface: &Surface, triangle: &[u32; 3]) -> f64 {
        let [a, b, c] = triangle.map(|v| surface.x[v as usize]);
        a.dot(&b.cross(&c)) / 6.0
    }

    /// Every edge has one face on each side, and every piece is seen from outside.
    pub(crate) fn check_closed(surface: &Surface) {
        let mut edges: BTreeMap<[u32; 2], i32> = BTreeMap::new();
        for t in &surface.triangles {
            (0..3).for_each(|k| *edges.entry([t[k], t[(k + 1) % 3]]).or_default() += 1);
        }
        assert!(!edges.is_empty() && edges.values().all(|n| *n == 1), "an edge is used twice the same way");
        assert!(edges.keys().all(|[a, b]| edges.contains_key(&[*b, *a])), "an edge has a face on one side only");
        // a mesh whose elements are the triangles with one of their corners twice
        let corners = surface.triangles.iter().flat_map(|t| [t[0], t[1], t[2], t[0]]).collect();
        let piece = mesh::Mesh::<3> { rest: surface.x.clone(), corners }.connected();
        let mut volumes = BTreeMap::new();
        for t in &surface.triangles {
            *volumes.entry(piece[t[0] as usize]).or_insert(0.0) += cone_volume(surface, t);
        }
        assert!(volumes.values().all(|v| *v > 1e-9), "a piece is inside out: {volumes:?}");
        assert!(surface.x.iter().flatten().all(|c| c.is_finite()));
    }

    fn check_tets(model: &TetModel) {
        let mesh = &model.volume.mesh;
        check_closed(&model.skin);
        assert!((3000..=9000).contains(&model.skin.triangles.len()), "{} triangles", model.skin.triangles.len());
        assert!((3000..=6500).contains(&mesh.element_count()), "{} tets", mesh.element_count());
        assert!(mesh.connected().iter().all(|part| *part == 0), "it is in pieces");
        assert!(mesh::Quality::of(mesh).smallest_angle > 10.0);
        let named: usize = model.volume.regions.iter().map(|r| r.elements.len()).sum();
        assert!(named == mesh.element_count() && model.volume.regions.iter().all(|r| !r.elements.is_empty()));
        assert!(model.skin.x.len() == model.colours.len());
        assert!(model.keys.windows(2).all(|k| k[0].time < k[1].time));
        assert!(model.keys[0].time == 0.0 && model.keys.last().is_some_and(|k| k.time == model.seconds));
        // the skin is in the tets, or less than half an element away
        let held = mesh::Embedding::new(mesh, &model.skin.x);
        assert!((0..held.len()).all(|k| held.of(k).1.iter().all(|w| *w > -0.5)));
    }

    fn check_rig(model: &RigModel, still: f64) {
        let part = &model.character.parts[0];
        check_closed(&part.surface);
        assert!((3000..=9000).contains(&part.surface.triangles.len()), "{} triangles", part.surface.triangles.len());
        assert!(part.surface.x.len() == model.colours.len());
        let skin = part.skin.as_ref().unwrap();
        assert!((0..part.surface.x.len()).all(|v| (skin.of(v).map(|(_, w)| w).sum::<f64>() - 1.0).abs() < 1e-12));
        let (clip, rest) = (&model.character.clips[0], model.character.rest_pose());
        let at = |t: f64| model.character.posed(&model.character.pose(clip, t), 0);
        let far = |a: &[Vect<3>], b: &[Vect<3>]| a.iter().zip(b).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
        assert!(far(&at(clip.end()), &at(clip.end() - still)) < 1e-6, "it moves at the end");
        assert!(far(&at(clip.end()), &model.character.posed(&rest, 0)) < 0.03, "it ends as it rests");
        assert!(far(&at(1.2), &at(clip.end())) > 0.1, "it does not move");
        let lowest = at(clip.end()).iter().map(|x| x.z).fold(1.0, f64::min);
        assert!(lowest.abs() < 0.02, "it does not stand on the ground: {lowest}");
        let filled = mesh::fill(&part.surface, &mesh::FillOptions::default()).unwrap();
        assert!(filled.body.iter().all(|b| *b == 0), "it is in pieces");
    }

    #[test]
    fn the_sunflower_is_one_body_on_a_square_of_pins() {
        let model = sunflower();
        check_tets(&model);
        let [a, b, c, d] = [0, 1, 2, 3].map(|k| model.volume.mesh.rest[model.pins[k] as usize]);
        assert!([a, b, c, d].iter().all(|x| x.z.abs() < 0.01));
        assert!((b - a).cross(&(c - a)).z.abs() > 1e-3 && (c - a).cross(&(d - a)).z.abs() > 1e-3, "{a} {b} {c} {d}");
        let low = model.volume.mesh.rest.iter().map(|x| x.z).fold(f64::INFINITY, f64::min);
        assert!(low > -0.01, "it stands on the ground: {low}");
    }

    #[test]
    fn the_jellyfish_is_one_body_around_its_core_and_rests_three_seconds() {
        let model = jellyfish();
        check_tets(&model);
        assert!(model.pins.len() > 50);
        let last = model.keys.last().unwrap();
        let still = model.keys.iter().filter(|k| k.time >= model.seconds - 3.0);
        assert!(still.into_iter().all(|k| (k.translate - last.translate).norm() + (k.turn - last.turn).norm() < 1e-12));
    }

    #[test]
    fn the_sumo_wrestler_is_closed_stands_and_rests_two_seconds() {
        let model = sumo();
        check_rig(&model, 2.0);
        assert_eq!(model.character.parts[0].shapes.len(), 4);
        let pose = model.character.pose(&model.character.clips[0], 1.3);
        assert!(pose.shape_weights[0][0] > 0.5, "the lifted leg's shape is in: {:?}", pose.shape_weights);
    }

    #[test]
    fn the_jellyphant_is_closed_stands_and_rests() {
        check_rig(&jellyphant(), 1.5);
    }

    #[test]
    fn building_twice_gives_the_same_bits() {
        let (a, b) = (sunflower(), sunflower());
        assert!(a.volume == b.volume && a.skin == b.skin && a.colours == b.colours);
        let (a, b) = (jellyfish(), jellyfish());
        assert!(a.volume == b.volume && a.skin == b.skin && a.pins == b.pins && a.keys == b.keys);
        for (a, b) in [(sumo(), sumo()), (jellyphant(), jellyphant())] {
            assert!(a.character.parts[0].surface == b.character.parts[0].surface && a.colours == b.colours);
            assert!(format!("{:?}", a.character.clips) == format!("{:?}", b.character.clips));
        }
    }

    #[test]
    fn a_written_character_keeps_its_colours_and_shapes() {
        let file = std::env::temp_dir().join(format!("supple-sumo-{}.glb", std::process::id()));
        let model = sumo();
        formats::write_rigged(&file, &model.character).unwrap();
        let read = formats::read_gltf(&file).unwrap();
        std::fs::remove_file(&file).unwrap();
        let part = &read.parts[0];
        let colours = part.attributes.iter().find(|a| a.name == "COLOR_0").unwrap();
        assert_eq!(colours.values.len(), model.character.parts[0].attributes[0].values.len());
        assert_eq!(
            part.shapes.iter().map(|s| s.name.as_str()).collect::<Vec<_>>(),
            ["hip.L", "hip.R", "belly", "elbows"]
        );
    }
}
