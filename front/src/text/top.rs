//! Top level: modules, functions, globals, aliases.

use super::generic::integer_of;
use super::parser::{Argument, Failed, Head, Parsed, Parser};
use super::terms::{Attr, Literal, Named, Ty};
use crate::codes;
use crate::ir::{ArgumentAttributes, Func, Global, Kind, MemrefLayout, MemrefType, ValueType};
use loom_base::Diagnostic;
use loom_mlir::Tok;
use std::ops::Range;

impl Parser<'_> {
    pub fn file(&mut self) {
        self.top_level(false);
    }

    /// Operations up to the end of the file, or up to the `}` of a module.
    fn top_level(&mut self, inside: bool) {
        while !self.at_end() {
            if inside && self.eat(b'}') {
                return;
            }
            let start = self.place();
            if self.top_operation().is_err() {
                self.recover(start);
                if self.place() == start || (self.is(b'}') && !inside) {
                    self.advance();
                }
            }
        }
        if inside {
            let _: Parsed<()> = self.unexpected("`}` of the module");
        }
    }

    fn top_operation(&mut self) -> Parsed<()> {
        let head = Head { span: self.span(), name: self.word().to_string(), ..Head::default() };
        match (self.peek(), self.word()) {
            (Tok::Word, "module" | "builtin.module") => {
                self.advance();
                if self.peek() == Tok::Symbol {
                    self.symbol()?;
                }
                if self.eat_word("attributes") {
                    self.attributes()?;
                }
                self.expect(b'{', "of the module")?;
                self.inner_module()?;
            }
            (Tok::Word, "func.func") => {
                self.advance();
                self.function()?;
            }
            (Tok::Word, "memref.global") => {
                self.advance();
                self.global()?;
            }
            (Tok::Text, _) => {
                let name = self.advance().trim_matches('"').to_string();
                self.generic_top(&Head { name, ..head })?;
            }
            (Tok::AttrName | Tok::TypeName, _) => return self.alias(),
            (Tok::Mark(b'{'), "{") if self.peek_second() == Tok::Mark(b'-') => {
                // `{-# ... #-}`: resources of the file.
                self.skip_balanced();
                return Ok(());
            }
            (Tok::Word, name) if name.contains('.') => {
                let d = Diagnostic::error(codes::NOT_SUPPORTED, format!("`{name}` at the top level"));
                let help = "a module holds `func.func` and `memref.global`";
                return self.fail(d.at(self.span(), "").help(help));
            }
            _ => return self.unexpected("`module`, `func.func` or `memref.global`"),
        }
        self.skip_location();
        Ok(())
    }

    fn inner_module(&mut self) -> Parsed<()> {
        self.deeper(|p| {
            p.top_level(true);
            Ok(())
        })
    }

    fn generic_top(&mut self, head: &Head) -> Parsed<()> {
        if head.name == "builtin.module" {
            self.expect(b'(', "of the operands")?;
            self.expect(b')', "of the operands")?;
            if self.eat(b'<') {
                self.attributes()?;
                self.expect(b'>', "after the properties")?;
            }
            self.expect(b'(', "of the regions")?;
            self.expect(b'{', "of the module")?;
            if self.peek() == Tok::Block {
                self.advance();
                self.expect(b':', "after the block's name")?;
            }
            self.inner_module()?;
            self.expect(b')', "after the regions")?;
            self.optional_attributes()?;
            self.expect(b':', "before the type")?;
            self.function_type()?;
            return Ok(());
        }
        if !matches!(head.name.as_str(), "func.func" | "memref.global") {
            let d = Diagnostic::error(codes::NOT_SUPPORTED, format!("`{}` at the top level", head.name));
            let help = "a module holds `func.func` and `memref.global`";
            return self.fail(d.at(head.span.clone(), "").help(help));
        }
        let errors = self.errors.len();
        self.start_function();
        let parts = self.generic_parts(head)?;
        let finished = self.finish_function(errors);
        if head.name == "memref.global" {
            let name = parts.symbol(self, "sym_name")?;
            let Some(Attr::Type(Ty::Value(ValueType::Memref(ty)))) = parts.get("type").cloned() else {
                return self.error(codes::ATTRIBUTE, "`type` must be a memref type", head.span.clone());
            };
            let init = match parts.get("initial_value").cloned() {
                Some(Attr::Dense(literal)) => Some(self.initial(&literal, &ty, head.span.clone())?),
                None | Some(Attr::Unit) => None,
                Some(_) => {
                    return self.error(codes::ATTRIBUTE, "`initial_value` must be dense", head.span.clone())
                }
            };
            let constant = parts.get("constant").is_some();
            self.add_global(Global { name, ty, constant, init, span: Some(head.span.clone()) });
            return Ok(());
        }
        let Some(mut func) = finished else {
            return Ok(());
        };
        func.name = parts.symbol(self, "sym_name")?;
        func.private = matches!(parts.get("sym_visibility"), Some(Attr::Str(s)) if s == "private");
        func.span = Some(head.span.clone());
        let Some(Attr::Type(Ty::Function(from, to))) = parts.get("function_type").cloned() else {
            return self.error(
                codes::ATTRIBUTE,
                "`function_type` must be a function type",
                head.span.clone(),
            );
        };
        for (list, out) in [(from, &mut func.argument_types), (to, &mut func.result_types)] {
            for ty in list {
                out.push(self.as_value_type(ty, head.span.clone()).ok_or(Failed)?);
            }
        }
        func.argument_attributes = vec![ArgumentAttributes::default(); func.argument_types.len()];
        if let Some(Attr::Array(list)) = parts.get("arg_attrs") {
            for (slot, attr) in func.argument_attributes.iter_mut().zip(list) {
                if let Attr::Dict(list) = attr {
                    *slot = argument_attributes(list);
                }
            }
        }
        let region = match parts.regions[..] {
            [region] => region,
            _ => return self.error(codes::STRUCTURE, "`func.func` has one region", head.span.clone()),
        };
        let empty = match func.region(region).blocks[..] {
            [block] => func.block(block).ops.is_empty() && func.block(block).arguments.is_empty(),
            _ => false,
        };
        func.body = (!empty).then_some(region);
        self.add_function(func);
        Ok(())
    }

    fn function(&mut self) -> Parsed<()> {
        let errors = self.errors.len();
        self.start_function();
        let mut private = false;
        if matches!(self.word(), "private" | "public" | "nested") {
            private = self.advance() == "private";
        }
        let span = self.span();
        let name = self.symbol()?;
        let (arguments, attributes) = self.arguments()?;
        let mut results = Vec::new();
        if self.eat_arrow() {
            if self.eat(b'(') {
                while !self.eat(b')') {
                    results.push(self.value_type_or_bad()?);
                    self.optional_attributes()?;
                    if !self.eat(b',') && !self.is(b')') {
                        return self.unexpected("`,` or `)` after the result");
                    }
                }
            } else {
                results.push(self.value_type_or_bad()?);
            }
        }
        if self.eat_word("attributes") {
            self.attributes()?;
        }
        let declared = !self.is(b'{');
        let named = arguments.iter().find(|a| !a.name.is_empty()).map(|a| a.span.clone());
        let unnamed = arguments.iter().find(|a| a.name.is_empty()).map(|a| a.span.clone());
        if let (false, Some(at)) = (declared, &unnamed) {
            let d = Diagnostic::error(codes::SYNTAX, "an argument without a name in a function with a body");
            self.report(d.at(at.clone(), "").help("write `%name: type`"));
        } else if let (Some(at), Some(_)) = (named, unnamed) {
            self.report(
                Diagnostic::error(codes::SYNTAX, "some arguments have names, some have not").at(at, ""),
            );
        }
        let body = match declared {
            true => None,
            false => Some(self.region(&arguments, None)?),
        };
        self.skip_location();
        let Some(mut func) = self.finish_function(errors) else {
            return Ok(());
        };
        func.name = name;
        func.private = private;
        func.span = Some(span);
        func.argument_types = arguments.into_iter().filter_map(|a| a.ty).collect();
        func.argument_attributes = attributes;
        func.result_types = results.into_iter().flatten().collect();
        func.body = body;
        self.add_function(func);
        Ok(())
    }

    fn arguments(&mut self) -> Parsed<(Vec<Argument>, Vec<ArgumentAttributes>)> {
        let (mut list, mut attributes) = (Vec::new(), Vec::new());
        self.expect(b'(', "of the arguments")?;
        while !self.eat(b')') {
            let span = self.span();
            if self.peek() == Tok::Ellipsis {
                return self.error(codes::NOT_SUPPORTED, "a function with any number of arguments", span);
            }
            let mut name = String::new();
            if self.peek() == Tok::Value {
                name = self.operand()?.name;
                self.expect(b':', "before the type")?;
            }
            let ty = self.value_type_or_bad()?;
            let found = self.optional_attributes()?;
            attributes.push(argument_attributes(&found));
            self.skip_location();
            list.push(Argument { name, span, ty });
            if !self.eat(b',') && !self.is(b')') {
                return self.unexpected("`,` or `)` after the argument");
            }
        }
        Ok((list, attributes))
    }

    fn global(&mut self) -> Parsed<()> {
        if self.peek() == Tok::Text {
            self.advance();
        }
        let constant = self.eat_word("constant");
        let span = self.span();
        let name = self.symbol()?;
        self.expect(b':', "before the type")?;
        let ty = self.memref_type()?;
        let mut init = None;
        if self.eat(b'=') && !self.eat_word("uninitialized") {
            let mut at = self.span();
            let literal = self.dense()?;
            at.end = self.last_end();
            if self.eat(b':') {
                self.ty()?;
            }
            init = Some(self.initial(&literal, &ty, at)?);
        }
        self.optional_attributes()?;
        self.add_global(Global { name, ty, constant, init, span: Some(span) });
        Ok(())
    }

    fn initial(&mut self, literal: &Literal, ty: &MemrefType, span: Range<usize>) -> Parsed<Vec<u64>> {
        let shape: Option<Vec<i64>> = ty.shape.iter().copied().collect();
        match shape {
            Some(shape) if ty.layout == MemrefLayout::Identity => {
                self.dense_bits(literal, &shape, ty.element, span)
            }
            _ => self.error(codes::SHAPE, "a global with a dynamic shape or a layout", span),
        }
    }

    fn add_function(&mut self, func: Func) {
        self.program.funcs.push(func);
    }

    fn add_global(&mut self, global: Global) {
        self.program.globals.push(global);
    }

    /// `func.call @f(%a) : (i32) -> i32`.
    pub fn call(&mut self, head: &Head) -> Parsed<()> {
        let name = self.symbol()?;
        self.expect(b'(', "of the arguments")?;
        let arguments = self.operands_to(b')')?;
        self.optional_attributes()?;
        self.expect(b':', "before the type")?;
        let (from, to) = self.function_type()?;
        let values = self.values(&arguments, &from, &head.span)?;
        self.emit(head, Kind::Call(name), values, &to)?;
        Ok(())
    }
}

fn argument_attributes(list: &[Named]) -> ArgumentAttributes {
    let signed = |name: &str| list.iter().find(|a| a.name == name).and_then(|a| integer_of(&a.value));
    let number = |name: &str| signed(name).and_then(|value| u32::try_from(value).ok());
    ArgumentAttributes {
        noalias: list.iter().any(|a| a.name == "llvm.noalias"),
        alias_set: number("loom.alias_set").unwrap_or(0),
        view: number("loom.view"),
        local: list.iter().any(|a| a.name == "loom.local"),
        range: signed("loom.least").zip(signed("loom.most")),
    }
}
