//! Our factorization against MKL PARDISO's.

use std::path::Path;
use std::time::Instant;

use math::{BlockMatrix, Factor, Vect};
use rayon::ThreadPool;

use crate::table::{head, heading, ms, row, verdict};
use crate::{Failure, pardiso, scene};

/// Cells in each direction: about 30 thousand and 100 thousand unknowns.
const CUBES: [[usize; 3]; 2] = [[21, 21, 21], [32, 31, 32]];
/// The step of the matrix [s].
const STEP: f64 = 1.0 / 24.0;
/// Our time over PARDISO's, by threads.
const BARS: [(usize, f64); 2] = [(1, 1.15), (2, 1.3)];
/// The largest relative residual of a solution.
const RESIDUAL: f64 = 1e-10;
/// How much the lengths of the two solutions may differ, so that it was the same matrix.
const SAME: f64 = 1e-8;
/// How often we run where PARDISO is missing.
const ALONE: usize = 5;

/// Our side: a matrix, its factor, and how long it took by number of threads.
struct Ours {
    matrix: BlockMatrix<3>,
    factor: Factor<3>,
    pools: [(usize, ThreadPool); 2],
    /// (threads, seconds) of every factorization
    timings: Vec<(usize, f64)>,
    worked: bool,
}

impl Ours {
    fn new(cells: [usize; 3]) -> Result<Self, Failure> {
        let matrix = scene::backward_euler_matrix(&scene::cube(cells)?, STEP);
        let factor = Factor::new(&matrix);
        let pools = [(1, scene::pool(1)?), (2, scene::pool(2)?)];
        Ok(Self { matrix, factor, pools, timings: vec![], worked: true })
    }

    /// Factors once on so many threads.
    fn turn(&mut self, threads: usize) {
        let Self { matrix, factor, pools, .. } = self;
        for (_, pool) in pools.iter().filter(|(n, _)| *n == threads) {
            let (seconds, result) = pool.install(|| {
                let start = Instant::now();
                let result = factor.factorize(matrix);
                (start.elapsed().as_secs_f64(), result)
            });
            self.worked &= result.is_ok();
            self.timings.push((threads, seconds));
        }
    }

    fn best(&self, threads: usize) -> f64 {
        self.timings.iter().filter(|t| t.0 == threads).map(|t| t.1).fold(f64::INFINITY, f64::min)
    }

    /// |Ax − b|/|b| and |x| of the solution for b = 1.
    fn check(&mut self) -> (f64, f64) {
        let b = vec![Vect::from([1.0; 3]); self.matrix.columns()];
        let (mut x, mut Ax) = (b.clone(), b.clone());
        self.factor.solve(&mut x);
        self.matrix.times(&x, &mut Ax);
        let rest: Vec<Vect<3>> = Ax.iter().zip(&b).map(|(a, b)| a - b).collect();
        (length(&rest) / length(&b), length(&x))
    }
}

fn length(list: &[Vect<3>]) -> f64 {
    list.iter().map(|v| v.norm_squared()).sum::<f64>().sqrt()
}

/// Prints the table.
pub fn run() -> Result<bool, Failure> {
    heading(
        "Factorization against MKL PARDISO",
        &format!(
            "K + M/h² of a clamped cube at rest (h = 1/24 s), LLᵀ, taking turns in one run. PARDISO: mtype 2, the best of \
             METIS, parallel METIS (on two threads) and two-level factorization, chosen by a run of each; analysis is not \
             timed on either side. Best of five each. Bars: ours/PARDISO at most {} on one thread and {} on two; relative residuals at most \
             {RESIDUAL:e}.",
            BARS[0].1, BARS[1].1
        ),
    );
    let python = pardiso::python();
    if let Err(reason) = &python {
        println!("skipped: PARDISO could not be installed ({reason}). Only our own times follow.\n");
    }
    let folder = std::env::temp_dir().join(format!("supple-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    head(&[
        "unknowns",
        "threads",
        "ours [ms]",
        "GFLOP/s",
        "nnz(L)",
        "residual",
        "PARDISO [ms]",
        "nnz(L)",
        "residual",
        "its setting",
        "ratio",
        "bar",
    ]);
    let result = CUBES.iter().try_fold(true, |met, &cells| Ok(met & race(cells, python.as_deref().ok(), &folder)?));
    std::fs::remove_dir_all(&folder)?;
    result
}

/// One matrix; returns whether the bars were met.
fn race(cells: [usize; 3], python: Option<&Path>, folder: &Path) -> Result<bool, Failure> {
    let mut ours = Ours::new(cells)?;
    let theirs = if let Some(python) = python {
        let file = folder.join("matrix.bin");
        pardiso::write(&ours.matrix, &file)?;
        Some(pardiso::take_turns(python, &file, |threads| ours.turn(threads))?)
    } else {
        (0..ALONE).for_each(|_| BARS.iter().for_each(|&(threads, _)| ours.turn(threads)));
        None
    };
    let (residual, length) = ours.check();
    let same = |theirs: &f64| (theirs / length - 1.0).abs() <= SAME;
    let sound = ours.worked
        && residual <= RESIDUAL
        && theirs.as_ref().is_none_or(|t| t.residual <= RESIDUAL && t.lengths.iter().all(same));
    let mut all_met = sound;
    for (threads, bar) in BARS {
        let seconds = ours.best(threads);
        let mut cells = vec![
            (3 * ours.matrix.columns()).to_string(),
            threads.to_string(),
            ms(seconds),
            format!("{:.1}", ours.factor.work() / seconds / 1e9),
            format!("{:.1}M", ours.factor.len() as f64 / 1e6),
            format!("{residual:.0e}"),
        ];
        if let Some((theirs, (best, setting))) = theirs.as_ref().and_then(|t| Some((t, t.best(threads)?))) {
            let ratio = seconds / best;
            let verdict = if sound { verdict(ratio, bar) } else { "FAIL" };
            all_met &= verdict == "PASS";
            let nnz = theirs.nnz.map_or("?".into(), |nnz| format!("{:.1}M", nnz as f64 / 1e6));
            let residual = format!("{:.0e}", theirs.residual);
            cells.extend([ms(best), nnz, residual, setting.into(), format!("{ratio:.2}"), verdict.into()]);
        } else {
            cells.extend(std::iter::repeat_n("skipped".to_owned(), 6));
        }
        row(&cells);
    }
    Ok(all_met)
}
