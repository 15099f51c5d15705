//! The project's own random generator, so that one seed means one sequence on every machine and for ever.
//!
//! splitmix64 (Steele, Lea, Flood 2014): one 64-bit state, any seed is good, and two generators split from one
//! parent do not overlap in practice. Not for cryptography.

/// A deterministic random generator.
#[derive(Clone, Debug)]
pub struct Rng {
    state: u64,
}

/// One splitmix64 step as a pure function: a good 64-bit mix of its argument.
pub fn mix(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

impl Rng {
    /// A generator whose whole sequence is decided by `seed`.
    pub fn new(seed: u64) -> Self {
        Rng { state: seed }
    }

    /// The next 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        let out = mix(self.state);
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        out
    }

    /// A number in `0..n`; 0 when `n` is 0. The bias of the multiplication method is below 2^-32 here.
    pub fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.next_u64()) * n as u128) >> 64) as usize
    }

    /// A number in `low..=high`.
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        low + self.below((high - low + 1) as usize) as i64
    }

    /// True with probability `percent` in a hundred.
    pub fn chance(&mut self, percent: u32) -> bool {
        self.below(100) < percent as usize
    }

    /// A number in [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// One element of a slice that is not empty.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    /// Fisher-Yates.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }

    /// A generator of its own for a sub-task, without disturbing what this one draws next but by one step.
    pub fn split(&mut self) -> Rng {
        Rng::new(mix(self.next_u64()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequence_is_fixed() {
        let mut rng = Rng::new(1);
        let first: Vec<u64> = (0..3).map(|_| rng.next_u64()).collect();
        assert_eq!(first, [10451216379200822465, 13757245211066428519, 17911839290282890590]);
    }

    #[test]
    fn below_stays_below() {
        let mut rng = Rng::new(3);
        for n in 1..50 {
            assert!((0..100).all(|_| rng.below(n) < n));
        }
        assert_eq!(rng.below(0), 0);
    }
}
