//! MLIR's generic form, as far as `mlir-translate --import-llvm` writes it: operations with attributes, regions,
//! types and locations.
//!
//! The text comes from a tool, not from a user: the first thing that is not understood ends the reading, with its place.

use crate::types::Ty;
use std::collections::BTreeMap;

/// An attribute.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Attr {
    /// A literal as it is written, with its type.
    Number(String, Option<Ty>),
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
}

/// A location as it is written.
#[derive(Clone, Debug, Default)]
enum Location {
    #[default]
    Unknown,
    Place(Place),
    Alias(String),
    /// The first that says something counts.
    Any(Vec<Location>),
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
            Attr::Number(_, ty) => ty.as_ref(),
            _ => None,
        }
    }
}

/// What was not understood, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unreadable {
    pub offset: usize,
    pub expected: String,
}

type Read<T> = Result<T, Unreadable>;

/// Reads a module: the operations in it.
pub(crate) fn read(text: &str) -> Read<Vec<Op>> {
    let mut reader = Reader { text, at: 0, depth: 0, locations: BTreeMap::new() };
    let mut module = None;
    loop {
        reader.space();
        if reader.at == text.len() {
            break;
        }
        if reader.peek() == Some('#') {
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
    let locations = reader.locations;
    for op in &mut ops {
        resolve(op, &locations);
    }
    Ok(ops)
}

fn resolve(op: &mut Op, locations: &BTreeMap<String, Location>) {
    op.place = place(&op.location, locations, 0);
    for block in op.regions.iter_mut().flatten() {
        for inner in &mut block.ops {
            resolve(inner, locations);
        }
    }
}

/// Line 0 is what the importer gives to things that it made itself.
fn place(location: &Location, all: &BTreeMap<String, Location>, depth: usize) -> Option<Place> {
    match location {
        _ if depth > 60 => None,
        Location::Unknown => None,
        Location::Place(p) => (p.line > 0).then(|| p.clone()),
        Location::Alias(name) => place(all.get(name)?, all, depth + 1),
        Location::Any(list) => list.iter().find_map(|l| place(l, all, depth + 1)),
    }
}

/// Regions and attributes may nest this deep.
const MAX_DEPTH: usize = 200;

struct Reader<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
    locations: BTreeMap<String, Location>,
}

impl Reader<'_> {
    fn expected<T>(&self, what: &str) -> Read<T> {
        Err(Unreadable { offset: self.at, expected: what.to_string() })
    }

    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn space(&mut self) {
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start();
            self.at += rest.len() - trimmed.len();
            if !self.rest().starts_with("//") {
                break;
            }
            self.at += self.rest().find('\n').unwrap_or(self.rest().len());
        }
    }

    /// Takes a mark, spaces before it too.
    fn take(&mut self, mark: &str) -> bool {
        self.space();
        let found = self.rest().starts_with(mark);
        if found {
            self.at += mark.len();
        }
        found
    }

    fn need(&mut self, mark: &str) -> Read<()> {
        if self.take(mark) {
            Ok(())
        } else {
            self.expected(&format!("`{mark}`"))
        }
    }

    /// Letters, digits and what else a name has; may be empty.
    fn word(&mut self) -> String {
        self.space();
        let rest = self.rest();
        let end = rest.find(|c: char| !(c.is_alphanumeric() || "_.$-".contains(c))).unwrap_or(rest.len());
        let word = rest[..end].to_string();
        self.at += end;
        word
    }

    fn list<T>(&mut self, close: &str, mut item: impl FnMut(&mut Self) -> Read<T>) -> Read<Vec<T>> {
        let mut out = Vec::new();
        if self.take(close) {
            return Ok(out);
        }
        loop {
            out.push(item(self)?);
            if self.take(close) {
                return Ok(out);
            }
            self.need(",")?;
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

    /// Skips to the end of the brackets that open here; gives what was skipped.
    fn balanced(&mut self) -> Read<String> {
        let start = self.at;
        let mut open = 0usize;
        let mut before = ' ';
        while let Some(c) = self.peek() {
            if c == '"' {
                self.string()?;
                before = c;
                continue;
            }
            self.at += c.len_utf8();
            match c {
                '<' | '[' | '(' | '{' => open += 1,
                '>' if before == '-' => {}
                '>' | ']' | ')' | '}' => {
                    open = open.saturating_sub(1);
                    if open == 0 {
                        return Ok(self.text[start..self.at].to_string());
                    }
                }
                _ => {}
            }
            before = c;
        }
        self.expected("a closing bracket")
    }

    fn string(&mut self) -> Read<Vec<u8>> {
        self.need("\"")?;
        let bytes = self.text.as_bytes();
        let mut out = Vec::new();
        while let Some(&b) = bytes.get(self.at) {
            self.at += 1;
            match b {
                b'"' => return Ok(out),
                b'\\' => {
                    let hex =
                        self.text.get(self.at..self.at + 2).and_then(|h| u8::from_str_radix(h, 16).ok());
                    let (byte, length) = match (hex, bytes.get(self.at)) {
                        (Some(byte), _) => (byte, 2),
                        (None, Some(b'n')) => (b'\n', 1),
                        (None, Some(b't')) => (b'\t', 1),
                        (None, Some(&other)) if other.is_ascii() => (other, 1),
                        _ => return self.expected("an escape"),
                    };
                    out.push(byte);
                    self.at += length;
                }
                _ => out.push(b),
            }
        }
        self.expected("the end of a string")
    }

    fn text_of(&mut self) -> Read<String> {
        Ok(String::from_utf8_lossy(&self.string()?).into_owned())
    }

    /// `#name = attribute` at the top; only locations are kept.
    fn alias(&mut self) -> Read<()> {
        self.need("#")?;
        let name = self.word();
        self.need("=")?;
        self.space();
        if self.rest().starts_with("loc(") {
            let location = self.location()?;
            self.locations.insert(name, location);
        } else {
            self.attribute()?;
        }
        Ok(())
    }

    /// `loc(...)`
    fn location(&mut self) -> Read<Location> {
        self.need("loc(")?;
        let location = self.location_body()?;
        self.need(")")?;
        Ok(location)
    }

    fn location_body(&mut self) -> Read<Location> {
        self.nested(|r| {
            r.space();
            match r.peek() {
                Some('#') => {
                    r.at += 1;
                    Ok(Location::Alias(r.word()))
                }
                Some('"') => {
                    let file = r.text_of()?;
                    if r.take(":") {
                        let line = r.word().parse().unwrap_or(0);
                        r.need(":")?;
                        let column = r.word().parse().unwrap_or(0);
                        return Ok(Location::Place(Place { file, line, column }));
                    }
                    if r.take("(") {
                        let inner = r.location_body()?;
                        r.need(")")?;
                        return Ok(inner);
                    }
                    Ok(Location::Unknown)
                }
                _ => match r.word().as_str() {
                    "fused" => {
                        if r.rest().starts_with('<') {
                            r.balanced()?;
                        }
                        r.need("[")?;
                        Ok(Location::Any(r.list("]", Self::location_body)?))
                    }
                    // What was inlined stands where it was written.
                    "callsite" => {
                        r.need("(")?;
                        let callee = r.location_body()?;
                        r.need("at")?;
                        let caller = r.location_body()?;
                        r.need(")")?;
                        Ok(Location::Any(vec![callee, caller]))
                    }
                    _ => Ok(Location::Unknown),
                },
            }
        })
    }

    fn optional_location(&mut self) -> Read<Location> {
        self.space();
        if self.rest().starts_with("loc(") {
            self.location()
        } else {
            Ok(Location::Unknown)
        }
    }

    /// `%name`
    fn value(&mut self) -> Read<String> {
        self.need("%")?;
        let name = self.word();
        // `%3#1` is a result of an op with several.
        if self.take("#") {
            let index = self.word();
            return Ok(if index == "0" { name } else { format!("{name}#{index}") });
        }
        Ok(name)
    }

    fn op(&mut self) -> Read<Op> {
        self.nested(|r| {
            let mut op = Op::default();
            r.space();
            while r.peek() == Some('%') {
                let name = r.value()?;
                let count: usize = if r.take(":") { r.word().parse().unwrap_or(1) } else { 1 };
                op.results.push(name.clone());
                op.results.extend((1..count).map(|i| format!("{name}#{i}")));
                if !r.take(",") {
                    break;
                }
                r.space();
            }
            if !op.results.is_empty() {
                r.need("=")?;
            }
            op.name = r.text_of()?;
            r.need("(")?;
            op.operands = r.list(")", Self::value)?;
            if r.take("[") {
                op.successors = r.list("]", |r| {
                    r.need("^")?;
                    Ok(r.word())
                })?;
            }
            if r.take("<{") {
                op.attributes = r.list("}", Self::entry)?;
                r.need(">")?;
            }
            if r.take("(") {
                op.regions = r.list(")", Self::region)?;
            }
            if r.take("{") {
                op.attributes.extend(r.list("}", Self::entry)?);
            }
            r.need(":")?;
            r.need("(")?;
            op.operand_types = r.list(")", Self::ty)?;
            r.need("->")?;
            op.result_types = match r.take("(") {
                true => r.list(")", Self::ty)?,
                false => vec![r.ty()?],
            };
            op.location = r.optional_location()?;
            Ok(op)
        })
    }

    fn region(&mut self) -> Read<Vec<Block>> {
        self.need("{")?;
        let mut blocks = vec![Block::default()];
        loop {
            if self.take("}") {
                blocks.retain(|b| !(b.name.is_empty() && b.ops.is_empty()));
                return Ok(blocks);
            }
            if self.take("^") {
                let name = self.word();
                let mut block = Block { name, ..Block::default() };
                if self.take("(") {
                    block.arguments = self.list(")", |r| {
                        let value = r.value()?;
                        r.need(":")?;
                        let ty = r.ty()?;
                        r.optional_location()?;
                        Ok((value, ty))
                    })?;
                }
                self.need(":")?;
                blocks.push(block);
            } else {
                let op = self.op()?;
                blocks.last_mut().expect("one at least").ops.push(op);
            }
        }
    }

    fn entry(&mut self) -> Read<(String, Attr)> {
        self.space();
        let name = if self.peek() == Some('"') { self.text_of()? } else { self.word() };
        if name.is_empty() {
            return self.expected("an attribute's name");
        }
        let value = if self.take("=") { self.attribute()? } else { Attr::Unit };
        Ok((name, value))
    }

    fn attribute(&mut self) -> Read<Attr> {
        self.nested(|r| {
            r.space();
            match r.peek() {
                Some('"') => {
                    let bytes = r.string()?;
                    if r.take(":") {
                        r.ty()?;
                    }
                    Ok(Attr::Bytes(bytes))
                }
                Some('@') => {
                    r.at += 1;
                    r.space();
                    let name = if r.peek() == Some('"') { r.text_of()? } else { r.word() };
                    while r.take("::") {
                        r.need("@")?;
                        r.word();
                    }
                    Ok(Attr::Symbol(name))
                }
                Some('[') => {
                    r.at += 1;
                    Ok(Attr::List(r.list("]", Self::attribute)?))
                }
                Some('{') => {
                    r.at += 1;
                    Ok(Attr::Dict(r.list("}", Self::entry)?))
                }
                Some('#') => {
                    let start = r.at;
                    r.at += 1;
                    r.word();
                    if r.rest().starts_with('<') {
                        r.balanced()?;
                    }
                    Ok(Attr::Other(r.text[start..r.at].to_string()))
                }
                Some('!') => Ok(Attr::Number(String::new(), Some(r.ty()?))),
                Some(c) if c.is_ascii_digit() || c == '-' => r.number(),
                _ => r.named_attribute(),
            }
        })
    }

    fn number(&mut self) -> Read<Attr> {
        self.space();
        let rest = self.rest();
        let exponent_sign = |i: usize| {
            matches!(rest.as_bytes()[i - 1], b'e' | b'E')
                && !rest.starts_with("0x")
                && !rest.starts_with("-0x")
        };
        let end = rest
            .char_indices()
            .find(|&(i, c)| {
                !(c.is_ascii_alphanumeric()
                    || c == '.'
                    || (c == '-' && i == 0)
                    || (matches!(c, '+' | '-') && i > 0 && exponent_sign(i)))
            })
            .map_or(rest.len(), |(i, _)| i);
        let text = rest[..end].to_string();
        self.at += end;
        let ty = if self.take(":") { Some(self.ty()?) } else { None };
        Ok(Attr::Number(text, ty))
    }

    fn named_attribute(&mut self) -> Read<Attr> {
        let start = self.at;
        let word = self.word();
        match word.as_str() {
            "true" => Ok(Attr::Number("1".into(), Some(Ty::Int(1)))),
            "false" => Ok(Attr::Number("0".into(), Some(Ty::Int(1)))),
            "unit" => Ok(Attr::Unit),
            "array" => {
                let text = self.balanced()?;
                let inner = text.trim_start_matches('<').trim_end_matches('>');
                let numbers = inner.split_once(':').map_or("", |(_, list)| list);
                Ok(Attr::Integers(numbers.split(',').filter_map(|n| n.trim().parse().ok()).collect()))
            }
            "dense" => {
                self.need("<")?;
                let mut elements = Vec::new();
                if !self.take(">") {
                    self.elements(&mut elements)?;
                    self.need(">")?;
                }
                self.need(":")?;
                Ok(Attr::Dense(elements, self.ty()?))
            }
            "loc" => {
                self.at = start;
                self.location()?;
                Ok(Attr::Unit)
            }
            "" => self.expected("an attribute"),
            _ => {
                self.at = start;
                Ok(Attr::Number(String::new(), Some(self.ty()?)))
            }
        }
    }

    fn elements(&mut self, out: &mut Vec<Attr>) -> Read<()> {
        if self.take("[") {
            self.nested(|r| r.list("]", |r| r.elements(out)))?;
            return Ok(());
        }
        out.push(self.attribute()?);
        Ok(())
    }

    fn ty(&mut self) -> Read<Ty> {
        self.nested(|r| {
            r.space();
            if r.peek() == Some('(') {
                return Ok(Ty::Other(r.balanced()?));
            }
            let start = r.at;
            let dialect = r.take("!");
            let word = r.word();
            let name = word.strip_prefix("llvm.").unwrap_or(&word);
            let open = r.rest().starts_with('<');
            Ok(match name {
                "f16" => Ty::F16,
                "bf16" => Ty::Bf16,
                "f32" => Ty::F32,
                "f64" => Ty::F64,
                "void" => Ty::Void,
                "ptr" => {
                    if open {
                        r.balanced()?;
                        return Ok(Ty::Other("pointer of another address space".into()));
                    }
                    Ty::Ptr
                }
                "array" if open => {
                    r.at += 1;
                    let count = r.count()?;
                    let element = r.ty()?;
                    r.need(">")?;
                    Ty::Array(count, Box::new(element))
                }
                "struct" if open => r.structure()?,
                "func" if open => r.function()?,
                "tensor" | "vector" if open && !dialect => {
                    let inner = r.balanced()?;
                    // The element type is what the shape leaves.
                    let element = inner.trim_matches(['<', '>']).rsplit('x').next().unwrap_or("").to_string();
                    let ty = Reader { text: &element, at: 0, depth: 0, locations: BTreeMap::new() }.ty()?;
                    if name == "vector" {
                        Ty::Other(format!("vector of {}", ty.describe()))
                    } else {
                        ty
                    }
                }
                _ => match name.strip_prefix('i').and_then(|n| n.parse().ok()) {
                    Some(bits) => Ty::Int(bits),
                    None if word.is_empty() => return r.expected("a type"),
                    None => {
                        if open {
                            r.balanced()?;
                        }
                        Ty::Other(r.text[start..r.at].to_string())
                    }
                },
            })
        })
    }

    /// `3 x `: the number's word may run on into the `x`.
    fn count(&mut self) -> Read<u64> {
        self.space();
        let rest = self.rest();
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let Ok(count) = rest[..digits].parse() else { return self.expected("an extent") };
        self.at += digits;
        self.need("x")?;
        Ok(count)
    }

    fn structure(&mut self) -> Read<Ty> {
        self.need("<")?;
        self.space();
        if self.peek() == Some('"') {
            let name = self.text_of()?;
            // Inside of itself a struct is its name alone, and an opaque one has no fields.
            if self.take(">") {
                return Ok(Ty::Other(name));
            }
            self.need(",")?;
        }
        if self.take("opaque") {
            self.need(">")?;
            return Ok(Ty::Other("opaque struct".into()));
        }
        let packed = self.take("packed");
        self.need("(")?;
        let fields = self.list(")", Self::ty)?;
        self.need(">")?;
        Ok(Ty::Struct { packed, fields })
    }

    fn function(&mut self) -> Read<Ty> {
        self.need("<")?;
        let result = self.ty()?;
        self.need("(")?;
        let mut variadic = false;
        let parameters = self.list(")", |r| {
            if r.take("...") {
                variadic = true;
                return Ok(Ty::Void);
            }
            r.ty()
        })?;
        self.need(">")?;
        let parameters = parameters.into_iter().filter(|p| *p != Ty::Void).collect();
        Ok(Ty::Func { result: Box::new(result), parameters, variadic })
    }
}
