//! What engines rely on holds on every fabric of `configs/`.

use crate::common::{root, Target};
use loom_map::arch_check;

#[test]
fn every_config_keeps_the_promises_of_a_problem() {
    let mut count = 0;
    for entry in std::fs::read_dir(root().join("configs")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|e| e != "toml") {
            continue;
        }
        let name = path.file_name().unwrap().to_str().unwrap().to_string();
        let target = Target::of_text(&name, std::fs::read_to_string(&path).unwrap());
        let problems = arch_check(&target);
        assert!(problems.is_empty(), "{name}: {:?}", &problems[..problems.len().min(8)]);
        count += 1;
    }
    assert!(count >= 9, "{count} configs");
}
