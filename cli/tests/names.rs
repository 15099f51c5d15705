//! Names that nobody should give: whatever a text calls its things, `loom` refuses it with a code and a place, or writes
//! inside of the folder that it was told to.

use crate::common;
use crate::common::{code, root, stderr, Folder};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The first is a good one, and the next are keywords or names of something else; the others are no identifiers.
const NAMES: [&str; 18] = [
    "plain",
    "module",
    "wire",
    "int",
    "main",
    "CON",
    "",
    "..",
    "/abs/x",
    "../../x",
    "a\nb",
    "$(touch x)",
    "`touch x`",
    "a b",
    "-o",
    "a\"b",
    "größe",
    concat!(
        "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "yyyyyyyyyyyyyyyyyyyy"
    ),
];
const GOOD: usize = 6;

/// A folder within folders of ours, so that what leaves it is seen.
struct Inner {
    outer: Folder,
    before: BTreeSet<PathBuf>,
}

fn files(folder: &Path, found: &mut BTreeSet<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files(&path, found);
        } else {
            found.insert(path);
        }
    }
}

impl Inner {
    fn new() -> Inner {
        let outer = Folder::new();
        std::fs::create_dir_all(outer.path("a/b")).expect("a folder");
        Inner { outer, before: BTreeSet::new() }
    }

    fn write(&mut self, name: &str, bytes: &[u8]) {
        let path = self.path(name);
        std::fs::write(&path, bytes).expect("a file in a folder of ours");
        self.before.insert(path);
    }

    fn path(&self, name: &str) -> PathBuf {
        self.outer.path("a/b").join(name)
    }

    /// Runs `loom`, which reads `file`; whether it took what is there.
    fn takes(&self, file: &str, args: &[&str]) -> bool {
        let output = common::loom_in(&self.path(""), args);
        let text = stderr(&output);
        let mut after = BTreeSet::new();
        files(&self.outer.path(""), &mut after);
        let stray = |p: &&PathBuf| !self.before.contains(*p) && !p.starts_with(self.path("out"));
        assert_eq!(after.iter().find(stray), None, "{args:?}");
        match code(&output) {
            0 => true,
            1 => {
                let has_code = text.lines().any(|l| l.starts_with("error["));
                // Clang writes places its own way; what stands in JSON has none within the file.
                let has_place = [format!("{file}:"), format!("--> {file}")].iter().any(|p| text.contains(p));
                assert!(has_code && has_place, "{args:?}\n{text}");
                assert!(!text.contains("panicked"), "{text}");
                false
            }
            other => panic!("{args:?}: exit code {other}\n{text}"),
        }
    }
}

/// Writes a text with each name and runs a command on it; how many it takes.
fn taken(file: &str, args: &[&str], text: impl Fn(&str) -> String) -> Vec<&'static str> {
    let takes = |name: &&'static str| {
        let mut folder = Inner::new();
        folder.write(file, text(name).as_bytes());
        folder.takes(file, args)
    };
    NAMES.into_iter().filter(takes).collect()
}

/// As a string of MLIR has it.
fn escaped(name: &str) -> String {
    name.bytes()
        .map(|b| match b {
            b'"' | b'\\' | 0..=0x1f | 0x7f.. => format!("\\{b:02X}"),
            _ => char::from(b).to_string(),
        })
        .collect()
}

fn config(name: &str) -> String {
    root().join(name).display().to_string()
}

#[test]
fn names_of_programs() {
    let compile = ["compile", "p.scf.mlir", "-o", "out"];
    let function = taken("p.scf.mlir", &compile, |name| {
        format!("func.func @\"{}\"(%a: i32) -> i32 {{\n  return %a : i32\n}}\n", escaped(name))
    });
    assert_eq!(function, NAMES[..GOOD]);
    // A global's name stays inside of the program; the graph's memory has one that is made of it.
    let global = taken("p.scf.mlir", &compile, |name| {
        let name = escaped(name);
        format!(
            "memref.global \"private\" @\"{name}\" : memref<4xi32> = dense<1>\n\
             func.func @f(%i: index) -> i32 {{\n  %g = memref.get_global @\"{name}\" : memref<4xi32>\n  \
             %x = memref.load %g[%i] : memref<4xi32>\n  return %x : i32\n}}\n"
        )
    });
    assert_eq!(global, NAMES);
}

#[test]
fn names_of_graphs() {
    let sum = std::fs::read_to_string(root().join("kernels/sum/sum.dfg.mlir")).expect("a kernel");
    let mesh = config("configs/mesh-2x2.toml");
    let map = ["map", "p.dfg.mlir", "--fabric", &mesh, "--no-run", "-o", "out"];
    let function =
        taken("p.dfg.mlir", &map, |name| sum.replace("@sum(", &format!("@\"{}\"(", escaped(name))));
    assert_eq!(function, NAMES[..GOOD]);
    let argument = taken("p.dfg.mlir", &map, |name| {
        sum.replace("argNames = [\"lb\"", &format!("argNames = [\"{}\"", escaped(name)))
    });
    assert_eq!(argument, NAMES[..GOOD]);
}

/// A label gives a function of C any symbol; the kernel is called by what is left of it.
#[test]
fn symbols_of_c() {
    let taken = taken("p.c", &["compile", "p.c", "-o", "out"], |name| {
        let label: String = name.bytes().map(|b| format!("\\{b:03o}")).collect();
        format!(
            "int f(int a) __asm__(\"{label}\");\n\
             __attribute__((annotate(\"loom.accel\"))) int f(int a) {{ return a + 1; }}\n"
        )
    });
    assert_eq!(taken, NAMES.into_iter().filter(|n| !n.is_empty()).collect::<Vec<_>>());
}

#[test]
fn names_of_fabrics() {
    let mesh = std::fs::read_to_string(root().join("configs/mesh-2x2.toml")).expect("a fabric");
    let quoted = |name: &str| serde_json::Value::from(name).to_string();
    let gen = ["gen", "f.toml", "-o", "out"];
    let toml = taken("f.toml", &gen, |name| mesh.replace("\"mesh-2x2\"", &quoted(name)));
    assert_eq!(toml, NAMES[..GOOD]);
    let template = taken("f.toml", &gen, |name| mesh.replace("\"mesh32\"", &quoted(name)));
    assert_eq!(template, [""; 0]);
    let folder = Folder::new();
    assert!(folder.loom(&["gen", &config("configs/mesh-2x2.toml"), "-o", "out"]).status.success());
    let text = String::from_utf8(folder.read("out/mesh-2x2.fabric.mlir")).expect("text");
    let mlir = taken("f.fabric.mlir", &["gen", "f.fabric.mlir", "-o", "out"], |name| {
        text.replace("@mesh-2x2", &format!("@\"{}\"", escaped(name)))
    });
    assert_eq!(mlir, NAMES[..GOOD]);
}

#[test]
fn names_in_cases() {
    let sum = config("kernels/sum/sum.dfg.mlir");
    let case = std::fs::read_to_string(root().join("kernels/sum/n2.toml")).expect("a case");
    let taken = taken("c.toml", &["interp", &sum, "--case", "c.toml"], |name| {
        case.replace("[inputs]\n", &format!("[inputs]\n{} = [1]\n", serde_json::Value::from(name)))
    });
    assert_eq!(taken, [""; 0], "the kernel has no argument of that name");
}

/// The names in a config.json go to the one that `loom patch` writes, and from there into reports.
#[test]
fn names_in_config_json() {
    let made = Folder::new();
    let (fabric, program) = (config("configs/mesh-4x4.toml"), config("kernels/vecadd/vecadd.scf.mlir"));
    made.json(&["map", &program, "--fabric", &fabric, "--no-run", "-o", "."]);
    let mut json: serde_json::Value =
        serde_json::from_slice(&made.read("vecadd.mesh-4x4.config.json")).expect("an object");
    let rows = json["memory_regions"].as_array().expect("a list");
    let at = rows.iter().position(|r| r["memory"] == "a").expect("a region of `a`");
    let takes = |name: &&'static str| {
        let mut folder = Inner::new();
        folder.write("e.bin", &made.read("vecadd.mesh-4x4.config.bin"));
        json["memory_regions"][at]["memory"] = (*name).into();
        folder.write("e.json", json.to_string().as_bytes());
        folder.takes(
            "e.json",
            &["patch", "e.bin", "--fabric", &fabric, "--base", "b=0x4000", "-o", "out/e.bin"],
        )
    };
    assert_eq!(NAMES.into_iter().filter(takes).collect::<Vec<_>>(), NAMES[..GOOD]);
}

/// Keywords of C are good names of kernels and arguments: what the header defines is not called so.
#[test]
fn headers_of_kernels_with_the_names_of_keywords() {
    let sum = std::fs::read_to_string(root().join("kernels/sum/sum.dfg.mlir")).expect("a kernel");
    let folder = Folder::new();
    folder.write(
        "p.dfg.mlir",
        sum.replace("@sum(", "@int(").replace("argNames = [\"lb\"", "argNames = [\"for\""),
    );
    folder.json(&[
        "map",
        "p.dfg.mlir",
        "--fabric",
        &config("configs/mesh-2x2.toml"),
        "--no-run",
        "-o",
        "out",
    ]);
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".into());
    let header = folder.path("out/int.mesh-2x2.config.h");
    let made = Command::new(compiler)
        .args(["-std=c99", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-x", "c"])
        .arg(header)
        .output()
        .expect("a compiler");
    assert!(made.status.success(), "{}", stderr(&made));
}
