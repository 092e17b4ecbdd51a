//! MKL PARDISO at the other end of a pipe, taking turns with us.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use math::BlockMatrix;

use crate::Failure;

/// What PARDISO did with a matrix, by the number of threads.
#[derive(Debug, Default)]
pub struct Timings {
    /// (threads, seconds, its setting) of every factorization
    pub factorizations: Vec<(usize, f64, String)>,
    /// the worst relative residual of its solutions
    pub residual: f64,
    /// the lengths of its solutions for b = 1
    pub lengths: Vec<f64>,
    /// the fewest numbers in L of all its orderings
    pub nnz: Option<u64>,
}

impl Timings {
    /// Its fastest factorization on so many threads.
    pub fn best(&self, threads: usize) -> Option<(f64, &str)> {
        let of_threads = self.factorizations.iter().filter(|f| f.0 == threads);
        of_threads.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(_, seconds, setting)| (*seconds, setting.as_str()))
    }
}

/// A Python that has `pypardiso`: the one on the path, or one in a virtual environment under `target`, made now if need
/// be.
pub fn python() -> Result<PathBuf, String> {
    let has_it = |python: &Path| {
        let tried = Command::new(python).args(["-c", "import pypardiso"]).stderr(Stdio::null()).status();
        tried.is_ok_and(|status| status.success())
    };
    let system = PathBuf::from("python3");
    if has_it(&system) {
        return Ok(system);
    }
    let environment = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/pardiso");
    let own = environment.join("bin/python");
    if has_it(&own) {
        return Ok(own);
    }
    quietly(Command::new("python3").args(["-m", "venv"]).arg(&environment))?;
    quietly(Command::new(&own).args(["-m", "pip", "install", "--quiet", "pypardiso"]))?;
    if has_it(&own) { Ok(own) } else { Err("pypardiso was installed but cannot be imported".into()) }
}

/// Runs a command; what it says is its error.
pub fn quietly(command: &mut Command) -> Result<(), String> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    let message = String::from_utf8_lossy(&output.stderr);
    let last = message.trim().lines().last().unwrap_or("no message").to_owned();
    if output.status.success() { Ok(()) } else { Err(format!("{command:?}: {last}")) }
}

/// Lets PARDISO factor a matrix file. Before each of its turns it is our turn, on as many threads.
pub fn take_turns(python: &Path, matrix: &Path, mut our_turn: impl FnMut(usize)) -> Result<Timings, Failure> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("pardiso.py");
    let mut child = Command::new(python)
        .arg(script)
        .arg(matrix)
        .arg("--wait")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let (mut input, output) = child.stdin.take().zip(child.stdout.take()).ok_or("no pipe to python")?;
    let mut timings = Timings::default();
    for line in BufReader::new(output).lines() {
        let message: serde_json::Value = serde_json::from_str(&line?)?;
        let threads = |key: &str| message[key].as_u64().map(|threads| threads as usize);
        if let Some(threads) = threads("next") {
            our_turn(threads);
            input.write_all(b"\n")?;
        } else if let (Some(seconds), Some(threads)) = (message["seconds"].as_f64(), threads("threads")) {
            let setting = message["setting"].as_str().unwrap_or_default().to_owned();
            timings.factorizations.push((threads, seconds, setting));
        } else if let (Some(residual), Some(nnz)) = (message["residual"].as_f64(), message["nnz"].as_u64()) {
            timings.residual = timings.residual.max(residual);
            timings.lengths.extend(message["length"].as_f64());
            timings.nnz = Some(timings.nnz.map_or(nnz, |least| least.min(nnz)));
        }
    }
    if child.wait()?.success() { Ok(timings) } else { Err("pardiso.py failed; its message is above".into()) }
}

/// Writes the lower triangle by columns: n and nnz, column starts, rows (i64), values (f64), little-endian.
pub fn write(matrix: &BlockMatrix<3>, path: &Path) -> io::Result<()> {
    let (mut starts, mut rows, mut values) = (vec![0], vec![], vec![]);
    for column in 0..matrix.columns() {
        for j in 0..3 {
            for k in matrix.starts[column]..matrix.starts[column + 1] {
                let row = matrix.rows[k] as usize;
                for i in if row == column { j } else { 0 }..3 {
                    rows.push((3 * row + i) as i64);
                    values.push(matrix.blocks[k][(i, j)]);
                }
            }
            starts.push(rows.len() as i64);
        }
    }
    let mut file = BufWriter::new(File::create(path)?);
    for number in [3 * matrix.columns() as i64, rows.len() as i64].iter().chain(&starts).chain(&rows) {
        file.write_all(&number.to_le_bytes())?;
    }
    for value in values {
        file.write_all(&value.to_le_bytes())?;
    }
    file.flush()
}

#[cfg(test)]
mod tests {
    use math::Mat;

    use super::*;

    #[test]
    fn the_file_has_the_lower_triangle_by_columns() {
        let mut matrix = BlockMatrix::<3>::with_pattern(2, [(0, 1)]);
        for (k, block) in matrix.blocks.iter_mut().enumerate() {
            *block = Mat::from_fn(|i, j| (100 * k + 10 * i + j) as f64);
        }
        let path = std::env::temp_dir().join(format!("supple-bench-test-{}.bin", std::process::id()));
        write(&matrix, &path).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        let words: Vec<[u8; 8]> = bytes.chunks_exact(8).map(|word| word.try_into().unwrap()).collect();
        let (integers, values) = words.split_at(2 + 7 + 21);
        let integers: Vec<i64> = integers.iter().map(|word| i64::from_le_bytes(*word)).collect();
        assert_eq!(integers[..9], [6, 21, 0, 6, 11, 15, 18, 20, 21]);
        assert_eq!(integers[9..20], [0, 1, 2, 3, 4, 5, 1, 2, 3, 4, 5]);
        let values: Vec<f64> = values.iter().map(|word| f64::from_le_bytes(*word)).collect();
        assert_eq!(values[..8], [0.0, 10.0, 20.0, 100.0, 110.0, 120.0, 11.0, 21.0]);
        assert_eq!(values.len(), 21);
    }
}
