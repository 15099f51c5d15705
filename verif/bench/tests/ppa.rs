//! The whole flow on a fabric of two components: cells, FPGA and timing by the real tools.

use loom_adg::cost::area::CostClass;
use loom_adg::Fabric;
use loom_base::{Diagnostics, Source};
use loom_bench::codes;
use loom_bench::ppa::report::FabricFigures;
use loom_bench::ppa::{measure, PpaOptions, LIBERTY};
use loom_testkit::fabrics::root;
use std::path::Path;

/// Measures the fabric with so many modules at a time.
fn figures(liberty: &Path, jobs: usize, fpga: bool) -> Result<FabricFigures, Diagnostics> {
    figures_with(liberty, None, jobs, fpga)
}

/// The same with a clock gate.
fn figures_with(
    liberty: &Path,
    gate: Option<&Path>,
    jobs: usize,
    fpga: bool,
) -> Result<FabricFigures, Diagnostics> {
    let source = Source::new("adder.toml", include_str!("ppa/adder.toml"));
    let fabric = Fabric::new(loom_adg::toml::read(&source).expect("a legal fabric"));
    let folder = tempfile::tempdir().expect("a folder");
    let options = PpaOptions {
        out: folder.path().into(),
        liberty: liberty.into(),
        clock_gate: gate.map(Into::into),
        tile: None,
        fpga,
        jobs,
    };
    measure(&fabric, &options, &|_| {})
}

#[test]
fn an_adder_has_area_delay_and_lookup_tables() {
    let ppa = figures(Path::new(LIBERTY), 2, true).unwrap_or_else(|d| panic!("{d:?}"));
    let [row] = &ppa.rows[..] else { panic!("one top: {:?}", ppa.rows) };
    assert_eq!((row.name.as_str(), row.instances, row.is_tile), ("adder", 1, true));
    let classes: f64 = ppa.figures.area_by_class.values().sum();
    assert!(ppa.figures.area_um2 > 10_000.0 && (ppa.figures.area_um2 - classes).abs() < 0.5, "{ppa:?}");
    for class in [CostClass::Pe, CostClass::Buffer, CostClass::Configuration, CostClass::Errors] {
        assert!(ppa.figures.area_by_class[&class] > 0.0, "{class:?}");
    }
    // The buffer holds two words of eight bits and whether they are there.
    assert!(ppa.figures.flip_flops >= 18 && ppa.figures.lut4 >= Some(8), "{ppa:?}");
    assert!(ppa.figures.fpga.is_some_and(|f| f.flip_flops > 18), "{ppa:?}");
    let (Some(period), [first, .., last]) = (ppa.figures.period_ns, &row.path[..]) else {
        panic!("{:?}", row.path)
    };
    assert!(period > 0.5 && period < 50.0 && last.at_ns == period, "{:?}", row.path);
    let known = ["queue", "sum", "loader", "in0", "in1", "out0"];
    assert!(known.contains(&first.name.as_str()) && known.contains(&last.name.as_str()), "{:?}", row.path);
    assert!(row.path.windows(2).all(|w| w[0].at_ns <= w[1].at_ns), "{:?}", row.path);
    // Any number of jobs gives the same; without the FPGA nothing is said of it.
    let again = figures(Path::new(LIBERTY), 1, false).unwrap_or_else(|d| panic!("{d:?}"));
    assert_eq!((again.figures.lut4, again.rows[0].figures.lut4), (None, None));
    assert_eq!((again.figures.area_by_class, &again.rows[0].path), (ppa.figures.area_by_class, &row.path));
}

#[test]
fn gates_make_the_configuration_smaller_and_nothing_else_another() {
    let gate = root().join("tools/ppa/osu018_clock_gate.v");
    let gated = figures_with(Path::new(LIBERTY), Some(&gate), 2, true).unwrap_or_else(|d| panic!("{d:?}"));
    let plain = figures(Path::new(LIBERTY), 2, true).unwrap_or_else(|d| panic!("{d:?}"));
    assert_eq!(gated.figures.fpga, plain.figures.fpga);
    // What a register of the configuration drives besides is another load, so of two ways the other one may be the longest.
    let periods = [&gated, &plain].map(|ppa| ppa.figures.period_ns.expect("a longest path"));
    assert!((periods[0] / periods[1] - 1.0).abs() < 0.05, "{periods:?}");
    for (class, area) in &plain.figures.area_by_class {
        let smaller = gated.figures.area_by_class[class] < *area;
        assert_eq!(smaller, *class == CostClass::Configuration, "{class:?}: {gated:?}");
    }
    let none =
        figures_with(Path::new(LIBERTY), Some(Path::new(LIBERTY)), 1, false).expect_err("it is no gate");
    assert!(
        none[0].code == codes::LIBRARY && none[0].message.contains("no module `loom_clock_gate`"),
        "{none:?}"
    );
}

#[test]
fn what_is_no_library_is_refused() {
    let nowhere = figures(Path::new("/nowhere/cells.lib"), 1, false).expect_err("there is none");
    assert_eq!(nowhere[0].code, codes::LIBRARY);
    let empty = tempfile::NamedTempFile::new().expect("a file");
    let refused = figures(empty.path(), 1, false).expect_err("it has no cells");
    assert!(refused[0].code == codes::LIBRARY && refused[0].message.contains("has no cells"), "{refused:?}");
}
