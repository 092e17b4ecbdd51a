//! Shapes with known answers, and input that is broken in known ways.

use math::Vect;
use math::check::Random;
use mesh::{ElementSize, FillError, FillOptions, Filled, Surface, fill};

use super::surfaces::{cuboid, inverted, join, moebius, patch, sphere, torus};
use super::{check, check_uniform, volume};

fn filled(surface: &Surface, edge: f64) -> Filled {
    fill(surface, &FillOptions { size: ElementSize::Edge(edge), refine: false }).unwrap()
}

fn bodies(filled: &Filled) -> u32 {
    filled.body.iter().max().map_or(0, |b| b + 1)
}

#[test]
fn the_volume_of_a_sphere_converges_to_the_exact_one() {
    let surface = sphere(48);
    let mut last = f64::INFINITY;
    for edge in [0.5, 0.25, 0.125] {
        let f = filled(&surface, edge);
        check_uniform("sphere", &f);
        let error = (volume(&f) / (4.0 / 3.0 * std::f64::consts::PI) - 1.0).abs();
        assert!(error < 0.5 * last, "{edge}: {error} after {last}");
        last = error;
    }
    assert!(last < 0.01, "{last}");
}

#[test]
fn closed_shapes_have_their_volume_and_the_promised_angles() {
    let exact = 2.0 * std::f64::consts::PI.powi(2) * 0.3f64.powi(2);
    for (name, surface, exact) in [
        ("torus", torus(1.0, 0.3), exact),
        ("cube", cuboid([0.0; 3], [1.0; 3]), 1.0),
        ("inverted cube", inverted(cuboid([0.0; 3], [1.0; 3])), 1.0),
        ("cube in a cube", join(&[cuboid([0.0; 3], [1.0; 3]), cuboid([0.3; 3], [0.4; 3])]), 1.0),
        ("inverted cube in a cube", join(&[cuboid([0.0; 3], [1.0; 3]), inverted(cuboid([0.3; 3], [0.4; 3]))]), 1.0),
        ("overlapping cubes", join(&[cuboid([0.0; 3], [1.0; 3]), cuboid([0.5, 0.5, 0.5], [1.0; 3])]), 1.875),
        ("two layers", join(&[cuboid([0.0; 3], [1.0; 3]), inverted(cuboid([0.0; 3], [1.0; 3]))]), 1.0),
        ("a millimetre", cuboid([5.0; 3], [1e-3; 3]), 1e-9),
        ("a kilometre", cuboid([5.0; 3], [1e3; 3]), 1e9),
    ] {
        let f = filled(&surface, 0.09 * exact.cbrt());
        check_uniform(name, &f);
        assert_eq!(bodies(&f), 1, "{name}");
        assert!((volume(&f) / exact - 1.0).abs() < 0.03, "{name}: {} instead of {exact}", volume(&f));
    }
}

#[test]
fn cubes_that_only_touch_stay_two_bodies() {
    let one = cuboid([0.0; 3], [1.0; 3]);
    for (name, other) in [
        ("a face", cuboid([1.0, 0.0, 0.0], [1.0; 3])),
        ("part of a face", cuboid([1.0, 0.3, 0.1], [1.0; 3])),
        ("an edge", cuboid([1.0, 1.0, 0.0], [1.0; 3])),
        ("a corner", cuboid([1.0; 3], [1.0; 3])),
        ("a gap", cuboid([1.02, 0.0, 0.0], [1.0; 3])),
        ("slight contact", cuboid([0.99, 0.0, 0.0], [1.0; 3])),
    ] {
        let f = filled(&join(&[one.clone(), other]), 0.13);
        check_uniform(name, &f);
        assert_eq!(bodies(&f), 2, "{name}");
        assert!((volume(&f) - 2.0).abs() < 0.05, "{name}: {}", volume(&f));
        let far: Vec<u32> = [0, 1].map(|b| f.group_of_vertex.iter().filter(|g| **g == b).count() as u32).to_vec();
        assert!(far[0] >= 56 - 16 && far[1] >= 56 - 16, "{name}: {far:?}");
    }
}

#[test]
fn an_open_box_is_filled_up_to_its_rim() {
    let mut surface = cuboid([0.0; 3], [1.0; 3]);
    let top = |t: &[u32; 3]| t.iter().all(|&v| surface.x[v as usize].z > 0.999);
    surface.triangles.retain(|t| !top(t));
    for (name, surface) in [("open box", surface.clone()), ("inverted open box", inverted(surface))] {
        let f = filled(&surface, 0.1);
        check_uniform(name, &f);
        // In the plane of the opening, the missing face fills half of the view: there the winding number is ½.
        assert!((volume(&f) - 1.0).abs() < 0.02, "{name}: {}", volume(&f));
    }
}

#[test]
fn thin_things_are_thickened_until_they_are_caught() {
    let sheet = patch([8, 8], [false, false], |u, v| [u, v, 0.0]);
    let needle = cuboid([0.0; 3], [1.0, 0.01, 0.01]);
    let fin = join(&[cuboid([0.0; 3], [1.0; 3]), patch([4, 4], [false, false], |u, v| [0.5, u, 0.8 + v])]);
    for (name, surface) in [
        ("plate", cuboid([0.0; 3], [1.0, 1.0, 0.01])),
        ("sheet", sheet),
        ("moebius", moebius()),
        ("needle", needle),
        ("fin", fin),
        ("one triangle", patch([1, 1], [false, false], |u, v| [u, v, u * v])),
    ] {
        for edge in [0.07, 0.2] {
            let f = filled(&surface, edge);
            check_uniform(name, &f);
            assert_eq!(bodies(&f), 1, "{name}");
            let note = "Parts too thin for the elements were made thicker";
            assert!(f.notes.iter().any(|n| n.starts_with(note)), "{name}: {:?}", f.notes);
        }
    }
}

#[test]
fn thin_places_get_smaller_elements_if_asked() {
    let surface = join(&[sphere(24), cuboid([0.5, -0.1, -0.1], [2.5, 0.2, 0.2])]);
    let size = ElementSize::Edge(0.3);
    let coarse = fill(&surface, &FillOptions { size, refine: false }).unwrap();
    let fine = fill(&surface, &FillOptions { size, refine: true }).unwrap();
    let q = check("refined", &fine);
    eprintln!("refined: {q:?}");
    assert!(q.smallest_angle > 4.0 && q.largest_angle < 172.0, "{q:?}");
    let arm = |f: &Filled| {
        let far =
            f.mesh.elements().zip(f.mesh.volumes(&f.mesh.rest)).filter(|(e, _)| f.mesh.rest[e[0] as usize].x > 1.5);
        far.fold((0, 0.0), |(n, sum), (_, v)| (n + 1, sum + v))
    };
    let (n, v) = arm(&fine);
    assert!(n > 4 * arm(&coarse).0, "{n} {}", arm(&coarse).0);
    assert!((v / 0.06 - 1.0).abs() < 0.15, "{v}");
}

#[test]
fn a_number_of_tets_can_be_asked_for() {
    for (surface, count) in [(sphere(24), 500), (torus(1.0, 0.3), 4000), (cuboid([0.0; 3], [1.0, 1.0, 0.02]), 2000)] {
        let f = fill(&surface, &FillOptions { size: ElementSize::Count(count), refine: false }).unwrap();
        check_uniform("count", &f);
        let n = f.mesh.element_count();
        assert!((n as f64 / count as f64 - 1.0).abs() < 0.15, "{n} instead of {count}");
    }
}

#[test]
fn elements_larger_than_the_body_still_fill_it() {
    for edge in [1.0, 10.0, 1e9] {
        check_uniform("huge", &filled(&cuboid([0.0; 3], [1.0; 3]), edge));
        check_uniform("huge", &filled(&sphere(12), edge));
    }
    let few = fill(&sphere(12), &FillOptions { size: ElementSize::Count(1), refine: false }).unwrap();
    check_uniform("one", &few);
}

#[test]
fn a_body_that_is_moved_has_the_same_tets() {
    let surface = torus(1.0, 0.3);
    let mut moved = surface.clone();
    moved.x.iter_mut().for_each(|x| *x += Vect::from([8.0, -16.0, 4.0]));
    let (a, b) = (filled(&surface, 0.2), filled(&moved, 0.2));
    assert_eq!(a.mesh.corners, b.mesh.corners);
    let away = a.mesh.rest.iter().zip(&b.mesh.rest).map(|(x, y)| (y - x - Vect::from([8.0, -16.0, 4.0])).norm());
    assert!(away.fold(0.0, f64::max) < 1e-3 * 0.2);
}

#[test]
fn the_same_bits_come_out_on_any_number_of_threads() {
    let surface = join(&[torus(1.0, 0.3), moebius()]);
    let options = FillOptions { size: ElementSize::Edge(0.2), refine: true };
    let on = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| fill(&surface, &options).unwrap())
    };
    assert_eq!(on(1), on(3));
}

#[test]
fn soups_of_random_triangles_are_filled() {
    let mut random = Random::new(3);
    for round in 0..6 {
        let x =
            (0..20).map(|_| random.vector::<3>().map(|c| if round % 3 == 0 { (c * 2.0).round() } else { c })).collect();
        let corner = |r: &mut Random| (r.number().abs() * 19.99) as u32;
        let triangles = (0..30).map(|_| [corner(&mut random), corner(&mut random), corner(&mut random)]).collect();
        let surface = Surface { x, triangles };
        for refine in [false, true] {
            let f = fill(&surface, &FillOptions { size: ElementSize::Edge(0.5), refine }).unwrap();
            check("soup", &f);
        }
    }
}

#[test]
fn what_cannot_be_filled_is_an_error_that_says_what_to_do() {
    let options = FillOptions { size: ElementSize::Edge(0.1), refine: false };
    let text = |surface: &Surface, options| fill(surface, &options).unwrap_err().to_string();
    let nothing = "there is nothing to fill: 0 triangles, none with an area.\n\
                   Check that the file has a mesh, and that it is not scaled to zero.";
    assert_eq!(text(&Surface::default(), options), nothing);
    let mut point = cuboid([0.0; 3], [1.0; 3]);
    point.x.iter_mut().for_each(|x| *x = Vect::from([1.0; 3]));
    assert!(text(&point, options).starts_with("there is nothing to fill: 108 triangles"));
    let mut broken = cuboid([0.0; 3], [1.0; 3]);
    broken.x[7].y = f64::NAN;
    assert!(text(&broken, options).starts_with("vertex 7 is at ("), "{}", text(&broken, options));
    broken.x[7].y = 3.4e38;
    let far = text(&broken, options);
    assert!(far.contains("3.4e38") && far.contains("too far away to compute with (the limit is 1e12 m)"), "{far}");
    let mut missing = cuboid([0.0; 3], [1.0; 3]);
    missing.triangles[4][1] = 999;
    assert!(text(&missing, options).starts_with("triangle 4 has the corner 999, but there are only 56 vertices."));
    for size in [ElementSize::Edge(0.0), ElementSize::Edge(-1.0), ElementSize::Edge(f64::NAN), ElementSize::Count(0)] {
        let refused = fill(&sphere(8), &FillOptions { size, refine: false });
        assert!(matches!(refused, Err(FillError::NotASize { .. })), "{size:?}");
    }
    let tiny = FillOptions { size: ElementSize::Edge(1e-5), refine: false };
    match fill(&sphere(8), &tiny) {
        Err(FillError::TooMany { possible, .. }) => assert!(possible > 5e-3 && possible < 0.02, "{possible}"),
        other => panic!("{other:?}"),
    }
}
