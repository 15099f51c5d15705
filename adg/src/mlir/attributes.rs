//! `attributes {...}`: read as a list, taken apart by name; what nobody takes is reported.

use crate::codes;
use crate::lex::{Cursor, Fallible};
use loom_base::{Diagnostic, Diagnostics};
use std::ops::Range;

/// The number as a size or width.
pub(super) fn small(n: i64, span: &Range<usize>, key: &str) -> Fallible<u32> {
    u32::try_from(n).map_err(|_| {
        Box::new(
            Diagnostic::error(codes::ATTRIBUTE, format!("`{key}` is {n}")).at(span.clone(), "out of range"),
        )
    })
}

/// The value of an attribute.
enum Value {
    Flag,
    Int(i64),
    List(Vec<String>),
}

/// One attribute.
struct Attribute {
    name: String,
    name_span: Range<usize>,
    /// Of the value.
    span: Range<usize>,
    value: Value,
}

/// `attributes {a = 1, b, c = ["01"]}`, taken apart by name.
pub(super) struct Attributes {
    list: Vec<Attribute>,
    whole: Range<usize>,
}

impl Attributes {
    pub fn read(c: &mut Cursor) -> Fallible<Attributes> {
        let start = c.span();
        let mut list = Vec::new();
        if !c.eat_word("attributes") {
            return Ok(Attributes { list, whole: c.last_span() });
        }
        c.punct("{")?;
        while !c.eat("}") {
            if !list.is_empty() {
                c.punct(",")?;
            }
            let name_span = c.span();
            let mut span = name_span.clone();
            let name = c.word("an attribute's name")?;
            let mut value = Value::Flag;
            if c.eat("=") {
                span = c.span();
                if c.eat("[") {
                    let mut texts = Vec::new();
                    while !c.eat("]") {
                        if !texts.is_empty() {
                            c.punct(",")?;
                        }
                        texts.push(c.string("a text such as \"011\"")?);
                    }
                    value = Value::List(texts);
                } else {
                    value = Value::Int(c.int("a number or a list")?);
                }
            }
            list.push(Attribute { name, name_span, span: span.start..c.last_span().end, value });
        }
        Ok(Attributes { list, whole: start.start..c.last_span().end })
    }

    fn take(&mut self, key: &str) -> Option<(Range<usize>, Value)> {
        let at = self.list.iter().position(|a| a.name == key)?;
        let a = self.list.remove(at);
        Some((a.span, a.value))
    }

    pub fn missing(&self, key: &str) -> Box<Diagnostic> {
        Box::new(
            Diagnostic::error(codes::ATTRIBUTE, format!("the attribute `{key}` is missing"))
                .at(self.whole.clone(), "here"),
        )
    }

    fn wrong(&self, key: &str, span: Range<usize>, allowed: &str) -> Box<Diagnostic> {
        Box::new(Diagnostic::error(codes::ATTRIBUTE, format!("`{key}` is {allowed}")).at(span, "here"))
    }

    pub fn take_int(&mut self, key: &str) -> Fallible<Option<(i64, Range<usize>)>> {
        match self.take(key) {
            None => Ok(None),
            Some((span, Value::Int(n))) => Ok(Some((n, span))),
            Some((span, _)) => Err(self.wrong(key, span, "a number")),
        }
    }

    pub fn need(&mut self, key: &str) -> Fallible<u32> {
        match self.take_int(key)? {
            Some((n, span)) => small(n, &span, key),
            None => Err(self.missing(key)),
        }
    }

    /// A flag; written with a value it stays in the list and is reported as unknown.
    pub fn take_flag(&mut self, key: &str) -> bool {
        let at = self.list.iter().position(|a| a.name == key && matches!(a.value, Value::Flag));
        at.map(|at| self.list.remove(at)).is_some()
    }

    pub fn take_table(&mut self) -> Fallible<Vec<Vec<bool>>> {
        let (span, rows) = match self.take("connectivity") {
            Some((span, Value::List(rows))) => (span, rows),
            Some((span, _)) => return Err(self.wrong("connectivity", span, "a list of texts")),
            None => return Err(self.missing("connectivity")),
        };
        if rows.iter().any(|r| r.bytes().any(|b| !matches!(b, b'0' | b'1'))) {
            return Err(Box::new(
                Diagnostic::error(
                    codes::TABLE_TEXT,
                    "a connectivity table holds something other than `0` and `1`",
                )
                .at(span, "here")
                .help("one text per output, one digit per input: `connectivity = [\"110\", \"011\"]`"),
            ));
        }
        Ok(rows.iter().map(|r| r.bytes().map(|b| b == b'1').collect()).collect())
    }

    /// Reports what nobody took.
    pub fn finish(self, diagnostics: &mut Diagnostics) {
        for a in self.list {
            let message = format!("`{}` is no attribute of this, or has a value it cannot have", a.name);
            diagnostics.push(Diagnostic::error(codes::ATTRIBUTE, message).at(a.name_span, "here"));
        }
    }
}
