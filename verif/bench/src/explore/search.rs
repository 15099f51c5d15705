//! Which points are looked at: all of a small space; of a large one some at random, then the neighbours of the best.
//!
//! Points go out in batches, and which points a batch has follows from the results of those before alone: the number of
//! threads changes nothing but the time.

use super::front::{front, Exploration};
use super::point::{open, PointPlan, PointResult};
use super::space::Space;
use loom_base::rng::Rng;
use loom_base::Diagnostics;
use loom_cosim::tools::each;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Points that are drawn at once when the front has no neighbours left.
const DRAWN: u64 = 4;

/// How a space is searched.
#[derive(Clone, Debug)]
pub struct SearchOptions {
    /// Folder of the points and of the tables.
    pub out: PathBuf,
    /// Points at most.
    pub budget: u64,
    /// Decides which are drawn, and the mapper's choices.
    pub seed: u64,
    /// Points at a time.
    pub jobs: usize,
}

/// The folder of a point.
pub fn folder(out: &Path, point: u64) -> PathBuf {
    out.join("points").join(format!("p{point:06}"))
}

/// Writes a point's folder, but for its result; what is there already is left alone where it is the same.
pub fn plan(space: &Space, point: u64, options: &SearchOptions) -> Result<PathBuf, Diagnostics> {
    let folder = folder(&options.out, point);
    let plan = PointPlan { point, label: space.label(point), seed: options.seed };
    let kernels: String = space.kernels.iter().map(|k| format!("{}\n", k.display())).collect();
    let mut files = vec![
        ("fabric.toml".to_string(), space.fabric(point, &format!("p{point}"))?),
        ("kernels.txt".to_string(), kernels),
        ("point.json".to_string(), serde_json::to_string_pretty(&plan).expect("plain data") + "\n"),
    ];
    files.extend(space.templates.iter().map(|(name, text)| (format!("{name}.toml"), text.clone())));
    for (name, text) in files {
        let path = folder.join(name);
        // Workflow engines go by the times of files.
        if loom_cosim::files::read_kept(&path).ok().as_ref() != Some(&text) {
            super::write(&path, &text)?;
        }
    }
    Ok(folder)
}

/// The points that are looked at without knowing any result.
pub fn first(space: &Space, options: &SearchOptions) -> Vec<u64> {
    begin(space, options, &mut Rng::new(options.seed), &mut BTreeSet::new())
}

/// The same, with what goes on from there.
fn begin(space: &Space, options: &SearchOptions, rng: &mut Rng, seen: &mut BTreeSet<u64>) -> Vec<u64> {
    match space.points() <= options.budget {
        true => (0..space.points()).collect(),
        false => draw(space, rng, options.budget.div_ceil(2), seen),
    }
}

/// So many more points that were not seen yet.
fn draw(space: &Space, rng: &mut Rng, count: u64, seen: &mut BTreeSet<u64>) -> Vec<u64> {
    let mut drawn = Vec::new();
    while (drawn.len() as u64) < count && (seen.len() as u64) < space.points() {
        let values: Vec<usize> = space.axes.iter().map(|a| rng.below(a.choices.len())).collect();
        let point = space.point(&values);
        if seen.insert(point) {
            drawn.push(point);
        }
    }
    drawn
}

/// Evaluates points until the budget is used up; `progress` hears of each result.
pub fn explore(
    space: &Space,
    options: &SearchOptions,
    progress: &(dyn Fn(&PointResult) + Sync),
) -> Result<Exploration, Diagnostics> {
    let mut rng = Rng::new(options.seed);
    let mut seen = BTreeSet::new();
    let mut results: Vec<PointResult> = Vec::new();
    let budget = options.budget.min(space.points());
    let mut batch = begin(space, options, &mut rng, &mut seen);
    while !batch.is_empty() {
        seen.extend(&batch);
        results.extend(each(&batch, options.jobs, |&point| {
            let inputs = open(&plan(space, point, options)?)?;
            let result = match inputs.result() {
                Some(result) => result,
                None => inputs.evaluate()?,
            };
            progress(&result);
            Ok(result)
        })?);
        let left = budget.saturating_sub(results.len() as u64);
        batch = neighbours(space, &results, &seen);
        batch.truncate(left as usize);
        if batch.is_empty() && left > 0 {
            batch = draw(space, &mut rng, left.min(DRAWN), &mut seen);
        }
    }
    results.sort_by_key(|r| r.point);
    Ok(Exploration::of(space, options.seed, results))
}

/// The points one step from those of the front along one axis.
fn neighbours(space: &Space, results: &[PointResult], seen: &BTreeSet<u64>) -> Vec<u64> {
    let mut found = Vec::new();
    for at in front(results) {
        let values = space.values(results[at].point);
        for (axis, choices) in space.axes.iter().map(|a| a.choices.len()).enumerate() {
            for step in [values[axis].checked_sub(1), Some(values[axis] + 1).filter(|&v| v < choices)] {
                let Some(value) = step else { continue };
                let mut next = values.clone();
                next[axis] = value;
                let point = space.point(&next);
                if !seen.contains(&point) && !found.contains(&point) {
                    found.push(point);
                }
            }
        }
    }
    found
}
