//! Never worse on more hardware: where a whole fabric gives no mapping at the graph's bound, its first columns and rows are tried too,
//! each as the fabric that it would be alone.
//!
//! Guarantees: a corner of a mesh is searched as that mesh itself would be, with the same seeds and budget, and what is found there is a
//! mapping of the whole, which passed [`crate::check`]; so a run takes no more expected cycles than on a mesh that is tried as a
//! corner, and mapping fails only where it fails on those. A corner is given up that the first few placements of a graph are not routed
//! on, though: what is so crowded is not faster. The answer follows from the order of the corners, for any number of threads. Promises nothing where links
//! lead over tiles, which turn round at the edges; for more channels or units, since a fabric with fewer is no corner; and
//! for pinned ports that do not lie straight behind the corner.

use crate::model::cover::netlist_with;
use crate::model::pins::PinnedPort;
use crate::part::{carried, inside};
use crate::timing::finished::Finished;
use crate::{check, on_all, MapOptions, Mapped, Unmapped};
use loom_adg::{Cells, Fabric, FabricPart};
use loom_dfg::Graph;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Mutex;

/// Expected cycles that differ by less are the same.
const SAME: f64 = 1e-9;

/// What is to be mapped.
pub(crate) struct Job<'a> {
    pub graph: &'a Graph,
    pub fabric: &'a Fabric,
    pub options: &'a MapOptions,
    pub pins: &'a [PinnedPort],
}

/// The best of what the whole fabric gave and of what its corners give; no mapping takes less than `least`.
pub(crate) fn best(
    job: &Job,
    whole: Result<Mapped, Unmapped>,
    least: f64,
    progress: &mut dyn FnMut(&str, f64),
) -> Result<Mapped, Unmapped> {
    let now = whole.as_ref().map_or(f64::INFINITY, |mapped| mapped.timing.expected);
    if whole.as_ref().is_ok_and(|mapped| mapped.timing.is_enough(least)) {
        return whole;
    }
    progress("placing and routing on fewer columns and rows", 0.0);
    let cells = Cells::of(job.fabric);
    let corners = corners(cells.columns(), cells.rows());
    let found = in_order(corners.len(), job.options.thread_count(), &|k| {
        let mapped = job.on_corner(corners[k]).filter(|m| m.timing.expected < now - SAME);
        let reached = mapped.as_ref().is_some_and(|m| m.timing.is_enough(least));
        (mapped, reached)
    });
    let better = |best: Option<Mapped>, next: Mapped| match best {
        Some(best) if best.timing.expected <= next.timing.expected + SAME => Some(best),
        _ => Some(next),
    };
    found.into_iter().flatten().fold(None, better).map_or(whole, Ok)
}

/// Columns and rows of the corners, from the smallest: squares, and what has all of the shorter side. Those of a corner are all among
/// them, so what is tried on the corner is tried on the whole.
fn corners(columns: usize, rows: usize) -> Vec<(usize, usize)> {
    let all = (1..=columns).flat_map(|c| (1..=rows).map(move |r| (c, r)));
    let is_tried =
        |&(c, r): &(usize, usize)| (c, r) != (columns, rows) && (c == r || c.min(r) == columns.min(rows));
    let mut corners: Vec<_> = all.filter(is_tried).collect();
    corners.sort_by_key(|&(c, r)| (c * r, c));
    corners
}

impl Job<'_> {
    /// A mapping found on a corner; none where it has none, or where the whole is no mesh.
    fn on_corner(&self, (columns, rows): (usize, usize)) -> Option<Mapped> {
        let Job { graph, fabric, options, pins } = *self;
        let part = FabricPart::corner(fabric, columns, rows)?;
        let pins = inside(&part, pins)?;
        // The other threads have corners of their own.
        let alone = MapOptions { threads: Some(NonZeroUsize::MIN), gives_up_early: true, ..*options };
        let mapped = on_all(graph, &part.fabric, &alone, &pins, &mut |_, _| {}).0.ok()?;
        let net = netlist_with(graph, fabric.index_width(), &mapped.mapping.covers).ok()?;
        let mapping = carried(&net, fabric, &part, mapped.mapping);
        if loom_base::diag::has_errors(&check::check_netlist(&net, fabric, &mapping)) {
            return None;
        }
        let finished = Finished::new(&net, fabric, &mapping, options.memory_latency)?;
        let problem = finished.problem().ok()?;
        let timing = finished.timing(&problem);
        let (mii_ops, least, closest) = (problem.bound, problem.loops.least, problem.closest());
        Some(Mapped { mapping, timing, mii_ops, least, closest, ..mapped })
    }
}

/// What a function gives for 0, 1, ... as far as the first for which it says that no other is needed; on so many threads.
fn in_order<T: Send>(count: usize, threads: usize, of: &(dyn Fn(usize) -> (T, bool) + Sync)) -> Vec<T> {
    let (next, last) = (AtomicUsize::new(0), AtomicUsize::new(usize::MAX));
    let found = Mutex::new(Vec::new());
    let work = || loop {
        let k = next.fetch_add(1, Ordering::Relaxed);
        if k >= count || k > last.load(Ordering::Relaxed) {
            return;
        }
        let (value, is_last) = of(k);
        if is_last {
            last.fetch_min(k, Ordering::Relaxed);
        }
        found.lock().expect("no thread ends in between").push((k, value));
    };
    std::thread::scope(|scope| {
        (1..threads.min(count)).for_each(|_| drop(scope.spawn(work)));
        work();
    });
    // Others may have been found behind the last one, and are as if they had never been.
    let last = last.into_inner();
    let mut found = found.into_inner().expect("no thread ended in between");
    found.retain(|(k, _)| *k <= last);
    found.sort_by_key(|(k, _)| *k);
    found.into_iter().map(|(_, value)| value).collect()
}

#[cfg(test)]
mod tests {
    use super::{corners, in_order};

    #[test]
    fn corners_of_corners_are_corners() {
        for (columns, rows) in [(4, 4), (5, 4), (4, 7), (8, 8), (1, 9)] {
            let all = corners(columns, rows);
            for &(c, r) in &all {
                assert!(corners(c, r).iter().all(|corner| all.contains(corner)), "{c} by {r}");
            }
        }
        assert_eq!(corners(2, 4), [(1, 1), (2, 2), (2, 3)]);
    }

    #[test]
    fn any_number_of_threads_gives_the_same() {
        for threads in 1..5 {
            let of = |k: usize| (k * k, k == 6 || k == 9);
            let found = in_order(20, threads, &of);
            assert_eq!(found, [0, 1, 4, 9, 16, 25, 36], "{threads}");
            assert_eq!(in_order(3, threads, &of), [0, 1, 4]);
        }
    }
}
