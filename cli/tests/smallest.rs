//! Commands without `--fabric`: the smallest of the fabrics that come with LOOM, or why there is none.

use crate::common::{code, json, refused, root, stderr, Folder};

/// Two units of floats more than a default mesh has, and what no fabric computes.
fn program(op: &str) -> String {
    format!(
        "func.func @saxpy(%a: f32, %x: memref<?xf32>, %y: memref<?xf32>, %n: index) {{
           %c0 = arith.constant 0 : index
           %c1 = arith.constant 1 : index
           scf.for %i = %c0 to %n step %c1 {{
             %u = memref.load %x[%i] : memref<?xf32>
             %v = memref.load %y[%i] : memref<?xf32>
             %p = arith.mulf %a, %u : f32
             %s = arith.addf %p, %v : f32
             %w = {op} : f32
             memref.store %w, %y[%i] : memref<?xf32>
           }}
           return
         }}"
    )
}

#[test]
fn the_smallest_is_named_and_naming_it_gives_the_same() {
    let folder = Folder::new();
    let kernel = root().join("kernels/sum/sum.dfg.mlir").display().to_string();
    let mesh = root().join("configs/mesh-2x2.toml").display().to_string();
    let chosen = folder.loom(&["map", &kernel, "-o", "chosen"]);
    assert_eq!(code(&chosen), 0, "{}", stderr(&chosen));
    assert!(stderr(&chosen).contains("fabric: mesh-2x2, as none is named"), "{}", stderr(&chosen));
    assert_eq!(code(&folder.loom(&["map", &kernel, "--fabric", &mesh, "-o", "named"])), 0);
    for end in ["config.bin", "map.json"] {
        assert_eq!(
            folder.read(&format!("chosen/sum.mesh-2x2.{end}")),
            folder.read(&format!("named/sum.mesh-2x2.{end}"))
        );
    }
}

#[test]
fn what_is_short_of_units_goes_to_the_next() {
    let folder = Folder::new();
    folder.write("saxpy.scf.mlir", program("arith.negf %s").as_bytes());
    let out = folder.loom(&["map", "saxpy.scf.mlir", "--no-run", "-o", "out", "--json"]);
    assert_eq!(code(&out), 0, "{}", stderr(&out));
    assert_eq!(json(&out)["fabric"], "general-4x4");
    assert_eq!(stderr(&out), "", "an object says it");
}

#[test]
fn what_no_fabric_holds_says_what_each_lacks() {
    let folder = Folder::new();
    folder.write("exp.scf.mlir", program("math.exp %s").as_bytes());
    let said =
        refused(&folder.loom(&["map", "exp.scf.mlir", "--expand-math", "never", "-o", "out"]), "F0104");
    for part in ["general-12x12-w64", "note: mesh-2x2: ", "note: general-8x8: "] {
        assert!(said.contains(part), "{part} in\n{said}");
    }
}

#[test]
fn elementary_functions_go_where_their_formulas_can() {
    let folder = Folder::new();
    folder.write("exp.scf.mlir", program("math.exp %s").as_bytes());
    let out = folder.loom(&["map", "exp.scf.mlir", "-o", "out", "--json"]);
    assert_eq!(code(&out), 0, "{}", stderr(&out));
    let fabric = json(&out)["fabric"].as_str().unwrap_or_default().to_string();
    assert!(fabric.ends_with("-w64") && !json(&out)["run"].is_null(), "{fabric}");
    let graph = |options: &[&str]| {
        let out = folder.loom(&[&["compile", "exp.scf.mlir", "-o", "out", "--json"], options].concat());
        json(&out)["counts"]["math.exp"].as_u64()
    };
    assert_eq!(graph(&[]), Some(1), "no fabric is known");
    assert_eq!(graph(&["--expand-math", "always"]), None);
    assert_eq!(graph(&["--fabric", &fabric]), None);
    let never =
        folder.loom(&["compile", "exp.scf.mlir", "-o", "out", "--fabric", &fabric, "--expand-math", "never"]);
    refused(&never, "F0104");
}

#[test]
fn what_no_fabric_mends_is_said_once() {
    let folder = Folder::new();
    folder.write("wrong.scf.mlir", program("arith.negf %t").as_bytes());
    let out = folder.loom(&["map", "wrong.scf.mlir", "-o", "out"]);
    let said = stderr(&out);
    assert!(code(&out) == 1 && said.matches("error[").count() == 1 && !said.contains("mesh"), "{said}");
}

#[test]
fn what_was_made_for_a_fabric_needs_its_name() {
    let folder = Folder::new();
    folder.write("x.bin", [0; 4]);
    folder.write("case.toml", b"");
    let said = refused(&folder.loom(&["sim", "x.bin", "--case", "case.toml"]), "C0002");
    assert!(said.contains("without `--fabric`"), "{said}");
    let kernel = root().join("kernels/sum/sum.dfg.mlir").display().to_string();
    assert_eq!(code(&folder.loom(&["sim", &kernel, "--case", "case.toml", "--map", "sum.map.json"])), 2);
}

/// A sum of numbers, which loops that count can be unrolled of.
const SUM: &str = "func.func @sum(%n: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %c0) -> (index) {
    %x = arith.xori %i, %c1 : index
    %t = arith.addi %s, %x : index
    scf.yield %t : index
  }
  return %sum : index
}
";

#[test]
fn iterations_are_done_together_where_that_is_faster() {
    let folder = Folder::new();
    folder.write("sum.scf.mlir", SUM);
    let mesh = root().join("configs/mesh-4x4.toml").display().to_string();
    let map = |copies: &str| {
        let to = format!("{copies}.out");
        let made = folder.loom(&["map", "sum.scf.mlir", "--fabric", &mesh, "--unroll", copies, "-o", &to]);
        assert_eq!(code(&made), 0, "{}", stderr(&made));
        (stderr(&made), folder.read(&format!("{to}/sum.mesh-4x4.config.bin")))
    };
    let (said, fastest) = map("auto");
    let copies = said.split("at once: ").nth(1).and_then(|rest| rest.lines().next()).unwrap_or("none said");
    assert!(["2", "4", "8"].contains(&copies), "{said}");
    assert_eq!(map(copies).1, fastest);
    assert_ne!(map("hints").1, fastest);
    // Where nothing is mapped nothing says what is faster.
    for command in
        [&["compile", "sum.scf.mlir", "-o", "x"][..], &["interp", "sum.scf.mlir", "--case", "none.toml"]]
    {
        assert!(refused(&folder.loom(&[command, &["--unroll", "auto"]].concat()), "C0003")
            .contains("give a number"));
    }
    let graph = root().join("kernels/sum/sum.dfg.mlir").display().to_string();
    let said = refused(&folder.loom(&["map", &graph, "--unroll", "2", "-o", "x"]), "C0002");
    assert!(said.contains("`--unroll` with"), "{said}");
}

/// Twelve stores where the fabric has lanes for six.
const FILL: &str = "func.func @fill(%m: memref<12xi32>, %x: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c12 = arith.constant 12 : index
  scf.for %i = %c0 to %c12 step %c1 {
    memref.store %x, %m[%i] : memref<12xi32>
  } {loom.unroll}
  return
}
";

#[test]
fn what_does_not_map_is_compiled_for_room() {
    let folder = Folder::new();
    folder.write("fill.scf.mlir", FILL);
    folder.write("case.toml", b"[inputs]\nx = [7]\n[memory]\nm = { first = 0, step = 1, count = 12 }\n[expect_memory]\nm = { first = 7, step = 0, count = 12 }\n");
    let mesh = root().join("configs/mesh-4x4.toml").display().to_string();
    let map = |aim: &str| {
        folder.loom(&["map", "fill.scf.mlir", "--fabric", &mesh, "--aim", aim, "--no-run", "-o", aim])
    };
    let config = |aim: &str| folder.read(&format!("{aim}/fill.mesh-4x4.config.bin"));
    let auto = map("auto");
    assert_eq!(code(&auto), 0, "{}", stderr(&auto));
    assert!(stderr(&auto).contains("compiled for room"), "{}", stderr(&auto));
    let room = map("room");
    assert_eq!((code(&room), stderr(&room).contains("compiled for room")), (0, false), "{}", stderr(&room));
    assert_eq!(config("auto"), config("room"));
    assert!(refused(&map("speed"), "M0108").contains("12 stores"));
    // Who names a number of copies wants those.
    let four = ["map", "fill.scf.mlir", "--fabric", &mesh, "--unroll", "4", "--no-run", "-o", "four"];
    refused(&folder.loom(&four), "M0108");
    // A mapping is read as what it is of.
    let mapping = "auto/fill.mesh-4x4.map.json";
    let read = ["sim", "fill.scf.mlir", "--fabric", &mesh, "--map", mapping, "--case", "case.toml"];
    let read = folder.loom(&read);
    assert_eq!(code(&read), 0, "{}", stderr(&read));
    // A graph is compiled already.
    let graph = root().join("kernels/sum/sum.dfg.mlir").display().to_string();
    refused(&folder.loom(&["map", &graph, "--fabric", &mesh, "--aim", "room", "-o", "x"]), "C0002");
}

#[test]
fn what_is_faster_for_room_is_compiled_so() {
    let folder = Folder::new();
    let program = root().join("kernels/md5/md5.c").display().to_string();
    let mesh = root().join("configs/general-6x6.toml").display().to_string();
    let map = |aim: &str| {
        let out = folder.loom(&["map", &program, "--fabric", &mesh, "--aim", aim, "--no-run", "-o", aim]);
        assert_eq!(code(&out), 0, "{}", stderr(&out));
        let mapping = folder.read(&format!("{aim}/md5_blocks.general-6x6.map.json"));
        let mapping: serde_json::Value = serde_json::from_slice(&mapping).expect("JSON");
        (mapping["ii"].as_f64().expect("an interval"), stderr(&out).contains("compiled for room"))
    };
    let ((auto, said), (speed, _)) = (map("auto"), map("speed"));
    assert!(said && auto < speed, "{auto} against {speed}");
}

#[test]
fn where_the_smallest_holds_a_program_up_a_larger_one_is_taken() {
    let folder = Folder::new();
    let program = root().join("kernels/spmv/spmv.scf.mlir").display().to_string();
    // With few steps ways are long, and what waits on the smallest fabric finds no room.
    let few = ["--budget", "30", "--no-run", "--json", "-o", "out"];
    let map = |more: &[&str]| {
        let out = folder.loom(&[&["map", &program], &few[..], more].concat());
        assert_eq!(code(&out), 0, "{}", stderr(&out));
        json(&out)
    };
    let mesh = root().join("configs/mesh-4x4.toml").display().to_string();
    let (chosen, smallest) = (map(&[]), map(&["--fabric", &mesh]));
    assert_eq!(chosen["fabric"], "general-4x4");
    let interval = |of: &serde_json::Value| of["expected_ii"].as_f64().expect("an interval");
    assert!(2.0 * interval(&chosen) < interval(&smallest), "{chosen} against {smallest}");
}

#[test]
fn what_maps_for_no_aim_says_both() {
    let folder = Folder::new();
    // Seven words that nothing makes one access of, and each twice by a hint.
    let store = |n: u32| format!("    memref.store %v{n}, %m[%i] : memref<?xi32>\n");
    let value = |n: u32| format!("    %v{n} = arith.addi %x, %k{n} : i32\n");
    let literal = |n: u32| format!("  %k{n} = arith.constant {n} : i32\n");
    let all = |of: &dyn Fn(u32) -> String| (1..8).map(of).collect::<String>();
    let arguments: String = (1..8).map(|n| format!("%m{n}: memref<?xi32>, ")).collect();
    let store = |n: u32| store(n).replace("%m[", &format!("%m{n}["));
    let text = format!(
        "func.func @many({arguments}%x: i32) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
{}  scf.for %i = %c0 to %c8 step %c1 {{
{}{}  }} {{loom.unroll = 2 : i64}}
  return
}}
",
        all(&literal),
        all(&value),
        all(&store)
    );
    folder.write("many.scf.mlir", text.as_bytes());
    let mesh = root().join("configs/mesh-4x4.toml").display().to_string();
    let said = refused(&folder.loom(&["map", "many.scf.mlir", "--fabric", &mesh, "-o", "out"]), "M0108");
    assert!(said.contains("14 stores") && said.contains("compiled for room: 7 stores"), "{said}");
}
