//! Quotients by a literal as a product and a shift, where the numbers are small enough for the words there are.
//!
//! What is multiplied with is 2^p over the divisor, rounded up (Granlund and Montgomery, 1994) or, with the dividend raised by
//! one, down (Robison, 2005). Over all dividends that there may be the error stays below what changes a quotient, which is what the search for p
//! asks, and the product within its words: so every quotient is exact. Nothing here looks at the program but for how large a number may be.

/// A product and a shift in the place of a division.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Magic {
    /// What is multiplied with.
    pub factor: u64,
    /// By how much the product is shifted down.
    pub shift: u32,
    /// Whether the dividend is one more.
    pub raised: bool,
}

impl Magic {
    /// That of a divisor, for dividends of 0 to `most` and products below 2^`bits`. With `signed` the dividend may as well be negative, as
    /// far as `-most`; the product shifted down is then one less than the quotient.
    pub fn find(divisor: u64, most: u64, bits: u32, signed: bool) -> Option<Magic> {
        let (divisor, most) = (u128::from(divisor), u128::from(most));
        let up = |shift: u32| {
            let factor = (1u128 << shift) / divisor + 1;
            let error = factor * divisor - (1 << shift);
            let fits = error.checked_mul(most)? < 1 << shift && factor.checked_mul(most)? < 1 << bits;
            fits.then_some(Magic { factor: factor.try_into().ok()?, shift, raised: false })
        };
        let down = |shift: u32| {
            let factor = (1u128 << shift) / divisor;
            let error = (1 << shift) - factor * divisor;
            let fits = error > 0
                && error.checked_mul(most + 1)? <= 1 << shift
                && factor.checked_mul(most + 1)? < 1 << bits;
            fits.then_some(Magic { factor: factor.try_into().ok()?, shift, raised: true })
        };
        let found = (0..bits).find_map(up);
        found.or_else(|| (0..bits).find_map(down).filter(|_| !signed))
    }
}

#[cfg(test)]
mod tests {
    use super::Magic;

    fn quotient(magic: Magic, n: i128) -> i128 {
        ((n + i128::from(magic.raised)) * i128::from(magic.factor)) >> magic.shift
    }

    #[test]
    fn each_small_dividend_has_its_quotient() {
        for divisor in (3..1000).chain([1023, 4097, 32767, 40000, 65535, 65536]) {
            let d = i128::from(divisor);
            for (most, bits) in [(255, 32), (65535, 32), (65535, 64)] {
                let Some(magic) = Magic::find(divisor, most, bits, false) else { continue };
                for n in 0..=i128::from(most) {
                    assert_eq!(quotient(magic, n), n / d, "{n} / {divisor}: {magic:?}");
                }
            }
            let Some(magic) = Magic::find(divisor, 1 << 15, 31, true) else { continue };
            for n in -(1 << 15)..1 << 15 {
                assert_eq!(quotient(magic, n) + i128::from(n < 0), n / d, "{n} / {divisor}: {magic:?}");
            }
        }
    }

    /// Where quotients change, which is where an error would show first.
    #[test]
    fn each_divisor_of_32_bits_has_a_product_of_64() {
        let near = |k: u32| [(1u64 << k) - 1, (1 << k) + 1];
        let divisors = (2..31).flat_map(near).chain([3, 5, 7, 10, 60, 641, 1_000_000_007, (1 << 31) - 1]);
        for divisor in divisors.chain([(1 << 31) + 1, u64::from(u32::MAX)]).filter(|&d| d > 2) {
            let d = i128::from(divisor);
            let magic = Magic::find(divisor, u32::MAX.into(), 64, false).expect("one for each");
            let last = i128::from(u32::MAX) / d;
            for q in [0, 1, 2, last / 3, last / 2, last - 1, last] {
                for n in [q * d - 1, q * d, q * d + d - 1].map(|n| n.clamp(0, u32::MAX.into())) {
                    assert_eq!(quotient(magic, n), n / d, "{n} / {divisor}: {magic:?}");
                }
            }
            if divisor >= 1 << 31 {
                continue;
            }
            let magic = Magic::find(divisor, 1 << 31, 63, true).expect("one for each");
            let last = (1i128 << 31) / d;
            for q in [-last, -last / 2, -1, 0, 1, last / 2, last] {
                for n in [q * d - 1, q * d, q * d + 1].map(|n| n.clamp(-1 << 31, (1 << 31) - 1)) {
                    assert_eq!(quotient(magic, n) + i128::from(n < 0), n / d, "{n} / {divisor}: {magic:?}");
                }
            }
        }
    }
}
