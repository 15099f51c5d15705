//! A bipartite matching that grows by one guest after the other (Kuhn): each gets one of the seats that will do, others move on.
//!
//! Guarantees: a guest is seated exactly where all that were seated before and this one can sit at once, whichever seats they have. The
//! search is breadth first and in the order of what is wanted. A guest that finds none stays without; nobody is sent away.

/// Seats and guests.
pub struct Seats {
    /// By guest: the seats that will do.
    wanted: Vec<Vec<usize>>,
    /// By guest: which of these it has.
    chosen: Vec<Option<usize>>,
    /// By seat: who has it.
    owner: Vec<Option<usize>>,
    /// Seats whose owners cannot move on: no later search ends there, so none looks at them again.
    full: Vec<bool>,
}

impl Seats {
    /// So many seats, all free.
    pub fn new(seats: usize) -> Seats {
        Seats { wanted: Vec::new(), chosen: Vec::new(), owner: vec![None; seats], full: vec![false; seats] }
    }

    /// The next guest; whether it has a seat.
    pub fn seat(&mut self, wanted: Vec<usize>) -> bool {
        let start = self.wanted.len();
        self.wanted.push(wanted);
        self.chosen.push(None);
        // Whoever has a seat already may have to move on to another one so that this guest gets one: alternating paths.
        let mut seen = self.full.clone();
        let mut from: Vec<Option<(usize, usize)>> = vec![None; self.owner.len()];
        let mut guests = vec![start];
        let mut end = None;
        let mut head = 0;
        'search: while head < guests.len() {
            let guest = guests[head];
            head += 1;
            for (option, &seat) in self.wanted[guest].iter().enumerate() {
                if seen[seat] {
                    continue;
                }
                // How the search came here: the path is turned around from its end.
                seen[seat] = true;
                from[seat] = Some((guest, option));
                match self.owner[seat] {
                    None => {
                        end = Some(seat);
                        break 'search;
                    }
                    Some(next) => guests.push(next),
                }
            }
        }
        let Some(mut seat) = end else {
            self.full = seen;
            return false;
        };
        loop {
            // Each guest on the path moves on to the seat after it, which leaves its own to the one before.
            let (guest, option) = from[seat].expect("the path was recorded");
            self.owner[seat] = Some(guest);
            match self.chosen[guest].replace(option) {
                Some(before) if guest != start => seat = self.wanted[guest][before],
                _ => return true,
            }
        }
    }

    /// Which of the seats that it wants a guest has.
    pub fn chosen(&self, guest: usize) -> Option<usize> {
        self.chosen[guest]
    }

    /// The guests that keep seats which those without want, and can have no other.
    pub fn keeping(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.full.len()).filter(|&seat| self.full[seat]).filter_map(|seat| self.owner[seat])
    }
}

#[cfg(test)]
mod tests {
    use super::Seats;
    use loom_base::Rng;

    /// The most guests of a set that can sit at once, by trying all.
    fn most(wanted: &[Vec<usize>], taken: &mut Vec<usize>) -> usize {
        let Some((first, rest)) = wanted.split_first() else { return 0 };
        let mut best = most(rest, taken);
        for &seat in first {
            if !taken.contains(&seat) {
                taken.push(seat);
                best = best.max(1 + most(rest, taken));
                taken.pop();
            }
        }
        best
    }

    #[test]
    fn as_many_sit_as_can() {
        let mut rng = Rng::new(5);
        let mut refused = 0;
        for _ in 0..400 {
            let count = 1 + rng.below(5);
            let mut seats = Seats::new(count);
            let mut wanted: Vec<Vec<usize>> = Vec::new();
            let mut sitting: Vec<Vec<usize>> = Vec::new();
            for _ in 0..6 {
                let some: Vec<usize> = (0..count).filter(|_| rng.chance(40)).collect();
                sitting.push(some.clone());
                wanted.push(some.clone());
                let fits = most(&sitting, &mut Vec::new()) == sitting.len();
                assert_eq!(seats.seat(some), fits);
                if !fits {
                    sitting.pop();
                    refused += 1;
                }
            }
            let has = |guest: usize| seats.chosen(guest).map(|option| wanted[guest][option]);
            let mut taken: Vec<usize> = (0..wanted.len()).filter_map(has).collect();
            taken.sort_unstable();
            taken.dedup();
            assert_eq!(taken.len(), sitting.len(), "each has a seat of its own");
        }
        assert!(refused > 400, "{refused}");
    }
}
