//! The parser's core: the cursor over the tokens, names, and recovery after errors.
//!
//! A failed operation is skipped up to the next line on its level; its results stay bound as broken values, so
//! that their uses are not reported again.

use super::lexer::{lex, Tok, Token};
use super::terms::{Attr, Ty};
use crate::codes;
use crate::ir::{Block, BlockId, Func, Kind, Module, OpId, RegionId, ValueId, ValueType};
use loom_base::{Code, Diagnostic, Diagnostics};
use std::collections::BTreeMap;
use std::ops::Range;

/// An error was reported; the operation is given up.
#[derive(Debug)]
pub(super) struct Failed;
pub(super) type Parsed<T> = Result<T, Failed>;

/// Regions, types and attributes inside each other.
const MAX_DEPTH: usize = 64;
/// More errors than anybody reads.
const MAX_ERRORS: usize = 100;
/// Stands for a value whose definition was refused.
const BROKEN: ValueId = ValueId(u32::MAX);
/// Ids from here on are uses before the definition, replaced at the function's end.
const FIRST_FORWARD: u32 = 1 << 31;

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

/// The function that is being read.
pub(super) struct State {
    pub func: Func,
    pub block: BlockId,
    scopes: Vec<Scope>,
    forwards: Vec<Forward>,
    /// Names of closed regions, for the message.
    closed: BTreeMap<String, Range<usize>>,
}

impl State {
    pub fn new() -> State {
        let mut func = Func::new("", &[], &[]);
        func.regions.clear();
        func.blocks.clear();
        func.body = None;
        State { func, block: BlockId(0), scopes: Vec::new(), forwards: Vec::new(), closed: BTreeMap::new() }
    }
}

pub(super) struct Parser<'s> {
    pub text: &'s str,
    tokens: Vec<Token>,
    at: usize,
    pub errors: Diagnostics,
    full: bool,
    depth: usize,
    pub type_aliases: BTreeMap<String, Ty>,
    pub attr_aliases: BTreeMap<String, Attr>,
    pub module: Module,
    pub state: State,
}

impl<'s> Parser<'s> {
    pub fn new(text: &'s str) -> Parser<'s> {
        let mut errors = Vec::new();
        let tokens = lex(text, &mut errors);
        let full = errors.len() > MAX_ERRORS;
        errors.truncate(MAX_ERRORS);
        Parser {
            text,
            at: if full { tokens.len() - 1 } else { 0 },
            tokens,
            errors,
            full,
            depth: 0,
            type_aliases: BTreeMap::new(),
            attr_aliases: BTreeMap::new(),
            module: Module::default(),
            state: State::new(),
        }
    }

    // The cursor.

    pub fn peek(&self) -> Tok {
        self.tokens[self.at].kind
    }

    pub fn peek_second(&self) -> Tok {
        self.tokens.get(self.at + 1).map_or(Tok::End, |t| t.kind)
    }

    pub fn at_end(&self) -> bool {
        self.peek() == Tok::End
    }

    pub fn starts_line(&self) -> bool {
        self.tokens[self.at].starts_line
    }

    /// Where the cursor stands, to see whether it moved.
    pub fn place(&self) -> usize {
        self.at
    }

    pub fn rewind(&mut self, place: usize) {
        if !self.full {
            self.at = place;
        }
    }

    pub fn span(&self) -> Range<usize> {
        self.tokens[self.at].span.clone()
    }

    pub fn last_end(&self) -> usize {
        self.tokens[self.at.saturating_sub(1)].span.end
    }

    /// The text of the token.
    pub fn word(&self) -> &'s str {
        match self.peek() {
            Tok::End => "",
            _ => &self.text[self.span()],
        }
    }

    pub fn advance(&mut self) -> &'s str {
        let word = self.word();
        if !self.at_end() {
            self.at += 1;
        }
        word
    }

    pub fn is(&self, mark: u8) -> bool {
        self.peek() == Tok::Mark(mark)
    }

    pub fn eat(&mut self, mark: u8) -> bool {
        let yes = self.is(mark);
        if yes {
            self.advance();
        }
        yes
    }

    pub fn is_word(&self, word: &str) -> bool {
        self.peek() == Tok::Word && self.word() == word
    }

    pub fn eat_word(&mut self, word: &str) -> bool {
        let yes = self.is_word(word);
        if yes {
            self.advance();
        }
        yes
    }

    pub fn eat_arrow(&mut self) -> bool {
        let yes = self.peek() == Tok::Arrow;
        if yes {
            self.advance();
        }
        yes
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

    /// Goes to byte `at` of the text, cutting the token that holds it; for `4x4xi32`.
    pub fn seek(&mut self, at: usize) {
        while !self.at_end() && self.tokens[self.at].span.end <= at {
            self.at += 1;
        }
        let token = &mut self.tokens[self.at];
        if token.kind != Tok::End && token.span.start < at {
            token.span.start = at;
            token.kind = match self.text.as_bytes()[at] {
                b'0'..=b'9' => Tok::Integer,
                _ => Tok::Word,
            };
        }
    }

    /// Skips a balanced bracket that opens here, of any of the four kinds.
    pub fn skip_balanced(&mut self) {
        let mut open: Vec<u8> = Vec::new();
        while !self.at_end() {
            let second = self.peek_second();
            match self.peek() {
                Tok::Mark(b @ (b'(' | b'[' | b'{')) => open.push(b),
                // `<=` and `>=` are comparisons of affine sets.
                Tok::Mark(b'<') if second != Tok::Mark(b'=') => open.push(b'<'),
                Tok::Mark(b'>') if open.last() == Some(&b'<') && second != Tok::Mark(b'=') => {
                    open.pop();
                }
                Tok::Mark(b')' | b']' | b'}') => {
                    while open.last() == Some(&b'<') {
                        open.pop();
                    }
                    if open.pop().is_none() {
                        return;
                    }
                }
                _ => {}
            }
            self.advance();
            if open.is_empty() {
                return;
            }
        }
    }

    /// `loc(...)` says where a line came from; nobody needs it.
    pub fn skip_location(&mut self) {
        if self.is_word("loc") && self.peek_second() == Tok::Mark(b'(') {
            self.advance();
            self.skip_balanced();
        }
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
            self.at = self.tokens.len() - 1;
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
        let found = match self.peek() {
            Tok::End => "the end of the file".to_string(),
            _ => format!("`{}`", self.word().chars().take(40).collect::<String>()),
        };
        self.error(codes::SYNTAX, format!("found {found}, expected {wanted}"), self.span())
    }

    /// Runs `inner` one level deeper, unless that is too deep.
    pub fn deeper<T>(&mut self, inner: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_DEPTH {
            let d = Diagnostic::error(codes::NESTING, format!("nested more than {MAX_DEPTH} levels deep"));
            return self
                .fail(d.at(self.span(), "").help("flatten the program, or move a part to a function"));
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    /// After an error in what began at token `start`: goes to the next line on its level, or to the `}` after it.
    pub fn recover(&mut self, start: usize) {
        let mut depth = 0usize;
        for token in &self.tokens[start..self.at] {
            match token.kind {
                Tok::Mark(b'{') => depth += 1,
                Tok::Mark(b'}') => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        while !self.at_end() {
            let starts = self.starts_line() && self.at > start;
            match self.peek() {
                Tok::Word if starts && matches!(self.word(), "func.func" | "memref.global") => return,
                Tok::Word if starts && depth == 0 => {
                    if !matches!(self.word(), "else" | "do" | "case" | "default" | "attributes") {
                        return;
                    }
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
        // `%a#1` is cut into `%a` and an alias name that is a number.
        if self.peek() == Tok::AttrName && self.span().start == span.end {
            let digits = &self.word()[1..];
            let Ok(n) = digits.parse() else {
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

    /// The value of that name, which must have that type. Problems are reported, and then the value is a broken
    /// one.
    pub fn value(&mut self, operand: &Operand, ty: &ValueType) -> ValueId {
        let found = self.state.scopes.iter().rev().find_map(|s| s.values.get(&operand.name)).cloned();
        let Some(binding) = found else {
            let depth = self.state.scopes.len();
            let id = FIRST_FORWARD + self.state.forwards.len() as u32;
            self.state.forwards.push(Forward {
                operand: operand.clone(),
                ty: ty.clone(),
                depth,
                resolved: None,
            });
            return ValueId(id);
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
        let waiting: Vec<usize> = (self.state.forwards.iter().enumerate())
            .filter(|(_, f)| f.resolved.is_none() && f.depth >= depth && f.operand.name == name)
            .map(|(i, _)| i)
            .collect();
        for i in waiting {
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

    // Operations, blocks and regions.

    /// The operation at the end of the current block; binds the results' names.
    pub fn emit(
        &mut self,
        head: &Head,
        kind: Kind,
        operands: Vec<ValueId>,
        types: &[ValueType],
    ) -> Parsed<OpId> {
        let named: usize = head.results.iter().map(|r| r.1).sum();
        if named != types.len() && named > 0 {
            let message = format!("`{}` gives {} values, {named} are named", head.name, types.len());
            let start = head.results[0].2.start;
            return self.error(codes::ARITY, message, start..head.span.end);
        }
        let block = self.state.block;
        let op = self.state.func.push_op(block, kind, &operands, types);
        self.state.func.op_mut(op).span = Some(head.span.clone());
        let results = self.state.func.op(op).results.clone();
        let mut next = results.into_iter();
        for (name, count, span) in &head.results {
            let group: Vec<ValueId> = next.by_ref().take(*count).collect();
            for &v in &group {
                self.set_name(v, name);
            }
            self.bind(name, group, span.clone(), false);
        }
        Ok(op)
    }

    /// A jump's target, which may be defined later.
    pub fn successor(&mut self) -> Parsed<BlockId> {
        if self.peek() != Tok::Block {
            return self.unexpected("a block");
        }
        let span = self.span();
        let name = self.advance()[1..].to_string();
        Ok(self.label(&name, span))
    }

    fn label(&mut self, name: &str, span: Range<usize>) -> BlockId {
        let fresh = BlockId(self.state.func.blocks.len() as u32);
        let Some(scope) = self.state.scopes.last_mut() else {
            return fresh;
        };
        if let Some(label) = scope.labels.get(name) {
            return label.block;
        }
        scope.labels.insert(name.to_string(), Label { block: fresh, used: span, defined: None });
        self.state.func.blocks.push(Block::default());
        fresh
    }

    pub fn add_argument(&mut self, block: BlockId, argument: &Argument) {
        match &argument.ty {
            Some(ty) => {
                let value = self.state.func.add_argument(block, "", ty.clone());
                self.set_name(value, &argument.name);
                if !argument.name.is_empty() {
                    self.bind(&argument.name, vec![value], argument.span.clone(), false);
                }
            }
            None => self.bind(&argument.name, Vec::new(), argument.span.clone(), true),
        }
    }

    /// `{ ... }`. The entry block has `arguments`; a label at the start may name it when there are none. A last
    /// block without terminator gets `implied`.
    pub fn region(&mut self, arguments: &[Argument], implied: Option<Kind>) -> Parsed<RegionId> {
        let open = self.span();
        self.expect(b'{', "of a region")?;
        self.deeper(|p| p.region_inside(arguments, implied, open))
    }

    fn region_inside(
        &mut self,
        arguments: &[Argument],
        implied: Option<Kind>,
        open: Range<usize>,
    ) -> Parsed<RegionId> {
        let outer = self.state.block;
        self.state.scopes.push(Scope::default());
        let region = self.state.func.add_region();
        let entry = self.state.func.add_block(region);
        self.state.block = entry;
        for argument in arguments {
            self.add_argument(entry, argument);
        }
        let mut fresh = arguments.is_empty();
        let mut result = Ok(region);
        while !self.eat(b'}') {
            let unclosed = self.at_end()
                || (self.starts_line() && (self.is_word("func.func") || self.is_word("memref.global")));
            if unclosed {
                let found = if self.at_end() { "the end of the file" } else { "a top-level operation" };
                let d = Diagnostic::error(codes::SYNTAX, format!("found {found}, expected `}}`"));
                result = self.fail(d.at(self.span(), "").at(open, "the region opens here"));
                break;
            }
            let start = self.at;
            let done = match self.peek() {
                Tok::Block => self.block_label(region, entry, fresh),
                _ => self.operation(),
            };
            fresh = false;
            if done.is_err() {
                self.recover(start);
                // Nothing moved: a stray token on this level.
                if self.at == start && !self.is(b'}') {
                    self.advance();
                }
            }
        }
        self.close_region(result.is_ok(), implied);
        self.state.block = outer;
        result
    }

    fn close_region(&mut self, good: bool, implied: Option<Kind>) {
        let scope = self.state.scopes.pop().unwrap_or_default();
        let depth = self.state.scopes.len();
        for (name, binding) in scope.values {
            self.state.closed.insert(name, binding.span);
        }
        for forward in &mut self.state.forwards {
            forward.depth = forward.depth.min(depth);
        }
        for (name, label) in scope.labels {
            if label.defined.is_none() && good {
                let message = format!("the block `^{name}` is not defined");
                let d = Diagnostic::error(codes::UNDEFINED, message).at(label.used, "");
                self.report(d.help("a jump stays inside of its region"));
            }
        }
        let ops = &self.state.func.block(self.state.block).ops;
        let ended = ops.last().is_some_and(|&op| is_terminator(&self.state.func.op(op).kind));
        if let (Some(kind), false) = (implied, ended) {
            self.state.func.push_op(self.state.block, kind, &[], &[]);
        }
    }

    fn block_label(&mut self, region: RegionId, entry: BlockId, fresh: bool) -> Parsed<()> {
        let span = self.span();
        let name = self.advance()[1..].to_string();
        let before =
            self.state.scopes.last().and_then(|s| s.labels.get(&name)).and_then(|l| l.defined.clone());
        if let Some(before) = before {
            let d = Diagnostic::error(codes::DEFINED_TWICE, format!("the block `^{name}` is defined twice"))
                .at(span, "")
                .at(before, "first defined here");
            return self.fail(d.help("give it another name"));
        }
        let block = if fresh {
            entry
        } else {
            let block = self.label(&name, span.clone());
            self.state.func.regions[region.0 as usize].blocks.push(block);
            block
        };
        if let Some(scope) = self.state.scopes.last_mut() {
            let label = Label { block, used: span.clone(), defined: Some(span) };
            scope.labels.insert(name, label);
        }
        self.state.block = block;
        if self.eat(b'(') {
            for argument in self.block_arguments()? {
                self.add_argument(block, &argument);
            }
        }
        self.expect(b':', "after the block's name")
    }

    fn block_arguments(&mut self) -> Parsed<Vec<Argument>> {
        let mut list = Vec::new();
        if self.eat(b')') {
            return Ok(list);
        }
        loop {
            let operand = self.operand()?;
            self.expect(b':', "before the type")?;
            let ty = self.value_type_or_bad()?;
            self.skip_location();
            list.push(Argument { name: operand.name, span: operand.span, ty });
            if !self.eat(b',') {
                break;
            }
        }
        self.expect(b')', "after the block's arguments")?;
        Ok(list)
    }

    /// One operation of a block, pretty or generic.
    fn operation(&mut self) -> Parsed<()> {
        let mut head = Head::default();
        if self.peek() == Tok::Value {
            if let Err(failed) = self.result_names(&mut head) {
                self.bind_broken(&head);
                return Err(failed);
            }
        }
        head.span = self.span();
        let done = match self.peek() {
            Tok::Text => {
                head.name = self.advance().trim_matches('"').to_string();
                self.generic(&head)
            }
            Tok::Word => {
                head.name = self.advance().to_string();
                self.pretty(&head)
            }
            Tok::TypeName | Tok::AttrName if head.results.is_empty() => return self.alias(),
            _ => self.unexpected("an operation"),
        };
        match done {
            Ok(()) => self.skip_location(),
            Err(_) => {
                self.bind_broken_unless_bound(&head);
                return Err(Failed);
            }
        }
        // Two operations on one line are two operations, but anything else is left over.
        if !self.starts_line() && !matches!(self.peek(), Tok::Value | Tok::Word | Tok::Text | Tok::Mark(b'}'))
        {
            return self.unexpected("the next operation or `}`");
        }
        Ok(())
    }

    /// After a failure in the middle of `emit` some results may have their names.
    fn bind_broken_unless_bound(&mut self, head: &Head) {
        for (name, _, span) in &head.results {
            let here = self.state.scopes.last().and_then(|s| s.values.get(name));
            if here.is_none_or(|b| b.span != *span) {
                self.bind(name, Vec::new(), span.clone(), true);
            }
        }
    }

    fn result_names(&mut self, head: &mut Head) -> Parsed<()> {
        loop {
            if self.peek() != Tok::Value {
                return self.unexpected("a value");
            }
            let span = self.span();
            let name = self.advance()[1..].to_string();
            head.results.push((name, 1, span));
            if self.eat(b':') {
                let count = match self.peek() {
                    Tok::Integer => self.word().parse().ok().filter(|n| (1..=10_000).contains(n)),
                    _ => None,
                };
                let Some(count) = count else {
                    return self.unexpected("a number of results");
                };
                self.advance();
                if let Some(last) = head.results.last_mut() {
                    last.1 = count;
                }
            }
            if !self.eat(b',') {
                return self.expect(b'=', "after the results");
            }
        }
    }

    /// Opens a function: nothing of the one before is visible.
    pub fn start_function(&mut self) {
        self.state = State::new();
    }

    /// Closes it: every use must have its definition now. `None` when it has errors.
    pub fn finish_function(&mut self, errors_before: usize) -> Option<Func> {
        let mut state = std::mem::replace(&mut self.state, State::new());
        let mut resolved = Vec::new();
        let mut reported: Vec<String> = Vec::new();
        for forward in state.forwards {
            resolved.push(forward.resolved);
            let Operand { name, span, .. } = forward.operand;
            if forward.resolved.is_some() || reported.contains(&name) {
                continue;
            }
            let mut d = Diagnostic::error(codes::UNDEFINED, format!("`%{name}` is not defined")).at(span, "");
            d = match state.closed.get(&name) {
                Some(at) => d
                    .at(at.clone(), "defined here, in a region that ends before the use")
                    .help("let the region yield the value"),
                None => d.help("define it before its use"),
            };
            self.report(d);
            reported.push(name);
        }
        if self.errors.len() > errors_before {
            return None;
        }
        for op in &mut state.func.ops {
            let jumps = op.successors.iter_mut().flat_map(|s| &mut s.arguments);
            for v in op.operands.iter_mut().chain(jumps) {
                if v.0 >= FIRST_FORWARD {
                    *v = resolved.get((v.0 - FIRST_FORWARD) as usize).copied().flatten()?;
                }
            }
        }
        Some(state.func)
    }
}

/// Whether a block may end with it.
pub(crate) fn is_terminator(kind: &Kind) -> bool {
    matches!(
        kind,
        Kind::Yield | Kind::Condition | Kind::Return | Kind::Br | Kind::CondBr | Kind::Switch { .. }
    )
}
