//! `cargo xtask blender`: characters go through `supple simulate --no-physics` into every format, and Blender says how far
//! the result is from the original, frame by frame.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{cargo, validator};

/// Names the python that has Blender (`pip install bpy`).
const VARIABLE: &str = "SUPPLE_BLENDER_PYTHON";
/// Names a supple program that is built already.
const PROGRAM: &str = "SUPPLE_PROGRAM";
/// What is asked for, as a share of the character's size.
const ALLOWED: f64 = 1e-4;
const FPS: &str = "24";
const FORMATS: [&str; 4] = ["glb", "abc", "usda", "pc2"];

/// Those whose flesh is compared too: skinned, rigid, with shapes, small in a large armature.
const SOFT: [&str; 5] = ["Fox", "RiggedSimple", "RobotExpressive", "quaternius_blobfish", "quaternius_round_monster"];

/// What was asked for: `[--all-clips] [--write] [NAME…]`.
pub fn run(root: &Path, words: &[&str]) -> Result<(), String> {
    let flag = |name: &str| words.contains(&name);
    if let Some(unknown) = words.iter().find(|w| w.starts_with("--") && !["--all-clips", "--write"].contains(w)) {
        return Err(format!("blender does not know {unknown}; it knows --all-clips, --write and names of characters"));
    }
    let names: Vec<&str> = words.iter().copied().filter(|w| !w.starts_with("--")).collect();
    let files = characters(root, &names)?;
    let Some(python) = python(root) else { return Ok(()) };
    let tools = Tools { root, program: program(root)?, python, validator: validator::install(root) };
    let mut page = format!("# Blender's view\n\nWritten by `cargo xtask blender {}`. {INTRODUCTION}", words.join(" "));
    let (mut bad, mut all) = (0, 0);
    for flesh in [Flesh::FollowsTheRig, Flesh::Simulated] {
        page += &format!("{}\n\n{HEADING}\n", flesh.title());
        println!("{HEADING}");
        for file in files.iter().filter(|file| flesh == Flesh::FollowsTheRig || SOFT.contains(&stem(file).as_str())) {
            let clips = clips(file)?;
            let every = flag("--all-clips") && flesh == Flesh::FollowsTheRig;
            for clip in &clips[..if every { clips.len() } else { 1 }] {
                let row = compare(&tools, file, clip.as_deref(), flesh);
                println!("{}", row.text);
                bad += usize::from(!row.good);
                all += 1;
                page += &format!("{}\n", row.text);
            }
        }
        page += "\n";
    }
    if flag("--write") {
        let file = root.join("docs/blender.md");
        std::fs::write(&file, page.trim_end().to_string() + "\n")
            .map_err(|e| format!("{} cannot be written: {e}", file.display()))?;
    }
    if bad == 0 { Ok(()) } else { Err(format!("{bad} of {all} comparisons failed")) }
}

const HEADING: &str =
    "| character | clip | frames | GLB | Alembic | USD | PC2 | validator |\n|---|---|---|---|---|---|---|---|";

const INTRODUCTION: &str = "Blender opened the files that Supple made; the tables have the \
    largest distance from what they should show, over all vertices and frames, as a share of the character's size (the \
    diagonal of the box around the whole motion). Allowed is 1e-4; what is more, or lacks frames or parts, is **bold**. \
    *Frames* leaves out those where a curve jumps, because rounding decides on which side of the jump they are. The last \
    column counts the errors of the Khronos validator.\n\n\
    What Blender does its own way, and how the files are opened here:\n\n\
    - It interpolates the four numbers of a rotation, not the rotation, and has tangents of its own. Splines, and rotations \
    with more than 10° between keys, are given to it with a key at each frame, by the formulas of glTF; this concerns \
    the artist's file as much as ours.\n\
    - Its glTF importer is told `bone_heuristic=\"TEMPERANCE\"`: the default misplaces rigid parts on scaled armatures.\n\
    - Its glTF and USD importers drop faces that name a vertex twice. The Alembic importer does so with *Validate Meshes*, \
    which is on here.\n\
    - Clips that share a file share their pose: whatever one clip does not move stays as another clip left it. The files \
    are opened with one clip at a time.\n\
    - A clip whose first key is later than 0 s holds its first pose until then. So do our files: frame k is at k / fps in \
    all of them.\n\n";

/// What the flesh did in a comparison.
#[derive(Clone, Copy, PartialEq)]
enum Flesh {
    FollowsTheRig,
    Simulated,
}

impl Flesh {
    fn title(self) -> &'static str {
        match self {
            Self::FollowsTheRig => {
                "## As the artist made it\n\n`supple simulate --no-physics`, compared with Blender's evaluation of the \
                 original. The skin is moved by as much as the flesh differs from the rig, here by nothing; a GLB then \
                 needs no shapes and is the artist's file with its clip."
            }
            Self::Simulated => {
                "## With flesh\n\n`supple simulate --tets 2000 --tolerance 5e-5`, compared with the simulated positions \
                 (the NPZ of the same run). The GLB has shapes, un-skinned, that Blender adds and skins again; its \
                 difference is what the tolerance allows."
            }
        }
    }

    fn arguments(self) -> &'static [&'static str] {
        match self {
            Self::FollowsTheRig => &["--no-physics"],
            Self::Simulated => &["--tets", "2000", "--tolerance", "5e-5"],
        }
    }
}

struct Row {
    text: String,
    good: bool,
}

/// What a comparison needs.
struct Tools<'a> {
    root: &'a Path,
    program: PathBuf,
    python: String,
    validator: Option<String>,
}

fn compare(tools: &Tools, file: &Path, clip: Option<&str>, flesh: Flesh) -> Row {
    let choice: Vec<&str> = clip.iter().flat_map(|&clip| ["--clip", clip]).collect();
    let clip = clip.unwrap_or("none").replace('|', "\\|");
    let name = stem(file);
    let told = |text: String| Row { text: format!("| {name} | {clip} | {} |", text.replace('\n', " ")), good: false };
    let folder = tools.root.join("target/blender/takes");
    let _ = std::fs::remove_dir_all(&folder); // nothing of the last character may be compared
    if let Err(error) = std::fs::create_dir_all(&folder) {
        return told(error.to_string());
    }
    let outputs = FORMATS.map(|ending| folder.join(format!("out.{ending}")));
    let positions = folder.join("out.npz");
    let mut supple = Command::new(&tools.program);
    supple.arg("simulate").arg(file).args(flesh.arguments()).args(["--fps", FPS]).args(&choice);
    for output in outputs.iter().chain([&positions]) {
        supple.arg("-o").arg(output);
    }
    match supple.output() {
        Err(error) => return told(error.to_string()),
        Ok(run) if !run.status.success() => return told(String::from_utf8_lossy(&run.stderr).trim().to_string()),
        Ok(_) => {}
    }
    let mut blender = Command::new(&tools.python);
    blender.arg(tools.root.join("xtask/roundtrip.py"));
    match flesh {
        Flesh::FollowsTheRig => blender.arg(file),
        Flesh::Simulated => blender.arg(&positions).arg("--base").arg(file),
    };
    let result = match blender.args(["--fps", FPS]).args(&choice).args(&outputs).output() {
        Err(error) => return told(error.to_string()),
        Ok(run) => match serde_json::from_slice::<Value>(&run.stdout) {
            Ok(result) => result,
            Err(_) => return told(format!("Blender stopped: {}", last_line(&run.stderr))),
        },
    };
    if let Some(error) = result["error"].as_str() {
        return told(error.to_string());
    }
    let errors = tools.validator.as_deref().and_then(|place| validator::errors(tools.root, place, &outputs[0]));
    row(&name, &clip, &result, errors)
}

/// One line of the table from what roundtrip.py found.
fn row(name: &str, clip: &str, result: &Value, errors: Option<u64>) -> Row {
    let mut good = errors.unwrap_or(0) == 0;
    let shares = FORMATS.map(|format| {
        let found = &result["outputs"][format];
        let share = found["share"].as_f64().unwrap_or(f64::INFINITY);
        let mut text = format!("{share:.0e}");
        if found["frames"] != result["expected_frames"] {
            text += &format!(", {} frames", found["frames"]);
        }
        if !found["missing"].is_null() {
            text += ", parts differ";
        }
        let fits = share <= ALLOWED && !text.contains(',');
        good &= fits;
        if fits { text } else { format!("**{text}**") }
    });
    let frames = format!("{} of {}", result["frames"], result["expected_frames"]);
    let errors = errors.map_or("not here".to_string(), |n| n.to_string());
    Row { text: format!("| {name} | {clip} | {frames} | {} | {errors} |", shares.join(" | ")), good }
}

fn last_line(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim().lines().last().unwrap_or_default().to_string()
}

fn stem(file: &Path) -> String {
    file.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// The characters of ../shared/data, or those of them that are named.
fn characters(root: &Path, names: &[&str]) -> Result<Vec<PathBuf>, String> {
    let data = root.join("../shared/data/characters");
    let mut files = Vec::new();
    for folder in [data.clone(), data.join("skin_corner_cases")] {
        let entries = std::fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        files.extend(entries.filter_map(|entry| Some(entry.ok()?.path())));
    }
    files.retain(|file| matches!(file.extension().and_then(|e| e.to_str()), Some("glb" | "gltf")));
    files.sort();
    if let Some(unknown) = names.iter().find(|&&name| !files.iter().any(|file| stem(file) == name)) {
        return Err(format!("there is no character {unknown:?} in {}", data.display()));
    }
    files.retain(|file| names.is_empty() || names.contains(&stem(file).as_str()));
    Ok(files)
}

/// The names of a file's clips; the number of one without a name; one that is none for a file without clips.
fn clips(file: &Path) -> Result<Vec<Option<String>>, String> {
    let bytes = std::fs::read(file).map_err(|e| format!("{}: {e}", file.display()))?;
    let text = match bytes.strip_prefix(b"glTF") {
        Some(glb) => {
            let length = glb.get(8..12).map_or(0, |b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]) as usize);
            glb.get(16..16 + length).unwrap_or_default()
        }
        None => &bytes,
    };
    let root: Value = serde_json::from_slice(text).map_err(|e| format!("{}: {e}", file.display()))?;
    let animations = root["animations"].as_array().map(Vec::as_slice).unwrap_or_default();
    let name = |(k, animation): (usize, &Value)| Some(animation["name"].as_str().map_or(k.to_string(), str::to_string));
    Ok(if animations.is_empty() { vec![None] } else { animations.iter().enumerate().map(name).collect() })
}

/// The supple program: the one that is named, or one that is built now.
fn program(root: &Path) -> Result<PathBuf, String> {
    if let Ok(program) = std::env::var(PROGRAM) {
        return Ok(program.into());
    }
    cargo(&["build", "--release", "--package", "supple-cli"], &[])?;
    Ok(root.join("target/release/supple"))
}

/// A python with Blender: the one that is named, or one of our own below target/. Without the network it says so.
pub fn python(root: &Path) -> Option<String> {
    if let Ok(python) = std::env::var(VARIABLE) {
        return Some(python);
    }
    let folder = root.join("target/blender/venv");
    let python = folder.join("bin/python");
    let works = |python: &Path| run_quietly(Command::new(python).args(["-c", "import bpy, numpy, PIL"]));
    if !works(&python) {
        println!("$ pip install bpy (into target/blender)");
        let made = run_quietly(Command::new("python3.11").args(["-m", "venv"]).arg(&folder))
            && run_quietly(Command::new(&python).args(["-m", "pip", "install", "bpy==5.0.1", "numpy", "pillow"]));
        if !made || !works(&python) {
            println!(
                "skipped: Blender could not be installed (it needs python3.11 and the network); or set {VARIABLE}"
            );
            return None;
        }
    }
    Some(python.display().to_string())
}

fn run_quietly(command: &mut Command) -> bool {
    command.output().is_ok_and(|run| run.status.success())
}

#[cfg(test)]
mod tests {
    use super::{characters, clips, row};
    use serde_json::json;

    #[test]
    fn real_characters_and_their_clips_are_found() {
        let root = crate::root();
        if !root.join("../shared/data/characters").is_dir() {
            return eprintln!("skipped: ../shared/data is not here");
        }
        assert_eq!(characters(&root, &[]).unwrap().len(), 21);
        let found = characters(&root, &["RobotExpressive", "Animation_Skin_04"]).unwrap();
        let counts: Vec<usize> = found.iter().map(|file| clips(file).unwrap().len()).collect();
        assert_eq!(counts, [14, 1]);
        assert_eq!(clips(&found[0]).unwrap()[0].as_deref(), Some("Dance"));
        assert!(characters(&root, &["Unicorn"]).unwrap_err().contains("Unicorn"));
    }

    #[test]
    fn a_row_is_good_only_where_all_formats_are_there_and_near() {
        let near = json!({"share": 2e-7, "frames": 9});
        let result = |pc2| json!({"frames": 9, "expected_frames": 9, "outputs": {"glb": near, "abc": near, "usda": near, "pc2": pc2}});
        let good = row("cow", "Walk", &result(near.clone()), Some(0));
        assert_eq!((good.text.as_str(), good.good), ("| cow | Walk | 9 of 9 | 2e-7 | 2e-7 | 2e-7 | 2e-7 | 0 |", true));
        assert!(!row("cow", "Walk", &result(near.clone()), Some(1)).good);
        for bad in [json!({"share": 2e-4, "frames": 9}), json!({"share": 0.0, "frames": 8}), json!(null)] {
            assert!(!row("cow", "Walk", &result(bad.clone()), None).good, "{bad}");
        }
    }
}
