//! The printed Verilog of every module of the default fabrics, of `configs/units.toml` and of `configs/tags.toml` does
//! in a Verilog simulator what the IR evaluator does: every output, in every cycle, resets included.
//!
//! Each distinct module is run alone. Its instances are stubs: their inputs are compared as outputs are, and their
//! outputs are inputs as random as the module's own. So a module's text is met with everything its parts might do,
//! and what holds for each module holds for the whole. (`hdl/tests/control.rs` ties rust-hdl to the evaluator.)

use loom_adg::Fabric;
use loom_base::{Rng, Source};
use loom_hdl::ir::module::ModulePort;
use loom_hdl::ir::print::print;
use loom_hdl::ir::{Design, Dir, Evaluator, Module};
use num_bigint::BigUint;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

/// Cycles of a module whose inputs cannot all be tried, and of one with many pins.
const CYCLES: usize = 250;
const FEW_CYCLES: usize = 100;
const MANY_PINS: usize = 400;
/// A module without state and with at most so many input bits sees all their values.
const EXHAUSTIVE_BITS: u32 = 10;

/// The distinct modules, by text, of all fabrics in `configs/`.
fn modules() -> Vec<Arc<Module>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs");
    let mut paths: Vec<_> =
        std::fs::read_dir(folder).expect("a folder").map(|e| e.expect("readable").path()).collect();
    paths.retain(|p| p.extension().is_some_and(|e| e == "toml"));
    paths.sort();
    let mut seen = BTreeSet::new();
    let mut all = Vec::new();
    for path in paths {
        let text = std::fs::read_to_string(&path).expect("readable");
        let adg = loom_adg::toml::read(&Source::new("fabric.toml", text)).expect("a legal fabric");
        let fabric = loom_gen::elaborate(&Fabric::new(adg)).expect("well formed hardware");
        all.extend(fabric.design.modules().filter(|m| seen.insert(print(m))).cloned());
    }
    all
}

/// A value that a port or a stub has, and its name below the module: `in_valid`, `buffer0.out_data`.
struct Pin {
    path: String,
    width: u32,
    stub: bool,
}

/// A module whose instances are stubs, under a name of its own.
struct Alone {
    module: Arc<Module>,
    inputs: Vec<Pin>,
    outputs: Vec<Pin>,
}

/// The module's ports and nothing else.
fn stub(module: &Module) -> Arc<Module> {
    let mut m = Module::new(format!("{}_stub", module.name));
    for port in &module.ports {
        match port.dir {
            Dir::In => m.input(&port.name, port.width),
            Dir::Out => m.output(&port.name, port.width),
        };
    }
    // A register, for `clk` and `rst_n`.
    if module.needs_rst() {
        let reg = m.reg("stub_q", 1, 0u32);
        m.next(&reg, None, reg.q.clone());
    } else if module.needs_clk() {
        let reg = m.reg_no_reset("stub_q", 1);
        m.next(&reg, None, reg.q.clone());
    }
    m.finish()
}

impl Alone {
    fn new(module: &Module, number: usize, stubs: &mut BTreeMap<String, Arc<Module>>) -> Alone {
        let mut module = module.clone();
        module.name = format!("m{number}_{}", module.name);
        let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
        let mut pin = |port: &ModulePort, instance: Option<&str>, inwards: bool| {
            let path = instance.map_or(port.name.clone(), |i| format!("{i}.{}", port.name));
            let list = if inwards { &mut inputs } else { &mut outputs };
            if port.width > 0 {
                list.push(Pin { path, width: port.width, stub: instance.is_some() });
            }
        };
        module.ports.iter().for_each(|p| pin(p, None, p.dir == Dir::In));
        for instance in &mut module.instances {
            instance.module.ports.iter().for_each(|p| pin(p, Some(&instance.name), p.dir == Dir::Out));
            let name = instance.module.name.clone();
            instance.module = stubs.entry(name).or_insert_with(|| stub(&instance.module)).clone();
        }
        Alone { module: Arc::new(module), inputs, outputs }
    }

    fn bits(pins: &[Pin]) -> u32 {
        pins.iter().map(|p| p.width).sum()
    }

    /// Runs it in the evaluator. A line for each cycle: `rst_n`, the inputs, the outputs.
    fn evaluate(&self, rng: &mut Rng) -> String {
        let all = Self::bits(&self.inputs);
        let exhaustive = self.module.regs.is_empty() && self.module.mems.is_empty() && all <= EXHAUSTIVE_BITS;
        let many = self.inputs.len() + self.outputs.len() > MANY_PINS;
        let cycles = match (exhaustive, many) {
            (true, _) => 1 << all,
            (false, true) => FEW_CYCLES,
            (false, false) => CYCLES,
        };
        let mut sim = Evaluator::new(&self.module);
        let mut values: Vec<BigUint> = vec![BigUint::default(); self.inputs.len()];
        // How often each input changes, in percent: drawn anew now and then, so that some stay for long.
        let mut restless = vec![100; self.inputs.len()];
        let mut record = String::new();
        for cycle in 0..cycles {
            let reset = cycle == 0 || rng.chance(2);
            for (k, pin) in self.inputs.iter().enumerate() {
                if rng.chance(3) {
                    restless[k] = *rng.pick(&[0, 10, 50, 100]);
                }
                if exhaustive {
                    let below = Self::bits(&self.inputs[..k]);
                    values[k] = BigUint::from(cycle >> below & ((1 << pin.width) - 1));
                } else if cycle == 0 || rng.chance(restless[k]) {
                    values[k] = random_value(rng, pin.width);
                }
                match pin.stub {
                    true => sim.poke(&pin.path, values[k].clone()),
                    false => sim.set(&pin.path, values[k].clone()),
                }
            }
            record.push(if reset { '0' } else { '1' });
            for value in &values {
                let _ = write!(record, " {value:x}");
            }
            for pin in &self.outputs {
                let _ = write!(record, " {:x}", sim.peek(&pin.path));
            }
            record.push('\n');
            match reset {
                true => sim.reset(),
                false => sim.tick(),
            }
        }
        record
    }

    /// A bench that reads `<name>.vec`, a line for each cycle with `rst_n`, the inputs and the outputs, and tells the
    /// first cycle that differs. Each pin is read for itself: simulators are slow with wide vectors.
    fn bench(&self) -> String {
        let (name, m) = (&self.module.name, &self.module);
        let mut pins = Vec::new();
        for (needed, port) in [(m.needs_clk(), ".clk(clk)"), (m.needs_rst(), ".rst_n(rst_n)")] {
            pins.extend(needed.then(|| port.to_string()));
        }
        let (mut nets, mut set, mut compare) = (String::new(), String::new(), String::new());
        for (k, pin) in self.inputs.iter().enumerate() {
            let _ = writeln!(nets, "  reg [{}:0] i{k};", pin.width - 1);
            let (target, path) = match pin.stub {
                true => (format!("dut.{}", pin.path), String::new()),
                false => (format!("i{k}"), format!(".{}(i{k})", pin.path)),
            };
            let _ = writeln!(set, "      n = $fscanf(f, \"%h\", {target});");
            pins.extend((!pin.stub).then_some(path));
        }
        for (k, pin) in self.outputs.iter().enumerate() {
            let _ = writeln!(nets, "  reg [{0}:0] w{k};\n  wire [{0}:0] o{k};", pin.width - 1);
            match pin.stub {
                true => drop(writeln!(nets, "  assign o{k} = dut.{};", pin.path)),
                false => pins.push(format!(".{}(o{k})", pin.path)),
            }
            let _ = writeln!(
                compare,
                "      n = $fscanf(f, \"%h\", w{k});\n      if (o{k} !== w{k} && !bad) begin bad = 1; \
                 $display(\"{name} cycle %0d: {} is %h, not %h\", k, o{k}, w{k}); end",
                pin.path
            );
        }
        // Registers without reset and memories start at 0 in the evaluator.
        let mut start = String::new();
        for reg in &m.regs {
            let _ = write!(start, " dut.{} = 0;", m.nets[reg.net.index()].name);
        }
        for mem in &m.mems {
            let _ = write!(start, " for (k = 0; k < {}; k = k + 1) dut.{}[k] = 0;", mem.depth, mem.name);
        }
        format!(
            "module bench_{name};\n  reg clk, rst_n, bad;\n  integer f, k, n;\n{nets}\
             \x20 {name} dut ({pins});\n  initial begin\n    clk = 0; bad = 0;{start}\n\
             \x20   f = $fopen(\"{name}.vec\", \"r\");\n    k = 0;\n\
             \x20   while ($fscanf(f, \"%b\", rst_n) == 1) begin\n{set}      #1;\n{compare}\
             \x20     clk = 1; #1 clk = 0; #1;\n      k = k + 1;\n    end\n    $fclose(f);\n\
             \x20   if (!bad) $display(\"same {name} %0d\", k);\n  end\nendmodule\n",
            pins = pins.join(", "),
        )
    }
}

/// Any value, ends and small ones more often.
fn random_value(rng: &mut Rng, width: u32) -> BigUint {
    let mask = (BigUint::from(1u32) << width) - 1u32;
    match rng.below(8) {
        0 => BigUint::default(),
        1 => mask,
        2 => BigUint::from(1u32) << (rng.below(width as usize)),
        3 => BigUint::from(rng.below(9)) & mask,
        _ => {
            let digits = (0..width.div_ceil(32)).map(|_| rng.next_u64() as u32).collect();
            BigUint::new(digits) & mask
        }
    }
}

/// The stub's text: outputs are registers, for the bench to set.
fn stub_text(stub: &Module) -> String {
    let clocks = [(stub.needs_clk(), "clk"), (stub.needs_rst(), "rst_n")];
    let mut ports: Vec<String> =
        clocks.iter().filter(|c| c.0).map(|c| format!("input wire {}", c.1)).collect();
    for port in stub.ports.iter().filter(|p| p.width > 0) {
        let kind = if port.dir == Dir::In { "input wire" } else { "output reg" };
        ports.push(format!("{kind} [{}:0] {}", port.width - 1, port.name));
    }
    format!("module {} ({});\nendmodule\n", stub.name, ports.join(", "))
}

fn tool(dir: &Path, name: &str, args: &[&str]) -> String {
    let out = Command::new(name).args(args).current_dir(dir).output();
    let out = out.unwrap_or_else(|e| panic!("`{name}` (Debian package `iverilog`): {e}"));
    let text = format!("{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
    assert!(out.status.success(), "{name} failed:\n{text}");
    text
}

/// Runs the modules in one simulation, what it should print, and what it printed.
fn simulate(modules: &[Arc<Module>], damage: &dyn Fn(String) -> String) -> (Vec<String>, Vec<String>) {
    let dir = tempfile::tempdir().expect("temporary folder");
    let (mut text, mut tops) = (String::new(), String::new());
    let mut stubs = BTreeMap::new();
    let mut rng = Rng::new(1);
    let mut same = Vec::new();
    for (number, module) in modules.iter().enumerate() {
        let alone = Alone::new(module, number, &mut stubs);
        if alone.outputs.is_empty() {
            continue;
        }
        let record = alone.evaluate(&mut rng);
        let name = &alone.module.name;
        same.push(format!("same {name} {}", record.lines().count()));
        std::fs::write(dir.path().join(format!("{name}.vec")), record).expect("writable");
        text.push_str(&damage(print(&alone.module)));
        text.push_str(&alone.bench());
        let _ = writeln!(tops, "  bench_{name} b{number} ();");
    }
    stubs.values().for_each(|s| text.push_str(&stub_text(s)));
    std::fs::write(dir.path().join("all.v"), format!("{text}module all;\n{tops}endmodule\n"))
        .expect("writable");
    tool(dir.path(), "iverilog", &["-g2001", "-s", "all", "-o", "all", "all.v"]);
    let mut shown: Vec<String> = tool(dir.path(), "vvp", &["-n", "all"]).lines().map(String::from).collect();
    same.sort();
    shown.sort();
    (same, shown)
}

#[test]
fn every_module_of_the_fabrics_is_printed_as_it_is_evaluated() {
    let modules = modules();
    assert!(modules.len() > 300, "only {} modules", modules.len());
    // Two simulations, of like size.
    let halves = [0, 1].map(|k| modules.iter().skip(k).step_by(2).cloned().collect::<Vec<_>>());
    let ran = std::thread::scope(|s| {
        let runs = halves.each_ref().map(|half| s.spawn(|| simulate(half, &|text| text)));
        runs.map(|run| run.join().expect("no panic"))
    });
    for (same, shown) in ran {
        let wrong: Vec<&String> = shown.iter().filter(|l| !l.starts_with("same ")).collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
        assert_eq!(shown, same);
    }
}

#[test]
fn a_text_that_differs_is_noticed() {
    let mut design = Design::new();
    design.add(&loom_hdl::leaf::carry(8));
    let modules: Vec<Arc<Module>> = design.modules().cloned().collect();
    for (from, to) in [("looping_q <= take_a |", "looping_q <= "), ("select_b ? b_data : a_data", "b_data")] {
        assert!(modules.iter().any(|m| print(m).contains(from)), "`{from}` is in no module");
        let (_, shown) = simulate(&modules, &|text| text.replace(from, to));
        assert!(shown.iter().any(|l| l.contains(" cycle ")), "{shown:#?}");
    }
}
