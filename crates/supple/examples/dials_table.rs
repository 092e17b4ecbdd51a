//! The tables of docs/dials.md: one dial is turned, all four quantities are measured from the motion.
//!
//! `cargo run --release -p supple --example dials_table [linear|nonlinear]`

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let nonlinear = match std::env::args().nth(1).as_deref() {
        None | Some("linear") => false,
        Some("nonlinear") => true,
        Some(other) => return Err(format!("there is no table {other:?}; there are: linear, nonlinear").into()),
    };
    let folder = std::env::temp_dir().join(format!("supple-dials-table-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let tables = supple::dials_table(nonlinear, &folder, &mut |now| eprintln!("{now}"))?;
    std::fs::remove_dir_all(&folder)?;
    for table in tables {
        println!("\n**{}**\n", table.title);
        println!("| {} |", table.head.join(" | "));
        println!("|{}", "---|".repeat(table.head.len()));
        for row in table.rows {
            println!("| {} |", row.join(" | "));
        }
    }
    Ok(())
}
