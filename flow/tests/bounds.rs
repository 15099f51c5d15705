//! Bounds are bounds: no case of a kernel runs in fewer cycles than its mapping allows, or its busiest loop in a shorter interval, and no
//! mapping allows fewer than the graph;
//! and they say something: most cases take just as long. (Every report holds its run to its bound, so all that runs a kernel tests this.)

use loom_base::Source;
use loom_flow::{load, Configured, Kernel, Report};
use loom_testkit::fabrics::{fabric, root, sorted};
use std::path::Path;

fn read(path: &Path) -> Source {
    Source::new(path.display().to_string(), std::fs::read_to_string(path).expect("readable"))
}

/// Cycles of the case over the bounds of graph and mapping.
fn ratios(configured: &Configured, case: &Path) -> [f64; 2] {
    let text = read(case);
    let case = configured.case(&text).unwrap_or_else(|d| panic!("{}", d[0].render(&text)));
    let runs = configured.simulate(&case).unwrap_or_else(|d| panic!("{}", d[0].render(&text)));
    let report = configured.report(&case, &text.name, &runs);
    assert!(report.ok, "{}: {:?}", text.name, report.problems);
    let bounds = [report.graph_bound_cycles, report.bound_cycles].map(|b| b.expect("it is complete"));
    assert!(bounds[0] <= bounds[1] && bounds[1] <= report.cycles, "{}: {report:?}", text.name);
    let paces = [1.0, report.graph_mii, report.mii, report.ii + 1e-9];
    assert!(paces.is_sorted(), "{}: {report:?}", text.name);
    bounds.map(|b| report.cycles as f64 / b.max(1) as f64)
}

/// The report of a program's run on a fabric that has dividers.
fn report(program: &str, case: &str) -> Report {
    let f = fabric("configs/general-4x4.toml");
    let program = Source::new("f.scf.mlir", program);
    let shown = |d: loom_base::Diagnostics| -> Kernel { panic!("{}", d[0].render(&program)) };
    let kernel = Kernel::read(&program, &load::lowering(&f)).unwrap_or_else(shown);
    let configured = Configured::map(kernel, &f, &Default::default(), &mut |_, _| {}).expect("it maps");
    let text = Source::new("case.toml", case);
    let case = configured.case(&text).unwrap_or_else(|d| panic!("{}", d[0].render(&text)));
    let runs = configured.simulate(&case).unwrap_or_else(|d| panic!("{}", d[0].render(&text)));
    let report = configured.report(&case, "case", &runs);
    println!("{report:?}");
    assert!(report.ok, "{:?}", report.problems);
    report
}

/// A division in each row, for a loop of some columns.
#[test]
fn what_an_outer_loop_waits_for_is_no_bound_of_the_inner() {
    let program = "func.func @f(%a: memref<?xi32> {llvm.noalias}, %out: memref<?xi32> {llvm.noalias}, %rows: index, %columns: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %start = arith.constant 1000 : i32
  %seven = arith.constant 7 : i32
  %end = scf.for %i = %c0 to %rows step %c1 iter_args(%s = %start) -> (i32) {
    %sum = scf.for %j = %c0 to %columns step %c1 iter_args(%t = %s) -> (i32) {
      %x = memref.load %a[%j] : memref<?xi32>
      %u = arith.addi %t, %x : i32
      scf.yield %u : i32
    }
    %q = arith.divsi %sum, %seven : i32
    scf.yield %q : i32
  }
  memref.store %end, %out[%c0] : memref<?xi32>
  return
}";
    let of = |columns: u32| {
        report(program, &format!("[inputs]\nrows = [20]\ncolumns = [{columns}]\n[memory]\na = {{ value = 3, count = 64 }}\nout = {{ value = 0, count = 1 }}\n"))
    };
    let long = of(64);
    assert!(long.mii < 5.0 && long.ii < 5.0, "{long:?}");
    // Where a row is short, the division is what takes long, and the rows are still what II is of.
    let short = of(1);
    assert!(short.mii <= short.ii && short.ii > 10.0, "{short:?}");
}

/// A division in the branch that is seldom taken, and in each iteration.
#[test]
fn what_a_branch_leaves_out_is_no_bound() {
    let program = |divided: &str| {
        format!("func.func @f(%a: memref<?xi32> {{llvm.noalias}}, %out: memref<?xi32> {{llvm.noalias}}, %n: index) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %start = arith.constant 1000 : i32
  %seven = arith.constant 7 : i32
  %end = scf.for %i = %c0 to %n step %c1 iter_args(%s = %start) -> (i32) {{
    %x = memref.load %a[%i] : memref<?xi32>
    %is = arith.cmpi eq, %x, %seven : i32
{divided}
    scf.yield %next : i32
  }}
  memref.store %end, %out[%c0] : memref<?xi32>
  return
}}")
    };
    let seldom = program(
        "    %next = scf.if %is -> (i32) {
      %y = memref.load %out[%c0] : memref<?xi32>
      memref.store %x, %out[%c0] : memref<?xi32>
      %q = arith.divsi %s, %y : i32
      scf.yield %q : i32
    } else {
      %q = arith.addi %s, %x : i32
      scf.yield %q : i32
    }",
    );
    let always = program("    %q = arith.divsi %s, %x : i32\n    %next = arith.addi %q, %x : i32");
    let case =
        "[inputs]\nn = [64]\n[memory]\na = { value = 3, count = 64 }\nout = { value = 2, count = 1 }\n";
    let (seldom, always) = (report(&seldom, case), report(&always, case));
    assert!(seldom.mii < 10.0 && seldom.ii < 20.0, "{seldom:?}");
    assert!(always.graph_mii > 33.0 && always.mii > 33.0 && always.ii < 1.05 * always.mii, "{always:?}");
}

#[test]
fn no_kernel_runs_faster_than_its_bounds() {
    let f = fabric("configs/mesh-4x4.toml");
    let (mut all, mut at_bound) = (0, 0);
    for name in ["alias_copy", "collatz_scf", "csr_rowsum", "dot", "histogram", "matmul_view", "scratch"] {
        let folder = root().join("kernels").join(name);
        let program = read(&folder.join(format!("{name}.scf.mlir")));
        let kernel = Kernel::read(&program, &load::lowering(&f)).expect("a good program");
        let configured = Configured::map(kernel, &f, &Default::default(), &mut |_, _| {}).expect("it maps");
        for case in sorted(&folder, |p| p.extension().is_some_and(|e| e == "toml")) {
            let [graph, mapping] = ratios(&configured, &case);
            println!("{:60} {graph:.3} {mapping:.3}", case.display());
            all += 1;
            at_bound += usize::from(mapping == 1.0);
        }
    }
    assert!(
        all > 30 && 2 * at_bound > all,
        "{at_bound} of {all} cases take as long as their mapping's bound says"
    );
}
