//! What a scene's dials ask for. A region's are relative to the body's: both are multiplied.

use control::{Dials, Keyed, Nature, Placed, Plan};

use super::place::{Place, on_elements};
use super::puppet::Puppet;
use super::volume::Volume;
use crate::Error;
use crate::scene::{DialKey, Scene};

/// The dials of the body and of its regions.
pub(crate) struct Asked {
    dials: Dials,
    places: Vec<Placed>,
}

impl Asked {
    pub fn of(scene: &Scene, puppet: &Puppet, volume: &Volume, file: &str) -> Result<Self, Error> {
        let keyed = |key: &Option<DialKey>| key.as_ref().map_or(Keyed::default(), |key| key.keys.clone());
        let d = &scene.dials;
        let dials = Dials {
            frequency: keyed(&d.frequency),
            amplitude: keyed(&d.amplitude),
            sag: keyed(&d.sag),
            damping: keyed(&d.damping),
        };
        let mut places = vec![];
        for r in &scene.tissue.region {
            if [&r.frequency, &r.amplitude, &r.sag, &r.damping].iter().all(|dial| dial.is_none()) {
                continue;
            }
            let vertices = Place::of(r).on_vertices_smoothly(puppet, volume, file)?;
            let there = Dials {
                frequency: dials.frequency.times(&keyed(&r.frequency)),
                amplitude: dials.amplitude.times(&keyed(&r.amplitude)),
                sag: dials.sag.times(&keyed(&r.sag)),
                damping: dials.damping.times(&keyed(&r.damping)),
            };
            places.push(Placed { dials: there, elements: on_elements(&volume.mesh, &vertices), vertices });
        }
        Ok(Self { dials, places })
    }

    /// Whether nothing is asked for.
    pub fn nothing(&self) -> bool {
        self.dials.are_one() && self.places.iter().all(|place| place.dials.are_one())
    }

    /// All ratios of the sag dial; some between keys that are not alike.
    pub fn sags(&self) -> Vec<f64> {
        let dials = std::iter::once(&self.dials).chain(self.places.iter().map(|place| &place.dials));
        let mut sags = vec![];
        for keys in dials.map(|dials| dials.sag.keys()) {
            sags.extend(keys.iter().map(|key| key.1));
            for pair in keys.windows(2).filter(|pair| pair[0].1 != pair[1].1) {
                sags.extend([0.25, 0.5, 0.75].map(|s| pair[0].1 + s * (pair[1].1 - pair[0].1)));
            }
        }
        sags
    }

    /// On a body.
    pub fn plan(self, nature: Nature) -> Plan {
        Plan { nature, dials: self.dials, places: self.places, inertia: 1.0 }
    }
}
