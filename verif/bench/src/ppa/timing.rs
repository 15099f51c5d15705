//! Static timing of a subject by OpenSTA: one corner, an ideal clock, wires without delay.
//!
//! Guarantees: paths are told in the names of the instances that stand in the subject, with the time at which each is left;
//! the last time of a path is its period, the setup time of the register at its end included.

use super::cells::failed;
use crate::codes;
use loom_base::{Diagnostic, Diagnostics};
use loom_cosim::tools::{self, Tool};
use loom_hdl::ir::{Dir, Module};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Static timing.
pub const STA: Tool = Tool { program: "sta", package: "opensta" };

/// The period that slack is counted from.
const CLOCK_NS: f64 = 1000.0;

/// Clock gates alone have a register of the falling edge. Its paths end in half a cycle, of which they take little, a word's valid
/// from one register to the next; slack that is counted from a period of a microsecond would make them the longest.
const HALVES: &str = "set_false_path -fall_from [get_clocks clk]\nset_false_path -fall_to [get_clocks clk]\n";

/// What a path runs through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StageKind {
    /// A port of the subject.
    Port,
    /// An instance that stands in it.
    Instance,
    /// Gates of its own.
    Own,
}

/// A stage of a path: what it runs through, and when it leaves that.
#[derive(Clone, Debug, PartialEq)]
pub struct TimedStage {
    /// The instance, or the port's channel.
    pub name: String,
    /// What it is.
    pub kind: StageKind,
    /// Nanoseconds after the clock edge.
    pub at_ns: f64,
}

/// A netlist to be timed.
pub struct Netlist<'a> {
    /// The module at its top.
    pub module: &'a Module,
    /// The netlists of all modules in it.
    pub files: Vec<PathBuf>,
    /// The cells.
    pub liberty: &'a Path,
    /// Folder for scripts and reports.
    pub out: &'a Path,
}

impl Netlist<'_> {
    /// When each output signal comes, from registers and from input signals that come when `at` says; those without a time
    /// do not count.
    pub fn arrivals(&self, at: &dyn Fn(&str) -> Option<f64>) -> Result<BTreeMap<String, f64>, Diagnostics> {
        let mut script = self.input_delays(at);
        script.push_str(
            "report_checks -path_delay max -digits 3 -format end -group_count 100000 -to [all_outputs]\n",
        );
        Ok(arrivals(&self.run("arrivals", &script)?))
    }

    /// The longest path, when input signals come as told, and with the clock otherwise. None where nothing is between
    /// registers or ports.
    pub fn longest(&self, inputs: &BTreeMap<String, f64>) -> Result<Vec<TimedStage>, Diagnostics> {
        let mut script = self.input_delays(&|signal| Some(inputs.get(signal).copied().unwrap_or(0.0)));
        script.push_str("report_checks -path_delay max -digits 3\n");
        let said = self.run("longest", &script)?;
        if said.contains("No paths found") {
            return Ok(Vec::new());
        }
        path(&said).ok_or_else(|| {
            let message = format!("`{}` told no path of `{}`", STA.program, self.module.name);
            vec![Diagnostic::error(codes::REPORT, message).note(said)]
        })
    }

    /// The longest path from each class of inputs to each class of outputs, in picoseconds: see
    /// [`super::calibrate::ProbeFigures::arcs_ps`]. Ports of a bus are left out.
    pub fn arcs(&self) -> Result<BTreeMap<String, u32>, Diagnostics> {
        let classes = Classes::of(self.module);
        let mut script = self.input_delays(&|_| Some(0.0));
        let registers = |pins: &str| self.module.needs_clk().then(|| format!("[all_registers -{pins}_pins]"));
        let mut from: Vec<(char, String)> = registers("clock").map(|r| ('k', r)).into_iter().collect();
        from.extend(ports(&classes.inputs));
        let mut to = ports(&classes.outputs);
        to.extend(registers("data").map(|r| ('s', r)));
        for (a, sources) in &from {
            for (b, sinks) in &to {
                script.push_str(&format!(
                    "puts \"Arc {a}>{b}\"\nreport_checks -path_delay max -digits 3 -format end -from {sources} -to {sinks}\n"
                ));
            }
        }
        Ok(arcs(&self.run("arcs", &script)?))
    }

    /// Says when input signals come; those without a time begin no path.
    fn input_delays(&self, at: &dyn Fn(&str) -> Option<f64>) -> String {
        let mut script = String::new();
        for port in self.module.ports.iter().filter(|p| p.dir == Dir::In && p.width > 0) {
            let bits = if port.width > 1 { "[*]" } else { "" };
            if let Some(at) = at(&port.name) {
                let name = &port.name;
                script
                    .push_str(&format!("set_input_delay {at:.3} -clock clk [get_ports {{{name}{bits}}}]\n"));
            }
        }
        script
    }

    fn run(&self, what: &str, checks: &str) -> Result<String, Diagnostics> {
        let sta = STA.find()?;
        let name = &self.module.name;
        let write = |file: &str, text: &str| {
            let path = self.out.join(file);
            loom_cosim::files::write(&path, text.as_bytes()).map_err(|e| failed(&path, &e))
        };
        let files: String =
            self.files.iter().map(|f| format!("read_verilog {{{}}}\n", f.display())).collect();
        let clock = match self.module.needs_clk() {
            true => format!("create_clock -name clk -period {CLOCK_NS} [get_ports clk]\n"),
            false => format!("create_clock -name clk -period {CLOCK_NS}\n"),
        };
        let script = format!(
            "read_liberty {{{}}}\nread_verilog wire.v\n{files}link_design {name}\n{clock}{HALVES}\
             set_output_delay 0 -clock clk [all_outputs]\nset_input_transition 0.1 [all_inputs]\n\
             set_load 0.05 [all_outputs]\n{checks}",
            self.liberty.display()
        );
        let file = format!("{name}.{what}.tcl");
        write(&file, &script)?;
        let said = tools::run(Command::new(sta).args(["-exit", &file]).current_dir(self.out))?;
        write(&format!("{name}.{what}.txt"), &said)?;
        // It ends well whatever happened.
        match said.lines().any(|l| l.starts_with("Error")) {
            false => Ok(said),
            true => {
                let message = format!("`{}` failed on `{name}`:\n{}", STA.program, tools::last_lines(&said));
                Err(vec![Diagnostic::error(loom_cosim::codes::TOOL_FAILED, message)])
            }
        }
    }
}

/// The bits of a module's channels by class.
#[derive(Default)]
struct Classes {
    inputs: BTreeMap<char, Vec<String>>,
    outputs: BTreeMap<char, Vec<String>>,
}

impl Classes {
    fn of(module: &Module) -> Classes {
        let mut classes = Classes::default();
        for port in module.ports.iter().filter(|p| p.width > 0) {
            let (name, width) = (&port.name, port.width);
            if name.starts_with("axi_") || name.starts_with("host_") {
                continue;
            }
            let side = if port.dir == Dir::In { &mut classes.inputs } else { &mut classes.outputs };
            let mut add = |class, bit: String| side.entry(class).or_default().push(bit);
            let bit = |k: u32| if width > 1 { format!("{name}[{k}]") } else { name.clone() };
            match name.rsplit('_').next() {
                Some("valid") => add('v', name.clone()),
                Some("ready") => add('r', name.clone()),
                Some("data") => {
                    add('l', bit(0));
                    if width > 1 {
                        add('h', bit(width - 1));
                    }
                }
                Some("tag") => (0..width).for_each(|k| add('l', bit(k))),
                Some("cfg" | "payload" | "bypass") if port.dir == Dir::In => {
                    add('c', if width > 1 { format!("{name}[*]") } else { name.clone() });
                }
                _ => {}
            }
        }
        classes
    }
}

/// Classes of ports, as OpenSTA is told them.
fn ports(classes: &BTreeMap<char, Vec<String>>) -> Vec<(char, String)> {
    classes.iter().map(|(&class, bits)| (class, format!("[get_ports {{{}}}]", bits.join(" ")))).collect()
}

/// Reads a report of arcs; those that are no path are missing.
fn arcs(report: &str) -> BTreeMap<String, u32> {
    let mut found = BTreeMap::new();
    let mut arc = "";
    for line in report.lines() {
        match line.split_whitespace().collect::<Vec<_>>().as_slice() {
            ["Arc", name] => arc = name,
            [.., slack, "(MET)" | "(VIOLATED)"] => {
                if let Ok(slack) = slack.parse::<f64>() {
                    found.insert(arc.to_string(), ((CLOCK_NS - slack) * 1e3).round().max(0.0) as u32);
                }
            }
            _ => {}
        }
    }
    found
}

/// Reads a list of endpoints: of each output signal the latest bit.
fn arrivals(report: &str) -> BTreeMap<String, f64> {
    let mut found = BTreeMap::new();
    for line in report.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        if let [pin, "(output)", _, delay, _, _] = words.as_slice() {
            let signal = pin.split('[').next().unwrap_or(pin).to_string();
            if let Ok(delay) = delay.parse::<f64>() {
                let latest = found.entry(signal).or_insert(delay);
                *latest = latest.max(delay);
            }
        }
    }
    found
}

/// Reads a path.
fn path(report: &str) -> Option<Vec<TimedStage>> {
    let mut stages: Vec<TimedStage> = Vec::new();
    let mut lines = report.lines().skip_while(|l| !l.starts_with("Startpoint"));
    for line in lines.by_ref().take_while(|l| !l.contains("data arrival time")) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [.., time, "^" | "v", pin, of] = words.as_slice() else { continue };
        if !of.starts_with('(') {
            continue;
        }
        let (name, kind) = match (*of, pin.split_once('/')) {
            ("(in)" | "(out)", _) => (channel(pin), StageKind::Port),
            // A pin of an instance is two levels down, that of an own gate one.
            (_, Some((instance, rest))) if rest.contains('/') => (instance, StageKind::Instance),
            _ => ("", StageKind::Own),
        };
        let at_ns = time.parse().ok()?;
        match stages.last_mut() {
            Some(last) if (last.name.as_str(), last.kind) == (name, kind) => last.at_ns = at_ns,
            _ => stages.push(TimedStage { name: name.into(), kind, at_ns }),
        }
    }
    let slack = lines.find_map(|l| match l.split_whitespace().collect::<Vec<_>>().as_slice() {
        [slack, "slack", "(MET)" | "(VIOLATED)"] => slack.parse::<f64>().ok(),
        _ => None,
    })?;
    stages.last_mut()?.at_ns = ((CLOCK_NS - slack) * 1e3).round() / 1e3;
    Some(stages)
}

/// The channel, or the signal, of a bit of a port.
fn channel(pin: &str) -> &str {
    let signal = pin.split('[').next().unwrap_or(pin);
    ["_valid", "_ready", "_data", "_tag"].iter().find_map(|end| signal.strip_suffix(end)).unwrap_or(signal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_bit_of_each_output() {
        let found = arrivals(include_str!("../../tests/ppa/arrivals.sta.txt"));
        assert_eq!(found["w_out0_data"], 18.139);
        assert_eq!(found["n_out1_data"], 18.137);
        assert!(!found.contains_key("Endpoint"));
    }

    #[test]
    fn a_path_by_the_instances_it_runs_through() {
        let stages = path(include_str!("../../tests/ppa/path.sta.txt")).expect("a path");
        let names: Vec<(&str, f64)> = stages.iter().map(|s| (s.name.as_str(), s.at_ns)).collect();
        let expected = [
            ("cross_w", 0.781),
            ("slack", 1.154),
            ("sort", 3.151),
            ("rename", 3.834),
            ("sort", 4.449),
            ("cross_w", 4.857),
            ("", 5.121),
            ("loader", 5.493),
        ];
        assert_eq!(names, expected);
        assert_eq!(stages[6].kind, StageKind::Own);
        assert_eq!(path("No paths found.\n"), None);
    }

    #[test]
    fn ports_are_called_by_their_channels() {
        assert_eq!(["n_in0_data[3]", "out1_ready", "cfg_done"].map(channel), ["n_in0", "out1", "cfg_done"]);
    }
}
