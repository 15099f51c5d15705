//! A fabric in tiles: where positions lie, and how many values the FIFOs between two tiles can carry.

use super::site::Site;
use loom_adg::{Cells, ChannelId, Component, ComponentId, Fabric, FlatChannel, SinkPort, SourcePort};

/// Tiles, as many as the fabric's topology repeats.
///
/// Capacities are counters: for each pair of tiles the FIFOs that lead from one to the other; for each tile those that
/// leave it, then those that enter it; and once more for each pair.
#[derive(Clone, Debug, Default)]
pub struct Tiles {
    /// How many.
    pub count: usize,
    /// By site: its tile.
    pub of: Vec<usize>,
    /// By channel: the tiles that it leads from and to, where they are two.
    pub between: Vec<Option<(usize, usize)>>,
    /// By position (sites, fabric inputs, fabric outputs): place on the grid.
    pub grid: Vec<(i32, i32)>,
    /// By counter.
    pub capacity: Vec<u64>,
    /// Columns of the grid.
    pub columns: usize,
    /// By cell of the grid, row by row: FIFOs that lead into what stands there from elsewhere.
    pub entering: Vec<u64>,
}

/// Most cells of a grid; what is spread wider lies in one.
const MOST_CELLS: usize = 1 << 20;

impl Tiles {
    /// Counts them.
    pub(super) fn new(fabric: &Fabric, sites: &[Site]) -> Tiles {
        let flat = fabric.flat();
        let mut ids: Vec<usize> = flat.components.iter().map(|c| c.top_instance).collect();
        ids.sort_unstable();
        ids.dedup();
        let tile_of = |id: ComponentId| ids.binary_search(&flat.at(id).top_instance).expect("listed");
        let count = ids.len();
        let mut capacity = vec![0; count * count + 2 * count];
        let cells = Cells::of(fabric);
        let grid = if cells.count() <= MOST_CELLS { cells } else { cells.around((0, 0), 1) };
        let mut entering = vec![0; grid.count()];
        let cell = |id: ComponentId| {
            let (x, y) = grid.place(flat.at(id).position);
            y as usize * grid.columns() + x as usize
        };
        for id in flat.ids().filter(|&id| matches!(fabric.component(id), Component::Fifo(_))) {
            // A FIFO between two components carries values from the tile of the one to the tile of the other.
            let (Some(i), Some(o)) = (flat.at(id).inputs[0], flat.at(id).outputs[0]) else { continue };
            if let (SourcePort::Port(a, _), SinkPort::Port(b, _)) =
                (flat.channel(i).source, flat.channel(o).sink)
            {
                if cell(a) != cell(b) {
                    entering[cell(b)] += 1;
                }
                let (a, b) = (tile_of(a), tile_of(b));
                capacity[a * count + b] += 1;
                if a != b {
                    capacity[count * count + a] += 1;
                    capacity[count * count + count + b] += 1;
                }
            }
        }
        capacity.extend_from_within(..count * count);
        let between = |channel: &FlatChannel| match (channel.source, channel.sink) {
            (SourcePort::Port(a, _), SinkPort::Port(b, _)) => {
                Some((tile_of(a), tile_of(b))).filter(|(a, b)| a != b)
            }
            _ => None,
        };
        // A port lies where the component behind it does.
        let at = |c: Option<ChannelId>, inner: &dyn Fn(&FlatChannel) -> Option<ComponentId>| {
            c.and_then(|c| inner(flat.channel(c))).map_or((0, 0), |id| grid.place(flat.at(id).position))
        };
        let inside = |c: &FlatChannel| if let SinkPort::Port(id, _) = c.sink { Some(id) } else { None };
        let inputs = flat.inputs.iter().map(|&c| at(c, &inside));
        let inside = |c: &FlatChannel| if let SourcePort::Port(id, _) = c.source { Some(id) } else { None };
        let outputs = flat.outputs.iter().map(|&c| at(c, &inside));
        Tiles {
            count,
            of: sites.iter().map(|site| tile_of(site.component)).collect(),
            between: flat.channels.iter().map(between).collect(),
            grid: sites
                .iter()
                .map(|site| grid.place(flat.at(site.component).position))
                .chain(inputs)
                .chain(outputs)
                .collect(),
            capacity,
            columns: grid.columns(),
            entering,
        }
    }
}
