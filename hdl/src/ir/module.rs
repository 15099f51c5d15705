//! A hardware module under construction, and finished.
//!
//! Nets, registers, memories and instances are added in reading order, and the printed text keeps that order. An
//! expression can only name what exists already, so every name is declared before its use.
//!
//! The clock `clk` and the synchronous active-low reset `rst_n` are not declared by hand: they are ports whenever a
//! register, a memory or an instance below needs them, and instances are connected to them.
//!
//! Refuses (panics, these are builder mistakes): a port name that is a keyword, not an identifier or taken; a drive
//! of another width, of another module's net or of an input; a connection to a port that is not there. Names of
//! wires, registers and instances that clash get a number behind them. What needs the whole module to be seen (undriven,
//! doubly driven, unused, cycles) is reported by [`super::check`].

use super::expr::{Expr, NetId};
use super::names::{is_identifier, is_keyword};
use num_bigint::BigUint;
use std::collections::HashMap;
use std::sync::Arc;

/// Direction of a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dir {
    /// Into the module.
    In,
    /// Out of the module.
    Out,
}

/// A port. Its net is absent when the width is 0.
#[derive(Clone, Debug)]
pub struct ModulePort {
    /// Name, as printed.
    pub name: String,
    /// Direction.
    pub dir: Dir,
    /// Width in bits, 0 included.
    pub width: u32,
    /// The net, unless the width is 0.
    pub net: Option<NetId>,
}

/// What a net is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NetKind {
    /// An input port.
    Input,
    /// An output port.
    Output,
    /// A wire.
    Wire,
    /// A register; the index into [`Module::regs`].
    Reg(usize),
}

/// A named value.
#[derive(Clone, Debug)]
pub struct Net {
    /// Name, as printed.
    pub name: Arc<str>,
    /// Width in bits, at least 1.
    pub width: u32,
    /// What it is.
    pub kind: NetKind,
}

/// A register's description.
#[derive(Clone, Debug)]
pub struct RegDef {
    /// Its net.
    pub net: NetId,
    /// Value taken while `rst_n` is low; none for data that needs no reset.
    pub reset: Option<BigUint>,
    /// Whether its enable stops its clock, and it has no reset, where the Verilog is read with [`super::CLOCK_GATES`].
    pub gated: bool,
    /// Next values with their enables; one when well formed.
    pub next: Vec<(Option<Expr>, Expr)>,
}

/// A memory: one write port, asynchronous reads. Never reset: read only what was written.
#[derive(Clone, Debug)]
pub struct MemDef {
    /// Name, as printed.
    pub name: String,
    /// Number of words, at least 1.
    pub depth: u32,
    /// Width of a word, at least 1.
    pub width: u32,
    /// Enable, address and data of each write port; one when well formed. The enable has one bit for the word, or one
    /// for each of its parts, the lowest first.
    pub writes: Vec<(Expr, Expr, Expr)>,
}

/// An instance of another module.
#[derive(Clone, Debug)]
pub struct InstanceDef {
    /// Name, as printed.
    pub name: String,
    /// The module.
    pub module: Arc<Module>,
    /// Inputs: index into the module's ports, and the value.
    pub inputs: Vec<(usize, Expr)>,
    /// Outputs: index into the module's ports, and this module's net.
    pub outputs: Vec<(usize, NetId)>,
}

/// One thing of the module's text, in reading order.
#[derive(Clone, Debug)]
pub enum Item {
    /// A line of comment before the next item.
    Comment(String),
    /// A declaration with its value: `wire x = ...`.
    Wire(NetId, Expr),
    /// A declaration; an assign or an instance drives it later.
    Declare(NetId),
    /// The value of a declared wire or of an output.
    Assign(NetId, Expr),
    /// A register's declaration; its next value is printed in the clocked block at the end.
    Reg(usize),
    /// A memory's declaration.
    Mem(usize),
    /// An asynchronous read: net, memory, address.
    MemRead(NetId, usize, Expr),
    /// An instance.
    Instance(usize),
    /// Values deliberately not used.
    Unused(Expr),
}

/// A register: `q` is its value, [`Module::next`] its next value.
#[derive(Clone, Debug)]
pub struct Reg {
    index: Option<usize>,
    /// The register's present value.
    pub q: Expr,
}

/// A memory, to be given to [`Module::mem_read`] and [`Module::mem_write`].
#[derive(Clone, Copy, Debug)]
pub struct Mem {
    index: Option<usize>,
    width: u32,
}

/// An instance's outputs by port name.
#[derive(Clone, Debug)]
pub struct Outputs {
    name: String,
    outputs: HashMap<String, Expr>,
}

impl Outputs {
    /// The value of an output port. Panics when there is none of that name.
    pub fn out(&self, port: &str) -> Expr {
        match self.outputs.get(port) {
            Some(e) => e.clone(),
            None => panic!("instance {} has no output {port}", self.name),
        }
    }
}

/// A hardware module.
#[derive(Clone, Debug)]
pub struct Module {
    /// Name, as printed; also the file's.
    pub name: String,
    /// Header lines: what the module is and guarantees.
    pub doc: Vec<String>,
    /// Ports in order, `clk` and `rst_n` not among them.
    pub ports: Vec<ModulePort>,
    /// Every named value.
    pub nets: Vec<Net>,
    /// Registers.
    pub regs: Vec<RegDef>,
    /// Memories.
    pub mems: Vec<MemDef>,
    /// Instances.
    pub instances: Vec<InstanceDef>,
    /// The text, in reading order.
    pub items: Vec<Item>,
    /// Names taken, with how often a clash was resolved; never iterated.
    names: HashMap<String, u32>,
    needs_clk: bool,
    needs_rst: bool,
}

impl Module {
    /// An empty module. Panics unless the name is an identifier that no tool reserves.
    pub fn new(name: impl Into<String>) -> Self {
        let name = name.into();
        assert!(is_identifier(&name) && !is_keyword(&name), "`{name}` is no module name");
        let mut m = Module {
            name,
            doc: Vec::new(),
            ports: Vec::new(),
            nets: Vec::new(),
            regs: Vec::new(),
            mems: Vec::new(),
            instances: Vec::new(),
            items: Vec::new(),
            names: HashMap::new(),
            needs_clk: false,
            needs_rst: false,
        };
        m.names.insert("clk".into(), 1);
        m.names.insert("rst_n".into(), 1);
        m
    }

    /// Adds lines to the header comment, one per line of `text`.
    pub fn doc(&mut self, text: &str) -> &mut Self {
        self.doc.extend(text.lines().map(|l| l.trim_end().to_string()));
        self
    }

    /// Ends construction; instances of the module share it.
    pub fn finish(self) -> Arc<Module> {
        Arc::new(self)
    }

    /// True when the module has a `clk` port.
    pub fn needs_clk(&self) -> bool {
        self.needs_clk
    }

    /// True when the module has a `rst_n` port.
    pub fn needs_rst(&self) -> bool {
        self.needs_rst
    }

    /// Nets that are wires, in the order of the net table.
    pub fn wires(&self) -> impl Iterator<Item = NetId> + '_ {
        let wires = self.nets.iter().enumerate().filter(|(_, net)| net.kind == NetKind::Wire);
        wires.map(|(at, _)| NetId(at as u32))
    }

    /// The port of that name.
    pub fn port(&self, name: &str) -> Option<&ModulePort> {
        self.ports.iter().find(|p| p.name == name)
    }

    /// Calls `f` with every value in the module: of wires, outputs, pins, registers and memories.
    pub fn for_each_value<'a>(&'a self, f: &mut dyn FnMut(&'a Expr)) {
        for item in &self.items {
            match item {
                Item::Wire(_, value) | Item::Assign(_, value) | Item::MemRead(_, _, value) => f(value),
                Item::Instance(index) => self.instances[*index].inputs.iter().for_each(|(_, value)| f(value)),
                Item::Comment(_) | Item::Declare(_) | Item::Reg(_) | Item::Mem(_) | Item::Unused(_) => {}
            }
        }
        for (enable, value) in self.regs.iter().flat_map(|reg| &reg.next) {
            enable.iter().for_each(&mut *f);
            f(value);
        }
        for (enable, address, data) in self.mems.iter().flat_map(|mem| &mem.writes) {
            [enable, address, data].into_iter().for_each(&mut *f);
        }
    }

    fn free_name(&mut self, wanted: &str) -> String {
        assert!(is_identifier(wanted), "`{wanted}` is no identifier (module {})", self.name);
        let mut name = wanted.to_string();
        if is_keyword(wanted) {
            name.push_str("_w");
        }
        while self.names.contains_key(&name) {
            let count = self.names.entry(wanted.to_string()).or_insert(1);
            *count += 1;
            name = format!("{wanted}_{count}");
        }
        self.names.insert(name.clone(), 1);
        name
    }

    /// True when a net, memory or instance has the name.
    pub fn is_taken(&self, name: &str) -> bool {
        self.names.contains_key(name)
    }

    fn add_net(&mut self, name: String, width: u32, kind: NetKind) -> (NetId, Expr) {
        let id = NetId(u32::try_from(self.nets.len()).expect("fewer than 2^32 nets"));
        let name: Arc<str> = name.into();
        self.nets.push(Net { name: name.clone(), width, kind });
        (id, Expr::net(id, name, width))
    }

    fn add_port(&mut self, name: &str, width: u32, dir: Dir) -> Expr {
        assert!(
            is_identifier(name) && !is_keyword(name) && !self.names.contains_key(name),
            "`{name}` cannot be a port of module {}",
            self.name
        );
        self.names.insert(name.to_string(), 1);
        let kind = if dir == Dir::In { NetKind::Input } else { NetKind::Output };
        let (net, expr) = if width == 0 {
            (None, Expr::empty())
        } else {
            let (id, e) = self.add_net(name.to_string(), width, kind);
            (Some(id), e)
        };
        self.ports.push(ModulePort { name: name.to_string(), dir, width, net });
        expr
    }

    /// Adds an input port.
    pub fn input(&mut self, name: &str, width: u32) -> Expr {
        self.add_port(name, width, Dir::In)
    }

    /// Adds an output port, to be driven once by [`Module::drive`] or an instance. It can be read as well.
    pub fn output(&mut self, name: &str, width: u32) -> Expr {
        self.add_port(name, width, Dir::Out)
    }

    /// Adds an output port together with its value.
    pub fn assign_output(&mut self, name: &str, value: Expr) -> Expr {
        let port = self.output(name, value.width());
        self.drive(&port, value);
        port
    }

    /// A named wire with its value. A constant or a plain net still gets its own name.
    pub fn wire(&mut self, name: &str, value: Expr) -> Expr {
        if value.width() == 0 {
            return value;
        }
        self.own(&value);
        let name = self.free_name(name);
        let (id, e) = self.add_net(name, value.width(), NetKind::Wire);
        self.items.push(Item::Wire(id, value));
        e
    }

    /// A wire declared now and driven later, once, by [`Module::drive`] or an instance.
    pub fn declare(&mut self, name: &str, width: u32) -> Expr {
        if width == 0 {
            return Expr::empty();
        }
        let name = self.free_name(name);
        let (id, e) = self.add_net(name, width, NetKind::Wire);
        self.items.push(Item::Declare(id));
        e
    }

    /// Gives a declared wire or an output its value.
    pub fn drive(&mut self, target: &Expr, value: Expr) {
        assert!(
            target.width() == value.width(),
            "{} bits driven with {} (module {})",
            target.width(),
            value.width(),
            self.name
        );
        if target.width() == 0 {
            return;
        }
        self.own(target);
        self.own(&value);
        let id =
            target.as_net().unwrap_or_else(|| panic!("only whole nets are driven (module {})", self.name));
        let net = &self.nets[id.index()];
        assert!(
            matches!(net.kind, NetKind::Output | NetKind::Wire),
            "`{}` of module {} is no wire or output",
            net.name,
            self.name
        );
        self.items.push(Item::Assign(id, value));
    }

    /// Panics when the expression names a net of another module.
    fn own(&self, e: &Expr) {
        e.for_each_net(&mut |id, name| {
            assert!(
                self.nets.get(id.index()).is_some_and(|n| &*n.name == name),
                "`{name}` is not of module {}",
                self.name
            );
        });
    }

    fn add_reg(&mut self, name: &str, width: u32, reset: Option<BigUint>) -> Reg {
        if width == 0 {
            return Reg { index: None, q: Expr::empty() };
        }
        if let Some(v) = &reset {
            assert!(v.bits() <= u64::from(width), "reset value of `{name}` does not fit {width} bits");
            self.needs_rst = true;
        }
        self.needs_clk = true;
        let name = self.free_name(name);
        let index = self.regs.len();
        let (net, q) = self.add_net(name, width, NetKind::Reg(index));
        self.regs.push(RegDef { net, reset, gated: false, next: Vec::new() });
        self.items.push(Item::Reg(index));
        Reg { index: Some(index), q }
    }

    /// A register with a reset value. By convention the name ends in `_q`.
    pub fn reg(&mut self, name: &str, width: u32, reset: impl Into<BigUint>) -> Reg {
        self.add_reg(name, width, Some(reset.into()))
    }

    /// A register without reset, for data that a valid bit guards.
    pub fn reg_no_reset(&mut self, name: &str, width: u32) -> Reg {
        self.add_reg(name, width, None)
    }

    /// A register that changes rarely: where the Verilog is read with [`super::CLOCK_GATES`] a gate stops its clock in all cycles but
    /// those of its enable, and it has no reset, so nothing may depend on its value before the first of them. Otherwise it is 0
    /// after reset. All registers of its module are such.
    pub fn reg_gated(&mut self, name: &str, width: u32) -> Reg {
        let reg = self.add_reg(name, width, Some(BigUint::ZERO));
        if let Some(index) = reg.index {
            self.regs[index].gated = true;
        }
        reg
    }

    /// The register's next value; it holds its value where the enable is 0. To be called once per register.
    pub fn next(&mut self, reg: &Reg, enable: Option<Expr>, value: Expr) {
        assert!(reg.q.width() == value.width(), "next of {} bits for {}", value.width(), reg.q.width());
        let Some(index) = reg.index else { return };
        self.own(&reg.q);
        self.own(&value);
        if let Some(e) = &enable {
            assert!(e.width() == 1, "enable of {} bits", e.width());
            self.own(e);
        }
        self.regs[index].next.push((enable, value));
    }

    /// A memory of `depth` words, without reset.
    pub fn memory(&mut self, name: &str, depth: u32, width: u32) -> Mem {
        assert!(depth >= 1, "memory `{name}` without words");
        if width == 0 {
            return Mem { index: None, width };
        }
        self.needs_clk = true;
        let name = self.free_name(name);
        let index = self.mems.len();
        self.mems.push(MemDef { name, depth, width, writes: Vec::new() });
        self.items.push(Item::Mem(index));
        Mem { index: Some(index), width }
    }

    /// The memory's write port. The address must stay below the depth while enabled. An enable of several bits
    /// divides the word into as many parts, written apart; bit 0 is the lowest.
    pub fn mem_write(&mut self, mem: &Mem, enable: Expr, address: Expr, data: Expr) {
        assert!(data.width() == mem.width, "memory write of {} bits", data.width());
        if let Some(index) = mem.index {
            assert!(
                enable.width() > 0 && mem.width.is_multiple_of(enable.width()),
                "{} enables for {} bits",
                enable.width(),
                mem.width
            );
            assert!(address.width() > 0, "a memory address has at least one bit");
            for e in [&enable, &address, &data] {
                self.own(e);
            }
            self.mems[index].writes.push((enable, address, data));
        }
    }

    /// A named wire with the word at `address`, read in the same cycle. Undefined at and above the depth.
    pub fn mem_read(&mut self, name: &str, mem: &Mem, address: Expr) -> Expr {
        let Some(index) = mem.index else {
            return Expr::empty();
        };
        assert!(address.width() > 0, "a memory address has at least one bit");
        self.own(&address);
        let name = self.free_name(name);
        let (id, e) = self.add_net(name, mem.width, NetKind::Wire);
        self.items.push(Item::MemRead(id, index, address));
        e
    }

    /// An instance. Every input wider than 0 must be in `connections`. An output in `connections` drives the given declared wire
    /// or output of this module; any other gets a wire named `<instance>_<port>`.
    pub fn instance<S: AsRef<str>>(
        &mut self,
        name: &str,
        module: &Arc<Module>,
        connections: &[(S, Expr)],
    ) -> Outputs {
        let name = self.free_name(name);
        let mut by_name: HashMap<&str, &Expr> = HashMap::with_capacity(connections.len());
        for (port, value) in connections {
            let port = port.as_ref();
            assert!(by_name.insert(port, value).is_none(), "port `{port}` of {name} connected twice");
        }
        let mut def = InstanceDef {
            name: name.clone(),
            module: module.clone(),
            inputs: Vec::new(),
            outputs: Vec::new(),
        };
        let mut outputs = HashMap::new();
        for (index, port) in module.ports.iter().enumerate() {
            let given = by_name.remove(port.name.as_str());
            if let Some(e) = given {
                assert!(
                    e.width() == port.width,
                    "port `{}` of {name} ({}) is {} bits, connected to {} (module {})",
                    port.name,
                    module.name,
                    port.width,
                    e.width(),
                    self.name
                );
                self.own(e);
            }
            if port.dir == Dir::In && port.width == 0 {
                continue;
            }
            if port.dir == Dir::In {
                let e = given.unwrap_or_else(|| {
                    panic!(
                        "input `{}` of {name} ({}) not connected (module {})",
                        port.name, module.name, self.name
                    )
                });
                def.inputs.push((index, e.clone()));
                continue;
            }
            if port.width == 0 {
                outputs.insert(port.name.clone(), Expr::empty());
                continue;
            }
            let e = match given {
                Some(e) => e.clone(),
                None => self.declare(&format!("{name}_{}", port.name), port.width),
            };
            let id =
                e.as_net().unwrap_or_else(|| panic!("output `{}` of {name} needs a whole net", port.name));
            assert!(
                matches!(self.nets[id.index()].kind, NetKind::Output | NetKind::Wire),
                "output `{}` of {name} drives no wire or output",
                port.name
            );
            def.outputs.push((index, id));
            outputs.insert(port.name.clone(), e);
        }
        if let Some((port, _)) = connections.iter().find(|(p, _)| by_name.contains_key(p.as_ref())) {
            let port = port.as_ref();
            panic!("{name} ({}) has no port `{port}` (module {})", module.name, self.name);
        }
        self.needs_clk |= module.needs_clk;
        self.needs_rst |= module.needs_rst;
        self.items.push(Item::Instance(self.instances.len()));
        self.instances.push(def);
        Outputs { name, outputs }
    }

    /// A comment before the next item, one line per line of `text`.
    pub fn comment(&mut self, text: &str) -> &mut Self {
        self.items.push(Item::Comment(text.to_string()));
        self
    }

    /// Says that a value, or some of its bits, is deliberately not used, so that no tool warns.
    pub fn unused(&mut self, value: &Expr) {
        if value.width() > 0 {
            self.own(value);
            self.items.push(Item::Unused(value.clone()));
        }
    }
}
