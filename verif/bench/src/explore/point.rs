//! A point: a folder that holds what is evaluated, and what came out.
//!
//! - `fabric.toml`, with template files beside it where the base has some of its own;
//! - `kernels.txt`: a file of a kernel on each line;
//! - `point.json`: the number, label and seed;
//! - `result.json`, which evaluating it writes, last.
//!
//! Guarantees: a result says which inputs it is of, so that one of other inputs is not taken for it.

use crate::codes;
use loom_adg::{cost, Fabric};
use loom_base::{Diagnostic, Diagnostics, Source};
use loom_flow::{load, Configured, Kernel};
use loom_map::MapOptions;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};

/// Placements tried for each kernel, and the router's rounds for each: what maps at all mostly does so sooner.
const ATTEMPTS: u32 = 2;
const ROUNDS: u32 = 30;

/// What is told of a point before it is evaluated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PointPlan {
    /// Its number in the space.
    pub point: u64,
    /// Its values.
    pub label: String,
    /// Of the mapper.
    pub seed: u64,
}

/// A kernel on the point's fabric.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PointKernel {
    /// Its file's name, without ending.
    pub name: String,
    /// Cycles of all its cases together, in the native model; none where it was not mapped or a case went wrong.
    pub cycles: Option<u64>,
    /// The interval of the mapping's slowest loop, by its bound.
    pub interval: Option<f64>,
    /// Why it was not mapped: a code and what it says.
    pub limit: Option<String>,
}

/// What came out of a point.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PointResult {
    /// The digest of the fabric, the kernels and their cases, and the plan.
    pub inputs: String,
    /// Which point.
    pub point: u64,
    /// Its values.
    pub label: String,
    /// Kernels that were mapped and ran to the end of their case.
    pub mapped: usize,
    /// Area by the model, in square micrometres.
    pub area_um2: u64,
    /// Period by the model, in picoseconds.
    pub period_ps: u32,
    /// Why its values make no fabric; then nothing else counts.
    pub illegal: Option<String>,
    /// Kernels in their order.
    pub kernels: Vec<PointKernel>,
}

impl PointResult {
    /// Whether it is a fabric that a kernel maps to.
    pub fn counts(&self) -> bool {
        self.illegal.is_none() && self.mapped > 0
    }
}

/// A point as it lies in its folder.
pub struct PointInputs {
    folder: PathBuf,
    plan: PointPlan,
    fabric: Source,
    kernels: Vec<(Source, Vec<Source>)>,
    digest: String,
}

/// Reads a point's folder.
pub fn open(folder: &Path) -> Result<PointInputs, Diagnostics> {
    let read = |name: &str| super::read(&folder.join(name));
    let plan_text = read("point.json")?;
    let plan: PointPlan =
        serde_json::from_str(&plan_text).map_err(|e| {
            let message = format!("`{}/point.json` cannot be read: {e}", folder.display());
            vec![Diagnostic::error(codes::POINT, message)
                .help("`loom explore SPACE -o DIR --plan` writes points")]
        })?;
    let fabric = Source::new("fabric.toml", read("fabric.toml")?);
    let mut hash = Sha256::new();
    let mut add = |text: &str| {
        hash.update(text.len().to_le_bytes());
        hash.update(text.as_bytes());
    };
    add(env!("CARGO_PKG_VERSION"));
    add(&plan_text);
    add(&fabric.text);
    let mut kernels = Vec::new();
    for line in read("kernels.txt")?.lines().filter(|l| !l.is_empty()) {
        let path = Path::new(line);
        let kernel = Source::new(line, super::read(path)?);
        add(&kernel.text);
        let mut cases = Vec::new();
        for case in cases_of(path) {
            cases.push(Source::new(case.to_string_lossy(), super::read(&case)?));
        }
        cases.iter().for_each(|c| add(&c.text));
        kernels.push((kernel, cases));
    }
    let digest = hash.finalize().iter().take(12).map(|b| format!("{b:02x}")).collect();
    Ok(PointInputs { folder: folder.to_path_buf(), plan, fabric, kernels, digest })
}

/// The cases beside a kernel, in the order of their names.
fn cases_of(kernel: &Path) -> Vec<PathBuf> {
    let entries = kernel.parent().and_then(|f| std::fs::read_dir(f).ok()).into_iter().flatten().flatten();
    let mut cases: Vec<PathBuf> =
        entries.map(|e| e.path()).filter(|p| p.extension().is_some_and(|e| e == "toml")).collect();
    cases.sort();
    cases
}

impl PointInputs {
    /// The result that lies there, if it is one of these inputs.
    pub fn result(&self) -> Option<PointResult> {
        let text = loom_cosim::files::read_kept(&self.folder.join("result.json")).ok()?;
        let result: PointResult = serde_json::from_str(&text).ok()?;
        (result.inputs == self.digest).then_some(result)
    }

    /// The fabric.
    pub fn fabric(&self) -> Result<Fabric, Diagnostics> {
        let beside = |name: &str| {
            let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
            plain.then(|| loom_cosim::files::read_text(&self.folder.join(format!("{name}.toml"))).ok())?
        };
        load::fabric_with(&self.fabric, &beside).map(|(fabric, _)| fabric)
    }

    /// Evaluates the point and writes its result.
    pub fn evaluate(&self) -> Result<PointResult, Diagnostics> {
        let mut result = PointResult {
            inputs: self.digest.clone(),
            point: self.plan.point,
            label: self.plan.label.clone(),
            mapped: 0,
            area_um2: 0,
            period_ps: 0,
            illegal: None,
            kernels: Vec::new(),
        };
        match self.fabric() {
            Err(why) => result.illegal = Some(in_short(&why)),
            Ok(fabric) => {
                let cost = cost::of_fabric(&fabric);
                (result.area_um2, result.period_ps) = (cost.area_um2, cost.period_ps);
                result.kernels =
                    self.kernels.iter().map(|(k, cases)| self.kernel(k, cases, &fabric)).collect();
                result.mapped = result.kernels.iter().filter(|k| k.cycles.is_some()).count();
            }
        }
        let text = serde_json::to_string_pretty(&result).expect("plain data");
        super::write(&self.folder.join("result.json"), &(text + "\n"))?;
        Ok(result)
    }

    fn kernel(&self, source: &Source, cases: &[Source], fabric: &Fabric) -> PointKernel {
        let file = source.name.rsplit('/').next().unwrap_or_default();
        let name = file.split('.').next().unwrap_or_default().to_string();
        match self.run(source, cases, fabric) {
            Ok((cycles, interval)) => {
                PointKernel { name, cycles: Some(cycles), interval: Some(interval), limit: None }
            }
            Err(why) => PointKernel { name, cycles: None, interval: None, limit: Some(in_short(&why)) },
        }
    }

    /// Cycles of a kernel's cases, and the interval of its mapping.
    fn run(&self, source: &Source, cases: &[Source], fabric: &Fabric) -> Result<(u64, f64), Diagnostics> {
        let failed = |message: String| vec![Diagnostic::error(codes::POINT, message)];
        let kernel = Kernel::read(source, &load::lowering(fabric))?;
        let options =
            MapOptions { attempts: ATTEMPTS, rounds: ROUNDS, seed: self.plan.seed, ..MapOptions::default() };
        let configured = Configured::map(kernel, fabric, &options, &mut |_, _| {})?;
        if cases.is_empty() {
            return Err(failed("it has no case to run: a `.toml` beside it".into()));
        }
        let mut cycles = 0;
        for source in cases {
            let case = configured.case(source)?;
            let report = configured.report(&case, &source.name, &configured.simulate(&case)?);
            if !report.ok {
                return Err(failed(report.problems.first().cloned().unwrap_or_default()));
            }
            cycles += report.native_cycles;
        }
        Ok((cycles, configured.mapped.timing.ii))
    }
}

fn in_short(why: &[Diagnostic]) -> String {
    why.first().map_or(String::new(), |d| format!("{}: {}", d.code.id, d.message))
}
