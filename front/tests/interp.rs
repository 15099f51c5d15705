//! What structured programs mean, case by case, and what stops them.

use loom_dfg::{ContCond, Counter, Op, OpKind, Predicate, StepOp, Type};
use loom_front::interp::{Argument, BufferId, Fault, FaultKind, Machine, MachineOptions, View};
use loom_front::ir::*;

const INDEX: ValueType = ValueType::Scalar(Type::Index);
const I1: ValueType = ValueType::Scalar(Type::I1);
const I8: ValueType = ValueType::Scalar(Type::Int(8));
const LOOP: Kind = Kind::COUNT_UP;

/// A function under construction; operations go to `at`.
struct Builder {
    func: Func,
    at: BlockId,
}

impl Builder {
    fn new(arguments: &[ValueType], results: &[ValueType]) -> Builder {
        let named: Vec<_> = arguments.iter().map(|t| ("", t.clone())).collect();
        let func = Func::new("f", &named, results);
        let at = func.entry(func.body.unwrap()).unwrap();
        Builder { func, at }
    }

    fn many(&mut self, kind: Kind, operands: &[ValueId], types: &[ValueType]) -> Vec<ValueId> {
        let op = self.func.push_op(self.at, kind, operands, types);
        self.func.op(op).results.clone()
    }

    fn one(&mut self, kind: Kind, operands: &[ValueId], ty: ValueType) -> ValueId {
        self.many(kind, operands, &[ty])[0]
    }

    fn arith(&mut self, op: OpKind, a: ValueId, b: ValueId) -> ValueId {
        let ty = self.func.ty(a).clone();
        self.one(Kind::Scalar(Op::Plain(op)), &[a, b], ty)
    }

    fn number(&mut self, n: i64) -> ValueId {
        self.one(Kind::Constant(n as u64), &[], INDEX)
    }

    fn argument(&self, i: usize) -> ValueId {
        self.func.arguments()[i]
    }

    /// Regions filled by `fill` in turn, each given its block's arguments.
    fn nest(
        &mut self,
        kind: Kind,
        operands: &[ValueId],
        types: &[ValueType],
        regions: &[&[ValueType]],
        mut fill: impl FnMut(&mut Builder, usize, &[ValueId]),
    ) -> Vec<ValueId> {
        let op = self.func.push_op(self.at, kind, operands, types);
        let outer = self.at;
        for (r, arguments) in regions.iter().enumerate() {
            let region = self.func.add_region();
            self.func.op_mut(op).regions.push(region);
            self.at = self.func.add_block(region);
            for ty in *arguments {
                self.func.add_argument(self.at, "", ty.clone());
            }
            let values = self.func.block(self.at).arguments.clone();
            fill(self, r, &values);
        }
        self.at = outer;
        self.func.op(op).results.clone()
    }

    fn done(mut self, results: &[ValueId]) -> Program {
        self.many(Kind::Return, results, &[]);
        Program { globals: vec![], funcs: vec![self.func] }
    }
}

fn run(program: &Program, numbers: &[i64]) -> Result<Vec<u64>, Fault> {
    let arguments: Vec<Argument> = numbers.iter().map(|&n| Argument::Scalar(n as u64)).collect();
    Machine::new(program, MachineOptions { index_width: 32, max_steps: 10_000 }).call("f", &arguments)
}

fn kind<T: std::fmt::Debug>(result: Result<T, Fault>) -> FaultKind {
    result.unwrap_err().kind
}

fn memref(shape: &[i64]) -> ValueType {
    let shape = shape.iter().map(|&n| (n >= 0).then_some(n)).collect();
    ValueType::Memref(MemrefType { shape, element: Type::Int(8), layout: MemrefLayout::Identity })
}

fn whole(ty: &ValueType, buffer: BufferId, words: usize) -> Argument {
    Argument::Memref(View::whole(ty.memref().unwrap(), buffer, words).unwrap())
}

/// Counts the iterations of a loop over its three arguments.
fn trips(step_op: StepOp, cond: ContCond, ty: ValueType) -> Program {
    let mut b = Builder::new(&[ty.clone(), ty.clone(), ty.clone()], &[INDEX]);
    let zero = b.number(0);
    let operands = [b.argument(0), b.argument(1), b.argument(2), zero];
    let out = b.nest(
        Kind::For { counter: Counter::signed(step_op), cond },
        &operands,
        &[INDEX],
        &[&[ty, INDEX]],
        |b, _, v| {
            let one = b.number(1);
            let next = b.arith(OpKind::Addi, v[1], one);
            b.many(Kind::Yield, &[next], &[]);
        },
    );
    b.done(&out)
}

#[test]
fn counting_loops_move_as_streams_do() {
    let count = |op, cond, ty: &ValueType, a: [i64; 3]| run(&trips(op, cond, ty.clone()), &a).map(|r| r[0]);
    assert_eq!(count(StepOp::Add, ContCond::Lt, &INDEX, [0, 5, 2]), Ok(3));
    assert_eq!(count(StepOp::Add, ContCond::Lt, &INDEX, [5, 5, 1]), Ok(0));
    assert_eq!(count(StepOp::Add, ContCond::Lt, &I8, [-3, 2, 1]), Ok(5));
    assert_eq!(count(StepOp::Sub, ContCond::Ge, &I8, [7, 0, 3]), Ok(3));
    assert_eq!(count(StepOp::Shl, ContCond::Lt, &INDEX, [1, 9, 1]), Ok(4));
    assert_eq!(count(StepOp::Div, ContCond::Ne, &INDEX, [9, 0, 2]), Ok(4));
    // 120, then 220, which is no i8 any more: the next comparison is the last.
    assert_eq!(count(StepOp::Add, ContCond::Le, &I8, [120, 127, 100]), Ok(1));
    assert_eq!(count(StepOp::Add, ContCond::Le, &I8, [126, 127, 1]), Ok(2));
    for bound in [0, 5] {
        let fault = kind(count(StepOp::Add, ContCond::Lt, &INDEX, [0, bound, 0]));
        assert_eq!(fault, FaultKind::ZeroStep);
    }
    assert_eq!(kind(count(StepOp::Add, ContCond::Lt, &INDEX, [0, 5, -1])), FaultKind::NegativeStep);
    assert_eq!(count(StepOp::Add, ContCond::Lt, &INDEX, [5, 0, -1]), Ok(0));
    assert_eq!(kind(count(StepOp::Add, ContCond::Lt, &INDEX, [0, 1 << 30, 1])), FaultKind::StepLimit);
}

#[test]
fn gcd_by_subtraction() {
    let mut b = Builder::new(&[INDEX, INDEX], &[INDEX]);
    let operands = [b.argument(0), b.argument(1)];
    let pair: &[ValueType] = &[INDEX, INDEX];
    let out = b.nest(Kind::While, &operands, pair, &[pair, pair], |b, region, v| {
        if region == 0 {
            let differ = b.one(Kind::Scalar(Op::Cmpi(Predicate::Ne)), &[v[0], v[1]], I1);
            // Swapped on purpose: results and after-arguments are the condition's.
            b.many(Kind::Condition, &[differ, v[1], v[0]], &[]);
            return;
        }
        let less = b.one(Kind::Scalar(Op::Cmpi(Predicate::Slt)), &[v[0], v[1]], I1);
        let smaller = b.one(Kind::Scalar(Op::Plain(OpKind::Select)), &[less, v[0], v[1]], INDEX);
        let larger = b.arith(OpKind::Maxsi, v[0], v[1]);
        let rest = b.arith(OpKind::Subi, larger, smaller);
        b.many(Kind::Yield, &[smaller, rest], &[]);
    });
    let m = b.done(&out[..1]);
    assert_eq!(run(&m, &[48, 36]), Ok(vec![12]));
    assert_eq!(run(&m, &[7, 7]), Ok(vec![7]));
}

#[test]
fn branches_take_one_side() {
    let mut b = Builder::new(&[INDEX], &[INDEX]);
    let flag = b.argument(0);
    let cases = Kind::IndexSwitch { cases: vec![3, -1] };
    let out = b.nest(cases, &[flag], &[INDEX], &[&[], &[], &[]], |b, region, _| {
        let n = b.number(10 + region as i64);
        b.many(Kind::Yield, &[n], &[]);
    });
    let m = b.done(&out);
    assert_eq!([3, -1, 0].map(|n| run(&m, &[n]).unwrap()[0]), [11, 12, 10]);
}

#[test]
fn memory_is_checked_and_stays() {
    // f(i, m): m[i] = m[i] + 1
    let ty = memref(&[-1]);
    let mut b = Builder::new(&[INDEX, ty.clone()], &[I8]);
    let (i, m) = (b.argument(0), b.argument(1));
    let old = b.one(Kind::Load, &[m, i], I8);
    let one = b.one(Kind::Constant(1), &[], I8);
    let new = b.arith(OpKind::Addi, old, one);
    b.many(Kind::Store, &[new, m, i], &[]);
    let program = b.done(&[new]);
    let mut machine = Machine::new(&program, MachineOptions::default());
    let id = machine.add_buffer(vec![255, 7]);
    let argument = whole(&ty, id, 2);
    let mut call = |i: i64| machine.call("f", &[Argument::Scalar(i as u64), argument.clone()]);
    assert_eq!(call(0), Ok(vec![0]));
    assert_eq!(call(0), Ok(vec![1]));
    assert_eq!(kind(call(2)), FaultKind::OutOfBounds);
    assert_eq!(kind(call(-1)), FaultKind::OutOfBounds);
    assert_eq!(machine.buffer(id), [Some(1), Some(7)]);
    let load = program.funcs[0].block(program.funcs[0].entry(program.funcs[0].body.unwrap()).unwrap()).ops[0];
    assert_eq!(machine.access_count("f", load), 2);
}

#[test]
fn each_dimension_is_checked() {
    let ty = memref(&[2, 4]);
    let mut b = Builder::new(&[ty.clone(), INDEX, INDEX], &[I8]);
    let operands = [b.argument(0), b.argument(1), b.argument(2)];
    let out = b.one(Kind::Load, &operands, I8);
    let program = b.done(&[out]);
    let mut machine = Machine::new(&program, MachineOptions::default());
    let id = machine.add_buffer((0..8).collect());
    let mut at = |i, j| machine.call("f", &[whole(&ty, id, 8), Argument::Scalar(i), Argument::Scalar(j)]);
    assert_eq!(at(1, 2), Ok(vec![6]));
    // Word 4 exists, subscript 4 does not.
    assert_eq!(kind(at(0, 4)), FaultKind::OutOfBounds);
}

#[test]
fn unknown_and_freed_words_are_not_read() {
    let build = |store: bool, free: bool| {
        let mut b = Builder::new(&[], &[I8]);
        let m = b.one(Kind::Alloc { on_stack: false }, &[], memref(&[2]));
        let (zero, value) = (b.number(0), b.one(Kind::Constant(5), &[], I8));
        if store {
            b.many(Kind::Store, &[value, m, zero], &[]);
        }
        if free {
            b.many(Kind::Dealloc, &[m], &[]);
        }
        let out = b.one(Kind::Load, &[m, zero], I8);
        b.done(&[out])
    };
    assert_eq!(run(&build(true, false), &[]), Ok(vec![5]));
    assert_eq!(kind(run(&build(false, false), &[])), FaultKind::UnknownWord);
    assert_eq!(kind(run(&build(true, true), &[])), FaultKind::Freed);
}

#[test]
fn views_show_the_same_words() {
    let fixed = IndexOrOperand::Fixed;
    let source = memref(&[4, 4]);
    let strided = |shape: &[i64], strides: &[i64], offset| {
        let ValueType::Memref(ty) = memref(shape) else { unreachable!() };
        let strides = strides.iter().map(|&s| Some(s)).collect();
        ValueType::Memref(MemrefType { layout: MemrefLayout::Strided { strides, offset }, ..ty })
    };
    let load = |view: Kind, ty: ValueType, open: bool, subscripts: &[i64], row: u64| {
        let mut b = Builder::new(&[source.clone(), INDEX], &[I8]);
        let mut operands = vec![b.argument(0)];
        operands.extend(open.then(|| b.argument(1)));
        let mut access = vec![b.one(view, &operands, ty)];
        access.extend(subscripts.iter().map(|&n| b.number(n)).collect::<Vec<_>>());
        let out = b.one(Kind::Load, &access, I8);
        let program = b.done(&[out]);
        let mut machine = Machine::new(&program, MachineOptions::default());
        let id = machine.add_buffer((0..16).collect());
        machine.call("f", &[whole(&source, id, 16), Argument::Scalar(row)])
    };
    let row = || Kind::Subview {
        offsets: vec![IndexOrOperand::Operand, fixed(1)],
        sizes: vec![fixed(1), fixed(2)],
        strides: vec![fixed(1), fixed(2)],
    };
    let row_type = || strided(&[2], &[2], None);
    assert_eq!(load(row(), row_type(), true, &[1], 2), Ok(vec![11]));
    assert_eq!(kind(load(row(), row_type(), true, &[2], 2)), FaultKind::OutOfBounds);
    assert_eq!(kind(load(row(), row_type(), true, &[0], 4)), FaultKind::BadView);
    let flat = Kind::CollapseShape { groups: vec![vec![0, 1]] };
    assert_eq!(load(flat, memref(&[16]), false, &[13], 0), Ok(vec![13]));
    let groups = vec![vec![0, 1], vec![2]];
    let cube = Kind::ExpandShape { groups, sizes: [2, 2, 4].map(fixed).to_vec() };
    assert_eq!(load(cube, memref(&[2, 2, 4]), false, &[1, 0, 3], 0), Ok(vec![11]));
    let again = |offset| Kind::ReinterpretCast {
        offset: fixed(offset),
        sizes: vec![fixed(3)],
        strides: vec![fixed(5)],
    };
    assert_eq!(load(again(1), strided(&[3], &[5], Some(1)), false, &[2], 0), Ok(vec![11]));
    assert_eq!(kind(load(again(7), strided(&[3], &[5], Some(7)), false, &[2], 0)), FaultKind::BadView);
}

#[test]
fn noalias_is_held() {
    let ty = memref(&[2]);
    let mut b = Builder::new(&[ty.clone(), ty.clone()], &[]);
    b.func.argument_attributes[0].noalias = true;
    let program = b.done(&[]);
    let mut machine = Machine::new(&program, MachineOptions::default());
    let (a, c) = (machine.add_buffer(vec![0; 2]), machine.add_buffer(vec![0; 2]));
    assert_eq!(machine.call("f", &[whole(&ty, a, 2), whole(&ty, c, 2)]), Ok(vec![]));
    assert_eq!(kind(machine.call("f", &[whole(&ty, a, 2), whole(&ty, a, 2)])), FaultKind::Aliased);
}

#[test]
fn alias_sets_are_held() {
    let ty = memref(&[2]);
    let mut b = Builder::new(&[ty.clone(), ty.clone(), ty.clone()], &[]);
    b.func.argument_attributes[2].alias_set = 1;
    let program = b.done(&[]);
    let mut machine = Machine::new(&program, MachineOptions::default());
    let (x, y) = (machine.add_buffer(vec![0; 2]), machine.add_buffer(vec![0; 2]));
    let mut call = |of: [_; 3]| machine.call("f", &of.map(|buffer| whole(&ty, buffer, 2)));
    assert_eq!(call([x, x, y]), Ok(vec![]));
    assert_eq!(kind(call([x, y, y])), FaultKind::Aliased);
    assert_eq!(kind(call([y, x, y])), FaultKind::Aliased);
}

#[test]
fn globals_persist_and_constant_ones_do_not_change() {
    for constant in [false, true] {
        let ty = memref(&[1]);
        let mut b = Builder::new(&[], &[I8]);
        let m = b.one(Kind::GetGlobal("g".into()), &[], ty.clone());
        let (zero, one) = (b.number(0), b.one(Kind::Constant(1), &[], I8));
        let old = b.one(Kind::Load, &[m, zero], I8);
        let new = b.arith(OpKind::Addi, old, one);
        b.many(Kind::Store, &[new, m, zero], &[]);
        let mut program = b.done(&[new]);
        let ty = ty.memref().unwrap().clone();
        program.globals.push(Global { name: "g".into(), ty, constant, init: Some(vec![4]), span: None });
        let mut machine = Machine::new(&program, MachineOptions::default());
        if constant {
            assert_eq!(kind(machine.call("f", &[])), FaultKind::ConstantStore);
        } else {
            assert_eq!([(); 2].map(|_| machine.call("f", &[]).unwrap()[0]), [5, 6]);
        }
    }
}

#[test]
fn calls_nest_to_a_limit_and_blocks_jump() {
    // f(n) = n == 0 ? 0 : 1 + f(n - 1), with blocks.
    let mut b = Builder::new(&[INDEX], &[INDEX]);
    let (n, zero, one) = (b.argument(0), b.number(0), b.number(1));
    let stop = b.one(Kind::Scalar(Op::Cmpi(Predicate::Eq)), &[n, zero], I1);
    let body = b.func.body.unwrap();
    let (end, more) = (b.func.add_block(body), b.func.add_block(body));
    let result = b.func.add_argument(end, "", INDEX);
    let jump = b.func.push_op(b.at, Kind::CondBr, &[stop], &[]);
    b.func.op_mut(jump).successors =
        vec![Successor { block: end, arguments: vec![zero] }, Successor { block: more, arguments: vec![] }];
    b.at = more;
    let less = b.arith(OpKind::Subi, n, one);
    let inner = b.one(Kind::Call("f".into()), &[less], INDEX);
    let sum = b.arith(OpKind::Addi, inner, one);
    let jump = b.func.push_op(b.at, Kind::Br, &[], &[]);
    b.func.op_mut(jump).successors = vec![Successor { block: end, arguments: vec![sum] }];
    b.at = end;
    let program = b.done(&[result]);
    assert_eq!(run(&program, &[100]), Ok(vec![100]));
    assert_eq!(kind(run(&program, &[300])), FaultKind::CallDepth);
}

#[test]
fn deep_nests_take_no_stack() {
    fn nest(b: &mut Builder, depth: usize, flag: ValueId) {
        b.nest(Kind::If, &[flag], &[], &[&[], &[]], |b, region, _| {
            if region == 0 && depth > 0 {
                nest(b, depth - 1, flag);
            }
            b.many(Kind::Yield, &[], &[]);
        });
    }
    let mut b = Builder::new(&[I1], &[]);
    let flag = b.argument(0);
    nest(&mut b, 300, flag);
    let program = b.done(&[]);
    assert_eq!(run(&program, &[1]), Ok(vec![]));
}

#[test]
fn assertions_and_wrong_programs_are_faults() {
    let mut b = Builder::new(&[I1], &[]);
    let condition = b.argument(0);
    b.many(Kind::Assert("positive".into()), &[condition], &[]);
    let program = b.done(&[]);
    assert_eq!(run(&program, &[1]), Ok(vec![]));
    let fault = run(&program, &[0]).unwrap_err();
    assert_eq!((fault.kind, fault.message.as_str()), (FaultKind::Assertion, "assertion failed: positive"));
    assert_eq!(fault.to_diagnostic().code.id, "F0206");
    assert_eq!(kind(run(&program, &[])), FaultKind::BadArgument);
    let mut b = Builder::new(&[], &[]);
    b.many(LOOP, &[], &[]);
    assert_eq!(kind(run(&b.done(&[]), &[])), FaultKind::Malformed);
}
