//! Bars against Timoshenko's beam theory.

use supple::beam::{Beam, converge};

const BEAM: Beam = Beam { length: 1.0, height: 0.2, young: 1e6, poisson: 0.3, density: 1000.0 };

#[test]
fn a_clamped_bar_converges_to_timoshenko() {
    let table = [2, 4, 8, 12].map(|cells| converge(&BEAM, cells).unwrap());
    for w in table.windows(2) {
        assert!(w[1].frequency_error.abs() < 0.5 * w[0].frequency_error.abs(), "no convergence: {table:?}");
        assert!(w[1].deflection_error.abs() < 0.5 * w[0].deflection_error.abs(), "no convergence: {table:?}");
    }
    assert!(table[3].frequency_error.abs() < 0.02 && table[3].deflection_error.abs() < 0.02, "{table:?}");
}
