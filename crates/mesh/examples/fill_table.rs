//! The table of docs/filling.md: `cargo run -p supple-mesh --example fill_table [FILE.obj …]`.

use std::time::Instant;

use math::Vect;
use mesh::{ElementSize, FillOptions, Quality, Surface, fill};

fn main() {
    let mut files: Vec<String> = std::env::args().skip(1).collect();
    if files.is_empty() {
        let data = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data");
        let names = [
            "surfaces/spot_low_resolution.obj",
            "human/base.obj",
            "cd3d/frog/frog.obj",
            "cd3d/elephant/elephant.obj",
            "tets/turtle/turtle.obj",
            "nasty/doubleLoopWithCube.obj",
            "nasty/openscad-nonmanifold-crash.obj",
            "nasty/moebius.obj",
            "nasty/hourglass_ico.obj",
            "nasty/fan3.obj",
            "nasty/Cray_right.obj",
        ];
        files = names.map(|name| format!("{data}/{name}")).to_vec();
    }
    println!("| surface | vertices | asked | refine | tets | bodies | smallest | largest angle | coverage | seconds |");
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for file in &files {
        let Some(surface) = obj(file) else { continue };
        let name = file.rsplit('/').next().unwrap_or(file);
        for (count, refine) in [(5_000, false), (20_000, false), (5_000, true)] {
            let start = Instant::now();
            print!("| {name} | {} | {count} | {} | ", surface.x.len(), if refine { "yes" } else { "" });
            match fill(&surface, &FillOptions { size: ElementSize::Count(count), refine }) {
                Ok(filled) => {
                    let (q, seconds) = (Quality::of(&filled.mesh), start.elapsed().as_secs_f64());
                    let bodies = filled.body.last().map_or(0, |b| b + 1);
                    let (tets, covered) = (filled.mesh.element_count(), 100.0 * filled.coverage);
                    println!(
                        "{tets} | {bodies} | {:.1}° | {:.1}° | {covered:.1}% | {seconds:.1} |",
                        q.smallest_angle, q.largest_angle
                    );
                }
                Err(error) => println!("error: {} | | | | | |", error.to_string().replace('\n', " ")),
            }
        }
    }
}

/// Positions and faces of an .obj; none where it cannot be read.
fn obj(path: &str) -> Option<Surface> {
    let mut surface = Surface::default();
    for line in std::fs::read_to_string(path).ok()?.lines() {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("v") => {
                let x: Vec<f64> = words.filter_map(|w| w.parse().ok()).collect();
                surface.x.push(Vect::from([*x.first()?, *x.get(1)?, *x.get(2)?]));
            }
            Some("f") => {
                let count = surface.x.len() as i64;
                let number = |w: &str| -> Option<u32> {
                    let k: i64 = w.split('/').next()?.parse().ok()?;
                    u32::try_from(if k < 0 { count + k } else { k - 1 }).ok()
                };
                let corners: Vec<u32> = words.filter_map(number).collect();
                surface.triangles.extend(corners.windows(2).skip(1).map(|w| [corners[0], w[0], w[1]]));
            }
            _ => {}
        }
    }
    Some(surface)
}
