//! What a body would do before anything moves: its frequencies, its sag, its quality.

use std::path::Path;

use dynamics::{Body, equilibrium, lowest_modes};
use elastic::Flesh;
use formats::{AnyVolume, Volume};
use math::{Mat, Small, Vect};
use mesh::{Mass, MassKind, Quality};
use serde::Serialize;

use crate::Error;
use crate::elements::Elements;
use crate::params::HALF_TIME;

/// What to analyze. Values that are not given come from the file, and where it has none from the defaults.
#[derive(Clone, Debug)]
pub struct Analyze {
    /// the material
    pub material: Flesh,
    /// E [Pa]
    pub young: Option<f64>,
    /// ν
    pub poisson: Option<f64>,
    /// [kg/m³]
    pub density: Option<f64>,
    /// how mass is shared out
    pub mass: MassKind,
    /// boxes (one corner, then the other) whose vertices are pinned
    pub pin_boxes: Vec<Vec<f64>>,
    /// [m/s²]
    pub gravity: Vec<f64>,
    /// how many modes
    pub modes: usize,
    /// how long until a wobble is half as large [s]
    pub half_time: Option<f64>,
}

impl Default for Analyze {
    fn default() -> Self {
        Self {
            material: Flesh::StableNeoHookean,
            young: None,
            poisson: None,
            density: None,
            mass: MassKind::Lumped,
            pin_boxes: vec![],
            gravity: vec![0.0, 0.0, -9.81],
            modes: 6,
            half_time: None,
        }
    }
}

/// What was found.
#[derive(Clone, Debug, Serialize)]
pub struct Analysis {
    /// lowest natural frequencies [Hz], ascending; 0 for the rigid motions of a free body
    pub frequencies_hz: Vec<f64>,
    /// how far gravity pulls it down; none where nothing holds the body
    pub sag: Option<Sag>,
    /// the lowest frequency with damping, about the rest shape [Hz]; none where nothing holds the body or it does not swing
    pub damped_frequency_hz: Option<f64>,
    /// how long until a wobble is half as large [s]
    pub half_time_s: f64,
    /// [kg]
    pub mass: f64,
    /// [m³], [m²] in the plane
    pub volume: f64,
    /// how many
    pub vertices: usize,
    /// how many
    pub elements: usize,
    /// how many vertices are pinned
    pub pinned: usize,
    /// 2 or 3
    pub dimension: usize,
    /// name of the material
    pub material: &'static str,
    /// the shape of the elements
    pub quality: Quality,
    /// what was repaired, taken from the file or left out: whole sentences
    pub notes: Vec<String>,
}

/// Static displacement under gravity.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Sag {
    /// Euclidean norm over all vertices [m]; it depends on how fine the mesh is
    pub norm: f64,
    /// the largest of a vertex [m]
    pub max: f64,
}

impl Sag {
    fn between<const D: usize>(rest: &[Vect<D>], x: &[Vect<D>]) -> Self {
        let moved = || rest.iter().zip(x).map(|(X, x)| (x - X).norm());
        Self { norm: moved().map(|m| m * m).sum::<f64>().sqrt(), max: moved().fold(0.0, f64::max) }
    }
}

/// Analyzes the body in a file. `progress` is told what is being done.
pub fn analyze(file: &Path, options: &Analyze, progress: &mut dyn FnMut(&str)) -> Result<Analysis, Error> {
    progress("reading");
    match formats::read_any(file)? {
        AnyVolume::Plane(volume) => analyze_volume(&file.display().to_string(), volume, options, progress),
        AnyVolume::Space(volume) => analyze_volume(&file.display().to_string(), volume, options, progress),
    }
}

fn analyze_volume<const D: usize>(
    file: &str,
    volume: Volume<D>,
    options: &Analyze,
    progress: &mut dyn FnMut(&str),
) -> Result<Analysis, Error>
where
    Mat<D>: Small<D>,
{
    let mut notes = volume.notes.clone();
    let elements = Elements::of(file, &volume, [options.young, options.poisson, options.density], &mut notes)?;
    let (lame, density) = (elements.lame()?, elements.density);
    let mesh = volume.mesh;
    let mass = Mass::new(&mesh, &density, options.mass);
    let (total, volumes) = (mass.total(), mesh.volumes(&mesh.rest));
    let mut body = Body::new(mesh.rest.clone(), mass, vec![options.material.tissue(&mesh, &lame)]);
    body.pins = pins(&mesh, &options.pin_boxes)?;
    if body.pins.len() == mesh.rest.len() {
        return Err(Error::AllPinned);
    }
    body.gravity = gravity(&options.gravity)?;
    progress("vibration modes");
    let modes = lowest_modes(&body, &mesh.rest, options.modes.max(1))?;
    let half_time_s = HALF_TIME.value(options.half_time)?;
    let decay = dynamics::Damping { mass: control::damping_of(half_time_s), stiffness: 0.0 };
    let lowest = modes.omega_squared.first().filter(|_| !body.pins.is_empty()).map(|w| w.max(0.0).sqrt());
    let damped_frequency_hz = lowest.and_then(|w| control::seen(control::Clock::Exact, w, decay)).map(|s| s.hertz());
    let frequencies_hz = modes.frequencies().into_iter().take(options.modes).collect();
    let sag = if body.pins.is_empty() {
        notes.push("Nothing is pinned, so the body has no sag and its first frequencies are 0. Use --pin-box.".into());
        None
    } else {
        progress("sag");
        match equilibrium(&body, &mesh.rest) {
            Ok(x) => Some(Sag::between(&mesh.rest, &x)),
            Err(error) => {
                notes.push(format!("The sag could not be found: {error}"));
                None
            }
        }
    };
    Ok(Analysis {
        frequencies_hz,
        sag,
        damped_frequency_hz,
        half_time_s,
        mass: total,
        volume: volumes.iter().sum(),
        vertices: mesh.rest.len(),
        elements: mesh.element_count(),
        pinned: body.pins.len(),
        dimension: D,
        material: options.material.name(),
        quality: Quality::of(&mesh),
        notes,
    })
}

/// The vertices in any of the boxes, ascending.
fn pins<const D: usize>(mesh: &mesh::Mesh<D>, boxes: &[Vec<f64>]) -> Result<Vec<u32>, Error> {
    let mut pins = vec![];
    for given in boxes {
        let stride = given.len() / 2;
        if !(given.len() == 2 * D || (D == 2 && given.len() == 6)) {
            let wanted = if D == 2 { "4 (x0,y0,x1,y1) or 6" } else { "6 (x0,y0,z0,x1,y1,z1)" };
            return Err(Error::Numbers { what: "--pin-box", wanted: wanted.into(), given: given.len() });
        }
        let inside = |X: &Vect<D>| {
            (0..D).all(|i| {
                let (a, b) = (given[i], given[stride + i]);
                X[i] >= a.min(b) && X[i] <= a.max(b)
            })
        };
        let before = pins.len();
        pins.extend((0..mesh.rest.len() as u32).filter(|&v| inside(&mesh.rest[v as usize])));
        if pins.len() == before {
            let (low, high) = mesh.bounds();
            let text = |x: &[f64]| x.iter().map(|x| format!("{x}")).collect::<Vec<_>>().join(",");
            return Err(Error::EmptyBox { given: text(given), low: text(low.as_slice()), high: text(high.as_slice()) });
        }
    }
    pins.sort_unstable();
    pins.dedup();
    Ok(pins)
}

/// Gravity for this dimension. In the plane three numbers are taken too: the third is the vertical where the second is 0.
fn gravity<const D: usize>(given: &[f64]) -> Result<Vect<D>, Error> {
    match given {
        [x, y, z] if D == 2 => Ok(Vect::from_fn(|i, _| {
            if i == 0 {
                *x
            } else if *y != 0.0 {
                *y
            } else {
                *z
            }
        })),
        _ if given.len() == D => Ok(Vect::from_fn(|i, _| given[i])),
        _ => Err(Error::Numbers { what: "--gravity", wanted: D.to_string(), given: given.len() }),
    }
}
