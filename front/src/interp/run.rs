//! The engine: one operation at a time, with a stack of its own.

use super::view::{row_major, Refusal};
use super::{Argument, Fault, FaultKind, Machine, View, MAX_CALLS, MAX_WORDS};
use crate::ir::{
    BlockId, Func, IndexOrOperand, Kind, MemrefLayout, OpId, Operation, RegionId, Successor, ValueId,
    ValueType,
};
use loom_base::{sign_extend, truncate};
use loom_dfg::eval::{eval_arith, step_index};
use loom_dfg::Type;
use std::rc::Rc;

/// What a value holds.
#[derive(Clone, Debug)]
enum Slot {
    Unset,
    Number(u64),
    Memref(Rc<View>),
}

/// Why a block runs, which decides what its terminator does.
#[derive(Clone, Debug)]
enum Reason {
    /// A function's body.
    Body,
    /// A branch of `if` or `index_switch`.
    Branch(OpId),
    /// The body of a counting loop.
    Counting { op: OpId, index: u64, step: u64, upper: u64 },
    /// The before-region of a while.
    Before(OpId),
    /// The after-region of a while.
    After(OpId),
}

/// A block that runs.
#[derive(Clone, Debug)]
struct Level {
    block: BlockId,
    next: usize,
    reason: Reason,
}

/// A function that runs.
struct Activation {
    func: usize,
    values: Vec<Slot>,
    levels: Vec<Level>,
    /// Buffers on its stack, which die with it.
    stack: Vec<u32>,
}

type Step<T> = Result<T, Refusal>;

fn malformed(message: impl Into<String>) -> Refusal {
    (FaultKind::Malformed, message.into())
}

/// Runs a function whose arguments were checked.
pub(super) fn run(machine: &mut Machine, func: usize, arguments: &[Argument]) -> Result<Vec<u64>, Fault> {
    machine.steps = 0;
    let types = &machine.program.funcs[func].argument_types;
    let slots = arguments.iter().zip(types).map(|(a, ty)| match a {
        Argument::Scalar(bits) => Slot::Number(machine.fit(*bits, ty)),
        Argument::Memref(view) => Slot::Memref(Rc::new(view.clone())),
    });
    let slots: Vec<Slot> = slots.collect();
    let mut engine = Engine { machine, calls: Vec::new(), allocated: 0, finished: None };
    let mut at = None;
    let mut outcome = engine.enter(func, slots);
    while let (Ok(()), None) = (&outcome, &engine.finished) {
        (at, outcome) = engine.step();
    }
    match (outcome, engine.finished) {
        (Ok(()), Some(slots)) => {
            Ok(slots.iter().map(|s| if let Slot::Number(n) = s { *n } else { 0 }).collect())
        }
        (Ok(()), None) => Ok(Vec::new()),
        (Err((kind, message)), _) => {
            let func = &engine.machine.program.funcs[engine.calls.last().map_or(func, |a| a.func)];
            let op = at.filter(|op: &OpId| (op.0 as usize) < func.ops.len());
            let span = op.and_then(|op| func.op(op).span.clone()).or(func.span.clone());
            Err(Fault { kind, op, func: func.name.clone(), span, message })
        }
    }
}

struct Engine<'a, 'm> {
    machine: &'a mut Machine<'m>,
    calls: Vec<Activation>,
    allocated: i64,
    finished: Option<Vec<Slot>>,
}

impl<'m> Engine<'_, 'm> {
    fn func(&self) -> &'m Func {
        &self.machine.program.funcs[self.top().func]
    }

    fn top(&self) -> &Activation {
        self.calls.last().expect("a function runs")
    }

    fn top_mut(&mut self) -> &mut Activation {
        self.calls.last_mut().expect("a function runs")
    }

    fn enter(&mut self, func: usize, arguments: Vec<Slot>) -> Step<()> {
        if self.calls.len() >= MAX_CALLS {
            return Err((FaultKind::CallDepth, format!("more than {MAX_CALLS} calls are active")));
        }
        let record = &self.machine.program.funcs[func];
        let Some(entry) = record.body.and_then(|body| record.entry(body)) else {
            return Err((FaultKind::NoBody, format!("`{}` has no body", record.name)));
        };
        let values = vec![Slot::Unset; record.values.len()];
        self.calls.push(Activation { func, values, levels: Vec::new(), stack: Vec::new() });
        self.start(entry, arguments, Reason::Body)
    }

    /// Runs a block next.
    fn start(&mut self, block: BlockId, arguments: Vec<Slot>, reason: Reason) -> Step<()> {
        self.bind(&self.func().block(block).arguments, arguments)?;
        self.top_mut().levels.push(Level { block, next: 0, reason });
        Ok(())
    }

    fn bind(&mut self, values: &[ValueId], slots: Vec<Slot>) -> Step<()> {
        if values.len() != slots.len() {
            return Err(malformed(format!("{} values where {} are needed", slots.len(), values.len())));
        }
        for (&value, slot) in values.iter().zip(slots) {
            self.top_mut().values[value.0 as usize] = slot;
        }
        Ok(())
    }

    fn slot(&self, value: ValueId) -> Step<Slot> {
        match &self.top().values[value.0 as usize] {
            Slot::Unset => Err(malformed("a value is used before it is defined")),
            slot => Ok(slot.clone()),
        }
    }

    fn slots(&self, values: &[ValueId]) -> Step<Vec<Slot>> {
        values.iter().map(|&v| self.slot(v)).collect()
    }

    fn number(&self, value: ValueId) -> Step<u64> {
        match &self.top().values[value.0 as usize] {
            Slot::Number(n) => Ok(*n),
            _ => Err(malformed("a number is needed")),
        }
    }

    /// A number as signed.
    fn integer(&self, value: ValueId) -> Step<i64> {
        let width = self.machine.width_of(self.func().ty(value));
        Ok(sign_extend(self.number(value)?, width))
    }

    fn view(&self, op: &Operation, at: usize) -> Step<Rc<View>> {
        match self.slot(operand(op, at)?)? {
            Slot::Memref(view) => Ok(view),
            _ => Err(malformed("a memref is needed")),
        }
    }

    fn set(&mut self, op: &Operation, slot: Slot) -> Step<()> {
        self.bind(&op.results, vec![slot])
    }

    fn set_number(&mut self, op: &Operation, bits: u64) -> Step<()> {
        let result = *op.results.first().ok_or_else(|| malformed("a result is needed"))?;
        let bits = self.machine.fit(bits, self.func().ty(result));
        self.set(op, Slot::Number(bits))
    }

    /// Executes the next operation; also says which it was.
    fn step(&mut self) -> (Option<OpId>, Step<()>) {
        let func = self.func();
        let Some(level) = self.top_mut().levels.last_mut() else {
            return (None, Err(malformed("a terminator in a wrong place")));
        };
        let Some(&id) = func.block(level.block).ops.get(level.next) else {
            return (None, Err(malformed("a block without a terminator")));
        };
        level.next += 1;
        self.machine.steps += 1;
        if self.machine.steps > self.machine.options.max_steps {
            let message = format!("more than {} steps", self.machine.options.max_steps);
            return (Some(id), Err((FaultKind::StepLimit, message)));
        }
        (Some(id), self.execute(func, id))
    }

    fn execute(&mut self, func: &'m Func, id: OpId) -> Step<()> {
        let op = func.op(id);
        match &op.kind {
            Kind::Scalar(scalar) => {
                let mut types = [Type::None; 3];
                let mut bits = [0; 3];
                let n = op.operands.len().min(3);
                for (i, &v) in op.operands.iter().take(3).enumerate() {
                    types[i] = func.ty(v).scalar().unwrap_or(Type::None);
                    bits[i] = self.number(v)?;
                }
                let result = op.results.first().and_then(|&r| func.ty(r).scalar()).unwrap_or(Type::None);
                let width = self.machine.options.index_width;
                self.set_number(op, eval_arith(*scalar, &types[..n], result, width, &bits[..n]))
            }
            Kind::Constant(bits) => self.set_number(op, *bits),
            Kind::Poison => self.set_number(op, 0),
            Kind::If => {
                let taken = self.number(operand(op, 0)?)? & 1 == 1;
                self.branch(func, id, usize::from(!taken))
            }
            Kind::IndexSwitch { cases } => {
                let value = self.integer(operand(op, 0)?)?;
                let region = cases.iter().position(|&c| c == value).map_or(0, |at| at + 1);
                self.branch(func, id, region)
            }
            Kind::For { .. } => self.enter_for(func, id),
            Kind::While => {
                let inits = self.slots(&op.operands)?;
                self.start(entry(func, op, 0)?, inits, Reason::Before(id))
            }
            Kind::Yield => self.finish(func, op),
            Kind::Condition => self.condition(func, op),
            Kind::Load | Kind::Store => self.access(func, id),
            Kind::Alloc { .. } => self.allocate(op),
            Kind::Dealloc => {
                let view = self.view(op, 0)?;
                let buffer = &mut self.machine.buffers[view.buffer.0 as usize];
                if std::mem::replace(&mut buffer.freed, true) {
                    return Err((FaultKind::Freed, "memory is freed twice".into()));
                }
                buffer.words = Vec::new();
                Ok(())
            }
            Kind::Cast
            | Kind::Subview { .. }
            | Kind::ReinterpretCast { .. }
            | Kind::CollapseShape { .. }
            | Kind::ExpandShape { .. } => self.new_view(func, op),
            Kind::Dim => {
                let (view, d) = (self.view(op, 0)?, self.integer(operand(op, 1)?)?);
                match usize::try_from(d).ok().and_then(|d| view.sizes.get(d)) {
                    Some(&size) => self.set_number(op, size as u64),
                    None => {
                        let message = format!("dimension {d} of a memref of rank {}", view.sizes.len());
                        Err((FaultKind::OutOfBounds, message))
                    }
                }
            }
            Kind::GetGlobal(name) => match self.machine.globals.get(name.as_str()).cloned() {
                Some(view) => self.set(op, Slot::Memref(Rc::new(view))),
                None => Err(malformed(format!("no global `{name}` of fixed size"))),
            },
            Kind::Call(name) => {
                let Some(callee) = self.machine.program.funcs.iter().position(|f| f.name == *name) else {
                    return Err((FaultKind::NoBody, format!("no function `{name}`")));
                };
                let arguments = self.slots(&op.operands)?;
                self.enter(callee, arguments)
            }
            Kind::Return => self.leave(op),
            Kind::Br => self.jump(op, 0),
            Kind::CondBr => {
                let taken = self.number(operand(op, 0)?)? & 1 == 1;
                self.jump(op, usize::from(!taken))
            }
            Kind::Switch { cases } => {
                let flag = operand(op, 0)?;
                let width = self.machine.width_of(func.ty(flag));
                let value = self.number(flag)?;
                let at = cases.iter().position(|&c| truncate(c as u64, width) == value);
                self.jump(op, at.map_or(0, |at| at + 1))
            }
            Kind::Assert(message) => match self.number(operand(op, 0)?)? & 1 {
                1 => Ok(()),
                _ => Err((FaultKind::Assertion, format!("assertion failed: {message}"))),
            },
            Kind::Fence => Ok(()),
        }
    }

    fn branch(&mut self, func: &Func, id: OpId, region: usize) -> Step<()> {
        let op = func.op(id);
        match op.regions.get(region).and_then(|&r: &RegionId| func.entry(r)) {
            Some(block) => self.start(block, Vec::new(), Reason::Branch(id)),
            None if op.results.is_empty() => Ok(()),
            None => Err(malformed("a branch without a block must not have results")),
        }
    }

    fn enter_for(&mut self, func: &Func, id: OpId) -> Step<()> {
        let op = func.op(id);
        let numbers = [operand(op, 0)?, operand(op, 1)?, operand(op, 2)?];
        let [index, upper, step] =
            [self.number(numbers[0])?, self.number(numbers[1])?, self.number(numbers[2])?];
        let [lower, bound, amount] =
            [self.integer(numbers[0])?, self.integer(numbers[1])?, self.integer(numbers[2])?];
        if step == 0 {
            let message = "the step of the loop is zero (RT_DATAFLOW_STREAM_ZERO_STEP)".to_string();
            return Err((FaultKind::ZeroStep, message));
        }
        // Only text counts by `+=` and `<` with a step that is not constant: raised loops have proved theirs.
        if op.kind == Kind::COUNT_UP && amount < 0 && lower < bound {
            return Err((FaultKind::NegativeStep, format!("the step of the loop is {amount}")));
        }
        let carried = self.slots(&op.operands[3..])?;
        self.iterate(func, id, Update { index, step, upper, last: false }, carried)
    }

    /// Compares, and either runs the body of a counting loop or ends it.
    fn iterate(&mut self, func: &Func, id: OpId, update: Update, mut carried: Vec<Slot>) -> Step<()> {
        let op = func.op(id);
        let Kind::For { counter, cond } = op.kind else { return Err(malformed("a loop is needed")) };
        let Update { index, step, upper, last } = update;
        let width = self.machine.width_of(func.ty(op.operands[0]));
        if last || !counter.goes_on(cond, width, index, upper) {
            return self.bind(&op.results, carried);
        }
        carried.insert(0, Slot::Number(index));
        self.start(entry(func, op, 0)?, carried, Reason::Counting { op: id, index, step, upper })
    }

    /// `scf.yield`.
    fn finish(&mut self, func: &Func, op: &Operation) -> Step<()> {
        let values = self.slots(&op.operands)?;
        let Some(level) = self.top_mut().levels.pop() else {
            return Err(malformed("a yield in a wrong place"));
        };
        match level.reason {
            Reason::Branch(id) => self.bind(&func.op(id).results, values),
            Reason::Counting { op: id, index, step, upper } => {
                let Kind::For { counter, .. } = func.op(id).kind else {
                    return Err(malformed("a loop is needed"));
                };
                let width = self.machine.width_of(func.ty(func.op(id).operands[0]));
                let (index, last) = step_index(counter, width, index, step);
                self.iterate(func, id, Update { index, step, upper, last }, values)
            }
            Reason::After(id) => self.start(entry(func, func.op(id), 0)?, values, Reason::Before(id)),
            Reason::Body | Reason::Before(_) => Err(malformed("a yield in a wrong place")),
        }
    }

    /// `scf.condition`.
    fn condition(&mut self, func: &Func, op: &Operation) -> Step<()> {
        let goes_on = self.number(operand(op, 0)?)? & 1 == 1;
        let values = self.slots(&op.operands[1..])?;
        match self.top_mut().levels.pop().map(|l| l.reason) {
            Some(Reason::Before(id)) if goes_on => {
                self.start(entry(func, func.op(id), 1)?, values, Reason::After(id))
            }
            Some(Reason::Before(id)) => self.bind(&func.op(id).results, values),
            _ => Err(malformed("a condition in a wrong place")),
        }
    }

    fn jump(&mut self, op: &Operation, successor: usize) -> Step<()> {
        let Some(Successor { block, arguments }) = op.successors.get(successor) else {
            return Err(malformed("a jump without a target"));
        };
        let values = self.slots(arguments)?;
        self.bind(&self.func().block(*block).arguments, values)?;
        if let Some(level) = self.top_mut().levels.last_mut() {
            (level.block, level.next) = (*block, 0);
        }
        Ok(())
    }

    /// `func.return`.
    fn leave(&mut self, op: &Operation) -> Step<()> {
        let values = self.slots(&op.operands)?;
        if self.top().levels.len() != 1 {
            return Err(malformed("a return inside of another operation"));
        }
        let ended = self.calls.pop().expect("a function runs");
        for id in ended.stack {
            let buffer = &mut self.machine.buffers[id as usize];
            (buffer.freed, buffer.words) = (true, Vec::new());
        }
        if self.calls.is_empty() {
            self.finished = Some(values);
            return Ok(());
        }
        let caller = self.func();
        let level = self.top().levels.last().expect("the call is in a block");
        let call = caller.op(caller.block(level.block).ops[level.next - 1]);
        self.bind(&call.results, values)
    }

    fn access(&mut self, func: &Func, id: OpId) -> Step<()> {
        let op = func.op(id);
        let at = usize::from(op.kind == Kind::Store);
        let view = self.view(op, at)?;
        let subscripts: Vec<i64> =
            op.operands[at + 1..].iter().map(|&v| self.integer(v)).collect::<Step<_>>()?;
        if subscripts.len() != view.sizes.len() {
            return Err(malformed(format!("{} subscripts for rank {}", subscripts.len(), view.sizes.len())));
        }
        let word = view.word(&subscripts)?;
        let value = if at == 1 { Some(self.number(op.operands[0])?) } else { None };
        let name = self.top().func;
        *self.machine.accesses.entry((name, id)).or_default() += 1;
        let buffer = &mut self.machine.buffers[view.buffer.0 as usize];
        if buffer.freed {
            return Err((FaultKind::Freed, "the memory was freed".into()));
        }
        let length = buffer.words.len();
        let Some(place) = usize::try_from(word).ok().and_then(|w| buffer.words.get_mut(w)) else {
            return Err((FaultKind::OutOfBounds, format!("word {word} of a buffer of {length} words")));
        };
        match (value, *place) {
            (Some(_), _) if buffer.constant => {
                Err((FaultKind::ConstantStore, "the global is constant".into()))
            }
            (Some(value), _) => {
                *place = Some(value);
                Ok(())
            }
            (None, Some(bits)) => self.set_number(op, bits),
            (None, None) => Err((FaultKind::UnknownWord, format!("word {word} was never written"))),
        }
    }

    fn allocate(&mut self, op: &Operation) -> Step<()> {
        let func = self.func();
        let result = *op.results.first().ok_or_else(|| malformed("a result is needed"))?;
        let ValueType::Memref(ty) = func.ty(result) else { return Err(malformed("a memref is needed")) };
        let mut open = op.operands.iter();
        let mut sizes = Vec::new();
        for d in &ty.shape {
            let size = match d {
                Some(n) => *n,
                None => self.integer(*open.next().ok_or_else(|| malformed("an extent is missing"))?)?,
            };
            if size < 0 {
                return Err((FaultKind::BadView, format!("an allocation with the extent {size}")));
            }
            sizes.push(size);
        }
        let limit = || (FaultKind::MemoryLimit, format!("more than {MAX_WORDS} words are allocated"));
        let (offset, strides) = match &ty.layout {
            MemrefLayout::Identity => (0, row_major(&sizes).ok_or_else(limit)?),
            MemrefLayout::Strided { strides, offset } => {
                let strides: Option<Vec<i64>> = strides.iter().copied().collect();
                match (offset, strides) {
                    (Some(offset), Some(strides)) => (*offset, strides),
                    _ => return Err((FaultKind::BadView, "an allocation with open strides".into())),
                }
            }
        };
        let buffer = super::BufferId(self.machine.buffers.len() as u32);
        let view = View { buffer, base: 0, offset, sizes, strides };
        let words = view.span().map_or(0, |(_, high)| high.saturating_add(1));
        self.allocated = self.allocated.saturating_add(words.max(1));
        if self.allocated > MAX_WORDS {
            return Err(limit());
        }
        self.machine.push_buffer(vec![None; words.max(0) as usize], false);
        if op.kind == (Kind::Alloc { on_stack: true }) {
            self.top_mut().stack.push(buffer.0);
        }
        view.fits(words).then_some(()).ok_or((FaultKind::BadView, "an allocation below word 0".into()))?;
        self.set(op, Slot::Memref(Rc::new(view)))
    }

    fn new_view(&mut self, func: &Func, op: &Operation) -> Step<()> {
        let source = self.view(op, 0)?;
        let result = *op.results.first().ok_or_else(|| malformed("a result is needed"))?;
        let ValueType::Memref(ty) = func.ty(result) else { return Err(malformed("a memref is needed")) };
        let mut open = op.operands[1..].iter();
        let mut all = |list: &[IndexOrOperand]| -> Step<Vec<i64>> {
            let one = |n: &IndexOrOperand| match n {
                IndexOrOperand::Fixed(n) => Ok(*n),
                IndexOrOperand::Operand => {
                    self.integer(*open.next().ok_or_else(|| malformed("an operand is missing"))?)
                }
            };
            list.iter().map(one).collect()
        };
        let ranks = |list: &[&Vec<IndexOrOperand>], rank: usize| match list.iter().all(|l| l.len() == rank) {
            true => Ok(()),
            false => Err(malformed("a view with numbers for another rank")),
        };
        let grouped = |groups: &[Vec<usize>], outer: usize, inner: usize| match groups.len() == outer
            && groups.iter().flatten().all(|&d| d < inner)
        {
            true => Ok(()),
            false => Err(malformed("a reassociation for another rank")),
        };
        let view = match &op.kind {
            Kind::Subview { offsets, sizes, strides } => {
                ranks(&[offsets, sizes, strides], source.sizes.len())?;
                let (offsets, sizes, strides) = (all(offsets)?, all(sizes)?, all(strides)?);
                source.subview(&offsets, &sizes, &strides)?.drop_units(ty)
            }
            Kind::ReinterpretCast { offset, sizes, strides } => {
                let offset = all(std::slice::from_ref(offset))?[0];
                View { offset, sizes: all(sizes)?, strides: all(strides)?, ..(*source).clone() }
            }
            Kind::CollapseShape { groups } => {
                grouped(groups, ty.shape.len(), source.sizes.len())?;
                source.collapse(groups)?
            }
            Kind::ExpandShape { groups, sizes } => {
                grouped(groups, source.sizes.len(), sizes.len())?;
                source.expand(groups, &all(sizes)?)?
            }
            _ => (*source).clone(),
        };
        view.check_type(ty)?;
        let buffer = &self.machine.buffers[view.buffer.0 as usize];
        if !buffer.freed && !view.fits(buffer.words.len() as i64) {
            let message = format!("the view leaves the {} words of its buffer", buffer.words.len());
            return Err((FaultKind::BadView, message));
        }
        self.set(op, Slot::Memref(Rc::new(view)))
    }
}

/// Where a counting loop stands.
struct Update {
    index: u64,
    step: u64,
    upper: u64,
    /// The last update left the signed range.
    last: bool,
}

fn operand(op: &Operation, at: usize) -> Step<ValueId> {
    op.operands.get(at).copied().ok_or_else(|| malformed("an operand is missing"))
}

fn entry(func: &Func, op: &Operation, region: usize) -> Step<BlockId> {
    let block = op.regions.get(region).and_then(|&r| func.entry(r));
    block.ok_or_else(|| malformed("a region without a block"))
}
