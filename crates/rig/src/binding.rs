//! Where the joints of a character were when its skins were bound to them.

use math::Small;

use crate::{Affine, Character, Local, Part, Skin, Trs};

/// How far two places may differ and still be one [relative to their size].
const SAME: f64 = 1e-6;

/// world_from_node of each node at rest (all can be inverted), world_from_mesh of each part at rest, and notes.
pub(crate) fn bind(character: &Character) -> (Vec<Affine<3>>, Vec<Affine<3>>, Vec<String>) {
    let mut notes = Vec::new();
    let locals = upright_locals(character, &mut notes);
    let by_default = character.chain(&locals, |_| None);
    let mut known: Vec<Option<Affine<3>>> = vec![None; character.nodes.len()];
    let mut places: Vec<Option<Affine<3>>> = vec![None; character.parts.len()];
    for (part, place) in character.parts.iter().zip(&mut places) {
        if let Some(skin) = &part.skin {
            *place = place_skin(character, part, skin, &by_default, &mut known, &mut notes);
        }
    }
    let mut world_from_node = character.chain(&locals, |node| known[node]);
    for (node, map) in world_from_node.iter_mut().enumerate().filter(|(_, map)| !is_usable(map)) {
        *map = if is_usable(&by_default[node]) { by_default[node] } else { Affine::identity() };
        notes.push(format!("The place of {} is lost among very large or very small scales.", named(character, node)));
    }
    let node_of = |part: &Part| world_from_node[part.node as usize];
    let world_from_mesh =
        places.iter().zip(&character.parts).map(|(place, part)| place.unwrap_or_else(|| node_of(part)));
    (world_from_node.clone(), world_from_mesh.collect(), notes)
}

/// Chooses world_from_mesh of a skin at rest, and with it the places of its joints that no earlier skin has settled.
fn place_skin(
    character: &Character,
    part: &Part,
    skin: &Skin,
    by_default: &[Affine<3>],
    known: &mut [Option<Affine<3>>],
    notes: &mut Vec<String>,
) -> Option<Affine<3>> {
    let mut influence = vec![0.0; skin.joints.len()];
    skin.joint.iter().zip(&skin.weight).for_each(|(&j, w)| influence[j as usize] += w);
    let mut strongest: Vec<_> = (0..skin.joints.len()).collect();
    strongest.sort_by(|&a, &b| influence[b].total_cmp(&influence[a])); // stable: the first of equals
    let node_of = |j: usize| skin.joints[j] as usize;
    strongest.retain(|&j| {
        let usable = is_usable(&skin.joint_from_mesh[j]);
        if !usable && influence[j] > 0.0 {
            let joint = named(character, node_of(j));
            notes.push(format!("{:?} is bound to {joint} flattened, and cannot be put back at rest there.", part.name));
        }
        usable
    });
    let through = |j: usize, world_from_joint: Affine<3>| world_from_joint * skin.joint_from_mesh[j];
    let shared = strongest.iter().find_map(|&j| Some(through(j, known[node_of(j)]?)));
    let default = strongest.first().map(|&j| through(j, by_default[node_of(j)]));
    let world_from_mesh = shared.or(default).filter(is_usable)?;

    let mut torn = None;
    for &j in &strongest {
        let Some(mesh_from_joint) = skin.joint_from_mesh[j].inverse() else { continue };
        let (node, world_from_joint) = (node_of(j), world_from_mesh * mesh_from_joint);
        match known[node] {
            Some(settled) if influence[j] > 0.0 && !is_same(&settled, &world_from_joint) => {
                torn = torn.or(Some(node));
            }
            Some(_) => {}
            None => known[node] = Some(world_from_joint).filter(is_usable),
        }
    }
    if let Some(node) = torn {
        notes.push(format!(
            "{:?} was bound to {} in another place than an earlier part; it follows that joint from where the earlier part has it.",
            part.name,
            named(character, node)
        ));
    }
    Some(world_from_mesh)
}

/// The nodes' own places, with scales of zero (things hidden at rest) and values that are no numbers replaced.
fn upright_locals(character: &Character, notes: &mut Vec<String>) -> Vec<Local> {
    let mend = |(k, node): (usize, &crate::Node)| {
        if is_usable(&node.local.affine()) {
            return node.local;
        }
        notes.push(format!("{} is flattened at rest; it is taken in full size there.", named(character, k)));
        let mut trs = node.local.trs();
        let largest = trs.scale.amax();
        for i in 0..3 {
            if !trs.translation[i].is_finite() {
                trs.translation[i] = 0.0;
            }
            if !(trs.scale[i].abs() > 1e-6 * largest) || !trs.scale[i].is_finite() {
                trs.scale[i] = 1.0;
            }
        }
        let mended = Local::Trs(trs);
        if is_usable(&mended.affine()) { mended } else { Local::Trs(Trs::default()) }
    };
    character.nodes.iter().enumerate().map(mend).collect()
}

/// Whether a map has a way back that can be trusted.
fn is_usable(map: &Affine<3>) -> bool {
    map.is_finite() && map.inverse().is_some() && map.R.det().abs() > 1e-9 * map.R.norm().powi(3)
}

fn is_same(a: &Affine<3>, b: &Affine<3>) -> bool {
    let size = a.R.norm().max(b.R.norm());
    (a.R - b.R).norm() <= SAME * size && (a.t - b.t).norm() <= SAME * (a.t.norm() + b.t.norm()).max(1e-3 * size)
}

fn named(character: &Character, node: usize) -> String {
    match character.nodes[node].name.as_str() {
        "" => format!("node {node}"),
        name => format!("{name:?}"),
    }
}
