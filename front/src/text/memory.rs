//! Pretty operations of `memref`.

use super::ops::unknown;
use super::parser::{Head, Operand, Parsed, Parser};
use crate::codes;
use crate::ir::{IndexOrOperand, Kind, MemrefType, ValueId, ValueType};
use loom_base::Diagnostic;
use loom_dfg::Type;

impl Parser<'_> {
    pub fn memory(&mut self, head: &Head) -> Parsed<()> {
        match head.name.as_str() {
            "memref.load" | "memref.store" => {
                self.access(head, |p| p.operands_to(b']'), |p, list| p.all(&list, Type::Index))
            }
            "memref.alloc" | "memref.alloca" => self.alloc(head),
            "memref.dealloc" => {
                let memref = self.operand()?;
                let ty = self.colon_memref()?;
                let memref = self.value(&memref, &ValueType::Memref(ty));
                self.emit(head, Kind::Dealloc, vec![memref], &[]).map(drop)
            }
            "memref.dim" => {
                let operands = self.operands()?;
                let ty = self.colon_memref()?;
                let types = [ValueType::Memref(ty), ValueType::Scalar(Type::Index)];
                let values = self.values(&operands, &types, &head.span)?;
                self.emit(head, Kind::Dim, values, &types[1..]).map(drop)
            }
            "memref.get_global" => {
                let name = self.symbol()?;
                let ty = self.colon_memref()?;
                self.emit(head, Kind::GetGlobal(name), vec![], &[ValueType::Memref(ty)]).map(drop)
            }
            "memref.cast" => {
                let source = self.operand()?;
                self.view(head, Kind::Cast, source, Vec::new(), "to")
            }
            "memref.subview" => {
                let source = self.operand()?;
                let mut dynamic = Vec::new();
                let offsets = self.mixed(&mut dynamic)?;
                let sizes = self.mixed(&mut dynamic)?;
                let strides = self.mixed(&mut dynamic)?;
                self.view(head, Kind::Subview { offsets, sizes, strides }, source, dynamic, "to")
            }
            "memref.reinterpret_cast" => self.reinterpret_cast(head),
            "memref.collapse_shape" => {
                let source = self.operand()?;
                let groups = self.groups()?;
                self.view(head, Kind::CollapseShape { groups }, source, Vec::new(), "into")
            }
            "memref.expand_shape" => {
                let source = self.operand()?;
                let groups = self.groups()?;
                self.expect_word("output_shape")?;
                let mut dynamic = Vec::new();
                let sizes = self.mixed(&mut dynamic)?;
                self.view(head, Kind::ExpandShape { groups, sizes }, source, dynamic, "into")
            }
            _ => self.fail(unknown(head)),
        }
    }

    pub fn colon_memref(&mut self) -> Parsed<MemrefType> {
        self.optional_attributes()?;
        self.expect(b':', "before the type")?;
        self.memref_type()
    }

    /// A load or store: `read` takes what stands between the brackets, `subscripts` makes values of it once the memref is
    /// known.
    pub fn access<S>(
        &mut self,
        head: &Head,
        read: impl FnOnce(&mut Self) -> Parsed<S>,
        subscripts: impl FnOnce(&mut Self, S) -> Vec<ValueId>,
    ) -> Parsed<()> {
        let stores = head.name.ends_with(".store");
        let mut stored = None;
        if stores {
            stored = Some(self.operand()?);
            self.expect(b',', "after the value")?;
        }
        let memref = self.operand()?;
        self.expect(b'[', "of the subscripts")?;
        let at = read(self)?;
        let ty = self.colon_memref()?;
        let element = ValueType::Scalar(ty.element);
        let mut values: Vec<ValueId> = stored.iter().map(|o| self.value(o, &element)).collect();
        values.push(self.value(&memref, &ValueType::Memref(ty)));
        values.extend(subscripts(self, at));
        match stores {
            true => self.emit(head, Kind::Store, values, &[]),
            false => self.emit(head, Kind::Load, values, &[element]),
        }
        .map(drop)
    }

    fn alloc(&mut self, head: &Head) -> Parsed<()> {
        self.expect(b'(', "of the extents")?;
        let extents = self.operands_to(b')')?;
        if self.is(b'[') {
            let d = Diagnostic::error(codes::NOT_SUPPORTED, "an allocation with symbols").at(self.span(), "");
            return self.fail(d.help("allocate memrefs without layout"));
        }
        let attributes = self.optional_attributes()?;
        let ty = self.colon_memref()?;
        let values = self.all(&extents, Type::Index);
        let on_stack = head.name == "memref.alloca";
        let op = self.emit(head, Kind::Alloc { on_stack }, values, &[ValueType::Memref(ty)])?;
        self.set_hints(op, &attributes)
    }

    fn reinterpret_cast(&mut self, head: &Head) -> Parsed<()> {
        let source = self.operand()?;
        self.expect_word("to")?;
        let mut dynamic = Vec::new();
        let mut lists = Vec::new();
        for (i, word) in ["offset", "sizes", "strides"].into_iter().enumerate() {
            if i > 0 {
                self.expect(b',', "after the list")?;
            }
            self.expect_word(word)?;
            self.expect(b':', "before the list")?;
            lists.push(self.mixed(&mut dynamic)?);
        }
        let strides = lists.pop().unwrap_or_default();
        let sizes = lists.pop().unwrap_or_default();
        let offset = match lists.pop().unwrap_or_default()[..] {
            [offset] => offset,
            _ => return self.error(codes::ARITY, "there is one offset", head.span.clone()),
        };
        self.view(head, Kind::ReinterpretCast { offset, sizes, strides }, source, dynamic, "to")
    }

    /// `[[0, 1], [2]]`.
    fn groups(&mut self) -> Parsed<Vec<Vec<usize>>> {
        let mut groups = Vec::new();
        self.expect(b'[', "of the groups")?;
        while !self.eat(b']') {
            let start = self.span().start;
            let mut group = Vec::new();
            for number in self.mixed(&mut Vec::new())? {
                match number {
                    IndexOrOperand::Fixed(n) if (0..1000).contains(&n) => group.push(n as usize),
                    _ => {
                        let span = start..self.last_end();
                        return self.error(codes::ATTRIBUTE, "a group lists dimensions by number", span);
                    }
                }
            }
            groups.push(group);
            if !self.eat(b',') && !self.is(b']') {
                return self.unexpected("`,` or `]` after the group");
            }
        }
        Ok(groups)
    }

    fn view(
        &mut self,
        head: &Head,
        kind: Kind,
        source: Operand,
        dynamic: Vec<Operand>,
        word: &str,
    ) -> Parsed<()> {
        let from = self.colon_memref()?;
        self.expect_word(word)?;
        let to = self.memref_type()?;
        let mut values = vec![self.value(&source, &ValueType::Memref(from))];
        values.extend(self.all(&dynamic, Type::Index));
        self.emit(head, kind, values, &[ValueType::Memref(to)]).map(drop)
    }
}
