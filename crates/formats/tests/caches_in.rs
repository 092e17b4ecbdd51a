//! Point caches, sequences and soups of triangles: what is read, and what is mended.

mod scratch;

use formats::{Animation, CacheOptions, FormatError, Up};
use math::Vect;
use scratch::{Scratch, pyramid};

/// Two vertices, three frames; numbers that float32 holds exactly.
fn frames() -> Vec<Vec<[f32; 3]>> {
    (0..3).map(|k| vec![[k as f32, 0.5, -2.0], [1.0, 2.0 + k as f32, 3.0]]).collect()
}

fn pc2(vertices: i32, start: f32, rate: f32, count: i32, frames: &[Vec<[f32; 3]>]) -> Vec<u8> {
    let mut bytes = b"POINTCACHE2\0".to_vec();
    bytes.extend(1i32.to_le_bytes());
    bytes.extend(vertices.to_le_bytes());
    bytes.extend([start, rate].iter().flat_map(|v| v.to_le_bytes()));
    bytes.extend(count.to_le_bytes());
    bytes.extend(frames.iter().flatten().flatten().flat_map(|v| v.to_le_bytes()));
    bytes
}

fn mdd(vertices: i32, times: &[f32], frames: &[Vec<[f32; 3]>]) -> Vec<u8> {
    let mut bytes = (times.len() as i32).to_be_bytes().to_vec();
    bytes.extend(vertices.to_be_bytes());
    bytes.extend(times.iter().chain(frames.iter().flatten().flatten()).flat_map(|v| v.to_be_bytes()));
    bytes
}

#[test]
fn a_pc2_says_its_times_in_frames_and_its_positions_as_they_are() {
    let scratch = Scratch::new("pc2");
    let file = scratch.file("a.pc2", pc2(2, 10.0, 0.5, 3, &frames()));
    let options = CacheOptions { up: Up::Z, fps: 25.0 };
    let cache = formats::read_pc2(&file, &options).unwrap();
    assert_eq!((cache.times.as_slice(), cache.vertices), (&[0.4, 0.42, 0.44][..], 2));
    assert_eq!(cache.frames[2], [Vect::<3>::new(2.0, 0.5, -2.0), Vect::<3>::new(1.0, 4.0, 3.0)]);
    assert!(cache.notes.is_empty());
    let turned = formats::read_pc2(&file, &CacheOptions { up: Up::Y, ..options }).unwrap();
    assert_eq!(turned.frames[0][1], Vect::<3>::new(1.0, -3.0, 2.0));
    let turned = formats::read_pc2(&file, &CacheOptions { up: Up::LeftY, ..options }).unwrap();
    assert_eq!(turned.frames[0][1], Vect::<3>::new(1.0, 3.0, 2.0));
    for fps in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-320] {
        let refused = formats::read_pc2(&file, &CacheOptions { fps, ..options });
        assert!(matches!(refused, Err(FormatError::BadRate { .. })), "{fps}");
    }
}

#[test]
fn a_header_is_not_believed_before_the_frames_are_there() {
    let scratch = Scratch::new("cache-header");
    let options = CacheOptions::default();
    let early = |bytes: Vec<u8>| match formats::read_pc2(scratch.file("a.pc2", bytes), &options) {
        Err(FormatError::EndsEarly { what: "frames", promised, found, .. }) => (promised, found),
        other => panic!("{other:?}"),
    };
    assert_eq!(early(pc2(2, 0.0, 1.0, 4, &frames())), (4, 3));
    assert_eq!(early(pc2(i32::MAX, 0.0, 1.0, i32::MAX, &frames())), (i32::MAX as u64, 0));
    assert_eq!(early(pc2(3, 0.0, 1.0, 3, &frames())), (3, 2));
    for (vertices, count) in [(0, 3), (-1, 3), (2, 0), (2, -7)] {
        let file = scratch.file("a.pc2", pc2(vertices, 0.0, 1.0, count, &frames()));
        assert!(matches!(formats::read_pc2(file, &options), Err(FormatError::Empty { .. })), "{vertices} {count}");
    }
    let mut far = frames();
    far[1][1][2] = f32::NAN;
    let file = scratch.file("a.pc2", pc2(2, 0.0, 1.0, 3, &far));
    let Err(FormatError::NotFinite { vertex, place, .. }) = formats::read_pc2(file, &options) else { panic!() };
    assert_eq!((vertex, place), (1, formats::Place::Byte(32 + 24 + 12)));
    let file = scratch.file("a.mdd", [&i32::MAX.to_be_bytes()[..], &2i32.to_be_bytes(), &[0; 40]].concat());
    assert!(matches!(formats::read_mdd(file, &options), Err(FormatError::EndsEarly { what: "times", found: 10, .. })));
}

#[test]
fn strange_rates_and_bytes_behind_the_end_are_told() {
    let scratch = Scratch::new("cache-notes");
    let mut bytes = pc2(2, 0.0, 0.0, 3, &frames());
    bytes.push(7);
    let cache = formats::read_pc2(scratch.file("a.pc2", bytes), &CacheOptions { fps: 10.0, up: Up::Z }).unwrap();
    assert_eq!(cache.times, [0.0, 0.1, 0.2]);
    assert_eq!(
        cache.notes,
        [
            "The file says that samples are 0 frames apart. They were taken as one frame apart.",
            "The file goes on behind its last frame (bytes: 1). That was ignored."
        ]
    );
    let file = scratch.file("a.mdd", mdd(2, &[0.0, 0.0, 0.0], &frames()));
    let cache = formats::read_mdd(file, &CacheOptions { fps: 10.0, up: Up::Z }).unwrap();
    assert_eq!(cache.times, [0.0, 0.1, 0.2]);
    assert_eq!(cache.notes, ["The times of the frames do not rise. 10 frames per second were taken."]);
}

#[test]
fn an_mdd_has_its_own_times() {
    let scratch = Scratch::new("mdd");
    let file = scratch.file("a.mdd", mdd(2, &[0.0, 0.25, 1.0], &frames()));
    let cache = formats::read_mdd(file, &CacheOptions::default()).unwrap();
    assert_eq!((cache.times.as_slice(), cache.vertices, cache.notes.len()), (&[0.0, 0.25, 1.0][..], 2, 0));
    assert_eq!(cache.frames[1], [Vect::<3>::new(1.0, 0.5, -2.0), Vect::<3>::new(1.0, 3.0, 3.0)]);
}

#[test]
fn a_sequence_that_was_written_is_read_back_bit_for_bit_by_file_folder_and_pattern() {
    let scratch = Scratch::new("sequence-in");
    let frames: Vec<Vec<Vect<3>>> =
        (0..12).map(|k| pyramid().x.iter().map(|x| x * (1.0 + f64::from(k) / 3.0)).collect()).collect();
    let animation = Animation { name: "walk".into(), surface: pyramid(), frames, fps: 24.0, ..Default::default() };
    let files = formats::write_obj_sequence(scratch.0.join("frames"), &animation).unwrap();
    let folder = scratch.0.join("frames");
    let options = CacheOptions { up: Up::Z, fps: 24.0 };
    for name in ["", "walk_0003.obj", "walk_####.obj", "walk_*.obj", "walk_%04d.obj"] {
        let name = if name.is_empty() { folder.clone() } else { folder.join(name) };
        let cache = formats::read_obj_sequence(&name, &options).unwrap();
        assert_eq!(cache.frames, animation.frames, "{name:?}");
        assert_eq!((cache.times[11], cache.notes.len()), (11.0 / 24.0, 0), "{name:?}");
        assert_eq!(formats::obj_sequence_files(&name).unwrap(), files, "{name:?}");
    }
}

#[test]
fn a_sequence_is_in_the_order_of_its_numbers_and_gaps_and_strangers_are_told() {
    let scratch = Scratch::new("sequence-order");
    let vertex = |x: usize| format!("v {x} 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\n");
    for k in [2, 10, 9] {
        scratch.file(&format!("a{k}.obj"), vertex(k));
    }
    scratch.file("notes.txt", "");
    scratch.file("still.obj", vertex(0));
    let options = CacheOptions { up: Up::Z, fps: 1.0 };
    let cache = formats::read_obj_sequence(&scratch.0, &options).unwrap();
    assert_eq!(cache.frames.iter().map(|frame| frame[0].x).collect::<Vec<_>>(), [2.0, 9.0, 10.0]);
    assert_eq!(cache.times, [0.0, 7.0, 8.0]);
    assert_eq!(
        cache.notes,
        ["Some numbers are missing between the files (gaps: 1). The motion goes straight across them."]
    );
    let told = |name: &str| {
        let error = formats::read_obj_sequence(scratch.0.join(name), &options).unwrap_err().to_string();
        error.lines().next().unwrap().to_string()
    };
    assert_eq!(told("still.obj"), "the file holds no number in its name, which Supple cannot use.");
    assert_eq!(told("b1.obj"), "there is no file of this name.");
    assert_eq!(told("no/b1.obj"), "there is no file of this name.");
    scratch.file("a009.obj", vertex(9));
    assert_eq!(told("a2.obj"), "two files have the number 9.");
    std::fs::remove_file(scratch.0.join("a009.obj")).unwrap();
    scratch.file("a11.obj", "v 0 0 0\n");
    assert_eq!(told("a2.obj"), "frame 3 has 1 vertices, but the surface has 3.");
    scratch.file("b_1.obj", vertex(1));
    assert_eq!(told(""), "the file holds more than one sequence: a….obj, b_….obj, which Supple cannot use.");
}

fn binary_stl(header: &[u8; 80], count: u32, triangles: &[[[f32; 3]; 3]]) -> Vec<u8> {
    let mut bytes = header.to_vec();
    bytes.extend(count.to_le_bytes());
    for triangle in triangles {
        bytes.extend([0; 12]);
        bytes.extend(triangle.iter().flatten().flat_map(|v| v.to_le_bytes()));
        bytes.extend([0; 2]);
    }
    bytes
}

#[test]
fn text_and_binary_stl_are_the_same_welded_surface() {
    let scratch = Scratch::new("stl");
    let triangles =
        [[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [[1.0, -0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]]];
    let mut header = [b' '; 80];
    header[..5].copy_from_slice(b"solid");
    let binary = formats::read_surface(scratch.file("a.stl", binary_stl(&header, 2, &triangles))).unwrap();
    assert_eq!((binary.x.len(), binary.triangles.as_slice()), (4, &[[0, 1, 2], [1, 3, 2]][..]));
    let mut text = String::from("solid vertex of an odd name\r\n");
    for triangle in triangles {
        text += "facet normal 0 0 nan\n outer loop\n";
        for [x, y, z] in triangle {
            text += &format!("  VERTEX {x:e} {y} {z}\r\n");
        }
        text += " endloop\nendfacet\n";
    }
    text += "endsolid vertex of an odd name\n";
    assert_eq!(formats::read_surface(scratch.file("b.stl", &text)).unwrap(), binary);
    let told = |bytes: &[u8]| formats::read_surface(scratch.file("c.stl", bytes)).unwrap_err().to_string();
    assert!(
        told(&binary_stl(&[0; 80], 3, &triangles))
            .starts_with("the file says that it holds 3 triangles, but it ends after 2.")
    );
    assert!(
        told(text.replacen("VERTEX", "", 1).as_bytes()).starts_with("a facet has 2 corners, but needs three (line 7).")
    );
    assert!(told(b"solid a\nendsolid a\n").starts_with("the mesh holds no faces."));
    assert!(
        told(b"x")
            .starts_with("a binary .stl needs 84 bytes before its first triangle, and this one is shorter (byte 1).")
    );
    let cut = &text[..text.rfind("VERTEX").unwrap()];
    assert!(told(cut.as_bytes()).starts_with("the last facet is cut off"), "{}", told(cut.as_bytes()));
    let mut far = triangles;
    far[1][2][0] = f32::INFINITY;
    assert!(
        told(&binary_stl(&[0; 80], 2, &far))
            .starts_with("vertex 6 (byte 170) has no position: one of its numbers is inf.")
    );
}

#[test]
fn the_soup_of_the_shared_data_has_all_its_triangles() {
    let Some(folder) = scratch::shared_data() else { return };
    let soup = formats::read_surface(folder.join("nasty/soup.stl")).unwrap();
    assert_eq!((soup.x.len(), soup.triangles.len()), (300, 100));
    let volume = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|v| soup.x[v as usize]);
        a.dot(&b.cross(&c)) / 6.0
    };
    let found: f64 = soup.triangles.iter().map(volume).sum();
    assert!((found + 0.0486174).abs() < 1e-6, "{found}");
}

#[test]
fn polygons_keep_their_corners_and_groups() {
    let scratch = Scratch::new("polygons");
    let text = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\ng quad of mine\nf -4/1 -3/2/3 -2//4 -1\ng\nf 1 2 3 4 1\n";
    let polygons = formats::read_polygons(scratch.file("a.obj", text)).unwrap();
    assert_eq!(polygons.sizes, [3, 4, 5]);
    assert_eq!(polygons.corners, [0, 1, 2, 0, 1, 2, 3, 0, 1, 2, 3, 0]);
    let groups: Vec<_> = polygons.groups.iter().map(|g| (g.name.as_str(), g.faces.as_slice())).collect();
    assert_eq!(groups, [("quad of mine", &[1][..]), ("", &[2][..])]);
    let Some(folder) = scratch::shared_data() else { return };
    let base = formats::read_polygons(folder.join("human/base.obj")).unwrap();
    assert_eq!((base.x.len(), base.sizes.len(), base.groups.len()), (19158, 18486, 139));
    assert!(base.sizes.iter().all(|&size| size == 4));
}
