//! Commands and what they print, as the pages show them: `    $ command` and the lines after it, up to one that begins
//! another command or is not indented. Commands run in a shell, in a folder with the kernels and fabrics of the repository; one
//! that ends in `2>&1` shows an error. A comment `<!-- file: NAME -->` before a fenced block makes the block a file.
//!
//! To write the pages anew after a change: `UPDATE_EXPECT=1 cargo test -p loom docs`, then read the diff.

use crate::common::root;
use std::path::Path;
use std::process::Command;

const INDENT: &str = "    ";
const PROMPT: &str = "    $ ";

/// Standard output of a command, indented; what it writes goes into `folder`.
fn output(command: &str, folder: &Path) -> String {
    let tools = Path::new(env!("CARGO_BIN_EXE_loom")).parent().expect("a folder");
    let path = format!("{}:{}", tools.display(), std::env::var("PATH").unwrap_or_default());
    let out = Command::new("sh")
        .current_dir(folder)
        .env("PATH", path)
        .env("LOOM_CACHE", root().join("target/verilated"))
        .args(["-c", command])
        .output()
        .expect("a shell runs");
    let errors = String::from_utf8_lossy(&out.stderr);
    assert_eq!(out.status.success(), !command.ends_with("2>&1"), "{command}\n{errors}");
    assert!(!errors.contains("panicked"), "{command}\n{errors}");
    let text = String::from_utf8(out.stdout).expect("UTF-8");
    let indented =
        text.trim_end()
            .lines()
            .map(|l| if l.is_empty() { String::from("\n") } else { format!("{INDENT}{l}\n") });
    indented.collect()
}

/// The page with every output as it is now, and how many commands it shows.
fn rewritten(page: &str, folder: &Path) -> (String, usize) {
    let (mut text, mut count) = (String::new(), 0);
    let mut lines = page.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        text.push_str(line);
        if let Some(name) = line.strip_prefix("<!-- file: ").and_then(|l| l.trim_end().strip_suffix(" -->")) {
            text.extend(lines.next_if(|l| l.starts_with("```")));
            let content: String = std::iter::from_fn(|| lines.next_if(|l| !l.starts_with("```"))).collect();
            let path = folder.join(name);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            std::fs::write(path, &content).expect("a file");
            text.push_str(&content);
        }
        let Some(command) = line.strip_prefix(PROMPT) else { continue };
        count += 1;
        let shown = |l: &&str| (l.starts_with(INDENT) || l.trim().is_empty()) && !l.starts_with(PROMPT);
        while lines.next_if(shown).is_some() {}
        text.push_str(&output(command.trim_end(), folder));
        text.push('\n');
    }
    (text, count)
}

#[test]
fn the_pages_show_what_the_commands_print() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["kernels", "configs"] {
        std::os::unix::fs::symlink(root().join(name), folder.path().join(name)).expect("a link");
    }
    for (name, least) in [("README.md", 3), ("docs/mapping.md", 2), ("docs/c.md", 2), ("docs/tutorial.md", 8)]
    {
        let path = root().join(name);
        let page = std::fs::read_to_string(&path).expect(name);
        let (now, count) = rewritten(&page, folder.path());
        assert!(count >= least, "{name} shows {count} commands");
        expect_test::expect_file![path].assert_eq(&now);
    }
    // The picture in the README is the top of the mapping that its first command wrote.
    let page = std::fs::read_to_string(root().join("README.md")).expect("README.md");
    let picture: Vec<&str> = page
        .lines()
        .filter(|l| l.starts_with("    +--") || l.starts_with("    | "))
        .map(|l| &l[2..])
        .collect();
    let map = std::fs::read_to_string(folder.path().join("rtl-out/vecadd/vecadd.mesh-4x4.map.txt"));
    assert!(!picture.is_empty() && map.expect("map.txt").contains(&picture.join("\n")), "an old picture");
}
