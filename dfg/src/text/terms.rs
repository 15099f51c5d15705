//! Types, locations and attributes.

use super::parser::{Attr, AttrValue, Memref, Parsed, Parser};
use crate::codes;
use crate::Type;
use loom_base::Diagnostic;
use loom_mlir::Tok;
use std::ops::Range;

impl Parser<'_> {
    /// Types with or without parentheses around them.
    pub(super) fn types(&mut self) -> Parsed<Vec<(Type, Range<usize>)>> {
        let mut types = Vec::new();
        let open = self.eat(b'(');
        if open && self.eat(b')') {
            return Ok(types);
        }
        loop {
            let span = self.span();
            types.push((self.ty()?, span));
            if !self.eat(b',') {
                break;
            }
        }
        if open {
            self.expect(b')', " after the types")?;
        }
        Ok(types)
    }

    pub(super) fn ty(&mut self) -> Parsed<Type> {
        let mut span = self.span();
        let kind = self.peek();
        if !matches!(kind, Tok::Word | Tok::TypeName) {
            return self.unexpected("a type");
        }
        let word = self.advance();
        let inside = self.place() + 1;
        let angled = self.is(b'<') && (kind == Tok::TypeName || Type::parse(word).is_none());
        if angled {
            self.skip_angles();
        }
        span.end = self.last_end();
        let whole = self.text()[span.clone()].to_string();
        if kind == Tok::TypeName {
            return self.transport_type(word, &whole, inside, span);
        }
        if let Some(ty) = Type::parse(word) {
            return Ok(ty);
        }
        let d = Diagnostic::error(codes::BAD_TYPE, format!("`{whole}` is no type of a dataflow value"))
            .at(span, "");
        let digits = |prefix: &str| word.strip_prefix(prefix).is_some_and(|d| d.parse::<u32>().is_ok());
        self.fail(match word {
            "memref" => d.help(
                "only an argument of the function and a memory node have a `memref`; tokens are single words",
            ),
            "vector" | "tensor" | "complex" | "tuple" => d.help("only scalars travel as tokens"),
            _ if digits("si") || digits("ui") => d.help("integers are signless: write `i32`"),
            _ if digits("i") => d.help("integers are `i1` to `i64`"),
            _ => d.help("types are `none`, `i1` to `i64`, `index`, `bf16`, `f16`, `f32`, `f64`"),
        })
    }

    /// `memref<64xi32>` or `memref<?xf32>`.
    pub(super) fn memref(&mut self) -> Parsed<Memref> {
        let mut span = self.span();
        if !self.is_word("memref") {
            return self.unexpected("a `memref` type");
        }
        self.advance();
        if self.is(b'<') {
            self.skip_angles();
        }
        span.end = self.last_end();
        self.memref_text(span)
    }

    /// A memref type that stands at `span`.
    pub(super) fn memref_text(&mut self, span: Range<usize>) -> Parsed<Memref> {
        let whole: String = self.text()[span.clone()].chars().filter(|c| !c.is_whitespace()).collect();
        let inside = whole.strip_prefix("memref<").and_then(|w| w.strip_suffix('>')).unwrap_or("");
        let mut sizes = Vec::new();
        let mut rest = inside;
        while let Some((size, after)) = rest.split_once('x') {
            if size != "?" && (size.is_empty() || !size.bytes().all(|b| b.is_ascii_digit())) {
                break;
            }
            sizes.push(size);
            rest = after;
        }
        let d = Diagnostic::error(codes::BAD_TYPE, format!("`{whole}` is no type of a memory")).at(span, "");
        let element = match rest.split_once(',') {
            Some(_) => {
                return self.fail(
                    d.help("a memory has no layout and no memory space: words lie one after the other"),
                )
            }
            None => Type::parse(rest).filter(|&t| t != Type::None),
        };
        match (&sizes[..], element) {
            ([size], Some(element)) => match (*size, size.parse()) {
                ("?", _) => Ok(Memref { element, words: None }),
                (_, Ok(words)) => Ok(Memref { element, words: Some(words) }),
                _ => self.fail(d.help("the number of words is too large")),
            },
            ([], Some(_)) => self.fail(d.help("a memory has one dimension: write `memref<1xT>`")),
            ([_, _, ..], Some(_)) => self.fail(d.help("a memory has one dimension: flatten it")),
            _ => self.fail(d.help("write `memref<64xi32>` or `memref<?xi32>`; words are `i1` to `i64`, `index`, `bf16`, `f16`, `f32`, `f64`")),
        }
    }

    /// `!dataflow.tagged<v, t>` and the fabric's types are known, but no part of a software graph.
    fn transport_type<T>(&mut self, word: &str, whole: &str, inside: usize, span: Range<usize>) -> Parsed<T> {
        let d = Diagnostic::error(codes::TAGGED_TYPE, format!("`{whole}` in a dataflow graph"))
            .at(span.clone(), "");
        let native = "use the native type: tags are added where a value enters a shared link of the fabric";
        match word {
            "!dataflow.tagged" => {
                let tokens = self.tokens().get(inside..self.place().saturating_sub(1)).unwrap_or_default();
                let parts: Vec<&str> = tokens.iter().map(|t| &self.text()[t.span.clone()]).collect();
                let (value, tag) = match parts[..] {
                    [value, ",", tag] => (Type::parse(value), Type::parse(tag)),
                    _ => (None, None),
                };
                let value_fits = match value {
                    Some(Type::Int(w)) => matches!(w, 1 | 8 | 16 | 32 | 64),
                    Some(Type::None) | None => false,
                    Some(_) => true,
                };
                if !value_fits || !matches!(tag, Some(Type::Int(1..=16))) {
                    return self.fail(
                        Diagnostic::error(codes::TAGGED_TYPE, format!("`{whole}` is no tagged type"))
                            .at(span, "")
                            .note("the value is `i1`, `i8`, `i16`, `i32`, `i64`, `bf16`, `f16`, `f32`, `f64` or `index`, the tag `i1` to `i16`")
                            .help(native),
                    );
                }
                self.fail(d.note("tagged values belong to the fabric side").help(native))
            }
            "!fabric.tagged" | "!fabric.bits" => {
                self.fail(d.note("transport types belong to the fabric side").help(native))
            }
            _ => self.error(codes::BAD_TYPE, format!("`{whole}` is no type of a dataflow value"), span),
        }
    }

    /// Skips a balanced `<...>`; arrows inside are tokens of their own.
    pub(super) fn skip_angles(&mut self) {
        let mut depth = 0usize;
        while self.peek() != Tok::End {
            if self.is(b'<') {
                depth += 1;
            } else if self.is(b'>') {
                depth = depth.saturating_sub(1);
            } else if self.is(b'{') || self.is(b'}') || self.is(b'=') {
                return;
            }
            self.advance();
            if depth == 0 {
                return;
            }
        }
    }

    /// `{a = 1 : i32, b, "c" = "x"}`.
    pub(super) fn attributes(&mut self) -> Parsed<Vec<Attr>> {
        self.expect(b'{', " of the attributes")?;
        let mut attributes: Vec<Attr> = Vec::new();
        while !self.is(b'}') {
            let mut span = self.span();
            if !matches!(self.peek(), Tok::Word | Tok::Text) {
                return self.unexpected("an attribute name");
            }
            let name = self.advance().trim_matches('"').to_string();
            let value = if self.eat(b'=') { self.attribute_value()? } else { AttrValue::Unit };
            span.end = self.last_end();
            if attributes.iter().any(|a| a.name == name) {
                return self.error(codes::ATTRIBUTE, format!("the attribute `{name}` is given twice"), span);
            }
            attributes.push(Attr { name, value, span });
            if !self.eat(b',') {
                break;
            }
        }
        self.expect(b'}', " after the attributes")?;
        Ok(attributes)
    }

    pub(super) fn attribute_value(&mut self) -> Parsed<AttrValue> {
        let negative = self.is(b'-');
        match if negative { self.peek_second() } else { self.peek() } {
            kind @ (Tok::Integer | Tok::Float) => {
                self.eat(b'-');
                let span = self.span();
                let word = self.advance();
                let ty = if self.eat(b':') { Some(self.attribute_type()?) } else { None };
                let sign = if negative { "-" } else { "" };
                if kind == Tok::Float {
                    return Ok(AttrValue::Float(format!("{sign}{word}"), ty));
                }
                let magnitude = match word.strip_prefix("0x") {
                    Some(hex) => i128::from_str_radix(hex, 16),
                    None => word.parse::<i128>(),
                };
                match magnitude {
                    Ok(n) => Ok(AttrValue::Integer(if negative { -n } else { n }, ty)),
                    Err(_) => self.error(codes::LITERAL, format!("the number `{word}` is too large"), span),
                }
            }
            Tok::Text => Ok(AttrValue::Text(self.string())),
            Tok::Word if self.is_word("true") || self.is_word("false") => {
                Ok(AttrValue::Bool(self.advance() == "true"))
            }
            Tok::Mark(b'[') => self.attribute_list(),
            _ => {
                self.skip_attribute()?;
                Ok(AttrValue::Other)
            }
        }
    }

    /// The type after a number: a word is enough, whatever it is.
    fn attribute_type(&mut self) -> Parsed<String> {
        if !matches!(self.peek(), Tok::Word | Tok::TypeName) {
            return self.unexpected("the number's type");
        }
        Ok(self.advance().to_string())
    }

    fn attribute_list(&mut self) -> Parsed<AttrValue> {
        let first = self.place();
        self.advance();
        let mut texts = Vec::new();
        while self.peek() == Tok::Text {
            texts.push(self.advance()[1..].trim_end_matches('"').to_string());
            if !self.eat(b',') {
                break;
            }
        }
        if self.eat(b']') {
            return Ok(AttrValue::Texts(texts));
        }
        self.set_place(first);
        self.skip_attribute()?;
        Ok(AttrValue::Other)
    }

    /// Skips a value nobody reads, up to the `,` or `}` after it.
    fn skip_attribute(&mut self) -> Parsed<()> {
        let mut depth = 0usize;
        loop {
            match self.peek() {
                Tok::End => return self.unexpected("the end of an attribute"),
                Tok::Mark(b',' | b'}') if depth == 0 => return Ok(()),
                Tok::Mark(b'{' | b'[' | b'(' | b'<') => depth += 1,
                Tok::Mark(b'}' | b']' | b')' | b'>') => depth = depth.saturating_sub(1),
                _ => {}
            }
            self.advance();
        }
    }
}
