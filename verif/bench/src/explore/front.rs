//! Which points nothing beats, and the tables of what was found.
//!
//! A point beats another one when it maps every kernel that the other maps, is not larger, is not slower on these kernels (by the
//! geometric mean of cycles times period), and is better in one of the three. A kernel that only one of two maps says nothing of
//! their times, so points that map different kernels leave each other alone.

use super::point::PointResult;
use super::space::Space;
use crate::{table, TableRow};
use serde::Serialize;
use std::collections::BTreeSet;

/// Area and period of a point of the front by the tools.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Confirmed {
    /// Which point.
    pub point: u64,
    /// Area by yosys, in square micrometres.
    pub area_um2: f64,
    /// Period by OpenSTA, in nanoseconds.
    pub period_ns: Option<f64>,
    /// The model's area over it.
    pub area_ratio: f64,
    /// The model's period over it.
    pub period_ratio: Option<f64>,
}

/// What an exploration found.
#[derive(Clone, Debug, Serialize)]
pub struct Exploration {
    /// The base fabric.
    pub base: String,
    /// Points that the space has.
    pub space: u64,
    /// The seed.
    pub seed: u64,
    /// Points that nothing beats, the smallest first.
    pub front: Vec<u64>,
    /// Kernels that every point of the front maps: those that times are compared by.
    pub common: Vec<String>,
    /// All points that were evaluated, in order.
    pub points: Vec<PointResult>,
    /// Points of the front with the tools' figures.
    pub confirmed: Vec<Confirmed>,
}

fn mapped(result: &PointResult) -> BTreeSet<&str> {
    result.kernels.iter().filter(|k| k.cycles.is_some()).map(|k| k.name.as_str()).collect()
}

/// Geometric mean of cycles times period over kernels that the point maps, in nanoseconds.
pub fn time_ns(result: &PointResult, kernels: &BTreeSet<&str>) -> f64 {
    let cycles = |k: &super::point::PointKernel| k.cycles.filter(|_| kernels.contains(k.name.as_str()));
    let times: Vec<f64> = (result.kernels.iter().filter_map(cycles))
        .map(|c| c.max(1) as f64 * f64::from(result.period_ps) / 1e3)
        .collect();
    match times.len() {
        0 => 0.0,
        n => (times.iter().map(|t| t.ln()).sum::<f64>() / n as f64).exp(),
    }
}

/// Whether a point beats another one.
pub fn beats(a: &PointResult, b: &PointResult) -> bool {
    let (of_a, of_b) = (mapped(a), mapped(b));
    if !a.counts() || !of_a.is_superset(&of_b) || a.area_um2 > b.area_um2 {
        return false;
    }
    // Sums of the same logarithms in another order differ in their last digits.
    let (time_a, time_b) = (time_ns(a, &of_b), time_ns(b, &of_b));
    let (slower, faster) = (time_a > time_b * (1.0 + 1e-9), time_a < time_b * (1.0 - 1e-9));
    !slower && (faster || of_a.len() > of_b.len() || a.area_um2 < b.area_um2)
}

/// The points that nothing beats, by area and then by number.
pub fn front(results: &[PointResult]) -> Vec<usize> {
    let stands = |b: &PointResult| b.counts() && !results.iter().any(|a| beats(a, b));
    let mut front: Vec<usize> = (0..results.len()).filter(|&k| stands(&results[k])).collect();
    front.sort_by_key(|&k| (results[k].area_um2, results[k].point));
    front
}

impl Exploration {
    /// Of results in the order of their numbers.
    pub fn of(space: &Space, seed: u64, points: Vec<PointResult>) -> Exploration {
        let front = front(&points);
        let sets = front.iter().map(|&k| mapped(&points[k]));
        let common = sets.reduce(|a, b| a.intersection(&b).copied().collect()).unwrap_or_default();
        Exploration {
            base: space.base.clone(),
            space: space.points(),
            seed,
            common: common.into_iter().map(String::from).collect(),
            front: front.iter().map(|&k| points[k].point).collect(),
            points,
            confirmed: Vec::new(),
        }
    }

    /// The kernels that times are compared by.
    pub fn common(&self) -> BTreeSet<&str> {
        self.common.iter().map(String::as_str).collect()
    }

    /// The tables as text.
    pub fn text(&self) -> String {
        let rows: Vec<PointLine> = self.points.iter().map(|result| PointLine { all: self, result }).collect();
        let mut text = format!(
            "{} of {} points of {}, {} of them on the front\n\n{}",
            self.points.len(),
            self.space,
            self.base,
            self.front.len(),
            table(&rows)
        );
        if !self.confirmed.is_empty() {
            let lines: Vec<ConfirmedLine> = self.confirmed.iter().map(ConfirmedLine).collect();
            text.push_str(&format!("\nThe front by yosys and OpenSTA\n\n{}", table(&lines)));
        }
        text
    }

    /// The same as Markdown.
    pub fn page(&self) -> String {
        let seed = self.seed;
        let common = self.common.join(" ");
        format!(
            "# Exploration of {}\n\nSeed {seed}. Area and period are the model's (docs/ppa.md). Time is the geometric mean of cycles \
             times period over the kernels that every point of the front maps: {common}. `*` marks the front.\n\n```text\n{}```\n",
            self.base,
            self.text()
        )
    }
}

struct PointLine<'a> {
    all: &'a Exploration,
    result: &'a PointResult,
}

impl TableRow for PointLine<'_> {
    const HEAD: &'static [&'static str] =
        &["", "point", "values", "mapped", "area, mm2", "period, ns", "time, ns"];
    const LEFT: usize = 3;

    fn cells(&self) -> Vec<String> {
        let r = self.result;
        let mark = if self.all.front.contains(&r.point) { "*" } else { "" };
        let start = vec![mark.to_string(), r.point.to_string(), r.label.clone()];
        let figures = match &r.illegal {
            Some(_) => ["no fabric", "-", "-", "-"].map(String::from).to_vec(),
            None => vec![
                format!("{} of {}", r.mapped, r.kernels.len()),
                format!("{:.3}", r.area_um2 as f64 / 1e6),
                format!("{:.2}", f64::from(r.period_ps) / 1e3),
                match mapped(r).is_superset(&self.all.common()) && r.mapped > 0 {
                    true => format!("{:.0}", time_ns(r, &self.all.common())),
                    false => "-".into(),
                },
            ],
        };
        start.into_iter().chain(figures).collect()
    }
}

struct ConfirmedLine<'a>(&'a Confirmed);

impl TableRow for ConfirmedLine<'_> {
    const HEAD: &'static [&'static str] =
        &["point", "area, mm2", "period, ns", "model's area", "model's period"];
    const LEFT: usize = 1;

    fn cells(&self) -> Vec<String> {
        let ratio = |r: f64| format!("{r:.2} of it");
        let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".into());
        vec![
            self.0.point.to_string(),
            format!("{:.3}", self.0.area_um2 / 1e6),
            or_dash(self.0.period_ns.map(|ns| format!("{ns:.2}"))),
            ratio(self.0.area_ratio),
            or_dash(self.0.period_ratio.map(ratio)),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::super::point::PointKernel;
    use super::*;

    fn result(point: u64, area_um2: u64, cycles: &[Option<u64>]) -> PointResult {
        let kernel = |(k, cycles): (usize, &Option<u64>)| PointKernel {
            name: format!("k{k}"),
            cycles: *cycles,
            interval: None,
            limit: None,
        };
        let kernels: Vec<PointKernel> = cycles.iter().enumerate().map(kernel).collect();
        PointResult {
            inputs: String::new(),
            point,
            label: String::new(),
            mapped: cycles.iter().flatten().count(),
            area_um2,
            period_ps: 1000,
            illegal: None,
            kernels,
        }
    }

    #[test]
    fn the_front_is_what_nothing_beats() {
        let results = [
            result(0, 10, &[Some(100), None]),
            result(1, 20, &[Some(50), Some(8)]),
            // Slower and larger than 1, and maps no more.
            result(2, 21, &[Some(60), Some(8)]),
            // As good as 0, but larger.
            result(3, 11, &[Some(100), None]),
            result(4, 5, &[None, None]),
            // Maps what 0 does not: neither beats the other.
            result(5, 10, &[None, Some(9)]),
        ];
        assert_eq!(front(&results), [0, 5, 1]);
        assert!(beats(&results[1], &results[2]) && !beats(&results[2], &results[1]));
        assert!(!beats(&results[1], &results[1]));
        let both = ["k0", "k1"].into();
        assert!((time_ns(&results[1], &both) - 20.0).abs() < 1e-9);
    }
}
