//! Which elementary functions a fabric computes by formulas.

use loom_dfg::{OpKind, Type};
use loom_front::elementary;
use loom_map::tech::expanded;
use loom_testkit::fabrics::fabric;

#[test]
fn fabrics_for_64_bits_have_the_parts_of_formulas() {
    let of = |types: &[Type]| -> Vec<(OpKind, Type)> {
        elementary::KINDS.iter().flat_map(|&kind| types.iter().map(move |&ty| (kind, ty))).collect()
    };
    // Casts of 16 bits stand in the largest alone.
    for (name, types) in
        [("general-4x4-w64", &[Type::F32][..]), ("general-8x8-w64", &[Type::Bf16, Type::F16, Type::F32])]
    {
        assert_eq!(expanded(&fabric(&format!("configs/{name}.toml"))), of(types), "{name}");
    }
    for name in ["general-8x8", "mesh-2x2", "tags"] {
        assert_eq!(expanded(&fabric(&format!("configs/{name}.toml"))), [], "{name}");
    }
}
