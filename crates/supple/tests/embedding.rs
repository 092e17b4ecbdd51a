//! Display surfaces on real volumes.
#![allow(non_snake_case)]

use std::path::Path;

use math::{Mat, Vect};
use mesh::Embedding;

/// The turtle's surface is open, non-manifold and intersects itself; those of frog, fish and elephant poke out of their
/// volumes. All of them follow an affine motion of the volume exactly.
#[test]
fn surfaces_that_poke_out_follow_the_volume() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    if !data.is_dir() {
        use std::io::Write;
        let _ = writeln!(std::io::stderr(), "skipped: ../shared/data is not here");
        return;
    }
    for (volume, surface, poking) in [
        ("tets/turtle/turtle-volumetric-homogeneous.veg", "tets/turtle/turtle.obj", false),
        ("cd3d/frog/frog.mesh", "cd3d/frog/frog.obj", true),
        ("cd3d/fish/fish.mesh", "cd3d/fish/fish.obj", true),
        ("cd3d/elephant/elephant.mesh", "cd3d/elephant/elephant.obj", true),
    ] {
        let mesh = formats::read_volume(data.join(volume)).unwrap().mesh;
        let skin = formats::read_surface(data.join(surface)).unwrap();
        let held = Embedding::new(&mesh, &skin.x);
        let size = mesh.size();
        let A = Mat::<3>::from([[1.1, 0.2, 0.0], [-0.3, 0.9, 0.1], [0.0, 0.2, 1.2]]);
        let moved: Vec<Vect<3>> = mesh.rest.iter().map(|X| A * X).collect();
        for (x, y) in skin.x.iter().zip(held.positions(&moved)) {
            assert!((A * x - y).norm() < 1e-9 * size, "{surface}");
        }
        let farthest = held.outside.iter().copied().fold(0.0, f64::max);
        assert!(farthest < 0.05 * size, "{surface}: {farthest} of {size}");
        assert!(!poking || farthest > 0.0, "vacuous: nothing pokes out of {volume}");
    }
}
