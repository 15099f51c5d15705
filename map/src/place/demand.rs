//! Links as a limited good: what values ask of the FIFOs between tiles, against what there is.

use crate::model::tiles::Tiles;

/// Cost of a first value too many on the links between two tiles; it grows with the square.
const OVERFLOW: u64 = 100;
/// The same on all links of a tile in one direction.
const OVERFLOW_TILE: u64 = 30;
/// The same for a value of a short recurrence too many on the links between two tiles: the detour makes it slower.
const OVERFLOW_TIGHT: u64 = 3000;

/// Values between tiles, against the FIFOs that could carry them.
///
/// Counters: for each pair of tiles the values that are one register apart there, for each tile the values that leave
/// it, and those that enter it; and again for each pair the values of short recurrences.
pub(super) struct Demand {
    pub tiles: usize,
    /// By PE position: its tile.
    pub tile: Vec<usize>,
    /// Producer and consumers of each value, as items, with whether a short recurrence runs along there.
    pub nets: Vec<(usize, Vec<(usize, bool)>)>,
    /// By item.
    pub nets_at: Vec<Vec<usize>>,
    /// By net: the counters it is in.
    pub taken: Vec<Vec<usize>>,
    /// By net: its cost for length.
    pub length: Vec<u64>,
    /// By position: place on the grid.
    pub grid: Vec<(i32, i32)>,
    /// Weight of all this against registers and cycles; grows when routing fails.
    pub effort: u64,
    /// By counter: what there is, and what is asked for.
    pub capacity: Vec<u64>,
    pub wanted: Vec<u64>,
}

impl Demand {
    pub fn new(tiles: &Tiles, items: usize, effort: u64) -> Demand {
        Demand {
            tiles: tiles.count,
            tile: tiles.of.clone(),
            nets: Vec::new(),
            nets_at: vec![Vec::new(); items],
            taken: Vec::new(),
            length: Vec::new(),
            grid: tiles.grid.clone(),
            effort,
            wanted: vec![0; tiles.capacity.len()],
            capacity: tiles.capacity.clone(),
        }
    }

    /// Adds or takes away one for each counter; returns the cost that comes or goes.
    pub fn count(&mut self, counters: &[usize], add: bool) -> u64 {
        let mut cost = 0;
        for &c in counters {
            // Adding and taking away go through the same two counts, so they cancel exactly.
            let high = if add { self.wanted[c] + 1 } else { self.wanted[c] };
            let over = high.saturating_sub(self.capacity[c]);
            // The difference of two squares.
            let pairs = self.tiles * self.tiles;
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
