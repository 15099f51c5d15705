//! The Verilog printer: one module, plain Verilog-2005.
//!
//! Guarantees: every literal sized, every operand of an operator of the same width as its result (or self-determined:
//! concatenations, comparisons, `$signed`/`$unsigned`), so that Verilog's width and sign rules never change a value. One
//! `assign` per wire, one clocked block, no `initial`, no implicit nets, no line above 120 columns. Parentheses stand
//! where two different operators meet, whatever their precedence; `a & b & c` has none.
//!
//! Verilog has no part select of an expression, so the operand of such a slice is printed as a wire of its own. Constants
//! with a name become `localparam`s.

use super::expr::{Binary, Expr, ExprKind, Unary};
use super::gate::{CLOCK_GATES, GATE_MODULE};
use super::layout::{comment, Text, COLUMNS};
use super::module::{Dir, Item, Module};
use num_bigint::BigUint;
use std::fmt::Write;

/// The module's text.
pub fn print(m: &Module) -> String {
    Printer { m, out: String::with_capacity(4096), hoisted: Vec::new(), slices: 0 }.module()
}

struct Printer<'a> {
    m: &'a Module,
    out: String,
    hoisted: Vec<String>,
    slices: usize,
}

fn range(width: u32) -> String {
    if width == 1 {
        String::new()
    } else {
        format!("[{}:0] ", width - 1)
    }
}

fn literal(width: u32, value: &BigUint) -> String {
    if width == 1 {
        format!("1'b{value}")
    } else if value.bits() <= 16 {
        format!("{width}'d{value}")
    } else {
        format!("{width}'h{value:x}")
    }
}

impl Printer<'_> {
    fn module(mut self) -> String {
        let m = self.m;
        for line in &m.doc {
            comment(&mut self.out, 0, if line.is_empty() { "\n" } else { line });
        }
        self.out.push_str("`default_nettype none\n\n");
        writeln!(self.out, "module {} (", m.name).unwrap();
        let mut ports: Vec<String> = Vec::new();
        if m.needs_clk() {
            ports.push("  input  wire clk".into());
        }
        if m.needs_rst() {
            ports.push("  input  wire rst_n".into());
        }
        for p in m.ports.iter().filter(|p| p.width > 0) {
            let dir = if p.dir == Dir::In { "input " } else { "output" };
            ports.push(format!("  {dir} wire {}{}", range(p.width), p.name));
        }
        self.out.push_str(&ports.join(",\n"));
        self.out.push_str("\n);\n");
        self.parameters();
        let mut unused = Vec::new();
        for item in &m.items {
            self.item(item, &mut unused);
        }
        self.unused(&unused);
        self.clocked_block();
        self.out.push_str("endmodule\n\n`default_nettype wire\n");
        self.out
    }

    /// Constants with a name, in the order of their first use.
    fn parameters(&mut self) {
        let mut names: Vec<(u32, &str, &BigUint)> = Vec::new();
        self.m.for_each_value(&mut |e| {
            e.for_each_constant(&mut |width, name, value| {
                if !names.iter().any(|(_, n, _)| *n == name) {
                    names.push((width, name, value));
                }
            });
        });
        for (width, name, value) in names {
            writeln!(self.out, "  localparam {}{name} = {};", range(width), literal(width, value)).unwrap();
        }
    }

    fn flush_hoisted(&mut self) {
        for line in self.hoisted.drain(..) {
            self.out.push_str(&line);
        }
    }

    /// A statement: its beginning, and the value up to the semicolon.
    fn statement(&mut self, indent: usize, begin: &str, value: &Expr) {
        let value = self.text(value);
        self.flush_hoisted();
        write_statement(&mut self.out, indent, begin, &value, ";\n");
    }

    fn item<'b>(&mut self, item: &'b Item, unused: &mut Vec<&'b Expr>) {
        let m = self.m;
        match item {
            Item::Comment(text) => {
                self.out.push('\n');
                comment(&mut self.out, 2, text);
            }
            Item::Declare(id) => {
                let net = &m.nets[id.index()];
                writeln!(self.out, "  wire {}{};", range(net.width), net.name).unwrap();
            }
            Item::Wire(id, value) => {
                let net = &m.nets[id.index()];
                self.statement(2, &format!("wire {}{} =", range(net.width), net.name), value);
            }
            Item::Assign(id, value) => {
                self.statement(2, &format!("assign {} =", m.nets[id.index()].name), value);
            }
            Item::Reg(index) => {
                let net = &m.nets[m.regs[*index].net.index()];
                writeln!(self.out, "  reg {}{};", range(net.width), net.name).unwrap();
            }
            Item::Mem(index) => {
                let mem = &m.mems[*index];
                writeln!(self.out, "  reg {}{} [0:{}];", range(mem.width), mem.name, mem.depth - 1).unwrap();
            }
            Item::MemRead(id, index, address) => {
                let word = self.word(*index, address);
                self.flush_hoisted();
                let net = &m.nets[id.index()];
                let begin = format!("wire {}{} =", range(net.width), net.name);
                write_statement(&mut self.out, 2, &begin, &word, ";\n");
            }
            Item::Instance(index) => self.instance(*index),
            Item::Unused(value) => unused.push(value),
        }
    }

    /// A memory's word at an address.
    fn word(&mut self, index: usize, address: &Expr) -> Text {
        Text::List(format!("{}[", self.m.mems[index].name), vec![self.text(address)], "]")
    }

    fn unused(&mut self, unused: &[&Expr]) {
        if unused.is_empty() {
            return;
        }
        self.out.push_str("\n  // Deliberately not read; named so that lint tools know.\n");
        let mut parts = vec![Text::Atom("1'b0".into())];
        parts.extend(unused.iter().map(|e| self.text(e)));
        self.flush_hoisted();
        let name = if self.m.is_taken("unused_ok") { "unused_ok_" } else { "unused_ok" };
        let all = Text::List("&{".into(), parts, "}");
        write_statement(&mut self.out, 2, &format!("wire {name} ="), &all, ";\n");
    }

    fn instance(&mut self, index: usize) {
        let m = self.m;
        let def = &m.instances[index];
        let mut pins: Vec<(usize, Text)> = Vec::new();
        for (port, value) in &def.inputs {
            pins.push((*port, self.text(value)));
        }
        for (port, net) in &def.outputs {
            pins.push((*port, Text::Atom(m.nets[net.index()].name.to_string())));
        }
        pins.sort_by_key(|(port, _)| *port);
        self.flush_hoisted();
        write!(self.out, "  {} {} (", def.module.name, def.name).unwrap();
        let clocks = [("clk", def.module.needs_clk()), ("rst_n", def.module.needs_rst())];
        let clocks = clocks.iter().filter(|(_, needed)| *needed);
        let clocks = clocks.map(|(name, _)| (*name, Text::Atom((*name).into())));
        let pins = pins.into_iter().map(|(port, value)| (def.module.ports[port].name.as_str(), value));
        for (k, (port, value)) in clocks.chain(pins).enumerate() {
            self.out.push_str(if k == 0 { "\n" } else { ",\n" });
            write!(self.out, "    .{port}(").unwrap();
            value.write(&mut self.out, 6, 2);
            self.out.push(')');
        }
        self.out.push_str("\n  );\n");
    }

    fn clocked_block(&mut self) {
        let m = self.m;
        if m.regs.is_empty() && m.mems.is_empty() {
            return;
        }
        let mut resets = String::new();
        let mut guarded = String::new();
        let mut free = String::new();
        for reg in &m.regs {
            let net = &m.nets[reg.net.index()];
            if let Some(v) = &reg.reset {
                writeln!(resets, "      {} <= {};", net.name, literal(net.width, v)).unwrap();
            }
            let (target, indent) = if reg.reset.is_some() { (&mut guarded, 6) } else { (&mut free, 4) };
            for (enable, value) in &reg.next {
                let value = self.text(value);
                let enable = enable.as_ref().map(|e| self.text(e));
                update(target, indent, enable.as_ref(), &net.name, &value);
            }
        }
        for (index, mem) in m.mems.iter().enumerate() {
            for (enable, address, data) in &mem.writes {
                let parts = enable.width();
                let word = self.word(index, address).flat();
                if parts == 1 {
                    let (enable, data) = (self.text(enable), self.text(data));
                    update(&mut free, 4, Some(&enable), &word, &data);
                    continue;
                }
                let size = mem.width / parts;
                for part in 0..parts {
                    let (low, high) = (part * size, part * size + size - 1);
                    let enable = self.text(&enable.bit(part));
                    let data = self.text(&data.slice(low, size));
                    update(&mut free, 4, Some(&enable), &format!("{word}[{high}:{low}]"), &data);
                }
            }
        }
        self.out.push('\n');
        self.flush_hoisted();
        if m.is_gated() {
            self.gated_block();
        }
        self.out.push_str("  always @(posedge clk) begin\n");
        if !resets.is_empty() {
            self.out.push_str("    if (!rst_n) begin\n");
            self.out.push_str(&resets);
            self.out.push_str("    end else begin\n");
            self.out.push_str(&guarded);
            self.out.push_str("    end\n");
        }
        self.out.push_str(&free);
        self.out.push_str("  end\n");
        if m.is_gated() {
            self.out.push_str("`endif\n");
        }
    }

    /// What stands in the place of the clocked block where clocks are gated.
    fn gated_block(&mut self) {
        let m = self.m;
        assert!(m.mems.is_empty() && m.regs.iter().all(|r| r.gated), "`{}` has clocks of two kinds", m.name);
        // A register that is never held has the clock itself.
        let mut blocks: Vec<(Option<String>, String)> = Vec::new();
        for reg in &m.regs {
            for (enable, value) in &reg.next {
                let (enable, value) = (enable.as_ref().map(|e| self.text(e).flat()), self.text(value));
                let at = blocks.iter().position(|b| b.0 == enable).unwrap_or(blocks.len());
                if at == blocks.len() {
                    blocks.push((enable, String::new()));
                }
                update(&mut blocks[at].1, 4, None, &m.nets[reg.net.index()].name, &value);
            }
        }
        writeln!(self.out, "`ifdef {CLOCK_GATES}\n  wire unused_reset = &{{1'b0, rst_n}};").unwrap();
        for (at, (enable, updates)) in blocks.iter().enumerate() {
            let mut clock = "clk".to_string();
            if let Some(enable) = enable {
                clock = format!("gated_clk{at}");
                let pins = format!(".clk(clk), .enable({enable}), .gated_clk({clock})");
                writeln!(self.out, "  wire {clock};\n  {GATE_MODULE} clock_gate{at} ({pins});").unwrap();
            }
            writeln!(self.out, "  always @(posedge {clock}) begin\n{updates}  end").unwrap();
        }
        self.out.push_str("`else\n");
    }

    /// An expression as a whole: no parentheses around it.
    fn text(&mut self, e: &Expr) -> Text {
        match e.node() {
            ExprKind::Empty => unreachable!("a value of width 0 reached the printer"),
            ExprKind::Const(_, Some(name)) => Text::Atom(name.to_string()),
            ExprKind::Const(v, None) => Text::Atom(literal(e.width(), v)),
            ExprKind::Net(_, name) => Text::Atom(name.to_string()),
            ExprKind::Unary(op, a) => {
                let op = match op {
                    Unary::Not => "~",
                    Unary::Neg => "-",
                    Unary::RedAnd => "&",
                    Unary::RedOr => "|",
                    Unary::RedXor => "^",
                };
                // Verilog's grammar has no operator before another.
                let operand = match a.node() {
                    ExprKind::Unary(..) => self.text(a).parenthesized(),
                    _ => self.operand(a),
                };
                Text::Prefix(op, Box::new(operand))
            }
            ExprKind::Binary(op, a, b) => self.binary(*op, a, b),
            ExprKind::Mux(c, t, f) => {
                let condition = self.operand(c);
                let then = if matches!(t.node(), ExprKind::Mux(..)) { self.operand(t) } else { self.text(t) };
                Text::Choice(Box::new(condition), Box::new(then), Box::new(self.text(f)))
            }
            ExprKind::Concat(parts) => {
                Text::List("{".into(), parts.iter().map(|p| self.text(p)).collect(), "}")
            }
            ExprKind::Slice(inner, lo) => {
                let name = self.named(inner);
                Text::Atom(if e.width() == 1 {
                    format!("{name}[{lo}]")
                } else {
                    format!("{name}[{}:{lo}]", lo + e.width() - 1)
                })
            }
            ExprKind::Repeat(inner, times) => {
                Text::List(format!("{{{times}{{"), vec![self.text(inner)], "}}")
            }
        }
    }

    /// An expression beside another operator: in parentheses when it has one of its own, but for `~`.
    fn operand(&mut self, e: &Expr) -> Text {
        let text = self.text(e);
        match e.node() {
            ExprKind::Unary(Unary::Not, _) | ExprKind::Binary(Binary::Sshr, ..) => text,
            ExprKind::Unary(..) | ExprKind::Binary(..) | ExprKind::Mux(..) => text.parenthesized(),
            _ => text,
        }
    }

    fn binary(&mut self, op: Binary, a: &Expr, b: &Expr) -> Text {
        let (signed, text) = match op {
            Binary::And => (false, "&"),
            Binary::Or => (false, "|"),
            Binary::Xor => (false, "^"),
            Binary::Add => (false, "+"),
            Binary::Sub => (false, "-"),
            Binary::Mul => (false, "*"),
            Binary::Eq => (false, "=="),
            Binary::Ne => (false, "!="),
            Binary::Ult => (false, "<"),
            Binary::Ule => (false, "<="),
            Binary::Slt => (true, "<"),
            Binary::Sle => (true, "<="),
            Binary::Shl => (false, "<<"),
            Binary::Shr => (false, ">>"),
            Binary::Sshr => (false, ">>>"),
        };
        let signed_call = |text: Text| Text::List("$signed(".into(), vec![text], ")");
        match op {
            Binary::And | Binary::Or | Binary::Xor => {
                let mut operands = Vec::new();
                self.chain(op, a, &mut operands);
                self.chain(op, b, &mut operands);
                Text::Chain(text, operands)
            }
            Binary::Sshr => {
                // `$unsigned` makes the shift self-determined: an unsigned neighbour would turn it logical.
                let shift = Text::Chain(text, vec![signed_call(self.text(a)), self.operand(b)]);
                Text::List("$unsigned(".into(), vec![shift], ")")
            }
            _ if signed => Text::Chain(text, vec![signed_call(self.text(a)), signed_call(self.text(b))]),
            _ => Text::Chain(text, vec![self.operand(a), self.operand(b)]),
        }
    }

    /// The operands of a tree of one bitwise operator, from left to right.
    fn chain(&mut self, op: Binary, e: &Expr, operands: &mut Vec<Text>) {
        match e.node() {
            ExprKind::Binary(inner, a, b) if *inner == op => {
                self.chain(op, a, operands);
                self.chain(op, b, operands);
            }
            _ => operands.push(self.operand(e)),
        }
    }

    /// The name of a net with the expression's value, made on the spot when it is not a net.
    fn named(&mut self, e: &Expr) -> String {
        if let ExprKind::Net(_, name) = e.node() {
            return name.to_string();
        }
        let value = self.text(e);
        let name = loop {
            let name = format!("slice_{}", self.slices);
            self.slices += 1;
            if !self.m.is_taken(&name) {
                break name;
            }
        };
        let mut line = String::new();
        write_statement(&mut line, 2, &format!("wire {}{name} =", range(e.width())), &value, ";\n");
        self.hoisted.push(line);
        name
    }
}

/// A statement that ends in a value: on one line, or with the value on lines of its own.
fn write_statement(out: &mut String, indent: usize, begin: &str, value: &Text, end: &str) {
    let start = format!("{}{begin}", " ".repeat(indent));
    out.push_str(&start);
    let fits = start.len() + 1 + value.flat().len() + end.trim_end().len() <= COLUMNS;
    match value {
        // A list opens on the line it belongs to.
        _ if fits => out.push(' '),
        Text::List(_, items, _) if items.len() > 1 => out.push(' '),
        _ => {
            out.push('\n');
            out.push_str(&" ".repeat(indent + 2));
        }
    }
    let inner = if matches!(value, Text::List(_, items, _) if items.len() > 1) { indent } else { indent + 2 };
    value.write(out, inner, end.trim_end().len());
    out.push_str(end);
}

/// A register's or a word's next value, under an enable.
fn update(out: &mut String, indent: usize, enable: Option<&Text>, target: &str, value: &Text) {
    let Some(enable) = enable else {
        return write_statement(out, indent, &format!("{target} <="), value, ";\n");
    };
    let begin = format!("if ({}) {target} <=", enable.flat());
    if indent + begin.len() + value.flat().len() + 2 <= COLUMNS {
        return write_statement(out, indent, &begin, value, ";\n");
    }
    out.push_str(&" ".repeat(indent));
    out.push_str("if (");
    enable.write(out, indent + 4, 1);
    out.push_str(")\n");
    write_statement(out, indent + 2, &format!("{target} <="), value, ";\n");
}
