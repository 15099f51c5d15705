//! Pretty operations: the table of names, scalar arithmetic, constants.

use super::parser::{Failed, Head, Operand, Parsed, Parser};
use super::terms::Attr;
use crate::codes;
use crate::ir::{Kind, ValueId, ValueType};
use loom_base::{Code, Diagnostic};
use loom_dfg::op::Form;
use loom_dfg::text::arith::{self, WrittenOp};
use loom_dfg::{Op, OpKind, Type};

/// The op of the table that an op of the `index` dialect is.
pub(super) fn index_op(name: &str) -> Option<OpKind> {
    Some(match name.strip_prefix("index.")? {
        "add" => OpKind::Addi,
        "sub" => OpKind::Subi,
        "mul" => OpKind::Muli,
        "divs" => OpKind::Divsi,
        "divu" => OpKind::Divui,
        "ceildivs" => OpKind::Ceildivsi,
        "ceildivu" => OpKind::Ceildivui,
        "floordivs" => OpKind::Floordivsi,
        "rems" => OpKind::Remsi,
        "remu" => OpKind::Remui,
        "maxs" => OpKind::Maxsi,
        "maxu" => OpKind::Maxui,
        "mins" => OpKind::Minsi,
        "minu" => OpKind::Minui,
        "and" => OpKind::Andi,
        "or" => OpKind::Ori,
        "xor" => OpKind::Xori,
        "shl" => OpKind::Shli,
        "shrs" => OpKind::Shrsi,
        "shru" => OpKind::Shrui,
        "cmp" => OpKind::Cmpi,
        "casts" => OpKind::IndexCast,
        "castu" => OpKind::IndexCastui,
        _ => return None,
    })
}

/// Why an op is refused.
pub(super) fn unknown(head: &Head) -> Diagnostic {
    let name = &head.name;
    let dialect = name.split('.').next().unwrap_or("");
    let ours =
        matches!(dialect, "func" | "scf" | "arith" | "math" | "memref" | "cf" | "index" | "ub" | "llvm");
    let others = [
        "affine",
        "vector",
        "tensor",
        "linalg",
        "gpu",
        "omp",
        "async",
        "bufferization",
        "complex",
        "builtin",
        "handshake",
        "dataflow",
        "polygeist",
        "emitc",
        "spirv",
        "transform",
        "sparse_tensor",
        "shape",
        "tosa",
    ];
    let (code, message) = match ours || others.contains(&dialect) {
        true => (codes::NOT_SUPPORTED, format!("the op `{name}` is not supported")),
        false => (codes::UNKNOWN_OP, format!("the op `{name}` is not known")),
    };
    let d = Diagnostic::error(code, message).at(head.span.clone(), "");
    d.help(match (dialect, name.as_str()) {
        ("affine", _) => "lower it first: `mlir-opt --lower-affine`",
        ("linalg", _) => "lower it first: `mlir-opt --convert-linalg-to-loops`",
        ("vector", _) => "scalarize it first: values are scalars and memrefs",
        ("tensor" | "bufferization", _) => "bufferize it first: `mlir-opt --one-shot-bufferize`",
        ("llvm", _) => "of the LLVM dialect only `llvm.intr.bitreverse` is supported",
        ("handshake" | "dataflow", _) => "this is an op of a dataflow graph: name the file `.dfg.mlir`",
        (_, "index.sizeof") => "the width of `index` is the fabric's: write the number",
        ("math", _) => "docs/scf.md lists the functions that are supported",
        _ => "the supported ops are listed in docs/scf.md",
    })
}

impl<'t> arith::Reader<'t> for Parser<'t> {
    type Operand = Operand;
    type Type = ValueType;
    type Failed = Failed;
    const PREDICATE: Code = codes::SYNTAX;
    const ROUNDING: Code = codes::NOT_SUPPORTED;

    fn fail<T>(&mut self, d: Diagnostic) -> Parsed<T> {
        Parser::fail(self, d)
    }

    fn unexpected<T>(&mut self, wanted: &str) -> Parsed<T> {
        Parser::unexpected(self, wanted)
    }

    fn operands(&mut self) -> Parsed<Vec<Operand>> {
        Parser::operands(self)
    }

    fn skip_attributes(&mut self) -> Parsed<()> {
        self.optional_attributes().map(drop)
    }

    fn value_type(&mut self) -> Parsed<ValueType> {
        Parser::value_type(self)
    }

    fn scalar_type(&mut self) -> Parsed<Type> {
        let mut span = self.span();
        match self.value_type()? {
            ValueType::Scalar(t) => Ok(t),
            other => {
                span.end = self.last_end();
                self.error(codes::TYPE_MISMATCH, format!("`{other}` stands where a scalar is needed"), span)
            }
        }
    }
}

impl Parser<'_> {
    pub fn pretty(&mut self, head: &Head) -> Parsed<()> {
        if let Some(done) = self.sugar(head) {
            return done;
        }
        match head.name.as_str() {
            "arith.constant" => self.constant(head),
            "index.constant" => {
                let number = self.number()?;
                let bits = self.bits(&number, Type::Index)?;
                self.emit(head, Kind::Constant(bits), vec![], &[ValueType::Scalar(Type::Index)]).map(drop)
            }
            "index.bool.constant" => {
                let number = self.number()?;
                let bits = self.bits(&number, Type::I1)?;
                self.emit(head, Kind::Constant(bits), vec![], &[ValueType::Scalar(Type::I1)]).map(drop)
            }
            "index.cmp" => {
                let op = arith::predicate(self, OpKind::Cmpi, &head.name)?;
                self.expect(b'(', "of the operands")?;
                let operands = self.operands_to(b')')?;
                self.optional_attributes()?;
                self.indices(head, op, &operands, Type::I1)
            }
            "llvm.intr.bitreverse" => {
                self.expect(b'(', "of the operand")?;
                let operands = self.operands_to(b')')?;
                self.optional_attributes()?;
                self.expect(b':', "before the type")?;
                let (from, to) = self.function_type()?;
                let values = self.values(&operands, &from, &head.span)?;
                self.emit(head, Kind::Scalar(Op::Plain(OpKind::Bitreverse)), values, &to).map(drop)
            }
            "ub.poison" => {
                if self.is(b'<') {
                    self.skip_balanced();
                }
                self.optional_attributes()?;
                self.expect(b':', "before the type")?;
                let ty = self.value_type()?;
                self.emit(head, Kind::Poison, vec![], &[ty]).map(drop)
            }
            name if name.starts_with("scf.") || name.starts_with("cf.") || name.starts_with("func.") => {
                self.flow(head)
            }
            "return" | "call" => self.flow(head),
            name if name.starts_with("memref.") => self.memory(head),
            name => match (OpKind::arith(name), index_op(name)) {
                (None, Some(kind)) if !matches!(kind.form(), Form::Cast(_)) => self.index_only(head, kind),
                (Some(kind), _) | (None, Some(kind)) => self.arith(head, kind),
                (None, None) => self.fail(unknown(head)),
            },
        }
    }

    /// An op of the dialect `index` whose operands and result are all an index: its text has no types.
    fn index_only(&mut self, head: &Head, kind: OpKind) -> Parsed<()> {
        let operands = self.operands()?;
        self.optional_attributes()?;
        self.indices(head, Op::Plain(kind), &operands, Type::Index)
    }

    fn indices(&mut self, head: &Head, op: Op, operands: &[Operand], result: Type) -> Parsed<()> {
        let types = vec![ValueType::Scalar(Type::Index); op.kind().operand_count()];
        let values = self.values(operands, &types, &head.span)?;
        self.emit(head, Kind::Scalar(op), values, &[ValueType::Scalar(result)]).map(drop)
    }

    fn arith(&mut self, head: &Head, kind: OpKind) -> Parsed<()> {
        let WrittenOp { op, operands, operand_types, result_type, nsw } = arith::read(self, kind)?;
        let values = self.values(&operands, &operand_types, &head.span)?;
        let op = self.emit(head, Kind::Scalar(op), values, &[result_type])?;
        self.state.func.op_mut(op).nsw = nsw;
        Ok(())
    }

    fn constant(&mut self, head: &Head) -> Parsed<()> {
        self.optional_attributes()?;
        let span = self.span();
        let attr = self.attr()?;
        let (bits, ty) = self.constant_bits(&attr, span.start..self.last_end())?;
        self.emit(head, Kind::Constant(bits), Vec::new(), &[ValueType::Scalar(ty)]).map(drop)
    }

    pub fn constant_bits(&mut self, attr: &Attr, span: std::ops::Range<usize>) -> Parsed<(u64, Type)> {
        match attr {
            Attr::Bool(b) => Ok((u64::from(*b), Type::I1)),
            Attr::Number(number, ty) => {
                let default = if number.text.contains('.') { Type::F64 } else { Type::Int(64) };
                let ty = ty.unwrap_or(default);
                Ok((self.bits(number, ty)?, ty))
            }
            Attr::Dense(..) => {
                let d = Diagnostic::error(codes::NOT_SUPPORTED, "a dense constant").at(span, "");
                self.fail(d.help("values are scalars: put a table into a `memref.global`"))
            }
            _ => self.error(codes::ATTRIBUTE, "a constant is a number, `true` or `false`", span),
        }
    }

    /// Operands of one type each, as `index` most often.
    pub fn all(&mut self, operands: &[Operand], ty: Type) -> Vec<ValueId> {
        operands.iter().map(|o| self.value(o, &ValueType::Scalar(ty))).collect()
    }
}
