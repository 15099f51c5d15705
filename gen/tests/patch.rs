//! Arguments that lie in several regions, and names that are no C identifiers.

use loom_adg::{Fabric, Image};
use loom_base::Source;
use loom_gen::config::config_h;
use loom_gen::patch::{patch, Base, Setting};

fn base(memory: &str, region: usize, word_index: usize) -> Base {
    Base {
        interface: "t_0_0.mem".into(),
        kind: "extmemory".into(),
        region,
        memory: Some(memory.into()),
        noalias: memory == "alone",
        alias_set: None,
        words: None,
        start_lane: region as u64,
        end_lane: region as u64 + 1,
        element_bytes: 8,
        word_index,
        addr_offset: 0,
    }
}

fn set(name: &str, address: u128) -> Setting {
    Setting { name: name.into(), address }
}

#[test]
fn an_argument_moves_in_all_its_regions() {
    let bases = [base("a", 0, 1), base("b", 1, 2), base("a", 2, 3)];
    let image = Image { words: vec![9, 0, 0, 0, 9] };
    let (patched, warnings) = patch(&image, &bases, &[set("a", 64), set("b", 8)]).expect("good bases");
    assert_eq!((patched.words, warnings.len()), (vec![9, 64, 8, 64, 9], 0));
    // One region alone is what was asked for, and hardly what was meant.
    let (patched, warnings) = patch(&image, &bases, &[set("t_0_0.mem/2", 64)]).expect("a region");
    assert_eq!(patched.words, [9, 0, 0, 64, 9]);
    assert_eq!(warnings.iter().map(|w| w.code.id).collect::<Vec<_>>(), ["G0116"]);
    // A region beside its argument is one base twice.
    let twice = patch(&image, &bases, &[set("t_0_0.mem/2", 64), set("a", 64)]).expect_err("twice");
    assert_eq!(twice.iter().map(|d| d.code.id).collect::<Vec<_>>(), ["G0115"]);
    assert!(patch(&image, &bases, &[set("a", 0xffff_fff8)]).is_ok());
    for (address, code) in [(4, "G0114"), (1 << 32, "G0113"), (u128::MAX, "G0113")] {
        let wrong = patch(&image, &bases, &[set("a", address)]).expect_err("a bad address");
        assert_eq!(wrong.iter().map(|d| d.code.id).collect::<Vec<_>>(), [code], "{address:#x}");
    }
}

#[test]
fn arguments_that_overlap_no_other_lie_apart() {
    let bases = [base("alone", 0, 0), base("a", 1, 1), base("b", 2, 2), base("alone", 3, 3)];
    let image = Image { words: vec![0, 0, 0, 0] };
    let warned = |settings: &[Setting]| {
        let (_, warnings) = patch(&image, &bases, settings).expect("good bases");
        warnings.iter().map(|w| w.code.id).collect::<Vec<_>>()
    };
    assert_eq!(warned(&[set("alone", 64), set("a", 64), set("b", 128)]), ["G0118"]);
    assert_eq!(warned(&[set("alone", 64), set("a", 128), set("b", 128)]), [""; 0]);
    // What was not set is not yet said.
    assert_eq!(warned(&[set("alone", 64)]), [""; 0]);
}

#[test]
fn arguments_of_two_alias_sets_lie_apart() {
    let of = |memory, k, set| Base { alias_set: set, ..base(memory, k, k) };
    let bases = [of("a", 0, Some(0)), of("b", 1, Some(0)), of("c", 2, Some(1)), of("views", 3, None)];
    let image = Image { words: vec![0; 4] };
    let warned = |a: u128, b: u128, c: u128, views: u128| {
        let settings = [set("a", a), set("b", b), set("c", c), set("views", views)];
        let (_, warnings) = patch(&image, &bases, &settings).expect("good bases");
        warnings.iter().map(|w| w.message.clone()).collect::<Vec<_>>()
    };
    assert_eq!(warned(64, 64, 128, 128), [""; 0]);
    assert_eq!(warned(64, 128, 64, 256), ["`a` and `c` both lie at 0x40, and their types never overlap"]);
}

#[test]
fn arguments_take_as_many_addresses_as_their_type_says() {
    let sized = |memory, k, words| Base { words: Some(words), ..base(memory, k, k) };
    let bases = [sized("alone", 0, 8), sized("a", 1, 4), sized("b", 2, 1 << 20)];
    let image = Image { words: vec![0, 0, 0] };
    let warned = |alone: u128, a: u128, b: u128| {
        let settings = [set("alone", alone), set("a", a), set("b", b)];
        let (_, warnings) = patch(&image, &bases, &settings).expect("good bases");
        warnings.iter().map(|w| w.message.clone()).collect::<Vec<_>>()
    };
    // 64 bytes, and 32 bytes.
    assert_eq!(warned(0x100, 0x140, 0x1000), [""; 0]);
    assert_eq!(warned(0x100, 0xe0, 0x1000), [""; 0]);
    let shared = "`alone` and `a` share the addresses from 0x138 to 0x13f, and `alone` overlaps no other";
    assert_eq!(warned(0x100, 0x138, 0x1000), [shared]);
    assert_eq!(warned(0x100, 0xe8, 0x1000).len(), 1);
    // 8 MiB fit where the last byte is the last one of 32 bits.
    assert_eq!(warned(0x100, 0x200, 0xff80_0000), [""; 0]);
    assert_eq!(warned(0x100, 0x200, 0xff80_0008), ["`b` takes 0xff800008 to 0x100000007, beyond 32 bits"]);
}

#[test]
fn macros_have_names_of_their_own() {
    let text = loom_adg::topology::mesh_toml(2, 2);
    let adg = loom_adg::toml::read(&Source::new("mesh.toml", text)).expect("a legal fabric");
    let fabric = Fabric::new(adg);
    // `x` has two regions; the next three make one identifier, and the last one is what a number would make of it.
    let names = ["x", "a.b", "a_b", "a-b", "a_b_2", "*/"];
    let mut bases: Vec<Base> = names.iter().enumerate().map(|(i, n)| base(n, i, i)).collect();
    bases.push(base("x", 9, 9));
    let header = config_h(&fabric, "my_kernel", &Image::unused(&fabric), &bases, &[]);
    let mut macros: Vec<&str> = header
        .lines()
        .filter_map(|l| l.strip_prefix("#define "))
        .filter(|l| l.starts_with("LOOM_my_kernel__mesh_2x2_") && !l.ends_with("_H"))
        .map(|l| l.split(['(', ' ']).next().expect("a name"))
        .collect();
    let count = macros.len();
    macros.sort_unstable();
    macros.dedup();
    assert_eq!((macros.len(), count), (13, 13), "{macros:?}");
    assert!(header.contains("#define LOOM_my_kernel__mesh_2x2_WORD_x_1 9\n"), "{header}");
    let setter = "#define LOOM_my_kernel__mesh_2x2_BASE_x(words, address) \
                  ((words)[LOOM_my_kernel__mesh_2x2_WORD_x_0] = \
                  (words)[LOOM_my_kernel__mesh_2x2_WORD_x_1] = (uint32_t)(address))\n";
    assert!(header.contains(setter), "{header}");
    assert_eq!(header.matches("/*").count(), header.matches("*/").count(), "{header}");
}

/// The identifiers of a header: its guard, its arrays and its macros.
fn identifiers(kernel: &str, fabric: &str) -> Vec<String> {
    let text = loom_adg::topology::mesh_toml(1, 1).replacen("mesh-1x1", fabric, 1);
    let adg = loom_adg::toml::read(&Source::new("mesh.toml", text)).expect("a legal fabric");
    let fabric = Fabric::new(adg);
    let header = config_h(&fabric, kernel, &Image::unused(&fabric), &[base("a", 0, 0)], &[]);
    let words = header.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let mut own: Vec<String> =
        words.filter(|w| w.starts_with("LOOM_") || w.starts_with("loom_")).map(String::from).collect();
    own.sort();
    own.dedup();
    own
}

/// A program includes the headers of several kernels and fabrics: none of them says what another says.
#[test]
fn headers_of_two_pairs_share_no_name() {
    let pairs = [
        ("sum", "mesh-2x2"),
        ("Sum", "mesh-2x2"),
        ("sum", "mesh-4x4"),
        ("a", "b-c"),
        ("a_b", "c"),
        ("a__b", "c"),
        ("a", "b_c"),
        ("a_", "b"),
        ("a", "b-BASE-c"),
    ];
    let mut seen = std::collections::BTreeMap::new();
    for pair in pairs {
        for name in identifiers(pair.0, pair.1) {
            if let Some(other) = seen.insert(name.clone(), pair) {
                panic!("`{name}` in {pair:?} and {other:?}");
            }
        }
    }
}
