//! Slack for what a dry run waits for: where loops lie in loops, are short, or branch.
//!
//! The way back from the end of a dry run names the uses that it waited for, since what comes before them had no room ([`dry`]).
//! With a unit of slack more before each of them it is run again, without routing, until it waits no more or more slack makes it no
//! shorter.

use super::MOST_SLACK;
use crate::model::problem::BoundedLoops;
use crate::timing::dry::{self, Queues};
use crate::timing::routed::{Routed, UseId};
use crate::timing::ENOUGH;
use std::collections::{BTreeMap, BTreeSet};

/// Runs in all, and in vain after the shortest.
const RUNS: u32 = 24;
const VAIN: usize = 6;

/// Uses that get a unit of slack each, run by run, up to the shortest run; `may` says which may have any.
pub fn wanted(routed: &Routed, loops: &BoundedLoops, may: &dyn Fn(UseId) -> bool) -> Vec<Vec<UseId>> {
    let mut more: BTreeMap<UseId, u32> = BTreeMap::new();
    let run = |more: &BTreeMap<UseId, u32>, queues| dry::run(routed, &loops.control, more, queues);
    let Some(least) = run(&more, Queues::Endless) else { return Vec::new() };
    let (mut asked, mut best, mut shortest) = (Vec::new(), 0, u64::MAX);
    for _ in 0..RUNS {
        let Some(now) = run(&more, Queues::AsTheyAre) else { break };
        if now.cycles < shortest {
            (best, shortest) = (asked.len(), now.cycles);
        }
        if asked.len() - best == VAIN || now.cycles as f64 <= ENOUGH * least.cycles as f64 {
            break;
        }
        let may_have_more = |of: &UseId| may(*of) && more.get(of).is_none_or(|&units| units < MOST_SLACK);
        let next = now.waits.iter().filter_map(|row| row.iter().find(|of| may_have_more(of)));
        let next: BTreeSet<UseId> = next.copied().collect();
        if next.is_empty() {
            break;
        }
        next.iter().for_each(|&of| *more.entry(of).or_default() += 1);
        asked.push(next.into_iter().collect());
    }
    asked.truncate(best);
    asked
}
