//! A dry run takes as long as a run: where loops turn as often as they do in it, the mapper's count is that of the native model.

use loom_base::Source;
use loom_flow::{load, Configured, Kernel};
use loom_map::timing::dry::Queues;
use loom_map::timing::finished::Finished;
use loom_testkit::fabrics::fabric;

/// Rows times columns, with a sum for each.
const PRODUCT: &str = "func.func @f(%a: memref<?xi32> {llvm.noalias}, %b: memref<?xi32> {llvm.noalias}, %c: memref<?xi32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c7 = arith.constant 7 : index
  %zero = arith.constant 0 : i32
  scf.for %i = %c0 to %c4 step %c1 {
    scf.for %j = %c0 to %c4 step %c1 {
      %end = scf.for %k = %c0 to %c7 step %c1 iter_args(%s = %zero) -> (i32) {
        %ik = arith.addi %i, %k : index
        %jk = arith.addi %j, %k : index
        %x = memref.load %a[%ik] : memref<?xi32>
        %y = memref.load %b[%jk] : memref<?xi32>
        %p = arith.muli %x, %y : i32
        %t = arith.addi %s, %p : i32
        scf.yield %t : i32
      }
      %o = arith.addi %i, %j : index
      memref.store %end, %c[%o] : memref<?xi32>
    }
  }
  return
}";

/// A word that each iteration reads and writes, in rows that go one after the other.
const IN_PLACE: &str = "func.func @f(%a: memref<?xi32> {llvm.noalias}, %b: memref<?xi32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c4 step %c1 {
    scf.for %k = %c0 to %c8 step %c1 {
      %n = arith.addi %k, %i : index
      %x = memref.load %a[%n] : memref<?xi32>
      %y = memref.load %b[%k] : memref<?xi32>
      %s = arith.addi %x, %y : i32
      memref.store %s, %a[%n] : memref<?xi32>
    }
  }
  return
}";

/// Two loops in one, the second of which begins with what the first ends with.
const ONE_AFTER_THE_OTHER: &str = "func.func @f(%a: memref<?xi32> {llvm.noalias}, %b: memref<?xi32> {llvm.noalias}, %c: memref<?xi32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0 : i32
  scf.for %i = %c0 to %c3 step %c1 {
    %most = scf.for %k = %c0 to %c8 step %c1 iter_args(%s = %zero) -> (i32) {
      %x = memref.load %a[%k] : memref<?xi32>
      %t = arith.maxsi %s, %x : i32
      scf.yield %t : i32
    }
    scf.for %k = %c0 to %c5 step %c1 {
      %y = memref.load %b[%k] : memref<?xi32>
      %d = arith.subi %most, %y : i32
      %o = arith.addi %k, %i : index
      memref.store %d, %c[%o] : memref<?xi32>
    }
  }
  return
}";

#[test]
fn a_dry_run_takes_as_long_as_a_run() {
    for path in ["configs/mesh-4x4.toml", "configs/general-6x6.toml"] {
        let fabric = fabric(path);
        for program in [PRODUCT, IN_PLACE, ONE_AFTER_THE_OTHER] {
            let source = Source::new("f.scf.mlir", program);
            let shown = |d: loom_base::Diagnostics| -> Kernel { panic!("{}", d[0].render(&source)) };
            let kernel = Kernel::read(&source, &load::lowering(&fabric)).unwrap_or_else(shown);
            // Few steps, so that ways are long and what waits has little room.
            let options = loom_map::MapOptions { steps_per_item: 100, attempts: 2, ..Default::default() };
            let configured = Configured::map(kernel, &fabric, &options, &mut |_, _| {}).expect("it maps");
            let words: Vec<String> = configured
                .graph()
                .memories
                .iter()
                .map(|m| format!("{} = {{ value = 3, count = 64 }}", m.name))
                .collect();
            let case = configured
                .case(&Source::new("case.toml", format!("[memory]\n{}\n", words.join("\n"))))
                .expect("a good case");
            let runs = configured.simulate(&case).expect("it runs");
            let report = configured.report(&case, "case", &runs);
            assert!(report.ok, "{:?}", report.problems);
            let Configured { netlist, mapped, .. } = &configured;
            let finished = Finished::new(netlist, &fabric, &mapped.mapping, mapped.memory_latency)
                .expect("it is routed");
            let problem = finished.problem().expect("it was mapped");
            let dry = |queues| finished.dry_run(&problem, queues).expect("it ends in balance");
            let (now, least) = (dry(Queues::AsTheyAre), dry(Queues::Endless));
            println!("{path}: {} cycles, dry {now}, {least} with room without end", report.cycles);
            // The ways of arguments to the first ops and of the result to its port are no part of it.
            assert!(least <= now && now <= report.cycles && report.cycles <= now + 12);
        }
    }
}
