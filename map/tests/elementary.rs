//! Which elementary functions a fabric computes by formulas.

use loom_dfg::{OpKind, Type};
use loom_front::elementary;
use loom_map::tech::expanded;
use loom_testkit::fabrics::fabric;

#[test]
fn fabrics_for_64_bits_have_the_parts_of_formulas() {
    let singles: Vec<(OpKind, Type)> = elementary::KINDS.map(|kind| (kind, Type::F32)).to_vec();
    for name in ["general-4x4-w64", "general-8x8-w64"] {
        assert_eq!(expanded(&fabric(&format!("configs/{name}.toml"))), singles, "{name}");
    }
    for name in ["general-8x8", "mesh-2x2", "tags"] {
        assert_eq!(expanded(&fabric(&format!("configs/{name}.toml"))), [], "{name}");
    }
}
