//! The tables of docs/dials.md: one dial is turned, all four quantities are measured from the motion.
//!
//! `cargo run --release -p supple --example dials_table [linear|nonlinear] [WORD...]`: with words, only rows whose title holds all of them.

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let nonlinear = match std::env::args().nth(1).as_deref() {
        None | Some("linear") => false,
        Some("nonlinear") => true,
        Some(other) => return Err(format!("there is no table {other:?}; there are: linear, nonlinear").into()),
    };
    let folder = std::env::temp_dir().join(format!("supple-dials-table-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let words: Vec<String> = std::env::args().skip(2).collect();
    let wanted = |row: &str| words.iter().all(|word| row.contains(word.as_str()));
    let tables = supple::dials_table(nonlinear, &folder, &wanted, &mut |now| eprintln!("{now}"))?;
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
