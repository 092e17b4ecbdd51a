//! A folder of its own for each test, and small meshes to put there.
#![allow(dead_code)] // no test file uses all of it

use math::Vect;
use mesh::{Mesh, Surface};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A folder that is gone when the test ends.
pub struct Scratch(pub PathBuf);

impl Scratch {
    pub fn new(name: &str) -> Self {
        // Tests run at the same time, and some ask for the same name.
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("supple-formats-{name}-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Scratch(folder)
    }
    pub fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let file = self.0.join(name);
        std::fs::write(&file, bytes).unwrap();
        file
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Two tetrahedra on one face, at positions that no short decimal can say.
pub fn two_tets() -> Mesh<3> {
    let x = [[0.1, -0.0, 1e-300], [1.0 / 3.0, 0.2, 0.0], [0.0, 1.1, 0.3], [0.1, 0.2, 1.7], [1.0, 1.3, 1.9]];
    Mesh { rest: x.map(Vect::from).to_vec(), corners: vec![0, 1, 2, 3, 1, 4, 3, 2] }.oriented()
}

/// Two triangles.
pub fn two_triangles() -> Mesh<2> {
    let x = [[0.1, -0.0], [1.0 / 3.0, 0.2], [0.0, 1.1], [1.0, 1.3]];
    Mesh { rest: x.map(Vect::from).to_vec(), corners: vec![0, 1, 2, 2, 1, 3] }
}

trait Oriented {
    fn oriented(self) -> Self;
}
impl Oriented for Mesh<3> {
    fn oriented(mut self) -> Self {
        let volumes = self.volumes(&self.rest);
        for (element, volume) in self.corners.chunks_exact_mut(4).zip(volumes) {
            if volume < 0.0 {
                element.swap(2, 3);
            }
        }
        self
    }
}

/// The skin of one tetrahedron.
pub fn pyramid() -> Surface {
    let x = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(Vect::from).to_vec();
    Surface { x, triangles: vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]] }
}

/// The shared data, or a visible line that they are not there.
pub fn shared_data() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    if !folder.is_dir() {
        skip("../shared/data is not here");
        return None;
    }
    Some(folder)
}

/// Says on the terminal, past what tests keep to themselves, that a test did not run.
pub fn skip(why: &str) {
    use std::io::Write;
    let _ = writeln!(std::io::stderr(), "skipped: {why}");
}
