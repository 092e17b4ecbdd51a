//! Every mesh of the shared data is read as an independent reader counted it, or is refused with a clear error.

mod scratch;

use formats::{AnyVolume, FormatError, Law};
use math::Vect;
use serde_json::Value;
use std::path::Path;

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-5 * b.abs()
}

fn counts(folder: &Path, ending: &str) -> Vec<(String, Value)> {
    let text = std::fs::read_to_string(folder.join("counts.json")).unwrap();
    let Value::Object(all) = serde_json::from_str(&text).unwrap() else { panic!() };
    let all: Vec<_> = all.into_iter().filter(|(name, _)| name.ends_with(ending)).collect();
    assert!(!all.is_empty(), "vacuous: no {ending} in counts.json");
    all
}

#[test]
fn every_volume_of_tetrahedra_has_the_counts_and_the_volume_of_an_independent_reader() {
    let Some(folder) = scratch::shared_data() else { return };
    let mut read = 0;
    for (name, count) in [".veg", ".mesh", ".msh"].iter().flat_map(|ending| counts(&folder, ending)) {
        let result = formats::read_volume(folder.join(&name));
        if count["tets"].is_null() {
            assert!(matches!(result, Err(FormatError::Unsupported { .. })), "{name}: {result:?}");
            continue;
        }
        let volume = result.unwrap_or_else(|error| panic!("{name}: {error}"));
        let volumes = volume.mesh.volumes(&volume.mesh.rest);
        let least = volumes.iter().copied().fold(f64::INFINITY, f64::min);
        assert_eq!(volume.mesh.rest.len() as u64, count["vertices"].as_u64().unwrap(), "{name}");
        assert_eq!(volume.mesh.element_count() as u64, count["tets"].as_u64().unwrap(), "{name}");
        assert!(near(volumes.iter().sum(), count["total_volume"].as_f64().unwrap()), "{name}");
        assert!(near(least, count["min_volume"].as_f64().unwrap()), "{name}: {least}");
        assert_eq!(volume.notes, Vec::<String>::new(), "{name}");
        read += 1;
    }
    assert!(read >= 16, "vacuous: only {read} files");
}

#[test]
fn every_flat_obj_has_the_counts_and_the_area_of_an_independent_reader() {
    let Some(folder) = scratch::shared_data() else { return };
    for (name, count) in counts(&folder, ".obj").into_iter().filter(|(name, _)| name.starts_with("cd2d")) {
        let AnyVolume::Plane(volume) = formats::read_any(folder.join(&name)).unwrap() else { panic!("{name}") };
        let area: f64 = volume.mesh.volumes(&volume.mesh.rest).iter().sum();
        assert_eq!(volume.mesh.rest.len() as u64, count["vertices"].as_u64().unwrap(), "{name}");
        assert_eq!(volume.mesh.element_count() as u64, count["triangles"].as_u64().unwrap(), "{name}");
        assert!(near(area, count["total_area"].as_f64().unwrap()), "{name}: {area}");
    }
}

#[test]
fn every_surface_has_the_counts_and_the_volume_of_an_independent_reader() {
    let Some(folder) = scratch::shared_data() else { return };
    for (name, count) in counts(&folder, ".obj") {
        let surface = formats::read_surface(folder.join(&name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(surface.x.len() as u64, count["vertices"].as_u64().unwrap(), "{name}");
        if let Some(triangles) = count["triangles"].as_u64() {
            assert_eq!(surface.triangles.len() as u64, triangles, "{name}");
        }
        assert!(surface.x.iter().flat_map(|x| x.iter()).all(|v| v.is_finite()), "{name}");
        let volume = |t: &[u32; 3]| -> f64 {
            let [a, b, c] = t.map(|v| surface.x[v as usize]);
            a.dot(&b.cross(&c)) / 6.0
        };
        let closed = count["surface"]["boundary_edges"] == 0;
        if let (true, Some(expected)) = (closed, count["surface"]["signed_volume"].as_f64()) {
            let found = surface.triangles.iter().map(volume).sum::<f64>();
            assert!((found - expected).abs() <= 1e-4 * expected.abs(), "{name}: {found}");
        }
        if !name.starts_with("cd2d") {
            let refused = formats::read_any(folder.join(&name));
            assert!(matches!(refused, Err(FormatError::IsSurface { .. })), "{name}: {refused:?}");
        }
    }
}

#[test]
fn the_four_flavours_of_msh_hold_the_same_tetrahedra_in_the_same_three_groups() {
    let Some(folder) = scratch::shared_data() else { return };
    for flavour in ["22_ascii", "22_binary", "41_ascii", "41_binary"] {
        let file = folder.join(format!("tets/msh_variants/{flavour}.msh"));
        let volume = formats::read_volume(file).unwrap();
        let groups: Vec<_> = volume.regions.iter().map(|r| (r.name.as_str(), r.elements.clone())).collect();
        assert_eq!(groups, [("1", vec![0]), ("2", vec![1, 2, 3]), ("3", vec![4])], "{flavour}");
        let first: Vec<Vect<3>> = volume.mesh.corners[..4].iter().map(|&v| volume.mesh.rest[v as usize]).collect();
        assert_eq!(first[1], Vect::<3>::new(-1.5, 0.0, 0.0), "{flavour}");
        assert_eq!(first[2], Vect::<3>::new(-0.5, 1.0, 0.0), "{flavour}");
    }
}

#[test]
fn the_turtle_has_a_hard_shell_and_a_soft_body_from_included_files() {
    let Some(folder) = scratch::shared_data() else { return };
    let turtle = formats::read_volume(folder.join("tets/turtle/turtle-volumetric-heterogeneous.ortho.veg")).unwrap();
    let sizes: Vec<_> = turtle.regions.iter().map(|r| (r.name.as_str(), r.elements.len())).collect();
    assert_eq!(sizes, [("backshell", 145), ("theRest", 1040)]);
    assert_eq!(turtle.regions[0].elements[0], 31, "the file counts from 1");
    let laws: Vec<_> = turtle.regions.iter().map(|r| r.material.clone().unwrap().law).collect();
    assert_eq!(laws[0], Law::Young { young: 25e5, poisson: 0.45 });
    let Law::Orthotropic { young, poisson, .. } = laws[1] else { panic!("{:?}", laws[1]) };
    assert_eq!(young, [25e9, 25e5, 25e3]);
    assert!(near(poisson[0], 35.0));
}
