//! The Verilog printer: one module, plain Verilog-2005.
//!
//! Guarantees: every nested operand in parentheses, every literal sized, every operand of an operator of the same
//! width as its result (or self-determined: concatenations, comparisons, `$signed`/`$unsigned`), so that Verilog's
//! width and sign rules never change a value. One `assign` per wire, one clocked block, no `initial`.
//!
//! Verilog has no part select of an expression, so the operand of such a slice is printed as a wire of its own.

use super::expr::{Binary, Expr, Node, Unary};
use super::module::{Dir, Item, Module};
use num_bigint::BigUint;
use std::fmt::Write;

/// Longest line before a list is broken into one element per line.
const LINE: usize = 110;

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
            self.comment_line("", line);
        }
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
        let mut unused = Vec::new();
        for item in &m.items {
            self.item(item, &mut unused);
        }
        if !unused.is_empty() {
            self.out.push_str("\n  // Deliberately not read; named so that lint tools know.\n");
            let parts: Vec<String> = unused.iter().map(|e| self.expr(e)).collect();
            self.flush_hoisted();
            let name = if m.is_taken("unused_ok") { "unused_ok_" } else { "unused_ok" };
            writeln!(self.out, "  wire {name} = &{{1'b0, {}}};", parts.join(", ")).unwrap();
        }
        self.clocked_block();
        self.out.push_str("endmodule\n");
        self.out
    }

    fn comment_line(&mut self, indent: &str, line: &str) {
        let line = line.trim_end();
        let space = if line.is_empty() { "" } else { " " };
        writeln!(self.out, "{indent}//{space}{line}").unwrap();
    }

    fn flush_hoisted(&mut self) {
        for line in self.hoisted.drain(..) {
            self.out.push_str(&line);
        }
    }

    fn item<'b>(&mut self, item: &'b Item, unused: &mut Vec<&'b Expr>) {
        let m = self.m;
        match item {
            Item::Comment(text) => {
                self.out.push('\n');
                for line in text.lines() {
                    self.comment_line("  ", line);
                }
            }
            Item::Declare(id) => {
                let net = &m.nets[id.index()];
                writeln!(self.out, "  wire {}{};", range(net.width), net.name).unwrap();
            }
            Item::Wire(id, value) => {
                let value = self.top(value);
                self.flush_hoisted();
                let net = &m.nets[id.index()];
                writeln!(self.out, "  wire {}{} = {value};", range(net.width), net.name).unwrap();
            }
            Item::Assign(id, value) => {
                let value = self.top(value);
                self.flush_hoisted();
                writeln!(self.out, "  assign {} = {value};", m.nets[id.index()].name).unwrap();
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
                let address = self.top(address);
                self.flush_hoisted();
                let net = &m.nets[id.index()];
                let mem = &m.mems[*index].name;
                writeln!(self.out, "  wire {}{} = {mem}[{address}];", range(net.width), net.name).unwrap();
            }
            Item::Instance(index) => self.instance(*index),
            Item::Unused(value) => unused.push(value),
        }
    }

    fn instance(&mut self, index: usize) {
        let m = self.m;
        let def = &m.instances[index];
        let mut pins: Vec<(usize, String)> = Vec::new();
        for (port, value) in &def.inputs {
            let value = self.top(value);
            pins.push((*port, value));
        }
        for (port, net) in &def.outputs {
            pins.push((*port, m.nets[net.index()].name.to_string()));
        }
        pins.sort_by_key(|(port, _)| *port);
        self.flush_hoisted();
        let mut lines: Vec<String> = Vec::new();
        if def.module.needs_clk() {
            lines.push(".clk(clk)".into());
        }
        if def.module.needs_rst() {
            lines.push(".rst_n(rst_n)".into());
        }
        lines.extend(pins.iter().map(|(p, v)| format!(".{}({v})", def.module.ports[*p].name)));
        let total: usize = lines.iter().map(|l| l.len() + 2).sum();
        if total + def.module.name.len() + def.name.len() < LINE - 8 {
            writeln!(self.out, "  {} {} ({});", def.module.name, def.name, lines.join(", ")).unwrap();
        } else {
            writeln!(self.out, "  {} {} (\n    {}\n  );", def.module.name, def.name, lines.join(",\n    "))
                .unwrap();
        }
    }

    fn clocked_block(&mut self) {
        let m = self.m;
        if m.regs.is_empty() && m.mems.is_empty() {
            return;
        }
        let mut resets = String::new();
        let mut guarded: Vec<String> = Vec::new();
        let mut free: Vec<String> = Vec::new();
        for reg in &m.regs {
            let net = &m.nets[reg.net.index()];
            if let Some(v) = &reg.reset {
                writeln!(resets, "      {} <= {};", net.name, literal(net.width, v)).unwrap();
            }
            let target = if reg.reset.is_some() { &mut guarded } else { &mut free };
            for (enable, value) in &reg.next {
                let value = self.top(value);
                let line = match enable {
                    Some(e) => format!("if ({}) {} <= {value};\n", self.top(e), net.name),
                    None => format!("{} <= {value};\n", net.name),
                };
                target.push(line);
            }
        }
        for mem in &m.mems {
            for (enable, address, data) in &mem.writes {
                let (parts, address) = (enable.width(), self.top(address));
                if parts == 1 {
                    let (enable, data) = (self.top(enable), self.top(data));
                    free.push(format!("if ({enable}) {}[{address}] <= {data};\n", mem.name));
                    continue;
                }
                let size = mem.width / parts;
                for part in 0..parts {
                    let (low, high) = (part * size, part * size + size - 1);
                    let enable = self.top(&enable.bit(part));
                    let data = self.top(&data.slice(low, size));
                    free.push(format!("if ({enable}) {}[{address}][{high}:{low}] <= {data};\n", mem.name));
                }
            }
        }
        self.out.push('\n');
        self.flush_hoisted();
        self.out.push_str("  always @(posedge clk) begin\n");
        if !resets.is_empty() {
            self.out.push_str("    if (!rst_n) begin\n");
            self.out.push_str(&resets);
            self.out.push_str("    end else begin\n");
            for line in guarded {
                self.out.push_str("      ");
                self.out.push_str(&line);
            }
            self.out.push_str("    end\n");
        }
        for line in free {
            self.out.push_str("    ");
            self.out.push_str(&line);
        }
        self.out.push_str("  end\n");
    }

    /// An expression at the top of a statement or between brackets: no parentheses around it.
    fn top(&mut self, e: &Expr) -> String {
        let s = self.expr(e);
        if matches!(e.node(), Node::Binary(op, ..) if *op != Binary::Sshr)
            || matches!(e.node(), Node::Mux(..) | Node::Unary(..))
        {
            s[1..s.len() - 1].to_string()
        } else {
            s
        }
    }

    /// An expression as an operand: a name, a literal, a concatenation, a call, or something in parentheses.
    fn expr(&mut self, e: &Expr) -> String {
        match e.node() {
            Node::Empty => unreachable!("a value of width 0 reached the printer"),
            Node::Const(v) => literal(e.width(), v),
            Node::Net(_, name) => name.to_string(),
            Node::Unary(op, a) => {
                let a = self.expr(a);
                let op = match op {
                    Unary::Not => "~",
                    Unary::Neg => "-",
                    Unary::RedAnd => "&",
                    Unary::RedOr => "|",
                    Unary::RedXor => "^",
                };
                format!("({op}{a})")
            }
            Node::Binary(op, a, b) => self.binary(*op, a, b),
            Node::Mux(c, t, f) => {
                let (c, t, f) = (self.expr(c), self.expr(t), self.expr(f));
                format!("({c} ? {t} : {f})")
            }
            Node::Concat(parts) => {
                let parts: Vec<String> = parts.iter().map(|p| self.top_in_concat(p)).collect();
                format!("{{{}}}", parts.join(", "))
            }
            Node::Slice(inner, lo) => {
                let name = self.named(inner);
                if e.width() == 1 {
                    format!("{name}[{lo}]")
                } else {
                    format!("{name}[{}:{lo}]", lo + e.width() - 1)
                }
            }
            Node::Repeat(inner, times) => {
                let inner = self.top_in_concat(inner);
                format!("{{{times}{{{inner}}}}}")
            }
        }
    }

    /// Operands of a concatenation are self-determined, but keep their parentheses for the reader.
    fn top_in_concat(&mut self, e: &Expr) -> String {
        self.expr(e)
    }

    fn binary(&mut self, op: Binary, a: &Expr, b: &Expr) -> String {
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
            Binary::Sshr => {
                // `$unsigned` makes the shift self-determined: an unsigned neighbour would turn it logical.
                let (a, b) = (self.top(a), self.expr(b));
                return format!("$unsigned($signed({a}) >>> {b})");
            }
        };
        if signed {
            let (a, b) = (self.top(a), self.top(b));
            format!("($signed({a}) {text} $signed({b}))")
        } else {
            let (a, b) = (self.expr(a), self.expr(b));
            format!("({a} {text} {b})")
        }
    }

    /// The name of a net with the expression's value, made on the spot when it is not a net.
    fn named(&mut self, e: &Expr) -> String {
        if let Node::Net(_, name) = e.node() {
            return name.to_string();
        }
        let value = self.top(e);
        let name = loop {
            let name = format!("slice_{}", self.slices);
            self.slices += 1;
            if !self.m.is_taken(&name) {
                break name;
            }
        };
        self.hoisted.push(format!("  wire {}{name} = {value};\n", range(e.width())));
        name
    }
}
