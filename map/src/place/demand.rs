//! Links as a limited good: what values ask of the FIFOs between tiles, against what there is.

use crate::model::tiles::Tiles;

/// Cost of a first value too many on the links between two tiles; it grows with the square.
const OVERFLOW: u64 = 100;
/// The same on all links of a tile in one direction.
const OVERFLOW_TILE: u64 = 30;
/// The same for a value of a short recurrence too many on the links between two tiles: the detour makes it slower.
const OVERFLOW_TIGHT: u64 = 3000;
/// The same for a value too many that passes through a tile.
const OVERFLOW_CELL: u64 = 100;
/// Of the links into a tile, how many a placement counts on, in sixteenths: the router does not find ways for all.
const COUNTED_ON: u64 = 11;

/// Values between tiles, against the FIFOs that could carry them.
///
/// Counters: for each pair of tiles the values that are one register apart there, for each tile the values that leave
/// it, and those that enter it; and again for each pair the values of short recurrences. Besides, each value is spread evenly
/// over the cells of the grid between its ends, as one that passes them (RUDY, Spindler and Johannes 2007).
#[derive(Clone)]
pub(super) struct Demand {
    pub tiles: usize,
    /// By PE position: its tile.
    pub tile: Vec<usize>,
    /// Producer and consumers of each value, as items, with whether a short recurrence runs along there.
    pub nets: Vec<(usize, Vec<(usize, bool)>)>,
    /// By item.
    pub nets_at: Vec<Vec<usize>>,
    /// By net.
    pub counted: Vec<Counted>,
    /// By position: place on the grid.
    pub grid: Vec<(i32, i32)>,
    /// Weight of all this against registers and cycles; grows when routing fails.
    pub effort: u64,
    /// By counter: what there is, and what is asked for.
    pub capacity: Vec<u64>,
    pub wanted: Vec<u64>,
    /// Whether values that pass a tile count: where nothing is short of links, that only costs registers.
    pub counts_passing: bool,
    pub columns: usize,
    /// By cell, in sixteenths of a value: what may pass, and what does.
    pub room: Vec<u64>,
    pub passing: Vec<u64>,
}

/// What a net is counted for.
#[derive(Clone, Default)]
pub(super) struct Counted {
    /// The counters it is in, each once, in order.
    pub list: Vec<usize>,
    /// The corners of the cells between its ends.
    pub corners: Corners,
    /// Its cost for length.
    pub length: u64,
}

/// The lowest and the highest cell of a box.
pub(super) type Corners = ((i32, i32), (i32, i32));

impl Demand {
    pub fn new(tiles: &Tiles, items: usize) -> Demand {
        Demand {
            tiles: tiles.count,
            tile: tiles.of.clone(),
            nets: Vec::new(),
            nets_at: vec![Vec::new(); items],
            counted: Vec::new(),
            grid: tiles.grid.clone(),
            effort: 1,
            wanted: vec![0; tiles.capacity.len()],
            capacity: tiles.capacity.clone(),
            counts_passing: false,
            columns: tiles.columns,
            room: tiles.entering.iter().map(|n| n * COUNTED_ON).collect(),
            passing: vec![0; tiles.entering.len()],
        }
    }

    /// Where values from one tile to another are counted: by the pair, among those that leave the one, and that enter the other. The
    /// counters lie one behind the other: by pair of tiles, leaving a tile, entering one, tight ones by pair.
    pub fn counters(&self, from: usize, to: usize) -> [usize; 3] {
        let pairs = self.tiles * self.tiles;
        [from * self.tiles + to, pairs + from, pairs + self.tiles + to]
    }

    /// Takes away a link between two tiles, one that values want from each other.
    pub fn take(&mut self, from: usize, to: usize) {
        for counter in self.counters(from, to) {
            self.capacity[counter] = self.capacity[counter].saturating_sub(1);
        }
    }

    /// Adds a net, whose demand is counted from then on.
    pub fn push(&mut self, from: usize, to: Vec<(usize, bool)>) {
        self.nets.push((from, to));
        self.counted.push(Counted::default());
    }

    /// Counts a net for something else: what it was counted for, the cost that goes and the one that comes.
    pub fn count_net(&mut self, net: usize, counted: Counted) -> (Counted, u64, u64) {
        let before = std::mem::replace(&mut self.counted[net], counted);
        let (mut goes, mut comes) = (before.length, self.counted[net].length);
        // Most moves leave most nets in the same counters.
        if before.list != self.counted[net].list {
            goes += self.count(&before.list, false);
            let list = std::mem::take(&mut self.counted[net].list);
            comes += self.count(&list, true);
            self.counted[net].list = list;
        }
        let corners = self.counted[net].corners;
        if self.counts_passing && before.corners != corners {
            goes += self.pass(net, before.corners, false);
            comes += self.pass(net, corners, true);
        }
        (before, goes, comes)
    }

    /// Counts a net for what it was counted for; the list that is counted no longer.
    pub fn restore(&mut self, net: usize, before: Counted) -> Vec<usize> {
        self.count_net(net, before).0.list
    }

    /// Adds a net to the cells of its box or takes it away; the cost that comes or goes.
    fn pass(&mut self, net: usize, (low, high): Corners, add: bool) -> u64 {
        let (wide, high_by) = (high.0.abs_diff(low.0) as u64 + 1, high.1.abs_diff(low.1) as u64 + 1);
        // As many hops as half the perimeter, more where there are many ends.
        let amount = (wide + high_by - 2) * ends_weight(self.nets[net].1.len()) / (wide * high_by);
        let mut cost = 0;
        if amount == 0 {
            return cost;
        }
        for y in low.1..=high.1 {
            for x in low.0..=high.0 {
                let cell = y as usize * self.columns + x as usize;
                let (room, before) = (self.room[cell], self.passing[cell]);
                let after = if add { before + amount } else { before - amount };
                self.passing[cell] = after;
                let square = |d: u64| d.saturating_sub(room) * d.saturating_sub(room);
                // Divided apart, so that what comes is what goes.
                cost += (square(before.max(after)) * OVERFLOW_CELL / 256)
                    - (square(before.min(after)) * OVERFLOW_CELL / 256);
            }
        }
        self.effort * cost
    }

    /// Adds or takes away one for each counter of a net; returns the cost that comes or goes.
    fn count(&mut self, counters: &[usize], add: bool) -> u64 {
        let mut cost = 0;
        let pairs = self.tiles * self.tiles;
        for &c in counters {
            // Adding and taking away go through the same two counts, so they cancel exactly.
            let high = if add { self.wanted[c] + 1 } else { self.wanted[c] };
            let over = high.saturating_sub(self.capacity[c]);
            // The difference of two squares.
            let weight = match c {
                _ if c < pairs => OVERFLOW,
                _ if c < pairs + 2 * self.tiles => OVERFLOW_TILE,
                _ => OVERFLOW_TIGHT,
            };
            cost += self.effort * weight * (2 * over).saturating_sub(1);
            self.wanted[c] = if add { high } else { high - 1 };
        }
        cost
    }
}

/// In sixteenths, how much longer a tree of many ends is than half its box: by a sixteenth for each end beyond three.
pub(super) fn ends_weight(ends: usize) -> u64 {
    16 + ends.saturating_sub(3) as u64
}

#[cfg(test)]
mod tests {
    use super::Demand;
    use crate::model::tiles::Tiles;

    /// Two values between two tiles with two links cost nothing, and something when one link is not counted on.
    #[test]
    fn a_link_that_is_taken_away_is_missed() {
        let tiles =
            Tiles { count: 2, capacity: [vec![2; 4], vec![2; 4], vec![2; 4]].concat(), ..Tiles::default() };
        let from_0_to_1 = [1, 4, 7];
        let cost = |taken: usize| {
            let mut demand = Demand::new(&tiles, 0);
            (0..taken).for_each(|_| demand.take(0, 1));
            demand.count(&from_0_to_1, true) + demand.count(&from_0_to_1, true)
        };
        assert_eq!(cost(0), 0);
        assert!(0 < cost(1) && cost(1) < cost(2) && cost(2) == cost(9));
    }
}
