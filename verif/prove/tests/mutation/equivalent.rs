//! Whether two modules with the same ports do the same for ever, by yosys and ABC.
//!
//! The neighbours keep the protocol: a token offered stays until it is taken, a configuration stays as it is. Data
//! and tag count only with their valid or push. Under a configuration error (a code below 256) no token comes and only
//! the code counts, because the fabric does not start. The first cycle is reset, and reset may come again; registers without reset and
//! memories start at 0 in both, as they do in the evaluator.

use loom_hdl::ir::{Design, Dir, Module};
use std::fmt::Write;
use std::process::Command;
use std::sync::Arc;

/// The answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Same,
    Different,
    Unknown,
}

/// Text of a module and all below it, every name with a prefix.
fn text(top: &Arc<Module>, prefix: &str) -> String {
    let mut design = Design::new();
    design.add(top);
    let mut all = String::new();
    for module in design.modules() {
        let mut m = (**module).clone();
        m.name = format!("{prefix}{}", m.name);
        for instance in &mut m.instances {
            let mut child = (*instance.module).clone();
            child.name = format!("{prefix}{}", child.name);
            instance.module = Arc::new(child);
        }
        all.push_str(&loom_hdl::ir::print::print(&m));
    }
    all
}

/// The module that shows a difference.
fn miter(m: &Module) -> String {
    let mut text = String::from("module miter (input clk, input free_rst");
    let ports: Vec<_> = m.ports.iter().filter(|p| p.width > 0).collect();
    for p in ports.iter().filter(|p| p.dir == Dir::In) {
        let _ = write!(text, ", input [{}:0] free_{}", p.width - 1, p.name);
    }
    text.push_str(", output bad);\n  reg started = 0;\n  always @(posedge clk) started <= 1;\n  wire rst_n = started & ~free_rst;\n");
    let (mut gold, mut gate) = (String::new(), String::new());
    for (need, port) in [(m.needs_clk(), "clk"), (m.needs_rst(), "rst_n")] {
        if need {
            let _ = write!(gold, ".{port}({port}), ");
            let _ = write!(gate, ".{port}({port}), ");
        }
    }
    let mut bad: Vec<String> = Vec::new();
    let has = |name: &str, dir: Dir| m.port(name).is_some_and(|p| p.dir == dir);
    let errs = has("error_code", Dir::Out);
    let legal = if errs { " & (gold_error_code == 0 | gold_error_code[15:8] != 0)" } else { "" };
    for p in &ports {
        let (name, range) = (&p.name, format!("[{}:0]", p.width - 1));
        if p.dir == Dir::In {
            let _ = write!(gold, ".{name}({name}), ");
            let _ = write!(gate, ".{name}({name}), ");
            let channel = name.rsplit_once('_').map(|c| c.0).unwrap_or(name);
            if name == "cfg" || name == "cont_cond" || name == "bypass" {
                let _ = writeln!(text, "  reg {range} first_{name} = 0;\n  wire {range} {name} = started ? first_{name} : free_{name};\n  always @(posedge clk) first_{name} <= {name};");
            } else if has(&format!("{channel}_valid"), Dir::In) && has(&format!("{channel}_ready"), Dir::Out)
            {
                // Offered and not taken in the cycle before, by the original.
                if name.ends_with("_valid") {
                    let _ = writeln!(text, "  reg wait_{channel} = 0;\n  wire {name} = started{legal} & (wait_{channel} | free_{name});\n  always @(posedge clk) wait_{channel} <= rst_n & {name} & ~gold_{channel}_ready;");
                } else {
                    let _ = writeln!(text, "  reg {range} held_{name} = 0;\n  wire {range} {name} = wait_{channel} ? held_{name} : free_{name};\n  always @(posedge clk) held_{name} <= {name};");
                }
            } else {
                let _ = writeln!(text, "  wire {range} {name} = free_{name};");
            }
            continue;
        }
        let _ = write!(gold, ".{name}(gold_{name}), ");
        let _ = write!(gate, ".{name}(gate_{name}), ");
        let channel = name.rsplit_once('_').map(|c| c.0).unwrap_or(name);
        let guard = ["valid", "push"].map(|g| format!("{channel}_{g}"));
        let guard = guard.iter().find(|g| *g != name && has(g, Dir::Out));
        let guard = match guard {
            // A ready counts with a token only.
            _ if name.ends_with("_ready") && has(&format!("{channel}_valid"), Dir::In) => {
                format!("{channel}_valid & ")
            }
            Some(g) => format!("gold_{g} & "),
            None => String::new(),
        };
        let legal = if name == "error_code" { "" } else { legal };
        bad.push(format!("({guard}(gold_{name} != gate_{name}){legal})"));
    }
    let mut wires = String::new();
    for p in ports.iter().filter(|p| p.dir == Dir::Out) {
        let _ = writeln!(wires, "  wire [{0}:0] gold_{1}, gate_{1};", p.width - 1, p.name);
    }
    let at = text.find(");\n").expect("the port list") + 3;
    text.insert_str(at, &wires);
    let cut = |s: &str| s.trim_end_matches(", ").to_string();
    let _ = writeln!(text, "  gold_{0} gold ({1});\n  gate_{0} gate ({2});", m.name, cut(&gold), cut(&gate));
    let _ = writeln!(text, "  assign bad = started & ({});\nendmodule", bad.join(" | "));
    text
}

/// Compares the modules.
pub fn equivalent(original: &Arc<Module>, other: &Arc<Module>) -> Verdict {
    let dir = tempfile::tempdir().expect("temporary folder");
    let all = format!("{}{}{}", text(original, "gold_"), text(other, "gate_"), miter(original));
    std::fs::write(dir.path().join("all.v"), all).expect("writable");
    let script =
        "read_verilog all.v; hierarchy -check -top miter; proc; flatten; opt -fast; memory_map; opt -fast; \
                  techmap; opt -fast; dffunmap; simplemap; setundef -zero -undriven -init; abc -g AND -fast; \
                  opt_clean; write_aiger -zinit miter.aig";
    let run = |program: &str, args: &[&str]| -> String {
        let out = Command::new(program).args(args).current_dir(dir.path()).output();
        let out = out.unwrap_or_else(|e| panic!("{program}: {e}"));
        format!("{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr))
    };
    let said = run("yosys", &["-q", "-p", script]);
    assert!(!said.contains("ERROR"), "{said}");
    let said =
        run("yosys-abc", &["-c", "read_aiger miter.aig; strash; bmc3 -F 12 -T 5; scorr -C 20000; pdr -T 20"]);
    if said.contains("Property proved") {
        Verdict::Same
    } else if said.contains("was asserted") {
        Verdict::Different
    } else {
        Verdict::Unknown
    }
}
