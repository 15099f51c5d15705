//! Operations, blocks, regions and functions: what opens a scope and what closes it.

use super::{Argument, Failed, Head, Label, Operand, Parsed, Parser, Scope, State};
use super::{FIRST_FORWARD, MAX_REGIONS};
use crate::codes;
use crate::ir::{Block, BlockId, Func, Kind, OpId, RegionId, ValueId, ValueType};
use loom_base::Diagnostic;
use loom_mlir::Tok;
use std::collections::BTreeSet;
use std::ops::Range;

impl Parser<'_> {
    /// The operation at the end of the current block; binds the results' names.
    pub fn emit(
        &mut self,
        head: &Head,
        kind: Kind,
        operands: Vec<ValueId>,
        types: &[ValueType],
    ) -> Parsed<OpId> {
        self.check_named(head, types.len())?;
        let block = self.state.block;
        let op = self.state.func.push_op(block, kind, &operands, types);
        self.state.func.op_mut(op).span = Some(head.span.clone());
        let results = self.state.func.op(op).results.clone();
        self.name_results(head, &results);
        Ok(op)
    }

    /// Results have names, all of them or none.
    pub fn check_named(&mut self, head: &Head, count: usize) -> Parsed<()> {
        let named: usize = head.results.iter().map(|r| r.1).sum();
        if named != count && named > 0 {
            let message = format!("`{}` gives {count} values, {named} are named", head.name);
            let start = head.results[0].2.start;
            return self.error(codes::ARITY, message, start..head.span.end);
        }
        Ok(())
    }

    /// Binds an operation's names.
    pub fn name_results(&mut self, head: &Head, results: &[ValueId]) {
        let mut next = results.iter().copied();
        for (name, count, span) in &head.results {
            let group: Vec<ValueId> = next.by_ref().take(*count).collect();
            for &v in &group {
                self.set_name(v, name);
            }
            self.bind(name, group, span.clone(), false);
        }
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

    /// `{ ... }`. The entry block has `arguments`; a label at the start may name it when there are none. A
    /// last block without terminator gets `implied`.
    pub fn region(&mut self, arguments: &[Argument], implied: Option<Kind>) -> Parsed<RegionId> {
        let open = self.span();
        self.expect(b'{', "of a region")?;
        self.deeper_than(MAX_REGIONS, |p| p.region_inside(arguments, implied, open))
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
            let start = self.place();
            let done = match self.peek() {
                Tok::Block => self.block_label(region, entry, fresh),
                _ => self.operation(),
            };
            fresh = false;
            if done.is_err() {
                self.recover(start);
                // Nothing moved: a stray token on this level.
                if self.place() == start && !self.is(b'}') {
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
        // Those of this region stand last.
        for forward in self.state.forwards.iter_mut().rev().take_while(|f| f.depth > depth) {
            forward.depth = depth;
        }
        for (name, label) in scope.labels {
            if label.defined.is_none() && good {
                let message = format!("the block `^{name}` is not defined");
                let d = Diagnostic::error(codes::UNDEFINED, message).at(label.used, "");
                self.report(d.help("a jump stays inside of its region"));
            }
        }
        let ops = &self.state.func.block(self.state.block).ops;
        let ended = ops.last().is_some_and(|&op| self.state.func.op(op).kind.is_terminator());
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
        let mut reported: BTreeSet<String> = BTreeSet::new();
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
            reported.insert(name);
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
