//! MLIR's generic form, as far as `mlir-translate --import-llvm` writes it: operations with attributes, regions,
//! types and locations.
//!
//! The text comes from a tool, not from a user: the first thing that is not understood ends the reading, with its place.
//! That, and that it gives a tree of all that was written, is why this is not the reader of generic form in `loom_front`:
//! that one builds the IR as it reads, knows every value's type before its op is done, and goes on behind errors. What
//! they share are the tokens.

mod locations;
mod tags;
mod types;

use crate::codes;
use crate::types::Ty;
use locations::Location;
use loom_mlir::{lex, unquote, unquote_bytes, Cursor, Tok};
use std::collections::BTreeMap;
use std::ops::{Deref, DerefMut};

/// An attribute.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Attr {
    /// A literal as it is written, with its type.
    Number(String, Option<Ty>),
    Type(Ty),
    Bytes(Vec<u8>),
    Symbol(String),
    List(Vec<Attr>),
    Dict(Vec<(String, Attr)>),
    /// `array<i32: 1, 2>`
    Integers(Vec<i64>),
    /// `dense<...> : tensor<...>`: the elements in order (one for all of them), and their type.
    Dense(Vec<Attr>, Ty),
    Unit,
    /// Whatever has no meaning here.
    Other(String),
}

/// Where something stands in the user's source.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    pub file: String,
    pub line: usize,
    pub column: usize,
    /// Where it became part of another function.
    pub caller: Option<Box<Place>>,
}

/// An operation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Op {
    pub name: String,
    pub results: Vec<String>,
    pub operands: Vec<String>,
    pub successors: Vec<String>,
    pub attributes: Vec<(String, Attr)>,
    pub regions: Vec<Vec<Block>>,
    pub operand_types: Vec<Ty>,
    pub result_types: Vec<Ty>,
    pub place: Option<Place>,
    /// The type that an access has in C, where it may not be any other.
    pub accessed: Option<String>,
    location: Location,
}

/// A block.
#[derive(Clone, Debug, Default)]
pub(crate) struct Block {
    pub name: String,
    pub arguments: Vec<(String, Ty)>,
    pub ops: Vec<Op>,
}

impl Op {
    /// Whether it is a function with a body.
    pub fn has_body(&self) -> bool {
        self.name == "llvm.func" && self.regions.iter().any(|r| !r.is_empty())
    }

    pub fn attribute(&self, name: &str) -> Option<&Attr> {
        self.attributes.iter().find(|(n, _)| n == name).map(|(_, a)| a)
    }

    /// A number, such as a predicate.
    pub fn integer(&self, name: &str) -> Option<i64> {
        match self.attribute(name)? {
            Attr::Number(text, _) => text.parse().ok(),
            _ => None,
        }
    }

    /// A symbol without `@`.
    pub fn symbol(&self, name: &str) -> Option<&str> {
        match self.attribute(name)? {
            Attr::Symbol(s) => Some(s),
            _ => None,
        }
    }

    /// A string.
    pub fn string(&self, name: &str) -> Option<String> {
        match self.attribute(name)? {
            Attr::Bytes(b) => Some(String::from_utf8_lossy(b).into_owned()),
            _ => None,
        }
    }

    /// Numbers of an `array<...>`.
    pub fn integers(&self, name: &str) -> &[i64] {
        match self.attribute(name) {
            Some(Attr::Integers(list)) => list,
            _ => &[],
        }
    }

    /// A type.
    pub fn ty(&self, name: &str) -> Option<&Ty> {
        match self.attribute(name)? {
            Attr::Type(ty) => Some(ty),
            _ => None,
        }
    }
}

/// What was not understood, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unreadable {
    pub offset: usize,
    pub why: String,
}

type Read<T> = Result<T, Unreadable>;

/// Reads a module: the operations in it.
pub(crate) fn read(text: &str) -> Read<Vec<Op>> {
    let mut errors = Vec::new();
    let cursor = Cursor::new(text, lex(text, codes::UNREADABLE, &mut errors));
    if let Some(error) = errors.into_iter().next() {
        let offset = error.labels.first().map_or(0, |l| l.span.start);
        return Err(Unreadable { offset, why: error.message });
    }
    let mut reader = Reader { cursor, depth: 0, locations: BTreeMap::new(), others: BTreeMap::new() };
    let mut module = None;
    while !reader.at_end() {
        if reader.peek() == Tok::AttrName {
            reader.alias()?;
        } else {
            module = Some(reader.op()?);
        }
    }
    let mut ops = match module {
        Some(Op { name, regions, .. }) if name == "builtin.module" => {
            regions.into_iter().flatten().flat_map(|b| b.ops).collect::<Vec<Op>>()
        }
        _ => return reader.expected("a `builtin.module`"),
    };
    locations::resolve(&mut ops, &reader.locations);
    tags::resolve(&mut ops, &reader.others);
    Ok(ops)
}

/// Regions, attributes and types may nest this deep.
const MAX_DEPTH: usize = 200;

/// Ops of the dialect have one result; each has a name here.
const MAX_RESULTS: usize = 64;

struct Reader<'t> {
    cursor: Cursor<'t>,
    depth: usize,
    locations: BTreeMap<String, Location>,
    /// Attributes that have names, as they are written.
    others: BTreeMap<String, String>,
}

impl<'t> Deref for Reader<'t> {
    type Target = Cursor<'t>;

    fn deref(&self) -> &Cursor<'t> {
        &self.cursor
    }
}

impl<'t> DerefMut for Reader<'t> {
    fn deref_mut(&mut self) -> &mut Cursor<'t> {
        &mut self.cursor
    }
}

impl Reader<'_> {
    fn expected<T>(&self, what: &str) -> Read<T> {
        Err(Unreadable { offset: self.span().start, why: format!("expected {what}") })
    }

    fn need(&mut self, mark: u8) -> Read<()> {
        match self.eat(mark) {
            true => Ok(()),
            false => self.expected(&format!("`{}`", char::from(mark))),
        }
    }

    /// The next token without its sigil, when it is of that kind.
    fn name(&mut self, kind: Tok, what: &str) -> Read<String> {
        match self.peek() == kind {
            true => Ok(self.advance()[1..].to_string()),
            false => self.expected(what),
        }
    }

    /// `item, item` up to the mark.
    fn list<T>(&mut self, close: u8, mut item: impl FnMut(&mut Self) -> Read<T>) -> Read<Vec<T>> {
        let mut out = Vec::new();
        if self.eat(close) {
            return Ok(out);
        }
        loop {
            out.push(item(self)?);
            if self.eat(close) {
                return Ok(out);
            }
            self.need(b',')?;
        }
    }

    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        if self.depth == MAX_DEPTH {
            return self.expected("less nesting");
        }
        self.depth += 1;
        let out = read(self);
        self.depth -= 1;
        out
    }

    /// Skips `<...>` where it is next.
    fn skip_angles(&mut self) {
        if self.is(b'<') {
            self.skip_balanced();
        }
    }

    /// The text from a byte to the last token.
    fn text_from(&self, start: usize) -> String {
        self.text()[start..self.last_end()].to_string()
    }

    fn quoted(&mut self) -> Read<String> {
        match self.peek() {
            Tok::Text => Ok(self.string()),
            _ => self.expected("a string"),
        }
    }

    /// `#name = attribute` at the top.
    fn alias(&mut self) -> Read<()> {
        let name = self.name(Tok::AttrName, "an alias")?;
        self.need(b'=')?;
        if self.is_word("loc") {
            let location = self.location()?;
            self.locations.insert(name, location);
        } else if let Attr::Other(text) = self.attribute()? {
            self.others.insert(name, text);
        }
        Ok(())
    }

    /// `%name`
    fn value(&mut self) -> Read<String> {
        let name = self.name(Tok::Value, "a value")?;
        // `%3#1` is a result of an op with several.
        if self.peek() == Tok::AttrName {
            let index = &self.advance()[1..];
            return Ok(if index == "0" { name } else { format!("{name}#{index}") });
        }
        Ok(name)
    }

    fn op(&mut self) -> Read<Op> {
        self.nested(|r| {
            let mut op = Op::default();
            while r.peek() == Tok::Value {
                let name = r.value()?;
                op.results.push(name.clone());
                if r.eat(b':') {
                    let count = r.word().parse().ok().filter(|count| (1..=MAX_RESULTS).contains(count));
                    let Some(count) = count else { return r.expected("a number of results") };
                    r.advance();
                    op.results.extend((1..count).map(|i| format!("{name}#{i}")));
                }
                if !r.eat(b',') {
                    break;
                }
            }
            if !op.results.is_empty() {
                r.need(b'=')?;
            }
            op.name = r.quoted()?;
            r.need(b'(')?;
            op.operands = r.list(b')', Self::value)?;
            if r.eat(b'[') {
                op.successors = r.list(b']', |r| r.name(Tok::Block, "a block"))?;
            }
            if r.eat(b'<') {
                r.need(b'{')?;
                op.attributes = r.list(b'}', Self::entry)?;
                r.need(b'>')?;
            }
            if r.eat(b'(') {
                op.regions = r.list(b')', Self::region)?;
            }
            if r.eat(b'{') {
                op.attributes.extend(r.list(b'}', Self::entry)?);
            }
            r.need(b':')?;
            r.need(b'(')?;
            op.operand_types = r.list(b')', Self::ty)?;
            if !r.eat_arrow() {
                return r.expected("`->`");
            }
            op.result_types = match r.eat(b'(') {
                true => r.list(b')', Self::ty)?,
                false => vec![r.ty()?],
            };
            op.location = r.optional_location()?;
            Ok(op)
        })
    }

    fn region(&mut self) -> Read<Vec<Block>> {
        self.need(b'{')?;
        let mut blocks = vec![Block::default()];
        loop {
            if self.eat(b'}') {
                blocks.retain(|b| !(b.name.is_empty() && b.ops.is_empty()));
                return Ok(blocks);
            }
            if self.peek() == Tok::Block {
                let name = self.name(Tok::Block, "a block")?;
                let mut block = Block { name, ..Block::default() };
                if self.eat(b'(') {
                    block.arguments = self.list(b')', |r| {
                        let value = r.value()?;
                        r.need(b':')?;
                        let ty = r.ty()?;
                        r.optional_location()?;
                        Ok((value, ty))
                    })?;
                }
                self.need(b':')?;
                blocks.push(block);
            } else {
                let op = self.op()?;
                blocks.last_mut().expect("one at least").ops.push(op);
            }
        }
    }

    fn entry(&mut self) -> Read<(String, Attr)> {
        let name = match self.peek() {
            Tok::Text => self.string(),
            Tok::Word => self.advance().to_string(),
            _ => return self.expected("an attribute's name"),
        };
        let value = if self.eat(b'=') { self.attribute()? } else { Attr::Unit };
        Ok((name, value))
    }

    fn attribute(&mut self) -> Read<Attr> {
        self.nested(|r| {
            let start = r.span().start;
            match r.peek() {
                Tok::Text => {
                    let bytes = unquote_bytes(r.advance());
                    if r.eat(b':') {
                        r.ty()?;
                    }
                    Ok(Attr::Bytes(bytes))
                }
                Tok::Symbol => {
                    let name = unquote(&r.advance()[1..]);
                    while r.is(b':') && r.peek_second() == Tok::Mark(b':') {
                        r.advance();
                        r.advance();
                        r.name(Tok::Symbol, "a symbol")?;
                    }
                    Ok(Attr::Symbol(name))
                }
                Tok::Mark(b'[') => {
                    r.advance();
                    Ok(Attr::List(r.list(b']', Self::attribute)?))
                }
                Tok::Mark(b'{') => {
                    r.advance();
                    Ok(Attr::Dict(r.list(b'}', Self::entry)?))
                }
                Tok::AttrName => {
                    r.advance();
                    r.skip_angles();
                    Ok(Attr::Other(r.text_from(start)))
                }
                Tok::Integer | Tok::Float | Tok::Mark(b'-') => r.number(),
                Tok::Word => r.named_attribute(),
                Tok::TypeName | Tok::Mark(b'(') => Ok(Attr::Type(r.ty()?)),
                _ => r.expected("an attribute"),
            }
        })
    }

    fn number(&mut self) -> Read<Attr> {
        let sign = if self.eat(b'-') { "-" } else { "" };
        if !matches!(self.peek(), Tok::Integer | Tok::Float) {
            return self.expected("a number");
        }
        let text = format!("{sign}{}", self.advance());
        let ty = if self.eat(b':') { Some(self.ty()?) } else { None };
        Ok(Attr::Number(text, ty))
    }

    fn named_attribute(&mut self) -> Read<Attr> {
        let truth = |number: &str| Ok(Attr::Number(number.into(), Some(Ty::Int(1))));
        match self.word() {
            "true" => {
                self.advance();
                truth("1")
            }
            "false" => {
                self.advance();
                truth("0")
            }
            "unit" => {
                self.advance();
                Ok(Attr::Unit)
            }
            "array" => {
                self.advance();
                if !self.is(b'<') {
                    return self.expected("`<`");
                }
                let start = self.span().start;
                self.skip_angles();
                let text = self.text_from(start);
                let inner = text.trim_start_matches('<').trim_end_matches('>');
                let numbers = inner.split_once(':').map_or("", |(_, list)| list);
                Ok(Attr::Integers(numbers.split(',').filter_map(|n| n.trim().parse().ok()).collect()))
            }
            "dense" => {
                self.advance();
                self.need(b'<')?;
                let mut elements = Vec::new();
                if !self.eat(b'>') {
                    self.elements(&mut elements)?;
                    self.need(b'>')?;
                }
                self.need(b':')?;
                Ok(Attr::Dense(elements, self.ty()?))
            }
            "loc" => {
                self.location()?;
                Ok(Attr::Unit)
            }
            _ => Ok(Attr::Type(self.ty()?)),
        }
    }

    fn elements(&mut self, out: &mut Vec<Attr>) -> Read<()> {
        if self.eat(b'[') {
            self.nested(|r| r.list(b']', |r| r.elements(out)))?;
            return Ok(());
        }
        out.push(self.attribute()?);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An op with these attributes in a module.
    fn attributes(text: &str) -> Read<Vec<(String, Attr)>> {
        let module = format!("\"builtin.module\"() ({{\n\"a.b\"() <{{{text}}}> : () -> ()\n}}) : () -> ()\n");
        read(&module).map(|mut ops| std::mem::take(&mut ops[0].attributes))
    }

    #[test]
    fn types() {
        let array = |n, ty| Ty::Array(n, Box::new(ty));
        let other = |text: &str| Ty::Other(text.into());
        let cases = [
            ("!llvm.array<0 x i32>", array(0, Ty::Int(32))),
            ("!llvm.array<3 x array<4 x f64>>", array(3, array(4, Ty::F64))),
            ("!llvm.array<2 x ptr<1>>", array(2, other("pointer of another address space"))),
            ("tensor<0xf32>", Ty::F32),
            ("tensor<4x16xi8>", Ty::Int(8)),
            ("tensor<bf16>", Ty::Bf16),
            ("vector<4xf32>", Ty::Vector(4, Box::new(Ty::F32))),
            ("vector<[4]xi1>", other("vector of i1")),
            (
                "!llvm.struct<packed (i8, ptr)>",
                Ty::Struct { packed: true, fields: vec![Ty::Int(8), Ty::Ptr] },
            ),
            ("!llvm.struct<\"s\", opaque>", other("opaque struct")),
            ("!llvm.struct<\"s\">", other("s")),
            ("!llvm.x<a = [1, \"> \"]>", other("!llvm.x<a = [1, \"> \"]>")),
            (
                "!llvm.func<void (i1, ...)>",
                Ty::Func { result: Box::new(Ty::Void), parameters: vec![Ty::Int(1)], variadic: true },
            ),
        ];
        for (text, want) in cases {
            assert_eq!(
                attributes(&format!("t = {text}")),
                Ok(vec![("t".into(), Attr::Type(want))]),
                "{text}"
            );
        }
    }

    #[test]
    fn attributes_of_every_form() {
        let number = |text: &str, ty| Attr::Number(text.into(), ty);
        let cases = [
            ("unit", Attr::Unit),
            ("true", number("1", Some(Ty::Int(1)))),
            ("-5 : i64", number("-5", Some(Ty::Int(64)))),
            ("-1.5e-03 : f32", number("-1.5e-03", Some(Ty::F32))),
            ("\"a\\00\\FF\\22\"", Attr::Bytes(b"a\0\xff\"".to_vec())),
            ("@f", Attr::Symbol("f".into())),
            ("@\"a b\"::@c", Attr::Symbol("a b".into())),
            (
                "[unit, {a, b = 1}]",
                Attr::List(vec![
                    Attr::Unit,
                    Attr::Dict(vec![("a".into(), Attr::Unit), ("b".into(), number("1", None))]),
                ]),
            ),
            ("array<i32: -1, 2>", Attr::Integers(vec![-1, 2])),
            ("array<i32>", Attr::Integers(Vec::new())),
            (
                "dense<[[1], [2]]> : tensor<2x1xi32>",
                Attr::Dense(vec![number("1", None), number("2", None)], Ty::Int(32)),
            ),
            ("#llvm.fmf<a, b<c -> d>>", Attr::Other("#llvm.fmf<a, b<c -> d>>".into())),
            ("loc(\"f.c\":1:2)", Attr::Unit),
        ];
        for (text, want) in cases {
            assert_eq!(attributes(&format!("a = {text}")), Ok(vec![("a".into(), want)]), "{text}");
        }
    }

    #[test]
    fn places_come_through_aliases_defined_below() {
        let text = "\"builtin.module\"() ({\n\"a.b\"() : () -> () loc(#loc2)\n}) : () -> () loc(#loc)\n\
            #loc = loc(unknown)\n#loc1 = loc(\"f.c\":0:0)\n#loc2 = loc(fused<#x<y>>[#loc1, #loc3])\n\
            #loc3 = loc(callsite(\"g\"(\"f.c\":3:4) at #loc))\n";
        let ops = read(text).expect("readable");
        assert_eq!(ops[0].place, Some(Place { file: "f.c".into(), line: 3, column: 4, caller: None }));
    }

    #[test]
    fn what_is_not_understood_has_a_place() {
        let deep = format!("a = {}", "[".repeat(1000));
        let cases = [
            ("a = \"b", "a string that does not end on its line"),
            ("a = \u{7}", "the character `\\u{7}` starts no token"),
            ("a = !llvm.array<x i32>", "expected an extent"),
            ("a = -x", "expected a number"),
            ("a = <", "expected an attribute"),
            ("a = array 1 <i32: 1>", "expected `<`"),
            ("a}> : () -> ()\n%0:4000000000 = \"a.b\"() <{b", "expected a number of results"),
            ("a b", "expected `,`"),
            (&deep, "expected less nesting"),
        ];
        for (text, want) in cases {
            let error = attributes(text).expect_err(text);
            assert_eq!(error.why, want, "{text}");
            assert!(error.offset >= 33, "{text}");
        }
    }
}
