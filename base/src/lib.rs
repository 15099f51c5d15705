//! What every crate of LOOM shares: diagnostics, names, the input budget, the random generator, stall patterns,
//! text of tables and generated pages.
//!
//! Guarantees: no I/O, no clock, no global state; the same inputs give the same bytes on any machine.
//!
//! ```
//! use loom_base::{diag::{Code, Diagnostic, Source}, rng::Rng};
//! const WIDE: Code = Code::new("T0001", "a value is too wide");
//! let source = Source::new("a.toml", "width = 5000\n");
//! let d = Diagnostic::error(WIDE, "width is 5000, the limit is 4096").at(8..12, "here");
//! assert!(d.render(&source).contains("a.toml:1:9"));
//! assert_eq!(Rng::new(7).next_u64(), Rng::new(7).next_u64());
//! ```

pub mod diag;
pub mod limits;
pub mod name;
pub mod page;
mod render;
pub mod rng;
pub mod stall;
pub mod table;

pub use diag::{Code, Diagnostic, Diagnostics, Severity, Source};
pub use name::{Name, NAME_RULE};
pub use render::plain;
pub use rng::Rng;

/// Bits needed to tell `n` choices apart: ceil(log2(n)), and 0 when there is at most one.
pub fn choice_bits(n: usize) -> u32 {
    match n {
        0 | 1 => 0,
        _ => usize::BITS - (n - 1).leading_zeros(),
    }
}

/// The low `width` bits of `value`; widths of 64 and above leave it as it is.
pub fn truncate(value: u64, width: u32) -> u64 {
    if width >= 64 {
        value
    } else {
        value & ((1u64 << width) - 1)
    }
}

/// The greatest number that divides both; of 0 and a number that number.
pub fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 {
        a
    } else {
        gcd(b, a % b)
    }
}

/// `value`'s low `width` bits read as a two's complement number.
pub fn sign_extend(value: u64, width: u32) -> i64 {
    match width {
        0 => 0,
        1..=63 => ((value << (64 - width)) as i64) >> (64 - width),
        _ => value as i64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices() {
        let want = [(0, 0), (1, 0), (2, 1), (3, 2), (4, 2), (5, 3), (32, 5), (33, 6)];
        for (n, bits) in want {
            assert_eq!(choice_bits(n), bits, "{n}");
        }
    }

    #[test]
    fn extension() {
        assert_eq!(sign_extend(0x80, 8), -128);
        assert_eq!(sign_extend(0x7f, 8), 127);
        assert_eq!(sign_extend(u64::MAX, 64), -1);
        assert_eq!(truncate(0x1ff, 8), 0xff);
    }
}
