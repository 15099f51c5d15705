//! `loom patch`: bases of external memory are set in a bitstream and nothing else changes; the fabric then reads and
//! writes where the host put its arrays; a C program does the same with config.h; what is wrong is refused.

use crate::common::{root, Folder};
use expect_test::expect_file;
use loom_adg::Image;
use loom_base::Source;
use loom_flow::{load, Configured};
use loom_sim::axi::HostMemory;
use loom_sim::{Case, Limits, NativeModel};
use serde_json::Value;
use std::fmt::Write;
use std::ops::Deref;
use std::path::PathBuf;
use std::process::Command;

fn fabric(name: &str) -> String {
    root().join(format!("configs/{name}.toml")).display().to_string()
}

/// A kernel mapped onto a default fabric, in a folder of its own.
struct Mapped {
    folder: Folder,
    stem: String,
    fabric: String,
}

impl Deref for Mapped {
    type Target = Folder;

    fn deref(&self) -> &Folder {
        &self.folder
    }
}

impl Mapped {
    fn new(kernel: &str, mesh: &str) -> Mapped {
        let m =
            Mapped { folder: Folder::new(), stem: format!("{kernel}.{mesh}.config"), fabric: fabric(mesh) };
        let program = root().join(format!("kernels/{kernel}/{kernel}.scf.mlir")).display().to_string();
        m.json(&["map", &program, "--fabric", &m.fabric, "-o", "."]);
        m
    }

    /// `loom patch` of the mapped image.
    fn patch(&self, more: &[&str]) -> Value {
        self.json(&[&["patch", &format!("{}.bin", self.stem), "--fabric", &self.fabric], more].concat())
    }

    fn words(&self, name: &str) -> Vec<u32> {
        Image::from_bytes(&self.read(name)).expect("whole words").words
    }
}

/// The rows of a list of bases by memory.
fn base<'a>(listed: &'a Value, memory: &str) -> &'a Value {
    let rows = listed["memory_regions"].as_array().expect("a list");
    rows.iter().find(|r| r["memory"] == memory).expect("a row of that memory")
}

/// Fields of a config.json that differ: (slice, field, value after).
fn changes(before: &Value, after: &Value) -> Vec<(String, String, u64)> {
    let fields = |value: &Value| -> Vec<(String, String, Value)> {
        let slices = value["slices"].as_array().expect("slices").iter();
        let of = |s: &Value| {
            let fields = s["fields"].as_array().expect("fields").clone().into_iter();
            let slice = s["name"].as_str().expect("a name").to_string();
            fields.map(move |f| (slice.clone(), f["name"].as_str().unwrap().to_string(), f["value"].clone()))
        };
        slices.flat_map(of).collect()
    };
    let (before, after) = (fields(before), fields(after));
    assert_eq!(before.len(), after.len());
    let differ = before.into_iter().zip(after).filter(|(a, b)| a != b);
    differ.map(|(_, (slice, field, value))| (slice, field, value.as_u64().expect("a number"))).collect()
}

const BASES: [(&str, &str, u64); 3] =
    [("a", "0x1_0000", 0x10000), ("b", "4096", 4096), ("c", "0xFFFFFF00", 0xffff_ff00)];

fn settings() -> Vec<String> {
    BASES.iter().flat_map(|(name, text, _)| ["--base".to_string(), format!("{name}={text}")]).collect()
}

#[test]
fn only_the_bases_change() {
    let m = Mapped::new("vecadd", "mesh-4x4");
    let bin = format!("{}.bin", m.stem);
    let listed = m.patch(&[]);
    assert!(listed["memory_regions"].as_array().unwrap().iter().all(|r| r["addr_offset"] == 0));
    let settings = settings();
    let settings: Vec<&str> = settings.iter().map(String::as_str).collect();
    m.patch(&[&settings[..], &["-o", "moved.bin"]].concat());

    let decode = |bin: &str| m.json(&["decode", bin, "--fabric", &m.fabric]);
    let (before, after) = (decode(&bin), decode("moved.bin"));
    let mut wanted: Vec<(String, String, u64)> = BASES
        .iter()
        .map(|(name, _, address)| {
            let row = base(&listed, name);
            let field = format!("region{}.addr_offset", row["region"]);
            (row["interface"].as_str().unwrap().to_string(), field, *address)
        })
        .collect();
    let mut found = changes(&before, &after);
    wanted.sort();
    found.sort();
    assert_eq!(found, wanted);
    let (old, new) = (m.words(&bin), m.words("moved.bin"));
    let differ: Vec<usize> = (0..old.len()).filter(|&i| old[i] != new[i]).collect();
    assert_eq!(differ.len(), BASES.len());
    for (name, _, address) in BASES {
        let word = base(&listed, name)["word_index"].as_u64().unwrap() as usize;
        assert_eq!((old[word], u64::from(new[word])), (0, address), "{name}");
        assert_eq!(base(&after, name)["addr_offset"], address, "{name}");
    }

    // In place, one after the other, by argument and by region.
    for (name, text, _) in BASES {
        let row = base(&listed, name);
        let region = format!("{}/{}", row["interface"].as_str().unwrap(), row["region"]);
        let name = if name == "b" { region.as_str() } else { name };
        m.patch(&["--base", &format!("{name}={text}"), "-o", &bin]);
    }
    assert_eq!(m.words(&bin), new);
    decode(&bin);
    // The list shows what is set.
    let again = m.patch(&[]);
    assert!(BASES.iter().all(|(name, _, address)| base(&again, name)["addr_offset"] == *address));
}

#[test]
fn a_patched_image_works_on_arrays_that_were_moved() {
    let m = Mapped::new("vecadd", "mesh-4x4");
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).expect("a file");
        Source::new(path.display().to_string(), text)
    };
    let fabric = load::fabric(&read(PathBuf::from(&m.fabric))).expect("a default fabric");
    let graph = loom_dfg::parse(&read(m.path("vecadd.dfg.mlir"))).expect("its graph");
    let case = Case::read(&read(root().join("kernels/vecadd/n64.toml")), &graph, fabric.index_width())
        .expect("a case");
    let map = read(m.path("vecadd.mesh-4x4.map.json")).text;
    let mapped = loom_map::report::read_json(&graph, &fabric, &map).expect("its mapping");
    let configured = Configured::with_mapping(graph.clone(), &fabric, mapped).expect("accepted");

    // The arrays in another order than the arguments, with something else before and between.
    let start = case.memories(&graph);
    let mut memory = HostMemory::new();
    let mut at = Vec::new();
    let mut settings = Vec::new();
    for (k, record) in graph.memories.iter().enumerate().rev() {
        memory.add(vec![0xa5; 5000 + 100 * k]);
        let words = &start.buffers[start.bindings[k].buffer];
        let address = memory.add(words.iter().flat_map(|w| (*w as u32).to_le_bytes()).collect());
        // A buffer's number is how many were added before it.
        at.push((k, 2 * at.len() + 1));
        settings.extend(["--base".to_string(), format!("{}={address}", record.name)]);
    }
    let settings: Vec<&str> = settings.iter().map(String::as_str).chain(["-o", "moved.bin"]).collect();
    m.patch(&settings);

    let run = |name: &str| {
        let image = Image { words: m.words(name) };
        let software = configured.kernel.run(&case, fabric.index_width()).expect("a good case");
        let mut model = NativeModel::new(&fabric, &image).expect("a good image");
        model.attach(memory.clone(), &case.axi);
        let stimulus = configured.stimulus(&case, &software.golden);
        let trace = model.run(&stimulus, &case.stalls, &Limits::default());
        (software.golden, model, trace)
    };
    let (golden, model, trace) = run("moved.bin");
    assert!(trace.completed && trace.error.is_none() && model.broken_rule().is_none(), "{:?}", trace.stop);
    for (k, buffer) in at {
        let words = &golden.memories.buffers[golden.memories.bindings[k].buffer];
        let bytes: Vec<u8> = words.iter().flat_map(|w| (*w as u32).to_le_bytes()).collect();
        assert_eq!(model.memory().bytes(buffer), bytes, "{}", graph.memories[k].name);
        assert!(
            model.memory().bytes(buffer - 1).iter().all(|b| *b == 0xa5),
            "what lies between is untouched"
        );
    }
    // Bases that nobody set point where nothing is.
    let (_, _, trace) = run(&format!("{}.bin", m.stem));
    assert_eq!(trace.error.map(|e| e.0.code()), Some(267));
}

#[test]
fn a_c_program_patches_with_config_h_as_loom_patch_does() {
    let m = Mapped::new("vecadd", "mesh-4x4");
    let settings = settings();
    let settings: Vec<&str> = settings.iter().map(String::as_str).chain(["-o", "moved.bin"]).collect();
    m.patch(&settings);
    let mut program = format!(
        "#include \"{}.h\"\n#include <stdio.h>\n#include <string.h>\n\nint main(void) {{\n    \
         uint32_t words[sizeof loom_vecadd__mesh_4x4_config_words / sizeof loom_vecadd__mesh_4x4_config_words[0]];\n    \
         memcpy(words, loom_vecadd__mesh_4x4_config_words, sizeof words);\n",
        m.stem
    );
    for (name, _, address) in BASES {
        let _ = writeln!(program, "    LOOM_vecadd__mesh_4x4_BASE_{name}(words, {address:#x}u);");
    }
    program.push_str(
        "    for (uint32_t i = 0; i < loom_vecadd__mesh_4x4_config_word_count; i++)\n        \
         for (int byte = 0; byte < 4; byte++)\n            putchar((int)(words[i] >> (8 * byte) & 0xff));\n    \
         return 0;\n}\n",
    );
    m.write("host.c", program.as_bytes());
    let cc = Command::new("cc")
        .current_dir(m.path(""))
        .args(["-Wall", "-Wextra", "-Werror", "-std=c99", "-pedantic", "host.c", "-o", "host"])
        .output()
        .expect("cc runs");
    assert!(cc.status.success(), "{}", String::from_utf8_lossy(&cc.stderr));
    let host = Command::new(m.path("host")).output().expect("the program runs");
    assert_eq!(host.stdout, m.read("moved.bin"));
}

#[test]
fn what_is_wrong_is_refused() {
    let m = Mapped::new("vecadd", "mesh-4x4");
    let pad = Mapped::new("scratch", "mesh-4x4");
    let plain = Mapped::new("gcd", "mesh-4x4");
    let mut text = String::new();
    let mut case = |name: &str, m: &Mapped, bin: &str, more: &[&str]| {
        let output = m.loom(&[&["patch", bin, "--fabric", &m.fabric], more].concat());
        let mut message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{name}\n{message}");
        assert!(!m.path("out.bin").exists() && !m.path("out.json").exists(), "{name}");
        // Places are the mapper's choice, hashes change with every detail of a fabric.
        for row in m.patch(&[])["memory_regions"].as_array().unwrap() {
            let place = format!("{}/{}", row["interface"].as_str().unwrap(), row["region"]);
            // Without names they come in the mapper's order.
            let shown = match bin {
                "bare.bin" => "<place>".into(),
                _ => format!("<place of {}>", row["memory"].as_str().unwrap()),
            };
            message = message.replace(&place, &shown);
        }
        let hash = loom_adg::hash::fabric_hash(
            &loom_adg::toml::read(&Source::new("f", std::fs::read_to_string(&m.fabric).unwrap())).unwrap(),
        );
        let _ = writeln!(text, "== {name}\n{}\n", message.replace(&hash[..12], "<hash>").trim_end());
    };
    let bin = format!("{}.bin", m.stem);
    let set = |setting: &'static str| ["--base", setting, "-o", "out.bin"];
    case("an argument of another name", &m, &bin, &set("x=0x1000"));
    case("a value argument", &m, &bin, &set("n=0x1000"));
    case("between two elements", &m, &bin, &set("a=0x1002"));
    case("beyond 32 bits", &m, &bin, &set("a=0x1_0000_0000"));
    case("twice", &m, &bin, &["--base", "a=0x1000", "--base", "a=0x1000", "-o", "out.bin"]);
    case(
        "all of it at once",
        &m,
        &bin,
        &["--base", "a=1", "--base", "b=0x800000000", "--base", "z=0", "--base", "c=0", "-o", "out.bin"],
    );
    let private = pad.patch(&[])["memory_regions"]
        .as_array()
        .unwrap()
        .iter()
        .find_map(|r| (r["kind"] == "memory").then(|| r["memory"].as_str().expect("a name").to_string()));
    let private = format!("{}=0x1000", private.expect("a scratchpad"));
    case("a scratchpad", &pad, &format!("{}.bin", pad.stem), &["--base", &private, "-o", "out.bin"]);
    case("a kernel without memory", &plain, &format!("{}.bin", plain.stem), &set("a=0x1000"));

    let words = m.read(&bin);
    m.write("short.bin", &words[..words.len() - 4]);
    case("a word is missing", &m, "short.bin", &set("a=0x1000"));
    m.write("odd.bin", &words[..words.len() - 1]);
    case("a byte is missing", &m, "odd.bin", &set("a=0x1000"));
    m.write("bare.bin", &words);
    case("an argument, and no config.json beside it", &m, "bare.bin", &set("a=0x1000"));
    let beside: Value = serde_json::from_slice(&m.read(&format!("{}.json", m.stem))).unwrap();
    let mut edited = |name: &str, change: &dyn Fn(&mut Value)| {
        let mut value = beside.clone();
        change(&mut value);
        m.write("edited.bin", &words);
        m.write("edited.json", value.to_string().as_bytes());
        case(name, &m, "edited.bin", &set("a=0x1000"));
    };
    edited("made for another fabric", &|v| {
        v["fabric"] = "mesh-9x9".into();
        v["fabric_hash"] = "0123456789abcdef".into();
    });
    edited("a stale config.json", &|v| v["words"][0] = 77.into());
    edited("a region moved by hand", &|v| v["memory_regions"][0]["word_index"] = 1.into());
    edited("no table of regions", &|v| drop(v.as_object_mut().unwrap().remove("memory_regions")));
    m.write("mine.json", b"{\"keep\": true}");
    case("a file beside the output", &m, &bin, &["--base", "a=0x1000", "-o", "mine.bin"]);
    assert_eq!(m.read("mine.json"), b"{\"keep\": true}");
    case("an output of another kind", &m, &bin, &["--base", "a=0x1000", "-o", "out.json"]);
    expect_file!["bad/patch.txt"].assert_eq(&text);
}

#[test]
fn usage_errors_exit_with_2() {
    let m = Mapped::new("vecadd", "mesh-4x4");
    let bin = format!("{}.bin", m.stem);
    for (more, reason) in [
        (&["--base", "a", "-o", "out.bin"][..], "no `=`"),
        (&["--base", "a=", "-o", "out.bin"], "no address"),
        (&["--base", "a=0xg", "-o", "out.bin"], "no address"),
        (&["--base", "a=-4", "-o", "out.bin"], "no address"),
        (&["--base", "=4", "-o", "out.bin"], "no name"),
        (&["--base", "a=4"], "--out"),
        (&["-o", "out.bin"], "--base"),
    ] {
        let output = m.loom(&[&["patch", &bin, "--fabric", &m.fabric], more].concat());
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && text.contains(reason), "{more:?}\n{text}");
    }
}
