//! `memory` and `extmemory`: CIRCT's pretty form and the generic one.

use super::ops::statement;
use super::parser::{Attr, AttrValue, MemoryDecl, Memref, Parsed, Parser, Statement, Stmt, ValueRef};
use crate::codes;
use crate::graph::MemoryId;
use crate::op::Ports;
use crate::{Op, OpKind, Type};
use loom_base::{truncate, Diagnostic};
use loom_mlir::Tok;
use std::ops::Range;

impl Parser<'_> {
    /// `memory[ld = 1, st = 1] (%data, %address, %address2) {id = 0 : i32, lsq = false} : memref<4xi32>, (types) ->
    /// (types)`; `extmemory` has `(%A : memref<4xi32>)` before the operands instead.
    pub(super) fn memory_node(&mut self, external: bool, span: Range<usize>) -> Parsed<Statement> {
        self.expect(b'[', " and the numbers of ports")?;
        let loads = self.port_count("ld")?;
        self.expect(b',', " and the number of store ports")?;
        let stores = self.port_count("st")?;
        self.expect(b']', " after the numbers of ports")?;
        let mut argument = None;
        if external {
            self.expect(b'(', " of the memory argument")?;
            let value = self.value()?;
            self.expect(b':', " and the memory's type")?;
            argument = Some((value, self.memref()?));
            self.expect(b')', " after the memory argument")?;
        }
        self.expect(b'(', " of the operands")?;
        let operands = if self.is(b')') { Vec::new() } else { self.values()? };
        self.expect(b')', " after the operands")?;
        let attributes = self.optional_attributes()?;
        self.expect(b':', " and the types")?;
        let (argument, ty) = match argument {
            Some((value, ty)) => (Some(value), ty),
            None => {
                let ty = self.memref()?;
                self.expect(b',', " and the types of the ports")?;
                (None, ty)
            }
        };
        let types = self.port_types()?;
        self.finish(argument, ty, Ports { loads, stores }, &attributes, operands, types, span)
    }

    /// The rest of the generic form: `: (types) -> types`, counts and the type of `memory` from the attributes.
    pub(super) fn generic_memory(
        &mut self,
        external: bool,
        span: Range<usize>,
        attributes: Vec<Attr>,
        mut operands: Vec<ValueRef>,
    ) -> Parsed<Statement> {
        let loads = self.count_attribute(&attributes, "ldCount", &span)?;
        let stores = self.count_attribute(&attributes, "stCount", &span)?;
        self.expect(b':', " and the types")?;
        let (argument, ty, types) = if external {
            if operands.is_empty() {
                return self.error(codes::ARITY, "`handshake.extmemory` without its memory argument", span);
            }
            let argument = operands.remove(0);
            self.expect(b'(', " of the operand types")?;
            let ty = self.memref()?;
            let mut inputs = Vec::new();
            while self.eat(b',') {
                inputs.push(self.ty()?);
            }
            self.expect(b')', " after the operand types")?;
            (Some(argument), ty, (inputs, self.result_types()?))
        } else {
            let Some(attribute) = attributes.iter().find(|a| a.name == "memRefType") else {
                return self.error(codes::ATTRIBUTE, "`handshake.memory` without `memRefType`", span);
            };
            let at = attribute.span.clone();
            let offset = self.text()[at.clone()].find("memref").unwrap_or(0);
            (None, self.memref_text(at.start + offset..at.end)?, self.port_types()?)
        };
        self.finish(argument, ty, Ports { loads, stores }, &attributes, operands, types, span)
    }

    fn port_types(&mut self) -> Parsed<(Vec<Type>, Vec<Type>)> {
        let operands = self.types()?.into_iter().map(|t| t.0).collect();
        Ok((operands, self.result_types()?))
    }

    fn result_types(&mut self) -> Parsed<Vec<Type>> {
        if self.peek() != Tok::Arrow {
            return self.unexpected("`->` and the result types");
        }
        self.advance();
        Ok(self.types()?.into_iter().map(|t| t.0).collect())
    }

    /// `ld = 2`.
    fn port_count(&mut self, name: &str) -> Parsed<u8> {
        if !self.eat_word(name) {
            return self.unexpected(&format!("`{name} = ` and a number of ports"));
        }
        self.expect(b'=', " and the number of ports")?;
        let span = self.span();
        if self.peek() != Tok::Integer {
            return self.unexpected("a number of ports");
        }
        match self.advance().parse::<u8>() {
            Ok(n) => Ok(n),
            Err(_) => self.error(codes::MEMORY, "a memory has at most 255 ports of a kind", span),
        }
    }

    fn count_attribute(&mut self, attributes: &[Attr], name: &str, span: &Range<usize>) -> Parsed<u8> {
        let found = attributes.iter().find(|a| a.name == name);
        let count = match found.map(|a| &a.value) {
            Some(AttrValue::Integer(n, _)) => u8::try_from(*n).ok(),
            _ => None,
        };
        match count {
            Some(n) => Ok(n),
            None => {
                let at = found.map_or(span.clone(), |a| a.span.clone());
                self.error(codes::ATTRIBUTE, format!("a memory needs `{name}`, a number from 0 to 255"), at)
            }
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn finish(
        &mut self,
        argument: Option<ValueRef>,
        ty: Memref,
        ports: Ports,
        attributes: &[Attr],
        operands: Vec<ValueRef>,
        (operand_types, result_types): (Vec<Type>, Vec<Type>),
        span: Range<usize>,
    ) -> Parsed<Statement> {
        let attribute = |name: &str| attributes.iter().find(|a| a.name == name);
        let id = match attribute("id").map(|a| &a.value) {
            Some(AttrValue::Integer(n, _)) => u32::try_from(*n).ok(),
            _ => None,
        };
        let Some(id) = id else {
            let at = attribute("id").map_or(span, |a| a.span.clone());
            return self.fail(
                Diagnostic::error(codes::ATTRIBUTE, "a memory needs `id`, a number of its own")
                    .at(at, "")
                    .help("write `{id = 0 : i32}`"),
            );
        };
        let kind = if argument.is_some() { OpKind::Extmemory(ports) } else { OpKind::Memory(ports) };
        if (operands.len(), result_types.len()) != (ports.operands(), ports.results()) {
            let message = format!(
                "`{kind}` takes {} operands and gives {} results, found {} and {}",
                ports.operands(),
                ports.results(),
                operands.len(),
                result_types.len()
            );
            let d = Diagnostic::error(codes::ARITY, message).at(span, "");
            return self.fail(d.help(
                "operands are (data, address) of each store, then the address of each load; results are the data of each \
                 load, then a `none` for each store and each load",
            ));
        }
        let name = match (attribute("loom.name"), &argument) {
            (None, _) | (_, Some(_)) => None,
            (Some(a), None) => match &a.value {
                AttrValue::Text(text) => Some(text.clone()),
                _ => return self.error(codes::ATTRIBUTE, "`loom.name` is not a string", a.span.clone()),
            },
        };
        let init = match (attribute("loom.init"), &argument) {
            (None, _) => Vec::new(),
            (Some(a), None) => self.init(a, ty)?,
            (Some(a), Some(_)) => {
                return self.error(
                    codes::ATTRIBUTE,
                    "`loom.init` on `extmemory`, whose words the host gives",
                    a.span.clone(),
                );
            }
        };
        // The builder numbers the memories.
        let op = Op::Memory(MemoryId(0), kind);
        let mut s = statement(Stmt::Op(op), operands, operand_types, result_types);
        s.memory = Some(MemoryDecl { id, argument, ty, name, init });
        Ok(s)
    }

    /// `loom.init = array<i64: 1, -2>`: the words' bits as signed numbers.
    fn init(&mut self, attribute: &Attr, ty: Memref) -> Parsed<Vec<u64>> {
        let span = attribute.span.clone();
        let text: String = self.text()[span.clone()].chars().filter(|c| !c.is_whitespace()).collect();
        let list = text.split_once('=').map_or("", |t| t.1);
        let list = list.strip_prefix("array<i64").and_then(|t| t.strip_suffix('>'));
        let Some(list) = list.filter(|l| l.is_empty() || l.starts_with(':')) else {
            return self.error(codes::ATTRIBUTE, "`loom.init` is not `array<i64: ...>`", span);
        };
        let width = ty.element.width(64);
        let mut words = Vec::new();
        for number in list.trim_start_matches(':').split(',').filter(|n| !n.is_empty()) {
            // Signless, as a literal is: both readings of the bits may be written.
            let word = number.parse::<i128>().ok();
            match word.filter(|&n| n >= -(1i128 << (width - 1)) && n < (1i128 << width)) {
                Some(n) => words.push(truncate(n as u64, width)),
                None => {
                    let message = format!("`{number}` does not fit `{}`", ty.element);
                    return self.error(codes::LITERAL, message, span);
                }
            }
        }
        Ok(words)
    }
}
