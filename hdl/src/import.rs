//! rust-hdl blocks as IR modules.
//!
//! A [`Probe`] walks the block once: its ports and locals come from `visit_atom`, its logic is the AST that
//! `#[hdl_gen]` made of the same function that rust-hdl simulates. The AST is executed symbolically, so that what is
//! assigned on every path becomes one expression per signal, and no latch can be written unnoticed. Each register
//! leaf named `x` becomes the register `x_q` of the module.
//!
//! Guarantees: module and simulation come from one source; nothing of rust-hdl's own printer is used.
//! Refuses, by panicking with the block's and the signal's name (a mistake in a control block, never user input):
//! signals wider than a bit, reads before assignment, assignments missing on some path, a register not clocked by
//! `clk` and reset by `rst_n`, sub-blocks other than registers, and AST forms the control blocks do not use.

use crate::control::REG_MARKER;
use crate::ir::{Expr, Module, Reg};
use rust_hdl::core::ast::{
    VerilogBlockOrConditional, VerilogExpression, VerilogOp, VerilogOpUnary, VerilogStatement,
};
use rust_hdl::prelude::{Atom, AtomKind, Block, Probe, Verilog};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The IR module of a control block.
pub fn import(name: &str, doc: &str, block: &dyn Block) -> Arc<Module> {
    let mut shape = Shape::default();
    block.accept(name, &mut shape);
    let mut importer = Importer {
        module: Module::new(name),
        regs: BTreeMap::new(),
        env: BTreeMap::new(),
        once: BTreeMap::new(),
        outputs: BTreeMap::new(),
    };
    importer.module.doc(doc);
    importer.run(&shape);
    importer.module.finish()
}

/// What the probe saw.
#[derive(Default)]
struct Shape {
    depth: usize,
    sub_block: String,
    signals: Vec<(String, AtomKind)>,
    regs: Vec<String>,
    code: Vec<VerilogStatement>,
}

impl Probe for Shape {
    fn visit_start_scope(&mut self, name: &str, node: &dyn Block) {
        self.depth += 1;
        match (self.depth, node.hdl()) {
            (1, Verilog::Combinatorial(code)) => self.code = code,
            (2, Verilog::Custom(text)) if text == REG_MARKER => {
                self.regs.push(name.to_string());
                self.sub_block = name.to_string();
            }
            _ => panic!("block `{name}` is neither a control block nor a register"),
        }
    }

    fn visit_atom(&mut self, name: &str, signal: &dyn Atom) {
        assert!(signal.bits() == 1, "signal `{name}` of {} bits: control is single bits", signal.bits());
        if self.depth == 1 {
            self.signals.push((name.to_string(), signal.kind()));
        }
    }

    fn visit_end_scope(&mut self, _name: &str, _node: &dyn Block) {
        self.depth -= 1;
    }
}

struct Importer {
    module: Module,
    regs: BTreeMap<String, Reg>,
    /// The value each signal has where the execution stands.
    env: BTreeMap<String, Expr>,
    /// How often each signal is assigned in the text.
    once: BTreeMap<String, usize>,
    /// Outputs that are ports.
    outputs: BTreeMap<String, Expr>,
}

/// The AST's name of a signal: no `.next`, `$` between a register and its pin.
fn plain(name: &str) -> String {
    name.trim_start_matches('.').replace('.', "$").trim_end_matches("$next").to_string()
}

fn count_assignments(code: &[VerilogStatement], count: &mut BTreeMap<String, usize>) {
    for statement in code {
        match statement {
            VerilogStatement::Assignment(VerilogExpression::Signal(name), _) => {
                *count.entry(plain(name)).or_insert(0) += 1;
            }
            VerilogStatement::If(c) => {
                count_assignments(&c.then, count);
                match &c.otherwise {
                    VerilogBlockOrConditional::Block(b) => count_assignments(b, count),
                    VerilogBlockOrConditional::Conditional(s) => {
                        count_assignments(std::slice::from_ref(s.as_ref()), count);
                    }
                    VerilogBlockOrConditional::None => {}
                }
            }
            _ => {}
        }
    }
}

/// `condition ? then : otherwise` on bits, with constant sides as plain gates.
fn mux_bit(condition: &Expr, then: &Expr, otherwise: &Expr) -> Expr {
    let is = |e: &Expr, v: u32| e.as_const().is_some_and(|c| *c == v.into());
    if is(then, 1) {
        condition | otherwise
    } else if is(then, 0) {
        !condition & otherwise
    } else if is(otherwise, 0) {
        condition & then
    } else if is(otherwise, 1) {
        !condition | then
    } else {
        condition.mux(then, otherwise)
    }
}

impl Importer {
    fn run(&mut self, shape: &Shape) {
        for (name, kind) in &shape.signals {
            match kind {
                AtomKind::InputParameter if name == "clk" || name == "rst_n" => {}
                AtomKind::InputParameter => {
                    let e = self.module.input(name, 1);
                    self.env.insert(name.clone(), e);
                }
                AtomKind::OutputParameter => {
                    let e = self.module.output(name, 1);
                    self.outputs.insert(name.clone(), e);
                }
                AtomKind::LocalSignal => {}
                _ => panic!("signal `{name}` of module {} has no place here", self.module.name),
            }
        }
        for name in &shape.regs {
            let reg = self.module.reg(&format!("{name}_q"), 1, 0u32);
            self.env.insert(format!("{name}$q"), reg.q.clone());
            self.regs.insert(name.clone(), reg);
        }
        count_assignments(&shape.code, &mut self.once);
        self.block(&shape.code, true);
        for (name, port) in self.outputs.clone() {
            if self.once.get(&name).copied() != Some(1) {
                let value = self.value(&name);
                self.module.drive(&port, value);
            }
        }
        for (name, reg) in self.regs.clone() {
            for (pin, source) in [("clock", "clk"), ("reset_n", "rst_n")] {
                let pin = format!("{name}${pin}");
                assert!(
                    self.once.remove(&format!("{pin}={source}")).is_some(),
                    "`{pin}` of module {} is not `{source}`",
                    self.module.name
                );
            }
            let value = self.value(&format!("{name}$d"));
            self.module.next(&reg, None, value);
        }
    }

    fn value(&self, name: &str) -> Expr {
        match self.env.get(name) {
            Some(e) => e.clone(),
            None => panic!("`{name}` of module {} is read or left without a value", self.module.name),
        }
    }

    fn block(&mut self, code: &[VerilogStatement], top: bool) {
        for statement in code {
            match statement {
                VerilogStatement::Assignment(VerilogExpression::Signal(target), value) => {
                    self.assign(&plain(target), value, top);
                }
                VerilogStatement::If(c) => {
                    let condition = self.expr(&c.test);
                    let before = self.env.clone();
                    self.block(&c.then, false);
                    let then = std::mem::replace(&mut self.env, before);
                    match &c.otherwise {
                        VerilogBlockOrConditional::Block(b) => self.block(b, false),
                        VerilogBlockOrConditional::Conditional(s) => {
                            self.block(std::slice::from_ref(s.as_ref()), false);
                        }
                        VerilogBlockOrConditional::None => {}
                    }
                    self.merge(&condition, then);
                }
                VerilogStatement::Comment(text) => {
                    self.module.comment(text);
                }
                VerilogStatement::Macro(inner) => self.block(inner, top),
                other => panic!("module {}: {other:?} is not imported", self.module.name),
            }
        }
    }

    /// Joins the two sides of a condition; what only one side assigned has no value afterwards.
    fn merge(&mut self, condition: &Expr, then: BTreeMap<String, Expr>) {
        let otherwise = std::mem::take(&mut self.env);
        for (name, t) in then {
            if let Some(f) = otherwise.get(&name) {
                let same = match (t.as_net(), f.as_net()) {
                    (Some(a), Some(b)) => a == b,
                    _ => std::ptr::eq(t.node(), f.node()),
                };
                self.env.insert(name, if same { t } else { mux_bit(condition, &t, f) });
            }
        }
    }

    fn assign(&mut self, target: &str, value: &VerilogExpression, top: bool) {
        if target.ends_with("$clock") || target.ends_with("$reset_n") {
            let VerilogExpression::Signal(source) = value else {
                panic!("`{target}` of module {} is computed", self.module.name)
            };
            self.once.insert(format!("{target}={}", plain(source)), 1);
            return;
        }
        let value = self.expr(value);
        let only = top && self.once.get(target).copied() == Some(1);
        let value = match self.outputs.get(target) {
            Some(port) if only => {
                let port = port.clone();
                self.module.drive(&port, value);
                port
            }
            None if only && !target.contains('$') => self.module.wire(target, value),
            _ => value,
        };
        self.env.insert(target.to_string(), value);
    }

    fn expr(&self, e: &VerilogExpression) -> Expr {
        match e {
            VerilogExpression::Signal(name) => self.value(&plain(name)),
            VerilogExpression::Literal(v) => Expr::bit_const(v.as_usize() == 1),
            VerilogExpression::Paren(inner) => self.expr(inner),
            VerilogExpression::Unary(VerilogOpUnary::Not, a) => !self.expr(a),
            VerilogExpression::Binary(a, op, b) => {
                let (a, b) = (self.expr(a), self.expr(b));
                match op {
                    VerilogOp::LogicalAnd | VerilogOp::BitAnd => a & b,
                    VerilogOp::LogicalOr | VerilogOp::BitOr => a | b,
                    VerilogOp::BitXor | VerilogOp::Ne => a ^ b,
                    VerilogOp::Eq => !(a ^ b),
                    other => panic!("module {}: operator {other:?} is not imported", self.module.name),
                }
            }
            other => panic!("module {}: {other:?} is not imported", self.module.name),
        }
    }
}
