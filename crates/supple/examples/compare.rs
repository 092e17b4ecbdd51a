//! Plays animated glTF files side by side in the browser: the pictures of README come from such a page.
//!
//! `cargo run --release -p supple --example compare -- OUT.html A.glb B.glb@CLIP …`

use std::error::Error;

use supple::{Page, View};

const FPS: f64 = 24.0;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let out = arguments.next().ok_or("usage: compare OUT.html A.glb B.glb@CLIP …")?;
    let views: Result<Vec<View>, Box<dyn Error>> = arguments.map(|file| view(&file)).collect();
    let page = Page { title: "Side by side".into(), fps: FPS, views: views?, ..Page::default() };
    std::fs::write(&out, page.html())?;
    Ok(())
}

/// A file's clip, posed frame by frame.
fn view(argument: &str) -> Result<View, Box<dyn Error>> {
    let (file, clip) = argument.split_once('@').map_or((argument, None), |(file, clip)| (file, Some(clip)));
    let character = formats::read_gltf(file)?;
    let clip = match clip {
        Some(name) => character.clips.iter().find(|c| c.name == name).ok_or(format!("{file} has no clip {name:?}"))?,
        None => character.clips.first().ok_or(format!("{file} does not move"))?,
    };
    let (mut triangles, mut colours, mut first) = (vec![], vec![], 0);
    for part in &character.parts {
        triangles.extend(part.surface.triangles.iter().map(|t| t.map(|v| v + first)));
        first += part.surface.x.len() as u32;
        let painted = part.attributes.iter().find(|a| a.name == "COLOR_0" && a.width >= 3);
        // glTF's colours are linear, a screen's are not
        let srgb = |c: f64| c.clamp(0.0, 1.0).powf(1.0 / 2.2) as f32;
        let plain = |_| [0.78, 0.52, 0.42];
        match painted {
            Some(a) => colours.extend(a.values.chunks_exact(a.width).map(|c| [srgb(c[0]), srgb(c[1]), srgb(c[2])])),
            None => colours.extend((0..part.surface.x.len()).map(plain)),
        }
    }
    let frames = (0..=((clip.end() - clip.start()) * FPS) as usize).map(|k| {
        let pose = character.pose(clip, clip.start() + k as f64 / FPS);
        (0..character.parts.len()).flat_map(|part| character.posed(&pose, part)).collect()
    });
    let caption = std::path::Path::new(file).file_stem().unwrap_or_default().to_string_lossy().into_owned();
    Ok(View { caption, triangles, frames: frames.collect(), colours })
}
