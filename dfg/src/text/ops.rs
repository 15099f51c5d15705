//! The ops' own syntax: CIRCT's pretty forms, the specification's short forms, and MLIR's generic form of all of them.

use super::arith;
use super::parser::{Attr, AttrValue, Parsed, Parser, Statement, Stmt, ValueRef, MAX_RESULTS};
use crate::codes;
use crate::verify::MAX_FAN_IN;
use crate::{ContCond, Counter, Op, OpKind, StepOp, Type};
use loom_base::{truncate, Diagnostic};
use loom_mlir::Tok;
use std::ops::Range;

/// Handshake ops that exist in CIRCT and are refused here, with the reason.
const REFUSED: &[(&str, &str)] = &[
    ("lazy_fork", "every fork of the hardware is eager: write `fork`"),
    ("source", "a source gives tokens without end, and a graph must come to rest: trigger constants from a control token"),
    ("never", "an op that never gives a token has no place in a graph that must come to rest"),
    ("merge", "which token a merge takes depends on time: write `mux`"),
    ("control_merge", "which token a merge takes depends on time: write `mux`"),
    ("br", "it passes its value on: use the value itself"),
    ("sync", "write `join` for the control token and use the values themselves"),
    ("unpack", "only scalars travel as tokens"),
    ("pack", "only scalars travel as tokens"),
    ("instance", "a graph is one function: inline it"),
    ("esi_instance", "a graph is one function: inline it"),
];

/// Arith ops that exist in MLIR and that no function unit implements.
const ARITH_REFUSED: &[(&str, &str)] = &[
    ("addui_extended", "it has two results: write an addition of a wider type"),
    ("mulsi_extended", "it has two results: write a multiplication of a wider type"),
    ("mului_extended", "it has two results: write a multiplication of a wider type"),
    ("scaling_extf", "no function unit implements it"),
    ("scaling_truncf", "no function unit implements it"),
];

/// Dialect and op; a bare name is a handshake op.
fn split(name: &str) -> (&str, &str) {
    name.split_once('.').unwrap_or(("handshake", name))
}

pub(super) fn statement(
    kind: Stmt,
    operands: Vec<ValueRef>,
    operand_types: Vec<Type>,
    result_types: Vec<Type>,
) -> Statement {
    Statement { results: Vec::new(), kind, operands, operand_types, result_types, memory: None, span: 0..0 }
}

pub(super) fn plain(
    kind: OpKind,
    operands: Vec<ValueRef>,
    operand_types: Vec<Type>,
    result_types: Vec<Type>,
) -> Statement {
    statement(Stmt::Op(Op::Plain(kind)), operands, operand_types, result_types)
}

impl Parser<'_> {
    /// An op in its own syntax.
    pub(super) fn pretty_op(&mut self) -> Parsed<Statement> {
        let span = self.span();
        let name = self.advance();
        match split(name) {
            ("handshake", op) => self.handshake(op, name, span),
            ("dataflow", "stream" | "gate" | "carry" | "invariant") => self.dataflow_short(name, span),
            ("arith", "constant") => self.immediate(span),
            ("arith" | "math", _) => match OpKind::arith(name) {
                Some(kind) => self.arith(kind),
                None => self.unknown(name, span),
            },
            _ if name == "llvm.intr.bitreverse" => {
                self.expect(b'(', " of the operand")?;
                let operands = self.values()?;
                self.expect(b')', " after the operand")?;
                let (operand_types, result_types) = self.function_type()?;
                Ok(plain(OpKind::Bitreverse, operands, operand_types, result_types))
            }
            _ => self.unknown(name, span),
        }
    }

    pub(super) fn unknown<T>(&mut self, name: &str, span: Range<usize>) -> Parsed<T> {
        let (dialect, op) = split(name);
        let refused = |why: &str| {
            Diagnostic::error(codes::NOT_BUILT, format!("`{name}` is not supported"))
                .at(span.clone(), "")
                .help(why)
        };
        let d = match dialect {
            "handshake" => REFUSED.iter().find(|r| r.0 == op).map(|r| refused(r.1)),
            "arith" if op == "constant" => Some(refused(
                "write an immediate as `arith.constant 42 : i32`, a constant with a token that triggers it as `constant %ctl \
                 {value = 42 : i32} : i32`",
            )),
            "arith" => ARITH_REFUSED.iter().find(|r| r.0 == op).map(|r| refused(r.1)),
            "math" => {
                Some(refused("no function unit implements it; `docs/dfg.md` lists those of `math` that are"))
            }
            "memref" => Some(refused(
                "memory is reached by `load` and `store`, each at a port of a `memory` or `extmemory`",
            )),
            "func" | "cf" | "scf" | "llvm" | "affine" | "index" => Some(refused(
                "this is input of the compiler, a graph holds handshake, dataflow and arith ops",
            )),
            "fabric" => Some(refused("this belongs to an architecture file, not to a graph")),
            _ => None,
        };
        self.fail(d.unwrap_or_else(|| {
            Diagnostic::error(codes::UNKNOWN_OP, format!("`{name}` is not known"))
                .at(span, "")
                .help("`docs/dfg.md` lists the ops of a graph")
        }))
    }

    /// `: type, type, ...`
    pub(super) fn colon_types(&mut self) -> Parsed<Vec<Type>> {
        self.expect(b':', " and the types")?;
        Ok(self.types()?.into_iter().map(|t| t.0).collect())
    }

    pub(super) fn colon_type(&mut self) -> Parsed<Type> {
        self.expect(b':', " and the type")?;
        self.ty()
    }

    pub(super) fn optional_attributes(&mut self) -> Parsed<Vec<Attr>> {
        if self.is(b'{') {
            self.attributes()
        } else {
            Ok(Vec::new())
        }
    }

    fn handshake(&mut self, op: &str, name: &str, span: Range<usize>) -> Parsed<Statement> {
        match op {
            "fork" => {
                self.expect(b'[', " and the number of results")?;
                let n = self.count("the number of results")?;
                let Some(left) = self.fork_results.checked_sub(n) else {
                    let message = "forks have more results than a text of this length can use";
                    return self.error(codes::ARITY, message, span);
                };
                self.fork_results = left;
                self.expect(b']', " after the number of results")?;
                let value = self.value()?;
                self.optional_attributes()?;
                let ty = self.colon_type()?;
                Ok(statement(Stmt::Fork, vec![value], vec![ty], vec![ty; n]))
            }
            "buffer" => {
                self.expect(b'[', " and the number of slots")?;
                self.count("the number of slots")?;
                self.expect(b']', " after the number of slots")?;
                if !self.eat_word("seq") && !self.eat_word("fifo") {
                    return self.unexpected("`seq` or `fifo`");
                }
                let value = self.value()?;
                let attributes = self.optional_attributes()?;
                self.no_initial_tokens(&attributes)?;
                let ty = self.colon_type()?;
                Ok(statement(Stmt::Buffer, vec![value], vec![ty], vec![ty]))
            }
            "sink" => {
                let value = self.value()?;
                self.optional_attributes()?;
                let ty = self.colon_type()?;
                Ok(statement(Stmt::Sink, vec![value], vec![ty], Vec::new()))
            }
            "return" => {
                if self.peek() != Tok::Value {
                    return Ok(statement(Stmt::Return, Vec::new(), Vec::new(), Vec::new()));
                }
                let values = self.values()?;
                let types = self.colon_types()?;
                Ok(statement(Stmt::Return, values, types, Vec::new()))
            }
            "mux" => {
                let mut operands = vec![self.value()?];
                self.expect(b'[', " and the data inputs")?;
                operands.extend(self.values()?);
                self.expect(b']', " after the data inputs")?;
                self.optional_attributes()?;
                let select = self.colon_type()?;
                self.expect(b',', " and the type of the data")?;
                let data = self.ty()?;
                let n = operands.len() - 1;
                let kind = self.mux_of(n, name, span)?;
                let types = std::iter::once(select).chain(std::iter::repeat_n(data, n)).collect();
                Ok(plain(kind, operands, types, vec![data]))
            }
            "cond_br" => {
                let operands = self.values()?;
                self.optional_attributes()?;
                let ty = self.colon_type()?;
                Ok(plain(OpKind::CondBr, operands, vec![Type::I1, ty], vec![ty, ty]))
            }
            "constant" => {
                let trigger = self.value()?;
                let attributes = self.optional_attributes()?;
                let ty = self.colon_type()?;
                let bits = self.literal(&attributes, ty, span)?;
                Ok(statement(Stmt::Op(Op::Constant(bits)), vec![trigger], vec![Type::None], vec![ty]))
            }
            "load" | "store" => {
                self.expect(b'[', " and the address")?;
                let mut operands = vec![self.value()?];
                self.expect(b']', " after the address")?;
                operands.extend(self.values()?);
                self.optional_attributes()?;
                let address = self.colon_type()?;
                self.expect(b',', " and the type of the data")?;
                let data = self.ty()?;
                let kind = if op == "load" { OpKind::Load } else { OpKind::Store };
                Ok(plain(kind, operands, vec![address, data, Type::None], vec![data, address]))
            }
            "memory" | "extmemory" => self.memory_node(op == "extmemory", span),
            "join" => {
                let operands = self.values()?;
                self.optional_attributes()?;
                let types = self.colon_types()?;
                let kind = self.join_of(operands.len(), name, span)?;
                Ok(plain(kind, operands, types, vec![Type::None]))
            }
            _ => self.unknown(name, span),
        }
    }

    /// `arith.constant 42 : i32`, `arith.constant true`: an immediate.
    fn immediate(&mut self, span: Range<usize>) -> Parsed<Statement> {
        let at = self.span();
        let value = self.attribute_value()?;
        let given = match &value {
            AttrValue::Integer(_, ty) | AttrValue::Float(_, ty) => ty.clone(),
            AttrValue::Bool(_) => Some(Type::I1.to_string()),
            _ => None,
        };
        let Some(ty) = given.as_deref().and_then(Type::parse) else {
            return self.error(codes::ATTRIBUTE, "an immediate is a number and its type, `42 : i32`", at);
        };
        let attribute = Attr { name: "value".into(), value, span: at };
        let bits = self.literal(&[attribute], ty, span)?;
        Ok(statement(Stmt::Immediate(bits), Vec::new(), Vec::new(), vec![ty]))
    }

    fn arith(&mut self, kind: OpKind) -> Parsed<Statement> {
        let arith::WrittenOp { op, operands, operand_types, result_type, .. } = arith::read(self, kind)?;
        Ok(statement(Stmt::Op(op), operands, operand_types, vec![result_type]))
    }

    /// `dataflow.carry %d, %a, %b : i1, T, T -> T`; `dataflow.stream` may come without types.
    fn dataflow_short(&mut self, name: &str, span: Range<usize>) -> Parsed<Statement> {
        let operands = self.values()?;
        let attributes = self.optional_attributes()?;
        let (operand_types, result_types) = if name == "dataflow.stream" && !self.is(b':') {
            (vec![Type::Index; 3], vec![Type::Index, Type::I1])
        } else {
            self.function_type()?
        };
        self.assemble(name, span, attributes, operands, operand_types, result_types)
    }

    /// `: operand types -> result types`, parentheses optional.
    pub(super) fn function_type(&mut self) -> Parsed<(Vec<Type>, Vec<Type>)> {
        let operands = self.colon_types()?;
        if self.peek() != Tok::Arrow {
            return self.unexpected("`->` and the result types");
        }
        self.advance();
        let results = self.types()?.into_iter().map(|t| t.0).collect();
        Ok((operands, results))
    }

    /// `"dialect.op"(%a, %b) <{properties}> {attributes} : (types) -> types`.
    pub(super) fn generic_op(&mut self) -> Parsed<Statement> {
        let span = self.span();
        let name = self.advance().trim_matches('"');
        self.expect(b'(', " of the operands")?;
        let operands = if self.is(b')') { Vec::new() } else { self.values()? };
        self.expect(b')', " after the operands")?;
        let known = match split(name) {
            ("handshake", op) => {
                name.contains('.')
                    && matches!(
                        op,
                        "fork"
                            | "buffer"
                            | "sink"
                            | "return"
                            | "mux"
                            | "cond_br"
                            | "constant"
                            | "join"
                            | "load"
                            | "store"
                            | "memory"
                            | "extmemory"
                    )
            }
            ("dataflow", op) => matches!(op, "stream" | "gate" | "carry" | "invariant"),
            ("loom", op) => matches!(op, "carry_br" | "invariant_br"),
            _ => OpKind::arith(name).is_some(),
        };
        if !known {
            return self.unknown(name, span);
        }
        let mut attributes = Vec::new();
        if self.eat(b'<') {
            attributes = self.attributes()?;
            self.expect(b'>', " after the properties")?;
        }
        attributes.extend(self.optional_attributes()?);
        if matches!(name, "handshake.memory" | "handshake.extmemory") {
            return self.generic_memory(name == "handshake.extmemory", span, attributes, operands);
        }
        let (operand_types, result_types) = self.function_type()?;
        self.assemble(name, span, attributes, operands, operand_types, result_types)
    }

    /// The op named by `name` with everything the generic form gives.
    fn assemble(
        &mut self,
        name: &str,
        span: Range<usize>,
        attributes: Vec<Attr>,
        operands: Vec<ValueRef>,
        operand_types: Vec<Type>,
        result_types: Vec<Type>,
    ) -> Parsed<Statement> {
        let (_, op) = split(name);
        let (inputs, outputs) = (operands.len(), result_types.len());
        let one_type = operand_types.iter().chain(&result_types).all(|&t| operand_types.first() == Some(&t));
        let kind = match name {
            "handshake.fork" | "handshake.buffer" | "handshake.sink" => {
                let fits = match op {
                    "fork" => (1..=MAX_RESULTS).contains(&outputs),
                    "buffer" => outputs == 1,
                    _ => outputs == 0,
                };
                if inputs != 1 || !fits || !one_type {
                    let message = format!("`{name}` takes one value and its results have the same type");
                    return self.error(codes::ARITY, message, span);
                }
                self.no_initial_tokens(&attributes)?;
                match op {
                    "fork" => Stmt::Fork,
                    "buffer" => Stmt::Buffer,
                    _ => Stmt::Sink,
                }
            }
            "handshake.return" => Stmt::Return,
            "handshake.mux" => {
                Stmt::Op(Op::Plain(self.mux_of(inputs.saturating_sub(1), name, span.clone())?))
            }
            "handshake.join" => Stmt::Op(Op::Plain(self.join_of(inputs, name, span.clone())?)),
            "handshake.cond_br" => Stmt::Op(Op::Plain(OpKind::CondBr)),
            "handshake.constant" => {
                let ty = result_types.first().copied().unwrap_or(Type::None);
                Stmt::Op(Op::Constant(self.literal(&attributes, ty, span.clone())?))
            }
            "dataflow.stream" => {
                let step = self.text_attribute(
                    &attributes,
                    "step_op",
                    StepOp::parse,
                    "+=",
                    &StepOp::ALL.map(StepOp::text),
                )?;
                let cond = self.text_attribute(
                    &attributes,
                    "cont_cond",
                    ContCond::parse,
                    "<",
                    &ContCond::ALL.map(ContCond::text),
                )?;
                Stmt::Op(Op::Stream(self.counter(&attributes, step)?, cond))
            }
            "dataflow.gate" => Stmt::Op(Op::Plain(OpKind::Gate)),
            "dataflow.carry" => Stmt::Op(Op::Plain(OpKind::Carry)),
            "dataflow.invariant" => Stmt::Op(Op::Plain(OpKind::Invariant)),
            "loom.carry_br" => Stmt::Op(Op::Plain(OpKind::CarryBr)),
            "loom.invariant_br" => Stmt::Op(Op::Plain(OpKind::InvariantBr)),
            "arith.select" => Stmt::Op(Op::Plain(OpKind::Select)),
            "handshake.load" => Stmt::Op(Op::Plain(OpKind::Load)),
            "handshake.store" => Stmt::Op(Op::Plain(OpKind::Store)),
            "arith.cmpi" | "arith.cmpf" => {
                let code = attributes.iter().find(|a| a.name == "predicate");
                let number = match code.map(|a| &a.value) {
                    Some(AttrValue::Integer(n, _)) => u64::try_from(*n).ok(),
                    _ => None,
                };
                let (kind, last) = match name {
                    "arith.cmpi" => (OpKind::Cmpi, 9),
                    _ => (OpKind::Cmpf, 15),
                };
                match number.and_then(|n| Op::comparison(kind, n)) {
                    Some(op) => Stmt::Op(op),
                    None => {
                        let at = code.map_or(span, |a| a.span.clone());
                        let message = format!("`{name}` needs `predicate`, a number from 0 to {last}");
                        return self.error(codes::ATTRIBUTE, message, at);
                    }
                }
            }
            _ => {
                // 0 is to nearest, ties to even.
                let other =
                    |a: &&Attr| a.name == "roundingmode" && !matches!(a.value, AttrValue::Integer(0, _));
                if let Some(a) = attributes.iter().find(other) {
                    let d = arith::other_rounding(codes::NOT_BUILT, a.span.clone());
                    return self.fail(d);
                }
                match OpKind::arith(name) {
                    Some(kind) => Stmt::Op(Op::Plain(kind)),
                    None => return self.unknown(name, span),
                }
            }
        };
        if inputs != operand_types.len() {
            let message = format!("{inputs} operands, but {} operand types", operand_types.len());
            return self.error(codes::ARITY, message, span);
        }
        Ok(statement(kind, operands, operand_types, result_types))
    }

    fn mux_of(&mut self, n: usize, name: &str, span: Range<usize>) -> Parsed<OpKind> {
        match u8::try_from(n) {
            Ok(n) if (2..=MAX_FAN_IN as u8).contains(&n) => Ok(OpKind::Mux(n)),
            _ => self.error(
                codes::FAN_IN,
                format!("`{name}` has {n} data inputs, 2 to {MAX_FAN_IN} are allowed"),
                span,
            ),
        }
    }

    fn join_of(&mut self, n: usize, name: &str, span: Range<usize>) -> Parsed<OpKind> {
        match u8::try_from(n) {
            Ok(n) if (1..=MAX_FAN_IN as u8).contains(&n) => Ok(OpKind::Join(n)),
            _ => self.error(
                codes::FAN_IN,
                format!("`{name}` has {n} inputs, 1 to {MAX_FAN_IN} are allowed"),
                span,
            ),
        }
    }

    fn no_initial_tokens(&mut self, attributes: &[Attr]) -> Parsed<()> {
        match attributes.iter().find(|a| a.name == "initValues") {
            None => Ok(()),
            Some(a) => self.fail(
                Diagnostic::error(codes::NOT_BUILT, "a buffer with initial tokens is not supported")
                    .at(a.span.clone(), "")
                    .help("every channel is empty after reset: start a loop with `dataflow.carry`"),
            ),
        }
    }

    /// An attribute that is one of a few strings. The older specification leaves both out and means `+=` and `<`.
    /// The unit attribute `unsigned` of a stream.
    fn counter(&mut self, attributes: &[Attr], step_op: StepOp) -> Parsed<Counter> {
        let attr = attributes.iter().find(|a| a.name == Counter::UNSIGNED);
        match attr.map(|a| &a.value) {
            None | Some(AttrValue::Bool(false)) => Ok(Counter::signed(step_op)),
            Some(AttrValue::Unit | AttrValue::Bool(true)) => Ok(Counter::unsigned(step_op)),
            Some(_) => {
                let span = attr.map_or(0..0, |a| a.span.clone());
                let found = self.text()[span.clone()].to_string();
                let help = "`unsigned` stands alone, or is `true` or `false`";
                let problem = Diagnostic::error(codes::ATTRIBUTE, format!("`{found}` is not allowed"));
                self.fail(problem.at(span, "").help(help))
            }
        }
    }

    fn text_attribute<T>(
        &mut self,
        attributes: &[Attr],
        name: &str,
        parse: fn(&str) -> Option<T>,
        default: &str,
        allowed: &[&str],
    ) -> Parsed<T> {
        let attr = attributes.iter().find(|a| a.name == name);
        let text = match attr.map(|a| &a.value) {
            None => default,
            Some(AttrValue::Text(text)) => text,
            Some(_) => "",
        };
        match parse(text) {
            Some(value) => Ok(value),
            None => {
                let span = attr.map_or(0..0, |a| a.span.clone());
                let found = self.text()[span.clone()].to_string();
                self.fail(
                    Diagnostic::error(codes::ATTRIBUTE, format!("`{found}` is not allowed"))
                        .at(span, "")
                        .help(format!("`{name}` is one of \"{}\"", allowed.join("\", \""))),
                )
            }
        }
    }

    /// The bits of `value = 42 : i32`.
    fn literal(&mut self, attributes: &[Attr], ty: Type, span: Range<usize>) -> Parsed<u64> {
        let Some(attr) = attributes.iter().find(|a| a.name == "value") else {
            let d = Diagnostic::error(codes::ATTRIBUTE, "`constant` without `value`").at(span, "");
            return self.fail(d.help("write `constant %ctl {value = 42 : i32} : i32`"));
        };
        let at = attr.span.clone();
        let given = match &attr.value {
            AttrValue::Integer(_, given) | AttrValue::Float(_, given) => given.clone(),
            AttrValue::Bool(_) => Some("i1".to_string()),
            _ => None,
        };
        if let Some(given) = given.filter(|g| *g != ty.to_string()) {
            return self.error(
                codes::TYPE_MISMATCH,
                format!("the literal is `{given}`, the result is `{ty}`"),
                at,
            );
        }
        let bits = match (&attr.value, ty) {
            (AttrValue::Bool(b), Type::Int(1)) => Some(u64::from(*b)),
            (AttrValue::Integer(n, _), Type::Int(_) | Type::Index) => {
                // Signless: both readings of the bits may be written.
                let width = ty.width(64);
                let fits = *n >= -(1i128 << (width - 1)) && *n < (1i128 << width);
                fits.then_some(truncate(*n as u64, width))
            }
            (AttrValue::Integer(n, _), Type::Bf16 | Type::F16 | Type::F32 | Type::F64) => {
                // MLIR writes a float's bits as a hexadecimal integer.
                let hex = self.text()[at.clone()].contains("0x");
                let width = ty.width(64);
                u64::try_from(*n).ok().filter(|&n| hex && truncate(n, width) == n)
            }
            (AttrValue::Float(text, _), Type::Bf16 | Type::F16 | Type::F32 | Type::F64) => {
                crate::float::parse_decimal(ty, text)
            }
            _ => None,
        };
        match bits {
            Some(bits) => Ok(bits),
            None => {
                let found = self.text()[at.clone()].to_string();
                self.error(codes::LITERAL, format!("`{found}` does not fit `{ty}`"), at)
            }
        }
    }
}
