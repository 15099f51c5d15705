//! The documentation says what the code says.

use loom_base::Source;
use loom_dfg::{codes::CODES, docs_table, parse};

fn page() -> String {
    std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/dfg.md")).unwrap()
}

#[test]
fn the_page_has_the_op_table() {
    assert!(page().contains(&docs_table()), "put this into docs/dfg.md:\n{}", docs_table());
}

#[test]
fn the_examples_of_the_page_are_read() {
    let page = page();
    let mut count = 0;
    for block in page.split("```mlir\n").skip(1) {
        let text = block.split("```").next().unwrap();
        let source = Source::new("docs/dfg.md", text);
        if let Err(problems) = parse(&source) {
            panic!("{}", problems.iter().map(|d| d.render(&source)).collect::<String>());
        }
        count += 1;
    }
    assert!(count > 0);
}

#[test]
fn codes_are_in_order() {
    assert!(CODES.windows(2).all(|w| w[0].id < w[1].id));
}
