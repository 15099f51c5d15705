//! Region tables of memory interfaces in a bitstream: what the hardware refuses, the decoder explains.

use expect_test::expect_file;
use loom_adg::{Component, Fabric, FieldKind, Image};
use loom_base::{Severity, Source};
use std::fmt::Write;

/// (valid, start, end, log2 of the element's bytes).
type Region = (u64, u64, u64, u64);

#[test]
fn region_tables_decode_or_are_refused_with_a_reason() {
    let source = Source::new("bare.toml", include_str!("../../verif/cosim/tests/lanes/bare.toml"));
    let fabric = Fabric::new(loom_adg::toml::read(&source).expect("a legal fabric"));
    let cases: [(&str, [Region; 2]); 9] = [
        ("one for each lane", [(1, 0, 1, 2), (1, 1, 2, 0)]),
        ("one for both lanes", [(1, 0, 2, 1), (0, 0, 9, 3)]),
        ("one beyond the lanes", [(1, 0, 2, 1), (1, 2, 9, 1)]),
        ("they overlap", [(1, 0, 2, 2), (1, 1, 2, 2)]),
        ("they overlap beyond the lanes", [(1, 0, 9, 2), (1, 8, 10, 2)]),
        ("one is empty", [(1, 1, 1, 2), (0, 0, 0, 0)]),
        ("one ends before it starts", [(1, 5, 2, 2), (0, 0, 0, 0)]),
        ("elements wider than words", [(1, 0, 2, 3), (0, 0, 0, 0)]),
        ("everything at once", [(1, 0, 65536, 3), (1, 7, 7, 3)]),
    ];
    let mut text = String::new();
    for (name, table) in cases {
        let mut image = Image::unused(&fabric);
        for id in fabric.flat().ids().filter(|&id| matches!(fabric.component(id), Component::Memory(_))) {
            for (r, (valid, start, end, size)) in table.into_iter().enumerate() {
                image.set(&fabric, id, FieldKind::RegionValid(r), valid);
                image.set(&fabric, id, FieldKind::RegionStart(r), start);
                image.set(&fabric, id, FieldKind::RegionEnd(r), end);
                image.set(&fabric, id, FieldKind::RegionSize(r), size);
            }
        }
        let _ = writeln!(text, "== {name}");
        match loom_gen::decode(&fabric, &image) {
            Ok((decoded, warnings)) => {
                assert!(warnings.is_empty(), "{name}: {warnings:?}");
                for r in decoded.regions {
                    let path = fabric.path(r.component);
                    let _ = writeln!(
                        text,
                        "{path} region {}: lanes {}..{}, size {}",
                        r.region, r.start, r.end, r.size
                    );
                }
            }
            Err(problems) => {
                assert!(problems.iter().all(|d| d.severity == Severity::Error), "{name}: {problems:?}");
                for d in problems {
                    let _ = writeln!(text, "{}", d.render(&Source::new("bare.config.bin", "")));
                }
            }
        }
        text.push('\n');
    }
    expect_file!["bad/regions.txt"].assert_eq(&text);
}
