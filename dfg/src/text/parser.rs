//! The grammar around ops: module, function header, types, attributes, statement recovery.
//!
//! No function here calls itself, so depth of input is no concern; nested brackets nobody reads are skipped with a
//! counter. A broken statement is skipped to the next line that can begin one, and the names in it are remembered
//! so that one mistake does not look like many.

use super::arith;
use crate::codes;
use crate::profile::Profile;
use crate::{Op, Type};
use loom_base::name::shown;
use loom_base::{Code, Diagnostic, Diagnostics, NAME_RULE};
use loom_mlir::{lex, unquote, Cursor, Tok};
use std::collections::BTreeSet;
use std::ops::{Deref, DerefMut, Range};

/// Problems shown before giving up.
const MAX_ERRORS: usize = 50;
/// Values one statement may define.
pub(super) const MAX_RESULTS: usize = 4096;

/// The problem is already in the list.
pub(super) struct Failed;
pub(super) type Parsed<T> = Result<T, Failed>;

pub(super) struct ValueRef {
    pub name: String,
    pub index: Option<usize>,
    pub span: Range<usize>,
}

pub(super) struct ResultName {
    pub name: String,
    pub count: usize,
    pub span: Range<usize>,
}

pub(super) enum Stmt {
    Op(Op),
    /// The bits of an immediate.
    Immediate(u64),
    Fork,
    Buffer,
    Sink,
    Return,
}

pub(super) struct Statement {
    pub results: Vec<ResultName>,
    pub kind: Stmt,
    pub operands: Vec<ValueRef>,
    pub operand_types: Vec<Type>,
    pub result_types: Vec<Type>,
    /// What `memory` and `extmemory` say besides.
    pub memory: Option<MemoryDecl>,
    pub span: Range<usize>,
}

/// A memory node's memory; the node's operands are those of its ports only.
pub(super) struct MemoryDecl {
    /// `id`: the order of the graph's memories.
    pub id: u32,
    /// The argument of an `extmemory`.
    pub argument: Option<ValueRef>,
    pub ty: Memref,
    /// `loom.name` and `loom.init` of a `memory`.
    pub name: Option<String>,
    pub init: Vec<u64>,
}

/// `memref<wordsxelement>`; no number for `?`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Memref {
    pub element: Type,
    pub words: Option<u64>,
}

pub(super) struct Argument {
    pub name: String,
    /// Of a value; a memory's element.
    pub ty: Type,
    /// When it is a memory.
    pub memref: Option<Memref>,
    pub span: Range<usize>,
}

#[derive(Default)]
pub(super) struct Function {
    pub name: String,
    pub name_span: Range<usize>,
    pub arguments: Vec<Argument>,
    pub result_types: Vec<Type>,
    pub argument_names: Option<(Vec<String>, Range<usize>)>,
    pub result_names: Option<(Vec<String>, Range<usize>)>,
    pub max_join_fanin: Option<u32>,
    pub profile: Profile,
    pub body: Vec<Statement>,
    pub errors: Diagnostics,
    /// Names in broken statements.
    pub poisoned: BTreeSet<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum AttrValue {
    /// A number, with the type after it.
    Integer(i128, Option<String>),
    /// A number with a point, with the type after it.
    Float(String, Option<String>),
    Bool(bool),
    Text(String),
    /// A list of strings; lists of other things are `Other`.
    Texts(Vec<String>),
    /// A name alone.
    Unit,
    Other,
}

#[derive(Clone, Debug)]
pub(super) struct Attr {
    pub name: String,
    pub value: AttrValue,
    pub span: Range<usize>,
}

/// What `loom.profile` is.
const COUNTS: &str =
    "a list of strings such as \"name 3 12\": a condition, and how often it was false and true";

pub(super) struct Parser<'t> {
    cursor: Cursor<'t>,
    pub errors: Diagnostics,
    /// Results that forks may still have: one line gives thousands, and the text has to use each of them (`%f#0`).
    pub fork_results: usize,
}

pub(super) fn parse_function(text: &str) -> Result<Function, Diagnostics> {
    let mut errors = Vec::new();
    let cursor = Cursor::new(text, lex(text, codes::BAD_CHARACTER, &mut errors));
    errors.truncate(MAX_ERRORS);
    let mut p = Parser { cursor, errors, fork_results: text.len() / 4 };
    match p.file() {
        Ok(mut f) => {
            f.errors = p.errors;
            Ok(f)
        }
        Err(Failed) => Err(p.errors),
    }
}

impl<'t> Deref for Parser<'t> {
    type Target = Cursor<'t>;

    fn deref(&self) -> &Cursor<'t> {
        &self.cursor
    }
}

impl DerefMut for Parser<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.cursor
    }
}

impl<'t> arith::Reader<'t> for Parser<'t> {
    type Operand = ValueRef;
    type Type = Type;
    type Failed = Failed;
    const PREDICATE: Code = codes::ATTRIBUTE;
    const ROUNDING: Code = codes::NOT_BUILT;

    fn fail<T>(&mut self, d: Diagnostic) -> Parsed<T> {
        Parser::fail(self, d)
    }

    fn unexpected<T>(&mut self, wanted: &str) -> Parsed<T> {
        Parser::unexpected(self, wanted)
    }

    fn operands(&mut self) -> Parsed<Vec<ValueRef>> {
        self.values()
    }

    fn skip_attributes(&mut self) -> Parsed<()> {
        self.optional_attributes().map(drop)
    }

    fn value_type(&mut self) -> Parsed<Type> {
        self.ty()
    }

    fn scalar_type(&mut self) -> Parsed<Type> {
        self.ty()
    }
}

impl Parser<'_> {
    pub fn fail<T>(&mut self, d: Diagnostic) -> Parsed<T> {
        self.errors.push(d);
        Err(Failed)
    }

    pub fn error<T>(&mut self, code: Code, message: impl Into<String>, span: Range<usize>) -> Parsed<T> {
        self.fail(Diagnostic::error(code, message).at(span, ""))
    }

    pub fn unexpected<T>(&mut self, allowed: &str) -> Parsed<T> {
        let message = format!("found {}, expected {allowed}", self.found());
        self.error(codes::SYNTAX, message, self.span())
    }

    pub fn expect(&mut self, mark: u8, after: &str) -> Parsed<()> {
        if self.eat(mark) {
            return Ok(());
        }
        self.unexpected(&format!("`{}`{after}", mark as char))
    }

    fn file(&mut self) -> Parsed<Function> {
        let mut function: Option<Function> = None;
        let mut modules = 0;
        loop {
            if self.eat_word("module") || self.eat_word("builtin.module") {
                if self.peek() == Tok::Symbol {
                    self.advance();
                }
                if self.eat_word("attributes") {
                    self.attributes()?;
                }
                self.expect(b'{', " of the module")?;
                modules += 1;
            } else if modules > 0 && self.eat(b'}') {
                modules -= 1;
                self.skip_location();
            } else if self.peek() == Tok::End {
                if modules > 0 {
                    return self.unexpected("`}` that closes the module");
                }
                break;
            } else if self.is_word("handshake.func") {
                let span = self.span();
                self.advance();
                let next = self.function()?;
                if function.is_some() {
                    self.fail(
                        Diagnostic::error(codes::ONE_FUNCTION, "a second function, a file holds one graph")
                            .at(span, "")
                            .help("put it into a file of its own"),
                    )?;
                }
                function = Some(next);
            } else if self.peek() == Tok::Text && self.word() == "\"handshake.func\"" {
                let span = self.span();
                return self.fail(
                    Diagnostic::error(codes::NOT_BUILT, "`handshake.func` in generic form is not read")
                        .at(span, "")
                        .help("write `handshake.func @name(%a: i32, ...) -> (i32) { ... }`; ops inside may be generic"),
                );
            } else {
                return self.unexpected("`handshake.func` or `module`");
            }
        }
        match function {
            Some(f) => Ok(f),
            None => self.fail(
                Diagnostic::error(codes::ONE_FUNCTION, "the file holds no `handshake.func`")
                    .help("a graph is written as `handshake.func @name(%a: i32, ...) -> (i32) { ... }`"),
            ),
        }
    }

    fn function(&mut self) -> Parsed<Function> {
        let mut f = Function::default();
        if self.is_word("private") || self.is_word("public") {
            self.advance();
        }
        f.name_span = self.span();
        if self.peek() != Tok::Symbol {
            return self.unexpected("the function's name, `@name`");
        }
        f.name = unquote(&self.advance()[1..]);
        if !crate::verify::is_port_name(&f.name) {
            let (name, span) = (shown(&f.name), f.name_span.clone());
            self.errors.push(
                Diagnostic::error(codes::PORT_NAME, format!("the function name `{name}` is no identifier"))
                    .at(span, "")
                    .help(format!("it becomes part of file names: {NAME_RULE}")),
            );
        }
        self.expect(b'(', " of the arguments")?;
        while !self.is(b')') {
            if self.peek() == Tok::Ellipsis {
                self.advance();
                break;
            }
            let span = self.span();
            if self.peek() != Tok::Value {
                return self.unexpected("an argument, `%name: type`");
            }
            let name = self.advance()[1..].to_string();
            self.expect(b':', " before the argument's type")?;
            // A refused type does not hide the rest of the function.
            let ty = match self.is_word("memref") {
                true => self.memref().map(|m| (m.element, Some(m))),
                false => self.ty().map(|ty| (ty, None)),
            };
            match ty {
                Ok((ty, memref)) => f.arguments.push(Argument { name, ty, memref, span }),
                Err(Failed) => {
                    f.poisoned.insert(name);
                }
            }
            if self.is(b'{') {
                self.attributes()?;
            }
            self.skip_location();
            if !self.eat(b',') {
                break;
            }
        }
        self.expect(b')', " after the arguments")?;
        if self.peek() == Tok::Arrow {
            self.advance();
            f.result_types = self.types()?.into_iter().map(|t| t.0).collect();
        }
        let mut attributes = Vec::new();
        if self.eat_word("attributes") {
            attributes = self.attributes()?;
        }
        self.function_attributes(&mut f, attributes);
        if !self.is(b'{') {
            return self.unexpected("`{` and the function's body");
        }
        self.advance();
        self.body(&mut f)?;
        self.skip_location();
        Ok(f)
    }

    fn function_attributes(&mut self, f: &mut Function, attributes: Vec<Attr>) {
        for a in attributes {
            let wrong = match (a.name.as_str(), a.value) {
                ("argNames", AttrValue::Texts(names)) => {
                    f.argument_names = Some((names, a.span.clone()));
                    continue;
                }
                ("resNames", AttrValue::Texts(names)) => {
                    f.result_names = Some((names, a.span.clone()));
                    continue;
                }
                ("argNames" | "resNames", _) => "a list of strings",
                ("loom.adg_max_join_fanin", AttrValue::Integer(n, _)) => match u32::try_from(n) {
                    Ok(n) if n <= crate::verify::MAX_FAN_IN => {
                        f.max_join_fanin = Some(n);
                        continue;
                    }
                    _ => "a number from 0 to 64",
                },
                ("loom.adg_max_join_fanin", _) => "a number from 0 to 64",
                ("loom.profile", AttrValue::Texts(texts)) => match Profile::read(&texts) {
                    Some(profile) => {
                        f.profile = profile;
                        continue;
                    }
                    None => COUNTS,
                },
                ("loom.profile", _) => COUNTS,
                // Others are somebody else's.
                _ => continue,
            };
            let d = Diagnostic::error(codes::ATTRIBUTE, format!("`{}` is not {wrong}", a.name));
            self.errors.push(d.at(a.span, ""));
        }
    }

    fn body(&mut self, f: &mut Function) -> Parsed<()> {
        let mut returned: Option<Range<usize>> = None;
        loop {
            if self.errors.len() >= MAX_ERRORS {
                let d = Diagnostic::error(
                    codes::TOO_MANY,
                    format!("{MAX_ERRORS} problems, the rest is not read"),
                );
                return self.fail(d);
            }
            if self.eat(b'}') {
                break;
            }
            if self.peek() == Tok::End {
                return self.unexpected("an op or the `}` that closes the function");
            }
            let first = self.place();
            match self.statement() {
                Ok(s) => {
                    let span = s.span.clone();
                    if let Some(earlier) = &returned {
                        let d = Diagnostic::error(
                            codes::RETURN,
                            "`return` is the last statement of the function",
                        );
                        self.errors.push(d.at(earlier.clone(), "").at(span.clone(), "this comes after it"));
                        returned = None;
                    }
                    if matches!(s.kind, Stmt::Return) {
                        if s.operand_types != f.result_types {
                            let list =
                                |t: &[Type]| t.iter().map(Type::to_string).collect::<Vec<_>>().join(", ");
                            let (found, want) = (list(&s.operand_types), list(&f.result_types));
                            let message =
                                format!("`return` gives ({found}), the function's type says ({want})");
                            self.errors.push(Diagnostic::error(codes::RETURN, message).at(span.clone(), ""));
                        }
                        returned = Some(span);
                    }
                    f.body.push(s);
                }
                Err(Failed) => {
                    self.recover(first);
                    let skipped = first..self.place();
                    if self.tokens()[first].kind == Tok::Word && self.text_of(first).ends_with("return") {
                        returned = returned.or(Some(self.tokens()[first].span.clone()));
                    }
                    let values = skipped.filter(|&t| self.tokens()[t].kind == Tok::Value);
                    f.poisoned.extend(values.map(|t| self.text_of(t)[1..].to_string()));
                }
            }
        }
        if !f.body.iter().any(|s| matches!(s.kind, Stmt::Return))
            && returned.is_none()
            && self.errors.is_empty()
        {
            let span = self.last_end().saturating_sub(1)..self.last_end();
            let d = Diagnostic::error(codes::RETURN, "the function ends without `return`").at(span, "");
            self.errors.push(d.help("end it with `return %value : type`"));
        }
        Ok(())
    }

    /// Goes to the next line that can begin a statement, past brackets that are open.
    fn recover(&mut self, first: usize) {
        let mut depth = 0usize;
        let stopped = self.place();
        let mut at = first;
        loop {
            let token = &self.tokens()[at];
            let begins = matches!(token.kind, Tok::Value | Tok::Word | Tok::Text);
            match token.kind {
                Tok::End => break,
                Tok::Mark(b'{') => depth += 1,
                Tok::Mark(b'}') if depth == 0 && at > first => break,
                Tok::Mark(b'}') => depth = depth.saturating_sub(1),
                _ if token.starts_line && begins && at > first && (depth == 0 || at >= stopped) => {
                    let before = &self.tokens()[at - 1];
                    // A line that ends in a comma or colon goes on.
                    if at >= stopped || !matches!(before.kind, Tok::Mark(b',' | b':' | b'(' | b'=')) {
                        break;
                    }
                }
                _ => {}
            }
            at += 1;
        }
        self.set_place(at);
    }

    fn statement(&mut self) -> Parsed<Statement> {
        let start = self.span().start;
        let mut results = Vec::new();
        if self.peek() == Tok::Value {
            loop {
                let mut span = self.span();
                if self.peek() != Tok::Value {
                    return self.unexpected("a result name, `%name`");
                }
                let name = self.advance()[1..].to_string();
                let mut count = 1;
                if self.eat(b':') {
                    count = self.count("how many results `%name:n` stands for")?;
                    span.end = self.last_end();
                }
                results.push(ResultName { name, count, span });
                if !self.eat(b',') {
                    break;
                }
            }
            self.expect(b'=', " after the result names")?;
        }
        let name_span = self.span();
        let mut s = match self.peek() {
            Tok::Text => self.generic_op()?,
            Tok::Word => self.pretty_op()?,
            _ => return self.unexpected("an op"),
        };
        self.skip_location();
        s.results = results;
        s.span = start..self.last_end();
        let named: usize = s.results.iter().map(|r| r.count).sum();
        let given = s.result_types.len();
        if let Stmt::Op(op) = s.kind {
            let (takes, found) = (op.kind().operand_count(), s.operands.len());
            if takes != found {
                let message = format!("`{}` takes {takes} operands, found {found}", op.kind().mnemonic());
                return self.error(codes::ARITY, message, name_span);
            }
        }
        let may_be_unnamed = matches!(s.kind, Stmt::Op(_)) && named == 0;
        if named != given && !may_be_unnamed {
            return self.error(
                codes::ARITY,
                format!("{named} results are named, the op gives {given}"),
                name_span,
            );
        }
        if s.operands.len() != s.operand_types.len() {
            let (values, types) = (s.operands.len(), s.operand_types.len());
            return self.error(
                codes::ARITY,
                format!("{values} operands, but {types} operand types"),
                name_span,
            );
        }
        Ok(s)
    }

    /// A positive number of at most `MAX_RESULTS`.
    pub fn count(&mut self, what: &str) -> Parsed<usize> {
        let span = self.span();
        if self.peek() != Tok::Integer {
            return self.unexpected(what);
        }
        match self.advance().parse::<usize>() {
            Ok(n) if (1..=MAX_RESULTS).contains(&n) => Ok(n),
            _ => self.error(codes::ARITY, format!("the count is not in 1 to {MAX_RESULTS}"), span),
        }
    }

    pub fn value(&mut self) -> Parsed<ValueRef> {
        let mut span = self.span();
        if self.peek() != Tok::Value {
            return self.unexpected("a value, `%name`");
        }
        let name = self.advance()[1..].to_string();
        let mut index = None;
        if self.peek() == Tok::AttrName || self.is(b'#') {
            let digits = self.word()[1..].to_string();
            if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
                return self.unexpected("a result number after `#`");
            }
            self.advance();
            index = Some(digits.parse().unwrap_or(usize::MAX));
            span.end = self.last_end();
        }
        Ok(ValueRef { name, index, span })
    }

    pub fn values(&mut self) -> Parsed<Vec<ValueRef>> {
        let mut values = vec![self.value()?];
        while self.eat(b',') {
            values.push(self.value()?);
        }
        Ok(values)
    }
}
