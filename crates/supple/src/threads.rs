//! How many threads the engine works with.

use crate::Error;

/// The number of threads; 0 takes all there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Threads(pub usize);

/// Runs on a pool of so many threads. The result does not depend on how many.
pub fn with_threads<T: Send>(threads: Threads, run: impl FnOnce() -> T + Send) -> Result<T, Error> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads.0)
        .build()
        .map_err(|e| Error::Threads { threads: threads.0, reason: e.to_string() })?;
    Ok(pool.install(run))
}
