//! The ops' own syntax: CIRCT's pretty forms, the seeds' short forms, and MLIR's generic form of all of them.

use super::lexer::Kind;
use super::parser::{Attr, AttrValue, Parsed, Parser, Statement, Stmt, ValueRef, MAX_RESULTS};
use crate::codes;
use crate::verify::MAX_FAN_IN;
use crate::{ContCond, Op, OpKind, Predicate, StepOp, Type};
use loom_base::{truncate, Diagnostic};
use std::ops::Range;

/// Handshake ops that exist in CIRCT and are refused here, with the reason.
const REFUSED: &[(&str, &str)] = &[
    ("lazy_fork", "every fork of the hardware is eager: write `fork`"),
    ("source", "a source gives tokens without end, and a graph must come to rest: trigger constants from a control token"),
    ("never", "an op that never gives a token has no place in a graph that must come to rest"),
    ("load", "memory is not supported yet"),
    ("store", "memory is not supported yet"),
    ("memory", "memory is not supported yet"),
    ("extmemory", "memory is not supported yet"),
    ("merge", "which token a merge takes depends on time: write `mux`"),
    ("control_merge", "which token a merge takes depends on time: write `mux`"),
    ("br", "it passes its value on: use the value itself"),
    ("sync", "write `join` for the control token and use the values themselves"),
    ("unpack", "only scalars travel as tokens"),
    ("pack", "only scalars travel as tokens"),
    ("instance", "a graph is one function: inline it"),
    ("esi_instance", "a graph is one function: inline it"),
];

/// Arith ops that exist in MLIR and that no function unit implements yet.
const ARITH_REFUSED: &[&str] = &[
    "addf",
    "addui_extended",
    "bitcast",
    "ceildivsi",
    "ceildivui",
    "cmpf",
    "divf",
    "divsi",
    "divui",
    "extf",
    "floordivsi",
    "fptosi",
    "fptoui",
    "index_castui",
    "maximumf",
    "maxnumf",
    "maxsi",
    "maxui",
    "minimumf",
    "minnumf",
    "minsi",
    "minui",
    "mulf",
    "mulsi_extended",
    "mului_extended",
    "negf",
    "remf",
    "remsi",
    "remui",
    "sitofp",
    "subf",
    "truncf",
    "uitofp",
];

fn binary(name: &str) -> Option<OpKind> {
    Some(match name {
        "addi" => OpKind::Addi,
        "subi" => OpKind::Subi,
        "muli" => OpKind::Muli,
        "andi" => OpKind::Andi,
        "ori" => OpKind::Ori,
        "xori" => OpKind::Xori,
        "shli" => OpKind::Shli,
        "shrsi" => OpKind::Shrsi,
        "shrui" => OpKind::Shrui,
        _ => return None,
    })
}

fn cast(name: &str) -> Option<OpKind> {
    Some(match name {
        "extsi" => OpKind::Extsi,
        "extui" => OpKind::Extui,
        "trunci" => OpKind::Trunci,
        "index_cast" => OpKind::IndexCast,
        _ => return None,
    })
}

/// Dialect and op; a bare name is a handshake op.
fn split(name: &str) -> (&str, &str) {
    name.split_once('.').unwrap_or(("handshake", name))
}

fn statement(
    kind: Stmt,
    operands: Vec<ValueRef>,
    operand_types: Vec<Type>,
    result_types: Vec<Type>,
) -> Statement {
    Statement { results: Vec::new(), kind, operands, operand_types, result_types, span: 0..0 }
}

fn plain(
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
            ("arith", op) => self.arith(op, name, span),
            _ => self.unknown(name, span),
        }
    }

    fn unknown<T>(&mut self, name: &str, span: Range<usize>) -> Parsed<T> {
        let (dialect, op) = split(name);
        let refused = |why: &str| {
            Diagnostic::error(codes::NOT_BUILT, format!("`{name}` is not supported"))
                .at(span.clone(), "")
                .help(why)
        };
        let d = match dialect {
            "handshake" => REFUSED.iter().find(|r| r.0 == op).map(|r| refused(r.1)),
            "arith" if op == "constant" => Some(refused(
                "a constant needs a token that triggers it: write `constant %ctl {value = 42 : i32} : i32`",
            )),
            "arith" if ARITH_REFUSED.contains(&op) => Some(refused("no function unit implements it yet")),
            "math" => Some(refused("no function unit implements it yet")),
            "memref" => Some(refused("memory is not supported yet")),
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
    fn colon_types(&mut self) -> Parsed<Vec<Type>> {
        self.expect(b':', " and the types")?;
        Ok(self.types()?.into_iter().map(|t| t.0).collect())
    }

    fn colon_type(&mut self) -> Parsed<Type> {
        self.expect(b':', " and the type")?;
        self.ty()
    }

    fn optional_attributes(&mut self) -> Parsed<Vec<Attr>> {
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
                if self.peek() != Kind::Value {
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

    fn arith(&mut self, op: &str, name: &str, span: Range<usize>) -> Parsed<Statement> {
        if let Some(kind) = binary(op) {
            let operands = self.values()?;
            if self.eat_word("overflow") {
                self.skip_angles();
            }
            self.optional_attributes()?;
            let ty = self.colon_type()?;
            return Ok(plain(kind, operands, vec![ty, ty], vec![ty]));
        }
        if let Some(kind) = cast(op) {
            let operands = self.values()?;
            self.optional_attributes()?;
            let from = self.colon_type()?;
            if !self.eat_word("to") {
                return self.unexpected("`to` and the result's type");
            }
            let to = self.ty()?;
            return Ok(plain(kind, operands, vec![from], vec![to]));
        }
        match op {
            "cmpi" => {
                let at = self.span();
                let Some(predicate) = Predicate::parse(self.word()) else {
                    let found = self.word().to_string();
                    return self.fail(
                        Diagnostic::error(
                            codes::ATTRIBUTE,
                            format!("`{found}` is no predicate of `arith.cmpi`"),
                        )
                        .at(at, "")
                        .help("predicates are eq, ne, slt, sle, sgt, sge, ult, ule, ugt, uge"),
                    );
                };
                self.advance();
                self.expect(b',', " after the predicate")?;
                let operands = self.values()?;
                self.optional_attributes()?;
                let ty = self.colon_type()?;
                Ok(statement(Stmt::Op(Op::Cmpi(predicate)), operands, vec![ty, ty], vec![Type::I1]))
            }
            "select" => {
                let operands = self.values()?;
                self.optional_attributes()?;
                let mut ty = self.colon_type()?;
                let mut condition = Type::I1;
                if self.eat(b',') {
                    condition = ty;
                    ty = self.ty()?;
                }
                Ok(plain(OpKind::Select, operands, vec![condition, ty, ty], vec![ty]))
            }
            _ => self.unknown(name, span),
        }
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
    fn function_type(&mut self) -> Parsed<(Vec<Type>, Vec<Type>)> {
        let operands = self.colon_types()?;
        if self.peek() != Kind::Arrow {
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
                        "fork" | "buffer" | "sink" | "return" | "mux" | "cond_br" | "constant" | "join"
                    )
            }
            ("dataflow", op) => matches!(op, "stream" | "gate" | "carry" | "invariant"),
            ("arith", op) => binary(op).is_some() || cast(op).is_some() || matches!(op, "cmpi" | "select"),
            _ => false,
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
                Stmt::Op(Op::Stream(step, cond))
            }
            "dataflow.gate" => Stmt::Op(Op::Plain(OpKind::Gate)),
            "dataflow.carry" => Stmt::Op(Op::Plain(OpKind::Carry)),
            "dataflow.invariant" => Stmt::Op(Op::Plain(OpKind::Invariant)),
            "arith.select" => Stmt::Op(Op::Plain(OpKind::Select)),
            "arith.cmpi" => {
                let code = attributes.iter().find(|a| a.name == "predicate");
                let predicate = match code.map(|a| &a.value) {
                    Some(AttrValue::Integer(n, _)) => u64::try_from(*n).ok().and_then(Predicate::from_code),
                    _ => None,
                };
                match predicate {
                    Some(p) => Stmt::Op(Op::Cmpi(p)),
                    None => {
                        let at = code.map_or(span, |a| a.span.clone());
                        return self.error(
                            codes::ATTRIBUTE,
                            "`arith.cmpi` needs `predicate`, a number from 0 to 9",
                            at,
                        );
                    }
                }
            }
            _ => match binary(op).or_else(|| cast(op)) {
                Some(kind) => Stmt::Op(Op::Plain(kind)),
                None => return self.unknown(name, span),
            },
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

    /// An attribute that is one of a few strings. The older seed leaves both out and means `+=` and `<`.
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
                let found = self.text[span.clone()].to_string();
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
                let hex = self.text[at.clone()].contains("0x");
                let width = ty.width(64);
                u64::try_from(*n).ok().filter(|&n| hex && truncate(n, width) == n)
            }
            (AttrValue::Float(text, _), Type::F32) => {
                text.parse::<f32>().ok().map(|f| u64::from(f.to_bits()))
            }
            (AttrValue::Float(text, _), Type::F64) => text.parse::<f64>().ok().map(f64::to_bits),
            (AttrValue::Float(..), Type::Bf16 | Type::F16) => {
                let d = Diagnostic::error(codes::NOT_BUILT, format!("a decimal `{ty}` literal is not read"))
                    .at(at, "");
                return self.fail(d.help("write its bits, for instance `0x3C00`"));
            }
            _ => None,
        };
        match bits {
            Some(bits) => Ok(bits),
            None => {
                let found = self.text[at.clone()].to_string();
                self.error(codes::LITERAL, format!("`{found}` does not fit `{ty}`"), at)
            }
        }
    }
}
