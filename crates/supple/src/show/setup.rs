//! The files of the built-in examples: a model and a scene, as an artist would hand them over.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use crate::examples::{RigModel, TetModel, jellyfish, jellyphant, sumo, sunflower};
use crate::scene::Scene;
use crate::{Error, Example};

/// An example on disk.
pub(crate) struct Setup {
    /// the scene, without dials
    pub scene: Scene,
    /// what was written
    pub files: Vec<PathBuf>,
    /// of the shown surface
    pub triangles: Vec<[u32; 3]>,
    /// of its vertices
    pub colours: Vec<[f32; 3]>,
    /// when its motion ends and it rings out [s]
    pub rest: f64,
}

/// Writes an example's model and scene into a folder.
pub(crate) fn setup(example: Example, folder: &Path) -> Result<Setup, Error> {
    match example {
        Example::Sunflower => volume(sunflower(), SUNFLOWER, folder),
        Example::Jellyfish => volume(jellyfish(), JELLYFISH, folder),
        Example::Sumo => character(sumo(), SUMO, 4.2, folder),
        Example::Jellyphant => character(jellyphant(), JELLYPHANT, 3.4, folder),
    }
}

const SUNFLOWER: &str = "\
[tissue]
material = \"linear\"        # as in the paper; stvk and stable-neo-hookean work too
young = 5e6
poisson = 0.4
density = 300
damping_half_time = 0.8

[world]
gravity = [0, 0, -9.81]
";

const JELLYFISH: &str = "\
[tissue]
material = \"stvk-volume\"
young = 8e5
poisson = 0.4
damping_half_time = 0.5

[[tissue.region]]
group = \"tentacles\"
young = 5e5

[world]
gravity = [0, 0, 0]
";

const SUMO: &str = "\
[tissue]
tets = 6000
lively = 2.2
damping_half_time = 0.25

[method]
core = 0.3
";

const JELLYPHANT: &str = "\
[tissue]
tets = 6000
lively = 2.5
damping_half_time = 0.2

[[tissue.region]]               # ears and trunk swing further than the body
bones = [\"ear.L\", \"ear.R\"]
amplitude = 1.5
[[tissue.region]]
bones = [\"trunk.3\", \"trunk.4\", \"trunk.5\"]
amplitude = 1.3

[method]
core = 0.3
";

fn volume(model: TetModel, tissue: &str, folder: &Path) -> Result<Setup, Error> {
    let name = model.name;
    let (veg, skin) = (folder.join(format!("{name}.veg")), folder.join(format!("{name}-skin.obj")));
    formats::write_veg(&veg, &model.volume.mesh, &model.volume.regions)?;
    formats::write_obj_surface(&skin, &model.skin)?;
    let mut text = format!(
        "# The {name}: `supple simulate {name}.toml -o out.glb --amplitude 2`\n[character]\nfile = \"{name}.veg\"\n\
         skin = \"{name}-skin.obj\"\nfps = 24\nsubsteps = 1\nseconds = {}\n\n{tissue}\n[[pin]]\nvertices = {:?}\n\
         about = {:?}\ninterpolation = \"{}\"\nkeys = [\n",
        model.seconds,
        model.pins,
        <[f64; 3]>::from(model.about),
        if model.smooth { "cubic" } else { "linear" },
    );
    let mut rest: f64 = 0.0;
    let mut before = None;
    for key in &model.keys {
        let (translate, turn) = (<[f64; 3]>::from(key.translate), <[f64; 3]>::from(key.turn).map(f64::to_degrees));
        let _ = writeln!(text, "  {{ time = {:?}, translate = {translate:?}, rotate = {turn:?} }},", key.time);
        if before.is_some_and(|pose| pose != (translate, turn)) {
            rest = key.time;
        }
        before = Some((translate, turn));
    }
    text.push_str("]\n");
    let triangles = model.skin.triangles.clone();
    finish(name, text, vec![veg, skin], triangles, model.colours, rest, folder)
}

fn character(model: RigModel, tissue: &str, rest: f64, folder: &Path) -> Result<Setup, Error> {
    let name = model.name;
    let glb = folder.join(format!("{name}.glb"));
    formats::write_rigged(&glb, &model.character)?;
    let text = format!(
        "# The {name}: `supple simulate {name}.toml -o out.glb --amplitude 2`\n[character]\nfile = \"{name}.glb\"\n\
         fps = 24\nsubsteps = 2\n\n{tissue}"
    );
    let triangles = model.character.parts.first().map_or(vec![], |part| part.surface.triangles.clone());
    finish(name, text, vec![glb], triangles, model.colours, rest, folder)
}

fn finish(
    name: &str,
    text: String,
    mut files: Vec<PathBuf>,
    triangles: Vec<[u32; 3]>,
    colours: Vec<[f32; 3]>,
    rest: f64,
    folder: &Path,
) -> Result<Setup, Error> {
    let file = folder.join(format!("{name}.toml"));
    formats::write_text(&file, &text)?;
    let scene = Scene::read(&file)?;
    files.push(file);
    Ok(Setup { scene, files, triangles, colours, rest })
}
