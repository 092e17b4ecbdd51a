//! Real files of ../shared/data.

use std::path::{Path, PathBuf};

use math::Vect;
use mesh::{ElementSize, FillError, FillOptions, Surface, fill};

use super::{check, check_uniform};

fn data() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    if !folder.exists() {
        eprintln!("skipped: ../shared/data is not here");
        return None;
    }
    Some(folder)
}

/// Positions and faces of an .obj, as fans of triangles.
fn obj(path: &Path) -> Surface {
    let mut surface = Surface::default();
    for line in std::fs::read_to_string(path).unwrap().lines() {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("v") => {
                let x: Vec<f64> = words.take(3).map(|w| w.parse().unwrap()).collect();
                surface.x.push(Vect::from([x[0], x[1], x[2]]));
            }
            Some("f") => {
                let number = |w: &str| w.split('/').next().unwrap().parse::<i64>().unwrap();
                let count = surface.x.len() as i64;
                let corners: Vec<u32> =
                    words.map(number).map(|k| if k < 0 { count + k } else { k - 1 } as u32).collect();
                surface.triangles.extend(corners[1..].windows(2).map(|w| [corners[0], w[0], w[1]]));
            }
            _ => {}
        }
    }
    surface
}

/// The triangles of a binary .stl.
fn stl(path: &Path) -> Surface {
    let bytes = std::fs::read(path).unwrap();
    let mut surface = Surface::default();
    for triangle in bytes[84..].chunks_exact(50) {
        let first = surface.x.len() as u32;
        for corner in triangle[12..48].chunks_exact(12) {
            let at = |i: usize| f64::from(f32::from_le_bytes([0, 1, 2, 3].map(|k| corner[4 * i + k])));
            surface.x.push(Vect::from([at(0), at(1), at(2)]));
        }
        surface.triangles.push([first, first + 1, first + 2]);
    }
    surface
}

#[test]
fn every_nasty_file_is_a_volume_or_a_clear_error() {
    let Some(data) = data() else { return };
    let mut files: Vec<PathBuf> = std::fs::read_dir(data.join("nasty")).unwrap().map(|f| f.unwrap().path()).collect();
    files.push(data.join("surfaces/spot_low_resolution.obj"));
    files.sort();
    let mut seen = 0;
    for path in files {
        let surface = match path.extension().and_then(|e| e.to_str()) {
            Some("obj") => obj(&path),
            Some("stl") => stl(&path),
            _ => continue,
        };
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        seen += 1;
        for (count, refine) in [(2000, false), (2000, true), (100, false)] {
            match fill(&surface, &FillOptions { size: ElementSize::Count(count), refine }) {
                Ok(filled) if refine => drop(check(&name, &filled)),
                Ok(filled) => check_uniform(&name, &filled),
                Err(FillError::TooFar { vertex: 0, at, .. }) if name == "Cray_right.obj" => {
                    assert!(at.iter().any(|c| c.abs() > 1e38));
                }
                Err(error) => panic!("{name}: {error}"),
            }
        }
    }
    assert!(seen >= 9, "{seen}");
}

#[test]
fn two_icosahedra_that_share_a_vertex_are_two_bodies() {
    let Some(data) = data() else { return };
    let surface = obj(&data.join("nasty/hourglass_ico.obj"));
    let filled = fill(&surface, &FillOptions { size: ElementSize::Count(1000), refine: false }).unwrap();
    assert_eq!(filled.body.iter().max(), Some(&1));
}
