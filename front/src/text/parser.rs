//! The parser's core: the cursor over the tokens, names, and recovery after errors.
//!
//! A failed operation is skipped up to the next line on its level; its results stay bound as broken values,
//! so that their uses are not reported again.

mod blocks;

use super::terms::{Attr, Ty};
use crate::codes;
use crate::ir::{BlockId, Func, Program, ValueId, ValueType};
use loom_base::limits::{MAX_DEPTH, MAX_NODES};
use loom_base::{Code, Diagnostic, Diagnostics};
use loom_mlir::{lex, Cursor, Tok};
use std::collections::BTreeMap;
use std::ops::{Deref, DerefMut, Range};

/// An error was reported; the operation is given up.
#[derive(Debug)]
pub(super) struct Failed;
pub(super) type Parsed<T> = Result<T, Failed>;

/// Regions inside each other: a little less, so that what a full nest holds still has types.
const MAX_REGIONS: usize = 64;
/// More errors than anybody reads.
const MAX_ERRORS: usize = 100;
/// Stands for a value whose definition was refused.
const BROKEN: ValueId = ValueId(u32::MAX);
/// Ids from here on are uses before the definition, replaced at the function's end.
pub(super) const FIRST_FORWARD: u32 = 1 << 31;

/// `%name` or `%name#2` as written.
#[derive(Clone, Debug)]
pub(super) struct Operand {
    pub name: String,
    pub number: usize,
    pub span: Range<usize>,
}

/// What stands before an operation's operands.
#[derive(Clone, Debug, Default)]
pub(super) struct Head {
    /// Names with their number of values.
    pub results: Vec<(String, usize, Range<usize>)>,
    /// The operation's name.
    pub name: String,
    /// Where it stands.
    pub span: Range<usize>,
}

#[derive(Clone, Debug)]
struct Binding {
    values: Vec<ValueId>,
    span: Range<usize>,
    broken: bool,
}

struct Forward {
    operand: Operand,
    ty: ValueType,
    /// Number of scopes around the use that are still open.
    depth: usize,
    resolved: Option<ValueId>,
}

struct Label {
    block: BlockId,
    used: Range<usize>,
    defined: Option<Range<usize>>,
}

#[derive(Default)]
struct Scope {
    values: BTreeMap<String, Binding>,
    labels: BTreeMap<String, Label>,
}

/// A block argument before its block.
pub(super) struct Argument {
    pub name: String,
    pub span: Range<usize>,
    /// `None` when the type was refused.
    pub ty: Option<ValueType>,
}

/// What an alias stands for, and how many nodes that has.
struct Alias<T> {
    value: T,
    nodes: usize,
}

/// The function that is being read.
pub(super) struct State {
    pub func: Func,
    pub block: BlockId,
    scopes: Vec<Scope>,
    forwards: Vec<Forward>,
    /// Those without a definition so far, by name.
    waiting: BTreeMap<String, Vec<usize>>,
    /// Names of closed regions, for the message.
    closed: BTreeMap<String, Range<usize>>,
}

impl State {
    pub fn new() -> State {
        let mut func = Func::new("", &[], &[]);
        func.regions.clear();
        func.blocks.clear();
        func.body = None;
        State {
            func,
            block: BlockId(0),
            scopes: Vec::new(),
            forwards: Vec::new(),
            waiting: BTreeMap::new(),
            closed: BTreeMap::new(),
        }
    }
}

pub(super) struct Parser<'s> {
    cursor: Cursor<'s>,
    pub errors: Diagnostics,
    full: bool,
    depth: usize,
    type_aliases: BTreeMap<String, Alias<Ty>>,
    attr_aliases: BTreeMap<String, Alias<Attr>>,
    /// Nodes that uses of aliases have stood for so far.
    expanded: usize,
    pub program: Program,
    pub state: State,
}

impl<'s> Deref for Parser<'s> {
    type Target = Cursor<'s>;

    fn deref(&self) -> &Cursor<'s> {
        &self.cursor
    }
}

impl DerefMut for Parser<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.cursor
    }
}

impl<'s> Parser<'s> {
    pub fn new(text: &'s str) -> Parser<'s> {
        let mut errors = Vec::new();
        let mut cursor = Cursor::new(text, lex(text, codes::BAD_CHARACTER, &mut errors));
        let full = errors.len() > MAX_ERRORS;
        errors.truncate(MAX_ERRORS);
        if full {
            cursor.finish();
        }
        Parser {
            cursor,
            errors,
            full,
            depth: 0,
            type_aliases: BTreeMap::new(),
            attr_aliases: BTreeMap::new(),
            expanded: 0,
            program: Program::default(),
            state: State::new(),
        }
    }

    /// Goes back, unless reading has been given up.
    pub fn rewind(&mut self, place: usize) {
        if !self.full {
            self.set_place(place);
        }
    }

    pub fn expect(&mut self, mark: u8, place: &str) -> Parsed<()> {
        match self.eat(mark) {
            true => Ok(()),
            false => self.unexpected(&format!("`{}` {place}", mark as char)),
        }
    }

    pub fn expect_word(&mut self, word: &str) -> Parsed<()> {
        match self.eat_word(word) {
            true => Ok(()),
            false => self.unexpected(&format!("`{word}`")),
        }
    }

    pub fn expect_arrow(&mut self) -> Parsed<()> {
        match self.eat_arrow() {
            true => Ok(()),
            false => self.unexpected("`->`"),
        }
    }

    // Aliases.

    pub fn define_type(&mut self, name: String, value: Ty) {
        let nodes = value.nodes();
        self.type_aliases.insert(name, Alias { value, nodes });
    }

    pub fn define_attr(&mut self, name: String, value: Attr) {
        let nodes = value.nodes();
        self.attr_aliases.insert(name, Alias { value, nodes });
    }

    /// What the type alias stands for, if there is one.
    pub fn aliased_type(&mut self, name: &str) -> Parsed<Option<Ty>> {
        self.spend(self.type_aliases.get(name).map_or(0, |alias| alias.nodes))?;
        Ok(self.type_aliases.get(name).map(|alias| alias.value.clone()))
    }

    /// What the attribute alias stands for, if there is one.
    pub fn aliased_attr(&mut self, name: &str) -> Parsed<Option<Attr>> {
        self.spend(self.attr_aliases.get(name).map_or(0, |alias| alias.nodes))?;
        Ok(self.attr_aliases.get(name).map(|alias| alias.value.clone()))
    }

    /// Each use is a copy: a few lines of aliases of aliases would stand for more than any memory holds.
    fn spend(&mut self, nodes: usize) -> Parsed<()> {
        self.expanded = self.expanded.saturating_add(nodes);
        if self.expanded <= MAX_NODES {
            return Ok(());
        }
        let span = self.last_end().saturating_sub(1)..self.last_end();
        let message =
            format!("the aliases used so far stand for more than {MAX_NODES} types, attributes and numbers");
        let d = Diagnostic::error(codes::EXPANSION, message).at(span, "");
        let failed = self.fail(d.help("use fewer of them, or smaller ones"));
        self.full = true;
        self.finish();
        failed
    }

    // Errors.

    pub fn report(&mut self, d: Diagnostic) {
        if self.full {
            return;
        }
        self.errors.push(d);
        if self.errors.len() == MAX_ERRORS {
            self.full = true;
            let message = format!("more than {MAX_ERRORS} errors, the rest of the file is not read");
            self.errors.push(Diagnostic::error(codes::TOO_MANY, message).help("correct these first"));
            self.finish();
        }
    }

    pub fn fail<T>(&mut self, d: Diagnostic) -> Parsed<T> {
        self.report(d);
        Err(Failed)
    }

    pub fn error<T>(&mut self, code: Code, message: impl Into<String>, span: Range<usize>) -> Parsed<T> {
        self.fail(Diagnostic::error(code, message).at(span, ""))
    }

    pub fn unexpected<T>(&mut self, wanted: &str) -> Parsed<T> {
        let message = format!("found {}, expected {wanted}", self.found());
        self.error(codes::SYNTAX, message, self.span())
    }

    /// Runs `inner` one level deeper, unless that is too deep.
    pub fn deeper<T>(&mut self, inner: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        self.deeper_than(MAX_DEPTH, inner)
    }

    fn deeper_than<T>(&mut self, limit: usize, inner: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= limit {
            let d = Diagnostic::error(codes::NESTING, format!("nested more than {limit} levels deep"));
            return self
                .fail(d.at(self.span(), "").help("flatten the program, or move a part to a function"));
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    /// After an error in what began at token `start`: goes to the next line on its level, or to the `}` after
    /// it.
    pub fn recover(&mut self, start: usize) {
        let mut depth = 0usize;
        for token in &self.tokens()[start..self.place()] {
            match token.kind {
                Tok::Mark(b'{') => depth += 1,
                Tok::Mark(b'}') => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        while !self.at_end() {
            let starts = self.starts_line() && self.place() > start;
            match self.peek() {
                Tok::Word if starts && matches!(self.word(), "func.func" | "memref.global") => return,
                Tok::Word
                    if starts
                        && depth == 0
                        && !matches!(self.word(), "else" | "do" | "case" | "default" | "attributes") =>
                {
                    return
                }
                Tok::Value | Tok::Text | Tok::Block if starts && depth == 0 => return,
                Tok::Mark(b'}') if depth == 0 => return,
                Tok::Mark(b'{') => depth += 1,
                Tok::Mark(b'}') => depth -= 1,
                _ => {}
            }
            self.advance();
        }
    }

    // Values.

    pub fn operand(&mut self) -> Parsed<Operand> {
        if self.peek() != Tok::Value {
            return self.unexpected("a value");
        }
        let mut span = self.span();
        let name = self.advance()[1..].to_string();
        let mut number = 0;
        if self.peek() == Tok::AttrName && self.span().start == span.end {
            let Ok(n) = self.word()[1..].parse() else {
                return self.unexpected("a result number");
            };
            number = n;
            span.end = self.span().end;
            self.advance();
        }
        Ok(Operand { name, number, span })
    }

    /// `%a, %b`, at least one.
    pub fn operands(&mut self) -> Parsed<Vec<Operand>> {
        let mut list = vec![self.operand()?];
        while self.eat(b',') {
            list.push(self.operand()?);
        }
        Ok(list)
    }

    /// `%a, %b` up to `close`, which is taken too.
    pub fn operands_to(&mut self, close: u8) -> Parsed<Vec<Operand>> {
        if self.eat(close) {
            return Ok(Vec::new());
        }
        let list = self.operands()?;
        self.expect(close, "after the values")?;
        Ok(list)
    }

    /// The value of that name, which must have that type. Problems are reported, and then the value is a
    /// broken one.
    pub fn value(&mut self, operand: &Operand, ty: &ValueType) -> ValueId {
        let found = self.state.scopes.iter().rev().find_map(|s| s.values.get(&operand.name)).cloned();
        let Some(binding) = found else {
            let depth = self.state.scopes.len();
            let at = self.state.forwards.len();
            self.state.waiting.entry(operand.name.clone()).or_default().push(at);
            self.state.forwards.push(Forward {
                operand: operand.clone(),
                ty: ty.clone(),
                depth,
                resolved: None,
            });
            return ValueId(FIRST_FORWARD + at as u32);
        };
        self.bound(operand, &binding, ty)
    }

    fn bound(&mut self, operand: &Operand, binding: &Binding, ty: &ValueType) -> ValueId {
        if binding.broken {
            return BROKEN;
        }
        let Some(&id) = binding.values.get(operand.number) else {
            let message = format!(
                "`%{}#{}` is used, but `%{0}` has {} values",
                operand.name,
                operand.number,
                binding.values.len()
            );
            self.report(
                Diagnostic::error(codes::ARITY, message)
                    .at(operand.span.clone(), "")
                    .at(binding.span.clone(), "defined here")
                    .help("numbers start at 0"),
            );
            return BROKEN;
        };
        let is = self.state.func.ty(id);
        if is != ty {
            let message = format!("`%{}` is used as `{ty}`, it is `{is}`", operand.name);
            let d = Diagnostic::error(codes::TYPE_MISMATCH, message)
                .at(operand.span.clone(), "")
                .at(binding.span.clone(), "defined here");
            self.report(d);
            return BROKEN;
        }
        id
    }

    /// Whether a value has its definition, so that it can be looked at.
    pub fn is_there(&self, value: ValueId) -> bool {
        value.0 < FIRST_FORWARD
    }

    /// Whether the current block is in a region of an operation.
    pub fn nested(&self) -> bool {
        self.state.scopes.len() > 1
    }

    /// All of them with their types; the numbers must agree.
    pub fn values(
        &mut self,
        operands: &[Operand],
        types: &[ValueType],
        span: &Range<usize>,
    ) -> Parsed<Vec<ValueId>> {
        if operands.len() != types.len() {
            let message = format!("{} values and {} types", operands.len(), types.len());
            return self.error(codes::ARITY, message, span.clone());
        }
        Ok(operands.iter().zip(types).map(|(o, t)| self.value(o, t)).collect())
    }

    /// Binds a name; digits are the printer's own names.
    fn bind(&mut self, name: &str, values: Vec<ValueId>, span: Range<usize>, broken: bool) {
        let binding = Binding { values, span: span.clone(), broken };
        let before = self.state.scopes.iter().rev().find_map(|s| s.values.get(name));
        if let Some(before) = before {
            let d = Diagnostic::error(codes::DEFINED_TWICE, format!("`%{name}` is defined twice"))
                .at(span, "")
                .at(before.span.clone(), "first defined here")
                .help("give it another name");
            self.report(d);
            return;
        }
        let depth = self.state.scopes.len();
        let waiting = self.state.waiting.remove(name).unwrap_or_default();
        let (inside, others): (Vec<usize>, Vec<usize>) =
            waiting.into_iter().partition(|&i| self.state.forwards[i].depth >= depth);
        if !others.is_empty() {
            self.state.waiting.insert(name.to_string(), others);
        }
        for i in inside {
            let (operand, ty) = (self.state.forwards[i].operand.clone(), self.state.forwards[i].ty.clone());
            let id = self.bound(&operand, &binding, &ty);
            self.state.forwards[i].resolved = Some(id);
        }
        if let Some(scope) = self.state.scopes.last_mut() {
            scope.values.insert(name.to_string(), binding);
        }
    }

    /// The results of a failed operation are known, but not what they are.
    pub fn bind_broken(&mut self, head: &Head) {
        for (name, _, span) in &head.results {
            self.bind(name, Vec::new(), span.clone(), true);
        }
    }

    fn set_name(&mut self, value: ValueId, name: &str) {
        if !name.starts_with(|c: char| c.is_ascii_digit()) {
            self.state.func.values[value.0 as usize].name = name.to_string();
        }
    }
}
