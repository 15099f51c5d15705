//! Function units as text: the one-line shorthand (`arith.addi i32`) and bodies, op by op.
//!
//! The body syntax is the same in TOML and in fabric MLIR: `%s = arith.muli %0, %1 : i32`, with either a short type
//! or `(operands) -> (results)`. A fabric does not set predicates, literals and `cont_cond`: configuration does.

use crate::codes;
use crate::lex::{Cursor, Fallible};
use crate::model::{limits, BodyKind, BodyOp, BodyValue, FunctionUnit};
use loom_base::{choice_bits, Diagnostic};
use loom_dfg::op::{Cast, Form, StateOp, SteerOp};
use loom_dfg::{Counter, OpKind, Signedness, StepOp, Type};
use std::collections::HashMap;
use std::ops::Range;

fn unknown_op(name: &str, span: Range<usize>) -> Box<Diagnostic> {
    if name == BodyKind::Mux.mnemonic() {
        return Box::new(
            Diagnostic::error(codes::FU_TEXT, format!("`{name}` stands among the ops of a body only"))
                .at(span, "here")
                .help("write a `[fu.NAME]` table with a line such as `%x = fabric.mux %m, %0 : i32` in its body"),
        );
    }
    // The project has no hardware for it yet.
    if OpKind::named(name).is_some_and(|kind| !kind.in_hardware()) {
        return Box::new(
            Diagnostic::error(codes::NOT_BUILT, format!("`{name}` is not built yet"))
                .at(span, "no hardware for this op")
                .help("docs/fabric.md lists the ops a function unit can have"),
        );
    }
    Box::new(
        Diagnostic::error(codes::FU_TEXT, format!("`{name}` is not an op of a function unit"))
            .at(span, "unknown op")
            .help("docs/fabric.md lists the ops a function unit can have"),
    )
}

fn fu_error(message: String, span: Range<usize>) -> Box<Diagnostic> {
    Box::new(Diagnostic::error(codes::FU_TEXT, message).at(span, "here"))
}

/// A type by its name, or by its width for ops that only move bits.
fn data_type(text: &str, span: &Range<usize>) -> Fallible<Type> {
    if let Some(t) = Type::parse(text) {
        return Ok(t);
    }
    match text.parse::<u32>() {
        Ok(0) => Ok(Type::None),
        Ok(w @ 1..=64) => Ok(Type::Int(w as u8)),
        Ok(w) => Err(fu_error(format!("width {w} is outside 0 to 64"), span.clone())),
        Err(_) => Err(fu_error(format!("`{text}` is neither a type nor a width"), span.clone())),
    }
}

/// Reads a shorthand such as `arith.extsi i8 to i32`, `handshake.mux 32`, `dataflow.stream +=`.
pub(crate) fn shorthand(text: &str, span: Range<usize>) -> Fallible<FunctionUnit> {
    let mut words = text.split_whitespace();
    let name = words.next().unwrap_or("");
    let args: Vec<&str> = words.collect();
    let kind =
        OpKind::named(name).filter(|k| k.in_hardware()).ok_or_else(|| unknown_op(name, span.clone()))?;
    let wrong = |form: &str| {
        Box::new(
            Diagnostic::error(codes::FU_TEXT, format!("wrong arguments in `{text}`"))
                .at(span.clone(), "here")
                .help(format!("write `{form}`")),
        )
    };
    // Whether the types suit the op is for legality to say; here, whether they are numbers of its kind at all.
    let typed = |text: &str, form: &str, kind: OpKind| {
        let allowed =
            |t: &Type| t.is_integral() && !is_float_only(kind) || t.is_float() && takes_floats(kind);
        Type::parse(text).filter(allowed).ok_or_else(|| wrong(form))
    };
    let short = name.rsplit('.').next().unwrap_or(name);
    let fu = match kind.form() {
        Form::Cast(_) => {
            let (from, to) = kind.example_types();
            let form = format!("{name} {} to {}", from[0], to[0]);
            let [from, "to", to] = args.as_slice() else {
                return Err(wrong(&form));
            };
            let (from, to) = (typed(from, &form, kind)?, typed(to, &form, kind)?);
            FunctionUnit::single(format!("{short}_{from}_{to}"), kind, &[from], &[to])
        }
        Form::State(StateOp::Stream(_)) => {
            let (step, numbers) = match args.as_slice() {
                [step] => (step, Signedness::Signed),
                [step, Counter::UNSIGNED] => (step, Signedness::Unsigned),
                _ => return Err(wrong(&format!("{name} +=` or `{name} += {}", Counter::UNSIGNED))),
            };
            let step_op = StepOp::parse(step).ok_or_else(|| {
                Box::new(
                    Diagnostic::error(codes::FU_TEXT, format!("`{step}` is not a step op"))
                        .at(span.clone(), "here")
                        .help("one of += -= *= /= <<= >>="),
                )
            })?;
            let i = Type::Index;
            let counter = Counter { step_op, numbers };
            FunctionUnit::single(
                format!("stream_{}", counter.name()),
                OpKind::Stream(counter),
                &[i, i, i],
                &[i, Type::I1],
            )
        }
        Form::Steer(SteerOp::Join(_)) => {
            let form = format!("{name} 3` or `{name} 3 32");
            let (n, of) = match args.as_slice() {
                [n] => (n, Type::None),
                [n, of] => (n, data_type(of, &span)?),
                _ => return Err(wrong(&form)),
            };
            let n: u8 = n.parse().ok().filter(|n| (1..=64).contains(n)).ok_or_else(|| {
                fu_error(format!("a join of `{n}` operands, 1 to 64 are allowed"), span.clone())
            })?;
            FunctionUnit::single(
                format!("join_{n}"),
                OpKind::Join(n),
                &vec![of; usize::from(n)],
                &[Type::None],
            )
        }
        Form::Steer(SteerOp::Mux(_)) => {
            let (ty, n) = match args.as_slice() {
                [ty] => (ty, 2),
                [ty, n] => (
                    ty,
                    n.parse().ok().filter(|n| (2..=64).contains(n)).ok_or_else(|| {
                        fu_error(format!("a mux of `{n}` inputs, 2 to 64 are allowed"), span.clone())
                    })?,
                ),
                _ => return Err(wrong(&format!("{name} 32` or `{name} 32 4"))),
            };
            let t = data_type(ty, &span)?;
            let select = if n == 2 { Type::I1 } else { Type::Int(choice_bits(usize::from(n)) as u8) };
            let mut operands = vec![select];
            operands.extend(vec![t; usize::from(n)]);
            let name = if n == 2 { format!("mux_{}", suffix(t)) } else { format!("mux{n}_{}", suffix(t)) };
            FunctionUnit::single(name, OpKind::Mux(n), &operands, &[t])
        }
        Form::Steer(SteerOp::Constant | SteerOp::CondBr)
        | Form::State(
            StateOp::Gate | StateOp::Carry | StateOp::Invariant | StateOp::CarryBr | StateOp::InvariantBr,
        )
        | Form::Choice(_)
        | Form::Access(_) => {
            let [ty] = args.as_slice() else {
                return Err(wrong(&format!("{name} 32")));
            };
            let t = data_type(ty, &span)?;
            let (i1, fu_name) = (Type::I1, format!("{short}_{}", suffix(t)));
            let (operands, results): (&[Type], &[Type]) = match kind.form() {
                Form::Steer(SteerOp::Constant) => (&[Type::None], &[t]),
                Form::Steer(SteerOp::CondBr) => (&[i1, t], &[t, t]),
                Form::State(StateOp::Gate) => (&[t, i1], &[t, i1]),
                Form::Access(_) => (&[Type::Index, t, Type::None], &[t, Type::Index]),
                Form::State(StateOp::Invariant) => (&[i1, t], &[t]),
                Form::State(StateOp::InvariantBr) => (&[i1, t], &[t, t]),
                Form::State(StateOp::CarryBr) => (&[i1, t, t], &[t, t]),
                _ => (&[i1, t, t], &[t]),
            };
            FunctionUnit::single(fu_name, kind, operands, results)
        }
        Form::Memory(_) => return Err(unknown_op(name, span)),
        Form::IntBinary(_)
        | Form::Division(_)
        | Form::IntUnary(_)
        | Form::IntCompare(_)
        | Form::FloatBinary(_)
        | Form::FloatUnary(_)
        | Form::Elementary(_)
        | Form::FloatTernary(_)
        | Form::FloatCompare(_) => {
            let form = format!("{name} {}", kind.example_types().0[0]);
            let [ty] = args.as_slice() else {
                return Err(wrong(&form));
            };
            let t = typed(ty, &form, kind)?;
            let result = if kind.has_one_type() { t } else { Type::I1 };
            FunctionUnit::single(format!("{short}_{t}"), kind, &vec![t; kind.operand_count()], &[result])
        }
    };
    Ok(fu)
}

/// All its types are float types.
fn is_float_only(kind: OpKind) -> bool {
    kind.is_float_arithmetic()
        || matches!(kind.form(), Form::FloatCompare(_) | Form::Cast(Cast::Extf | Cast::Truncf))
}

fn takes_floats(kind: OpKind) -> bool {
    use Cast::{Bitcast, Fptosi, Fptoui, Sitofp, Uitofp};
    is_float_only(kind) || matches!(kind.form(), Form::Cast(Sitofp | Uitofp | Fptosi | Fptoui | Bitcast))
}

/// `32` for an integer, the type's name for others.
fn suffix(t: Type) -> String {
    match t {
        Type::Int(w) => w.to_string(),
        other => other.to_string(),
    }
}

/// Names known in a body so far, and the body.
pub(crate) struct BodyReader {
    values: HashMap<String, BodyValue>,
    /// Types of the inputs.
    pub inputs: Vec<Type>,
    /// Ops so far.
    pub body: Vec<BodyOp>,
}

impl BodyReader {
    /// A body whose inputs are `%0`, `%1`, ...
    pub fn new(inputs: Vec<Type>) -> BodyReader {
        let values = (0..inputs.len()).map(|i| (i.to_string(), BodyValue::Input(i))).collect();
        BodyReader { values, inputs, body: Vec::new() }
    }

    /// Names an input otherwise; `false` when the name is taken.
    pub fn name_inputs(&mut self, names: &[String]) -> bool {
        self.values.clear();
        names.iter().enumerate().all(|(i, n)| self.values.insert(n.clone(), BodyValue::Input(i)).is_none())
    }

    /// The value of the next `%name`.
    pub fn operand(&self, c: &mut Cursor) -> Fallible<BodyValue> {
        let span = c.span();
        let name = c.value("a value such as `%0`")?;
        self.values.get(&name).copied().ok_or_else(|| {
            Box::new(
                Diagnostic::error(codes::UNKNOWN_NAME, format!("`%{name}` is not defined"))
                    .at(span, "here")
                    .help("a body uses its inputs `%0`, `%1`, ... and results of earlier ops"),
            )
        })
    }

    fn type_of(&self, value: BodyValue) -> Type {
        match value {
            BodyValue::Input(i) => self.inputs[i],
            BodyValue::Result { op, result } => self.body[op].results[result],
        }
    }

    /// Reads one op and adds it.
    pub fn op(&mut self, c: &mut Cursor) -> Fallible<()> {
        let start = c.span().start;
        let mut names = Vec::new();
        loop {
            let span = c.span();
            names.push((c.value("a result name such as `%s`")?, span));
            if !c.eat(",") {
                break;
            }
        }
        c.punct("=")?;
        let op_span = c.span();
        let op = c.word("an op such as `arith.addi`")?;
        let known = match op == BodyKind::Mux.mnemonic() {
            true => Some(BodyKind::Mux),
            false => OpKind::named(&op).filter(|k| k.in_hardware()).map(BodyKind::Op),
        };
        let kind = known.ok_or_else(|| unknown_op(&op, op_span.clone()))?;
        let mut operands = vec![self.operand(c)?];
        while c.eat(",") {
            operands.push(self.operand(c)?);
        }
        let kind = match kind {
            BodyKind::Op(OpKind::Stream(_)) => OpKind::Stream(counter(c)?).into(),
            BodyKind::Op(OpKind::Join(_)) if operands.len() <= 64 => {
                OpKind::Join(operands.len() as u8).into()
            }
            BodyKind::Op(OpKind::Mux(_)) if (3..=65).contains(&operands.len()) => {
                OpKind::Mux(operands.len() as u8 - 1).into()
            }
            kind => kind,
        };
        let span = start..c.last_span().end;
        if let Some(message) = miscounted(kind, operands.len(), names.len()) {
            return Err(Box::new(Diagnostic::error(codes::FU_TEXT, message).at(span, "here")));
        }
        c.punct(":")?;
        let types_start = c.span().start;
        let results = self.types(c, kind, &operands)?;
        if results.len() != names.len() {
            let message =
                format!("`{op}` has {} results here, its type gives {}", names.len(), results.len());
            return Err(Box::new(
                Diagnostic::error(codes::FU_TYPES, message)
                    .at(types_start..c.last_span().end, "here")
                    .help("after `->` stands one type for each result"),
            ));
        }
        for (result, (name, span)) in names.into_iter().enumerate() {
            let value = BodyValue::Result { op: self.body.len(), result };
            if self.values.insert(name.clone(), value).is_some() {
                return Err(Box::new(
                    Diagnostic::error(codes::DUPLICATE_NAME, format!("`%{name}` is defined twice"))
                        .at(span, "again here"),
                ));
            }
        }
        self.body.push(BodyOp { kind, operands, results });
        Ok(())
    }

    /// The result types of an op, from `(operands) -> results`, `T to U` or `T`.
    fn types(&self, c: &mut Cursor, kind: BodyKind, operands: &[BodyValue]) -> Fallible<Vec<Type>> {
        let start = c.span().start;
        if c.eat("(") {
            let mut types = Vec::new();
            while !c.eat(")") {
                if !types.is_empty() {
                    c.punct(",")?;
                }
                types.push(native_type(c)?);
            }
            let have: Vec<Type> = operands.iter().map(|&v| self.type_of(v)).collect();
            if types != have {
                return Err(Box::new(
                    Diagnostic::error(
                        codes::FU_TYPES,
                        format!("the operands are {}, the op says {}", type_list(&have), type_list(&types)),
                    )
                    .at(start..c.last_span().end, "here"),
                ));
            }
            c.punct("->")?;
            return type_tuple(c);
        }
        let first = native_type(c)?;
        if c.eat_word("to") {
            return Ok(vec![native_type(c)?]);
        }
        let BodyKind::Op(kind) = kind else { return Ok(vec![first]) };
        Ok(match kind {
            OpKind::Cmpi | OpKind::Cmpf => vec![Type::I1],
            OpKind::Join(_) => vec![Type::None],
            OpKind::CondBr | OpKind::CarryBr | OpKind::InvariantBr => vec![first, first],
            OpKind::Gate | OpKind::Stream(_) => vec![first, Type::I1],
            OpKind::Load | OpKind::Store => vec![first, Type::Index],
            _ => vec![first],
        })
    }
}

/// Numbers of operands and results that an op does not have, in words.
pub(crate) fn miscounted(kind: BodyKind, operands: usize, results: usize) -> Option<String> {
    let (fits, takes, gives) = match kind {
        BodyKind::Op(op) => {
            (operands == op.operand_count(), op.operand_count().to_string(), op.result_count())
        }
        BodyKind::Mux => {
            ((2..=limits::MAX_BODY_MUX).contains(&operands), format!("2 to {}", limits::MAX_BODY_MUX), 1)
        }
    };
    (!fits || results != gives).then(|| {
        format!(
            "`{}` has {operands} operands and {results} results here, it takes {takes} and gives {gives}",
            kind.mnemonic()
        )
    })
}

fn counter(c: &mut Cursor) -> Fallible<Counter> {
    let help = "a stream says `{step_op = \"+=\"}` or `{step_op = \"+=\", unsigned}` after its operands";
    c.punct("{").map_err(|d| Box::new(d.help(help)))?;
    if !c.eat_word("step_op") {
        return Err(Box::new(c.expected("`step_op`").help(help)));
    }
    c.punct("=")?;
    let allowed = "one of \"+=\" \"-=\" \"*=\" \"/=\" \"<<=\" \">>=\"";
    let unknown = c.expected(allowed);
    let step_op = StepOp::parse(&c.string(allowed)?).ok_or(unknown)?;
    let mut numbers = Signedness::Signed;
    if c.eat(",") {
        if !c.eat_word(Counter::UNSIGNED) {
            return Err(Box::new(c.expected("`unsigned`").help(help)));
        }
        numbers = Signedness::Unsigned;
    }
    c.punct("}")?;
    Ok(Counter { step_op, numbers })
}

/// `i32`, `index`, `none`, ...
pub(crate) fn native_type(c: &mut Cursor) -> Fallible<Type> {
    let unknown = c.expected("a type such as `i32`");
    let word = c.word("a type such as `i32`")?;
    Type::parse(&word).ok_or(unknown)
}

/// `T` or `(T, U)`.
pub(crate) fn type_tuple(c: &mut Cursor) -> Fallible<Vec<Type>> {
    if !c.eat("(") {
        return Ok(vec![native_type(c)?]);
    }
    let mut types = Vec::new();
    while !c.eat(")") {
        if !types.is_empty() {
            c.punct(",")?;
        }
        types.push(native_type(c)?);
    }
    Ok(types)
}

/// `(i32, i1)`.
pub(crate) fn type_list(types: &[Type]) -> String {
    let names: Vec<String> = types.iter().map(Type::to_string).collect();
    format!("({})", names.join(", "))
}
