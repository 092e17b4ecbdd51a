//! What is written comes back bit for bit, in every format and flavour.

mod scratch;

use formats::{AnyVolume, Law, Material, MshFlavour, Region, Volume};
use math::Vect;
use mesh::Mesh;
use scratch::{Scratch, pyramid, two_tets, two_triangles};

const FLAVOURS: [MshFlavour; 4] = [MshFlavour::Text22, MshFlavour::Binary22, MshFlavour::Text41, MshFlavour::Binary41];

fn bits<const D: usize>(mesh: &Mesh<D>) -> (Vec<u64>, Vec<u32>) {
    (mesh.rest.iter().flat_map(|x| x.iter().map(|v| v.to_bits()).collect::<Vec<_>>()).collect(), mesh.corners.clone())
}

#[test]
fn tetrahedra_come_back_bit_for_bit_from_every_format() {
    let (scratch, mesh) = (Scratch::new("tets"), two_tets());
    for name in ["a.veg", "a.mesh", "a.msh", "a.node", "A.VEG"] {
        let file = scratch.0.join(name);
        formats::write_volume(&file, &mesh).unwrap();
        let volume = formats::read_volume(&file).unwrap();
        assert_eq!(bits(&volume.mesh), bits(&mesh), "{name}");
        assert_eq!((volume.regions, volume.notes), (vec![], vec![]), "{name}");
    }
    assert_eq!(bits(&formats::read_volume(scratch.0.join("a.ele")).unwrap().mesh), bits(&mesh));
}

#[test]
fn triangles_come_back_bit_for_bit_from_every_format() {
    let (scratch, mesh) = (Scratch::new("triangles"), two_triangles());
    for name in ["a.mesh", "a.msh", "a.ele", "a.obj"] {
        let file = scratch.0.join(name);
        formats::write_volume(&file, &mesh).unwrap();
        let Ok(AnyVolume::Plane(volume)) = formats::read_any(&file) else { panic!("{name}") };
        assert_eq!(bits(&volume.mesh), bits(&mesh), "{name}");
    }
    assert!(formats::write_volume(scratch.0.join("a.veg"), &mesh).is_err(), "a .veg is never flat");
}

#[test]
fn all_four_flavours_of_msh_come_back_bit_for_bit() {
    let scratch = Scratch::new("flavours");
    let file = scratch.0.join("a.msh");
    for flavour in FLAVOURS {
        formats::write_msh(&file, &two_tets(), flavour).unwrap();
        assert_eq!(bits(&formats::read_volume(&file).unwrap().mesh), bits(&two_tets()), "{flavour:?}");
        formats::write_msh(&file, &two_triangles(), flavour).unwrap();
        assert_eq!(bits(&formats::read_plane(&file).unwrap().mesh), bits(&two_triangles()), "{flavour:?}");
    }
}

#[test]
fn a_binary_msh_of_the_other_byte_order_reads_the_same() {
    let scratch = Scratch::new("swapped");
    let big = |ints: &[i32]| ints.iter().flat_map(|i| i.to_be_bytes()).collect::<Vec<_>>();
    let mesh = two_tets();
    let mut bytes = b"$MeshFormat\n2.2 1 8\n".to_vec();
    bytes.extend([&big(&[1])[..], b"\n$EndMeshFormat\n$Nodes\n5\n"].concat());
    for (k, x) in mesh.rest.iter().enumerate() {
        bytes.extend(big(&[10 * k as i32 + 7]));
        bytes.extend(x.iter().flat_map(|v| v.to_be_bytes()));
    }
    bytes.extend(b"\n$EndNodes\n$Elements\n2\n");
    for (k, e) in mesh.elements().enumerate() {
        bytes.extend(big(&[4, 1, 0, k as i32 + 1]));
        bytes.extend(big(&e.iter().map(|&v| 10 * v as i32 + 7).collect::<Vec<_>>()));
    }
    bytes.extend(b"\n$EndElements\n");
    let file = scratch.file("a.msh", bytes);
    assert_eq!(bits(&formats::read_volume(file).unwrap().mesh), bits(&mesh));
}

#[test]
fn regions_and_materials_come_back_from_veg() {
    let scratch = Scratch::new("regions");
    let material = |name: &str, law| Some(Material { name: name.into(), density: 1010.5, law });
    let axes = [0.0, 1.0, 0.0, -1.0, 0.0, 0.0, 0.0, 0.0, 1.0];
    let laws = [
        Law::Young { young: 1.0 / 3.0, poisson: 0.45 },
        Law::MooneyRivlin { mu01: 1.0, mu10: 2.0, v1: 3.0 },
        Law::Orthotropic { young: [1e5, 2e5, 3e5], poisson: [0.1, 0.2, 0.3], shear: [1e4, 2e4, 3e4], axes },
    ];
    for law in laws {
        let regions = vec![
            Region { name: "belly fat".into(), elements: vec![1], material: material("soft one", law) },
            Region { name: "loose".into(), elements: vec![0, 1], material: None },
        ];
        let file = scratch.0.join("a.veg");
        formats::write_veg(&file, &two_tets(), &regions).unwrap();
        assert_eq!(formats::read_volume(&file).unwrap(), Volume { mesh: two_tets(), regions, notes: vec![] });
    }
}

#[test]
fn named_physical_groups_of_msh_are_regions() {
    let scratch = Scratch::new("groups");
    let head =
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n2 9 \"skin\"\n3 9 \"left arm\"\n$EndPhysicalNames\n";
    let nodes = "$Nodes\n4\n30 0 0 0\n1000000000 1 0 0\n5 0 1 0\n6 0 0 1\n$EndNodes\n";
    let elements = "$Elements\n3\n1 15 2 0 1 30\n2 2 2 9 1 30 5 6\n7 4 2 9 1 30 1000000000 5 6\n$EndElements\n$Odd\n1 2\n$EndOdd\n";
    let file = scratch.file("a.msh", [head, nodes, elements].concat());
    let volume = formats::read_volume(file).unwrap();
    assert_eq!(volume.mesh.corners, [0, 1, 2, 3]);
    assert_eq!(volume.regions, [Region { name: "left arm".into(), elements: vec![0], material: None }]);
}

#[test]
fn a_mesh_numbered_the_other_way_round_is_turned_and_noted() {
    let (scratch, mut mesh) = (Scratch::new("turned"), two_tets());
    mesh.corners.chunks_exact_mut(4).for_each(|e| e.swap(0, 1));
    let file = scratch.0.join("a.mesh");
    formats::write_volume(&file, &mesh).unwrap();
    let volume = formats::read_volume(&file).unwrap();
    assert!(volume.mesh.volumes(&volume.mesh.rest).iter().all(|&v| v > 0.0));
    insta::assert_snapshot!(volume.notes.join("\n"), @"All elements were numbered the other way round (negative volume). They were turned.");
}

#[test]
fn a_surface_comes_back_bit_for_bit_and_every_dialect_of_obj_is_read() {
    let scratch = Scratch::new("surface");
    let file = scratch.0.join("a.obj");
    formats::write_obj_surface(&file, &pyramid()).unwrap();
    assert_eq!(formats::read_surface(&file).unwrap(), pyramid());
    let text = "mtllib no.mtl\r\no thing\r\nv 0 0 0 1 nan 0\r\nv 1 0 0\r\nv 1 1 0\r\nv 0 1 0 # last\r\nvt 0 0\r\ns off\r\n\
                usemtl m\r\nf 1/1/1 2//1 -2/1 -1\r\nv 5 5 5\r\n";
    let quad = formats::read_surface(scratch.file("b.obj", text)).unwrap();
    assert_eq!((quad.x.len(), quad.triangles), (5, vec![[0, 1, 2], [0, 2, 3]]));
}

#[test]
fn a_file_in_use_is_replaced_whole_and_nothing_is_left_beside_it() {
    let scratch = Scratch::new("whole");
    let file = scratch.file("a.mesh", "old");
    let mut broken = two_tets();
    broken.rest[2] = Vect::<3>::new(f64::NAN, 0.0, 0.0);
    assert!(formats::write_volume(&file, &broken).is_err());
    assert_eq!(std::fs::read(&file).unwrap(), b"old");
    formats::write_volume(&file, &two_tets()).unwrap();
    assert_eq!(std::fs::read_dir(&scratch.0).unwrap().count(), 1);
}

#[test]
fn numbers_from_zero_comments_and_attributes_are_understood() {
    let scratch = Scratch::new("zero");
    scratch.file(
        "a.node",
        "# by hand\n5 3 1 1\n0 0 0 0 0.5 1\n1 1 0 0 0.5 1\n\n2 0 1 0 0.5 1\n3 0 0 1 0.5 0 # top\n4 1 1 1 0 0\n",
    );
    let ele = scratch.file("a.ele", "2 4 1\n0 0 1 2 3 7\n1 1 4 2 3 -3\n# end\n");
    let named = |name: &str, element| Region { name: name.into(), elements: vec![element], material: None };
    let volume = formats::read_volume(ele).unwrap();
    let corners = vec![0, 1, 2, 3, 1, 4, 2, 3];
    assert_eq!((volume.mesh.corners, volume.regions), (corners, vec![named("-3", 1), named("7", 0)]));
    let veg =
        "*VERTICES\n4 3 0 0\n0, 0 0 0\n1\t1 0 0\n2 0 1 0\n3 0 0 1\n*ELEMENTS\nTET\n1 4 0\n0 0 1 2 3\n*SET s\n0,\n";
    let volume = formats::read_volume(scratch.file("a.veg", veg)).unwrap();
    assert_eq!((volume.mesh.corners, volume.regions), (vec![0, 1, 2, 3], vec![named("s", 0)]));
}

#[test]
fn sections_of_medit_come_in_any_order_and_unknown_ones_are_passed_over() {
    let scratch = Scratch::new("medit");
    let text = "MeshVersionFormatted 1 # old\nDimension\n3\nTetrahedra 1 1 2 3 4 0\nEdges 1 1 2 0\nCorners\n1\n1\n\
                RequiredVertices 0\nHexahedra 0\nOdd 3 0.5 1e3 -1\nTriangles 1 1 2 3 0\nVertices\n4\n\
                0 0 0 0 1 0 0 0 0 1 0 0 0 0 1 0\nEnd\nrubbish";
    let volume = formats::read_volume(scratch.file("a.mesh", text)).unwrap();
    assert_eq!((volume.mesh.corners, volume.mesh.rest[3]), (vec![0, 1, 2, 3], Vect::<3>::new(0.0, 0.0, 1.0)));
    let flat = "Dimension 3 Vertices 3 0 0 2 0 1 0 2 0 0 1 2 0 Triangles 1 1 2 3 0";
    assert_eq!(formats::read_plane(scratch.file("b.mesh", flat)).unwrap().mesh.corners, [0, 1, 2]);
}
