//! The kinds of element that Gmsh numbers.

/// One of Gmsh's kinds of element.
pub(super) struct Kind {
    pub name: &'static str,
    pub dimension: i64,
    pub nodes: usize,
}

/// Gmsh's manual, "MSH file format".
pub(super) fn kind(number: i64) -> Option<Kind> {
    let (name, dimension, nodes) = match number {
        1 => ("2-node line", 1, 2),
        2 => ("3-node triangle", 2, 3),
        3 => ("4-node quadrangle", 2, 4),
        4 => ("4-node tetrahedron", 3, 4),
        5 => ("8-node hexahedron", 3, 8),
        6 => ("6-node prism", 3, 6),
        7 => ("5-node pyramid", 3, 5),
        8 => ("3-node line", 1, 3),
        9 => ("6-node triangle", 2, 6),
        10 => ("9-node quadrangle", 2, 9),
        11 => ("10-node tetrahedron", 3, 10),
        12 => ("27-node hexahedron", 3, 27),
        13 => ("18-node prism", 3, 18),
        14 => ("14-node pyramid", 3, 14),
        15 => ("1-node point", 0, 1),
        16 => ("8-node quadrangle", 2, 8),
        17 => ("20-node hexahedron", 3, 20),
        18 => ("15-node prism", 3, 15),
        19 => ("13-node pyramid", 3, 13),
        20 => ("9-node triangle", 2, 9),
        21 => ("10-node triangle", 2, 10),
        22 => ("12-node triangle", 2, 12),
        23 | 24 => ("15-node triangle", 2, 15),
        25 => ("21-node triangle", 2, 21),
        26 => ("4-node line", 1, 4),
        27 => ("5-node line", 1, 5),
        28 => ("6-node line", 1, 6),
        29 => ("20-node tetrahedron", 3, 20),
        30 => ("35-node tetrahedron", 3, 35),
        31 => ("56-node tetrahedron", 3, 56),
        92 => ("64-node hexahedron", 3, 64),
        93 => ("125-node hexahedron", 3, 125),
        _ => return None,
    };
    Some(Kind { name, dimension, nodes })
}
