//! Animation text in space: translations and Euler angles of point handles, or of a skeleton.

use super::matrices::{numbers, same_handles};
use super::tgf::Tgf;
use crate::FormatError;
use crate::cursor::Cursor;
use crate::load::load;
use crate::order::parents_first;
use math::{Mat, Vect};
use nalgebra::{Rotation3, Unit};
use rig::Affine;
use std::path::Path;

/// The map of each handle in each frame. `rest` is where the handles are.
pub(crate) fn read(file: &Path, graph: &Tgf, rest: &[Vect<3>]) -> Result<Vec<Vec<Affine<3>>>, FormatError> {
    let data = load(file)?;
    let mut words = Cursor::new(&data, file);
    words.reading("first numbers", 0, 0);
    let handles: u64 = words.number("the number of handles")?;
    let place = words.place();
    same_handles(handles, rest.len(), place, file)?;
    let frames: u64 = words.number("the number of frames")?;
    if graph.bones().is_empty() {
        return points(&mut words, frames, rest);
    }
    let parents = graph.parents();
    let order = parents_first(&parents)
        .ok_or_else(|| FormatError::malformed("the bones of the rig go round in a circle", place, file))?;
    bones(&mut words, frames, rest, &parents, &order)
}

/// T x = q (x − c) + c + (translation − rest translation) with q = Bᵀ Q(e, B), B = Q(rest Euler).
fn points(words: &mut Cursor, frames: u64, rest: &[Vect<3>]) -> Result<Vec<Vec<Affine<3>>>, FormatError> {
    let start: Vec<([f64; 3], Mat<3>)> = rest
        .iter()
        .map(|_| Ok((numbers(words, frames, 0)?, euler(numbers(words, frames, 0)?, &Mat::identity()))))
        .collect::<Result<_, FormatError>>()?;
    let mut all = Vec::new();
    for k in 0..frames {
        let mut maps = Vec::with_capacity(rest.len());
        for (c, (from, B)) in rest.iter().zip(&start) {
            let to = Vect::<3>::from(numbers(words, frames, k)?);
            let R = B.transpose() * euler(numbers(words, frames, k)?, B);
            maps.push(Affine { R, t: c - R * c + to - Vect::<3>::from(*from) });
        }
        all.push(maps);
    }
    Ok(all)
}

/// Forward kinematics. The root's block has translation first at rest, but its angles first in the frames.
fn bones(
    words: &mut Cursor,
    frames: u64,
    rest: &[Vect<3>],
    parents: &[Option<u32>],
    order: &[usize],
) -> Result<Vec<Vec<Affine<3>>>, FormatError> {
    let from = Vect::<3>::from(numbers(words, frames, 0)?);
    let root = euler(numbers(words, frames, 0)?, &Mat::identity());
    let start: Vec<Mat<3>> = rest
        .iter()
        .map(|_| Ok(euler(numbers(words, frames, 0)?, &Mat::identity())))
        .collect::<Result<_, FormatError>>()?;
    let several_roots = parents.iter().filter(|parent| parent.is_none()).count() > 1;
    let mut all = Vec::new();
    for k in 0..frames {
        let root_turn = euler(numbers(words, frames, k)?, &root);
        let shift = Vect::<3>::from(numbers(words, frames, k)?) - from;
        let turns: Vec<Mat<3>> =
            start.iter().map(|B| Ok(euler(numbers(words, frames, k)?, B))).collect::<Result<_, FormatError>>()?;
        let mut maps = vec![Affine::identity(); rest.len()];
        for &i in order {
            let c = rest[i];
            maps[i] = match parents[i] {
                Some(parent) => {
                    let parent = maps[parent as usize];
                    let R = parent.R * turns[i];
                    Affine { R, t: parent.t + parent.R * c - R * c }
                }
                None => {
                    let R = if several_roots { turns[i] * root_turn } else { turns[i] };
                    Affine { R, t: c - R * c + shift }
                }
            };
        }
        all.push(maps);
    }
    Ok(all)
}

/// Q(e, B) = R(b₂, e₂) R(b₁, e₁) R(b₀, e₀) for angles e in degrees and axes b, the columns of B.
fn euler(e: [f64; 3], B: &Mat<3>) -> Mat<3> {
    let turn = |i: usize| {
        let axis = Unit::new_normalize(B.column(i).into_owned());
        *Rotation3::from_axis_angle(&axis, e[i].to_radians()).matrix()
    };
    turn(2) * turn(1) * turn(0)
}
