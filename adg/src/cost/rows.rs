//! What rows of the table are, and the logarithm that sizes count in.

/// The coefficients of an arc: picoseconds, and picoseconds for each doubling of the two sizes.
pub type ArcRow = (&'static str, [i64; 3]);

/// A measured unit.
#[derive(Clone, Copy, Debug)]
pub struct UnitFigures {
    /// Its op, as `units::key` names it.
    pub op: &'static str,
    /// Its width.
    pub width: u32,
    /// Its area, in square micrometres.
    pub area_um2: u64,
    /// Its arcs, by name, in picoseconds.
    pub arcs_ps: &'static [(&'static str, u32)],
}

/// Sixteen times the logarithm to base 2, on the line between powers of two; 0 of 0 and 1.
pub fn log2_16(n: u64) -> i64 {
    match n {
        0 | 1 => 0,
        _ => {
            let whole = n.ilog2();
            let below = 1u64 << whole;
            i64::from(whole) * 16 + ((n - below) * 16 / below) as i64
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_in_sixteenths() {
        assert_eq!([0, 1, 2, 3, 4, 6, 32, 33].map(log2_16), [0, 0, 16, 24, 32, 40, 80, 80]);
    }
}
