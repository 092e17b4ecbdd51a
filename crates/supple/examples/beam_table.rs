//! Prints the convergence table of docs/engine.md: `cargo run --release -p supple --example beam_table`.

use supple::beam::{Beam, converge};

fn main() -> Result<(), supple::Error> {
    let beam = Beam { length: 1.0, height: 0.2, young: 1e6, poisson: 0.3, density: 1000.0 };
    println!("| cells in the height | tets | first frequency | tip deflection |\n|---|---|---|---|");
    for cells in [2, 4, 8, 12, 16] {
        let row = converge(&beam, cells)?;
        let percent = |e: f64| format!("{:+.2}%", 100.0 * e);
        println!(
            "| {} | {} | {} | {} |",
            row.cells,
            row.tets,
            percent(row.frequency_error),
            percent(row.deflection_error)
        );
    }
    Ok(())
}
