//! H7 at the cores: every state machine alone between ideal neighbours, in Verilator, counted to the cycle.
//!
//! One top holds each core with the two-entry buffers that stand behind it in a PE, nothing else: no switch, no link.
//! So a count is the core's own, and the constant is the registers a token passes: the accepted operands of a stream,
//! then one buffer. [`crate::throughput`] measures the same machines in a whole fabric.
//!
//! Guarantees: [`Cores::measure`] gives a count only when the tokens are those of the golden model and nothing is left
//! in the core. Refuses, as a diagnostic, everything else that the Verilog does.

use loom_base::stall::{BoundaryPort, Stalls};
use loom_base::{truncate, Diagnostic, Diagnostics, Source};
use loom_cosim::model::{build, BuildOptions, Built, Model, PortSpec};
use loom_dfg::{interp, ContCond, Counter, Graph, StepOp};
use loom_hdl::ir::{Design, Dir, Expr, Module};
use loom_hdl::leaf;
use std::path::Path;
use std::sync::Arc;

/// Bits of every value here.
pub const WIDTH: u32 = 32;

const TOP: &str = "loom_h7_cores";

/// Cycles a unit may still move tokens after all expected ones came.
const DRAIN: u64 = 8;

/// A core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Core {
    /// `dataflow.stream`
    Stream(StepOp),
    /// `dataflow.gate`
    Gate,
    /// `dataflow.carry`
    Carry,
    /// `dataflow.invariant`
    Invariant,
}

/// One measurement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct H7Row {
    /// Who.
    pub unit: Core,
    /// True conditions of an activation.
    pub n: u64,
    /// How many activations, one right after the other.
    pub activations: u64,
    /// From the first input transfer to the last output transfer, both counted. Where nothing comes out (a gate
    /// with N = 0) to the last input transfer.
    pub cycles: u64,
}

/// What a unit did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Played {
    /// By output: its tokens.
    pub outputs: Vec<Vec<u64>>,
    /// By input: how many tokens it took.
    pub taken: Vec<usize>,
    /// As in [`H7Row::cycles`]; 0 when nothing moved.
    pub cycles: u64,
    /// All tokens were taken and all expected ones came.
    pub completed: bool,
    /// Something is left in the core or its buffers.
    pub busy: bool,
    /// `zero_step_error` of a stream.
    pub zero_step: bool,
}

/// Channels of one side: name and width.
type Ports = &'static [(&'static str, u32)];

impl Core {
    /// All of them.
    pub const ALL: [Core; 9] = [
        Core::Stream(StepOp::Add),
        Core::Stream(StepOp::Sub),
        Core::Stream(StepOp::Mul),
        Core::Stream(StepOp::Div),
        Core::Stream(StepOp::Shl),
        Core::Stream(StepOp::Shr),
        Core::Gate,
        Core::Carry,
        Core::Invariant,
    ];

    /// Its name, which is also the prefix of its ports.
    pub fn name(self) -> String {
        match self {
            Core::Stream(op) => format!("stream_{}", op.name()),
            Core::Gate => "gate".into(),
            Core::Carry => "carry".into(),
            Core::Invariant => "invariant".into(),
        }
    }

    fn module(self) -> Arc<Module> {
        match self {
            Core::Stream(op) => leaf::stream(WIDTH, Counter::signed(op)),
            Core::Gate => leaf::gate(WIDTH),
            Core::Carry => leaf::carry(WIDTH),
            Core::Invariant => leaf::invariant(WIDTH),
        }
    }

    /// Input and output channels with their widths, in the order of the op's operands and results.
    fn channels(self) -> (Ports, Ports) {
        match self {
            Core::Stream(_) => {
                (&[("start", WIDTH), ("step", WIDTH), ("bound", WIDTH)], &[("o_idx", WIDTH), ("o_cont", 1)])
            }
            Core::Gate => (&[("value", WIDTH), ("cond", 1)], &[("o_value", WIDTH), ("o_cond", 1)]),
            Core::Carry => (&[("d", 1), ("a", WIDTH), ("b", WIDTH)], &[("o", WIDTH)]),
            Core::Invariant => (&[("d", 1), ("a", WIDTH)], &[("o", WIDTH)]),
        }
    }

    /// The condition that [`Core::inputs`] is made for.
    pub fn cont_cond(self) -> ContCond {
        match self {
            Core::Stream(StepOp::Sub | StepOp::Div | StepOp::Shr) => ContCond::Gt,
            _ => ContCond::Lt,
        }
    }

    /// A graph of this op alone.
    pub fn graph(self, cont_cond: ContCond) -> Result<Graph, Diagnostics> {
        let text = match self {
            Core::Stream(op) => format!(
                "handshake.func @stream(%a: index, %b: index, %c: index, ...) -> (index, i1)\n\
                 attributes {{argNames = [\"start\", \"step\", \"bound\"], resNames = [\"idx\", \"cont\"]}} {{\n\
                 %idx, %cont = \"dataflow.stream\"(%a, %b, %c) {{step_op = \"{}\", cont_cond = \"{}\"}} : \
                 (index, index, index) -> (index, i1)\nreturn %idx, %cont : index, i1\n}}\n",
                op.text(),
                cont_cond.text()
            ),
            Core::Gate => include_str!("../../../kernels/gate/gate.dfg.mlir").into(),
            Core::Carry => include_str!("../../../kernels/carry/carry.dfg.mlir").into(),
            Core::Invariant => include_str!("../../../kernels/invariant/invariant.dfg.mlir").into(),
        };
        loom_dfg::parse(&Source::new(self.name(), text))
    }

    /// The largest N that 32 bits can count to with [`Core::inputs`].
    pub fn most(self) -> u64 {
        match self {
            Core::Stream(StepOp::Mul | StepOp::Div | StepOp::Shl | StepOp::Shr) => 30,
            _ => u64::MAX,
        }
    }

    /// Operands of `activations` activations with N true conditions each.
    pub fn inputs(self, activations: u64, n: u64) -> Vec<Vec<u64>> {
        let same = |operands: [u64; 3]| operands.iter().map(|&v| vec![v; activations as usize]).collect();
        let conditions: Vec<u64> = (0..activations).flat_map(|_| (0..=n).map(|k| u64::from(k < n))).collect();
        // Values that tell every token of every input apart.
        let values =
            |k: u64, salt: u64| (0..k).map(|i| truncate(i * 0x0101_0101 + salt, WIDTH)).collect::<Vec<_>>();
        match self {
            Core::Stream(StepOp::Add) => same([0, 1, n]),
            Core::Stream(StepOp::Sub) => same([n, 1, 0]),
            Core::Stream(StepOp::Mul) => same([1, 2, 1 << n]),
            Core::Stream(StepOp::Div) => same([1 << n, 2, 1]),
            Core::Stream(StepOp::Shl) => same([1, 1, 1 << n]),
            Core::Stream(StepOp::Shr) => same([1 << n, 1, 1]),
            Core::Gate => vec![values(activations * (n + 1), 7), conditions],
            Core::Carry => vec![conditions, values(activations, 3), values(activations * n, 0x8000_0000)],
            Core::Invariant => vec![conditions, values(activations, 3)],
        }
    }

    /// Cycles beyond one for each pair: what a division takes.
    pub fn extra(self, activations: u64, n: u64) -> u64 {
        match self {
            Core::Stream(StepOp::Div) => activations * n * u64::from(WIDTH),
            _ => 0,
        }
    }
}

/// All cores in one module; ports are `<unit>_<channel>_<signal>`, `<unit>_busy`, and for a stream `cont_cond` and its
/// errors.
fn top() -> Arc<Module> {
    let mut m = Module::new(TOP);
    m.doc("Every state machine with the two-entry buffers behind it, side by side, for measuring.");
    for unit in Core::ALL {
        let prefix = unit.name();
        let core = unit.module();
        let (ins, outs) = unit.channels();
        let mut pins: Vec<(String, Expr)> = Vec::new();
        for &(name, width) in ins {
            pins.push((format!("{name}_valid"), m.input(&format!("{prefix}_{name}_valid"), 1)));
            pins.push((format!("{name}_ready"), m.output(&format!("{prefix}_{name}_ready"), 1)));
            pins.push((format!("{name}_data"), m.input(&format!("{prefix}_{name}_data"), width)));
        }
        if matches!(unit, Core::Stream(_)) {
            pins.push(("cont_cond".into(), m.input(&format!("{prefix}_cont_cond"), ContCond::BITS)));
            for error in ["zero_step_error", "onehot_error"] {
                pins.push((error.into(), m.output(&format!("{prefix}_{error}"), 1)));
            }
        }
        let mut busy = Expr::zero(1);
        for &(name, width) in outs {
            let push = m.declare(&format!("{prefix}_{name}_push"), 1);
            let room = m.declare(&format!("{prefix}_{name}_room"), 1);
            let data = m.declare(&format!("{prefix}_{name}_pushed"), width);
            let valid = m.output(&format!("{prefix}_{name}_valid"), 1);
            let ready = m.input(&format!("{prefix}_{name}_ready"), 1);
            let out = m.output(&format!("{prefix}_{name}_data"), width);
            let buffer = m.instance(
                &format!("{prefix}_{name}_buffer"),
                &leaf::elastic_buffer(width, 0),
                &[
                    ("in_valid", push.clone()),
                    ("in_ready", room.clone()),
                    ("in_data", data.clone()),
                    ("out_valid", valid),
                    ("out_ready", ready),
                    ("out_data", out),
                ],
            );
            busy = busy.or(&buffer.out("busy"));
            pins.push((format!("{name}_push"), push));
            pins.push((format!("{name}_room"), room));
            pins.push((format!("{name}_data"), data));
        }
        let pins: Vec<(&str, Expr)> = pins.iter().map(|(name, e)| (name.as_str(), e.clone())).collect();
        let core = m.instance(&format!("{prefix}_core"), &core, &pins);
        m.assign_output(&format!("{prefix}_busy"), busy.or(&core.out("busy")));
    }
    m.finish()
}

/// The verilated cores.
pub struct Cores {
    built: Arc<Built>,
}

struct Pin {
    valid: u32,
    ready: u32,
    data: u32,
}

impl Cores {
    /// Builds them, or finds them in the cache.
    pub fn new(cache: &Path) -> Result<Cores, Diagnostics> {
        let top = top();
        let mut design = Design::new();
        design.add(&top);
        design.check(TOP).map_err(|errors| {
            let list = errors.into_iter();
            list.map(|e| Diagnostic::error(loom_cosim::codes::TOOL_FAILED, e.to_string()))
                .collect::<Diagnostics>()
        })?;
        let mut ports: Vec<PortSpec> = ["clk", "rst_n"]
            .map(|name| PortSpec { name: name.into(), width: 1, input: true })
            .into_iter()
            .collect();
        ports.extend(top.ports.iter().map(|p| PortSpec {
            name: p.name.clone(),
            width: p.width,
            input: p.dir == Dir::In,
        }));
        let options = BuildOptions { trace: false, optimise: true };
        Ok(Cores { built: build(&design.files(), TOP, &ports, options, cache)? })
    }

    /// Plays tokens at one unit from reset on: each input's next token is there unless the source stalls, each output
    /// is ready unless the sink stalls. Ends some cycles after `expected` tokens came at each output and all inputs
    /// were taken, or after `max_cycles`.
    pub fn play(
        &self,
        unit: Core,
        cont_cond: ContCond,
        inputs: &[Vec<u64>],
        expected: &[usize],
        stalls: &Stalls,
        max_cycles: u64,
    ) -> Played {
        let mut model = self.built.instance();
        let prefix = unit.name();
        let pin = |model: &Model, name: &str| Pin {
            valid: model.port(&format!("{prefix}_{name}_valid")),
            ready: model.port(&format!("{prefix}_{name}_ready")),
            data: model.port(&format!("{prefix}_{name}_data")),
        };
        let (ins, outs) = unit.channels();
        let ins: Vec<Pin> = ins.iter().map(|(name, _)| pin(&model, name)).collect();
        let outs: Vec<Pin> = outs.iter().map(|(name, _)| pin(&model, name)).collect();
        for (port, spec) in self.built.ports().iter().enumerate().filter(|(_, p)| p.input) {
            let value = if spec.name == format!("{prefix}_cont_cond") { cont_cond.one_hot() } else { 0 };
            model.set(port as u32, value);
        }
        let clk = model.port("clk");
        let edge = |model: &mut Model| {
            for level in [1, 0] {
                model.set(clk, level);
                model.eval();
            }
        };
        let rst_n = model.port("rst_n");
        for _ in 0..2 {
            model.eval();
            edge(&mut model);
        }
        model.set(rst_n, 1);

        let mut played =
            Played { outputs: vec![Vec::new(); outs.len()], taken: vec![0; ins.len()], ..Played::default() };
        let mut offered = vec![false; ins.len()];
        let (mut first, mut last_in, mut last_out) = (None, 0, None);
        let mut end = max_cycles;
        let mut cycle = 0;
        loop {
            if !played.completed
                && (0..ins.len()).all(|k| played.taken[k] == inputs[k].len())
                && (0..outs.len()).all(|k| played.outputs[k].len() >= expected[k])
            {
                played.completed = true;
                end = cycle + DRAIN;
            }
            if cycle >= end {
                break;
            }
            for (k, pin) in ins.iter().enumerate() {
                let next = inputs[k].get(played.taken[k]);
                offered[k] |= next.is_some() && !stalls.stalled(BoundaryPort::Input(k), cycle);
                model.set(pin.valid, u64::from(offered[k]));
                model.set(pin.data, next.copied().unwrap_or(0));
            }
            let ready: Vec<bool> = (0..outs.len())
                .map(|k| played.completed || !stalls.stalled(BoundaryPort::Output(k), cycle))
                .collect();
            for (pin, &ready) in outs.iter().zip(&ready) {
                model.set(pin.ready, u64::from(ready));
            }
            model.eval();
            for (k, pin) in ins.iter().enumerate() {
                if offered[k] && model.get(pin.ready) == 1 {
                    first.get_or_insert(cycle);
                    last_in = cycle;
                    played.taken[k] += 1;
                    offered[k] = false;
                }
            }
            for (k, pin) in outs.iter().enumerate() {
                if ready[k] && model.get(pin.valid) == 1 {
                    last_out = Some(cycle);
                    played.outputs[k].push(model.get(pin.data));
                }
            }
            edge(&mut model);
            cycle += 1;
        }
        played.cycles = first.map_or(0, |first| last_out.unwrap_or(last_in) + 1 - first);
        played.busy = model.get(model.port(&format!("{prefix}_busy"))) == 1;
        played.zero_step =
            model.find(&format!("{prefix}_zero_step_error")).is_some_and(|port| model.get(port) == 1);
        played
    }

    /// Plays a unit's tokens and compares with the golden model.
    pub fn check(
        &self,
        unit: Core,
        cont_cond: ContCond,
        inputs: &[Vec<u64>],
        stalls: &Stalls,
    ) -> Result<Played, Diagnostics> {
        let refuse = |text: String| vec![Diagnostic::error(loom_flow::codes::MISMATCH, text)];
        let name = unit.name();
        let options = interp::InterpOptions { index_width: WIDTH, ..interp::InterpOptions::default() };
        let golden = interp::run(&unit.graph(cont_cond)?, inputs, &options);
        if !golden.is_complete() {
            return Err(refuse(format!("`{name}`: the golden model does not finish: {:?}", golden.stop)));
        }
        let expected: Vec<usize> = golden.outputs.iter().map(Vec::len).collect();
        let tokens = inputs.iter().map(Vec::len).chain(expected.iter().copied()).sum::<usize>() as u64;
        // Ten times the tokens covers stalls of three cycles in four, and a division after every pair.
        let budget = 1000 + tokens * (10 + u64::from(WIDTH));
        let played = self.play(unit, cont_cond, inputs, &expected, stalls, budget);
        if let Some(k) = (0..expected.len()).find(|&k| played.outputs[k] != golden.outputs[k]) {
            let (got, want) = (&played.outputs[k], &golden.outputs[k]);
            let at = (0..).find(|&at| got.get(at) != want.get(at)).unwrap_or(0);
            return Err(refuse(format!(
                "token {at} of output {k} of `{name}`: golden {:x?}, Verilog {:x?}",
                want.get(at),
                got.get(at)
            )));
        }
        if !played.completed || played.busy || played.zero_step {
            return Err(refuse(format!(
                "`{name}` is not at rest after its tokens: {:?} of {:?} taken, busy {}, zero step {}",
                played.taken,
                inputs.iter().map(Vec::len).collect::<Vec<_>>(),
                played.busy,
                played.zero_step
            )));
        }
        Ok(played)
    }

    /// A activations of trip count N between ideal neighbours.
    pub fn measure(&self, unit: Core, activations: u64, n: u64) -> Result<H7Row, Diagnostics> {
        let inputs = unit.inputs(activations, n);
        let cycles = self.check(unit, unit.cont_cond(), &inputs, &Stalls::NONE)?.cycles;
        Ok(H7Row { unit, n, activations, cycles })
    }
}
