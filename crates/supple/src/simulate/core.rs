//! Which part of the body follows the rig.

use math::{Mat, Small, Vect};
use mesh::Mesh;

use super::place::{Place, bones};
use super::puppet::Puppet;
use super::volume::Volume;
use crate::Error;
use crate::params::CORE;
use crate::scene::{MethodKeys, plain};

/// The vertices of the core, ascending. `poses` are places of all vertices as the rig has them, at some times of the clip.
pub(crate) fn core(
    keys: &MethodKeys,
    puppet: &Puppet,
    volume: &Volume,
    poses: &[Vec<Vect<3>>],
    file: &str,
    notes: &mut Vec<String>,
) -> Result<Vec<u32>, Error> {
    let share = CORE.value(plain(&keys.core))?;
    let everything = || {
        Error::Asked(format!(
            "The core is the whole body, so nothing can move. Hold less of it, or lower --core.\n({file})"
        ))
    };
    if let Some(driven) = puppet.driven() {
        let all = driven.pins.len() == volume.mesh.rest.len();
        return if all { Err(everything()) } else { Ok(driven.pins.clone()) };
    }
    if [!keys.core_bones.is_empty(), keys.core_box.is_some(), keys.core_attribute.is_some()]
        .iter()
        .filter(|k| **k)
        .count()
        > 1
    {
        let what = "The core is chosen by one of core_bones, core_box and core_attribute, not by several.";
        return Err(Error::Asked(what.into()));
    }
    let by_place = keys.core_box.is_some() || keys.core_attribute.is_some();
    let mut pins: Vec<u32> = if by_place {
        let place = Place { corners: keys.core_box, attribute: keys.core_attribute.as_deref(), ..Place::default() };
        let inside = place.on_vertices(puppet, volume, file)?;
        let inside: Vec<u32> = (0..inside.len() as u32).filter(|&v| inside[v as usize] > 0.5).collect();
        control::hold_all(&volume.mesh, &inside)
    } else {
        let chosen = bones(&keys.core_bones, puppet, file)?;
        let segments = puppet.bones(if chosen.is_empty() { None } else { Some(&chosen) });
        control::find_core(&volume.mesh, &segments, share).map_err(|error| Error::Core { error, file: file.into() })?
    };
    let crushed = crushed(&volume.mesh, &pins, poses);
    if !crushed.is_empty() {
        let kept: Vec<u32> = pins.iter().copied().filter(|v| crushed.binary_search(v).is_err()).collect();
        // every body must still be held
        let held = |pins: &[u32]| -> Vec<u32> {
            let mut bodies: Vec<u32> = pins.iter().map(|&v| volume.body_of_vertex[v as usize]).collect();
            bodies.sort_unstable();
            let mut enough: Vec<u32> = bodies.chunk_by(|a, b| a == b).filter(|c| c.len() >= 4).map(|c| c[0]).collect();
            enough.dedup();
            enough
        };
        let still = held(&kept);
        let released = pins.len();
        pins.retain(|v| {
            crushed.binary_search(v).is_err() || still.binary_search(&volume.body_of_vertex[*v as usize]).is_err()
        });
        let released = released - pins.len();
        if released > 0 {
            notes.push(format!(
                "{released} vertices near the bones do not follow them, because the rig would crush the flesh there."
            ));
        }
    }
    if pins.len() == volume.mesh.rest.len() {
        return Err(everything());
    }
    Ok(pins)
}

/// Pinned vertices of elements that the rig nearly flattens or turns inside out, ascending.
fn crushed(mesh: &Mesh<3>, pins: &[u32], poses: &[Vec<Vect<3>>]) -> Vec<u32> {
    const FLAT: f64 = 0.15;
    let mut is_pin = vec![false; mesh.rest.len()];
    pins.iter().for_each(|&v| is_pin[v as usize] = true);
    let volume =
        |e: &[u32], x: &[Vect<3>]| Mat::<3>::from_fn(|i, j| x[e[j + 1] as usize][i] - x[e[0] as usize][i]).det();
    let mut crushed = vec![];
    for e in mesh.elements() {
        // an element without an unknown does not care
        let pinned = e.iter().filter(|v| is_pin[**v as usize]).count();
        if pinned == 0 {
            continue;
        }
        let rest = volume(e, &mesh.rest);
        if poses.iter().any(|x| volume(e, x) < FLAT * rest) {
            crushed.extend(e.iter().filter(|v| is_pin[**v as usize]));
        }
    }
    crushed.sort_unstable();
    crushed.dedup();
    crushed
}
