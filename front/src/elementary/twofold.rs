//! Numbers as the sum of two doubles, some 100 bits: what coefficients of formulas in double precision are computed in.
//!
//! Sums and products are those of Dekker (1971) and Knuth; the error is a few units of 2^-104. Only sums and products of doubles are
//! taken, so the bits are the same on every machine (D12). Nothing is promised of infinities and NaNs.

use std::ops::{Add, Div, Mul, Sub};

/// `high + low`, where `high` is the nearest double.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Twofold {
    /// The nearest double.
    pub high: f64,
    /// The rest.
    pub low: f64,
}

impl Twofold {
    /// The sum of two doubles, the first of which is not smaller.
    fn of_sum(large: f64, small: f64) -> Twofold {
        let high = large + small;
        Twofold { high, low: small - (high - large) }
    }

    /// A whole number by another one.
    pub fn ratio(numerator: f64, denominator: f64) -> Twofold {
        Twofold::from(numerator) / Twofold::from(denominator)
    }
}

impl From<f64> for Twofold {
    fn from(high: f64) -> Twofold {
        Twofold { high, low: 0.0 }
    }
}

impl Add for Twofold {
    type Output = Twofold;

    fn add(self, other: Twofold) -> Twofold {
        let high = self.high + other.high;
        let of_other = high - self.high;
        let lost = (self.high - (high - of_other)) + (other.high - of_other);
        Twofold::of_sum(high, lost + (self.low + other.low))
    }
}

impl Sub for Twofold {
    type Output = Twofold;

    fn sub(self, other: Twofold) -> Twofold {
        self + Twofold { high: -other.high, low: -other.low }
    }
}

impl Mul for Twofold {
    type Output = Twofold;

    fn mul(self, other: Twofold) -> Twofold {
        let high = self.high * other.high;
        let lost = libm::fma(self.high, other.high, -high);
        Twofold::of_sum(high, lost + (self.high * other.low + self.low * other.high))
    }
}

impl Div for Twofold {
    type Output = Twofold;

    fn div(self, other: Twofold) -> Twofold {
        let mut rest = self;
        let mut quotient = Twofold::from(0.0);
        for _ in 0..3 {
            let part = Twofold::from(rest.high / other.high);
            rest = rest - part * other;
            quotient = quotient + part;
        }
        quotient
    }
}
