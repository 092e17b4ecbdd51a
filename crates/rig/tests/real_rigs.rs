//! Rigs on the data of the complementary-dynamics examples, against posed positions of an independent reader.
#![allow(non_snake_case)]

use math::Vect;
use rig::check::{check_rig, positions};
use rig::{AutoWeights, Bone, Rig, RigidHandles, Weights, Wire, automatic_weights};

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/cd2d/");

/// A file of the shared data; none where it is not here.
fn text(name: &str) -> Option<String> {
    let read = std::fs::read_to_string(format!("{DATA}{name}")).ok();
    if read.is_none() {
        eprintln!("skipped: ../shared/data is not here");
    }
    read
}

fn numbers(line: &str) -> Vec<f64> {
    line.split_whitespace().filter_map(|word| word.parse().ok()).collect()
}

/// Vertices and triangles of a flat OBJ.
fn outline(text: &str) -> mesh::Mesh<2> {
    let of = |start: &'static str| text.lines().filter_map(move |l| l.strip_prefix(start));
    let corner = |word: &str| word.split('/').next().and_then(|i| i.parse::<u32>().ok()).unwrap() - 1;
    let rest = of("v ").map(|l| Vect::from([numbers(l)[0], numbers(l)[1]])).collect();
    mesh::Mesh { rest, corners: of("f ").flat_map(|l| l.split_whitespace().map(corner)).collect() }
}

/// The points of a TGF, and its edges.
fn graph(text: &str) -> (Vec<Vect<2>>, Vec<[usize; 2]>) {
    let mut parts = text.split('#');
    let point = |l: &str| numbers(l).get(1..3).map(|x| Vect::from([x[0], x[1]]));
    let edge = |l: &str| numbers(l).get(0..2).map(|e| [e[0] as usize - 1, e[1] as usize - 1]);
    let points = parts.next().unwrap().lines().filter_map(point).collect();
    (points, parts.next().unwrap_or("").lines().filter_map(edge).collect())
}

/// x y angle of each handle, row by row; the first row is the rest row.
fn animation(text: &str) -> Vec<Vec<f64>> {
    let all = numbers(text);
    all[2..].chunks_exact(3 * all[1] as usize).map(|row| row.to_vec()).collect()
}

#[test]
fn the_bird_moves_as_the_reference_reader_says() {
    let Some(obj) = text("bird/bird_mouth.obj") else { return };
    let (mesh, (points, bones)) = (outline(&obj), graph(&text("bird/bird_mouth.tgf").unwrap()));
    let dmat = numbers(&text("bird/bird_mouth.dmat").unwrap());
    let columns: Vec<Vec<f64>> = dmat[2..].chunks_exact(dmat[1] as usize).map(|c| c.to_vec()).collect();
    let centres: Vec<Vect<2>> = bones.iter().map(|b| points[b[0]]).collect();
    let rig = RigidHandles::new(mesh.rest.clone(), Weights::from_columns(&columns).unwrap(), centres).unwrap();
    let rows = animation(&text("bird/bird_mouth_anim.txt").unwrap());
    let pose = |frame: usize| -> Vec<f64> {
        let handles = rows[frame + 1].chunks(3).zip(rows[0].chunks(3));
        handles.flat_map(|(now, rest)| [now[2].to_radians(), now[0] - rest[0], now[1] - rest[1]]).collect()
    };
    // reference_poses.json
    let x = positions(&rig, &pose(70));
    let mean = x.iter().sum::<Vect<2>>() / x.len() as f64;
    assert_eq!(x.len(), 639);
    assert!((x[0] - Vect::from([955.869123, 359.576137])).norm() < 1e-2, "{:?}", x[0]);
    assert!((mean - Vect::from([1215.26583, 375.906295])).norm() < 1e-2, "{mean:?}");
    assert_eq!(Rig::parameters(&rig), 9);
    let bones: Vec<Bone<2>> = bones.iter().map(|b| Bone { from: points[b[0]], to: points[b[1]] }).collect();
    for kind in [AutoWeights::Biharmonic, AutoWeights::Heat] {
        let weights = automatic_weights(&mesh, &bones, kind).unwrap();
        for (v, X) in mesh.rest.iter().enumerate() {
            let own = weights.of(v).fold((0, 0.0), |a, b| if b.1 > a.1 { b } else { a });
            let near = bones.iter().map(|b| b.distance(X)).fold(f64::INFINITY, f64::min);
            assert!(own.1 > 1.0 / 3.0 - 1e-9 && bones[own.0].distance(X) < near + 0.25 * mesh.size(), "{kind:?} {v}");
        }
    }
}

#[test]
fn the_daisy_hangs_on_its_wire() {
    let Some(obj) = text("daisy/daisy.obj") else { return };
    let (mesh, (knots, _)) = (outline(&obj), graph(&text("daisy/daisy.tgf").unwrap()));
    let X = &mesh.rest;
    let wire = Wire::new(X, knots.clone()).unwrap();
    let rest = Rig::rest(&wire);
    assert!(positions(&wire, &rest).iter().zip(X).all(|(x, X)| (x - X).norm() < 1e-9));
    let rows = animation(&text("daisy/daisy_anim.txt").unwrap());
    // new knots are the rest knots, shifted: turning a knot about itself does not move it
    let pose: Vec<f64> = (0..6).map(|k| rest[k] + rows[101][k / 2 * 3 + k % 2] - rows[0][k / 2 * 3 + k % 2]).collect();
    assert!((pose[4] - 1033.48747).abs() < 1e-4 && (pose[5] - 1124.1707).abs() < 1e-4, "{pose:?}");
    check_rig(&wire, &pose);
    // the blossom is at the top: it goes where the last knot goes
    let x = positions(&wire, &pose);
    let top = (0..X.len()).min_by(|a, b| (X[*a] - knots[2]).norm().total_cmp(&(X[*b] - knots[2]).norm())).unwrap();
    let (before, after) = ((X[top] - knots[2]).norm(), (x[top] - Vect::from([pose[4], pose[5]])).norm());
    assert!((before - after).abs() < 0.1 * before + 30.0, "{before} {after}");
}
