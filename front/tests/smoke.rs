use loom_dfg::{ContCond, Op, OpKind, StepOp, Type, Predicate};
use loom_front::compile::{lower_whole, Options};
use loom_front::invariants::{check, Rules};
use loom_front::ir::*;
fn idx() -> ValueType { ValueType::Scalar(Type::Index) }
fn i32t() -> ValueType { ValueType::Scalar(Type::I32) }
#[test]
fn smoke() {
    let mem = ValueType::Memref(MemrefType { shape: vec![None], element: Type::I32, layout: MemrefLayout::Identity });
    let mut f = Func::new("vecsum", &[("n", idx()), ("A", mem.clone()), ("B", mem)], &[i32t()]);
    f.argument_attributes[1].noalias = true;
    f.argument_attributes[2].noalias = true;
    let top = f.entry(f.body.unwrap()).unwrap();
    let (n, a, b) = (f.arguments()[0], f.arguments()[1], f.arguments()[2]);
    let c = |f: &mut Func, bits: u64, t: ValueType| { let o = f.push_op(top, Kind::Constant(bits), &[], &[t]); f.result(o, 0) };
    let zero = c(&mut f, 0, idx());
    let one = c(&mut f, 1, idx());
    let z = c(&mut f, 0, i32t());
    let lp = f.push_op(top, Kind::For { step_op: StepOp::Add, cond: ContCond::Lt }, &[zero, n, one, z], &[i32t()]);
    let r = f.add_region();
    f.op_mut(lp).regions = vec![r];
    let body = f.add_block(r);
    let i = f.add_argument(body, "i", idx());
    let acc = f.add_argument(body, "acc", i32t());
    let ld = f.push_op(body, Kind::Load, &[a, i], &[i32t()]);
    let v = f.result(ld, 0);
    let s = f.push_op(body, Kind::Scalar(Op::Plain(OpKind::Addi)), &[acc, v], &[i32t()]);
    let s = f.result(s, 0);
    f.push_op(body, Kind::Store, &[s, b, i], &[]);
    // if v > 0 store
    let cmp = f.push_op(body, Kind::Scalar(Op::Cmpi(Predicate::Sgt)), &[v, z], &[ValueType::Scalar(Type::I1)]);
    let cmp = f.result(cmp, 0);
    let iff = f.push_op(body, Kind::If, &[cmp], &[]);
    let (r1, r2) = (f.add_region(), f.add_region());
    f.op_mut(iff).regions = vec![r1, r2];
    let b1 = f.add_block(r1);
    f.push_op(b1, Kind::Store, &[v, b, i], &[]);
    f.push_op(b1, Kind::Yield, &[], &[]);
    f.push_op(body, Kind::Yield, &[s], &[]);
    let res = f.result(lp, 0);
    f.push_op(top, Kind::Return, &[res], &[]);
    let m = Module { globals: vec![], funcs: vec![f] };
    for order in [loom_front::order::Order::Serial, loom_front::order::Order::Pipelined] {
        let (plain, lowered) = lower_whole(&m, &m.funcs[0], &Options { order, ..Default::default() }).unwrap();
        println!("{}", loom_dfg::print(&lowered.graph));
        for d in check(&lowered, &Rules{func:&plain.func,deps:&plain.deps,order,index_width:32}) { println!("!! {}", d.message); }
        for seed in 0..20 {
            let g = &lowered.graph;
            let mut mems = loom_dfg::interp::Memories::new(g, vec![vec![1, 2, 0xffff_ffff, 4], vec![0; 4]]);
            let out = loom_dfg::interp::run_with_memories(g, &[vec![4, 0, 3], vec![0, 0, 0]], &mut mems, &loom_dfg::interp::Options { seed, ..Default::default() });
            assert!(out.is_complete(), "{:?}", out.leftover.iter().map(|l| l.describe(g)).collect::<Vec<_>>());
            assert_eq!(out.outputs[0], [6, 0, 2]);
            assert_eq!(mems.buffers[1], [1, 2, 2, 4], "{:?}", mems.buffers);
        }
    }
}
