//! How a placement cools: by level the temperature, how many steps, how far moves go, and how much dearer they may make it.
//!
//! The same on any machine: of floating point only the operations that IEEE 754 fixes to the last bit.

use loom_base::Rng;

/// Levels of temperature.
const LEVELS: u64 = 128;
/// The part of the budget that a level takes where most placements end before the last one.
const SHARE: u64 = 96;
/// The temperature, for links and lengths of weight one, at which nothing happens any more: well below the smallest difference.
const COLD: f64 = 0.2;
/// The same as a part of the cost of an average wire (VPR, Betz and Rose 1997).
const COLD_WIRE: f64 = 0.005;
/// Of the cost of an average wire, the temperature at which a placement that is there is taken up again, and the tiles that a free
/// move may go then.
const WARM: f64 = 0.1;
const WARM_RANGE: f64 = 2.0;
/// Part of the moves that should be taken: the range shrinks while there are fewer.
const TAKEN: f64 = 0.44;
/// Part of the moves that is taken where it is hot enough to begin, how much hotter it gets while there are fewer, and how often.
const HOT: f64 = 0.6;
const HEATING: f64 = 2.0;
const MOST_HEATINGS: u64 = 24;

/// What a placement cools by.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Cooling {
    /// By equal ratios, over the whole budget: where a few items leave little choice, how many moves are taken says nothing.
    Even,
    /// By how many moves are taken, from hot.
    Adaptive,
    /// The same from a placement that is good already.
    Warm,
}

/// The level that a placement is at.
pub(super) struct Schedule {
    way: Cooling,
    steps: u64,
    /// Tiles from one end of the grid to the other.
    widest: f64,
    level: u64,
    /// None at all in the last level, which takes what is no dearer and nothing else.
    temperature: f64,
    range: f64,
    /// Between levels that cool evenly.
    ratio: f64,
    is_heating: bool,
}

impl Schedule {
    /// For so many steps of a placement whose wires cost so much on the average.
    pub fn new(way: Cooling, steps: u64, average: f64, widest: u64) -> Schedule {
        let widest = widest.max(1) as f64;
        let temperature = if way == Cooling::Warm { WARM * average } else { 2.0 + average };
        Schedule {
            way,
            steps,
            widest,
            level: 0,
            temperature,
            range: if way == Cooling::Warm { WARM_RANGE.min(widest) } else { widest },
            ratio: even_ratio(temperature),
            is_heating: way == Cooling::Adaptive,
        }
    }

    /// Whether there is a level left.
    pub fn goes_on(&self) -> bool {
        self.level < LEVELS
    }

    /// Whether it has not begun to cool: nothing stays where it is.
    pub fn is_heating(&self) -> bool {
        self.is_heating
    }

    /// Steps of this level.
    pub fn steps(&self) -> u64 {
        match self.way {
            Cooling::Even => self.steps * (self.level + 1) / LEVELS - self.steps * self.level / LEVELS,
            _ => self.steps / SHARE,
        }
    }

    /// Tiles that a free move may go: long moves while it is hot, neighbours when it is cold (VPR, Betz and Rose 1997).
    pub fn range(&self) -> u32 {
        self.range.max(1.0) as u32
    }

    /// What a move may add to the cost: dearer placements stay with a probability that falls with the difference (Metropolis 1953), which
    /// is the way out of a local minimum.
    pub fn lenience(&self, rng: &mut Rng) -> u64 {
        (self.temperature * minus_log(rng.unit())) as u64
    }

    /// On to the next level, after one in which such a part of the moves was taken, and whose wires cost so much on the average.
    pub fn cool(&mut self, taken: f64, average: f64) {
        self.level = if self.temperature == 0.0 { LEVELS } else { self.level + 1 };
        // What a start costs says little where costs grow with a power.
        self.is_heating &= taken < HOT && self.level <= MOST_HEATINGS;
        if self.is_heating {
            self.temperature *= HEATING;
        } else if self.way == Cooling::Even {
            self.temperature *= self.ratio;
            self.range = self.widest * (LEVELS - self.level) as f64 / LEVELS as f64;
        } else {
            self.range = (self.range * (1.0 - TAKEN + taken)).clamp(1.0, self.widest);
            self.temperature *= cooling(taken);
            if self.temperature < COLD_WIRE * average {
                self.temperature = 0.0;
            }
        }
    }
}

/// The ratio between levels that leads from a temperature to [`COLD`]; square roots are exact on every machine.
fn even_ratio(temperature: f64) -> f64 {
    let mut ratio = COLD / temperature;
    for _ in 0..LEVELS.ilog2() {
        ratio = ratio.sqrt();
    }
    ratio
}

/// By how much it cools after a level in which so many moves were taken (VPR, Betz and Rose 1997): slowly where most is decided.
fn cooling(accepted: f64) -> f64 {
    match accepted {
        a if a > 0.96 => 0.5,
        a if a > 0.8 => 0.9,
        a if a > 0.15 => 0.95,
        _ => 0.8,
    }
}

/// About `-ln(x)`, from square roots: `exp(-y)` is about `(1 - y / 64)^64`.
fn minus_log(x: f64) -> f64 {
    let mut root = x;
    for _ in 0..6 {
        root = root.sqrt();
    }
    64.0 * (1.0 - root)
}

#[cfg(test)]
mod tests {
    use super::minus_log;

    #[test]
    fn minus_log_is_close_to_it() {
        for i in 1..=1000 {
            let x = f64::from(i) / 1000.0;
            assert!((minus_log(x) + x.ln()).abs() <= 0.06 * -x.ln(), "{x}");
        }
    }
}
