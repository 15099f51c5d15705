//! Refused fabrics: every file in `bad/` has its diagnostics beside it, as a user sees them.

use loom_adg::{codes, mlir, toml};
use loom_base::Source;
use std::path::Path;

fn diagnostics(path: &Path) -> (String, Vec<&'static str>) {
    let name = path.file_name().expect("name").to_string_lossy().into_owned();
    let source = Source::new(&name, std::fs::read_to_string(path).expect("text"));
    let library =
        |name: &str| std::fs::read_to_string(path.with_file_name(format!("library/{name}.toml"))).ok();
    let list = if name.ends_with(".toml") {
        let (adg, list) = toml::load(&source, &library);
        assert!(adg.is_none(), "{name} is accepted");
        list
    } else {
        mlir::read(&source).map(|_| ()).expect_err(&name)
    };
    let shown: Vec<String> = list.iter().map(|d| d.render(&source) + "\n").collect();
    (shown.join("\n"), list.iter().map(|d| d.code.id).collect())
}

#[test]
fn every_bad_file_is_refused_as_its_snapshot_says() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bad");
    let mut files: Vec<_> =
        std::fs::read_dir(folder).expect("folder").map(|e| e.expect("entry").path()).collect();
    files.retain(|p| p.extension().is_some_and(|e| e == "toml" || e == "mlir"));
    files.sort();
    assert!(files.len() >= 20, "{}", files.len());
    let mut seen = Vec::new();
    for path in files {
        let (text, codes) = diagnostics(&path);
        expect_test::expect_file![
            path.with_extension(format!("{}.txt", path.extension().unwrap().to_string_lossy()))
        ]
        .assert_eq(&text);
        seen.extend(codes);
    }
    // What no reader can produce, or only on an enormous fabric.
    let unreachable = [codes::DANGLING.id, codes::UNUSED.id, codes::TOO_MANY_UNITS.id];
    for code in codes::CODES.iter().filter(|c| !unreachable.contains(&c.id)) {
        assert!(seen.contains(&code.id), "no bad file shows {} ({})", code.id, code.title);
    }
}

#[test]
fn the_documentation_lists_every_code() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/fabric.md");
    let page = std::fs::read_to_string(path).expect("docs/fabric.md");
    for code in codes::CODES {
        let row = format!("| {} | {} |", code.id, code.title);
        assert!(page.contains(&row), "docs/fabric.md lacks {row}");
    }
    assert!(codes::CODES.windows(2).all(|w| w[0].id < w[1].id), "codes ascend");
}
