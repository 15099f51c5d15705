//! From a function of the LLVM dialect to one of `arith`, `memref` and `cf`.

mod calls;
mod class;
mod copy;
mod hints;
mod memory;
mod product;
mod rows;
mod scalar;
mod signature;

use crate::codes;
use crate::counts::Counters;
use crate::demand::{self, Need};
use crate::fields::Fields;
use crate::globals;
use crate::literal::bytes_of;
use crate::places::Places;
use crate::pointers::Pointers;
use crate::program::{Function, Id, Inst};
use crate::results::{self, Part};
use crate::roots::{self, Root};
use crate::rows::Rows;
use crate::text::Place;
use crate::types::Ty;
use loom_base::{sign_extend, Diagnostics};
use loom_dfg::{Op, OpKind, Predicate, Type};
use loom_front::hints::Hints;
use loom_front::ir::{
    BlockId, Dim, Func, Kind, MemrefLayout, MemrefType, RegionId, Successor, ValueId, ValueType,
};
use std::collections::{BTreeMap, BTreeSet};

/// The op of the table that an operation of the dialect is.
pub(crate) fn op_of(name: &str) -> Option<OpKind> {
    match name.strip_prefix("intr.") {
        Some(intrinsic) => calls::direct(intrinsic),
        None => scalar::binary(name).or_else(|| scalar::cast(name)),
    }
}

/// A pointer: which root, and how far behind its start.
#[derive(Clone, Copy, Debug)]
struct Pointer {
    /// Number of the root, when several are possible.
    which: Option<ValueId>,
    /// How many units, in index; `None` for 0.
    base: Option<ValueId>,
    /// Bytes more.
    constant: i64,
    /// Bytes of a unit.
    unit: i64,
}

/// What a value has become.
#[derive(Clone, Copy, Debug, Default)]
struct Made {
    whole: Option<ValueId>,
    /// In `index`.
    address: Option<ValueId>,
    pointer: Option<Pointer>,
    /// Result and overflow of an op that gives both.
    pair: Option<(ValueId, ValueId)>,
}

struct Converter<'a> {
    function: &'a Function,
    places: &'a Places<'a>,
    pointers: &'a Pointers,
    counts: &'a Counters,
    needs: Vec<Need>,
    func: Func,
    body: RegionId,
    /// Where operations go.
    at: BlockId,
    /// Place of the operation that is converted.
    place: Option<Place>,
    made: Vec<Made>,
    blocks: Vec<Option<BlockId>>,
    /// By root and view.
    memrefs: Vec<Vec<Option<ValueId>>>,
    rows: Rows,
    /// By root: the view that has rows.
    tables: BTreeMap<usize, ValueId>,
    fields: Fields,
    /// By root, view and first word: the view of an array in a struct.
    arrays: BTreeMap<(usize, usize, i64), ValueId>,
    /// By root that is a number of words behind another: the number.
    ends: BTreeMap<usize, ValueId>,
    /// By argument: whether it is null, where somebody asks.
    nulls: BTreeMap<usize, ValueId>,
    constants: BTreeMap<(Type, u64), ValueId>,
    /// Literals, which stand before everything else.
    first: Vec<loom_front::ir::OpId>,
    /// What is said about the innermost loop around the block that is converted.
    hints: Hints,
    /// Whether the block that is converted ends where nobody goes on.
    dead_end: bool,
    errors: Diagnostics,
    /// What is wrong where nothing else is.
    doubts: Diagnostics,
    warnings: Diagnostics,
}

/// What a view of a global on chip is called: the global, where it has no other.
pub(crate) fn view_name(global: &str, element: Type, pointers: &Pointers, root: usize) -> String {
    match pointers.views[root].len() {
        1 => global.to_string(),
        _ => format!("{global}.view.{element}"),
    }
}

/// A memref of one dimension.
fn flat(words: Dim, element: Type) -> ValueType {
    ValueType::Memref(MemrefType { shape: vec![words], element, layout: MemrefLayout::Identity })
}

/// Words of each root and view on chip.
pub(crate) type Extents = BTreeMap<(usize, usize), u64>;

/// Where roots live that are no arguments of the function.
pub(crate) struct Layout<'a> {
    pub extents: &'a Extents,
    /// The names of local variables in C, by the operations that allocate them.
    pub variables: &'a BTreeMap<usize, String>,
    /// Roots and views that become arguments, behind the function's own.
    pub passed: &'a [(usize, usize)],
    /// Arguments of which a number more, behind those, says whether they are null.
    pub nulls: &'a [usize],
    /// What counts in index.
    pub counts: &'a Counters,
    /// Globals that no pointer from outside points at.
    pub private: &'a BTreeSet<String>,
}

/// Converts a function whose pointers are known; what of it has no effect.
pub(crate) fn convert(
    function: &Function,
    names: &[String],
    pointers: &Pointers,
    layout: &Layout,
    places: &Places,
) -> Result<(Func, Diagnostics), Diagnostics> {
    let func = signature::signature(function, names, pointers, layout, places)?;
    let body = func.body.expect("it was just made");
    let at = func.entry(body).expect("it was just made");
    let rows = Rows::of(function, pointers);
    let mut converter = Converter {
        function,
        places,
        pointers,
        counts: layout.counts,
        needs: demand::needs(function, layout.counts),
        func,
        body,
        at,
        place: None,
        made: vec![Made::default(); function.values.len()],
        blocks: vec![None; function.blocks.len()],
        memrefs: pointers.words.iter().map(|w| vec![None; w.views.len()]).collect(),
        fields: Fields::of(function, pointers, &rows),
        rows,
        tables: BTreeMap::new(),
        arrays: BTreeMap::new(),
        ends: BTreeMap::new(),
        nulls: BTreeMap::new(),
        constants: BTreeMap::new(),
        first: Vec::new(),
        hints: Hints::default(),
        dead_end: false,
        errors: Vec::new(),
        doubts: Vec::new(),
        warnings: Vec::new(),
    };
    converter.roots(layout);
    converter.blocks();
    for &block in &function.order {
        converter.at = converter.blocks[block].expect("made for all that are reached");
        converter.block_start(block);
        let last = function.blocks[block].insts.last();
        converter.dead_end = last.is_some_and(|&i| function.insts[i].name() == "unreachable");
        for &inst in &function.blocks[block].insts {
            converter.place = function.insts[inst].place().cloned();
            converter.inst(inst);
        }
    }
    let entry = converter.func.entry(body).expect("it was just made");
    let first = std::mem::take(&mut converter.first);
    converter.func.blocks[entry.0 as usize].ops.splice(0..0, first);
    match (converter.errors, converter.doubts) {
        (errors, doubts) if errors.is_empty() && doubts.is_empty() => {
            Ok((converter.func, converter.warnings))
        }
        (errors, doubts) if errors.is_empty() => Err(doubts),
        (errors, _) => Err(errors),
    }
}

/// The values of a switch's cases; the importer writes more than a hundred of them as bytes.
pub(crate) fn case_values(switch: &Inst, ty: &Ty, count: usize) -> Option<Vec<i64>> {
    let attribute = switch.op.attribute("case_values")?;
    let width = ty.scalar()?.width(64);
    let size = width.div_ceil(8) as usize;
    let mut bytes = vec![0; count * size];
    bytes_of(attribute, ty, &mut bytes)?;
    Some(globals::words(&bytes, size).into_iter().map(|w| sign_extend(w, width)).collect())
}

impl<'a> Converter<'a> {
    fn refuse(&mut self, code: loom_base::Code, message: impl Into<String>, help: &str) {
        let error = self.places.refuse(code, self.place.as_ref(), message, help);
        self.errors.push(error);
    }

    /// The memref of each root, made in the entry block.
    fn roots(&mut self, layout: &Layout) {
        let (pointers, extents) = (self.pointers, layout.extents);
        let own = self.function.blocks[0].arguments.len();
        let (passed, tests) = self.func.arguments()[own..].split_at(layout.passed.len());
        for (&(root, view), &argument) in layout.passed.iter().zip(passed) {
            match pointers.ends.contains_key(&root) {
                true => drop(self.ends.insert(root, argument)),
                false => self.memrefs[root][view] = Some(argument),
            }
        }
        self.nulls = layout.nulls.iter().copied().zip(tests.iter().copied()).collect();
        for (number, root) in pointers.roots.iter().enumerate() {
            if let Root::Argument(index) = root {
                let argument = self.func.arguments()[*index];
                match pointers.ends.contains_key(&number) {
                    true => drop(self.ends.insert(number, argument)),
                    false => self.memrefs[number][pointers.views[number][0]] = Some(argument),
                }
            }
            for &view in &pointers.views[number] {
                let Some(&words) = extents.get(&(number, view)) else { continue };
                let element = pointers.words[number].views[view];
                let kind = match root {
                    Root::Stack(inst) => {
                        self.place = self.function.insts[*inst].place().cloned();
                        Kind::Alloc { on_stack: true }
                    }
                    Root::Global(name) => Kind::GetGlobal(view_name(name, element, pointers, number)),
                    // From outside, as all of them.
                    Root::Argument(_) | Root::Field { .. } => continue,
                };
                let memref = self.op(kind, &[], &[flat(Some(words as i64), element)]);
                if let Root::Stack(inst) = root {
                    let name = layout.variables.get(inst).cloned().unwrap_or_default();
                    self.func.values[memref.0 as usize].name = name;
                }
                self.memrefs[number][view] = Some(memref);
            }
        }
        self.tables();
        self.arrays();
    }

    /// A block for each that is reached, with arguments for what is needed.
    fn blocks(&mut self) {
        let function = self.function;
        for &block in &function.order {
            if block == 0 {
                self.blocks[0] = Some(self.at);
                let arguments = self.func.arguments().to_vec();
                for (index, (&id, &value)) in function.blocks[0].arguments.iter().zip(&arguments).enumerate()
                {
                    match function.ty(id) {
                        Ty::Ptr => self.start(id, &Root::Argument(index)),
                        _ if self.counts.arguments.contains_key(&index) => {
                            self.made[id.0].address = Some(value)
                        }
                        ty => self.made[id.0].whole = Some(self.given(value, ty)),
                    }
                }
                continue;
            }
            let new = self.func.add_block(self.body);
            self.blocks[block] = Some(new);
            for &id in &function.blocks[block].arguments {
                let need = self.needs[id.0];
                if !need.any() {
                    continue;
                }
                if *function.ty(id) == Ty::Ptr {
                    let which = self.pointers.sets[id.0].len() > 1;
                    let which = which.then(|| self.func.add_argument(new, "", ValueType::Scalar(Type::I32)));
                    let base = self.func.add_argument(new, "", ValueType::Scalar(Type::Index));
                    self.made[id.0].pointer = Some(self.counted(id, which, base));
                } else if self.counts_in_index(id) {
                    let value = self.func.add_argument(new, "", ValueType::Scalar(Type::Index));
                    self.made[id.0].address = Some(value);
                } else if let Some(scalar) = function.ty(id).scalar() {
                    let value = self.func.add_argument(new, "", ValueType::Scalar(scalar));
                    self.made[id.0].whole = Some(value);
                } else {
                    self.place = function.place.clone();
                    self.refuse_type(function.ty(id));
                }
            }
        }
    }

    /// An argument of the function in its own type, of which it may have come in a wider one.
    fn given(&mut self, value: ValueId, ty: &Ty) -> ValueId {
        match (ty.argument(), self.func.ty(value).scalar()) {
            (Some(own), Some(came)) if own != came => self.scalar(OpKind::Trunci, &[value], own),
            _ => value,
        }
    }

    /// Whether a block argument is passed as `index`.
    fn counts_in_index(&self, id: Id) -> bool {
        let only_index = !self.needs[id.0].whole && *self.function.ty(id) == Ty::Int(64);
        only_index || self.counts.counters.contains(&id)
    }

    /// The other forms of block arguments that are needed in both.
    fn block_start(&mut self, block: usize) {
        let function = self.function;
        for &id in &function.blocks[block].arguments {
            let made = self.made[id.0];
            if let (true, Some(whole), None) = (self.needs[id.0].address, made.whole, made.address) {
                self.made[id.0].address = Some(self.in_index(whole, true));
            }
            if let (true, None, Some(index)) = (self.needs[id.0].whole, made.whole, made.address) {
                self.made[id.0].whole = Some(self.scalar(OpKind::IndexCast, &[index], Type::Int(64)));
            }
        }
    }

    fn refuse_type(&mut self, ty: &Ty) {
        let message = format!("a value of type `{}`", ty.describe());
        let help = match ty {
            Ty::Int(_) => "use integers of at most 64 bits",
            Ty::Other(name) if name == "f80" => "use `double`",
            _ => "use integers, `float` and `double`",
        };
        self.refuse(codes::TYPE, message, help);
    }

    /// One operation at the end of the current block; its result.
    fn op(&mut self, kind: Kind, operands: &[ValueId], types: &[ValueType]) -> ValueId {
        let op = self.func.push_op(self.at, kind, operands, types);
        self.func.op_mut(op).span = self.places.span(self.place.as_ref());
        self.func.result(op, 0)
    }

    /// An operation without results.
    fn effect(&mut self, kind: Kind, operands: &[ValueId], successors: Vec<Successor>) {
        let op = self.func.push_op(self.at, kind, operands, &[]);
        self.func.op_mut(op).span = self.places.span(self.place.as_ref());
        let op = self.func.op_mut(op);
        op.successors = successors;
        if op.kind.is_terminator() {
            op.hints = std::mem::take(&mut self.hints);
        }
    }

    fn scalar(&mut self, kind: OpKind, operands: &[ValueId], ty: Type) -> ValueId {
        self.op(Kind::Scalar(Op::Plain(kind)), operands, &[ValueType::Scalar(ty)])
    }

    fn compare(&mut self, predicate: Predicate, a: ValueId, b: ValueId) -> ValueId {
        self.op(Kind::Scalar(Op::Cmpi(predicate)), &[a, b], &[ValueType::Scalar(Type::I1)])
    }

    /// A literal; each stands once, at the start of the function. Index is as wide as the fabric says, and addresses are counted
    /// modulo that: what may not fit is a cast, which leaves the high bits to it.
    fn constant(&mut self, ty: Type, bits: u64) -> ValueId {
        if ty == Type::Index && i32::try_from(bits as i64).is_err() {
            let wide = self.constant(Type::Int(64), bits);
            return self.in_index(wide, true);
        }
        let bits = if ty == Type::Index { bits } else { loom_base::truncate(bits, ty.width(64)) };
        if let Some(&value) = self.constants.get(&(ty, bits)) {
            return value;
        }
        let op = self.func.create_op(Kind::Constant(bits), &[], &[ValueType::Scalar(ty)]);
        self.first.push(op);
        let value = self.func.result(op, 0);
        self.constants.insert((ty, bits), value);
        value
    }

    /// An integer as index.
    fn in_index(&mut self, value: ValueId, signed: bool) -> ValueId {
        let kind = if signed { OpKind::IndexCast } else { OpKind::IndexCastui };
        self.scalar(kind, &[value], Type::Index)
    }

    /// The number that a value has become; something of its type after an error.
    fn whole(&mut self, id: Id) -> ValueId {
        if let Some(value) = self.made[id.0].whole {
            return value;
        }
        let ty = self.function.ty(id).scalar().unwrap_or(Type::I32);
        if self.errors.is_empty() {
            self.refuse_type(&self.function.ty(id).clone());
        }
        self.constant(ty, 0)
    }

    /// A value in index.
    fn address(&mut self, id: Id) -> ValueId {
        if let Some(value) = self.made[id.0].address {
            return value;
        }
        if let Some(constant) = self.function.constant(id) {
            return self.constant(Type::Index, constant as u64);
        }
        let whole = self.whole(id);
        self.in_index(whole, true)
    }

    /// The blocks that a jump leads to, with their arguments.
    fn successors(&mut self, inst: &Inst) -> Vec<Successor> {
        let function = self.function;
        let mut out = Vec::new();
        for (block, given) in &inst.successors {
            let mut arguments = Vec::new();
            for (&from, &to) in given.iter().zip(&function.blocks[*block].arguments) {
                if !self.needs[to.0].any() {
                    continue;
                }
                if *function.ty(to) == Ty::Ptr {
                    let several = self.pointers.sets[to.0].len() > 1;
                    let pointer = self.pointer(from);
                    if several {
                        arguments.push(self.which(from, pointer));
                    }
                    arguments.push(self.units(pointer, to));
                } else if self.counts_in_index(to) {
                    arguments.push(self.address(from));
                } else {
                    arguments.push(self.whole(from));
                }
            }
            out.push(Successor { block: self.blocks[*block].expect("it is reached"), arguments });
        }
        out
    }

    fn terminator(&mut self, inst: &Inst) {
        match inst.name() {
            "br" => {
                let to = self.successors(inst);
                self.effect(Kind::Br, &[], to);
            }
            "cond_br" => {
                let condition = self.whole(inst.operands[0]);
                let to = self.successors(inst);
                self.effect(Kind::CondBr, &[condition], to);
            }
            "switch" => {
                let flag = self.whole(inst.operands[0]);
                let to = self.successors(inst);
                let ty = self.function.ty(inst.operands[0]);
                let cases = case_values(inst, ty, to.len().saturating_sub(1)).unwrap_or_default();

                self.effect(Kind::Switch { cases }, &[flag], to);
            }
            "return" => {
                self.refuse_lost_hints();
                let values = self.returned(inst);
                self.effect(Kind::Return, &values, Vec::new());
            }
            // Nobody comes here.
            _ => {
                self.refuse_lost_hints();
                let types = self.func.result_types.clone();
                let zero = |c: &mut Self, t: &ValueType| c.constant(t.scalar().expect("only scalars"), 0);
                let values: Vec<ValueId> = types.iter().map(|t| zero(self, t)).collect();
                self.effect(Kind::Return, &values, Vec::new());
            }
        }
    }

    /// The numbers that a function returns.
    fn returned(&mut self, inst: &Inst) -> Vec<ValueId> {
        let Some(&returned) = inst.operands.first() else { return Vec::new() };
        let Some(parts) = results::parts(self.function, returned) else {
            let help = "return a struct whose numbers are put in where it is returned";
            self.refuse(codes::TYPE, "a struct that is passed around as a value", help);
            return Vec::new();
        };
        let value = |part| {
            let (value, own) = match part {
                Part::Value(id) => (self.whole(id), self.function.ty(id).scalar()),
                Part::Unset(ty) => (self.constant(ty, 0), Some(ty)),
            };
            match own.map(|ty| (ty, Ty::passed(ty))) {
                Some((own, wide)) if own != wide => self.scalar(OpKind::Extui, &[value], wide),
                _ => value,
            }
        };
        parts.into_iter().map(value).collect()
    }

    fn inst(&mut self, number: usize) {
        let function = self.function;
        let inst = &function.insts[number];
        let name = inst.name();
        if matches!(name, "br" | "cond_br" | "switch" | "return" | "unreachable") {
            return self.terminator(inst);
        }
        if inst.is_volatile() || inst.is_atomic() {
            let what = if inst.is_volatile() { "a volatile" } else { "an atomic" };
            let help = "a fabric orders its own accesses only: leave such accesses to the host";
            return self.refuse(codes::ACCESS, format!("{what} access"), help);
        }
        if inst.result.is_some_and(|r| !self.needs[r.0].any()) {
            return;
        }
        match name {
            "mlir.constant" | "mlir.zero" | "mlir.undef" | "mlir.poison" => self.literal(inst),
            "load" if inst.result.is_some_and(|r| self.is_pointer(r)) => {
                let root = roots::field(function, inst).expect("all others were refused");
                self.start(inst.result.expect("it gives a pointer"), &root);
            }
            "load" => self.load(number),
            "store" => self.store(number),
            "getelementptr" => self.step(number),
            "mlir.addressof" | "alloca" => {
                let result = inst.result.expect("it gives a pointer");
                self.made[result.0].pointer = Some(Pointer { which: None, base: None, constant: 0, unit: 1 });
            }
            "ptrtoint" => self.refuse(
                codes::POINTER,
                "a pointer that is used as a number",
                "subtract pointers into one array, or count with an index",
            ),
            "call" => self.call(inst),
            "inline_asm" => {
                let help = "write the operation in C";
                self.refuse(codes::OPERATION, "inline assembly", help);
            }
            _ if name.starts_with("intr.") => self.intrinsic(inst, &name["intr.".len()..]),
            _ => self.compute(inst),
        }
    }

    /// A pointer that comes from outside: to the start of an array, or so many words behind it.
    fn start(&mut self, id: Id, root: &Root) {
        let base = self.pointers.number(root).and_then(|number| self.ends.get(&number).copied());
        let unit = self.pointers.unit(id);
        self.made[id.0].pointer = Some(Pointer { which: None, base, constant: 0, unit });
    }

    /// The definition of a value, for questions about what it is.
    fn is_pointer(&self, id: Id) -> bool {
        *self.function.ty(id) == Ty::Ptr
    }
}
