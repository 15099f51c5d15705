//! The text form: bad inputs with their diagnostics, good ones with their canonical form, and mutations of all of
//! them, which must never panic or hang.

use expect_test::expect_file;
use loom_base::Source;
use loom_front::{parse, print};
use std::path::{Path, PathBuf};

fn files(folder: &str) -> Vec<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut found: Vec<PathBuf> =
        std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect();
    found.retain(|path| path.to_str().unwrap().ends_with(".scf.mlir"));
    found.sort();
    found
}

fn source(path: &Path) -> Source {
    Source::new(path.file_name().unwrap().to_str().unwrap(), std::fs::read_to_string(path).unwrap())
}

fn rendered(source: &Source) -> Option<String> {
    let problems = parse(source).err()?;
    Some(problems.iter().map(|d| d.render(source) + "\n\n").collect())
}

#[test]
fn bad_inputs_get_good_errors() {
    for path in files("tests/bad") {
        let text = rendered(&source(&path)).unwrap_or_else(|| panic!("{} is accepted", path.display()));
        let snapshot = path.to_str().unwrap().replace(".scf.mlir", ".stderr");
        expect_file![snapshot].assert_eq(&text);
    }
}

#[test]
fn good_inputs_have_a_canonical_form() {
    for path in files("tests/good") {
        let source = source(&path);
        let module = parse(&source).unwrap_or_else(|_| panic!("{}", rendered(&source).unwrap()));
        let text = print(&module);
        let again = Source::new("printed", text.clone());
        let again = parse(&again).unwrap_or_else(|_| panic!("{text}\n{}", rendered(&again).unwrap()));
        assert_eq!(print(&again), text, "{}", path.display());
        expect_file![path.to_str().unwrap().replace(".scf.mlir", ".printed")].assert_eq(&text);
    }
}
