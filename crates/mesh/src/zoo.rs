//! Small meshes for tests: the ordinary and the awkward, at a millimetre and at a kilometre.

use math::Vect;

use crate::{Mesh, block, disc};

/// Flat meshes with their names.
pub fn plane() -> Vec<(&'static str, Mesh<2>)> {
    let triangle = Mesh { rest: [[0.0, 0.0], [1.0, 0.0], [0.2, 0.9]].map(Vect::from).to_vec(), corners: vec![0, 1, 2] };
    vec![
        ("one triangle", triangle),
        ("a rectangle", block([4, 3], Vect::from([2.0, 1.0]))),
        ("a disc", disc(5, 1.0)),
        ("a disc of a millimetre", disc(4, 5e-4)),
        ("a disc of a kilometre", disc(4, 500.0)),
        ("a needle", block([20, 1], Vect::from([1.0, 0.005]))),
    ]
}

/// Solid meshes with their names.
pub fn space() -> Vec<(&'static str, Mesh<3>)> {
    let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.3, 0.9, 0.0], [0.4, 0.3, 0.8]];
    let tet = Mesh { rest: points.map(Vect::from).to_vec(), corners: vec![0, 1, 2, 3] };
    // two tets that touch in an edge only
    let mut hinge = tet.clone();
    hinge.rest.extend([[0.0, -0.9, 0.1], [0.6, -0.8, -0.7]].map(Vect::from));
    hinge.corners.extend([0, 1, 4, 5]);
    vec![
        ("one tetrahedron", tet),
        ("a hinge", hinge),
        ("a block", block([3, 2, 2], Vect::from([1.5, 1.0, 1.0]))),
        ("a block of a millimetre", block([2, 2, 2], Vect::from([1e-3; 3]))),
        ("a block of a kilometre", block([2, 2, 2], Vect::from([1e3; 3]))),
        ("a plate", block([6, 6, 1], Vect::from([1.0, 1.0, 0.01]))),
    ]
}
