//! What the artist made: a character with a clip, a surface with a cache of its vertices, or a volume whose pins are moved.

use std::ops::Range;
use std::path::PathBuf;

use math::Vect;
use mesh::Surface;
use rig::{Bound, Character, Clip, Playback, Pose};

use super::driven::Driven;

/// What moves, and how. Sizes are those of the simulation, except where said.
pub(crate) struct Puppet {
    kind: Kind,
    /// how much larger the simulated body is than the one in the file
    scale: f64,
    /// times of the simulation at which it is somewhere else at once [s]
    jumps: Vec<f64>,
    /// the vertices of each part in the list of all
    parts: Vec<Range<usize>>,
}

enum Kind {
    Character(Box<Acted>),
    Cache(Cached),
    Volume(Box<Driven>),
}

/// A character that plays a clip.
pub(crate) struct Acted {
    pub character: Character,
    pub bound: Bound,
    /// the pose it was bound in
    pub rest: Pose,
    pub clip: Clip,
    /// its number in the file; none where it comes from motion capture or stands still
    pub number: Option<usize>,
    pub playback: Playback,
    /// the glTF file, which its result keeps
    pub gltf: Option<PathBuf>,
}

/// A surface whose vertices are known frame by frame.
pub(crate) struct Cached {
    pub name: String,
    pub surface: Surface,
    pub frames: Vec<Vec<Vect<3>>>,
    /// when each frame is [s]
    pub times: Vec<f64>,
    pub preroll: f64,
    postroll: f64,
    /// frames that are somewhere else than the one before, all at once
    cuts: Vec<usize>,
}

/// The largest and smallest body that is taken as it is [m], and what others are taken for.
const SIZES: Range<f64> = 0.1..10.0;
const USUAL: f64 = 1.8;

impl Puppet {
    /// A character. `real_size` keeps the size that the file says.
    pub fn character(mut acted: Acted, real_size: bool, jumps: Vec<f64>, notes: &mut Vec<String>) -> Self {
        let scale = scale(extent(acted.bound.rest.iter().flatten()), real_size, notes);
        if scale != 1.0 {
            acted.character.world_from_file.R *= scale;
            acted.character.world_from_file.t *= scale;
            acted.bound = Bound::new(&acted.character);
            acted.rest = acted.bound.pose(&acted.character);
        }
        notes.extend(acted.bound.notes.iter().cloned());
        let parts = ranges(acted.bound.rest.iter().map(Vec::len));
        Self { kind: Kind::Character(Box::new(acted)), scale, jumps, parts }
    }

    /// A cached surface.
    pub fn cache(mut cached: Cached, real_size: bool, notes: &mut Vec<String>) -> Self {
        let scale = scale(extent(cached.surface.x.iter()), real_size, notes);
        for x in cached.surface.x.iter_mut().chain(cached.frames.iter_mut().flatten()) {
            *x *= scale;
        }
        let parts = ranges([cached.surface.x.len()].into_iter());
        let jumps: Vec<f64> = cached.cuts.iter().map(|&k| cached.times[k] - cached.times[0]).collect();
        Self { kind: Kind::Cache(cached), scale, jumps, parts }
    }

    /// A volume that its pins move. It has the size that its file says.
    pub fn volume(driven: Driven) -> Self {
        let parts = ranges([driven.skin.x.len()].into_iter());
        Self { kind: Kind::Volume(Box::new(driven)), scale: 1.0, jumps: vec![], parts }
    }

    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// The longest edge of the box around the body at rest [m].
    pub fn size(&self) -> f64 {
        match &self.kind {
            Kind::Character(a) => extent(a.bound.rest.iter().flatten()),
            Kind::Cache(c) => extent(c.surface.x.iter()),
            Kind::Volume(d) => extent(d.volume.mesh.rest.iter()),
        }
    }

    pub fn jumps(&self) -> &[f64] {
        &self.jumps
    }

    /// How long the motion is [s].
    pub fn duration(&self) -> f64 {
        match &self.kind {
            Kind::Character(a) => a.playback.duration(),
            Kind::Cache(c) => c.times.last().map_or(0.0, |last| last - c.times[0]) + c.postroll,
            Kind::Volume(d) => d.seconds,
        }
    }

    /// How long it takes from rest to the first pose [s].
    pub fn preroll(&self) -> f64 {
        match &self.kind {
            Kind::Character(a) => a.playback.preroll,
            Kind::Cache(c) => c.preroll,
            Kind::Volume(_) => 0.0,
        }
    }

    pub fn clip_name(&self) -> Option<String> {
        match &self.kind {
            Kind::Character(a) => Some(a.clip.name.clone()).filter(|name| !name.is_empty()),
            Kind::Cache(_) | Kind::Volume(_) => None,
        }
    }

    /// All parts at rest, one after the other.
    pub fn surface(&self) -> Surface {
        match &self.kind {
            Kind::Cache(c) => c.surface.clone(),
            Kind::Volume(d) => d.skin.clone(),
            Kind::Character(a) => {
                let triangles =
                    a.character.parts.iter().zip(&self.parts).flat_map(|(part, range)| {
                        part.surface.triangles.iter().map(|t| t.map(|v| v + range.start as u32))
                    });
                Surface { triangles: triangles.collect(), x: a.bound.rest.concat() }
            }
        }
    }

    /// Where the rig has the vertices of each part [m], in the size of the file.
    pub fn posed(&self, t: f64) -> Vec<Vec<Vect<3>>> {
        let mut parts = match &self.kind {
            Kind::Character(a) => {
                let pose = a.pose(t);
                (0..a.character.parts.len()).map(|part| a.character.posed(&pose, part)).collect()
            }
            Kind::Cache(c) => vec![c.blend(t, &c.surface.x, &c.frames)],
            Kind::Volume(d) => vec![d.skin.x.clone()],
        };
        let scale = self.scale;
        parts.iter_mut().flatten().for_each(|x: &mut Vect<3>| *x /= scale);
        parts
    }

    /// A list over all vertices, part by part.
    pub fn split<T: Clone>(&self, all: &[T]) -> Vec<Vec<T>> {
        self.parts.iter().map(|range| all[range.clone()].to_vec()).collect()
    }

    /// The character, where it is one.
    pub fn acted(&self) -> Option<&Acted> {
        match &self.kind {
            Kind::Character(a) => Some(a),
            Kind::Cache(_) | Kind::Volume(_) => None,
        }
    }

    /// The cached surface, where it is one.
    pub fn cached(&self) -> Option<&Cached> {
        match &self.kind {
            Kind::Cache(c) => Some(c),
            Kind::Character(_) | Kind::Volume(_) => None,
        }
    }

    /// The volume that its pins move, where it is one.
    pub fn driven(&self) -> Option<&Driven> {
        match &self.kind {
            Kind::Volume(d) => Some(d),
            Kind::Character(_) | Kind::Cache(_) => None,
        }
    }

    /// The bones at rest as segments; only of these nodes, if given.
    pub fn bones(&self, only: Option<&[u32]>) -> Vec<[Vect<3>; 2]> {
        let Some(a) = self.acted() else { return vec![] };
        let wanted = |node: u32| only.is_none_or(|only| only.contains(&node));
        a.bound.bones().into_iter().filter(|(node, _)| wanted(*node)).map(|(_, bone)| bone).collect()
    }

    /// Names of all bones, with their nodes.
    pub fn bone_names(&self) -> Vec<(String, u32)> {
        let Some(a) = self.acted() else { return vec![] };
        a.bound.joints().iter().map(|j| (a.character.nodes[j.node as usize].name.clone(), j.node)).collect()
    }

    /// A painted value of each vertex of all parts; 0 where a part does not have it. The first number of wider ones.
    pub fn attribute(&self, name: &str) -> Option<Vec<f64>> {
        let a = self.acted()?;
        let mut found = false;
        let mut all = vec![];
        for (part, range) in a.character.parts.iter().zip(&self.parts) {
            match part.attributes.iter().find(|attribute| attribute.name == name) {
                Some(attribute) => {
                    found = true;
                    all.extend(attribute.values.chunks_exact(attribute.width.max(1)).map(|v| v[0]));
                }
                None => all.extend(vec![0.0; range.len()]),
            }
        }
        found.then_some(all)
    }

    pub fn attribute_names(&self) -> Vec<String> {
        let Some(a) = self.acted() else { return vec![] };
        let mut names: Vec<String> =
            a.character.parts.iter().flat_map(|p| &p.attributes).map(|attribute| attribute.name.clone()).collect();
        names.sort();
        names.dedup();
        names
    }
}

impl Acted {
    /// The pose at a time of the simulation [s].
    pub fn pose(&self, t: f64) -> Pose {
        self.playback.sample(&self.character, &self.rest, &self.clip, t)
    }
}

impl Cached {
    /// A surface and where its vertices are in each frame, and how long it goes before and stays after. Cuts are found: frames in which the middle of the body goes 0.4 of
    /// its size or more, and four times as far as in the frames before and after.
    pub fn new(
        name: String,
        surface: Surface,
        frames: Vec<Vec<Vect<3>>>,
        times: Vec<f64>,
        [preroll, postroll]: [f64; 2],
    ) -> Self {
        let size = extent(surface.x.iter());
        let middle = |x: &Vec<Vect<3>>| x.iter().sum::<Vect<3>>() / x.len().max(1) as f64;
        let middles: Vec<Vect<3>> = frames.iter().map(middle).collect();
        let gone = |k: usize| if k == 0 { 0.0 } else { (middles[k] - middles[k - 1]).norm() };
        let is_cut = |&k: &usize| {
            let around = gone(k - 1).max(if k + 1 < frames.len() { gone(k + 1) } else { 0.0 });
            gone(k) > 0.4 * size && gone(k) > 4.0 * around
        };
        let cuts = if frames.len() < 3 { vec![] } else { (1..frames.len()).filter(is_cut).collect() };
        Self { name, surface, frames, times, preroll, postroll, cuts }
    }

    /// A list at rest and at each frame, at a time: straight between frames; before time 0 smoothly from rest.
    pub fn blend(&self, t: f64, rest: &[Vect<3>], frames: &[Vec<Vect<3>>]) -> Vec<Vect<3>> {
        let mix = |a: &[Vect<3>], b: &[Vect<3>], s: f64| a.iter().zip(b).map(|(a, b)| a + s * (b - a)).collect();
        let Some(first) = frames.first() else { return rest.to_vec() };
        if t < 0.0 {
            let s = if self.preroll > 0.0 { (1.0 + t / self.preroll).clamp(0.0, 1.0) } else { 1.0 };
            return mix(rest, first, s * s * s * (10.0 + s * (6.0 * s - 15.0)));
        }
        let t = t + self.times[0];
        let k = self.times.partition_point(|time| *time <= t).max(1) - 1;
        if k + 1 >= frames.len() {
            return frames[frames.len() - 1].clone();
        }
        if self.cuts.contains(&(k + 1)) {
            return frames[k].clone(); // it waits, then jumps
        }
        mix(&frames[k], &frames[k + 1], (t - self.times[k]) / (self.times[k + 1] - self.times[k]))
    }
}

fn scale(size: f64, real_size: bool, notes: &mut Vec<String>) -> f64 {
    if real_size || SIZES.contains(&size) || !(size > 0.0) {
        return 1.0;
    }
    notes.push(format!(
        "The character is {size:.3} m large in its file, so it is simulated as if it were {USUAL} m. \
         With --real-size it moves as a body of {size:.3} m would."
    ));
    USUAL / size
}

/// The longest edge of the box around points [m].
fn extent<'a>(points: impl Iterator<Item = &'a Vect<3>>) -> f64 {
    let (mut low, mut high) = (Vect::<3>::repeat(f64::INFINITY), Vect::<3>::repeat(f64::NEG_INFINITY));
    for x in points {
        (low, high) = (low.inf(x), high.sup(x));
    }
    (high - low).max()
}

fn ranges(lengths: impl Iterator<Item = usize>) -> Vec<Range<usize>> {
    let mut start = 0;
    let mut range = |n| {
        start += n;
        start - n..start
    };
    lengths.map(&mut range).collect()
}
