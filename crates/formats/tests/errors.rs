//! What each error says, from files that have it.

mod scratch;

use formats::Animation;
use insta::assert_snapshot;
use math::Vect;
use scratch::{Scratch, pyramid, two_tets, two_triangles};

/// What is told of a file of this name and content.
fn told(name: &str, content: impl AsRef<[u8]>) -> String {
    let scratch = Scratch::new(&format!("told-{}", name.replace('.', "-")));
    let file = scratch.file(name, content);
    let error = formats::read_any(file).expect_err("this file must be refused");
    plain(&scratch, error)
}

fn plain(scratch: &Scratch, error: formats::FormatError) -> String {
    error.to_string().replace(&format!("{}/", scratch.0.display()), "")
}

fn medit(vertices: &str, tets: &str) -> String {
    let count = |s: &str| s.split(';').count();
    let lines = |s: &str| s.replace(';', " 0\n") + " 0\n";
    let (v, t) = (count(vertices), count(tets));
    format!("Dimension 3\nVertices {v}\n{}Tetrahedra {t}\n{}", lines(vertices), lines(tets))
}

const UNIT: &str = "0 0 0;1 0 0;0 1 0;0 0 1";

#[test]
fn files_that_are_not_there_or_not_known() {
    let scratch = Scratch::new("not-there");
    let refused = |name: &str| plain(&scratch, formats::read_any(scratch.0.join(name)).unwrap_err());
    std::fs::create_dir(scratch.0.join("folder.veg")).unwrap();
    assert_snapshot!(refused("no.veg"), @"
    there is no file of this name.
    Check the spelling and the folder.
    (no.veg)
    ");
    assert_snapshot!(refused("folder.veg"), @"
    this is a folder, or a device, not a file.
    Name a file in it.
    (folder.veg)
    ");
    assert_snapshot!(refused("a.stl"), @r#"
    files that end in ".stl" are not known here.
    Use one that ends in .veg, .mesh, .msh, .node, .ele or (flat meshes only) .obj.
    (a.stl)
    "#);
    assert_snapshot!(refused("a"), @r#"
    files that end in "" are not known here.
    Use one that ends in .veg, .mesh, .msh, .node, .ele or (flat meshes only) .obj.
    (a)
    "#);
    assert_snapshot!(plain(&scratch, formats::read_surface("a.veg").unwrap_err()), @r#"
    files that end in ".veg" are not known here.
    Use one that ends in .obj or .stl.
    (a.veg)
    "#);
}

#[test]
fn files_that_are_damaged() {
    assert_snapshot!(told("a.veg", ""), @"
    the mesh holds no vertices.
    Check that the volume was selected when it was exported.
    (a.veg)
    ");
    assert_snapshot!(told("b.veg", [0xff]), @r#"
    "�" stands where a section such as *VERTICES should begin (line 1).
    The file is damaged, or is not what its ending says. Export it again.
    (b.veg)
    "#);
    assert_snapshot!(told("a.mesh", "MeshVersionFormatted 1\nDimension 3\nVertices 2\n0 0 0 1\n0 zero 0 1\n"), @r#"
    "zero" stands where a coordinate should be (line 5).
    The file is damaged, or is not what its ending says. Export it again.
    (a.mesh)
    "#);
    assert_snapshot!(told("b.mesh", "Dimension 3\nVertices 1000000000000000000\n0 0 0 1\nTetrahedra 0"), @"
    the file says that it holds 1000000000000000000 vertices, but it ends after 1.
    It was cut off, or its header is wrong. Export or copy it again.
    (b.mesh)
    ");
    assert_snapshot!(told("c.mesh", "Dimension 4"), @"
    the dimension is 4, but must be 2 or 3 (line 1).
    The file is damaged, or is not what its ending says. Export it again.
    (c.mesh)
    ");
    assert_snapshot!(told("a.msh", "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 7 1 7\n3 1 0 7\n1 2\n"), @"
    the file says that it holds 7 vertices, but it ends after 0.
    It was cut off, or its header is wrong. Export or copy it again.
    (a.msh)
    ");
    assert_snapshot!(told("b.msh", "$MeshFormat\n2.2 1 8\nabcd\n$EndMeshFormat\n"), @"
    the mark of the byte order is missing, although the file says it is binary (byte 24).
    The file is damaged, or is not what its ending says. Export it again.
    (b.msh)
    ");
    assert_snapshot!(told("a.obj", "v 0 0 0\nv 1 0 0\nf 1 2\n"), @"
    a face has 2 corners, but needs three (line 3).
    The file is damaged, or is not what its ending says. Export it again.
    (a.obj)
    ");
    assert_snapshot!(told("b.obj", "v 0 0\nv 1 0 0\nf 1 2\n"), @"
    the line ends where a coordinate should be (line 1).
    The file is damaged, or is not what its ending says. Export it again.
    (b.obj)
    ");
}

#[test]
fn files_with_a_lying_header_of_a_billion_billion() {
    let huge = "1000000000000000000";
    assert_snapshot!(told("a.veg", format!("*VERTICES\n{huge} 3 0 0\n1 0 0 0\n")), @"
    the file says that it holds 1000000000000000000 vertices, but it ends after 1.
    It was cut off, or its header is wrong. Export or copy it again.
    (a.veg)
    ");
    assert_snapshot!(told("a.node", format!("{huge} 3 0 0\n1 0 0 0\n")), @"
    the file says that it holds 1000000000000000000 vertices, but it ends after 1.
    It was cut off, or its header is wrong. Export or copy it again.
    (a.node)
    ");
    assert_snapshot!(told("a.msh", format!("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n{huge}\n1 0 0 0\n$EndNodes\n")), @"
    the file says that it holds 1000000000000000000 vertices, but it ends after 1.
    It was cut off, or its header is wrong. Export or copy it again.
    (a.msh)
    ");
    let mut binary = b"$MeshFormat\n4.1 1 8\n\x01\0\0\0\n$EndMeshFormat\n$Nodes\n".to_vec();
    binary.extend([1u64, 1 << 60, 1, 1].iter().flat_map(|n| n.to_le_bytes()));
    binary.extend([3i32, 1, 0].iter().flat_map(|n| n.to_le_bytes()));
    binary.extend([1u64 << 60, 1, 2, 3].iter().flat_map(|n| n.to_le_bytes()));
    assert_snapshot!(told("b.msh", binary), @"
    the file says that it holds 1152921504606846976 vertices, but it ends after 0.
    It was cut off, or its header is wrong. Export or copy it again.
    (b.msh)
    ");
}

#[test]
fn files_with_elements_that_cannot_be_used() {
    assert_snapshot!(told("a.veg", "*VERTICES\n1 3 0 0\n1 0 0 0\n*ELEMENTS\nCUBIC\n1 8 0\n"), @"
    the file holds elements of the kind CUBIC (line 5), which Supple cannot use.
    Export the volume as tetrahedra (TET), or cut its cubes into tetrahedra first.
    (a.veg)
    ");
    assert_snapshot!(told("b.veg", "*MATERIAL m\nSTVK, 1, 2, 3\n"), @r#"
    the file holds a material of the kind "STVK" (line 2), which Supple cannot use.
    Write it as ENU, MOONEYRIVLIN or ORTHOTROPIC.
    (b.veg)
    "#);
    assert_snapshot!(told("a.mesh", "Dimension 3 Vertices 0 Hexahedra 1 1 2 3 4 5 6 7 8 0"), @"
    the file holds elements of the kind Hexahedra (line 1), which Supple cannot use.
    Cut them into tetrahedra with four corners in the mesher, and export again.
    (a.mesh)
    ");
    let msh = |body: &str| format!("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Elements\n1\n{body}\n$EndElements\n");
    assert_snapshot!(told("a.msh", msh("1 11 0 1 2 3 4 5 6 7 8 9 10")), @"
    the file holds 10-node tetrahedron elements, which Supple cannot use.
    Export with first-order elements (in Gmsh: Mesh, Set order 1), tetrahedra or triangles only.
    (a.msh)
    ");
    assert_snapshot!(told("b.msh", msh("1 77 0 1 2 3")), @"
    the file holds elements of the unknown kind 77 (line 6), which Supple cannot use.
    Export with first-order elements, tetrahedra or triangles only.
    (b.msh)
    ");
    assert_snapshot!(told("c.msh", "$MeshFormat\n4 0 8\n$EndMeshFormat\n"), @"
    the file holds the version 4 of the .msh format with numbers of 8 bytes (line 2), which Supple cannot use.
    Export as version 4.1 or 2.2 (in Gmsh: File, Export, .msh, Version 4 or Version 2 ASCII).
    (c.msh)
    ");
    let scratch = Scratch::new("curved");
    scratch.file("a.node", "1 3 0 0\n1 0 0 0\n");
    let file = scratch.file("a.ele", "1 10 0\n1 1 2 3 4 5 6 7 8 9 10\n");
    assert_snapshot!(plain(&scratch, formats::read_any(file).unwrap_err()), @"
    the file holds curved elements with 10 nodes (line 1), which Supple cannot use.
    Export with first-order elements: run TetGen or Triangle without -o2.
    (a.ele)
    ");
    assert_snapshot!(told("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 1\nf 1 2 3\n"), @"
    this is a surface in space, not a volume: it has triangles but nothing inside.
    Fill it with tetrahedra in a mesher such as TetGen, fTetWild or Gmsh, and give Supple that file.
    (a.obj)
    ");
}

#[test]
fn meshes_that_cannot_be_simulated() {
    assert_snapshot!(told("a.mesh", medit("0 0 0;1 0 0;0 nan 0;0 0 1", "1 2 3 4")), @"
    vertex 3 (line 5) has no position: one of its numbers is NaN.
    Give it a place in your modelling tool and export again.
    (a.mesh)
    ");
    assert_snapshot!(told("b.mesh", medit(UNIT, "1 2 3 4;1 2 3 5")), @"
    tetrahedron 2 (line 9) asks for vertex 5, but there is no such vertex among the 4.
    Export the mesh again, with all its vertices.
    (b.mesh)
    ");
    assert_snapshot!(told("c.mesh", medit(UNIT, "1 2 3 2")), @"
    tetrahedron 1 (line 8) uses vertex 2 twice, so it has no volume.
    Remove it, or mesh the shape again.
    (c.mesh)
    ");
    assert_snapshot!(told("d.mesh", "Dimension 3 Vertices 1 0 0 0 0"), @"
    the mesh holds no elements.
    Check that the volume was selected when it was exported.
    (d.mesh)
    ");
    assert_snapshot!(told("e.mesh", medit("0 0 0;1 0 0;0 1 0;1 1 1e-13", "1 2 3 4")), @"
    tetrahedron 1 (line 8) is flat: its corners leave no room between them, so it cannot push back.
    Remove it, or mesh the shape again and ask the mesher for better-shaped elements.
    (e.mesh)
    ");
    assert_snapshot!(told("f.mesh", medit("0 0 0;1 0 0;0 1 0;0 0 1;0 0 -1", "1 2 3 4;1 2 3 5")), @"
    1 of the 2 elements are inside out (negative volume), first tetrahedron 2 (line 10).
    The others are not, so it is the mesh that is folded. Repair it in the mesher and export it again.
    (f.mesh)
    ");
    assert_snapshot!(told("g.mesh", medit(&format!("{UNIT};7 7 7;8 8 8"), "1 2 3 4")), @"
    2 of the vertices belong to no element, first vertex 5 (line 7). They would hang in the air.
    Delete the loose vertices and export again.
    (g.mesh)
    ");
    assert_snapshot!(told("h.mesh", medit("0 0 0;1e200 0 0;0 1e200 0;0 0 1e200", "1 2 3 4")), @"
    tetrahedron 1 (line 8) is too large to compute with.
    Check the units of the export; Supple works in metres.
    (h.mesh)
    ");
    assert_snapshot!(told("i.mesh", medit("0 0 0;1e-200 0 0;0 1e-200 0;0 0 1e-200", "1 2 3 4")), @"
    tetrahedron 1 (line 8) is too small to compute with.
    Check the units of the export; Supple works in metres.
    (i.mesh)
    ");
    let veg = "*VERTICES\n4 3 0 0\n1 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n*ELEMENTS\nTET\n1 4 0\n1 1 2 3 4\n";
    assert_snapshot!(told("a.veg", veg), @"
    two vertices have the number 1 (line 4).
    Export the mesh again, so that each has its own.
    (a.veg)
    ");
    assert_snapshot!(told("b.veg", veg.replace("\n1 1 0 0", "\n4 1 0 0") + "*SET fat\n1,\n2\n"), @r#"
    the set "fat" asks for element 2 (line 13), but there is no such element.
    Take it out of the set, or export the mesh again.
    (b.veg)
    "#);
}

#[test]
fn includes_that_lead_elsewhere() {
    assert_snapshot!(told("a.veg", "*INCLUDE ../secret.txt\n"), @"
    the line *INCLUDE ../secret.txt (line 1) cannot be followed: only files in the same folder may be included.
    Put that file into the folder of the mesh, or paste its lines in place of the *INCLUDE.
    (a.veg)
    ");
    assert_snapshot!(told("b.veg", "\n*INCLUDE /etc/passwd\n"), @"
    the line *INCLUDE /etc/passwd (line 2) cannot be followed: only files in the same folder may be included.
    Put that file into the folder of the mesh, or paste its lines in place of the *INCLUDE.
    (b.veg)
    ");
    assert_snapshot!(told("c.veg", "*INCLUDE c.veg\n"), @"
    the line *INCLUDE c.veg (line 1) cannot be followed: the file includes itself.
    Put that file into the folder of the mesh, or paste its lines in place of the *INCLUDE.
    (c.veg)
    ");
    assert_snapshot!(told("d.veg", "*INCLUDE gone.txt\n"), @"
    the line *INCLUDE gone.txt (line 1) cannot be followed: there is no such file beside the mesh.
    Put that file into the folder of the mesh, or paste its lines in place of the *INCLUDE.
    (d.veg)
    ");
}

#[test]
fn the_wrong_dimension() {
    let scratch = Scratch::new("dimension");
    let file = scratch.0.join("a.mesh");
    formats::write_volume(&file, &two_triangles()).unwrap();
    assert_snapshot!(plain(&scratch, formats::read_volume(&file).unwrap_err()), @"
    this is a flat mesh, but a solid mesh is needed here.
    Choose another file.
    (a.mesh)
    ");
}

#[test]
fn places_and_animations_that_cannot_be_written() {
    let scratch = Scratch::new("written");
    let plain = |error| plain(&scratch, error);
    assert_snapshot!(plain(formats::write_volume("/no/such/a.mesh", &two_tets()).unwrap_err()), @"
    the folder /no/such does not exist.
    Make it first, or choose another place to save.
    (/no/such/a.mesh)
    ");
    let good = Animation { surface: pyramid(), frames: vec![pyramid().x; 2], fps: 24.0, ..Default::default() };
    let told = |animation: Animation| plain(formats::write_glb(scratch.0.join("a.glb"), &animation).unwrap_err());
    let far = vec![Vect::<3>::new(0.0, f64::INFINITY, 0.0); 4];
    assert_snapshot!(told(Animation { frames: vec![], ..good.clone() }), @"
    there is nothing to write: the animation has no frames.
    Simulate first, then export.
    (a.glb)
    ");
    assert_snapshot!(told(Animation { frames: vec![vec![]], ..good.clone() }), @"
    frame 0 has 0 vertices, but the surface has 4.
    All frames must show the same surface.
    (a.glb)
    ");
    assert_snapshot!(told(Animation { frames: vec![pyramid().x, far], ..good.clone() }), @"
    vertex 0 of frame 1 has flown off: its position does not fit in the file.
    Lower the time step or raise the damping, and simulate again.
    (a.glb)
    ");
    assert_snapshot!(told(Animation { fps: 0.0, ..good }), @"
    0 frames per second are not possible.
    Give a number above zero, such as 24.
    (a.glb)
    ");
}

#[test]
fn files_that_may_not_be_opened_or_written() {
    let (reason, file) = ("permission denied".to_string(), std::path::PathBuf::from("a.veg"));
    assert_snapshot!(formats::FormatError::Unreadable { reason: reason.clone(), file: file.clone() }, @"
    the file cannot be read: permission denied.
    Check that you may open it, and that the disk is there.
    (a.veg)
    ");
    assert_snapshot!(formats::FormatError::Unwritable { reason, file }, @"
    the file cannot be written: permission denied.
    Check that you may write there, and that the disk is not full.
    (a.veg)
    ");
}

#[test]
fn the_file_named_is_the_one_the_line_is_in() {
    let scratch = Scratch::new("two-files");
    let refused = |name: &str| plain(&scratch, formats::read_any(scratch.0.join(name)).unwrap_err());
    scratch.file("a.node", "4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 inf 0\n4 0 0 1\n");
    scratch.file("a.ele", "1 4 0\n1 1 2 3 5\n");
    assert_snapshot!(refused("a.ele"), @"
    vertex 3 (line 4) has no position: one of its numbers is inf.
    Give it a place in your modelling tool and export again.
    (a.node)
    ");
    scratch.file("a.node", "4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n");
    assert_snapshot!(refused("a.node"), @"
    tetrahedron 1 (line 2) asks for vertex 5, but there is no such vertex among the 4.
    Export the mesh again, with all its vertices.
    (a.ele)
    ");
    scratch.file("points.txt", "*VERTICES\n4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 nan 0\n4 0 0 1\n");
    scratch.file("a.veg", "*INCLUDE points.txt\n*ELEMENTS\nTET\n1 4 0\n1 1 2 3 4\n");
    assert_snapshot!(refused("a.veg"), @"
    vertex 3 (line 5) has no position: one of its numbers is NaN.
    Give it a place in your modelling tool and export again.
    (points.txt)
    ");
}
