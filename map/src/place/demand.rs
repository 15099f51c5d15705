//! Links as a limited good: what values ask of the FIFOs between tiles, against what there is.

use crate::model::tiles::Tiles;

/// Cost of a value's half perimeter: tiles across plus tiles along.
const BOX: u64 = 3;
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
    tiles: usize,
    pub nets: Vec<Net>,
    /// By item.
    pub nets_at: Vec<Vec<usize>>,
    /// By net.
    counted: Vec<Counted>,
    /// Weight of all this against registers and cycles; grows when routing fails.
    pub effort: u64,
    counters: Vec<Counter>,
    /// Whether values that pass a tile count: where nothing is short of links, that only costs registers.
    counts_passing: bool,
    columns: usize,
    cells: Vec<Cell>,
}

/// A value, as items that want it from one another.
#[derive(Clone)]
pub(super) struct Net {
    pub from: usize,
    /// Its uses, with whether a short recurrence runs along there.
    pub to: Vec<(usize, bool)>,
    /// The wire to its first use; those to the others follow.
    pub first_wire: usize,
}

/// Where a position is.
#[derive(Clone, Copy)]
pub(super) struct Spot {
    pub x: i32,
    pub y: i32,
    /// Ports of the fabric lie in no tile: their links are not contended for.
    pub tile: Option<u32>,
}

impl Spot {
    /// That of a position.
    pub fn at(tiles: &Tiles, position: usize) -> Spot {
        let (x, y) = tiles.grid[position];
        Spot { x, y, tile: tiles.of.get(position).map(|&t| t as u32) }
    }
}

/// Links that values want.
#[derive(Clone, Copy)]
struct Counter {
    /// How many there are.
    capacity: u32,
    wanted: u32,
    /// Cost of a first one too many.
    weight: u64,
}

/// What may pass a cell of the grid, and what does, in sixteenths of a value.
#[derive(Clone, Copy)]
struct Cell {
    room: u64,
    passing: u64,
}

/// What a net is counted for.
#[derive(Clone, Default)]
pub(super) struct Counted {
    /// The counters it is in, each once, in order.
    pub list: Vec<u32>,
    /// The corners of the cells between its ends.
    pub corners: Corners,
    /// Its cost for length.
    pub length: u64,
}

/// The lowest and the highest cell of a box.
pub(super) type Corners = ((i32, i32), (i32, i32));

impl Demand {
    pub fn new(tiles: &Tiles, items: usize) -> Demand {
        let pairs = tiles.count * tiles.count;
        let counter = |(c, &capacity): (usize, &u64)| {
            let weight = match c {
                _ if c < pairs => OVERFLOW,
                _ if c < pairs + 2 * tiles.count => OVERFLOW_TILE,
                _ => OVERFLOW_TIGHT,
            };
            Counter { capacity: u32::try_from(capacity).unwrap_or(u32::MAX), wanted: 0, weight }
        };
        Demand {
            tiles: tiles.count,
            nets: Vec::new(),
            nets_at: vec![Vec::new(); items],
            counted: Vec::new(),
            effort: 1,
            counters: tiles.capacity.iter().enumerate().map(counter).collect(),
            counts_passing: false,
            columns: tiles.columns,
            cells: tiles.entering.iter().map(|n| Cell { room: n * COUNTED_ON, passing: 0 }).collect(),
        }
    }

    /// The same with other weights.
    pub fn weighted(&self, effort: u64, counts_passing: bool) -> Demand {
        Demand { effort, counts_passing, ..self.clone() }
    }

    /// Where values from one tile to another are counted: by the pair, among those that leave the one, and that enter the other. The
    /// counters lie one behind the other: by pair of tiles, leaving a tile, entering one, tight ones by pair.
    fn between(&self, from: usize, to: usize) -> [usize; 3] {
        let pairs = self.tiles * self.tiles;
        [from * self.tiles + to, pairs + from, pairs + self.tiles + to]
    }

    /// Takes away a link between two tiles, one that values want from each other.
    pub fn take(&mut self, from: usize, to: usize) {
        for c in self.between(from, to) {
            self.counters[c].capacity = self.counters[c].capacity.saturating_sub(1);
        }
    }

    /// Adds a net, whose demand is counted from then on.
    pub fn push(&mut self, net: Net) {
        self.nets.push(net);
        self.counted.push(Counted::default());
    }

    /// What a net asks for, given where items are, and the registers on each wire.
    pub fn ask(&self, net: usize, at: &[Spot], registers: &[u64], mut list: Vec<u32>) -> Counted {
        list.clear();
        let Net { from, to, first_wire } = &self.nets[net];
        let (from, tight_ones) = (at[*from], self.tiles * self.tiles + 2 * self.tiles);
        let (mut low, mut high) = ((from.x, from.y), (from.x, from.y));
        for (&(sink, tight), &registers) in to.iter().zip(&registers[*first_wire..]) {
            let to = at[sink];
            low = (low.0.min(to.x), low.1.min(to.y));
            high = (high.0.max(to.x), high.1.max(to.y));
            let (Some(a), Some(b)) = (from.tile, to.tile) else { continue };
            let [pair, leaving, entering] = self.between(a as usize, b as usize).map(|c| c as u32);
            if registers == 1 {
                list.push(pair);
                if tight {
                    list.push(tight_ones as u32 + pair);
                }
            }
            if a != b {
                list.extend([leaving, entering]);
            }
        }
        // One channel carries a value to all its uses in a tile.
        list.sort_unstable();
        list.dedup();
        // Half the perimeter, corrected for many ends.
        let perimeter = (high.0.abs_diff(low.0) + high.1.abs_diff(low.1)) as u64;
        let length = self.effort * BOX * perimeter * ends_weight(to.len()) / 16;
        Counted { list, corners: (low, high), length }
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

    /// Counts a net for what it was counted for, where nobody asks what that costs; the list that is counted no longer.
    pub fn restore(&mut self, net: usize, before: Counted) -> Vec<u32> {
        let after = std::mem::replace(&mut self.counted[net], before);
        let before = &self.counted[net];
        if before.list != after.list {
            after.list.iter().for_each(|&c| self.counters[c as usize].wanted -= 1);
            before.list.iter().for_each(|&c| self.counters[c as usize].wanted += 1);
        }
        if self.counts_passing && before.corners != after.corners {
            let corners = before.corners;
            let amount = self.amount(net, after.corners);
            self.covered(after.corners).for_each(|cell| cell.passing -= amount);
            let amount = self.amount(net, corners);
            self.covered(corners).for_each(|cell| cell.passing += amount);
        }
        after.list
    }

    /// What a net adds to each cell of its box: as many hops as half the perimeter, more where there are many ends.
    fn amount(&self, net: usize, (low, high): Corners) -> u64 {
        let (wide, high_by) = (high.0.abs_diff(low.0) as u64 + 1, high.1.abs_diff(low.1) as u64 + 1);
        (wide + high_by - 2) * ends_weight(self.nets[net].to.len()) / (wide * high_by)
    }

    /// The cells of a box.
    fn covered(&mut self, (low, high): Corners) -> impl Iterator<Item = &mut Cell> {
        let rows = self.cells.chunks_mut(self.columns).take(high.1 as usize + 1).skip(low.1 as usize);
        rows.flat_map(move |row| &mut row[low.0 as usize..=high.0 as usize])
    }

    /// Adds a net to the cells of its box or takes it away; the cost that comes or goes.
    fn pass(&mut self, net: usize, corners: Corners, add: bool) -> u64 {
        let amount = self.amount(net, corners);
        if amount == 0 {
            return 0;
        }
        let mut cost = 0;
        for cell in self.covered(corners) {
            // Divided apart, so that what comes is what goes.
            let square = |d: u64| d.saturating_sub(cell.room).pow(2) * OVERFLOW_CELL / 256;
            let (less, more) = match add {
                true => (cell.passing, cell.passing + amount),
                false => (cell.passing - amount, cell.passing),
            };
            cost += square(more) - square(less);
            cell.passing = if add { more } else { less };
        }
        self.effort * cost
    }

    /// Adds or takes away one for each counter of a net; returns the cost that comes or goes.
    fn count(&mut self, list: &[u32], add: bool) -> u64 {
        let mut cost = 0;
        for &c in list {
            let counter = &mut self.counters[c as usize];
            // Adding and taking away go through the same two counts, so they cancel exactly.
            let high = counter.wanted + u32::from(add);
            let over = u64::from(high.saturating_sub(counter.capacity));
            // The difference of two squares.
            cost += counter.weight * (2 * over).saturating_sub(1);
            counter.wanted = high - u32::from(!add);
        }
        self.effort * cost
    }
}

/// In sixteenths, how much longer a tree of many ends is than half its box: by a sixteenth for each end beyond three.
fn ends_weight(ends: usize) -> u64 {
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
