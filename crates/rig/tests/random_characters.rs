//! Characters thrown together at random: hierarchies in any order, skewed scales, skins bound in other poses.
#![allow(non_snake_case)]

use math::Vect;
use mesh::Surface;
use nalgebra::Quaternion;
use rig::{
    Affine, Bound, Channel, Character, Clip, Curve, Interpolation, Local, Node, Part, Playback, Skin, Target, Trs,
};

/// Numbers that look random, the same each time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % n
    }
    fn number(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.below(1 << 20) as f64 / f64::from(1 << 20)
    }
    fn vector(&mut self, size: f64) -> Vect<3> {
        Vect::from_fn(|_, _| self.number(-size, size))
    }
    fn trs(&mut self) -> Trs {
        let rotation = Quaternion::new(1.0, self.number(-1.0, 1.0), self.number(-1.0, 1.0), self.number(-1.0, 1.0));
        Trs { translation: self.vector(0.5), rotation, scale: Vect::from_fn(|_, _| self.number(0.8, 1.25)) }
    }
}

/// 12 nodes in random order, a skin on up to 8 of them that was bound in another pose than the default, a rigid part, a clip.
fn character(seed: u64) -> Character {
    let mut dice = Dice(seed);
    let mut names: Vec<u32> = (0..12).collect();
    (0..12).for_each(|k| names.swap(k, dice.below(12)));
    let mut nodes = vec![Node { name: String::new(), parent: None, local: Local::Trs(Trs::default()) }; 12];
    for k in 0..12 {
        let parent = (k > 0).then(|| names[dice.below(k)]);
        nodes[names[k] as usize] = Node { name: format!("node {k}"), parent, local: Local::Trs(dice.trs()) };
    }
    let mut world_from_file = Affine::identity();
    world_from_file.R *= dice.number(0.01, 100.0);
    let mut character = Character { nodes, world_from_file, ..Character::default() };

    let joints: Vec<u32> = (0..8).map(|k| names[k]).collect();
    let world_from_mesh = Trs { scale: Vect::from([0.01; 3]), ..dice.trs() }.affine();
    let bind = character.rest_pose();
    let binds = joints.iter().map(|&j| bind.world_from_node[j as usize].inverse().unwrap() * world_from_mesh);
    let mut skin = Skin { joint_from_mesh: binds.collect(), joints, starts: vec![0], ..Skin::default() };
    let x: Vec<_> = (0..40).map(|_| dice.vector(100.0)).collect();
    for _ in &x {
        let share = dice.number(0.0, 1.0);
        skin.joint.extend([dice.below(8) as u32, dice.below(8) as u32]);
        skin.weight.extend([share, 1.0 - share]);
        skin.starts.push(skin.joint.len() as u32);
    }
    let part = |skin, node| Part {
        name: "body".into(),
        node,
        surface: Surface { x: x.clone(), triangles: Vec::new() },
        primitives: vec![0],
        shapes: Vec::new(),
        shape_weights: Vec::new(),
        skin,
        attributes: Vec::new(),
    };
    character.parts = vec![part(Some(skin), 0), part(None, names[11])];
    let turn = |k: u32, dice: &mut Dice| {
        let keys = [dice.trs().rotation, dice.trs().rotation].map(|q| q.coords.data.0[0]).concat();
        let curve = Curve { times: vec![0.0, 1.0], width: 4, values: keys, interpolation: Interpolation::Linear };
        Channel { target: Target::Rotation(k), curve }
    };
    character.clips = vec![Clip { name: String::new(), channels: (0..12).map(|k| turn(k, &mut dice)).collect() }];
    for k in 0..12 {
        if dice.below(3) == 0 {
            character.nodes[k].local = Local::Trs(dice.trs()); // no longer as bound
        }
    }
    character
}

#[test]
fn the_bound_rest_gives_the_posed_vertices_of_every_character_in_every_pose() {
    for seed in 0..200 {
        let character = character(seed);
        let bound = Bound::new(&character);
        assert_eq!(bound.notes, [""; 0], "{seed}");
        for t in [0.0, 0.4, 1.0] {
            let pose = character.pose(&character.clips[0], t);
            let maps = bound.maps(&pose);
            for part in 0..2 {
                let posed = character.posed(&pose, part);
                let size = posed.iter().map(|x| x.norm()).fold(1e-12, f64::max);
                for (v, x) in posed.iter().enumerate() {
                    let all = bound.influences(part, v);
                    let moved: Vect<3> = all.map(|(n, w)| w * maps[n as usize].apply(&bound.rest[part][v])).sum();
                    assert!((moved - x).norm() < 1e-9 * size, "{seed}, part {part}, vertex {v}: {moved} {x}");
                }
            }
        }
    }
}

#[test]
fn every_preroll_starts_at_the_bound_rest_and_ends_at_the_clip() {
    for seed in 0..100 {
        let character = character(seed);
        let (bound, clip) = (Bound::new(&character), &character.clips[0]);
        let rest = bound.pose(&character);
        let size = bound.world_from_node.iter().map(|a| a.t.norm()).fold(0.0, f64::max);
        for (a, b) in rest.world_from_node.iter().zip(&bound.world_from_node) {
            assert!((a.t - b.t).norm() < 1e-9 * size && (a.R - b.R).norm() < 1e-9 * b.R.norm(), "{seed}");
        }
        let play = Playback { preroll: 0.7, ..Playback::new(clip) };
        for (t, want) in [(-0.7 + 1e-7, &rest), (-1e-9, &character.pose(clip, 0.0))] {
            let pose = play.sample(&character, &rest, clip, t);
            for (a, b) in pose.world_from_node.iter().zip(&want.world_from_node) {
                assert!((a.t - b.t).norm() < 1e-6 * size && (a.R - b.R).norm() < 1e-6 * b.R.norm(), "{seed} {t}");
            }
        }
    }
}

#[test]
fn broken_numbers_anywhere_in_nodes_and_binds_never_spoil_the_rest_of_the_joints() {
    for seed in 0..300 {
        let mut character = character(seed);
        let mut dice = Dice(seed + 1000);
        let bad = [f64::NAN, f64::INFINITY, 0.0, 1e300, 1e-300, -1.0][dice.below(6)];
        let node = dice.below(12);
        let Local::Trs(trs) = &mut character.nodes[node].local else { panic!() };
        match dice.below(4) {
            0 => trs.scale[dice.below(3)] = bad,
            1 => trs.translation[dice.below(3)] = bad,
            2 => trs.rotation.coords[dice.below(4)] = bad,
            _ => {
                let skin = character.parts[0].skin.as_mut().unwrap();
                skin.joint_from_mesh[dice.below(8)].R[dice.below(9)] = bad;
            }
        }
        let bound = Bound::new(&character);
        assert!(bound.world_from_node.iter().all(Affine::is_finite), "{seed}: {:?}", bound.notes);
        assert!(bound.rest.iter().flatten().all(|x| x.iter().all(|x| x.is_finite())), "{seed}: {:?}", bound.notes);
        assert!(bound.bones().iter().all(|(_, b)| b.iter().flatten().all(|x| x.is_finite())), "{seed}");
    }
}
