//! Delays of a component, from each class of its inputs to each class of its outputs.
//!
//! The classes are `k` the clock, `c` the configuration, `v` valid, `l` and `h` the lowest and the highest bit of data, `r` ready, and
//! among the ends `s`, a register with its setup time. Two bits stand for data because carries run up a word and shifts down: a
//! chain of sums is shorter than the sum of its parts.

/// Where arcs begin.
pub const FROM: [char; 6] = ['k', 'c', 'v', 'l', 'h', 'r'];
/// Where they end.
pub const TO: [char; 5] = ['v', 'l', 'h', 'r', 's'];

/// From the clock to the output of a stage's register, where nothing was measured.
pub(super) const CLOCK_TO_OUTPUT: u32 = 700;
/// Setup of a register, likewise.
pub(super) const SETUP: u32 = 300;

/// Picoseconds by arc; none where no path is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arcs([[Option<u32>; 5]; 6]);

fn places(from: char, to: char) -> Option<(usize, usize)> {
    Some((FROM.iter().position(|&c| c == from)?, TO.iter().position(|&c| c == to)?))
}

impl Arcs {
    /// From a table's row; names are `v>r`.
    pub fn of(rows: &[(&str, u32)]) -> Arcs {
        let mut arcs = Arcs::default();
        for (name, ps) in rows {
            if let [from, '>', to] = name.chars().collect::<Vec<_>>()[..] {
                arcs.set(from, to, Some(*ps));
            }
        }
        arcs
    }

    /// The delay of an arc.
    pub fn get(&self, from: char, to: char) -> Option<u32> {
        let (a, b) = places(from, to)?;
        self.0[a][b]
    }

    /// Sets the delay of an arc.
    pub fn set(&mut self, from: char, to: char, ps: Option<u32>) {
        if let Some((a, b)) = places(from, to) {
            self.0[a][b] = ps;
        }
    }

    /// The larger delay of each arc.
    pub fn max(&mut self, other: &Arcs) {
        for (row, more) in self.0.iter_mut().zip(&other.0) {
            for (a, b) in row.iter_mut().zip(more) {
                *a = (*a).max(*b);
            }
        }
    }

    /// Arc by arc; one that either lacks is the other's.
    pub(super) fn zip(&self, other: &Arcs, both: impl Fn(u32, u32) -> u32) -> Arcs {
        let mut arcs = Arcs::default();
        for (row, (a, b)) in arcs.0.iter_mut().zip(self.0.iter().zip(&other.0)) {
            for (to, (a, b)) in row.iter_mut().zip(a.iter().zip(b)) {
                *to = a.zip(*b).map(|(a, b)| both(a, b)).or(*a).or(*b);
            }
        }
        arcs
    }

    /// The longest way of data through.
    pub(super) fn longest_data(&self) -> u32 {
        let arcs = ["ll", "lh", "hl", "hh"].map(|a| self.get(a.as_bytes()[0].into(), a.as_bytes()[1].into()));
        arcs.into_iter().flatten().max().unwrap_or(0)
    }

    /// The same with all data so late.
    pub(super) fn with_data(mut self, ps: u32) -> Arcs {
        for from in ['l', 'h'] {
            for to in ['l', 'h'] {
                self.set(from, to, Some(ps));
            }
        }
        self
    }

    /// With registers between the inputs and the outputs: data come so long after the clock, inputs must come so long before it.
    pub(super) fn registered(mut self, clock: u32, setup: u32) -> Arcs {
        for from in ['v', 'l', 'h'] {
            for to in ['v', 'l', 'h'] {
                self.set(from, to, None);
            }
            self.set(from, 's', Some(if from == 'v' { SETUP } else { setup }));
        }
        for to in ['l', 'h'] {
            self.set('k', to, Some(clock));
        }
        self.set('k', 'v', Some(CLOCK_TO_OUTPUT));
        self
    }
}
