//! Configuration behind clock gates: the gated Verilog, whose slices hold anything before an image comes, does in every cycle what the
//! other form does, for one image and for another after it.

use crate::loader::kernel;
use loom_adg::Image;
use loom_gen::fabric::Direction;
use loom_hdl::ir::{Module, CLOCK_GATES, GATE_MODULE};
use loom_map::Mapping;
use loom_testkit::fabrics::fabric;
use loom_testkit::tools::{run, tool};
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

/// Kernels, one loaded after the other, with the tokens of each argument.
const KERNELS: [(&str, &[&[u64]]); 2] =
    [("sum", &[&[0, 0, 0], &[1, 1, 1], &[5, 0, 10], &[0, 7, 100]]), ("gate", &[&[4, 5, 6], &[1, 1, 0]])];

/// A kernel on the fabric.
type OnMesh = (Mapping, Image);

/// Where the words of all slices are.
fn places(module: &Module, path: &str, found: &mut Vec<String>) {
    if module.is_gated() {
        found.extend(module.regs.iter().map(|r| format!("{path}.{}", module.nets[r.net.index()].name)));
    }
    for instance in &module.instances {
        places(&instance.module, &format!("{path}.{}", instance.name), found);
    }
}

/// A bench around the top that loads each image when the one before is idle, offers its tokens, and prints what the
/// outputs are in each cycle. Where clocks are gated, slices hold after the reset what is drawn from `SEED`.
fn bench(loaded: &[OnMesh], top: &loom_gen::Elaborated) -> String {
    let mut out = String::from(
        "module bench;\n  reg clk = 0;\n  reg rst_n = 0;\n  integer run = 0;\n  integer seed;\n",
    );
    let (mut pins, mut shown) = (Vec::new(), Vec::new());
    for port in top.ports().into_iter().filter(|p| !["clk", "rst_n"].contains(&p.name.as_str())) {
        let range = if port.width > 1 { format!("[{}:0] ", port.width - 1) } else { String::new() };
        match port.direction {
            Direction::Input => {
                // Sinks are ready and memory is silent.
                let first = u8::from(port.name.starts_with("out"));
                let _ = writeln!(out, "  reg {range}{} = {first};", port.name);
            }
            Direction::Output => {
                let _ = writeln!(out, "  wire {range}{};", port.name);
                match port.name.strip_suffix("_data") {
                    Some(channel) => {
                        shown.push(format!("({channel}_valid ? {} : {}'d0)", port.name, port.width))
                    }
                    None => shown.push(port.name.clone()),
                }
            }
        }
        pins.push(format!(".{0}({0})", port.name));
    }
    let _ = writeln!(out, "  {} top (.clk(clk), .rst_n(rst_n), {});", top.top, pins.join(", "));
    let mut slices = Vec::new();
    places(top.design.get(&top.top).expect("the top"), "top", &mut slices);
    assert!(slices.len() > 100, "{} words", slices.len());
    // Before the end of the reset gates may open, and slices take what is not known.
    out.push_str("  always #5 clk = ~clk;\n  initial begin\n    repeat (3) @(negedge clk);\n");
    let _ = writeln!(out, "`ifdef {CLOCK_GATES}\n    seed = `SEED;");
    for word in &slices {
        let _ = writeln!(out, "    {word} = $random(seed);");
    }
    out.push_str("`endif\n    rst_n = 1;\n");
    for ((name, tokens), (mapping, image)) in KERNELS.iter().zip(loaded) {
        let words = image.words.len();
        let _ = writeln!(
            out,
            "    // {name}\n    run = run + 1;\n    while (!cfg_ready) @(negedge clk);\n    cfg_valid = 1;"
        );
        for (k, word) in image.words.iter().enumerate() {
            let _ = writeln!(
                out,
                "    cfg_data = 32'h{word:x}; cfg_last = {}; @(negedge clk);",
                u8::from(k + 1 == words)
            );
        }
        out.push_str(
            "    cfg_valid = 0;\n    cfg_last = 0;\n    while (!cfg_done) @(negedge clk);\n    fork\n",
        );
        for (tokens, port) in tokens.iter().zip(&mapping.arguments) {
            let k = port.expect("used");
            let _ = write!(out, "      begin in{k}_valid = 1;");
            for token in *tokens {
                let _ = write!(out, " in{k}_data = {token}; @(posedge clk); while (!in{k}_ready) @(posedge clk); @(negedge clk);");
            }
            let _ = writeln!(out, " in{k}_valid = 0; end");
        }
        out.push_str("    join\n    repeat (200) @(negedge clk);\n");
    }
    let _ = writeln!(out, "    $finish;\n  end");
    let shown = shown.join(", ");
    let _ = writeln!(
        out,
        "  always @(posedge clk) if (rst_n) $display(\"%0d %b %b\", run, cfg_done, {{{shown}}});\nendmodule"
    );
    out
}

/// What Icarus prints of the bench in a folder.
fn trace(folder: &Path, files: &[String], options: &[&str]) -> Vec<String> {
    let model = folder.join("bench.vvp");
    run(Command::new(tool("iverilog", "iverilog"))
        .current_dir(folder)
        .args(["-g2005", "-o"])
        .arg(&model)
        .args(options)
        .args(files));
    run(Command::new(tool("vvp", "iverilog")).arg(&model))
        .lines()
        .filter(|l| l.contains(' '))
        .map(String::from)
        .collect()
}

#[test]
fn gated_configuration_does_the_same_without_a_reset() {
    let f = fabric("configs/mesh-2x2.toml");
    let loaded = KERNELS.map(|(name, _)| {
        let (_, mapping, image) = kernel(&f, name);
        (mapping, image)
    });
    let made = loom_gen::elaborate(&f).expect("well formed hardware");
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in made.files() {
        std::fs::write(folder.path().join(name), text).expect("writable");
    }
    std::fs::write(folder.path().join("bench.v"), bench(&loaded, &made)).expect("writable");
    let mut files = made.filelist();
    assert!(files.contains(&format!("{GATE_MODULE}.v")));
    files.push("bench.v".into());
    let plain = trace(folder.path(), &files, &[]);
    assert!(plain.len() > 500 && plain.iter().all(|l| !l.contains('x')), "{plain:?}");
    for seed in 1..4 {
        let gated = trace(folder.path(), &files, &["-D", CLOCK_GATES, "-D", &format!("SEED={seed}")]);
        let differs = plain.iter().zip(&gated).position(|(p, g)| p != g);
        assert!(plain.len() == gated.len() && differs.is_none(), "in cycle {differs:?} with seed {seed}");
    }
    // Both kernels gave their tokens: some cycles of each run show more than the first one after loading.
    for run in ["1 1 ", "2 1 "] {
        let cycles: std::collections::BTreeSet<&String> =
            plain.iter().filter(|l| l.starts_with(run)).collect();
        assert!(cycles.len() > 3, "{run}: {cycles:?}");
    }
}
