//! Where the time of a Newton iteration goes.

use std::time::Instant;

use dynamics::{Body, Hold, Integrator, Stepper};
use math::{Factor, Vect};

use crate::table::{head, heading, ms, percent, row, verdict};
use crate::{Failure, scene};

/// The step [s].
const STEP: f64 = 1.0 / 24.0;
/// Steps that deform the body first, and steps that are measured.
const STEPS: (usize, usize) = (2, 3);
/// The largest share of an iteration that may go to anything but factorization and solve.
const BAR: f64 = 0.25;

/// Cells in each direction (six tetrahedra each), and whether the bar holds there.
const CUBES: [([usize; 3], bool); 3] = [([9, 9, 10], false), ([15, 15, 15], true), ([26, 26, 25], true)];

/// The seconds of one Newton iteration.
struct Iteration {
    elements: f64,
    assembly: f64,
    factorization: f64,
    solve: f64,
    total: f64,
}

impl Iteration {
    fn other(&self) -> f64 {
        self.total - self.elements - self.assembly - self.factorization - self.solve
    }
    fn share(&self) -> f64 {
        1.0 - (self.factorization + self.solve) / self.total
    }
}

/// Prints the table.
pub fn run() -> Result<bool, Failure> {
    heading(
        "One Newton iteration",
        &format!(
            "A clamped cube of stable neo-Hookean flesh (E 1e5 Pa, ν 0.45) under gravity, backward Euler, h = 1/24 s, in \
             its third to fifth step; the fastest of these steps, divided by its iterations. All times in ms; \"other\" \
             is the rest of the step's wall time. Bar: what is neither factorization nor solve takes at most {}.",
            percent(BAR)
        ),
    );
    head(&[
        "tets",
        "unknowns",
        "threads",
        "elements",
        "assembly",
        "factorization",
        "solve",
        "other",
        "total",
        "nnz(L)",
        "GFLOP/s",
        "share",
        "bar",
    ]);
    let mut all_met = true;
    for (cells, barred) in CUBES {
        let body = scene::cube(cells)?;
        let factor = Factor::new(&scene::backward_euler_matrix(&body, STEP));
        for threads in [1, 2] {
            let best = scene::pool(threads)?.install(|| measure(&body))?;
            let verdict = if barred { verdict(best.share(), BAR) } else { "no bar" };
            all_met &= verdict != "FAIL";
            row(&[
                (6 * cells.iter().product::<usize>()).to_string(),
                (3 * (body.rest.len() - body.pins.len())).to_string(),
                threads.to_string(),
                ms(best.elements),
                ms(best.assembly),
                ms(best.factorization),
                ms(best.solve),
                ms(best.other()),
                ms(best.total),
                format!("{:.1}M", factor.len() as f64 / 1e6),
                format!("{:.1}", factor.work() / best.factorization / 1e9),
                percent(best.share()),
                verdict.into(),
            ]);
        }
    }
    Ok(all_met)
}

/// The fastest iteration of a few steps.
fn measure(body: &Body<3>) -> Result<Iteration, Failure> {
    let hold = Hold::at(body, &body.rest);
    let mut stepper = Stepper::new(body);
    stepper.integrator = Integrator::BackwardEuler;
    let mut state = stepper.start(&hold, 0.0, body.rest.clone(), vec![Vect::zeros(); body.rest.len()])?;
    for _ in 0..STEPS.0 {
        stepper.step(STEP, &hold, &mut state)?;
    }
    let mut best: Option<Iteration> = None;
    for _ in 0..STEPS.1 {
        let start = Instant::now();
        let report = stepper.step(STEP, &hold, &mut state)?;
        let (total, s) = (start.elapsed(), report.seconds);
        let each = |time: std::time::Duration| time.as_secs_f64() / report.iterations as f64;
        let iteration = Iteration {
            elements: each(s.elements),
            assembly: each(s.assembly),
            factorization: each(s.factorization),
            solve: each(s.solve),
            total: each(total),
        };
        if best.as_ref().is_none_or(|b| iteration.total < b.total) {
            best = Some(iteration);
        }
    }
    best.ok_or_else(|| "no step was measured".into())
}
