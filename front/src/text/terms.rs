//! Types and attributes. This, [`super::parser`] and [`super::literal`] name each other: they are one parser, cut by what is
//! read; the parser keeps what aliases stand for.

use super::affine::Map;
use super::literal::Number;
use super::parser::{Failed, Parsed, Parser};
use crate::codes;
use crate::ir::{Dim, IndexOrOperand, MemrefLayout, MemrefType, ValueType};
use loom_base::Diagnostic;
use loom_dfg::Type;
use loom_mlir::{unquote, Tok};
use std::ops::Range;

/// A type as text has it.
#[derive(Clone, Debug)]
pub(super) enum Ty {
    Value(ValueType),
    Function(Vec<Ty>, Vec<Ty>),
    /// Of dense literals only.
    Tensor,
    /// Refused, with the reason in the help.
    Refused(String, &'static str),
}

/// Numbers inside of `dense<...>`.
#[derive(Clone, Debug)]
pub(super) enum Literal {
    Leaf(Number),
    /// `"0x..."`
    Bytes(String),
    List(Vec<Literal>),
}

/// An attribute's value.
#[derive(Clone, Debug)]
pub(super) enum Attr {
    Unit,
    Bool(bool),
    Number(Number, Option<Type>),
    Str(String),
    Symbol(String),
    Array(Vec<Attr>),
    Dict(Vec<Named>),
    Type(Ty),
    Dense(Literal),
    Strided(Vec<Dim>, Dim),
    /// `affine_map<...>` or `affine_set<...>`
    Map(Map),
    /// Anything else: its text.
    Other(String),
}

#[derive(Clone, Debug)]
pub(super) struct Named {
    pub name: String,
    pub value: Attr,
    pub span: Range<usize>,
}

impl Ty {
    /// How many types it is made of.
    pub fn nodes(&self) -> usize {
        match self {
            Ty::Function(from, to) => 1 + from.iter().chain(to).map(Ty::nodes).sum::<usize>(),
            Ty::Value(_) | Ty::Tensor | Ty::Refused(..) => 1,
        }
    }
}

impl Literal {
    fn nodes(&self) -> usize {
        match self {
            Literal::List(list) => 1 + list.iter().map(Literal::nodes).sum::<usize>(),
            Literal::Leaf(_) => 1,
            Literal::Bytes(text) => 1 + text.len() / 8,
        }
    }
}

impl Attr {
    /// How many attributes, types and numbers it is made of.
    pub fn nodes(&self) -> usize {
        match self {
            Attr::Array(list) => 1 + list.iter().map(Attr::nodes).sum::<usize>(),
            Attr::Dict(list) => 1 + list.iter().map(|a| a.value.nodes()).sum::<usize>(),
            Attr::Type(ty) => 1 + ty.nodes(),
            Attr::Dense(literal) => 1 + literal.nodes(),
            Attr::Strided(strides, _) => 1 + strides.len(),
            // Their size is that of the text they are written as, at most.
            Attr::Str(text) | Attr::Symbol(text) | Attr::Other(text) => 1 + text.len() / 8,
            Attr::Map(_) | Attr::Unit | Attr::Bool(_) | Attr::Number(..) => 1,
        }
    }
}

const SCALARS: &str = "values are `i1` to `i64`, `index`, `bf16`, `f16`, `f32`, `f64` and memrefs of them";

const NO_TENSORS: &str = "unroll or bufferize it first: values are scalars and memrefs";

impl Parser<'_> {
    // Types.

    pub fn value_type(&mut self) -> Parsed<ValueType> {
        self.value_type_or_bad()?.ok_or(Failed)
    }

    /// `None` when the type was read, reported and refused.
    pub fn value_type_or_bad(&mut self) -> Parsed<Option<ValueType>> {
        let mut span = self.span();
        let ty = self.ty()?;
        span.end = self.last_end();
        Ok(self.as_value_type(ty, span))
    }

    pub fn as_value_type(&mut self, ty: Ty, span: Range<usize>) -> Option<ValueType> {
        let (text, help) = match ty {
            Ty::Value(ty) => return Some(ty),
            Ty::Refused(text, help) => (text, help),
            Ty::Function(..) => ("a function type".to_string(), SCALARS),
            Ty::Tensor => (format!("`{}`", &self.text()[span.clone()]), NO_TENSORS),
        };
        let d = Diagnostic::error(codes::BAD_TYPE, format!("{text} is no type of a value")).at(span, "");
        self.report(d.help(help));
        None
    }

    /// `T`, `(T, T)` or `()`.
    pub fn result_types(&mut self) -> Parsed<Vec<ValueType>> {
        match self.eat(b'(') {
            false => Ok(vec![self.value_type()?]),
            true => self.types_to(b')'),
        }
    }

    pub fn types_to(&mut self, close: u8) -> Parsed<Vec<ValueType>> {
        let mut types = Vec::new();
        if self.eat(close) {
            return Ok(types);
        }
        types = self.value_types()?;
        self.expect(close, "after the types")?;
        Ok(types)
    }

    pub fn value_types(&mut self) -> Parsed<Vec<ValueType>> {
        let mut types = vec![self.value_type()?];
        while self.eat(b',') {
            types.push(self.value_type()?);
        }
        Ok(types)
    }

    /// `-> (T, T)` if it is there.
    pub fn optional_results(&mut self) -> Parsed<Vec<ValueType>> {
        match self.eat_arrow() {
            true => self.result_types(),
            false => Ok(Vec::new()),
        }
    }

    /// `(T, T) -> R`.
    pub fn function_type(&mut self) -> Parsed<(Vec<ValueType>, Vec<ValueType>)> {
        self.expect(b'(', "of the operand types")?;
        let from = self.types_to(b')')?;
        self.expect_arrow()?;
        Ok((from, self.result_types()?))
    }

    pub fn memref_type(&mut self) -> Parsed<MemrefType> {
        let mut span = self.span();
        let ty = self.value_type()?;
        span.end = self.last_end();
        match ty {
            ValueType::Memref(m) => Ok(m),
            other => {
                self.error(codes::TYPE_MISMATCH, format!("`{other}` stands where a memref is needed"), span)
            }
        }
    }

    pub fn ty(&mut self) -> Parsed<Ty> {
        self.deeper(|p| p.ty_inside())
    }

    fn ty_inside(&mut self) -> Parsed<Ty> {
        let mut span = self.span();
        match self.peek() {
            Tok::Mark(b'(') => {
                self.advance();
                let from = self.ty_list()?;
                self.expect_arrow()?;
                let to = match self.eat(b'(') {
                    true => self.ty_list()?,
                    false => vec![self.ty()?],
                };
                return Ok(Ty::Function(from, to));
            }
            Tok::Word | Tok::TypeName => {}
            _ => return self.unexpected("a type"),
        }
        let is_alias = self.peek() == Tok::TypeName;
        let word = self.advance();
        if is_alias {
            if let Some(ty) = self.aliased_type(&word[1..])? {
                return Ok(ty);
            }
            if self.is(b'<') {
                self.skip_balanced();
            } else if !word.contains('.') {
                let d =
                    Diagnostic::error(codes::UNDEFINED, format!("the type alias `{word}` is not defined"));
                return self.fail(d.at(span, "").help("define it above: `!name = type`"));
            }
            span.end = self.last_end();
            return Ok(Ty::Refused(format!("`{}`", &self.text()[span]), SCALARS));
        }
        if word == "memref" && self.is(b'<') {
            return self.memref_inside(span.start);
        }
        if matches!(word, "tensor" | "vector") && self.is(b'<') {
            let start = self.place();
            let errors = self.errors.len();
            let inside = self.shape();
            if matches!(inside, Ok((_, Ty::Value(ValueType::Scalar(_))))) && self.eat(b'>') {
                return Ok(Ty::Tensor);
            }
            self.errors.truncate(errors);
            self.rewind(start);
        }
        if self.is(b'<') {
            self.skip_balanced();
        } else if let Some(ty) = Type::parse(word).filter(|&t| t != Type::None) {
            return Ok(Ty::Value(ValueType::Scalar(ty)));
        }
        span.end = self.last_end();
        let digits = |prefix: &str| word.strip_prefix(prefix).is_some_and(|d| d.parse::<u32>().is_ok());
        let help = match word {
            "vector" | "tensor" => NO_TENSORS,
            _ if digits("si") || digits("ui") => "integers are signless: write `i32`",
            _ if digits("i") => "integers are `i1` to `i64`",
            _ => SCALARS,
        };
        Ok(Ty::Refused(format!("`{}`", &self.text()[span]), help))
    }

    fn ty_list(&mut self) -> Parsed<Vec<Ty>> {
        let mut list = Vec::new();
        if self.eat(b')') {
            return Ok(list);
        }
        loop {
            list.push(self.ty()?);
            if !self.eat(b',') {
                self.expect(b')', "after the types")?;
                return Ok(list);
            }
        }
    }

    /// `<4x?xT`: the cursor is behind the element type afterwards.
    fn shape(&mut self) -> Parsed<(Vec<Dim>, Ty)> {
        self.expect(b'<', "of the shape")?;
        let bytes = self.text().as_bytes();
        let mut at = self.span().start;
        let mut shape = Vec::new();
        if self.is(b'*') {
            return self.error(codes::NOT_SUPPORTED, "a memref without rank", self.span());
        }
        loop {
            let start = at;
            let dim = match bytes.get(at) {
                Some(b'?') => {
                    at += 1;
                    None
                }
                Some(b'0'..=b'9') => {
                    while bytes.get(at).is_some_and(u8::is_ascii_digit) {
                        at += 1;
                    }
                    match self.text()[start..at].parse::<i64>() {
                        Ok(n) => Some(n),
                        Err(_) => return self.error(codes::LITERAL, "an extent beyond 64 bits", start..at),
                    }
                }
                _ => break,
            };
            if bytes.get(at) != Some(&b'x') {
                self.seek(at);
                return self.unexpected("`x` after the extent");
            }
            at += 1;
            shape.push(dim);
        }
        self.seek(at);
        Ok((shape, self.ty()?))
    }

    fn memref_inside(&mut self, start: usize) -> Parsed<Ty> {
        let (shape, element) = self.shape()?;
        let mut layout = MemrefLayout::Identity;
        let mut refused = false;
        while self.eat(b',') {
            match self.attr()? {
                Attr::Strided(strides, offset) => layout = MemrefLayout::Strided { strides, offset },
                Attr::Map(map) if map.is_identity() => {}
                Attr::Map(_) => refused = true,
                // A memory space: all memory is one here.
                _ => {}
            }
        }
        self.expect(b'>', "after the memref type")?;
        let text = format!("`{}`", &self.text()[start..self.last_end()]);
        if refused {
            return Ok(Ty::Refused(text, "write the layout as `strided<[...], offset: ...>`"));
        }
        let Ty::Value(ValueType::Scalar(element)) = element else {
            return Ok(Ty::Refused(
                text,
                "a memref holds `i1` to `i64`, `index`, `bf16`, `f16`, `f32` or `f64`",
            ));
        };
        if let MemrefLayout::Strided { strides, .. } = &layout {
            if strides.len() != shape.len() {
                let message = format!("{} strides for {} dimensions", strides.len(), shape.len());
                return self.error(codes::SHAPE, message, start..self.last_end());
            }
        }
        Ok(Ty::Value(ValueType::Memref(MemrefType { shape, element, layout })))
    }

    // Attributes.

    /// `{a = 1, b}` if it is there.
    pub fn optional_attributes(&mut self) -> Parsed<Vec<Named>> {
        match self.is(b'{') {
            true => self.attributes(),
            false => Ok(Vec::new()),
        }
    }

    pub fn attributes(&mut self) -> Parsed<Vec<Named>> {
        self.expect(b'{', "of the attributes")?;
        let mut list: Vec<Named> = Vec::new();
        while !self.eat(b'}') {
            let mut span = self.span();
            if !matches!(self.peek(), Tok::Word | Tok::Text) {
                return self.unexpected("an attribute name");
            }
            let name = self.advance().trim_matches('"').to_string();
            let value = if self.eat(b'=') { self.attr()? } else { Attr::Unit };
            span.end = self.last_end();
            if list.iter().any(|a| a.name == name) {
                return self.error(codes::ATTRIBUTE, format!("the attribute `{name}` is given twice"), span);
            }
            list.push(Named { name, value, span });
            if !self.eat(b',') && !self.is(b'}') {
                return self.unexpected("`,` or `}` after the attribute");
            }
        }
        Ok(list)
    }

    pub fn attr(&mut self) -> Parsed<Attr> {
        self.deeper(|p| p.attr_inside())
    }

    fn attr_inside(&mut self) -> Parsed<Attr> {
        let start = self.span().start;
        match self.peek() {
            Tok::Text => Ok(Attr::Str(unquote(self.advance()))),
            Tok::Symbol => {
                let mut name = self.symbol()?;
                while self.is(b':') && self.peek_second() == Tok::Mark(b':') {
                    self.advance();
                    self.advance();
                    name = self.symbol()?;
                }
                Ok(Attr::Symbol(name))
            }
            Tok::Integer | Tok::Float | Tok::Mark(b'-') => {
                let number = self.number()?;
                let mut ty = None;
                if self.eat(b':') {
                    if let Ty::Value(ValueType::Scalar(t)) = self.ty()? {
                        ty = Some(t);
                    }
                }
                Ok(Attr::Number(number, ty))
            }
            Tok::Mark(b'[') => {
                self.advance();
                let mut list = Vec::new();
                while !self.eat(b']') {
                    list.push(self.attr()?);
                    if !self.eat(b',') && !self.is(b']') {
                        return self.unexpected("`,` or `]` in the list");
                    }
                }
                Ok(Attr::Array(list))
            }
            Tok::Mark(b'{') => Ok(Attr::Dict(self.attributes()?)),
            Tok::AttrName => {
                let word = self.advance();
                if self.is(b'<') {
                    self.skip_balanced();
                } else if let Some(attr) = self.aliased_attr(&word[1..])? {
                    return Ok(attr);
                }
                Ok(Attr::Other(self.text()[start..self.last_end()].to_string()))
            }
            Tok::Word => match self.word() {
                "true" | "false" => Ok(Attr::Bool(self.advance() == "true")),
                "unit" => {
                    self.advance();
                    Ok(Attr::Unit)
                }
                "array" => self.array_attr(),
                "dense" => {
                    let literal = self.dense()?;
                    if self.eat(b':') {
                        self.ty()?;
                    }
                    Ok(Attr::Dense(literal))
                }
                "strided" => self.strided(),
                "affine_map" | "affine_set" => Ok(Attr::Map(self.affine_literal()?)),
                "loc" | "sparse" | "dense_resource" | "distinct" | "opaque" => {
                    self.advance();
                    self.skip_balanced();
                    let end = self.last_end();
                    if self.is(b'<') || self.eat(b':') {
                        self.ty().ok();
                    }
                    Ok(Attr::Other(self.text()[start..end].to_string()))
                }
                _ => Ok(Attr::Type(self.ty()?)),
            },
            Tok::TypeName | Tok::Mark(b'(') => Ok(Attr::Type(self.ty()?)),
            _ => self.unexpected("an attribute"),
        }
    }

    /// `array<i64: 1, 2>`.
    fn array_attr(&mut self) -> Parsed<Attr> {
        self.advance();
        self.expect(b'<', "of the array")?;
        self.ty()?;
        let mut list = Vec::new();
        if self.eat(b':') {
            loop {
                list.push(match self.word() {
                    "true" | "false" => Attr::Bool(self.advance() == "true"),
                    _ => Attr::Number(self.number()?, None),
                });
                if !self.eat(b',') {
                    break;
                }
            }
        }
        self.expect(b'>', "after the array")?;
        Ok(Attr::Array(list))
    }

    /// `dense<...>` without the type behind it.
    pub fn dense(&mut self) -> Parsed<Literal> {
        self.expect_word("dense")?;
        self.expect(b'<', "of the literal")?;
        let literal = if self.is(b'>') { Literal::List(Vec::new()) } else { self.literal()? };
        self.expect(b'>', "after the literal")?;
        Ok(literal)
    }

    fn literal(&mut self) -> Parsed<Literal> {
        if self.peek() == Tok::Text {
            return Ok(Literal::Bytes(self.advance().trim_matches('"').to_string()));
        }
        if !self.eat(b'[') {
            return Ok(Literal::Leaf(self.number()?));
        }
        self.deeper(|p| {
            let mut list = Vec::new();
            while !p.eat(b']') {
                list.push(p.literal()?);
                if !p.eat(b',') && !p.is(b']') {
                    return p.unexpected("`,` or `]` in the literal");
                }
            }
            Ok(Literal::List(list))
        })
    }

    fn strided(&mut self) -> Parsed<Attr> {
        self.advance();
        self.expect(b'<', "of the layout")?;
        self.expect(b'[', "of the strides")?;
        let mut strides = Vec::new();
        while !self.eat(b']') {
            strides.push(self.dim()?);
            if !self.eat(b',') && !self.is(b']') {
                return self.unexpected("`,` or `]` in the strides");
            }
        }
        let mut offset = Some(0);
        if self.eat(b',') {
            self.expect_word("offset")?;
            self.expect(b':', "before the offset")?;
            offset = self.dim()?;
        }
        self.expect(b'>', "after the layout")?;
        Ok(Attr::Strided(strides, offset))
    }

    fn dim(&mut self) -> Parsed<Dim> {
        if self.eat(b'?') {
            return Ok(None);
        }
        Ok(Some(self.integer()?))
    }

    /// A plain 64-bit number.
    pub fn integer(&mut self) -> Parsed<i64> {
        let number = self.number()?;
        match number.integer().and_then(|n| i64::try_from(n).ok()) {
            Some(n) => Ok(n),
            None => self.error(codes::LITERAL, "a number that is no integer of 64 bits", number.span),
        }
    }

    /// `[1, %a, 2]`: numbers and operands; the operands go to `dynamic`.
    pub fn mixed(&mut self, dynamic: &mut Vec<super::parser::Operand>) -> Parsed<Vec<IndexOrOperand>> {
        self.expect(b'[', "of the list")?;
        let mut list = Vec::new();
        while !self.eat(b']') {
            if self.peek() == Tok::Value {
                dynamic.push(self.operand()?);
                list.push(IndexOrOperand::Operand);
            } else {
                list.push(IndexOrOperand::Fixed(self.integer()?));
            }
            if !self.eat(b',') && !self.is(b']') {
                return self.unexpected("`,` or `]` in the list");
            }
        }
        Ok(list)
    }

    pub fn symbol(&mut self) -> Parsed<String> {
        match self.peek() {
            Tok::Symbol => {
                let name = &self.advance()[1..];
                Ok(if name.starts_with('"') { unquote(name) } else { name.to_string() })
            }
            _ => self.unexpected("a symbol `@name`"),
        }
    }

    /// `#a = attribute` or `!t = type`.
    pub fn alias(&mut self) -> Parsed<()> {
        let is_type = self.peek() == Tok::TypeName;
        let name = self.advance()[1..].to_string();
        self.expect(b'=', "after the alias")?;
        if is_type {
            let ty = self.ty()?;
            self.define_type(name, ty);
        } else {
            let attr = self.attr()?;
            self.define_attr(name, attr);
        }
        Ok(())
    }
}
