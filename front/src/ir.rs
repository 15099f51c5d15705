//! Structured programs: an arena of operations with regions and blocks, as MLIR has them.
//!
//! A [`Program`] holds globals and functions; each [`Func`] owns its values, operations, blocks and regions, and
//! ids index them. Scalar arithmetic is the op table of `loom-dfg` ([`Kind::Scalar`]): one list of ops, one
//! meaning, from source to graph. Nothing here is checked: [`crate::verify`] says what a good function is, and the
//! parser returns verified modules only.

use crate::hints::Hints;
use loom_dfg::{ContCond, Counter, Op, StepOp, Type};
use std::ops::Range;

/// Index of a value in [`Func::values`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ValueId(pub u32);

/// Index of an operation in [`Func::ops`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OpId(pub u32);

/// Index of a block in [`Func::blocks`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BlockId(pub u32);

/// Index of a region in [`Func::regions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RegionId(pub u32);

/// A number that text may leave open: `None` is MLIR's `?`.
pub type Dim = Option<i64>;

/// How the subscripts of a memref become a word of its buffer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum MemrefLayout {
    /// Row-major without gaps from offset 0.
    Identity,
    /// `strided<[s0, s1], offset: o>`, in words.
    Strided {
        /// One for each dimension.
        strides: Vec<Dim>,
        /// Word of subscripts all zero.
        offset: Dim,
    },
}

/// A memref type. Memory spaces are dropped.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MemrefType {
    /// Extent of each dimension; none for a memref of one word.
    pub shape: Vec<Dim>,
    /// Type of a word; never `none`.
    pub element: Type,
    /// Layout.
    pub layout: MemrefLayout,
}

impl MemrefType {
    /// Words of a memref whose extents are all known.
    pub fn words(&self) -> Option<i64> {
        self.shape.iter().try_fold(1i64, |n, d| n.checked_mul((*d)?))
    }

    /// Strides without gaps of a memref of this shape; `None` beyond 64 bits.
    pub fn row_major(&self) -> Option<Vec<Dim>> {
        let mut out = vec![Some(1i64); self.shape.len()];
        for i in (1..self.shape.len()).rev() {
            out[i - 1] = match (out[i], self.shape[i]) {
                (Some(s), Some(d)) => Some(s.checked_mul(d)?),
                _ => None,
            };
        }
        Some(out)
    }

    /// Strides and offset; `None` beyond 64 bits.
    pub fn strided(&self) -> Option<(Vec<Dim>, Dim)> {
        match &self.layout {
            MemrefLayout::Identity => Some((self.row_major()?, Some(0))),
            MemrefLayout::Strided { strides, offset } => Some((strides.clone(), *offset)),
        }
    }
}

/// The type of a value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ValueType {
    /// A number. `Type::None` never occurs.
    Scalar(Type),
    /// A memref.
    Memref(MemrefType),
}

impl From<Type> for ValueType {
    fn from(ty: Type) -> ValueType {
        ValueType::Scalar(ty)
    }
}

impl ValueType {
    /// The scalar type, if it is one.
    pub fn scalar(&self) -> Option<Type> {
        match self {
            ValueType::Scalar(t) => Some(*t),
            ValueType::Memref(_) => None,
        }
    }

    /// The memref type, if it is one.
    pub fn memref(&self) -> Option<&MemrefType> {
        match self {
            ValueType::Memref(m) => Some(m),
            ValueType::Scalar(_) => None,
        }
    }
}

/// Where a value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ValueDef {
    /// Argument of a block; arguments of the entry block of a function's body are the function's arguments.
    Argument {
        /// The block.
        block: BlockId,
        /// Which of its arguments.
        index: usize,
    },
    /// Result of an operation.
    Result {
        /// The operation.
        op: OpId,
        /// Which of its results.
        index: usize,
    },
}

/// One SSA value.
#[derive(Clone, Debug)]
pub struct Value {
    /// Name without `%`; empty when the printer may choose. Two values may have one name: the printer numbers them.
    pub name: String,
    /// Its type.
    pub ty: ValueType,
    /// Its producer.
    pub def: ValueDef,
}

/// A straight line of operations that ends in a terminator.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// Block arguments.
    pub arguments: Vec<ValueId>,
    /// Operations, the terminator last.
    pub ops: Vec<OpId>,
}

/// A list of blocks; the first is the entry.
#[derive(Clone, Debug, Default)]
pub struct Region {
    /// Structured regions have one block, function bodies may have several (cf).
    pub blocks: Vec<BlockId>,
}

/// A number of an operation that is either fixed or an operand. Dynamic ones take the operation's operands in
/// order: offsets, then sizes, then strides, after the source memref.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IndexOrOperand {
    /// Written in the text.
    Fixed(i64),
    /// The next dynamic operand.
    Operand,
}

/// What an operation does. Operand order is MLIR's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An op of the table of `loom-dfg` with class `Arith`.
    Scalar(Op),
    /// `arith.constant`, `index.constant`, `index.bool.constant`: the bits, low bits first. Index literals are 64
    /// bits here.
    Constant(u64),
    /// `ub.poison`: any value; here always 0.
    Poison,

    /// `scf.if`: (condition); then-region, else-region (which may have no blocks when there are no results).
    If,
    /// `scf.for`: (lower, upper, step, init...); the body takes (induction value, iteration arguments...). Text has
    /// `+=` and `<` only; other loops are raised from `scf.while` and print as one.
    For {
        /// How the induction value moves, and through which numbers.
        counter: Counter,
        /// When it goes on.
        cond: ContCond,
    },
    /// `scf.while`: (init...); before-region ends in `scf.condition`, after-region in `scf.yield`.
    While,
    /// `scf.index_switch`: (index); the default region first, then one for each case value.
    IndexSwitch {
        /// Case values.
        cases: Vec<i64>,
    },
    /// `scf.yield`: values of the region.
    Yield,
    /// `scf.condition`: (condition, values...).
    Condition,

    /// `memref.load`: (memref, subscripts...)
    Load,
    /// `memref.store`: (value, memref, subscripts...)
    Store,
    /// `memref.alloc` and `memref.alloca`: (dynamic extents...)
    Alloc {
        /// `alloca`.
        on_stack: bool,
    },
    /// `memref.dealloc`: (memref)
    Dealloc,
    /// `memref.cast`: (memref)
    Cast,
    /// `memref.subview`: (memref, dynamic offsets, sizes, strides...). The result type's shape may drop extents of 1.
    Subview {
        /// One for each dimension of the source.
        offsets: Vec<IndexOrOperand>,
        /// Extents.
        sizes: Vec<IndexOrOperand>,
        /// In steps of the source's own strides.
        strides: Vec<IndexOrOperand>,
    },
    /// `memref.reinterpret_cast`: (memref, dynamic offset, sizes, strides...), all counted in words of the buffer.
    ReinterpretCast {
        /// First word.
        offset: IndexOrOperand,
        /// Extents of the result.
        sizes: Vec<IndexOrOperand>,
        /// Strides of the result.
        strides: Vec<IndexOrOperand>,
    },
    /// `memref.collapse_shape`: (memref); `groups` lists the source dimensions of each result dimension.
    CollapseShape {
        /// Reassociation.
        groups: Vec<Vec<usize>>,
    },
    /// `memref.expand_shape`: (memref, dynamic output extents...); `groups` lists the result dimensions of each
    /// source dimension.
    ExpandShape {
        /// Reassociation.
        groups: Vec<Vec<usize>>,
        /// `output_shape`.
        sizes: Vec<IndexOrOperand>,
    },
    /// `memref.dim`: (memref, dimension)
    Dim,
    /// `memref.get_global` of the named global.
    GetGlobal(String),

    /// `func.call` of the named function: (arguments...)
    Call(String),
    /// `func.return`: (values...)
    Return,
    /// `cf.br`; one successor
    Br,
    /// `cf.cond_br`: (condition); true and false successor
    CondBr,
    /// `cf.switch`: (flag); default successor, then one for each case value
    Switch {
        /// Case values.
        cases: Vec<i64>,
    },
    /// `cf.assert`: (condition); what it says when it fails
    Assert(String),
    /// `loom.fence` (generic form, no operands): all accesses before it, of all domains, complete before any after
    /// it begins.
    Fence,
}

impl Kind {
    /// The `scf.for` of text.
    pub const COUNT_UP: Kind = Kind::For { counter: Counter::signed(StepOp::Add), cond: ContCond::Lt };

    /// Whether a block may end with it.
    pub fn is_terminator(&self) -> bool {
        matches!(
            self,
            Kind::Yield | Kind::Condition | Kind::Return | Kind::Br | Kind::CondBr | Kind::Switch { .. }
        )
    }

    /// Whether it repeats what is in its regions.
    pub fn is_loop(&self) -> bool {
        matches!(self, Kind::For { .. } | Kind::While)
    }

    /// Whether it only computes, and may run more or less often than it says.
    pub fn is_free(&self) -> bool {
        match self {
            Kind::Scalar(scalar) => scalar.kind().is_speculatable(),
            kind => matches!(kind, Kind::Constant(_) | Kind::Poison),
        }
    }

    /// Whether it gives another view of the memref that is its first operand.
    pub fn is_view(&self) -> bool {
        matches!(
            self,
            Kind::Cast
                | Kind::Subview { .. }
                | Kind::ReinterpretCast { .. }
                | Kind::CollapseShape { .. }
                | Kind::ExpandShape { .. }
        )
    }
}

/// A jump.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Successor {
    /// Where to.
    pub block: BlockId,
    /// Values for the block's arguments.
    pub arguments: Vec<ValueId>,
}

/// One operation.
#[derive(Clone, Debug)]
pub struct Operation {
    /// What it does.
    pub kind: Kind,
    /// Values it reads.
    pub operands: Vec<ValueId>,
    /// Values it gives.
    pub results: Vec<ValueId>,
    /// Nested regions.
    pub regions: Vec<RegionId>,
    /// Jumps of terminators of `cf`.
    pub successors: Vec<Successor>,
    /// `overflow<nsw>`: signed overflow does not happen.
    pub nsw: bool,
    /// What is said about the loop that it is, or about the innermost loop around the jump that it is.
    pub hints: Hints,
    /// Which copies it stands in of the bodies of loops that were unrolled, innermost first.
    pub copies: Vec<Copied>,
    /// Where it stands in the source, if it was read from text.
    pub span: Option<Range<usize>>,
}

impl Operation {
    /// Memref and subscripts of a load or a store; of anything else nothing.
    pub fn address(&self) -> &[ValueId] {
        match self.kind {
            Kind::Load => &self.operands,
            Kind::Store => self.operands.get(1..).unwrap_or_default(),
            _ => &[],
        }
    }
}

/// A copy of the body of a loop: two operations in different copies of one loop are in different iterations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Copied {
    /// The loop that was unrolled.
    pub of: OpId,
    /// Which copy.
    pub number: u32,
    /// Whether that loop's iterations are promised to be independent.
    pub independent: bool,
}

/// An argument's promises.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ArgumentAttributes {
    /// `llvm.noalias`: no other argument or global overlaps this memref.
    pub noalias: bool,
    /// `loom.alias_set`: no byte that is written is accessed through arguments of two sets. 0 where nothing is said.
    pub alias_set: u32,
    /// `loom.view`: arguments with the same number are views of one array, as words of one width each. No byte is accessed through
    /// two of them.
    pub view: Option<u32>,
    /// `loom.local`: an array of the function's own that lives in the caller's memory. A promise that iterations are independent
    /// says nothing of it: what is another array in each iteration to the programmer may be one here.
    pub local: bool,
    /// `loom.least` and `loom.most`: no call gives a number below or above them.
    pub range: Option<(i64, i64)>,
}

impl ArgumentAttributes {
    /// Whether an argument with these promises may be the same words as one with those.
    pub fn may_overlap(&self, other: &ArgumentAttributes) -> bool {
        !self.noalias && !other.noalias && self.alias_set == other.alias_set
    }
}

/// A function.
#[derive(Clone, Debug)]
pub struct Func {
    /// Symbol name without `@`.
    pub name: String,
    /// `private`.
    pub private: bool,
    /// Types of the arguments; the values are the arguments of the body's entry block.
    pub argument_types: Vec<ValueType>,
    /// One for each argument.
    pub argument_attributes: Vec<ArgumentAttributes>,
    /// Result types.
    pub result_types: Vec<ValueType>,
    /// The body; `None` for a declaration.
    pub body: Option<RegionId>,
    /// Values.
    pub values: Vec<Value>,
    /// Operations. Those that no block lists are dead.
    pub ops: Vec<Operation>,
    /// Blocks.
    pub blocks: Vec<Block>,
    /// Regions.
    pub regions: Vec<Region>,
    /// Where its name stands.
    pub span: Option<Range<usize>>,
}

/// `memref.global`.
#[derive(Clone, Debug)]
pub struct Global {
    /// Symbol name without `@`.
    pub name: String,
    /// Static shape, identity layout.
    pub ty: MemrefType,
    /// `constant`.
    pub constant: bool,
    /// Row-major bits of all words; `None` for `uninitialized` or an external one.
    pub init: Option<Vec<u64>>,
    /// Where its name stands.
    pub span: Option<Range<usize>>,
}

/// A file.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// Globals, in order.
    pub globals: Vec<Global>,
    /// Functions, in order.
    pub funcs: Vec<Func>,
}

impl Program {
    /// The global of that name.
    pub fn global(&self, name: &str) -> Option<&Global> {
        self.globals.iter().find(|g| g.name == name)
    }

    /// The function of that name.
    pub fn func(&self, name: &str) -> Option<&Func> {
        self.funcs.iter().find(|f| f.name == name)
    }
}

impl Func {
    /// A function with a body: one empty block that has the arguments. Names may be empty.
    pub fn new(name: impl Into<String>, arguments: &[(&str, ValueType)], result_types: &[ValueType]) -> Func {
        let mut func = Func {
            name: name.into(),
            private: false,
            argument_types: arguments.iter().map(|a| a.1.clone()).collect(),
            argument_attributes: vec![ArgumentAttributes::default(); arguments.len()],
            result_types: result_types.to_vec(),
            body: None,
            values: Vec::new(),
            ops: Vec::new(),
            blocks: Vec::new(),
            regions: Vec::new(),
            span: None,
        };
        let region = func.add_region();
        let block = func.add_block(region);
        for (name, ty) in arguments {
            func.add_argument(block, *name, ty.clone());
        }
        func.body = Some(region);
        func
    }

    /// An empty region.
    pub fn add_region(&mut self) -> RegionId {
        self.regions.push(Region::default());
        RegionId(self.regions.len() as u32 - 1)
    }

    /// An empty block at the end of a region.
    pub fn add_block(&mut self, region: RegionId) -> BlockId {
        let block = BlockId(self.blocks.len() as u32);
        self.blocks.push(Block::default());
        self.regions[region.0 as usize].blocks.push(block);
        block
    }

    /// A new last argument of a block.
    pub fn add_argument(&mut self, block: BlockId, name: impl Into<String>, ty: ValueType) -> ValueId {
        let index = self.block(block).arguments.len();
        let value = self.add_value(name.into(), ty, ValueDef::Argument { block, index });
        self.blocks[block.0 as usize].arguments.push(value);
        value
    }

    /// An operation that no block lists yet; its results are unnamed.
    pub fn create_op(&mut self, kind: Kind, operands: &[ValueId], result_types: &[ValueType]) -> OpId {
        let op = OpId(self.ops.len() as u32);
        let results = (result_types.iter().enumerate())
            .map(|(index, ty)| self.add_value(String::new(), ty.clone(), ValueDef::Result { op, index }))
            .collect();
        self.ops.push(Operation {
            kind,
            operands: operands.to_vec(),
            results,
            regions: Vec::new(),
            successors: Vec::new(),
            nsw: false,
            hints: Hints::default(),
            copies: Vec::new(),
            span: None,
        });
        op
    }

    /// One result more of an operation.
    pub fn add_result(&mut self, op: OpId, ty: ValueType) -> ValueId {
        let index = self.op(op).results.len();
        let value = self.add_value(String::new(), ty, ValueDef::Result { op, index });
        self.op_mut(op).results.push(value);
        value
    }

    /// An operation at the end of a block.
    pub fn push_op(&mut self, block: BlockId, kind: Kind, operands: &[ValueId], types: &[ValueType]) -> OpId {
        let op = self.create_op(kind, operands, types);
        self.blocks[block.0 as usize].ops.push(op);
        op
    }

    /// The operation's record.
    pub fn op(&self, id: OpId) -> &Operation {
        &self.ops[id.0 as usize]
    }

    /// The operation's record, to change it.
    pub fn op_mut(&mut self, id: OpId) -> &mut Operation {
        &mut self.ops[id.0 as usize]
    }

    /// The value's record.
    pub fn value(&self, id: ValueId) -> &Value {
        &self.values[id.0 as usize]
    }

    /// The value's type.
    pub fn ty(&self, id: ValueId) -> &ValueType {
        &self.value(id).ty
    }

    /// The block's record.
    pub fn block(&self, id: BlockId) -> &Block {
        &self.blocks[id.0 as usize]
    }

    /// The region's record.
    pub fn region(&self, id: RegionId) -> &Region {
        &self.regions[id.0 as usize]
    }

    /// Result `index` of an operation.
    pub fn result(&self, op: OpId, index: usize) -> ValueId {
        self.op(op).results[index]
    }

    /// The first block of a region, if it has one.
    pub fn entry(&self, region: RegionId) -> Option<BlockId> {
        self.region(region).blocks.first().copied()
    }

    /// The arguments of the function.
    pub fn arguments(&self) -> &[ValueId] {
        match self.body.and_then(|body| self.entry(body)) {
            Some(block) => &self.block(block).arguments,
            None => &[],
        }
    }

    /// The last operation of a block.
    pub fn terminator(&self, block: BlockId) -> Option<OpId> {
        self.block(block).ops.last().copied()
    }

    fn add_value(&mut self, name: String, ty: ValueType, def: ValueDef) -> ValueId {
        self.values.push(Value { name, ty, def });
        ValueId(self.values.len() as u32 - 1)
    }
}
