//! Bounds are bounds: no case of a kernel runs in fewer cycles than its mapping allows, and no mapping allows fewer than the graph;
//! and they say something: most cases take just as long. (Every report holds its run to its bound, so all that runs a kernel tests this.)

use loom_base::Source;
use loom_flow::{load, Configured, Kernel};
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
    bounds.map(|b| report.cycles as f64 / b.max(1) as f64)
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
