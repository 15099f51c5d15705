//! What the evaluator did, once more in a Verilog simulator.

use crate::tools::{self, tool, write_files};
use loom_hdl::ir::module::ModulePort;
use loom_hdl::ir::{Dir, Module};
use num_bigint::BigUint;
use std::fmt::Write;
use std::process::Command;
use std::sync::Arc;

/// Every port of the module in every cycle after reset, as the evaluator has them, against the printed text.
///
/// What is not valid is not compared; outputs named in `unknown` may show bits that the simulator does not know.
pub fn replay(module: &Arc<Module>, record: &[Vec<BigUint>], unknown: &[&str]) {
    let ports: Vec<&ModulePort> = module.ports.iter().filter(|p| p.width > 0).collect();
    let (mut vector, mut text, mut shows) = (0, String::new(), String::new());
    let mut pins = vec![".clk(clk)".to_string(), ".rst_n(rst_n)".into()];
    for p in &ports {
        let (name, width) = (&p.name, p.width);
        if p.dir == Dir::In {
            pins.push(format!(".{name}(v[{vector}+:{width}])"));
            vector += width;
        } else {
            let _ = writeln!(text, "  wire [{}:0] {name};", width - 1);
            let _ = writeln!(shows, "      $display(\"%h\", {name});");
            pins.push(format!(".{name}({name})"));
        }
    }
    let cycles = record.len();
    let text = format!(
        "module bench;\n  reg clk, rst_n;\n  reg [{0}:0] v;\n  reg [{0}:0] vectors [0:{1}];\n  integer k;\n{text}\
         \x20 {2} dut ({3});\n  initial begin\n    $readmemh(\"vectors.hex\", vectors);\n\
         \x20   clk = 0; rst_n = 0; v = vectors[0]; #1 clk = 1; #1 clk = 0; #1 rst_n = 1;\n\
         \x20   for (k = 0; k < {cycles}; k = k + 1) begin\n      v = vectors[k]; #1;\n{shows}\
         \x20     clk = 1; #1 clk = 0; #1;\n    end\n  end\nendmodule\n",
        vector - 1,
        cycles - 1,
        module.name,
        pins.join(", ")
    );
    let mut hex = String::new();
    for cycle in record {
        let mut all = BigUint::default();
        let inputs = ports.iter().zip(cycle).filter(|(p, _)| p.dir == Dir::In);
        for (p, value) in inputs.collect::<Vec<_>>().into_iter().rev() {
            all = (all << p.width) | value;
        }
        let _ = writeln!(hex, "{all:x}");
    }
    let dir = tempfile::tempdir().expect("temporary folder");
    let files = write_files(module, dir.path());
    std::fs::write(dir.path().join("bench.v"), text).expect("writable");
    std::fs::write(dir.path().join("vectors.hex"), hex).expect("writable");
    let command = |name: &str| {
        let mut command = Command::new(tool(name, "iverilog"));
        command.current_dir(dir.path());
        command
    };
    tools::run(command("iverilog").args(["-g2001", "-o", "bench", "bench.v"]).args(&files));
    let shown = tools::run(command("vvp").args(["-n", "bench"]));
    let mut lines = shown.lines();
    for (at, cycle) in record.iter().enumerate() {
        let of = |name: &str| ports.iter().position(|p| p.name == name).map(|i| &cycle[i]);
        for (p, want) in ports.iter().zip(cycle).filter(|(p, _)| p.dir == Dir::Out) {
            let got = lines.next().expect("a line for each output").trim();
            let channel = p.name.strip_suffix("_data").or(p.name.strip_suffix("_tag")).unwrap_or(&p.name);
            let axi = p.name.strip_prefix("axi_").map(|n| &n[..if n.starts_with('a') { 2 } else { 1 }]);
            let valid = of(&format!("{channel}_valid")).or(axi.and_then(|c| of(&format!("axi_{c}valid"))));
            if valid.is_some_and(|v| v.bits() == 0) && !p.name.ends_with("valid") {
                continue;
            }
            let digits = format!("{want:0>width$x}", width = got.len());
            let unwritten = unknown.contains(&p.name.as_str());
            let same = got.chars().zip(digits.chars()).all(|(g, w)| g == w || g == 'x' && unwritten);
            assert!(
                same,
                "{} cycle {at}: `{}` is {got} in Verilog, {digits} in the evaluator",
                module.name, p.name
            );
        }
    }
}
