//! Random fabrics are what they say: legal, readable again, and of every kind there is.

use loom_adg::{mlir, toml};
use loom_base::Source;
use loom_dfg::op::Class;
use loom_dfg::{Counter, OpKind};
use loom_testkit::random_fabric::{draw, toml_of, traits, EXPECTED};
use std::collections::BTreeSet;

const SEEDS: u64 = 600;

/// None is refused, each is read again as it was from both forms of text, and its image has a place for every field.
#[test]
fn every_draw_is_legal_and_reads_back() {
    for seed in 0..SEEDS {
        let drawn = draw(seed);
        let fabric = drawn.fabric();
        let adg = fabric.adg();
        let read = |text: String| {
            let source = Source::new("again.toml", text);
            toml::read(&source).unwrap_or_else(|d| panic!("seed {seed}: {}", d[0].render(&source)))
        };
        assert!(read(drawn.toml.clone()) == *adg, "seed {seed}: another fabric from its text");
        assert!(read(toml_of(adg)) == *adg, "seed {seed}: another fabric from it written out");
        let text = mlir::write(adg);
        let source = Source::new("again.fabric.mlir", text);
        let again = mlir::read(&source).unwrap_or_else(|d| panic!("seed {seed}: {}", d[0].render(&source)));
        assert!(again == *adg, "seed {seed}: another fabric from its fabric MLIR");
        let layout = fabric.layout();
        let mut next = 0;
        for slice in &layout.slices {
            assert_eq!(slice.word_offset, next, "seed {seed}");
            next += slice.word_count;
            let mut low = 0;
            for field in &layout.of(slice.component).fields {
                assert!(field.width > 0 && field.low >= low, "seed {seed}: {:?}", field.kind);
                low = field.low + field.width;
            }
            assert!(low as usize <= 32 * slice.word_count, "seed {seed}");
        }
        assert_eq!(next, layout.words, "seed {seed}");
    }
}

/// All kinds of components, all classes of their parameters and all ops are drawn.
#[test]
fn everything_there_is_is_drawn() {
    let found: BTreeSet<String> = (0..SEEDS).flat_map(|seed| traits(draw(seed).fabric().adg())).collect();
    let kinds = OpKind::TABLE.iter().filter(|k| k.in_hardware() && k.class() != Class::Memory);
    let ops = kinds.filter(|k| !matches!(k, OpKind::Stream(_))).map(|k| format!("op {}", k.mnemonic()));
    let streams = Counter::all().map(|c| format!("op dataflow.stream {}", c.name()));
    let expected: BTreeSet<String> =
        EXPECTED.iter().map(|t| t.to_string()).chain(ops).chain(streams).collect();
    let missing: Vec<_> = expected.difference(&found).collect();
    assert!(missing.is_empty(), "never drawn: {missing:?}");
    let unknown: Vec<_> = found.difference(&expected).collect();
    assert!(unknown.is_empty(), "drawn, and not in the list: {unknown:?}");
}
