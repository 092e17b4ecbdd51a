//! What a body is by itself, before dials: how fast it swings about its static shape, how far it sags, how long it rings.

use dynamics::{Body, Damping, Hold, Scales, Statics, StepError, lowest_modes};
use math::{Mat, Small, Vect};

use crate::poles::{Clock, Rayleigh, Seen, seen};

/// A body held in its rest pose, under so much of its weight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sagging {
    /// how far it sags, relative to how far it does
    pub ratio: f64,
    /// the share of its weight that takes: μ/χ²
    pub load: f64,
    /// its lowest natural frequency there [rad/s]
    pub omega: f64,
    /// what stiffness damping is multiplied by there: ω², but for what is compressed [1/s²]
    pub drag: f64,
    /// ‖p − X‖ over all vertices [m]
    pub sag: f64,
}

impl Sagging {
    /// The damping of the lowest vibration of a body whose frequencies are multiplied by χ, all of it as if it were of the mass.
    pub fn damping(&self, body: Damping, chi: f64) -> Damping {
        Damping { mass: body.mass + body.stiffness * chi * chi * self.drag, stiffness: 0.0 }
    }
}

/// What a body is by itself.
#[derive(Clone, Debug)]
pub struct Nature {
    /// its lowest natural frequency under its own weight [rad/s]
    pub omega: f64,
    /// its damping
    pub damping: Damping,
    /// which of its kinds the dial turns
    pub kind: Rayleigh,
    /// how time is stepped
    pub clock: Clock,
    /// what its lowest vibration looks like with that damping and those steps; none where it does not swing
    pub seen: Option<Seen>,
    /// under its own weight, and as dials ask for
    pub saggings: Vec<Sagging>,
}

/// How exactly a sag is met.
const TOLERANCE: f64 = 1e-6;

impl Nature {
    /// Finds out, and the shape under its own weight. The body has no damping yet: it gets what halves its lowest vibration in `half_time` [s]. `sags` are the ratios of the
    /// sag dial that will be asked for: for flesh that is not linear the load that takes, and how fast it swings there, are solved for.
    pub fn of<const D: usize>(
        body: &mut Body<D>,
        kind: Rayleigh,
        half_time: f64,
        clock: Clock,
        sags: &[f64],
    ) -> Result<(Self, Vec<Vect<D>>), StepError>
    where
        Mat<D>: Small<D>,
    {
        let mut weight = Weight::new(body);
        let own = weight.sagging(1.0)?;
        let shape = weight.x.clone();
        let mut saggings = vec![own];
        let mut sags: Vec<f64> = sags.iter().copied().filter(|r| *r != 1.0).collect();
        sags.sort_by(f64::total_cmp);
        sags.dedup();
        for ratio in sags {
            saggings.push(weight.sagging_by(ratio, &own)?);
        }
        saggings.sort_by(|a, b| a.ratio.total_cmp(&b.ratio));
        let decay = std::f64::consts::LN_2 / half_time;
        // e^(−½(d_m + d_k ω²)t)
        body.damping = match kind {
            Rayleigh::Mass => Damping { mass: 2.0 * decay, stiffness: 0.0 },
            Rayleigh::Stiffness => Damping { mass: 0.0, stiffness: 2.0 * decay / own.drag },
        };
        let seen = seen(clock, own.omega, own.damping(body.damping, 1.0));
        Ok((Self { omega: own.omega, damping: body.damping, kind, clock, seen, saggings }, shape))
    }

    /// The body under the weight that makes it sag so far; between known ones by straight lines.
    pub fn sagging(&self, ratio: f64) -> Sagging {
        let next = self.saggings.partition_point(|s| s.ratio <= ratio);
        match (next.checked_sub(1).map(|k| self.saggings[k]), self.saggings.get(next)) {
            (Some(a), Some(b)) if a.ratio != ratio => {
                let s = (ratio - a.ratio) / (b.ratio - a.ratio);
                let mix = |x: f64, y: f64| x + s * (y - x);
                Sagging {
                    ratio,
                    load: mix(a.load, b.load),
                    omega: mix(a.omega, b.omega),
                    drag: mix(a.drag, b.drag),
                    sag: mix(a.sag, b.sag),
                }
            }
            (Some(a), _) => a,
            (None, Some(b)) => *b,
            (None, None) => Sagging { ratio, load: ratio, omega: self.omega, drag: self.omega.powi(2), sag: 0.0 },
        }
    }
}

/// Loads a body with shares of its weight.
struct Weight<'a, const D: usize> {
    body: &'a Body<D>,
    statics: Statics<'a, D>,
    hold: Hold<D>,
    x: Vec<Vect<D>>,
    load: f64,
}

impl<'a, const D: usize> Weight<'a, D>
where
    Mat<D>: Small<D>,
{
    fn new(body: &'a Body<D>) -> Self {
        let mut statics = Statics::new(body);
        statics.newton.tolerance = 1e-9;
        Self { body, statics, hold: Hold::at(body, &body.rest), x: body.rest.clone(), load: 0.0 }
    }

    /// ‖p − X‖ under a share of the weight. Large ones are reached in steps.
    fn sag(&mut self, load: f64) -> Result<f64, StepError> {
        let mut step = load - self.load;
        while self.load != load {
            let to = if step.abs() >= (load - self.load).abs() { load } else { self.load + step };
            let scales = Scales { gravity: vec![to; self.body.rest.len()], ..Scales::default() };
            let mut x = self.x.clone();
            self.statics.forget();
            match self.statics.shape(&self.hold, 0.0, &scales, &mut x) {
                Ok(_) => (self.load, self.x) = (to, x),
                Err(error) if step.abs() < 1e-3 * load.abs() => return Err(error),
                Err(_) => step /= 4.0,
            }
        }
        Ok(self.x.iter().zip(&self.body.rest).map(|(x, X)| (x - X).norm_squared()).sum::<f64>().sqrt())
    }

    /// The lowest ω, and its drag.
    fn lowest(&self) -> Result<(f64, f64), StepError> {
        for x in [&self.x, &self.body.rest] {
            let modes = lowest_modes(self.body, x, 1)?;
            if let (Some(&squared), Some(&drag)) = (modes.omega_squared.first(), modes.drag.first())
                && squared > 0.0
            {
                return Ok((squared.sqrt(), drag));
            }
            // about to buckle: then the rest shape must do
        }
        Ok((0.0, 0.0))
    }

    fn sagging(&mut self, load: f64) -> Result<Sagging, StepError> {
        let sag = self.sag(load)?;
        let (omega, drag) = self.lowest()?;
        Ok(Sagging { ratio: load, load, omega, drag, sag })
    }

    /// The load under which it sags so many times as far as under its own.
    fn sagging_by(&mut self, ratio: f64, own: &Sagging) -> Result<Sagging, StepError> {
        if own.sag == 0.0 || ratio == 0.0 {
            return Ok(Sagging { ratio, ..self.sagging(ratio)? });
        }
        let wanted = ratio * own.sag;
        let mut load = ratio;
        for _ in 0..30 {
            let sag = self.sag(load)?;
            if (sag / wanted - 1.0).abs() < TOLERANCE {
                break;
            }
            load *= (wanted / sag).clamp(0.25, 4.0);
        }
        Ok(Sagging { ratio, ..self.sagging(load)? })
    }
}
