//! Takes in every format, read back by small readers of the tests' own.

mod scratch;

use formats::{FormatError, Frames, Take, TakePart, check_output, write_take};
use insta::assert_snapshot;
use math::Vect;
use scratch::Scratch;
use std::path::Path;
use std::process::Command;

type X = Vec<Vec<Vec<Vect<3>>>>;

/// A pyramid with a square below, with texture coordinates, and a lone triangle; both move.
fn two_parts() -> (Take, X) {
    let body = TakePart {
        name: "Body.001".into(),
        sizes: vec![4, 3, 3, 3, 3],
        corners: vec![0, 3, 2, 1, 0, 1, 4, 1, 2, 4, 2, 3, 4, 3, 0, 4],
        vertices: 5,
        uv: vec![[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [0.5, 0.25]],
        color: [0.8, 0.2, 0.1],
    };
    let fin = TakePart {
        name: "fin/ö".into(),
        sizes: vec![3],
        corners: vec![0, 1, 2],
        vertices: 3,
        uv: Vec::new(),
        color: [0.5; 3],
    };
    let frames = (0..30)
        .map(|k| {
            let s = 0.1 * f64::from(k);
            let body = [[0.0, 0.0, 0.0], [1.0, s, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, s * s], [0.5, 0.5, 2.0 + s]];
            let fin = [[2.0, 0.0, s], [3.0, 0.0, 0.0], [2.0, -1.0 - s, 1e-20]];
            vec![body.map(Vect::from).to_vec(), fin.map(Vect::from).to_vec()]
        })
        .collect();
    (Take { name: "walk".into(), fps: 25.0, parts: vec![body, fin] }, frames)
}

fn one_part() -> (Take, X) {
    let (mut take, frames) = two_parts();
    take.parts.truncate(1);
    (take, frames.into_iter().map(|x| x[..1].to_vec()).collect())
}

fn single(x: &Vect<3>) -> [f32; 3] {
    [x.x as f32, x.y as f32, x.z as f32]
}

fn floats(x: &[Vec<Vec<Vect<3>>>], part: usize) -> Vec<f32> {
    x.iter().flat_map(|x| &x[part]).flat_map(single).collect()
}

#[test]
fn a_pc2_is_a_header_and_the_positions_z_up() {
    let scratch = Scratch::new("pc2");
    let (take, mut frames) = one_part();
    let file = scratch.0.join("walk.pc2");
    assert_eq!(write_take(&file, &take, &mut frames).unwrap().files, std::slice::from_ref(&file));
    let bytes = std::fs::read(file).unwrap();
    let word = |at: usize| <[u8; 4]>::try_from(&bytes[at..at + 4]).unwrap();
    assert_eq!(&bytes[..12], b"POINTCACHE2\0");
    assert_eq!([12, 16, 28].map(|at| i32::from_le_bytes(word(at))), [1, 5, 30]);
    assert_eq!([20, 24].map(|at| f32::from_le_bytes(word(at))), [0.0, 1.0]);
    let x: Vec<f32> = (32..bytes.len()).step_by(4).map(|at| f32::from_le_bytes(word(at))).collect();
    assert_eq!(x, floats(&frames, 0));
}

#[test]
fn an_mdd_is_big_endian_and_has_the_times_and_each_part_its_file() {
    let scratch = Scratch::new("mdd");
    let (take, mut frames) = two_parts();
    let written = write_take(scratch.0.join("walk.mdd"), &take, &mut frames).unwrap();
    assert_eq!(written.files, ["walk.Body.001.mdd", "walk.fin_ö.mdd"].map(|name| scratch.0.join(name)));
    assert_eq!(written.notes, ["a .mdd file holds one object, so each of the 2 parts has its own."]);
    assert!(!scratch.0.join("walk.mdd").exists());
    for (part, file) in written.files.iter().enumerate() {
        let bytes = std::fs::read(file).unwrap();
        let word = |at: usize| <[u8; 4]>::try_from(&bytes[at..at + 4]).unwrap();
        assert_eq!([0, 4].map(|at| i32::from_be_bytes(word(at))), [30, [5, 3][part]]);
        let numbers: Vec<f32> = (8..bytes.len()).step_by(4).map(|at| f32::from_be_bytes(word(at))).collect();
        assert_eq!(numbers[..3], [0.0, 1.0 / 25.0, 2.0 / 25.0]);
        assert_eq!(numbers[30..], floats(&frames, part));
    }
}

#[test]
fn an_npz_holds_all_parts_in_one_array() {
    let scratch = Scratch::new("npz");
    let (take, mut frames) = two_parts();
    let file = scratch.0.join("walk.npz");
    write_take(&file, &take, &mut frames).unwrap();
    let mut arrays = npyz::npz::NpzArchive::open(file).unwrap();
    let positions = arrays.by_name("positions").unwrap().unwrap();
    assert_eq!(positions.shape(), [30, 8, 3]);
    let expected: Vec<f32> = frames.iter().flatten().flatten().flat_map(single).collect();
    assert_eq!(positions.into_vec::<f32>().unwrap(), expected);
    let faces = arrays.by_name("faces").unwrap().unwrap();
    assert_eq!(faces.shape(), [7, 3]);
    let faces = faces.into_vec::<i32>().unwrap();
    assert_eq!((&faces[..6], &faces[18..]), (&[0, 3, 2, 0, 2, 1][..], &[5, 6, 7][..]));
    assert_eq!(arrays.by_name("starts").unwrap().unwrap().into_vec::<i64>().unwrap(), [0, 5, 8]);
    assert_eq!(arrays.by_name("names").unwrap().unwrap().into_vec::<String>().unwrap(), ["Body.001", "fin/ö"]);
    let fps = arrays.by_name("fps").unwrap().unwrap();
    assert_eq!((fps.shape().len(), fps.into_vec::<f64>().unwrap()), (0, vec![25.0]));
}

#[test]
fn a_usda_leaves_out_faces_that_name_a_vertex_twice_and_keeps_all_vertices() {
    let scratch = Scratch::new("usda-twice");
    let (mut take, mut frames) = one_part();
    take.parts[0].sizes.insert(1, 3);
    take.parts[0].corners.splice(4..4, [2, 4, 2]);
    let file = scratch.0.join("walk.usda");
    write_take(&file, &take, &mut frames).unwrap();
    let text = std::fs::read_to_string(file).unwrap();
    for expected in [
        "faceVertexCounts = [4, 3, 3, 3, 3]\n",
        "faceVertexIndices = [0, 3, 2, 1, 0, 1, 4, 1, 2, 4, 2, 3, 4, 3, 0, 4]\n",
        "29: [(0.0, 0.0, 0.0), (1.0, 2.9, 0.0), (1.0, 1.0, 0.0), (0.0, 1.0, 8.41), (0.5, 0.5, 4.9)],\n",
    ] {
        assert!(text.contains(expected), "{expected}{text}");
    }
}

#[test]
fn a_usda_says_its_axes_units_and_times() {
    let scratch = Scratch::new("usda");
    let (take, mut frames) = two_parts();
    let file = scratch.0.join("walk.usda");
    write_take(&file, &take, &mut frames).unwrap();
    let text = std::fs::read_to_string(file).unwrap();
    for fact in [
        "#usda 1.0\n",
        "upAxis = \"Z\"",
        "metersPerUnit = 1\n",
        "startTimeCode = 0\n    endTimeCode = 29\n    timeCodesPerSecond = 25\n",
        "def Mesh \"Body_001\" (\n        displayName = \"Body.001\"\n",
        "def Mesh \"fin__\" (\n        displayName = \"fin/ö\"\n",
        "faceVertexCounts = [4, 3, 3, 3, 3]\n",
        "faceVertexIndices = [0, 3, 2, 1, 0, 1, 4,",
        "            1: [(0.0, 0.0, 0.0), (1.0, 0.1, 0.0), (1.0, 1.0, 0.0), (0.0, 1.0, 0.01), (0.5, 0.5, 2.1)],\n",
        "            1: [(2.0, 0.0, 0.1), (3.0, 0.0, 0.0), (2.0, -1.1, 1e-20)],\n",
        "            0: [(0.0, 0.0, 0.0), (1.0, 1.0, 2.0)],\n", // the extent
        "texCoord2f[] primvars:st = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0), (0.5, 0.25)] (\n            \
         interpolation = \"vertex\"",
    ] {
        assert!(text.contains(fact), "{fact}\nis not in\n{}", &text[..text.len().min(3000)]);
    }
    assert_eq!(text.matches("primvars:st").count(), 1, "the fin has no texture coordinates");
    assert_eq!(text.matches("            29: [").count(), 4);
}

/// What an Ogawa file holds, for tests: groups and blocks, followed from the root.
struct Ogawa(Vec<u8>);

impl Ogawa {
    fn number(&self, at: u64) -> u64 {
        u64::from_le_bytes(self.0[at as usize..at as usize + 8].try_into().unwrap())
    }
    fn group(&self, at: u64) -> Vec<u64> {
        assert!(at >> 63 == 0 && at > 0, "{at:#x} is no group");
        (1..=self.number(at)).map(|k| self.number(at + 8 * k)).collect()
    }
    fn block(&self, at: u64) -> &[u8] {
        assert!(at >> 63 == 1, "{at:#x} is no block");
        let at = at & !(1 << 63);
        if at == 0 { &[] } else { &self.0[at as usize + 8..][..self.number(at) as usize] }
    }
    fn follow(&self, path: &[usize]) -> u64 {
        path.iter().fold(self.number(8), |at, &k| self.group(at)[k])
    }
}

#[test]
fn an_alembic_file_holds_the_samples_of_each_mesh() {
    let scratch = Scratch::new("abc");
    let (take, mut frames) = two_parts();
    let file = scratch.0.join("walk.abc");
    write_take(&file, &take, &mut frames).unwrap();
    let ogawa = Ogawa(std::fs::read(file).unwrap());
    assert_eq!(ogawa.0[..8], *b"Ogawa\xff\0\x01", "it is frozen: complete");
    assert_eq!(ogawa.group(ogawa.number(8)).len(), 6);
    // Times: what stands still, and 30 samples every 1/25 s from 0.
    let times = ogawa.block(ogawa.follow(&[4]));
    assert_eq!((times.len(), times[24], &times[28..36]), (48, 30, &(1.0f64 / 25.0).to_le_bytes()[..]));
    // The top: no properties, two objects, their names.
    let top = ogawa.group(ogawa.follow(&[2]));
    assert_eq!(top.len(), 4);
    assert!(ogawa.block(top[3]).starts_with(b"\x08\0\0\0Body.001\x06\x06\0\0\0fin_\xc3\xb6\x06"));
    for (part, properties) in [(0, 6), (1, 5)] {
        let geom = ogawa.group(ogawa.follow(&[2, part + 1, 1, 0, 0]));
        assert_eq!(geom.len(), properties, "bounds, points, corners, sizes, perhaps uv; headers");
        assert_eq!(ogawa.group(geom[0]).len(), 30);
        let points = ogawa.group(geom[1]);
        assert_eq!(points.len(), 60, "values and dimensions of each sample");
        for (k, x) in frames.iter().enumerate() {
            let y_up = x[part].iter().flat_map(|x| [x.x, x.z, -x.y]).flat_map(|v| (v as f32).to_le_bytes());
            assert_eq!(ogawa.block(points[2 * k])[16..], y_up.collect::<Vec<u8>>());
        }
        let key = |k: usize| &ogawa.block(points[2 * k])[..16];
        assert_ne!(key(0), key(1), "different samples have different keys");
    }
    let corners = ogawa.block(ogawa.follow(&[2, 1, 1, 0, 0, 2, 0]));
    let clockwise: Vec<u8> = [1u32, 2, 3, 0].iter().flat_map(|v| v.to_le_bytes()).collect();
    assert_eq!(corners[16..32], clockwise);
}

#[test]
fn an_obj_per_frame_numbers_its_vertices_through_all_parts() {
    let scratch = Scratch::new("take-obj");
    let (take, mut frames) = two_parts();
    let written = write_take(scratch.0.join("walk.obj"), &take, &mut frames).unwrap();
    assert_eq!(written.files.len(), 30);
    assert_eq!(written.files[7], scratch.0.join("walk_0007.obj"));
    let text = std::fs::read_to_string(&written.files[7]).unwrap();
    assert!(text.contains("o Body.001\n") && text.contains("\nf 1/1 4/4 3/3 2/2\n") && text.ends_with("\nf 6 7 8\n"));
    let surface = formats::read_surface(&written.files[7]).unwrap();
    assert_eq!(surface.x, frames[7].concat());
}

/// Counts how often it is read.
struct Counting(X, usize);

impl Frames for Counting {
    fn count(&self) -> usize {
        self.0.len()
    }
    fn frame(&mut self, k: usize) -> Result<Vec<Vec<Vect<3>>>, FormatError> {
        self.1 += 1;
        self.0.frame(k)
    }
}

#[test]
fn frames_are_read_once_where_the_format_allows_it() {
    let scratch = Scratch::new("once");
    for (name, times) in [("a.abc", 30), ("a.npz", 30), ("a.obj", 30), ("a.usda", 60), ("a.pc2", 60)] {
        let (take, frames) = two_parts();
        let mut frames = Counting(frames, 0);
        write_take(scratch.0.join(name), &take, &mut frames).unwrap();
        assert_eq!(frames.1, times, "{name}");
    }
}

const ENDINGS: [&str; 6] = ["abc", "usda", "pc2", "mdd", "npz", "obj"];

#[test]
fn a_frame_that_cannot_be_read_or_written_leaves_the_older_file() {
    let (take, good) = one_part();
    for ending in ENDINGS {
        let scratch = Scratch::new(&format!("bad-{ending}"));
        let file = scratch.file(&format!("walk.{ending}"), "older");
        for bad in [f64::NAN, f64::INFINITY, 1e39] {
            let mut frames = good.clone();
            frames[3][0][4].y = bad;
            let error = write_take(&file, &take, &mut frames).unwrap_err();
            assert!(matches!(error, FormatError::FlownOff { vertex: 4, .. }), "{ending}: {error}");
        }
        let mut frames = good.clone();
        frames[2][0].pop();
        let error = write_take(&file, &take, &mut frames).unwrap_err();
        assert!(matches!(error, FormatError::WrongFrame { frame: 2, found: 4, expected: 5, .. }), "{ending}: {error}");
        assert_eq!(std::fs::read(&file).unwrap(), b"older");
        let others = std::fs::read_dir(&scratch.0).unwrap().map(|f| f.unwrap().file_name()).filter(|name| {
            let name = name.to_string_lossy();
            name.ends_with(".partial")
        });
        assert_eq!(others.count(), 0, "{ending} leaves nothing half written");
    }
}

#[test]
fn names_that_are_empty_equal_or_strange_still_make_files() {
    for ending in ENDINGS {
        let scratch = Scratch::new(&format!("names-{ending}"));
        let (mut take, mut frames) = two_parts();
        for name in ["", "目", "../up", "a\"\n", "same", "SAME"] {
            take.parts.push(TakePart { name: name.into(), ..take.parts[1].clone() });
            frames.iter_mut().for_each(|x| x.push(x[1].clone()));
        }
        let written = write_take(scratch.0.join(format!("walk.{ending}")), &take, &mut frames).unwrap();
        let mut files = written.files.clone();
        files.sort();
        files.dedup();
        assert_eq!(files.len(), written.files.len());
        assert!(files.iter().all(|file| file.parent() == Some(&scratch.0) && file.is_file()), "{files:?}");
    }
}

#[test]
fn one_frame_is_enough_and_a_part_may_have_no_faces() {
    for ending in ENDINGS {
        let scratch = Scratch::new(&format!("one-{ending}"));
        let (mut take, mut frames) = two_parts();
        take.parts[1] = TakePart { sizes: vec![], corners: vec![], ..take.parts[1].clone() };
        frames.truncate(1);
        assert!(!write_take(scratch.0.join(format!("w.{ending}")), &take, &mut frames).unwrap().files.is_empty());
    }
}

#[test]
fn takes_that_cannot_be_written_are_refused() {
    let scratch = Scratch::new("refused");
    let file = scratch.0.join("walk.abc");
    let told = |change: &dyn Fn(&mut Take, &mut X)| {
        let (mut take, mut frames) = two_parts();
        change(&mut take, &mut frames);
        let error = write_take(&file, &take, &mut frames).unwrap_err().to_string();
        error.replace(&format!("{}/", scratch.0.display()), "").lines().next().unwrap().to_string()
    };
    assert_snapshot!(told(&|_, x| x.clear()), @"there is nothing to write: the animation has no frames.");
    assert_snapshot!(told(&|take, _| take.parts.clear()), @"there is nothing to write: the surface has no faces.");
    assert_snapshot!(told(&|take, _| take.fps = f64::NAN), @"NaN frames per second are not possible.");
    assert_snapshot!(told(&|take, _| take.fps = 0.0), @"0 frames per second are not possible.");
    assert_snapshot!(told(&|take, _| take.parts[0].corners[5] = 5),
        @"corner 5 asks for vertex 5, but there is no such vertex among the 5.");
    assert_snapshot!(told(&|take, _| take.parts[0].sizes[1] = 2),
        @r#"face 1 of "Body.001" has fewer than three corners."#);
    assert_snapshot!(told(&|take, _| take.parts[0].sizes[1] = 7),
        @r#"the faces of "Body.001" have 20 corners, but 16 are listed."#);
    assert_snapshot!(told(&|take, _| take.parts[0].uv.truncate(4)),
        @r#""Body.001" has 4 texture coordinates for 5 vertices."#);
    assert_snapshot!(told(&|_, x| x[4][1][2].x = f64::NAN),
        @r#"vertex 2 of "fin/ö" in frame 4 has flown off: its position does not fit in the file."#);
}

#[test]
fn an_output_is_checked_before_the_simulation() {
    let scratch = Scratch::new("check-output");
    let told = |error: FormatError| error.to_string().replace(&format!("{}/", scratch.0.display()), "");
    for ending in ENDINGS.into_iter().chain(["glb", "usd", "ABC"]) {
        check_output(scratch.0.join(format!("walk.{ending}"))).unwrap();
    }
    let older = scratch.file("older.abc", "older");
    check_output(&older).unwrap();
    assert_eq!(std::fs::read(&older).unwrap(), b"older");
    assert_eq!(std::fs::read_dir(&scratch.0).unwrap().count(), 1, "the check leaves nothing behind");
    assert_snapshot!(told(check_output(scratch.0.join("walk.fbx")).unwrap_err()), @r#"
    files that end in ".fbx" are not known here.
    Use one that ends in .glb, .abc, .usda, .pc2, .mdd, .npz or .obj.
    (walk.fbx)
    "#);
    assert_snapshot!(told(check_output(scratch.0.join("none/walk.abc")).unwrap_err()), @"
    the folder none does not exist.
    Make it first, or choose another place to save.
    (none/walk.abc)
    ");
    std::fs::create_dir(scratch.0.join("folder.abc")).unwrap();
    assert!(matches!(check_output(scratch.0.join("folder.abc")), Err(FormatError::NotAFile { .. })));
    if cfg!(target_os = "linux") {
        // Not even an administrator may write there.
        let error = check_output("/proc/walk.abc").unwrap_err();
        assert!(matches!(error, FormatError::Unwritable { .. }), "{error}");
    }
}

#[test]
fn a_full_disk_is_told_and_leaves_nothing_half_written() {
    if !Path::new("/dev/full").exists() {
        return scratch::skip("there is no /dev/full here");
    }
    // The rename would replace the device, so write through a link to it where the partial file would be.
    let scratch = Scratch::new("full");
    let partial = scratch.0.join(format!(".walk.pc2.{}.partial", std::process::id()));
    #[cfg(unix)]
    std::os::unix::fs::symlink("/dev/full", &partial).unwrap();
    let (take, mut frames) = one_part();
    let error = write_take(scratch.0.join("walk.pc2"), &take, &mut frames).unwrap_err();
    assert!(matches!(error, FormatError::Unwritable { .. }), "{error}");
    assert_eq!(std::fs::read_dir(&scratch.0).unwrap().count(), 0);
}

#[test]
fn blender_shows_the_same_positions_from_every_file() {
    let Ok(python) = std::env::var("SUPPLE_BLENDER_PYTHON") else {
        return scratch::skip("SUPPLE_BLENDER_PYTHON names no python with bpy (`cargo xtask blender` installs one)");
    };
    // A rate that is no whole number, more frames than fit into a byte, and a file that stands still.
    for (fps, count) in [(29.97, 300), (24.0, 1)] {
        let scratch = Scratch::new(&format!("blender-{count}"));
        let (mut take, frames) = two_parts();
        take.fps = fps;
        let mut frames: X = (0..count).map(|k| frames[k % frames.len()].clone()).collect();
        let files = ["npz", "abc", "usda", "pc2", "mdd"].map(|ending| scratch.0.join(format!("walk.{ending}")));
        for file in &files {
            write_take(file, &take, &mut frames).unwrap();
        }
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../xtask/roundtrip.py");
        let mut run = Command::new(&python);
        run.arg(script).args(["--fps", &fps.to_string(), "--tolerance", "1e-7"]).args(&files);
        let run = run.output().unwrap();
        let told = String::from_utf8_lossy(&run.stdout);
        assert!(run.status.success(), "{told}{}", String::from_utf8_lossy(&run.stderr));
        assert_eq!(told.matches("\"share\"").count(), 4, "{told}");
    }
}
